//! Which damping gives a collision the restitution asked for.
//!
//! Two bodies that collide head-on under F = max(0, q (x + D v)) with q x the elastic force, scaled so that mass, stiffness and
//! speed are one: only D is left, and with it the restitution. It is found by running the collision, not by a formula: what is
//! printed for the linear law is wrong for Hertz's.

use super::law::Law;

/// Steps of a collision: it lasts about 3.2 without damping.
const STEP: f64 = 1e-3;
/// Longest collision that is followed; strong damping makes it creep out.
const LONGEST: f64 = 40.0;
/// Halvings of the interval of D.
const HALVINGS: usize = 40;

/// Lowest restitution that can be asked for: below it collisions creep.
pub const LOWEST_RESTITUTION: f64 = 0.05;

/// Damping numbers that were worked out once: each takes a millisecond.
#[derive(Clone, Debug, Default)]
pub struct Dampings {
    known: Vec<(Law, u64, f64)>,
}

impl Dampings {
    /// As [`damping_number`].
    pub fn number(&mut self, law: Law, restitution: f64) -> f64 {
        let key = restitution.to_bits();
        if let Some(known) = self.known.iter().find(|known| (known.0, known.1) == (law, key)) {
            return known.2;
        }
        let number = damping_number(law, restitution);
        self.known.push((law, key, number));
        number
    }
}

/// The damping number D of a restitution from [`LOWEST_RESTITUTION`] to 1: G = D K^0.6 m^0.4 v^-0.2 for Hertz's law, G = D sqrt(K m)
/// for the linear one.
pub fn damping_number(law: Law, restitution: f64) -> f64 {
    if restitution >= 1.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if restitution_of(law, middle) > restitution { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The restitution that damping number `d` gives at the speed it was made for.
pub fn restitution_of(law: Law, d: f64) -> f64 {
    let slowing = |x: f64, v: f64| match law {
        _ if x <= 0.0 => 0.0,
        Law::Hertz => (x.sqrt() * (x + d * v)).max(0.0),
        Law::Linear => (x + d * v).max(0.0),
    };
    let (mut x, mut v, mut time) = (0.0, 1.0, 0.0);
    while time < LONGEST {
        let h = STEP;
        let (k1x, k1v) = (v, -slowing(x, v));
        let (k2x, k2v) = (v + 0.5 * h * k1v, -slowing(x + 0.5 * h * k1x, v + 0.5 * h * k1v));
        let (k3x, k3v) = (v + 0.5 * h * k2v, -slowing(x + 0.5 * h * k2x, v + 0.5 * h * k2v));
        let (k4x, k4v) = (v + h * k3v, -slowing(x + h * k3x, v + h * k3v));
        x += h / 6.0 * (k1x + 2.0 * (k2x + k3x) + k4x);
        v += h / 6.0 * (k1v + 2.0 * (k2v + k3v) + k4v);
        time += h;
        // Nothing pulls: once the force is gone on the way out, the speed stays.
        if x <= 0.0 || (v < 0.0 && slowing(x, v) == 0.0) {
            return -v;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restitutions_have_the_damping_that_was_worked_out_elsewhere() {
        for (e, d) in [(0.85, 0.145), (0.65, 0.407), (0.5, 0.698), (0.3, 1.396)] {
            let found = damping_number(Law::Hertz, e);
            assert!((found / d - 1.0).abs() < 0.005, "e = {e}: {found}");
        }
        // The linear law without a clamp has e = exp(-pi z / sqrt(1 - z²)), D = 2 z; the clamp gives a little more.
        let e = restitution_of(Law::Linear, 0.2);
        assert!((0.7292..0.76).contains(&e), "{e}");
        assert_eq!(damping_number(Law::Linear, 1.0), 0.0);
    }
}
