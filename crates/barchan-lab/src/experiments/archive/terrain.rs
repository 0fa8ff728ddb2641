//! A fractal terrain of soil on rock, wide and dense, put into an archive.

use barchan_volume::archive::{Archive, ArchiveError, Change, Contents, Cube, Leaf, Value, Verdict, View};
use barchan_volume::{Fractal, Spacing, VoxelBox};
use glam::{IVec2, IVec3};
use rayon::prelude::*;

/// Materials.
pub(super) const SOIL: u8 = 1;
pub(super) const ROCK: u8 = 2;
/// Thickness of the soil (voxels).
const SOIL_VOXELS: f32 = 6.0;
/// Units of a voxel full of soil, as contents tell them.
pub(super) const FULL: u16 = 32_768;
/// Which word of the contents tells the units.
pub(super) const UNITS: usize = 2;
/// Rows of heights that a thread makes at once.
const ROWS: usize = 64;

/// Contents of a voxel of soil with so many units.
pub(super) fn soil_contents(units: u16) -> Contents {
    [0, 0, units, 0, 13_107, 0, 0, 0]
}

/// How a terrain looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// Columns a side.
    pub side: usize,
    pub octaves: u32,
    /// Greatest height over the mean (voxels).
    pub amplitude: f32,
    /// Wavelength of the first octave (voxels); each further one is half as wide and half as high.
    pub widest: f32,
    /// Partly filled voxels keep how much they hold.
    pub smooth: bool,
}

/// Heights around the origin.
pub(super) struct Terrain {
    pub form: Form,
    /// Height of the middle of every column (voxels), x slowest.
    heights: Vec<f32>,
    /// Lowest and highest height of squares of 4, 8, 16 … columns a side.
    ranges: Vec<Vec<(f32, f32)>>,
}

impl Terrain {
    pub fn new(form: Form) -> Self {
        let side = form.side;
        let relief = Fractal {
            seed: 7,
            frequency_per_m: 1.0 / form.widest,
            octaves: form.octaves,
            ..Fractal::default()
        };
        let mut heights = vec![0.0; side * side];
        let corner = -(side as i32) / 2;
        heights.par_chunks_mut(ROWS * side).enumerate().for_each(|(at, rows)| {
            let start = IVec2::new(corner + (at * ROWS) as i32, corner);
            relief.fill_plane(start, [rows.len() / side, side], Spacing::centres(1.0), rows);
            rows.iter_mut().for_each(|height| *height *= form.amplitude);
        });
        let mut ranges = vec![squares(side / 4, |x, y| {
            let columns = (0..16).map(|at| heights[(4 * x + at / 4) * side + 4 * y + at % 4]);
            columns.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)))
        })];
        let mut count = side / 4;
        while count > 1 {
            let (finer, width) = (&ranges[ranges.len() - 1], count);
            count = count.div_ceil(2);
            ranges.push(squares(count, |x, y| {
                let parts = (0..4).map(|at| (2 * x + at / 2, 2 * y + at % 2));
                let parts =
                    parts.filter(|(x, y)| *x < width && *y < width).map(|(x, y)| finer[x * width + y]);
                parts.fold((f32::INFINITY, f32::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)))
            }));
        }
        Self { form, heights, ranges }
    }

    /// Where it has ground, from far below the lowest valley up (voxels).
    pub fn region(&self) -> VoxelBox {
        let (half, reach) = (self.form.side as i32 / 2, (2.0 * self.form.amplitude) as i32 + 64);
        VoxelBox::new(IVec3::new(-half, -half, -reach), IVec3::new(half, half, reach))
    }

    /// An archive that holds it, as its first commit.
    pub fn archive(&self) -> Result<Archive, ArchiveError> {
        let mut archive = Archive::new(None, "empty", ());
        archive.change(self.region(), self)?;
        archive.commit("terrain", ());
        Ok(archive)
    }

    /// Height at a column (voxels).
    pub fn height(&self, x: i32, y: i32) -> f32 {
        let half = self.form.side as i32 / 2;
        self.heights[(x + half) as usize * self.form.side + (y + half) as usize]
    }

    /// Lowest and highest height over `cube`.
    fn range(&self, cube: Cube) -> (f32, f32) {
        let half = self.form.side as i32 / 2;
        let level = (cube.level as usize - 2).min(self.ranges.len() - 1);
        let width = (self.form.side / 4).div_ceil(1 << level);
        let at = |x: i32| ((x + half).max(0) as usize >> (level + 2)).min(width - 1);
        if cube.edge() as usize > self.form.side {
            return self.ranges[self.ranges.len() - 1][0];
        }
        self.ranges[level][at(cube.min.x) * width + at(cube.min.y)]
    }
}

impl Change for Terrain {
    fn of_cube(&self, _: View<'_>, cube: Cube, _: Option<u8>) -> Verdict {
        let region = self.region();
        if !region.contains_box(&cube.voxels()) {
            return Verdict::Cut;
        }
        let (low, high) = self.range(cube);
        let (bottom, top) = (cube.min.z as f32, (cube.min.z + cube.edge()) as f32);
        if bottom >= high + 0.5 {
            Verdict::Whole(0)
        } else if top <= low - SOIL_VOXELS - 0.5 {
            Verdict::Whole(ROCK)
        } else if top <= low - 0.5 && bottom >= high - SOIL_VOXELS + 0.5 {
            Verdict::Whole(SOIL)
        } else {
            Verdict::Cut
        }
    }

    fn of_leaf(&self, _: View<'_>, min: IVec3, leaf: &mut Leaf) {
        let (mut soil, mut rock) = (0_u64, 0_u64);
        let mut partly = [(0_usize, 0_u16); 16];
        let mut parts = 0;
        for column in 0..16 {
            let height = self.height(min.x + column as i32 / 4, min.y + column as i32 % 4) - min.z as f32;
            let run = |voxels: f32| (1_u64 << (voxels.clamp(0.0, 4.0) as u32)) - 1;
            rock |= run(height - SOIL_VOXELS + 0.5) << (4 * column);
            if !self.form.smooth {
                soil |= run(height + 0.5) << (4 * column);
                continue;
            }
            soil |= run(height) << (4 * column);
            let units = (height.fract() * f32::from(FULL)) as u16;
            if (0.0..4.0).contains(&height) && units > 0 {
                partly[parts] = (4 * column + height as usize, units);
                parts += 1;
            }
        }
        leaf.fill(!0, 0);
        leaf.fill(rock, ROCK);
        leaf.fill(soil & !rock, SOIL);
        for &(at, units) in &partly[..parts] {
            let material = if units >= FULL / 2 { SOIL } else { 0 };
            leaf.set(at, Value { material, contents: Some(soil_contents(units)) });
        }
    }
}

/// What `of` gives for every square of a field of `count` by `count`.
fn squares(count: usize, of: impl Fn(usize, usize) -> (f32, f32) + Sync) -> Vec<(f32, f32)> {
    (0..count * count).into_par_iter().with_min_len(1 << 12).map(|at| of(at / count, at % count)).collect()
}
