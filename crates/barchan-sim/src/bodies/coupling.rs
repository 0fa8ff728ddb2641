//! What a body remembers so that forces from outside rapier act on it evenly: what other bodies press on it, and what it
//! was given as it fell asleep.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::collection::Entry;
use super::rapier_world::Kinematics;
use super::{Cause, Impulse};

/// Speed (m/s) and rate of rotation (rad/s) that wake a sleeping body: as slow as bodies fall asleep.
const WAKE_SPEED_M_S: f64 = 0.01;
const WAKE_SPIN_RAD_S: f64 = 0.02;

/// Forces on a body, and what a sleeping one has saved up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Coupling {
    /// What other bodies and walls pressed on it in the last part of a step and in the one before (N, N m).
    pressed: [Impulse; 2],
    /// What every cause is giving it in the part that comes (N s, N m s).
    given: [Impulse; Cause::COUNT],
    /// What every cause gave it in each second as it fell asleep (N, N m).
    held: [Impulse; Cause::COUNT],
    /// What it was given beyond that since (N s, N m s).
    owed: Impulse,
}

impl Coupling {
    /// Notes that `cause` gives `impulse` in the part that comes.
    pub fn note(&mut self, cause: Cause, impulse: Impulse) {
        self.given[cause as usize] += impulse;
    }

    /// What other bodies and walls are likely to press in the part that comes (N, N m): what they pressed in both last ones.
    /// Blows do not last.
    pub fn expected(&self) -> Impulse {
        let [last, before] = self.pressed;
        Impulse { linear: common(last.linear, before.linear), angular: common(last.angular, before.angular) }
    }

    /// True when there is nothing to remember.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Every number in it.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        let one_by_one = self.pressed.into_iter().chain(self.given).chain(self.held).chain([self.owed]);
        one_by_one.flat_map(|impulse| [impulse.linear, impulse.angular]).flat_map(|v| v.to_array())
    }

    /// A body that moved: `pressed` is what others pressed on it (N, N m).
    fn pass_awake(&mut self, pressed: Impulse) {
        *self = Self { pressed: [pressed, self.pressed[0]], ..Self::default() };
    }

    /// A body that fell asleep in a part that was `dt_s` (s) long.
    fn fall_asleep(&mut self, dt_s: f64) {
        *self = Self { held: self.given.map(|given| given * (1.0 / dt_s)), ..Self::default() };
    }

    /// A body that slept for `dt_s` (s): what it was given beyond what it is used to is owed to it.
    fn sleep_on(&mut self, dt_s: f64) {
        for (given, held) in self.given.iter_mut().zip(&self.held) {
            self.owed += std::mem::take(given) - *held * dt_s;
        }
    }
}

impl Entry {
    /// Ends a part of a step of `dt_s` (s) in which the body, under `gravity` (m/s²), came from `before` and was pushed by
    /// `force` (N, N m). Returns the motion with which it wakes, if it does.
    pub(super) fn pass_coupling(
        &mut self,
        before: &Kinematics,
        slept: bool,
        gravity: DVec3,
        force: Impulse,
        dt_s: f64,
    ) -> Option<Impulse> {
        if !self.feels_forces() {
            self.coupling = Coupling::default();
            return None;
        }
        if self.state.sleeping && slept {
            self.coupling.sleep_on(dt_s);
            let owed = self.coupling.owed;
            let speed = owed.linear.length() / f64::from(self.mass.mass_kg);
            let spin = (self.inverse_inertia().as_dmat3() * owed.angular).length();
            let wakes = speed > WAKE_SPEED_M_S || spin > WAKE_SPIN_RAD_S;
            if wakes {
                self.coupling = Coupling::default();
            }
            return wakes.then_some(owed);
        }
        if self.state.sleeping {
            self.coupling.fall_asleep(dt_s);
            return None;
        }
        let now = &self.state.now;
        let gained = (now.linear.as_dvec3() - before.linear.as_dvec3()) / dt_s - gravity;
        let turned = (now.angular.as_dvec3() - before.angular.as_dvec3()) / dt_s;
        let pressed = Impulse {
            linear: gained * f64::from(self.mass.mass_kg) - force.linear,
            angular: self.inertia() * turned - force.angular,
        };
        self.coupling.pass_awake(if pressed.is_finite() { pressed } else { Impulse::ZERO });
        None
    }
}

/// By component, the smaller of two that point the same way.
fn common(a: DVec3, b: DVec3) -> DVec3 {
    let smaller = |a: f64, b: f64| if a.abs() < b.abs() { a } else { b };
    let of = |a: f64, b: f64| if a * b > 0.0 { smaller(a, b) } else { 0.0 };
    DVec3::new(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z))
}
