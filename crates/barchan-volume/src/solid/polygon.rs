//! Small convex polygons in space, cut along the axes.

use glam::DVec3;

use crate::brick::EDGE;

/// A triangle gains at most one corner per cut, and the voxels of a brick cut it from six sides.
const MAX_CORNERS: usize = 10;

/// A convex polygon; empty with fewer than three corners.
#[derive(Clone, Copy)]
pub(super) struct Polygon {
    corners: [DVec3; MAX_CORNERS],
    count: usize,
}

impl Polygon {
    const EMPTY: Self = Self { corners: [DVec3::ZERO; MAX_CORNERS], count: 0 };

    pub fn from_triangle([a, b, c]: [DVec3; 3]) -> Self {
        let mut polygon = Self::EMPTY;
        for corner in [a, b, c] {
            polygon.push(corner);
        }
        polygon
    }

    fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    #[inline]
    fn push(&mut self, corner: DVec3) {
        self.corners[self.count] = corner;
        self.count += 1;
    }

    #[inline]
    fn range(&self, axis: usize) -> (f64, f64) {
        let of = |(low, high): (f64, f64), p: &DVec3| (low.min(p[axis]), high.max(p[axis]));
        self.corners().iter().fold((f64::INFINITY, f64::NEG_INFINITY), of)
    }

    /// Area of the projection along z and the volume between the polygon and z = 0, both negative when the polygon is
    /// clockwise seen from above.
    #[inline]
    pub fn shadow(&self) -> (f64, f64) {
        let Some((&first, rest)) = self.corners().split_first() else { return (0.0, 0.0) };
        let (mut area, mut volume) = (0.0, 0.0);
        for edge in rest.windows(2) {
            let (u, v) = (edge[0] - first, edge[1] - first);
            let part = 0.5 * (u.x * v.y - u.y * v.x);
            area += part;
            volume += part * (first.z + edge[0].z + edge[1].z) / 3.0;
        }
        (area, volume)
    }

    /// The parts below and above the plane where coordinate `axis` is `at`.
    pub fn split(&self, axis: usize, at: f64) -> (Self, Self) {
        let (low, high) = self.range(axis);
        if high <= at {
            return (*self, Self::EMPTY);
        }
        if low >= at {
            return (Self::EMPTY, *self);
        }
        let (mut below, mut above) = (Self::EMPTY, Self::EMPTY);
        let mut previous = self.corners[self.count - 1];
        for &corner in self.corners() {
            if (previous[axis] < at && corner[axis] > at) || (previous[axis] > at && corner[axis] < at) {
                let crossing = crossing(previous, corner, axis, at);
                below.push(crossing);
                above.push(crossing);
            }
            if corner[axis] <= at {
                below.push(corner);
            }
            if corner[axis] >= at {
                above.push(corner);
            }
            previous = corner;
        }
        (below, above)
    }

    /// The part with coordinate `axis` between `low` and `high`.
    pub fn clipped(self, axis: usize, low: f64, high: f64) -> Self {
        let (min, max) = self.range(axis);
        // Most are not cut at all, and copies cost as much as cuts.
        let above = if min < low { self.split(axis, low).1 } else { self };
        if max > high { above.split(axis, high).0 } else { above }
    }

    /// The first and last voxel layer of a brick along `axis` that the polygon touches. It must lie within the brick
    /// along that axis.
    pub fn layers(&self, axis: usize) -> (usize, usize) {
        let (low, high) = self.range(axis);
        let last = (high.ceil() as usize).clamp(1, EDGE as usize) - 1;
        ((low as usize).min(last), last)
    }

    /// Calls `visit` with the number of every voxel layer of [`Polygon::layers`] and the part of the polygon in it.
    pub fn for_each_layer(&self, axis: usize, mut visit: impl FnMut(usize, &Self)) {
        if self.count < 3 {
            return;
        }
        let (first, last) = self.layers(axis);
        if first == last {
            return visit(first, self);
        }
        let mut rest = *self;
        for layer in first..last {
            let (part, above) = rest.split(axis, (layer + 1) as f64);
            visit(layer, &part);
            rest = above;
        }
        visit(last, &rest);
    }
}

/// Where the edge between two corners meets the plane; the same from both ends.
#[inline]
fn crossing(a: DVec3, b: DVec3, axis: usize, at: f64) -> DVec3 {
    let (low, high) = if a[axis] < b[axis] { (a, b) } else { (b, a) };
    let mut point = low + (high - low) * ((at - low[axis]) / (high[axis] - low[axis]));
    point[axis] = at;
    point
}
