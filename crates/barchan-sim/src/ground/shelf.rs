//! The shelf: bricks that differ from the base and lie outside of the window, in the archive until somebody comes near.

use std::collections::BTreeMap;
use std::sync::Arc;

use barchan_volume::VoxelBox;
use barchan_volume::archive::{Archive, ArchiveError};
use glam::IVec3;

use super::brick::GroundBrick;
use crate::material::Materials;
use crate::versions::{Shelve, Wholes};

/// Leaves and nodes that are looked at, whenever bricks come or go, to give back what is needed no more.
const COLLECTED_AT_ONCE: usize = 20_000;

/// Bricks in the archive. A copy shares all of it.
#[derive(Clone, Debug)]
pub(super) struct Shelf {
    archive: Arc<Archive<()>>,
    wholes: Wholes,
    /// Which bricks, and the digest of each.
    bricks: Arc<BTreeMap<[i32; 3], u64>>,
}

impl Shelf {
    pub fn new() -> Self {
        let archive = Arc::new(Archive::new(None, "nothing", ()));
        Self { archive, wholes: Wholes::new(), bricks: Arc::default() }
    }

    /// Which bricks lie here, in order, with the digest of each.
    pub fn bricks(&self) -> &BTreeMap<[i32; 3], u64> {
        &self.bricks
    }

    /// Memory of what lies here (bytes).
    pub fn bytes(&self) -> u64 {
        self.archive.usage().bytes + self.bricks.len() as u64 * size_of::<([i32; 3], u64)>() as u64
    }

    /// Lays bricks here.
    pub fn put(
        &mut self,
        bricks: Vec<(IVec3, GroundBrick, u64)>,
        materials: &Materials,
    ) -> Result<(), ArchiveError> {
        if bricks.is_empty() {
            return Ok(());
        }
        let known = Arc::make_mut(&mut self.bricks);
        known.extend(bricks.iter().map(|(coord, _, digest)| (coord.to_array(), *digest)));
        let bricks: Vec<(IVec3, GroundBrick)> =
            bricks.into_iter().map(|(coord, brick, _)| (coord, brick)).collect();
        let nowhere = VoxelBox::new(IVec3::ZERO, IVec3::ZERO);
        let region = bricks
            .iter()
            .fold(nowhere, |region, (coord, _)| region.union(&barchan_volume::brick::brick_box(*coord)));
        self.wholes.learn(&bricks, materials);
        let archive = Arc::make_mut(&mut self.archive);
        archive.change(region, &Shelve::new(bricks, &self.wholes, materials))?;
        archive.collect(COLLECTED_AT_ONCE);
        Ok(())
    }

    /// The brick at `coord`, if it lies here.
    pub fn get(&self, coord: IVec3) -> Option<GroundBrick> {
        self.bricks.contains_key(&coord.to_array()).then(|| self.wholes.brick(self.archive.now(), coord))
    }

    /// Takes the bricks of a box (brick coordinates) from here.
    pub fn take(&mut self, region: VoxelBox) -> Vec<(IVec3, GroundBrick)> {
        let low = [region.min.x, i32::MIN, i32::MIN];
        let high = [region.max.x, i32::MIN, i32::MIN];
        let inside = self.bricks.range(low..high).map(|(coord, _)| IVec3::from_array(*coord));
        let coords: Vec<IVec3> = inside.filter(|coord| region.contains(*coord)).collect();
        let taken =
            coords.iter().map(|coord| (*coord, self.wholes.brick(self.archive.now(), *coord))).collect();
        if !coords.is_empty() {
            let bricks = Arc::make_mut(&mut self.bricks);
            bricks.retain(|coord, _| !region.contains(IVec3::from_array(*coord)));
        }
        taken
    }
}
