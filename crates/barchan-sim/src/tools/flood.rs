//! Floods from a voxel, through faces: of what is open, to fill it, or of what is solid, to paint it.

use barchan_volume::{Brick, Grid, Mask, VoxelBox, VoxelSet, flood, flood_hollow};
use glam::IVec3;
use rustc_hash::FxHashMap;

use super::paint::{Pigment, paint};
use crate::ground::{BrickMut, EditError, Ground, Stuff};
use crate::ledger::Transfers;
use crate::material::{MaterialId, Materials};
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// What a flood does to the voxels that it reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FloodWork {
    /// It goes through open space and fills it.
    Fill {
        /// With what.
        material: MaterialId,
        /// Degree of saturation of a soil's pores (0 to 1).
        moisture: f32,
    },
    /// It goes through solid ground and paints it.
    Paint(Pigment),
}

/// A flood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flood {
    /// The voxel that it starts from.
    pub from: IVec3,
    /// Where it stays; none: an enclosed hollow, or a piece of ground, whole.
    pub within: Option<VoxelBox>,
    /// What it does.
    pub work: FloodWork,
}

/// Carries a flood out. Returns what came, went and turned, and how many voxels it reached.
pub(super) fn carry_out(
    of: &Flood,
    ground: &mut Ground,
    body_share: &Grid<u16>,
    materials: &mut Materials,
    memory_limit_bytes: u64,
) -> Result<(Transfers, usize), EditError> {
    match of.work {
        FloodWork::Paint(pigment) => {
            let reached = reached(of, true, ground, materials)?;
            let masks = reached.bricks_in_order();
            let (transfers, _) = paint(&masks, pigment, ground, materials, memory_limit_bytes)?;
            Ok((transfers, reached.len()))
        }
        FloodWork::Fill { material, moisture } => {
            let stuff = Stuff::new(material, moisture, materials)?;
            let reached = reached(of, false, ground, materials)?;
            let transfers =
                fill_voxels(&reached, |_| Some(stuff), ground, body_share, materials, memory_limit_bytes)?;
            Ok((transfers, reached.len()))
        }
    }
}

/// Fills what is free in these voxels with what `stuff` says.
pub(super) fn fill_voxels(
    voxels: &VoxelSet,
    stuff: impl Fn(IVec3) -> Option<Stuff> + Sync,
    ground: &mut Ground,
    body_share: &Grid<u16>,
    materials: &Materials,
    memory_limit_bytes: u64,
) -> Result<Transfers, EditError> {
    let masks = voxels.bricks_in_order();
    let bricks: Vec<IVec3> = masks.iter().map(|(coord, _)| *coord).collect();
    let of_brick: FxHashMap<IVec3, Mask> = masks.into_iter().collect();
    let write = |brick: &mut BrickMut| {
        for at in of_brick[&brick.coord].indices() {
            let p = brick.place(at);
            let Some(stuff) = stuff(p) else { continue };
            let body = u32::from(body_share.get(p));
            let taken = brick.get(at).rock_share(materials) + brick.get(at).soil_share() + body;
            let free = LOOSE_FULL.saturating_sub(taken);
            brick.change(at, |voxel| {
                stuff.fill(voxel, free, body, materials);
            });
        }
    };
    Ok(ground.rewrite(&bricks, memory_limit_bytes, write)?.0)
}

/// True where at least half of a voxel is rock or soil.
pub(super) fn is_solid(voxel: &Voxel, materials: &Materials) -> bool {
    voxel.rock_share(materials) + voxel.soil_share() >= LOOSE_FULL / 2
}

/// The voxels that the flood reaches.
fn reached(of: &Flood, solid: bool, ground: &Ground, materials: &Materials) -> Result<VoxelSet, EditError> {
    let inside = ground.bounds().unwrap_or(VoxelBox::new(IVec3::MIN, IVec3::MAX));
    let is_way = |coord: IVec3| {
        let way = match ground.voxels().stored(coord) {
            None if solid => Mask::EMPTY,
            None => Mask::FULL,
            Some(Brick::Uniform(voxel)) if is_solid(voxel, materials) == solid => Mask::FULL,
            Some(Brick::Uniform(_)) => Mask::EMPTY,
            Some(Brick::Dense(values)) => Mask::from_fn(|at| is_solid(&values[at], materials) == solid),
        };
        way.and(&Mask::of_box(coord, inside))
    };
    let held = ground.voxels().brick_bounds();
    let held = VoxelBox::new(held.min * 8, held.max * 8);
    let reached = match of.within {
        Some(within) => flood(is_way, of.from, inside.intersect(&within)),
        // Ground has an end of its own.
        None if solid => flood(is_way, of.from, held),
        // What reaches the uppermost layer within walls reaches the sky.
        None => {
            let sky = ground.bounds().map_or(i32::MAX, |walls| walls.max.z - 1);
            let reach = VoxelBox::new(held.min, held.max.with_z(held.max.z.min(sky)));
            flood_hollow(is_way, of.from, reach)
        }
    };
    reached.map_err(EditError::Flood)
}
