//! Copying a box of ground to another place, turned by quarters and mirrored.

use barchan_volume::brick::{brick_of, voxel_index};
use barchan_volume::{Grid, VoxelBox};
use glam::IVec3;

use crate::ground::{BrickMut, EditError, Ground};
use crate::ledger::Transfers;
use crate::material::Materials;
use crate::units::LOOSE_FULL;
use crate::voxel::{Parcels, VoxelMut};

/// Most voxels of a copy.
const MOST_VOXELS: u128 = 1 << 32;

/// A box of voxels and where its copy goes. What is there makes room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copying {
    /// What is copied (voxels).
    pub from: VoxelBox,
    /// The lowest corner of the copy (voxels).
    pub to: IVec3,
    /// Quarter turns about the upright axis, from +x towards +y.
    pub turns: u8,
    /// Along which axes it is mirrored, before it is turned.
    pub mirror: [bool; 3],
}

impl Copying {
    /// Where the copy goes (voxels).
    pub fn target(&self) -> VoxelBox {
        let mut size = self.from.max - self.from.min;
        if self.turns % 2 == 1 {
            (size.x, size.y) = (size.y, size.x);
        }
        VoxelBox::new(self.to, self.to + size)
    }

    /// The voxel that comes to `p`, which is in the target.
    fn source(&self, p: IVec3) -> IVec3 {
        let size = self.from.max - self.from.min;
        let d = p - self.to;
        // Turned back.
        let mut d = match self.turns % 4 {
            0 => d,
            1 => IVec3::new(d.y, size.y - 1 - d.x, d.z),
            2 => IVec3::new(size.x - 1 - d.x, size.y - 1 - d.y, d.z),
            _ => IVec3::new(size.x - 1 - d.y, d.x, d.z),
        };
        for axis in 0..3 {
            if self.mirror[axis] {
                d[axis] = size[axis] - 1 - d[axis];
            }
        }
        self.from.min + d
    }
}

/// Copies ground beside bodies that take `body_share`. Returns what came and went, and how many voxels were copied.
pub(super) fn copy(
    copying: &Copying,
    ground: &mut Ground,
    body_share: &Grid<u16>,
    materials: &Materials,
    memory_limit_bytes: u64,
) -> Result<(Transfers, usize), EditError> {
    let from = copying.from;
    if from.is_empty() || from.volume() > MOST_VOXELS {
        let value = from.volume() as f32;
        return Err(EditError::OutOfRange { field: "voxels to copy", value, range: "1 to 2^32" });
    }
    let far = VoxelBox::new(IVec3::splat(-(1 << 28)), IVec3::splat(1 << 28));
    if !(far.contains_box(&from) && far.contains(copying.to)) {
        return Err(EditError::OutOfRange {
            field: "place of the copy (voxels)",
            value: copying.to.as_vec3().abs().max_element(),
            range: "±2^28",
        });
    }
    let source = ground.clone();
    let target = ground.clip(copying.target());
    let bricks: Vec<IVec3> = target.to_bricks().cells().collect();
    let write = |brick: &mut BrickMut| {
        for at in 0..barchan_volume::brick::VOXELS {
            let q = brick.place(at);
            if !target.contains(q) {
                continue;
            }
            let p = copying.source(q);
            let voxel = source.get(p);
            if voxel == *brick.get(at) && source.side(brick_of(p)).is_empty() {
                continue;
            }
            let body = u32::from(body_share.get(q));
            brick.change(at, |here| {
                here.set_as(voxel, source.side(brick_of(p)), voxel_index(p));
                make_room(here, body, materials);
            });
        }
    };
    let (transfers, _) = ground.rewrite(&bricks, memory_limit_bytes, write)?;
    Ok((transfers, target.volume() as usize))
}

/// Takes off what does not fit beside a body that takes `body` (1/32,768) of the voxel: soil first, then rock.
fn make_room(voxel: &mut VoxelMut<'_>, body: u32, materials: &Materials) {
    if body == 0 {
        return;
    }
    let free = LOOSE_FULL.saturating_sub(body);
    let rock_share = voxel.get().rock_share(materials);
    let too_much = voxel.get().soil_beyond(free.saturating_sub(rock_share));
    voxel.take_soils(too_much, &mut Parcels::new());
    while voxel.get().rock > 0 && voxel.get().rock_share(materials) > free {
        let keep = materials.rock_void_ratio(voxel.get().rock_kind).units_in(free);
        voxel.take_rock(u32::from(voxel.get().rock).saturating_sub(keep).max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_and_mirrors_reach_every_voxel_once_and_come_back() {
        let from = VoxelBox::new(IVec3::new(-3, 5, 1), IVec3::new(1, 11, 3));
        for turns in 0..4 {
            for mirror in [[false; 3], [true, false, false], [false, true, true]] {
                let copying = Copying { from, to: IVec3::new(9, -9, 0), turns, mirror };
                let target = copying.target();
                assert_eq!(target.volume(), from.volume());
                let mut sources: Vec<_> = target.cells().map(|p| copying.source(p).to_array()).collect();
                sources.sort_unstable();
                sources.dedup();
                assert_eq!(sources.len() as u128, from.volume());
                assert!(target.cells().all(|p| from.contains(copying.source(p))));
            }
        }
        // A quarter turn takes +x to +y.
        let quarter = Copying { from, to: IVec3::ZERO, turns: 1, mirror: [false; 3] };
        assert_eq!(quarter.source(IVec3::new(5, 0, 0)), from.min);
        assert_eq!(quarter.source(IVec3::new(5, 3, 1)), from.min + IVec3::new(3, 0, 1));
    }
}
