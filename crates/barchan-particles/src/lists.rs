//! Lists of neighbours, one for each particle.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x16, u32x16};
use rayon::prelude::*;

use crate::lanes::LANES;
use crate::{Candidates, Cells, Id, Neighbourhood, Records};

/// Particles of a part: its lists stay in the cache of the core that makes and reads them.
const PART: usize = 1024;

/// The slots of all particles within reach of each particle, itself left out.
///
/// Each pair stands in both lists, so that a sum over a list needs nobody else's writing. Lists come in parts of
/// consecutive slots, for tasks; parts and the order in a list depend on nothing but the order of the slots.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Default)]
struct Part {
    first_slot: usize,
    /// Where each list begins; one more at the end.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Lists {
    /// Finds all pairs closer than `reach` (cell edges, at most 1) among particles sorted into `cells` of fineness
    /// 0; each list is in rising order of the slots.
    ///
    /// # Panics
    /// If the reach is longer than a cell.
    pub fn find(&mut self, level: Level, cells: &Cells, records: &Records, reach: f32) {
        assert!((0.0..=1.0).contains(&reach) && records.len() == cells.order().len());
        let ranges = cells.parts(PART);
        self.parts.resize_with(ranges.len(), Part::default);
        self.parts.par_iter_mut().zip(ranges).for_each_init(
            Candidates::default,
            |candidates, (part, range)| {
                dispatch!(level, simd => find_part(simd, part, cells, range, records, reach, candidates));
            },
        );
    }

    /// Takes lists that were found some other way: `lists[k]` is the list of slot k.
    #[must_use]
    pub fn from_each(lists: &[Vec<u32>]) -> Lists {
        let parts = lists.chunks(PART).enumerate().map(|(index, lists)| {
            let mut part = Part { first_slot: index * PART, starts: vec![0], neighbours: lists.concat() };
            part.starts.extend(lists.iter().scan(0, |end, list| {
                *end += list.len() as u32;
                Some(*end)
            }));
            part
        });
        Lists { parts: parts.collect() }
    }

    /// The same lists for slots in another order: `order` says where each slot of these comes to. Kept is what `keep` says of a
    /// slot and its neighbour; each list comes in the order of the names, `ids` by new slots.
    ///
    /// # Panics
    /// If there are not as many of each as there are lists.
    #[must_use]
    pub fn arranged(&self, order: &[u32], ids: &[Id], keep: impl Fn(u32, u32) -> bool + Sync) -> Lists {
        assert_eq!(order.len(), ids.len());
        let mut from = vec![0u32; order.len()];
        for (before, &now) in order.iter().enumerate() {
            from[now as usize] = before as u32;
        }
        // Which list stands where, so that none is searched for.
        let mut stands = vec![(0u32, 0u32); order.len()];
        for (index, part) in self.parts.iter().enumerate() {
            for list in 0..part.slots().len() {
                stands[part.first_slot + list] = (index as u32, list as u32);
            }
        }
        let parts = (0..order.len().div_ceil(PART)).into_par_iter().map(|index| {
            let slots = index * PART..((index + 1) * PART).min(order.len());
            let mut part = Part { first_slot: slots.start, starts: vec![0], neighbours: Vec::new() };
            for slot in slots {
                let (before, list) = stands[from[slot] as usize];
                let start = part.neighbours.len();
                let now = self.parts[before as usize]
                    .list(list as usize)
                    .iter()
                    .map(|&other| order[other as usize]);
                part.neighbours.extend(now.filter(|&other| keep(slot as u32, other)));
                part.neighbours[start..].sort_unstable_by_key(|&other| ids[other as usize]);
                part.starts.push(part.neighbours.len() as u32);
            }
            part
        });
        Lists { parts: parts.collect() }
    }

    /// Puts each list into the order of its particles' names, which does not depend on how slots were sorted.
    pub fn order_by_id(&mut self, ids: &[Id]) {
        self.parts.par_iter_mut().for_each(|part| {
            for list in part.starts.windows(2) {
                part.neighbours[list[0] as usize..list[1] as usize]
                    .sort_unstable_by_key(|&slot| ids[slot as usize]);
            }
        });
    }

    /// The neighbours of a slot.
    ///
    /// # Panics
    /// If there is no such slot.
    #[must_use]
    pub fn of(&self, slot: usize) -> &[u32] {
        let part = &self.parts[self.parts.partition_point(|part| part.first_slot <= slot) - 1];
        part.list(slot - part.first_slot)
    }

    /// The slots of each part, for tasks.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        self.parts.iter().map(Part::slots)
    }

    /// The lists of one part, in the order of the slots.
    pub fn of_part(&self, part: usize) -> impl ExactSizeIterator<Item = &[u32]> {
        let part = &self.parts[part];
        (0..part.slots().len()).map(|index| part.list(index))
    }

    /// How many entries all lists have together: twice the number of pairs.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.parts.iter().map(|part| part.neighbours.len()).sum()
    }

    /// Memory in use (bytes).
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let words = |part: &Part| part.starts.capacity() + part.neighbours.capacity();
        self.parts.iter().map(words).sum::<usize>() * size_of::<u32>()
    }
}

impl Part {
    fn slots(&self) -> Range<usize> {
        self.first_slot..self.first_slot + self.starts.len() - 1
    }

    fn list(&self, index: usize) -> &[u32] {
        &self.neighbours[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

#[inline(always)]
fn find_part<S: Simd>(
    simd: S,
    part: &mut Part,
    cells: &Cells,
    range: Range<usize>,
    records: &Records,
    reach: f32,
    candidates: &mut Candidates,
) {
    part.first_slot = cells.slots(range.start).start;
    part.starts.clear();
    part.starts.push(0);
    let mut len = 0;
    for here in cells.neighbourhoods(range) {
        candidates.collect(simd, &here, records, reach);
        let room = len + here.slots.len() * (candidates.len() + LANES);
        if part.neighbours.len() < room {
            part.neighbours.resize(room, 0);
        }
        for slot in here.slots.clone() {
            len += list_near(simd, &here, records, slot, reach, candidates, &mut part.neighbours[len..]);
            part.starts.push(len as u32);
        }
    }
    part.neighbours.truncate(len);
}

/// Writes the candidates within reach of a particle, and says how many they are.
#[inline(always)]
fn list_near<S: Simd>(
    simd: S,
    here: &Neighbourhood,
    records: &Records,
    slot: usize,
    reach: f32,
    candidates: &Candidates,
    list: &mut [u32],
) -> usize {
    let [x, y, z] = Candidates::place_of(here, records, slot);
    let mut len = 0;
    for start in (0..candidates.len()).step_by(LANES) {
        let block = start..start + LANES;
        let dx = f32x16::from_slice(simd, &candidates.x[block.clone()]) - x;
        let dy = f32x16::from_slice(simd, &candidates.y[block.clone()]) - y;
        let dz = f32x16::from_slice(simd, &candidates.z[block.clone()]) - z;
        let slots = u32x16::from_slice(simd, &candidates.slots[block]);
        let squared = dx * dx + dy * dy + dz * dz;
        let near = squared.simd_lt(reach * reach) & slots.simd_ne(slot as u32);
        slots.compress(near).store_slice(&mut list[len..len + LANES]);
        len += near.to_bitmask().count_ones() as usize;
    }
    len
}
