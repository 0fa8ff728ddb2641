//! Regions that are told by a distance: a ball swept along a line, and a ball with a rough surface.
//!
//! A voxel is covered as far as the surface lies beyond its middle, in voxels: exact for planes along the axes, and good to a
//! tenth of a voxel else.

use glam::{IVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::brick::{EDGE, VOXELS};
use crate::noise::{Fractal, FractalError};
use crate::solid::{Aabb, Coverage};

/// Everything within a radius of a line through some points: a ball swept along it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    points_m: Vec<Vec3>,
    radius_m: f32,
}

/// A ball whose surface goes up and down with noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoughBall {
    center_m: Vec3,
    radius_m: f32,
    roughness_m: f32,
    noise: Fractal,
}

/// What is wrong with a path or a rough ball.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RoundedError {
    /// No points, or more than anyone draws.
    #[error("a path of {0} points; it has 1 to {max}", max = Path::MOST_POINTS)]
    Points(usize),
    /// A place or a length that is no number, or out of range.
    #[error("{field} is {value}; it must be {allowed}")]
    Range {
        /// Which.
        field: &'static str,
        /// Its value (m).
        value: f32,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A pattern that makes no sense.
    #[error(transparent)]
    Noise(#[from] FractalError),
}

impl Path {
    /// Most points of a path.
    pub const MOST_POINTS: usize = 10_000;

    /// The path of a ball of `radius_m` (m) from point to point (m).
    pub fn new(points_m: Vec<Vec3>, radius_m: f32) -> Result<Self, RoundedError> {
        if !(1..=Self::MOST_POINTS).contains(&points_m.len()) {
            return Err(RoundedError::Points(points_m.len()));
        }
        points_m.iter().try_for_each(|point| check_place(*point))?;
        check_radius(radius_m)?;
        Ok(Self { points_m, radius_m })
    }

    /// The smallest box around it (m).
    pub fn bounds(&self) -> Aabb {
        let line = Aabb::around(self.points_m.iter().copied());
        Aabb::new(line.min - self.radius_m, line.max + self.radius_m)
    }

    /// As [`Region::coverage`](crate::Region::coverage).
    pub fn coverage(&self, brick: IVec3, voxel_size_m: f32, out: &mut [f32; VOXELS]) -> Coverage {
        let (center, half_diagonal) = middle(brick, voxel_size_m);
        let reach = self.radius_m + half_diagonal + voxel_size_m;
        let near: Vec<[Vec3; 2]> =
            self.segments().filter(|segment| distance(center, *segment) < reach).collect();
        if near.is_empty() {
            return Coverage::Empty.fill(out);
        }
        let inside = self.radius_m - half_diagonal - voxel_size_m;
        if near.iter().any(|segment| distance(center, *segment) < inside) {
            return Coverage::Full.fill(out);
        }
        for (at, out) in out.iter_mut().enumerate() {
            let p = voxel_middle(brick, at, voxel_size_m);
            let nearest = near.iter().map(|segment| distance(p, *segment)).fold(f32::INFINITY, f32::min);
            *out = (0.5 + (self.radius_m - nearest) / voxel_size_m).clamp(0.0, 1.0);
        }
        Coverage::of(out)
    }

    fn segments(&self) -> impl Iterator<Item = [Vec3; 2]> + '_ {
        let only = (self.points_m.len() == 1).then(|| [self.points_m[0]; 2]);
        self.points_m.windows(2).map(|pair| [pair[0], pair[1]]).chain(only)
    }
}

impl RoughBall {
    /// A ball around `center_m` (m) whose radius goes from `radius_m` - `roughness_m` to `radius_m` + `roughness_m` (m), mostly
    /// a half of that.
    pub fn new(
        center_m: Vec3,
        radius_m: f32,
        roughness_m: f32,
        noise: Fractal,
    ) -> Result<Self, RoundedError> {
        check_place(center_m)?;
        check_radius(radius_m)?;
        noise.check()?;
        if !(0.0..=radius_m).contains(&roughness_m) {
            let allowed = "0 to the radius";
            return Err(RoundedError::Range { field: "roughness", value: roughness_m, allowed });
        }
        Ok(Self { center_m, radius_m, roughness_m, noise })
    }

    /// The smallest box that is certainly around it (m).
    pub fn bounds(&self) -> Aabb {
        let reach = self.radius_m + self.roughness_m;
        Aabb::new(self.center_m - reach, self.center_m + reach)
    }

    /// As [`Region::coverage`](crate::Region::coverage).
    pub fn coverage(&self, brick: IVec3, voxel_size_m: f32, out: &mut [f32; VOXELS]) -> Coverage {
        let (center, half_diagonal) = middle(brick, voxel_size_m);
        let away = center.distance(self.center_m);
        if away > self.radius_m + self.roughness_m + half_diagonal + voxel_size_m {
            return Coverage::Empty.fill(out);
        }
        if away < self.radius_m - self.roughness_m - half_diagonal - voxel_size_m {
            return Coverage::Full.fill(out);
        }
        self.noise.fill_brick(brick, voxel_size_m, out);
        for (at, out) in out.iter_mut().enumerate() {
            let away = voxel_middle(brick, at, voxel_size_m).distance(self.center_m);
            let surface = self.radius_m + self.roughness_m * *out;
            *out = (0.5 + (surface - away) / voxel_size_m).clamp(0.0, 1.0);
        }
        Coverage::of(out)
    }
}

fn check_place(place: Vec3) -> Result<(), RoundedError> {
    let value = place.abs().max_element();
    // Written so that what is not a number is refused.
    if place.abs().cmple(Vec3::splat(1e6)).all() {
        return Ok(());
    }
    Err(RoundedError::Range { field: "place", value, allowed: "within 1,000,000 m of the origin" })
}

fn check_radius(radius_m: f32) -> Result<(), RoundedError> {
    if (1e-4..=1e6).contains(&radius_m) {
        return Ok(());
    }
    Err(RoundedError::Range { field: "radius", value: radius_m, allowed: "0.0001 to 1,000,000 m" })
}

/// The middle of a brick, and how far its corners are from it (m).
fn middle(brick: IVec3, voxel_size_m: f32) -> (Vec3, f32) {
    let edge = EDGE as f32 * voxel_size_m;
    ((brick.as_vec3() + 0.5) * edge, 0.5 * edge * 3.0_f32.sqrt())
}

/// The middle of a voxel (m).
fn voxel_middle(brick: IVec3, at: usize, voxel_size_m: f32) -> Vec3 {
    let p = brick * EDGE + IVec3::new((at >> 6) as i32, (at >> 3 & 7) as i32, (at & 7) as i32);
    (p.as_vec3() + 0.5) * voxel_size_m
}

/// How far `p` is from the nearest point of a segment.
fn distance(p: Vec3, [a, b]: [Vec3; 2]) -> f32 {
    let way = b - a;
    let length2 = way.length_squared();
    let along = if length2 > 0.0 { ((p - a).dot(way) / length2).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + way * along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel_box::VoxelBox;

    fn volume_m3(coverage: impl Fn(IVec3, &mut [f32; VOXELS]) -> Coverage, bounds: Aabb) -> f32 {
        let brick = |v: Vec3| (v / 0.8).floor().as_ivec3();
        let bricks = VoxelBox::new(brick(bounds.min), brick(bounds.max) + 1);
        let of_brick = |coord| {
            let mut out = [f32::NAN; VOXELS];
            coverage(coord, &mut out);
            out.iter().sum::<f32>() * 0.001
        };
        bricks.cells().map(of_brick).sum()
    }

    #[test]
    fn a_path_is_as_large_as_a_ball_that_goes_along_it() {
        let points = vec![Vec3::new(-1.3, 0.2, 0.1), Vec3::new(2.1, 1.4, -0.6)];
        let path = Path::new(points.clone(), 0.9).unwrap();
        let pi = std::f32::consts::PI;
        let expected = pi * 0.81 * points[0].distance(points[1]) + 4.0 / 3.0 * pi * 0.729;
        let found = volume_m3(|coord, out| path.coverage(coord, 0.1, out), path.bounds());
        assert!((found / expected - 1.0).abs() < 0.01, "{found} of {expected}");
        let ball = Path::new(vec![Vec3::ONE], 1.7).unwrap();
        let found = volume_m3(|coord, out| ball.coverage(coord, 0.1, out), ball.bounds());
        assert!((found / (4.0 / 3.0 * pi * 4.913) - 1.0).abs() < 0.01, "{found}");
    }

    #[test]
    fn a_rough_ball_stays_within_its_roughness() {
        let noise = Fractal { frequency_per_m: 0.8, ..Fractal::default() };
        let rough = RoughBall::new(Vec3::new(0.3, 0.2, -0.1), 2.0, 0.5, noise).unwrap();
        let (small, large) =
            (Path::new(vec![rough.center_m], 1.5).unwrap(), Path::new(vec![rough.center_m], 2.5).unwrap());
        let mut is_rough = false;
        for coord in VoxelBox::new(IVec3::splat(-4), IVec3::splat(4)).cells() {
            let [mut a, mut b, mut c] = [[0.0; VOXELS]; 3];
            small.coverage(coord, 0.1, &mut a);
            rough.coverage(coord, 0.1, &mut b);
            large.coverage(coord, 0.1, &mut c);
            assert!((0..VOXELS).all(|at| a[at] <= b[at] && b[at] <= c[at]));
            is_rough |= (0..VOXELS).any(|at| a[at] < b[at]) && (0..VOXELS).any(|at| b[at] < c[at]);
        }
        assert!(is_rough);
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(Path::new(vec![], 1.0), Err(RoundedError::Points(0)));
        assert!(Path::new(vec![Vec3::NAN], 1.0).is_err() && Path::new(vec![Vec3::ONE], 0.0).is_err());
        assert!(RoughBall::new(Vec3::ZERO, 1.0, 1.1, Fractal::default()).is_err());
        let noise = Fractal { frequency_per_m: f32::NAN, ..Fractal::default() };
        assert!(RoughBall::new(Vec3::ZERO, 1.0, 0.5, noise).is_err());
    }
}
