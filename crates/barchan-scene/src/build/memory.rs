//! How much memory a scene needs, told before any of it is built.
//!
//! Each entry of the ground that could be too large by itself is looked at in a few thousand places: bricks that are
//! full of one thing cost an entry of a table, those on a surface cost all their voxels. What several entries need
//! together is found out while they are built, by the world's own limit.

use barchan_sim::Voxel;
use barchan_volume::brick::VOXELS;
use barchan_volume::{Aabb, Brick, Coverage, Region, VoxelBox};
use glam::{IVec3, Vec3};

use crate::scene::{Action, Form, Part, Scene};

/// Places at which one entry is looked at.
const LOOKS: u64 = 4_096;
/// Entries that are looked at: a scene of thousands is left to the limit of the world.
const MOST_ENTRIES: usize = 16;
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
    let regions = scene.ground.iter().filter_map(|part| Some((rough_region(part)?, reach(part, scene)?)));
    let suspects = regions.filter(|(_, bricks)| bytes(bricks.volume(), DENSE_BYTES) > limit_bytes);
    suspects
        .take(MOST_ENTRIES)
        .map(|(region, bricks)| ground_bytes(&region, bricks, scene))
        .max()
        .unwrap_or_default()
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
        Action::Add { form: Form::Relief(relief), .. } => Some(below(relief.middle_m())),
        Action::Strata(strata) => {
            let thickness_m: f32 = strata.layers.iter().map(|(_, thickness_m)| thickness_m).sum();
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
