//! Bricks as bytes. The bytes of a voxel lie in planes, one after the other: most planes hold one value over and over, which is
//! what compresses well.

use barchan_sim::voxel::{Channel, SideEntry, SideList};
use barchan_sim::{GroundBrick, Voxel};
use barchan_volume::Brick;
use barchan_volume::brick::VOXELS;
use glam::IVec3;

use super::chunk::corrupt;
use crate::error::FormatError;

/// Bricks in one chunk, at most.
pub(super) const BRICKS_PER_CHUNK: usize = 512;
/// Of which form these bytes are.
pub(super) const BRICKS_VERSION: u16 = 2;
/// Bricks further out than this do not occur (bricks).
const FARTHEST_BRICK: i32 = 1 << 26;

const UNIFORM: u8 = 0;
const DENSE: u8 = 1;

/// count, then per brick: coordinate, storage, entries of the list beside it and, when uniform, its voxel; then the planes of
/// all dense bricks, then the lists.
pub(super) fn encode(bricks: &[(IVec3, &Brick<Voxel>, &SideList)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + bricks.len() * (17 + VOXELS * Voxel::BYTES));
    out.extend((bricks.len() as u32).to_le_bytes());
    for (coord, brick, side) in bricks {
        for component in coord.to_array() {
            out.extend(component.to_le_bytes());
        }
        out.push(if brick.uniform().is_some() { UNIFORM } else { DENSE });
        out.extend((side.entries().len() as u32).to_le_bytes());
        if let Brick::Uniform(voxel) = brick {
            out.extend(voxel.to_bytes());
        }
    }
    for (_, brick, _) in bricks {
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
    let entries = bricks.iter().flat_map(|(_, _, side)| side.entries());
    entries.for_each(|entry| out.extend(entry.to_bytes()));
    out
}

/// The bricks of a chunk. Only the shape is checked here; what the voxels hold is checked by the world.
pub(super) fn decode(mut bytes: &[u8]) -> Result<Vec<(IVec3, GroundBrick)>, FormatError> {
    let bricks = frames(&mut bytes, true, |bytes| Ok(Voxel::from_bytes(take(bytes)?)))?;
    let mut with_voxels = Vec::with_capacity(bricks.len());
    for (coord, uniform, entries) in bricks {
        let voxels = match uniform {
            Some(voxel) => Brick::Uniform(voxel),
            None => from_planes(&take(&mut bytes)?),
        };
        with_voxels.push((coord, voxels, entries));
    }
    let with_sides = with_voxels.into_iter().map(|(coord, voxels, entries)| {
        Ok((coord, GroundBrick { voxels, side: side(&mut bytes, entries)? }))
    });
    let bricks = with_sides.collect::<Result<_, FormatError>>()?;
    if !bytes.is_empty() {
        return Err(corrupt("bytes are left over after the bricks of a chunk"));
    }
    Ok(bricks)
}

/// Where a brick is, its voxel where it is uniform, and how many entries the list beside it has.
type Frame = (IVec3, Option<Voxel>, usize);

/// What stands of every brick at the beginning of a chunk, with lists or without; `voxel` reads one.
pub(super) fn frames(
    bytes: &mut &[u8],
    has_lists: bool,
    voxel: impl Fn(&mut &[u8]) -> Result<Voxel, FormatError>,
) -> Result<Vec<Frame>, FormatError> {
    let count = u32::from_le_bytes(take(bytes)?) as usize;
    if count > BRICKS_PER_CHUNK {
        return Err(corrupt(format!("{count} bricks in a chunk; at most {BRICKS_PER_CHUNK} are allowed")));
    }
    let mut frames = Vec::with_capacity(count);
    for _ in 0..count {
        let mut component = || take(bytes).map(i32::from_le_bytes);
        let coord = IVec3::new(component()?, component()?, component()?);
        if coord.to_array().iter().any(|c| !(-FARTHEST_BRICK..=FARTHEST_BRICK).contains(c)) {
            return Err(corrupt(format!("brick {coord} is too far out")));
        }
        let [storage] = take(bytes)?;
        let entries = if has_lists { u32::from_le_bytes(take(bytes)?) as usize } else { 0 };
        let uniform = match storage {
            UNIFORM => Some(voxel(bytes)?),
            DENSE => None,
            other => return Err(corrupt(format!("unknown storage {other} of a brick"))),
        };
        frames.push((coord, uniform, entries));
    }
    Ok(frames)
}

fn from_planes(planes: &[u8; VOXELS * Voxel::BYTES]) -> Brick<Voxel> {
    let voxel = |at| Voxel::from_bytes(std::array::from_fn(|plane| planes[plane * VOXELS + at]));
    Brick::from_values(&std::array::from_fn(voxel))
}

fn side(bytes: &mut &[u8], entries: usize) -> Result<SideList, FormatError> {
    let mut list = Vec::with_capacity(entries.min(bytes.len() / SideEntry::BYTES));
    for _ in 0..entries {
        let [a, b, channel, key, c, d] = take(bytes)?;
        let channel = Channel::ALL.into_iter().find(|known| *known as u8 == channel);
        let channel = channel.ok_or_else(|| corrupt("a list beside a brick has an unknown channel"))?;
        let (voxel, value) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        list.push(SideEntry { voxel, channel, key, value });
    }
    SideList::from_entries(list).ok_or_else(|| corrupt("a list beside a brick is out of order"))
}

pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], FormatError> {
    let (front, rest) = bytes.split_first_chunk().ok_or_else(|| corrupt("a chunk of bricks is too short"))?;
    *bytes = rest;
    Ok(*front)
}
