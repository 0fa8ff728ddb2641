//! A tile of a filling with what is around it, dense.

use glam::IVec3;

use super::filling::Filling;
use super::lane::Lane;
use crate::brick::{EDGE, VOXELS, brick_box, voxel_index};
use crate::voxel_box::VoxelBox;

/// What a tile turned out to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// All of it, and all around it, counts the same.
    Same(u16),
    /// It is not all the same.
    Mixed,
}

/// The filling of a box, z fastest, in rows of a fixed length.
#[derive(Clone, Debug)]
pub(super) struct Tile<R> {
    values: Vec<R>,
    size: [usize; 3],
    bricks: Box<[u16; VOXELS]>,
}

impl<R: Lane> Tile<R> {
    /// Room for boxes of up to `size` voxels.
    pub fn new(size: [usize; 3]) -> Self {
        let values = vec![R::default(); size.iter().product()];
        Self { values, size, bricks: Box::new([0; VOXELS]) }
    }

    /// The row along z at `x` and `y` from the lowest corner.
    pub fn row(&self, x: usize, y: usize) -> &[R] {
        let start = (x * self.size[1] + y) * self.size[2];
        &self.values[start..start + self.size[2]]
    }

    /// Reads the voxels of `region`, as long as they are not all the same.
    pub fn read(&mut self, filling: &impl Filling, region: VoxelBox) -> Content {
        let mut same = None;
        let mut is_mixed = false;
        for coord in region.to_bricks().cells() {
            let part = region.intersect(&brick_box(coord));
            let found = filling.brick(coord, &mut self.bricks);
            if !is_mixed {
                match (found, same) {
                    (Some(value), None) => same = Some(value),
                    (Some(value), Some(all)) if value == all => {}
                    _ => {
                        is_mixed = true;
                        self.values.fill(R::wrapped(i64::from(same.unwrap_or(0))));
                    }
                }
            }
            if is_mixed {
                self.put(region, part, found);
            }
        }
        if is_mixed { Content::Mixed } else { Content::Same(same.unwrap_or(0)) }
    }

    /// Puts what was read of a brick where `part` lies in the box.
    fn put(&mut self, region: VoxelBox, part: VoxelBox, same: Option<u16>) {
        let length = (part.max.z - part.min.z) as usize;
        let at = part.min - region.min;
        for x in 0..part.max.x - part.min.x {
            for y in 0..part.max.y - part.min.y {
                let row = (at.x + x) as usize * self.size[1] + (at.y + y) as usize;
                let start = row * self.size[2] + at.z as usize;
                let out = &mut self.values[start..start + length];
                match same {
                    Some(value) => out.fill(R::wrapped(i64::from(value))),
                    None => {
                        let from = voxel_index(part.min + IVec3::new(x, y, 0));
                        debug_assert!(length <= EDGE as usize);
                        for (out, value) in out.iter_mut().zip(&self.bricks[from..from + length]) {
                            *out = R::wrapped(i64::from(*value));
                        }
                    }
                }
            }
        }
    }
}
