//! A tree of boxes that rays walk: over the triangles of a mesh, and over the bodies of a world.

use barchan_volume::Aabb;
use glam::Vec3;

/// Most things in a leaf.
const LEAF: usize = 4;

/// Things in a tree of boxes.
pub(super) struct BoxTree {
    /// Parents before children; the first child follows its parent.
    nodes: Vec<Node>,
    /// Numbers of the things, in the order of the leaves.
    order: Vec<u32>,
}

struct Node {
    bounds: Aabb,
    /// Of a leaf: its things. Of others: none.
    first: u32,
    count: u32,
    /// The second child.
    second: u32,
}

/// A ray for boxes.
#[derive(Clone, Copy)]
pub(super) struct BoxRay {
    pub origin: Vec3,
    pub direction: Vec3,
}

impl BoxTree {
    /// The tree over things with these boxes.
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut tree = Self { nodes: Vec::new(), order: (0..boxes.len() as u32).collect() };
        if !boxes.is_empty() {
            tree.build(boxes, 0, boxes.len());
        }
        tree
    }

    fn build(&mut self, boxes: &[Aabb], first: usize, end: usize) {
        let of = |number: &u32| boxes[*number as usize];
        let bounds = self.order[first..end].iter().fold(Aabb::EMPTY, |sum, number| sum.union(&of(number)));
        let at = self.nodes.len();
        let is_leaf = end - first <= LEAF;
        let count = if is_leaf { end - first } else { 0 };
        self.nodes.push(Node { bounds, first: first as u32, count: count as u32, second: 0 });
        if is_leaf {
            return;
        }
        let axis = (bounds.max - bounds.min).max_position();
        let middle = first + (end - first) / 2;
        let key = |number: &u32| of(number).min[axis] + of(number).max[axis];
        self.order[first..end]
            .select_nth_unstable_by(middle - first, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        self.build(boxes, first, middle);
        self.nodes[at].second = self.nodes.len() as u32;
        self.build(boxes, middle, end);
    }

    /// The nearest thing that `hit` finds on a ray before `reach`, with what it says of it. `hit` gets the thing's
    /// number and the distance so far, and answers with a nearer one.
    pub fn nearest<T>(
        &self,
        ray: &BoxRay,
        reach: f32,
        mut hit: impl FnMut(u32, f32) -> Option<(f32, T)>,
    ) -> Option<(f32, T)> {
        let inverse = ray.direction.recip();
        let (mut near, mut best) = (reach, None);
        // Halving keeps the tree shallower than the bits of a number.
        let mut waiting = [0_u32; 64];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let at = waiting[count];
            let node = &self.nodes[at as usize];
            if !meets(&node.bounds, ray.origin, inverse, near) {
                continue;
            }
            if node.count == 0 {
                (waiting[count], waiting[count + 1]) = (node.second, at + 1);
                count += 2;
                continue;
            }
            for number in &self.order[node.first as usize..(node.first + node.count) as usize] {
                if let Some((t, what)) = hit(*number, near) {
                    (near, best) = (t, Some((t, what)));
                }
            }
        }
        best
    }
}

#[inline]
fn meets(bounds: &Aabb, origin: Vec3, inverse: Vec3, reach: f32) -> bool {
    let (a, b) = ((bounds.min - origin) * inverse, (bounds.max - origin) * inverse);
    let enter = a.min(b).max_element().max(0.0);
    // Wider by what rounding may take.
    let leave = a.max(b).min_element() * (1.0 + 4.0 * f32::EPSILON);
    enter <= leave && enter < reach
}
