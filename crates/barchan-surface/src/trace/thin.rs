//! What is one voxel thick stands: smoothing alone would leave of a wall or a shelf no more than the level itself.

use super::field::FULL_SAMPLE;
use super::smooth::BLOCK;

/// The value in the middle of a wall one voxel thick, between neighbours of a quarter: its faces are then those of the
/// voxel.
const STANDING: f32 = 0.75;
/// From here on a voxel is filled rather than empty.
const FILLED: f32 = 0.5;

/// The value of the sample at `own` of a block of fills, which is `smoothed` unless it lies in something thin.
#[inline]
pub(super) fn stand(block: &[f32], own: usize, smoothed: f32) -> f32 {
    const FULL: f32 = FULL_SAMPLE as f32;
    if block[own] < FILLED * FULL || smoothed >= STANDING * FULL {
        return smoothed;
    }
    const STRIDES: [usize; 3] = [BLOCK * BLOCK, BLOCK, 1];
    let share = (0..3).map(|axis| {
        let across = STRIDES[axis];
        let own_share = thinness(block, own, across);
        if own_share == 0.0 {
            return 0.0;
        }
        // A crest is thin too, and stands on what is not: only what goes on thin to all sides is a wall.
        let (a, b) = (STRIDES[(axis + 1) % 3], STRIDES[(axis + 2) % 3]);
        let beside = [own - a, own + a, own - b, own + b];
        let thick = |at: usize| block[at] / FULL - thinness(block, at, across);
        beside.into_iter().fold(own_share, |share, at| share * (1.0 - thick(at)))
    });
    smoothed + (STANDING * FULL - smoothed) * share.fold(0.0, f32::max)
}

/// How thin the ground is at `at` across a stride: 1 where it is full and both neighbours are empty, 0 where any of that
/// is far off.
#[inline]
fn thinness(block: &[f32], at: usize, across: usize) -> f32 {
    const FULL: f32 = FULL_SAMPLE as f32;
    let (before, behind) = (block[at - across], block[at + across]);
    if before.max(behind) >= FILLED * FULL {
        return 0.0;
    }
    block[at] / FULL * (1.0 - before / FULL) * (1.0 - behind / FULL)
}

#[cfg(test)]
mod tests {
    use barchan_sim::{Edit, World, WorldConfig};
    use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
    use glam::{IVec3, Vec3, Vec3A};

    use super::super::field::Field;
    use super::super::walk::Ray;

    /// Plates of 24 x 24 voxels of 1 m, one thick across `axis`, of granite or sand, high above a floor.
    fn plate(axis: usize, material: &str) -> World {
        let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(64)));
        let config = WorldConfig { bounds, voxel_size_m: 1.0, ..WorldConfig::default() };
        let mut world = World::new(config).expect("a world");
        let mut half_extents = Vec3::splat(12.0);
        half_extents[axis] = 0.5;
        let mut centre = Vec3::splat(30.0);
        centre[axis] = 30.5;
        let region = Region::Solid(Solid { shape: Shape::Box { half_extents }, pose: Pose::at(centre) });
        let material = world.materials().find(material).expect("built in");
        world.edit(&Edit::Place { region, material, moisture: 0.0 }).expect("it fits");
        world
    }

    #[test]
    fn no_ray_passes_a_plate_one_voxel_thick() {
        for axis in 0..3 {
            for material in ["granite", "dry_sand"] {
                let field = Field::of(&plate(axis, material));
                for at in 0..400 {
                    let turn = at as f32 * 2.399_963;
                    let spread = (at as f32 / 400.0).sqrt();
                    // To a place on the plate, a voxel or more from its rim, from anywhere before it.
                    let (u, v) = (turn.cos() * 11.0 * spread, turn.sin() * 11.0 * spread);
                    let mut to = Vec3::splat(30.0);
                    to[axis] = 30.5;
                    to[(axis + 1) % 3] += u;
                    to[(axis + 2) % 3] += v;
                    let mut from = to;
                    from[axis] += if at % 2 == 0 { 15.0 } else { -15.0 };
                    from[(axis + 1) % 3] += (turn * 3.3).sin() * 14.0;
                    from[(axis + 2) % 3] += (turn * 2.7).cos() * 14.0;
                    let (far, way) = ((to - from).length(), (to - from).normalize());
                    let ray = Ray::new(field.place(from), Vec3A::from(way));
                    let hit =
                        field.cast(&ray, f32::INFINITY).unwrap_or_else(|| panic!("{material} {axis}: {at}"));
                    // Half a voxel before the middle, along the ray.
                    let expected = far - 0.5 / way[axis].abs();
                    assert!((hit.t - expected).abs() < 0.12, "{material} {axis}: {} for {expected}", hit.t);
                }
            }
        }
    }

    #[test]
    fn a_crest_is_left_as_it_is() {
        use super::*;
        let mut block = vec![0.0; BLOCK * BLOCK * BLOCK];
        let middle = BLOCK / 2;
        let mut wall = block.clone();
        for (at, fill) in block.iter_mut().enumerate() {
            let (x, z) = (at / (BLOCK * BLOCK), at % BLOCK);
            *fill = if z + x.abs_diff(middle) <= middle { f32::from(FULL_SAMPLE) } else { 0.0 };
        }
        for (at, fill) in wall.iter_mut().enumerate() {
            *fill = if at / (BLOCK * BLOCK) == middle { f32::from(FULL_SAMPLE) } else { 0.0 };
        }
        let own = (middle * BLOCK + middle) * BLOCK + middle;
        assert_eq!(stand(&block, own, 30_000.0), 30_000.0);
        assert_eq!(stand(&wall, own, 30_000.0), STANDING * f32::from(FULL_SAMPLE));
    }
}
