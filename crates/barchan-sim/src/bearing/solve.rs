//! The velocity of a body at the end of a step, with all its contacts at once.
//!
//! Contacts resist motion and do nothing else, so the velocity sought is where a convex function of six numbers is least:
//! kinetic energy of the change against free motion, plus what the contacts dissipate. Newton's method finds it. Forces
//! that stick have kinks where motion stops, which Newton's method does not see coming; so unless the body is as good
//! as at rest, the kinks are first rounded off over wide ranges of speed, then ever less. The normal force that
//! friction is limited by is that of the iterate before.

use glam::{DMat3, DVec3};

use super::hessian::{Hessian, outer};
use super::law::Resistance;
use super::motion::{Inertia, Twist};
use super::shear::Shear;

/// Steps of Newton's method from a good guess, with new normal forces after each.
const ROUNDS_AT_REST: usize = 6;

/// Most steps with the same normal forces, and how often these are renewed at the end.
const ROUNDS: usize = 5;
const RENEWALS: usize = 5;

/// By how much the kinks become sharper from level to level (-).
const SHARPEN: f64 = 0.2;

/// Most looks along one step.
const MAX_LOOKS: usize = 8;

/// Accurate enough is a change by this part of the speed at which things stick.
const ACCURACY: f64 = 0.1;

/// And of the normal forces by this part of them (-).
const FORCE_ACCURACY: f64 = 1e-3;

/// A point at which a body meets the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// From the centre of mass (m).
    pub arm: DVec3,
    /// Unit vector into the ground.
    pub into: DVec3,
    /// Against motion into the ground.
    pub resistance: Resistance,
    /// Coefficient of friction (-).
    pub friction: f64,
    /// Soil that must be sheared first; none where friction holds at once.
    pub shear: Option<Shear>,
    /// The part of the surface that it stands for (m²).
    pub area_m2: f64,
    /// It belongs to a face that cuts.
    pub cuts: bool,
    /// It is a part of an edge or a tooth.
    pub is_edge: bool,
    /// Velocity of the ground along the contact (m/s): soil that is cut comes up along the face.
    pub drift: DVec3,
}

impl Contact {
    /// The greatest force along it (N) when it is pressed by `normal_n` (N).
    pub fn friction_n(&self, normal_n: f64) -> f64 {
        match &self.shear {
            _ if normal_n <= 0.0 => 0.0,
            Some(shear) => shear.limit_n(self.friction, normal_n),
            None => self.friction * normal_n,
        }
    }

    /// What it takes to make soil yield there (N); rock does not.
    pub fn yield_force_n(&self) -> f64 {
        match self.resistance {
            Resistance::Soil(soil) => soil.area_m2 * soil.pressure_pa,
            Resistance::Rock(_) => f64::INFINITY,
        }
    }
}

/// One body, one step.
#[derive(Debug)]
pub(super) struct Problem<'a> {
    pub inertia: Inertia,
    /// Velocity at the end of the step if there was no contact.
    pub free: Twist,
    /// Length of the step (s).
    pub dt_s: f64,
    /// Speed below which friction sticks (m/s).
    pub stick_m_s: f64,
    pub contacts: &'a [Contact],
}

impl Problem<'_> {
    /// The velocity at the end of the step, sought from `guess` on.
    pub fn solve(&self, guess: Twist) -> Twist {
        let mut search = Search::new(self, guess);
        search.renew_normal_forces(self.stick_m_s);
        for _ in 0..ROUNDS_AT_REST {
            let settled = search.round(self.stick_m_s);
            if search.renew_normal_forces(self.stick_m_s) && settled {
                return search.velocity;
            }
        }
        // Without friction first: at the guess, normal forces may be far too large.
        let mut search = Search::new(self, guess);
        let mut level = (self.free - guess).linear.length().clamp(self.stick_m_s, 1.0);
        while level > self.stick_m_s {
            search.settle(level);
            search.renew_normal_forces(level);
            level *= SHARPEN;
        }
        for _ in 0..RENEWALS {
            let settled = search.settle(self.stick_m_s);
            if search.renew_normal_forces(self.stick_m_s) && settled {
                break;
            }
        }
        search.velocity
    }
}

/// A velocity on its way to the solution.
struct Search<'a> {
    problem: &'a Problem<'a>,
    velocity: Twist,
    /// Of every contact (N).
    normal_forces: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem<'a>, velocity: Twist) -> Self {
        Self { problem, velocity, normal_forces: vec![0.0; problem.contacts.len()] }
    }

    /// Takes the normal forces from the velocity. True when they are about what they were.
    fn renew_normal_forces(&mut self, stick_m_s: f64) -> bool {
        let (mut change, mut sum) = (0.0, 0.0);
        for (force, contact) in self.normal_forces.iter_mut().zip(self.problem.contacts) {
            let speed = self.velocity.at(contact.arm).dot(contact.into);
            let renewed = contact.resistance.force(speed, stick_m_s).0;
            change += (renewed - *force).abs();
            sum += renewed;
            *force = renewed;
        }
        change <= FORCE_ACCURACY * sum
    }

    /// Steps until nothing changes any more. False when that takes too long.
    fn settle(&mut self, stick_m_s: f64) -> bool {
        (0..ROUNDS).any(|_| self.round(stick_m_s))
    }

    /// One step of Newton's method. True when it changed next to nothing.
    fn round(&mut self, stick_m_s: f64) -> bool {
        let (gradient, hessian) = self.derivatives(stick_m_s);
        let Some(step) = hessian.solve(gradient * -1.0) else { return true };
        let descent = gradient.dot(&step);
        if !step.is_finite() || descent >= 0.0 {
            return true;
        }
        self.velocity = self.velocity + step * self.step_length(&step, descent, stick_m_s);
        -descent < self.problem.inertia.mass * (ACCURACY * stick_m_s).powi(2)
    }

    /// First and second derivatives of the function at the velocity.
    fn derivatives(&self, stick_m_s: f64) -> (Twist, Hessian) {
        let Problem { inertia, free, dt_s, contacts, .. } = self.problem;
        let mut gradient = inertia.momentum(&(self.velocity - *free));
        let mut hessian = Hessian::new(inertia);
        for (contact, normal_force) in contacts.iter().zip(&self.normal_forces) {
            let slide = Slide::of(contact, &self.velocity, stick_m_s);
            let (force, slope) = contact.resistance.force(slide.speed, stick_m_s);
            let limit = contact.friction_n(*normal_force) * dt_s;
            let push = contact.into * (force * dt_s) + slide.sideways * (limit / slide.length);
            gradient.linear += push;
            gradient.angular += contact.arm.cross(push);
            let across = outer(contact.into);
            let held = DMat3::IDENTITY - across - outer(slide.sideways / slide.length);
            hessian.add(contact.arm, across * (slope * dt_s) + held * (limit / slide.length));
        }
        (gradient, hessian)
    }

    /// How far to go along `step`: all of it, or to where the function stops falling.
    fn step_length(&self, step: &Twist, descent: f64, stick_m_s: f64) -> f64 {
        let (mut low, mut high) = ((0.0, descent), (1.0, self.slope_along(step, 1.0, stick_m_s)));
        if high.1 <= -0.1 * descent {
            return 1.0;
        }
        for look in 0..MAX_LOOKS {
            let secant = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
            // Kinks hold the secant back at one end.
            let middle = if look % 2 == 0 { secant } else { 0.5 * (low.0 + high.0) };
            let slope = self.slope_along(step, middle, stick_m_s);
            if slope.abs() <= -0.1 * descent {
                return middle;
            }
            if slope < 0.0 {
                low = (middle, slope);
            } else {
                high = (middle, slope);
            }
        }
        if low.0 > 0.0 { low.0 } else { high.0 }
    }

    fn slope_along(&self, step: &Twist, length: f64, stick_m_s: f64) -> f64 {
        let Problem { inertia, free, dt_s, contacts, .. } = self.problem;
        let velocity = self.velocity + *step * length;
        let mut slope = inertia.momentum(&(velocity - *free)).dot(step);
        for (contact, normal_force) in contacts.iter().zip(&self.normal_forces) {
            let slide = Slide::of(contact, &velocity, stick_m_s);
            let force = contact.resistance.force(slide.speed, stick_m_s).0;
            let friction = contact.friction_n(*normal_force) / slide.length;
            slope += dt_s * (contact.into * force + slide.sideways * friction).dot(step.at(contact.arm));
        }
        slope
    }
}

/// How the body moves at a contact.
pub(super) struct Slide {
    /// Into the ground (m/s).
    pub speed: f64,
    /// Along it (m/s).
    pub sideways: DVec3,
    /// Length of `sideways` and the speed at which friction sticks, at right angles (m/s).
    pub length: f64,
}

impl Slide {
    pub fn of(contact: &Contact, velocity: &Twist, stick_m_s: f64) -> Self {
        let there = velocity.at(contact.arm);
        let speed = there.dot(contact.into);
        let sideways = there - contact.into * speed - contact.drift;
        Self { speed, sideways, length: (sideways.length_squared() + stick_m_s * stick_m_s).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearing::law::Stop;

    const DT_S: f64 = 1.0 / 60.0;
    const STICK: f64 = 2e-5;

    /// A cube of 1 kg and 0.2 m on four points of a floor that leans by `lean` (rad) about y, under gravity.
    fn slope(lean: f64, friction: f64, speed: DVec3) -> Twist {
        let down = DVec3::new(lean.sin(), 0.0, -lean.cos());
        let inverse = DMat3::from_diagonal(DVec3::splat(150.0));
        let inertia = Inertia { mass: 1.0, masses: DVec3::ONE, matrix: inverse.inverse(), inverse };
        let corner = |x: f64, y: f64| Contact {
            arm: DVec3::new(0.1 * x, 0.1 * y, -0.1),
            into: DVec3::NEG_Z,
            resistance: Resistance::Rock(Stop { limit_m_s: 0.0, damping_n_s_m: 1e6 }),
            friction,
            shear: None,
            area_m2: 0.01,
            cuts: false,
            is_edge: false,
            drift: DVec3::ZERO,
        };
        let contacts = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0)];
        let start = Twist { linear: speed, angular: DVec3::ZERO };
        let free = Twist { linear: speed + down * (9.81 * DT_S), angular: DVec3::ZERO };
        let problem = Problem { inertia, free, dt_s: DT_S, stick_m_s: STICK, contacts: &contacts };
        problem.solve(start)
    }

    #[test]
    fn friction_holds_and_slides_as_coulomb_says() {
        let friction = 30_f64.to_radians().tan();
        // Lean (°), speed before (m/s), speed after along the slope (m/s) by hand.
        let rows = [
            (0.0, 0.0, 0.0),
            (29.0, 0.0, 0.0),
            (31.0, 0.0, 9.81 * DT_S * (31_f64.to_radians().sin() - friction * 31_f64.to_radians().cos())),
            (0.0, 1.0, 1.0 - 9.81 * DT_S * friction),
            (0.0, 0.05, 0.0),
            (10.0, -0.01, 0.0),
        ];
        for (lean_deg, before, after) in rows {
            let found = slope(f64::to_radians(lean_deg), friction, DVec3::new(before, 0.0, 0.0));
            assert!((found.linear.x - after).abs() < 2e-4, "{lean_deg}°, {before} m/s: {found:?}");
            assert!(found.linear.z.abs() < 1e-4 && found.angular.length() < 2e-3, "{lean_deg}°: {found:?}");
        }
    }

    #[test]
    fn without_contacts_motion_is_free() {
        let (matrix, inverse) = (DMat3::IDENTITY, DMat3::IDENTITY);
        let inertia = Inertia { mass: 2.0, masses: DVec3::splat(2.0), matrix, inverse };
        let free = Twist { linear: DVec3::new(1.0, 2.0, 3.0), angular: DVec3::X };
        let problem = Problem { inertia, free, dt_s: DT_S, stick_m_s: STICK, contacts: &[] };
        let found = problem.solve(Twist::default());
        assert!((found - free).linear.length() < 1e-12 && (found - free).angular.length() < 1e-12);
    }
}
