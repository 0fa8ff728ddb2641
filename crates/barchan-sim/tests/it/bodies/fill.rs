//! The share of voxels that bodies take.

use barchan_sim::bodies::{BODY_FULL, Bodies, BodyFill, BodySpec, Motion};
use barchan_volume::brick::brick_of;
use barchan_volume::{Pose, Shape, VoxelBox};
use glam::{IVec3, Quat, Vec3};
use proptest::prelude::*;

use super::{DT_S, FLOOR, GRAVITY, Numbers, ball, cube, run, stack_and_blade};

fn total(fill: &BodyFill) -> u64 {
    fill.shares().bricks().map(|(_, brick)| (0..512).map(|i| u64::from(brick.get(i))).sum::<u64>()).sum()
}

fn updated(bodies: &Bodies, voxel_size_m: f32, bounds: Option<VoxelBox>) -> BodyFill {
    let mut fill = BodyFill::new();
    fill.update(bodies, voxel_size_m, bounds);
    fill
}

fn assert_same(a: &BodyFill, b: &BodyFill, what: &str) {
    assert!(a.shares() == b.shares(), "{what}: shares differ");
    for (brick, _) in a.shares().bricks().chain(b.shares().bricks()) {
        assert_eq!(a.bodies_in(brick), b.bodies_in(brick), "{what}: brick {brick}");
    }
    assert_eq!(a.shares().brick_count(), b.shares().brick_count(), "{what}");
}

prop_compose! {
    fn pose()(at in prop::array::uniform3(-3.0f32..3.0), axis in prop::array::uniform3(-1.0f32..1.0), angle in 0.0f32..6.3)
        -> Pose {
        let axis = Vec3::from_array(axis).try_normalize().unwrap_or(Vec3::Z);
        Pose::new(Vec3::from_array(at), Quat::from_axis_angle(axis, angle))
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    // Voxels are a tenth of a metre: eight voxels across are a half size of 0.4 m.
    prop_oneof![
        prop::array::uniform3(0.4f32..1.2)
            .prop_map(|half| Shape::Box { half_extents: Vec3::from_array(half) }),
        (0.4f32..1.2).prop_map(|radius| Shape::Ball { radius }),
        (0.4f32..1.2, 0.4f32..1.2).prop_map(|(radius, half_height)| Shape::Cylinder { radius, half_height }),
    ]
}

proptest! {
    #[test]
    fn voxels_hold_the_volume_of_the_body(shape in shape(), pose in pose()) {
        let mut bodies = Bodies::new();
        bodies.insert(BodySpec::new("body", shape.clone(), pose, Motion::Dynamic)).unwrap();
        let fill = updated(&bodies, 0.1, None);
        let volume = total(&fill) as f64 / f64::from(BODY_FULL) * 1e-3;
        let expected = f64::from(shape.volume_m3());
        prop_assert!((volume / expected - 1.0).abs() < 0.02, "{volume} m³ against {expected} m³");
    }
}

#[test]
fn following_is_the_same_as_starting_anew() {
    let mut bodies = stack_and_blade();
    let mut numbers = Numbers(99);
    let mut fill = BodyFill::new();
    for step in 0..60 {
        run(&mut bodies, step, 1);
        let ids: Vec<_> = bodies.iter().map(|body| body.id).collect();
        let some = ids[numbers.below(ids.len())];
        match step % 10 {
            3 => drop(bodies.set_pose(some, Pose::new(numbers.vector(1.0), numbers.turn()))),
            5 => assert!(bodies.remove(some)),
            7 => drop(bodies.insert(ball("late", numbers.between(0.1, 0.5), numbers.vector(1.0))).unwrap()),
            _ => {}
        }
        let bounds = (step > 40).then_some(VoxelBox::new(IVec3::splat(-9), IVec3::splat(13)));
        let before = fill.clone();
        let changed = fill.update(&bodies, 0.07, bounds);
        let fresh = updated(&bodies, 0.07, bounds);
        assert_same(&fill, &fresh, &format!("step {step}"));
        assert!(changed.is_sorted_by_key(|brick| brick.to_array()), "step {step}");
        let all = before.shares().bricks().chain(fill.shares().bricks()).map(|(brick, _)| brick);
        for brick in all {
            let same = before.shares().brick(brick) == fill.shares().brick(brick)
                && before.bodies_in(brick) == fill.bodies_in(brick);
            assert_eq!(changed.contains(&brick), !same, "step {step}, brick {brick}");
        }
    }
}

#[test]
fn threads_make_no_difference() {
    let mut bodies = stack_and_blade();
    run(&mut bodies, 0, 20);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| updated(&bodies, 0.02, None))
    };
    assert_same(&with(1), &with(4), "1 and 4 threads");
}

#[test]
fn bodies_at_rest_change_nothing() {
    let mut bodies = Bodies::new();
    bodies.insert(cube("rock", 0.3, Vec3::ZERO, Motion::Fixed)).unwrap();
    let moving = bodies.insert(ball("ball", 0.2, Vec3::new(5.0, 0.0, 5.0))).unwrap();
    let mut fill = BodyFill::new();
    assert!(!fill.update(&bodies, 0.1, None).is_empty());
    assert_eq!(fill.update(&bodies, 0.1, None), []);
    bodies.step(DT_S, GRAVITY, 0.0, Some(FLOOR));
    let changed = fill.update(&bodies, 0.1, None);
    let home = brick_of((bodies.get(moving).unwrap().pose.translation / 0.1).as_ivec3());
    assert!(!changed.is_empty() && changed.iter().all(|brick| (*brick - home).abs().max_element() <= 1));
}

#[test]
fn overlapping_bodies_fill_a_voxel_no_more_than_once() {
    let mut bodies = Bodies::new();
    let half = Vec3::new(0.05, 0.05, 0.025);
    for (name, z) in [("low", 0.025), ("middle", 0.05), ("high", 0.075)] {
        let pose = Pose::at(Vec3::new(0.05, 0.05, z));
        bodies.insert(BodySpec::new(name, Shape::Box { half_extents: half }, pose, Motion::Fixed)).unwrap();
    }
    let fill = updated(&bodies, 0.1, None);
    assert_eq!(fill.shares().get(IVec3::ZERO), BODY_FULL);
    assert_eq!(fill.bodies_in(IVec3::ZERO).len(), 3);
    let last = bodies.iter().last().unwrap().id;
    let middle = bodies.iter().nth(1).unwrap().id;
    bodies.remove(last);
    bodies.remove(middle);
    let mut fill = fill;
    assert_eq!(fill.update(&bodies, 0.1, None), [IVec3::ZERO]);
    let half_full = f32::from(fill.shares().get(IVec3::ZERO)) / f32::from(BODY_FULL);
    assert!((half_full - 0.5).abs() < 0.01, "{half_full}");
}

#[test]
fn nothing_is_filled_outside_the_bounds() {
    let mut bodies = Bodies::new();
    bodies.insert(cube("block", 1.0, Vec3::ZERO, Motion::Fixed)).unwrap();
    let bounds = VoxelBox::new(IVec3::new(-3, -100, 0), IVec3::new(5, 100, 100));
    let fill = updated(&bodies, 0.1, Some(bounds));
    assert_eq!(total(&fill), 8 * 20 * 10 * u64::from(BODY_FULL));
    assert_eq!(fill.shares().get(IVec3::new(-4, 0, 0)), 0);
    assert_eq!(fill.shares().get(IVec3::new(-3, 0, 0)), BODY_FULL);
}

#[test]
fn what_is_too_large_for_the_voxels_is_left_out_and_told() {
    let mut bodies = Bodies::new();
    let planet = bodies.insert(ball("planet", 4000.0, Vec3::ZERO)).unwrap();
    let far = bodies.insert(ball("far", 1.0, Vec3::new(9e5, 0.0, 0.0))).unwrap();
    let pebble = bodies.insert(ball("pebble", 0.01, Vec3::ZERO)).unwrap();
    let mut fill = updated(&bodies, 1e-4 * 5.0, None);
    assert_eq!(fill.oversized(), [planet, far]);
    assert!(fill.bodies_in(IVec3::ZERO).contains(&pebble));
    fill.update(&bodies, 5e-4, None);
    assert_eq!(fill.oversized(), [planet, far], "and is told again");
    // With bounds the planet fits.
    let bounds = VoxelBox::new(IVec3::splat(-8), IVec3::splat(8));
    fill.update(&bodies, 5e-4, Some(bounds));
    assert_eq!(fill.oversized(), [far]);
    assert_eq!(fill.shares().get(IVec3::ZERO), BODY_FULL);
    for nonsense in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(total(&updated(&bodies, nonsense, None)), 0);
    }
}
