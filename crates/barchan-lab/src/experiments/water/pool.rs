//! Boxes of water between walls that never sleeps, with which the experiments begin.

use barchan_sim::inventory::off_by;
use barchan_sim::water::{Method, Pour, WaterParams};
use barchan_sim::{World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

use crate::settings::Parameter;

/// The parameter of the methods.
pub const METHOD: Parameter = Parameter {
    key: "method",
    about: "0 dfsph, 1 muller",
    default: &[0.0, 1.0],
    range: (0.0, 1.0),
    whole: true,
    list: true,
};

/// The method of a number.
pub fn method(number: f64) -> Method {
    Method::ALL[(number as usize).min(Method::ALL.len() - 1)]
}

/// Water in a corner of a box with smooth walls.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Edges of the water (m).
    pub water_m: Vec3,
    /// Edges of the box (m).
    pub room_m: Vec3,
    /// How the water behaves.
    pub params: WaterParams,
}

impl Pool {
    /// Water of `water_m` (m) in a box of `room_m` (m), smooth walls.
    pub fn new(water_m: Vec3, room_m: Vec3, method: Method, spacing_m: f64) -> Self {
        let params = WaterParams {
            spacing_m: spacing_m as f32,
            method,
            rock_roughness_m: 0.0,
            soil_roughness_m: 0.0,
            sleeps: false,
            ..WaterParams::default()
        };
        Self { water_m, room_m, params }
    }

    /// The world of it, with voxels of one spacing, so that the rounded edges of its walls take little room; or what is wrong with the
    /// numbers.
    pub fn world(&self) -> Result<World, String> {
        let voxel_size_m = self.params.spacing_m;
        let size = (self.room_m / voxel_size_m).ceil().max(Vec3::ONE);
        if size.max_element() > 1e5 {
            return Err("the box has more than 100,000 voxels along an edge".to_owned());
        }
        let bounds = Some(VoxelBox::new(IVec3::ZERO, size.as_ivec3()));
        let config = WorldConfig { voxel_size_m, bounds, ..WorldConfig::default() };
        let mut world = World::new(config).map_err(|error| error.to_string())?;
        world.set_water(self.params.clone())?;
        let shape = Shape::Box { half_extents: self.water_m * 0.5 };
        let region = Region::Solid(Solid::new(shape, Pose::at(self.water_m * 0.5)));
        world.pour(&Pour::new(region)).map_err(|error| error.to_string())?;
        Ok(world)
    }
}

/// How much the books are off by (units).
pub fn balance_units(world: &World) -> i64 {
    off_by(&world.ledger().balance()) as i64
}

/// Twice the mean height of all water (m): how high it stands where it stands evenly on the floor.
pub fn level_m(world: &World) -> f64 {
    let seen = world.particles().water;
    let sum: f64 = seen.iter().map(|particle| f64::from(particle.centre_m.z)).sum();
    2.0 * sum / seen.len().max(1) as f64
}
