//! Names of blocks and of their sides.

use barchan_volume::VoxelBox;
use glam::IVec3;

/// A block of the surface. It stays the same block as the ground changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockKey {
    /// Level of detail: a cell is 2^level voxels wide.
    pub level: u8,
    /// Place among the blocks of its level (blocks).
    pub coord: [i32; 3],
}

impl BlockKey {
    /// The block of `level` at `coord` (blocks).
    pub fn new(level: u8, coord: IVec3) -> Self {
        Self { level, coord: coord.to_array() }
    }

    /// Place among the blocks of its level (blocks).
    pub fn coord(&self) -> IVec3 {
        IVec3::from_array(self.coord)
    }

    /// The block of the next coarser level around it.
    pub fn parent(&self) -> Self {
        Self::new(self.level + 1, self.coord() >> 1)
    }

    /// The eight blocks of the next finer level in it; none at level 0.
    pub fn children(&self) -> impl Iterator<Item = Self> + use<> {
        let (level, low) = (self.level, self.coord() * 2);
        let corner = move |at: i32| low + IVec3::new(at & 1, at >> 1 & 1, at >> 2);
        (0..8).filter(move |_| level > 0).map(move |at| Self::new(level - 1, corner(at)))
    }

    /// The block of the same level beyond `side`.
    pub fn beyond(&self, side: Side) -> Self {
        let mut coord = self.coord();
        coord[side.axis()] += if side.is_high() { 1 } else { -1 };
        Self::new(self.level, coord)
    }

    /// The voxels whose middles the cells of the block lie between, with `edge` cells along an edge.
    pub fn voxels(&self, edge: i32) -> VoxelBox {
        let width = edge << self.level;
        VoxelBox::new(self.coord() * width, (self.coord() + IVec3::ONE) * width + IVec3::ONE)
    }
}

/// One of the six sides of a block: low and high x, then y, then z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side(u8);

impl Side {
    /// All six.
    pub const ALL: [Self; 6] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5)];

    /// Place in [`Side::ALL`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// 0, 1 or 2: the axis it is at right angles to.
    pub fn axis(self) -> usize {
        self.index() / 2
    }

    /// True for the upper side of its axis.
    pub fn is_high(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A set of sides of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sides(u8);

impl Sides {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// Those for which `is_in` is true.
    pub fn where_true(mut is_in: impl FnMut(Side) -> bool) -> Self {
        Side::ALL
            .into_iter()
            .filter(|side| is_in(*side))
            .fold(Self::NONE, |set, side| Self(set.0 | 1 << side.0))
    }

    /// True when `side` is in it.
    pub fn contains(self, side: Side) -> bool {
        self.0 >> side.0 & 1 == 1
    }

    /// True when all of `other` are in it.
    pub fn contains_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }
}
