//! Which rock is exposed, and how much of its bubble is filled: kept up to date with the ground.

use std::collections::BTreeMap;

use barchan_volume::brick::{EDGE, VOXELS, brick_box, brick_of, voxel_index};
use barchan_volume::{Brick, Bubble, LiveCounts, Mask, VoxelSet};
use glam::IVec3;
use rustc_hash::{FxHashMap, FxHashSet};

use super::select::{FACES, SOLID_SHARE, filling, weigh};
use crate::ground::{Ground, Since, Stamp};
use crate::material::Materials;
use crate::voxel::Voxel;

/// An exposed voxel: its place in the brick, and across how many axes it is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub at: u16,
    pub axes: u8,
}

/// The exposed rock and the counts around it. A cache: what it holds follows from the ground.
#[derive(Clone, Debug)]
pub(super) struct Exposure {
    stamp: Stamp,
    pub counts: LiveCounts,
    counted: FxHashSet<IVec3>,
    solid: FxHashMap<IVec3, Mask>,
    /// Exposed voxels by brick, in order.
    pub spots: BTreeMap<[i32; 3], Vec<Spot>>,
}

impl Exposure {
    /// Everything from scratch.
    pub fn new(bubble: Bubble, ground: &Ground, materials: &Materials) -> Self {
        let mut exposure = Self {
            stamp: ground.stamp(),
            counts: LiveCounts::new(bubble),
            counted: FxHashSet::default(),
            solid: FxHashMap::default(),
            spots: BTreeMap::new(),
        };
        let bricks: Vec<IVec3> = ground.voxels().bricks().map(|(coord, _)| coord).collect();
        for coord in &bricks {
            exposure.solid.insert(*coord, solid_mask(*coord, ground, materials));
        }
        exposure.find_spots(bricks, ground, materials);
        exposure
    }

    /// Brings it up to date with the ground.
    pub fn update(&mut self, ground: &Ground, materials: &Materials) {
        let changed: Vec<IVec3> = match ground.changes_since(self.stamp) {
            Since::Bricks(changes) => changes.map(|(coord, _)| *coord).collect(),
            Since::Everything => {
                *self = Self::new(self.counts.bubble().clone(), ground, materials);
                return;
            }
        };
        self.stamp = ground.stamp();
        let (mut changes, mut near) = (Vec::new(), FxHashSet::default());
        for coord in changed {
            let now = solid_mask(coord, ground, materials);
            let before = self.solid.insert(coord, now).unwrap_or(Mask::EMPTY);
            for p in brick_box(coord).cells() {
                let at = voxel_index(p);
                match (before.contains(at), now.contains(at)) {
                    (false, true) => changes.push((p, 1)),
                    (true, false) => changes.push((p, -1)),
                    _ => {}
                }
            }
            near.extend(FACES.map(|face| coord + face));
            near.insert(coord);
        }
        self.counts.change(&changes);
        self.find_spots(near.into_iter().collect(), ground, materials);
    }

    /// Finds the exposed rock of these bricks, and counts around it where nobody has.
    fn find_spots(&mut self, bricks: Vec<IVec3>, ground: &Ground, materials: &Materials) {
        let mut uncounted = Vec::new();
        for coord in bricks {
            let spots = self.spots_of(coord, ground, materials);
            if spots.is_empty() {
                self.spots.remove(&coord.to_array());
                continue;
            }
            self.spots.insert(coord.to_array(), spots);
            if self.counted.insert(coord) {
                uncounted.push(coord);
            }
        }
        if !uncounted.is_empty() {
            uncounted.sort_unstable_by_key(IVec3::to_array);
            let nothing = VoxelSet::default();
            self.counts.count(&filling(1, true, &nothing, ground, materials), &uncounted);
        }
    }

    fn spots_of(&self, coord: IVec3, ground: &Ground, materials: &Materials) -> Vec<Spot> {
        let is_full = |coord: IVec3| self.solid.get(&coord).is_some_and(Mask::is_full);
        let stored = ground.voxels().stored(coord);
        let has_rock = match stored {
            None => false,
            Some(Brick::Uniform(voxel)) => voxel.rock > 0,
            Some(Brick::Dense(values)) => values.iter().any(|voxel| voxel.rock > 0),
        };
        if !has_rock || is_full(coord) && FACES.iter().all(|face| is_full(coord + face)) {
            return Vec::new();
        }
        let is_open = |p: IVec3| {
            let of_brick = self.solid.get(&brick_of(p));
            !ground.is_wall(p) && of_brick.is_none_or(|mask| !mask.contains(voxel_index(p)))
        };
        let mut spots = Vec::new();
        for at in 0..VOXELS {
            let p = coord * EDGE + IVec3::new((at >> 6) as i32, (at >> 3 & 7) as i32, (at & 7) as i32);
            let voxel: Voxel = stored.map_or(Voxel::AIR, |brick| brick.get(at));
            if voxel.rock == 0 || voxel.rock_share(materials) < SOLID_SHARE {
                continue;
            }
            let axes =
                FACES.as_chunks::<2>().0.iter().filter(|[a, b]| is_open(p + a) || is_open(p + b)).count();
            if axes > 0 {
                spots.push(Spot { at: at as u16, axes: axes as u8 });
            }
        }
        spots
    }
}

/// The voxels of a brick that count as solid.
fn solid_mask(coord: IVec3, ground: &Ground, materials: &Materials) -> Mask {
    let is_solid = weigh(1, true, materials);
    match ground.voxels().stored(coord) {
        None => Mask::EMPTY,
        Some(Brick::Uniform(voxel)) if is_solid(*voxel) == 1 => Mask::FULL,
        Some(Brick::Uniform(_)) => Mask::EMPTY,
        Some(Brick::Dense(values)) => Mask::from_fn(|at| is_solid(values[at]) == 1),
    }
}
