//! The top surface of a world as a heightmap.

use barchan_surface::TopSurface;

use crate::heightmap::{HeightScale, Heightmap};

/// The heightmap of `top`, one cell a column, in metres and in the world's own coordinates.
pub fn top_heightmap(top: &TopSurface) -> Heightmap {
    let cell_size_m = f64::from(top.voxel_size_m);
    Heightmap {
        width: top.width,
        height: top.height,
        cell_size_m: Some(cell_size_m),
        origin_m: Some(top.origin.to_array().map(|column| f64::from(column) * cell_size_m)),
        scale: HeightScale::Metres,
        samples: top.heights_m.clone(),
        warnings: Vec::new(),
    }
}
