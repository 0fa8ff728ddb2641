//! The surface of a body as particles meet it: how far it is from a point, and which way leads away from it.

use std::fmt;

use barchan_volume::{Pose, Solid};
use glam::Vec3;
use rapier3d::prelude::SharedShape;

use super::{Bodies, BodyId};

/// Closer than this no direction can be told (m).
const CLOSEST_M: f32 = 1e-7;

/// The surface of a hull or a mesh, as bodies collide with it: a mesh that moves by forces is made of its convex parts.
#[derive(Clone)]
pub struct BodySurface {
    shape: SharedShape,
    bound_m: f32,
}

impl fmt::Debug for BodySurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BodySurface within {} m", self.bound_m)
    }
}

impl Bodies {
    /// The surface of a body; none when there is no such body.
    pub fn surface(&self, id: BodyId) -> Option<BodySurface> {
        let entry = self.entries.get(&id)?;
        let shape = self.rapier.shape(entry.handle)?;
        let bounds = Solid { shape: entry.spec.shape.clone(), pose: Pose::IDENTITY }.bounds();
        let bound_m = bounds.min.abs().max(bounds.max.abs()).length();
        Some(BodySurface { shape, bound_m })
    }
}

impl BodySurface {
    /// Distance (m) of a point in the own frame of the body (m), below 0 inside, and the unit vector that leads away from the
    /// surface; none where the point lies in the surface.
    #[inline]
    pub fn way_to(&self, own_m: Vec3) -> Option<(f32, Vec3)> {
        let nearest = self.shape.project_local_point(own_m, false);
        let way = own_m - nearest.point;
        let far = way.length();
        if !(far > CLOSEST_M && far.is_finite()) {
            return None;
        }
        Some(if nearest.is_inside { (-far, way / -far) } else { (far, way / far) })
    }

    /// Radius of the ball around the origin of the own frame that holds the body (m).
    pub fn bound_m(&self) -> f32 {
        self.bound_m
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use barchan_volume::{Hull, Shape};

    use super::*;
    use crate::bodies::{BodySpec, Motion};

    #[test]
    fn a_hull_is_as_far_as_the_box_that_it_is() {
        let half = Vec3::new(1.0, 0.5, 0.25);
        let corners = (0..8)
            .map(|k| half * Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32) * 2.0 - half);
        let hull = Shape::Hull(Arc::new(Hull::new(corners.collect()).unwrap()));
        let mut bodies = Bodies::new();
        let id = bodies.insert(BodySpec::new("hull", hull, Pose::IDENTITY, Motion::Dynamic)).unwrap();
        let surface = bodies.surface(id).unwrap();
        for (p, far, way) in [
            (Vec3::new(1.3, 0.1, 0.0), 0.3, Vec3::X),
            (Vec3::new(0.0, 0.0, -0.5), 0.25, Vec3::NEG_Z),
            (Vec3::new(0.2, 0.45, 0.0), -0.05, Vec3::Y),
            (Vec3::new(1.3, 0.9, 0.0), 0.5, Vec3::new(0.6, 0.8, 0.0)),
        ] {
            let found = surface.way_to(p).unwrap();
            assert!((found.0 - far).abs() < 1e-4 && (found.1 - way).length() < 1e-3, "{p}: {found:?}");
        }
    }
}
