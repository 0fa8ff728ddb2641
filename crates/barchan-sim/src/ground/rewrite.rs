//! Writing voxels brick by brick, on all threads, with an account of what each brick gave and took.

use barchan_volume::Brick;
use barchan_volume::brick::{EDGE, VOXELS};
use glam::IVec3;
use rayon::prelude::*;

use super::brick::GroundBrick;
use super::change_log::Touch;
use super::edit::{EditError, stored_bytes};
use super::ground::Ground;
use crate::ledger::{Place, Transfers};
use crate::voxel::{SideList, Voxel, VoxelMut};

/// Bricks that are written between two looks at the memory in use.
const BRICKS_PER_BATCH: usize = 1 << 14;

/// A brick to write, and what has come and gone by it.
pub(crate) struct BrickMut {
    /// Where it is (bricks).
    pub coord: IVec3,
    values: [Voxel; VOXELS],
    side: SideList,
    transfers: Transfers,
}

impl BrickMut {
    /// Voxel `at` of the brick as it is now.
    #[inline]
    pub fn get(&self, at: usize) -> &Voxel {
        &self.values[at]
    }

    /// Where voxel `at` of the brick is.
    #[inline]
    pub fn place(&self, at: usize) -> IVec3 {
        self.coord * EDGE + IVec3::new((at >> 6) as i32, (at >> 3 & 7) as i32, (at & 7) as i32)
    }

    /// Voxel `at` of the brick, to write.
    #[inline]
    pub fn voxel(&mut self, at: usize) -> VoxelMut<'_> {
        VoxelMut::new(&mut self.values[at], &mut self.side, at)
    }

    /// Lets `change` write voxel `at`, and notes what there is more or less of it after as come or gone.
    pub fn change(&mut self, at: usize, change: impl FnOnce(&mut VoxelMut<'_>)) {
        let mut voxel = VoxelMut::new(&mut self.values[at], &mut self.side, at);
        let before = voxel.contents();
        change(&mut voxel);
        let mut more = voxel.contents();
        more.subtract_all(&before);
        for (place, units) in more.iter() {
            match units > 0 {
                true => self.transfers.add(None, Some(place), units),
                false => self.transfers.add(Some(place), None, -units),
            }
        }
    }

    /// Notes `units` that go from one place to another; none is outside.
    pub fn note(&mut self, from: Option<Place>, to: Option<Place>, units: u32) {
        self.transfers.add(from, to, units.into());
    }
}

impl Ground {
    /// Lets `write` change the voxels of `bricks`, each once. Returns what came and went, and in the order of `bricks` what
    /// `write` has to say. Where that takes more memory than is allowed, everything since the books were closed is taken back.
    pub(crate) fn rewrite<T: Send>(
        &mut self,
        bricks: &[IVec3],
        memory_limit_bytes: u64,
        write: impl Fn(&mut BrickMut) -> T + Sync,
    ) -> Result<(Transfers, Vec<T>), EditError> {
        let (mut transfers, mut answers) = (Transfers::none(), Vec::with_capacity(bricks.len()));
        let mut bytes = self.memory_bytes() as u64;
        for batch in bricks.chunks(BRICKS_PER_BATCH) {
            let written: Vec<_> = batch.par_iter().map(|coord| self.rewritten(*coord, &write)).collect();
            bytes += written.iter().filter_map(|(_, _, brick)| brick.as_ref()).map(stored_bytes).sum::<u64>();
            if bytes > memory_limit_bytes {
                self.undo_open_changes();
                return Err(EditError::too_large(bytes, memory_limit_bytes));
            }
            for (coord, (answer, of_brick, brick)) in batch.iter().zip(written) {
                transfers.add_all(&of_brick);
                answers.push(answer);
                if let Some(brick) = brick {
                    self.replace_brick(*coord, brick, Touch::All);
                }
            }
        }
        Ok((transfers, answers))
    }

    /// What `write` says about brick `coord`, what came and went, and the brick if it is another now.
    fn rewritten<T>(
        &self,
        coord: IVec3,
        write: impl Fn(&mut BrickMut) -> T,
    ) -> (T, Transfers, Option<GroundBrick>) {
        let stored = self.voxels().brick(coord);
        let mut values = [Voxel::AIR; VOXELS];
        stored.copy_to(&mut values);
        let mut brick =
            BrickMut { coord, values, side: self.side(coord).clone(), transfers: Transfers::none() };
        let answer = write(&mut brick);
        let BrickMut { values, side, transfers, .. } = brick;
        let edited = GroundBrick { voxels: Brick::from_values(&values), side };
        let is_other = edited.voxels != stored || edited.side != *self.side(coord);
        (answer, transfers, is_other.then_some(edited))
    }
}
