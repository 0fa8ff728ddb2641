//! Marks on voxels that lie close together.

use barchan_volume::brick::{VOXELS, brick_of, voxel_index};
use glam::IVec3;
use rustc_hash::FxHashMap;

/// A number for each of some voxels, kept in the bricks they lie in; all others have 0.
pub(super) struct Marks {
    coords: Vec<IVec3>,
    bricks: Vec<[u16; VOXELS]>,
    places: FxHashMap<IVec3, u32>,
    /// Places of bricks that were asked for last: the next voxel mostly lies in one of them.
    recent: [u32; RECENT],
    len: usize,
}

/// How many bricks are found without a search.
const RECENT: usize = 16;

impl Marks {
    pub fn new() -> Self {
        Self {
            coords: Vec::new(),
            bricks: Vec::new(),
            places: FxHashMap::default(),
            recent: [0; RECENT],
            len: 0,
        }
    }

    /// How many voxels are marked.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Marks voxel `p`, which has no mark yet, with `mark`, which is not 0.
    #[inline]
    pub fn set(&mut self, p: IVec3, mark: u16) {
        *self.at(p) = mark;
        self.len += 1;
    }

    /// The mark of voxel `p`; 0 when it has none.
    #[inline]
    pub fn get(&mut self, p: IVec3) -> u16 {
        *self.at(p)
    }

    /// Which of the voxels `p` + `sides` have no mark, one bit each.
    #[inline]
    pub fn unmarked(&mut self, p: IVec3, sides: &[IVec3]) -> u32 {
        let place = self.place(brick_of(p));
        let mut bits = 0;
        for (bit, side) in sides.iter().enumerate() {
            let q = p + *side;
            let is_same_brick = (p.x ^ q.x | p.y ^ q.y | p.z ^ q.z) >> 3 == 0;
            let mark = if is_same_brick { self.bricks[place][voxel_index(q)] } else { self.get(q) };
            bits |= u32::from(mark == 0) << bit;
        }
        bits
    }

    #[inline]
    fn at(&mut self, p: IVec3) -> &mut u16 {
        let place = self.place(brick_of(p));
        &mut self.bricks[place][voxel_index(p)]
    }

    #[inline]
    fn place(&mut self, coord: IVec3) -> usize {
        // Bricks above and beside each other do not share a place.
        let slot = (coord.x ^ coord.y.wrapping_mul(3) ^ coord.z.wrapping_mul(5)) as usize % RECENT;
        let mut place = self.recent[slot] as usize;
        if self.coords.get(place) != Some(&coord) {
            place = self.find(coord);
            self.recent[slot] = place as u32;
        }
        place
    }

    fn find(&mut self, coord: IVec3) -> usize {
        let next = self.bricks.len() as u32;
        let place = *self.places.entry(coord).or_insert(next);
        if place == next {
            self.coords.push(coord);
            self.bricks.push([0; VOXELS]);
        }
        place as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voxels_keep_their_marks() {
        let mut marks = Marks::new();
        let voxels = [IVec3::ZERO, IVec3::new(-1, 7, 8), IVec3::new(7, 7, 7), IVec3::new(0, 0, 1)];
        voxels.iter().zip(1..).for_each(|(p, mark)| marks.set(*p, mark));
        assert_eq!(voxels.map(|p| marks.get(p)), [1, 2, 3, 4]);
        // Far enough apart for some bricks to share a place.
        assert!((1..99).all(|x| marks.get(IVec3::new(x * 8, 7, 8)) == 0));
        assert_eq!(voxels.map(|p| marks.get(p)), [1, 2, 3, 4]);
        assert_eq!(marks.len(), voxels.len());
        let sides = [IVec3::X, IVec3::Z, IVec3::NEG_X, IVec3::new(-1, 7, 8)];
        assert_eq!(marks.unmarked(IVec3::ZERO, &sides), 0b0101);
    }
}
