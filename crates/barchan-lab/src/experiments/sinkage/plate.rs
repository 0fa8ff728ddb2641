//! A bed of one built-in soil, and a square plate that is set on it.

use barchan_sim::bodies::{BodyId, BodySpec, LockedAxes, Motion};
use barchan_sim::{World, WorldConfig};
use barchan_volume::{Pose, Shape};
use glam::Vec3;

use crate::measure::SoilDepths;
use crate::rest::balance_units;
use crate::test_soil::{DampSoil, TooLarge, bounds_around};

/// Length of a step (s).
const STEP_S: f64 = 1.0 / 120.0;
/// A plate has come to rest when it sinks by less than this part of its width in a step (-), for so many steps.
const STILL: f32 = 2e-6;
const QUIET_STEPS: u32 = 30;
/// Density of plates (kg/m³); their height makes the pressure.
const DENSITY_KG_M3: f32 = 50_000.0;
/// The bed is so many plates wide, and deep.
const WIDE: f32 = 4.0;
const DEEP: f32 = 2.5;

/// The soils, by number.
pub const KINDS: [&str; 5] = ["dry_sand", "sandy_loam", "loam", "clay", "lunar_regolith"];

/// A bed.
pub struct Bed {
    pub world: World,
    soil: DampSoil,
    width_m: f32,
    top_m: f32,
    gravity_m_s2: f32,
    off_balance: usize,
}

/// What became of a plate.
#[derive(Clone, Copy, Debug)]
pub struct Pressed {
    /// How far it sank below the surface as it was (m).
    pub sinkage_m: f64,
    /// Pores that vanished below it (m³).
    pub closed_m3: f64,
    pub at_rest: bool,
}

impl Bed {
    /// A bed for a plate of this width (m) that is `across` voxels; with gravity of the moon where it is lunar soil.
    pub fn new(kind: usize, void_ratio: Option<f64>, width_m: f64, across: f64) -> Result<Self, TooLarge> {
        let soil = DampSoil { name: KINDS[kind], moisture: 0.0, void_ratio };
        let gravity_m_s2 = if soil.name == "lunar_regolith" { 1.62 } else { 9.81 };
        let (voxel_size_m, width) = (width_m / across, width_m as f32);
        let bounds = bounds_around(Vec3::new(WIDE, WIDE, DEEP + 1.0) * width, voxel_size_m);
        TooLarge::check(bounds)?;
        let materials = barchan_sim::Materials::new(vec![soil.material()]).expect("built-in soils are sound");
        let config = WorldConfig {
            voxel_size_m: voxel_size_m as f32,
            bounds: Some(bounds),
            materials,
            gravity_m_s2: Vec3::NEG_Z * gravity_m_s2,
            ..WorldConfig::default()
        };
        let mut world = World::new(config).expect("the bounds of an experiment are sound");
        // A whole number of voxels: the surface is where it should be.
        let top_m = ((DEEP * width / voxel_size_m as f32).round()) * voxel_size_m as f32;
        let half_extents = Vec3::new(WIDE * width, WIDE * width, top_m) / 2.0;
        let is_placed = soil.place(&mut world, Shape::Box { half_extents }, Vec3::Z * (top_m / 2.0));
        assert!(is_placed, "whoever asks has checked the soil");
        Ok(Self { world, soil, width_m: width, top_m, gravity_m_s2, off_balance: 0 })
    }

    /// Sets the plate on the bed where the surface is now, waits until it rests, for at most `limit_s` (s), and takes it away.
    pub fn press(&mut self, pressure_pa: f64, limit_s: f64) -> Pressed {
        let height_m = pressure_pa as f32 / (DENSITY_KG_M3 * self.gravity_m_s2);
        let half_extents = Vec3::new(self.width_m, self.width_m, height_m.max(0.01)) / 2.0;
        let start_m = self.surface_m() as f32 + half_extents.z;
        let spec = BodySpec {
            density_kg_m3: DENSITY_KG_M3 * height_m / (2.0 * half_extents.z),
            locked: LockedAxes { translation: [true, true, false], rotation: [true; 3] },
            ..BodySpec::new(
                "plate",
                Shape::Box { half_extents },
                Pose::at(Vec3::Z * start_m),
                Motion::Dynamic,
            )
        };
        let plate = self.world.add_body(spec).expect("a plate is sound");
        let (mut last_m, mut quiet, mut closed_m3, mut steps) = (start_m, 0, 0.0, 0.0);
        while quiet < QUIET_STEPS && steps * STEP_S < limit_s {
            let report = self.world.step(STEP_S);
            closed_m3 += report.compact.closed_m3;
            self.off_balance += usize::from(!report.imbalance.is_zero());
            let now_m = self.height_m(plate);
            quiet = if last_m - now_m < STILL * self.width_m && steps > 10.0 { quiet + 1 } else { 0 };
            (last_m, steps) = (now_m, steps + 1.0);
        }
        self.world.remove_body(plate);
        let sinkage_m = f64::from(self.top_m - (last_m - half_extents.z));
        Pressed { sinkage_m, closed_m3, at_rest: quiet >= QUIET_STEPS }
    }

    /// The height of the surface in the middle of the bed (m).
    pub fn surface_m(&self) -> f64 {
        let bounds = self.world.ground().bounds().expect("experiments have walls");
        let depths = SoilDepths::of(&self.world, bounds);
        let reach = f64::from(self.width_m) / 4.0;
        let near: Vec<f64> = depths
            .columns()
            .filter(|(at, _)| f64::from(at.x).abs() < reach && f64::from(at.y).abs() < reach)
            .map(|(_, depth)| depth)
            .collect();
        near.iter().sum::<f64>() / near.len().max(1) as f64
    }

    /// Void ratio half a width below the middle of the surface.
    pub fn void_ratio_below(&self) -> f64 {
        let size = self.world.ground().voxel_size_m();
        let z = ((self.surface_m() as f32 - 0.5 * self.width_m) / size).floor() as i32;
        f64::from(self.world.ground().get(glam::IVec3::new(0, 0, z)).top_void_ratio.to_f32())
    }

    /// The height of the surface before anything pressed on it (m).
    pub fn top_m(&self) -> f64 {
        f64::from(self.top_m)
    }

    /// How far a plate sinks by Bekker (m).
    pub fn bekker_m(&self, pressure_pa: f64) -> f64 {
        let soil = self.soil.material();
        let modulus = f64::from(soil.sinkage_kc / self.width_m + soil.sinkage_kphi);
        (pressure_pa / modulus).powf(1.0 / f64::from(soil.sinkage_exponent))
    }

    /// Books: off by so many units, plus steps after which they did not balance.
    pub fn balance_units(&self) -> i64 {
        balance_units(&self.world) + self.off_balance as i64
    }

    fn height_m(&self, plate: BodyId) -> f32 {
        self.world.bodies().get(plate).map_or(0.0, |body| body.pose.translation.z)
    }
}
