//! Templates of grains: which balls they are clumps of.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Most balls of a template.
pub const MOST_BALLS: usize = 64;

/// How far a ball may lie from the origin of its template (diameters).
const FARTHEST: f64 = 20.0;

/// Smallest and largest radius of a ball (diameters).
const RADII: [f64; 2] = [0.02, 10.0];

/// One ball of a template.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// Its centre (diameters of the grain's size).
    pub centre: DVec3,
    /// Its radius (diameters of the grain's size): a half for a grain that is one ball.
    pub radius: f64,
}

/// A rigid clump of balls, in a frame of its own. Lengths are in diameters: a grain's size says how long one is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Template {
    /// What it is called.
    pub name: String,
    /// The balls; they may overlap.
    pub balls: Vec<Ball>,
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TemplateError {
    /// No ball, or too many.
    #[error("template '{name}' has {count} balls; it must have 1 to {MOST_BALLS}")]
    Count {
        /// Which template.
        name: String,
        /// How many balls.
        count: usize,
    },
    /// A ball that is too small, too large or too far away.
    #[error(
        "template '{name}', ball {index}: radius {radius} at {centre}; radii must be {} to {} diameters, centres \
         within {FARTHEST} of the origin", RADII[0], RADII[1]
    )]
    Ball {
        /// Which template.
        name: String,
        /// Which ball, counted from 0.
        index: usize,
        /// Its radius (diameters).
        radius: f64,
        /// Its centre (diameters).
        centre: DVec3,
    },
}

impl Template {
    /// One ball.
    pub fn sphere() -> Self {
        Self::of_equal("sphere", &[DVec3::ZERO])
    }

    /// Two balls, their centres `spacing` diameters apart; 1: they touch.
    pub fn dimer(spacing: f64) -> Self {
        let x = DVec3::X * (0.5 * spacing);
        Self::of_equal("dimer", &[x, -x])
    }

    /// Three balls on a triangle with edges of `spacing` diameters.
    pub fn trefoil(spacing: f64) -> Self {
        let r = spacing / 3f64.sqrt();
        let corners = [
            DVec3::new(r, 0.0, 0.0),
            DVec3::new(-0.5 * r, 0.5 * spacing, 0.0),
            DVec3::new(-0.5 * r, -0.5 * spacing, 0.0),
        ];
        Self::of_equal("trefoil", &corners)
    }

    /// Four balls on a regular tetrahedron with edges of `spacing` diameters: the grain of Longmore.
    pub fn tetrahedron(spacing: f64) -> Self {
        let s = spacing / (2.0 * 2f64.sqrt());
        let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        Self::of_equal("tetrahedron", &corners.map(|c| DVec3::from_array(c) * s))
    }

    fn of_equal(name: &str, centres: &[DVec3]) -> Self {
        let balls = centres.iter().map(|&centre| Ball { centre, radius: 0.5 }).collect();
        Self { name: name.to_owned(), balls }
    }

    /// Says what is wrong with it.
    pub fn check(&self) -> Result<(), TemplateError> {
        if self.balls.is_empty() || self.balls.len() > MOST_BALLS {
            return Err(TemplateError::Count { name: self.name.clone(), count: self.balls.len() });
        }
        for (index, &Ball { centre, radius }) in self.balls.iter().enumerate() {
            let fits = (RADII[0]..=RADII[1]).contains(&radius) && centre.length() <= FARTHEST;
            if !fits {
                return Err(TemplateError::Ball { name: self.name.clone(), index, radius, centre });
            }
        }
        Ok(())
    }

    /// Radius of the smallest ball around `centre` that holds all of it (diameters).
    pub fn reach_from(&self, centre: DVec3) -> f64 {
        self.balls.iter().map(|ball| ball.centre.distance(centre) + ball.radius).fold(0.0, f64::max)
    }
}
