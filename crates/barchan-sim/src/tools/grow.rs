//! Growing and shrinking: all ground of a region becomes thicker or thinner by some voxels, in a ball's measure.

use barchan_volume::brick::{brick_box, voxel_index};
use barchan_volume::{
    Around, Bubble, Form, Grid, GridFilling, Mask, Region, TileCounts, VoxelBox, VoxelSet, Walled,
    count_bubbles,
};
use glam::IVec3;
use rustc_hash::FxHashMap;

use super::flood::{fill_voxels, is_solid};
use crate::ground::{BrickMut, EditError, Ground, Stuff};
use crate::ledger::Transfers;
use crate::material::{MaterialId, Materials};
use crate::voxel::{Parcels, Voxel};

/// Growing (above 0) or shrinking (below 0) of all solid ground in a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Growing {
    /// Where; none: everywhere.
    pub region: Option<Region>,
    /// By how much (voxels), -64 to 64.
    pub voxels: i32,
    /// Of what the new ground is; none: of what is nearest.
    pub material: Option<MaterialId>,
}

/// Carries it out. Returns what came and went, and how many voxels became solid or empty.
pub(super) fn grow(
    growing: &Growing,
    ground: &mut Ground,
    body_share: &Grid<u16>,
    materials: &Materials,
    memory_limit_bytes: u64,
) -> Result<(Transfers, usize), EditError> {
    let radius = growing.voxels.unsigned_abs().min(i32::MAX as u32) as i32;
    let Ok(ball) = Bubble::new(Form::Ball, IVec3::splat(radius)) else {
        let value = growing.voxels as f32;
        return Err(EditError::OutOfRange { field: "voxels", value, range: "-64 to -1 and 1 to 64" });
    };
    let changing = changing(growing, &ball, ground, materials);
    let transfers = if growing.voxels < 0 {
        empty(&changing, ground, memory_limit_bytes)?
    } else {
        let said = growing.material.map(|kind| Stuff::new(kind, 0.0, materials)).transpose()?;
        let before = ground.clone();
        let nearest = Nearest::new(&ball);
        let stuff =
            |p: IVec3| said.or_else(|| Stuff::new(nearest.kind(p, &before, materials)?, 0.0, materials).ok());
        fill_voxels(&changing, stuff, ground, body_share, materials, memory_limit_bytes)?
    };
    Ok((transfers, changing.len()))
}

/// The voxels that become solid, or empty.
fn changing(growing: &Growing, ball: &Bubble, ground: &Ground, materials: &Materials) -> VoxelSet {
    let grows = growing.voxels > 0;
    let endless = VoxelBox::new(IVec3::MIN, IVec3::MAX);
    let weigh = |voxel: Voxel| u16::from(is_solid(&voxel, materials));
    let inside = GridFilling::new(ground.voxels(), 1, weigh);
    let held = ground.voxels().brick_bounds();
    let held = VoxelBox::new(held.min * 8, held.max * 8).grow(growing.voxels.max(0));
    let reach = ground.clip(within(held, growing.region.as_ref(), ground.voxel_size_m()));
    let volume = ball.volume();
    let of_tile = |tile: TileCounts<'_>| {
        let of_brick = |coord: IVec3| {
            let mut mask = Mask::EMPTY;
            for p in brick_box(coord).intersect(&tile.region).cells() {
                let count = tile.at(p);
                let may = if grows { count > 0 && count < volume } else { count < volume };
                if may && is_solid(&ground.get(p), materials) != grows {
                    mask.insert(voxel_index(p));
                }
            }
            if let Some(region) = &growing.region
                && !mask.is_empty()
            {
                mask = mask.and(&region.mask(coord, ground.voxel_size_m()));
            }
            (!mask.is_empty()).then_some((coord, mask))
        };
        tile.region.to_bricks().cells().filter_map(of_brick).collect::<Vec<_>>()
    };
    // Walls neither grow nor do they let the ground beside them shrink.
    let found = if grows {
        count_bubbles(&inside, ball, reach, Around::Every, of_tile)
    } else {
        let walled = Walled::new(inside, ground.bounds().unwrap_or(endless));
        count_bubbles(&walled, ball, reach, Around::Filled, of_tile)
    };
    let mut changing = VoxelSet::default();
    found.into_iter().flatten().for_each(|(coord, mask)| changing.insert_mask(coord, mask));
    changing
}

/// The part of `held` that a region reaches (voxels).
pub(super) fn within(held: VoxelBox, region: Option<&Region>, voxel_size_m: f32) -> VoxelBox {
    let Some(bounds) = region.map(Region::bounds) else { return held };
    if bounds.is_empty() {
        return VoxelBox::new(IVec3::ZERO, IVec3::ZERO);
    }
    let (min, max) = ((bounds.min / voxel_size_m).floor(), (bounds.max / voxel_size_m).ceil());
    held.intersect(&VoxelBox::new(min.as_ivec3(), max.as_ivec3()))
}

/// Takes everything out of these voxels.
fn empty(voxels: &VoxelSet, ground: &mut Ground, memory_limit_bytes: u64) -> Result<Transfers, EditError> {
    let masks = voxels.bricks_in_order();
    let bricks: Vec<IVec3> = masks.iter().map(|(coord, _)| *coord).collect();
    let of_brick: FxHashMap<IVec3, Mask> = masks.into_iter().collect();
    let write = |brick: &mut BrickMut| {
        for at in of_brick[&brick.coord].indices() {
            brick.change(at, |voxel| {
                voxel.take_soils(u32::MAX, &mut Parcels::new());
                while voxel.get().rock > 0 {
                    voxel.take_rock(u32::MAX);
                }
            });
        }
    };
    Ok(ground.rewrite(&bricks, memory_limit_bytes, write)?.0)
}

/// Finds the solid voxel nearest to another.
struct Nearest {
    /// Places in the ball, the nearest first.
    places: Vec<IVec3>,
}

impl Nearest {
    fn new(ball: &Bubble) -> Self {
        let mut places: Vec<IVec3> = ball.bounds().cells().filter(|d| ball.weight(*d) > 0).collect();
        places.sort_unstable_by_key(|d| (d.length_squared(), d.to_array()));
        Self { places }
    }

    /// Of what the solid voxel nearest to `p` is.
    fn kind(&self, p: IVec3, ground: &Ground, materials: &Materials) -> Option<MaterialId> {
        let solid = self.places.iter().map(|d| ground.get(p + d)).find(|voxel| is_solid(voxel, materials));
        solid.map(|voxel| voxel.kind())
    }
}
