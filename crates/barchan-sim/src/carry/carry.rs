//! The process: let the frame of every body follow it, and find what moves with the frame.

use std::collections::BTreeMap;

use glam::DVec2;
use serde::{Deserialize, Serialize};

use super::Moves;
use super::frame::{BodyMotion, Frame, Grip};
use super::load::{Load, Pile};
use crate::bodies::{Bodies, Body, BodyId, Motion};
use crate::ground::Ground;
use crate::now::Now;

/// What carrying did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CarryReport {
    /// Soil that moved with a body (units); counted each time it moved a voxel.
    pub moved: i64,
}

impl std::ops::AddAssign for CarryReport {
    fn add_assign(&mut self, other: Self) {
        self.moved += other.moved;
    }
}

/// The process that lets soil move with the body it rests on. Its state is how the soil on each moving body moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Carry {
    frames: BTreeMap<BodyId, Frame>,
}

impl Carry {
    /// Follows the bodies, which just moved while `body_fill` is still that of before. Gives back what the soil on them
    /// has to do; room for it is found when `body_fill` has followed, too.
    pub(crate) fn step(&mut self, now: &Now<'_>, ground: &Ground) -> Moves {
        let mut moves = Moves::default();
        self.frames.retain(|id, _| now.bodies.get(*id).is_some_and(|body| !body.frozen));
        let site = Place { now, ground };
        for carrier in self.carriers(now.bodies, &site) {
            let next = site.follow(&carrier, &mut moves);
            for body in &carrier.bodies {
                self.frames.insert(body.id, next);
            }
        }
        moves
    }

    /// All that moves, or that soil still slides on; the frames of what does not are forgotten.
    fn carriers<'b>(&mut self, bodies: &'b Bodies, site: &Place<'_>) -> Vec<Carrier<'b>> {
        let mut carriers: Vec<Carrier<'b>> = Vec::new();
        for body in bodies.iter().filter(|body| body.spec.motion != Motion::Fixed && !body.frozen) {
            let frame = self.frames.get(&body.id).copied();
            if body.pose == body.previous_pose && frame.is_none_or(|frame| frame.is_at_rest()) {
                self.frames.remove(&body.id);
                continue;
            }
            match carriers.iter_mut().find(|carrier| site.is_part_of(&body, carrier)) {
                Some(carrier) => carrier.bodies.push(body),
                None => {
                    let frame = frame.unwrap_or_else(|| Frame::at_rest(place_before(&body)));
                    let motion = BodyMotion::of(&body, frame.centre_m, site.now.dt_s);
                    carriers.push(Carrier { bodies: vec![body], frame, motion });
                }
            }
        }
        carriers
    }

    /// Forgets frames that no body could have led to: they come from a damaged file.
    pub(crate) fn drop_unsound(&mut self) {
        self.frames.retain(|_, frame| frame.is_sound());
    }
}

/// Bodies that move as one, like the walls of a bucket: what rests on them moves with one frame.
struct Carrier<'a> {
    bodies: Vec<Body<'a>>,
    frame: Frame,
    motion: BodyMotion,
}

/// Where the centre of mass of a body was before it moved, on the level (m).
fn place_before(body: &Body<'_>) -> DVec2 {
    let own = body.pose.inverse_transform_point(body.centre_of_mass_m);
    body.previous_pose.transform_point(own).as_dvec3().truncate()
}

/// What the frames move in.
struct Place<'a> {
    now: &'a Now<'a>,
    ground: &'a Ground,
}

impl Place<'_> {
    /// True when `body` touches a carrier of the same friction and moved as this did.
    fn is_part_of(&self, body: &Body<'_>, carrier: &Carrier<'_>) -> bool {
        let bricks = |body: &Body<'_>| self.now.body_fill.bricks_of(body.id);
        let Some(around) = bricks(body).map(|bricks| bricks.grow(1)) else { return false };
        let touches = |other: &Body<'_>| {
            bricks(other).is_some_and(|bricks| !bricks.intersect(&around).is_empty())
                && other.spec.friction == body.spec.friction
        };
        let motion = BodyMotion::of(body, carrier.frame.centre_m, self.now.dt_s);
        let from_origin_m = f64::from(body.centre_of_mass_m.length() + 1.0);
        motion.is_like(&carrier.motion, from_origin_m) && carrier.bodies.iter().any(touches)
    }

    /// The frame of a carrier after it moved; what it takes along goes into `moves`.
    fn follow(&self, carrier: &Carrier<'_>, moves: &mut Moves) -> Frame {
        let Carrier { bodies, frame, motion } = carrier;
        let size = self.ground.voxel_size_m();
        let rigid = frame.follow(motion, &Grip { acceleration_m_s2: f64::INFINITY, lever_m: 1.0 });
        let press = frame.press(motion, self.weight());
        let load = Load::on(bodies.iter().map(|body| body.id), self.now, self.ground);
        if load.piles.is_empty() {
            return rigid;
        }
        let centre = frame.centre_m / f64::from(size);
        let lever_m = load.gyration(centre).max(1.0) * f64::from(size);
        let acceleration_m_s2 = f64::from(bodies[0].spec.friction).min(load.friction) * press;
        let next = frame.follow(motion, &Grip { acceleration_m_s2, lever_m });
        let (before, after) = (frame.lattice(size), next.lattice(size));
        for pile in &load.piles {
            let column = after.to_world(before.own_column(pile.column));
            let column = column + self.flung(pile, centre, next.yaw_rate, acceleration_m_s2).as_ivec2();
            let is_lifted = motion.lifts((pile.offset(centre) * f64::from(size)).extend(0.0));
            moves.add(Pile { rides: press > 0.0, is_lifted, ..*pile }, column);
        }
        next
    }

    /// By how much a pile is flung away from the centre of a turn now (voxels): with the speed that it gains over a
    /// voxel, by the acceleration that friction does not take up.
    fn flung(&self, pile: &Pile, centre: DVec2, yaw_rate: f64, acceleration_m_s2: f64) -> DVec2 {
        let size = f64::from(self.ground.voxel_size_m());
        let offset = pile.offset(centre);
        let excess = yaw_rate * yaw_rate * offset.length() * size - acceleration_m_s2;
        if excess <= 0.0 {
            return DVec2::ZERO;
        }
        let speed = (2.0 * excess * size).sqrt();
        let steps = (size / (speed * self.now.dt_s)).ceil().max(1.0);
        let now = (self.now.time_s / self.now.dt_s).round();
        if now.rem_euclid(steps) == 0.0 { offset.normalize_or_zero().round() } else { DVec2::ZERO }
    }

    /// Gravity as far as it presses soil on bodies (m/s²).
    fn weight(&self) -> f64 {
        f64::from((-self.now.gravity_m_s2.z).max(0.0))
    }
}
