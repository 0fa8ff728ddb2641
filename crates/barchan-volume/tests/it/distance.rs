//! Distances against planes and balls, and between neighbouring bricks.

use barchan_volume::{DistanceScratch, Grid, VoxelBox, signed_distance};
use glam::{IVec3, Vec3};
use proptest::prelude::*;

const BAND: u8 = 3;
const EDGE: usize = 32;

/// Mean and largest error within the band, away from the border of the box, for a fill that rises over one voxel.
fn errors(distance: impl Fn(Vec3) -> f32) -> (f32, f32) {
    let region = VoxelBox::new(IVec3::ZERO, IVec3::splat(EDGE as i32));
    let centre = |p: IVec3| p.as_vec3() + 0.5;
    let fill: Vec<f32> = region.cells().map(|p| (0.5 - distance(centre(p))).clamp(0.0, 1.0)).collect();
    let found = signed_distance(&fill, [EDGE; 3], BAND);
    let clear = region.grow(-(i32::from(BAND) + 2));
    let (mut sum, mut largest, mut count) = (0.0, 0.0f32, 0);
    for p in clear.cells() {
        let (found, exact) = (found[region.index(p)], distance(centre(p)));
        if exact.abs() < f32::from(BAND) {
            let error = (found - exact).abs();
            (sum, largest, count) = (sum + error, largest.max(error), count + 1);
        }
    }
    assert!(count > 100, "no surface in the box");
    (sum / count as f32, largest)
}

fn unit() -> impl Strategy<Value = Vec3> {
    let side = || -1.0..1.0f32;
    (side(), side(), side()).prop_map(Vec3::from).prop_filter_map("a direction", |v| v.try_normalize())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_plane_at_any_tilt((normal, offset) in (unit(), -2.0..2.0f32)) {
        let middle = Vec3::splat(EDGE as f32 / 2.0) + normal * offset;
        let (mean, largest) = errors(|p| (p - middle).dot(normal));
        prop_assert!(mean < 0.1, "mean error {}", mean);
        prop_assert!(largest < 0.25, "largest error {}", largest);
    }

    #[test]
    fn a_ball((shift, radius) in (unit(), 6.0..9.5f32)) {
        let (mean, largest) = errors(|p| (p - EDGE as f32 / 2.0 - shift).length() - radius);
        prop_assert!(mean < 0.1, "mean error {}", mean);
        prop_assert!(largest < 0.35, "largest error {}", largest);
    }

    #[test]
    fn bricks_agree_with_the_whole((shift, radius) in (unit(), 3.0..12.0f32)) {
        let region = VoxelBox::new(IVec3::splat(-16), IVec3::splat(16));
        let wide = region.grow(8);
        let fill: Vec<f32> =
            wide.cells().map(|p| (0.5 + radius - (p.as_vec3() + 0.5 - shift).length()).clamp(0.0, 1.0)).collect();
        let whole = signed_distance(&fill, wide.size(), BAND);
        let mut grid = Grid::new(0.0);
        grid.write_box(wide, &fill);
        let mut scratch = DistanceScratch::default();
        let mut brick = [0.0; 512];
        for coord in region.to_bricks().cells() {
            let found = grid.distance_brick(coord, BAND, |v| v, &mut scratch, &mut brick);
            prop_assert!(found || brick.iter().all(|d| d.abs() == f32::from(BAND)));
            for (p, found) in barchan_volume::brick::brick_box(coord).cells().zip(brick) {
                let expected = whole[wide.index(p)];
                // Upwind paths from beyond the margin are missing, but those are never much shorter.
                prop_assert!((found - expected).abs() < 0.01, "{}: {} alone, {} in the whole", p, found, expected);
            }
        }
    }

    #[test]
    fn the_sign_is_that_of_the_fill(fill in prop::collection::vec(0.0..1.0f32, 12 * 12 * 12)) {
        let found = signed_distance(&fill, [12; 3], BAND);
        for (fill, found) in fill.iter().zip(found) {
            prop_assert!(found.is_finite() && found.abs() <= f32::from(BAND));
            let inside = *fill >= 0.5;
            prop_assert!(found == 0.0 || inside == (found < 0.0));
        }
    }
}

#[test]
fn without_a_surface_everything_is_far() {
    let mut grid = Grid::new(1u8);
    let mut out = [0.0; 512];
    let mut scratch = DistanceScratch::default();
    assert!(!grid.distance_brick(IVec3::ZERO, BAND, f32::from, &mut scratch, &mut out));
    assert!(out.iter().all(|&d| d == -3.0));
    grid.fill_box(VoxelBox::new(IVec3::splat(-80), IVec3::splat(80)), 0);
    assert!(!grid.distance_brick(IVec3::ZERO, BAND, f32::from, &mut scratch, &mut out));
    assert!(out.iter().all(|&d| d == 3.0));
}

#[test]
fn a_level_exactly_at_a_voxel_is_no_distance_away() {
    let fill = [1.0, 1.0, 0.5, 0.0, 0.0];
    let found = signed_distance(&fill, [1, 1, 5], BAND);
    assert_eq!(found, [-2.0, -1.0, 0.0, 1.0, 2.0]);
}
