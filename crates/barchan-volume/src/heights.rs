//! A height field as a solid: everything below a sampled surface.

use glam::{IVec2, IVec3, Vec2};
use serde::{Deserialize, Serialize};

use crate::brick::{EDGE, VOXELS};
use crate::noise::{Fractal, Spacing};
use crate::solid::{Aabb, Coverage};

/// Heights on a rectangle, bilinear between samples: solid below them, without a bottom, nothing beside them.
/// A cell with a sample that is not a number has no ground.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "HeightSamples", into = "HeightSamples")]
pub struct Heights {
    samples: HeightSamples,
    tiles: Tiles,
}

/// The plain data of a height field.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeightSamples {
    /// Samples along x, at least 2.
    pub width: usize,
    /// Samples along y, at least 2.
    pub height: usize,
    /// Distance of neighbouring samples (m).
    pub cell_size_m: f32,
    /// Where the first sample lies (m).
    pub origin: Vec2,
    /// Heights, row by row, x fastest (m); not a number where there is no ground.
    pub samples_m: Vec<f32>,
}

/// What is wrong with a height field.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HeightsError {
    /// Fewer than two samples along an axis.
    #[error("a height field of {width} x {height} samples has no area; it needs at least 2 x 2")]
    TooSmall {
        /// Samples along x.
        width: usize,
        /// Samples along y.
        height: usize,
    },
    /// The number of samples is not width times height.
    #[error("{found} height samples given, width times height asks for {expected}")]
    Count {
        /// Samples given.
        found: usize,
        /// Width times height.
        expected: usize,
    },
    /// The cell size is not a positive number or the origin not a number.
    #[error("cell size {cell_size_m} m, origin {origin} m: the first must be above 0, both finite")]
    Placement {
        /// Cell size given (m).
        cell_size_m: f32,
        /// Origin given (m).
        origin: Vec2,
    },
    /// A height is infinite.
    #[error("height sample {index} is infinite")]
    Infinite {
        /// Position in the samples.
        index: usize,
    },
}

impl Heights {
    /// The height field of these samples.
    pub fn new(samples: HeightSamples) -> Result<Self, HeightsError> {
        let HeightSamples { width, height, cell_size_m, origin, .. } = samples;
        if width < 2 || height < 2 {
            return Err(HeightsError::TooSmall { width, height });
        }
        let (found, expected) = (samples.samples_m.len(), width.saturating_mul(height));
        if found != expected {
            return Err(HeightsError::Count { found, expected });
        }
        if !(cell_size_m > 0.0 && cell_size_m.is_finite() && origin.is_finite()) {
            return Err(HeightsError::Placement { cell_size_m, origin });
        }
        if let Some(index) = samples.samples_m.iter().position(|h| h.is_infinite()) {
            return Err(HeightsError::Infinite { index });
        }
        let tiles = Tiles::new(&samples);
        Ok(Self { samples, tiles })
    }

    /// A rectangle of `width` x `height` samples of `base_m + amplitude_m * fractal`. The pattern is that of the fractal
    /// on a plane whose point (0, 0) is `origin`.
    pub fn from_fractal(
        [width, height]: [usize; 2],
        cell_size_m: f32,
        origin: Vec2,
        (base_m, amplitude_m): (f32, f32),
        fractal: &Fractal,
    ) -> Result<Self, HeightsError> {
        let mut plane = vec![0.0; width.saturating_mul(height)];
        let spacing = Spacing { step_m: cell_size_m, shift: 0.0 };
        fractal.fill_plane(IVec2::ZERO, [width, height], spacing, &mut plane);
        let at = |i: usize| base_m + amplitude_m * plane[(i % width) * height + i / width];
        let samples_m = (0..plane.len()).map(at).collect();
        Self::new(HeightSamples { width, height, cell_size_m, origin, samples_m })
    }

    /// The plain data.
    pub fn samples(&self) -> &HeightSamples {
        &self.samples
    }

    /// Height of the surface at `xy` (m); none beside the rectangle and where there is no ground.
    pub fn height_m(&self, xy: Vec2) -> Option<f32> {
        self.height_at(f64::from(xy.x), f64::from(xy.y))
    }

    /// The box around the ground, without a bottom (m); empty when there is no ground at all.
    pub fn bounds(&self) -> Aabb {
        let HeightSamples { width, height, cell_size_m, origin, .. } = self.samples;
        let size = Vec2::new((width - 1) as f32, (height - 1) as f32) * cell_size_m;
        let top = self.tiles.ranges.iter().fold(f32::NEG_INFINITY, |top, tile| top.max(tile.max));
        if top == f32::NEG_INFINITY {
            return Aabb::EMPTY;
        }
        Aabb { min: origin.extend(f32::NEG_INFINITY), max: (origin + size).extend(top) }
    }

    /// The height of the lowest ground (m); infinite where there is none.
    pub fn lowest_m(&self) -> f32 {
        self.tiles.ranges.iter().fold(f32::INFINITY, |low, tile| low.min(tile.min))
    }

    /// Writes the fraction of each voxel of `brick` below the surface, taken at the middle of its column, into `out`,
    /// in the order of [`voxel_index`](crate::brick::voxel_index).
    pub fn coverage(&self, brick: IVec3, voxel_size_m: f32, out: &mut [f32; VOXELS]) -> Coverage {
        let voxel = f64::from(voxel_size_m);
        let corner = (brick * EDGE).as_dvec3() * voxel;
        let (bottom, top) = (corner.z, corner.z + f64::from(EDGE) * voxel);
        match self.range(corner.x, corner.y, f64::from(EDGE) * voxel) {
            None => return Coverage::Empty.fill(out),
            Some(range) if f64::from(range.max) <= bottom => return Coverage::Empty.fill(out),
            Some(range) if !range.gaps && f64::from(range.min) >= top => return Coverage::Full.fill(out),
            Some(_) => {}
        }
        for (column, out) in out.chunks_exact_mut(EDGE as usize).enumerate() {
            let x = corner.x + ((column >> 3) as f64 + 0.5) * voxel;
            let y = corner.y + ((column & 7) as f64 + 0.5) * voxel;
            let above =
                self.height_at(x, y).map_or(0.0, |height| (f64::from(height) - bottom) / voxel) as f32;
            for (z, out) in out.iter_mut().enumerate() {
                *out = (above - z as f32).clamp(0.0, 1.0);
            }
        }
        Coverage::of(out)
    }

    fn height_at(&self, x: f64, y: f64) -> Option<f32> {
        let HeightSamples { width, height, cell_size_m, origin, ref samples_m } = self.samples;
        let place = |x: f64, origin: f32, count: usize| {
            let u = (x - f64::from(origin)) / f64::from(cell_size_m);
            let last = count - 1;
            // The last sample belongs to the cell before it.
            (u >= 0.0 && u <= last as f64).then(|| {
                let cell = (u as usize).min(last - 1);
                (cell, (u - cell as f64) as f32)
            })
        };
        let (i, u) = place(x, origin.x, width)?;
        let (j, v) = place(y, origin.y, height)?;
        let at = j * width + i;
        let mix = |a: f32, b: f32, s: f32| a + (b - a) * s;
        let low = mix(samples_m[at], samples_m[at + 1], u);
        let high = mix(samples_m[at + width], samples_m[at + width + 1], u);
        let height = mix(low, high, v);
        (!height.is_nan()).then_some(height)
    }

    /// Bounds on the heights over a square; none when there is no ground in it.
    fn range(&self, x: f64, y: f64, edge: f64) -> Option<Range> {
        let HeightSamples { width, height, cell_size_m, origin, .. } = self.samples;
        let cells = |x: f64, origin: f32, count: usize| {
            let cell = |x: f64| ((x - f64::from(origin)) / f64::from(cell_size_m)).floor();
            let (low, high) = (cell(x), cell(x + edge));
            let last = (count - 2) as f64;
            let outside = high < 0.0 || low > last;
            let gaps = low < 0.0 || high > last;
            (!outside).then(|| (low.max(0.0) as usize, high.min(last) as usize, gaps))
        };
        let (x0, x1, x_gaps) = cells(x, origin.x, width)?;
        let (y0, y1, y_gaps) = cells(y, origin.y, height)?;
        let range = self.tiles.over([x0, y0], [x1, y1]);
        let has_ground = range.max >= range.min;
        has_ground.then_some(Range { gaps: range.gaps || x_gaps || y_gaps, ..range })
    }
}

impl PartialEq for Heights {
    /// Equal when all samples are the same, those without ground too.
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.samples, &other.samples);
        let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
        (a.width, a.height, a.cell_size_m, a.origin) == (b.width, b.height, b.cell_size_m, b.origin)
            && a.samples_m.iter().zip(&b.samples_m).all(same)
    }
}

impl TryFrom<HeightSamples> for Heights {
    type Error = HeightsError;

    fn try_from(samples: HeightSamples) -> Result<Self, HeightsError> {
        Self::new(samples)
    }
}

impl From<Heights> for HeightSamples {
    fn from(heights: Heights) -> Self {
        heights.samples
    }
}

/// Lowest and highest sample (m), and whether some part has no ground.
#[derive(Clone, Copy, Debug)]
struct Range {
    min: f32,
    max: f32,
    gaps: bool,
}

impl Range {
    const NOTHING: Self = Self { min: f32::INFINITY, max: f32::NEG_INFINITY, gaps: false };

    fn join(self, other: Self) -> Self {
        // min and max of f32 pass over what is not a number.
        Self { min: self.min.min(other.min), max: self.max.max(other.max), gaps: self.gaps | other.gaps }
    }
}

/// The range of the samples around every square of 8x8 cells: most bricks are answered from these.
#[derive(Clone, Debug)]
struct Tiles {
    columns: usize,
    ranges: Vec<Range>,
}

impl Tiles {
    const CELLS: usize = 8;

    fn new(samples: &HeightSamples) -> Self {
        let [columns, rows] = [samples.width, samples.height].map(|count| (count - 1).div_ceil(Self::CELLS));
        let of_tile = |tile: usize| {
            let (x, y) = (tile % columns * Self::CELLS, tile / columns * Self::CELLS);
            let mut range = Range::NOTHING;
            for row in y..=(y + Self::CELLS).min(samples.height - 1) {
                let at = row * samples.width;
                for &h in &samples.samples_m[at + x..=at + (x + Self::CELLS).min(samples.width - 1)] {
                    range = range.join(Range { min: h, max: h, gaps: h.is_nan() });
                }
            }
            range
        };
        Self { columns, ranges: (0..columns * rows).map(of_tile).collect() }
    }

    /// The range of all tiles that hold the cells `from..=to`.
    fn over(&self, from: [usize; 2], to: [usize; 2]) -> Range {
        let mut range = Range::NOTHING;
        for row in from[1] / Self::CELLS..=to[1] / Self::CELLS {
            for column in from[0] / Self::CELLS..=to[0] / Self::CELLS {
                range = range.join(self.ranges[row * self.columns + column]);
            }
        }
        range
    }
}
