//! Edits: placing and removing ground in a region of space. Scenes are built from the same edits that hands make.

use barchan_volume::brick::{VOXELS, brick_box, voxel_index};
use barchan_volume::{Aabb, Brick, Coverage, Grid, Region, VoxelBox};
use glam::{IVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::changes::Changes;
use super::ground::Ground;
use crate::columns::{BARRIER_SHARE, is_ledge};
use crate::ledger::Amounts;
use crate::material::{MaterialId, Materials, Phase};
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{Parcel, Voxel};

/// Voxels further out than this from the origin are beyond any edit (voxels).
const FARTHEST_VOXEL: f32 = (1 << 28) as f32;

/// Brick columns that are edited between two looks at the memory in use.
const COLUMNS_PER_BATCH: i32 = 64 * 64;

/// One change of the ground by hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// Fills the free space of a region with a material in its natural state. What is there already stays. No soil comes into
    /// what is left of voxels that a wall or a ceiling of rock takes most of: nothing could ever move it.
    Place {
        /// Where.
        region: Region,
        /// What.
        material: MaterialId,
        /// Degree of saturation of a soil's pores (0 to 1).
        moisture: f32,
    },
    /// Takes everything out of a region, soil before rock where a voxel is only partly inside.
    Remove {
        /// Where.
        region: Region,
    },
}

/// What an edit did.
#[derive(Clone, Debug, Default)]
pub struct EditReport {
    /// Came in (units).
    pub placed: Amounts,
    /// Went out (units).
    pub removed: Amounts,
    /// Which bricks changed.
    pub changes: Changes,
}

/// Why an edit was refused. A refused edit changes nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// A region without end in a world without walls.
    #[error("the region has no end and the world has no bounds")]
    Unbounded,
    /// A material that the world does not know.
    #[error("material number {0} is not in this world's table")]
    UnknownMaterial(u8),
    /// A moisture that is not a share.
    #[error("moisture = {0} is outside 0 to 1")]
    Moisture(f32),
    /// More than the world may use.
    #[error("the ground would need more than {needed_mib} MiB of memory; the limit is {limit_mib} MiB")]
    TooLarge {
        /// At least this much (MiB).
        needed_mib: u64,
        /// The limit (MiB).
        limit_mib: u64,
    },
}

impl Edit {
    /// Where it works.
    pub fn region(&self) -> &Region {
        match self {
            Self::Place { region, .. } | Self::Remove { region } => region,
        }
    }

    fn check(&self, materials: &Materials) -> Result<(), EditError> {
        let Self::Place { material, moisture, .. } = self else { return Ok(()) };
        if materials.get(*material).is_none() {
            return Err(EditError::UnknownMaterial(material.0));
        }
        if !(0.0..=1.0).contains(moisture) {
            return Err(EditError::Moisture(*moisture));
        }
        Ok(())
    }
}

impl Ground {
    /// Carries out one edit, beside bodies that take `body_share` (1/32,768 of a voxel each).
    pub(crate) fn edit(
        &mut self,
        edit: &Edit,
        materials: &Materials,
        body_share: &Grid<u16>,
        memory_limit_bytes: u64,
    ) -> Result<EditReport, EditError> {
        edit.check(materials)?;
        let reach = self.reach(&edit.region().bounds())?;
        let brush = Brush::new(edit, materials, body_share, self.voxel_size_m());
        let mut bytes = self.voxels().memory_bytes() as u64;
        for batch in batches(reach.to_bricks()) {
            let changed = self.voxels().map_bricks(batch, |coord, brick| brush.apply(coord, brick, self));
            bytes += changed.iter().map(|(_, brick)| stored_bytes(brick)).sum::<u64>();
            if bytes > memory_limit_bytes {
                self.undo_open_changes();
                let (needed_mib, limit_mib) = (bytes >> 20, memory_limit_bytes >> 20);
                return Err(EditError::TooLarge { needed_mib, limit_mib });
            }
            for (coord, brick) in changed {
                self.replace_brick(coord, brick);
            }
        }
        let (changes, change) = self.close_changes();
        Ok(match edit {
            Edit::Place { .. } => EditReport { placed: change, removed: Amounts::default(), changes },
            Edit::Remove { .. } => {
                EditReport { placed: Amounts::default(), removed: Amounts::default() - change, changes }
            }
        })
    }

    /// The voxels within `bounds` (m) and within the walls.
    fn reach(&self, bounds: &Aabb) -> Result<VoxelBox, EditError> {
        let size = self.voxel_size_m();
        let voxel = |v: Vec3| v.clamp(Vec3::splat(-FARTHEST_VOXEL), Vec3::splat(FARTHEST_VOXEL)).as_ivec3();
        let reach = VoxelBox::new(voxel((bounds.min / size).floor()), voxel((bounds.max / size).ceil()));
        match self.bounds() {
            Some(walls) => Ok(walls.intersect(&reach)),
            None if bounds.min.is_finite() && bounds.max.is_finite() => Ok(reach),
            None => Err(EditError::Unbounded),
        }
    }
}

/// Cuts a box of bricks into slabs of whole columns.
fn batches(bricks: VoxelBox) -> impl Iterator<Item = VoxelBox> {
    let rows = (COLUMNS_PER_BATCH / (bricks.max.y - bricks.min.y).max(1)).max(1);
    (bricks.min.x..bricks.max.x).step_by(rows as usize).map(move |x| {
        let max_x = (x + rows).min(bricks.max.x);
        VoxelBox::new(bricks.min.with_x(x), bricks.max.with_x(max_x))
    })
}

fn stored_bytes(brick: &Brick<Voxel>) -> u64 {
    let entry = size_of::<(i32, Brick<Voxel>)>();
    let dense = if brick.uniform().is_none() { size_of::<[Voxel; VOXELS]>() } else { 0 };
    (entry + dense) as u64
}

/// An edit made ready for voxels.
struct Brush<'a> {
    edit: &'a Edit,
    materials: &'a Materials,
    body_share: &'a Grid<u16>,
    voxel_size_m: f32,
    /// A voxel full of the material that is placed.
    full: Voxel,
}

impl<'a> Brush<'a> {
    fn new(edit: &'a Edit, materials: &'a Materials, body_share: &'a Grid<u16>, voxel_size_m: f32) -> Self {
        let mut full = Voxel::AIR;
        if let Edit::Place { material, moisture, .. } = edit {
            let of = &materials[*material];
            let void_ratio = VoidRatio::from_f32(of.void_ratio_natural);
            let units = void_ratio.capacity() as u16;
            match of.phase {
                Phase::Rock => (full.rock, full.rock_kind) = (units, *material),
                Phase::Soil => {
                    let moisture = (moisture * f32::from(u16::MAX)).round() as u16;
                    full.add_soil(Parcel { units, kind: *material, void_ratio, moisture });
                }
            }
        }
        Self { edit, materials, body_share, voxel_size_m, full }
    }

    /// The brick of `ground` after the edit, if it changes.
    fn apply(&self, coord: IVec3, brick: &Brick<Voxel>, ground: &Ground) -> Option<Brick<Voxel>> {
        if matches!(self.edit, Edit::Remove { .. }) && brick.uniform() == Some(Voxel::AIR) {
            return None;
        }
        let mut share = [0.0_f32; VOXELS];
        let coverage = self.edit.region().coverage(coord, self.voxel_size_m, &mut share);
        let bodies = self.body_share.stored(coord);
        // The voxels inside the walls, when not all are.
        let allowed = if ground.is_inside(coord) { None } else { ground.bounds() };
        match (coverage, brick) {
            (Coverage::Empty, _) => return None,
            (Coverage::Full, Brick::Uniform(voxel)) if allowed.is_none() && bodies.is_none() => {
                // One voxel speaks for all, but for the uppermost of those with rock, which may carry soil.
                let mut edited = *voxel;
                self.edit_voxel(&mut edited, LOOSE_FULL, 0);
                if edited == *voxel {
                    return None;
                }
                if voxel.rock == 0 || self.full.soil == 0 {
                    return Some(Brick::Uniform(edited));
                }
                share.fill(1.0);
            }
            (Coverage::Full, _) => share.fill(1.0),
            (Coverage::Partial, _) => {}
        }
        let mut voxels = [Voxel::AIR; VOXELS];
        brick.copy_to(&mut voxels);
        let is_closed = |p: IVec3| {
            allowed.is_some_and(|walls| !walls.contains(p)) || self.full.soil > 0 && self.is_caught(p, ground)
        };
        if allowed.is_some() || voxels.iter().any(|voxel| voxel.rock > 0) {
            for p in brick_box(coord).cells().filter(|p| is_closed(*p)) {
                share[voxel_index(p)] = 0.0;
            }
        }
        for (at, voxel) in voxels.iter_mut().enumerate() {
            // Coverage is a share of one; anything else would be a fault of the region, not of the ground.
            let share = (share[at].clamp(0.0, 1.0) * LOOSE_FULL as f32 + 0.5) as u32;
            if share > 0 {
                self.edit_voxel(voxel, share, bodies.map_or(0, |shares| u32::from(shares.get(at))));
            }
        }
        let edited = Brick::from_values(&voxels);
        (edited != *brick).then_some(edited)
    }

    /// True when soil in voxel `p` would be caught beside a wall of rock or below a ceiling.
    fn is_caught(&self, p: IVec3, ground: &Ground) -> bool {
        let rock = |p: IVec3| ground.get(p).rock_share(self.materials);
        let here = rock(p);
        here >= BARRIER_SHARE && !is_ledge(here, rock(p + IVec3::Z))
    }

    /// Edits a voxel of which `share` (1/32,768) lies in the region, beside a body that takes `body` of it.
    fn edit_voxel(&self, voxel: &mut Voxel, share: u32, body: u32) {
        match self.edit {
            Edit::Place { .. } => self.fill_up(voxel, share, body),
            Edit::Remove { .. } => self.take_down(voxel, LOOSE_FULL - share),
        }
    }

    /// Adds the material until rock, soil and body together take `target` (1/32,768) of the voxel.
    fn fill_up(&self, voxel: &mut Voxel, target: u32, body: u32) {
        if self.full.soil > 0 {
            let taken = voxel.rock_share(self.materials) + voxel.soil_share() + body;
            let void_ratio = self.full.void_ratio;
            let units = void_ratio.units_in(target.saturating_sub(taken));
            let fits = units.min(u32::from(u16::MAX - voxel.soil)) as u16;
            voxel.add_soil(Parcel {
                units: fits,
                kind: self.full.soil_kind,
                void_ratio,
                moisture: self.full.moisture,
            });
            return;
        }
        // The larger amount gives the rock its kind, and with it the room that a unit takes.
        let room_as = |kind: MaterialId| {
            let void_ratio = self.materials.rock_void_ratio(kind);
            let taken = void_ratio.share_of(u32::from(voxel.rock)) + voxel.soil_share() + body;
            void_ratio.units_in(target.saturating_sub(taken))
        };
        let as_new = room_as(self.full.rock_kind);
        if as_new > u32::from(voxel.rock) {
            (voxel.rock, voxel.rock_kind) = (voxel.rock + as_new as u16, self.full.rock_kind);
        } else if voxel.rock > 0 {
            voxel.rock += room_as(voxel.rock_kind).min(u32::from(voxel.rock)) as u16;
        }
    }

    /// Takes soil, then rock, until both together take at most `left` (1/32,768) of the voxel.
    fn take_down(&self, voxel: &mut Voxel, left: u32) {
        let share = voxel.rock_share(self.materials) + voxel.soil_share();
        let over = share.saturating_sub(left);
        if over == 0 {
            return;
        }
        let soil_left = voxel.soil_share().saturating_sub(over);
        let keep = voxel.void_ratio.units_in(soil_left);
        voxel.take_soil(u32::from(voxel.soil).saturating_sub(keep));
        let rock_left = left.saturating_sub(voxel.soil_share());
        let keep = self.materials.rock_void_ratio(voxel.rock_kind).units_in(rock_left);
        voxel.take_rock(u32::from(voxel.rock).saturating_sub(keep));
    }
}
