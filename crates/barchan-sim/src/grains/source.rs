//! Where grains come from: outlets that pour at a rate, in the middle of a run.

use barchan_particles::Lattice;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::chance::Chance;
use super::damping::Dampings;
use super::grains::{GrainSpec, Grains};
use super::setup::{GrainsError, check_range};
use super::surface::{Owner, Surface};

/// Distance of grains that come at once, as a share of the widest one's: none touches another.
const PITCH: f64 = 1.02;

/// An outlet: a box from which grains fall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// What comes: forms and how often each does, relative to the others.
    pub mix: Vec<(u16, f64)>,
    /// Lowest corner of the box in which grains appear (m).
    pub low_m: DVec3,
    /// Highest corner (m).
    pub high_m: DVec3,
    /// Grains in a second.
    pub rate_per_s: f64,
    /// When the first comes (s).
    pub from_s: f64,
    /// How many come in all.
    pub count: u64,
    /// Velocity with which they come (m/s).
    pub velocity_m_s: DVec3,
    /// Share of that speed by which each differs, in any direction (-).
    pub jitter: f64,
    /// Seed of all that is random about it.
    pub seed: u64,
}

/// How far an outlet has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceState {
    /// Grains that have come.
    pub poured: u64,
    /// Grains that should have come and found no room yet.
    pub waiting: f64,
    /// Random numbers drawn.
    pub drawn: u64,
}

impl SourceState {
    pub(super) fn is_sound(&self) -> bool {
        (0.0..=1e12).contains(&self.waiting)
    }
}

impl Source {
    /// Says what is wrong with it.
    pub fn check(&self, grains: &Grains) -> Result<(), GrainsError> {
        if self.mix.is_empty() {
            return Err(GrainsError::Missing { what: "form that comes from outlet", index: 0 });
        }
        for &(form, share) in &self.mix {
            if usize::from(form) >= grains.worked.forms.len() {
                return Err(GrainsError::Missing { what: "form of grain", index: form.into() });
            }
            check_range("share of a mix", share, [1e-9, 1e9])?;
        }
        for axis in 0..3 {
            check_range("low corner of an outlet (m)", self.low_m[axis], [-1e6, 1e6])?;
            check_range("high corner of an outlet (m)", self.high_m[axis], [self.low_m[axis], 1e6])?;
        }
        check_range("rate_per_s", self.rate_per_s, [1e-6, 1e7])?;
        check_range("from_s", self.from_s, [0.0, 1e9])?;
        check_range("speed of an outlet (m/s)", self.velocity_m_s.length(), [0.0, 100.0])?;
        check_range("jitter", self.jitter, [0.0, 1.0])
    }

    /// The grains that come while `dt_s` passes, none where another one is; what finds no room waits.
    pub(super) fn pour(
        &self,
        state: &mut SourceState,
        grains: &Grains,
        time_s: f64,
        dt_s: f64,
    ) -> Vec<GrainSpec> {
        let passed = (time_s + dt_s - self.from_s.max(time_s)).clamp(0.0, dt_s);
        // What found no room for a second is not made up for: the outlet is blocked.
        state.waiting = (state.waiting + self.rate_per_s * passed).min(self.rate_per_s.max(1.0));
        let left = self.count - state.poured.min(self.count);
        let due = (state.waiting.floor() as u64).min(left);
        let mut coming = Vec::new();
        if due == 0 {
            return coming;
        }
        let reach = |form: u16| grains.worked.forms[usize::from(form)].reach_m;
        let widest = self.mix.iter().map(|(form, _)| reach(*form)).fold(0.0, f64::max);
        let mut near = self.balls_near(grains, widest);
        let mut chance = Chance::new(self.seed, state.drawn);
        let mut tries = 0;
        while (coming.len() as u64) < due && tries < 8 * due {
            tries += 1;
            let form = chance.pick(&self.mix);
            let at = self.low_m + (self.high_m - self.low_m) * chance.vector();
            let reach = reach(form) * PITCH;
            if near.iter().any(|&(other, radius)| other.distance_squared(at) < (radius + reach).powi(2)) {
                continue;
            }
            near.push((at, reach));
            let speed = self.velocity_m_s.length();
            let velocity_m_s =
                self.velocity_m_s + chance.direction() * (speed * self.jitter * chance.number());
            let turn = chance.turn();
            coming.push(GrainSpec { form, position_m: at, turn, velocity_m_s, spin_rad_s: DVec3::ZERO });
        }
        state.drawn = chance.drawn();
        state.waiting -= coming.len() as f64;
        state.poured += coming.len() as u64;
        coming
    }

    /// Grains in and around the box: where they are, and how far they reach (m).
    fn balls_near(&self, grains: &Grains, widest: f64) -> Vec<(DVec3, f64)> {
        let mut near = Vec::new();
        for grain in &grains.grains {
            let (at, reach) = (grains.position_m(grain), grains.form_of(grain).reach_m);
            let margin = DVec3::splat(reach + widest * PITCH);
            if (at + margin).cmpge(self.low_m).all() && (at - margin).cmple(self.high_m).all() {
                near.push((at, reach));
            }
        }
        near
    }
}

/// A region that is filled with grains at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Fill {
    /// What fills it: forms and how often each comes, relative to the others.
    pub mix: Vec<(u16, f64)>,
    /// Lowest corner (m).
    pub low_m: DVec3,
    /// Highest corner (m).
    pub high_m: DVec3,
    /// Distance of neighbouring grains (m); none: as close as the widest grains do not touch, however they turn.
    pub pitch_m: Option<f64>,
    /// Share of the room between grains by which each is off its place (-).
    pub jitter: f64,
    /// Most grains.
    pub count: usize,
    /// True where they are turned at random.
    pub turned: bool,
    /// Velocity (m/s).
    pub velocity_m_s: DVec3,
    /// Seed.
    pub seed: u64,
}

impl Fill {
    /// The grains, layer by layer from below; only those whose centre `is_free` says is free.
    pub fn grains(&self, grains: &Grains, is_free: impl Fn(DVec3, f64) -> bool) -> Vec<GrainSpec> {
        let reach = |form: u16| grains.worked.forms[usize::from(form)].reach_m;
        let widest = self.mix.iter().map(|(form, _)| reach(*form)).fold(0.0, f64::max);
        let pitch = self.pitch_m.unwrap_or(2.0 * widest * 1.05);
        let room = self.high_m - self.low_m - DVec3::splat(2.0 * widest);
        let steps = (room / pitch).floor();
        let mut coming = Vec::new();
        if steps.min_element() < 0.0 {
            return coming;
        }
        // Layers are centred, so that as much is free on either side.
        let start = self.low_m + DVec3::splat(widest) + (room - steps * pitch) * DVec3::new(0.5, 0.5, 0.0);
        let mut chance = Chance::new(self.seed, 0);
        let slack = (pitch - 2.0 * widest).max(0.0) * self.jitter;
        'all: for z in 0..=steps.z as u64 {
            for y in 0..=steps.y as u64 {
                for x in 0..=steps.x as u64 {
                    if coming.len() >= self.count {
                        break 'all;
                    }
                    let form = chance.pick(&self.mix);
                    let off = (chance.vector() - DVec3::splat(0.5)) * slack;
                    let turn = if self.turned { chance.turn() } else { DQuat::IDENTITY };
                    let at = start + DVec3::new(x as f64, y as f64, z as f64) * pitch + off;
                    if is_free(at, reach(form)) {
                        let velocity_m_s = self.velocity_m_s;
                        coming.push(GrainSpec {
                            form,
                            position_m: at,
                            turn,
                            velocity_m_s,
                            spin_rad_s: DVec3::ZERO,
                        });
                    }
                }
            }
        }
        coming
    }
}

impl Fill {
    /// Says what is wrong with it.
    pub fn check(&self, grains: &Grains) -> Result<(), GrainsError> {
        let as_source = Source {
            mix: self.mix.clone(),
            low_m: self.low_m,
            high_m: self.high_m,
            rate_per_s: 1.0,
            from_s: 0.0,
            count: 0,
            velocity_m_s: self.velocity_m_s,
            jitter: self.jitter,
            seed: self.seed,
        };
        as_source.check(grains)?;
        check_range("pitch_m", self.pitch_m.unwrap_or(1.0), [1e-5, 1e3])
    }
}

/// What may be in the way of grains that come.
pub(super) struct Room {
    surfaces: Vec<Surface>,
    lattice: Lattice,
    others: Vec<(DVec3, f64)>,
    /// What walls are called.
    names: Vec<String>,
}

impl Room {
    /// The room between the grains and the walls that only they feel.
    pub fn of(grains: &Grains, time_s: f64) -> Self {
        let mut surfaces = Surface::of_walls(grains, None, time_s, &mut Dampings::default());
        grains.place_walls(&mut surfaces, time_s);
        let others =
            grains.grains.iter().map(|g| (grains.position_m(g), grains.form_of(g).reach_m)).collect();
        let names = grains.setup.walls.iter().map(|wall| wall.name.clone()).collect();
        Self { surfaces, lattice: grains.lattice(), others, names }
    }

    /// Says which grain is behind a plane, out of a room or in a solid: it would be flung out.
    pub fn check(&self, specs: &[GrainSpec]) -> Result<(), GrainsError> {
        for spec in specs {
            let Some(place) = self.lattice.place(spec.position_m) else { continue };
            let behind = |s: &&Surface| s.way_to(s.between(place)).is_some_and(|(far, _)| far < 0.0);
            if let Some(Owner::Wall(wall)) = self.surfaces.iter().find(behind).map(|s| s.owner) {
                return Err(GrainsError::Behind {
                    position: spec.position_m,
                    wall: self.names[wall].clone(),
                });
            }
        }
        Ok(())
    }

    /// True where neither a grain nor a wall is within `reach` (m) of a point.
    pub fn is_free(&self, at: DVec3, reach: f64) -> bool {
        let Some(place) = self.lattice.place(at) else { return false };
        let clear = |s: &Surface| s.way_to(s.between(place)).is_none_or(|(far, _)| far >= reach);
        let apart = |(other, radius): &(DVec3, f64)| other.distance_squared(at) >= (radius + reach).powi(2);
        self.surfaces.iter().all(clear) && self.others.iter().all(apart)
    }
}
