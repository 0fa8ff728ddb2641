//! A leaf in the hand: 4x4x4 voxels to look at and to change.

/// What a voxel holds, to the bit, where that is not simply a whole voxel of its material.
pub type Contents = [u16; 8];

/// What few voxels have beside their contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rare {
    /// Number of the voxel in its leaf.
    pub voxel: u8,
    /// What there is to say.
    pub data: u32,
}

/// What the archive says of one voxel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The material of a solid voxel; 0: not solid.
    pub material: u8,
    /// What it holds where it is not simply wholly of its material, or wholly air. May only be set where it differs from that.
    pub contents: Option<Contents>,
}

impl Value {
    /// Nothing.
    pub const AIR: Self = Self { material: 0, contents: None };

    /// Wholly of one material; 0: air.
    pub const fn whole(material: u8) -> Self {
        Self { material, contents: None }
    }
}

/// Voxels of a leaf.
pub(super) const VOXELS: usize = 64;

/// 4x4x4 voxels; their number has x slowest, z fastest. Whatever was done to it, equal voxels make equal leaves of the archive.
#[derive(Clone, Debug)]
pub struct Leaf {
    pub(super) solid: u64,
    /// The material of all that is solid; 0: `materials` tell.
    pub(super) one: u8,
    pub(super) materials: [u8; VOXELS],
    /// Voxels whose contents are told.
    pub(super) exact: u64,
    pub(super) contents: [Contents; VOXELS],
    /// In order.
    pub(super) rare: Vec<Rare>,
}

impl Default for Leaf {
    fn default() -> Self {
        Self {
            solid: 0,
            one: 0,
            materials: [0; VOXELS],
            exact: 0,
            contents: [[0; 8]; VOXELS],
            rare: Vec::new(),
        }
    }
}

impl Leaf {
    /// A bit for every solid voxel.
    pub fn solid(&self) -> u64 {
        self.solid
    }

    /// A bit for every voxel whose contents are told.
    pub fn exact(&self) -> u64 {
        self.exact
    }

    /// What is rare, in order.
    pub fn rare(&self) -> &[Rare] {
        &self.rare
    }

    /// The material of voxel number `at`; 0: not solid.
    #[inline]
    pub fn material(&self, at: usize) -> u8 {
        match self.solid >> at & 1 {
            0 => 0,
            _ if self.one != 0 => self.one,
            _ => self.materials[at],
        }
    }

    /// What voxel number `at` is.
    pub fn get(&self, at: usize) -> Value {
        let contents = (self.exact >> at & 1 != 0).then(|| self.contents[at]);
        Value { material: self.material(at), contents }
    }

    /// Makes the voxels of `mask` whole voxels of a material; 0: air.
    #[inline]
    pub fn fill(&mut self, mask: u64, material: u8) {
        self.drop_exact(mask);
        if material == 0 {
            self.solid &= !mask;
            return;
        }
        if self.solid & !mask == 0 {
            self.one = material;
        } else if self.one != material {
            self.spread();
            each_bit(mask, |at| self.materials[at] = material);
        }
        self.solid |= mask;
    }

    /// Makes voxel number `at` what `value` says.
    pub fn set(&mut self, at: usize, value: Value) {
        self.fill(1 << at, value.material);
        if let Some(contents) = value.contents {
            self.exact |= 1 << at;
            self.contents[at] = contents;
        }
    }

    /// Makes every voxel what `value` says.
    pub fn set_all(&mut self, value: Value) {
        self.fill(!0, value.material);
        if let Some(contents) = value.contents {
            self.exact = !0;
            self.contents = [contents; VOXELS];
        }
    }

    /// Says something rare of a voxel.
    pub fn add_rare(&mut self, rare: Rare) {
        let at = self.rare.partition_point(|other| *other <= rare);
        self.rare.insert(at, rare);
    }

    fn drop_exact(&mut self, mask: u64) {
        self.exact &= !mask;
        if !self.rare.is_empty() {
            self.rare.retain(|rare| mask >> (rare.voxel & 63) & 1 == 0);
        }
    }

    /// Writes down voxel by voxel what all had in common.
    fn spread(&mut self) {
        if self.one != 0 {
            self.materials = [self.one; VOXELS];
            self.one = 0;
        }
    }
}

/// Calls `visit` with the number of every bit that is set, in order.
#[inline]
pub(super) fn each_bit(mut mask: u64, mut visit: impl FnMut(usize)) {
    while mask != 0 {
        visit(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}
