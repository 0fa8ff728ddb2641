//! The base: what the ground of a large scene is where nobody has changed anything, computed brick by brick where one looks.
//!
//! It is a list of placings and cuts, as a scene says them. A brick of it depends on nothing but the list, the walls and the
//! materials: whichever bricks are asked for, in whatever order, each is the same.

use barchan_volume::archive::SPAN;
use barchan_volume::{Grid, Region, VoxelBox};
use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::brush::{Brush, Stuff};
use super::change_log::Touch;
use super::edit::{Edit, EditError};
use super::ground::Ground;
use crate::material::{MaterialId, Materials};

/// Most layers of a base: each costs a look at every brick.
pub const MOST_LAYERS: usize = 64;

/// Ground that is computed where one looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Base {
    /// The voxels inside the walls of the whole scene.
    pub bounds: VoxelBox,
    /// What it is made of, in order.
    pub layers: Vec<BaseLayer>,
}

/// One placing or cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaseLayer {
    /// Where.
    pub region: Region,
    /// What fills what is free there, dry and as it naturally lies; none: it is emptied.
    pub material: Option<MaterialId>,
}

impl BaseLayer {
    /// The layer that an edit is, if a base can hold it.
    pub fn of(edit: &Edit) -> Option<Self> {
        let layer = match edit {
            Edit::Place { region, material, moisture } if *moisture == 0.0 => {
                Self { region: region.clone(), material: Some(*material) }
            }
            Edit::Remove { region } => Self { region: region.clone(), material: None },
            _ => return None,
        };
        problem_of(&layer.region).is_none().then_some(layer)
    }
}

/// What is wrong with a region as part of a base; none: nothing.
fn problem_of(region: &Region) -> Option<&'static str> {
    match region {
        Region::Slab { .. } => None,
        Region::Density(density) => density.check().err().map(|_| "terrain of the base"),
        _ => Some("form of a layer of the base"),
    }
}

impl Base {
    /// Refuses what cannot be laid.
    pub fn check(&self, materials: &Materials) -> Result<(), EditError> {
        let out_of_range = |field, value, range| Err(EditError::OutOfRange { field, value, range });
        let half = SPAN / 2;
        let space = VoxelBox::new(IVec3::splat(-half), IVec3::splat(half));
        if self.bounds.is_empty() || !space.contains_box(&self.bounds) {
            let farthest = self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
            return out_of_range(
                "bounds of a scene with a window (voxels)",
                farthest as f32,
                "a box within ±65,536",
            );
        }
        if let Some(problem) = self.layers.iter().find_map(|layer| problem_of(&layer.region)) {
            return out_of_range(problem, f32::NAN, "a level layer, or a terrain whose numbers are in range");
        }
        let unknown =
            self.layers.iter().filter_map(|layer| layer.material).find(|kind| materials.get(*kind).is_none());
        match unknown {
            Some(kind) => Err(EditError::UnknownMaterial(kind.0)),
            None if self.layers.len() > MOST_LAYERS => {
                out_of_range("layers of the base", self.layers.len() as f32, "0 to 64")
            }
            None => Ok(()),
        }
    }

    /// Ground that holds the bricks of `wanted` (brick coordinates) as the base gives them, and some around them in no defined state.
    pub(super) fn lay(
        &self,
        wanted: VoxelBox,
        voxel_size_m: f32,
        materials: &Materials,
    ) -> Result<Ground, EditError> {
        let mut ground = Ground::new(voxel_size_m, Some(self.bounds));
        let no_bodies = Grid::new(0);
        for (at, layer) in self.layers.iter().enumerate() {
            // A voxel may ask its neighbours how they were before a layer: what is around is laid, too, less of it for every layer.
            let asked = wanted.grow((self.layers.len() - 1 - at) as i32);
            let bricks = asked.intersect(&ground.reach(&layer.region.bounds())?.to_bricks());
            if bricks.is_empty() {
                continue;
            }
            let stuff = layer.material.map(|kind| Stuff::new(kind, 0.0, materials)).transpose()?;
            let brush = Brush::new(&layer.region, (stuff, None), materials, &no_bodies, voxel_size_m);
            let laid = ground.voxels().map_bricks(bricks, |coord, brick| brush.apply(coord, brick, &ground));
            for (coord, (brick, _)) in laid {
                ground.replace_brick(coord, brick, Touch::All);
            }
        }
        Ok(ground)
    }
}
