//! How much of partly filled voxels goes, so that a plane stays a plane.
//!
//! Counts weigh every voxel by what is in it, and change evenly across a surface. The new surface is where they cross the
//! threshold: at (c - t V) / |grad c| from the middle of a voxel, across grad c. A voxel keeps what lies on its inner side.

use barchan_volume::brick::{VOXELS, brick_box, brick_of, voxel_index};
use barchan_volume::{Around, TileCounts, VoxelSet, count_bubbles, half_space_share};
use glam::{DVec3, IVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::select::{Cut, filling, reach};
use super::weathering::Weathering;
use crate::ground::Ground;
use crate::material::Materials;
use crate::units::LOOSE_FULL;

/// A filled voxel in the counts: fine enough for a thousandth of a voxel, small enough for narrow numbers.
const FULL: u16 = 1_024;
/// Counts that differ from the threshold by more than so many slices of the bubble are none of its surface.
const BAND_SLICES: f64 = 4.0;
/// The surface is looked for where counts change at least by this share of a slice per voxel.
const LEAST_SLOPE: f64 = 0.02;

/// Counts around the voxels of a brick.
type BrickCounts = Box<[u64; VOXELS]>;

/// What rock keeps beside the surface at which the threshold is crossed.
pub(super) fn parts_of_voxels(
    weathering: &Weathering,
    plugs: &VoxelSet,
    ground: &Ground,
    materials: &Materials,
) -> Vec<Cut> {
    let filling = filling(FULL, weathering.soil_shields, plugs, ground, materials);
    let bubble = &weathering.bubble;
    let all = bubble.volume() as f64 * f64::from(FULL);
    let slice = all / f64::from(2 * bubble.radii().min_element() + 1);
    let surface = Surface { level: weathering.threshold * all, slice };
    let region = reach(weathering.region.as_ref(), ground);
    // One voxel more on every side: slopes are differences.
    let bricks = region.grow(1).to_bricks();
    let around = barchan_volume::VoxelBox::new(bricks.min * 8, bricks.max * 8);
    let of_tile = |tile: TileCounts<'_>| {
        let near = |coord: &IVec3| brick_box(*coord).cells().any(|p| surface.is_below_band(tile.at(p)));
        let counts = |coord: IVec3| {
            let mut counts: BrickCounts = Box::new([0; VOXELS]);
            brick_box(coord).cells().for_each(|p| counts[voxel_index(p)] = tile.at(p));
            (coord, counts)
        };
        tile.region.to_bricks().cells().filter(near).map(counts).collect::<Vec<_>>()
    };
    let tiles = count_bubbles(&filling, bubble, around, Around::Every, of_tile);
    let counts: FxHashMap<IVec3, BrickCounts> = tiles.into_iter().flatten().collect();
    let mut bricks: Vec<IVec3> =
        counts.keys().copied().filter(|coord| ground.voxels().stored(*coord).is_some()).collect();
    bricks.sort_unstable_by_key(IVec3::to_array);
    let of_brick = |coord: &IVec3| {
        let in_region = weathering.region.as_ref().map(|region| region.mask(*coord, ground.voxel_size_m()));
        let mut voxels = Vec::new();
        for p in brick_box(*coord).intersect(&region).cells() {
            let at = voxel_index(p);
            let share = ground.get(p).rock_share(materials);
            if share == 0 || in_region.is_some_and(|mask| !mask.contains(at)) {
                continue;
            }
            let keep = surface.kept(p, &counts);
            if keep < share {
                voxels.push((at as u16, keep as u16));
            }
        }
        (!voxels.is_empty()).then_some(Cut { coord: *coord, voxels })
    };
    bricks.par_iter().filter_map(of_brick).collect()
}

/// The surface at which counts cross the threshold.
struct Surface {
    /// The count on it.
    level: f64,
    /// About how much counts change from voxel to voxel across it.
    slice: f64,
}

impl Surface {
    /// True where a count is so small that the surface may be near, or rock lies beyond it.
    fn is_below_band(&self, count: u64) -> bool {
        (count as f64) < self.level + BAND_SLICES * self.slice
    }

    /// The share of voxel `p` on the inner side of the surface (1/32,768).
    fn kept(&self, p: IVec3, counts: &FxHashMap<IVec3, BrickCounts>) -> u32 {
        let count = |p: IVec3| counts.get(&brick_of(p)).map(|counts| counts[voxel_index(p)] as f64);
        let Some(here) = count(p) else { return LOOSE_FULL };
        let above = here - self.level;
        if above.abs() > 0.5 * BAND_SLICES * self.slice {
            return if above > 0.0 { LOOSE_FULL } else { 0 };
        }
        let slope = DVec3::from_array(std::array::from_fn(|axis| {
            let step = IVec3::AXES[axis];
            match (count(p - step), count(p + step)) {
                (Some(low), Some(high)) => 0.5 * (high - low),
                (Some(low), None) => here - low,
                (None, Some(high)) => high - here,
                (None, None) => 0.0,
            }
        }));
        let steepness = slope.length();
        if steepness < LEAST_SLOPE * self.slice {
            return if above >= 0.0 { LOOSE_FULL } else { 0 };
        }
        let outwards = (-slope / steepness).as_vec3();
        let share = half_space_share(outwards, (above / steepness) as f32);
        (share * LOOSE_FULL as f32 + 0.5) as u32
    }
}
