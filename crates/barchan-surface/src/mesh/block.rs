//! One block of the surface: its triangles, and strips to put beside finer blocks.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3};

use super::cells::{self, Samples};
use super::content::Holds;
use super::field::{Field, UPRIGHT_REACH};
use super::frame::Frame;
use super::key::{BlockKey, Neighbours, Side};
use super::lattice::{Beyond, Lattice};
use super::room::moved;
use super::strip::{self, Strip};
use super::surface_mesh::SurfaceMesh;

/// The surface in one block. Which neighbours are finer is decided when the triangles are asked for, so that a change of
/// their level costs no new extraction.
#[derive(Clone, Debug)]
pub struct BlockMesh {
    key: BlockKey,
    frame: Frame,
    cells: i32,
    core: SurfaceMesh,
    /// Places of the core's vertices (samples above the origin); empty at level 0, which has no finer neighbours.
    places: Vec<Vec3>,
    strips: [Strip; 6],
}

impl BlockMesh {
    /// Its name.
    pub fn key(&self) -> BlockKey {
        self.key
    }

    /// True when there is no surface in it, whatever its neighbours.
    pub fn is_empty(&self) -> bool {
        self.core.is_empty() && self.strips.iter().all(Strip::is_empty)
    }

    /// Its triangles when no neighbour is finer.
    pub fn core(&self) -> &SurfaceMesh {
        &self.core
    }

    /// Its triangles between `neighbours`.
    pub fn mesh(&self, neighbours: Neighbours) -> Cow<'_, SurfaceMesh> {
        if self.key.level == 0 || !neighbours.any_finer() {
            return Cow::Borrowed(&self.core);
        }
        let mut mesh = self.core.clone();
        for (vertex, place) in self.places.iter().enumerate() {
            let place_now =
                moved(*place, Vec3::from_array(mesh.normals[vertex]), 1.0, neighbours, self.cells);
            if place_now != *place {
                mesh.positions[vertex] = self.frame.world(place_now);
            }
        }
        for side in Side::ALL.into_iter().filter(|side| neighbours.is_finer_beyond(*side)) {
            self.strips[side.index()].append_to(&mut mesh, neighbours, self.cells, &self.frame);
        }
        Cow::Owned(mesh)
    }
}

/// Arrays to be used again for the next block.
#[derive(Default)]
pub(super) struct Scratch {
    own: Field,
    beside: Field,
}

/// Scratch for as many threads as ask for it, to be used again by whichever asks next.
#[derive(Default)]
pub(super) struct SpareScratch(Mutex<Vec<Scratch>>);

impl SpareScratch {
    pub(super) fn lend<R>(&self, work: impl FnOnce(&mut Scratch) -> R) -> R {
        let spare = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = spare().pop().unwrap_or_default();
        let done = work(&mut scratch);
        spare().push(scratch);
        done
    }
}

/// What all blocks of a surface have in common.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// Cells along an edge.
    pub cells: i32,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// The voxels that no vertex may leave, if any.
    pub bounds: Option<VoxelBox>,
}

impl Plan {
    fn frame(&self, key: BlockKey) -> Frame {
        let Self { cells, voxel_size_m, bounds } = *self;
        Frame { origin: key.coord() * cells, level: key.level, voxel_size_m, bounds }
    }

    /// The samples that block `key` of a level above 0 is made from: of its own level, and of the finer one.
    pub(super) fn reads(&self, key: BlockKey) -> (VoxelBox, VoxelBox) {
        let origin = key.coord() * self.cells;
        let [own, finer] = [around(origin, self.cells), around(origin * 2, self.cells * 2)];
        (own.grow(UPRIGHT_REACH), finer.grow(UPRIGHT_REACH))
    }

    /// The cells along x and y of a block of level 0 that lie at least partly inside the bounds, if there are any, or hold
    /// their `rim`: all others would be pressed flat onto it.
    fn span(&self, origin: IVec3, rim: i32) -> [Range<usize>; 2] {
        std::array::from_fn(|axis| match self.bounds {
            None => 0..self.cells as usize,
            Some(bounds) => {
                let [first, end] = [bounds.min[axis] - 1 - rim, bounds.max[axis] + rim];
                let inside = |cell: i32| (cell - origin[axis]).clamp(0, self.cells) as usize;
                inside(first)..inside(end)
            }
        })
    }

    /// Block `key` of level 0.
    pub(super) fn finest<T: Holds>(
        &self,
        key: BlockKey,
        lattice: &Lattice<'_, T>,
        scratch: &mut Scratch,
    ) -> BlockMesh {
        let (frame, cells) = (self.frame(key), self.cells);
        let span = self.span(frame.origin, i32::from(lattice.beyond == Beyond::Rim));
        let mut region = around(frame.origin, cells);
        for (axis, cells) in span.iter().enumerate() {
            region.min[axis] += cells.start as i32;
            region.max[axis] = region.min[axis] + (cells.len() + 3) as i32;
        }
        let bricks = lattice.bricks(Field::needs(region));
        let mut core = SurfaceMesh::default();
        if span.iter().all(|cells| !cells.is_empty()) && !Field::is_one_sided(region, lattice, &bricks) {
            scratch.own.fill_near_surface(region, lattice, &bricks);
            let samples = Samples { field: &scratch.own, lattice, bricks: &bricks, frame };
            core = cells::extract(&samples, cells as usize, span).mesh;
            if lattice.beyond == Beyond::Rim && lattice.clip(region) != region {
                core.drop_collapsed();
            }
        }
        BlockMesh { key, frame, cells, core, places: Vec::new(), strips: Default::default() }
    }

    /// Block `key` of a level above 0, with the samples of its own level and of the finer one.
    pub(super) fn coarse<C: Holds, F: Holds>(
        &self,
        key: BlockKey,
        own: &Lattice<'_, C>,
        finer: &Lattice<'_, F>,
        scratch: &mut Scratch,
    ) -> BlockMesh {
        let (frame, cells) = (self.frame(key), self.cells);
        let mut made = BlockMesh {
            key,
            frame,
            cells,
            core: SurfaceMesh::default(),
            places: Vec::new(),
            strips: Default::default(),
        };
        // Averages of samples on one side are on that side.
        let whole = around(frame.origin * 2, cells * 2).grow(1);
        if Field::is_one_sided(whole, finer, &finer.bricks(finer.clip(whole))) {
            return made;
        }
        let region = around(frame.origin, cells);
        let bricks = own.bricks(Field::needs(region));
        scratch.own.fill_from(region, own, &bricks);
        let samples = Samples { field: &scratch.own, lattice: own, bricks: &bricks, frame };
        let core = cells::extract(&samples, cells as usize, [0..cells as usize, 0..cells as usize]);
        (made.core, made.places) = (core.mesh, core.places);
        for side in Side::ALL {
            let slab = slab(frame.origin * 2, cells * 2, side);
            let beside = finer.bricks(Field::needs(slab));
            scratch.beside.fill_from(slab, finer, &beside);
            let beside =
                Samples { field: &scratch.beside, lattice: finer, bricks: &beside, frame: frame.finer() };
            made.strips[side.index()] = strip::extract(&samples, &beside, side, cells);
        }
        made
    }
}

/// The samples of a block and one more all around, from which directions are taken.
fn around(origin: IVec3, cells: i32) -> VoxelBox {
    VoxelBox::new(origin, origin + IVec3::splat(cells + 1)).grow(1)
}

/// The samples on one side of a block and one more all around.
fn slab(origin: IVec3, cells: i32, side: Side) -> VoxelBox {
    let mut slab = around(origin, cells);
    let plane = origin[side.axis()] + if side.is_high() { cells } else { 0 };
    (slab.min[side.axis()], slab.max[side.axis()]) = (plane - 1, plane + 2);
    slab
}
