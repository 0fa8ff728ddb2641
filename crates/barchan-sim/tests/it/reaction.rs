//! What tools feel: a wedge that fails in front of a driven face, one owner for every force, nothing when the tool stands.

use std::sync::Arc;

use barchan_sim::bodies::{BodyId, BodySpec, Key, Motion, Track};
use barchan_sim::reaction::{CutSoil, Wedge};
use barchan_sim::{Edit, World, WorldConfig};
use barchan_volume::{Hull, Pose, Region, Shape, VoxelBox};
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
        let parts = felt.cutting_n + felt.pressing_n + felt.carried_n;
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
