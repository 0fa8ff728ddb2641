//! Water that is there at once: a region, filled up to a level.

use barchan_volume::brick::{EDGE, VOXELS, brick_box, brick_of, voxel_index};
use barchan_volume::{Coverage, Region, VoxelBox};
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::leave::enter;
use super::particles::Newborn;
use super::scale::Scale;
use super::sources::{MOST_PARTICLES, Source, shared_out};
use super::water::{Scratch, Water};
use crate::ground::Ground;
use crate::ledger::Transfers;
use crate::material::MaterialId;
use crate::now::Now;

/// Fill below which a point is clear of the ground.
const CLEAR: f32 = 0.45;

/// Water that fills a region as far as it is free.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pour {
    /// Where.
    pub region: Region,
    /// Highest that it reaches (m); none: all of the region.
    pub level_m: Option<f32>,
    /// How it moves (m/s).
    pub velocity_m_s: Vec3,
    /// Share of its volume that is sediment, 0 to 0.6 (-).
    pub sediment: f32,
    /// Which.
    pub kind: MaterialId,
}

/// Why water cannot be poured. Nothing was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PourError {
    /// A region without end in a world without walls.
    #[error("the region has no end and the world has no bounds")]
    Unbounded,
    /// More than there may be.
    #[error("{0} particles of water are more than {MOST_PARTICLES}: take a larger spacing or less water")]
    TooMany(u64),
    /// A number that is out of its range.
    #[error("{0}")]
    Number(String),
}

impl Pour {
    /// Clear water at rest in a region.
    pub fn new(region: Region) -> Self {
        Self { region, level_m: None, velocity_m_s: Vec3::ZERO, sediment: 0.0, kind: MaterialId(0) }
    }

    /// The middles (m) of the cubes of `spacing_m` of which most lies in the region, within `walls` (m) and below the level, in the
    /// order of x, y, z.
    pub(super) fn points(&self, spacing_m: f32, walls: Option<[Vec3; 2]>) -> Result<Vec<DVec3>, PourError> {
        let mut reach = self.region.bounds();
        if let Some([low, high]) = walls {
            (reach.min, reach.max) = (reach.min.max(low), reach.max.min(high));
        }
        if let Some(level_m) = self.level_m {
            reach.max.z = reach.max.z.min(level_m);
        }
        if !(reach.min.is_finite() && reach.max.is_finite()) {
            return Err(PourError::Unbounded);
        }
        if reach.is_empty() {
            return Ok(Vec::new());
        }
        let spacing = f64::from(spacing_m);
        let cell = |point: Vec3| (point.as_dvec3() / spacing).clamp(DVec3::splat(-1e9), DVec3::splat(1e9));
        let cells = VoxelBox::new(cell(reach.min).floor().as_ivec3(), cell(reach.max).ceil().as_ivec3());
        let size = (cells.max - cells.min).as_dvec3();
        let most = size.x * size.y * size.z;
        if most > 64.0 * MOST_PARTICLES as f64 {
            return Err(PourError::TooMany(most as u64));
        }
        let mut points = Vec::new();
        let mut shares = Box::new([0.0; VOXELS]);
        let is_low = |at: &DVec3| at.z < f64::from(reach.max.z) + 1e-6 * spacing;
        for brick in cells.to_bricks().cells() {
            if self.region.coverage(brick, spacing_m, &mut shares) == Coverage::Empty {
                continue;
            }
            let inside = |p: &IVec3| cells.contains(*p) && shares[voxel_index(*p - brick * EDGE)] >= 0.5;
            let middles = brick_box(brick).cells().filter(inside).map(|p| (p.as_dvec3() + 0.5) * spacing);
            points.extend(middles.filter(is_low));
            if points.len() > MOST_PARTICLES {
                return Err(PourError::TooMany(points.len() as u64));
            }
        }
        points
            .sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
        Ok(points)
    }
}

impl Water {
    /// Fills what is free of a region.
    pub(crate) fn pour(&mut self, now: &Now, pour: &Pour, ground: &Ground) -> Result<Transfers, PourError> {
        if let Some(problem) = self.params.problem(ground.voxel_size_m()) {
            return Err(PourError::Number(problem));
        }
        let is_number = pour.velocity_m_s.abs().max_element() <= 1e3
            && (0.0..=Source::MOST_SEDIMENT).contains(&pour.sediment)
            && pour.level_m.is_none_or(f32::is_finite);
        if !is_number {
            return Err(PourError::Number("a number of the water is out of its range".to_owned()));
        }
        self.wake();
        let scale = Scale::new(&self.params, ground.voxel_size_m());
        let walls = ground.bounds().map(|b| [b.min, b.max].map(|p| p.as_vec3() * ground.voxel_size_m()));
        let points = pour.points(scale.spacing_m, walls)?;
        let Scratch { flow, beds, .. } = &mut *self.scratch;
        flow.sort(&mut self.particles);
        beds.follow(now, ground, &self.open, &scale);
        let mut bricks: Vec<_> = points
            .par_iter()
            .flat_map_iter(|at| {
                let voxel = *at / scale.voxel_m;
                [voxel - 0.5, voxel + 0.5].map(|end| brick_of(end.floor().as_ivec3()))
            })
            .collect();
        bricks.par_sort_unstable_by_key(|coord| coord.to_array());
        bricks.dedup();
        beds.prepare(now, ground, &self.open, &bricks);
        let (water, sediment) = shared_out(&scale, Some((pour.kind, pour.sediment)));
        let mut transfers = Transfers::none();
        let mut reader = beds.reader();
        let mut born = Vec::new();
        for at in points {
            let is_clear = reader.touch(at).fill <= CLEAR;
            let Some(place) = scale.lattice.place(at).filter(|_| is_clear) else { continue };
            let mut is_near = false;
            flow.cells.runs_between(place.cell(0) - 1, place.cell(0) + 1, |run| {
                for slot in run {
                    let way = scale.lattice.between(self.particles.places[slot], place);
                    is_near |= way.length_squared() < 0.64 * scale.spacing_m * scale.spacing_m;
                }
            });
            if !is_near {
                born.push(place);
            }
        }
        if self.particles.len() + born.len() > MOST_PARTICLES {
            return Err(PourError::TooMany((self.particles.len() + born.len()) as u64));
        }
        for place in born {
            let Some(id) = self.ids.give() else { break };
            let one = Newborn { place, velocity: pour.velocity_m_s, water, sediment, id };
            enter(&one, &mut transfers);
            self.particles.add(&one);
        }
        Ok(transfers)
    }
}
