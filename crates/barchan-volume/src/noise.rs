//! Fractal gradient noise, made in batches.
//!
//! Every octave is Perlin's noise with unit gradients from an integer hash. At fixed x and y, the noise between two
//! lattice planes is `mix(fade(w), a + b w, c + d (w - 1))`: four numbers per lattice cell and column, after which a
//! sample costs ten operations, and gradients are made once per lattice point and batch. A value depends on its point only, never on the batch in which it was made.

use glam::{IVec2, IVec3};
use serde::{Deserialize, Serialize};

use crate::brick::{EDGE, VOXELS};

use octave::{Layer, Pair, SCALE, STEEPEST, mixed, unit_2d, unit_3d};

mod octave;

/// Sum of several octaves of gradient noise. Values lie in -1..=1 ([`Fractal::bound`]), mostly within ±0.5.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fractal {
    /// Chooses the pattern; equal seeds give equal noise on every machine.
    pub seed: u32,
    /// Lattice cells per metre of the first, widest octave (1/m).
    pub frequency_per_m: f32,
    /// Number of octaves, 1 to 16 (-).
    pub octaves: u32,
    /// Frequency of an octave over that of the one before (-).
    pub lacunarity: f32,
    /// Weight of an octave over that of the one before (-).
    pub gain: f32,
    /// Sharp crests where an octave is zero instead of rounded hills; values then lean towards 1.
    pub ridged: bool,
}

impl Default for Fractal {
    fn default() -> Self {
        Self { seed: 0, frequency_per_m: 0.05, octaves: 4, lacunarity: 2.0, gain: 0.5, ridged: false }
    }
}

/// What is wrong with a [`Fractal`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FractalError {
    /// A number is not finite or not in its range.
    #[error("{field} is {value}; it must be {allowed}")]
    Range {
        /// Name of the field.
        field: &'static str,
        /// What it holds.
        value: f32,
        /// What it may hold.
        allowed: &'static str,
    },
}

/// Evenly spaced sample points: number `i` along an axis lies at `(i + shift) * step_m`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacing {
    /// Distance of neighbouring points (m).
    pub step_m: f32,
    /// Offset of point 0 from the origin (steps).
    pub shift: f32,
}

impl Spacing {
    /// The centres of voxels.
    pub fn centres(voxel_size_m: f32) -> Self {
        Self { step_m: voxel_size_m, shift: 0.5 }
    }

    /// The lowest corners of voxels.
    pub fn corners(voxel_size_m: f32) -> Self {
        Self { step_m: voxel_size_m, shift: 0.0 }
    }
}

impl Fractal {
    /// An error when a field is out of range.
    pub fn check(&self) -> Result<(), FractalError> {
        let range = |field, value: f32, allowed, good: bool| {
            if value.is_finite() && good {
                Ok(())
            } else {
                Err(FractalError::Range { field, value, allowed })
            }
        };
        range("frequency_per_m", self.frequency_per_m, "above 0", self.frequency_per_m > 0.0)?;
        range("octaves", self.octaves as f32, "1 to 16", (1..=16).contains(&self.octaves))?;
        range("lacunarity", self.lacunarity, "1 to 8", (1.0..=8.0).contains(&self.lacunarity))?;
        range("gain", self.gain, "0 to 1", (0.0..=1.0).contains(&self.gain))
    }

    /// The largest magnitude that any value can have, in two and in three dimensions.
    pub fn bound(&self) -> f32 {
        1.0
    }

    /// The most that a value of the plane can change over a distance (1/m).
    pub fn slope_bound_2d(&self) -> f32 {
        self.slope_bound(0)
    }

    /// The most that a value of space can change over a distance (1/m).
    pub fn slope_bound_3d(&self) -> f32 {
        self.slope_bound(1)
    }

    fn slope_bound(&self, of: usize) -> f32 {
        let ridge = if self.ridged { 2.0 } else { 1.0 };
        let weighted: f32 = self.layers().map(|layer| layer.weight * layer.frequency as f32).sum();
        STEEPEST[of] * SCALE[of] * ridge * weighted
    }

    /// Values on a plane of `size` points that starts at point `start`, x slowest.
    pub fn fill_plane(&self, start: IVec2, size: [usize; 2], spacing: Spacing, out: &mut [f32]) {
        assert_eq!(size[0] * size[1], out.len(), "output does not match the plane");
        out.fill(0.0);
        if out.is_empty() {
            return;
        }
        for layer in self.layers() {
            let [x, y] = [0, 1].map(|axis| layer.axis(axis, start[axis], size[axis], spacing));
            let row = |knot: i32, row: &mut Vec<[f32; 2]>| {
                let hash = mixed(layer.seed, knot);
                row.extend(y.knots.iter().map(|&knot| unit_2d(mixed(hash, knot))));
            };
            let mut pair = Pair::default();
            let mut out = out.chunks_exact_mut(size[1]);
            for run in &x.runs {
                let (near, far) = pair.at(x.knots[run.knot], row);
                for (&u, out) in x.place[run.samples.clone()].iter().zip(&mut out) {
                    layer.add_row(u, &y, (near, far), self.ridged, out);
                }
            }
        }
    }

    /// Values in a box of `size` points that starts at point `start`, x slowest and z fastest.
    pub fn fill_box(&self, start: IVec3, size: [usize; 3], spacing: Spacing, out: &mut [f32]) {
        assert_eq!(size[0] * size[1] * size[2], out.len(), "output does not match the box");
        out.fill(0.0);
        if out.is_empty() {
            return;
        }
        for layer in self.layers() {
            let [x, y, z] = [0, 1, 2].map(|axis| layer.axis(axis, start[axis], size[axis], spacing));
            let plane = |knot: i32, plane: &mut Vec<[f32; 3]>| {
                let hash = mixed(layer.seed, knot);
                for &knot in &y.knots {
                    let hash = mixed(hash, knot);
                    plane.extend(z.knots.iter().map(|&knot| unit_3d(mixed(hash, knot))));
                }
            };
            let mut pair = Pair::default();
            let mut out = out.chunks_exact_mut(size[1] * size[2]);
            for run in &x.runs {
                let (near, far) = pair.at(x.knots[run.knot], plane);
                for (&u, out) in x.place[run.samples.clone()].iter().zip(&mut out) {
                    layer.add_slice(u, (&y, &z), (near, far), self.ridged, out);
                }
            }
        }
    }

    /// Values in a column of points that starts at point `start`, bottom first.
    pub fn fill_column(&self, start: IVec3, spacing: Spacing, out: &mut [f32]) {
        self.fill_box(start, [1, 1, out.len()], spacing, out);
    }

    /// Values at the voxel centres of a brick, in the order of [`crate::brick::voxel_index`].
    pub fn fill_brick(&self, brick: IVec3, voxel_size_m: f32, out: &mut [f32; VOXELS]) {
        let edge = EDGE as usize;
        self.fill_box(brick * EDGE, [edge; 3], Spacing::centres(voxel_size_m), out);
    }

    fn layers(&self) -> impl Iterator<Item = Layer> {
        let Self { gain, lacunarity, .. } = *self;
        let octaves = self.octaves.min(16) as usize;
        // Plain products: `powi` may round differently from machine to machine.
        let weights = std::iter::successors(Some(1.0f32), move |weight| Some(weight * gain));
        let total: f32 = weights.clone().take(octaves).sum();
        let first = f64::from(self.frequency_per_m);
        let frequencies = std::iter::successors(Some(first), move |f| Some(f * f64::from(lacunarity)));
        let seeds = (0..octaves as i32).map(|octave| mixed(self.seed, octave));
        seeds.zip(weights.zip(frequencies)).map(move |(seed, (weight, frequency))| {
            // Lattices of all octaves share no point: noise is zero on its lattice.
            let shift = [0, 1, 2].map(|axis| f64::from(mixed(seed, axis)) / 4_294_967_296.0);
            Layer { seed, frequency, shift, weight: weight / total }
        })
    }
}
