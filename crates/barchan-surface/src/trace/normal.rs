//! The direction in which the ground ends: the slope of the field by Scharr's kernel (differences over two voxels,
//! weighted 3 10 3 across), between the samples. Of planes of 20 to 45 degrees it is right within a degree, where the slope of
//! one cell shows every voxel.

use glam::{IVec3, Vec3A, Vec4};

use super::field::{Content, Field, FieldBrick, SIDE, cell_of};

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
        let rows = self.rows_around(cell);
        let [fx, fy, fz] = (place - cell.as_vec3a()).to_array();
        let (dx, dy, dz) = (differences(fx), differences(fy), differences(fz));
        let (sx, sy, sz) = (means(fx), means(fy), means(fz));
        // Along z, of each of the four samples: the mean of the rows, and how they rise along x and y.
        let (mut mean, mut along_x, mut along_y) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
        for x in 0..EDGE {
            let (mut plane_mean, mut plane_rise) = (Vec4::ZERO, Vec4::ZERO);
            for y in 0..EDGE {
                let row = rows[x * EDGE + y];
                plane_mean += row * sy[y];
                plane_rise += row * dy[y];
            }
            mean += plane_mean * sx[x];
            along_x += plane_mean * dx[x];
            along_y += plane_rise * sx[x];
        }
        let (across, along) = (Vec4::from_array(sz), Vec4::from_array(dz));
        (-Vec3A::new(along_x.dot(across), along_y.dot(across), mean.dot(along))).try_normalize()
    }

    /// The 4x4x4 samples from the one before `cell`, in rows along z, x slowest. Beyond the walls they are as at the wall.
    fn rows_around(&self, cell: IVec3) -> [Vec4; EDGE * EDGE] {
        let inside = cell & 7;
        if inside.cmpge(IVec3::ONE).all()
            && inside.cmple(IVec3::splat(6)).all()
            && let Content::Mixed(FieldBrick(samples)) = self.content(cell)
        {
            let [x, y, z] = (inside - 1).to_array().map(|at| at as usize);
            return std::array::from_fn(|at| {
                let first = ((x + at / EDGE) * SIDE + y + at % EDGE) * SIDE + z;
                let row = &samples[first..first + EDGE];
                Vec4::from_array(std::array::from_fn(|z| f32::from(row[z])))
            });
        }
        self.rows_across(cell)
    }

    /// The same where they lie in several bricks.
    fn rows_across(&self, cell: IVec3) -> [Vec4; EDGE * EDGE] {
        let (low, high) = (cell_of(self.low), cell_of(self.high));
        let [xs, ys, zs]: [[i32; EDGE]; 3] = std::array::from_fn(|axis| {
            std::array::from_fn(|at| (cell[axis] - 1 + at as i32).clamp(low[axis], high[axis]))
        });
        // Four samples in a row lie in two bricks at most.
        let first: IVec3 = IVec3::new(xs[0], ys[0], zs[0]) >> 3;
        let last: IVec3 = IVec3::new(xs[EDGE - 1], ys[EDGE - 1], zs[EDGE - 1]) >> 3;
        let bricks: [Content<'_>; 8] = std::array::from_fn(|n| {
            let brick = first + IVec3::new(n as i32 >> 2, n as i32 >> 1 & 1, n as i32 & 1);
            if brick.cmple(last).all() { self.content(brick << 3) } else { Content::Even(0) }
        });
        std::array::from_fn(|at| {
            let (x, y) = (xs[at / EDGE], ys[at % EDGE]);
            let column = ((x >> 3) - first.x) << 2 | ((y >> 3) - first.y) << 1;
            let row = ((x & 7) as usize * SIDE + (y & 7) as usize) * SIDE;
            Vec4::from_array(zs.map(|z| match bricks[(column | ((z >> 3) - first.z)) as usize] {
                Content::Even(sample) => f32::from(sample),
                Content::Mixed(FieldBrick(samples)) => f32::from(samples[row + (z & 7) as usize]),
            }))
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
