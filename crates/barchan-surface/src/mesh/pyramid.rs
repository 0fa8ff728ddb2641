//! Coarse levels of the ground: each sample is the average of the finer ones around it.
//!
//! A sample takes half of the one at its own place and a quarter of each neighbour, along each axis. Every finer
//! sample thus gives away an eighth of itself in all, so the amount of ground is the same at all levels.

use std::collections::BTreeSet;

use barchan_volume::brick::{EDGE, VOXELS, brick_box, voxel_index};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;
use rayon::prelude::*;

use super::content::{Content, Holds};
use super::lattice::{Bricks, Lattice};

/// A brick's place in an order that does not depend on how the bricks came.
pub(super) type Place = [i32; 3];

/// All coarse bricks that have a part in the fine `bricks`, in order.
pub(super) fn parents(bricks: impl IntoIterator<Item = IVec3>) -> Vec<IVec3> {
    let of_brick = |coord: IVec3| {
        // The last sample of a brick has a part in the first of the next.
        let low = coord * (EDGE / 2);
        VoxelBox::new(low >> 3, ((low + EDGE / 2) >> 3) + IVec3::ONE).cells()
    };
    let places: BTreeSet<Place> = bricks.into_iter().flat_map(of_brick).map(IVec3::into).collect();
    places.into_iter().map(IVec3::from_array).collect()
}

/// Brings `bricks` of `coarse` up to date with `fine`.
pub(super) fn renew<T: Holds>(coarse: &mut Grid<Content>, fine: &Lattice<'_, T>, bricks: &[IVec3]) {
    let made: Vec<(IVec3, Brick<Content>)> = bricks
        .par_iter()
        .map(|coord| (*coord, average(*coord, fine)))
        .filter(|(coord, brick)| coarse.brick(*coord) != *brick)
        .collect();
    for (coord, brick) in made {
        coarse.replace(coord, brick);
    }
}

/// The coarse brick at `coord`.
fn average<T: Holds>(coord: IVec3, fine: &Lattice<'_, T>) -> Brick<Content> {
    let low = coord * (2 * EDGE);
    let region = VoxelBox::new(low - IVec3::ONE, low + IVec3::splat(2 * EDGE));
    let bricks = fine.bricks(fine.clip(region));
    if let Some(content) = one_content(region, fine, &bricks) {
        return Brick::Uniform(content);
    }
    let contents: Vec<Content> = region.cells().map(|p| bricks.content(p, fine)).collect();
    let mut made = [Content::default(); VOXELS];
    for p in brick_box(coord).cells() {
        made[voxel_index(p)] = around(p * 2, region, &contents);
    }
    Brick::from_values(&made)
}

/// The content of all samples of `region`, if it is certain that they are equal.
fn one_content<T: Holds>(region: VoxelBox, fine: &Lattice<'_, T>, bricks: &Bricks<'_, T>) -> Option<Content> {
    if fine.clip(region) != region {
        return None;
    }
    let mut one = None;
    for coord in region.to_bricks().cells() {
        let here = match bricks.stored(coord) {
            None => Content::default(),
            Some(brick) => brick.uniform()?.content(fine.materials),
        };
        if *one.get_or_insert(here) != here {
            return None;
        }
    }
    one
}

/// The average around fine sample `p`.
fn around(p: IVec3, region: VoxelBox, contents: &[Content]) -> Content {
    let near = |at: IVec3| contents[region.index(at)];
    let first = near(p);
    // Most ground is everywhere the same.
    if VoxelBox::cell(p).grow(1).cells().all(|at| near(at) == first) {
        return first;
    }
    let (mut rock, mut soil, mut wet) = (Tally::default(), Tally::default(), 0_u64);
    for near in VoxelBox::cell(p).grow(1).cells() {
        let content = contents[region.index(near)];
        let weight = 8 >> (near - p).abs().element_sum();
        rock.add(content.rock_kind, weight * u32::from(content.rock));
        soil.add(content.soil_kind, weight * u32::from(content.soil));
        wet += u64::from(weight * u32::from(content.soil)) * u64::from(content.moisture);
    }
    let share = |tally: &Tally| ((tally.total + 32) / 64) as u16;
    let content = Content {
        rock: share(&rock),
        soil: share(&soil),
        moisture: wet.checked_div(u64::from(soil.total)).unwrap_or(0) as u16,
        rock_kind: rock.largest(),
        soil_kind: soil.largest(),
    };
    // What is absent has no kind, so that equal ground is equal in memory.
    Content {
        rock_kind: if content.rock > 0 { content.rock_kind } else { 0 },
        soil_kind: if content.soil > 0 { content.soil_kind } else { 0 },
        moisture: if content.soil > 0 { content.moisture } else { 0 },
        ..content
    }
}

/// Amounts by kind. Of more than four kinds around one sample the later ones count in the total only.
#[derive(Default)]
struct Tally {
    total: u32,
    kinds: [(u8, u32); 4],
}

impl Tally {
    fn add(&mut self, kind: u8, amount: u32) {
        if amount == 0 {
            return;
        }
        self.total += amount;
        if let Some(of_kind) = self.kinds.iter_mut().find(|of_kind| of_kind.0 == kind || of_kind.1 == 0) {
            *of_kind = (kind, of_kind.1 + amount);
        }
    }

    fn largest(&self) -> u8 {
        let by_amount = |of_kind: &&(u8, u32)| (of_kind.1, std::cmp::Reverse(of_kind.0));
        self.kinds.iter().max_by_key(by_amount).map_or(0, |of_kind| of_kind.0)
    }
}
