//! One substep: what balls feel, what surfaces do to them, and how grains move by it.

use barchan_particles::lanes::{Level, dispatch};
use barchan_particles::{BUNDLE, Bundles, Place};
use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::feel::Balls;
use super::feel_lanes::feel_bundle;
#[cfg(test)]
use super::feel_plain::feel_one;
use super::footing::Footing;
use super::form::FormBall;
use super::grain::{Grain, Pushed};
use super::press::Rules;
use super::records::{radius, write_records};
use super::setup::Worked;
use super::surface::{Given, Surface, Touch};
use super::workshop::{Felt, GRAINS_AT_ONCE, Held, PartSprings, Workshop};
use crate::reader::SurfaceCursor;

/// By which code balls feel each other. All give the same bits.
#[derive(Clone, Copy, Debug, Default)]
pub enum By {
    /// Sixteen balls at a time, on the best vectors of this CPU.
    #[default]
    BestVectors,
    /// Sixteen balls at a time, on vectors of this level.
    #[cfg(test)]
    Vectors(Level),
    /// Ball by ball.
    #[cfg(test)]
    Plain,
}

/// What happened in one substep.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    /// Something moved so far that lists may lack a neighbour.
    pub outgrown: bool,
    /// Deepest overlap (m).
    pub deepest: f32,
    /// Contacts of balls, each pair twice.
    pub contacts: f64,
    /// Overlaps over the diameters of the balls, added up.
    pub overlap: f64,
    /// Grains that were held to the limits of speed or spin.
    pub limited: u32,
    /// What surfaces were given.
    pub given: Vec<Given>,
}

impl Workshop {
    /// Lets every ball feel the others.
    pub fn feel(&mut self, worked: &Worked, rules: &Rules, by: By) {
        let balls = Balls {
            at: &self.at,
            velocity: &self.velocity,
            spin: &self.spin,
            pairs: &worked.pairs,
            kinds: worked.kinds.len(),
            rules,
        };
        let bundles = &self.bundles;
        let mut tasks = Vec::with_capacity(self.springs.len());
        let mut rest = &mut self.felt[..];
        for (part, (springs, range)) in self.springs.iter_mut().zip(self.part_starts.windows(2)).enumerate() {
            let (felt, others) = rest.split_at_mut((range[1] - range[0]) as usize);
            tasks.push((part, range[0], springs, felt));
            rest = others;
        }
        let best = Level::new();
        let work = |(part, first, springs, felt): (usize, u32, &mut PartSprings, &mut [Felt])| match by {
            By::BestVectors => {
                dispatch!(best, simd => feel_part(simd, &balls, bundles, part, first, springs, felt));
            }
            #[cfg(test)]
            By::Vectors(level) => {
                dispatch!(level, simd => feel_part(simd, &balls, bundles, part, first, springs, felt));
            }
            #[cfg(test)]
            By::Plain => feel_part_plainly(&balls, bundles, part, first, springs, felt),
        };
        if tasks.len() == 1 {
            tasks.into_iter().for_each(work);
        } else {
            tasks.into_par_iter().with_max_len(1).for_each(work);
        }
    }

    /// Moves every grain by what its balls felt, what surfaces do and gravity; writes the records of its balls anew.
    pub fn advance(
        &mut self,
        worked: &Worked,
        rules: &Rules,
        surfaces: &[Surface],
        footing: Option<&Footing>,
        gravity: DVec3,
        dt_s: f64,
    ) -> Moved {
        let half_skin = 0.49 * worked.skin_m / worked.edge_m * f64::from(1u32 << Place::FINE_BITS);
        let now = Moment { worked, rules, surfaces, footing, gravity, dt_s, half_skin: half_skin as f32 };
        let mut tasks = Vec::with_capacity(self.movers.len() / GRAINS_AT_ONCE + 1);
        let mut at = &mut self.at[..];
        let (mut velocity, mut spin) = (&mut self.velocity[..], &mut self.spin[..]);
        let mut held = &mut self.held[..];
        for (chunk, movers) in self.movers.chunks_mut(GRAINS_AT_ONCE).enumerate() {
            let first = chunk * GRAINS_AT_ONCE;
            let slots = &self.first_slot[first..=first + movers.len()];
            let range = slots[0] as usize..slots[movers.len()] as usize;
            let held_starts = &self.held_starts[range.start..=range.end];
            let held_count = (held_starts[range.len()] - held_starts[0]) as usize;
            tasks.push(Chunk {
                movers,
                slots,
                at: at.split_off_mut(..range.len()).expect("as many records as slots"),
                velocity: velocity.split_off_mut(..range.len()).expect("as many records as slots"),
                spin: spin.split_off_mut(..range.len()).expect("as many records as slots"),
                then: &self.then[range.clone()],
                felt: &self.felt[range.clone()],
                held_starts,
                held: held.split_off_mut(..held_count).expect("held faces in the order of slots"),
            });
        }
        let moved: Vec<Moved> = if tasks.len() == 1 {
            tasks.into_iter().map(|chunk| chunk.advance(&now)).collect()
        } else {
            tasks.into_par_iter().with_max_len(1).map(|chunk| chunk.advance(&now)).collect()
        };
        let mut all = Moved { given: vec![Given::default(); surfaces.len() + 1], ..Moved::default() };
        for part in moved {
            all.outgrown |= part.outgrown;
            all.deepest = all.deepest.max(part.deepest);
            all.limited += part.limited;
            all.contacts += part.contacts;
            all.overlap += part.overlap;
            for (sum, given) in all.given.iter_mut().zip(&part.given) {
                sum.add(given);
            }
        }
        all
    }

    /// The deepest overlap of two balls that there is right now (m).
    pub fn deepest(&self, rules: &Rules) -> f32 {
        let mut deepest = 0.0f32;
        for part in 0..self.bundles.parts() {
            for bundle in self.bundles.of_part(part) {
                for row in bundle.rows {
                    for lane in 0..BUNDLE {
                        let (a, b) = (self.at[bundle.slots[lane] as usize], self.at[row[lane] as usize]);
                        let apart = [0, 1, 2].map(|k| a[k].wrapping_sub(b[k]) as i32 as f32 * rules.part_m);
                        let far = Vec3::from_array(apart).length();
                        deepest = deepest.max(radius(&a) + radius(&b) - far);
                    }
                }
            }
        }
        deepest
    }

    /// The deepest overlap of a ball with a surface that there is right now (m).
    pub fn deepest_in_surfaces(&self, surfaces: &[Surface], worked: &Worked) -> f32 {
        let mut deepest = 0.0f32;
        for (slot, range) in self.held_starts.windows(2).enumerate() {
            let mover = &self.movers[self.owner[slot] as usize];
            let first = self.first_slot[self.owner[slot] as usize] as usize;
            let ball = &worked.forms[usize::from(mover.form)].balls[slot - first];
            for held in &self.held[range[0] as usize..range[1] as usize] {
                let Some(surface) = surfaces.get(held.surface as usize) else { continue };
                let at = surface.between(mover.place) + mover.turn * ball.at_m;
                if let Some((far, _)) = surface.way_to(at) {
                    deepest = deepest.max(ball.radius_m - far as f32);
                }
            }
        }
        deepest
    }
}

#[inline(always)]
fn feel_part<S: barchan_particles::lanes::Simd>(
    simd: S,
    balls: &Balls,
    bundles: &Bundles,
    part: usize,
    first: u32,
    springs: &mut PartSprings,
    felt: &mut [Felt],
) {
    let mut row = 0;
    let mut of_lanes = [Felt::default(); BUNDLE];
    for bundle in bundles.of_part(part) {
        let rows = row..row + bundle.rows.len();
        row = rows.end;
        let roll = if balls.rules.rolling { &mut springs.roll[rows.clone()] } else { &mut [][..] };
        feel_bundle(simd, balls, &bundle, &mut springs.slide[rows], roll, &mut of_lanes);
        for (lane, &slot) in bundle.slots.iter().enumerate() {
            if slot != bundles.stand_in() {
                felt[(slot - first) as usize] = of_lanes[lane];
            }
        }
    }
}

#[cfg(test)]
fn feel_part_plainly(
    balls: &Balls,
    bundles: &Bundles,
    part: usize,
    first: u32,
    springs: &mut PartSprings,
    felt: &mut [Felt],
) {
    let mut row = 0;
    for bundle in bundles.of_part(part) {
        let rows = row..row + bundle.rows.len();
        row = rows.end;
        let roll = if balls.rules.rolling { &mut springs.roll[rows.clone()] } else { &mut [][..] };
        let slide = &mut springs.slide[rows];
        for (lane, &slot) in bundle.slots.iter().enumerate() {
            if slot != bundles.stand_in() {
                felt[(slot - first) as usize] = feel_one(balls, &bundle, lane, slide, roll);
            }
        }
    }
}

/// What all grains of a substep have in common.
struct Moment<'a> {
    worked: &'a Worked,
    rules: &'a Rules,
    surfaces: &'a [Surface],
    footing: Option<&'a Footing<'a>>,
    gravity: DVec3,
    dt_s: f64,
    /// Half of the skin (fine parts).
    half_skin: f32,
}

/// Some grains with all that belongs to them.
struct Chunk<'a> {
    movers: &'a mut [Grain],
    slots: &'a [u32],
    at: &'a mut [[u32; 4]],
    velocity: &'a mut [[u32; 4]],
    spin: &'a mut [[u32; 4]],
    then: &'a [[i32; 3]],
    felt: &'a [Felt],
    held_starts: &'a [u32],
    held: &'a mut [Held],
}

impl Chunk<'_> {
    fn advance(self, now: &Moment) -> Moved {
        let mut cursor = now.footing.map(Footing::cursor);
        let mut moved = Moved { given: vec![Given::default(); now.surfaces.len() + 1], ..Moved::default() };
        let parts_per_m = (1u64 << 32) as f64 / now.worked.edge_m;
        let (first_slot, first_held) = (self.slots[0], self.held_starts[0]);
        for (index, mover) in self.movers.iter_mut().enumerate() {
            if mover.asleep {
                continue;
            }
            let form = &now.worked.forms[usize::from(mover.form)];
            let range =
                (self.slots[index] - first_slot) as usize..(self.slots[index + 1] - first_slot) as usize;
            let axes = DMat3::from_quat(mover.turn);
            let mut pushed = Pushed::default();
            for (slot, ball) in range.clone().zip(&form.balls) {
                let mut felt = self.felt[slot];
                let faces = self.held_starts[slot] - first_held..self.held_starts[slot + 1] - first_held;
                let off = axes * ball.at_m;
                if !faces.is_empty() {
                    let held = &mut self.held[faces.start as usize..faces.end as usize];
                    touch_faces(mover, off, ball, now, held, &mut cursor, &mut felt, &mut moved);
                }
                moved.deepest = moved.deepest.max(felt.deepest);
                moved.contacts += f64::from(felt.contacts);
                moved.overlap += f64::from(felt.overlap / (2.0 * ball.radius_m));
                let force = felt.force.as_dvec3();
                pushed.force += force;
                pushed.torque += off.cross(force) + felt.torque.as_dvec3();
            }
            if mover.advance(form, &pushed, now.gravity, now.dt_s, parts_per_m) {
                moved.limited += 1;
            }
            let at = &mut self.at[range.clone()];
            write_records(
                mover,
                now.worked,
                at,
                &mut self.velocity[range.clone()],
                &mut self.spin[range.clone()],
            );
            for (at, then) in at.iter().zip(&self.then[range]) {
                let way = [0, 1, 2].map(|axis| (at[axis] as i32).wrapping_sub(then[axis]) as f32);
                let squared = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
                moved.outgrown |= squared > now.half_skin * now.half_skin;
            }
        }
        moved
    }
}

/// Adds what surfaces do to a ball of a grain.
#[allow(clippy::too_many_arguments)]
fn touch_faces(
    mover: &Grain,
    off: DVec3,
    ball: &FormBall,
    now: &Moment,
    held: &mut [Held],
    cursor: &mut Option<SurfaceCursor>,
    felt: &mut Felt,
    moved: &mut Moved,
) {
    let form = &now.worked.forms[usize::from(mover.form)];
    let spin = mover.spin_rad_s(form);
    let (radius, kind) = (ball.radius_m, usize::from(ball.kind));
    let touch = Touch { radius, kind, velocity: mover.velocity_m_s + spin.cross(off), spin };
    for held in held {
        let given = &mut moved.given[held.surface as usize];
        let springs = &mut held.springs;
        let pushed = match (now.surfaces.get(held.surface as usize), now.footing, &mut *cursor) {
            (Some(surface), ..) => {
                surface.push(surface.between(mover.place) + off, &touch, now.rules, springs, given)
            }
            (None, Some(footing), Some(cursor)) => {
                footing.push(cursor, footing.point(mover.place) + off, &touch, now.rules, springs, given)
            }
            _ => None,
        };
        if let Some((push, overlap)) = pushed {
            felt.force += push.force;
            felt.torque += push.torque;
            felt.load += push.load;
            felt.contacts += 1.0;
            felt.deepest = felt.deepest.max(overlap);
            felt.overlap += overlap;
        }
    }
}
