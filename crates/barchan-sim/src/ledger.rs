//! The books: how many units of solid matter there are, in which phase, and what came in or went out.

use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// Amounts of solid matter per phase, or changes of them (units).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amounts {
    /// In rock (units).
    pub rock: i64,
    /// In soil (units).
    pub soil: i64,
}

impl Amounts {
    /// Over all phases (units).
    pub fn total(&self) -> i64 {
        self.rock + self.soil
    }
}

impl Add for Amounts {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { rock: self.rock + other.rock, soil: self.soil + other.soil }
    }
}

impl Sub for Amounts {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { rock: self.rock - other.rock, soil: self.soil - other.soil }
    }
}

impl AddAssign for Amounts {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Amounts {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::default(), Add::add)
    }
}

/// The books of a world. Every change of the ground is entered here with what caused it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// What the ground holds now, by the entries made (units).
    pub held: Amounts,
    /// Everything that ever came in from outside: scenes, edits, sources (units).
    pub entered: Amounts,
    /// Everything that ever went out: edits, drains (units).
    pub left: Amounts,
}

impl Ledger {
    /// What is held + what left - what entered (units). Zero, or something was made or lost.
    pub fn balance(&self) -> i64 {
        self.held.total() + self.left.total() - self.entered.total()
    }
}
