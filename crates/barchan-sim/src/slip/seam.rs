//! Seams between the sections of a net: where they are cut, and what passes over them.
//!
//! Sections are swept by several threads at once, each in the order of its heights. Where a pile of one gives to a pile of
//! another, the one waits for what the other has to tell and for nothing else. Sums of what comes are whole numbers, so that
//! all is the same wherever the seams are.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::columns::{Field, HEIGHT_ONE};

/// Bands of height in which piles are counted to judge a cut: so many, of eight voxels each, then the first again.
const BANDS: usize = 32;
const BAND_HEIGHT: i64 = 8 * HEIGHT_ONE;

/// Sections that take more than this share of the time of all as one are not worth it.
const WORTH_IT: f32 = 0.85;

/// How many piles of a tile give or take, by bands of height.
#[derive(Default)]
pub(super) struct TileCount {
    tile: u32,
    bands: [u16; BANDS],
}

impl TileCount {
    /// None of this tile yet.
    pub fn none(tile: u32) -> Self {
        Self { tile, ..Self::default() }
    }

    /// Counts a pile with this top (1/32,768 voxel).
    #[inline]
    pub fn note(&mut self, top: i64) {
        self.bands[top.div_euclid(BAND_HEIGHT).rem_euclid(BANDS as i64) as usize] += 1;
    }
}

/// Cuts the tiles of a field into strips with about as many piles each, such that all have much to do at the same heights;
/// tells the section of each tile. None where one section does it as well.
pub(super) fn cut<'a>(
    counted: impl Iterator<Item = &'a TileCount> + Clone,
    field: &Field,
    sections: usize,
) -> Option<Vec<u8>> {
    let strips = [0, 1].map(|axis| {
        let coord = |count: &TileCount| field.tiles()[count.tile as usize].coord[axis];
        Strips::of(counted.clone().map(|count| (coord(count), &count.bands)).collect(), sections)
    });
    let axis = if strips[0].in_turn <= strips[1].in_turn { 0 } else { 1 };
    let Strips { firsts, all, in_turn } = &strips[axis];
    let section = |coord: i32| firsts[1..].partition_point(|first| *first <= coord) as u8;
    let is_worth_it = (*in_turn as f32) < WORTH_IT * *all as f32;
    is_worth_it.then(|| field.tiles().iter().map(|tile| section(tile.coord[axis])).collect())
}

/// Sections along an axis.
struct Strips {
    /// The first coordinate of tiles in each.
    firsts: Vec<i32>,
    /// How many piles there are.
    all: usize,
    /// How many of them are swept one after the other where all sections go up together.
    in_turn: usize,
}

impl Strips {
    /// Up to so many of tiles at these coordinates, of which piles are counted.
    fn of(mut tiles: Vec<(i32, &[u16; BANDS])>, sections: usize) -> Self {
        tiles.sort_unstable_by_key(|(coord, _)| *coord);
        let sum = |bands: &[u16; BANDS]| bands.iter().map(|count| usize::from(*count)).sum::<usize>();
        let all: usize = tiles.iter().map(|(_, bands)| sum(bands)).sum();
        let (mut firsts, mut last, mut before) = (Vec::with_capacity(sections), None, 0);
        let mut of_sections: Vec<[usize; BANDS]> = Vec::with_capacity(sections);
        for same_coord in tiles.chunk_by(|a, b| a.0 == b.0) {
            let here: usize = same_coord.iter().map(|(_, bands)| sum(bands)).sum();
            // Where the middle of them lies.
            let section = (2 * before + here) * sections / (2 * all + 1);
            before += here;
            if last.replace(section) != Some(section) {
                firsts.push(same_coord[0].0);
                of_sections.push([0; BANDS]);
            }
            let sums = of_sections.last_mut().expect("there is a section by now");
            for (_, bands) in same_coord {
                sums.iter_mut().zip(*bands).for_each(|(sum, count)| *sum += usize::from(*count));
            }
        }
        let most = |band: usize| of_sections.iter().map(|bands| bands[band]).max().unwrap_or(0);
        Self { firsts, all, in_turn: (0..BANDS).map(most).sum() }
    }
}

/// Where a sweep hands something on or waits for it.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    /// The pile at which it does: that from which soil crosses the seam, the lowest of several, or to which it comes.
    pub place: u32,
    /// The ghost to which it goes; none where it comes to the pile itself.
    pub ghost: Option<u32>,
    /// What goes there: a place among all.
    pub crossing: u32,
}

/// What passes between a ghost and its pile.
#[derive(Default)]
pub(super) struct Crossing {
    /// What comes to the ghost.
    pub down: Letter,
    /// How the pile stands.
    pub up: Letter,
}

/// Some numbers from another thread. Each has a line of the cache to itself.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Letter {
    numbers: [AtomicU32; 3],
    /// The sweep that wrote them.
    sweep: AtomicU32,
}

impl Letter {
    /// Tells numbers in a sweep; those of the last have been read.
    pub fn post(&self, sweep: u32, numbers: [u32; 3]) {
        for (to, number) in self.numbers.iter().zip(numbers) {
            to.store(number, Ordering::Relaxed);
        }
        self.sweep.store(sweep, Ordering::Release);
    }

    /// What was told in this sweep, if it has been.
    pub fn read(&self, sweep: u32) -> Option<[u32; 3]> {
        let is_there = self.sweep.load(Ordering::Acquire) == sweep;
        is_there.then(|| std::array::from_fn(|at| self.numbers[at].load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strips of tiles at these coordinates, with as many piles in one band each.
    fn strips(tiles: &[(i32, usize, u16)], sections: usize) -> Strips {
        let bands = |band: usize, piles: u16| {
            let mut bands = [0; BANDS];
            bands[band] = piles;
            bands
        };
        let bands: Vec<_> = tiles.iter().map(|(_, band, piles)| bands(*band, *piles)).collect();
        Strips::of(tiles.iter().map(|(coord, ..)| *coord).zip(&bands).collect(), sections)
    }

    #[test]
    fn strips_have_about_as_many_piles_however_far_they_are_apart() {
        let far = 1 << 27;
        let even = strips(&[(far, 3, 50), (-far, 3, 30), (0, 3, 20), (0, 4, 40), (-far, 4, 20)], 2);
        assert_eq!(even.firsts, [-far, far]);
        assert_eq!((even.all, even.in_turn), (160, 50 + 60));
        // One tile has nearly all.
        let uneven = strips(&[(1, 0, 10), (2, 0, 900), (3, 0, 5), (4, 0, 5), (5, 0, 5)], 4);
        assert_eq!(uneven.firsts, [1, 2, 3]);
    }

    #[test]
    fn slopes_that_lie_above_each_other_are_swept_in_turn() {
        // Along one axis the sections are at different heights, along the other at the same.
        let above = strips(&[(0, 0, 100), (1, 8, 100)], 2);
        let beside = strips(&[(0, 0, 50), (0, 8, 50), (1, 0, 50), (1, 8, 50)], 2);
        assert_eq!((above.in_turn, beside.in_turn), (200, 100));
    }

    #[test]
    fn a_letter_is_read_in_its_sweep_only() {
        let letter = Letter::default();
        assert_eq!(letter.read(1), None);
        letter.post(1, [1, 2, 3]);
        assert_eq!((letter.read(1), letter.read(2)), (Some([1, 2, 3]), None));
    }
}
