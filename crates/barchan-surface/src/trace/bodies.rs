//! The bodies of a world, in a tree that rays walk.

use barchan_sim::World;
use barchan_volume::Aabb;
use glam::{Quat, Vec3, Vec3A};

use super::boxes::{BoxRay, BoxTree};
use super::field::Field;
use super::shapes::Traced;
use super::walk::Ray;

/// All bodies, at places of a field.
pub(super) struct BodySet {
    bodies: Vec<Placed>,
    tree: BoxTree,
    /// The box around all of them (places); empty without any.
    pub bounds: Aabb,
}

/// One body.
pub(super) struct Placed {
    traced: Traced,
    centre: Vec3,
    rotation: Quat,
    /// Places per metre.
    scale: f32,
    /// Mass per volume, from which its looks follow (kg/m³).
    pub density_kg_m3: f32,
    /// Tells bodies apart.
    pub number: u32,
}

/// Where a ray meets a body.
#[derive(Clone, Copy)]
pub(super) struct BodyHit {
    /// Which.
    pub body: u32,
    /// Outward, in the world.
    pub normal: Vec3,
}

impl BodySet {
    /// The bodies of `world` where they are now.
    pub fn of(world: &World, field: &Field) -> Self {
        let scale = 1.0 / field.voxel_size_m;
        let (mut bodies, mut boxes) = (Vec::new(), Vec::new());
        for body in world.bodies().iter() {
            let bounds = body.solid().bounds();
            if bounds.is_empty() || !body.pose.translation.is_finite() {
                continue;
            }
            let corner = |point: Vec3| Vec3::from(field.place(point));
            boxes.push(Aabb::new(corner(bounds.min), corner(bounds.max)));
            bodies.push(Placed {
                traced: Traced::new(&body.spec.shape),
                centre: corner(body.pose.translation),
                rotation: body.pose.rotation,
                scale,
                density_kg_m3: body.spec.density_kg_m3,
                number: body.id.0,
            });
        }
        let bounds = boxes.iter().fold(Aabb::EMPTY, |sum, one| sum.union(one));
        Self { bodies, tree: BoxTree::new(&boxes), bounds }
    }

    /// The first body on a ray before `reach`, and how far it is (voxels).
    pub fn cast(&self, ray: &Ray, reach: f32) -> Option<(f32, BodyHit)> {
        if self.bodies.is_empty() {
            return None;
        }
        let ray = BoxRay { origin: ray.origin.into(), direction: ray.direction.into() };
        self.tree.nearest(&ray, reach, |number, near| {
            let (t, normal) = self.bodies[number as usize].cast(&ray, near)?;
            Some((t, BodyHit { body: number, normal }))
        })
    }

    /// A body.
    pub fn get(&self, number: u32) -> &Placed {
        &self.bodies[number as usize]
    }
}

impl Placed {
    fn cast(&self, ray: &BoxRay, reach: f32) -> Option<(f32, Vec3)> {
        let back = self.rotation.conjugate();
        let own = BoxRay {
            origin: back * (ray.origin - self.centre) / self.scale,
            direction: back * ray.direction,
        };
        let (t, normal) = self.traced.cast(&own, reach / self.scale)?;
        Some((t * self.scale, self.rotation * normal))
    }

    /// A place in the body's own frame (m).
    pub fn own(&self, place: Vec3A) -> Vec3 {
        self.rotation.conjugate() * (Vec3::from(place) - self.centre) / self.scale
    }
}
