//! Which rock goes at a click, counted exactly.

use barchan_volume::brick::{VOXELS, brick_box, voxel_index};
use barchan_volume::{
    Around, Brick, Counts, Filling, GridFilling, Mask, Plugged, Region, TileCounts, VoxelBox, VoxelSet,
    Walled, count_bubbles, enclosed,
};
use glam::IVec3;
use rayon::prelude::*;

use super::weathering::Weathering;
use crate::ground::Ground;
use crate::material::Materials;
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// Share of a voxel from which on it counts as solid (1/32,768).
pub(super) const SOLID_SHARE: u32 = LOOSE_FULL / 2;

/// The neighbours that share a face with a voxel.
pub(super) const FACES: [IVec3; 6] = [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::Z, IVec3::NEG_Z];

/// Rock that goes from one brick.
pub(super) struct Cut {
    /// Which brick.
    pub coord: IVec3,
    /// Place of each voxel in it, in order, and the share that its rock may keep (1/32,768).
    pub voxels: Vec<(u16, u16)>,
}

/// The part of the ground that holds anything, as far as a region reaches (voxels).
pub(super) fn reach(region: Option<&Region>, ground: &Ground) -> VoxelBox {
    let held = ground.voxels().brick_bounds();
    let held = ground.clip(VoxelBox::new(held.min * 8, held.max * 8));
    let Some(region) = region else { return held };
    let (bounds, size) = (region.bounds(), ground.voxel_size_m());
    if bounds.is_empty() {
        return VoxelBox::new(IVec3::ZERO, IVec3::ZERO);
    }
    // Casts of what is infinite stop at the ends of the integers.
    let of_region =
        VoxelBox::new((bounds.min / size).floor().as_ivec3(), (bounds.max / size).ceil().as_ivec3());
    held.intersect(&of_region)
}

/// What bubbles count of a voxel, of which `full` is all: whole voxels where that is 1.
pub(super) fn weigh(full: u16, soil_counts: bool, materials: &Materials) -> impl Fn(Voxel) -> u16 + Sync {
    move |voxel| {
        let soil = if soil_counts { voxel.soil_share() } else { 0 };
        let share = (voxel.rock_share(materials) + soil).min(LOOSE_FULL);
        match full {
            1 => u16::from(share >= SOLID_SHARE),
            _ => ((share * u32::from(full) + LOOSE_FULL / 2) / LOOSE_FULL) as u16,
        }
    }
}

/// The ground as bubbles see it: beyond the walls all is full, and in `plugs`.
pub(super) fn filling<'a>(
    full: u16,
    soil_counts: bool,
    plugs: &'a VoxelSet,
    ground: &'a Ground,
    materials: &'a Materials,
) -> impl Filling + 'a {
    let endless = VoxelBox::new(IVec3::MIN, IVec3::MAX);
    let inside = GridFilling::new(ground.voxels(), full, weigh(full, soil_counts, materials));
    Plugged::new(Walled::new(inside, ground.bounds().unwrap_or(endless)), plugs)
}

/// The hollows that nothing reaches from outside the walls.
pub(super) fn hollows(soil_counts: bool, ground: &Ground, materials: &Materials) -> VoxelSet {
    let held = ground.voxels().brick_bounds();
    let within = VoxelBox::new(held.min * 8, held.max * 8).grow(2);
    let is_solid = weigh(1, soil_counts, materials);
    let empty = |coord: IVec3| match ground.voxels().stored(coord) {
        None => Mask::FULL,
        Some(Brick::Uniform(voxel)) if is_solid(*voxel) == 1 => Mask::EMPTY,
        Some(Brick::Uniform(_)) => Mask::FULL,
        Some(Brick::Dense(values)) => Mask::from_fn(|at| is_solid(values[at]) == 0),
    };
    enclosed(empty, within)
}

/// The rock that goes whole: solid voxels of whose bubble less than the threshold is solid.
pub(super) fn whole_voxels(
    weathering: &Weathering,
    plugs: &VoxelSet,
    ground: &Ground,
    materials: &Materials,
) -> VoxelSet {
    let filling = filling(1, weathering.soil_shields, plugs, ground, materials);
    let limit = (weathering.threshold * weathering.bubble.volume() as f64).ceil() as u64;
    let region = reach(weathering.region.as_ref(), ground);
    let of_tile = |tile: TileCounts<'_>| {
        if matches!(tile.counts, Counts::Same(count) if count >= limit) {
            return Vec::new();
        }
        let bricks = tile.region.to_bricks();
        let of_brick = |coord| {
            let stored = ground.voxels().stored(coord)?;
            if stored.uniform().is_some_and(|voxel| voxel.rock == 0) {
                return None;
            }
            let mut mask = Mask::EMPTY;
            for p in brick_box(coord).intersect(&tile.region).cells() {
                let goes = || stored.get(voxel_index(p)).rock_share(materials) >= SOLID_SHARE;
                if tile.at(p) < limit && goes() {
                    mask.insert(voxel_index(p));
                }
            }
            if let Some(region) = &weathering.region
                && !mask.is_empty()
            {
                mask = mask.and(&region.mask(coord, ground.voxel_size_m()));
            }
            (!mask.is_empty()).then_some((coord, mask))
        };
        bricks.cells().filter_map(of_brick).collect::<Vec<_>>()
    };
    let tiles = count_bubbles(&filling, &weathering.bubble, region, Around::Filled, of_tile);
    let mut gone = VoxelSet::default();
    tiles.into_iter().flatten().for_each(|(coord, mask)| gone.insert_mask(coord, mask));
    gone
}

/// Crumbs: rock of less than half a voxel beside voxels that are `gone`, and beside no solid rock that stays.
pub(super) fn crumbs(gone: &VoxelSet, ground: &Ground, materials: &Materials) -> VoxelSet {
    let rock = |p: IVec3| ground.get(p).rock_share(materials);
    let holds = |p: IVec3| ground.is_wall(p) || rock(p) >= SOLID_SHARE && !gone.contains(p);
    let is_crumb = |p: &IVec3| {
        let share = rock(*p);
        share > 0 && share < SOLID_SHARE && !FACES.iter().any(|face| holds(p + face))
    };
    let bricks = gone.bricks_in_order();
    let beside = |(coord, mask): &(IVec3, Mask)| {
        let voxels = brick_box(*coord).cells().filter(|p| mask.contains(voxel_index(*p)));
        let near = voxels.flat_map(|p| FACES.map(|face| p + face));
        near.filter(|p| !gone.contains(*p)).filter(is_crumb).collect::<Vec<_>>()
    };
    bricks.par_iter().flat_map_iter(beside).collect::<Vec<_>>().into_iter().collect()
}

/// The cuts that take all rock out of these voxels.
pub(super) fn cuts_of(gone: &VoxelSet) -> Vec<Cut> {
    let all = |(coord, mask): (IVec3, Mask)| {
        let voxels = mask.indices().map(|at| (at as u16, 0)).collect();
        Cut { coord, voxels }
    };
    gone.bricks_in_order().into_iter().map(all).collect()
}

/// The voxels of `cuts` that are no longer solid after them.
pub(super) fn gone_by(cuts: &[Cut]) -> VoxelSet {
    let mut gone = VoxelSet::default();
    for cut in cuts {
        let mut mask = Mask::EMPTY;
        for (at, keep) in &cut.voxels {
            if u32::from(*keep) < SOLID_SHARE {
                mask.insert(usize::from(*at));
            }
        }
        gone.insert_mask(cut.coord, mask);
    }
    gone
}

/// Adds voxels that go whole to `cuts`.
pub(super) fn add_whole(cuts: Vec<Cut>, whole: &VoxelSet) -> Vec<Cut> {
    if whole.is_empty() {
        return cuts;
    }
    let mut all: rustc_hash::FxHashMap<IVec3, Vec<(u16, u16)>> =
        cuts.into_iter().map(|cut| (cut.coord, cut.voxels)).collect();
    for (coord, mask) in whole.bricks_in_order() {
        let voxels = all.entry(coord).or_default();
        voxels.retain(|(at, _)| !mask.contains(usize::from(*at)));
        voxels.extend(mask.indices().map(|at| (at as u16, 0)));
        voxels.sort_unstable();
    }
    let mut cuts: Vec<Cut> = all.into_iter().map(|(coord, voxels)| Cut { coord, voxels }).collect();
    cuts.sort_unstable_by_key(|cut| cut.coord.to_array());
    cuts
}

const _: () = assert!(VOXELS <= u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_voxels_take_the_place_of_parts() {
        let cuts = vec![Cut { coord: IVec3::ONE, voxels: vec![(3, 20_000), (5, 900)] }];
        let whole: VoxelSet = [IVec3::splat(8), IVec3::new(8, 8, 11), IVec3::ZERO].into_iter().collect();
        let cuts = add_whole(cuts, &whole);
        assert_eq!(cuts.iter().map(|cut| cut.coord).collect::<Vec<_>>(), [IVec3::ZERO, IVec3::ONE]);
        assert_eq!(cuts[1].voxels, [(0, 0), (3, 0), (5, 900)]);
        assert_eq!(gone_by(&cuts).len(), 4);
        assert!(gone_by(&cuts).contains(IVec3::splat(8)));
    }
}
