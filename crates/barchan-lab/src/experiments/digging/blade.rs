//! A blade that is led through level ground, and carves.

use barchan_sim::bodies::{BodyId, BodySpec, Key, Motion, Track};
use barchan_sim::carve::CarveParams;
use barchan_sim::merge::MergeParams;
use barchan_sim::{Edit, MaterialId, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, VoxelBox};
use glam::{IVec3, Quat, Vec3};

/// Thickness of the blade (m).
const PLATE_M: f32 = 0.1;

/// One dig.
#[derive(Clone, Copy, Debug)]
pub struct Dig {
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// Ground along x, along y and its depth (m).
    pub ground_m: Vec3,
    /// Room above the ground (m).
    pub above_m: f32,
    /// Where the blade starts along x (m).
    pub start_m: f32,
    /// Its width (m).
    pub width_m: f32,
    /// Depth of its edge (m).
    pub depth_m: f32,
    /// How fast it is led along x (m/s).
    pub speed_m_s: f32,
    /// About z, from square to the way (°).
    pub turned_deg: f32,
    /// Diameter of a particle (m); none: as wide as suits the voxels.
    pub particle_m: Option<f64>,
    /// Most grains alive.
    pub most: u32,
    /// False: soil makes room as voxels.
    pub carves: bool,
}

impl Dig {
    /// The world with blade and ground, and the blade's name.
    pub fn world(&self) -> Result<(World, BodyId), String> {
        let size = (Vec3::new(self.ground_m.x, self.ground_m.y, self.ground_m.z + self.above_m)
            / self.voxel_size_m)
            .ceil()
            .as_ivec3();
        let bounds = Some(VoxelBox::new(IVec3::ZERO, size));
        let config = WorldConfig { voxel_size_m: self.voxel_size_m, bounds, ..WorldConfig::default() };
        let mut world = World::new(config).map_err(|error| error.to_string())?;
        let height_m = 1.2;
        let turn = Quat::from_rotation_z(self.turned_deg.to_radians());
        let z = self.ground_m.z - self.depth_m + height_m / 2.0;
        let keys = [0.0, 1_000.0].map(|time_s: f64| {
            let x = self.start_m + self.speed_m_s * time_s as f32;
            Key { time_s, pose: Pose::new(Vec3::new(x, self.ground_m.y / 2.0, z), turn) }
        });
        let shape = Shape::Box { half_extents: Vec3::new(PLATE_M, self.width_m, height_m) / 2.0 };
        let motion = Motion::Scripted(Track { keys: keys.to_vec(), repeat: false });
        let blade = BodySpec::new("blade", shape, keys[0].pose, motion);
        let blade = world.add_body(blade).map_err(|error| error.to_string())?;
        let region = Region::Slab { z_min_m: 0.0, z_max_m: self.ground_m.z };
        let material = world.materials().find("sandy_loam").unwrap_or(MaterialId(0));
        world.edit(&Edit::Place { region, material, moisture: 0.0 }).map_err(|error| error.to_string())?;
        if self.carves {
            let usual = CarveParams::for_voxels(self.voxel_size_m);
            let params = CarveParams { size_m: self.particle_m.unwrap_or(usual.size_m), ..usual };
            world.set_carve(Some(params)).map_err(|error| error.to_string())?;
            let merge =
                MergeParams { most: self.most, clearance_m: 2.0 * params.size_m, ..MergeParams::default() };
            world.set_merge(Some(merge))?;
        }
        Ok((world, blade))
    }
}
