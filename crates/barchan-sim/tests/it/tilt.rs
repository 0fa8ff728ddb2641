//! Soil on leaning bodies: it lets go at the friction of the body where that is smaller than its own.

use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::{Edit, Material, MaterialId, Materials, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{DVec3, IVec3, Quat, Vec3};

const STEP_S: f64 = 1.0 / 60.0;
/// Where the middle of the plate is (m).
const MIDDLE_M: Vec3 = Vec3::new(3.2, 1.6, 2.4);
/// Half the thickness of the plate (m): thinner than a voxel is.
const HALF_THICK_M: f32 = 0.03;
/// Half the thickness of the plate as soil meets it, at most (m).
const HALF_GROWN_M: f32 = 0.11;
/// Both sizes of voxels (m).
const SIZES_M: [f32; 2] = [0.1, 0.05];

/// A world of 6.4 m by 3.2 m by 4.8 m and a soil of 35 degrees without cohesion.
fn world(voxel_size_m: f32) -> (World, MaterialId) {
    let builtin = Materials::builtin();
    let sand = builtin.get(builtin.find("dry_sand").unwrap()).unwrap().clone();
    let soil = Material { name: "test_soil".into(), friction_angle: 35_f32.to_radians(), ..sand };
    let soil = Material { cohesion_pa: 0.0, ..soil };
    let materials = builtin.with(soil).unwrap();
    let kind = materials.find("test_soil").unwrap();
    let size = (Vec3::new(6.4, 3.2, 4.8) / voxel_size_m).round().as_ivec3();
    let bounds = Some(VoxelBox::new(IVec3::ZERO, size));
    let config = WorldConfig { bounds, voxel_size_m, materials, ..WorldConfig::default() };
    (World::new(config).unwrap(), kind)
}

fn lean(lean_deg: f32, yaw_deg: f32) -> Quat {
    Quat::from_rotation_z(yaw_deg.to_radians()) * Quat::from_rotation_y(lean_deg.to_radians())
}

fn at_middle(rotation: Quat) -> Pose {
    Pose { translation: MIDDLE_M, rotation }
}

fn plate(friction_deg: f32, motion: Motion, rotation: Quat) -> BodySpec {
    let shape = Shape::Box { half_extents: Vec3::new(1.6, 1.2, HALF_THICK_M) };
    let spec = BodySpec::new("plate", shape, at_middle(rotation), motion);
    BodySpec { friction: friction_deg.to_radians().tan(), ..spec }
}

fn place(world: &mut World, material: MaterialId, shape: Shape, pose: Pose) {
    let region = Region::Solid(Solid { shape, pose });
    world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
}

/// A layer of 0.3 m on the plate, from its upper to its lower edge.
fn cover(world: &mut World, soil: MaterialId, rotation: Quat) {
    let shape = Shape::Box { half_extents: Vec3::new(1.6, 0.8, 0.15) };
    let translation = MIDDLE_M + rotation * Vec3::Z * 0.2;
    place(world, soil, shape, Pose { translation, rotation });
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero());
        assert_eq!(report.push.trapped, 0);
    }
    assert_eq!(world.ground().count(), world.ledger().held);
}

/// The last crumbs take their time.
fn come_to_rest(world: &mut World, most: usize) {
    let mut steps = 0;
    while !world.ground().awake().is_empty() {
        assert!(steps < most, "not at rest after {steps} steps");
        run(world, 20);
        steps += 20;
    }
}

/// All soil: where it is in the frame of a plate with this rotation (m), and how much (units).
fn soil_on(world: &World, rotation: Quat) -> Vec<(Vec3, f64)> {
    let size = world.ground().voxel_size_m();
    let own = |p: IVec3| rotation.inverse() * ((p.as_vec3() + 0.5) * size - MIDDLE_M);
    let soil =
        world.ground().bounds().unwrap().cells().map(|p| (own(p), f64::from(world.ground().get(p).soil())));
    soil.filter(|(_, units)| *units > 0.0).collect()
}

/// Share of the soil that is above the plate.
fn share_on(world: &World, rotation: Quat) -> f64 {
    let soil = soil_on(world, rotation);
    let is_on = |p: Vec3| p.x.abs() < 1.6 && p.y.abs() < 1.2 && p.z > -HALF_GROWN_M;
    let on: f64 = soil.iter().filter(|(p, _)| is_on(*p)).map(|(_, units)| units).sum();
    on / soil.iter().map(|(_, units)| units).sum::<f64>()
}

/// Where the middle of all soil is, in the frame of a plate with this rotation (m).
fn centroid(world: &World, rotation: Quat) -> DVec3 {
    let soil = soil_on(world, rotation);
    let sum: DVec3 = soil.iter().map(|(p, units)| p.as_dvec3() * *units).sum();
    sum / soil.iter().map(|(_, units)| units).sum::<f64>()
}

/// A covered plate that leans `lean_deg` towards `yaw_deg`, in time and settled.
fn leaning(size: f32, lean_deg: f32, yaw_deg: f32, friction_deg: f32) -> [(&'static str, World); 2] {
    let rotation = lean(lean_deg, yaw_deg);
    let (mut stepped, soil) = world(size);
    stepped.add_body(plate(friction_deg, Motion::Fixed, rotation)).unwrap();
    cover(&mut stepped, soil, rotation);
    let mut settled = stepped.clone();
    come_to_rest(&mut stepped, 1200);
    let report = settled.settle(100_000);
    assert!(report.at_rest && report.imbalance.is_zero());
    [("in time", stepped), ("settled", settled)]
}

#[test]
fn cohesion_keeps_no_layer_on_a_plate_that_leans_more_than_its_friction() {
    for (lean_deg, friction_deg, stays) in [(20.0, 10.0, false), (20.0, 30.0, true), (40.0, 30.0, false)] {
        let rotation = lean(lean_deg, 0.0);
        // Loam has 22 degrees of its own and holds together.
        let (mut world, _) = world(0.1);
        let loam = world.materials().find("loam").unwrap();
        world.add_body(plate(friction_deg, Motion::Fixed, rotation)).unwrap();
        cover(&mut world, loam, rotation);
        come_to_rest(&mut world, 1200);
        let share = share_on(&world, rotation);
        let expected = if stays { 0.95..1.01 } else { -0.01..0.1 };
        assert!(expected.contains(&share), "{share} of it stays at {lean_deg}° on {friction_deg}°");
    }
}

#[test]
fn a_layer_slides_off_where_the_plate_leans_more_than_its_friction() {
    let lean_deg = 20.0;
    for (size, yaw_deg) in SIZES_M.into_iter().flat_map(|size| [(size, 0.0), (size, 30.0)]) {
        let rotation = lean(lean_deg, yaw_deg);
        // On a rough plate only the rim of the layer slumps, and some of it over the lower edge.
        let rough = leaning(size, lean_deg, yaw_deg, 60.0);
        let smoother = leaning(size, lean_deg, yaw_deg, 30.0);
        for ((way, rough), (_, smoother)) in rough.iter().zip(&smoother) {
            let apart = (centroid(rough, rotation) - centroid(smoother, rotation)).length();
            assert!(apart < 0.01, "{size} m, to {yaw_deg}°, {way}: {apart} m");
            let shares = [rough, smoother].map(|world| share_on(world, rotation));
            assert!((shares[0] - shares[1]).abs() < 0.01 && shares[1] > 0.7, "{size} m, {way}: {shares:?}");
        }
        for (way, world) in leaning(size, lean_deg, yaw_deg, 10.0) {
            let left = share_on(&world, rotation);
            // Crumbs thinner than 1/128 voxel stay.
            assert!(left < 0.015, "{size} m, to {yaw_deg}°, {way}: {left} is left");
        }
    }
}

/// Height of a heap of 0.4 m that was set on a level plate, at rest (m).
fn heap_height_m(size: f32, friction_deg: f32) -> f32 {
    let (mut world, soil) = world(size);
    world.add_body(plate(friction_deg, Motion::Fixed, Quat::IDENTITY)).unwrap();
    let shape = Shape::Cone { radius: 0.7, half_height: 0.2 };
    place(&mut world, soil, shape, Pose::at(MIDDLE_M + Vec3::Z * (0.75 * size + 0.2)));
    run(&mut world, 240);
    let column = (MIDDLE_M / size).as_ivec3();
    let fill = |z: i32| world.ground().get(column.with_z(z)).fill(world.materials());
    (column.z..2 * column.z).map(fill).sum::<f32>() * size
}

#[test]
fn a_heap_stays_on_a_level_plate_and_spreads_on_ice() {
    for size in SIZES_M {
        let [rough, smooth, ice] = [60.0, 10.0, 1.0].map(|deg| heap_height_m(size, deg));
        assert!((rough - smooth).abs() < 0.01, "{size} m: {smooth} m high, on a rough plate {rough} m");
        assert!(ice < 0.1, "{size} m: {ice} m high on ice");
    }
}

/// By how much further the plate leans until a fifth of the upper part, 0.18 m of 0.9 m, has slid away: at 2° in a second what is too
/// steep gains g 0.035 t, and so comes g 0.035 t³/6 far in t seconds.
const LATER_DEG: f32 = 2.9;

/// The lean at which a fifth of the upper part of a layer has slid away while its plate is tipped, slowly (2° in a second)
/// when it comes near to `expected_deg` (degrees).
fn let_go_deg(size: f32, friction_deg: f32, expected_deg: f32) -> f32 {
    let (mut world, soil) = world(size);
    let key = |time_s, deg| Key { time_s, pose: at_middle(lean(deg, 0.0)) };
    let keys = vec![key(0.1, 0.0), key(2.0, expected_deg - 5.0), key(9.5, expected_deg + 10.0)];
    let motion = Motion::Scripted(Track { keys, repeat: false });
    world.add_body(plate(friction_deg, motion, Quat::IDENTITY)).unwrap();
    let shape = Shape::Box { half_extents: Vec3::new(1.4, 0.4, 0.1) };
    place(&mut world, soil, shape, Pose::at(MIDDLE_M + Vec3::Z * (0.75 * size + 0.1)));
    let rotation = |world: &World| world.bodies().iter().next().unwrap().pose.rotation;
    let upper = |world: &World| {
        let soil = soil_on(world, rotation(world));
        soil.iter().filter(|(p, _)| p.x < -0.5).map(|(_, units)| units).sum::<f64>()
    };
    run(&mut world, 6);
    let start = upper(&world);
    while world.clock().time_s < 9.5 {
        run(&mut world, 6);
        if upper(&world) < 0.8 * start {
            break;
        }
    }
    rotation(&world).angle_between(Quat::IDENTITY).to_degrees()
}

#[test]
fn a_tipping_plate_loses_its_layer_at_the_smaller_friction() {
    for size in SIZES_M {
        // The soil itself has 35°.
        for (friction_deg, expected) in [(12.0, 12.0), (25.0, 25.0), (50.0, 35.0)] {
            let found = let_go_deg(size, friction_deg, expected);
            let off = found - expected - LATER_DEG;
            assert!(off.abs() < 3.0, "{size} m, {friction_deg}°: lets go at {found}°");
        }
    }
}

#[test]
fn rock_keeps_its_soil_whatever_bodies_are_like() {
    for size in SIZES_M {
        let rotation = lean(25.0, 0.0);
        let [without, with] = [false, true].map(|ice| {
            let (mut world, soil) = world(size);
            let granite = world.materials().find("granite").unwrap();
            let slab = Shape::Box { half_extents: Vec3::new(1.6, 1.2, 0.15) };
            place(&mut world, granite, slab.clone(), at_middle(rotation));
            if ice {
                let pose = Pose { translation: MIDDLE_M - rotation * Vec3::Z * 0.15, rotation };
                let spec = BodySpec::new("ice", slab, pose, Motion::Fixed);
                world.add_body(BodySpec { friction: 0.0, ..spec }).unwrap();
            }
            let layer = Shape::Box { half_extents: Vec3::new(0.9, 0.6, 0.15) };
            let pose = Pose { translation: MIDDLE_M + rotation * Vec3::Z * 0.3, rotation };
            place(&mut world, soil, layer, pose);
            run(&mut world, 120);
            centroid(&world, rotation)
        });
        assert_eq!(without, with, "{size} m");
    }
}

#[test]
fn soil_wakes_when_its_plate_becomes_slippery() {
    let rotation = lean(20.0, 0.0);
    let (mut world, soil) = world(0.1);
    world.add_body(plate(40.0, Motion::Fixed, rotation)).unwrap();
    cover(&mut world, soil, rotation);
    come_to_rest(&mut world, 1200);
    assert!(share_on(&world, rotation) > 0.7);
    world.set_body_friction(0.1).unwrap();
    come_to_rest(&mut world, 1200);
    assert!(share_on(&world, rotation) < 0.015);
}

#[test]
fn neither_threads_nor_lost_caches_nor_saving_change_a_slide() {
    let digest = |threads: usize, forgetful: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, soil) = world(0.1);
            let key = |time_s, deg| Key { time_s, pose: at_middle(lean(deg, 20.0)) };
            let track = Track { keys: vec![key(0.0, 0.0), key(1.0, 25.0)], repeat: false };
            world.add_body(plate(10.0, Motion::Scripted(track), Quat::IDENTITY)).unwrap();
            cover(&mut world, soil, Quat::IDENTITY);
            for step in 0..90 {
                world.step(STEP_S);
                if forgetful {
                    world.drop_caches();
                    if step % 30 == 0 {
                        world = World::from_state(world.state().clone()).unwrap();
                    }
                }
            }
            world.digest()
        })
    };
    let plain = digest(1, false);
    assert_eq!([digest(2, false), digest(2, true)], [plain, plain]);
}
