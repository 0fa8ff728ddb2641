//! Numbers that look random and are the same every time: hashes, evenly spread samples, smooth noise.

use glam::{IVec3, Vec3};

use super::field::cell_of;

/// A well mixed number from any number (Wellons' lowbias32 constants).
#[inline]
pub(super) fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// A number in 0..1 from a hash.
#[inline]
fn unit(hash: u32) -> f32 {
    (hash >> 8) as f32 / 16_777_216.0
}

/// Evenly spread samples for one pixel: points of a lattice whose slopes are powers of the plastic number (Roberts
/// 2018), moved by an amount of the pixel's own.
#[derive(Clone, Copy)]
pub(super) struct Spread {
    pixel: u32,
}

impl Spread {
    pub fn of(column: usize, row: usize) -> Self {
        Self { pixel: hash(column as u32 ^ hash(row as u32 ^ 0x9e37_79b9)) }
    }

    /// Sample `number` of pattern `pattern`: two numbers in 0..1.
    #[inline]
    pub fn pair(&self, pattern: u32, number: u32) -> [f32; 2] {
        let shift = hash(self.pixel ^ pattern.wrapping_mul(0x85eb_ca6b));
        let number = number as f32 + 1.0;
        let along = |start: f32, slope: f32| (start + number * slope).fract();
        [along(unit(shift), 0.754_877_7), along(unit(hash(shift)), 0.569_840_3)]
    }
}

/// Smooth noise at a place, -1 to 1, and its slope.
pub(super) fn noise(place: Vec3) -> (f32, Vec3) {
    let corner = cell_of(place.into());
    let f = place - corner.as_vec3();
    let value = |x: i32, y: i32, z: i32| lattice(corner + IVec3::new(x, y, z));
    let ease = f * f * (3.0 - 2.0 * f);
    let slope = 6.0 * f * (1.0 - f);
    let [a, b, c, d] = [value(0, 0, 0), value(1, 0, 0), value(0, 1, 0), value(1, 1, 0)];
    let [e, g, h, i] = [value(0, 0, 1), value(1, 0, 1), value(0, 1, 1), value(1, 1, 1)];
    // The interpolant as a polynomial in the eased coordinates.
    let (kx, ky, kz) = (b - a, c - a, e - a);
    let (kxy, kyz, kzx) = (a - b - c + d, a - c - e + h, a - b - e + g);
    let kxyz = b - a + c - d + e - g - h + i;
    let [u, v, w] = ease.to_array();
    let height = a + kx * u + ky * v + kz * w + kxy * u * v + kyz * v * w + kzx * w * u + kxyz * u * v * w;
    let rise = Vec3::new(
        kx + kxy * v + kzx * w + kxyz * v * w,
        ky + kyz * w + kxy * u + kxyz * w * u,
        kz + kzx * u + kyz * v + kxyz * u * v,
    );
    (height, rise * slope)
}

#[inline]
fn lattice(p: IVec3) -> f32 {
    let mixed = (p.x as u32).wrapping_mul(0x8da6_b343)
        ^ (p.y as u32).wrapping_mul(0xd816_3841)
        ^ (p.z as u32).wrapping_mul(0xcb1a_b31f);
    unit(hash(mixed)) * 2.0 - 1.0
}

/// From 0 at `low` to 1 at `high`, without corners.
#[inline]
pub(super) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_slope_it_says() {
        for at in 0..40 {
            let place = Vec3::new(0.37, -0.71, 1.13) * (at as f32 - 20.0) + 0.13;
            let (_, slope) = noise(place);
            for axis in Vec3::AXES {
                let step = 1e-2;
                let rise = noise(place + axis * step).0 - noise(place - axis * step).0;
                assert!((rise / (2.0 * step) - slope.dot(axis)).abs() < 0.02, "{place}");
            }
        }
    }

    #[test]
    fn samples_are_spread_evenly() {
        let spread = Spread::of(17, 4);
        let mut quarters = [0; 4];
        for number in 0..64 {
            let [x, y] = spread.pair(2, number);
            quarters[usize::from(x >= 0.5) * 2 + usize::from(y >= 0.5)] += 1;
        }
        assert!(quarters.iter().all(|count| (13..=19).contains(count)), "{quarters:?}");
        assert_ne!(spread.pair(0, 0), Spread::of(18, 4).pair(0, 0));
    }
}
