//! The top surface: the highest ground of every column, as a map.

use barchan_sim::{MaterialId, Materials, Voxel, World};
use barchan_volume::brick::{EDGE, voxel_index};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::{IVec2, IVec3};
use rayon::prelude::*;

/// Height and material of the highest ground in every column of a rectangle.
#[derive(Clone, Debug, PartialEq)]
pub struct TopSurface {
    /// Lowest column (voxels).
    pub origin: IVec2,
    /// Columns along x.
    pub width: usize,
    /// Columns along y.
    pub height: usize,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// Height of the 0.5 level of the fill (m), rows of constant y, south first; NaN where there is no ground.
    pub heights_m: Vec<f32>,
    /// What lies on top, in the same order; `None` where there is no ground.
    pub materials: Vec<Option<MaterialId>>,
}

/// Most columns that a map may have.
const MOST_COLUMNS: u128 = 1 << 28;

/// Why a world has no map.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TopError {
    /// It is too wide.
    #[error("a map of its top would have {columns} columns; at most 2^28 are mapped")]
    TooWide {
        /// Columns in the world.
        columns: u128,
    },
    /// It has no bounds and no ground.
    #[error("the world has neither bounds nor ground, so there is nothing to map")]
    Empty,
}

/// Height (voxels) and material of one column's top.
type Top = Option<(f32, MaterialId)>;

impl TopSurface {
    /// The top of all ground in `world`: over its bounds, or over all that is stored where there are none.
    pub fn of(world: &World) -> Result<Self, TopError> {
        let (ground, extent) = (world.ground(), Self::extent(world)?);
        let [width, height, _] = extent.size();
        let (origin, size_m) = (extent.min.truncate(), ground.voxel_size_m());
        let mut map = Self {
            origin,
            width,
            height,
            voxel_size_m: size_m,
            heights_m: vec![f32::NAN; width * height],
            materials: vec![None; width * height],
        };
        let keys = {
            let bricks = extent.to_bricks();
            let inside = |key: &IVec2| {
                key.cmpge(bricks.min.truncate()).all() && key.cmplt(bricks.max.truncate()).all()
            };
            ground.voxels().column_keys().filter(inside).collect::<Vec<_>>()
        };
        let tops: Vec<_> = keys
            .par_iter()
            .map(|key| (*key, column_tops(ground.voxels(), world.materials(), *key)))
            .collect();
        for (key, tops) in tops {
            for (at, top) in tops.into_iter().enumerate() {
                let xy = key * EDGE + IVec2::new(at as i32 / EDGE, at as i32 % EDGE) - origin;
                let inside =
                    xy.cmpge(IVec2::ZERO).all() && (xy.x as usize) < width && (xy.y as usize) < height;
                if let (Some((z, material)), true) = (top, inside) {
                    let place = xy.y as usize * width + xy.x as usize;
                    map.heights_m[place] = z * size_m;
                    map.materials[place] = Some(material);
                }
            }
        }
        Ok(map)
    }

    /// The voxels whose columns are mapped.
    pub fn extent(world: &World) -> Result<VoxelBox, TopError> {
        let ground = world.ground();
        let extent = ground.bounds().unwrap_or_else(|| stored_voxels(ground.voxels()));
        let [width, height, _] = extent.size();
        match width as u128 * height as u128 {
            0 => Err(TopError::Empty),
            columns if columns > MOST_COLUMNS => Err(TopError::TooWide { columns }),
            _ => Ok(extent),
        }
    }

    /// Lowest and highest ground (m), if there is any.
    pub fn range_m(&self) -> Option<(f32, f32)> {
        let solid = self.heights_m.iter().copied().filter(|height| height.is_finite());
        solid.fold(None, |range, height| match range {
            None => Some((height, height)),
            Some((low, high)) => Some((f32::min(low, height), f32::max(high, height))),
        })
    }
}

fn stored_voxels(voxels: &Grid<Voxel>) -> VoxelBox {
    let bricks = voxels.brick_bounds();
    VoxelBox::new(bricks.min * EDGE, bricks.max * EDGE)
}

/// The tops of the 64 columns of one brick column, x slowest.
fn column_tops(voxels: &Grid<Voxel>, materials: &Materials, key: IVec2) -> [Top; 64] {
    let mut tops = [None; 64];
    let Some((low, high)) = voxels.column_extent(key) else { return tops };
    // Fill of the voxel above the one looked at, per column.
    let mut above = [0.0; 64];
    for z in (low..=high).rev() {
        if tops.iter().all(Option::is_some) {
            break;
        }
        let Some(brick) = voxels.stored(key.extend(z)) else {
            above.fill(0.0);
            continue;
        };
        for (at, top) in tops.iter_mut().enumerate().filter(|(_, top)| top.is_none()) {
            *top = search_down(brick, at, z * EDGE, materials, &mut above[at]);
        }
    }
    tops
}

/// Looks for the 0.5 level in one column of one brick, from its top down.
fn search_down(
    brick: &Brick<Voxel>,
    column: usize,
    bottom: i32,
    materials: &Materials,
    above: &mut f32,
) -> Top {
    for z in (0..EDGE).rev() {
        let voxel = brick.get(voxel_index(IVec3::new(column as i32 / EDGE, column as i32 % EDGE, z)));
        let fill = voxel.fill(materials);
        if fill >= 0.5 {
            let material = voxel.kind();
            let level = (fill - 0.5) / (fill - *above);
            return Some(((bottom + z) as f32 + 0.5 + level, material));
        }
        *above = fill;
    }
    None
}
