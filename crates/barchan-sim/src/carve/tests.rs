//! Blades in sand: what comes off, when, and where it goes.

use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

use super::*;
use crate::bodies::{BodySpec, Key, Motion, Track};
use crate::ground::Edit;
use crate::ledger::Account;
use crate::material::MaterialId;
use crate::merge::MergeParams;
use crate::state::WorldState;
use crate::step::StepReport;
use crate::world::{World, WorldConfig};

const STEP_S: f64 = 1.0 / 60.0;
const VOXEL_M: f32 = 0.1;
const DEPTH_M: f32 = 0.25;

/// Sand a metre deep, and a blade that is led through it from the left.
fn dig(speed_m_s: f32, turned_deg: f32, moisture: f32) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(56, 32, 32)));
    let config = WorldConfig { voxel_size_m: VOXEL_M, bounds, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let turn = glam::Quat::from_rotation_z(turned_deg.to_radians());
    let keys = [(0.0, 0.8), (100.0, 0.8 + 100.0 * speed_m_s)].map(|(time_s, x)| {
        let pose = Pose::new(Vec3::new(x, 1.6, 1.0 - DEPTH_M + 0.5), turn);
        Key { time_s, pose }
    });
    let motion = Motion::Scripted(Track { keys: keys.to_vec(), repeat: false });
    let shape = Shape::Box { half_extents: Vec3::new(0.06, 0.6, 0.5) };
    world.add_body(BodySpec::new("blade", shape, keys[0].pose, motion)).unwrap();
    let region = Region::Slab { z_min_m: 0.0, z_max_m: 1.0 };
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture }).unwrap();
    world.set_carve(Some(CarveParams::for_voxels(VOXEL_M))).unwrap();
    world.set_merge(Some(MergeParams::default())).unwrap();
    world
}

fn run(world: &mut World, seconds: f64) -> Vec<StepReport> {
    let steps = (seconds / STEP_S).round() as usize;
    let step = |_| {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero(), "{:?}", report.imbalance);
        report
    };
    (0..steps).map(step).collect()
}

#[test]
fn soil_comes_off_evenly_and_the_books_balance_at_every_step() {
    for (speed, turned) in [(0.5, 0.0), (1.0, 0.0), (1.0, 30.0)] {
        let mut world = dig(speed, turned, 0.0);
        let reports = run(&mut world, 0.8);
        let flow: Vec<f64> = reports[24..].iter().map(|report| report.carve.units as f64).collect();
        let mean = flow.iter().sum::<f64>() / flow.len() as f64;
        let worst = flow.iter().map(|units| (units / mean - 1.0).abs()).fold(0.0, f64::max);
        assert!(mean > 1_000.0 && worst < 0.1, "{speed} m/s, {turned}°: {mean} units, off by {worst}");
        let particles: u32 = reports.iter().map(|report| report.carve.particles).sum();
        assert!(particles > 20 && world.grains().len() > 10, "{particles}");
        let left: i64 = reports.iter().map(|report| report.carve.left).sum();
        assert_eq!(left, 0, "there is room for all of it");
        world.check().unwrap();
    }
}

#[test]
fn particles_come_where_nothing_is() {
    let mut world = dig(1.0, 0.0, 0.0);
    for _ in 0..60 {
        let before: Vec<u32> = world.grains().all().iter().map(|grain| grain.id.0).collect();
        let report = world.step(STEP_S);
        let grains = world.grains();
        let at = |grain: &crate::grains::Grain| grains.position_m(grain);
        for grain in grains.all().iter().filter(|grain| !before.contains(&grain.id.0)) {
            let apart = |other: &&crate::grains::Grain| {
                other.id != grain.id && at(other).distance(at(grain)) < 0.999 * 0.15
            };
            assert_eq!(grains.all().iter().find(apart), None, "{report:?}");
            let p = (at(grain) / f64::from(VOXEL_M)).floor().as_ivec3();
            assert!(world.ground().get(p).fill(world.materials()) < 0.5, "in the ground: {p}");
            assert_eq!(world.body_fill().shares().get(p), 0, "in the blade: {p}");
        }
    }
    assert!(world.carve().came() > 20);
}

#[test]
fn what_has_no_room_is_pushed_and_who_does_not_carve_pushes() {
    let mut world = dig(1.0, 0.0, 0.0);
    world.set_merge(Some(MergeParams { most: 3, ..MergeParams::default() })).unwrap();
    let reports = run(&mut world, 1.0);
    assert!(world.grains().len() <= 3);
    assert!(reports.iter().map(|report| report.carve.left + report.push.moved).sum::<i64>() > 10_000);
    world.check().unwrap();

    let mut world = dig(1.0, 0.0, 0.0);
    let blade = world.bodies().iter().next().unwrap().id;
    assert!(world.set_body_carves(blade, false));
    let reports = run(&mut world, 0.5);
    assert!(world.grains().is_empty() && reports.iter().all(|report| report.carve.units == 0));
    assert!(world.set_body_carves(blade, true));
    run(&mut world, 0.5);
    assert!(!world.grains().is_empty());
    assert!(!world.set_body_carves(crate::bodies::BodyId(999), true), "there is no such body");
}

#[test]
fn water_goes_with_the_soil_and_comes_back() {
    let mut world = dig(1.0, 0.0, 0.5);
    run(&mut world, 1.0);
    let free = |world: &World| world.ledger().held.of(Account::FreeWater);
    assert!(free(&world) > 0, "particles are wet");
    let ids = world.grains().len();
    assert_eq!(world.remove_grains(|_| true), ids);
    assert!(world.ledger().balances());
    world.check().unwrap();
}

#[test]
fn a_dig_goes_on_after_a_save_and_does_not_depend_on_threads() {
    let digest = |threads: usize, saved: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = dig(1.0, 15.0, 0.2);
            run(&mut world, 0.6);
            if saved {
                let mut state = WorldState::new(world.ground().clone());
                state.bodies = world.state().bodies.clone();
                for member in world.state().members() {
                    state.read_member(&member).unwrap();
                }
                world = World::from_state(state).unwrap();
            }
            run(&mut world, 0.6);
            world.digest()
        })
    };
    let one = digest(1, false);
    assert_eq!(one, digest(2, false), "two threads");
    assert_eq!(one, digest(2, true), "saved");
}

#[test]
fn what_soil_comes_off_as_can_be_wrong() {
    let mut world = dig(1.0, 0.0, 0.0);
    for size_m in [f64::NAN, 0.0, -1.0, 0.01, 100.0] {
        let params = CarveParams { size_m, overlap: 0.05 };
        assert!(world.set_carve(Some(params)).is_err(), "{size_m}");
    }
    run(&mut world, 0.5);
    let other = CarveParams { size_m: 0.2, overlap: 0.05 };
    let refused = world.set_carve(Some(other)).unwrap_err().to_string();
    assert!(refused.contains("grains already"), "{refused}");
    world.set_carve(None).unwrap();
    assert!(!world.carve().is_on());
    run(&mut world, 0.2);
}

#[test]
fn a_tool_that_jumps_loses_nothing() {
    let mut world = dig(40.0, 0.0, 0.0);
    run(&mut world, 0.3);
    assert!(world.carve().came() > 0);
    world.check().unwrap();
    for grain in world.grains().all() {
        assert!(world.grains().position_m(grain).is_finite());
    }
}

#[test]
fn a_box_in_the_air_cuts_nothing() {
    let mut world = dig(1.0, 0.0, 0.0);
    let region = Region::Solid(Solid {
        shape: Shape::Box { half_extents: Vec3::new(3.0, 2.0, 1.0) },
        pose: Pose::at(Vec3::new(2.8, 1.6, 1.0)),
    });
    world.edit(&Edit::Remove { region }).unwrap();
    let reports = run(&mut world, 0.5);
    assert!(reports.iter().all(|report| report.carve.units == 0));
}

/// A box of six plates that no grain gets out of, with its middle at `centre_m` (m).
fn closed_box(world: &mut World, centre_m: Vec3, half_m: f32) {
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for side in [-1.0, 1.0] {
            let half_extents = Vec3::splat(half_m + 0.2) - axis * (half_m + 0.1);
            let pose = Pose::at(centre_m + axis * (side * (half_m + 0.1)));
            let plate = BodySpec::new("plate", Shape::Box { half_extents }, pose, Motion::Fixed);
            world.add_body(plate).unwrap();
        }
    }
}

/// Particles of the sand of [`dig`] on a grid around a place (m).
fn add_particles(world: &mut World, centre_m: glam::DVec3, across: i32) {
    let forms = world.grains().forms().iter();
    let is_sand = |form: &crate::grains::Form| {
        world.grains().setup().substances[usize::from(form.spec.substance)].soil == MaterialId(0)
    };
    let form = forms.clone().position(is_sand).unwrap() as u16;
    let range = || -across..=across;
    let mut specs = Vec::new();
    for z in range() {
        for y in range() {
            for x in range() {
                let off = glam::DVec3::new(x.into(), y.into(), z.into()) * 0.155;
                specs.push(crate::grains::GrainSpec::at(form, centre_m + off));
            }
        }
    }
    world.add_grains(&specs).unwrap();
}

#[test]
fn a_closed_bucket_keeps_its_particles_asleep() {
    let mut world = dig(0.001, 0.0, 0.0);
    closed_box(&mut world, Vec3::new(4.0, 1.6, 2.0), 0.5);
    add_particles(&mut world, glam::DVec3::new(4.0, 1.6, 2.0), 2);
    let count = world.grains().len();
    run(&mut world, 6.0);
    assert_eq!((world.grains().len(), world.grains().asleep()), (count, count), "none merges, all sleep");
    let before: Vec<_> = world.grains().all().iter().map(|grain| grain.place).collect();
    run(&mut world, 20.0);
    let after: Vec<_> = world.grains().all().iter().map(|grain| grain.place).collect();
    assert_eq!(before, after, "they stay where they are");
}

#[test]
fn particles_squeezed_between_two_tools_stay_within_reason() {
    let mut world = dig(0.001, 0.0, 0.0);
    for (from, to) in [(3.0, 3.9), (5.0, 4.1)] {
        let keys = [(0.0, from), (1.0, to)]
            .map(|(time_s, x)| Key { time_s, pose: Pose::at(Vec3::new(x, 1.6, 1.35)) });
        let motion = Motion::Scripted(Track { keys: keys.to_vec(), repeat: false });
        let shape = Shape::Box { half_extents: Vec3::new(0.1, 0.6, 0.35) };
        world.add_body(BodySpec::new("jaw", shape, keys[0].pose, motion)).unwrap();
    }
    add_particles(&mut world, glam::DVec3::new(4.0, 1.6, 1.4), 1);
    for report in run(&mut world, 1.5) {
        assert_eq!(report.grains.missed_s, 0.0);
    }
    for grain in world.grains().all() {
        let at = world.grains().position_m(grain);
        assert!(at.is_finite() && grain.velocity_m_s.length() < 30.0, "{at} {}", grain.velocity_m_s);
    }
    world.check().unwrap();
}
