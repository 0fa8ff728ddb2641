//! One octave of gradient noise: its lattice, and batches of samples between the lattice points.

use std::ops::Range;

use super::Spacing;

/// Steepest slope of one octave of unit frequency before scaling, in two and three dimensions: the largest
/// `sum_i |w_i v + (grad w_i . v) d_i|` over points of a cell and directions v, taken at the middle of the cell.
pub const STEEPEST: [f32; 2] = [2.0692, 2.7923];

/// Scales one octave to -1..=1. A sum of `w_i (g_i . d_i)` with unit g is at most sqrt(n)/2 in n dimensions
/// (Jensen: `sum w_i |d_i|² <= n/4`); the last digit is rounded down to leave room for rounding.
pub const SCALE: [f32; 2] = [1.4141, 1.1546];

/// One octave.
pub struct Layer {
    pub seed: u32,
    /// Lattice cells per metre (1/m).
    pub frequency: f64,
    /// Where the lattice starts (cells).
    pub shift: [f64; 3],
    /// Share in the sum.
    pub weight: f32,
}

/// The sample points of a batch along one axis, and the lattice points around them.
pub struct Axis {
    /// Place of each sample in its lattice cell, 0..1.
    pub place: Vec<f32>,
    /// Lattice points at the ends of all cells that hold samples.
    pub knots: Vec<i32>,
    /// Consecutive samples that share a cell.
    pub runs: Vec<Run>,
}

/// Samples between lattice points number `knot` and `knot + 1` of an axis.
pub struct Run {
    pub knot: usize,
    pub samples: Range<usize>,
}

/// Gradients on two neighbouring lattice planes, moved along x.
#[derive(Default)]
pub struct Pair<G> {
    last: Option<i32>,
    near: Vec<G>,
    far: Vec<G>,
}

impl<G> Pair<G> {
    /// The gradients on lattice planes `knot` and `knot + 1`.
    pub fn at(&mut self, knot: i32, make: impl Fn(i32, &mut Vec<G>)) -> (&[G], &[G]) {
        let next = knot.wrapping_add(1);
        if self.last == Some(knot) {
            std::mem::swap(&mut self.near, &mut self.far);
        } else {
            self.near.clear();
            make(knot, &mut self.near);
        }
        self.far.clear();
        make(next, &mut self.far);
        self.last = Some(next);
        (&self.near, &self.far)
    }
}

impl Layer {
    /// The sample points of a batch along an axis.
    pub fn axis(&self, axis: usize, start: i32, count: usize, spacing: Spacing) -> Axis {
        let mut made = Axis { place: Vec::with_capacity(count), knots: Vec::new(), runs: Vec::new() };
        for i in 0..count {
            let (cell, place) = self.locate(axis, start.wrapping_add(i as i32), spacing);
            made.place.push(place);
            if let Some(run) = made.runs.last_mut()
                && made.knots[run.knot] == cell
            {
                run.samples.end = i + 1;
                continue;
            }
            if made.knots.last() != Some(&cell) {
                made.knots.push(cell);
            }
            made.runs.push(Run { knot: made.knots.len() - 1, samples: i..i + 1 });
            made.knots.push(cell.wrapping_add(1));
        }
        made
    }

    /// Lattice cell of sample point `i` on an axis and the place in that cell.
    fn locate(&self, axis: usize, i: i32, spacing: Spacing) -> (i32, f32) {
        let metres = (f64::from(i) + f64::from(spacing.shift)) * f64::from(spacing.step_m);
        let at = metres * self.frequency + self.shift[axis];
        let towards_zero = at as i64;
        let cell = towards_zero - i64::from(at < towards_zero as f64);
        (cell as i32, (at - cell as f64) as f32)
    }

    /// Adds this octave to a row of samples along y at place `u` between two lattice rows.
    pub fn add_row(
        &self,
        u: f32,
        y: &Axis,
        (near, far): (&[[f32; 2]], &[[f32; 2]]),
        ridged: bool,
        out: &mut [f32],
    ) {
        let s = fade(u);
        for run in &y.runs {
            let end = |knot: usize| {
                let (g, h) = (near[knot], far[knot]);
                [mix(s, g[0] * u, h[0] * (u - 1.0)), mix(s, g[1], h[1])]
            };
            let ends = [end(run.knot), end(run.knot + 1)];
            self.add_run(
                ends,
                &y.place[run.samples.clone()],
                SCALE[0],
                ridged,
                &mut out[run.samples.clone()],
            );
        }
    }

    /// Adds this octave to a slice of samples, z fastest, at place `u` between two lattice planes.
    pub fn add_slice(
        &self,
        u: f32,
        (y, z): (&Axis, &Axis),
        (near, far): (&[[f32; 3]], &[[f32; 3]]),
        ridged: bool,
        out: &mut [f32],
    ) {
        let s = fade(u);
        let mut columns = out.chunks_exact_mut(z.place.len());
        for run in &y.runs {
            let [low, high] = [run.knot, run.knot + 1].map(|knot| knot * z.knots.len());
            for (&v, out) in y.place[run.samples.clone()].iter().zip(&mut columns) {
                let t = fade(v);
                let end = |knot: usize| {
                    let dot = |g: [f32; 3], du: f32, dv: f32| [g[0] * du + g[1] * dv, g[2]];
                    let g = mix_pair(t, dot(near[low + knot], u, v), dot(near[high + knot], u, v - 1.0));
                    let (u, low, high) = (u - 1.0, far[low + knot], far[high + knot]);
                    mix_pair(s, g, mix_pair(t, dot(low, u, v), dot(high, u, v - 1.0)))
                };
                for run in &z.runs {
                    let (place, out) = (&z.place[run.samples.clone()], &mut out[run.samples.clone()]);
                    self.add_run([end(run.knot), end(run.knot + 1)], place, SCALE[1], ridged, out);
                }
            }
        }
    }

    /// Adds the samples of one run, given offset and slope of the noise at both ends of the cell.
    #[inline]
    fn add_run(&self, [low, high]: [[f32; 2]; 2], place: &[f32], scale: f32, ridged: bool, out: &mut [f32]) {
        let value = |w: f32| scale * mix(fade(w), low[0] + low[1] * w, high[0] + high[1] * (w - 1.0));
        if ridged {
            out.iter_mut()
                .zip(place)
                .for_each(|(out, &w)| *out += self.weight * (1.0 - 2.0 * value(w).abs()));
        } else {
            out.iter_mut().zip(place).for_each(|(out, &w)| *out += self.weight * value(w));
        }
    }
}

#[inline]
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[inline]
fn mix(s: f32, a: f32, b: f32) -> f32 {
    a + s * (b - a)
}

#[inline]
fn mix_pair(s: f32, a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [mix(s, a[0], b[0]), mix(s, a[1], b[1])]
}

/// A hash of `hash` and one more coordinate, good in all bits (multiply and fold, twice).
#[inline]
pub fn mixed(hash: u32, coordinate: i32) -> u32 {
    let mut h = (hash ^ coordinate as u32).wrapping_mul(0x9E37_79B1);
    h = (h ^ (h >> 15)).wrapping_mul(0x85EB_CA77);
    h ^ (h >> 13)
}

/// Ten bits of a hash as one of 1024 numbers in -1..1, none of them zero.
#[inline]
fn component(hash: u32, bit: u32) -> f32 {
    ((hash >> bit & 1023) as f32 - 511.5) * (1.0 / 512.0)
}

#[inline]
pub fn unit_2d(hash: u32) -> [f32; 2] {
    let [x, y] = [component(hash, 2), component(hash, 12)];
    let scale = 1.0 / (x * x + y * y).sqrt();
    [x * scale, y * scale]
}

#[inline]
pub fn unit_3d(hash: u32) -> [f32; 3] {
    let [x, y, z] = [component(hash, 2), component(hash, 12), component(hash, 22)];
    let scale = 1.0 / (x * x + y * y + z * z).sqrt();
    [x * scale, y * scale, z * scale]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How fast noise can change at place `u` of a cell in direction `v` when every gradient does its worst.
    fn steepest(u: &[f32], v: &[f32]) -> f32 {
        let slope = |t: f32| 30.0 * t * t * (t - 1.0) * (t - 1.0);
        let at_corner = |corner: usize| {
            let far = |axis: usize| corner >> axis & 1 == 1;
            let weight = |axis: usize| if far(axis) { fade(u[axis]) } else { 1.0 - fade(u[axis]) };
            let change = |axis: usize| {
                let others = (0..u.len()).filter(|&other| other != axis).map(weight).product::<f32>();
                (if far(axis) { slope(u[axis]) } else { -slope(u[axis]) }) * others * v[axis]
            };
            let product: f32 = (0..u.len()).map(weight).product();
            let along: f32 = (0..u.len()).map(change).sum();
            let part = |axis: usize| product * v[axis] + along * (u[axis] - f32::from(far(axis)));
            (0..u.len()).map(|axis| part(axis) * part(axis)).sum::<f32>().sqrt()
        };
        (0..1 << u.len()).map(at_corner).sum()
    }

    #[test]
    fn no_place_and_direction_is_steeper() {
        let turn = |i: i32, of: i32| (i as f32 * std::f32::consts::PI / of as f32).sin_cos();
        let places: Vec<f32> = (0..=10).map(|i| i as f32 * 0.05).collect();
        let mut largest = [0.0f32; 2];
        for (x, y) in places.iter().flat_map(|x| places.iter().map(move |y| (*x, *y))) {
            for (sin, cos) in (0..24).map(|i| turn(i, 24)) {
                largest[0] = largest[0].max(steepest(&[x, y], &[cos, sin]));
                for (z, (lift, flat)) in places.iter().flat_map(|z| (0..24).map(move |i| (*z, turn(i, 24)))) {
                    largest[1] = largest[1].max(steepest(&[x, y, z], &[flat * cos, flat * sin, lift]));
                }
            }
        }
        for (largest, bound) in largest.into_iter().zip(STEEPEST) {
            assert!(largest <= bound && largest > bound - 1e-3, "{largest} against {bound}");
        }
    }
}
