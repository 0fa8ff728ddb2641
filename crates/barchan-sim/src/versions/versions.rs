//! Committing worlds, and going back to them.

use barchan_volume::archive::{Archive, ArchiveError, Usage, VersionId};
use barchan_volume::{Grid, VoxelBox};
use glam::IVec3;
use rustc_hash::FxHashMap;

use super::shelf::{Shelve, Wholes, fits};
use crate::ground::{Ground, GroundBrick};
use crate::voxel::{SideList, Voxel};
use crate::world::World;

/// Leaves and nodes that every commit looks at to give back what no version needs.
const COLLECTED_AT_ONCE: usize = 20_000;
/// Exponent of the edge of a brick (voxels).
const BRICK: u32 = 3;

/// Versions of a world, each with an `E` that goes with it. Voxels that versions have in common are stored once.
#[derive(Clone, Debug)]
pub struct Versions<E> {
    archive: Archive<Kept<E>>,
    wholes: Wholes,
    /// The ground of the present version: what differs from it has to be committed.
    voxels: Grid<Voxel>,
    sides: FxHashMap<IVec3, SideList>,
}

/// What is kept of a version beside its voxels.
#[derive(Clone, Debug)]
struct Kept<E> {
    /// The world without them.
    world: World,
    extra: E,
}

impl<E: Clone> Versions<E> {
    /// `world` as the first version.
    pub fn new(world: World, label: impl Into<String>, extra: E) -> Result<(Self, VersionId), ArchiveError> {
        let kept = Kept { world: world.clone().without_voxels(), extra: extra.clone() };
        let mut versions = Self {
            archive: Archive::new(None, "nothing", kept),
            wholes: Wholes::new(),
            voxels: Grid::new(Voxel::AIR),
            sides: FxHashMap::default(),
        };
        let nothing = versions.archive.present();
        let first = versions.commit(world, label, extra)?;
        versions.archive.forget(nothing)?;
        Ok((versions, first))
    }

    /// Makes `world` the version that comes after the present one. Ground beyond the space of an archive is refused.
    pub fn commit(
        &mut self,
        world: World,
        label: impl Into<String>,
        extra: E,
    ) -> Result<VersionId, ArchiveError> {
        let bricks = self.changed(world.ground());
        if let Some((coord, _)) = bricks.iter().find(|(coord, _)| !fits(*coord)) {
            let min = coord.saturating_mul(IVec3::splat(8));
            return Err(ArchiveError::Outside { min, max: min.saturating_add(IVec3::splat(8)) });
        }
        let region = bricks.iter().fold(VoxelBox::new(IVec3::ZERO, IVec3::ZERO), |region, (coord, _)| {
            region.union(&barchan_volume::brick::brick_box(*coord))
        });
        self.wholes.learn(&bricks, world.materials());
        let changed: Vec<IVec3> = bricks.iter().map(|(coord, _)| *coord).collect();
        self.archive.change(region, &Shelve::new(bricks, &self.wholes, world.materials()))?;
        for coord in changed {
            let brick = world.ground().brick(coord);
            self.put(coord, brick);
        }
        let id = self.archive.commit(label, Kept { world: world.without_voxels(), extra });
        self.archive.collect(COLLECTED_AT_ONCE);
        Ok(id)
    }

    /// Goes to a version: the world as it was, and what went with it. What was not committed is forgotten.
    pub fn go_to(&mut self, id: VersionId) -> Result<(World, E), ArchiveError> {
        let cubes = self.archive.diff(self.archive.present(), id, BRICK)?;
        self.archive.go_to(id)?;
        for coord in cubes.iter().flat_map(|cube| cube.voxels().to_bricks().cells()) {
            let brick = self.wholes.brick(self.archive.now(), coord);
            self.put(coord, brick);
        }
        let Kept { world, extra } = self.archive.version(id)?.extra.clone();
        let sides = self.sides.iter().map(|(coord, side)| (*coord, side.clone()));
        Ok((world.with_voxels(self.voxels.clone(), sides), extra))
    }

    /// Gives a version up that is not the present one.
    pub fn forget(&mut self, id: VersionId) -> Result<(), ArchiveError> {
        self.archive.forget(id).map(drop)
    }

    /// The present version.
    pub fn present(&self) -> VersionId {
        self.archive.present()
    }

    /// All versions, the oldest first.
    pub fn ids(&self) -> impl Iterator<Item = VersionId> + '_ {
        self.archive.versions().map(|(id, _)| id)
    }

    /// Number of versions.
    pub fn count(&self) -> usize {
        self.archive.versions().count()
    }

    /// What the voxels of all versions take.
    pub fn usage(&self) -> Usage {
        self.archive.usage()
    }

    /// Memory that the voxels of all versions may take from now on (bytes); see [`Archive::limit_memory`].
    pub fn limit_memory(&mut self, limit_bytes: Option<u64>) {
        self.archive.limit_memory(limit_bytes);
    }

    /// True where a version is still there.
    pub fn has(&self, id: VersionId) -> bool {
        self.archive.version(id).is_ok()
    }

    /// The bricks of `ground` that are not certainly as in the present version.
    fn changed(&self, ground: &Ground) -> Vec<(IVec3, GroundBrick)> {
        let side_of = |coord: IVec3| self.sides.get(&coord).unwrap_or(&SideList::EMPTY);
        let mut changed: Vec<(IVec3, GroundBrick)> = Vec::new();
        for (coord, brick) in ground.voxels().bricks() {
            let is_same = self.voxels.stored(coord).is_some_and(|known| known.is_same(brick));
            if !is_same || !side_of(coord).is_same(ground.side(coord)) {
                changed.push((coord, ground.brick(coord)));
            }
        }
        let gone = self.voxels.bricks().filter(|(coord, _)| ground.voxels().stored(*coord).is_none());
        changed.extend(gone.map(|(coord, _)| (coord, GroundBrick::AIR)));
        changed
    }

    fn put(&mut self, coord: IVec3, brick: GroundBrick) {
        self.voxels.replace(coord, brick.voxels);
        if brick.side.is_empty() {
            self.sides.remove(&coord);
        } else {
            self.sides.insert(coord, brick.side);
        }
    }
}
