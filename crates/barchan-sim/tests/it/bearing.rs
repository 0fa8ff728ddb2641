//! Bodies on the ground: how deep they sink, where they hold and slide, how they come to rest.

mod drops;
mod loads;
mod patches;
mod robust;
mod sinkage;
mod slopes;

use barchan_sim::bearing::{Bearing, BearingReport, Patch, wake_near};
use barchan_sim::bodies::{Bodies, Body, BodyFill, BodyId, BodySpec, Motion};
use barchan_sim::{Edit, Now, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);
const DT_S: f64 = 1.0 / 60.0;
const VOXEL_M: f32 = 0.05;

/// A piece of ground that stays as it is, or gives way to bodies, with bodies on it.
struct Yard {
    world: World,
    bodies: Bodies,
    body_fill: BodyFill,
    bearing: Bearing,
    gravity: Vec3,
    time_s: f64,
    /// Soil where bodies are is taken away, as if it had been pressed together.
    gives_way: bool,
}

impl Yard {
    fn new() -> Self {
        Self::with_voxels(VOXEL_M)
    }

    fn with_voxels(voxel_size_m: f32) -> Self {
        let bounds = Some(VoxelBox::new(IVec3::splat(-64), IVec3::splat(64)));
        let world = World::new(WorldConfig { voxel_size_m, bounds, ..WorldConfig::default() }).unwrap();
        Self {
            world,
            bodies: Bodies::new(),
            body_fill: BodyFill::new(),
            bearing: Bearing::default(),
            gravity: GRAVITY,
            time_s: 0.0,
            gives_way: false,
        }
    }

    /// With ground up to z = 0.
    fn flat(material: &str) -> Self {
        let mut yard = Self::new();
        yard.place(Region::Slab { z_min_m: f32::NEG_INFINITY, z_max_m: 0.0 }, material);
        yard
    }

    /// With ground whose surface passes through the origin and leans by `lean_deg` (°), down towards +x.
    fn leaning(material: &str, lean_deg: f32) -> Self {
        let mut yard = Self::new();
        let turn = Quat::from_rotation_y(lean_deg.to_radians());
        let shape = Shape::Box { half_extents: Vec3::new(20.0, 20.0, 5.0) };
        let pose = Pose::new(turn * Vec3::new(0.0, 0.0, -5.0), turn);
        yard.place(Region::Solid(Solid { shape, pose }), material);
        yard
    }

    fn place(&mut self, region: Region, material: &str) {
        let material = self.world.materials().find(material).unwrap();
        self.edit(&Edit::Place { region, material, moisture: 0.0 });
    }

    fn edit(&mut self, edit: &Edit) {
        let report = self.world.edit(edit).unwrap();
        wake_near(report.changes.bricks(), &self.body_fill, &mut self.bodies);
    }

    fn add(&mut self, spec: BodySpec) -> BodyId {
        let id = self.bodies.insert(spec).unwrap();
        self.follow_bodies();
        id
    }

    fn body(&self, id: BodyId) -> Body<'_> {
        self.bodies.get(id).unwrap()
    }

    fn step(&mut self, dt_s: f64) -> BearingReport {
        self.step_with_patches(dt_s).0
    }

    /// As [`Yard::step`], with all that pressed on the ground.
    fn step_with_patches(&mut self, dt_s: f64) -> (BearingReport, Vec<Patch>) {
        let now = Now {
            dt_s,
            time_s: self.time_s,
            gravity_m_s2: self.gravity,
            materials: self.world.materials(),
            bodies: &self.bodies,
            body_fill: &self.body_fill,
        };
        let hold = self.bearing.step(&now, self.world.ground());
        let patches = hold.patches(0).collect();
        self.bodies.begin_step();
        let report = hold.apply(&mut self.bodies);
        self.bodies.step(dt_s, self.gravity, self.time_s, None);
        self.time_s += dt_s;
        self.follow_bodies();
        (report, patches)
    }

    fn follow_bodies(&mut self) {
        let ground = self.world.ground();
        self.body_fill.update(&self.bodies, ground.voxel_size_m(), ground.bounds());
        if self.gives_way {
            let moved = self.bodies.iter().filter(|body| !body.sleeping);
            let solids: Vec<Solid> = moved.map(|body| body.solid()).collect();
            for solid in solids {
                self.world.edit(&Edit::Remove { region: Region::Solid(solid) }).unwrap();
            }
        }
    }

    /// Wakes a body, and does not let it fall asleep in the next step.
    fn keep_awake(&mut self, id: BodyId) {
        let body = self.body(id);
        let (linear, angular) = (body.linear_velocity_m_s, body.angular_velocity_rad_s);
        self.bodies.set_velocity(id, linear - Vec3::Z * 1e-6, angular).unwrap();
    }

    /// Lets `seconds` (s) pass.
    fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / DT_S).round() as usize {
            self.step(DT_S);
        }
    }

    /// Every bit of every body.
    fn bits(&self) -> Vec<u32> {
        let of = |body: Body<'_>| {
            let vectors = [body.pose.translation, body.linear_velocity_m_s, body.angular_velocity_rad_s];
            let turn = body.pose.rotation.to_array();
            vectors.into_iter().flat_map(|v| v.to_array()).chain(turn).map(f32::to_bits).collect::<Vec<_>>()
        };
        self.bodies.iter().flat_map(of).collect()
    }
}

/// A dynamic box of half sides `half` (m) and density (kg/m³).
fn block(half: Vec3, density_kg_m3: f32, pose: Pose) -> BodySpec {
    let shape = Shape::Box { half_extents: half };
    BodySpec { density_kg_m3, ..BodySpec::new("block", shape, pose, Motion::Dynamic) }
}

fn ball(radius: f32, density_kg_m3: f32, at: Vec3) -> BodySpec {
    let spec = BodySpec::new("ball", Shape::Ball { radius }, Pose::at(at), Motion::Dynamic);
    BodySpec { density_kg_m3, ..spec }
}
