//! The one handle that writes voxels: it keeps every kind apart and loses no unit of any.

use super::parcel::{Parcel, Parcels, share_of_water};
use super::side_list::{Channel, SideList};
use super::voxel::{Layer, Marks, Voxel};
use crate::ledger::{Account, Amounts};
use crate::material::{MaterialId, Materials};
use crate::units::{LOOSE_FULL, VoidRatio};

/// Most soil in a voxel (units).
pub(crate) const MOST_SOIL: u32 = u16::MAX as u32;

/// What goes wrong when soil is added that does not fit.
const FULL_COUNT: &str = "a voxel holds at most 65,535 units of soil";

/// A voxel to write, with the list beside its brick.
pub struct VoxelMut<'a> {
    voxel: &'a mut Voxel,
    side: &'a mut SideList,
    at: usize,
}

impl<'a> VoxelMut<'a> {
    /// The voxel at place `at` of a brick.
    #[inline]
    pub(crate) fn new(voxel: &'a mut Voxel, side: &'a mut SideList, at: usize) -> Self {
        Self { voxel, side, at }
    }

    /// As it is now.
    #[inline]
    pub fn get(&self) -> &Voxel {
        self.voxel
    }

    /// Adds soil. What lies on top and is of the same kind and mark is averaged with it by units, so that both together never
    /// take more room than each by itself; what is of another goes under it.
    /// Never loses a unit: the caller has asked [`Voxel::room`], so the sum fits.
    #[inline]
    pub fn add_soil(&mut self, parcel: Parcel) {
        if parcel.units == 0 {
            return;
        }
        assert!(self.voxel.soil() + u32::from(parcel.units) <= MOST_SOIL, "{FULL_COUNT}");
        let voxel = &mut *self.voxel;
        voxel.water =
            voxel.water.checked_add(parcel.water).expect("pores hold no more than 65,535 units of water");
        if voxel.top > 0 {
            let same = (voxel.top_kind, voxel.marks.has(Marks::TOP_MOVED)) == (parcel.kind, parcel.moved);
            if same {
                self.average_on_top(parcel);
                return;
            }
            self.fold_top_under();
        }
        let Parcel { units, kind, void_ratio, moved, .. } = parcel;
        self.set_top(Layer { units, kind, void_ratio, moved });
    }

    /// Presses as much of `parcel` in as fits beside the rock and a body that takes `body_share` (1/32,768) of the voxel, where all
    /// soil here is made as dense as that takes, without pores at most. Returns how much went in (units).
    pub fn press_in(&mut self, mut parcel: Parcel, body_share: u32, materials: &Materials) -> u16 {
        let free = LOOSE_FULL.saturating_sub(self.voxel.rock_share(materials) + body_share);
        let room = VoidRatio(0).units_in(free).saturating_sub(self.voxel.soil()).min(self.countable(&parcel));
        let part = parcel.split_off(room);
        self.add_soil(part);
        if self.voxel.soil_share() > free
            && let Some(dense) = VoidRatio::fitting(self.voxel.soil(), free)
        {
            self.voxel.top_void_ratio = dense;
            if self.voxel.under > 0 {
                self.voxel.under_void_ratio = dense;
            }
        }
        part.units
    }

    /// Makes the soil below and on top as dense as that, never looser. What lies as dense again as before it was moved is whole again.
    pub fn compact(&mut self, under: VoidRatio, top: VoidRatio, materials: &Materials) {
        let heals = |layer: &Layer| {
            let natural = VoidRatio::from_f32(materials[layer.kind].void_ratio_natural);
            layer.moved && layer.void_ratio <= natural
        };
        let (mut below, mut above) = (self.voxel.under_layer(), self.voxel.top_layer());
        if below.units > 0 && under < below.void_ratio {
            below.void_ratio = under;
            below.moved &= !heals(&below);
            self.set_under(below);
        }
        if above.units > 0 && top < above.void_ratio {
            above.void_ratio = top;
            above.moved &= !heals(&above);
            self.set_top(above);
        }
    }

    /// How many units of `parcel` the numbers of a voxel can count beside what they hold.
    pub fn countable(&self, parcel: &Parcel) -> u32 {
        let by_soil = MOST_SOIL - self.voxel.soil();
        let water = u32::from(u16::MAX - self.voxel.water);
        if u32::from(parcel.water) <= water {
            return by_soil;
        }
        by_soil.min(water * u32::from(parcel.units) / u32::from(parcel.water))
    }

    /// Adds water to the pores of its soil (units). The caller has seen that there is soil and that the pores hold it.
    pub fn add_water(&mut self, units: u16) {
        assert!(self.voxel.has_soil(), "water stays in pores");
        self.voxel.water =
            self.voxel.water.checked_add(units).expect("pores hold no more than 65,535 units of water");
    }

    /// Takes up to `units` of the soil on top, all of one kind, with its share of the water. What lies below rises when that was
    /// all: call again for more.
    #[inline]
    pub fn take_soil(&mut self, units: u32) -> Parcel {
        let voxel = &mut *self.voxel;
        let taken = units.min(u32::from(voxel.top)) as u16;
        let top = voxel.top_layer();
        let water = share_of_water(voxel.water, taken.into(), voxel.soil());
        voxel.top -= taken;
        voxel.water -= water;
        if voxel.top == 0 {
            self.rise();
        }
        Parcel { units: taken, kind: top.kind, void_ratio: top.void_ratio, moved: top.moved, water }
    }

    /// Takes up to `units` of soil from the top down and adds what comes to `parcels`, kind by kind. Returns how much came.
    pub fn take_soils(&mut self, units: u32, parcels: &mut Parcels) -> u32 {
        let mut wanted = units;
        while wanted > 0 && self.voxel.top > 0 {
            let parcel = self.take_soil(wanted);
            wanted -= u32::from(parcel.units);
            parcels.push(parcel);
        }
        units - wanted
    }

    /// Adds rock. Of several kinds the voxel names the one that there is most of.
    pub fn add_rock(&mut self, units: u16, kind: MaterialId) {
        if units == 0 {
            return;
        }
        let mut kinds = self.kinds_of_rock();
        add_kind(&mut kinds, kind, units);
        self.set_rocks(kinds);
    }

    /// Takes up to `units` of one kind of rock, first what there is most of. Returns how many of which.
    pub fn take_rock(&mut self, units: u32) -> (u16, MaterialId) {
        let kind = self.voxel.rock_kind;
        let mut kinds = self.kinds_of_rock();
        let Some((_, held)) = kinds.first_mut() else { return (0, kind) };
        let taken = units.min(u32::from(*held)) as u16;
        *held -= taken;
        self.set_rocks(kinds);
        (taken, kind)
    }

    /// Makes the voxel hold exactly what `voxel` says, with what the list beside its brick has of place `from`.
    pub(crate) fn set_as(&mut self, voxel: Voxel, side: &SideList, from: usize) {
        if *self.voxel == voxel && !voxel.marks.has(Marks::MORE_SOILS | Marks::MORE_ROCKS) {
            return;
        }
        for channel in Channel::ALL {
            let entries = side.of(from, channel).iter().map(|entry| (entry.key, entry.value));
            self.side.set(self.at, channel, entries.collect::<Vec<_>>());
        }
        *self.voxel = voxel;
    }

    /// All that the voxel holds, by account and kind (units).
    pub(crate) fn contents(&self) -> Amounts<i64> {
        let mut contents = Amounts::default();
        let rocks = self.kinds_of_rock().into_iter().map(|(kind, units)| ((Account::Rock, kind), units));
        let soils = self.kinds_of_under().into_iter().map(|(kind, units)| ((Account::Soil, kind), units));
        let top = ((Account::Soil, self.voxel.top_kind), self.voxel.top);
        let water = ((Account::Water, Account::WATER_KIND), self.voxel.water);
        rocks.chain(soils).chain([top, water]).for_each(|(place, units)| contents.add(place, units.into()));
        contents
    }

    /// Makes the voxel hold exactly what `voxel` says, one kind of each at most.
    #[cfg(test)]
    pub(crate) fn set(&mut self, voxel: Voxel) {
        self.side.set(self.at, Channel::Soil, []);
        self.side.set(self.at, Channel::Rock, []);
        *self.voxel = voxel;
    }

    #[inline]
    fn average_on_top(&mut self, parcel: Parcel) {
        let voxel = &mut *self.voxel;
        if voxel.top_void_ratio != parcel.void_ratio {
            let others = [(voxel.under_void_ratio, u32::from(voxel.under))];
            let parts =
                [(voxel.top_void_ratio, u32::from(voxel.top)), (parcel.void_ratio, parcel.units.into())];
            voxel.top_void_ratio = VoidRatio::mean(parts, others);
        }
        voxel.top += parcel.units;
    }

    /// Lays the soil on top to that below it, kind by kind.
    fn fold_top_under(&mut self) {
        let (top, under) = (self.voxel.top_layer(), self.voxel.under_layer());
        self.set_top(Layer::default());
        if under.units == 0 {
            self.set_under(top);
            return;
        }
        let void_ratio = if top.void_ratio == under.void_ratio {
            top.void_ratio
        } else {
            let parts = [(under.void_ratio, u32::from(under.units)), (top.void_ratio, top.units.into())];
            VoidRatio::mean(parts, [])
        };
        let moved = if top.units > under.units { top.moved } else { under.moved };
        let mut kinds = self.kinds_of_under();
        add_kind(&mut kinds, top.kind, top.units);
        self.set_under(Layer { units: under.units + top.units, kind: under.kind, void_ratio, moved });
        self.set_kinds_of_under(kinds);
    }

    /// Brings the largest part of what lies below on top, where nothing is any more.
    fn rise(&mut self) {
        let under = self.voxel.under_layer();
        let mut kinds = self.kinds_of_under();
        if kinds.is_empty() {
            self.set_top(Layer::default());
            return;
        }
        let (kind, units) = kinds.remove(0);
        self.set_top(Layer { units, kind, ..under });
        self.set_under(if kinds.is_empty() {
            Layer::default()
        } else {
            Layer { units: under.units - units, ..under }
        });
        self.set_kinds_of_under(kinds);
    }

    fn set_top(&mut self, layer: Layer) {
        let voxel = &mut *self.voxel;
        (voxel.top, voxel.top_kind, voxel.top_void_ratio) = (layer.units, layer.kind, layer.void_ratio);
        voxel.marks.set(Marks::TOP_MOVED, layer.moved);
    }

    fn set_under(&mut self, layer: Layer) {
        let voxel = &mut *self.voxel;
        (voxel.under, voxel.under_kind, voxel.under_void_ratio) = (layer.units, layer.kind, layer.void_ratio);
        voxel.marks.set(Marks::UNDER_MOVED, layer.moved);
    }

    /// The kinds of the soil below with their units, the one that is named first, the others by their numbers.
    fn kinds_of_under(&self) -> Vec<(MaterialId, u16)> {
        soils_under(self.voxel, self.side, self.at)
    }

    fn kinds_of_rock(&self) -> Vec<(MaterialId, u16)> {
        rocks(self.voxel, self.side, self.at)
    }

    fn set_kinds_of_under(&mut self, mut kinds: Vec<(MaterialId, u16)>) {
        most_first(&mut kinds);
        self.voxel.under_kind = kinds.first().map_or(MaterialId(0), |(kind, _)| *kind);
        self.list(Channel::Soil, Marks::MORE_SOILS, kinds.get(1..).unwrap_or(&[]));
    }

    fn set_rocks(&mut self, mut kinds: Vec<(MaterialId, u16)>) {
        most_first(&mut kinds);
        self.voxel.rock = kinds.iter().map(|(_, units)| units).sum();
        self.voxel.rock_kind = kinds.first().map_or(MaterialId(0), |(kind, _)| *kind);
        self.list(Channel::Rock, Marks::MORE_ROCKS, kinds.get(1..).unwrap_or(&[]));
    }

    fn list(&mut self, channel: Channel, mark: u8, kinds: &[(MaterialId, u16)]) {
        if kinds.is_empty() && !self.voxel.marks.has(mark) {
            return;
        }
        self.side.set(self.at, channel, kinds.iter().map(|(kind, units)| (kind.0, *units)));
        self.voxel.marks.set(mark, !kinds.is_empty());
    }
}

/// The kinds of the soil below in a voxel with their units, the one that it names first, the others by their numbers.
fn soils_under(voxel: &Voxel, side: &SideList, at: usize) -> Vec<(MaterialId, u16)> {
    let has_more = voxel.marks.has(Marks::MORE_SOILS);
    kinds((voxel.under_kind, voxel.under), if has_more { side.of(at, Channel::Soil) } else { &[] })
}

/// The kinds of the rock in a voxel with their units, the one that it names first, the others by their numbers.
fn rocks(voxel: &Voxel, side: &SideList, at: usize) -> Vec<(MaterialId, u16)> {
    let has_more = voxel.marks.has(Marks::MORE_ROCKS);
    kinds((voxel.rock_kind, voxel.rock), if has_more { side.of(at, Channel::Rock) } else { &[] })
}

/// `all`, of which `others` are of other kinds.
fn kinds(all: (MaterialId, u16), others: &[super::SideEntry]) -> Vec<(MaterialId, u16)> {
    let (kind, units) = all;
    if units == 0 {
        return Vec::new();
    }
    let named = units - others.iter().map(|entry| entry.value).sum::<u16>();
    let others = others.iter().map(|entry| (MaterialId(entry.key), entry.value));
    std::iter::once((kind, named)).chain(others).collect()
}

fn add_kind(kinds: &mut Vec<(MaterialId, u16)>, kind: MaterialId, units: u16) {
    match kinds.iter_mut().find(|(other, _)| *other == kind) {
        Some((_, held)) => *held += units,
        None => kinds.push((kind, units)),
    }
}

/// Puts the kind that there is most of first, of equal ones that with the smallest number, and the others in order of theirs;
/// leaves out what there is nothing of.
fn most_first(kinds: &mut Vec<(MaterialId, u16)>) {
    kinds.retain(|(_, units)| *units > 0);
    kinds.sort_unstable_by_key(|(kind, _)| *kind);
    // The last of equals is the first of the reversed.
    if let Some(most) = (0..kinds.len()).rev().max_by_key(|&at| kinds[at].1) {
        kinds[..=most].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn parcel(units: u16, kind: u8, e: u16) -> Parcel {
        Parcel { units, kind: MaterialId(kind), void_ratio: VoidRatio(e), moved: false, water: 0 }
    }

    fn held(voxel: &Voxel, side: &SideList) -> BTreeMap<u8, u64> {
        let mut held = BTreeMap::new();
        let top = [(voxel.top_kind, voxel.top)];
        for (kind, units) in
            soils_under(voxel, side, 5).into_iter().chain(top).filter(|(_, units)| *units > 0)
        {
            *held.entry(kind.0).or_default() += u64::from(units);
        }
        held
    }

    #[test]
    fn filling_to_the_room_reaches_one_and_never_more() {
        let materials = Materials::builtin();
        let granite = materials.find("granite").expect("builtin");
        for rock in [0, 1, 12_345, 30_000] {
            for body in [0, 1, 9_999, 20_000, 32_768] {
                for e in [0, 5_000, 13_107, 65_535] {
                    let (mut voxel, mut side) = (Voxel::of_rock(rock, granite), SideList::EMPTY);
                    let room = voxel.room(VoidRatio(e), body, &materials);
                    VoxelMut::new(&mut voxel, &mut side, 5).add_soil(parcel(room as u16, 0, e));
                    let rock_and_body = voxel.rock_share(&materials) + body;
                    let total = voxel.soil_share() + rock_and_body;
                    assert!(total <= LOOSE_FULL.max(rock_and_body), "{total} for {rock} {body} {e}");
                    assert_eq!(voxel.room(VoidRatio(e), body, &materials), 0);
                }
            }
        }
    }

    #[test]
    fn what_is_pressed_in_fits_however_dense_that_makes_it() {
        let materials = Materials::builtin();
        let granite = materials.find("granite").expect("builtin");
        for rock in [0, 12_345, 50_000] {
            for kind in [0, 1] {
                let (mut voxel, mut side) = (Voxel::of_rock(rock, granite), SideList::EMPTY);
                let room = voxel.room(VoidRatio(9_000), 0, &materials) as u16;
                VoxelMut::new(&mut voxel, &mut side, 5).add_soil(parcel(room, 0, 9_000));
                let before = voxel.soil();
                let mut writer = VoxelMut::new(&mut voxel, &mut side, 5);
                assert_eq!(writer.press_in(parcel(1_000, kind, 20_000), 0, &materials), 1_000);
                let rest = writer.press_in(parcel(60_000, kind, 20_000), 0, &materials);
                assert!(rest < 60_000 && voxel.soil() == before + 1_000 + u32::from(rest));
                assert!(voxel.fill(&materials) > 0.999);
                assert!(voxel.rock_share(&materials) + voxel.soil_share() <= LOOSE_FULL);
            }
        }
    }

    #[test]
    fn what_came_last_lies_on_top_and_goes_first() {
        let (mut voxel, mut side) = (Voxel::AIR, SideList::EMPTY);
        let mut writer = VoxelMut::new(&mut voxel, &mut side, 5);
        writer.add_soil(parcel(100, 1, 1_000));
        writer.add_soil(parcel(50, 2, 4_000));
        writer.add_soil(parcel(50, 2, 2_000));
        writer.add_soil(parcel(30, 3, 2_000));
        assert_eq!(
            (voxel.under, voxel.under_kind, voxel.under_void_ratio),
            (200, MaterialId(1), VoidRatio(2_000))
        );
        assert_eq!(
            side.of(5, Channel::Soil),
            [SideEntry { voxel: 5, channel: Channel::Soil, key: 2, value: 100 }]
        );
        let mut parcels = Parcels::new();
        let taken = VoxelMut::new(&mut voxel, &mut side, 5).take_soils(1_000, &mut parcels);
        let kinds: Vec<_> = parcels.iter().map(|parcel| (parcel.kind.0, parcel.units)).collect();
        assert_eq!((taken, kinds), (230, vec![(3, 30), (1, 100), (2, 100)]));
        assert_eq!((voxel, side), (Voxel::AIR, SideList::EMPTY));
    }

    #[test]
    fn rock_of_several_kinds_is_kept_apart() {
        let (mut voxel, mut side) = (Voxel::AIR, SideList::EMPTY);
        let mut writer = VoxelMut::new(&mut voxel, &mut side, 5);
        [(10, 7), (30, 8), (25, 7)]
            .into_iter()
            .for_each(|(units, kind)| writer.add_rock(units, MaterialId(kind)));
        assert_eq!((writer.get().rock, writer.get().rock_kind), (65, MaterialId(7)));
        assert_eq!(writer.take_rock(20), (20, MaterialId(7)));
        assert_eq!((writer.get().rock, writer.get().rock_kind), (45, MaterialId(8)));
        assert_eq!([writer.take_rock(99), writer.take_rock(99)], [(30, MaterialId(8)), (15, MaterialId(7))]);
        assert_eq!((voxel, side), (Voxel::AIR, SideList::EMPTY));
    }

    proptest! {
        #[test]
        fn every_kind_and_the_water_are_kept_to_the_unit(
            moves in prop::collection::vec((0..6_u8, 0..6_000_u16, 0..30_000_u16, any::<bool>(), 0..3_u16), 1..60),
        ) {
            let materials = Materials::builtin();
            let (mut voxel, mut side) = (Voxel::AIR, SideList::EMPTY);
            let (mut expected, mut water) = (BTreeMap::<u8, u64>::new(), 0_u64);
            for (kind, units, e, moved, take) in moves {
                let mut writer = VoxelMut::new(&mut voxel, &mut side, 5);
                if take == 0 {
                    let mut parcels = Parcels::new();
                    writer.take_soils(u32::from(units), &mut parcels);
                    for parcel in parcels {
                        *expected.get_mut(&parcel.kind.0).expect("only what was there") -= u64::from(parcel.units);
                        water -= u64::from(parcel.water);
                    }
                } else {
                    let room = writer.get().room(VoidRatio(e), 0, &materials).min(u32::from(units)) as u16;
                    let (shares, wet) = (writer.get().soil_share() + VoidRatio(e).share_of(room.into()), room / 7);
                    writer.add_soil(Parcel { moved, water: wet, ..parcel(room, kind, e) });
                    prop_assert!(voxel.soil_share() <= shares, "soil grew by mixing");
                    *expected.entry(kind).or_default() += u64::from(room);
                    water += u64::from(wet);
                }
                expected.retain(|_, units| *units > 0);
                prop_assert_eq!(held(&voxel, &side), expected.clone());
                prop_assert_eq!(u64::from(voxel.water), water);
                prop_assert!(voxel.soil_share() <= LOOSE_FULL);
                prop_assert_eq!(voxel.marks.has(Marks::MORE_SOILS), !side.is_empty());
            }
        }
    }

    use super::super::SideEntry;
}
