//! The water of a world, and its step.

use barchan_particles::Ids;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::beds::Beds;
use super::collide::{Arrival, Ways};
use super::drains::{Drain, Open};
use super::flow::Flow;
use super::particles::{Newborn, Particles, whole_units};
use super::pour::{Pour, PourError};
use super::random::Chance;
use super::report::WaterReport;
use super::scale::{PARTS, Scale};
use super::sources::{Birth, MOST_PARTICLES, Rain, Source, shared_out};
use super::{Method, WaterParams};
use crate::cache::Cache;
use crate::ground::Ground;
use crate::ledger::{Account, Amounts, Place, Transfers};
use crate::material::{MaterialId, Materials, Phase};
use crate::now::Now;
use crate::seen::SeenParticle;

/// Furthest that the fastest particle moves in a substep (spacings): beyond it, pressures found at the start mean nothing.
const FURTHEST: f32 = 0.4;

/// Longest substep of an equation of state, in times that sound takes through a particle's support (Monaghan1994).
const SOUND: f32 = 0.3;

/// Fill below which a point is clear of the ground.
const CLEAR: f32 = 0.45;

/// Most substeps in one part of a step.
const MOST_SUBSTEPS: u32 = 256;

/// Particles that one task moves at once.
const AT_ONCE: usize = 1_024;

/// What chance is asked for.
const BIRTHS: u64 = 1;

/// All the water that runs free, and where it comes from and goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Water {
    params: WaterParams,
    particles: Particles,
    ids: Ids,
    /// What is too little to be a unit and belongs to no particle any more: water, and sediment by kind (1/256 unit).
    rest_water: u32,
    rest_sediment: Vec<(MaterialId, u32)>,
    sources: Vec<Source>,
    rain: Rain,
    drains: Vec<Drain>,
    open: Open,
    /// Parts of steps that passed with water: the moments of chance.
    moments: u64,
    #[serde(skip)]
    scratch: Cache<Scratch>,
}

#[derive(Default)]
struct Scratch {
    flow: Flow,
    beds: Beds,
}

impl Water {
    /// None, in ground with voxels of this edge (m).
    pub(crate) fn for_voxels(voxel_size_m: f32) -> Self {
        let params = WaterParams { spacing_m: 0.5 * voxel_size_m, ..WaterParams::default() };
        Self { params, ..Self::default() }
    }

    /// How it behaves.
    pub fn params(&self) -> &WaterParams {
        &self.params
    }

    /// The particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Where it comes from.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The rain.
    pub fn rain(&self) -> &Rain {
        &self.rain
    }

    /// Where it goes.
    pub fn drains(&self) -> &[Drain] {
        &self.drains
    }

    /// Over which borders it leaves.
    pub fn open(&self) -> Open {
        self.open
    }

    /// Sets how it behaves. The spacing stays while there are particles.
    pub(crate) fn set_params(&mut self, params: WaterParams, voxel_size_m: f32) -> Result<(), String> {
        if let Some(problem) = params.problem(voxel_size_m) {
            return Err(problem);
        }
        if !self.particles.is_empty() && params.spacing_m != self.params.spacing_m {
            return Err("spacing_m cannot change while there is water".to_owned());
        }
        self.params = params;
        Ok(())
    }

    /// Sets all sources.
    pub(crate) fn set_sources(&mut self, sources: Vec<Source>) -> Result<(), String> {
        if !sources.iter().all(Source::is_sound) {
            return Err("a number of a source of water is out of its range".to_owned());
        }
        self.sources = sources;
        Ok(())
    }

    /// Sets the rain.
    pub(crate) fn set_rain(&mut self, rain: Rain) -> Result<(), String> {
        if !rain.is_sound() {
            return Err("a number of the rain is out of its range".to_owned());
        }
        self.rain = rain;
        Ok(())
    }

    /// Sets all drains and open borders.
    pub(crate) fn set_drains(&mut self, drains: Vec<Drain>, open: Open) -> Result<(), String> {
        if !drains.iter().all(Drain::is_sound) {
            return Err("a number of a drain is out of its range".to_owned());
        }
        (self.drains, self.open) = (drains, open);
        self.scratch.beds.forget();
        Ok(())
    }

    /// What there is in whole units. All that particles hold and what is left over beside them makes whole units, or something was
    /// made or lost.
    pub fn count(&self) -> Amounts<i128> {
        if self.particles.is_empty() && self.rest_water == 0 && self.rest_sediment.is_empty() {
            return Amounts::default();
        }
        let rests = self.rest_sediment.iter().map(|(kind, parts)| (*kind, i128::from(*parts)));
        let mut sediment: Vec<(MaterialId, i128)> = self.particles.sediment_parts().collect();
        for (kind, parts) in rests {
            match sediment.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, sum)) => *sum += parts,
                None => sediment.push((kind, parts)),
            }
        }
        let water = self.particles.water_parts() + i128::from(self.rest_water);
        whole_units(water, sediment.into_iter())
    }

    /// True when everything is in its range: what a file says need not be.
    pub(crate) fn is_sound(&self, materials: &Materials, voxel_size_m: f32) -> bool {
        let is_soil =
            |kind: &MaterialId| materials.get(*kind).is_some_and(|material| material.phase == Phase::Soil);
        self.params.problem(voxel_size_m).is_none_or(|_| *self == Self::default())
            && self.particles.is_sound(&Scale::new(&self.params, voxel_size_m))
            && self.particles.kinds.iter().all(is_soil)
            && self.rest_water < PARTS
            && self.rest_sediment.iter().all(|(kind, parts)| is_soil(kind) && *parts < PARTS)
            && self.rest_sediment.windows(2).all(|pair| pair[0].0 < pair[1].0)
            && self.sources.iter().all(Source::is_sound)
            && self.sources.iter().all(|source| source.sediment == 0.0 || is_soil(&source.kind))
            && self.rain.is_sound()
            && self.drains.iter().all(Drain::is_sound)
    }

    pub(crate) fn drop_caches(&mut self) {
        *self.scratch = Scratch::default();
    }

    /// All particles as they are seen.
    pub(crate) fn seen(&self, voxel_size_m: f32) -> Vec<SeenParticle> {
        let (scale, particles) = (Scale::new(&self.params, voxel_size_m), &self.particles);
        let see = |slot: usize| {
            let sediment = particles.sediment_of(slot);
            let volume = scale.volume_m3(particles.water[slot], sediment);
            let most = (0..particles.kinds.len()).rev().max_by_key(|&row| particles.sediment[row][slot]);
            let kind = most.filter(|&row| particles.sediment[row][slot] > 0);
            SeenParticle {
                id: particles.ids[slot],
                part: 0,
                centre_m: scale.lattice.point(particles.places[slot]).as_vec3(),
                radius_m: libm::cbrt(volume * 3.0 / (4.0 * std::f64::consts::PI)) as f32,
                velocity_m_s: particles.velocities[slot],
                kind: kind.map_or(MaterialId(0), |row| particles.kinds[row]),
                sediment: (sediment as f64 * scale.soil_part_m3 / volume.max(f64::MIN_POSITIVE)) as f32,
                contacts: 0,
                force_n: 0.0,
            }
        };
        (0..particles.len()).into_par_iter().with_min_len(AT_ONCE).map(see).collect()
    }

    /// Fills what is free of a region.
    pub(crate) fn pour(
        &mut self,
        now: &Now,
        pour: &Pour,
        ground: &Ground,
    ) -> Result<Transfers, PourError> {
        if let Some(problem) = self.params.problem(ground.voxel_size_m()) {
            return Err(PourError::Number(problem));
        }
        let is_number = pour.velocity_m_s.abs().max_element() <= 1e3
            && (0.0..=Source::MOST_SEDIMENT).contains(&pour.sediment)
            && pour.level_m.is_none_or(f32::is_finite);
        if !is_number {
            return Err(PourError::Number("a number of the water is out of its range".to_owned()));
        }
        let scale = Scale::new(&self.params, ground.voxel_size_m());
        let walls = ground.bounds().map(|b| [b.min, b.max].map(|p| p.as_vec3() * ground.voxel_size_m()));
        let points = pour.points(scale.spacing_m, walls)?;
        let Scratch { flow, beds } = &mut *self.scratch;
        flow.sort(&mut self.particles);
        beds.follow(now, ground, &self.open, &scale);
        let mut bricks: Vec<_> = points
            .par_iter()
            .flat_map_iter(|at| {
                let voxel = *at / scale.voxel_m;
                [voxel - 0.5, voxel + 0.5]
                    .map(|end| barchan_volume::brick::brick_of(end.floor().as_ivec3()))
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

    /// Lets water run for a part of a step.
    pub(crate) fn step(&mut self, now: &Now, seed: u64, ground: &Ground) -> WaterReport {
        let mut report = WaterReport::default();
        let is_dry = self.sources.is_empty() && self.rain.rate_mm_h == 0.0;
        if (self.particles.is_empty() && is_dry) || self.params.problem(ground.voxel_size_m()).is_some() {
            return report;
        }
        let scale = Scale::new(&self.params, ground.voxel_size_m());
        self.scratch.beds.follow(now, ground, &self.open, &scale);
        if !is_dry {
            self.scratch.flow.sort(&mut self.particles);
            let chance = Chance::new(seed, BIRTHS, self.moments);
            self.be_born(now, ground, &scale, chance, &mut report);
        }
        self.moments += 1;
        self.run(now, ground, &scale, &mut report);
        self.drain(now, ground, &scale, &mut report);
        self.particles.drop_empty_kinds();
        report.particles = self.particles.len();
        report
    }

    /// What sources and rain bring.
    fn be_born(
        &mut self,
        now: &Now,
        ground: &Ground,
        scale: &Scale,
        chance: Chance,
        report: &mut WaterReport,
    ) {
        let (cells, particles) = (&self.scratch.flow.cells, &self.particles);
        let mut birth = Birth::new(now, ground, scale, cells, particles, &mut self.ids, chance);
        self.sources.iter_mut().for_each(|source| birth.flow(source));
        birth.rain(&mut self.rain);
        let (born, refused) = (birth.born, birth.refused);
        report.refused += refused;
        for one in &born {
            enter(one, &mut report.transfers);
            self.particles.add(one);
        }
    }

    /// Substeps until the time has passed.
    fn run(&mut self, now: &Now, ground: &Ground, scale: &Scale, report: &mut WaterReport) {
        let mut left_s = now.dt_s as f32;
        let gravity = now.gravity_m_s2;
        for done in 0..MOST_SUBSTEPS {
            if self.particles.is_empty() || left_s <= 0.0 {
                return;
            }
            let fastest = self.particles.velocities.par_iter().map(|v| v.length()).reduce(|| 0.0, f32::max);
            report.fastest_m_s = fastest;
            let longest_s = longest_substep_s(&self.params, scale, fastest, gravity.length());
            let substeps = (left_s / longest_s).ceil().clamp(1.0, (MOST_SUBSTEPS - done) as f32);
            let dt_s = left_s / substeps;
            left_s = if substeps <= 1.0 { 0.0 } else { left_s - dt_s };

            let Scratch { flow, beds } = &mut *self.scratch;
            flow.sort(&mut self.particles);
            beds.prepare(now, ground, &self.open, &flow.bricks(scale));
            flow.find_neighbours(&self.particles, scale);
            let moving = |point_m: DVec3| wall_velocity(now, scale, point_m);
            flow.meet_walls(&self.particles, beds, scale, &moving);
            let velocities = std::mem::take(&mut self.particles.velocities);
            let lightness = std::mem::take(&mut flow.lightness);
            flow.write_movers(&velocities, |slot| lightness[slot]);
            flow.lightness = lightness;
            self.particles.velocities = velocities;
            let particles = &mut self.particles;
            let solved = match self.params.method {
                Method::Dfsph => flow.step_dfsph(particles, &self.params, scale, gravity, dt_s),
                Method::Muller => flow.step_muller(particles, &self.params, scale, gravity, dt_s),
            };
            let ways = Ways { scale, params: &self.params, ground, dt_s };
            let (flow, beds) = (&*flow, &*beds);
            let arrive = |reader: &mut super::beds::Reader<'_>, slot: usize| {
                ways.go(reader, particles.places[slot], flow.velocities[slot], flow.walls[slot].velocity)
            };
            let arrivals: Vec<Arrival> = (0..particles.len())
                .into_par_iter()
                .with_min_len(AT_ONCE)
                .map_init(|| beds.reader(), arrive)
                .collect();
            report.buried = 0;
            for (slot, arrival) in arrivals.iter().enumerate() {
                self.particles.places[slot] = arrival.place;
                self.particles.velocities[slot] = arrival.velocity;
                report.buried += usize::from(arrival.is_buried);
                report.hurried += u64::from(arrival.was_hurried);
                report.mended += u64::from(arrival.was_mended);
            }
            report.substeps += 1;
            report.iterations += solved.iterations;
            report.residual = report.residual.max(solved.residual);
            report.neighbours = flow.pairs() as f32 / self.particles.len().max(1) as f32;
        }
    }

    /// What goes through drains, over open borders and out of the world.
    fn drain(&mut self, now: &Now, ground: &Ground, scale: &Scale, report: &mut WaterReport) {
        let particles = &self.particles;
        let whole = scale.volume_m3(scale.full_parts, 0);
        for drain in &mut self.drains {
            let rate = drain.rate_m3_s.map_or(f64::INFINITY, f64::from);
            drain.owed_m3 = (drain.owed_m3 + rate * now.dt_s).min(1e9);
        }
        let (drains, floor_m) = (&mut self.drains, f64::from(ground.floor_z()) * scale.voxel_m);
        let is_endless = ground.bounds().is_none();
        let mut keep = vec![true; particles.len()];
        for (slot, keep) in keep.iter_mut().enumerate() {
            let at = scale.lattice.point(particles.places[slot]);
            let is_outside = ground.is_wall((at / scale.voxel_m).floor().as_ivec3());
            let is_lost = is_endless && at.z < floor_m - f64::from(scale.support_m);
            let volume = scale.volume_m3(particles.water[slot], particles.sediment_of(slot));
            let drained = drains.iter_mut().find(|drain| drain.owed_m3 >= volume && drain.holds(at));
            if let Some(drain) = drained {
                drain.owed_m3 -= volume;
                *keep = false;
            }
            *keep &= !(is_outside || is_lost);
        }
        // A drain that finds nothing saves up no more than a few particles.
        self.drains.iter_mut().for_each(|drain| drain.owed_m3 = drain.owed_m3.min(8.0 * whole));
        let gone: Vec<usize> = (0..keep.len()).filter(|slot| !keep[*slot]).collect();
        for slot in gone {
            self.give_up(slot, report);
        }
        self.particles.retain(&keep);
    }

    /// Lets what a particle holds leave the world, in whole units.
    fn give_up(&mut self, slot: usize, report: &mut WaterReport) {
        let parts = u64::from(self.rest_water) + u64::from(self.particles.water[slot]);
        self.rest_water = (parts % u64::from(PARTS)) as u32;
        leave((Account::FreeWater, Account::WATER_KIND), parts, &mut report.transfers);
        for row in 0..self.particles.kinds.len() {
            let (kind, held) = (self.particles.kinds[row], self.particles.sediment[row][slot]);
            if held == 0 {
                continue;
            }
            let rest = rest_of(&mut self.rest_sediment, kind);
            let parts = u64::from(*rest) + u64::from(held);
            *rest = (parts % u64::from(PARTS)) as u32;
            leave((Account::Sediment, kind), parts, &mut report.transfers);
        }
        self.rest_sediment.retain(|(_, parts)| *parts > 0);
    }
}

/// The longest substep (s) for particles of this speed (m/s) under this gravity (m/s²).
fn longest_substep_s(params: &WaterParams, scale: &Scale, fastest_m_s: f32, gravity: f32) -> f32 {
    let furthest_m = FURTHEST * scale.spacing_m;
    let by_speed = furthest_m / fastest_m_s.max(1e-6);
    let by_gravity = (2.0 * furthest_m / gravity.max(1e-6)).sqrt();
    let longest = by_speed.min(by_gravity);
    match params.method {
        Method::Dfsph => longest,
        Method::Muller => {
            let sound_m_s = params.stiffness_m2_s2.sqrt() + fastest_m_s;
            longest.min(SOUND * scale.support_m / sound_m_s)
        }
    }
}

/// The velocity of the body nearest to a point (m), as far as one is near; ground stands still (m/s).
fn wall_velocity(now: &Now, scale: &Scale, point_m: DVec3) -> Vec3 {
    if now.bodies.is_empty() {
        return Vec3::ZERO;
    }
    let voxel = (point_m / scale.voxel_m).floor().as_ivec3();
    let reach = (scale.support_m / scale.voxel_m as f32).ceil() as i32;
    let low = barchan_volume::brick::brick_of(voxel - reach);
    let high = barchan_volume::brick::brick_of(voxel + reach);
    let near = barchan_volume::VoxelBox::new(low, high + 1);
    let mut nearest = (f32::INFINITY, Vec3::ZERO);
    let point = point_m.as_vec3();
    for id in near.cells().flat_map(|brick| now.body_fill.bodies_in(brick)) {
        let Some(body) = now.bodies.get(*id) else { continue };
        let bounds = body.solid().bounds();
        let distance = point.distance(point.clamp(bounds.min, bounds.max));
        if distance < nearest.0.min(scale.support_m) {
            nearest = (distance, body.velocity_at(point));
        }
    }
    nearest.1
}

fn enter(one: &Newborn, transfers: &mut Transfers) {
    let water = (Account::FreeWater, Account::WATER_KIND);
    transfers.add(None, Some(water), i64::from(one.water / PARTS));
    if let Some((kind, parts)) = one.sediment {
        transfers.add(None, Some((Account::Sediment, kind)), i64::from(parts / PARTS));
    }
}

fn leave(place: Place, parts: u64, transfers: &mut Transfers) {
    transfers.add(Some(place), None, (parts / u64::from(PARTS)) as i64);
}

/// What is left over of a kind.
fn rest_of(rests: &mut Vec<(MaterialId, u32)>, kind: MaterialId) -> &mut u32 {
    let at = match rests.binary_search_by_key(&kind, |(kind, _)| *kind) {
        Ok(at) => at,
        Err(at) => {
            rests.insert(at, (kind, 0));
            at
        }
    };
    &mut rests[at].1
}
