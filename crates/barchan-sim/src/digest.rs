//! The digest: one number for the whole state of a world. Equal worlds have equal digests, on every machine and
//! with any number of threads.

use barchan_volume::Brick;
use barchan_volume::brick::VOXELS;
use glam::IVec3;
use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::voxel::Voxel;
use crate::world::World;

impl World {
    /// The digest of everything that decides what happens next.
    pub fn digest(&self) -> u64 {
        let mut hasher = Xxh3::new();
        hash_ground(self, &mut hasher);
        self.bodies.digest(&mut hasher);
        self.bearing.digest(&mut hasher);
        self.fall.digest(&mut hasher);
        self.slip.momentum.digest(&mut hasher);
        self.carry.digest(&mut hasher);
        for (_, material) in self.materials.iter() {
            hasher.update(&postcard::to_stdvec(material).expect("plain data serialises"));
        }
        for component in self.gravity_m_s2.to_array() {
            hasher.update(&component.to_bits().to_le_bytes());
        }
        hasher.update(&self.clock.time_s.to_bits().to_le_bytes());
        hasher.update(&self.clock.steps.to_le_bytes());
        hasher.update(&self.seed.to_le_bytes());
        for amounts in [self.ledger.held, self.ledger.entered, self.ledger.left] {
            hasher.update(&amounts.rock.to_le_bytes());
            hasher.update(&amounts.soil.to_le_bytes());
        }
        hasher.digest()
    }
}

fn hash_ground(world: &World, hasher: &mut Xxh3) {
    let ground = world.ground();
    hasher.update(&ground.voxel_size_m().to_bits().to_le_bytes());
    if let Some(bounds) = ground.bounds() {
        hasher.update(&coord_bytes(bounds.min));
        hasher.update(&coord_bytes(bounds.max));
    }
    let bricks = ground.voxels().bricks_in_order();
    let hashes: Vec<_> = bricks.par_iter().map(|(_, brick)| hash_brick(brick)).collect();
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

/// Hash of the 512 voxels, the same however they are stored; none for air.
fn hash_brick(brick: &Brick<Voxel>) -> Option<u64> {
    let uniform = match brick {
        Brick::Uniform(voxel) => Some(*voxel),
        Brick::Dense(voxels) => voxels.iter().all(|v| *v == voxels[0]).then_some(voxels[0]),
    };
    if let Some(voxel) = uniform {
        return (voxel != Voxel::AIR).then(|| xxh3_64(&voxel.to_bytes()));
    }
    let mut bytes = [0; VOXELS * Voxel::BYTES];
    for (at, chunk) in bytes.chunks_exact_mut(Voxel::BYTES).enumerate() {
        chunk.copy_from_slice(&brick.get(at).to_bytes());
    }
    Some(xxh3_64(&bytes))
}

fn coord_bytes(p: IVec3) -> [u8; 12] {
    let mut bytes = [0; 12];
    for (chunk, component) in bytes.chunks_exact_mut(4).zip(p.to_array()) {
        chunk.copy_from_slice(&component.to_le_bytes());
    }
    bytes
}
