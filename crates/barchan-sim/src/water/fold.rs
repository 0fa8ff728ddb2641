//! The fill of the ground folded with the kernel: how much of what a particle feels around it is ground.

use barchan_volume::brick::EDGE;

/// Voxels around a brick that its fold may look at.
pub(super) const MARGIN: usize = 4;

/// Voxels along an edge of a brick with its margin.
pub(super) const PADDED: usize = EDGE as usize + 2 * MARGIN;

/// Fill of the voxels of a brick and around it (1/32 of a voxel), z fastest.
pub(super) type PaddedFill = [u8; PADDED * PADDED * PADDED];

/// Steps of fill that a full voxel has in a fold. Finer changes do not unfold what is known.
pub(super) const STEPS: u8 = 32;

/// Support of the kernel that the ground is folded with, over that of the water: so narrow that particles of a pool stand half a
/// spacing from its walls. Their pressure presses on a wall by the gradient of this fold, and must hold what the pressure of two
/// layers of neighbours presses back: a kernel as wide as that of the water holds half of it, and lakes shrink into their walls and
/// never come to rest.
pub(super) const NARROW: f32 = 0.6;

/// How much denser than water the ground is: a particle half a spacing from a wall feels as much of it as it misses of a cubic pack
/// beyond, 0.1237 with Wendland's kernel.
const DENSE: f32 = 2.2664;

/// The same for poly6, which misses 0.191.
pub(super) const DENSER_BY_POLY6: f32 = 1.544;

/// How the ground is folded: grid points per voxel and what each cell of ground around a point counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fold {
    /// Distances between grid points along the edge of a voxel; a power of two.
    pub per_voxel: usize,
    /// Cells along the distance between two points; a power of two.
    per_point: usize,
    /// Cells from a point to the end of the kernel.
    reach: usize,
    /// What a cell counts, by its distance from the point in cells along each axis: 2 x reach each.
    weights: Vec<f32>,
    /// Support of the kernel (distances between points).
    pub support_points: f32,
}

impl Fold {
    /// For water of this spacing and this support of its kernel (both in voxels).
    pub fn new(support_voxels: f32, spacing_voxels: f32) -> Self {
        // Points half as far apart as particles, or edges between walls seem nearer than they are; where voxels are much larger than
        // particles as far as these: twice as far, and the pressure at walls does not settle.
        let mut per_voxel = if spacing_voxels >= 1.0 { 1 } else { 2 };
        while per_voxel < 8 && per_voxel as f32 * spacing_voxels < if per_voxel < 4 { 1.2 } else { 1.0 } {
            per_voxel *= 2;
        }
        let narrow_voxels = NARROW * support_voxels;
        // Two cells from the middle of the kernel to its end.
        let per_point = if narrow_voxels * per_voxel as f32 >= 2.0 { 1 } else { 2 };
        let per_voxel_cells = per_voxel * per_point;
        let support_cells = narrow_voxels * per_voxel_cells as f32;
        let most = MARGIN * per_voxel_cells - per_point - usize::from(per_voxel_cells > 1);
        let reach = (support_cells.ceil() as usize).clamp(1, most);
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
        Self { per_voxel, per_point, reach, weights, support_points: narrow_voxels * per_voxel as f32 }
    }

    /// Points along an edge of a brick: those on both ends, and one beyond each.
    pub fn points(&self) -> usize {
        EDGE as usize * self.per_voxel + 3
    }

    /// How far ground is from every point of the brick in the middle of `fill`, z fastest: as far as a plane that takes as much of
    /// the kernel (supports of this fold). Unlike the share itself that is linear beside a plane, and can be read between points.
    pub fn shade(&self, fill: &PaddedFill) -> Shade {
        if fill.iter().all(|steps| *steps == 0) {
            return Shade::Even(1.0);
        }
        if fill.iter().all(|steps| *steps >= STEPS) {
            return Shade::Even(-1.0);
        }
        let (points, side, per_point) = (self.points(), 2 * self.reach, self.per_point);
        let columns = (points - 1) * per_point + side;
        // Cells of a column are kept by the place between two points that they have, so that a row of points reads them in a row.
        let length = columns.div_ceil(per_point);
        let cells = self.cells(fill, columns, length);
        let mixed = mixed_of_columns(&cells, columns, length, per_point);
        let mut shade = vec![0.0f32; points * points * points];
        for x in 0..points {
            for y in 0..points {
                let row = &mut shade[(x * points + y) * points..][..points];
                // Cells of these columns are all alike up to `low` and from `high` on; and so are the points among them.
                let (mut low, mut high) = (columns, 0);
                for dx in 0..side {
                    for dy in 0..side {
                        let [from, to] = mixed[(x * per_point + dx) * columns + y * per_point + dy];
                        (low, high) = (low.min(from), high.max(to));
                    }
                }
                let first = (low.saturating_sub(side) / per_point).min(points - 1);
                let end = (high / per_point + 2).clamp(first + 1, points);
                for dx in 0..side {
                    for dy in 0..side {
                        let column = (x * per_point + dx) * columns + y * per_point + dy;
                        let column = &cells[column * length * per_point..][..length * per_point];
                        let weights = &self.weights[(dx * side + dy) * side..][..side];
                        for (dz, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                            let from = dz % per_point * length + dz / per_point + first;
                            add_scaled(&mut row[first..end], &column[from..from + end - first], *weight);
                        }
                    }
                }
                row[first..end].iter_mut().for_each(|share| *share = distance_of(*share));
                let (below, above) = (row[first], row[end - 1]);
                row[..first].fill(below);
                row[end..].fill(above);
            }
        }
        Shade::Map(shade.into_boxed_slice())
    }

    /// The share of ground in each cell of the brick and `reach` cells around it.
    fn cells(&self, fill: &PaddedFill, columns: usize, length: usize) -> Vec<f32> {
        let per_voxel = self.per_voxel * self.per_point;
        let mut cells = vec![0.0; columns * columns * length * self.per_point];
        let first = (MARGIN * per_voxel - self.per_point - self.reach) as f32;
        for x in 0..columns {
            for y in 0..columns {
                let column = (x * columns + y) * length * self.per_point;
                for z in 0..columns {
                    let at = [x, y, z].map(|i| (first + i as f32 + 0.5) / per_voxel as f32 - 0.5);
                    let in_column = z % self.per_point * length + z / self.per_point;
                    cells[column + in_column] = share(fill, at, per_voxel);
                }
            }
        }
        cells
    }
}

/// The share of ground in a cell around a point, in voxels from the middle of the first one.
fn share(fill: &PaddedFill, at: [f32; 3], per_voxel: usize) -> f32 {
    if per_voxel == 1 {
        let [x, y, z] = at.map(|x| x.round() as usize);
        return f32::from(fill[(x * PADDED + y) * PADDED + z]) / f32::from(STEPS);
    }
    let base = at.map(|x| (x.max(0.0) as usize).min(PADDED - 2));
    let corner = |i: usize| {
        fill[((base[0] + (i >> 2)) * PADDED + base[1] + (i >> 1 & 1)) * PADDED + base[2] + (i & 1)]
    };
    let first = corner(0);
    if (first == 0 || first == STEPS) && (1..8).all(|i| corner(i) == first) {
        return f32::from(first / STEPS);
    }
    let (value, slope) = interpolated(fill, at);
    let steepness = slope.iter().map(|s| s * s).sum::<f32>().sqrt();
    if steepness < 1e-3 {
        return if value >= 0.5 { 1.0 } else { 0.0 };
    }
    // A plane through the cell, where the fill is one half.
    (0.5 + (value - 0.5) / steepness * per_voxel as f32).clamp(0.0, 1.0)
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

/// How much of the density around a point ground takes that is as far as a plane at this distance (supports of the fold, positive
/// outside), and how fast that falls with the distance (1/support).
#[inline]
pub(super) fn density_beyond(distance: f32) -> (f32, f32) {
    let (share, falls) = beyond_plane(distance);
    (DENSE * share, DENSE * falls)
}

/// The share of Wendland's kernel beyond a plane at this distance (supports, positive outside), and how fast it falls with the
/// distance (1/support).
#[inline]
fn beyond_plane(distance: f32) -> (f32, f32) {
    let u = distance.abs().min(1.0);
    let u2 = u * u;
    let within = u * (1.5 + u2 * (-3.5 + u2 * (10.5 + u * (-14.0 + u * (7.5 - u * 1.5)))));
    let falls = 1.5 + u2 * (-10.5 + u2 * (52.5 + u * (-84.0 + u * (52.5 - u * 12.0))));
    let share = if distance < 0.0 { 0.5 + within } else { 0.5 - within };
    (share.clamp(0.0, 1.0), falls.max(0.0))
}

/// The distance of the plane beyond which this share of the kernel lies (supports).
fn distance_of(share: f32) -> f32 {
    if share <= 1e-7 {
        return 1.0;
    }
    if share >= 1.0 - 1e-6 {
        return -1.0;
    }
    let (mut near, mut far) = (-1.0f32, 1.0f32);
    for _ in 0..14 {
        let middle = 0.5 * (near + far);
        if beyond_plane(middle).0 > share { near = middle } else { far = middle }
    }
    0.5 * (near + far)
}

/// For each column the cells from the first that is not as the lowest to behind the last that is not as the highest.
fn mixed_of_columns(cells: &[f32], columns: usize, length: usize, per_point: usize) -> Vec<[usize; 2]> {
    let of_column = |column: &[f32]| {
        let cell = |z: usize| column[z % per_point * length + z / per_point];
        let (lowest, highest) = (cell(0), cell(columns - 1));
        let from = (0..columns).find(|z| cell(*z) != lowest).unwrap_or(columns);
        let to = (0..columns).rfind(|z| cell(*z) != highest).map_or(0, |z| z + 1);
        [from, to]
    };
    cells.chunks_exact(length * per_point).map(of_column).collect()
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

/// The value among 27 points around the middle one, z fastest, and its gradient per distance between them, as a quadratic spline: smooth
/// where eight corners would leave kinks, from which particles that press into an edge take speed out of nothing. `f` is where from
/// the middle, -0.5 to 0.5.
#[inline(always)]
pub(super) fn smooth_among(values: impl Fn(usize, usize, usize) -> f32, f: [f32; 3]) -> (f32, [f32; 3]) {
    let weights = f.map(|f| [0.5 * (0.5 - f) * (0.5 - f), 0.75 - f * f, 0.5 * (0.5 + f) * (0.5 + f)]);
    let slopes = f.map(|f| [f - 0.5, -2.0 * f, 0.5 + f]);
    let (mut value, mut slope) = (0.0, [0.0; 3]);
    for x in 0..3 {
        for y in 0..3 {
            let (mut along, mut up) = (0.0, 0.0);
            for z in 0..3 {
                let at = values(x, y, z);
                along += weights[2][z] * at;
                up += slopes[2][z] * at;
            }
            let [wx, wy] = [weights[0][x], weights[1][y]];
            value += wx * wy * along;
            slope[0] += slopes[0][x] * wy * along;
            slope[1] += wx * slopes[1][y] * along;
            slope[2] += wx * wy * up;
        }
    }
    (value, slope)
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
        // The first and the last lie beyond the brick.
        map[1..fold.points() - 1].to_vec()
    }

    #[test]
    fn a_floor_is_as_far_as_it_is_whatever_the_spacing() {
        for spacing in [0.125, 0.2, 0.25, 0.5, 0.7, 1.0, 2.0] {
            let fold = Fold::new(2.0 * spacing, spacing);
            // Full up to the middle of the brick.
            let column = column(&fold, &floor(|z| if z < MARGIN + 4 { STEPS } else { 0 }));
            for (point, distance) in column.iter().enumerate() {
                let voxels = point as f32 / fold.per_voxel as f32 - 4.0;
                let expected = (voxels / (2.0 * NARROW * spacing)).clamp(-1.0, 1.0);
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
            point as f32 / fold.per_voxel as f32 - NARROW * column(&fold, &fill)[4 * fold.per_voxel + point]
        };
        // The 0.5 level between middles: 1/6 and 5/6 of a voxel above the full ones. A cell counts as evenly filled, which is off by
        // up to a fifth of its edge.
        let tolerance = 0.2 / fold.per_voxel as f32;
        for (steps, point, expected) in [(8, 0, 0.5 / 0.75 - 0.5), (24, 4, 0.5 + 0.25 / 0.75)] {
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
