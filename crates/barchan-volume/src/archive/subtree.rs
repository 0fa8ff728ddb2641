//! What stands in the place of a cube of the archive.

/// A part of the archive. Equal parts of the same level are equal here; what is all of one value needs no storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Subtree(pub(super) u32);

/// The first id of what is stored; smaller numbers say what all of a cube is.
pub(super) const FIRST_ID: u32 = 512;
/// Nothing changed what the base gives.
const BASE: u32 = 256;
/// Every 4x4x4 voxels are as this leaf, all voxels of which are equal.
const EVEN: u32 = 1 << 31;

/// A [`Subtree`], told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Wholly of this material; 0: air.
    Whole(u8),
    /// As the base gives it.
    Base,
    /// Every leaf is as this one, and all of its voxels are equal.
    Even(u32),
    /// A node or a leaf of this id.
    Stored(u32),
}

impl Subtree {
    /// Nothing.
    pub const AIR: Self = Self(0);
    /// What the base gives.
    pub(super) const BASE: Self = Self(BASE);

    /// Wholly of one material; 0: air.
    pub fn whole(material: u8) -> Self {
        Self(material.into())
    }

    pub(super) fn even(leaf: u32) -> Self {
        Self(leaf | EVEN)
    }

    pub(super) fn stored(id: u32) -> Self {
        Self(id)
    }

    #[inline]
    pub(super) fn part(self) -> Part {
        match self.0 {
            material @ 0..BASE => Part::Whole(material as u8),
            BASE => Part::Base,
            id if id & EVEN != 0 => Part::Even(id & !EVEN),
            id => Part::Stored(id),
        }
    }

    /// The material that all of it wholly is.
    #[inline]
    pub(super) fn only_material(self) -> Option<u8> {
        (self.0 < BASE).then_some(self.0 as u8)
    }

    /// True when all of its voxels are certainly equal.
    #[inline]
    pub(super) fn is_uniform(self) -> bool {
        self.0 < BASE || self.0 & EVEN != 0
    }
}

/// What is kept beside a subtree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// Solid voxels, those of the base not counted.
    pub solid: u64,
    /// The material of all that is solid; 0 where there are several, or nothing.
    pub material: u8,
    /// There are several materials.
    pub several: bool,
    /// Some of it is as the base gives it.
    pub has_base: bool,
}

impl Summary {
    pub(super) fn of_one(material: u8, solid: u64) -> Self {
        if solid == 0 || material == 0 {
            return Self::default();
        }
        Self { solid, material, ..Self::default() }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let has_base = self.has_base || other.has_base;
        if self.solid == 0 || other.solid == 0 {
            let kept = if self.solid == 0 { other } else { self };
            return Self { has_base, ..kept };
        }
        let several = self.several || other.several || self.material != other.material;
        let material = if several { 0 } else { self.material };
        Self { solid: self.solid + other.solid, material, several, has_base }
    }
}
