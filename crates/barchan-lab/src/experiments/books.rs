//! `books`: random edits, bodies, changes of soils and steps on random worlds, with walls and without.
//! After every step the ledger must balance to the unit, by account and kind, and agree with a full count of the ground,
//! and no voxel may be too full or outside the walls. The digest must be the same for every number of threads, after dropping all
//! caches and after saving and loading in the middle.

use barchan_files::world_file::{read_world, write_world};
use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::material::Phase;
use barchan_sim::{Edit, MaterialId, Materials, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{EulerRot, IVec3, Quat, Vec3};
use serde_json::json;

use crate::experiment::{self, Experiment, Outcome, Row};
use crate::settings::{Parameter, Settings};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "books",
    about: "random edits and steps on random worlds: the books balance, the digest does not depend on threads",
    parameters: &[
        Parameter {
            key: "worlds",
            about: "random worlds",
            default: &[12.0],
            range: (1.0, 100_000.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "steps",
            about: "steps in each",
            default: &[20.0],
            range: (1.0, 100_000.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "edits",
            about: "edits before each step",
            default: &[2.0],
            range: (0.0, 100.0),
            whole: true,
            list: false,
        },
        Parameter {
            key: "threads",
            about: "threads to compare",
            default: &[1.0, 2.0],
            range: (1.0, 64.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "seed",
            about: "first seed",
            default: &[1.0],
            range: (0.0, 1e15),
            whole: true,
            list: false,
        },
    ],
    run,
};

/// Side of the random worlds (voxels).
const SIDE: i32 = 48;
const VOXEL_SIZE_M: f32 = 0.1;
const STEP_S: f64 = 1.0 / 60.0;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let worlds = settings.count("worlds");
    let threads: Vec<usize> = settings.list("threads").iter().map(|&threads| threads as usize).collect();
    let mut rows = Vec::with_capacity(worlds);
    for index in 0..worlds {
        let seed = settings.number("seed") as u64 + index as u64;
        rows.push(row(seed, settings.count("steps"), settings.count("edits"), &threads));
        progress((index + 1) as f64 / worlds as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("worlds".into(), json!(worlds));
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: Vec::new(), pass: failed == 0 }
}

/// What one history of a world showed.
#[derive(Clone, Debug, Default, PartialEq)]
struct History {
    digests: Vec<u64>,
    edits: usize,
    units: i64,
    /// Steps or edits after which the books did not balance.
    off_balance: usize,
    /// Steps after which a voxel was outside the walls or too full.
    unsound: usize,
}

fn row(seed: u64, steps: usize, edits: usize, threads: &[usize]) -> Row {
    let with_threads = |threads: usize, disturb: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        pool.install(|| history(seed, steps, edits, disturb))
    };
    let first = with_threads(threads[0], false);
    let threads_agree = threads[1..].iter().all(|&threads| with_threads(threads, false) == first);
    let reload_agrees = with_threads(threads[0], true).digests == first.digests;
    let pass = first.off_balance + first.unsound == 0 && threads_agree && reload_agrees;
    experiment::row(json!({
        "seed": seed,
        "steps": steps,
        "edits": first.edits,
        "units": first.units,
        "off_balance": first.off_balance,
        "unsound": first.unsound,
        "threads_agree": threads_agree,
        "reload_agrees": reload_agrees,
        "digest": format!("{:016x}", first.digests.last().copied().unwrap_or(0)),
        "pass": pass,
    }))
}

/// Runs one random world. With `disturb`, caches are dropped and the world is rebuilt from its parts on the way.
fn history(seed: u64, steps: usize, edits: usize, disturb: bool) -> History {
    let mut random = Random::new(seed);
    let mut world = random_world(&mut random);
    let mut history = History::default();
    for step in 0..steps {
        if random.below(4) == 0 {
            change_soil(&mut random, &mut world);
        }
        for _ in 0..edits {
            world
                .edit(&random_edit(&mut random, world.materials(), world.ground().bounds().is_some()))
                .expect("a sound edit");
            history.edits += 1;
            history.off_balance += usize::from(!balances(&world));
        }
        if disturb && step % 5 == 2 {
            world.drop_caches();
        }
        if disturb && step == steps / 2 {
            let mut file = Vec::new();
            write_world(&mut file, &world, &[]).expect("writing to memory does not fail");
            world = read_world(&file, u64::MAX).expect("a sound world");
        }
        let report = world.step(STEP_S);
        history.off_balance += usize::from(!report.imbalance.is_zero() || !balances(&world));
        history.unsound += usize::from(world.check().is_err());
        history.digests.push(world.digest());
    }
    history.units = world.ledger().held.total() as i64;
    history
}

/// The ledger balances and agrees with a full count.
fn balances(world: &World) -> bool {
    world.ledger().balances() && world.count() == world.ledger().held
}

/// Gives one soil another strength: friction, cohesion from none to much, weight.
fn change_soil(random: &mut Random, world: &mut World) {
    let soils: Vec<_> =
        world.materials().iter().filter(|(_, m)| m.phase == Phase::Soil).map(|(id, _)| id).collect();
    let mut soil = world.materials()[soils[random.below(soils.len() as u64) as usize]].clone();
    soil.friction_angle = random.unit() * 1.2;
    soil.cohesion_pa = if random.below(2) == 0 { 0.0 } else { 20_000.0 * random.unit() };
    soil.unit_weight_n_m3 = 8_000.0 + 16_000.0 * random.unit();
    soil.sinkage_exponent = 0.5 + random.unit();
    world.replace_material(soil).expect("the same packing");
}

fn random_world(random: &mut Random) -> World {
    let corner = IVec3::from_array([0; 3].map(|_: i32| random.below(17) as i32 - 8));
    let bounds = VoxelBox::new(corner, corner + SIDE);
    let config = WorldConfig {
        voxel_size_m: VOXEL_SIZE_M,
        bounds: (random.below(4) > 0).then_some(bounds),
        seed: random.next(),
        ..WorldConfig::default()
    };
    let mut world = World::new(config).expect("a sound configuration");
    for _ in 0..4 + random.below(6) {
        world
            .edit(&random_edit(random, &Materials::builtin(), world.ground().bounds().is_some()))
            .expect("a sound edit");
    }
    for number in 0..random.below(4) {
        let solid = random_solid(random);
        let motion = match random.below(4) {
            0 => Motion::Fixed,
            1 => Motion::Scripted(random_track(random, solid.pose)),
            _ => Motion::Dynamic,
        };
        let spec = BodySpec::new(format!("body {number}"), solid.shape, solid.pose, motion);
        world.add_body(spec).expect("a sound body");
    }
    world
}

fn random_edit(random: &mut Random, materials: &Materials, has_walls: bool) -> Edit {
    let region = match random.below(6) {
        // What has no end cannot be placed without walls.
        0 if has_walls => {
            let bottom = random.metres();
            Region::Slab { z_min_m: bottom, z_max_m: bottom + 1.2 * random.unit() }
        }
        _ => Region::Solid(random_solid(random)),
    };
    if random.below(3) == 0 {
        return Edit::Remove { region };
    }
    let material = MaterialId(random.below(materials.iter().count() as u64) as u8);
    Edit::Place { region, material, moisture: random.unit() }
}

fn random_solid(random: &mut Random) -> Solid {
    let length = |random: &mut Random| 0.15 + 0.9 * random.unit();
    let shape = match random.below(4) {
        0 => Shape::Ball { radius: length(random) },
        1 => Shape::Cylinder { radius: length(random), half_height: length(random) },
        2 => Shape::Cone { radius: length(random), half_height: length(random) },
        _ => Shape::Box { half_extents: Vec3::new(length(random), length(random), length(random)) },
    };
    let translation = Vec3::new(random.metres(), random.metres(), random.metres());
    let turn = std::f32::consts::TAU;
    let angles = [random.unit() * turn, random.unit() * turn, random.unit() * turn];
    let rotation = Quat::from_euler(EulerRot::XYZ, angles[0], angles[1], angles[2]);
    Solid { shape, pose: Pose { translation, rotation } }
}

/// From `start` to four places, a quarter of a second each.
fn random_track(random: &mut Random, start: Pose) -> Track {
    let mut keys = vec![Key { time_s: 0.0, pose: start }];
    for number in 1..5 {
        keys.push(Key { time_s: 0.25 * f64::from(number), pose: random_solid(random).pose });
    }
    Track { keys, repeat: random.below(2) == 0 }
}

/// A small generator (splitmix64), so that a seed means the same history on every machine.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0 to `n` - 1; the bias of the remainder does not matter for so small an `n`.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Uniform in 0 to 1.
    pub(super) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    /// Uniform over the side of a world (m), from a little outside of it.
    fn metres(&mut self) -> f32 {
        (self.unit() * 1.2 - 0.2) * SIDE as f32 * VOXEL_SIZE_M
    }
}
