//! One voxel of ground: how much rock and soil it holds, of which kinds, how dense and how wet.

use serde::{Deserialize, Serialize};

use crate::material::{MaterialId, Materials};
use crate::units::{LOOSE_FULL, VoidRatio};

/// One voxel. A part that is absent has zeros in all its fields, so that equal ground is equal in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voxel {
    /// Rock (units).
    pub rock: u16,
    /// Soil (units).
    pub soil: u16,
    /// Void ratio of the soil; that of rock belongs to its material.
    pub void_ratio: VoidRatio,
    /// Degree of saturation of the soil's pores: 0 dry, 65,535 saturated (1/65,535).
    pub moisture: u16,
    /// Which rock.
    pub rock_kind: MaterialId,
    /// Which soil.
    pub soil_kind: MaterialId,
}

/// What goes wrong when soil is added that does not fit.
const FULL_COUNT: &str = "a voxel holds at most 65,535 units of soil";

/// An amount of one soil, on its way into a voxel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parcel {
    /// Soil (units).
    pub units: u16,
    /// Which soil.
    pub kind: MaterialId,
    /// Its void ratio.
    pub void_ratio: VoidRatio,
    /// Degree of saturation (1/65,535).
    pub moisture: u16,
}

impl Voxel {
    /// Nothing: air.
    pub const AIR: Self = Self {
        rock: 0,
        soil: 0,
        void_ratio: VoidRatio(0),
        moisture: 0,
        rock_kind: MaterialId(0),
        soil_kind: MaterialId(0),
    };

    /// Bytes of a voxel in [`Voxel::to_bytes`].
    pub const BYTES: usize = 10;

    /// Every field, little-endian, in the order of declaration: what digests and files are made of.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        out[0..2].copy_from_slice(&self.rock.to_le_bytes());
        out[2..4].copy_from_slice(&self.soil.to_le_bytes());
        out[4..6].copy_from_slice(&self.void_ratio.0.to_le_bytes());
        out[6..8].copy_from_slice(&self.moisture.to_le_bytes());
        out[8] = self.rock_kind.0;
        out[9] = self.soil_kind.0;
        out
    }

    /// The voxel with these bytes ([`Voxel::to_bytes`]).
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Self {
            rock: word(0),
            soil: word(2),
            void_ratio: VoidRatio(word(4)),
            moisture: word(6),
            rock_kind: MaterialId(bytes[8]),
            soil_kind: MaterialId(bytes[9]),
        }
    }

    /// True when there is neither rock nor soil.
    pub fn is_air(&self) -> bool {
        self.rock == 0 && self.soil == 0
    }

    /// Share of the voxel that rock takes (1/32,768, rounded up: never less than the truth).
    #[inline]
    pub fn rock_share(&self, materials: &Materials) -> u32 {
        if self.rock == 0 {
            return 0;
        }
        materials.rock_void_ratio(self.rock_kind).share_of(u32::from(self.rock))
    }

    /// Share of the voxel that soil takes (1/32,768, rounded up).
    #[inline]
    pub fn soil_share(&self) -> u32 {
        self.void_ratio.share_of(u32::from(self.soil))
    }

    /// Fill of the voxel, 0 to 1: the field whose 0.5 level is the surface.
    pub fn fill(&self, materials: &Materials) -> f32 {
        ((self.rock_share(materials) + self.soil_share()) as f32 / LOOSE_FULL as f32).min(1.0)
    }

    /// How many more units of soil at `void_ratio` fit beside the rock, the soil already here and a body that
    /// takes `body_share` (1/32,768) of the voxel.
    #[inline]
    pub fn room(&self, void_ratio: VoidRatio, body_share: u32, materials: &Materials) -> u32 {
        let taken = self.rock_share(materials) + self.soil_share() + body_share;
        void_ratio.units_in(LOOSE_FULL.saturating_sub(taken))
    }

    /// Adds soil. The larger amount gives the kind; void ratio and moisture are averaged by units, the void ratio
    /// so that both together never take more room than each by itself.
    /// Never loses a unit: the caller has asked [`Voxel::room`], so the sum fits.
    pub fn add_soil(&mut self, parcel: Parcel) {
        if parcel.units == 0 {
            return;
        }
        if (self.void_ratio, self.moisture) == (parcel.void_ratio, parcel.moisture) && self.soil > 0 {
            // More of the same, as nearly always: there is nothing to average.
            if parcel.units > self.soil {
                self.soil_kind = parcel.kind;
            }
            self.soil = self.soil.checked_add(parcel.units).expect(FULL_COUNT);
            return;
        }
        let apart = self.soil_share() + parcel.void_ratio.share_of(u32::from(parcel.units));
        let (here, new) = (u64::from(self.soil), u64::from(parcel.units));
        let weighted = |a: u16, b: u16| u64::from(a) * here + u64::from(b) * new;
        let e_sum = weighted(self.void_ratio.0, parcel.void_ratio.0);
        self.void_ratio = VoidRatio(((e_sum + (here + new) / 2) / (here + new)) as u16);
        self.moisture = (weighted(self.moisture, parcel.moisture) / (here + new)) as u16;
        if new > here {
            self.soil_kind = parcel.kind;
        }
        self.soil = self.soil.checked_add(parcel.units).expect(FULL_COUNT);
        if self.soil_share() > apart {
            // The rounding of the mean went up and grew the whole: round down instead.
            self.void_ratio = VoidRatio((e_sum / (here + new)) as u16);
        }
    }

    /// Presses as much of `parcel` in as fits beside the rock where all soil here is made as dense as that takes, without
    /// pores at most. Returns how much went in (units).
    pub fn press_in(&mut self, parcel: Parcel, materials: &Materials) -> u16 {
        let free = LOOSE_FULL.saturating_sub(self.rock_share(materials));
        let room = VoidRatio(0).units_in(free).saturating_sub(u32::from(self.soil));
        let units = room.min(u32::from(parcel.units)) as u16;
        self.add_soil(Parcel { units, ..parcel });
        if self.soil_share() > free
            && let Some(dense) = VoidRatio::fitting(u32::from(self.soil), free)
        {
            self.void_ratio = dense;
        }
        units
    }

    /// Takes up to `units` of soil and returns them.
    pub fn take_soil(&mut self, units: u32) -> Parcel {
        let taken = units.min(u32::from(self.soil)) as u16;
        let parcel = Parcel {
            units: taken,
            kind: self.soil_kind,
            void_ratio: self.void_ratio,
            moisture: self.moisture,
        };
        self.soil -= taken;
        self.clear_absent();
        parcel
    }

    /// Takes up to `units` of rock and returns how many came.
    pub fn take_rock(&mut self, units: u32) -> u16 {
        let taken = units.min(u32::from(self.rock)) as u16;
        self.rock -= taken;
        self.clear_absent();
        taken
    }

    /// Zeroes the properties of what is not there.
    pub fn clear_absent(&mut self) {
        if self.soil == 0 {
            (self.void_ratio, self.moisture, self.soil_kind) = (VoidRatio(0), 0, MaterialId(0));
        }
        if self.rock == 0 {
            self.rock_kind = MaterialId(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip() {
        let voxel = Voxel {
            rock: 1,
            soil: 513,
            void_ratio: VoidRatio(7),
            moisture: 65_535,
            rock_kind: MaterialId(9),
            soil_kind: MaterialId(3),
        };
        assert_eq!(Voxel::from_bytes(voxel.to_bytes()), voxel);
        assert_eq!(Voxel::from_bytes([0; Voxel::BYTES]), Voxel::AIR);
    }

    #[test]
    fn filling_to_the_room_reaches_one_and_never_more() {
        let materials = Materials::builtin();
        let granite = materials.find("granite").expect("builtin");
        let sand = materials.find("dry_sand").expect("builtin");
        for rock in [0, 1, 12_345, 30_000] {
            for body in [0, 1, 9_999, 20_000, 32_768] {
                for e in [0, 5_000, 13_107, 65_535] {
                    let void_ratio = VoidRatio(e);
                    let mut voxel = Voxel { rock, rock_kind: granite, ..Voxel::AIR };
                    let room = voxel.room(void_ratio, body, &materials);
                    voxel.add_soil(Parcel { units: room as u16, kind: sand, void_ratio, moisture: 0 });
                    let total = voxel.rock_share(&materials) + voxel.soil_share() + body;
                    let rock_and_body = voxel.rock_share(&materials) + body;
                    assert!(total <= LOOSE_FULL.max(rock_and_body), "{total} for {rock} {body} {e}");
                    assert_eq!(voxel.room(void_ratio, body, &materials), 0);
                }
            }
        }
    }

    #[test]
    fn what_is_pressed_in_fits_however_dense_that_makes_it() {
        let materials = Materials::builtin();
        let granite = materials.find("granite").expect("builtin");
        let parcel = |units, e| Parcel { units, kind: MaterialId(0), void_ratio: VoidRatio(e), moisture: 0 };
        for rock in [0, 12_345, 50_000] {
            let mut voxel = Voxel { rock, rock_kind: granite, ..Voxel::AIR };
            voxel.add_soil(parcel(voxel.room(VoidRatio(9_000), 0, &materials) as u16, 9_000));
            let before = voxel.soil;
            assert_eq!(
                voxel.press_in(parcel(1_000, 20_000), &materials),
                1_000,
                "beside {rock} units of rock"
            );
            assert_eq!(voxel.soil, before + 1_000);
            assert!(voxel.fill(&materials) > 0.999);
            let rest = voxel.press_in(parcel(60_000, 20_000), &materials);
            assert!(rest < 60_000 && voxel.soil == before + 1_000 + rest);
            assert!(voxel.rock_share(&materials) + voxel.soil_share() <= LOOSE_FULL);
        }
    }

    #[test]
    fn mixing_keeps_units_and_the_larger_kind() {
        let mut voxel = Voxel::AIR;
        let parcel =
            |units, kind, e| Parcel { units, kind: MaterialId(kind), void_ratio: VoidRatio(e), moisture: 0 };
        voxel.add_soil(parcel(100, 1, 1_000));
        voxel.add_soil(parcel(50, 2, 4_000));
        assert_eq!((voxel.soil, voxel.soil_kind, voxel.void_ratio), (150, MaterialId(1), VoidRatio(2_000)));
        voxel.add_soil(parcel(200, 2, 2_000));
        assert_eq!((voxel.soil, voxel.soil_kind), (350, MaterialId(2)));
        assert_eq!(voxel.take_soil(1_000).units, 350);
        assert_eq!(voxel, Voxel::AIR);
    }
}
