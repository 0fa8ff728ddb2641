//! Edits: placing and removing ground in a region of space. Scenes are built from the same edits that hands make.

use barchan_volume::brick::VOXELS;
use barchan_volume::{Aabb, Brick, FloodError, Grid, Region, VoxelBox};
use glam::Vec3;

use super::brick::GroundBrick;
use super::brush::{Brush, Stuff};
use super::change_log::Touch;
use super::changes::Changes;
use super::ground::Ground;
use super::packing::Packing;
use crate::ledger::{Amounts, Transfers};
use crate::material::{MaterialId, Materials};
use crate::tools::{Copying, Flood, Growing, Pigment, Reshaping};
use crate::voxel::Voxel;
use crate::weather::Weathering;

/// Voxels further out than this from the origin are beyond any edit (voxels): there a quarter of a voxel is all that a number of
/// 32 bits tells apart.
const FARTHEST_VOXEL: i32 = 1 << 22;

/// What is further out than this is as good as without end (voxels).
const ENDLESS: f32 = (1 << 28) as f32;

/// Brick columns that are edited between two looks at the memory in use.
const COLUMNS_PER_BATCH: i32 = 64 * 64;

/// One change of the ground by hand.
#[derive(Clone, Debug, PartialEq)]
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
    /// As [`Edit::Place`], with soil as dense as one says instead of in its natural state.
    Pack {
        /// Where.
        region: Region,
        /// Which soil.
        material: MaterialId,
        /// Degree of saturation of its pores (0 to 1).
        moisture: f32,
        /// How dense.
        packing: Packing,
    },
    /// Takes everything out of a region, soil before rock where a voxel is only partly inside.
    Remove {
        /// Where.
        region: Region,
    },
    /// Takes rock where too little of the space around it is filled; it becomes debris or leaves.
    Weather(Weathering),
    /// Makes rock or soil another kind or colour, whole voxels of which at least half is in the region.
    Paint {
        /// Where.
        region: Region,
        /// What it becomes.
        pigment: Pigment,
    },
    /// Copies a box of voxels over another.
    Copy(Copying),
    /// Fills or paints what hangs together with a voxel.
    Flood(Flood),
    /// Raises, flattens or smooths the surface within a disc.
    Reshape(Reshaping),
    /// Makes all ground thicker or thinner.
    Grow(Growing),
    /// Lets soil fall and slide until it rests, without passing time, in at most so many rounds.
    Rest {
        /// Rounds of sliding.
        most_rounds: u32,
    },
}

/// What an edit did.
#[derive(Clone, Debug, Default)]
pub struct EditReport {
    /// What came in and went out.
    pub transfers: Transfers,
    /// Which bricks changed.
    pub changes: Changes,
    /// What counting found beyond that, by account and kind (units). Nothing, or there is a bug.
    pub imbalance: Amounts<i64>,
    /// Voxels that a tool chose.
    pub voxels: usize,
    /// Rounds of sliding in which soil came to rest.
    pub rounds: u32,
    /// True where soil that was to come to rest did not.
    pub restless: bool,
}

impl EditReport {
    /// What came in (units).
    pub fn placed(&self) -> Amounts<i64> {
        self.transfers
            .iter()
            .filter(|one| one.from.is_none())
            .filter_map(|one| Some((one.to?, one.units)))
            .collect()
    }

    /// What went out (units).
    pub fn removed(&self) -> Amounts<i64> {
        self.transfers
            .iter()
            .filter(|one| one.to.is_none())
            .filter_map(|one| Some((one.from?, one.units)))
            .collect()
    }
}

/// Why an edit was refused. A refused edit changes nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// A region without end in a world without walls.
    #[error("the region has no end and the world has no bounds")]
    Unbounded,
    /// So far out that numbers of 32 bits do not tell the parts of a voxel apart.
    #[error(
        "the region reaches {reach} voxels from the origin; beyond {farthest} voxels nothing can be placed exactly"
    )]
    TooFar {
        /// How far it reaches (voxels).
        reach: i32,
        /// How far it may (voxels).
        farthest: i32,
    },
    /// A material that the world does not know.
    #[error("material number {0} is not in this world's table")]
    UnknownMaterial(u8),
    /// A moisture that is not a share.
    #[error("moisture = {0} is outside 0 to 1")]
    Moisture(f32),
    /// A number that makes no sense.
    #[error("{field} = {value} is outside {range}")]
    OutOfRange {
        /// Which number.
        field: &'static str,
        /// Its value.
        value: f32,
        /// What is allowed.
        range: &'static str,
    },
    /// Rock where soil is needed.
    #[error("'{0}' is rock: debris is made of soil")]
    NotSoil(String),
    /// A flood that was refused.
    #[error(transparent)]
    Flood(FloodError),
    /// Whoever watched said no.
    #[error("cancelled")]
    Cancelled,
    /// A packing that this soil has not.
    #[error("void ratio {0}")]
    Packing(String),
    /// More than the world may use.
    #[error("the ground would need more than {needed_mib} MiB of memory; the limit is {limit_mib} MiB")]
    TooLarge {
        /// At least this much (MiB).
        needed_mib: u64,
        /// The limit (MiB).
        limit_mib: u64,
    },
}

impl EditError {
    pub(crate) fn too_large(needed_bytes: u64, limit_bytes: u64) -> Self {
        Self::TooLarge { needed_mib: needed_bytes >> 20, limit_mib: limit_bytes >> 20 }
    }
}

impl Ground {
    /// Fills the free space of `region` with `stuff`, packed as it is said, or empties it where there is none, beside bodies that take `body_share`
    /// (1/32,768 of a voxel each). Returns what came in or went out; the caller closes the books.
    pub(crate) fn fill_or_empty(
        &mut self,
        region: &Region,
        (stuff, packing): (Option<Stuff>, Option<&Packing>),
        materials: &Materials,
        body_share: &Grid<u16>,
        memory_limit_bytes: u64,
    ) -> Result<Transfers, EditError> {
        let reach = self.reach(&region.bounds())?;
        let brush = Brush::new(region, (stuff, packing), materials, body_share, self.voxel_size_m());
        let mut bytes = self.memory_bytes() as u64;
        let mut amounts = Amounts::default();
        for batch in batches(reach.to_bricks()) {
            let changed = self.voxels().map_bricks(batch, |coord, brick| brush.apply(coord, brick, self));
            bytes += changed.iter().map(|(_, (brick, _))| stored_bytes(brick)).sum::<u64>();
            if bytes > memory_limit_bytes {
                self.undo_open_changes();
                return Err(EditError::too_large(bytes, memory_limit_bytes));
            }
            for (coord, (brick, of_brick)) in changed {
                amounts.add_all(&of_brick);
                self.replace_brick(coord, brick, Touch::All);
            }
        }
        let mut transfers = Transfers::none();
        match stuff {
            Some(_) => transfers.enter(&amounts),
            None => transfers.leave(&amounts),
        }
        Ok(transfers)
    }

    /// The voxels within `bounds` (m) and within the walls.
    pub(crate) fn reach(&self, bounds: &Aabb) -> Result<VoxelBox, EditError> {
        let size = self.voxel_size_m();
        let voxel = |v: Vec3| v.clamp(Vec3::splat(-ENDLESS), Vec3::splat(ENDLESS)).as_ivec3();
        let reach = VoxelBox::new(voxel((bounds.min / size).floor()), voxel((bounds.max / size).ceil()));
        let reach = match self.bounds() {
            Some(walls) => walls.intersect(&reach),
            None if bounds.min.is_finite() && bounds.max.is_finite() => reach,
            None => return Err(EditError::Unbounded),
        };
        let farthest = reach.min.abs().max(reach.max.abs()).max_element();
        if !reach.is_empty() && farthest > FARTHEST_VOXEL {
            return Err(EditError::TooFar { reach: farthest, farthest: FARTHEST_VOXEL });
        }
        Ok(reach)
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

pub(super) fn stored_bytes(brick: &GroundBrick) -> u64 {
    let entry = size_of::<(i32, Brick<Voxel>)>() + brick.side.memory_bytes();
    let dense = if brick.voxels.uniform().is_none() { size_of::<[Voxel; VOXELS]>() } else { 0 };
    (entry + dense) as u64
}
