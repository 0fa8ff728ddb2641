//! The surface of a world, block by block, kept up to date as the world changes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use barchan_sim::{Voxel, World};
use barchan_volume::VoxelBox;
use barchan_volume::brick::brick_box;
use glam::IVec3;
use rayon::prelude::*;

use super::block::{BlockMesh, Plan, Scratch, SpareScratch};
use super::field::UPRIGHT_REACH;
use super::ground_view::GroundView;
use super::key::{BlockKey, Neighbours};
use super::lattice::{Beyond, Lattice};
use super::levels::Levels;
use super::lod::{Detail, LodTree};
use super::options::MeshOptions;
use super::surface_mesh::SurfaceMesh;

/// The surface of one world. It holds nothing that cannot be made again from the world.
#[derive(Clone, Debug)]
pub struct Surface {
    options: MeshOptions,
    /// From where it is looked at; from nowhere at full detail.
    details: Vec<Detail>,
    /// Level of the roots.
    levels: u8,
    roots: BTreeSet<BlockKey>,
    /// Blocks above level 0 that ground has ever been in or beside: there is nothing to see in the others.
    grounded: BTreeSet<BlockKey>,
    tree: LodTree,
    /// Blocks of the tree that are not empty.
    blocks: BTreeMap<BlockKey, BlockMesh>,
    coarse: Levels,
}

impl Surface {
    /// The surface of `world` at its full detail everywhere.
    pub fn new<'a>(ground: impl Into<GroundView<'a>>, options: MeshOptions) -> Self {
        Self::make(ground.into(), options, None)
    }

    /// The surface of `world` as fine as `detail` asks for. Blocks then have at most 32 cells along an edge.
    pub fn with_detail<'a>(ground: impl Into<GroundView<'a>>, options: MeshOptions, detail: Detail) -> Self {
        let block_edge = options.block_edge.min(32);
        Self::make(ground.into(), MeshOptions { block_edge, ..options }, Some(detail))
    }

    fn make(ground: GroundView<'_>, options: MeshOptions, detail: Option<Detail>) -> Self {
        let levels = detail.map_or(0, |detail| detail.levels.min(Detail::MOST_LEVELS));
        let (roots, grounded, tree, blocks) = Default::default();
        let (details, coarse) = (detail.into_iter().collect(), Levels::new(levels));
        let mut surface = Self { options, details, levels, roots, grounded, tree, blocks, coarse };
        let bricks: Vec<IVec3> =
            ground.voxels.bricks_in_order().into_iter().map(|(coord, _)| coord).collect();
        surface.update(ground, bricks);
        surface
    }

    /// Brings the surface up to date after the bricks `changed` of the ground changed. Returns the blocks whose
    /// triangles may differ from before, in order; all of them changed together.
    pub fn update<'a>(
        &mut self,
        ground: impl Into<GroundView<'a>>,
        changed: impl IntoIterator<Item = IVec3>,
    ) -> Vec<BlockKey> {
        let (ground, changed): (_, Vec<IVec3>) = (ground.into(), changed.into_iter().collect());
        self.coarse.spoil(&changed);
        let cells = self.options.edge();
        let touched: BTreeSet<BlockKey> =
            changed.iter().flat_map(|brick| touched(*brick, self.levels, cells)).collect();
        self.roots.extend(touched.iter().filter(|key| key.level == self.levels));
        self.grounded.extend(touched.iter().filter(|key| key.level > 0));
        let is_missing = |key: &BlockKey| key.level == self.levels && !self.tree.covers(*key);
        let is_coarse = |key: &BlockKey| self.tree.neighbours(*key).is_some() && self.is_split(*key, ground);
        if touched.iter().any(|key| is_missing(key) || is_coarse(key)) {
            let tree = self.plan_tree(ground);
            let mut renewed = self.grow_to(ground, tree, &touched);
            renewed.sort_unstable();
            return renewed;
        }
        let stale = touched.into_iter().filter(|key| self.tree.neighbours(*key).is_some());
        let stale: Vec<BlockKey> = stale.collect();
        self.mesh_blocks(ground, &stale)
    }

    /// Looks at the same ground as fine as any of `details` asks for; the number of levels stays as it was at first.
    /// Returns the blocks whose triangles differ from before, in order, those that are no longer there included.
    pub fn look<'a>(
        &mut self,
        ground: impl Into<GroundView<'a>>,
        details: impl IntoIterator<Item = Detail>,
    ) -> Vec<BlockKey> {
        let ground = ground.into();
        self.details = details.into_iter().collect();
        let tree = self.plan_tree(ground);
        self.grow_to(ground, tree, &BTreeSet::new())
    }

    /// Splits the blocks that `is_split` names and no others, as far as levels allow it, until the next
    /// [`Surface::look`] or until ground appears where there was none. Returns the blocks that differ, as that does.
    pub fn split<'a>(
        &mut self,
        ground: impl Into<GroundView<'a>>,
        is_split: impl Fn(BlockKey) -> bool,
    ) -> Vec<BlockKey> {
        let tree = LodTree::new(&self.roots, is_split);
        self.grow_to(ground.into(), tree, &BTreeSet::new())
    }

    /// The blocks with a surface in them, in order.
    pub fn keys(&self) -> impl Iterator<Item = BlockKey> + '_ {
        self.blocks.keys().copied()
    }

    /// Block `key`; `None` when there is no surface in it or it is not in the tree.
    pub fn block(&self, key: BlockKey) -> Option<&BlockMesh> {
        self.blocks.get(&key)
    }

    /// The triangles of block `key` beside the neighbours it has.
    pub fn mesh(&self, key: BlockKey) -> Option<Cow<'_, SurfaceMesh>> {
        let neighbours = self.tree.neighbours(key).unwrap_or(Neighbours::NONE_FINER);
        self.blocks.get(&key).map(|block| block.mesh(neighbours))
    }

    /// The blocks of all levels, with or without a surface in them.
    pub fn tree(&self) -> &LodTree {
        &self.tree
    }

    /// All blocks as one mesh with common vertices.
    pub fn whole(&self) -> SurfaceMesh {
        let mut whole = SurfaceMesh::default();
        for key in self.keys() {
            if let Some(mesh) = self.mesh(key) {
                whole.append(&mesh);
            }
        }
        whole.weld();
        whole
    }

    fn plan_tree(&self, ground: GroundView<'_>) -> LodTree {
        LodTree::new(&self.roots, |key| self.is_split(key, ground))
    }

    /// True when there may be something to see in block `key` and it is too coarse for where it lies.
    fn is_split(&self, key: BlockKey, ground: GroundView<'_>) -> bool {
        let (cells, size_m) = (self.options.edge(), ground.voxel_size_m);
        self.grounded.contains(&key) && self.details.iter().any(|detail| detail.is_split(key, cells, size_m))
    }

    /// Takes `tree` on, and meshes what is new in it or `touched`. Returns all blocks that differ from before.
    fn grow_to(
        &mut self,
        ground: GroundView<'_>,
        tree: LodTree,
        touched: &BTreeSet<BlockKey>,
    ) -> Vec<BlockKey> {
        let before = std::mem::replace(&mut self.tree, tree);
        let is_new = |key: BlockKey| before.neighbours(key).is_none() || touched.contains(&key);
        let stale: Vec<BlockKey> =
            self.tree.blocks().map(|(key, _)| key).filter(|key| is_new(*key)).collect();
        let tree = &self.tree;
        let gone: Vec<BlockKey> =
            self.blocks.keys().copied().filter(|key| tree.neighbours(*key).is_none()).collect();
        let beside = |key: &BlockKey| {
            let neighbours = before.neighbours(*key);
            neighbours.is_some() && neighbours != tree.neighbours(*key) && !touched.contains(key)
        };
        let joined: Vec<BlockKey> = self.blocks.keys().copied().filter(beside).collect();
        for key in &gone {
            self.blocks.remove(key);
        }
        let mut differ: BTreeSet<BlockKey> = self.mesh_blocks(ground, &stale).into_iter().collect();
        differ.extend(gone);
        differ.extend(joined);
        differ.into_iter().collect()
    }

    /// Meshes the blocks `stale` anew, in parallel. Returns those that have a surface now or had one, in order.
    fn mesh_blocks(&mut self, ground: GroundView<'_>, stale: &[BlockKey]) -> Vec<BlockKey> {
        let plan = plan(ground, self.options, self.levels);
        let ground = ground_lattice(ground, self.options, self.levels);
        self.coarse.freshen(stale, &plan, &ground);
        let coarse = self.coarse.lattices(&ground);
        let spare = SpareScratch::default();
        let mesh = |key: &BlockKey| {
            spare.lend(|scratch| match usize::from(key.level) {
                0 => plan.finest(*key, &ground, scratch),
                1 => plan.coarse(*key, &coarse[0], &ground, scratch),
                level => plan.coarse(*key, &coarse[level - 1], &coarse[level - 2], scratch),
            })
        };
        // One by one, because many blocks are empty and the others take long.
        let made: Vec<BlockMesh> = stale.par_iter().with_max_len(1).map(mesh).collect();
        let mut renewed = Vec::new();
        for block in made {
            let key = block.key();
            let was_there =
                if block.is_empty() { self.blocks.remove(&key) } else { self.blocks.insert(key, block) };
            if was_there.is_some() || self.blocks.contains_key(&key) {
                renewed.push(key);
            }
        }
        renewed
    }
}

/// Makes single blocks at full detail, one after the other, for those who keep their own account of them.
#[derive(Default)]
pub struct Mesher {
    scratch: Scratch,
}

impl Mesher {
    /// The block of level 0 at `coord` (blocks).
    pub fn block(&mut self, world: &World, options: MeshOptions, coord: IVec3) -> BlockMesh {
        let key = BlockKey::new(0, coord);
        let ground = GroundView::from(world);
        plan(ground, options, 0).finest(key, &ground_lattice(ground, options, 0), &mut self.scratch)
    }
}

/// The surface of `world` as one mesh at full detail.
pub fn whole_mesh(world: &World, options: MeshOptions) -> SurfaceMesh {
    Surface::new(world, options).whole()
}

/// What lies beyond the walls at level 0 of a surface with so many coarser `levels`. Rims are for full detail alone: on
/// coarser levels samples do not lie as the walls do.
fn beyond(options: MeshOptions, levels: u8) -> Beyond {
    match (options.closed, levels) {
        (false, _) => Beyond::Ground,
        (true, 0) => Beyond::Rim,
        (true, _) => Beyond::Nothing,
    }
}

fn plan(ground: GroundView<'_>, options: MeshOptions, levels: u8) -> Plan {
    let is_kept_inside = beyond(options, levels) != Beyond::Nothing;
    Plan {
        cells: options.edge(),
        voxel_size_m: ground.voxel_size_m,
        bounds: ground.bounds.filter(|_| is_kept_inside),
    }
}

/// The samples of level 0.
fn ground_lattice(ground: GroundView<'_>, options: MeshOptions, levels: u8) -> Lattice<'_, Voxel> {
    let beyond = beyond(options, levels);
    Lattice { grid: ground.voxels, materials: ground.materials, options, inside: ground.bounds, beyond }
}

/// The blocks of all levels that a change of brick `coord` may alter.
fn touched(coord: IVec3, levels: u8, cells: i32) -> impl Iterator<Item = BlockKey> {
    (0..=levels).flat_map(move |level| {
        // A coarse sample reaches as far as the next of its level, a direction one further; a strip is finer.
        let beside = 1 + i32::from(level > 0);
        let reach = IVec3::new(beside, beside, beside + UPRIGHT_REACH) + IVec3::ONE;
        let voxels = brick_box(coord);
        let samples =
            VoxelBox::new((voxels.min >> level) - reach, ((voxels.max - IVec3::ONE) >> level) + reach);
        let at = |p: IVec3| p.div_euclid(IVec3::splat(cells));
        let blocks = VoxelBox::new(at(samples.min), at(samples.max) + IVec3::ONE);
        blocks.cells().map(move |coord| BlockKey::new(level, coord))
    })
}
