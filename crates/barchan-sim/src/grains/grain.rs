//! One grain: where it is, how it moves, what it counts as.

use barchan_particles::{Id, Place};
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::form::Form;

/// A grain as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grain {
    /// Its name, and that of its first ball; its other balls have the names that follow.
    pub id: Id,
    /// Its form.
    pub form: u16,
    /// What it counts as in the books (units of its substance's soil).
    pub units: u64,
    /// Its centre of mass.
    pub place: Place,
    /// Velocity of the centre (m/s).
    pub velocity_m_s: DVec3,
    /// From its principal axes to the world.
    pub turn: DQuat,
    /// Angular momentum about the centre (kg m²/s).
    pub angular_momentum: DVec3,
    /// How long it has been at rest (s).
    pub rest_s: f32,
    /// True while it sleeps.
    pub asleep: bool,
}

/// Fastest grain (m/s).
pub const FASTEST_M_S: f64 = 400.0;

/// Most turning in one substep (rad).
const MOST_TURN: f64 = 0.5;

/// What pushes a grain during one substep.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pushed {
    /// Force (N).
    pub force: DVec3,
    /// Torque about the centre (N m).
    pub torque: DVec3,
}

impl Grain {
    /// Rate of turning (rad/s).
    pub fn spin_rad_s(&self, form: &Form) -> DVec3 {
        if form.is_round {
            self.angular_momentum / form.moments_kg_m2.x
        } else {
            let axes = DMat3::from_quat(self.turn);
            axes * ((axes.transpose() * self.angular_momentum) / form.moments_kg_m2)
        }
    }

    /// Gives it a rate of turning (rad/s).
    pub fn set_spin(&mut self, spin_rad_s: DVec3, form: &Form) {
        let axes = DMat3::from_quat(self.turn);
        self.angular_momentum = axes * ((axes.transpose() * spin_rad_s) * form.moments_kg_m2);
    }

    /// Energy of motion (J): of the centre, and of turning.
    pub fn kinetic_j(&self, form: &Form) -> [f64; 2] {
        let spin = self.spin_rad_s(form);
        [0.5 * form.mass_kg * self.velocity_m_s.length_squared(), 0.5 * spin.dot(self.angular_momentum)]
    }

    /// Lets `dt_s` pass: the momenta first, then the pose with them. True when a limit of speed or spin was hit.
    ///
    /// Semi-implicit Euler. A clump whose moments differ turns by exact turns about its own axes, one after the other and back
    /// again (Dullweber 1997), so that its energy stays within bounds; its angular momentum is kept as it is. Half angles stand in
    /// for their tangents, which slows the turns by a share of the order of the angle squared.
    #[inline(always)]
    pub fn advance(
        &mut self,
        form: &Form,
        pushed: &Pushed,
        gravity: DVec3,
        dt_s: f64,
        parts_per_m: f64,
    ) -> bool {
        self.velocity_m_s += (pushed.force / form.mass_kg + gravity) * dt_s;
        let speed_squared = self.velocity_m_s.length_squared();
        let mut limited = false;
        if speed_squared > FASTEST_M_S * FASTEST_M_S {
            self.velocity_m_s *= FASTEST_M_S / speed_squared.sqrt();
            limited = true;
        }
        let way = self.velocity_m_s * (dt_s * parts_per_m);
        let last = (Place::LIMIT << 32) - 1;
        for axis in 0..3 {
            self.place.0[axis] = (self.place.0[axis] + rounded(way[axis])).clamp(-last, last);
        }
        self.angular_momentum += pushed.torque * dt_s;
        let least = form.moments_kg_m2.min_element();
        let most = MOST_TURN / dt_s * least;
        let squared = self.angular_momentum.length_squared();
        if squared > most * most {
            self.angular_momentum *= most / squared.sqrt();
            limited = true;
        }
        if form.is_round {
            self.turn_round(dt_s / form.moments_kg_m2.x);
        } else {
            self.turn_by_axes(form.moments_kg_m2, dt_s);
        }
        limited
    }

    fn turn_round(&mut self, dt_over_moment: f64) {
        let half = self.angular_momentum * (0.5 * dt_over_moment);
        let by = DQuat::from_xyzw(half.x, half.y, half.z, 1.0);
        self.turn = of_unit_length(by * self.turn);
    }

    fn turn_by_axes(&mut self, moments: DVec3, dt_s: f64) {
        let mut own = DMat3::from_quat(self.turn).transpose() * self.angular_momentum;
        let mut turn = self.turn;
        for (axis, share) in [(2, 0.5), (1, 0.5), (0, 1.0), (1, 0.5), (2, 0.5)] {
            let t = 0.5 * share * dt_s * own[axis] / moments[axis];
            let scale = 1.0 / (1.0 + t * t);
            let (cos, sin) = ((1.0 - t * t) * scale, 2.0 * t * scale);
            let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
            // Seen from the turning axes the momentum turns back.
            let (a, b) = (own[j], own[k]);
            own[j] = cos * a + sin * b;
            own[k] = cos * b - sin * a;
            let mut about = [0.0; 3];
            about[axis] = t;
            turn *= DQuat::from_xyzw(about[0], about[1], about[2], 1.0);
        }
        self.turn = of_unit_length(turn);
    }

    /// True when every number makes sense: those of a file need not.
    pub(super) fn is_sound(&self, forms: &[Form]) -> bool {
        let Some(form) = forms.get(usize::from(self.form)) else { return false };
        let inside = self.place.0.iter().all(|x| x.unsigned_abs() < (Place::LIMIT as u64) << 32);
        let turns = self.turn.is_finite() && (self.turn.length() - 1.0).abs() < 1e-6;
        inside
            && turns
            && self.velocity_m_s.is_finite()
            && self.velocity_m_s.length() <= FASTEST_M_S * 1.001
            && self.angular_momentum.is_finite()
            && self.spin_rad_s(form).is_finite()
            && (0.0..=1e6).contains(&self.rest_s)
    }
}

fn of_unit_length(turn: DQuat) -> DQuat {
    turn * (1.0 / turn.length())
}

/// The nearest whole number, halves to even; what is no number is 0. For numbers below 2^51.
#[inline(always)]
fn rounded(x: f64) -> i64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 x 2^52
    ((x + SHIFT) - SHIFT) as i64
}
