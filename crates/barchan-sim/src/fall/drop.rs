//! Falling without time: everything that hangs is brought down at once.

use barchan_volume::Grid;
use glam::IVec3;

use super::hanging::{Unseen, hanging};
use crate::columns::Space;
use crate::ground::Ground;
use crate::material::Materials;
use crate::voxel::Parcel;

/// Lets all soil down that hangs in an awake brick. Returns how much fell (units).
pub(crate) fn drop_all(body_shares: &Grid<u16>, materials: &Materials, ground: &mut Ground) -> i64 {
    let (mut fell, mut above) = (0, Vec::new());
    let mut lumps = hanging(&Unseen::All, &Space::new(ground, body_shares, materials));
    lumps.sort_unstable_by_key(|p| (p.z, p.x, p.y));
    for p in lumps {
        above.push(p);
        // What rested on soil that fell hangs now, too.
        while let Some(p) = above.pop() {
            let space = Space::new(ground, body_shares, materials);
            let Some(bottom) = space.hangs(p).then(|| landing(p, &space)) else { continue };
            let units = let_down(p, bottom, body_shares, materials, ground);
            fell += i64::from(units);
            if units > 0 {
                above.push(p + IVec3::Z);
            }
        }
    }
    fell
}

/// The lowest voxel that soil falling from `p` reaches.
fn landing(p: IVec3, space: &Space<'_>) -> IVec3 {
    let mut bottom = p;
    while space.is_open(bottom - IVec3::Z) {
        bottom -= IVec3::Z;
        if space.is_carried(bottom) {
            break;
        }
    }
    bottom
}

/// Lets the soil of voxel `p` down into its column from `bottom` on. Returns how much of it left the voxel (units).
fn let_down(
    p: IVec3,
    bottom: IVec3,
    body_shares: &Grid<u16>,
    materials: &Materials,
    ground: &mut Ground,
) -> u16 {
    let parcel = ground.voxel_mut(p).take_soil(u32::MAX);
    let loose = materials.loose(parcel.kind);
    let mut rest = Parcel { void_ratio: loose.max(parcel.void_ratio), ..parcel };
    for z in bottom.z..p.z {
        let q = p.with_z(z);
        let body = u32::from(body_shares.get(q));
        let room = ground.get(q).room(rest.void_ratio, body, materials);
        let units = room.min(u32::from(rest.units)) as u16;
        if units > 0 {
            ground.voxel_mut(q).add_soil(Parcel { units, ..rest });
            rest.units -= units;
        }
    }
    // What does not fit below keeps the density it had, and with it the room it had.
    ground.voxel_mut(p).add_soil(Parcel { units: rest.units, ..parcel });
    parcel.units - rest.units
}
