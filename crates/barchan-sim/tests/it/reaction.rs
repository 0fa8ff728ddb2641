//! What tools feel: a wedge that fails in front of a driven face, one owner for every force, nothing when the tool stands.

use std::sync::Arc;

use barchan_sim::bodies::{BodyId, BodySpec, Key, LockedAxes, Motion, Track};
use barchan_sim::reaction::{CutSoil, Reaction, Wedge};
use barchan_sim::{Edit, World, WorldConfig};
use barchan_volume::{Hull, Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

const VOXEL_M: f32 = 0.05;
const TOP_M: f32 = 0.5;
const DEPTH_M: f32 = 0.2;
const WIDTH_M: f32 = 0.8;
const SPEED_M_S: f32 = 0.2;

/// A bed of dry sand, and a sharp upright blade in it that goes ahead for a second, stands, and goes back.
fn bed() -> (World, BodyId) {
    let bounds = Some(VoxelBox::new(IVec3::new(0, -24, 0), IVec3::new(56, 24, 28)));
    let mut world = World::new(WorldConfig { voxel_size_m: VOXEL_M, bounds, ..Default::default() }).unwrap();
    let material = world.materials().find("dry_sand").unwrap();
    let region = Region::Slab { z_min_m: 0.0, z_max_m: TOP_M };
    world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
    let section = [[0.0, 0.0], [0.0, 0.7], [-0.07, 0.7]];
    let points = section.iter().flat_map(|[x, z]| [-1.0, 1.0].map(|y| Vec3::new(*x, y * WIDTH_M / 2.0, *z)));
    let shape = Shape::Hull(Arc::new(Hull::new(points.collect()).unwrap()));
    let at = |x: f32| Pose::at(Vec3::new(x, 0.0, TOP_M - DEPTH_M));
    let way_m = SPEED_M_S;
    let keys = [(0.0, 1.0), (1.0, 1.0 + way_m), (1.5, 1.0 + way_m), (2.5, 1.0)];
    let keys = keys.map(|(time_s, x)| Key { time_s, pose: at(x) }).to_vec();
    let motion = Motion::Scripted(Track { keys, repeat: false });
    let spec = BodySpec { friction: 0.0, ..BodySpec::new("blade", shape, at(1.0), motion) };
    let id = world.add_body(spec).unwrap();
    (world, id)
}

#[test]
fn a_blade_feels_the_wedge_in_front_of_it_and_nothing_twice() {
    let (mut world, id) = bed();
    let sand = world.materials()[barchan_sim::MaterialId(0)].clone();
    let wedge = Wedge {
        depth_m: DEPTH_M,
        width_m: WIDTH_M,
        rake: std::f32::consts::FRAC_PI_2,
        tool_friction: 0.0,
        surcharge_pa: 0.0,
        speed_m_s: SPEED_M_S,
        free_ends: 2,
    };
    let soil = CutSoil {
        gamma_n_m3: sand.unit_weight_n_m3,
        cohesion_pa: 0.0,
        phi: sand.friction_angle,
        gravity_m_s2: 9.81,
    };
    let expected = wedge.force(&soil).unwrap().along_n;
    for step in 0..10 {
        world.step(0.01);
        let felt = world.reaction(id).unwrap();
        let along = -felt.force_n.x;
        assert!((along / expected - 1.0).abs() < 0.2, "step {step}: {along} N for {expected} N");
        let parts = felt.cutting_n + felt.penetration_n + felt.pressing_n + felt.friction_n + felt.carried_n;
        assert!((parts - felt.force_n).length() < 1e-3 * along, "{felt:?}");
        // It acts on the blade, between its edge and the surface.
        assert!((TOP_M - DEPTH_M..TOP_M).contains(&felt.point_m.z), "{}", felt.point_m);
        assert!(felt.point_m.y.abs() < 0.05 * WIDTH_M, "{}", felt.point_m);
    }
}

#[test]
fn it_never_pushes() {
    let (mut world, id) = bed();
    for step in 0..250 {
        world.step(0.01);
        let felt = world.reaction(id).unwrap();
        let time_s = 0.01 * f64::from(step + 1);
        if (1.05..1.45).contains(&time_s) {
            assert_eq!(felt.cutting_n, Vec3::ZERO, "it stands at {time_s} s");
        }
        if (1.55..2.45).contains(&time_s) {
            // It goes back: whatever it feels holds it back.
            assert!(felt.force_n.x >= -1.0, "{time_s} s: {}", felt.force_n);
        }
    }
    assert_eq!(world.reaction(BodyId(99)), None);
}

/// Tows the blade ahead for this long (s), at the speed that it has from the start, by a force that makes up for what the ground did in
/// the step before and for speed that was lost. Returns for every step the tow (N) and what was felt.
fn tow(world: &mut World, id: BodyId, seconds: f64) -> Vec<(f32, Reaction)> {
    let (dt_s, mut tow_n) = (0.01, 0.0);
    let mut felt = Vec::new();
    for _ in 0..(seconds / dt_s) as usize {
        let body = world.bodies().get(id).unwrap();
        let lost = SPEED_M_S - body.linear_velocity_m_s.x;
        let tow = tow_n + lost * body.mass_kg / dt_s as f32;
        world.push_body(id, Vec3::X * tow, Vec3::ZERO).unwrap();
        world.step(dt_s);
        let reaction = world.reaction(id).unwrap();
        tow_n = -reaction.force_n.x;
        felt.push((tow, reaction));
    }
    felt
}

#[test]
fn a_towed_blade_takes_just_what_is_reported() {
    let (mut world, led) = bed();
    let blade = world.bodies().get(led).unwrap().spec.clone();
    world.remove_body(led);
    let spec = BodySpec {
        motion: Motion::Dynamic,
        pose: Pose::at(Vec3::new(1.0, 0.0, TOP_M - DEPTH_M)),
        density_kg_m3: 7_850.0,
        linear_velocity_m_s: Vec3::X * SPEED_M_S,
        locked: LockedAxes { translation: [false, true, true], rotation: [true; 3] },
        ..blade
    };
    let id = world.add_body(spec).unwrap();
    let felt = tow(&mut world, id, 1.5);
    let steady = &felt[20..];
    let mean =
        |of: &dyn Fn(&(f32, Reaction)) -> f32| steady.iter().map(of).sum::<f32>() / steady.len() as f32;
    let tow_n = mean(&|(tow, _)| *tow);
    let reported_n = mean(&|(_, felt)| {
        -(felt.cutting_n + felt.penetration_n + felt.pressing_n + felt.friction_n + felt.carried_n).x
    });
    assert!((tow_n / reported_n - 1.0).abs() < 0.02, "{tow_n} N towed, {reported_n} N reported");
    // What is left over for the weight of soil acts downwards: nobody else takes part of the tow.
    let left_over_n = mean(&|(_, felt)| felt.carried_n.x);
    assert!(left_over_n.abs() < 0.02 * tow_n, "{left_over_n} N of {tow_n} N");
    let speed_m_s = world.bodies().get(id).unwrap().linear_velocity_m_s.x;
    assert!((speed_m_s / SPEED_M_S - 1.0).abs() < 0.05, "{speed_m_s} m/s");
}

#[test]
fn a_sudden_push_meets_the_ground_in_its_first_step() {
    let mut world = World::new(WorldConfig { voxel_size_m: VOXEL_M, ..Default::default() }).unwrap();
    let material = world.materials().find("dry_sand").unwrap();
    let region = Region::Solid(Solid {
        shape: Shape::Box { half_extents: Vec3::new(2.0, 2.0, 0.25) },
        pose: Pose::at(Vec3::Z * 0.25),
    });
    world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
    let shape = Shape::Box { half_extents: Vec3::splat(0.2) };
    let spec = BodySpec {
        density_kg_m3: 300.0,
        ..BodySpec::new("box", shape, Pose::at(Vec3::Z * (TOP_M + 0.2)), Motion::Dynamic)
    };
    let id = world.add_body(spec).unwrap();
    for _ in 0..180 {
        world.step(1.0 / 60.0);
    }
    let before = world.bodies().get(id).unwrap();
    assert!(before.sleeping, "it rests");
    let (start, weight_n) = (before.pose.translation, before.mass_kg * 9.81);
    // Twenty times its weight down, at once: Bekker lets it in by millimetres, the open air would by centimetres.
    world.push_body(id, Vec3::NEG_Z * 20.0 * weight_n, Vec3::ZERO).unwrap();
    world.step(1.0 / 60.0);
    let sunk_m = start.z - world.bodies().get(id).unwrap().pose.translation.z;
    let free_m = 0.5 * 20.0 * 9.81 / 3600.0;
    assert!(sunk_m < 0.5 * free_m, "{sunk_m} m of {free_m} m");
}
