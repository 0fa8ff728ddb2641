//! Soil that one side of a moving body displaces fills the gap that another side leaves.
//!
//! Soil on a body moves by whole voxels and the body does not: by turns one wall of a bucket reaches half a voxel into
//! its load, and another leaves half a voxel free. The load as a whole stays as it is, so what is too much here belongs
//! there, below the surface. Left to pushing and sliding it would come out on top and run over the rim.

use std::cmp::Reverse;

use barchan_volume::brick::EDGE;
use glam::{IVec2, IVec3};
use rustc_hash::FxHashMap;

use super::load::Pile;
use super::marks::Marks;
use super::site::Site;
use super::sites::{ByTile, Sites};
use crate::columns::{FULL_SLACK, is_ledge};
use crate::reader::BARRIER_SHARE;
use crate::units::LOOSE_FULL;
use crate::voxel::Parcel;

/// Soil that does not fit where it is.
#[derive(Clone, Copy)]
pub(super) struct Excess {
    pub at: IVec3,
    /// Where it was before.
    pub from: IVec3,
    pub parcel: Parcel,
}

/// The load of bodies, by columns.
#[derive(Default)]
pub(super) struct Inside {
    spans: Vec<Span>,
    /// For each tile the last span of each of its columns.
    tiles: FxHashMap<IVec2, [u32; COLUMNS]>,
}

/// Where soil of one pile may be.
struct Span {
    /// The lowest layer that it may reach.
    bottom: i32,
    /// First voxel above it.
    top: i32,
    /// How high it reached in its uppermost voxel (1/32,768 voxel).
    height: u32,
    /// The span before this in the same column.
    before: u32,
}

/// Ends the spans of a column.
const NO_SPAN: u32 = u32::MAX;

/// Columns of a tile.
const COLUMNS: usize = (EDGE * EDGE) as usize;

/// A voxel with room below the surface, and up to which share it may be filled (1/32,768).
type Gap = (IVec3, u32);

/// Voxels of a load in which gaps are looked for at most in a part of a step: what a large tool takes along is less. Soil
/// that is displaced elsewhere comes to lie on top.
const MOST_SEEN: usize = 1 << 13;

const SIDES: [IVec3; 6] = [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::Z, IVec3::NEG_Z];

impl Inside {
    /// What lies below the surface of `piles`, which `by_pile` has by their tiles.
    pub(super) fn of(piles: &[Pile], by_pile: &ByTile, sites: &mut Sites<'_>) -> Self {
        let lowest = sites.each(by_pile, |place, site| site.lowest(&piles[place]));
        let mut inside = Self { spans: Vec::with_capacity(piles.len()), ..Self::default() };
        for (pile, bottom) in piles.iter().zip(lowest) {
            let tile = inside.tiles.entry(pile.column >> 3).or_insert([NO_SPAN; COLUMNS]);
            let last = &mut tile[place_in_tile(pile.column)];
            let before = std::mem::replace(last, inside.spans.len() as u32);
            inside.spans.push(Span { bottom, top: pile.top, height: pile.height, before });
        }
        inside
    }

    /// Moves soil from where it does not fit to where there is room inside the same load, deep down first. What is left of
    /// `excess` found none.
    pub(super) fn exchange(&self, excess: &mut [Excess], sites: &mut Sites<'_>) {
        // Each voxel is marked with the number of its flood, so no two floods share a gap.
        let (mut marks, mut floods) = (Marks::new(), Vec::new());
        for Excess { at, .. } in &*excess {
            if marks.len() < MOST_SEEN && marks.get(*at) == 0 {
                floods.push(self.flood(*at, floods.len() as u16 + 1, &mut marks, sites));
            }
        }
        for one in excess {
            let Some(flood) = usize::from(marks.get(one.at)).checked_sub(1) else { continue };
            let gaps = &mut floods[flood];
            while let Some(&(q, surface)) = gaps.last().filter(|_| one.parcel.units > 0) {
                let site = sites.at(q);
                let left = surface.saturating_sub(site.taken_share(q));
                site.put_within(q, left, &mut one.parcel);
                if one.parcel.units > 0 {
                    gaps.pop();
                }
            }
        }
    }

    /// All gaps that soil can reach from `start` through the load, the lowest last; marks all voxels on the way.
    fn flood(&self, start: IVec3, mark: u16, marks: &mut Marks, sites: &mut Sites<'_>) -> Vec<Gap> {
        let mut gaps = Vec::new();
        marks.set(start, mark);
        let mut queue = vec![(start, is_solid(start, sites))];
        while let Some((p, is_p_solid)) = queue.pop().filter(|_| marks.len() < MOST_SEEN) {
            let tile = self.tiles.get(&(p.truncate() >> 3));
            let mut unmarked = marks.unmarked(p, &SIDES);
            while unmarked != 0 {
                let side = SIDES[unmarked.trailing_zeros() as usize];
                unmarked &= unmarked - 1;
                let q = p + side;
                let (solid, taken) = sites.at(q).shares(q);
                // What is in a solid voxel comes out of it, and goes in, but not through.
                let is_q_solid = solid >= BARRIER_SHARE;
                if is_p_solid && is_q_solid {
                    continue;
                }
                // Mostly both lie in one tile.
                let is_same_tile = (p.x ^ q.x | p.y ^ q.y) >> 3 == 0;
                let own = if is_same_tile { self.height_in(tile, q) } else { self.height(q) };
                // Between the load and a wall its surface goes on.
                let may_go_on = own == 0 && side.z == 0 && !is_p_solid;
                let height =
                    if may_go_on && is_solid(q + side, sites) { self.height_in(tile, p) } else { own };
                if height == 0 {
                    continue;
                }
                marks.set(q, mark);
                if !is_q_solid && own > 0 {
                    queue.push((q, false));
                }
                let surface = share_at(q, solid, height, sites.at(q));
                if taken + FULL_SLACK <= surface {
                    gaps.push((q, surface));
                }
            }
        }
        gaps.sort_unstable_by_key(|(p, _)| (Reverse(p.z), p.x, p.y));
        gaps
    }

    /// Up to which share voxel `p`, of which rock and bodies take `solid`, may be filled for the surface of the load to
    /// stay as it is; 0 outside (1/32,768).
    pub(super) fn surface(&self, p: IVec3, solid: u32, site: &mut Site<'_>) -> u32 {
        share_at(p, solid, self.height(p), site)
    }

    /// Up to which height of voxel `p` the load reached (1/32,768).
    fn height(&self, p: IVec3) -> u32 {
        self.height_in(self.tiles.get(&(p.truncate() >> 3)), p)
    }

    /// As [`Inside::height`], where the tile is known.
    #[inline]
    fn height_in(&self, tile: Option<&[u32; COLUMNS]>, p: IVec3) -> u32 {
        let Some(tile) = tile else { return 0 };
        let (mut height, mut next) = (0, tile[place_in_tile(p.truncate())]);
        while let Some(span) = self.spans.get(next as usize) {
            if (span.bottom..span.top).contains(&p.z) {
                height = height.max(if p.z + 1 < span.top { LOOSE_FULL } else { span.height });
            }
            next = span.before;
        }
        height
    }
}

fn place_in_tile(column: IVec2) -> usize {
    let IVec2 { x, y } = column & (EDGE - 1);
    (x * EDGE + y) as usize
}

/// Which share of voxel `p`, of which rock and bodies take `solid`, is taken when soil reaches up to `height` in it
/// (1/32,768): none beside what bars its way, for soil in there would be caught.
fn share_at(p: IVec3, solid: u32, height: u32, site: &mut Site<'_>) -> u32 {
    if solid == 0 || is_ledge(solid, site.solid_share(p + IVec3::Z)) {
        height
    } else if height == 0 || solid >= BARRIER_SHARE {
        0
    } else {
        // Soil stands beside what cuts the voxel.
        solid + height * (LOOSE_FULL - solid) / LOOSE_FULL
    }
}

fn is_solid(p: IVec3, sites: &mut Sites<'_>) -> bool {
    sites.at(p).solid_share(p) >= BARRIER_SHARE
}
