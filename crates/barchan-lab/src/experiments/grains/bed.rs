//! What the experiments with grains have in common: a world without ground, and how their parameters are written.

use barchan_sim::grains::{FormSpec, Setup, Substance, Template};
use barchan_sim::{MaterialId, World, WorldConfig};
use glam::Vec3;

use crate::settings::Parameter;

/// A world that holds nothing but grains.
pub struct WithGrains {
    /// What grains there can be.
    pub setup: Setup,
    /// Gravity along z (m/s²).
    pub gravity_m_s2: f32,
    /// Edge of a voxel (m): it says how large a unit of the books is.
    pub voxel_size_m: f32,
}

impl WithGrains {
    /// Grains of one template and size (m), of softened sand.
    pub fn of(template: Template, size_m: f64) -> Self {
        let substances = vec![Substance::sand(MaterialId(0))];
        let forms = vec![FormSpec { template: 0, size_m, substance: 0 }];
        let setup = Setup { substances, templates: vec![template], forms, ..Setup::default() };
        // About a thousand units to a grain.
        Self { setup, gravity_m_s2: -9.81, voxel_size_m: (4.0 * size_m) as f32 }
    }

    /// The world; what is wrong with the setup in words.
    pub fn world(self) -> Result<World, String> {
        let gravity_m_s2 = Vec3::Z * self.gravity_m_s2;
        let voxel_size_m = self.voxel_size_m.clamp(1e-4, 1e3);
        let config = WorldConfig { gravity_m_s2, voxel_size_m, ..WorldConfig::default() };
        let mut world = World::new(config).map_err(|error| error.to_string())?;
        world.set_up_grains(self.setup).map_err(|error| error.to_string())?;
        Ok(world)
    }
}

/// A parameter that is one number.
pub const fn parameter(
    key: &'static str,
    about: &'static str,
    default: &'static [f64],
    range: (f64, f64),
    whole: bool,
) -> Parameter {
    Parameter { key, about, default, range, whole, list: false }
}

/// A parameter that is a list of numbers.
pub const fn parameter_list(
    key: &'static str,
    about: &'static str,
    default: &'static [f64],
    range: (f64, f64),
    whole: bool,
) -> Parameter {
    Parameter { key, about, default, range, whole, list: true }
}
