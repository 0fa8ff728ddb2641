//! Falling asleep in groups, and what wakes them.
//!
//! A group is what hangs together by springs. It falls asleep when all of it has been at rest for a while and nothing that may
//! still move leans on it. Sleepers keep their springs, cost nothing and stand as if held, until something quick comes near, what
//! they lean on moves or is taken away, or a hand wakes them.

use glam::DVec3;

use super::form::Form;
use super::grain::Grain;
use super::grains::Grains;
use super::surface::{Owner, Surface};
use super::wall::WallMotion;
use super::workshop::Workshop;

/// How long a group is at rest before it sleeps (s).
const BEFORE_SLEEP_S: f32 = 0.5;

/// Time between two looks for groups that may sleep (s).
const BETWEEN_LOOKS_S: f64 = 0.2;

/// At rest is what is slower than this share of the speed of a fall through its own diameter.
const REST_SHARE: f64 = 0.005;

/// At rest where nothing falls (m/s).
const REST_M_S: f64 = 1e-6;

/// Speed below which a grain counts as at rest (m/s).
fn rest_speed(form: &Form, gravity: DVec3) -> f64 {
    REST_SHARE * (2.0 * gravity.length() * form.ball_diameter_m()).sqrt() + REST_M_S
}

/// Fastest point of a grain (m/s), at most.
fn quickness(grain: &Grain, form: &Form) -> f64 {
    grain.velocity_m_s.length() + grain.spin_rad_s(form).length() * form.reach_m
}

impl Grains {
    /// Lets groups fall asleep that have been at rest for long enough. `surfaces` are those of the step that passed `dt_s`.
    pub(super) fn fall_asleep(
        &mut self,
        surfaces: &[Surface],
        gravity: DVec3,
        time_s: f64,
        dt_s: f64,
        is_loose: impl Fn(usize) -> bool,
    ) {
        let mut may_sleep = false;
        for at in 0..self.grains.len() {
            let grain = &self.grains[at];
            if grain.asleep {
                continue;
            }
            let form = self.form_of(grain);
            let rests = quickness(grain, form) < rest_speed(form, gravity);
            let rest_s = if rests { (grain.rest_s + dt_s as f32).min(1e3) } else { 0.0 };
            self.grains[at].rest_s = rest_s;
            may_sleep |= rest_s >= BEFORE_SLEEP_S;
        }
        let looks = |time_s: f64| (time_s / BETWEEN_LOOKS_S).floor();
        if !may_sleep || looks(time_s) == looks(time_s + dt_s) {
            return;
        }
        let mut groups = self.groups();
        let mut restless = vec![false; self.grains.len()];
        for (at, grain) in self.grains.iter().enumerate() {
            if !grain.asleep && grain.rest_s < BEFORE_SLEEP_S {
                restless[groups.root(at)] = true;
            }
        }
        // What leans on a body or a wall that moves or may move stays awake with it.
        let moving: Vec<u32> =
            surfaces.iter().filter(|s| s.is_moving() || self.is_loose(s, &is_loose)).map(|s| s.id).collect();
        for tie in &self.face_ties {
            if moving.contains(&tie.b)
                && let Some(at) = self.index_of_ball(tie.a)
            {
                restless[groups.root(at)] = true;
            }
        }
        for at in 0..self.grains.len() {
            if !self.grains[at].asleep && !restless[groups.root(at)] {
                let grain = &mut self.grains[at];
                (grain.asleep, grain.velocity_m_s, grain.angular_momentum) = (true, DVec3::ZERO, DVec3::ZERO);
                self.sleepers += 1;
            }
        }
    }

    /// Wakes the sleepers that lean on what moves, or are near a body that does.
    pub(super) fn wake_by_surfaces(&mut self, surfaces: &[Surface], is_loose: impl Fn(usize) -> bool) {
        if self.sleepers == 0 {
            return;
        }
        let mut woken = Vec::new();
        let moving: Vec<&Surface> =
            surfaces.iter().filter(|s| s.is_moving() || self.is_loose(s, &is_loose)).collect();
        if moving.is_empty() {
            return;
        }
        for (at, grain) in self.grains.iter().enumerate() {
            let form = self.form_of(grain);
            let reach = form.reach_m + self.worked.skin_m;
            let is_near = |surface: &&Surface| {
                let from_origin = surface.between(grain.place);
                surface.may_be_near(from_origin, reach)
                    && surface.way_to(from_origin).is_none_or(|(far, _)| far < reach)
            };
            if grain.asleep && moving.iter().any(is_near) {
                woken.push(at);
            }
        }
        self.wake(&woken);
    }

    /// Wakes grains with all of their groups.
    pub(super) fn wake(&mut self, woken: &[usize]) {
        if woken.is_empty() || self.sleepers == 0 {
            return;
        }
        let mut groups = self.groups();
        let mut wakes = vec![false; self.grains.len()];
        for &at in woken {
            wakes[groups.root(at)] = true;
        }
        for at in 0..self.grains.len() {
            if self.grains[at].asleep && wakes[groups.root(at)] {
                (self.grains[at].asleep, self.grains[at].rest_s) = (false, 0.0);
                self.sleepers -= 1;
            }
        }
    }

    /// Which grain has the ball of this name.
    pub(super) fn index_of_ball(&self, name: u32) -> Option<usize> {
        let at = self.grains.partition_point(|grain| grain.id.0 <= name).checked_sub(1)?;
        let balls = self.form_of(&self.grains[at]).balls.len() as u32;
        (name - self.grains[at].id.0 < balls).then_some(at)
    }

    /// True where a surface may move as soon as it is pushed less: a body that forces move, or a plunger.
    fn is_loose(&self, surface: &Surface, is_loose: impl Fn(usize) -> bool) -> bool {
        match surface.owner {
            Owner::Body(index) => is_loose(index),
            Owner::Wall(index) => matches!(self.setup.walls[index].motion, WallMotion::Press { .. }),
            Owner::World => false,
        }
    }

    fn groups(&self) -> Groups {
        let mut groups = Groups { above: (0..self.grains.len() as u32).collect() };
        for tie in &self.ties {
            if let (Some(a), Some(b)) = (self.index_of_ball(tie.a), self.index_of_ball(tie.b)) {
                groups.join(a, b);
            }
        }
        groups
    }
}

impl Workshop {
    /// Sleepers, by their place in the state, that something quick has come near to.
    pub(super) fn disturbed(&self, grains: &Grains, gravity: DVec3) -> Vec<usize> {
        let quick: Vec<bool> = self
            .movers
            .iter()
            .map(|mover| {
                let form = grains.form_of(mover);
                !mover.asleep && quickness(mover, form) > 2.0 * rest_speed(form, gravity)
            })
            .collect();
        let mut found = Vec::new();
        for part in 0..self.bundles.parts() {
            for bundle in self.bundles.of_part(part) {
                for (lane, &slot) in bundle.slots.iter().enumerate() {
                    if slot == self.bundles.stand_in() || !quick[self.owner[slot as usize] as usize] {
                        continue;
                    }
                    for row in bundle.rows {
                        let other = row[lane];
                        if other == self.bundles.stand_in() {
                            break;
                        }
                        let owner = self.owner[other as usize] as usize;
                        if self.movers[owner].asleep {
                            found.push(self.stands[owner] as usize);
                        }
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// What hangs together.
struct Groups {
    above: Vec<u32>,
}

impl Groups {
    fn root(&mut self, at: usize) -> usize {
        let mut at = at as u32;
        while self.above[at as usize] != at {
            let next = self.above[self.above[at as usize] as usize];
            self.above[at as usize] = next;
            at = next;
        }
        at as usize
    }

    /// The lower number stays above, so that groups do not depend on the order of joining.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a) as u32, self.root(b) as u32);
        let (low, high) = (a.min(b), a.max(b));
        self.above[high as usize] = low;
    }
}
