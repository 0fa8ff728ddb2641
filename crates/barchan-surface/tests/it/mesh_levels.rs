//! Watertight, 2-manifold, consistently wound: on random fields, across every combination of levels.

use barchan_surface::mesh::{BlockKey, Detail, MeshOptions, Surface};
use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3};

use crate::mesh_world::{Dice, check_closed, world};

const EDGE: i32 = 20;

/// Fills of one random field: noise, noise with many samples exactly on the level, blobs, or a tilted slab.
fn fills(dice: &mut Dice, form: u32) -> Vec<f32> {
    let region = VoxelBox::new(IVec3::ZERO, IVec3::splat(EDGE));
    let centres: Vec<(Vec3, f32)> = (0..4)
        .map(|_| (Vec3::from_array([0; 3].map(|_| 4.0 + 12.0 * dice.share())), 2.0 + 3.0 * dice.share()))
        .collect();
    let tilt = Vec3::from_array([0; 3].map(|_| dice.share() - 0.5)).normalize_or(Vec3::Z);
    let fill = |p: IVec3| match form {
        0 => dice.share(),
        1 => [0.0, 0.5, 1.0, 0.499_97][dice.roll() as usize & 3],
        2 => {
            let depth = |(centre, radius): &(Vec3, f32)| radius - centre.distance(p.as_vec3());
            0.5 + centres.iter().map(depth).fold(f32::MIN, f32::max)
        }
        _ => 0.5 + 3.0 - (p.as_vec3() - 10.0).dot(tilt).abs(),
    };
    region.cells().map(fill).collect()
}

#[test]
fn a_thousand_fields_are_closed_across_all_levels() {
    let region = VoxelBox::new(IVec3::ZERO, IVec3::splat(EDGE));
    let options = MeshOptions { closed: true, block_edge: 8, ..MeshOptions::default() };
    let mut pairs = [[0; 4]; 4];
    for seed in 0..1_000 {
        let mut dice = Dice(seed);
        let fills = fills(&mut dice, seed as u32 % 4);
        let world = world(region, None, |p| fills[region.index(p)]);
        let detail = Detail { eye_m: Vec3::ZERO, nearness: 0.0, levels: 1 + (seed % 3) as u8 };
        let mut surface = Surface::with_detail(&world, options, detail);
        let likely = dice.share();
        let salt = dice.roll();
        surface.split(&world, |key| is_split(key, salt, likely));
        check_closed(&surface.whole(), &format!("field {seed}"));
        for (key, sides) in surface.tree().blocks() {
            for side in barchan_surface::mesh::Side::ALL {
                pairs[usize::from(key.level)][if sides.contains(side) { 1 } else { 0 }] += 1;
            }
        }
    }
    // Blocks of every level above the finest had finer neighbours and neighbours that were not.
    assert!((1..3).all(|level| pairs[level][0] > 0 && pairs[level][1] > 0), "{pairs:?}");
}

fn is_split(key: BlockKey, salt: u32, likely: f32) -> bool {
    let [x, y, z] = key.coord.map(|n| n as u64 & 0xffff);
    let place = x | y << 16 | z << 32 | u64::from(key.level) << 48;
    Dice(place ^ u64::from(salt) << 20).share() < likely
}
