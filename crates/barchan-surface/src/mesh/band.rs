//! The layers of a block near its surface: most blocks are full below it and empty above, and need not be looked at there.

use barchan_volume::VoxelBox;
use barchan_volume::brick::EDGE;
use glam::IVec3;

use super::content::Holds;
use super::lattice::{Beyond, Bricks, Lattice};

/// Samples beyond a change of sides that are still looked at: a direction is taken from the next sample but one.
const MARGIN: i32 = 2;

/// The part of a box of samples in which the surface can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Band {
    /// As wide as the box.
    pub part: VoxelBox,
    /// Whether all below the part and all above it is inside the ground.
    pub inside: [bool; 2],
}

impl Band {
    /// All of `region`.
    pub(super) fn whole(region: VoxelBox) -> Self {
        Self { part: region, inside: [false; 2] }
    }

    /// The part of `region` that whole bricks do not tell to be on one side.
    pub(super) fn of<T: Holds>(region: VoxelBox, lattice: &Lattice<'_, T>, bricks: &Bricks<'_, T>) -> Self {
        let known = lattice.clip(region);
        let mut band = Self::whole(region);
        // Closed worlds end in air on all sides, open ones go on as they are at the walls.
        if known.is_empty() || lattice.beyond != Beyond::Ground && known != region {
            return band;
        }
        let layers = known.to_bricks();
        let side = |z: i32| {
            let layer = VoxelBox::new(layers.min.with_z(z), layers.max.with_z(z + 1));
            one_side(layer, lattice, bricks)
        };
        // Above the upper wall is air.
        let top = if known.max.z < region.max.z { Some(false) } else { side(layers.max.z - 1) };
        if let Some(inside) = top {
            let last = (layers.min.z..layers.max.z).rev().find(|z| side(*z) != top);
            band.inside[1] = inside;
            band.part.max.z = band.part.max.z.min(last.map_or(known.min.z, |z| (z + 1) * EDGE) + MARGIN);
        }
        if let Some(inside) = side(layers.min.z) {
            let first = (layers.min.z..layers.max.z).find(|z| side(*z) != Some(inside));
            band.inside[0] = inside;
            band.part.min.z = band.part.min.z.max(first.map_or(known.max.z, |z| z * EDGE) - MARGIN);
        }
        // Where everything is on one side, something must be left to look at.
        if band.part.is_empty() { Self::whole(region) } else { band }
    }
}

/// The side of all samples in the bricks of `layer`: inside the ground or outside. `None` where it is not certain that
/// they are all on one.
fn one_side<T: Holds>(layer: VoxelBox, lattice: &Lattice<'_, T>, bricks: &Bricks<'_, T>) -> Option<bool> {
    let mut sides = layer.cells().map(|coord: IVec3| bricks.side(coord, lattice));
    let first = sides.next()??;
    sides.all(|side| side == Some(first)).then_some(first)
}
