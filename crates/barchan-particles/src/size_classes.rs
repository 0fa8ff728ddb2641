//! Neighbours among particles of different sizes.

use std::ops::Range;

use glam::IVec3;
use rayon::prelude::*;

use crate::{Cells, Id, Lists, Place};

/// Classes of size: each holds particles from half its greatest reach up, the last all smaller ones too.
const CLASSES: u32 = 5;

/// Particles sorted by size class first and by cell second, each class into cells that fit its size.
///
/// A particle meets the few of its size in cells of its size, looks up the larger ones in their large cells and
/// finds the smaller ones in the box of small cells that it touches: a boulder among gravel costs the gravel
/// nothing. Sizes from 1 to 1/16 have classes of their own.
#[derive(Clone, Debug, Default)]
pub struct SizeClasses {
    classes: Vec<Class>,
    order: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Class {
    cells: Cells,
    first_slot: usize,
    /// The greatest reach of one of its particles (cell edges of the lattice).
    widest: f32,
}

impl SizeClasses {
    /// Sorts particles of given `reaches` (cell edges of the lattice, at most a half): two particles are neighbours
    /// if they are closer than both their reaches together.
    ///
    /// # Panics
    /// If a reach is below 0, above a half or no number, or if there are not as many reaches as places.
    pub fn sort(&mut self, places: &[Place], reaches: &[f32]) {
        assert!(places.len() == reaches.len() && reaches.iter().all(|reach| (0.0..=0.5).contains(reach)));
        self.classes.resize_with(CLASSES as usize, Class::default);
        self.order.clear();
        for fineness in 0..CLASSES {
            let members: Vec<u32> =
                (0..places.len() as u32).filter(|&i| class_of(reaches[i as usize]) == fineness).collect();
            let places: Vec<_> = members.iter().map(|&i| places[i as usize]).collect();
            let class = &mut self.classes[fineness as usize];
            class.cells.sort(&places, fineness);
            class.first_slot = self.order.len();
            class.widest = members.iter().map(|&i| reaches[i as usize]).fold(0.0, f32::max);
            self.order.extend(class.cells.order().iter().map(|&member| members[member as usize]));
        }
    }

    /// Which of the particles comes into each slot.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Finds all pairs closer than both their reaches and `skin` (cell edges of the lattice) together.
    ///
    /// `places`, `reaches` and `ids` are in the order of the slots; each list comes in the order of the names.
    ///
    /// # Panics
    /// If there are not as many of each as there are slots.
    #[must_use]
    pub fn find(&self, places: &[Place], reaches: &[f32], ids: &[Id], skin: f32) -> Lists {
        let particles = self.order.len();
        assert!([places.len(), reaches.len(), ids.len()] == [particles; 3]);
        let of_slot = |slot: usize| {
            let mut list = Vec::new();
            for class in &self.classes {
                class.runs_around(places[slot], reaches[slot] + class.widest + skin, |run| {
                    list.extend(run.filter(|&other| {
                        let apart = reaches[slot] + reaches[other] + skin;
                        other != slot && squared_distance(places[slot], places[other]) < apart * apart
                    }));
                });
            }
            let mut list: Vec<_> = list.into_iter().map(|other| other as u32).collect();
            list.sort_unstable_by_key(|&other| ids[other as usize]);
            list
        };
        let lists: Vec<_> = (0..particles).into_par_iter().with_min_len(64).map(of_slot).collect();
        Lists::from_each(&lists)
    }
}

impl Class {
    /// Runs of slots in the cells that a ball of radius `reach` (cell edges of the lattice) may touch.
    fn runs_around(&self, middle: Place, reach: f32, mut visit: impl FnMut(Range<usize>)) {
        let reach = (f64::from(reach) * (1u64 << 32) as f64).ceil() as i64;
        let corner = |by: i64| Place(middle.0.map(|x| x + by)).cell(self.cells.fineness());
        let (low, high): (IVec3, IVec3) = (corner(-reach), corner(reach));
        self.cells
            .runs_between(low, high, |run| visit(run.start + self.first_slot..run.end + self.first_slot));
    }
}

/// The class of a reach: 0 for more than a quarter of an edge, 1 for more than an eighth, and so on.
fn class_of(reach: f32) -> u32 {
    let mut class = 0;
    while class + 1 < CLASSES && reach * ((4u32 << class) as f32) <= 1.0 {
        class += 1;
    }
    class
}

/// The squared distance of two places at most two cells apart (cell edges).
fn squared_distance(a: Place, b: Place) -> f32 {
    let part = 1.0 / (1u32 << Place::FINE_BITS) as f32;
    let (a, b) = (a.fine(), b.fine());
    let [x, y, z] = [0, 1, 2].map(|axis| b[axis].wrapping_sub(a[axis]) as f32 * part);
    x * x + y * y + z * z
}
