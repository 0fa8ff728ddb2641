//! Turf: where grass grows on the ground that is shown.
//!
//! Grass grows on loam that was never moved, as in traced pictures. Ground that a tool or a blade uncovers was not moved
//! either, but nothing has grown on it: turf lies no lower than the ground did when the world began.

use std::collections::HashMap;

use barchan_sim::{Materials, Voxel};
use barchan_surface::grows_grass;
use barchan_surface::mesh::GroundView;
use barchan_volume::brick::{EDGE, brick_of, voxel_index};
use barchan_volume::{Brick, Grid};
use glam::{IVec2, IVec3, Vec3};

/// Steeper ground (cosine of its slope) is bare.
const LEAST_UPRIGHT: f32 = 0.7;
/// How far above and below a vertex of the finest level the ground is looked for (voxels).
const CLIMB: i32 = 2;
/// Columns of voxels in a column of bricks.
const COLUMNS: usize = (EDGE * EDGE) as usize;

/// How high the ground of a world was when it began.
pub struct Turf {
    /// Highest voxel of each column, by column of bricks.
    tops: HashMap<IVec2, [i32; COLUMNS]>,
}

impl Turf {
    /// That of a world which begins with `voxels`.
    pub fn of(voxels: &Grid<Voxel>, materials: &Materials) -> Self {
        let tops = voxels.column_keys().map(|xy| (xy, tops(xy, voxels, materials))).collect();
        Self { tops }
    }

    /// Whether grass grows on `ground` at a vertex of a block of `level`, at `place_m` (m) with `normal`.
    pub fn grows(&self, ground: GroundView<'_>, level: u8, place_m: Vec3, normal: Vec3) -> bool {
        if normal.z < LEAST_UPRIGHT {
            return false;
        }
        let at = (place_m / ground.voxel_size_m).floor().as_ivec3();
        let climb = CLIMB << level;
        let column = (at.z - climb..=at.z + climb).rev().map(|z| at.with_z(z));
        let mut voxels = column.map(|p| (p.z, ground.voxels.get(p)));
        let top = voxels.find(|(_, voxel)| is_ground(voxel, ground.materials));
        top.is_some_and(|(z, voxel)| z >= self.top(at) && grows_grass(&voxel, ground.materials))
    }

    /// The highest voxel in the column of `p` when the world began.
    fn top(&self, p: IVec3) -> i32 {
        let tops = self.tops.get(&brick_of(p).truncate());
        tops.map_or(i32::MIN, |tops| tops[column_index(p.truncate())])
    }
}

/// Place of a column of voxels in its column of bricks.
fn column_index(xy: IVec2) -> usize {
    voxel_index(xy.extend(0)) / EDGE as usize
}

fn is_ground(voxel: &Voxel, materials: &Materials) -> bool {
    !voxel.is_air() && voxel.fill(materials) >= 0.5
}

/// The highest voxels in a column of bricks, from above.
fn tops(xy: IVec2, voxels: &Grid<Voxel>, materials: &Materials) -> [i32; COLUMNS] {
    let mut tops = [i32::MIN; COLUMNS];
    let Some((low, high)) = voxels.column_extent(xy) else { return tops };
    for z in (low..=high).rev() {
        let Some(brick) = voxels.stored(xy.extend(z)) else { continue };
        for (column, top) in tops.iter_mut().enumerate().filter(|(_, top)| **top == i32::MIN) {
            let first = column * EDGE as usize;
            let found = match brick {
                Brick::Uniform(voxel) => is_ground(voxel, materials).then_some(EDGE - 1),
                Brick::Dense(held) => {
                    let column = &held[first..first + EDGE as usize];
                    column.iter().rposition(|voxel| is_ground(voxel, materials)).map(|at| at as i32)
                }
            };
            *top = found.map_or(i32::MIN, |above| z * EDGE + above);
        }
        if !tops.contains(&i32::MIN) {
            break;
        }
    }
    tops
}

#[cfg(test)]
mod tests {
    use barchan_sim::units::VoidRatio;
    use barchan_sim::voxel::Marks;
    use barchan_volume::VoxelBox;

    use super::*;

    #[test]
    fn grass_grows_on_what_was_neither_dug_nor_moved() {
        let materials = Materials::builtin();
        let soil_kind = materials.find("loam").expect("loam");
        let ratio = VoidRatio::from_f32;
        let natural = ratio(materials[soil_kind].void_ratio_natural);
        let laid = Voxel::of_soil(32_768, soil_kind, natural);
        let moved = Voxel { marks: Marks(Marks::TOP_MOVED), ..laid };
        let mut voxels = Grid::new(Voxel::AIR);
        VoxelBox::new(IVec3::new(-16, 0, 0), IVec3::splat(16)).cells().for_each(|p| voxels.set(p, laid));
        let turf = Turf::of(&voxels, &materials);
        // A hole, a heap on it all, and a place where the soil was moved and put back.
        voxels.set(IVec3::new(-3, 2, 15), Voxel::AIR);
        voxels.set(IVec3::new(5, 2, 16), moved);
        voxels.set(IVec3::new(9, 2, 15), moved);
        let ground = GroundView { voxels: &voxels, materials: &materials, voxel_size_m: 0.1, bounds: None };
        for (x, z, level, normal, grows) in [
            (1, 1.6, 0, Vec3::Z, true),
            (-9, 1.6, 0, Vec3::Z, true),
            (1, 1.9, 2, Vec3::Z, true),
            (1, 1.6, 0, Vec3::X, false),
            (-3, 1.5, 0, Vec3::Z, false),
            (5, 1.7, 0, Vec3::Z, false),
            (9, 1.6, 0, Vec3::Z, false),
            (1, 2.4, 0, Vec3::Z, false),
        ] {
            let place = Vec3::new((x as f32 + 0.5) * 0.1, 0.25, z);
            assert_eq!(turf.grows(ground, level, place, normal), grows, "{x} {z} {level} {normal}");
        }
    }
}
