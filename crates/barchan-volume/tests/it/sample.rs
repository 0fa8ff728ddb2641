//! Interpolation against its definition.

use barchan_volume::{Grid, VoxelBox};
use glam::{IVec3, Vec3};
use proptest::prelude::*;

use crate::dense::{edited, edits};

fn half(v: u8) -> f32 {
    f32::from(v) * 0.5
}

/// Trilinear interpolation, corner by corner.
fn naive(grid: &Grid<u8>, p: Vec3) -> f32 {
    let q = p - 0.5;
    let base = q.floor();
    let place = q - base;
    let corners = VoxelBox::new(IVec3::ZERO, IVec3::splat(2));
    let weight =
        |c: IVec3| (0..3).map(|i| if c[i] == 1 { place[i] } else { 1.0 - place[i] }).product::<f32>();
    corners.cells().map(|c| weight(c) * half(grid.get(base.as_ivec3() + c))).sum()
}

fn position() -> impl Strategy<Value = Vec3> {
    let side = || prop_oneof![-14.0..14.0f32, (-28..28i32).prop_map(|i| i as f32 * 0.5)];
    (side(), side(), side()).prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_sample_is_the_weighted_mean_of_eight_voxels((edits, p) in (edits(12), position())) {
        let (grid, _) = edited(IVec3::ZERO, &edits);
        prop_assert!((grid.sample(p, half) - naive(&grid, p)).abs() < 1e-5);
    }

    #[test]
    fn the_gradient_is_the_slope_within_the_cell((edits, p) in (edits(12), position())) {
        let (grid, _) = edited(IVec3::ZERO, &edits);
        let base = (p - 0.5).floor();
        // Well inside the cell, where the slope does not jump.
        let p = base + 0.5 + (p - 0.5 - base).clamp(Vec3::splat(0.1), Vec3::splat(0.9));
        let (value, gradient) = grid.sample_with_gradient(p, half);
        prop_assert_eq!(value, grid.sample(p, half));
        for axis in 0..3 {
            let step = Vec3::AXES[axis] * 0.05;
            let slope = (grid.sample(p + step, half) - grid.sample(p - step, half)) / 0.1;
            prop_assert!((slope - gradient[axis]).abs() < 1e-3, "{} {} {}", axis, slope, gradient);
        }
    }

    #[test]
    fn the_smooth_gradient_is_a_difference_over_two_voxels((edits, p) in (edits(12), position())) {
        let (grid, _) = edited(IVec3::ZERO, &edits);
        let smooth = grid.smooth_gradient(p, half);
        for axis in 0..3 {
            let step = Vec3::AXES[axis];
            let slope = 0.5 * (grid.sample(p + step, half) - grid.sample(p - step, half));
            prop_assert!((slope - smooth[axis]).abs() < 1e-4);
        }
    }
}

#[test]
fn a_linear_field_is_sampled_exactly() {
    let mut grid = Grid::new(0.0f32);
    let slope = Vec3::new(0.25, -0.5, 1.5);
    let region = VoxelBox::new(IVec3::splat(-12), IVec3::splat(12));
    let values: Vec<f32> = region.cells().map(|p| (p.as_vec3() + 0.5).dot(slope)).collect();
    grid.write_box(region, &values);
    for p in [Vec3::ZERO, Vec3::new(7.9, -8.1, 0.3), Vec3::splat(-7.75)] {
        let (value, gradient) = grid.sample_with_gradient(p, |v| v);
        assert!((value - p.dot(slope)).abs() < 1e-5);
        assert!((gradient - slope).length() < 1e-5);
        assert!((grid.smooth_gradient(p, |v| v) - slope).length() < 1e-5);
        assert!((grid.normal(p, |v| v).unwrap() + slope.normalize()).length() < 1e-5);
    }
}

#[test]
fn there_is_no_normal_in_the_air_and_no_panic_at_the_end_of_space() {
    let grid = Grid::new(1u8);
    assert_eq!(grid.normal(Vec3::ZERO, half), None);
    for p in [Vec3::MAX, Vec3::MIN, Vec3::INFINITY, Vec3::NEG_INFINITY] {
        assert_eq!(grid.sample(p, half), 0.5);
        assert_eq!(grid.smooth_gradient(p, half), Vec3::ZERO);
    }
    assert!(!grid.sample(Vec3::NAN, half).is_infinite());
}
