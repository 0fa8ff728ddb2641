//! A tree of boxes around the triangles of a mesh, built once in the mesh's own frame and asked in any other.

use glam::{DMat3, DVec3, Vec3};

use super::Aabb;
use crate::mesh::TriMesh;

/// Most triangles in a leaf.
const LEAF: usize = 4;
/// Slack of box tests, in units of the asker: far above the rounding of f64, far below anything that matters.
const SLACK: f64 = 1e-6;

/// The triangles of a mesh in a tree of boxes.
#[derive(Clone, Debug)]
pub(super) struct MeshTree {
    /// Parents before children; the first child follows its parent.
    nodes: Vec<Node>,
    /// Corners in the order of the leaves (m).
    triangles: Vec<[Vec3; 3]>,
}

#[derive(Clone, Debug)]
struct Node {
    centre: Vec3,
    half: Vec3,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// The second child's place.
    Inner { second: u32 },
    /// A range of triangles.
    Leaf { first: u32, count: u32 },
}

/// The frame of someone who asks: `matrix * point + offset`.
pub(super) struct Frame {
    pub matrix: DMat3,
    pub offset: DVec3,
}

impl Frame {
    #[inline]
    fn place(&self, point: Vec3) -> DVec3 {
        self.matrix * point.as_dvec3() + self.offset
    }
}

impl MeshTree {
    /// The tree over all triangles of `mesh`.
    pub fn new(mesh: &TriMesh) -> Self {
        let mut triangles: Vec<_> = (0..mesh.triangles.len()).map(|index| mesh.corners(index)).collect();
        let mut nodes = Vec::with_capacity(triangles.len().div_ceil(LEAF) * 4);
        build(&mut nodes, &mut triangles, 0);
        Self { nodes, triangles }
    }

    /// Calls `visit` with every triangle, in `frame`, whose own box comes near the box from `low` to `high`, until it
    /// answers false.
    pub fn visit_near(
        &self,
        frame: &Frame,
        low: DVec3,
        high: DVec3,
        mut visit: impl FnMut([DVec3; 3]) -> bool,
    ) {
        let (low, high) = (low - SLACK, high + SLACK);
        let near = |min: DVec3, max: DVec3| min.cmple(high).all() && low.cmple(max).all();
        let stretch =
            DMat3::from_cols(frame.matrix.x_axis.abs(), frame.matrix.y_axis.abs(), frame.matrix.z_axis.abs());
        // Halving keeps the tree shallower than the bits of a triangle's number.
        let mut waiting = [0_u32; 64];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let at = waiting[count];
            let node = &self.nodes[at as usize];
            let (centre, half) = (frame.place(node.centre), stretch * node.half.as_dvec3());
            if !near(centre - half, centre + half) {
                continue;
            }
            match node.kind {
                Kind::Inner { second } => {
                    waiting[count] = second;
                    waiting[count + 1] = at + 1;
                    count += 2;
                }
                Kind::Leaf { first, count: length } => {
                    for corners in &self.triangles[first as usize..(first + length) as usize] {
                        let [a, b, c] = corners.map(|corner| frame.place(corner));
                        if near(a.min(b).min(c), a.max(b).max(c)) && !visit([a, b, c]) {
                            return;
                        }
                    }
                }
            }
        }
    }
}

/// Adds the node over `triangles`, of which the first is number `first`, and all nodes below it.
fn build(nodes: &mut Vec<Node>, triangles: &mut [[Vec3; 3]], first: usize) {
    let bounds = Aabb::around(triangles.iter().flatten().copied());
    let at = nodes.len();
    let kind = Kind::Leaf { first: first as u32, count: triangles.len() as u32 };
    let (centre, half) = (0.5 * (bounds.min + bounds.max), 0.5 * (bounds.max - bounds.min));
    // Rounding must not let a corner stick out.
    let half = half + (centre.abs() + half) * f32::EPSILON;
    nodes.push(Node { centre, half, kind });
    if triangles.len() <= LEAF {
        return;
    }
    let axis = half.max_position();
    let middle = triangles.len() / 2;
    let key = |corners: &[Vec3; 3]| corners[0][axis] + corners[1][axis] + corners[2][axis];
    triangles.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)));
    let (low, high) = triangles.split_at_mut(middle);
    build(nodes, low, first);
    nodes[at].kind = Kind::Inner { second: nodes.len() as u32 };
    build(nodes, high, first + middle);
}
