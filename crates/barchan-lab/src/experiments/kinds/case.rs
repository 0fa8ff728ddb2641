//! The cases: heaps on heaps, tools driven through layers, soils poured in turn.

use std::f64::consts::PI;

use barchan_scene::{BuildOptions, SceneError, load};
use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::{Edit, Material, MaterialId, Materials, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid};
use glam::Vec3;

use crate::measure::{Pile, SoilDepths};
use crate::rest::{STEP_S, settle, step_to_rest};
use crate::test_soil::{TooLarge, bounds_around};

/// What is done to which soils.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// Sand falls on a heap of gravel.
    SandOnGravel,
    /// Gravel falls on a heap of sand.
    GravelOnSand,
    /// A blade goes four times through sand on loam.
    Blade,
    /// The bucket of the built-in scene digs through loam on clay.
    Bucket,
    /// Five soils fall on the same place, one after the other.
    FiveSoils,
    /// A centimetre of silt on gravel, in voxels of ten.
    SiltOnGravel,
    /// A column, half of sand and half of gravel, collapses.
    Halves,
}

impl Case {
    pub const ALL: [Self; 7] = [
        Self::SandOnGravel,
        Self::GravelOnSand,
        Self::Blade,
        Self::Bucket,
        Self::FiveSoils,
        Self::SiltOnGravel,
        Self::Halves,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::SandOnGravel => "sand_on_gravel",
            Self::GravelOnSand => "gravel_on_sand",
            Self::Blade => "layered_blade",
            Self::Bucket => "bucket",
            Self::FiveSoils => "five_soils",
            Self::SiltOnGravel => "silt_on_gravel",
            Self::Halves => "halves",
        }
    }

    /// The size of voxels (m) where the case is about one.
    pub fn own_voxel_size_m(self) -> Option<f64> {
        match self {
            Self::Bucket => Some(0.08),
            Self::SiltOnGravel => Some(0.1),
            _ => None,
        }
    }
}

/// A case that has run.
pub(super) struct Trial {
    pub world: World,
    /// Steps after which the books did not balance.
    pub off_balance: usize,
    /// Of some kinds: the slope at which they stand (rad).
    pub slopes: Vec<(MaterialId, f64)>,
}

/// Why a case cannot run.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    #[error(transparent)]
    Scene(#[from] SceneError),
}

/// Runs a case, for at most `limit_s` (s) until its soil rests.
pub(super) fn run(case: Case, voxel_size_m: f64, limit_s: f64) -> Result<Trial, Problem> {
    match case {
        Case::SandOnGravel => heap_on_heap(["gravel", "dry_sand"], voxel_size_m, limit_s),
        Case::GravelOnSand => heap_on_heap(["dry_sand", "gravel"], voxel_size_m, limit_s),
        Case::Blade => blade(voxel_size_m, limit_s),
        Case::Bucket => bucket(),
        Case::FiveSoils => five_soils(voxel_size_m, limit_s),
        Case::SiltOnGravel => silt_on_gravel(voxel_size_m, limit_s),
        Case::Halves => halves(voxel_size_m),
    }
}

/// Cones below and columns above stand on this circle (m).
const HEAP_RADIUS_M: f32 = 1.0;

/// A heap of the first soil at the slope of its friction, and a column of the second let go above it.
fn heap_on_heap([below, above]: [&str; 2], voxel_size_m: f64, limit_s: f64) -> Result<Trial, Problem> {
    let mut yard = Yard::new(Vec3::new(6.4, 6.4, 2.4), voxel_size_m, Materials::builtin())?;
    let height = HEAP_RADIUS_M * yard.material(below).friction_angle.tan();
    let cone = Shape::Cone { radius: HEAP_RADIUS_M, half_height: height / 2.0 };
    yard.place(below, cone, Vec3::Z * height / 2.0);
    let column = Shape::Cylinder { radius: HEAP_RADIUS_M / 2.0, half_height: 0.4 };
    yard.place(above, column, Vec3::Z * (height + 0.5));
    Ok(yard.rest(limit_s))
}

/// Half a metre of sand on half a metre of loam, and a blade that goes back and forth through both.
fn blade(voxel_size_m: f64, limit_s: f64) -> Result<Trial, Problem> {
    let mut yard = Yard::new(Vec3::new(5.0, 3.0, 2.4), voxel_size_m, Materials::builtin())?;
    yard.layer("loam", 0.0, 0.5);
    yard.layer("dry_sand", 0.5, 1.0);
    let half_extents = Vec3::new(0.1, 0.6, 0.4);
    let at = |x: f32, z: f32| Pose::at(Vec3::new(x, 0.0, z));
    // Four passes, each a tenth of a metre deeper, the blade lifted over what it heaped up.
    let mut keys = vec![Key { time_s: 0.0, pose: at(-1.6, 1.6) }];
    for pass in 0..4_u8 {
        let (start_s, z) = (f64::from(pass) * 5.0, 1.1 - 0.1 * f32::from(pass));
        for (after_s, x, z) in [(0.5, -1.6, z), (3.5, 1.6, z), (4.0, 1.6, 1.9), (5.0, -1.6, 1.9)] {
            keys.push(Key { time_s: start_s + after_s, pose: at(x, z) });
        }
    }
    let seconds = keys.last().map_or(0.0, |key| key.time_s);
    let motion = Motion::Scripted(Track { keys, repeat: false });
    let spec = BodySpec::new("blade", Shape::Box { half_extents }, at(-1.6, 1.6), motion);
    yard.world.add_body(spec).expect("a sound blade");
    yard.step_for(seconds);
    Ok(yard.rest(limit_s))
}

/// The built-in scene, for as long as it lasts.
fn bucket() -> Result<Trial, Problem> {
    let (world, plan) = load("bucket")?.build(&BuildOptions::default())?;
    let mut yard = Yard { world, off_balance: 0 };
    yard.step_for(plan.duration_s);
    Ok(yard.end())
}

/// A drop of each of five soils falls on the middle, when the last has come down.
fn five_soils(voxel_size_m: f64, limit_s: f64) -> Result<Trial, Problem> {
    let mut yard = Yard::new(Vec3::new(4.8, 4.8, 3.2), voxel_size_m, Materials::builtin())?;
    for soil in ["dry_sand", "gravel", "loam", "scree", "clay"] {
        let drop = Shape::Cylinder { radius: 0.4, half_height: 0.3 };
        yard.place(soil, drop, Vec3::Z * 2.6);
        yard.step_for(2.0);
    }
    Ok(yard.rest(limit_s))
}

/// Silt thinner than a voxel, disturbed by a ball that rolls through it.
fn silt_on_gravel(voxel_size_m: f64, limit_s: f64) -> Result<Trial, Problem> {
    let builtin = Materials::builtin();
    let loam = builtin.find("loam").and_then(|id| builtin.get(id)).expect("loam is built in").clone();
    let silt = Material { name: "silt".into(), ..loam };
    let materials = builtin.with(silt).expect("a sound soil");
    let mut yard = Yard::new(Vec3::new(3.2, 3.2, 1.6), voxel_size_m, materials)?;
    yard.layer("gravel", 0.0, 0.8);
    yard.layer("silt", 0.8, 0.81);
    let track = Track {
        keys: [(0.0, -1.0), (3.0, 1.0)]
            .map(|(time_s, x)| Key { time_s, pose: Pose::at(Vec3::new(x, 0.0, 0.9)) })
            .to_vec(),
        repeat: false,
    };
    let ball = BodySpec::new("ball", Shape::Ball { radius: 0.25 }, track.pose(0.0), Motion::Scripted(track));
    yard.world.add_body(ball).expect("a sound ball");
    yard.step_for(3.0);
    Ok(yard.rest(limit_s))
}

/// A column of which one half is sand and the other gravel: either side of the heap that it becomes is of one soil. It settles, as
/// soil that gathers speed comes to rest at less than its angle of friction.
fn halves(voxel_size_m: f64) -> Result<Trial, Problem> {
    let mut yard = Yard::new(Vec3::new(6.4, 6.4, 2.0), voxel_size_m, Materials::builtin())?;
    let (radius, half_height) = (0.9, 0.7);
    let column = Shape::Cylinder { radius, half_height };
    yard.place("dry_sand", column.clone(), Vec3::Z * half_height);
    let half = Shape::Box { half_extents: Vec3::new(radius, 2.0 * radius, 2.0 * half_height) };
    yard.clear(half, Vec3::new(radius, 0.0, half_height));
    yard.place("gravel", column, Vec3::Z * half_height);
    yard.off_balance += settle(&mut yard.world).off_balance;
    let mut trial = yard.end();
    let bounds = trial.world.ground().bounds().expect("a yard has walls");
    let depths = SoilDepths::of(&trial.world, bounds);
    for (soil, side) in [("dry_sand", PI), ("gravel", 0.0)] {
        let kind = trial.world.materials().find(soil).expect("built in");
        if let Some(pile) = Pile::of(&depths.as_towards(side)) {
            trial.slopes.push((kind, pile.slope));
        }
    }
    Ok(trial)
}

/// A world with walls that something is done in.
struct Yard {
    world: World,
    off_balance: usize,
}

impl Yard {
    fn new(size_m: Vec3, voxel_size_m: f64, materials: Materials) -> Result<Self, TooLarge> {
        let bounds = bounds_around(size_m, voxel_size_m);
        TooLarge::check(bounds)?;
        let voxel_size_m = voxel_size_m as f32;
        let config = WorldConfig { voxel_size_m, bounds: Some(bounds), materials, ..WorldConfig::default() };
        Ok(Self { world: World::new(config).expect("the bounds of an experiment are sound"), off_balance: 0 })
    }

    fn material(&self, name: &str) -> &Material {
        let materials = self.world.materials();
        &materials[materials.find(name).expect("a soil of the yard")]
    }

    fn place(&mut self, soil: &str, shape: Shape, centre_m: Vec3) {
        self.fill(soil, Region::Solid(Solid { shape, pose: Pose::at(centre_m) }));
    }

    fn layer(&mut self, soil: &str, z_min_m: f32, z_max_m: f32) {
        self.fill(soil, Region::Slab { z_min_m, z_max_m });
    }

    fn fill(&mut self, soil: &str, region: Region) {
        let material = self.world.materials().find(soil).expect("a soil of the yard");
        let edit = Edit::Place { region, material, moisture: 0.0 };
        self.world.edit(&edit).expect("the yard has room");
    }

    fn clear(&mut self, shape: Shape, centre_m: Vec3) {
        let region = Region::Solid(Solid { shape, pose: Pose::at(centre_m) });
        self.world.edit(&Edit::Remove { region }).expect("what is less fits");
    }

    fn step_for(&mut self, seconds: f64) {
        for _ in 0..(seconds / STEP_S).round() as usize {
            self.off_balance += usize::from(!self.world.step(STEP_S).imbalance.is_zero());
        }
    }

    fn rest(mut self, limit_s: f64) -> Trial {
        self.off_balance += step_to_rest(&mut self.world, limit_s).off_balance;
        self.end()
    }

    fn end(self) -> Trial {
        Trial { world: self.world, off_balance: self.off_balance, slopes: Vec::new() }
    }
}
