//! The particles: where they are, how they move, what they hold.

use barchan_particles::{Cells, Id, Place};
use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::exchange::Contact;
use super::scale::{PARTS, Scale};
use crate::ledger::{Account, Amounts};
use crate::material::MaterialId;

/// Particles of water, each array in the order of the slots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Particles {
    /// Where they are.
    pub(super) places: Vec<Place>,
    /// How they move (m/s).
    pub(super) velocities: Vec<Vec3>,
    /// Water (1/256 unit).
    pub(super) water: Vec<u32>,
    /// Names.
    pub(super) ids: Vec<Id>,
    /// Pressure over the density of water that the last substep found (m²/s²): the next begins with it.
    pub(super) pressures: Vec<f32>,
    /// The kinds of sediment that any of them may hold, in order.
    pub(super) kinds: Vec<MaterialId>,
    /// Sediment of each of these kinds (1/256 unit).
    pub(super) sediment: Vec<Vec<u32>>,
    /// Soil that each still takes, less than nothing: still lays down, which was too little to be a unit (1/256 unit).
    pub(super) claims: Vec<i32>,
    /// All pressure over the density of water that the last substep found (m²/s²).
    #[serde(skip)]
    pub(super) pressed: Vec<f32>,
    /// What each did to the ground in this part of the step.
    #[serde(skip)]
    pub(super) contacts: Vec<Contact>,
}

/// A particle that comes in.
#[derive(Clone, Debug)]
pub(super) struct Newborn {
    pub place: Place,
    pub velocity: Vec3,
    /// Water (1/256 unit).
    pub water: u32,
    /// Sediment and its kind (1/256 unit).
    pub sediment: Option<(MaterialId, u32)>,
    pub id: Id,
}

impl Particles {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Pressure over the density of water of each, in the order in which they are seen (m²/s²); of none before the first step, and
    /// where particles came or went since.
    pub fn pressures_m2_s2(&self) -> &[f32] {
        &self.pressed
    }

    /// All sediment of the particle in a slot (1/256 unit).
    #[inline]
    pub(super) fn sediment_of(&self, slot: usize) -> u64 {
        self.sediment.iter().map(|of_kind| u64::from(of_kind[slot])).sum()
    }

    /// Puts all into the order of `cells`.
    pub(super) fn arrange(&mut self, cells: &Cells, spare: &mut Spare) {
        put(cells, &mut self.places, &mut spare.places);
        put(cells, &mut self.velocities, &mut spare.velocities);
        put(cells, &mut self.water, &mut spare.words);
        put(cells, &mut self.ids, &mut spare.ids);
        put(cells, &mut self.pressures, &mut spare.numbers);
        put(cells, &mut self.claims, &mut spare.claims);
        self.contacts.resize(self.places.len(), Contact::default());
        put(cells, &mut self.contacts, &mut spare.contacts);
        for of_kind in &mut self.sediment {
            put(cells, of_kind, &mut spare.words);
        }
    }

    /// Adds one.
    pub(super) fn add(&mut self, born: &Newborn) {
        let kind = born.sediment.map(|(kind, _)| self.row_of(kind));
        self.places.push(born.place);
        self.velocities.push(born.velocity);
        self.water.push(born.water);
        self.ids.push(born.id);
        self.pressures.push(0.0);
        self.claims.push(0);
        self.contacts.resize(self.places.len(), Contact::default());
        self.sediment.iter_mut().for_each(|of_kind| of_kind.push(0));
        if let (Some(row), Some((_, parts))) = (kind, born.sediment)
            && let Some(last) = self.sediment[row].last_mut()
        {
            *last = parts;
        }
    }

    /// The row of a kind of sediment; it is made where there was none of it.
    pub(super) fn row_of(&mut self, kind: MaterialId) -> usize {
        match self.kinds.binary_search(&kind) {
            Ok(row) => row,
            Err(row) => {
                self.kinds.insert(row, kind);
                self.sediment.insert(row, vec![0; self.len()]);
                row
            }
        }
    }

    /// Keeps those that `keep` says, in their order.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        if keep.iter().all(|keep| *keep) {
            return;
        }
        kept(&mut self.places, keep);
        kept(&mut self.velocities, keep);
        kept(&mut self.water, keep);
        kept(&mut self.ids, keep);
        kept(&mut self.pressures, keep);
        kept(&mut self.claims, keep);
        kept(&mut self.contacts, keep);
        kept(&mut self.pressed, keep);
        self.sediment.iter_mut().for_each(|of_kind| kept(of_kind, keep));
    }

    /// Forgets kinds of which nobody holds anything.
    pub(super) fn drop_empty_kinds(&mut self) {
        let used: Vec<bool> =
            self.sediment.iter().map(|of_kind| of_kind.iter().any(|parts| *parts > 0)).collect();
        if used.iter().all(|used| *used) {
            return;
        }
        kept(&mut self.kinds, &used);
        let mut used = used.into_iter();
        self.sediment.retain(|_| used.next().unwrap_or(true));
    }

    /// All water (1/256 unit).
    pub(super) fn water_parts(&self) -> i128 {
        self.water.iter().map(|parts| i128::from(*parts)).sum()
    }

    /// All sediment by kind (1/256 unit).
    pub(super) fn sediment_parts(&self) -> impl Iterator<Item = (MaterialId, i128)> {
        let sum = |of_kind: &Vec<u32>| of_kind.iter().map(|parts| i128::from(*parts)).sum();
        self.kinds.iter().copied().zip(self.sediment.iter().map(sum))
    }

    /// True when all arrays are of one length and all numbers are numbers: those of a file need not be.
    pub(super) fn is_sound(&self, scale: &Scale) -> bool {
        let len = self.len();
        let limit = Place::LIMIT << 32;
        let is_near = |place: &Place| place.0.iter().all(|x| (-limit..limit).contains(x));
        [self.velocities.len(), self.water.len(), self.ids.len(), self.pressures.len(), self.claims.len()]
            == [len; 5]
            && self.sediment.len() == self.kinds.len()
            && self.sediment.iter().all(|of_kind| of_kind.len() == len)
            && self.kinds.windows(2).all(|pair| pair[0] < pair[1])
            && self.places.iter().all(is_near)
            && self.velocities.iter().all(|v| v.is_finite() && v.abs().max_element() <= FASTEST_M_S)
            && self.pressures.iter().all(|p| p.is_finite() && *p >= 0.0)
            && (0..len).all(|slot| self.water[slot] > 0 || self.sediment_of(slot) > 0)
            && scale.full_parts > 0
    }
}

/// No water moves faster (m/s): what a fall of 80 km would give it.
pub(super) const FASTEST_M_S: f32 = 1_200.0;

/// Units of what is counted in parts, by account and kind.
pub(super) fn whole_units(water: i128, sediment: impl Iterator<Item = (MaterialId, i128)>) -> Amounts<i128> {
    let units = |parts: i128| parts.div_euclid(i128::from(PARTS));
    let mut amounts = Amounts::default();
    amounts.add((Account::FreeWater, Account::WATER_KIND), units(water));
    sediment.for_each(|(kind, parts)| amounts.add((Account::Sediment, kind), units(parts)));
    amounts
}

/// Room to sort in.
#[derive(Debug, Default)]
pub(super) struct Spare {
    places: Vec<Place>,
    velocities: Vec<Vec3>,
    words: Vec<u32>,
    ids: Vec<Id>,
    numbers: Vec<f32>,
    claims: Vec<i32>,
    contacts: Vec<Contact>,
}

fn put<T: Copy + Send + Sync>(cells: &Cells, all: &mut Vec<T>, spare: &mut Vec<T>) {
    cells.arrange(all, spare);
    std::mem::swap(all, spare);
}

fn kept<T>(all: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    all.retain(|_| *keep.next().unwrap_or(&true));
}
