//! Grains: exact spheres in a tree that rays walk.

use barchan_sim::{Materials, SeenParticle};
use barchan_volume::Aabb;
use glam::{Vec3, Vec3A};

use super::boxes::{BoxRay, BoxTree};
use super::chance::{hash, noise};
use super::field::Field;
use super::look::{Look, bump, linear, seen};
use super::walk::Ray;

/// All grains, at places of a field.
pub(super) struct GrainSet {
    grains: Vec<Grain>,
    tree: BoxTree,
    /// The box around all of them (places); empty without any.
    pub bounds: Aabb,
}

struct Grain {
    centre: Vec3,
    radius: f32,
    /// Colour (linear RGB).
    color: Vec3,
}

impl GrainSet {
    /// `grains` where they are.
    pub fn of(grains: &[SeenParticle], materials: &Materials, field: &Field) -> Self {
        let per_metre = 1.0 / field.voxel_size_m;
        let colors: Vec<Vec3> = materials.iter().map(|(_, material)| linear(material.color)).collect();
        let sound = |seen: &&SeenParticle| {
            seen.centre_m.is_finite() && seen.radius_m > 0.0 && seen.radius_m.is_finite()
        };
        let grains: Vec<Grain> = grains
            .iter()
            .filter(sound)
            .map(|seen| {
                let base = colors.get(usize::from(seen.kind.0)).copied().unwrap_or(Vec3::splat(0.4));
                // Neighbours of one kind differ a little, the spheres of one grain do not.
                let shade = 0.82 + 0.3 * (hash(seen.id.0) >> 8) as f32 / 16_777_216.0;
                let (centre, radius) = (field.place(seen.centre_m).into(), seen.radius_m * per_metre);
                Grain { centre, radius, color: (base * shade).min(Vec3::ONE) }
            })
            .collect();
        let around = |grain: &Grain| Aabb::new(grain.centre - grain.radius, grain.centre + grain.radius);
        let boxes: Vec<Aabb> = grains.iter().map(around).collect();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |sum, one| sum.union(one));
        Self { grains, tree: BoxTree::new(&boxes), bounds }
    }

    /// The first grain on a ray before `reach` (voxels): how far it is, which, and its outward normal there.
    pub fn cast(&self, ray: &Ray, reach: f32) -> Option<(f32, (u32, Vec3))> {
        if self.grains.is_empty() {
            return None;
        }
        let ray = BoxRay { origin: ray.origin.into(), direction: ray.direction.into() };
        self.tree.nearest(&ray, reach, |number, near| {
            let Grain { centre, radius, .. } = self.grains[number as usize];
            let from = ray.origin - centre;
            // The point of the ray nearest to the centre: exact also for small spheres far away.
            let middle = -from.dot(ray.direction);
            let off = from + ray.direction * middle;
            let inside = radius * radius - off.length_squared();
            if inside < 0.0 {
                return None;
            }
            let t = middle - inside.sqrt();
            let normal = (from + ray.direction * t).normalize_or(Vec3::Z);
            (t > 0.0 && t < near).then_some((t, (number, normal)))
        })
    }

    /// The looks of a grain at a place on it. `footprint`: width of a pixel there (voxels).
    pub fn look(&self, number: u32, place: Vec3A, normal: Vec3, footprint: f32) -> Look {
        let Grain { centre, radius, color } = self.grains[number as usize];
        // Turned out of the way of the axes, and other on every grain.
        let p = (Vec3::from(place) - centre) / radius * 2.3 + Vec3::splat((hash(number) & 1023) as f32);
        let share = seen(0.43 * radius, footprint);
        let (blotch, rough) = noise(p);
        let normal = bump(normal, rough * (0.10 * share));
        Look { shine: 0.012, gloss: 14.0, ..Look::dull(color * (1.0 + 0.08 * blotch * share), normal) }
    }
}
