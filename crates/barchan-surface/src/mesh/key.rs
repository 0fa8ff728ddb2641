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
        Self::new(self.level, self.coord() + side.step())
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

    /// The step to the neighbour beyond it.
    pub fn step(self) -> IVec3 {
        let mut step = IVec3::ZERO;
        step[self.axis()] = if self.is_high() { 1 } else { -1 };
        step
    }

    /// True for the upper side of its axis.
    pub fn is_high(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Of which level the 26 neighbours of a block are, against its own. A step to a neighbour is -1, 0 or 1 along each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Neighbours {
    finer: u32,
    same: u32,
}

impl Neighbours {
    /// No neighbour is finer.
    pub const NONE_FINER: Self = Self { finer: 0, same: 0 };

    /// The neighbours of which `is_finer` and `is_same` hold; the others are coarser or not there.
    pub fn of(
        key: BlockKey,
        is_finer: impl Fn(BlockKey) -> bool,
        is_same: impl Fn(BlockKey) -> bool,
    ) -> Self {
        let mut neighbours = Self::default();
        for step in VoxelBox::cell(IVec3::ZERO).grow(1).cells().filter(|step| *step != IVec3::ZERO) {
            let near = BlockKey::new(key.level, key.coord() + step);
            neighbours.finer |= u32::from(is_finer(near)) << bit(step);
            neighbours.same |= u32::from(is_same(near)) << bit(step);
        }
        neighbours
    }

    /// True when the neighbour at `step` is one level finer.
    #[inline]
    pub fn is_finer(self, step: IVec3) -> bool {
        self.finer >> bit(step) & 1 == 1
    }

    /// True when the neighbour at `step` is of the same level, as is the block itself.
    #[inline]
    pub fn is_same(self, step: IVec3) -> bool {
        step == IVec3::ZERO || self.same >> bit(step) & 1 == 1
    }

    /// True when any of them is finer.
    #[inline]
    pub fn any_finer(self) -> bool {
        self.finer != 0
    }

    /// True when the blocks beyond `side` are finer.
    pub fn is_finer_beyond(self, side: Side) -> bool {
        self.is_finer(side.step())
    }
}

/// Where a neighbour stands in the masks.
#[inline]
fn bit(step: IVec3) -> i32 {
    (step.x + 1) * 9 + (step.y + 1) * 3 + step.z + 1
}
