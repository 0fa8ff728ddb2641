//! Voxelising meshes, exactly.
//!
//! What lies inside a closed mesh is what lies below its triangles that face up, minus what lies below those that face
//! down. So every triangle adds or takes what it shades ([`Shadows`]). The sums are the exact volumes at any
//! orientation, however thin the solid, and no ray can slip through an edge. Only bricks that the surface does not reach
//! are decided by a ray.

use glam::{DVec2, DVec3, Vec3Swizzles};

use super::coverage::BrickView;
use super::mesh_tree::Frame;
use super::shadow::Shadows;
use super::{Coverage, MeshSolid};
use crate::brick::{EDGE, VOXELS};

/// Triangles whose planes miss the brick by less than this fraction of its size are looked at.
const SLACK: f64 = 1e-6;
const TOP: f64 = EDGE as f64;

/// Fractions of the voxels of a brick inside `solid`.
pub(super) fn coverage(solid: &MeshSolid, view: &BrickView, out: &mut [f32; VOXELS]) -> Coverage {
    // From here on, coordinates are voxels from the lowest corner of the brick.
    let frame = Frame { matrix: view.axes * (1.0 / view.voxel_size_m), offset: 0.5 * TOP - view.centre };
    if !surface_may_cut(solid, &frame) {
        let answer = if centre_is_inside(solid, &frame) { Coverage::Full } else { Coverage::Empty };
        return answer.fill(out);
    }
    let mut shadows = Shadows::new();
    solid.tree().visit_near(&frame, DVec3::ZERO, DVec3::new(TOP, TOP, f64::INFINITY), |corners| {
        shadows.add(corners);
        true
    });
    shadows.sum(out);
    Coverage::of(out)
}

/// False when no triangle reaches into the brick.
fn surface_may_cut(solid: &MeshSolid, frame: &Frame) -> bool {
    let half = DVec3::splat(0.5 * TOP);
    let mut cuts = false;
    solid.tree().visit_near(frame, DVec3::ZERO, 2.0 * half, |[a, b, c]| {
        // Its box does; does its plane?
        let normal = (b - a).cross(c - a);
        cuts = normal.dot(half - a).abs() <= normal.abs().dot(half) * (1.0 + SLACK);
        !cuts
    });
    cuts
}

/// The winding number at the centre of a brick that no triangle reaches into, counted along the ray upwards.
fn centre_is_inside(solid: &MeshSolid, frame: &Frame) -> bool {
    let centre = DVec3::splat(0.5 * TOP);
    let mut winding = 0;
    solid.tree().visit_near(frame, centre, centre.with_z(f64::INFINITY), |[a, b, c]| {
        let [p, q, r] = [a, b, c].map(|corner| corner.xy());
        let at = centre.xy();
        let turns = crossing(p, q, at) + crossing(q, r, at) + crossing(r, p, at);
        let above = (b - a).cross(c - a).dot(a - centre) * f64::from(turns) > 0.0;
        winding += if above { turns } else { 0 };
        true
    });
    winding > 0
}

/// How the edge from `a` to `b` crosses the line from `at` towards +x: upwards 1, downwards -1, not 0. The answer for
/// the same edge backwards is exactly the opposite, so that neighbouring triangles never disagree.
fn crossing(a: DVec2, b: DVec2, at: DVec2) -> i32 {
    let (upwards, low, high) = if a.y <= b.y { (1, a, b) } else { (-1, b, a) };
    let spans = low.y <= at.y && at.y < high.y;
    if spans && (high - low).perp_dot(at - low) > 0.0 { upwards } else { 0 }
}
