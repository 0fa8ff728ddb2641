//! Who may be near the particles of a cell, as vectors that inner loops read.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, i32x16, u32x16};
use glam::{IVec3, Vec3};

use crate::lanes::LANES;
use crate::{Neighbourhood, Place, Records};

/// The particles near those of one cell: places as seen from the middle of the cell, in edges of the lattice.
///
/// Coordinates are exact, so that two particles see each other at the same distance, bit by bit, whichever of them
/// looks. Beyond [`Candidates::len`] the vectors are filled up with what is near nothing.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// x (cell edges).
    pub x: Vec<f32>,
    /// y (cell edges).
    pub y: Vec<f32>,
    /// z (cell edges).
    pub z: Vec<f32>,
    /// Weights, as [`Records`] has them.
    pub weight: Vec<f32>,
    /// Slots.
    pub slots: Vec<u32>,
    len: usize,
}

/// A coordinate so far off that nothing is near it, and its square still a number (cell edges).
const FAR: f32 = 1e9;

/// One coarse part of a cell (cell edges).
const PART: f32 = 1.0 / (1u32 << Place::COARSE_BITS) as f32;

impl Candidates {
    /// How many there are.
    #[must_use]
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Collects who may be within `reach` (cell edges, at most 1) of a particle of the neighbourhood's cell, in
    /// rising order of their slots: all that lie in the box of the cell's own particles, made wider by the reach.
    #[inline(always)]
    pub fn collect<S: Simd>(&mut self, simd: S, here: &Neighbourhood, records: &Records, reach: f32) {
        let middle = middle(here.cell);
        let (low, high) = bounds(here, records, middle);
        // What lies at the reach must not be lost to the rounding of the box.
        let margin = reach + 2.0 * PART;
        let (low, high) = (low - margin, high + margin);
        let most = here.runs().map(|run| run.len().next_multiple_of(LANES)).sum::<usize>() + LANES;
        self.make_room(most);
        let lane = u32x16::from_fn(simd, |lane| lane as u32);
        let mut len = 0;
        for run in here.runs() {
            for start in run.clone().step_by(LANES) {
                let x = seen_from(simd, records.axis(0, start), middle[0]);
                let y = seen_from(simd, records.axis(1, start), middle[1]);
                let z = seen_from(simd, records.axis(2, start), middle[2]);
                let weight = f32x16::from_slice(simd, records.weights(start));
                let near = x.simd_ge(low.x)
                    & x.simd_le(high.x)
                    & y.simd_ge(low.y)
                    & y.simd_le(high.y)
                    & z.simd_ge(low.z)
                    & z.simd_le(high.z)
                    & lane.simd_lt((run.end - start) as u32);
                x.compress(near).store_slice(&mut self.x[len..len + LANES]);
                y.compress(near).store_slice(&mut self.y[len..len + LANES]);
                z.compress(near).store_slice(&mut self.z[len..len + LANES]);
                weight.compress(near).store_slice(&mut self.weight[len..len + LANES]);
                (lane + start as u32).compress(near).store_slice(&mut self.slots[len..len + LANES]);
                len += near.to_bitmask().count_ones() as usize;
            }
        }
        self.len = len;
        self.x[len..len + LANES].fill(FAR);
        self.weight[len..len + LANES].fill(0.0);
    }

    /// Where a particle of the cell is, seen from the middle of it (cell edges).
    #[must_use]
    #[inline(always)]
    pub fn place_of(here: &Neighbourhood, records: &Records, slot: usize) -> [f32; 3] {
        let (middle, place) = (middle(here.cell), records.place(slot));
        [0, 1, 2].map(|axis| place[axis].wrapping_sub(middle[axis]) as f32 * PART)
    }

    fn make_room(&mut self, most: usize) {
        if self.x.len() < most {
            for coordinates in [&mut self.x, &mut self.y, &mut self.z, &mut self.weight] {
                coordinates.resize(most, 0.0);
            }
            self.slots.resize(most, 0);
        }
    }
}

/// The middle of a cell, as coarse places are counted.
#[inline(always)]
fn middle(cell: IVec3) -> [i32; 3] {
    cell.to_array().map(|x| x.wrapping_shl(Place::COARSE_BITS).wrapping_add(1 << (Place::COARSE_BITS - 1)))
}

/// The box of the cell's own particles, seen from its middle (cell edges).
#[inline(always)]
fn bounds(here: &Neighbourhood, records: &Records, middle: [i32; 3]) -> (Vec3, Vec3) {
    let (mut low, mut high) = (IVec3::MAX, IVec3::MIN);
    for slot in here.slots.clone() {
        let place = IVec3::from_array(records.place(slot)).wrapping_sub(IVec3::from_array(middle));
        (low, high) = (low.min(place), high.max(place));
    }
    (low.as_vec3() * PART, high.as_vec3() * PART)
}

#[inline(always)]
fn seen_from<S: Simd>(simd: S, coarse: &[i32], middle: i32) -> f32x16<S> {
    let way: f32x16<S> = (i32x16::from_slice(simd, coarse) - middle).to_float();
    way * PART
}
