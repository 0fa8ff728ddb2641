//! The stage: ground, bodies, particles and the table they stand on, as rays meet them.

use barchan_sim::{SeenParticles, World};
use glam::{Vec3, Vec3A};

use super::bodies::{BodyHit, BodySet};
use super::field::Field;
use super::grains::GrainSet;
use super::walk::Ray;
use super::water_field::WaterField;

/// Everything that rays can meet.
pub(super) struct Stage {
    pub field: Field,
    pub bodies: BodySet,
    pub grains: GrainSet,
    /// What rays are bent by: [`Stage::cast`] goes through it.
    pub water: WaterField,
    /// Height of the table (places).
    pub table: f32,
    /// The middle of everything (places).
    pub middle: Vec3A,
    /// Half the diagonal of everything (voxels).
    pub radius: f32,
}

/// What a ray meets first.
#[derive(Clone, Copy)]
pub(super) struct Hit {
    /// Distance (voxels).
    pub t: f32,
    /// Outward.
    pub normal: Vec3,
    pub on: On,
}

/// What was met.
#[derive(Clone, Copy)]
pub(super) enum On {
    Ground { is_cut: bool },
    Body(u32),
    Grain(u32),
    Table,
}

impl Stage {
    pub fn of(world: &World, particles: &SeenParticles) -> Self {
        let field = Field::of(world);
        let bodies = BodySet::of(world, &field);
        let grains = GrainSet::of(&particles.grains, world.materials(), &field);
        let water = WaterField::of(&particles.water, world.materials(), &field);
        let (mut low, mut high) = (field.low, field.high);
        if !bodies.bounds.is_empty() {
            let (body_low, body_high) = (Vec3A::from(bodies.bounds.min), Vec3A::from(bodies.bounds.max));
            if field.is_empty() {
                (low, high) = (body_low, body_high);
            }
            // A body that has fallen for long does not take the table with it.
            (low, high) = (low.min(body_low.with_z(low.z)), high.max(body_high));
        }
        if field.is_empty() && bodies.bounds.is_empty() {
            (low, high) = around_particles(&grains, &water).unwrap_or((low, high));
        }
        let (middle, radius) = ((low + high) / 2.0, ((high - low).length() / 2.0).max(1.0));
        // A hair below the ground, so that its lower face is its own.
        let table = low.z - 1e-3 * radius;
        Self { field, bodies, grains, water, table, middle, radius }
    }

    /// What a ray meets first, if water were air.
    pub fn cast(&self, ray: &Ray) -> Option<Hit> {
        let ground = self.field.cast(ray, f32::INFINITY);
        let mut reach = ground.map_or(f32::INFINITY, |hit| hit.t);
        let body = self.bodies.cast(ray, reach);
        reach = body.map_or(reach, |(t, _)| t);
        let grain = self.grains.cast(ray, reach);
        reach = grain.map_or(reach, |(t, _)| t);
        if let Some(t) = self.table_at(ray).filter(|t| *t < reach) {
            return Some(Hit { t, normal: Vec3::Z, on: On::Table });
        }
        if let Some((t, (grain, normal))) = grain {
            return Some(Hit { t, normal, on: On::Grain(grain) });
        }
        if let Some((t, BodyHit { body, normal })) = body {
            return Some(Hit { t, normal, on: On::Body(body) });
        }
        let hit = ground?;
        let normal = hit.cut.or_else(|| self.field.normal(ray.at(hit.t)));
        let normal = normal.unwrap_or(Vec3A::Z).into();
        Some(Hit { t: hit.t, normal, on: On::Ground { is_cut: hit.cut.is_some() } })
    }

    /// Whether anything but the table stands in the way within `reach` (voxels).
    pub fn is_blocked(&self, ray: &Ray, reach: f32) -> bool {
        self.field.is_in_the_way(ray, reach)
            || self.bodies.cast(ray, reach).is_some()
            || self.grains.cast(ray, reach).is_some()
    }

    /// Where a ray comes down onto the table.
    pub fn table_at(&self, ray: &Ray) -> Option<f32> {
        let t = (self.table - ray.origin.z) / ray.direction.z;
        (ray.direction.z < 0.0 && t > 0.0).then_some(t)
    }
}

/// The box around all particles, where there is nothing else (places).
fn around_particles(grains: &GrainSet, water: &WaterField) -> Option<(Vec3A, Vec3A)> {
    let (low, high) = (Vec3A::from(grains.bounds.min), Vec3A::from(grains.bounds.max));
    match (grains.bounds.is_empty(), water.is_empty()) {
        (true, true) => None,
        (false, true) => Some((low, high)),
        (true, false) => Some((water.low, water.high)),
        (false, false) => Some((low.min(water.low), high.max(water.high))),
    }
}
