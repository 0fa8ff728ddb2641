//! The samples of one level of detail: where they lie, and what is read beyond the walls.

use std::cell::OnceCell;

use barchan_sim::Materials;
use barchan_volume::brick::{EDGE, voxel_index};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::{IVec2, IVec3};

use super::content::{Content, HALF, Holds};
use super::options::MeshOptions;

/// One level of samples. Sample p of level n lies in the middle of voxel p * 2^n, so that every level has a sample
/// wherever the next coarser one has.
pub(super) struct Lattice<'a, T> {
    /// What the samples hold.
    pub grid: &'a Grid<T>,
    /// The materials.
    pub materials: &'a Materials,
    /// How the surface is made.
    pub options: MeshOptions,
    /// The samples inside the walls, if there are walls.
    pub inside: Option<VoxelBox>,
    /// What lies beyond them.
    pub beyond: Beyond,
}

/// What lies beyond the sides and the floor of a world with walls. Above it is always air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    /// Ground as it is at the wall.
    Ground,
    /// The same for one sample, then nothing: moved back onto the wall, what lies between is a plane with sharp edges.
    Rim,
    /// Nothing.
    Nothing,
}

/// The samples of level `n + 1` that have a part in the samples `inside` of level n.
pub(super) fn coarser(inside: VoxelBox) -> VoxelBox {
    VoxelBox::new(inside.min >> 1, (inside.max >> 1) + IVec3::ONE)
}

impl<T: Holds> Lattice<'_, T> {
    /// The samples that are as at the nearest wall or inside of it.
    pub(super) fn ground(&self, region: VoxelBox) -> VoxelBox {
        match (self.inside, self.beyond) {
            (None, _) | (_, Beyond::Ground) => region,
            (Some(inside), Beyond::Nothing) => inside.intersect(&region),
            (Some(inside), Beyond::Rim) => {
                let rim = VoxelBox::new(inside.min - IVec3::ONE, inside.max + IVec3::new(1, 1, 0));
                rim.intersect(&region)
            }
        }
    }

    /// The part of `region` inside the walls.
    pub(super) fn clip(&self, region: VoxelBox) -> VoxelBox {
        self.inside.map_or(region, |inside| inside.intersect(&region))
    }

    /// The bricks that samples of `region` are read from, to look into them quickly.
    pub(super) fn bricks(&self, region: VoxelBox) -> Bricks<'_, T> {
        let bricks = region.to_bricks();
        let stored: Vec<_> = bricks.cells().map(|coord| self.grid.stored(coord)).collect();
        let sides = vec![OnceCell::new(); stored.len()];
        Bricks { min: bricks.min, size: bricks.size(), stored, sides }
    }
}

/// Stored bricks of a box, found without hashing.
pub(super) struct Bricks<'a, T> {
    min: IVec3,
    size: [usize; 3],
    stored: Vec<Option<&'a Brick<T>>>,
    /// On which side of the level each is, once that was asked.
    sides: Vec<OnceCell<Option<bool>>>,
}

impl<'a, T: Holds> Bricks<'a, T> {
    /// The brick at `coord`, which must be in the box; `None` when nothing is stored there.
    #[inline]
    pub(super) fn stored(&self, coord: IVec3) -> Option<&'a Brick<T>> {
        self.index(coord).and_then(|at| self.stored[at])
    }

    /// Whether all samples of the brick at `coord` are inside the ground or outside; `None` where some are near the
    /// level or on the other side.
    #[inline]
    pub(super) fn side(&self, coord: IVec3, lattice: &Lattice<'_, T>) -> Option<bool> {
        let at = self.index(coord)?;
        match self.stored[at] {
            None => Some(false),
            Some(Brick::Uniform(held)) => {
                Some(held.content(lattice.materials).of(lattice.options.phases).is_inside())
            }
            Some(Brick::Dense(held)) => *self.sides[at].get_or_init(|| one_side(&held[..], lattice)),
        }
    }

    /// What sample `p` holds: quickly where it lies in these bricks.
    #[inline]
    pub(super) fn content(&self, p: IVec3, lattice: &Lattice<'_, T>) -> Content {
        self.held(p, lattice).map(|held| held.content(lattice.materials)).unwrap_or_default()
    }

    /// What the grid has for sample `p`; `None` when nothing is there, or too far away.
    pub(super) fn held(&self, p: IVec3, lattice: &Lattice<'_, T>) -> Option<&'a T> {
        self.pillar(p.truncate(), lattice).held(p.z)
    }

    /// The samples above each other at `foot`, to look at several of them. Beyond the sides and below the floor of an open
    /// world they are those next to the wall.
    #[inline]
    pub(super) fn pillar(&self, foot: IVec2, lattice: &Lattice<'_, T>) -> Pillar<'_, 'a, T> {
        let open = Pillar {
            stored: &[],
            first: 0,
            bottom: self.min.z * EDGE,
            inside: [i32::MIN, i32::MAX],
            closed: false,
        };
        let (foot, walls) = match lattice.inside {
            None => (foot, open),
            Some(inside) => {
                let near = foot.clamp(inside.min.truncate(), inside.max.truncate() - IVec2::ONE);
                let closed = lattice.beyond == Beyond::Nothing;
                if closed && near != foot {
                    return open;
                }
                (near, Pillar { inside: [inside.min.z, inside.max.z], closed, ..open })
            }
        };
        let brick: IVec2 = foot >> 3;
        match self.index(brick.extend(self.min.z)) {
            None => walls,
            Some(at) => {
                let first = voxel_index(foot.extend(0));
                Pillar { stored: &self.stored[at..at + self.size[2]], first, ..walls }
            }
        }
    }

    /// Place of a brick in the list; `None` when it is not in the box.
    #[inline]
    fn index(&self, coord: IVec3) -> Option<usize> {
        // Below the box wraps around to far above it.
        let [x, y, z] = (coord - self.min).to_array().map(|n| n as u32 as usize);
        let [sx, sy, sz] = self.size;
        (x < sx && y < sy && z < sz).then(|| (x * sy + y) * sz + z)
    }
}

/// The side of the level on which all of `held` are.
fn one_side<T: Holds>(held: &[T], lattice: &Lattice<'_, T>) -> Option<bool> {
    /// Averages of samples this far off the level (shares) are on their side of it, however they are rounded.
    const CLEAR: u16 = 2;
    let phases = lattice.options.phases;
    let side = |held: &T| {
        // Soil that was sheared deep inside is not of one value, but far from the level.
        if held.least_fill(phases) >= HALF + CLEAR {
            return Some(true);
        }
        let fill = held.content(lattice.materials).of(phases).fill();
        (fill.abs_diff(HALF) > CLEAR).then_some(fill > HALF)
    };
    let first = side(held.first()?)?;
    held.iter().all(|held| side(held) == Some(first)).then_some(first)
}

/// Samples above each other.
#[derive(Clone, Copy)]
pub(super) struct Pillar<'b, 'a, T> {
    stored: &'b [Option<&'a Brick<T>>],
    /// Place of its samples in each brick.
    first: usize,
    /// Height of the lowest brick (samples).
    bottom: i32,
    /// Heights of the floor and of the upper wall (samples).
    inside: [i32; 2],
    closed: bool,
}

impl<'a, T: Copy> Pillar<'_, 'a, T> {
    /// What the grid has at height `z`; `None` when nothing is there.
    #[inline]
    pub(super) fn held(&self, z: i32) -> Option<&'a T> {
        let [floor, ceiling] = self.inside;
        if z >= ceiling || self.closed && z < floor {
            return None;
        }
        let above = z.max(floor).wrapping_sub(self.bottom);
        match self.stored.get((above >> 3) as usize)?.as_ref()? {
            Brick::Uniform(held) => Some(held),
            Brick::Dense(held) => held.get(self.first + (above & 7) as usize),
        }
    }
}
