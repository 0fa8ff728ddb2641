//! How far each voxel has weathered: a whole number from one, fresh, to nothing, gone.

use barchan_volume::brick::{VOXELS, brick_of, voxel_index};
use glam::IVec3;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The level of fresh rock.
pub(super) const FRESH: u32 = 1 << 24;

/// The levels of all voxels that are not fresh.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    bricks: FxHashMap<IVec3, Box<[u32; VOXELS]>>,
}

/// The levels of a brick as they are stored: places and levels, in order.
type StoredBrick = (IVec3, Vec<(u16, u32)>);

impl Levels {
    /// The level of voxel `at` of a brick.
    pub fn get(&self, coord: IVec3, at: usize) -> u32 {
        self.bricks.get(&coord).map_or(FRESH, |levels| levels[at])
    }

    /// Sets the level of voxel `at` of a brick.
    pub fn set(&mut self, coord: IVec3, at: usize, level: u32) {
        self.bricks.entry(coord).or_insert_with(|| Box::new([FRESH; VOXELS]))[at] = level;
    }

    /// Voxel `p` is fresh, or is no more.
    pub fn forget(&mut self, p: IVec3) {
        if let Some(levels) = self.bricks.get_mut(&brick_of(p)) {
            levels[voxel_index(p)] = FRESH;
        }
    }

    /// True when levels are levels, and places are in bricks.
    fn of(bricks: Vec<StoredBrick>) -> Option<Self> {
        let mut levels = Self::default();
        for (coord, voxels) in bricks {
            for (at, level) in voxels {
                if usize::from(at) >= VOXELS || level > FRESH {
                    return None;
                }
                levels.set(coord, at.into(), level);
            }
        }
        Some(levels)
    }

    fn stored(&self) -> Vec<StoredBrick> {
        let of_brick = |levels: &[u32; VOXELS]| {
            let voxels = (0..).zip(levels.iter().copied()).filter(|(_, level)| *level != FRESH);
            voxels.collect::<Vec<_>>()
        };
        let bricks = self.bricks.iter().map(|(coord, levels)| (*coord, of_brick(levels)));
        let mut bricks: Vec<StoredBrick> = bricks.filter(|(_, voxels)| !voxels.is_empty()).collect();
        bricks.sort_unstable_by_key(|(coord, _)| coord.to_array());
        bricks
    }
}

impl Serialize for Levels {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stored().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Levels {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bricks = Vec::<StoredBrick>::deserialize(deserializer)?;
        Self::of(bricks).ok_or_else(|| serde::de::Error::custom("a level that no voxel has"))
    }
}
