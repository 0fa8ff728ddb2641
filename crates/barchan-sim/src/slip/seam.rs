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
    let coords = |axis: usize| field.tiles().iter().map(move |tile| tile.coord[axis]);
    let strips = [0, 1].map(|axis| {
        let mut counts = Counts::new(coords(axis));
        for TileCount { tile, bands } in counted.clone() {
            counts.note(field.tiles()[*tile as usize].coord[axis], bands);
        }
        counts.strips(sections)
    });
    let axis = if strips[0].in_turn <= strips[1].in_turn { 0 } else { 1 };
    let Strips { of_coords, in_turn, all } = &strips[axis];
    let first = coords(axis).min()?;
    let is_worth_it = (*in_turn as f32) < WORTH_IT * *all as f32;
    is_worth_it.then(|| coords(axis).map(|coord| of_coords[(coord - first) as usize]).collect())
}

/// Sections along an axis.
struct Strips {
    /// Of tiles by their coordinate.
    of_coords: Vec<u8>,
    /// How many piles there are.
    all: u32,
    /// How many of them are swept one after the other where all sections go up together.
    in_turn: u32,
}

/// How many piles there are at each coordinate of tiles along an axis, in bands of height.
struct Counts {
    first: i32,
    of_coords: Vec<[u32; BANDS]>,
}

impl Counts {
    fn new(coords: impl Iterator<Item = i32> + Clone) -> Self {
        let (first, last) = (coords.clone().min().unwrap_or(0), coords.max().unwrap_or(0));
        Self { first, of_coords: vec![[0; BANDS]; (last - first) as usize + 1] }
    }

    fn note(&mut self, coord: i32, bands: &[u16; BANDS]) {
        let sums = &mut self.of_coords[(coord - self.first) as usize];
        sums.iter_mut().zip(bands).for_each(|(sum, count)| *sum += u32::from(*count));
    }

    /// Sections with about as many piles each.
    fn strips(&self, sections: usize) -> Strips {
        let all: u32 = self.of_coords.iter().flatten().sum();
        let mut of_sections = vec![[0; BANDS]; sections];
        let mut before = 0;
        let strip = |bands: &[u32; BANDS]| {
            let here: u32 = bands.iter().sum();
            // Where the middle of it lies.
            let section = (2 * before + here) as usize * sections / (2 * all as usize + 1);
            before += here;
            of_sections[section].iter_mut().zip(bands).for_each(|(sum, count)| *sum += count);
            section as u8
        };
        let of_coords = self.of_coords.iter().map(strip).collect();
        let most = |band: usize| of_sections.iter().map(|bands| bands[band]).max().unwrap_or(0);
        Strips { of_coords, all, in_turn: (0..BANDS).map(most).sum() }
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
