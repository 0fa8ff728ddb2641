//! Terrain regions: height fields and densities, brick by brick against their definitions.

use barchan_volume::brick::{brick_box, voxel_index};
use barchan_volume::{Caves, Coverage, Density, Fractal, HeightSamples, Heights, HeightsError, VoxelBox};
use glam::{IVec3, Vec2, Vec3};
use proptest::prelude::*;

fn heights(width: usize, height: usize, samples_m: Vec<f32>) -> Heights {
    Heights::new(HeightSamples { width, height, cell_size_m: 0.5, origin: Vec2::new(-3.0, 1.0), samples_m })
        .unwrap()
}

fn samples() -> impl Strategy<Value = Heights> {
    (2..40usize, 2..40usize).prop_flat_map(|(width, height)| {
        let sample = prop_oneof![12 => -4.0..4.0f32, 1 => Just(f32::NAN)];
        prop::collection::vec(sample, width * height).prop_map(move |samples| heights(width, height, samples))
    })
}

fn check_answer(answer: Coverage, out: &[f32; 512]) {
    assert!(out.iter().all(|f| (0.0..=1.0).contains(f)));
    let expected = match (out.iter().all(|&f| f == 0.0), out.iter().all(|&f| f == 1.0)) {
        (true, _) => Coverage::Empty,
        (_, true) => Coverage::Full,
        _ => Coverage::Partial,
    };
    assert_eq!(answer, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn voxels_are_filled_up_to_the_height((heights, voxel_size_m) in (samples(), 0.05..0.6f32)) {
        let mut out = [9.0; 512];
        let middle = (heights.bounds().min.truncate() + heights.bounds().max.truncate()) * 0.5 / voxel_size_m;
        let near = if middle.is_finite() { middle.extend(0.0).as_ivec3() >> 3 } else { IVec3::ZERO };
        for coord in VoxelBox::new(near - IVec3::new(2, 2, 5), near + 2).cells() {
            let answer = heights.coverage(coord, voxel_size_m, &mut out);
            check_answer(answer, &out);
            for p in brick_box(coord).cells() {
                let at = (p.as_vec3() + 0.5) * voxel_size_m;
                let fill = heights.height_m(at.truncate()).map_or(0.0, |h| h / voxel_size_m - p.z as f32);
                // A column on the border of the rectangle or of a hole falls to either side by rounding.
                let ground = |dx: f32, dy: f32| heights.height_m(at.truncate() + Vec2::new(dx, dy)).is_some();
                let corners = [ground(1e-4, 1e-4), ground(1e-4, -1e-4), ground(-1e-4, 1e-4), ground(-1e-4, -1e-4)];
                if corners.iter().all(|&corner| corner == corners[0]) {
                    prop_assert!((out[voxel_index(p)] - fill.clamp(0.0, 1.0)).abs() < 1e-3, "{}", p);
                }
            }
        }
    }

    #[test]
    fn heights_lie_between_their_samples((heights, x, y) in (samples(), -4.0..18.0f32, 0.0..22.0f32)) {
        let HeightSamples { width, height, cell_size_m, origin, ref samples_m } = *heights.samples();
        let place = (Vec2::new(x, y) - origin) / cell_size_m;
        let inside = place.cmpge(Vec2::ZERO).all() && place.x <= (width - 1) as f32 && place.y <= (height - 1) as f32;
        let found = heights.height_m(Vec2::new(x, y));
        if !inside {
            prop_assert_eq!(found, None);
            return Ok(());
        }
        let cell = place.as_uvec2().min(glam::UVec2::new(width as u32 - 2, height as u32 - 2));
        let at = cell.y as usize * width + cell.x as usize;
        let corners = [at, at + 1, at + width, at + width + 1].map(|i| samples_m[i]);
        prop_assert_eq!(found.is_none(), corners.iter().any(|h| h.is_nan()));
        if let Some(found) = found {
            let low = corners.iter().copied().fold(f32::INFINITY, f32::min);
            let high = corners.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            prop_assert!(found >= low - 1e-4 && found <= high + 1e-4);
        }
    }
}

#[test]
fn a_plane_is_a_plane_and_ends_at_its_rectangle() {
    let samples: Vec<f32> = (0..9 * 5).map(|i| 0.5 * (i % 9) as f32).collect();
    let ramp = heights(9, 5, samples);
    assert_eq!(ramp.height_m(Vec2::new(-3.0, 1.0)), Some(0.0));
    assert_eq!(ramp.height_m(Vec2::new(1.0, 3.0)), Some(4.0));
    assert_eq!(ramp.height_m(Vec2::new(-0.75, 2.2)), Some(2.25));
    assert_eq!(ramp.height_m(Vec2::new(-3.01, 2.0)), None);
    assert_eq!(ramp.bounds().max, Vec3::new(1.0, 3.0, 4.0));
    assert_eq!(ramp.bounds().min.truncate(), Vec2::new(-3.0, 1.0));
}

#[test]
fn ground_made_of_holes_is_empty() {
    let nothing = heights(3, 3, vec![f32::NAN; 9]);
    let mut out = [9.0; 512];
    assert_eq!(nothing.coverage(IVec3::new(-1, 0, -100), 0.5, &mut out), Coverage::Empty);
    assert_eq!(out, [0.0; 512]);
    assert!(nothing.bounds().min.x > nothing.bounds().max.x);
    assert!(nothing == nothing.clone());
}

#[test]
fn bad_samples_are_refused() {
    let samples =
        HeightSamples { width: 2, height: 2, cell_size_m: 1.0, origin: Vec2::ZERO, samples_m: vec![0.0; 4] };
    assert!(Heights::new(samples.clone()).is_ok());
    let error = |change: fn(&mut HeightSamples)| {
        let mut samples = samples.clone();
        change(&mut samples);
        Heights::new(samples).unwrap_err()
    };
    assert!(matches!(error(|s| s.width = 1), HeightsError::TooSmall { width: 1, height: 2 }));
    assert!(matches!(error(|s| s.width = usize::MAX), HeightsError::Count { found: 4, .. }));
    assert!(matches!(error(|s| s.cell_size_m = 0.0), HeightsError::Placement { .. }));
    assert!(matches!(error(|s| s.origin.x = f32::NAN), HeightsError::Placement { .. }));
    assert!(matches!(error(|s| s.samples_m[3] = f32::INFINITY), HeightsError::Infinite { index: 3 }));
}

#[test]
fn fractal_heights_are_the_fractal() {
    let fractal = Fractal { frequency_per_m: 0.2, ..Fractal::default() };
    let heights = Heights::from_fractal([20, 10], 0.5, Vec2::new(5.0, -5.0), (3.0, 2.0), &fractal).unwrap();
    let mut value = [0.0];
    let spacing = barchan_volume::Spacing::corners(0.5);
    fractal.fill_plane(glam::IVec2::new(7, 4), [1, 1], spacing, &mut value);
    assert_eq!(heights.height_m(Vec2::new(8.5, -3.0)), Some(3.0 + 2.0 * value[0]));
    assert!(Heights::from_fractal([0, 10], 0.5, Vec2::ZERO, (0.0, 1.0), &fractal).is_err());
}

#[test]
fn a_flat_density_is_a_plane() {
    let flat = Density { base_height_m: 0.65, relief_m: 0.0, overhang_m: 0.0, ..Density::default() };
    let mut out = [9.0; 512];
    assert_eq!(flat.coverage(IVec3::new(3, -4, 0), 0.5, &mut out), Coverage::Partial);
    for (i, fill) in out.iter().enumerate() {
        let expected = [1.0, 0.3, 0.0][(i & 7).min(2)];
        assert!((fill - expected).abs() < 1e-4, "{i}: {fill}");
    }
    assert_eq!(flat.coverage(IVec3::new(3, -4, 1), 0.5, &mut out), Coverage::Empty);
    assert_eq!(out, [0.0; 512]);
    assert_eq!(flat.coverage(IVec3::new(3, -4, -2), 0.5, &mut out), Coverage::Full);
    assert_eq!(out, [1.0; 512]);
}

#[test]
fn hills_have_overhangs_and_caves() {
    let plain = Density { overhang_m: 0.0, ..Density::default() };
    let bent = Density { overhang_m: Density::default().overhang_m, ..plain.clone() };
    let holed = Density { caves: Some(Caves::default()), ..plain.clone() };
    // Columns in which a voxel holds more ground than the one below it.
    let roofs = |terrain: &Density| {
        let mut out = [0.0; 512];
        let mut count = 0;
        for coord in VoxelBox::new(IVec3::new(0, 0, -6), IVec3::new(10, 10, 4)).cells() {
            let answer = terrain.coverage(coord, 0.5, &mut out);
            check_answer(answer, &out);
            count += out.chunks(8).filter(|column| column.windows(2).any(|w| w[0] + 0.2 < w[1])).count();
        }
        count
    };
    assert_eq!(roofs(&plain), 0);
    assert!(roofs(&bent) > 10);
    assert!(roofs(&holed) > 10);
}

#[test]
fn nothing_is_above_the_bounds_and_bad_densities_are_refused() {
    let terrain = Density { caves: Some(Caves::default()), ..Density::default() };
    assert!(terrain.check().is_ok());
    let top = (terrain.bounds().max.z / 0.5).ceil() as i32;
    let mut out = [9.0; 512];
    for x in 0..40 {
        assert_eq!(terrain.coverage(IVec3::new(x, -x, (top >> 3) + 1), 0.5, &mut out), Coverage::Empty);
    }
    for (bad, field) in [
        (Density { relief_m: -1.0, ..terrain.clone() }, "relief_m"),
        (Density { overhang_m: f32::NAN, ..terrain.clone() }, "overhang_m"),
        (Density { relief: Fractal { octaves: 0, ..terrain.relief }, ..terrain.clone() }, "relief: octaves"),
        (
            Density { caves: Some(Caves { radius_m: 0.0, ..Caves::default() }), ..terrain.clone() },
            "caves.radius_m",
        ),
    ] {
        assert!(bad.check().unwrap_err().to_string().starts_with(field));
    }
}
