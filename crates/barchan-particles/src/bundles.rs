//! Lists of neighbours laid out so that each lane of a vector is a particle.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, u32x4, u32x16};
use rayon::prelude::*;

use crate::Lists;
use crate::lanes::LANES;

/// Particles of a bundle: one for each lane.
pub const BUNDLE: usize = LANES;

/// Lists of sixteen particles each, the n-th neighbours of all sixteen side by side.
///
/// No sum over neighbours crosses lanes. Within a part of the lists, particles are bundled with others that have
/// about as many neighbours; lanes that have fewer, or no particle, see a stand-in: slot [`Bundles::stand_in`],
/// one beyond the last particle, which the reader keeps where it is near nothing.
#[derive(Clone, Debug, Default)]
pub struct Bundles {
    parts: Vec<Part>,
    stand_in: u32,
}

#[derive(Clone, Debug, Default)]
struct Part {
    /// The particle of each lane, bundle by bundle.
    slots: Vec<[u32; BUNDLE]>,
    /// Where the rows of each bundle begin; one more at the end.
    starts: Vec<u32>,
    rows: Vec<[u32; BUNDLE]>,
}

/// Sixteen particles and their neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Bundle<'a> {
    /// The particle of each lane.
    pub slots: &'a [u32; BUNDLE],
    /// The first neighbour of each lane's particle, the second of each, and so on.
    pub rows: &'a [[u32; BUNDLE]],
}

impl Bundles {
    /// Lays out `lists` of `particles` particles.
    pub fn lay_out(&mut self, lists: &Lists, particles: usize) {
        self.stand_in = particles as u32;
        let stand_in = self.stand_in;
        self.parts.resize_with(lists.parts().len(), Part::default);
        self.parts.par_iter_mut().enumerate().for_each(|(index, part)| part.lay_out(lists, index, stand_in));
    }

    /// The slot of what stands in for missing neighbours and particles.
    #[must_use]
    pub fn stand_in(&self) -> u32 {
        self.stand_in
    }

    /// How many parts there are, for tasks: those of the lists.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The bundles of one part.
    pub fn of_part(&self, part: usize) -> impl Iterator<Item = Bundle<'_>> {
        let part = &self.parts[part];
        part.slots
            .iter()
            .zip(part.starts.windows(2))
            .map(|(slots, rows)| Bundle { slots, rows: &part.rows[rows[0] as usize..rows[1] as usize] })
    }

    /// Memory in use (bytes).
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let of_part = |part: &Part| {
            (part.slots.capacity() + part.rows.capacity()) * size_of::<[u32; BUNDLE]>()
                + part.starts.capacity() * size_of::<u32>()
        };
        self.parts.iter().map(of_part).sum()
    }
}

impl Part {
    fn lay_out(&mut self, lists: &Lists, index: usize, stand_in: u32) {
        let first = lists.parts().nth(index).map_or(0, |slots| slots.start);
        let of_part: Vec<&[u32]> = lists.of_part(index).collect();
        let mut by_length: Vec<u32> = (0..of_part.len() as u32).collect();
        by_length.sort_by_key(|&list| of_part[list as usize].len());
        self.slots.clear();
        self.rows.clear();
        self.starts.clear();
        self.starts.push(0);
        for together in by_length.chunks(BUNDLE) {
            let longest = together.last().map_or(0, |&list| of_part[list as usize].len());
            let start = self.rows.len();
            self.rows.resize(start + longest, [stand_in; BUNDLE]);
            let mut slots = [stand_in; BUNDLE];
            for (lane, &list) in together.iter().enumerate() {
                slots[lane] = first as u32 + list;
                for (row, &neighbour) in self.rows[start..].iter_mut().zip(of_part[list as usize]) {
                    row[lane] = neighbour;
                }
            }
            self.slots.push(slots);
            self.starts.push(self.rows.len() as u32);
        }
    }
}

/// Reads the records of sixteen slots and turns them: the first words of all, the second words, and so on.
///
/// Records are words of 32 bits; [`prelude`](crate::lanes::prelude) has `bitcast` for those that are numbers.
#[inline(always)]
pub fn gather<S: Simd>(simd: S, records: &[[u32; 4]], slots: &[u32; BUNDLE]) -> [u32x16<S>; 4] {
    let quads = [
        turned(simd, records, slots, 0),
        turned(simd, records, slots, 4),
        turned(simd, records, slots, 8),
        turned(simd, records, slots, 12),
    ];
    [joined(&quads, 0), joined(&quads, 1), joined(&quads, 2), joined(&quads, 3)]
}

/// The records of four slots, word by word.
#[inline(always)]
fn turned<S: Simd>(simd: S, records: &[[u32; 4]], slots: &[u32; BUNDLE], first: usize) -> [u32x4<S>; 4] {
    let a = u32x4::load_array_ref(simd, &records[slots[first] as usize]);
    let b = u32x4::load_array_ref(simd, &records[slots[first + 1] as usize]);
    let c = u32x4::load_array_ref(simd, &records[slots[first + 2] as usize]);
    let d = u32x4::load_array_ref(simd, &records[slots[first + 3] as usize]);
    let (ac_low, ac_high) = a.interleave(c);
    let (bd_low, bd_high) = b.interleave(d);
    let (x, y) = ac_low.interleave(bd_low);
    let (z, w) = ac_high.interleave(bd_high);
    [x, y, z, w]
}

#[inline(always)]
fn joined<S: Simd>(quads: &[[u32x4<S>; 4]; 4], word: usize) -> u32x16<S> {
    quads[0][word].combine(quads[1][word]).combine(quads[2][word].combine(quads[3][word]))
}
