//! What weathering is to do.

use std::sync::Arc;

use barchan_volume::{Bubble, Region};
use serde::{Deserialize, Serialize};

use crate::ground::EditError;
use crate::material::{MaterialId, Materials, Phase};

/// Rounds of sliding after which debris is left as it lies.
const MOST_ROUNDS: u32 = 1 << 16;

/// Weathering at a click: all rock of a region goes at once of whose bubble too little is filled.
#[derive(Clone, Debug, PartialEq)]
pub struct Weathering {
    /// Where; none: everywhere.
    pub region: Option<Region>,
    /// What counts around a voxel, and how much.
    pub bubble: Arc<Bubble>,
    /// A voxel goes if less than this share of its bubble is filled (0 to 1).
    pub threshold: f64,
    /// True where partly filled voxels count and lose by what is in them, so that a plane stays one; false where voxels go whole.
    pub smooth: bool,
    /// True where soil shields the rock under it as rock does.
    pub soil_shields: bool,
    /// True where hollows that nothing reaches count as filled.
    pub fill_hollows: bool,
    /// True where rock goes as well that loses its hold by what went.
    pub drop_pieces: bool,
    /// What becomes of the rock that goes; none: it leaves the world.
    pub debris: Option<Debris>,
    /// Rounds of sliding after which debris is left as it lies; 0: it falls as time passes.
    pub rest_rounds: u32,
}

/// What rock becomes that goes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Debris {
    /// Which soil; none: what the rock crumbles to.
    pub kind: Option<MaterialId>,
    /// The share of the voxels that become soil (0 to 1), chosen by the seed of the world; the others leave.
    pub share: f32,
    /// True where it keeps the colour of its rock, as a variant of the soil.
    pub keeps_color: bool,
}

impl Weathering {
    /// All rock in `region` (none: everywhere) goes of whose bubble less than `threshold` is filled, and leaves the world.
    pub fn new(region: Option<Region>, bubble: Bubble, threshold: f64) -> Self {
        Self {
            region,
            bubble: Arc::new(bubble),
            threshold,
            smooth: false,
            soil_shields: true,
            fill_hollows: false,
            drop_pieces: false,
            debris: None,
            rest_rounds: 0,
        }
    }

    /// The same, but what goes becomes debris that comes to rest at once.
    pub fn with_debris(self, debris: Debris) -> Self {
        Self { debris: Some(debris), rest_rounds: MOST_ROUNDS, ..self }
    }

    pub(crate) fn check(&self, materials: &Materials) -> Result<(), EditError> {
        if !(0.0..=1.0).contains(&self.threshold) {
            let value = self.threshold as f32;
            return Err(EditError::OutOfRange { field: "threshold", value, range: "0 to 1" });
        }
        self.debris.map_or(Ok(()), |debris| debris.check(materials))
    }
}

impl Default for Debris {
    /// All of it, as each rock crumbles, in its colour.
    fn default() -> Self {
        Self { kind: None, share: 1.0, keeps_color: true }
    }
}

impl Debris {
    pub(crate) fn check(&self, materials: &Materials) -> Result<(), EditError> {
        if !(0.0..=1.0).contains(&self.share) {
            return Err(EditError::OutOfRange { field: "debris share", value: self.share, range: "0 to 1" });
        }
        let Some(kind) = self.kind else { return Ok(()) };
        match materials.get(kind) {
            None => Err(EditError::UnknownMaterial(kind.0)),
            Some(material) if material.phase == Phase::Rock => Err(EditError::NotSoil(material.name.clone())),
            Some(_) => Ok(()),
        }
    }
}
