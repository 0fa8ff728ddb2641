//! What all sums over neighbours share: ways between particles, lane by lane.

use barchan_particles::lanes::{Simd, f32x16, i32x16, prelude::*, u32x16};
use barchan_particles::{BUNDLE, Place, gather};

/// One coarse part of a cell: lengths are counted in supports of the kernel, which is the edge of a cell.
const PART: f32 = 1.0 / (1u32 << Place::COARSE_BITS) as f32;

/// Norm of Wendland's C2 kernel in three dimensions, and of its gradient (Wendland1995).
pub(super) const WENDLAND: f32 = 3.342_254;
pub(super) const WENDLAND_SLOPE: f32 = 66.845_08;

/// Sixteen particles: where they are (coarse), and a number of each.
pub(super) struct Seen<S: Simd> {
    at: [i32x16<S>; 3],
    pub number: f32x16<S>,
}

/// The way from the other particle to one's own, in supports, and the square of its length.
pub(super) struct Way<S: Simd> {
    pub x: f32x16<S>,
    pub y: f32x16<S>,
    pub z: f32x16<S>,
    pub r2: f32x16<S>,
}

/// Sixteen records of a place and a number.
#[inline(always)]
pub(super) fn seen<S: Simd>(simd: S, records: &[[u32; 4]], slots: &[u32; BUNDLE]) -> Seen<S> {
    let [x, y, z, number] = gather(simd, records, slots);
    Seen { at: [integers(x), integers(y), integers(z)], number: number.bitcast() }
}

/// Sixteen records of four numbers.
#[inline(always)]
pub(super) fn numbers<S: Simd>(simd: S, records: &[[u32; 4]], slots: &[u32; BUNDLE]) -> [f32x16<S>; 4] {
    let [a, b, c, d] = gather(simd, records, slots);
    [a.bitcast(), b.bitcast(), c.bitcast(), d.bitcast()]
}

#[inline(always)]
fn integers<S: Simd>(words: u32x16<S>) -> i32x16<S> {
    words.bitcast()
}

#[inline(always)]
pub(super) fn way<S: Simd>(own: &Seen<S>, other: &Seen<S>) -> Way<S> {
    let x: f32x16<S> = (own.at[0] - other.at[0]).to_float();
    let y: f32x16<S> = (own.at[1] - other.at[1]).to_float();
    let z: f32x16<S> = (own.at[2] - other.at[2]).to_float();
    let (x, y, z) = (x * PART, y * PART, z * PART);
    Way { x, y, z, r2: x * x + y * y + z * z }
}

/// What Wendland's gradient is in all directions but its norm: (1 - q)³, 0 beyond the support.
#[inline(always)]
pub(super) fn wendland_slope<S: Simd>(simd: S, r2: f32x16<S>) -> f32x16<S> {
    let rest = (f32x16::splat(simd, 1.0) - r2.sqrt()).max(f32x16::splat(simd, 0.0));
    rest * rest * rest
}
