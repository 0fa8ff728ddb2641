//! What a bubble counts: how much of each voxel is filled, handed over brick by brick.

use glam::IVec3;

use crate::brick::{Brick, VOXELS, brick_box, voxel_index};
use crate::connect::VoxelSet;
use crate::grid::Grid;
use crate::voxel_box::VoxelBox;

/// How much of each voxel is filled, in whole steps.
pub trait Filling: Sync {
    /// What a filled voxel counts; no voxel counts more.
    fn full(&self) -> u16;

    /// What all voxels of brick `coord` count, if they are alike; else `None`, and one number for each in `out`, in the
    /// order of [`voxel_index`].
    fn brick(&self, coord: IVec3, out: &mut [u16; VOXELS]) -> Option<u16>;
}

/// A grid as a filling: `weigh` says what a voxel of this value counts, from 0 to `full`.
pub struct GridFilling<'a, T, F> {
    grid: &'a Grid<T>,
    full: u16,
    weigh: F,
}

impl<'a, T, F: Fn(T) -> u16> GridFilling<'a, T, F> {
    /// The filling of `grid`.
    pub fn new(grid: &'a Grid<T>, full: u16, weigh: F) -> Self {
        Self { grid, full, weigh }
    }
}

impl<T: Copy + PartialEq + Send + Sync, F: Fn(T) -> u16 + Sync> Filling for GridFilling<'_, T, F> {
    fn full(&self) -> u16 {
        self.full
    }

    fn brick(&self, coord: IVec3, out: &mut [u16; VOXELS]) -> Option<u16> {
        match self.grid.stored(coord) {
            None => Some((self.weigh)(self.grid.background())),
            Some(Brick::Uniform(value)) => Some((self.weigh)(*value)),
            Some(Brick::Dense(values)) => {
                for (out, value) in out.iter_mut().zip(values.iter()) {
                    *out = (self.weigh)(*value);
                }
                None
            }
        }
    }
}

/// A filling within bounds; beyond them all is full.
pub struct Walled<F> {
    inner: F,
    bounds: VoxelBox,
}

impl<F: Filling> Walled<F> {
    /// `inner` with walls around `bounds`.
    pub fn new(inner: F, bounds: VoxelBox) -> Self {
        Self { inner, bounds }
    }
}

impl<F: Filling> Filling for Walled<F> {
    fn full(&self) -> u16 {
        self.inner.full()
    }

    fn brick(&self, coord: IVec3, out: &mut [u16; VOXELS]) -> Option<u16> {
        let within = brick_box(coord).intersect(&self.bounds);
        if within == brick_box(coord) {
            return self.inner.brick(coord, out);
        }
        let full = self.full();
        if within.is_empty() {
            return Some(full);
        }
        if let Some(value) = self.inner.brick(coord, out) {
            out.fill(value);
        }
        for p in brick_box(coord).cells().filter(|p| !within.contains(*p)) {
            out[voxel_index(p)] = full;
        }
        None
    }
}

/// A filling with some voxels taken as full, such as hollows that nothing reaches.
pub struct Plugged<'a, F> {
    inner: F,
    plugs: &'a VoxelSet,
}

impl<'a, F: Filling> Plugged<'a, F> {
    /// `inner` with `plugs` filled.
    pub fn new(inner: F, plugs: &'a VoxelSet) -> Self {
        Self { inner, plugs }
    }
}

impl<F: Filling> Filling for Plugged<'_, F> {
    fn full(&self) -> u16 {
        self.inner.full()
    }

    fn brick(&self, coord: IVec3, out: &mut [u16; VOXELS]) -> Option<u16> {
        let same = self.inner.brick(coord, out);
        let Some(plugs) = self.plugs.mask(coord) else { return same };
        let full = self.full();
        if plugs.is_full() || same == Some(full) {
            return Some(full);
        }
        if let Some(value) = same {
            out.fill(value);
        }
        for index in plugs.indices() {
            out[index] = full;
        }
        None
    }
}
