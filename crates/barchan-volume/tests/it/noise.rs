//! Noise keeps its promises: range, slope, and that a value depends on its point only.

use barchan_volume::brick::{brick_box, voxel_index};
use barchan_volume::{Fractal, Spacing, VoxelBox};
use glam::{IVec2, IVec3};
use proptest::prelude::*;

fn fractal() -> impl Strategy<Value = Fractal> {
    (any::<u32>(), 0.01..2.0f32, 1..6u32, 1.0..4.0f32, 0.0..1.0f32, any::<bool>()).prop_map(
        |(seed, frequency_per_m, octaves, lacunarity, gain, ridged)| Fractal {
            seed,
            frequency_per_m,
            octaves,
            lacunarity,
            gain,
            ridged,
        },
    )
}

fn start() -> impl Strategy<Value = IVec3> {
    let side = || prop_oneof![-1000..1000i32, Just(1 << 28), Just(-(1 << 28))];
    (side(), side(), side()).prop_map(IVec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn values_and_slopes_are_bounded((fractal, start, step) in (fractal(), start(), 0.002..0.5f32)) {
        let size = [6, 7, 8];
        let spacing = Spacing { step_m: step, shift: 0.25 };
        let mut values = vec![f32::NAN; 6 * 7 * 8];
        fractal.fill_box(start, size, spacing, &mut values);
        // What rounding adds to the difference of two values.
        let most = fractal.slope_bound_3d() * step + 1e-5;
        let at = |x: usize, y: usize, z: usize| values[(x * 7 + y) * 8 + z];
        for p in VoxelBox::new(IVec3::ZERO, IVec3::new(5, 6, 7)).cells() {
            let [x, y, z] = p.as_uvec3().to_array().map(|c| c as usize);
            prop_assert!(at(x, y, z).abs() <= fractal.bound());
            let change = [at(x + 1, y, z), at(x, y + 1, z), at(x, y, z + 1)].map(|v| v - at(x, y, z));
            prop_assert!(change.iter().all(|c| c.abs() <= most), "{:?} over {}", change, most);
        }
        let mut plane = vec![f32::NAN; 6 * 7];
        fractal.fill_plane(start.truncate(), [6, 7], spacing, &mut plane);
        let most = fractal.slope_bound_2d() * step + 1e-5;
        for (x, y) in (0..5).flat_map(|x| (0..6).map(move |y| (x, y))) {
            let v = plane[x * 7 + y];
            prop_assert!(v.abs() <= fractal.bound());
            prop_assert!((plane[x * 7 + y + 1] - v).abs() <= most && (plane[x * 7 + 7 + y] - v).abs() <= most);
        }
    }

    #[test]
    fn a_value_does_not_depend_on_its_batch((fractal, start, step) in (fractal(), start(), 0.01..3.0f32)) {
        let spacing = Spacing::corners(step);
        let region = VoxelBox::new(start, start + IVec3::new(3, 4, 9));
        let mut values = vec![0.0; 3 * 4 * 9];
        fractal.fill_box(start, [3, 4, 9], spacing, &mut values);
        let mut plane = vec![0.0; 3 * 4];
        fractal.fill_plane(start.truncate(), [3, 4], spacing, &mut plane);
        for (i, p) in region.cells().enumerate() {
            let mut alone = [0.0];
            fractal.fill_column(p, spacing, &mut alone);
            prop_assert_eq!(alone[0], values[i]);
            fractal.fill_plane(p.truncate(), [1, 1], spacing, &mut alone);
            prop_assert_eq!(alone[0], plane[i / 9]);
        }
    }

    #[test]
    fn a_brick_is_filled_at_its_voxel_centres(fractal in fractal()) {
        let coord = IVec3::new(-3, 2, 0);
        let mut brick = [0.0; 512];
        fractal.fill_brick(coord, 0.2, &mut brick);
        let p = brick_box(coord).min + IVec3::new(1, 2, 3);
        let mut alone = [0.0];
        fractal.fill_column(p, Spacing::centres(0.2), &mut alone);
        prop_assert_eq!(alone[0], brick[voxel_index(p)]);
    }
}

#[test]
fn seeds_and_octaves_differ_and_values_fill_their_range() {
    let plain = Fractal { frequency_per_m: 0.5, octaves: 1, ..Fractal::default() };
    let values = |fractal: Fractal| {
        let mut values = vec![0.0; 128 * 128];
        fractal.fill_plane(IVec2::ZERO, [128; 2], Spacing::centres(0.25), &mut values);
        values
    };
    let a = values(plain);
    assert!(a.iter().any(|&v| v > 0.5) && a.iter().any(|&v| v < -0.5));
    let mean = a.iter().sum::<f32>() / a.len() as f32;
    assert!(mean.abs() < 0.05, "mean {mean}");
    let correlation = |a: &[f32], b: &[f32]| {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    for seed in 1..20 {
        let b = values(Fractal { seed, ..plain });
        assert!(correlation(&a, &b).abs() < 0.2, "seed {seed} resembles seed 0");
    }
    let finer = values(Fractal { octaves: 2, gain: 1.0, ..plain });
    let second: Vec<f32> = finer.iter().zip(&a).map(|(sum, first)| 2.0 * sum - first).collect();
    assert!(correlation(&a, &second).abs() < 0.2);
}

#[test]
fn noise_is_the_same_on_every_machine() {
    let fractal = Fractal { seed: 7, frequency_per_m: 0.3, octaves: 5, ridged: false, ..Fractal::default() };
    let mut values = [0.0; 512];
    let digest = |values: &[f32; 512]| {
        values.iter().fold(0u32, |hash, v| (hash.rotate_left(5) ^ v.to_bits()).wrapping_mul(0x9E37_79B1))
    };
    fractal.fill_brick(IVec3::new(-1, 5, 1 << 20), 0.1, &mut values);
    assert_eq!(digest(&values), PINNED[0]);
    Fractal { ridged: true, ..fractal }.fill_brick(IVec3::new(-1, 5, 1 << 20), 0.1, &mut values);
    assert_eq!(digest(&values), PINNED[1]);
}

/// Digests of two bricks: scenes made with noise must not change from version to version unnoticed.
const PINNED: [u32; 2] = [3_831_729_960, 75_068_216];

#[test]
fn fields_out_of_range_are_named() {
    let good = Fractal::default();
    assert!(good.check().is_ok());
    for (bad, field) in [
        (Fractal { frequency_per_m: 0.0, ..good }, "frequency_per_m"),
        (Fractal { frequency_per_m: f32::NAN, ..good }, "frequency_per_m"),
        (Fractal { octaves: 0, ..good }, "octaves"),
        (Fractal { octaves: 17, ..good }, "octaves"),
        (Fractal { lacunarity: 0.5, ..good }, "lacunarity"),
        (Fractal { gain: f32::INFINITY, ..good }, "gain"),
    ] {
        assert!(bad.check().unwrap_err().to_string().starts_with(field));
    }
}
