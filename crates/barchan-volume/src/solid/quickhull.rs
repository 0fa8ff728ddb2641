//! The quickhull algorithm (Barber, Dobkin and Huhdanpaa 1996) in three dimensions.
//!
//! It starts from a tetrahedron and keeps, for every face, the points outside it. A face's furthest such point is on
//! the hull: the faces it sees are replaced by faces between it and their horizon.
//!
//! Which side of a face a point is on is decided exactly (Shewchuk 1997), so that at all times the faces enclose a
//! convex body: those that a point sees have one ring of edges around them, and no point is lost. A point in the
//! plane of a face does not see it. Therefore a new face always has an area, since its third corner is off the plane
//! of a face that has its first two.
//!
//! Points closer to the body than rounding are left out: what they would add is noise. They stay that close, since the
//! body only grows.

use glam::{DVec3, Vec3};
use robust::{Coord3D, orient3d};

/// Points that are less than this fraction of their extent thick count as lying in one plane, and a point less than
/// this away from the body as part of it: a few times the rounding of f32.
const TOLERANCE: f64 = 1e-6;

/// A volume computed in f64 has the right sign above this fraction of the cube of the extent: some ten times the
/// largest rounding of its products.
const CERTAIN: f64 = 1e-13;

/// The triangles of the convex hull of `points`, counter-clockwise seen from outside. Only corners of the hull are
/// corners of triangles, not the points on its edges and faces. None when all points lie in one plane.
pub(super) fn quickhull(points: &[Vec3]) -> Option<Vec<[u32; 3]>> {
    let points: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
    let all: Vec<usize> = (0..points.len()).collect();
    let mut hull = Quickhull::around(&points, &all)?;
    let corners = hull.corners();
    // The hull of the corners is the same hull, with no other point to take for a corner.
    if corners.len() < hull.used().len()
        && let Some(clean) = Quickhull::around(&points, &corners)
    {
        hull = clean;
    }
    Some(hull.alive().map(|face| face.corners.map(|corner| corner as u32)).collect())
}

struct Face {
    corners: [usize; 3],
    /// The face across the edge from each corner to the next.
    neighbours: [usize; 3],
    /// Outwards, and only as right as rounding lets it be: it ranks points, it does not decide about them.
    normal: DVec3,
    /// The points outside this face that are not kept by another.
    outside: Vec<usize>,
    alive: bool,
    /// The last point that was found to see this face.
    seen_by: Option<usize>,
}

/// An edge between a face that is seen and one that is not, in the direction of the seen one.
struct HorizonEdge {
    from: usize,
    to: usize,
    beyond: usize,
}

struct Quickhull<'a> {
    points: &'a [DVec3],
    /// Distance between two points that are far apart: at least half of that between any two (m).
    extent: f64,
    faces: Vec<Face>,
}

impl Face {
    /// Six times the volume between this face and a point (m³), positive outside.
    #[inline]
    fn volume_to(&self, points: &[DVec3], point: usize) -> f64 {
        self.normal.dot(points[point] - points[self.corners[0]])
    }

    fn furthest_outside(&self, points: &[DVec3]) -> Option<usize> {
        let height = |point: usize| self.volume_to(points, point);
        self.outside.iter().copied().max_by(|&a, &b| height(a).total_cmp(&height(b)))
    }
}

impl<'a> Quickhull<'a> {
    /// The hull of those `points` that are `chosen`.
    fn around(points: &'a [DVec3], chosen: &[usize]) -> Option<Self> {
        let mut hull = Self::start(points, chosen)?;
        let mut at = 0;
        // New faces are added behind, so one pass meets every face. A face that was replaced has no points any more.
        while at < hull.faces.len() {
            match hull.faces[at].furthest_outside(points) {
                Some(point) => hull.add(at, point),
                None => at += 1,
            }
        }
        Some(hull)
    }

    /// The tetrahedron of four points far apart, with all others given to its faces.
    fn start(points: &'a [DVec3], chosen: &[usize]) -> Option<Self> {
        let furthest = |distance: &dyn Fn(DVec3) -> f64| {
            chosen.iter().copied().max_by(|&i, &j| distance(points[i]).total_cmp(&distance(points[j])))
        };
        let a = furthest(&|p| -p.x)?;
        let b = furthest(&|p| p.distance_squared(points[a]))?;
        let along = points[b] - points[a];
        let tolerance = TOLERANCE * along.length();
        let c = furthest(&|p| (p - points[a]).cross(along).length_squared())?;
        let normal = along.cross(points[c] - points[a]).try_normalize()?;
        let d = furthest(&|p| normal.dot(p - points[a]).abs())?;
        let height = normal.dot(points[d] - points[a]).abs();
        let width = (points[c] - points[a]).cross(along).length() / along.length();
        let side = orient3d(coord(points[a]), coord(points[b]), coord(points[c]), coord(points[d]));
        // Negated comparisons would let NaN pass.
        let solid = height > tolerance && width > tolerance && side != 0.0;
        if !solid {
            return None;
        }
        // Seen from outside, the base turns away from the fourth point.
        let (b, c) = if side < 0.0 { (c, b) } else { (b, c) };
        let mut hull = Self { points, extent: along.length(), faces: Vec::new() };
        hull.push([a, b, c], [1, 2, 3]);
        hull.push([b, a, d], [0, 3, 2]);
        hull.push([c, b, d], [0, 1, 3]);
        hull.push([a, c, d], [0, 2, 1]);
        hull.distribute(chosen.iter().copied(), 0);
        Some(hull)
    }

    fn push(&mut self, corners: [usize; 3], neighbours: [usize; 3]) {
        let [a, b, c] = corners.map(|corner| self.points[corner]);
        let normal = (b - a).cross(c - a);
        self.faces.push(Face {
            corners,
            neighbours,
            normal,
            outside: Vec::new(),
            alive: true,
            seen_by: None,
        });
    }

    /// Whether `point` is outside the plane of a face, not in it.
    #[inline]
    fn sees(&self, point: usize, face: &Face) -> bool {
        self.side(point, face) > 0.0
    }

    /// Positive when `point` is outside the plane of a face, zero in it, negative inside; of the right sign always.
    #[inline]
    fn side(&self, point: usize, face: &Face) -> f64 {
        let volume = face.volume_to(self.points, point);
        if volume.abs() > CERTAIN * self.extent.powi(3) {
            return volume;
        }
        let [a, b, c] = face.corners.map(|corner| coord(self.points[corner]));
        -orient3d(a, b, c, coord(self.points[point]))
    }

    /// Whether `point` is as close to the triangle of a face as makes no difference.
    fn touches(&self, point: usize, face: &Face) -> bool {
        let tolerance = TOLERANCE * self.extent;
        let p = self.points[point];
        let area = face.normal.length();
        // The normal of a sliver says little. It has edges close by.
        let has_side = area > tolerance * self.extent;
        if has_side && face.volume_to(self.points, point) > tolerance * area {
            return false;
        }
        let edges = [0, 1, 2].map(|i| [face.corners[i], face.corners[(i + 1) % 3]].map(|c| self.points[c]));
        let is_left = |&[from, to]: &[DVec3; 2]| face.normal.dot((to - from).cross(p - from)) > 0.0;
        let is_close = |&[from, to]: &[DVec3; 2]| {
            let along = to - from;
            let part = ((p - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            (from + part * along).distance(p) <= tolerance
        };
        has_side && edges.iter().all(is_left) || edges.iter().any(is_close)
    }

    /// Gives every point to the first face, of those from number `first` on, that it lies outside of.
    fn distribute(&mut self, points: impl IntoIterator<Item = usize>, first: usize) {
        for point in points {
            let outside_of = (first..self.faces.len()).find(|&face| self.sees(point, &self.faces[face]));
            if let Some(face) = outside_of.filter(|&face| !self.touches(point, &self.faces[face])) {
                self.faces[face].outside.push(point);
            }
        }
    }

    /// Makes `point`, which lies outside of face `start`, a corner of faces in place of those that it sees.
    fn add(&mut self, start: usize, point: usize) {
        let (seen, horizon) = self.horizon(start, point);
        let first = self.faces.len();
        let count = horizon.len();
        for (i, edge) in horizon.iter().enumerate() {
            let (next, previous) = (first + (i + 1) % count, first + (i + count - 1) % count);
            self.push([edge.from, edge.to, point], [edge.beyond, next, previous]);
            let beyond = &mut self.faces[edge.beyond];
            if let Some(across) = beyond.corners.iter().position(|&corner| corner == edge.to) {
                beyond.neighbours[across] = first + i;
            }
        }
        for face in seen {
            self.faces[face].alive = false;
            let orphans = std::mem::take(&mut self.faces[face].outside);
            self.distribute(orphans.into_iter().filter(|&other| other != point), first);
        }
    }

    /// The faces that `point` sees, of which `start` is one, and the edges around them in the order of a walk.
    fn horizon(&mut self, start: usize, point: usize) -> (Vec<usize>, Vec<HorizonEdge>) {
        let mut seen = vec![start];
        let mut horizon: Vec<HorizonEdge> = Vec::new();
        self.faces[start].seen_by = Some(point);
        // Edges still to cross, the next one last: the turn of the faces is the turn of the walk.
        let mut ahead = vec![(start, 2), (start, 1), (start, 0)];
        while let Some((inner, edge)) = ahead.pop() {
            let Face { corners, neighbours, .. } = self.faces[inner];
            let (from, to, beyond) = (corners[edge], corners[(edge + 1) % 3], neighbours[edge]);
            let outer = &self.faces[beyond];
            if outer.seen_by == Some(point) {
                continue;
            }
            if !self.sees(point, outer) {
                debug_assert!(horizon.last().is_none_or(|last| last.to == from), "the horizon is one ring");
                horizon.push(HorizonEdge { from, to, beyond });
                continue;
            }
            let entry = outer.corners.iter().position(|&corner| corner == to).unwrap_or(0);
            self.faces[beyond].seen_by = Some(point);
            seen.push(beyond);
            ahead.extend([(beyond, (entry + 2) % 3), (beyond, (entry + 1) % 3)]);
        }
        (seen, horizon)
    }

    fn alive(&self) -> impl Iterator<Item = &Face> {
        self.faces.iter().filter(|face| face.alive)
    }

    /// The points that are corners of faces.
    fn used(&self) -> Vec<usize> {
        let mut used: Vec<usize> = self.alive().flat_map(|face| face.corners).collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The points where the hull has a corner: three or more of its edges meet there. On an edge two do, on a flat
    /// side none.
    fn corners(&self) -> Vec<usize> {
        let mut edges = vec![0_u32; self.points.len()];
        for face in self.alive() {
            for edge in 0..3 {
                let beyond = &self.faces[face.neighbours[edge]];
                if beyond.corners.iter().any(|&corner| self.side(corner, face) != 0.0) {
                    // From the other side the same edge is met at its other end.
                    edges[face.corners[edge]] += 1;
                }
            }
        }
        (0..edges.len()).filter(|&point| edges[point] >= 3).collect()
    }
}

#[inline]
fn coord(DVec3 { x, y, z }: DVec3) -> Coord3D<f64> {
    Coord3D { x, y, z }
}
