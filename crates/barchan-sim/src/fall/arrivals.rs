//! What came to be in which voxel.

use glam::{IVec3, Vec3};
use rustc_hash::FxHashMap;

/// What came to be in a voxel: units, and velocity (m/s) and way ahead (voxels) times units.
#[derive(Clone, Copy, Default)]
pub(super) struct Arrived {
    pub units: f32,
    pub momentum: Vec3,
    pub ahead: Vec3,
}

/// What came to be in many voxels.
#[derive(Default)]
pub(super) struct Arrivals {
    /// In the order in which they were reached: that of x, y, z where all falls straight down.
    entries: Vec<(IVec3, Arrived)>,
    /// Where the entry that was asked for last is: the next is near it.
    near: usize,
    /// The places of all entries, once these are out of order.
    places: FxHashMap<IVec3, u32>,
}

impl Arrivals {
    pub fn clear(&mut self) {
        self.entries.clear();
        self.near = 0;
        self.places.clear();
    }

    /// All of it, in the order in which the voxels were reached.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(IVec3, Arrived)> {
        self.entries.iter()
    }

    pub fn get(&mut self, p: IVec3) -> Option<&Arrived> {
        self.find(p).map(|place| &self.entries[place].1)
    }

    /// What came to be in voxel `p`, to add to it.
    pub fn entry(&mut self, p: IVec3) -> &mut Arrived {
        let place = self.find(p).unwrap_or_else(|| self.push(p));
        &mut self.entries[place].1
    }

    fn find(&mut self, p: IVec3) -> Option<usize> {
        if !self.places.is_empty() {
            return self.places.get(&p).map(|place| *place as usize);
        }
        let key = p.to_array();
        let is_before = |(q, _): &(IVec3, Arrived)| q.to_array() < key;
        while self.near > 0 && !is_before(&self.entries[self.near - 1]) {
            self.near -= 1;
        }
        while self.entries.get(self.near).is_some_and(is_before) {
            self.near += 1;
        }
        self.entries.get(self.near).is_some_and(|(q, _)| *q == p).then_some(self.near)
    }

    /// Adds voxel `p`, which is not there; [`Arrivals::find`] has just looked for it.
    fn push(&mut self, p: IVec3) -> usize {
        let place = self.entries.len();
        if self.places.is_empty() && self.near < place {
            self.places.extend(self.entries.iter().zip(0..).map(|((q, _), place)| (*q, place)));
        }
        if !self.places.is_empty() {
            self.places.insert(p, place as u32);
        }
        self.entries.push((p, Arrived::default()));
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_found_in_any_order() {
        let column = |z: i32| IVec3::new(3, -4, z);
        for layers in [[0, 1, 2, 3, 5, 4, 9], [1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1]] {
            let mut arrivals = Arrivals::default();
            for z in layers.into_iter().chain(layers) {
                arrivals.entry(column(z)).units += z as f32;
            }
            assert_eq!(arrivals.iter().len(), layers.len());
            for z in -1..12 {
                let expected = layers.contains(&z).then_some(2.0 * z as f32);
                assert_eq!(arrivals.get(column(z)).map(|one| one.units), expected, "{layers:?} at {z}");
            }
        }
    }
}
