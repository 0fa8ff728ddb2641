//! What is remembered of a body from step to step: how it was expected to move, and how others pushed it.

use serde::{Deserialize, Serialize};

use super::motion::Twist;

/// The last step of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Velocity at its beginning.
    pub start: Twist,
    /// Velocity that the ground gave it.
    pub ground: Twist,
    /// Velocity at its end, had nobody pushed: other bodies, walls, hands.
    pub unpushed: Twist,
    /// Acceleration by others that the ground held against.
    pub expected: Twist,
    /// Acceleration by others in the step before.
    pub push: Twist,
    /// Its length (s).
    pub dt_s: f64,
    /// The body slept, so the ground did not act on it, whatever came.
    pub slept: bool,
}

impl Record {
    /// Acceleration by others in the step, which ended with `velocity`.
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

    /// Notes that the body sleeps.
    pub fn sleep(&mut self) {
        (self.start, self.ground, self.slept) = (Twist::default(), Twist::default(), true);
    }

    /// False for what can only come from a damaged file.
    pub fn is_sound(&self) -> bool {
        self.twists().iter().all(Twist::is_finite) && self.dt_s > 0.0 && self.dt_s.is_finite()
    }

    fn twists(&self) -> [Twist; 5] {
        [self.start, self.ground, self.unpushed, self.expected, self.push]
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
