//! The digest: one number for the whole state of a world. Equal worlds have equal digests, on every machine and
//! with any number of threads.

use barchan_volume::Brick;
use barchan_volume::brick::VOXELS;
use glam::IVec3;
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::ground::Ground;
use crate::state::WorldState;
use crate::voxel::{SideEntry, SideList, Voxel};

impl WorldState {
    /// The digest of everything that decides what happens next: the bytes of all members, of the ground, and of what the bodies
    /// are and do.
    pub fn digest(&self) -> u64 {
        let mut hasher = Xxh3::new();
        hash_ground(&self.ground, &mut hasher);
        self.bodies.digest(&mut hasher);
        for member in self.members() {
            hasher.update(&member.tag.0);
            hasher.update(&(member.bytes.len() as u64).to_le_bytes());
            hasher.update(&member.bytes);
        }
        hasher.digest()
    }
}

fn hash_ground(ground: &Ground, hasher: &mut Xxh3) {
    hasher.update(&ground.voxel_size_m().to_bits().to_le_bytes());
    if let Some(bounds) = ground.bounds() {
        hasher.update(&coord_bytes(bounds.min));
        hasher.update(&coord_bytes(bounds.max));
    }
    let bricks = ground.voxels().bricks_in_order();
    let hash = |(coord, voxels): &(IVec3, &Brick<Voxel>)| hash_brick(voxels, ground.side(*coord));
    let hashes: Vec<_> = bricks.par_iter().map(hash).collect();
    for ((coord, _), hash) in bricks.iter().zip(hashes) {
        // A brick of air is the same stored or not.
        if let Some(hash) = hash {
            hasher.update(&coord_bytes(*coord));
            hasher.update(&hash.to_le_bytes());
        }
    }
    for (coord, quiet) in ground.awake().entries() {
        hasher.update(&coord_bytes(coord));
        hasher.update(&[quiet]);
    }
}

/// Hash of the 512 voxels and the list beside them, the same however they are stored; none for air.
fn hash_brick(voxels: &Brick<Voxel>, side: &SideList) -> Option<u64> {
    if let Some(voxel) = voxels.only_value().filter(|_| side.is_empty()) {
        return (voxel != Voxel::AIR).then(|| xxh3_64(&voxel.to_bytes()));
    }
    let mut bytes = Vec::with_capacity(VOXELS * Voxel::BYTES + side.entries().len() * SideEntry::BYTES);
    (0..VOXELS).for_each(|at| bytes.extend(voxels.get(at).to_bytes()));
    side.entries().iter().for_each(|entry| bytes.extend(entry.to_bytes()));
    Some(xxh3_64(&bytes))
}

fn coord_bytes(p: IVec3) -> [u8; 12] {
    let mut bytes = [0; 12];
    for (chunk, component) in bytes.chunks_exact_mut(4).zip(p.to_array()) {
        chunk.copy_from_slice(&component.to_le_bytes());
    }
    bytes
}
