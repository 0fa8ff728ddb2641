//! Soil must be sheared before it holds: Janosi-Hanamoto's law along faces that press on it.
//!
//! tau = (c + p tan phi) (1 - exp(-j / K)) (JanosiHanamoto1961), j being how far the face has moved along the soil since it came
//! to lie on it. It is the yield limit of friction: what is loaded less holds, and what turns back keeps what it has called up. What
//! stands still, and what nobody drives, is held in full: K was measured with plates that are driven, and nobody saw boulders creep
//! by centimetres.

use serde::{Deserialize, Serialize};

use super::law::saturation;
use super::motion::Twist;
use super::solve::{Contact, Slide};

/// A face that moves along the soil well below this speed stands (m/s).
const STANDS_M_S: f64 = 2e-3;

/// How soil holds a small face along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shear {
    /// The point of the body, by its place among all points.
    pub place: u32,
    /// How far it has been sheared, half of the coming step included (m); infinite where that does not count.
    pub sheared_m: f64,
    /// How fast it moves along the soil before the step (m/s).
    pub speed_m_s: f64,
    /// K (m).
    pub displacement_m: f64,
    /// What holds without pressure (N).
    pub adhesion_n: f64,
}

impl Shear {
    /// The greatest force along the face (N) that soil holds against when it is pressed by `normal_n` (N).
    pub fn limit_n(&self, friction: f64, normal_n: f64) -> f64 {
        let driven = saturation(self.speed_m_s / STANDS_M_S).0;
        let called_up = 1.0 - driven * libm::exp(-self.sheared_m / self.displacement_m);
        called_up * (friction * normal_n + self.adhesion_n)
    }
}

/// How far the points of a body have sheared the soil on which they lie, in the order of their places.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sheared(Vec<(u32, f32)>);

impl Sheared {
    /// Nothing touches soil.
    pub const NONE: Self = Self(Vec::new());

    /// Of one point (m).
    pub fn at(&self, place: u32) -> f32 {
        match self.0.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => self.0[at].1,
            Err(_) => 0.0,
        }
    }

    /// After a step of `dt_s` (s) from one motion to another: points that no longer press begin anew.
    pub fn after(&self, contacts: &[Contact], [start, end]: [&Twist; 2], dt_s: f64, stick_m_s: f64) -> Self {
        let mean = (*start + *end) * 0.5;
        let moved = |contact: &Contact| {
            let place = contact.shear.as_ref()?.place;
            let speed = Slide::of(contact, end, stick_m_s).speed;
            let presses = contact.resistance.force(speed, stick_m_s).0 > 0.0;
            let way_m = Slide::of(contact, &mean, stick_m_s).sideways.length() * dt_s;
            let sheared_m = self.at(place) + way_m as f32;
            (presses && sheared_m.is_finite()).then_some((place, sheared_m))
        };
        let mut points: Vec<(u32, f32)> = contacts.iter().filter_map(moved).collect();
        points.sort_unstable_by_key(|(place, _)| *place);
        points.dedup_by_key(|(place, _)| *place);
        Self(points)
    }

    /// False for what can only come from a damaged file.
    pub fn is_sound(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0].0 < pair[1].0)
            && self.0.iter().all(|(_, sheared_m)| sheared_m.is_finite() && *sheared_m >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_pulls_as_the_literature_says() {
        // A track of 1.0 x 0.2 m under 5 kN on soil of 1.04 kPa and 28°, K 25 mm: slip, drawbar (kN). What is x behind the front of
        // the track has been sheared by slip times x.
        for (slip, expected) in [(0.05, 1.63), (0.1, 2.16), (0.2, 2.51), (0.5, 2.72)] {
            let parts = 1_000;
            let pull = |part: i32| {
                let sheared_m = slip * (f64::from(part) + 0.5) / f64::from(parts);
                let adhesion_n = 1_040.0 * 0.2 / f64::from(parts);
                Shear { place: 0, sheared_m, speed_m_s: 1.0, displacement_m: 0.025, adhesion_n }
                    .limit_n(28_f64.to_radians().tan(), 5_000.0 / f64::from(parts))
            };
            let found: f64 = (0..parts).map(pull).sum::<f64>() / 1e3;
            assert!((found - expected).abs() < 0.01, "{slip}: {found}");
        }
    }
}
