//! The surface of a world, block by block, kept up to date as the world changes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use barchan_sim::{Voxel, World};
use barchan_volume::brick::brick_box;
use barchan_volume::{Grid, VoxelBox};
use glam::IVec3;
use rayon::prelude::*;

use super::block::{BlockMesh, Plan, Scratch};
use super::content::Content;
use super::field::UPRIGHT_REACH;
use super::key::{BlockKey, Neighbours};
use super::lattice::{Beyond, Lattice, coarser};
use super::lod::{Detail, LodTree};
use super::options::MeshOptions;
use super::pyramid;
use super::surface_mesh::SurfaceMesh;

/// The surface of one world. It holds nothing that cannot be made again from the world.
#[derive(Clone, Debug)]
pub struct Surface {
    options: MeshOptions,
    detail: Option<Detail>,
    /// Level of the roots.
    levels: u8,
    roots: BTreeSet<BlockKey>,
    tree: LodTree,
    /// Blocks of the tree that are not empty.
    blocks: BTreeMap<BlockKey, BlockMesh>,
    /// Levels 1 and up.
    coarse: Vec<Grid<Content>>,
}

impl Surface {
    /// The surface of `world` at its full detail everywhere.
    pub fn new(world: &World, options: MeshOptions) -> Self {
        Self::make(world, options, None)
    }

    /// The surface of `world` as fine as `detail` asks for. Blocks then have at most 32 cells along an edge.
    pub fn with_detail(world: &World, options: MeshOptions, detail: Detail) -> Self {
        let block_edge = options.block_edge.min(32);
        Self::make(world, MeshOptions { block_edge, ..options }, Some(detail))
    }

    fn make(world: &World, options: MeshOptions, detail: Option<Detail>) -> Self {
        let levels = detail.map_or(0, |detail| detail.levels.min(Detail::MOST_LEVELS));
        let coarse = vec![Grid::new(Content::default()); usize::from(levels)];
        let (roots, tree, blocks) = Default::default();
        let mut surface = Self { options, detail, levels, roots, tree, blocks, coarse };
        let bricks: Vec<IVec3> =
            world.ground().voxels().bricks_in_order().into_iter().map(|(coord, _)| coord).collect();
        surface.update(world, bricks);
        surface
    }

    /// Brings the surface up to date after the bricks `changed` of the ground changed. Returns the blocks whose
    /// triangles may differ from before, in order; all of them changed together.
    pub fn update(&mut self, world: &World, changed: impl IntoIterator<Item = IVec3>) -> Vec<BlockKey> {
        let changed: Vec<IVec3> = changed.into_iter().collect();
        self.renew_coarse(world, &changed);
        let cells = self.options.edge();
        let touched: BTreeSet<BlockKey> =
            changed.iter().flat_map(|brick| touched(*brick, self.levels, cells)).collect();
        if touched.iter().any(|root| root.level == self.levels && !self.roots.contains(root)) {
            self.roots.extend(touched.iter().filter(|key| key.level == self.levels));
            let tree = self.plan_tree(world);
            let mut renewed = self.grow_to(world, tree, &touched);
            renewed.sort_unstable();
            return renewed;
        }
        let stale = touched.into_iter().filter(|key| self.tree.neighbours(*key).is_some());
        let stale: Vec<BlockKey> = stale.collect();
        self.mesh_blocks(world, &stale)
    }

    /// Looks at the same ground in other `detail`; its number of levels stays as it was at first. Returns the blocks
    /// whose triangles differ from before, in order, those that are no longer there included.
    pub fn look(&mut self, world: &World, detail: Detail) -> Vec<BlockKey> {
        self.detail = Some(detail);
        let tree = self.plan_tree(world);
        self.grow_to(world, tree, &BTreeSet::new())
    }

    /// Splits the blocks that `is_split` names and no others, as far as levels allow it, until the next
    /// [`Surface::look`] or until ground appears where there was none. Returns the blocks that differ, as that does.
    pub fn split(&mut self, world: &World, is_split: impl Fn(BlockKey) -> bool) -> Vec<BlockKey> {
        let tree = LodTree::new(&self.roots, is_split);
        self.grow_to(world, tree, &BTreeSet::new())
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

    fn plan_tree(&self, world: &World) -> LodTree {
        let (cells, size_m) = (self.options.edge(), world.ground().voxel_size_m());
        LodTree::new(&self.roots, |key| self.detail.is_some_and(|detail| detail.is_split(key, cells, size_m)))
    }

    /// Takes `tree` on, and meshes what is new in it or `touched`. Returns all blocks that differ from before.
    fn grow_to(&mut self, world: &World, tree: LodTree, touched: &BTreeSet<BlockKey>) -> Vec<BlockKey> {
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
        let mut differ: BTreeSet<BlockKey> = self.mesh_blocks(world, &stale).into_iter().collect();
        differ.extend(gone);
        differ.extend(joined);
        differ.into_iter().collect()
    }

    /// Meshes the blocks `stale` anew, in parallel. Returns those that have a surface now or had one, in order.
    fn mesh_blocks(&mut self, world: &World, stale: &[BlockKey]) -> Vec<BlockKey> {
        let (ground, coarse) = self.lattices(world);
        let plan = plan(world, self.options, self.levels);
        let mesh = |scratch: &mut Scratch, key: &BlockKey| match usize::from(key.level) {
            0 => plan.finest(*key, &ground, scratch),
            1 => plan.coarse(*key, &coarse[0], &ground, scratch),
            level => plan.coarse(*key, &coarse[level - 1], &coarse[level - 2], scratch),
        };
        let made: Vec<BlockMesh> = stale.par_iter().map_init(Scratch::default, mesh).collect();
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

    fn renew_coarse(&mut self, world: &World, changed: &[IVec3]) {
        let mut changed = pyramid::parents(changed.iter().copied());
        for level in 0..usize::from(self.levels) {
            let mut grid = std::mem::replace(&mut self.coarse[level], Grid::new(Content::default()));
            let (ground, coarse) = self.lattices(world);
            changed = match level {
                0 => pyramid::renew(&mut grid, &ground, &changed),
                _ => pyramid::renew(&mut grid, &coarse[level - 1], &changed),
            };
            self.coarse[level] = grid;
            changed = pyramid::parents(changed);
        }
    }

    /// The samples of all levels.
    fn lattices<'a>(&'a self, world: &'a World) -> (Lattice<'a, Voxel>, Vec<Lattice<'a, Content>>) {
        let (options, materials) = (self.options, world.materials());
        let ground = ground_lattice(world, options, self.levels);
        let mut inside = ground.inside;
        let of_level = |grid: &'a Grid<Content>| {
            inside = inside.map(coarser);
            let beyond = if options.closed { Beyond::Nothing } else { Beyond::Ground };
            Lattice { grid, materials, options, inside, beyond }
        };
        let coarse = self.coarse.iter().map(of_level).collect();
        (ground, coarse)
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
        plan(world, options, 0).finest(key, &ground_lattice(world, options, 0), &mut self.scratch)
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

fn plan(world: &World, options: MeshOptions, levels: u8) -> Plan {
    let is_kept_inside = beyond(options, levels) != Beyond::Nothing;
    Plan {
        cells: options.edge(),
        voxel_size_m: world.ground().voxel_size_m(),
        bounds: world.ground().bounds().filter(|_| is_kept_inside),
    }
}

/// The samples of level 0.
fn ground_lattice(world: &World, options: MeshOptions, levels: u8) -> Lattice<'_, Voxel> {
    let (ground, beyond) = (world.ground(), beyond(options, levels));
    Lattice { grid: ground.voxels(), materials: world.materials(), options, inside: ground.bounds(), beyond }
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
