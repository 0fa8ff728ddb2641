//! Dense views of a grid: reading, writing and filling boxes, columns and halos.
//!
//! Dense arrays are ordered x slowest, z fastest ([`VoxelBox::index`]), so runs along z are copied whole.

use std::ops::Range;

use glam::{IVec2, IVec3};

use crate::brick::{Brick, EDGE, brick_box, voxel_index};
use crate::grid::Grid;
use crate::voxel_box::VoxelBox;

impl<T: Copy + PartialEq> Grid<T> {
    /// Copies the voxels of `region` into `out`, which has exactly its volume.
    pub fn read_box_into(&self, region: VoxelBox, out: &mut [T]) {
        assert_eq!(region.volume(), out.len() as u128, "output does not match the box");
        for_each_part(region, |coord, part| match self.stored(coord) {
            None => for_each_run(region, part, |run, _| out[run].fill(self.background())),
            Some(Brick::Uniform(value)) => for_each_run(region, part, |run, _| out[run].fill(*value)),
            Some(Brick::Dense(values)) => {
                for_each_run(region, part, |run, inner| out[run].copy_from_slice(&values[inner]));
            }
        });
    }

    /// The voxels of `region` as a dense array.
    pub fn read_box(&self, region: VoxelBox) -> Vec<T> {
        let mut out = vec![self.background(); region.volume() as usize];
        self.read_box_into(region, &mut out);
        out
    }

    /// Writes a dense array over `region`, which has exactly its volume.
    pub fn write_box(&mut self, region: VoxelBox, values: &[T]) {
        assert_eq!(region.volume(), values.len() as u128, "input does not match the box");
        for_each_part(region, |coord, part| {
            let mut brick = self.brick(coord);
            let into = brick.make_mut();
            for_each_run(region, part, |run, inner| into[inner].copy_from_slice(&values[run]));
            brick.compact();
            self.replace(coord, brick);
        });
    }

    /// Fills `region` with one value; bricks wholly inside become single values.
    pub fn fill_box(&mut self, region: VoxelBox, value: T) {
        for_each_part(region, |coord, part| {
            if part == brick_box(coord) {
                self.replace(coord, Brick::Uniform(value));
                return;
            }
            let mut brick = self.brick(coord);
            if brick.uniform() == Some(value) {
                return;
            }
            let into = brick.make_mut();
            for_each_run(region, part, |_, inner| into[inner].fill(value));
            brick.compact();
            self.replace(coord, brick);
        });
    }

    /// The voxels `z` of the column at `xy`, bottom first.
    pub fn read_column(&self, xy: IVec2, z: Range<i32>) -> Vec<T> {
        self.read_box(column_box(xy, z))
    }

    /// Writes the voxels `z` of the column at `xy`, bottom first.
    pub fn write_column(&mut self, xy: IVec2, z: Range<i32>, values: &[T]) {
        self.write_box(column_box(xy, z), values);
    }

    /// Brick `coord` with `margin` voxels around it, as a dense cube of edge `8 + 2 margin`, into `out`.
    /// Returns the box that was read. `out` grows to fit and can be used again.
    pub fn read_halo(&self, coord: IVec3, margin: i32, out: &mut Vec<T>) -> VoxelBox {
        let region = brick_box(coord).grow(margin);
        out.resize(region.volume() as usize, self.background());
        self.read_box_into(region, out);
        region
    }
}

fn column_box(xy: IVec2, z: Range<i32>) -> VoxelBox {
    VoxelBox::new(xy.extend(z.start), IVec3::new(xy.x + 1, xy.y + 1, z.end))
}

/// Calls `visit` with every brick that `region` touches and the part of the region in it.
fn for_each_part(region: VoxelBox, mut visit: impl FnMut(IVec3, VoxelBox)) {
    for coord in region.to_bricks().cells() {
        visit(coord, region.intersect(&brick_box(coord)));
    }
}

/// Calls `visit` with every run along z of `part`: where it lies in the dense array of `region` and where in its brick.
fn for_each_run(region: VoxelBox, part: VoxelBox, mut visit: impl FnMut(Range<usize>, Range<usize>)) {
    if part.is_empty() {
        return;
    }
    let [_, sy, sz] = region.size();
    let [columns, rows, length] = part.size();
    let (outer, inner) = (region.index(part.min), voxel_index(part.min));
    for x in 0..columns {
        for y in 0..rows {
            let (outer, inner) = (outer + (x * sy + y) * sz, inner + (x * EDGE as usize + y) * EDGE as usize);
            visit(outer..outer + length, inner..inner + length);
        }
    }
}
