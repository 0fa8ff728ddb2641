//! The fill of the ground folded with the kernel: how much of what a particle feels around it is ground.

use barchan_volume::brick::EDGE;

/// Voxels around a brick that its fold may look at.
pub(super) const MARGIN: usize = 5;

/// Voxels along an edge of a brick with its margin.
pub(super) const PADDED: usize = EDGE as usize + 2 * MARGIN;

/// Fill of the voxels of a brick and around it (1/32 of a voxel), z fastest.
pub(super) type PaddedFill = [u8; PADDED * PADDED * PADDED];

/// Steps of fill that a full voxel has in a fold. Finer changes do not unfold what is known.
pub(super) const STEPS: u8 = 32;

/// How the ground is folded: grid points per voxel and what each cell of ground around a point counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Fold {
    /// Cells along the edge of a voxel; a power of two.
    pub per_voxel: usize,
    /// Cells from a point to the end of the kernel.
    reach: usize,
    /// What a cell counts, by its distance from the point in cells along each axis: 2 x reach each.
    weights: Vec<f32>,
    /// Support of the kernel (cells).
    pub support_cells: f32,
}

impl Fold {
    /// For a kernel of this support and particles of this spacing (both in voxels).
    pub fn new(support_voxels: f32, spacing_voxels: f32) -> Self {
        // Points no further apart than particles: twice as far, and the pressure at walls does not settle.
        let mut per_voxel = if spacing_voxels >= 1.0 { 1 } else { 2 };
        while per_voxel < 8 && per_voxel as f32 * spacing_voxels < 1.0 {
            per_voxel *= 2;
        }
        let support_cells = support_voxels * per_voxel as f32;
        let reach = (support_cells.ceil() as usize).clamp(1, MARGIN * per_voxel - usize::from(per_voxel > 1));
        let side = 2 * reach;
        let distance = |at: usize| at as f32 - reach as f32 + 0.5;
        let mut weights = vec![0.0; side * side * side];
        for x in 0..side {
            for y in 0..side {
                for z in 0..side {
                    let middle = [x, y, z].map(distance);
                    weights[(x * side + y) * side + z] = kernel_in_cell(middle, support_cells);
                }
            }
        }
        let sum: f32 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Self { per_voxel, reach, weights, support_cells }
    }

    /// Points along an edge of a brick, those on both ends included.
    pub fn points(&self) -> usize {
        EDGE as usize * self.per_voxel + 1
    }

    /// How far ground is from every point of the brick in the middle of `fill`, z fastest: as far as a plane that takes as much of
    /// the kernel (supports). Unlike the share itself that is linear beside a plane, and can be read between points.
    pub fn shade(&self, fill: &PaddedFill) -> Shade {
        if fill.iter().all(|steps| *steps == 0) {
            return Shade::Even(1.0);
        }
        if fill.iter().all(|steps| *steps >= STEPS) {
            return Shade::Even(-1.0);
        }
        let (points, reach, side) = (self.points(), self.reach, 2 * self.reach);
        let around = points - 1 + side;
        let cells = self.cells(fill, around);
        let mut shade = vec![0.0f32; points * points * points];
        for x in 0..points {
            for y in 0..points {
                let row = &mut shade[(x * points + y) * points..][..points];
                for dx in 0..side {
                    for dy in 0..side {
                        let weights = &self.weights[(dx * side + dy) * side..][..side];
                        if weights[reach] == 0.0 {
                            continue;
                        }
                        let column = &cells[((x + dx) * around + y + dy) * around..][..around];
                        for (dz, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                            add_scaled(row, &column[dz..dz + points], *weight);
                        }
                    }
                }
            }
        }
        shade.iter_mut().for_each(|share| *share = distance_of(*share));
        Shade::Map(shade.into_boxed_slice())
    }

    /// The share of ground in each cell of the brick and `reach` cells around it.
    fn cells(&self, fill: &PaddedFill, around: usize) -> Vec<f32> {
        let mut cells = vec![0.0; around * around * around];
        let first = (MARGIN * self.per_voxel - self.reach) as f32;
        for x in 0..around {
            for y in 0..around {
                for z in 0..around {
                    let at = [x, y, z].map(|i| (first + i as f32 + 0.5) / self.per_voxel as f32 - 0.5);
                    cells[(x * around + y) * around + z] = self.share(fill, at);
                }
            }
        }
        cells
    }

    /// The share of ground in the cell around a point, in voxels from the middle of the first one.
    fn share(&self, fill: &PaddedFill, at: [f32; 3]) -> f32 {
        if self.per_voxel == 1 {
            let [x, y, z] = at.map(|x| x.round() as usize);
            return f32::from(fill[(x * PADDED + y) * PADDED + z]) / f32::from(STEPS);
        }
        let (value, slope) = interpolated(fill, at);
        let steepness = slope.iter().map(|s| s * s).sum::<f32>().sqrt();
        if steepness < 1e-3 {
            return if value >= 0.5 { 1.0 } else { 0.0 };
        }
        // A plane through the cell, where the fill is one half.
        (0.5 + (value - 0.5) / steepness * self.per_voxel as f32).clamp(0.0, 1.0)
    }
}

/// Sum of the kernel over the points of a cell, whose middle is so far off (cells).
fn kernel_in_cell(middle: [f32; 3], support_cells: f32) -> f32 {
    const POINTS: usize = 4;
    let offset = |i: usize| (i as f32 + 0.5) / POINTS as f32 - 0.5;
    let mut sum = 0.0;
    for i in 0..POINTS.pow(3) {
        let point = [i / POINTS / POINTS, i / POINTS % POINTS, i % POINTS].map(offset);
        let r2: f32 = (0..3).map(|axis| (middle[axis] + point[axis]) * (middle[axis] + point[axis])).sum();
        let q = r2.sqrt() / support_cells;
        let rest = (1.0 - q).max(0.0);
        sum += rest * rest * rest * rest * (1.0 + 4.0 * q);
    }
    sum
}

/// The share of a kernel that walls at this distance take (supports, positive outside), and how fast it falls with the distance
/// (1/support).
pub(super) type Beyond = fn(f32) -> (f32, f32);

/// Particles half a spacing from a wall miss less of their neighbours than the kernel has beyond it: they feel the wall as if it were
/// so much further (supports), and a pool that was filled to its walls stays at rest. One for Wendland's kernel, one for poly6.
const STAND_OFF: f32 = 0.0555;
const STAND_OFF_POLY6: f32 = 0.027;

/// What walls take of Wendland's kernel.
pub(super) fn beyond_wall(distance: f32) -> (f32, f32) {
    beyond_plane(distance + STAND_OFF)
}

/// What walls take of poly6, and how fast their share of the spiky kernel falls: the first tells density, the second pushes.
pub(super) fn beyond_wall_muller(distance: f32) -> (f32, f32) {
    let distance = distance + STAND_OFF_POLY6;
    let u = distance.abs().min(1.0);
    let (u2, rest) = (u * u, 1.0 - u);
    let within =
        315.0 / 256.0 * u * (1.0 + u2 * (-4.0 / 3.0 + u2 * (6.0 / 5.0 + u2 * (-4.0 / 7.0 + u2 / 9.0))));
    let share = if distance < 0.0 { 0.5 + within } else { 0.5 - within };
    let squared = rest * rest;
    (share.clamp(0.0, 1.0), squared * squared * (7.5 - 6.0 * rest))
}

/// The share of Wendland's kernel beyond a plane at this distance (supports, positive outside), and how fast it falls with the
/// distance (1/support).
#[inline]
pub(super) fn beyond_plane(distance: f32) -> (f32, f32) {
    let u = distance.abs().min(1.0);
    let u2 = u * u;
    let within = u * (1.5 + u2 * (-3.5 + u2 * (10.5 + u * (-14.0 + u * (7.5 - u * 1.5)))));
    let falls = 1.5 + u2 * (-10.5 + u2 * (52.5 + u * (-84.0 + u * (52.5 - u * 12.0))));
    let share = if distance < 0.0 { 0.5 + within } else { 0.5 - within };
    (share.clamp(0.0, 1.0), falls.max(0.0))
}

/// The distance of the plane beyond which this share of the kernel lies (supports).
fn distance_of(share: f32) -> f32 {
    let (mut near, mut far) = (-1.0f32, 1.0f32);
    for _ in 0..18 {
        let middle = 0.5 * (near + far);
        if beyond_plane(middle).0 > share { near = middle } else { far = middle }
    }
    if share <= 1e-7 {
        1.0
    } else if share >= 1.0 - 1e-6 {
        -1.0
    } else {
        0.5 * (near + far)
    }
}

/// What a brick's ground means to the particles in it: how far it is (supports).
#[derive(Clone, Debug)]
pub(super) enum Shade {
    /// The same everywhere.
    Even(f32),
    /// By points.
    Map(Box<[f32]>),
}

#[inline(always)]
fn add_scaled(row: &mut [f32], values: &[f32], weight: f32) {
    for (sum, value) in row.iter_mut().zip(values) {
        *sum += weight * value;
    }
}

/// Fill and its gradient (1/voxel) between eight voxels.
fn interpolated(fill: &PaddedFill, at: [f32; 3]) -> (f32, [f32; 3]) {
    let base = at.map(|x| (x.max(0.0) as usize).min(PADDED - 2));
    let [fx, fy, fz] = [0, 1, 2].map(|axis| at[axis] - base[axis] as f32);
    let get = |dx: usize, dy: usize, dz: usize| {
        let index = ((base[0] + dx) * PADDED + base[1] + dy) * PADDED + base[2] + dz;
        f32::from(fill[index]) / f32::from(STEPS)
    };
    trilinear(
        [get(0, 0, 0), get(0, 0, 1), get(0, 1, 0), get(0, 1, 1)],
        [get(1, 0, 0), get(1, 0, 1), get(1, 1, 0), get(1, 1, 1)],
        [fx, fy, fz],
    )
}

/// The value between eight corners, those at low x first, z fastest, and its gradient per edge.
#[inline(always)]
pub(super) fn trilinear(low: [f32; 4], high: [f32; 4], f: [f32; 3]) -> (f32, [f32; 3]) {
    let [fx, fy, fz] = f;
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let along_x = [0, 1, 2, 3].map(|i| mix(low[i], high[i], fx));
    let slope_x = [0, 1, 2, 3].map(|i| high[i] - low[i]);
    let (low_y, high_y) = (mix(along_x[0], along_x[1], fz), mix(along_x[2], along_x[3], fz));
    let dx = mix(mix(slope_x[0], slope_x[1], fz), mix(slope_x[2], slope_x[3], fz), fy);
    let dz = mix(along_x[1] - along_x[0], along_x[3] - along_x[2], fy);
    (mix(low_y, high_y, fy), [dx, high_y - low_y, dz])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floor(height_steps: impl Fn(usize) -> u8) -> Box<PaddedFill> {
        let mut fill = Box::new([0; PADDED * PADDED * PADDED]);
        for (index, steps) in fill.iter_mut().enumerate() {
            *steps = height_steps(index % PADDED);
        }
        fill
    }

    fn column(fold: &Fold, fill: &PaddedFill) -> Vec<f32> {
        let Shade::Map(map) = fold.shade(fill) else { panic!("a floor is not even") };
        map[..fold.points()].to_vec()
    }

    #[test]
    fn a_floor_is_as_far_as_it_is_whatever_the_spacing() {
        for spacing in [0.125, 0.2, 0.25, 0.5, 0.7, 1.0, 2.0] {
            let fold = Fold::new(2.0 * spacing, spacing);
            // Full up to the middle of the brick.
            let column = column(&fold, &floor(|z| if z < MARGIN + 4 { STEPS } else { 0 }));
            for (point, distance) in column.iter().enumerate() {
                let voxels = point as f32 / fold.per_voxel as f32 - 4.0;
                let expected = (voxels / (2.0 * spacing)).clamp(-1.0, 1.0);
                // Near the end of the kernel there is next to nothing to tell it by.
                let tolerance = if expected.abs() < 0.8 { 0.02 } else { 0.2 };
                assert!(
                    (distance - expected).abs() < tolerance,
                    "spacing {spacing}: {distance} for {expected}"
                );
            }
        }
    }

    #[test]
    fn a_voxel_that_is_partly_full_moves_the_floor_by_as_much() {
        let fold = Fold::new(1.0, 0.5);
        // Read at the point nearest to it: at the end of the kernel a coarse cell says little.
        let height = |steps: u8, point: usize| {
            let fill = floor(|z| match z.cmp(&(MARGIN + 4)) {
                std::cmp::Ordering::Less => STEPS,
                std::cmp::Ordering::Equal => steps,
                std::cmp::Ordering::Greater => 0,
            });
            // Above the middle of the brick, in voxels: the support is one.
            point as f32 / fold.per_voxel as f32 - column(&fold, &fill)[4 * fold.per_voxel + point]
        };
        // The 0.5 level between middles: 1/6 and 5/6 of a voxel above the full ones. A cell counts as evenly filled, which is off by
        // up to a fifth of its edge.
        let tolerance = 0.2 / fold.per_voxel as f32;
        for (steps, point, expected) in [(8, 0, 0.5 / 0.75 - 0.5), (24, 2, 0.5 + 0.25 / 0.75)] {
            let found = height(steps, point);
            assert!((found - expected).abs() < tolerance, "{found} for {expected}");
        }
    }

    #[test]
    fn the_share_beyond_a_plane_falls_from_all_to_nothing() {
        assert_eq!((beyond_plane(-1.0).0, beyond_plane(0.0).0, beyond_plane(1.0).0), (1.0, 0.5, 0.0));
        for i in -99..99 {
            let (u, step) = (i as f32 / 100.0, 1e-3);
            let (here, falls) = beyond_plane(u);
            let slope = (beyond_plane(u + step).0 - beyond_plane(u - step).0) / (2.0 * step);
            assert!((slope + falls).abs() < 2e-3, "{u}: {slope} {falls}");
            if (0.001..0.999).contains(&here) {
                assert!((distance_of(here) - u).abs() < 1e-2, "{u}");
            }
        }
    }
}
