//! The quickhull algorithm (Barber, Dobkin and Huhdanpaa 1996) in three dimensions.
//!
//! It starts from a tetrahedron and keeps, for every face, the points outside it. A face's furthest such point is a
//! corner of the hull: the faces it sees are replaced by faces between it and their horizon.

use glam::{DVec3, Vec3};

/// Points less than this fraction of the extent outside a face count as on it: a few times the rounding of f32.
const TOLERANCE: f64 = 1e-6;

/// The triangles of the convex hull of `points`, counter-clockwise seen from outside. None when all points lie in one
/// plane.
pub(super) fn quickhull(points: &[Vec3]) -> Option<Vec<[u32; 3]>> {
    let points: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
    let mut hull = Quickhull::start(&points)?;
    let mut at = 0;
    // New faces are added behind, so one pass meets every face.
    while at < hull.faces.len() {
        match hull.faces[at].furthest_outside(&points) {
            Some(point) if hull.faces[at].alive => hull.add(at, point),
            _ => at += 1,
        }
    }
    let alive = hull.faces.iter().filter(|face| face.alive);
    Some(alive.map(|face| face.corners.map(|corner| corner as u32)).collect())
}

struct Face {
    corners: [usize; 3],
    /// The face across the edge from each corner to the next.
    neighbours: [usize; 3],
    normal: DVec3,
    /// The points outside this face that are not kept by another.
    outside: Vec<usize>,
    alive: bool,
}

/// An edge between a face that is seen and one that is not, in the direction of the seen one.
#[derive(Clone, Copy)]
struct HorizonEdge {
    from: usize,
    to: usize,
    beyond: usize,
}

struct Quickhull<'a> {
    points: &'a [DVec3],
    faces: Vec<Face>,
    tolerance: f64,
}

impl Face {
    #[inline]
    fn distance(&self, points: &[DVec3], point: usize) -> f64 {
        self.normal.dot(points[point] - points[self.corners[0]])
    }

    fn furthest_outside(&self, points: &[DVec3]) -> Option<usize> {
        let distance = |point: usize| self.distance(points, point);
        self.outside.iter().copied().max_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }
}

impl<'a> Quickhull<'a> {
    /// The tetrahedron of four points far apart, with all others given to its faces.
    fn start(points: &'a [DVec3]) -> Option<Self> {
        let all = 0..points.len();
        let furthest = |distance: &dyn Fn(DVec3) -> f64| {
            all.clone().max_by(|&i, &j| distance(points[i]).total_cmp(&distance(points[j])))
        };
        let a = furthest(&|p| -p.x)?;
        let b = furthest(&|p| p.distance_squared(points[a]))?;
        let along = points[b] - points[a];
        let tolerance = TOLERANCE * along.length();
        let c = furthest(&|p| (p - points[a]).cross(along).length_squared())?;
        let normal = along.cross(points[c] - points[a]).try_normalize()?;
        let d = furthest(&|p| normal.dot(p - points[a]).abs())?;
        let height = normal.dot(points[d] - points[a]);
        let width = (points[c] - points[a]).cross(along).length() / along.length();
        // Negated comparisons would let NaN pass.
        let solid = height.abs() > tolerance && width > tolerance;
        if !solid {
            return None;
        }
        // Seen from outside, the base turns away from the fourth point.
        let (b, c) = if height > 0.0 { (c, b) } else { (b, c) };
        let mut hull = Self { points, faces: Vec::new(), tolerance };
        for (corners, neighbours) in
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
        {
            let normal = hull.normal(corners).unwrap_or(normal);
            hull.faces.push(Face { corners, neighbours, normal, outside: Vec::new(), alive: true });
        }
        hull.distribute(all, 0);
        Some(hull)
    }

    fn normal(&self, corners: [usize; 3]) -> Option<DVec3> {
        let [a, b, c] = corners.map(|corner| self.points[corner]);
        let normal = (b - a).cross(c - a);
        (normal.length() > self.tolerance * self.tolerance).then(|| normal.normalize())
    }

    /// Gives every point to the first face, of those from number `first` on, that it lies outside of.
    fn distribute(&mut self, points: impl IntoIterator<Item = usize>, first: usize) {
        for point in points {
            let sees = |face: &&mut Face| face.distance(self.points, point) > self.tolerance;
            if let Some(face) = self.faces[first..].iter_mut().find(sees) {
                face.outside.push(point);
            }
        }
    }

    /// Makes `point`, which lies outside of face `start`, a corner of the hull.
    fn add(&mut self, start: usize, point: usize) {
        let (seen, horizon) = self.horizon(start, point);
        let Some(horizon) = in_a_ring(horizon) else {
            // Rounding at nearly coplanar faces: the point is on the hull as far as anyone can tell.
            self.faces[start].outside.retain(|&other| other != point);
            return;
        };
        let first = self.faces.len();
        let count = horizon.len();
        for (i, edge) in horizon.iter().enumerate() {
            let corners = [edge.from, edge.to, point];
            // Without an area of its own it lies in the plane of the face beyond.
            let normal = self.normal(corners).unwrap_or(self.faces[edge.beyond].normal);
            let neighbours = [edge.beyond, first + (i + 1) % count, first + (i + count - 1) % count];
            self.faces.push(Face { corners, neighbours, normal, outside: Vec::new(), alive: true });
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

    /// The faces that `point` sees, connected to `start`, and the edges around them.
    fn horizon(&self, start: usize, point: usize) -> (Vec<usize>, Vec<HorizonEdge>) {
        let mut seen = vec![start];
        let mut horizon = Vec::new();
        let mut next = 0;
        while next < seen.len() {
            let face = &self.faces[seen[next]];
            next += 1;
            for edge in 0..3 {
                let beyond = face.neighbours[edge];
                if seen.contains(&beyond) {
                    continue;
                }
                if self.faces[beyond].distance(self.points, point) > self.tolerance {
                    seen.push(beyond);
                } else {
                    let (from, to) = (face.corners[edge], face.corners[(edge + 1) % 3]);
                    horizon.push(HorizonEdge { from, to, beyond });
                }
            }
        }
        (seen, horizon)
    }
}

/// The edges in the order of a walk around them. None when they are not one ring.
fn in_a_ring(mut edges: Vec<HorizonEdge>) -> Option<Vec<HorizonEdge>> {
    for at in 1..edges.len() {
        let end = edges[at - 1].to;
        let next = at + edges[at..].iter().position(|edge| edge.from == end)?;
        edges.swap(at, next);
    }
    let closes = edges.len() >= 3 && edges[edges.len() - 1].to == edges[0].from;
    closes.then_some(edges)
}
