//! The process: find the soil that no longer fits, and carry it to where it does.

use std::collections::VecDeque;

use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::path::{Path, direction};
use super::site::{FULL_SLACK, Site};
use crate::bodies::{Bodies, BodyFill};
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
        let found: Vec<_> = bricks
            .par_iter()
            .flat_map_iter(|coord| site.overfull(*coord))
            .map(|excess| {
                let course = direction(excess.voxel, excess.kind, bodies, &site);
                let inside = site.cursor().is_blocked(excess.voxel);
                let mut path = Path::new(excess.voxel, course, inside, self.params.longest_path);
                let place = next_room(&mut path, &site);
                (excess, path, place)
            })
            .collect();

        let mut report = PushReport::default();
        for (excess, mut path, mut place) in found {
            let mut parcel = site.take(&excess);
            let units = parcel.units;
            while let Some(p) = place.filter(|_| parcel.units > 0) {
                site.drop_at(p, &mut parcel);
                place = if parcel.units > 0 { next_room(&mut path, &site) } else { None };
            }
            // Where one search found nothing, the next would find nothing either.
            if parcel.units > 0 && report.trapped == 0 {
                self.search(&path, &mut parcel, &mut site);
            }
            report.moved += i64::from(units - parcel.units);
            report.trapped += i64::from(parcel.units);
            site.put_back(excess.voxel, parcel);
        }
        report
    }

    /// Lets `parcel` go at the places with room that are nearest to where its path ended. It goes through bodies only
    /// if it never came out of one.
    fn search(&self, path: &Path, parcel: &mut Parcel, site: &mut Site<'_>) {
        let start = path.voxel();
        let mut seen = FxHashSet::from_iter([start]);
        let mut queue = VecDeque::from([start]);
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
                if parcel.units == 0 {
                    return;
                }
                queue.push_back(q);
            }
        }
    }
}

/// The next voxel of a path that has room.
fn next_room(path: &mut Path, site: &Site<'_>) -> Option<IVec3> {
    let mut cursor = site.cursor();
    loop {
        let (voxel, free) = path.next(|q| cursor.probe(q))?;
        if free >= FULL_SLACK {
            return Some(voxel);
        }
    }
}
