//! `window`: the same work at ten places of a scene 131,072 voxels wide, which is computed where one looks: a hole is dug, water is poured
//! into it, and it runs for a while. Over level ground every place must move the same units, voxel for voxel.

use std::sync::Arc;
use std::time::Instant;

use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::inventory::off_by;
use barchan_sim::water::Pour;
use barchan_sim::{Base, BaseLayer, Edit, World, WorldConfig};
use barchan_volume::{Density, Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};
use serde_json::json;

use super::dag_edit::{refused, whole};
use crate::experiment::{self, Experiment, Outcome};
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "window",
    about: "digging, pouring and a stone at ten places of a scene 131,072 voxels wide: memory, time, books",
    parameters: &[
        whole(
            "places",
            "places, the first in the middle, the second in a corner",
            &[10.0],
            (2.0, 100.0),
            false,
        ),
        whole("steps", "steps at each place", &[60.0], (1.0, 10_000.0), false),
        whole("radius", "radius of the hole (voxels)", &[9.0], (2.0, 64.0), false),
        whole(
            "hills",
            "1: hills with caves; 0: level ground, which must move the same everywhere",
            &[0.0, 1.0],
            (0.0, 1.0),
            true,
        ),
    ],
    run,
};

const SIZE_M: f32 = 0.1;
const STEP_S: f64 = 1.0 / 60.0;
/// Farthest voxel from the middle, along any axis.
const HALF: i32 = 1 << 16;
/// Voxels below and above the middle.
const DEEP: i32 = 1 << 10;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    let (places, forms) = (settings.count("places"), settings.list("hills"));
    for (form, hills) in forms.iter().enumerate() {
        let mut world = match world(*hills > 0.5) {
            Ok(world) => world,
            Err(error) => return refused(outcome, &error),
        };
        let mut first = None;
        for number in 0..places {
            let place = place(number);
            let done = match work(&mut world, place, settings) {
                Ok(done) => done,
                Err(error) => return refused(outcome, &error),
            };
            let expected = *first.get_or_insert(done.units);
            let is_level = *hills < 0.5;
            let pass = done.balance_units == 0 && (!is_level || done.units == expected);
            outcome.pass &= pass;
            outcome.rows.push(experiment::row(json!({
                "ground": if is_level { "level" } else { "hills" },
                "place": place.to_array(), "voxels_moved": done.units.0, "units_left": done.units.1 as i64, "bytes": done.bytes,
                "ms_per_step": done.ms_per_step, "move_ms": done.move_ms, "balance_units": done.balance_units as i64,
                "own_bricks": world.ground().own().len(), "pass": pass,
            })));
            progress((form as f64 + (number + 1) as f64 / places as f64) / forms.len() as f64);
        }
    }
    outcome
}

/// Where the work is done: by a sequence that fills the plane evenly (Roberts 2018), on corners of bricks.
fn place(number: usize) -> IVec3 {
    let far = HALF - 512;
    match number {
        0 => IVec3::ZERO,
        1 => IVec3::new(far, -far, 0),
        number => {
            let along = |step: f64| ((step * number as f64).fract() * 2.0 - 1.0) * f64::from(far);
            IVec3::new(along(0.754_877_666) as i32 / 8 * 8, along(0.569_840_291) as i32 / 8 * 8, 0)
        }
    }
}

/// Rock with sand on it, without end for what anybody will ever see of it.
fn world(hills: bool) -> Result<World, String> {
    let config = WorldConfig { voxel_size_m: SIZE_M, ..WorldConfig::default() };
    let kind = |name| config.materials.find(name);
    let top = |top_m: f32| match hills {
        false => Region::Slab { z_min_m: f32::NEG_INFINITY, z_max_m: top_m },
        true => {
            let terrain =
                Density { base_height_m: top_m, relief_m: 6.0, overhang_m: 0.0, ..Density::default() };
            Region::Density(Arc::new(Density { caves: Some(Default::default()), ..terrain }))
        }
    };
    let layers = [("granite", -0.5), ("dry_sand", 0.03)]
        .map(|(name, top_m)| BaseLayer { region: top(top_m), material: kind(name) })
        .to_vec();
    let bounds = VoxelBox::new(IVec3::new(-HALF, -HALF, -DEEP), IVec3::new(HALF, HALF, DEEP));
    World::on_base(config, Base { bounds, layers }, VoxelBox::cell(IVec3::ZERO))
        .map_err(|error| error.to_string())
}

/// What was done at a place.
struct Done {
    /// Voxels that changed, and units that left.
    units: (usize, i128),
    /// Memory of all ground (bytes).
    bytes: u64,
    ms_per_step: f64,
    /// Moving the window there (ms).
    move_ms: f64,
    balance_units: i128,
}

fn work(world: &mut World, at: IVec3, settings: &Settings) -> Result<Done, String> {
    let (radius, steps) = (settings.number("radius") as f32 * SIZE_M, settings.count("steps"));
    let local = |shape, centre: Vec3| {
        let region = Region::Solid(Solid { shape, pose: Pose::at(centre) });
        Region::Moved { origin: at / 8, brick_m: 8.0 * SIZE_M, region: Arc::new(region) }
    };
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let start = Instant::now();
    world.look_at(VoxelBox::new(at - 32, at + 32)).map_err(|error| words(&error))?;
    world.look_away().map_err(|error| words(&error))?;
    let move_ms = start.elapsed().as_secs_f64() * 1e3;
    let window = world.ground().bounds().unwrap_or(VoxelBox::cell(at));
    let before = world.ground().voxels().clone();
    let dig = Edit::Remove { region: local(Shape::Ball { radius }, Vec3::new(0.03, -0.02, 0.1)) };
    let dug = world.edit(&dig).map_err(|error| words(&error))?;
    let kind = world.materials().find("dry_sand").ok_or("there is no sand")?;
    let half_extents = Vec3::new(0.5 * radius, 0.5 * radius, 0.2);
    let region = local(Shape::Box { half_extents }, Vec3::new(0.0, 0.0, -0.2 * radius));
    let pour = Pour { region, level_m: None, velocity_m_s: Vec3::ZERO, sediment: 0.0, kind };
    // Soil first: what slides does not depend on where grains of 32 bits round to.
    let mut balance_units = 0;
    let mut run = |world: &mut World| {
        let start = Instant::now();
        for _ in 0..steps {
            balance_units +=
                world.step(STEP_S).imbalance.iter().map(|(_, units)| i128::from(units.abs())).sum::<i128>();
        }
        start.elapsed().as_secs_f64() * 1e3 / steps as f64
    };
    let dry_ms = run(world);
    let changed = |p: &IVec3| before.get(*p) != world.ground().get(*p);
    let around = VoxelBox::new(at - 48, at + 48).intersect(&window);
    let units = (around.cells().filter(changed).count(), dug.removed().total().into());
    // Water and the stone move in a copy: the hole stays for those who come by later.
    let mut flooded = world.clone();
    flooded.pour(&pour).map_err(|error| words(&error))?;
    let stone = Pose::at((at.as_vec3() + Vec3::new(0.0, 0.0, 24.0)) * SIZE_M);
    let spec = BodySpec::new("stone", Shape::Ball { radius: 0.3 }, stone, Motion::Dynamic);
    flooded.add_body(spec).map_err(|error| words(&error))?;
    let wet_ms = run(&mut flooded);
    let bytes = flooded.ground().memory_bytes() as u64 + flooded.ground().window_bytes();
    balance_units += off_by(&world.ledger().balance()) + off_by(&flooded.ledger().balance());
    Ok(Done { units, bytes, ms_per_step: dry_ms.max(wet_ms), move_ms, balance_units })
}
