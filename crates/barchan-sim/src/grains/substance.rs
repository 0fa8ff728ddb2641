//! What grains are made of, and how they behave towards each other.

use serde::{Deserialize, Serialize};

use super::damping::LOWEST_RESTITUTION;
use super::law::Manners;
use crate::material::MaterialId;

/// What a grain is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Substance {
    /// What it is called.
    pub name: String,
    /// The soil that it counts as in the books and looks like.
    pub soil: MaterialId,
    /// Density (kg/m³).
    pub density_kg_m3: f64,
    /// Young's modulus (Pa). Stiffer contacts need shorter steps; softer ones overlap more.
    pub young_pa: f64,
    /// Poisson's ratio (-).
    pub poisson: f64,
    /// Share of the speed of impact that is left after it, at the speed of the laws (-).
    pub restitution: f64,
    /// Coefficient of friction (-).
    pub friction: f64,
    /// Coefficient of rolling friction (-): most torque over load and effective radius.
    pub rolling_friction: f64,
    /// Pull per area of contact (Pa); 0: grains never pull.
    pub adhesion_pa: f64,
}

impl Substance {
    /// Quartz sand with softened contacts, as in SCIENCE: 5 MPa, restitution 0.5, friction 0.5.
    pub fn sand(soil: MaterialId) -> Self {
        Self {
            name: "sand".to_owned(),
            soil,
            density_kg_m3: 2650.0,
            young_pa: 5e6,
            poisson: 0.3,
            restitution: 0.5,
            friction: 0.5,
            rolling_friction: 0.0,
            adhesion_pa: 0.0,
        }
    }

    /// What lies outside its range: field, value, range.
    pub(super) fn problem(&self) -> Option<(&'static str, f64, [f64; 2])> {
        let rows = [
            ("density_kg_m3", self.density_kg_m3, [1.0, 1e5]),
            ("young_pa", self.young_pa, [1e3, 1e12]),
            ("poisson", self.poisson, [0.0, 0.49]),
            ("restitution", self.restitution, [LOWEST_RESTITUTION, 1.0]),
            ("friction", self.friction, [0.0, 10.0]),
            ("rolling_friction", self.rolling_friction, [0.0, 10.0]),
            ("adhesion_pa", self.adhesion_pa, [0.0, 1e9]),
        ];
        rows.into_iter().find(|(_, value, [low, high])| !(*low..=*high).contains(value))
    }
}

/// What is said of one pair of substances, instead of the means of both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Between {
    /// The one substance.
    pub a: u16,
    /// The other.
    pub b: u16,
    /// Coefficient of friction (-).
    pub friction: f64,
    /// Restitution (-).
    pub restitution: f64,
}

/// How two substances behave towards each other: means of both where nothing is said.
pub(super) fn manners(substances: &[Substance], between: &[Between], a: u16, b: u16) -> Manners {
    let (one, other) = (&substances[usize::from(a)], &substances[usize::from(b)]);
    let said = between.iter().find(|s| (s.a, s.b) == (a, b) || (s.a, s.b) == (b, a));
    let mean = |x: f64, y: f64| 0.5 * (x + y);
    Manners {
        friction: said.map_or(mean(one.friction, other.friction), |s| s.friction),
        rolling: mean(one.rolling_friction, other.rolling_friction),
        restitution: said.map_or(mean(one.restitution, other.restitution), |s| s.restitution),
        adhesion_pa: mean(one.adhesion_pa, other.adhesion_pa),
    }
}
