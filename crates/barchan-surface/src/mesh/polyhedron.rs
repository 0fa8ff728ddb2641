//! Cuts through a cell: which triangles part the corners inside the ground from those outside.
//!
//! A cell is a small polyhedron with a sample at every corner. On each of its faces the surface is a set of segments
//! between the edges that it crosses; put end to end they make closed loops around the cell, and each loop is filled
//! with triangles. Where a face is ambiguous, corners inside the ground are kept apart, whatever the cell: cells
//! that share a face therefore agree on it. That is the choice of Marching Cubes as modified by Lengyel (2010); his
//! tables follow from it, and so do cells of other shapes.

/// The shape of a cell.
pub(super) struct Polyhedron {
    /// Places of the corners, to judge the shape of triangles only.
    corners: Vec<[f32; 3]>,
    /// Corners of each face, counter-clockwise seen from outside the cell.
    faces: Vec<Vec<u8>>,
    /// The two corners of each edge, the lower number first.
    edges: Vec<[u8; 2]>,
    bends: Vec<Bend>,
}

/// A point within a face. The segment between two edges of that face passes through it, where it would otherwise lie
/// on the rim of the face, and other cells that meet at that rim might have the same one.
struct Bend {
    face: usize,
    edges: [usize; 2],
    place: [f32; 3],
}

impl Polyhedron {
    /// The cell with these corners and faces; edges are numbered in ascending order of their corners.
    pub(super) fn new(corners: Vec<[f32; 3]>, faces: &[&[u8]]) -> Self {
        let faces: Vec<Vec<u8>> = faces.iter().map(|face| face.to_vec()).collect();
        let mut edges: Vec<[u8; 2]> = faces.iter().flat_map(|face| sides(face)).map(in_order).collect();
        edges.sort_unstable();
        edges.dedup();
        Self { corners, faces, edges, bends: Vec::new() }
    }

    /// Bends the segment of `face` around `corner` through `place`. Bends are numbered after the edges.
    fn bend(&mut self, face: usize, corner: u8, place: [f32; 3]) {
        let sides = sides(&self.faces[face]).filter(|side| side.contains(&corner));
        let edges: Vec<usize> = sides.map(|side| self.edge(side)).collect();
        self.bends.push(Bend { face, edges: [edges[0], edges[1]], place });
    }

    /// The two corners of each edge, the lower number first.
    pub(super) fn edges(&self) -> &[[u8; 2]] {
        &self.edges
    }

    /// The surface in a cell whose corners in `inside` (a bit each) lie in the ground: triangles between edges (and
    /// bends), counter-clockwise seen from outside the ground.
    pub(super) fn triangles(&self, inside: u16) -> Vec<[u8; 3]> {
        let mut next = self.segments(inside);
        let mut triangles = Vec::new();
        for start in 0..next.len() {
            let mut polygon = Vec::new();
            let mut edge = start;
            while let Some(following) = next[edge].take() {
                polygon.push(edge as u8);
                edge = usize::from(following);
            }
            if polygon.len() >= 3 {
                self.fill(&polygon, &mut triangles);
            }
        }
        triangles
    }

    /// For each crossed edge the one that follows it in its loop.
    fn segments(&self, inside: u16) -> Vec<Option<u8>> {
        let is_inside = |corner: u8| inside >> corner & 1 == 1;
        let mut next = vec![None; self.edges.len() + self.bends.len()];
        for (number, face) in self.faces.iter().enumerate() {
            let crossed: Vec<[u8; 2]> = sides(face).filter(|[a, b]| is_inside(*a) != is_inside(*b)).collect();
            for (at, side) in crossed.iter().enumerate().filter(|(_, side)| is_inside(side[1])) {
                // The way around the face enters the ground here and leaves it at the next crossing.
                let (from, to) = (self.edge(*side), self.edge(crossed[(at + 1) % crossed.len()]));
                let is_bent = |bend: &Bend| {
                    bend.face == number && bend.edges.contains(&from) && bend.edges.contains(&to)
                };
                next[from] = Some(to as u8);
                if let Some(bend) = self.bends.iter().position(is_bent) {
                    let bend = self.edges.len() + bend;
                    next[from] = Some(bend as u8);
                    next[bend] = Some(to as u8);
                }
            }
        }
        next
    }

    /// Fills a loop with the triangles whose inner sides are shortest, and none of them within a face of the cell:
    /// the cell beyond that face might have the same one.
    fn fill(&self, polygon: &[u8], triangles: &mut Vec<[u8; 3]>) {
        let n = polygon.len();
        // Cost of the best filling between two corners of the loop, and the third corner of the triangle on them.
        let mut best = vec![(0.0_f32, 0_usize); n * n];
        for width in 2..n {
            for low in 0..n - width {
                let high = low + width;
                let cost = |middle: usize| best[low * n + middle].0 + best[middle * n + high].0;
                let middle = (low + 1..high).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(low + 1);
                let outer = width == n - 1;
                let own = if outer { 0.0 } else { self.side_cost(polygon[low], polygon[high]) };
                best[low * n + high] = (cost(middle) + own, middle);
            }
        }
        let mut open = vec![(0, n - 1)];
        while let Some((low, high)) = open.pop() {
            if high - low >= 2 {
                let middle = best[low * n + high].1;
                triangles.push([polygon[low], polygon[middle], polygon[high]]);
                open.extend([(low, middle), (middle, high)]);
            }
        }
    }

    /// Squared length of a side between the middles of two edges; more where it would lie in the plane of the fine
    /// faces, whose crossings are often in line, and far more where it would lie within a face.
    fn side_cost(&self, a: u8, b: u8) -> f32 {
        const WITHIN_A_FACE: f32 = 1.0e3;
        const IN_A_PLANE: f32 = 10.0;
        let (ours, theirs) = (self.middle(a), self.middle(b));
        let length2: f32 = (0..3).map(|axis| (ours[axis] - theirs[axis]).powi(2)).sum();
        let share_a_face = (0..self.faces.len()).any(|face| self.lies_in(a, face) && self.lies_in(b, face));
        let in_a_plane = ours[2] == 1.0 && theirs[2] == 1.0;
        if share_a_face { WITHIN_A_FACE } else { length2 + if in_a_plane { IN_A_PLANE } else { 0.0 } }
    }

    /// True when an edge or bend lies in a face.
    fn lies_in(&self, edge: u8, face: usize) -> bool {
        match self.edges.get(usize::from(edge)) {
            Some(corners) => corners.iter().all(|corner| self.faces[face].contains(corner)),
            None => self.bends[usize::from(edge) - self.edges.len()].face == face,
        }
    }

    /// The middle of an edge, or the place of a bend.
    fn middle(&self, edge: u8) -> [f32; 3] {
        match self.edges.get(usize::from(edge)) {
            Some(corners) => {
                let [low, high] = corners.map(|corner| self.corners[usize::from(corner)]);
                [0, 1, 2].map(|axis| (low[axis] + high[axis]) / 2.0)
            }
            None => self.bends[usize::from(edge) - self.edges.len()].place,
        }
    }

    fn edge(&self, side: [u8; 2]) -> usize {
        self.edges.binary_search(&in_order(side)).expect("every side of a face is an edge")
    }
}

fn in_order([a, b]: [u8; 2]) -> [u8; 2] {
    [a.min(b), a.max(b)]
}

/// The sides of a face, on the way around it.
fn sides(face: &[u8]) -> impl Iterator<Item = [u8; 2]> + '_ {
    (0..face.len()).map(|at| [face[at], face[(at + 1) % face.len()]])
}

/// The cube between eight samples; corner bits are x, y, z.
pub(super) fn cube() -> Polyhedron {
    let corners = (0..8).map(|corner| [0, 1, 2].map(|axis| (corner >> axis & 1) as f32)).collect();
    let faces: [&[u8]; 6] =
        [&[0, 4, 6, 2], &[1, 3, 7, 5], &[0, 1, 5, 4], &[2, 6, 7, 3], &[0, 2, 3, 1], &[4, 5, 7, 6]];
    Polyhedron::new(corners, &faces)
}

/// The cell between four coarse samples and the nine fine ones beside them. Corners 0 to 8 are the fine ones, two
/// steps along u for each one along v, and 9 to 12 the coarse ones; the fine side faces along u x v. Four such cells can
/// meet at the rim of their fine sides, so segments that would lie on it are bent inwards: bends 0 to 3 are around
/// corners 1, 7, 3 and 5.
pub(super) fn transition() -> Polyhedron {
    let fine = (0..9).map(|at| [(at % 3) as f32 / 2.0, (at / 3) as f32 / 2.0, 1.0]);
    let coarse = (0..4).map(|at| [(at % 2) as f32, (at / 2) as f32, 0.0]);
    let faces: [&[u8]; 9] = [
        &[0, 1, 4, 3],
        &[1, 2, 5, 4],
        &[3, 4, 7, 6],
        &[4, 5, 8, 7],
        &[9, 11, 12, 10],
        &[9, 10, 2, 1, 0],
        &[11, 6, 7, 8, 12],
        &[9, 0, 3, 6, 11],
        &[10, 12, 8, 5, 2],
    ];
    let mut cell = Polyhedron::new(fine.chain(coarse).collect(), &faces);
    cell.bend(5, 1, [0.5, 0.0, 0.5]);
    cell.bend(6, 7, [0.5, 1.0, 0.5]);
    cell.bend(7, 3, [0.0, 0.5, 0.5]);
    cell.bend(8, 5, [1.0, 0.5, 0.5]);
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every side of a triangle is either shared with another, passed in the other direction, or lies in a face.
    fn check(cell: &Polyhedron, inside: u16) {
        let triangles = cell.triangles(inside);
        let sides: Vec<[u8; 2]> =
            triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
        for side in &sides {
            let same = sides.iter().filter(|other| *other == side).count();
            let back = sides.iter().filter(|other| **other == [side[1], side[0]]).count();
            assert!(same == 1 && back <= 1, "{inside:b}: side {side:?} occurs {same} and {back} times");
            let within_face = cell.side_cost(side[0], side[1]) >= 1.0e3;
            assert_eq!(within_face, back == 0, "{inside:b}: side {side:?} in {triangles:?}");
        }
        let crossed = |[a, b]: &[u8; 2]| (inside >> a ^ inside >> b) & 1 == 1;
        let used = (0..cell.edges.len() as u8).filter(|edge| sides.iter().flatten().any(|e| e == edge));
        assert_eq!(used.count(), cell.edges.iter().filter(|edge| crossed(edge)).count());
    }

    #[test]
    fn every_cube_is_cut_cleanly() {
        (0..256).for_each(|inside| check(&cube(), inside));
    }

    #[test]
    fn every_transition_is_cut_cleanly() {
        (0..1 << 13).for_each(|inside| check(&transition(), inside));
    }

    #[test]
    fn a_corner_in_the_ground_faces_away_from_it() {
        let cell = cube();
        let triangle = cell.triangles(1)[0];
        let axes = triangle.map(|edge| cell.edges()[usize::from(edge)][1]);
        let turns = [[1, 2, 4], [2, 4, 1], [4, 1, 2]];
        assert!(turns.contains(&axes), "{axes:?}");
    }
}
