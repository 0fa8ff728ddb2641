//! Turned and shifted voxels, one to one.

use std::f64::consts::FRAC_PI_2;

use glam::{DVec2, IVec2};

/// A one-to-one map of the columns of voxels that belong to a frame onto those of the world. A turn is made of three
/// shears by whole voxels (Paeth1986), so no two columns ever meet; it is right to about a voxel at any angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    origin: IVec2,
    /// Quarter turns, counter-clockwise, 0 to 3.
    quarters: i64,
    /// Columns shifted along x per column of y, first and last.
    along_x: f64,
    /// Columns shifted along y per column of x, in between.
    along_y: f64,
}

impl Lattice {
    /// The map of a frame at `centre` (voxels) that is turned by `yaw` (rad).
    pub(super) fn new(centre: DVec2, yaw: f64) -> Self {
        let quarters = (yaw / FRAC_PI_2).round();
        let rest = yaw - quarters * FRAC_PI_2;
        Self {
            origin: centre.round().as_ivec2(),
            quarters: (quarters as i64).rem_euclid(4),
            along_x: -(rest / 2.0).tan(),
            along_y: rest.sin(),
        }
    }

    /// Where the world has the frame's column `q`.
    pub(super) fn to_world(self, q: IVec2) -> IVec2 {
        let mut p = q;
        for _ in 0..self.quarters {
            p = IVec2::new(-1 - p.y, p.x);
        }
        p.x += shift(self.along_x, p.y);
        p.y += shift(self.along_y, p.x);
        p.x += shift(self.along_x, p.y);
        p + self.origin
    }

    /// Which of the frame's columns is the world's column `p`.
    pub(super) fn own_column(self, p: IVec2) -> IVec2 {
        let mut q = p - self.origin;
        q.x -= shift(self.along_x, q.y);
        q.y -= shift(self.along_y, q.x);
        q.x -= shift(self.along_x, q.y);
        for _ in 0..self.quarters {
            q = IVec2::new(q.y, -1 - q.x);
        }
        q
    }
}

/// By how many whole columns a shear moves the column whose centre is at `across` + 1/2.
fn shift(shear: f64, across: i32) -> i32 {
    (shear * (f64::from(across) + 0.5)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_is_one_to_one_and_stays_near_the_truth() {
        for step in -50..50 {
            let (centre, yaw) = (DVec2::new(3.3, -17.9), f64::from(step) * 0.137);
            let lattice = Lattice::new(centre, yaw);
            for q in (-20..20).flat_map(|x| (-20..20).map(move |y| IVec2::new(x, y))) {
                let p = lattice.to_world(q);
                assert_eq!(lattice.own_column(p), q, "yaw {yaw}");
                let truth = DVec2::from_angle(yaw).rotate(q.as_dvec2() + 0.5) + centre;
                assert!((p.as_dvec2() + 0.5).distance(truth) < 1.7, "yaw {yaw}: {q} at {p}, not {truth}");
            }
        }
    }

    #[test]
    fn whole_turns_bring_everything_back() {
        let q = IVec2::new(11, -4);
        let start = Lattice::new(DVec2::ZERO, 0.0);
        for (turns, expected) in [(0.25, IVec2::new(3, 11)), (0.5, IVec2::new(-12, 3)), (1.0, q)] {
            let turned = Lattice::new(DVec2::ZERO, turns * std::f64::consts::TAU);
            assert_eq!(turned.to_world(start.own_column(q)), expected, "{turns} turns");
        }
    }
}
