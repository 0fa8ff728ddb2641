//! One voxel of ground: how much rock, soil and water it holds, of which kinds, and how dense.

use serde::{Deserialize, Serialize};

use crate::material::{MaterialId, Materials, StrengthClass};
use crate::units::{LOOSE_FULL, VoidRatio};

/// One voxel. A part that is absent has zeros in all its fields, so that equal ground is equal in memory.
///
/// Soil lies in two layers. What came last is `top`; soil of other kinds that it came to lie on is `under`. A single soil is
/// always `top`. Of what kinds `under` is made beyond the one it names stands in the [`SideList`](super::SideList) of the brick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voxel {
    /// Rock (units).
    pub rock: u16,
    /// Soil below another (units).
    pub under: u16,
    /// Soil on top (units).
    pub top: u16,
    /// Void ratio of the soil below; that of rock belongs to its material.
    pub under_void_ratio: VoidRatio,
    /// Void ratio of the soil on top.
    pub top_void_ratio: VoidRatio,
    /// Water in the pores of all soil (units): 32,768 would fill the voxel.
    pub water: u16,
    /// Which rock; the most of it where there are several.
    pub rock_kind: MaterialId,
    /// Which soil lies below; the most of it where there are several.
    pub under_kind: MaterialId,
    /// Which soil lies on top.
    pub top_kind: MaterialId,
    /// What else there is to say.
    pub marks: Marks,
}

/// Yes or no, about a voxel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Marks(pub u8);

impl Marks {
    /// The soil on top has been moved since it was placed.
    pub const TOP_MOVED: u8 = 1;
    /// The soil below has been moved since it was placed.
    pub const UNDER_MOVED: u8 = 2;
    /// The list beside the brick has further kinds of the soil below.
    pub const MORE_SOILS: u8 = 4;
    /// The list beside the brick has further kinds of rock.
    pub const MORE_ROCKS: u8 = 8;
    /// All that there are.
    pub const ALL: u8 = 15;

    /// True when `mark` is set.
    #[inline]
    pub fn has(self, mark: u8) -> bool {
        self.0 & mark != 0
    }

    /// Sets `mark` or takes it away.
    #[inline]
    pub(super) fn set(&mut self, mark: u8, is_set: bool) {
        self.0 = if is_set { self.0 | mark } else { self.0 & !mark };
    }
}

/// Soil of one layer of a voxel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    /// Soil (units).
    pub units: u16,
    /// Which.
    pub kind: MaterialId,
    /// Its void ratio.
    pub void_ratio: VoidRatio,
    /// True when it has been moved since it was placed.
    pub moved: bool,
}

/// A layer on top that takes less of the voxel than this is dust (1/32,768): strength and look are those of what lies below.
pub(crate) const DUST_SHARE: u32 = LOOSE_FULL / 64;

impl Voxel {
    /// Nothing: air.
    pub const AIR: Self = Self {
        rock: 0,
        under: 0,
        top: 0,
        under_void_ratio: VoidRatio(0),
        top_void_ratio: VoidRatio(0),
        water: 0,
        rock_kind: MaterialId(0),
        under_kind: MaterialId(0),
        top_kind: MaterialId(0),
        marks: Marks(0),
    };

    /// Bytes of a voxel in [`Voxel::to_bytes`].
    pub const BYTES: usize = 16;

    /// Rock of one kind and nothing else.
    pub fn of_rock(units: u16, kind: MaterialId) -> Self {
        if units == 0 { Self::AIR } else { Self { rock: units, rock_kind: kind, ..Self::AIR } }
    }

    /// Dry soil of one kind that nobody has moved, and nothing else.
    pub fn of_soil(units: u16, kind: MaterialId, void_ratio: VoidRatio) -> Self {
        if units == 0 {
            Self::AIR
        } else {
            Self { top: units, top_kind: kind, top_void_ratio: void_ratio, ..Self::AIR }
        }
    }

    /// Every field, little-endian, in the order of declaration: what digests and files are made of.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let words =
            [self.rock, self.under, self.top, self.under_void_ratio.0, self.top_void_ratio.0, self.water];
        let mut out = [0; Self::BYTES];
        for (bytes, word) in out.chunks_exact_mut(2).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        out[12..].copy_from_slice(&[self.rock_kind.0, self.under_kind.0, self.top_kind.0, self.marks.0]);
        out
    }

    /// The voxel with these bytes ([`Voxel::to_bytes`]).
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let word = |at: usize| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]);
        Self {
            rock: word(0),
            under: word(1),
            top: word(2),
            under_void_ratio: VoidRatio(word(3)),
            top_void_ratio: VoidRatio(word(4)),
            water: word(5),
            rock_kind: MaterialId(bytes[12]),
            under_kind: MaterialId(bytes[13]),
            top_kind: MaterialId(bytes[14]),
            marks: Marks(bytes[15]),
        }
    }

    /// True when there is neither rock nor soil.
    #[inline]
    pub fn is_air(&self) -> bool {
        self.rock == 0 && self.top == 0
    }

    /// All soil (units).
    #[inline]
    pub fn soil(&self) -> u32 {
        u32::from(self.under) + u32::from(self.top)
    }

    /// True when there is soil. A single soil lies on top.
    #[inline]
    pub fn has_soil(&self) -> bool {
        self.top > 0
    }

    /// The soil on top.
    #[inline]
    pub fn top_layer(&self) -> Layer {
        let moved = self.marks.has(Marks::TOP_MOVED);
        Layer { units: self.top, kind: self.top_kind, void_ratio: self.top_void_ratio, moved }
    }

    /// The soil below it; of no units where there is none.
    #[inline]
    pub fn under_layer(&self) -> Layer {
        let moved = self.marks.has(Marks::UNDER_MOVED);
        Layer { units: self.under, kind: self.under_kind, void_ratio: self.under_void_ratio, moved }
    }

    /// The soil whose strength and look count: that on top, unless it is dust on another.
    #[inline]
    pub fn surface(&self) -> Layer {
        let top = self.top_layer();
        if self.under == 0 || top.void_ratio.share_of(u32::from(top.units)) >= DUST_SHARE {
            return top;
        }
        self.under_layer()
    }

    /// How strong the soil is that counts ([`Voxel::surface`]); where there is none, nothing is meant.
    #[inline]
    pub fn strength_class(&self, materials: &Materials) -> StrengthClass {
        self.strength_of(&self.surface(), materials)
    }

    /// How strong one of its layers is, as wet as all soil of the voxel.
    #[inline]
    pub fn strength_of(&self, layer: &Layer, materials: &Materials) -> StrengthClass {
        materials.strength_class(layer.kind, layer.void_ratio, layer.moved, self.wetness())
    }

    /// The kind of what the voxel shows: of its soil where there is any, else of its rock.
    #[inline]
    pub fn kind(&self) -> MaterialId {
        if self.has_soil() { self.surface().kind } else { self.rock_kind }
    }

    /// Share of the voxel that rock takes (1/32,768, rounded up: never less than the truth).
    #[inline]
    pub fn rock_share(&self, materials: &Materials) -> u32 {
        if self.rock == 0 {
            return 0;
        }
        materials.rock_void_ratio(self.rock_kind).share_of(u32::from(self.rock))
    }

    /// Share of the voxel that soil takes (1/32,768, rounded up once for both layers).
    #[inline]
    pub fn soil_share(&self) -> u32 {
        if self.under == 0 {
            return self.top_void_ratio.share_of(u32::from(self.top));
        }
        let layers =
            [(self.under_void_ratio, u32::from(self.under)), (self.top_void_ratio, u32::from(self.top))];
        VoidRatio::share_of_all(layers)
    }

    /// How much of the soil must go, from the top down, for the rest to take no more than `share` (1/32,768) of the voxel (units).
    pub fn soil_beyond(&self, share: u32) -> u32 {
        let under_share = self.under_void_ratio.share_of(u32::from(self.under));
        if under_share > share {
            let keep = self.under_void_ratio.units_in(share);
            return u32::from(self.top) + u32::from(self.under).saturating_sub(keep);
        }
        let keep = self.top_void_ratio.units_in(share - under_share);
        u32::from(self.top).saturating_sub(keep)
    }

    /// Share of the voxel that the pores of its soil take (1/32,768, rounded down).
    pub fn pore_share(&self) -> u32 {
        let solid = VoidRatio(0).share_of(self.soil());
        self.soil_share().saturating_sub(solid)
    }

    /// How full of water the pores are: 0 dry, 1 saturated.
    pub fn saturation(&self) -> f32 {
        if self.water == 0 {
            return 0.0;
        }
        (f32::from(self.water) / self.pore_share().max(1) as f32).min(1.0)
    }

    /// The same in whole steps (1/65,535).
    #[inline]
    pub fn wetness(&self) -> u16 {
        if self.water == 0 {
            return 0;
        }
        let degree = u32::from(self.water) * u32::from(u16::MAX) / self.pore_share().max(1);
        degree.min(u32::from(u16::MAX)) as u16
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
}

/// The water that fills the pores of so much soil to this degree (0 to 1) (units).
pub(crate) fn water_in_pores(units: u16, void_ratio: VoidRatio, saturation: f32) -> u16 {
    let units = u32::from(units);
    let pores = void_ratio.share_of(units).saturating_sub(VoidRatio(0).share_of(units));
    (saturation * pores as f32).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip() {
        let voxel = Voxel {
            rock: 1,
            under: 513,
            top: 2_000,
            under_void_ratio: VoidRatio(7),
            top_void_ratio: VoidRatio(77),
            water: 65_535,
            rock_kind: MaterialId(9),
            under_kind: MaterialId(3),
            top_kind: MaterialId(4),
            marks: Marks(5),
        };
        assert_eq!(Voxel::from_bytes(voxel.to_bytes()), voxel);
        assert_eq!(Voxel::from_bytes([0; Voxel::BYTES]), Voxel::AIR);
        assert_eq!(size_of::<Voxel>(), Voxel::BYTES);
    }

    #[test]
    fn dust_does_not_hide_what_lies_below_it() {
        let half = VoidRatio::REFERENCE.units_in(LOOSE_FULL / 2) as u16;
        let dusty = |top: u16| Voxel {
            under: half,
            under_kind: MaterialId(1),
            under_void_ratio: VoidRatio::REFERENCE,
            top,
            top_kind: MaterialId(2),
            top_void_ratio: VoidRatio::REFERENCE,
            ..Voxel::AIR
        };
        assert_eq!(dusty(DUST_SHARE as u16 - 1).kind(), MaterialId(1));
        assert_eq!(dusty(DUST_SHARE as u16).kind(), MaterialId(2));
        assert_eq!(Voxel::of_soil(1, MaterialId(2), VoidRatio::REFERENCE).kind(), MaterialId(2));
    }

    #[test]
    fn saturation_is_water_over_pores() {
        let mut voxel = Voxel::of_soil(32_768, MaterialId(0), VoidRatio::REFERENCE);
        let pores = voxel.pore_share();
        assert!((f64::from(pores) / 32_768.0 - 0.8 / 1.8).abs() < 1e-4, "{pores}");
        voxel.water = water_in_pores(32_768, VoidRatio::REFERENCE, 0.25);
        assert!((voxel.saturation() - 0.25).abs() < 1e-4);
        voxel.water = u16::MAX;
        assert_eq!(voxel.saturation(), 1.0);
    }
}
