//! What is remembered of a body from step to step: how others pushed it.

use serde::{Deserialize, Serialize};

use super::motion::Twist;

/// How a body was expected to move, and what pushed it beside the ground and gravity: other bodies, walls, hands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Velocity at the end of the last step, had nobody pushed.
    pub unpushed: Twist,
    /// Length of the last step (s).
    pub dt_s: f64,
    /// Acceleration by others in the step before the last.
    pub push: Twist,
}

impl Record {
    /// Acceleration by others in the step that ended with `velocity`.
    pub fn last_push(&self, velocity: &Twist) -> Twist {
        let push = (*velocity - self.unpushed) * (1.0 / self.dt_s);
        if push.is_finite() { push } else { Twist::default() }
    }

    /// What both of two pushes have in common, which is what is likely to last: blows do not.
    pub fn lasting(a: &Twist, b: &Twist) -> Twist {
        let (a, b) = (a.to_array(), b.to_array());
        let common = |i: usize| {
            let smaller = if a[i].abs() < b[i].abs() { a[i] } else { b[i] };
            if a[i] * b[i] > 0.0 { smaller } else { 0.0 }
        };
        Twist::from_array(std::array::from_fn(common))
    }

    /// False for what can only come from a damaged file.
    pub fn is_sound(&self) -> bool {
        self.unpushed.is_finite() && self.push.is_finite() && self.dt_s > 0.0 && self.dt_s.is_finite()
    }

    /// Every number in it.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        self.unpushed.to_array().into_iter().chain(self.push.to_array()).chain([self.dt_s])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lasts_is_expected_again() {
        // Push in two steps in a row, what is expected next.
        let rows = [(0.0, 5.0, 0.0), (5.0, 0.0, 0.0), (3.0, 5.0, 3.0), (-5.0, -3.0, -3.0), (-5.0, 3.0, 0.0)];
        for (a, b, expected) in rows {
            let of = |x: f64| Twist::from_array([x, 0.0, 0.0, 0.0, x, 0.0]);
            assert_eq!(Record::lasting(&of(a), &of(b)), of(expected), "{a} {b}");
        }
    }
}
