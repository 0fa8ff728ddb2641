//! The process: find the soil that no longer fits, and carry it to where it does.

use std::collections::VecDeque;

use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::cursor::Cursor;
use super::path::{Path, direction};
use super::site::{Excess, Site};
use crate::bodies::{Bodies, BodyFill};
use crate::columns::FULL_SLACK;
use crate::ground::Ground;
use crate::material::Materials;
use crate::voxel::Parcel;

/// How soil is pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PushParams {
    /// Voxels that soil is carried at most before the nearest free place is looked for (voxels).
    pub longest_path: u32,
    /// How far around its place such a free place is looked for (voxels).
    pub search_reach: i32,
}

impl Default for PushParams {
    fn default() -> Self {
        Self { longest_path: 4096, search_reach: 24 }
    }
}

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

/// The process that makes room for bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// How.
    pub params: PushParams,
}

impl Push {
    /// Makes room in `bricks`, whose body shares changed.
    pub fn step(
        &self,
        bricks: &[IVec3],
        bodies: &Bodies,
        body_fill: &BodyFill,
        materials: &Materials,
        ground: &mut Ground,
    ) -> PushReport {
        let mut site = Site { ground, body_fill, materials };
        // Soil only ever fills room while others look for it, so the first room on each way can be found beforehand.
        let way = |cursor: &mut Cursor<'_>, excess: Excess| {
            let course = direction(excess.voxel, excess.kind, bodies, &site);
            let inside = cursor.is_blocked(excess.voxel);
            let mut path = Path::new(excess.voxel, course, inside, self.params.longest_path);
            let place = next_room(&mut path, cursor, &site);
            (excess, path, place)
        };
        let ways = |cursor: &mut Cursor<'_>, coord: &IVec3| -> Vec<_> {
            site.overfull(*coord).into_iter().map(|excess| way(cursor, excess)).collect()
        };
        let found: Vec<Vec<_>> = bricks.par_iter().map_init(|| site.cursor().for_many(), ways).collect();

        let (mut report, mut failed) = (PushReport::default(), Vec::new());
        for (excess, mut path, mut place) in found.into_iter().flatten() {
            let mut parcel = site.take(&excess);
            let units = parcel.units;
            while let Some(p) = place.filter(|_| parcel.units > 0) {
                // What comes up at a wall would make a tower there: it rolls off.
                site.drop_at(if path.climbs() { site.roll_from(p) } else { p }, &mut parcel);
                place = if parcel.units > 0 { next_room(&mut path, &mut site.cursor(), &site) } else { None };
            }
            let mut passes = path.walked();
            if parcel.units > 0 && !self.is_hopeless(path.voxel(), &failed) {
                passes += self.search(&path, &mut parcel, &mut site);
                if parcel.units > 0 {
                    failed.push(path.voxel());
                }
            }
            report.passes = report.passes.max(passes);
            report.moved += i64::from(units - parcel.units);
            report.trapped += i64::from(parcel.units);
            site.put_back(excess.voxel, parcel);
        }
        report
    }

    /// True near a place where a search found nothing: the next would hardly find more.
    fn is_hopeless(&self, start: IVec3, failed: &[IVec3]) -> bool {
        failed.iter().any(|other| (*other - start).abs().max_element() <= self.params.search_reach / 2)
    }

    /// Lets `parcel` go at the places with room that are nearest to where its path ended. It goes through bodies only
    /// if it never came out of one. Returns how far it went (voxels).
    fn search(&self, path: &Path, parcel: &mut Parcel, site: &mut Site<'_>) -> u32 {
        let start = path.voxel();
        let mut seen = FxHashSet::from_iter([start]);
        let (mut queue, mut farthest) = (VecDeque::from([start]), 0);
        while let Some(p) = queue.pop_front() {
            for side in [IVec3::Z, IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::NEG_Z] {
                let q = p + side;
                let near = (q - start).abs().max_element() <= self.params.search_reach;
                if !near || !seen.insert(q) {
                    continue;
                }
                let blocked = site.cursor().is_blocked(q);
                if blocked && !path.is_inside() {
                    continue;
                }
                if !blocked {
                    site.drop_at(q, parcel);
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

/// The next voxel of a path that has room.
fn next_room(path: &mut Path, cursor: &mut Cursor<'_>, site: &Site<'_>) -> Option<IVec3> {
    loop {
        let (voxel, free) = path.next(|q| cursor.probe(q), |q| site.ground.is_wall(q))?;
        if free >= FULL_SLACK {
            return Some(voxel);
        }
    }
}
