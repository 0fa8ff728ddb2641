//! The books: how many units there are of what, on which account, and what came in, went out or changed its account.
//!
//! An account is a form in which matter exists in the world; [`Account::ALL`] is the one list of them. Edits and the processes
//! that change matter say what they did as [`Transfers`]; all others only move matter within its account and say nothing. When
//! the books are closed, what is there is counted and compared with what was said. The count is what is booked as held, so the
//! balance shows whatever was made or lost.

use serde::{Deserialize, Serialize};

use crate::material::MaterialId;

/// A form in which matter exists in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Account {
    /// Rock in the ground, by kinds of rock.
    Rock = 0,
    /// Soil in the ground, by kinds of soil.
    Soil = 1,
    /// Water in the pores of the ground. Has one kind: [`Account::WATER_KIND`].
    Water = 2,
    /// Water that runs free. Has one kind: [`Account::WATER_KIND`].
    FreeWater = 3,
    /// Soil that free water carries, by kinds of soil.
    Sediment = 4,
    /// Soil that lies and moves as single grains, by kinds of soil.
    Grains = 5,
}

impl Account {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Rock, Self::Soil, Self::Water, Self::FreeWater, Self::Sediment, Self::Grains];

    /// The only kind of water.
    pub const WATER_KIND: MaterialId = MaterialId(0);

    /// What it is called, in files, tables and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rock => "rock",
            Self::Soil => "soil",
            Self::Water => "water",
            Self::FreeWater => "free_water",
            Self::Sediment => "sediment",
            Self::Grains => "grains",
        }
    }

    /// True where its kinds are materials of the world's table.
    pub fn has_materials(self) -> bool {
        !matches!(self, Self::Water | Self::FreeWater)
    }
}

/// An account and a kind on it.
pub type Place = (Account, MaterialId);

/// Units by account and kind: what is there, or by how much it changed. What is zero is left out.
///
/// `T` is `i128` where whole worlds are counted and `i64` for the changes of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Amounts<T> {
    /// In order of account and kind.
    entries: Vec<(Account, MaterialId, T)>,
}

/// What [`Amounts`] can be counted in.
pub trait Units:
    Copy + PartialEq + Default + From<i64> + std::ops::AddAssign + std::ops::Neg<Output = Self>
{
}

impl<T> Units for T where
    T: Copy + PartialEq + Default + From<i64> + std::ops::AddAssign + std::ops::Neg<Output = T>
{
}

impl<T> Default for Amounts<T> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<T: Units> Amounts<T> {
    /// Of one kind on one account (units).
    pub fn get(&self, (account, kind): Place) -> T {
        self.find((account, kind)).map_or(T::default(), |at| self.entries[at].2)
    }

    /// Of all kinds on one account (units).
    pub fn of(&self, account: Account) -> T {
        self.sum(|place| place.0 == account)
    }

    /// Of all kinds on all accounts (units).
    pub fn total(&self) -> T {
        self.sum(|_| true)
    }

    /// All that is not zero, in order of account and kind.
    pub fn iter(&self) -> impl Iterator<Item = (Place, T)> + '_ {
        self.entries.iter().map(|&(account, kind, units)| ((account, kind), units))
    }

    /// True when all is zero.
    pub fn is_zero(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds `units` of one kind.
    pub fn add(&mut self, (account, kind): Place, units: T) {
        match self.find((account, kind)) {
            Ok(at) => {
                self.entries[at].2 += units;
                if self.entries[at].2 == T::default() {
                    self.entries.remove(at);
                }
            }
            Err(_) if units == T::default() => {}
            Err(at) => self.entries.insert(at, (account, kind, units)),
        }
    }

    /// Adds all of `other`.
    pub fn add_all<U: Units>(&mut self, other: &Amounts<U>)
    where
        T: From<U>,
    {
        other.iter().for_each(|(place, units)| self.add(place, units.into()));
    }

    /// Takes all of `other` away.
    pub fn subtract_all<U: Units>(&mut self, other: &Amounts<U>)
    where
        T: From<U>,
    {
        other.iter().for_each(|(place, units)| self.add(place, -T::from(units)));
    }

    /// True when the entries are in order, each once and none zero: those of a file need not be.
    pub(crate) fn is_sound(&self) -> bool {
        let in_order = self.entries.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1));
        in_order && self.entries.iter().all(|entry| entry.2 != T::default())
    }

    fn find(&self, place: Place) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&place, |&(account, kind, _)| (account, kind))
    }

    fn sum(&self, counts: impl Fn(Place) -> bool) -> T {
        let mut sum = T::default();
        self.iter().filter(|(place, _)| counts(*place)).for_each(|(_, units)| sum += units);
        sum
    }
}

impl<T: Units> FromIterator<(Place, T)> for Amounts<T> {
    fn from_iter<I: IntoIterator<Item = (Place, T)>>(items: I) -> Self {
        let mut amounts = Self::default();
        items.into_iter().for_each(|(place, units)| amounts.add(place, units));
        amounts
    }
}

/// What changed its account, came in or went out: what edits and processes say they did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfers {
    list: Vec<Transfer>,
}

/// Units that change their account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Where from; none: from outside.
    pub from: Option<Place>,
    /// Where to; none: to outside.
    pub to: Option<Place>,
    /// How many (units).
    pub units: i64,
}

impl Transfers {
    /// Nothing but moving matter within its account.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds `units` that go from one place to another; none is outside.
    pub fn add(&mut self, from: Option<Place>, to: Option<Place>, units: i64) {
        if units == 0 {
            return;
        }
        match self.list.iter_mut().find(|known| (known.from, known.to) == (from, to)) {
            Some(known) => known.units += units,
            None => self.list.push(Transfer { from, to, units }),
        }
    }

    /// Adds all that `other` says.
    pub fn add_all(&mut self, other: &Self) {
        other.list.iter().for_each(|transfer| self.add(transfer.from, transfer.to, transfer.units));
    }

    /// Adds what came in from outside.
    pub fn enter(&mut self, amounts: &Amounts<i64>) {
        amounts.iter().for_each(|(place, units)| self.add(None, Some(place), units));
    }

    /// Adds what went out.
    pub fn leave(&mut self, amounts: &Amounts<i64>) {
        amounts.iter().for_each(|(place, units)| self.add(Some(place), None, units));
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Transfer> {
        self.list.iter()
    }

    /// By how much each account changes through them (units).
    pub fn net(&self) -> Amounts<i64> {
        let from = self.list.iter().filter_map(|one| Some((one.from?, -one.units)));
        let to = self.list.iter().filter_map(|one| Some((one.to?, one.units)));
        from.chain(to).collect()
    }
}

/// The books of a world. Every change is entered here with what caused it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// What there is now, by counting (units).
    pub held: Amounts<i128>,
    /// Everything that ever came in from outside: scenes, edits, sources (units).
    pub entered: Amounts<i128>,
    /// Everything that ever went out: edits, drains (units).
    pub left: Amounts<i128>,
    /// What changed its account or kind inside the world: plus where it came, minus where it went (units).
    pub turned: Amounts<i128>,
}

impl Ledger {
    /// What is held + what left - what entered - what was turned into it, by account and kind (units). All zero, or something
    /// was made or lost.
    pub fn balance(&self) -> Amounts<i128> {
        let mut balance = self.held.clone();
        balance.add_all(&self.left);
        balance.subtract_all(&self.entered);
        balance.subtract_all(&self.turned);
        balance
    }

    /// True when nothing was made or lost.
    pub fn balances(&self) -> bool {
        self.balance().is_zero()
    }

    /// Books what was counted and what was said about it. Returns what was counted beyond that: nothing, or there is a bug.
    pub(crate) fn book(&mut self, counted: &Amounts<i64>, transfers: &Transfers) -> Amounts<i64> {
        self.held.add_all(counted);
        for Transfer { from, to, units } in transfers.iter() {
            let units = i128::from(*units);
            match (from, to) {
                (Some(from), Some(to)) => {
                    self.turned.add(*from, -units);
                    self.turned.add(*to, units);
                }
                (None, Some(to)) => self.entered.add(*to, units),
                (Some(from), None) => self.left.add(*from, units),
                (None, None) => {}
            }
        }
        let mut imbalance = counted.clone();
        imbalance.subtract_all(&transfers.net());
        imbalance
    }

    /// All four columns with their names, in order.
    pub fn columns(&self) -> [(&'static str, &Amounts<i128>); 4] {
        [("held", &self.held), ("entered", &self.entered), ("left", &self.left), ("turned", &self.turned)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAND: Place = (Account::Soil, MaterialId(0));
    const LOAM: Place = (Account::Soil, MaterialId(5));
    const GRANITE: Place = (Account::Rock, MaterialId(9));

    #[test]
    fn books_balance_while_all_is_said_and_not_otherwise() {
        let mut ledger = Ledger::default();
        let mut placed = Transfers::none();
        placed.enter(&[(SAND, 700), (GRANITE, 50)].into_iter().collect());
        assert!(ledger.book(&placed.net(), &placed).is_zero() && ledger.balances());
        let mut crumbled = Transfers::none();
        crumbled.add(Some(GRANITE), Some(LOAM), 20);
        assert!(ledger.book(&crumbled.net(), &crumbled).is_zero() && ledger.balances());
        let mut dug = Transfers::none();
        dug.leave(&[(SAND, 100)].into_iter().collect());
        assert!(ledger.book(&dug.net(), &dug).is_zero() && ledger.balances());
        assert_eq!(ledger.held.total(), 650);
        assert_eq!((ledger.entered.total(), ledger.left.total(), ledger.turned.total()), (750, 100, 0));

        // Sand that became loam without a word.
        let silent: Amounts<i64> = [(SAND, -5), (LOAM, 5)].into_iter().collect();
        assert_eq!(ledger.book(&silent, &Transfers::none()), silent);
        assert_eq!(ledger.balance().iter().collect::<Vec<_>>(), [(SAND, -5), (LOAM, 5)]);
    }

    #[test]
    fn amounts_leave_out_what_is_zero() {
        let mut amounts: Amounts<i64> = [(LOAM, 3), (SAND, 0), (GRANITE, 7)].into_iter().collect();
        assert_eq!(amounts.iter().collect::<Vec<_>>(), [(GRANITE, 7), (LOAM, 3)]);
        amounts.add(LOAM, -3);
        assert_eq!((amounts.of(Account::Soil), amounts.of(Account::Rock)), (0, 7));
        assert!(amounts.is_sound() && !amounts.is_zero());
    }
}
