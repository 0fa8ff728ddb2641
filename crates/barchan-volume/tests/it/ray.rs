//! Rays against the interval in which a line is inside each voxel, and against tiny steps.

use std::ops::ControlFlow;

use barchan_volume::{Grid, RayVoxel};
use glam::{DVec3, IVec3, Vec3};
use proptest::prelude::*;

use crate::dense::{Dense, HALF, edited, edits};

/// Shorter stays in a voxel than this are left to rounding (lengths of the direction).
const BRIEF: f64 = 1e-4;

fn visited(
    grid: &Grid<u8>,
    origin: Vec3,
    direction: Vec3,
    max_t: f32,
    skip: impl Fn(u8) -> bool,
) -> Vec<RayVoxel<u8>> {
    let mut visited = Vec::new();
    let end = grid.walk_ray(origin, direction, max_t, skip, |voxel| {
        visited.push(voxel);
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(end, None);
    visited
}

/// Where the ray is inside voxel `p`.
fn inside(p: IVec3, origin: Vec3, direction: Vec3, max_t: f32) -> (f64, f64) {
    let (origin, direction) = (origin.as_dvec3(), direction.as_dvec3());
    let (mut enter, mut exit) = (0.0f64, f64::from(max_t));
    for axis in 0..3 {
        let (low, high) = (f64::from(p[axis]), f64::from(p[axis]) + 1.0);
        if direction[axis] == 0.0 {
            // On a face between two voxels the ray belongs to the upper one.
            if origin[axis] < low || origin[axis] >= high {
                return (0.0, 0.0);
            }
            continue;
        }
        let (a, b) = ((low - origin[axis]) / direction[axis], (high - origin[axis]) / direction[axis]);
        enter = enter.max(a.min(b));
        exit = exit.min(a.max(b));
    }
    (enter, exit)
}

fn origin() -> impl Strategy<Value = Vec3> {
    let side = || prop_oneof![-14.0..14.0f32, (-56..56i32).prop_map(|i| i as f32 * 0.25)];
    (side(), side(), side()).prop_map(Vec3::from)
}

fn direction() -> impl Strategy<Value = Vec3> {
    let side = || prop_oneof![-1.0..1.0f32, (-2..=2i32).prop_map(|i| i as f32 * 0.5)];
    (side(), side(), side()).prop_map(Vec3::from).prop_filter("a direction", |d| d.length() > 0.1)
}

fn check_order(walked: &[RayVoxel<u8>], dense: &Dense) {
    for step in walked {
        assert!(step.t_enter < step.t_exit || step.t_exit - step.t_enter < 1e-6);
        if dense.region.contains(step.voxel) {
            assert_eq!(step.value, dense.get(step.voxel));
        }
    }
    assert!(walked.windows(2).all(|w| w[0].t_exit <= w[1].t_enter));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_voxel_on_the_way_is_visited_once((edits, origin, direction) in (edits(8), origin(), direction())) {
        let (grid, dense) = edited(IVec3::ZERO, &edits);
        let walked = visited(&grid, origin, direction, 40.0, |_| false);
        check_order(&walked, &dense);
        prop_assert!(walked.windows(2).all(|w| w[0].t_exit == w[1].t_enter));
        prop_assert_eq!((walked[0].t_enter, walked.last().unwrap().t_exit), (0.0, 40.0));
        for step in &walked {
            let (enter, exit) = inside(step.voxel, origin, direction, 40.0);
            prop_assert!((f64::from(step.t_enter) - enter).abs() < BRIEF, "{:?} at {}", step, enter);
            prop_assert!((f64::from(step.t_exit) - exit).abs() < BRIEF, "{:?} until {}", step, exit);
        }
        for p in dense.region.cells() {
            let (enter, exit) = inside(p, origin, direction, 40.0);
            if exit - enter > BRIEF {
                prop_assert_eq!(walked.iter().filter(|step| step.voxel == p).count(), 1, "{} is missing", p);
            }
        }
    }

    #[test]
    fn skipping_passes_over_nothing_but_air((edits, origin, direction) in (edits(12), origin(), direction())) {
        let (grid, dense) = edited(IVec3::ZERO, &edits);
        let walked = visited(&grid, origin * 3.0, direction, f32::INFINITY, |v| v == 0);
        check_order(&walked, &dense);
        for p in dense.region.cells().filter(|p| dense.get(*p) != 0) {
            let (enter, exit) = inside(p, origin * 3.0, direction, f32::INFINITY);
            prop_assert!(exit - enter < BRIEF || walked.iter().any(|step| step.voxel == p), "{} is missing", p);
        }
    }

    #[test]
    fn a_cast_ends_where_tiny_steps_do((edits, origin, direction) in (edits(8), origin(), direction())) {
        let fill = |v: u8| f32::from(v) * 0.5;
        let (grid, _) = edited(IVec3::ZERO, &edits);
        let direction = direction.normalize();
        let max_t = 30.0;
        let hit = grid.cast_ray(origin, direction, max_t, fill);
        let level = |t: f32| grid.sample(origin + direction * t, fill);
        let stepped = (0..3000).map(|i| i as f32 * 0.01).find(|&t| level(t) >= 0.501);
        if let Some(t) = stepped {
            prop_assert!(hit.is_some_and(|hit| hit.t <= t), "missed the surface at {}: {:?}", t, hit);
        }
        if let Some(hit) = hit {
            prop_assert!(hit.t >= 0.0 && hit.t <= max_t);
            let value = level(hit.t);
            let starts_inside = hit.t == 0.0 && value >= 0.5;
            prop_assert!(starts_inside || (value - 0.5).abs() < 1e-3, "{}", value);
            prop_assert!((hit.normal.length() - 1.0).abs() < 1e-4);
            prop_assert!(fill(grid.get(hit.voxel)) >= 0.5);
            let centre = hit.voxel.as_vec3() + 0.5;
            prop_assert!((centre - origin - direction * hit.t).abs().max_element() < 1.001);
        }
    }
}

#[test]
fn a_wall_is_hit_at_its_surface() {
    let mut grid = Grid::new(0.0f32);
    grid.fill_box(barchan_volume::VoxelBox::new(IVec3::new(-8, -50, -50), IVec3::new(0, 50, 50)), 1.0);
    for (origin, direction, t) in [
        (Vec3::new(1e6, 0.5, 0.5), Vec3::NEG_X, 1e6),
        (Vec3::new(-20.0, 3.0, -3.0), Vec3::X, 12.0),
        (Vec3::new(-20.0, 3.0, -3.0), Vec3::X * 4.0, 3.0),
        (Vec3::new(8.0, 8.0, 8.0), -Vec3::ONE, 8.0),
    ] {
        let hit = grid.cast_ray(origin, direction, f32::INFINITY, |v| v).expect("hits the wall");
        assert!((hit.t - t).abs() < 1e-5 * t, "{hit:?}");
        assert!((hit.normal - Vec3::X * hit.normal.x.signum()).length() < 1e-5);
        assert!(hit.normal.dot(direction) < 0.0);
    }
    assert_eq!(grid.cast_ray(Vec3::splat(5.0), Vec3::X, f32::INFINITY, |v| v), None);
    assert_eq!(grid.cast_ray(Vec3::new(1e6, 0.5, 0.5), Vec3::NEG_X, 100.0, |v| v), None);
}

#[test]
fn a_ray_that_starts_inside_hits_at_once() {
    let grid = Grid::new(1u8);
    let hit = grid.cast_ray(Vec3::splat(0.25), Vec3::Z, f32::INFINITY, f32::from).expect("inside");
    assert_eq!((hit.t, hit.normal), (0.0, Vec3::NEG_Z));
}

#[test]
fn a_hollow_in_endless_rock_ends_a_ray() {
    let mut grid = Grid::new(1u8);
    grid.fill_box(barchan_volume::VoxelBox::new(IVec3::ZERO, IVec3::splat(8)), 0);
    let hit = grid.cast_ray(Vec3::splat(4.0), Vec3::X, f32::INFINITY, f32::from).expect("the far wall");
    assert!((hit.t - 4.0).abs() < 1e-5);
}

#[test]
fn directions_that_lead_nowhere_find_nothing() {
    let mut grid = Grid::new(0u8);
    grid.fill_box(barchan_volume::VoxelBox::new(IVec3::splat(-HALF), IVec3::splat(HALF)), 1);
    let outside = Vec3::splat(-40.0);
    for direction in [Vec3::ZERO, Vec3::NAN, Vec3::new(1.0, f32::NAN, 0.0), Vec3::INFINITY] {
        assert_eq!(grid.cast_ray(outside, direction, 1e9, f32::from), None);
        assert!(visited(&grid, outside, direction, 1e9, |_| false).is_empty());
    }
    for max_t in [f32::NAN, -1.0] {
        assert_eq!(grid.cast_ray(outside, Vec3::ONE, max_t, f32::from), None);
        assert!(visited(&grid, outside, Vec3::ONE, max_t, |_| false).is_empty());
    }
    assert_eq!(grid.cast_ray(Vec3::NAN, Vec3::ONE, 1e9, f32::from), None);
    assert_eq!(grid.cast_ray(Vec3::splat(f32::MAX), Vec3::NEG_ONE, 1e9, f32::from), None);
    assert!(visited(&grid, Vec3::splat(f32::MAX), Vec3::NEG_ONE, f32::INFINITY, |_| false).len() < 100);
}

#[test]
fn rays_from_beyond_all_voxels_pass_by_or_hit() {
    let mut grid = Grid::new(0u8);
    grid.fill_box(barchan_volume::VoxelBox::new(IVec3::splat(-8), IVec3::splat(8)), 1);
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for far in [-1e11, 1e11] {
            let beside = axis * far + Vec3::new(1.0, 1.0, 1.0);
            // Along the wall of the world, away from it, and past it.
            for direction in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
                let hit = grid.cast_ray(beside, direction, f32::INFINITY, f32::from);
                assert_eq!(hit.is_some(), direction == -axis * far.signum(), "{beside} {direction}");
            }
            let oblique = Vec3::new(-1.0, -0.5, -0.7);
            assert!(grid.cast_ray(beside, oblique, f32::INFINITY, f32::from).is_none());
        }
    }
}

#[test]
fn empty_space_ends_an_endless_ray() {
    let mut grid = Grid::new(0u8);
    assert!(visited(&grid, Vec3::ZERO, Vec3::ONE, f32::INFINITY, |v| v == 0).is_empty());
    grid.set(IVec3::splat(1 << 20), 1);
    let direction = Vec3::ONE;
    let walked = visited(&grid, Vec3::splat(0.5), direction, f32::INFINITY, |v| v == 0);
    assert_eq!(walked.iter().filter(|step| step.value == 1).count(), 1);
    let far = DVec3::splat(f64::from(1 << 20) + 0.5);
    assert!(walked.len() < 40 && walked.iter().all(|step| (step.voxel.as_dvec3() - far).length() < 40.0));
}
