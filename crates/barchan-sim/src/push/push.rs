//! The process: find the soil that no longer fits, and carry it to where it does.

use std::collections::VecDeque;

use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::cursor::Cursor;
use super::heap::Heap;
use super::path::{Path, direction};
use super::site::{Excess, Site};
use crate::bodies::Bodies;
use crate::columns::{FULL_SLACK, commit};
use crate::ground::Ground;
use crate::in_parts::InParts;
use crate::now::Now;
use crate::voxel::Parcel;

/// Voxels that soil is carried at most before the nearest free place is looked for (voxels): further than any blade pushes.
const LONGEST_PATH: u32 = 4096;

/// How far around its place such a free place is looked for (voxels): about what a cavern of soil under a body measures.
const SEARCH_REACH: i32 = 24;

/// What pushing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PushReport {
    /// Soil that was moved (units).
    pub moved: i64,
    /// Soil that found no room anywhere and stayed beside or inside a body (units).
    pub trapped: i64,
    /// Voxels over which the soil that went furthest was handed on: the passes of a scheme that hands soil on by one voxel
    /// at a time (Geiger2015, section 3.2.4). Added up over the parts of a step.
    pub passes: u32,
}

impl std::ops::AddAssign for PushReport {
    fn add_assign(&mut self, other: Self) {
        self.moved += other.moved;
        self.trapped += other.trapped;
        self.passes += other.passes;
    }
}

/// Where soil that does not fit goes.
struct Way {
    excess: Excess,
    path: Path,
    /// The first voxel of the path that has room.
    room: Option<IVec3>,
}

/// The process that makes room for bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push;

impl Push {
    /// Makes room in `bricks`, whose body shares changed.
    pub fn step(&self, now: &Now<'_>, bricks: &[IVec3], ground: &mut Ground) -> PushReport {
        let &Now { bodies, body_fill, materials, .. } = now;
        let found = self.ways(bricks, bodies, &Site { ground, body_fill, materials });
        if found.iter().all(Vec::is_empty) {
            return PushReport::default();
        }
        let mut heap = Heap::new(ground, body_fill, materials);
        let (mut report, mut failed) = (PushReport::default(), Vec::new());
        for Way { excess, mut path, mut room } in found.into_iter().flatten() {
            for mut parcel in heap.take(&excess) {
                let units = parcel.units;
                while let Some(p) = room.filter(|_| parcel.units > 0) {
                    // What comes up at a wall would make a tower there: it rolls off.
                    let from = if path.climbs() { heap.roll_from(p) } else { p };
                    heap.drop_at(from, &mut parcel);
                    room = if parcel.units > 0 { heap.next_room(&mut path) } else { room };
                }
                let mut passes = path.walked();
                if parcel.units > 0 && !self.is_hopeless(path.voxel(), &failed) {
                    passes += self.search(&path, &mut parcel, &mut heap);
                    if parcel.units > 0 {
                        failed.push(path.voxel());
                    }
                }
                report.passes = report.passes.max(passes);
                report.moved += i64::from(units - parcel.units);
                report.trapped += i64::from(parcel.units);
                heap.put_back(excess.voxel, parcel);
            }
        }
        commit(heap.into_changed(), ground);
        report
    }

    /// The ways out of `bricks`, brick by brick. Soil only ever fills room while others look for it, so the first room on
    /// each way can be found beforehand.
    fn ways(&self, bricks: &[IVec3], bodies: &Bodies, site: &Site<'_>) -> Vec<Vec<Way>> {
        let of_brick = |cursor: &mut Cursor<'_>, coord: &IVec3| {
            let overfull = site.overfull(*coord);
            let here = site.body_fill.bodies_in(*coord).iter().filter_map(|id| bodies.get(*id));
            let here: Vec<_> = if overfull.is_empty() { Vec::new() } else { here.collect() };
            let way = |excess: Excess| {
                let course = direction(excess.voxel, excess.strength, &here, cursor, site);
                let inside = cursor.probe(excess.voxel).is_none();
                let mut path = Path::new(excess.voxel, course, inside, LONGEST_PATH);
                let room = first_room(&mut path, cursor, site);
                Way { excess, path, room }
            };
            overfull.into_iter().map(way).collect()
        };
        bricks.par_iter().in_parts_of(8).map_init(|| site.cursor(), of_brick).collect()
    }

    /// True near a place where a search found nothing: the next would hardly find more.
    fn is_hopeless(&self, start: IVec3, failed: &[IVec3]) -> bool {
        failed.iter().any(|other| (*other - start).abs().max_element() <= SEARCH_REACH / 2)
    }

    /// Lets `parcel` go at the places with room that are nearest to where its path ended. It goes through bodies only
    /// if it never came out of one. Returns how far it went (voxels).
    fn search(&self, path: &Path, parcel: &mut Parcel, heap: &mut Heap<'_>) -> u32 {
        let start = path.voxel();
        let mut seen = FxHashSet::from_iter([start]);
        let (mut queue, mut farthest) = (VecDeque::from([start]), 0);
        while let Some(p) = queue.pop_front() {
            for side in [IVec3::Z, IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::NEG_Z] {
                let q = p + side;
                let near = (q - start).abs().max_element() <= SEARCH_REACH;
                if !near || !seen.insert(q) {
                    continue;
                }
                let blocked = heap.probe(q).is_none();
                if blocked && !path.is_inside() {
                    continue;
                }
                if !blocked {
                    heap.drop_at(q, parcel);
                }
                farthest = (q - start).abs().element_sum() as u32;
                if parcel.units == 0 {
                    return farthest;
                }
                queue.push_back(q);
            }
        }
        farthest
    }
}

/// The first voxel of a path that has room.
fn first_room(path: &mut Path, cursor: &mut Cursor<'_>, site: &Site<'_>) -> Option<IVec3> {
    loop {
        cursor.pass_full(path);
        let (voxel, free) = path.next(|q| cursor.probe(q), |q| site.ground.is_wall(q))?;
        if free >= FULL_SLACK {
            return Some(voxel);
        }
    }
}
