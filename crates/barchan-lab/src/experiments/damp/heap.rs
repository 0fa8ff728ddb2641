//! A column of soil that is dropped, so that all of it has moved, and the heap that it becomes.

use barchan_volume::Shape;
use glam::Vec3;

use crate::measure::{Pile, SoilDepths};
use crate::rest::{balance_units, step_to_rest};
use crate::test_soil::{DampSoil, TooLarge, bounds_around};

/// Voxels across the column.
const ACROSS: f64 = 12.0;
/// From the floor to the column before it drops (voxels).
const DROP: f64 = 3.0;

/// A heap at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Heap {
    /// Mean slope of its flank (°).
    pub slope_deg: f64,
    pub at_rest: bool,
    /// Books: off by so many units, plus steps after which they did not balance.
    pub balance_units: i64,
}

/// Drops a column of this height and half as wide and waits until it rests, for at most `limit_s` (s).
pub(super) fn heap(soil: &DampSoil, height_m: f64, limit_s: f64) -> Result<Heap, TooLarge> {
    let voxel_size_m = height_m / 2.0 / ACROSS;
    let top = height_m + DROP * voxel_size_m;
    let bounds = bounds_around(Vec3::new(5.0, 5.0, 1.5) * top as f32, voxel_size_m);
    let mut world = soil.world(voxel_size_m, bounds)?;
    let (radius, half_height) = (height_m as f32 / 4.0, height_m as f32 / 2.0);
    let centre = Vec3::Z * (DROP * voxel_size_m) as f32 + Vec3::Z * half_height;
    soil.place(&mut world, Shape::Cylinder { radius, half_height }, centre);
    let rest = step_to_rest(&mut world, limit_s);
    let pile = Pile::of(&SoilDepths::of(&world, bounds)).expect("the soil of the column is still there");
    Ok(Heap {
        slope_deg: pile.slope.to_degrees(),
        at_rest: rest.at_rest,
        balance_units: balance_units(&world) + rest.off_balance as i64,
    })
}
