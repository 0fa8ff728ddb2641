//! Grains become ground and ground becomes grains, with exactly their units.

use barchan_volume::brick::{brick_of, voxel_index};
use barchan_volume::{Grid, VoxelBox};
use glam::{DVec3, IVec3};

use super::source::{Fill, Room};
use super::{Grain, GrainsError};
use crate::ground::{Ground, Touch};
use crate::ledger::{Account, Transfers};
use crate::material::{MaterialId, Materials};
use crate::reader::voxel_at;
use crate::voxel::{Parcel, VoxelMut};
use crate::world::World;

/// Highest above its place that what a grain leaves may come to lie, where all below is full (voxels).
const HIGHEST: i32 = 4096;

impl World {
    /// Lays grains down as ground where they are, as loose soil of their kind; says how many. Those that find no room in the
    /// column above them stay grains.
    pub fn lay_grains(&mut self, mut lies: impl FnMut(&Grain) -> bool) -> usize {
        let voxel_m = self.ground().voxel_size_m();
        let mut transfers = Transfers::none();
        let mut laid = Vec::new();
        let state = &mut self.state;
        let shares = self.body_fill.shares();
        for grain in state.grains.all().iter().filter(|grain| lies(grain)) {
            let kind = state.grains.soil_of(grain);
            let p = voxel_at(state.grains.position_m(grain).as_vec3(), voxel_m);
            if lay(&mut state.ground, &state.materials, shares, p, kind, grain.units) {
                transfers.add(Some((Account::Grains, kind)), Some((Account::Soil, kind)), grain.units as i64);
                laid.push(grain.id);
            }
        }
        laid.sort_unstable();
        self.state.grains.take(|grain| laid.binary_search(&grain.id).is_ok());
        transfers.leave(&self.state.carve.dry(laid.iter().map(|name| name.0)));
        self.close(&transfers);
        laid.len()
    }

    /// Turns the dry soil of the kind of `form` in a box (m) into grains of this form, from below, as many as find room in the box
    /// and above it; what is left of the soil stays. Says how many grains came.
    ///
    /// # Errors
    /// When there is no such form, or the grains do not fit into the memory.
    pub fn loosen_into_grains(
        &mut self,
        low_m: DVec3,
        high_m: DVec3,
        form: u16,
        seed: u64,
    ) -> Result<usize, GrainsError> {
        let grains = &self.state.grains;
        let spec = grains.forms().get(usize::from(form));
        let spec = spec.ok_or(GrainsError::Missing { what: "form of grain", index: form.into() })?;
        let kind = grains.setup().substances[usize::from(spec.spec.substance)].soil;
        let units_each = spec.volume_m3 / self.unit_m3();
        let voxel_m = self.ground().voxel_size_m();
        let voxels =
            VoxelBox::new(voxel_at(low_m.as_vec3(), voxel_m), voxel_at(high_m.as_vec3(), voxel_m) + 1);
        let voxels = self.ground().clip(voxels);
        let is_dry = |p: &IVec3| self.ground().get(*p).water == 0;
        let sources: Vec<IVec3> = voxels.cells().filter(is_dry).collect();
        let there: u64 = sources.iter().map(|p| soil_of_kind(self.ground(), *p, kind)).sum();
        // One unit is kept back for what is still owed of one.
        let most = (there.saturating_sub(1) as f64 / units_each).floor();
        let fill = Fill {
            mix: vec![(form, 1.0)],
            low_m,
            // Loose grains on a grid take up to three times the room of the soil.
            high_m: high_m + DVec3::Z * (3.0 * (high_m.z - low_m.z) + 4.0 * spec.reach_m),
            pitch_m: None,
            jitter: 1.0,
            count: most as usize,
            turned: true,
            velocity_m_s: DVec3::ZERO,
            seed,
        };
        fill.check(grains)?;
        let room = Room::of(grains, self.clock().time_s);
        let specs = fill.grains(grains, |at, reach| room.is_free(at, reach));
        let entered = self.enter_grains(&specs)?;
        let mut due = entered.get((Account::Grains, kind)) as u64;
        let mut transfers = Transfers::none();
        transfers.add(Some((Account::Soil, kind)), Some((Account::Grains, kind)), due as i64);
        for p in sources {
            due -= take(&mut self.state.ground, p, kind, due);
        }
        self.close(&transfers);
        Ok(specs.len())
    }
}

/// Puts units of soil into a voxel and, where it is full, into those above; true when all found room.
fn lay(
    ground: &mut Ground,
    materials: &Materials,
    shares: &Grid<u16>,
    from: IVec3,
    kind: MaterialId,
    units: u64,
) -> bool {
    let void_ratio = materials.loose(kind);
    let room_in = |ground: &Ground, p: IVec3| {
        if ground.is_wall(p) {
            0
        } else {
            ground.get(p).room(void_ratio, u32::from(shares.get(p)), materials)
        }
    };
    let column = || (0..HIGHEST).map(|up| from + IVec3::Z * up);
    let (mut found, mut highest) = (0u64, None);
    for p in column() {
        if found >= units {
            break;
        }
        found += u64::from(room_in(ground, p));
        highest = Some(p.z);
    }
    if found < units {
        return false;
    }
    let mut left = units;
    for p in column().take_while(|p| Some(p.z) <= highest) {
        let units = left.min(u64::from(room_in(ground, p)));
        if units > 0 {
            let parcel = Parcel { units: units as u16, kind, void_ratio, moved: true, water: 0 };
            write(ground, p, |mut voxel| voxel.add_soil(parcel));
            left -= units;
        }
    }
    left == 0
}

/// Units of the soil on top of a voxel, where it is of this kind.
fn soil_of_kind(ground: &Ground, p: IVec3, kind: MaterialId) -> u64 {
    let voxel = ground.get(p);
    if voxel.top_kind == kind { u64::from(voxel.top) } else { 0 }
}

/// Takes up to `most` units of the soil on top of a voxel, where it is of this kind; says how many.
fn take(ground: &mut Ground, p: IVec3, kind: MaterialId, most: u64) -> u64 {
    let units = soil_of_kind(ground, p, kind).min(most);
    if units > 0 {
        write(ground, p, |mut voxel| {
            voxel.take_soil(units as u32);
        });
    }
    units
}

fn write(ground: &mut Ground, p: IVec3, change: impl FnOnce(VoxelMut)) {
    let coord = brick_of(p);
    let mut brick = ground.brick(coord);
    let at = voxel_index(p);
    change(VoxelMut::new(&mut brick.voxels.make_mut()[at], &mut brick.side, at));
    ground.replace_brick(coord, brick, Touch::All);
}
