//! What one body presses on the ground with, and how far down that matters.

use std::f32::consts::PI;

use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3};

use super::bulb::{Load, mean_stress_pa};
use crate::bearing::Patch;

/// Added stress below which no bulb is followed (Pa): less than soil bears that was only ever rained on.
const FAINT_PA: f32 = 5_000.0;

/// Most loads that a footprint is made of, along each side: finer ones tell nothing a voxel down.
const LOADS_ACROSS: i32 = 5;

/// A bulb is wider than its footprint by this part of its depth (-): further off its mean stress is under a quarter of that below.
const WIDENING: f32 = 0.6;

/// Most voxels of a bulb; the deepest are left out.
const MOST_VOXELS: u128 = 200_000;

/// Highest force that is believed (N): a thousand tonnes.
const MOST_DOWN_N: f32 = 1e7;

/// A patch that faces down by less than this presses sideways (-).
const LEAST_DOWNWARDS: f32 = 0.05;

/// The loads of one body.
#[derive(Clone, Debug)]
pub(super) struct Footprint {
    loads: Vec<Load>,
    low_m: Vec3,
    high_m: Vec3,
    total_n: f32,
}

impl Footprint {
    /// What the contacts of one body press down with; none where they do not.
    pub fn of(patches: &[Patch], voxel_size_m: f32) -> Option<Self> {
        let loads: Vec<Load> = patches.iter().filter_map(load).collect();
        let first = loads.first()?.point_m;
        let (low_m, high_m) = loads
            .iter()
            .fold((first, first), |(low, high), load| (low.min(load.point_m), high.max(load.point_m)));
        let total_n = loads.iter().map(|load| load.down_n).sum();
        let span_m = (high_m - low_m).truncate().max_element();
        let cell_m = (1.01 * span_m / LOADS_ACROSS as f32).max(voxel_size_m);
        Some(Self { loads: together(&loads, low_m, cell_m), low_m, high_m, total_n })
    }

    /// How far a point is below the lowest load, or beside all loads (m): no load is nearer.
    pub fn depth_m(&self, point_m: Vec3) -> f32 {
        let beside = (self.low_m - point_m).max(point_m - self.high_m).truncate().max(glam::Vec2::ZERO);
        let below = (self.low_m.z - point_m.z).max(0.0);
        (beside.length_squared() + below * below).sqrt()
    }

    /// The greatest mean stress (Pa) that it can send to `depth_m` (m) below all of it.
    pub fn most_pa(&self, depth_m: f32, nu: f32) -> f32 {
        let area_m2 = self.loads.iter().map(|load| load.area_m2).sum();
        let all_at_once = Load { point_m: Vec3::Z * depth_m, down_n: self.total_n, area_m2 };
        // Where pressure is uneven, a part of it presses more than all.
        let part = self
            .loads
            .iter()
            .map(|load| mean_stress_pa(&Load { point_m: Vec3::Z * depth_m, ..*load }, Vec3::ZERO, nu));
        mean_stress_pa(&all_at_once, Vec3::ZERO, nu).max(2.0 * part.fold(0.0, f32::max))
    }

    /// Mean stress (Pa) at a point (m).
    pub fn stress_pa(&self, point_m: Vec3, nu: f32) -> f32 {
        self.loads.iter().map(|load| mean_stress_pa(load, point_m, nu)).sum()
    }

    /// The voxels to which its bulb matters, for the widest bulb of concentration factor `nu`.
    pub fn reach(&self, nu: f32, voxel_size_m: f32) -> VoxelBox {
        let mut depth_m = (nu * self.total_n / (6.0 * PI * FAINT_PA)).sqrt();
        loop {
            let out = Vec3::new(WIDENING * depth_m, WIDENING * depth_m, 0.0);
            let low = (self.low_m - out - Vec3::Z * depth_m) / voxel_size_m;
            let high = (self.high_m + out) / voxel_size_m;
            let reach = VoxelBox::new(low.floor().as_ivec3(), high.floor().as_ivec3() + IVec3::ONE);
            if reach.volume() <= MOST_VOXELS || depth_m < voxel_size_m {
                return reach;
            }
            depth_m *= 0.9;
        }
    }
}

/// What a patch presses down with.
fn load(patch: &Patch) -> Option<Load> {
    let (area_m2, downwards) = (patch.area_m2, -patch.normal.z);
    let down_n = patch.pressure_pa * area_m2 * downwards;
    let is_sound = !patch.is_rock
        && !patch.cuts
        && !patch.is_edge
        && area_m2 > 0.0
        && down_n > 0.0
        && patch.point_m.is_finite();
    (is_sound && downwards > LEAST_DOWNWARDS).then(|| Load {
        point_m: patch.point_m,
        down_n: down_n.min(MOST_DOWN_N),
        area_m2: area_m2 * downwards,
    })
}

/// Brings loads together that lie in the same cell of a grid, in the order of the cells.
fn together(loads: &[Load], low_m: Vec3, cell_m: f32) -> Vec<Load> {
    let cell = |load: &Load| {
        let at = ((load.point_m - low_m) / cell_m).floor().as_ivec3();
        (at.x, at.y)
    };
    let mut sorted: Vec<((i32, i32), Load)> = loads.iter().map(|load| (cell(load), *load)).collect();
    // Stable: loads of a cell are added up in the order in which they came.
    sorted.sort_by_key(|(cell, _)| *cell);
    sorted.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
}

fn sum(group: &[((i32, i32), Load)]) -> Load {
    let down_n: f32 = group.iter().map(|(_, load)| load.down_n).sum();
    let moment: Vec3 = group.iter().map(|(_, load)| load.point_m * load.down_n).sum();
    Load { point_m: moment / down_n, down_n, area_m2: group.iter().map(|(_, load)| load.area_m2).sum() }
}
