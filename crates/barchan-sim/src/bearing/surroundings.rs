//! The free surface of the ground around a body: what depth is measured from.
//!
//! Soil gives way to a body, so the ground under it says nothing about how deep it has sunk. Columns around it do: their
//! tops are found in sixteen directions and joined over the body with weights of one over the distance squared, which
//! on a circle reproduces every plane. What a body has heaved beside itself is looked past, and a rut that leads to it and away
//! from it is no surface: on a plane neither changes anything.

use glam::{IVec3, Vec2, Vec3};

use crate::material::MaterialId;
use crate::reader::Reader;

const DIRECTIONS: usize = 16;

/// From the outermost contact to the nearest column that is looked at (voxels).
const CLEARANCE: f32 = 1.5;

/// Least distance between the two columns that are looked at in one direction (voxels), and as a share of the extent of the body: a
/// heave along its edge reaches not so far.
const SPREAD: f32 = 4.0;
const SPREAD_SHARE: f32 = 0.8;

/// So far below its top the soil of a column is looked at (voxels).
const BELOW_TOP: f32 = 0.7;

/// A side where the ground falls away counts as this much below the lowest contact (voxels).
const FALL: i32 = 2;

/// As far above the highest contact the ground is followed upwards (voxels).
const RISE: i32 = 24;

/// A voxel is full from this fill on; rounding may take a little.
const FULL: f32 = 0.98;

/// Steepest slope that counts (-).
const STEEPEST: f32 = 2.0;

/// The surface around a body.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    /// Points of the surface around the body, from `centre` (m).
    tops: Vec<Vec3>,
    /// Unit vector out of the ground.
    pub normal: Vec3,
    centre: Vec3,
    /// Kind and void ratio of the soil below these points.
    soils: Vec<(MaterialId, f32)>,
}

impl Surroundings {
    /// Looks around the `points` (m) at which a body touches soil, of which there is at least one. Each of them stands for
    /// a part of the body that reaches `margin_m` (m) further.
    pub fn around(points: &[Vec3], margin_m: f32, reader: &mut Reader<'_>) -> Self {
        let size = reader.ground.voxel_size_m();
        let (low, high) =
            points.iter().fold((points[0], points[0]), |(low, high), p| (low.min(*p), high.max(*p)));
        let centre = Vec3::new(0.5 * (low.x + high.x), 0.5 * (low.y + high.y), high.z);
        let range = Range::around(low.z, high.z, size);
        let mut rings = [[None; DIRECTIONS]; 2];
        for (at, direction) in directions().into_iter().enumerate() {
            let reach = |p: &Vec3| (p - centre).truncate().dot(direction);
            let extent = points.iter().map(reach).fold(0.0, f32::max);
            let near = extent + margin_m + CLEARANCE * size;
            let far = near + (SPREAD * size).max(SPREAD_SHARE * extent);
            let mut top = |distance: f32| range.top(centre.truncate() + direction * distance, reader);
            let (near, far) = (top(near), top(far));
            (rings[0][at], rings[1][at]) = (near.or(far), far.or(near));
        }
        let mut tops: Vec<Vec3> = lower_of_both(&rings);
        let soil = |top: &Vec3| {
            let voxel = reader.voxel((*top / size - Vec3::Z * BELOW_TOP).floor().as_ivec3());
            let layer = voxel.surface();
            voxel.has_soil().then(|| (layer.kind, layer.void_ratio.to_f32()))
        };
        let soils = tops.iter().filter_map(soil).collect();
        tops.iter_mut().for_each(|top| *top -= centre);
        fill_ruts(&mut tops);
        let normal = normal(&tops);
        Self { tops, normal, centre, soils }
    }

    /// Mean void ratio of soil of this kind around the body, which has not been pressed by it yet; none where there is none.
    pub fn void_ratio(&self, kind: MaterialId) -> Option<f32> {
        let of_kind = || self.soils.iter().filter(|(other, _)| *other == kind).map(|(_, e)| *e);
        let count = of_kind().count();
        (count > 0).then(|| of_kind().sum::<f32>() / count as f32)
    }

    /// How far `point` (m) is below the surface, at right angles to it (m). Negative above.
    pub fn depth(&self, point: Vec3) -> f32 {
        let from_centre = point - self.centre;
        let (mut sum, mut weights) = (0.0, 0.0);
        for top in &self.tops {
            let distance_squared = (top - from_centre).truncate().length_squared();
            let weight = 1.0 / distance_squared.max(f32::MIN_POSITIVE);
            sum += weight * top.z;
            weights += weight;
        }
        let surface = if weights > 0.0 { sum / weights } else { 0.0 };
        (surface - from_centre.z) * self.normal.z
    }
}

/// The tops of each two opposite directions from the ring on which they are lower together: the nearer may lie on a heave.
fn lower_of_both(rings: &[[Option<Vec3>; DIRECTIONS]; 2]) -> Vec<Vec3> {
    let half = DIRECTIONS / 2;
    let height = |ring: usize, at: usize| rings[ring][at].map(|top| top.z);
    let lower = |at: usize| {
        let opposite = (at + half) % DIRECTIONS;
        let sum = |ring: usize| Some(height(ring, at)? + height(ring, opposite)?);
        match (sum(0), sum(1)) {
            (Some(near), Some(far)) => usize::from(far < near),
            // A wall on one side: each direction for itself.
            _ => usize::from(height(1, at) < height(0, at)),
        }
    };
    (0..DIRECTIONS).filter_map(|at| rings[lower(at)][at]).collect()
}

/// Lifts opposite tops that both lie lower than most others to the height of those: a rut that a body stands in is not the surface.
fn fill_ruts(tops: &mut [Vec3]) {
    let half = DIRECTIONS / 2;
    if tops.len() < DIRECTIONS {
        return;
    }
    let mut means: [f32; DIRECTIONS / 2] = std::array::from_fn(|at| 0.5 * (tops[at].z + tops[at + half].z));
    means.sort_unstable_by(f32::total_cmp);
    let upper = means[half / 2..].iter().sum::<f32>() / (half - half / 2) as f32;
    for at in 0..half {
        let missing = (upper - tops[at].z.max(tops[at + half].z)).max(0.0);
        tops[at].z += missing;
        tops[at + half].z += missing;
    }
}

/// Unit vectors around the circle. By the table, not by sines, which differ from machine to machine.
fn directions() -> [Vec2; DIRECTIONS] {
    const EIGHTH: [[f32; 2]; 4] =
        [[1.0, 0.0], [0.923_879_5, 0.382_683_43], [0.707_106_77, 0.707_106_77], [0.382_683_43, 0.923_879_5]];
    std::array::from_fn(|i| {
        let mut direction = Vec2::from_array(EIGHTH[i % 4]);
        for _ in 0..i / 4 {
            direction = direction.perp();
        }
        direction
    })
}

/// The normal of the plane that fits best.
fn normal(tops: &[Vec3]) -> Vec3 {
    let middle = tops.iter().sum::<Vec3>() / tops.len().max(1) as f32;
    let (mut xx, mut xy, mut yy, mut side) = (0.0, 0.0, 0.0, Vec2::ZERO);
    for top in tops {
        let d = top - middle;
        (xx, xy, yy) = (xx + d.x * d.x, xy + d.x * d.y, yy + d.y * d.y);
        side += d.truncate() * d.z;
    }
    let determinant = xx * yy - xy * xy;
    // Points on a line, or on one side only, do not tell a slope.
    if determinant <= 0.01 * (xx + yy) * (xx + yy) {
        return Vec3::Z;
    }
    let slope = Vec2::new(yy * side.x - xy * side.y, xx * side.y - xy * side.x) / determinant;
    (-slope.clamp_length_max(STEEPEST)).extend(1.0).normalize()
}

/// The voxels of a column that are looked at.
pub(super) struct Range {
    low: i32,
    start: i32,
    high: i32,
}

impl Range {
    /// Around what reaches from `low_m` to `high_m` (m).
    pub fn around(low_m: f32, high_m: f32, voxel_size_m: f32) -> Self {
        let [low, high] = [low_m, high_m].map(|z| (z / voxel_size_m).floor() as i32);
        Self { low: low - FALL, start: high + FALL, high: high + RISE }
    }

    /// The point of the surface (m) in the middle of the column at `at` (m). None in the wall.
    pub fn top(&self, at: Vec2, reader: &mut Reader<'_>) -> Option<Vec3> {
        let size = reader.ground.voxel_size_m();
        let column = (at / size).floor().as_ivec2();
        if reader.ground.is_wall(column.extend(self.start)) {
            return None;
        }
        let mut fill = |z: i32| reader.fill(IVec3::new(column.x, column.y, z));
        let mut z = self.start;
        while z < self.high && fill(z + 1) >= 0.5 && fill(z) >= 0.5 {
            z += 1;
        }
        while z > self.low && fill(z) < 0.5 {
            z -= 1;
        }
        // A slope cuts several voxels of a column: all that are filled in part, on either side, make its height.
        let base = (z - 3..=z).rev().find(|&z| fill(z) >= FULL).unwrap_or(z - 3);
        let part: f32 = (base + 1..=z + 3).map(&mut fill).take_while(|&fill| fill > 0.0).sum();
        let height = ((base + 1) as f32 + part).max(self.low as f32);
        Some((column.as_vec2() + 0.5).extend(height) * size)
    }
}
