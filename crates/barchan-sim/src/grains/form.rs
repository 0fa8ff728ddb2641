//! Forms: a template at a size, of a substance. All that grains of one form have in common.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::inertia::Bulk;
use super::substance::Substance;
use super::template::Template;

/// Moments of inertia that differ by less than this share count as equal.
const ROUND: f64 = 1e-4;

/// Which form a grain has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormSpec {
    /// Which template.
    pub template: u16,
    /// Length of a diameter of the template (m).
    pub size_m: f64,
    /// Which substance.
    pub substance: u16,
}

/// One ball of a form.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormBall {
    /// Where it sits: from the centre of mass, along the principal axes (m).
    pub at_m: DVec3,
    /// Its radius (m).
    pub radius_m: f32,
    /// Which kind of ball it is, for the table of pairs.
    pub kind: u16,
}

/// A form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// What it was made from.
    pub spec: FormSpec,
    /// Volume of the union of its balls (m³).
    pub volume_m3: f64,
    /// Mass (kg).
    pub mass_kg: f64,
    /// Moments of inertia along the principal axes (kg m²).
    pub moments_kg_m2: DVec3,
    /// True where all moments are the same: it spins about any axis alike.
    pub is_round: bool,
    /// From the principal axes to those of the template.
    pub axes: DQuat,
    /// From the origin of the template to the centre of mass, along the template's axes (m).
    pub centre_m: DVec3,
    /// Its balls.
    pub balls: Vec<FormBall>,
    /// Radius of the ball around the centre of mass that holds all of it (m).
    pub reach_m: f64,
}

/// A kind of ball: what the table of pairs is made for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BallKind {
    /// Radius (m).
    pub radius_m: f64,
    /// Mass of the whole grain (kg).
    pub mass_kg: f64,
    /// What the ball feels like where a push turns the grain most (kg).
    pub light_kg: f64,
    /// Of which substance.
    pub substance: u16,
}

impl Form {
    /// Makes a form; new kinds of balls are added to `kinds`.
    pub fn new(
        spec: FormSpec,
        template: &Template,
        bulk: &Bulk,
        substance: &Substance,
        kinds: &mut Vec<BallKind>,
    ) -> Self {
        let (size, density) = (spec.size_m, substance.density_kg_m3);
        let (moments, axes) = bulk.principal();
        let largest = moments.max_element();
        let is_round = largest - moments.min_element() < ROUND * largest;
        let (moments, axes) = if is_round {
            (DVec3::splat(moments.element_sum() / 3.0), DMat3::IDENTITY)
        } else {
            (moments, axes)
        };
        let mass_kg = bulk.volume * size.powi(3) * density;
        let moments_kg_m2 = moments * size.powi(5) * density;
        let lever = template.balls.iter().map(|b| b.centre.distance(bulk.centre)).fold(0.0, f64::max) * size;
        let light_kg = 1.0 / (1.0 / mass_kg + lever * lever / moments_kg_m2.min_element());
        let balls = template.balls.iter().map(|ball| {
            let radius_m = ball.radius * size;
            let kind = BallKind { radius_m, mass_kg, light_kg, substance: spec.substance };
            let at = kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
            let at_m = axes.transpose() * ((ball.centre - bulk.centre) * size);
            FormBall { at_m, radius_m: radius_m as f32, kind: at as u16 }
        });
        Self {
            spec,
            volume_m3: bulk.volume * size.powi(3),
            mass_kg,
            moments_kg_m2,
            is_round,
            axes: DQuat::from_mat3(&axes),
            centre_m: bulk.centre * size,
            balls: balls.collect(),
            reach_m: template.reach_from(bulk.centre) * size,
        }
    }

    /// Diameter of the ball of the same volume (m).
    pub fn ball_diameter_m(&self) -> f64 {
        libm::cbrt(6.0 / PI * self.volume_m3)
    }

    /// True when every number makes sense: those of a file need not.
    pub(super) fn is_sound(&self, kinds: usize) -> bool {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let ball = |b: &FormBall| {
            b.at_m.is_finite() && positive(f64::from(b.radius_m)) && usize::from(b.kind) < kinds
        };
        let numbers = [self.volume_m3, self.mass_kg, self.reach_m, self.spec.size_m];
        numbers.into_iter().all(positive)
            && self.moments_kg_m2.to_array().into_iter().all(positive)
            && self.axes.is_finite()
            && self.centre_m.is_finite()
            && !self.balls.is_empty()
            && self.balls.iter().all(ball)
    }
}
