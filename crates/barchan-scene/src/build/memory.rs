//! How much memory a scene needs, told before any of it is built.
//!
//! Each entry of the ground that could be too large by itself is looked at in two thousand places: bricks that are
//! full of one thing cost an entry of a table, those on a surface cost all their voxels. What several entries need
//! together is found out while they are built, by the world's own limit.

use barchan_sim::Voxel;
use barchan_volume::brick::{EDGE, VOXELS};
use barchan_volume::{Aabb, Brick, Coverage, Region, VoxelBox};
use glam::{IVec3, Vec3};

use crate::scene::{Action, Area, Form, Part, Relief, Scene};

/// Places at which one entry is looked at.
const LOOKS: u64 = 2_048;
/// Columns of bricks at which a relief is looked at.
const COLUMN_LOOKS: u64 = 256;
/// Entries that are looked at: a scene of thousands is left to the limit of the world.
const MOST_ENTRIES: usize = 8;
/// A brick of one thing, in the table (bytes).
const ENTRY_BYTES: u64 = size_of::<(i32, Brick<Voxel>)>() as u64;
/// A brick of many (bytes).
const DENSE_BYTES: u64 = ENTRY_BYTES + size_of::<[Voxel; VOXELS]>() as u64;

/// Memory that the largest single entry needs (bytes), as far as it can matter against `limit_bytes`.
pub(super) fn needed_bytes(scene: &Scene, limit_bytes: u64) -> u64 {
    let surfaces = scene.ground.iter().map(surface_bytes).max().unwrap_or_default();
    if surfaces > limit_bytes {
        return surfaces;
    }
    let regions =
        scene.ground.iter().filter_map(|part| Some((part, rough_region(part)?, reach(part, scene)?)));
    let suspects = regions.filter(|(_, _, bricks)| bytes(bricks.volume(), DENSE_BYTES) > limit_bytes);
    suspects
        .take(MOST_ENTRIES)
        .map(|(part, region, bricks)| match &part.action {
            Action::Add { form: Form::Relief(relief), cover, .. } => {
                let depth_m = cover.as_ref().map_or(0.0, |cover| cover.depth_m);
                relief_bytes(relief, depth_m, bricks, scene.voxel_size_m)
            }
            // Every layer has a surface of its own.
            Action::Strata(strata) => {
                ground_bytes(&region, bricks, scene).saturating_mul(strata.layers.len() as u64)
            }
            Action::Add { .. } | Action::Remove { .. } => ground_bytes(&region, bricks, scene),
        })
        .max()
        .unwrap_or_default()
}

/// Memory of the ground under a relief with soil of `depth_m` on it (bytes), from a look at some columns of bricks:
/// the steeper and the deeper, the more bricks its surfaces cut.
fn relief_bytes(relief: &Relief, depth_m: f32, bricks: VoxelBox, voxel_size_m: f32) -> u64 {
    let one_layer = VoxelBox::new(bricks.min, bricks.max.with_z(bricks.min.z + 1));
    let brick_m = EDGE as f32 * voxel_size_m;
    let mut looked = 0;
    for look in 0..COLUMN_LOOKS {
        let min = place(look, one_layer).truncate() * EDGE;
        let heights = relief.within(Area { min, max: min + EDGE }).heights(voxel_size_m);
        let (low, high) = heights
            .samples()
            .samples_m
            .iter()
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), h| (low.min(*h), high.max(*h)));
        let layer = |z_m: f32| ((z_m / brick_m).floor() as i32).clamp(bricks.min.z, bricks.max.z - 1);
        let (bottom, top) = (layer(low - depth_m), layer(high));
        looked += (bottom - bricks.min.z) as u64 * ENTRY_BYTES + (top - bottom + 1) as u64 * DENSE_BYTES;
    }
    bytes(one_layer.volume(), looked) / COLUMN_LOOKS
}

/// Memory of the surfaces that are worked out for an entry (bytes).
fn surface_bytes(part: &Part) -> u64 {
    let Action::Add { form: Form::Relief(relief), cover, .. } = &part.action else { return 0 };
    let [width, height] = relief.area().corners();
    // With soil on top there are two.
    let surfaces = if cover.is_some() { 2 } else { 1 };
    bytes(width as u128 * height as u128, size_of::<f32>() as u64 * surfaces)
}

/// A region of about the same size that costs nothing to make.
fn rough_region(part: &Part) -> Option<Region> {
    let below = |z_max_m| Region::Slab { z_min_m: f32::NEG_INFINITY, z_max_m };
    match &part.action {
        Action::Add { form: Form::Region(region), .. } => Some(region.clone()),
        Action::Add { form: Form::Relief(relief), .. } => Some(below(relief.highest_m())),
        Action::Strata(strata) => {
            let thickness_m: f32 = strata.layers.iter().map(|layer| layer.thickness_m).sum();
            Some(below(strata.base_m + thickness_m))
        }
        Action::Remove { .. } => None,
    }
}

/// The bricks that an entry reaches; none when it reaches none.
fn reach(part: &Part, scene: &Scene) -> Option<VoxelBox> {
    let region = rough_region(part)?;
    let Aabb { min, max } = region.bounds();
    let voxel = |p: Vec3| (p / scene.voxel_size_m).as_ivec3();
    let mut voxels = VoxelBox::new(voxel(min), voxel(max).saturating_add(IVec3::ONE));
    if let Some(bounds) = scene.bounds {
        voxels = voxels.intersect(&bounds);
    }
    if let Action::Add { form: Form::Relief(relief), .. } = &part.action {
        let area = relief.area();
        voxels.min = voxels.min.max(area.min.extend(i32::MIN));
        voxels.max = voxels.max.min(area.max.extend(i32::MAX));
    }
    (!voxels.is_empty()).then(|| voxels.to_bricks())
}

/// Memory of a region's ground within a box of bricks (bytes), from a look at some of them.
fn ground_bytes(region: &Region, bricks: VoxelBox, scene: &Scene) -> u64 {
    let mut share = [0.0; VOXELS];
    let (mut full, mut cut) = (0u64, 0u64);
    for look in 0..LOOKS {
        match region.coverage(place(look, bricks), scene.voxel_size_m, &mut share) {
            Coverage::Empty => {}
            Coverage::Full => full += 1,
            Coverage::Partial => cut += 1,
        }
    }
    let per_look = full * ENTRY_BYTES + cut * DENSE_BYTES;
    bytes(bricks.volume(), per_look) / LOOKS
}

/// Brick number `look` of a sequence that fills a box evenly: multiples of the three-dimensional golden ratio
/// (the root of x⁴ = x + 1, Roberts 2018).
fn place(look: u64, bricks: VoxelBox) -> IVec3 {
    const STEPS: [u64; 3] = [0xd1b5_4a32_d192_ed03, 0xabc9_8388_fb8f_ac03, 0x8cb9_2ba7_2f3d_8dd7];
    let sides = bricks.size();
    let along = |axis: usize| {
        let fraction = u128::from(STEPS[axis].wrapping_mul(look + 1));
        ((fraction * sides[axis] as u128) >> 64) as i32
    };
    bricks.min + IVec3::new(along(0), along(1), along(2))
}

fn bytes(count: u128, each: u64) -> u64 {
    count.saturating_mul(u128::from(each)).try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::build::BuildOptions;

    #[test]
    fn the_estimate_is_near_what_the_ground_takes() {
        for ground in [
            "kind = 'layer'\nbottom_m = 0\ntop_m = 10.3",
            "kind = 'ball'\ncenter_m = [10, 10, 10]\nradius_m = 14",
            "kind = 'box'\ncenter_m = [16, 16, 16]\nsize_m = [20, 8, 12]\nrotation_deg = [10, 20, 30]",
            "kind = 'terrain'\nbase_m = 14\nrelief_m = 12\nfeature_size_m = 16\nsoil = 'loam'\nsoil_depth_m = 1",
            "kind = 'caves'\nbase_m = 16\nrelief_m = 8\nfeature_size_m = 20\noverhang_m = 6\ncave_radius_m = 2",
        ] {
            let text = format!(
                "voxel_size_m = 0.25\n[bounds]\nmin_m = [0, 0, 0]\nmax_m = [32, 32, 32]\n[[ground]]\nmaterial = 'clay'\n{ground}"
            );
            let scene = Scene::from_text("x", &text, Path::new("")).expect("a scene");
            let (world, _) = scene.build(&BuildOptions::default()).expect("it builds");
            let (estimate, truth) =
                (needed_bytes(&scene, 200_000) as f64, world.ground().voxels().memory_bytes() as f64);
            // 2,048 looks tell a share of a tenth to 7 % or so; the table keeps some room to grow.
            assert!(
                (0.75..1.25).contains(&(estimate / truth)),
                "{estimate} instead of {truth} bytes for {ground}"
            );
        }
    }

    #[test]
    fn places_fill_the_box() {
        let bricks = VoxelBox::new(IVec3::new(-3, 0, 100), IVec3::new(5, 1, 104));
        let mut seen = std::collections::BTreeSet::new();
        for look in 0..LOOKS {
            let brick = place(look, bricks);
            assert!(bricks.contains(brick), "{brick}");
            seen.insert(brick.to_array());
        }
        assert_eq!(seen.len() as u128, bricks.volume());
    }
}
