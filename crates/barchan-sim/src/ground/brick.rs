//! A brick of ground: its voxels and the list of what is rare in them.

use barchan_volume::Brick;
use barchan_volume::brick::VOXELS;

use crate::ledger::{Account, Amounts};
use crate::material::{MaterialId, Materials};
use crate::units::VoidRatio;
use crate::voxel::{Channel, SideList, Voxel};

/// 8x8x8 voxels with the list beside them, which goes wherever they go.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundBrick {
    /// The voxels.
    pub voxels: Brick<Voxel>,
    /// What is rare in them.
    pub side: SideList,
}

impl GroundBrick {
    /// Nothing.
    pub const AIR: Self = Self { voxels: Brick::Uniform(Voxel::AIR), side: SideList::EMPTY };

    /// Voxels without anything rare.
    pub fn plain(voxels: Brick<Voxel>) -> Self {
        Self { voxels, side: SideList::EMPTY }
    }

    /// True when both are certainly the same without a look at every voxel.
    pub fn is_same(&self, other: &Self) -> bool {
        self.voxels.is_same(&other.voxels) && self.side.is_same(&other.side)
    }
}

/// Numbers of kinds.
const KINDS: usize = 256;

/// Units by account and kind while they are counted, and the room that they take: quick to add to.
pub(super) struct Count<'a> {
    counted: Box<[Counted; Account::ALL.len() * KINDS]>,
    materials: &'a Materials,
}

#[derive(Clone, Copy, Default)]
struct Counted {
    units: i64,
    /// See [`VoidRatio::room_of`].
    room: i64,
}

impl<'a> Count<'a> {
    pub(super) fn zero(materials: &'a Materials) -> Self {
        Self { counted: Box::new([Counted::default(); Account::ALL.len() * KINDS]), materials }
    }

    /// Adds what a brick holds, `times` over.
    pub(super) fn add_brick(&mut self, voxels: &Brick<Voxel>, side: &SideList, times: i64) {
        match voxels {
            Brick::Uniform(voxel) => self.add_voxel(voxel, times * VOXELS as i64),
            Brick::Dense(values) => values.iter().for_each(|voxel| self.add_voxel(voxel, times)),
        }
        self.add_side(voxels, side, times);
    }

    /// Adds what a brick holds now beyond what it held before.
    pub(super) fn add_change(&mut self, now: &GroundBrick, before: &GroundBrick) {
        match (&now.voxels, &before.voxels) {
            (Brick::Dense(now), Brick::Dense(before)) => {
                for (now, before) in now.iter().zip(before.iter()).filter(|(now, before)| now != before) {
                    self.add_voxel(now, 1);
                    self.add_voxel(before, -1);
                }
            }
            (now, before) => {
                self.add_brick(now, &SideList::EMPTY, 1);
                self.add_brick(before, &SideList::EMPTY, -1);
            }
        }
        self.add_side(&now.voxels, &now.side, 1);
        self.add_side(&before.voxels, &before.side, -1);
    }

    #[inline]
    fn add_voxel(&mut self, voxel: &Voxel, times: i64) {
        if voxel.rock > 0 {
            self.add_rock(voxel.rock_kind, voxel.rock, times);
        }
        if voxel.top > 0 {
            self.add(Account::Soil, voxel.top_kind, voxel.top_void_ratio, voxel.top, times);
            self.add(Account::Water, Account::WATER_KIND, VoidRatio(0), voxel.water, times);
        }
        if voxel.under > 0 {
            self.add(Account::Soil, voxel.under_kind, voxel.under_void_ratio, voxel.under, times);
        }
    }

    #[inline]
    fn add_rock(&mut self, kind: MaterialId, units: u16, times: i64) {
        // Counting comes before checking: a file may name what is no material.
        let known = self.materials.get(kind).is_some();
        let void_ratio = if known { self.materials.rock_void_ratio(kind) } else { VoidRatio(0) };
        self.add(Account::Rock, kind, void_ratio, units, times);
    }

    #[inline]
    fn add(&mut self, account: Account, kind: MaterialId, void_ratio: VoidRatio, units: u16, times: i64) {
        let counted = &mut self.counted[account as usize * KINDS + usize::from(kind.0)];
        counted.units += i64::from(units) * times;
        counted.room += void_ratio.room_of(u32::from(units)) as i64 * times;
    }

    /// Counts what a list says is of another kind than the voxel names.
    fn add_side(&mut self, voxels: &Brick<Voxel>, side: &SideList, times: i64) {
        for entry in side.entries() {
            let (voxel, kind) = (voxels.get(usize::from(entry.voxel)), MaterialId(entry.key));
            match entry.channel {
                Channel::Soil => {
                    let e = voxel.under_void_ratio;
                    self.add(Account::Soil, kind, e, entry.value, times);
                    self.add(Account::Soil, voxel.under_kind, e, entry.value, -times);
                }
                Channel::Rock => {
                    self.add_rock(kind, entry.value, times);
                    self.add_rock(voxel.rock_kind, entry.value, -times);
                }
            }
        }
    }

    /// Both together.
    pub(super) fn plus(mut self, other: Self) -> Self {
        for (counted, more) in self.counted.iter_mut().zip(other.counted.iter()) {
            counted.units += more.units;
            counted.room += more.room;
        }
        self
    }

    /// What was counted (units).
    pub(super) fn units(&self) -> Amounts<i64> {
        self.amounts(|counted| counted.units)
    }

    /// The room that it takes.
    pub(super) fn room(&self) -> Amounts<i64> {
        self.amounts(|counted| counted.room)
    }

    fn amounts(&self, of: impl Fn(&Counted) -> i64) -> Amounts<i64> {
        let place = |at: usize| (Account::ALL[at / KINDS], MaterialId((at % KINDS) as u8));
        let counted = self.counted.iter().enumerate().map(|(at, counted)| (place(at), of(counted)));
        counted.filter(|(_, amount)| *amount != 0).collect()
    }
}
