//! Falling without time: everything that hangs is brought down at once.

use barchan_volume::Grid;
use glam::IVec3;

use super::hanging::{Unseen, hanging};
use crate::columns::{Patch, Space, commit};
use crate::ground::Ground;
use crate::material::Materials;
use crate::voxel::Parcel;

/// Lets all soil down that hangs in an awake brick. Returns how much fell (units).
pub(crate) fn drop_all(body_shares: &Grid<u16>, materials: &Materials, ground: &mut Ground) -> i64 {
    let space = Space::new(ground, body_shares, materials);
    let (mut fell, mut above, mut patch) = (0, Vec::new(), Patch::new(space));
    let mut lumps = hanging(&Unseen::All, &space);
    lumps.sort_unstable_by_key(|p| (p.z, p.x, p.y));
    for p in lumps {
        above.push(p);
        // What rested on soil that fell hangs now, too.
        while let Some(p) = above.pop() {
            let Some(bottom) = space.hangs_as(p, &mut patch).then(|| landing(p, &space, &mut patch)) else {
                continue;
            };
            let units = let_down(p, bottom, materials, &mut patch);
            fell += i64::from(units);
            if units > 0 {
                above.push(p + IVec3::Z);
            }
        }
    }
    commit(patch.into_changed(), ground);
    fell
}

/// The lowest voxel that soil falling from `p` reaches.
fn landing(p: IVec3, space: &Space<'_>, patch: &mut Patch<'_>) -> IVec3 {
    let mut bottom = p;
    while space.is_open_as(bottom - IVec3::Z, patch) {
        bottom -= IVec3::Z;
        if space.is_carried_as(bottom, patch) {
            break;
        }
    }
    bottom
}

/// Lets the soil of voxel `p` down into its column from `bottom` on. Returns how much of it left the voxel (units).
fn let_down(p: IVec3, bottom: IVec3, materials: &Materials, patch: &mut Patch<'_>) -> u32 {
    let mut fell = 0;
    let parcels = patch.take_all(p);
    for parcel in parcels.into_iter().rev() {
        let mut rest = parcel.loosened(materials);
        (bottom.z..p.z).for_each(|z| patch.put(p.with_z(z), &mut rest));
        fell += u32::from(parcel.units - rest.units);
        // What does not fit below keeps the density it had, and with it the room it had.
        patch.add(p, Parcel { units: rest.units, water: rest.water, ..parcel });
    }
    fell
}
