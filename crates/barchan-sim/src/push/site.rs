//! Ground and bodies, where soil makes room.

use barchan_volume::Brick;
use barchan_volume::brick::{VOXELS, voxel_of};
use glam::IVec3;

use super::cursor::Cursor;
use crate::bodies::BodyFill;
use crate::ground::Ground;
use crate::material::{Materials, Strength, StrengthClass};
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// Soil that does not fit beside the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excess {
    pub voxel: IVec3,
    /// How much is too much (units).
    pub units: u32,
    /// How strong the soil on top is.
    pub strength: StrengthClass,
}

/// Ground and bodies, where soil makes room.
pub(super) struct Site<'a> {
    pub ground: &'a Ground,
    pub body_fill: &'a BodyFill,
    pub materials: &'a Materials,
}

impl Site<'_> {
    pub(super) fn voxel_size_m(&self) -> f32 {
        self.ground.voxel_size_m()
    }

    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self.ground, self.body_fill, self.materials)
    }

    /// The voxels of a brick whose soil does not fit beside the bodies.
    pub(super) fn overfull(&self, coord: IVec3) -> Vec<Excess> {
        let (Some(shares), Some(ground)) =
            (self.body_fill.shares().stored(coord), self.ground.voxels().stored(coord))
        else {
            return Vec::new();
        };
        if matches!(ground, Brick::Uniform(voxel) if !voxel.has_soil()) {
            return Vec::new();
        }
        let (even, mut bodies);
        let voxels = match ground {
            Brick::Dense(voxels) => &**voxels,
            Brick::Uniform(voxel) => {
                even = [*voxel; VOXELS];
                &even
            }
        };
        bodies = [0; VOXELS];
        shares.copy_to(&mut bodies);
        let over = |(at, (voxel, body)): (usize, (&Voxel, &u16))| {
            if !voxel.has_soil() || *body == 0 {
                return None;
            }
            let solid = voxel.rock_share(self.materials) + u32::from(*body);
            if solid + voxel.soil_share() <= LOOSE_FULL {
                return None;
            }
            let units = voxel.soil_beyond(LOOSE_FULL.saturating_sub(solid));
            (units > 0).then(|| Excess {
                voxel: voxel_of(coord, at),
                units,
                strength: voxel.strength_of(&voxel.top_layer(), self.materials),
            })
        };
        voxels.iter().zip(&bodies).enumerate().filter_map(over).collect()
    }

    /// How strong soil of this class is.
    pub(super) fn strength(&self, class: StrengthClass) -> &Strength {
        &self.materials.strengths()[class.index()]
    }
}
