//! A brick: 8x8x8 voxels, or a single value where all of them are equal.

use std::sync::Arc;

use glam::IVec3;

use crate::VoxelBox;

/// Voxels along one edge of a brick.
pub const EDGE: i32 = 8;
/// Voxels in a brick.
pub const VOXELS: usize = 512;

/// 8x8x8 voxels. Dense bricks are shared copy-on-write: cloning one costs a reference count.
#[derive(Clone, Debug)]
pub enum Brick<T> {
    /// All 512 voxels hold this value.
    Uniform(T),
    /// One value per voxel, in the order of [`voxel_index`].
    Dense(Arc<[T; VOXELS]>),
}

/// Where voxel `p` lies in its brick: z fastest, so that a column is contiguous.
#[inline]
pub fn voxel_index(p: IVec3) -> usize {
    (((p.x & 7) << 6) | ((p.y & 7) << 3) | (p.z & 7)) as usize
}

/// The voxel of brick `coord` that lies at `index`: the other way round than [`voxel_index`].
#[inline]
pub fn voxel_of(coord: IVec3, index: usize) -> IVec3 {
    coord * EDGE + IVec3::new((index >> 6) as i32, (index >> 3 & 7) as i32, (index & 7) as i32)
}

/// The brick that holds voxel `p`.
#[inline]
pub fn brick_of(p: IVec3) -> IVec3 {
    p >> 3
}

/// The voxels of brick `coord`.
#[inline]
pub fn brick_box(coord: IVec3) -> VoxelBox {
    let min = coord * EDGE;
    VoxelBox::new(min, min + EDGE)
}

impl<T: Copy + PartialEq> Brick<T> {
    /// The brick with these values: uniform when they are all equal.
    pub fn from_values(values: &[T; VOXELS]) -> Self {
        if values.iter().all(|v| *v == values[0]) {
            Self::Uniform(values[0])
        } else {
            Self::Dense(Arc::new(*values))
        }
    }

    /// The value at `index` (see [`voxel_index`]).
    #[inline]
    pub fn get(&self, index: usize) -> T {
        match self {
            Self::Uniform(value) => *value,
            Self::Dense(values) => values[index],
        }
    }

    /// The one value of a uniform brick.
    pub fn uniform(&self) -> Option<T> {
        match self {
            Self::Uniform(value) => Some(*value),
            Self::Dense(_) => None,
        }
    }

    /// All values, written into `out`.
    pub fn copy_to(&self, out: &mut [T; VOXELS]) {
        match self {
            Self::Uniform(value) => out.fill(*value),
            Self::Dense(values) => *out = **values,
        }
    }

    /// The values to change in place; a uniform or shared brick becomes its own dense copy first.
    pub fn make_mut(&mut self) -> &mut [T; VOXELS] {
        if let Self::Uniform(value) = *self {
            *self = Self::Dense(Arc::new([value; VOXELS]));
        }
        match self {
            Self::Dense(values) => Arc::make_mut(values),
            Self::Uniform(_) => unreachable!("made dense above"),
        }
    }

    /// Folds a dense brick whose values are all equal into a uniform one.
    pub fn compact(&mut self) {
        if let Some(value) = self.only_value() {
            *self = Self::Uniform(value);
        }
    }

    /// The value of all voxels when they are equal, however they are stored.
    pub fn only_value(&self) -> Option<T> {
        match self {
            Self::Uniform(value) => Some(*value),
            Self::Dense(values) => values.iter().all(|v| *v == values[0]).then_some(values[0]),
        }
    }

    /// True when both are certainly the same without looking at every voxel: equal single values, or one shared array.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Uniform(a), Self::Uniform(b)) => a == b,
            (Self::Dense(a), Self::Dense(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl<T: Copy + PartialEq> PartialEq for Brick<T> {
    /// Equal when all 512 voxels are equal, however they are stored.
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || (0..VOXELS).all(|i| self.get(i) == other.get(i))
    }
}
