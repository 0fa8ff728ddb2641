//! What the search reads of each particle.

use rayon::prelude::*;

use crate::Place;
use crate::lanes::LANES;

/// Particles that one task writes at once.
const AT_ONCE: usize = 4096;

/// Coarse places of particles in the order of their slots, each with a weight that comes along.
///
/// The weight is what sums over neighbours need of them first, such as their volume.
#[derive(Clone, Debug, Default)]
pub struct Records {
    places: [Vec<i32>; 3],
    weights: Vec<f32>,
    len: usize,
}

impl Records {
    /// Takes `places` and the weight of each slot.
    pub fn fill(&mut self, places: &[Place], weight: impl Fn(usize) -> f32 + Sync) {
        self.len = places.len();
        // The search reads whole vectors, beyond the last particle too.
        let padded = self.len + LANES;
        self.places.iter_mut().for_each(|axis| axis.resize(padded, 0));
        self.weights.resize(padded, 0.0);
        let [x, y, z] = self.places.each_mut().map(|axis| axis.par_chunks_mut(AT_ONCE));
        let weights = self.weights.par_chunks_mut(AT_ONCE);
        let chunks = x.zip(y).zip(z).zip(weights).zip(places.par_chunks(AT_ONCE)).enumerate();
        chunks.for_each(|(chunk, ((((x, y), z), weights), places))| {
            for (index, place) in places.iter().enumerate() {
                [x[index], y[index], z[index]] = place.coarse();
                weights[index] = weight(chunk * AT_ONCE + index);
            }
        });
    }

    /// How many particles there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The coarse place of a particle.
    #[must_use]
    #[inline(always)]
    pub fn place(&self, slot: usize) -> [i32; 3] {
        [self.places[0][slot], self.places[1][slot], self.places[2][slot]]
    }

    /// A vector's worth of one axis from `slot` on; beyond the last particle it has no meaning.
    #[inline(always)]
    pub(crate) fn axis(&self, axis: usize, slot: usize) -> &[i32] {
        &self.places[axis][slot..slot + LANES]
    }

    /// A vector's worth of weights from `slot` on; beyond the last particle they have no meaning.
    #[inline(always)]
    pub(crate) fn weights(&self, slot: usize) -> &[f32] {
        &self.weights[slot..slot + LANES]
    }

    /// Memory in use (bytes).
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.places.iter().map(|axis| axis.capacity() * size_of::<i32>()).sum::<usize>()
            + self.weights.capacity() * size_of::<f32>()
    }
}
