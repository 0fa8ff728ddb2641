//! Working out surfaces: hills and dunes, sampled at the corners of voxel columns.

use barchan_volume::{Fractal, HeightSamples, Heights, Spacing};
use glam::{IVec2, Vec2};
use rayon::prelude::*;

use super::dunes::dune_heights;
use crate::scene::{Area, Dunes, Relief};

/// Rows that are worked out at a time: enough to share the work among threads, few enough to stay in the cache.
const ROWS: usize = 16;

impl Relief {
    /// Where it is.
    pub fn area(&self) -> Area {
        match self {
            Self::Hills { area, .. } => *area,
            Self::Dunes(dunes) => dunes.area,
        }
    }

    /// A height that it does not reach above (m).
    pub(super) fn highest_m(&self) -> f32 {
        match self {
            Self::Hills { base_m, relief_m, .. } => base_m + relief_m.abs(),
            Self::Dunes(dunes) => dunes.base_m + dunes.height_m,
        }
    }

    /// The same relief, only within `area`.
    pub(super) fn within(&self, area: Area) -> Self {
        match self.clone() {
            Self::Hills { base_m, relief_m, pattern, .. } => Self::Hills { area, base_m, relief_m, pattern },
            Self::Dunes(dunes) => Self::Dunes(Dunes { area, ..dunes }),
        }
    }

    /// The surface, sampled at the corners of voxel columns.
    pub(super) fn heights(&self, voxel_size_m: f32) -> Heights {
        let Area { min, .. } = self.area();
        let [width, height] = self.area().corners();
        let mut samples_m = vec![0.0; width * height];
        samples_m.par_chunks_mut(ROWS * width).enumerate().for_each(|(chunk, rows)| {
            let patch = Patch { start: min + IVec2::new(0, (chunk * ROWS) as i32), width, voxel_size_m };
            match self {
                Self::Hills { base_m, relief_m, pattern, .. } => {
                    let hills = patch.noise(pattern, rows.len() / width);
                    rows.iter_mut().zip(hills).for_each(|(out, noise)| *out = base_m + relief_m * noise);
                }
                Self::Dunes(dunes) => dune_heights(dunes, &patch, rows),
            }
        });
        let origin = (min.as_dvec2() * f64::from(voxel_size_m)).as_vec2();
        let samples = HeightSamples { width, height, cell_size_m: voxel_size_m, origin, samples_m };
        Heights::new(samples).expect("an area has at least one column, and its samples are finite")
    }
}

impl Area {
    /// Number of column corners along x and y.
    pub(super) fn corners(&self) -> [usize; 2] {
        let columns = (self.max - self.min).max(IVec2::ONE);
        [columns.x as usize + 1, columns.y as usize + 1]
    }
}

/// Some rows of column corners.
pub(super) struct Patch {
    /// The first corner (voxels).
    pub start: IVec2,
    /// Corners in a row.
    pub width: usize,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
}

impl Patch {
    /// Where corner number `at` lies (m).
    pub fn place(&self, at: usize) -> Vec2 {
        let corner = self.start + IVec2::new((at % self.width) as i32, (at / self.width) as i32);
        (corner.as_dvec2() * f64::from(self.voxel_size_m)).as_vec2()
    }

    /// A pattern on `rows` rows, x fastest.
    pub fn noise(&self, pattern: &Fractal, rows: usize) -> impl Iterator<Item = f32> {
        let mut by_columns = vec![0.0; self.width * rows];
        pattern.fill_plane(
            self.start,
            [self.width, rows],
            Spacing::corners(self.voxel_size_m),
            &mut by_columns,
        );
        let width = self.width;
        (0..width * rows).map(move |at| by_columns[(at % width) * rows + at / width])
    }
}
