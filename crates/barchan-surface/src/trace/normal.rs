//! The direction in which the ground ends: the slope of the field by Scharr's kernel (differences over two voxels,
//! weighted 3 10 3 across), between the samples. Of planes of 20 to 45 degrees it is right within a degree, where the slope of
//! one cell shows every voxel.

use glam::{IVec3, Vec3A};

use super::field::{FULL_SAMPLE, Field, SIDE, Slot, cell_of};

/// Samples along an edge of what a normal is made of.
const EDGE: usize = 4;
/// Weights across the difference: of the sample itself and of those beside.
const MIDDLE: f32 = 10.0 / 16.0;
const BESIDE: f32 = 3.0 / 16.0;

impl Field {
    /// The direction in which the ground ends at a place; none inside of what is even.
    pub fn normal(&self, place: Vec3A) -> Option<Vec3A> {
        let place = place.clamp(self.low, self.high - 1e-3);
        let cell = cell_of(place);
        let samples = self.samples_around(cell);
        let [fx, fy, fz] = (place - cell.as_vec3a()).to_array();
        let (dx, dy, dz) = (differences(fx), differences(fy), differences(fz));
        let (sx, sy, sz) = (means(fx), means(fy), means(fz));
        let mut rise = Vec3A::ZERO;
        for x in 0..EDGE {
            // Of the plane at x: its mean, and how it rises along y and z.
            let (mut mean, mut along_y, mut along_z) = (0.0, 0.0, 0.0);
            for y in 0..EDGE {
                let row = &samples[(x * EDGE + y) * EDGE..][..EDGE];
                let sum = |weights: &[f32; EDGE]| row.iter().zip(weights).map(|(s, w)| s * w).sum::<f32>();
                let (row_mean, row_rise) = (sum(&sz), sum(&dz));
                mean += row_mean * sy[y];
                along_y += row_mean * dy[y];
                along_z += row_rise * sy[y];
            }
            rise += Vec3A::new(mean * dx[x], along_y * sx[x], along_z * sx[x]);
        }
        (-rise).try_normalize()
    }

    /// The 4x4x4 samples from the one before `cell`, x slowest. Beyond the walls they are as at the wall.
    fn samples_around(&self, cell: IVec3) -> [f32; EDGE * EDGE * EDGE] {
        let mut last = None;
        let inside = cell & 7;
        if inside.cmpge(IVec3::ONE).all()
            && inside.cmple(IVec3::splat(6)).all()
            && let Slot::Stored(number) = self.slot(cell, &mut last)
        {
            let brick = &self.bricks[number as usize].samples;
            let [x, y, z] = (inside - 1).to_array().map(|at| at as usize);
            return std::array::from_fn(|at| {
                let row = (x + at / 16) * SIDE + y + at / 4 % 4;
                f32::from(brick[row * SIDE + z + at % 4])
            });
        }
        let (low, high) = (cell_of(self.low), cell_of(self.high));
        std::array::from_fn(|at| {
            let step = IVec3::new(at as i32 / 16, at as i32 / 4 % 4, at as i32 % 4) - 1;
            let sample = (cell + step).clamp(low, high);
            match self.slot(sample, &mut last) {
                Slot::Air => 0.0,
                Slot::Full => f32::from(FULL_SAMPLE),
                Slot::Stored(number) => {
                    let [x, y, z] = (sample & 7).to_array().map(|at| at as usize);
                    f32::from(self.bricks[number as usize].samples[(x * SIDE + y) * SIDE + z])
                }
            }
        })
    }
}

/// Weights of four samples for the difference at `share` of the way from the second to the third.
fn differences(share: f32) -> [f32; EDGE] {
    [share - 1.0, -share, 1.0 - share, share]
}

/// Weights of four samples for the mean there.
fn means(share: f32) -> [f32; EDGE] {
    let rest = 1.0 - share;
    [BESIDE * rest, MIDDLE * rest + BESIDE * share, BESIDE * rest + MIDDLE * share, BESIDE * share]
}
