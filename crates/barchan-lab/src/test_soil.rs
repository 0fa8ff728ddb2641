//! The one soil that an experiment tries, and the worlds it is tried in.

use barchan_sim::material::Phase;
use barchan_sim::{Edit, Material, MaterialId, Materials, Packing, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

use crate::settings::Parameter;

/// Most voxels inside the bounds of an experiment: what fits into memory and a coffee break.
const MOST_VOXELS: u128 = 1 << 28;

/// One tonne of force (N), as in the tables of Li and Moshell.
pub const TONNE_N: f64 = 9_800.0;

/// Strength and weight of a soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestSoil {
    /// Angle of internal friction (°).
    pub phi_deg: f64,
    /// Cohesion (Pa).
    pub c_pa: f64,
    /// Unit weight (N/m³).
    pub gamma_n_m3: f64,
}

impl TestSoil {
    /// A cohesionless soil of 2 t/m³.
    pub fn loose(phi_deg: f64) -> Self {
        Self { phi_deg, c_pa: 0.0, gamma_n_m3: 2.0 * TONNE_N }
    }

    /// An empty world of `bounds` whose material 0 is this soil. It does not swell when it moves, so that volumes can
    /// be compared.
    pub fn world(&self, voxel_size_m: f64, bounds: VoxelBox) -> Result<World, TooLarge> {
        let builtin = Materials::builtin();
        let sand =
            builtin.iter().find(|(_, material)| material.phase == Phase::Soil).expect("soils are built in").1;
        let angle = (self.phi_deg as f32).to_radians();
        let soil = Material {
            name: "test_soil".into(),
            friction_angle: angle,
            repose_angle: angle,
            cohesion_pa: self.c_pa as f32,
            unit_weight_n_m3: self.gamma_n_m3 as f32,
            void_ratio_loose: sand.void_ratio_natural,
            ..sand.clone()
        };
        world_of(soil, voxel_size_m, bounds)
    }
}

/// A built-in soil as damp and as dense as one likes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DampSoil {
    /// What it is called.
    pub name: &'static str,
    /// Share of its pores that water fills (-).
    pub moisture: f64,
    /// Its void ratio; none: the natural one.
    pub void_ratio: Option<f64>,
}

impl DampSoil {
    /// What it is like dry.
    pub fn material(&self) -> Material {
        let builtin = Materials::builtin();
        let id = builtin.find(self.name).expect("experiments ask for soils that are built in");
        builtin[id].clone()
    }

    /// An empty world of `bounds` whose material 0 is this soil.
    pub fn world(&self, voxel_size_m: f64, bounds: VoxelBox) -> Result<World, TooLarge> {
        world_of(self.material(), voxel_size_m, bounds)
    }

    /// Fills `shape`, with its middle at `centre_m` (m), with it. False where it does not pack to its void ratio.
    pub fn place(&self, world: &mut World, shape: Shape, centre_m: Vec3) -> bool {
        let region = Region::Solid(Solid { shape, pose: Pose::at(centre_m) });
        let (material, moisture) = (MaterialId(0), self.moisture as f32);
        let edit = match self.void_ratio {
            Some(e) => Edit::Pack { region, material, moisture, packing: Packing::even(e as f32) },
            None => Edit::Place { region, material, moisture },
        };
        world.edit(&edit).is_ok()
    }
}

/// An empty world of one soil.
fn world_of(soil: Material, voxel_size_m: f64, bounds: VoxelBox) -> Result<World, TooLarge> {
    TooLarge::check(bounds)?;
    let materials =
        Materials::new(vec![soil]).expect("parameters are checked against the ranges of materials");
    let config = WorldConfig {
        voxel_size_m: voxel_size_m as f32,
        bounds: Some(bounds),
        materials,
        ..WorldConfig::default()
    };
    Ok(World::new(config).expect("the bounds of an experiment are sound"))
}

/// A case that would need too many voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("needs {voxels} voxels; an experiment uses at most {MOST_VOXELS}: take larger voxels or less soil")]
pub struct TooLarge {
    /// How many it would need.
    pub voxels: u128,
}

impl TooLarge {
    /// An error where a world of these bounds has more voxels than an experiment may use.
    pub fn check(bounds: VoxelBox) -> Result<(), Self> {
        if bounds.volume() > MOST_VOXELS { Err(Self { voxels: bounds.volume() }) } else { Ok(()) }
    }
}

/// Fills `shape`, with its middle at `centre_m` (m), with the soil of [`TestSoil::world`].
pub fn place(world: &mut World, shape: Shape, centre_m: Vec3) {
    let region = Region::Solid(Solid { shape, pose: Pose::at(centre_m) });
    let edit = Edit::Place { region, material: MaterialId(0), moisture: 0.0 };
    world.edit(&edit).expect("the world of an experiment has room for its soil");
}

/// Bounds of at least `size_m` (m): centred on x = y = 0, from z = 0 up, in whole voxels.
pub fn bounds_around(size_m: Vec3, voxel_size_m: f64) -> VoxelBox {
    let half = (size_m / 2.0 / voxel_size_m as f32).ceil().as_ivec3();
    let top = (size_m.z / voxel_size_m as f32).ceil() as i32;
    VoxelBox::new(IVec3::new(-half.x, -half.y, 0), IVec3::new(half.x, half.y, top))
}

/// The parameter of the angle of friction.
pub const fn phi_deg(default: &'static [f64]) -> Parameter {
    Parameter {
        key: "phi_deg",
        about: "angles of internal friction (°)",
        default,
        range: (0.0, 89.0),
        whole: false,
        list: true,
    }
}

/// The parameter of the cohesion.
pub const fn c_pa(default: &'static [f64]) -> Parameter {
    Parameter { key: "c_pa", about: "cohesions (Pa)", default, range: (0.0, 1e9), whole: false, list: true }
}

/// The parameter of the unit weight.
pub const fn gamma_n_m3(default: &'static [f64]) -> Parameter {
    Parameter {
        key: "gamma_n_m3",
        about: "unit weights (N/m³)",
        default,
        range: (100.0, 250_000.0),
        whole: false,
        list: true,
    }
}

/// The parameter of the voxel size.
pub const fn voxel_size_m(default: &'static [f64]) -> Parameter {
    Parameter {
        key: "voxel_size_m",
        about: "edges of a voxel (m)",
        default,
        range: (0.001, 10.0),
        whole: false,
        list: true,
    }
}
