//! How loosely grains lie: the void ratio at every grain, from the cells around it.

use glam::{DVec3, IVec3};
use rustc_hash::FxHashMap;

use crate::grains::{Grain, Grains};
use crate::material::Material;
use crate::units::VoidRatio;

/// Edge of a cell over the diameter of the widest grain (-).
const CELL: f64 = 2.0;

/// Solid matter by cells: each grain spreads over the eight cells around it, and asks the same eight (Holz2009, section 5.2; after
/// LiuLiu2003).
#[derive(Clone, Debug, Default)]
pub struct Looseness {
    solid_m3: FxHashMap<IVec3, f64>,
    cell_m: f64,
}

impl Looseness {
    /// Of all grains.
    pub fn of(grains: &Grains) -> Self {
        let widest = grains.forms().iter().map(|form| form.reach_m).fold(0.0, f64::max);
        let cell_m = 2.0 * widest * CELL;
        let mut solid_m3 = FxHashMap::default();
        if cell_m > 0.0 {
            for grain in grains.all() {
                let volume = grains.form_of(grain).volume_m3;
                for (cell, share) in corners(grains.position_m(grain) / cell_m) {
                    *solid_m3.entry(cell).or_insert(0.0) += volume * share;
                }
            }
        }
        Self { solid_m3, cell_m }
    }

    /// The void ratio at a grain, between the densest and the loosest that its soil is found at: at the rim of a heap cells are
    /// half empty.
    pub fn at(&self, grains: &Grains, grain: &Grain, material: &Material) -> VoidRatio {
        let share: f64 = corners(grains.position_m(grain) / self.cell_m)
            .into_iter()
            .map(|(cell, share)| share * self.solid_m3.get(&cell).copied().unwrap_or(0.0))
            .sum::<f64>()
            / self.cell_m.powi(3);
        let e = (1.0 / share.max(1e-9) - 1.0) as f32;
        VoidRatio::from_f32(e.clamp(material.void_ratio_dense, material.void_ratio_loose))
    }
}

/// The eight cells around a place (cells), with their shares, which add up to one.
fn corners(at: DVec3) -> [(IVec3, f64); 8] {
    let low = (at - 0.5).floor();
    let part = at - 0.5 - low;
    std::array::from_fn(|corner| {
        let off = IVec3::new(corner as i32 & 1, corner as i32 >> 1 & 1, corner as i32 >> 2);
        let weight = |axis: usize| if off[axis] == 1 { part[axis] } else { 1.0 - part[axis] };
        (low.as_ivec3() + off, weight(0) * weight(1) * weight(2))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_one_wherever_a_grain_is() {
        for at in [DVec3::ZERO, DVec3::new(0.3, -1.7, 12.5), DVec3::splat(-0.5)] {
            let sum: f64 = corners(at).iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{at} {sum}");
        }
    }
}
