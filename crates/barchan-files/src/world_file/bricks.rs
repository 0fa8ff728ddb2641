//! Bricks as bytes. The ten bytes of a voxel lie in ten planes, one after the other: most planes hold one value
//! over and over, which is what compresses well.

use barchan_sim::Voxel;
use barchan_volume::Brick;
use barchan_volume::brick::VOXELS;
use glam::IVec3;

use super::chunk::corrupt;
use crate::error::FormatError;

/// Bricks in one chunk, at most.
pub(super) const BRICKS_PER_CHUNK: usize = 512;
/// Bricks further out than this do not occur (bricks).
const FARTHEST_BRICK: i32 = 1 << 26;

const UNIFORM: u8 = 0;
const DENSE: u8 = 1;

/// count, then per brick: coordinate, storage and, when uniform, its voxel; then the planes of all dense bricks.
pub(super) fn encode(bricks: &[(IVec3, &Brick<Voxel>)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + bricks.len() * (13 + VOXELS * Voxel::BYTES));
    out.extend((bricks.len() as u32).to_le_bytes());
    for (coord, brick) in bricks {
        for component in coord.to_array() {
            out.extend(component.to_le_bytes());
        }
        match brick {
            Brick::Uniform(voxel) => {
                out.push(UNIFORM);
                out.extend(voxel.to_bytes());
            }
            Brick::Dense(_) => out.push(DENSE),
        }
    }
    for (_, brick) in bricks {
        if let Brick::Dense(voxels) = brick {
            let start = out.len();
            out.resize(start + VOXELS * Voxel::BYTES, 0);
            let planes = &mut out[start..];
            for (at, voxel) in voxels.iter().enumerate() {
                for (plane, byte) in voxel.to_bytes().into_iter().enumerate() {
                    planes[plane * VOXELS + at] = byte;
                }
            }
        }
    }
    out
}

/// The bricks of a chunk. Only the shape is checked here; what the voxels hold is checked by the world.
pub(super) fn decode(mut bytes: &[u8]) -> Result<Vec<(IVec3, Brick<Voxel>)>, FormatError> {
    let count = u32::from_le_bytes(take(&mut bytes)?) as usize;
    if count > BRICKS_PER_CHUNK {
        return Err(corrupt(format!("{count} bricks in a chunk; at most {BRICKS_PER_CHUNK} are allowed")));
    }
    let mut bricks = Vec::with_capacity(count);
    for _ in 0..count {
        let mut component = || take(&mut bytes).map(i32::from_le_bytes);
        let coord = IVec3::new(component()?, component()?, component()?);
        if coord.to_array().iter().any(|c| !(-FARTHEST_BRICK..=FARTHEST_BRICK).contains(c)) {
            return Err(corrupt(format!("brick {coord} is too far out")));
        }
        let [storage] = take(&mut bytes)?;
        let uniform = match storage {
            UNIFORM => Some(Voxel::from_bytes(take(&mut bytes)?)),
            DENSE => None,
            other => return Err(corrupt(format!("unknown storage {other} of a brick"))),
        };
        bricks.push((coord, uniform));
    }
    let mut with_voxels = Vec::with_capacity(count);
    for (coord, uniform) in bricks {
        let brick = match uniform {
            Some(voxel) => Brick::Uniform(voxel),
            None => decode_planes(&take::<{ VOXELS * Voxel::BYTES }>(&mut bytes)?),
        };
        with_voxels.push((coord, brick));
    }
    if !bytes.is_empty() {
        return Err(corrupt("bytes are left over after the bricks of a chunk"));
    }
    Ok(with_voxels)
}

fn decode_planes(planes: &[u8; VOXELS * Voxel::BYTES]) -> Brick<Voxel> {
    let voxel = |at| Voxel::from_bytes(std::array::from_fn(|plane| planes[plane * VOXELS + at]));
    Brick::from_values(&std::array::from_fn(voxel))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], FormatError> {
    let (front, rest) = bytes.split_first_chunk().ok_or_else(|| corrupt("a chunk of bricks is too short"))?;
    *bytes = rest;
    Ok(*front)
}
