//! Where a scene takes place: voxels and walls.

use barchan_volume::{Aabb, VoxelBox};
use glam::{DVec3, IVec3, Vec2, Vec3};

use super::ranges::{FARTHEST_M, POINT};
use crate::reader::{Number, TableReader};
use crate::scene::Area;

/// Most voxels along one side of the bounds.
const LONGEST_SIDE: f64 = (1 << 20) as f64;
/// Most bricks that one entry of the ground may reach: 137 thousand million voxels.
const MOST_BRICKS: u128 = 1 << 28;

/// Voxel size and bounds, as far as they are known: what is wrong in the file is none here.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Edge of a voxel (m).
    pub voxel_size_m: Option<f32>,
    /// The voxels inside the walls.
    pub bounds: Option<VoxelBox>,
    /// Whether the file has bounds, right or wrong.
    pub is_bounded: bool,
}

impl Site {
    /// Reads `voxel_size_m` and `[bounds]`.
    pub fn read(scene: &mut TableReader<'_>) -> Self {
        let voxel_size_m = scene.required("voxel_size_m", &Number { min: 0.001, max: 100.0 });
        let is_bounded = scene.has("bounds");
        let bounds = scene.table("bounds").and_then(|table| read_bounds(table, voxel_size_m));
        Self { voxel_size_m, bounds, is_bounded }
    }

    /// The bounds, for what cannot be without; a problem is noted when the scene has none.
    pub fn walls(&self, part: &TableReader<'_>) -> Option<Walls> {
        if !self.is_bounded {
            part.wrong("kind", "needs [bounds], for it has no end of its own");
        }
        Some(Walls { voxels: self.bounds?, voxel_size_m: self.voxel_size_m? })
    }

    /// Notes a problem when a box (m) within the walls has too many bricks to be worked through.
    pub fn check_reach(&self, part: &TableReader<'_>, reach: &Aabb) {
        let Some(voxel_size_m) = self.voxel_size_m else { return };
        let mut voxels = VoxelBox::new(
            (reach.min / voxel_size_m).floor().as_ivec3(),
            (reach.max / voxel_size_m).ceil().as_ivec3(),
        );
        match (self.bounds, self.is_bounded) {
            (Some(bounds), _) => voxels = voxels.intersect(&bounds),
            (None, true) => return,
            (None, false) => {}
        }
        let bricks = if voxels.is_empty() { 0 } else { voxels.to_bricks().volume() };
        if bricks > MOST_BRICKS {
            let message =
                format!("covers {} voxels; at most {} are worked through", bricks << 9, MOST_BRICKS << 9);
            part.wrong_here(format!("{message}: make voxel_size_m larger or the ground smaller"));
        }
    }
}

/// Walls around a scene that has them.
#[derive(Clone, Copy, Debug)]
pub struct Walls {
    /// The voxels inside.
    pub voxels: VoxelBox,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
}

impl Walls {
    /// The box inside (m).
    pub fn box_m(&self) -> Aabb {
        let metres = |p: IVec3| (p.as_dvec3() * f64::from(self.voxel_size_m)).as_vec3();
        Aabb::new(metres(self.voxels.min), metres(self.voxels.max))
    }

    /// All columns.
    pub fn area(&self) -> Area {
        Area { min: self.voxels.min.truncate(), max: self.voxels.max.truncate() }
    }

    /// The columns of a rectangle (m) that are inside; none when there are none.
    pub fn area_of(&self, center_m: Vec2, size_m: Vec2) -> Option<Area> {
        let column = |p: Vec2| (p.as_dvec2() / f64::from(self.voxel_size_m)).round().as_ivec2();
        let inside = self.area();
        let min = column(center_m - size_m * 0.5).max(inside.min);
        let max = column(center_m + size_m * 0.5).min(inside.max);
        min.cmplt(max).all().then_some(Area { min, max })
    }
}

fn read_bounds(mut table: TableReader<'_>, voxel_size_m: Option<f32>) -> Option<VoxelBox> {
    let min = table.required("min_m", &POINT);
    let max = table.required("max_m", &POINT);
    let bounds = rounded(&table, min, max, voxel_size_m);
    table.finish();
    bounds
}

/// The bounds in whole voxels.
fn rounded(
    table: &TableReader<'_>,
    min: Option<Vec3>,
    max: Option<Vec3>,
    voxel_size_m: Option<f32>,
) -> Option<VoxelBox> {
    let voxel = f64::from(voxel_size_m?);
    let [min, max]: [DVec3; 2] = [min?, max?].map(|corner| (corner.as_dvec3() / voxel).round());
    let size = max - min;
    for (axis, side) in ["x", "y", "z"].into_iter().zip(size.to_array()) {
        if !(1.0..=LONGEST_SIDE).contains(&side) {
            let longest_m = (LONGEST_SIDE * voxel).min(2.0 * FARTHEST_M);
            let message =
                format!("{axis} must lie {voxel} to {longest_m} above min_m, 1 to {LONGEST_SIDE} voxels");
            table.wrong("max_m", message);
            return None;
        }
    }
    Some(VoxelBox::new(min.as_ivec3(), max.as_ivec3()))
}
