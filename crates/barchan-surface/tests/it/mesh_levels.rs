//! Watertight, 2-manifold, consistently wound: on random fields, across every combination of levels.

use barchan_surface::mesh::{BlockKey, Detail, MeshOptions, Surface};
use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3};
use rayon::prelude::*;

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
    let finer_beside: Vec<[bool; 4]> = (0..1_000).into_par_iter().map(check_field).collect();
    for level in 1..4 {
        let count = finer_beside.iter().filter(|beside| beside[level]).count();
        assert!(count > 50, "only {count} fields with blocks of level {level} beside finer ones");
    }
}

/// Meshes a random field in random blocks of up to four levels. Returns which levels had finer neighbours.
fn check_field(seed: u64) -> [bool; 4] {
    let region = VoxelBox::new(IVec3::ZERO, IVec3::splat(EDGE));
    let options = MeshOptions { closed: true, block_edge: 8, ..MeshOptions::default() };
    let mut dice = Dice(seed);
    let fills = fills(&mut dice, seed as u32 % 4);
    let world = world(region, None, |p| fills[region.index(p)]);
    let detail = Detail { eye_m: Vec3::ZERO, nearness: 0.0, levels: 1 + (seed % 3) as u8 };
    let mut surface = Surface::with_detail(&world, options, detail);
    let (likely, salt) = (dice.share(), dice.roll());
    surface.split(&world, |key| is_split(key, salt, likely));
    check_closed(&surface.whole(), &format!("field {seed}"));
    let mut finer_beside = [false; 4];
    for (key, neighbours) in surface.tree().blocks() {
        finer_beside[usize::from(key.level)] |= neighbours.any_finer();
    }
    finer_beside
}

fn is_split(key: BlockKey, salt: u32, likely: f32) -> bool {
    let [x, y, z] = key.coord.map(|n| n as u64 & 0xffff);
    let place = x | y << 16 | z << 32 | u64::from(key.level) << 48;
    Dice(place ^ u64::from(salt) << 20).share() < likely
}
