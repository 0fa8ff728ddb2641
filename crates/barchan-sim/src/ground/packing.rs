//! How dense soil is placed.

use serde::{Deserialize, Serialize};

use crate::material::{MaterialId, Materials, Phase};
use crate::units::VoidRatio;

/// Most points of a profile.
const MOST_POINTS: usize = 1_000;

/// Void ratios that differ by less are the same (-): half a step of what a voxel stores.
const SAME: f32 = 3e-5;

/// Void ratios over depth, linear between the points and even beyond them. One point is one void ratio everywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Packing {
    /// Depth below the top of what is placed (m) and the void ratio there, the shallowest first.
    pub points: Vec<[f32; 2]>,
}

impl Packing {
    /// The same void ratio everywhere.
    pub fn even(void_ratio: f32) -> Self {
        Self { points: vec![[0.0, void_ratio]] }
    }

    /// The void ratio at this depth (m).
    pub fn void_ratio(&self, depth_m: f32) -> f32 {
        let below = self.points.partition_point(|[depth, _]| *depth <= depth_m);
        match (below.checked_sub(1).map(|at| self.points[at]), self.points.get(below)) {
            (Some([above_m, above]), Some([below_m, below])) => {
                above + (below - above) * (depth_m - above_m) / (below_m - above_m)
            }
            (Some([_, e]), None) | (None, Some(&[_, e])) => e,
            (None, None) => 0.0,
        }
    }

    /// What is wrong with it for soil of `kind`, in words.
    pub fn problem(&self, kind: MaterialId, materials: &Materials) -> Option<String> {
        let material = materials.get(kind)?;
        if material.phase == Phase::Rock {
            return Some(format!("has no place: {} is rock, which is as dense as it is", material.name));
        }
        let depths_grow = self.points.windows(2).all(|pair| pair[0][0] < pair[1][0]);
        let has_depths = self.points.iter().all(|[depth, _]| depth.is_finite() && *depth >= 0.0);
        if !(1..=MOST_POINTS).contains(&self.points.len()) || !depths_grow || !has_depths {
            return Some(format!("must have 1 to {MOST_POINTS} depths, each below the one before"));
        }
        let (dense, loose) = (material.void_ratio_dense, material.void_ratio_loose);
        let fits = |e: f32| (dense - SAME..=loose + SAME).contains(&e);
        let off = self.points.iter().find(|[_, e]| !fits(*e));
        off.map(|[_, e]| format!("is {e}; {} packs from {dense} to {loose}", material.name))
    }

    /// The one void ratio that it has everywhere; none where it has several.
    pub(super) fn only_one(&self) -> Option<VoidRatio> {
        match self.points[..] {
            [[_, e]] => Some(VoidRatio::from_f32(e)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read_between_their_points() {
        let profile = Packing { points: vec![[0.1, 0.9], [0.3, 0.7], [0.5, 0.6]] };
        for (depth_m, e) in
            [(0.0, 0.9), (0.1, 0.9), (0.2, 0.8), (0.4, 0.65), (9.0, 0.6), (f32::INFINITY, 0.6)]
        {
            assert!((profile.void_ratio(depth_m) - e).abs() < 1e-6, "{depth_m}");
        }
        assert_eq!(Packing::even(0.7).void_ratio(3.0), 0.7);
    }

    #[test]
    fn what_cannot_be_is_named() {
        let materials = Materials::builtin();
        let [loam, granite] = ["sandy_loam", "granite"].map(|name| materials.find(name).unwrap());
        let problem =
            |points: &[[f32; 2]], kind| Packing { points: points.to_vec() }.problem(kind, &materials);
        assert_eq!(problem(&[[0.0, 0.95], [0.3, 0.5]], loam), None);
        for (points, kind, word) in [
            (&[[0.0, 0.7]][..], granite, "rock"),
            (&[], loam, "depths"),
            (&[[0.3, 0.7], [0.1, 0.7]], loam, "depths"),
            (&[[f32::NAN, 0.7]], loam, "depths"),
            (&[[0.0, f32::NAN]], loam, "packs from"),
            (&[[0.0, 0.96]], loam, "packs from 0.5 to 0.95"),
        ] {
            assert!(problem(points, kind).is_some_and(|problem| problem.contains(word)), "{points:?}");
        }
    }
}
