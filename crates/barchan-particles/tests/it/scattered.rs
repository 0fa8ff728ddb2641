//! Particles strewn about, and all their pairs found the slow way.

use barchan_particles::lanes::Level;
use barchan_particles::{Cells, Lists, Place, Records};
use glam::IVec3;
use proptest::prelude::*;

/// A repeatable sequence of well-mixed numbers.
pub struct Mixed(pub u64);

impl Mixed {
    pub fn next(&mut self) -> u64 {
        // Splitmix64 (Steele, Lea and Flood 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

/// `count` places in a box of `size` parts of a cell per axis, about a corner.
pub fn strewn(count: usize, corner: IVec3, size: [i64; 3], seed: u64) -> Vec<Place> {
    let mut mixed = Mixed(seed);
    let corner = Place::default().shifted(corner);
    (0..count)
        .map(|_| Place([0, 1, 2].map(|axis| corner.0[axis] + (mixed.next() >> 1) as i64 % size[axis])))
        .collect()
}

/// Corners near the origin, across it, and at the ends of the lattice.
pub fn corner() -> impl Strategy<Value = IVec3> {
    let x = prop_oneof![Just(0), -9..9, Just(400_000), Just(-524_288), Just(524_000)];
    (x.clone(), x.clone(), x).prop_map(|(x, y, z)| IVec3::new(x, y, z))
}

/// Places in boxes from a thousandth of a cell to some hundred cells.
pub fn places(most: usize) -> impl Strategy<Value = Vec<Place>> {
    let extent = (22u32..40).prop_map(|bits| 1i64 << bits);
    (1..=most, corner(), [extent.clone(), extent.clone(), extent], any::<u64>())
        .prop_map(|(count, corner, size, seed)| strewn(count, corner, size, seed))
}

/// Whether two places are closer than `reach` (cell edges), as coarse places tell it.
pub fn close(a: Place, b: Place, reach: f32) -> bool {
    let way = [0, 1, 2].map(|axis| ((b.0[axis] >> 9) - (a.0[axis] >> 9)) as f32 / 8_388_608.0);
    way[0] * way[0] + way[1] * way[1] + way[2] * way[2] < reach * reach
}

/// Sorts places, finds their lists, and gives back both.
pub fn found(level: Level, places: &[Place], reach: f32) -> (Vec<Place>, Lists) {
    let (mut cells, mut records, mut lists) = (Cells::default(), Records::default(), Lists::default());
    let mut sorted = Vec::new();
    cells.sort(places, 0);
    cells.arrange(places, &mut sorted);
    records.fill(&sorted, |_| 1.0);
    lists.find(level, &cells, &records, reach);
    (sorted, lists)
}

/// Each list as all pairs, found by comparing every place with every other.
pub fn all_pairs(places: &[Place], near: impl Fn(usize, usize) -> bool) -> Vec<Vec<u32>> {
    let others = |i: usize| (0..places.len()).filter(move |&j| j != i);
    (0..places.len()).map(|i| others(i).filter(|&j| near(i, j)).map(|j| j as u32).collect()).collect()
}
