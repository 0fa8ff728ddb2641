//! The rig: a bed of soil and a running gear that is led along it at a steady speed and spin, free to sink.

use std::f32::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

use barchan_sim::bodies::{BodyId, BodySpec, LockedAxes, Motion};
use barchan_sim::{Edit, Material, MaterialId, Materials, Packing, World, WorldConfig};
use barchan_volume::{MeshSolid, Pose, Region, Shape, TriMesh, VoxelBox};
use glam::{IVec3, Quat, Vec3};

use crate::rest::balance_units;
use crate::test_soil::TooLarge;

/// Ground below and on either side of the gear (m).
const DEEP_M: f32 = 0.5;
const BESIDE_M: f32 = 0.35;
const BEFORE_M: f32 = 0.6;
/// Lugs of the lugged wheel, and how far they stand out (parts of the radius).
const LUGS: usize = 12;
const LUG_HEIGHT: f32 = 0.1;
/// Share of the way around that lugs take.
const LUG_SHARE: f32 = 0.35;

/// What runs on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gear {
    /// A flat shoe of this length and width (m), which does not turn.
    Shoe { length_m: f64, width_m: f64 },
    /// A wheel of this radius and width (m), with lugs or without.
    Wheel { radius_m: f64, width_m: f64, lugs: bool },
}

/// A bed with a gear on it.
pub struct Rig {
    pub world: World,
    pub gear: BodyId,
    top_m: f32,
    off_balance: usize,
}

/// How a gear is driven.
#[derive(Clone, Copy, Debug)]
pub struct Drive {
    /// Load on the ground (N).
    pub load_n: f64,
    /// Speed ahead (m/s), and spin forwards (rad/s).
    pub speed_m_s: f64,
    pub spin_rad_s: f64,
    /// How far it goes (m).
    pub way_m: f64,
    /// Coefficient of friction of its surface, and share of cohesion that holds along it (-).
    pub friction: f64,
    pub adhesion: f64,
}

/// What the ground did to it in a step: time (s) and forces ahead (N), and how deep it was (m).
#[derive(Clone, Copy, Debug)]
pub struct Felt {
    pub way_m: f64,
    pub traction_n: f64,
    pub resistance_n: f64,
    pub drawbar_n: f64,
    pub sinkage_m: f64,
}

impl Rig {
    /// A bed of this soil, of its natural void ratio where none is said, in this gravity (m/s²), with room for a way of `way_m` (m).
    pub fn new(
        (soil, void_ratio): (&Material, Option<f64>),
        gravity_m_s2: f64,
        gear: Gear,
        way_m: f64,
        voxel_size_m: f64,
    ) -> Result<Self, TooLarge> {
        let size = voxel_size_m as f32;
        let (half_length, half_width, height) = gear.extent();
        let voxels = |metres: f32| (metres / size).ceil() as i32;
        let top = voxels(DEEP_M);
        let half_y = voxels(half_width + BESIDE_M);
        let bounds = VoxelBox::new(
            IVec3::new(-voxels(half_length + BEFORE_M), -half_y, 0),
            IVec3::new(voxels(way_m as f32 + half_length + BEFORE_M), half_y, top + voxels(height + 0.3)),
        );
        TooLarge::check(bounds)?;
        let materials = Materials::new(vec![soil.clone()]).expect("soils of experiments are sound");
        let config = WorldConfig {
            voxel_size_m: size,
            bounds: Some(bounds),
            materials,
            gravity_m_s2: Vec3::NEG_Z * gravity_m_s2 as f32,
            ..WorldConfig::default()
        };
        let mut world = World::new(config).expect("the bounds of an experiment are sound");
        let top_m = top as f32 * size;
        let region = Region::Slab { z_min_m: 0.0, z_max_m: top_m };
        let (material, moisture) = (MaterialId(0), 0.0);
        let bed = match void_ratio {
            Some(e) => Edit::Pack { region, material, moisture, packing: Packing::even(e as f32) },
            None => Edit::Place { region, material, moisture },
        };
        world.edit(&bed).expect("a bed has room in its world");
        Ok(Self { world, gear: BodyId(u32::MAX), top_m, off_balance: 0 })
    }

    /// Puts the gear on the ground at x = 0, lets it settle, drives it on, and takes it away. Returns what it felt, step by step.
    pub fn drive(&mut self, gear: Gear, drive: &Drive) -> Vec<Felt> {
        let rest_m = self.put(gear, drive, self.top_m, false);
        self.settle();
        let sunk_m = rest_m - self.height_m();
        self.world.remove_body(self.gear);
        let start_m = self.put(gear, drive, self.top_m - sunk_m, true) + sunk_m;
        let dt_s = (0.2 * f64::from(self.world.ground().voxel_size_m()) / drive.speed_m_s).min(1.0 / 60.0);
        let steps = (drive.way_m / (drive.speed_m_s * dt_s)).ceil() as u32;
        let mut felt = Vec::with_capacity(steps as usize);
        for step in 1..=steps {
            let report = self.world.step(dt_s);
            self.off_balance += usize::from(!report.imbalance.is_zero());
            let Some(reaction) = self.world.reaction(self.gear) else { continue };
            felt.push(Felt {
                way_m: f64::from(step) * dt_s * drive.speed_m_s,
                traction_n: reaction.friction_n.x.into(),
                resistance_n: (-(reaction.pressing_n.x + reaction.cutting_n.x)).into(),
                drawbar_n: reaction.force_n.x.into(),
                sinkage_m: (start_m - self.height_m()).into(),
            });
        }
        self.world.remove_body(self.gear);
        felt
    }

    /// Books: off by so many units, plus steps after which they did not balance.
    pub fn balance_units(&self) -> i64 {
        balance_units(&self.world) + self.off_balance as i64
    }

    /// Void ratio in the middle of the rut, so far along and so far below the surface as it was (m).
    pub fn void_ratio_at(&self, along_m: f64, depth_m: f64) -> f64 {
        let size = self.world.ground().voxel_size_m();
        let p = Vec3::new(along_m as f32, 0.0, self.top_m - depth_m as f32) / size;
        f64::from(self.world.ground().get(p.floor().as_ivec3()).top_void_ratio.to_f32())
    }

    /// Adds the gear with its lowest point at `low_m` (m), moving or not. Returns the height of its middle (m).
    fn put(&mut self, gear: Gear, drive: &Drive, low_m: f32, moves: bool) -> f32 {
        let (_, _, height) = gear.extent();
        let at = Pose::new(Vec3::new(0.0, 0.0, low_m + 0.5 * height), gear.turn());
        let shape = gear.shape();
        let gravity = self.world.gravity_m_s2().length();
        let density_kg_m3 = drive.load_n as f32 / gravity / shape.volume_m3();
        let (linear, angular) = match moves {
            true => (Vec3::X * drive.speed_m_s as f32, Vec3::Y * drive.spin_rad_s as f32),
            false => (Vec3::ZERO, Vec3::ZERO),
        };
        let spec = BodySpec {
            density_kg_m3,
            friction: drive.friction as f32,
            adhesion: drive.adhesion as f32,
            locked: LockedAxes { translation: [true, true, false], rotation: [true; 3] },
            linear_velocity_m_s: linear,
            angular_velocity_rad_s: angular,
            ..BodySpec::new("gear", shape, at, Motion::Dynamic)
        };
        self.gear = self.world.add_body(spec).expect("a gear is sound");
        at.translation.z
    }

    fn settle(&mut self) {
        for _ in 0..60 {
            let report = self.world.step(1.0 / 60.0);
            self.off_balance += usize::from(!report.imbalance.is_zero());
        }
    }

    fn height_m(&self) -> f32 {
        self.world.bodies().get(self.gear).map_or(0.0, |body| body.pose.translation.z)
    }
}

impl Gear {
    /// Half its length and width, and its height (m).
    fn extent(self) -> (f32, f32, f32) {
        match self {
            Self::Shoe { length_m, width_m } => ((length_m / 2.0) as f32, (width_m / 2.0) as f32, 0.1),
            Self::Wheel { radius_m, width_m, lugs } => {
                let out = radius_m as f32 * if lugs { 1.0 + LUG_HEIGHT } else { 1.0 };
                (out, (width_m / 2.0) as f32, 2.0 * out)
            }
        }
    }

    fn turn(self) -> Quat {
        match self {
            Self::Shoe { .. } => Quat::IDENTITY,
            Self::Wheel { .. } => Quat::from_rotation_x(FRAC_PI_2),
        }
    }

    /// Its shape; the axle of a wheel is z.
    fn shape(self) -> Shape {
        match self {
            Self::Shoe { length_m, width_m } => {
                Shape::Box { half_extents: Vec3::new(length_m as f32, width_m as f32, 0.1) / 2.0 }
            }
            Self::Wheel { radius_m, width_m, lugs: false } => {
                Shape::Cylinder { radius: radius_m as f32, half_height: (width_m / 2.0) as f32 }
            }
            Self::Wheel { radius_m, width_m, .. } => {
                let mesh = lugged(radius_m as f32, (width_m / 2.0) as f32);
                Shape::Mesh(Arc::new(MeshSolid::new(mesh).expect("a gear wheel is closed")))
            }
        }
    }
}

/// A wheel with straight lugs across it: a star-shaped outline drawn out along z.
fn lugged(radius: f32, half_width: f32) -> TriMesh {
    let out = radius * (1.0 + LUG_HEIGHT);
    let outline: Vec<[f32; 2]> = (0..LUGS)
        .flat_map(|lug| {
            let at = |part: f32, r: f32| {
                let turn = TAU * (lug as f32 + part) / LUGS as f32;
                [r * turn.cos(), r * turn.sin()]
            };
            let between = LUG_SHARE + (1.0 - LUG_SHARE) / 3.0;
            [
                at(0.0, radius),
                at(0.01, out),
                at(LUG_SHARE - 0.01, out),
                at(LUG_SHARE, radius),
                at(between, radius),
                at(2.0 * between - LUG_SHARE, radius),
            ]
        })
        .collect();
    let count = outline.len() as u32;
    let mut vertices: Vec<Vec3> = Vec::with_capacity(2 * outline.len() + 2);
    for z in [-half_width, half_width] {
        vertices.extend(outline.iter().map(|[x, y]| Vec3::new(*x, *y, z)));
    }
    vertices.extend([Vec3::NEG_Z * half_width, Vec3::Z * half_width]);
    let (below, above) = (2 * count, 2 * count + 1);
    let triangles = (0..count)
        .flat_map(|i| {
            let next = (i + 1) % count;
            [
                [below, next, i],
                [above, count + i, count + next],
                [i, next, count + next],
                [i, count + next, count + i],
            ]
        })
        .collect();
    TriMesh { vertices, triangles }
}
