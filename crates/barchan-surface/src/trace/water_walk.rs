//! Rays through the field of water: where they enter it, and what they pass in it until they leave.

use glam::{Vec3, Vec3A};

use super::walk::Ray;
use super::water_field::{Brick, WaterField};

/// The fill that is the surface.
const LEVEL: f32 = 0.5;
/// Distance between looks (cells).
const STRIDE: f32 = 0.45;
/// Halvings that find the surface between two looks.
const HALVINGS: u32 = 7;
/// Most looks of one ray: it ends there rather than go on for ever.
const MOST_LOOKS: u32 = 20_000;

/// What a ray passes in water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WayInWater {
    /// How far it is until it leaves, or to what stands in it (voxels).
    pub length: f32,
    /// It leaves before that.
    pub leaves: bool,
    /// Sediment along it (linear RGB times voxels).
    pub mud: Vec3,
}

impl WaterField {
    /// Where a ray enters water before `reach` (voxels).
    pub fn cast(&self, ray: &Ray, reach: f32) -> Option<f32> {
        let mut last: Option<f32> = None;
        self.walk(ray, reach, |field, t, brick| {
            let here = brick.filter(|brick| brick.most >= LEVEL).map_or(0.0, |_| field.at(ray.at(t)).w);
            let enters = here >= LEVEL && last.is_some_and(|before| before < LEVEL);
            last = Some(here);
            enters
        })
        .map(|(before, after)| self.halve(ray, before, after))
    }

    /// The way of a ray that starts in water, no further than `reach` (voxels).
    pub fn way(&self, ray: &Ray, reach: f32) -> WayInWater {
        let (mut mud, mut last) = (Vec3::ZERO, 0.0);
        let out = self.walk(ray, reach, |field, t, brick| {
            let here = if brick.is_some() { field.at(ray.at(t)) } else { Default::default() };
            mud += here.truncate() * (t - last);
            last = t;
            here.w < LEVEL && t > 0.0
        });
        match out {
            Some((before, after)) => WayInWater { length: self.halve(ray, before, after), leaves: true, mud },
            None => WayInWater { length: reach.min(last), leaves: reach > last + self.cell, mud },
        }
    }

    /// Looks along a ray until `is_there` says so; returns the last two distances. Bricks without water are one step.
    fn walk(
        &self,
        ray: &Ray,
        reach: f32,
        mut is_there: impl FnMut(&Self, f32, Option<&Brick>) -> bool,
    ) -> Option<(f32, f32)> {
        if self.is_empty() {
            return None;
        }
        let (enter, leave, _) = ray.through(self.low, self.high)?;
        let (mut t, end) = (enter.max(0.0), leave.min(reach));
        let (stride, mut before) = (STRIDE * self.cell, enter.max(0.0));
        for _ in 0..MOST_LOOKS {
            if t > end {
                return None;
            }
            let (key, brick) = self.brick(ray.at(t));
            if is_there(self, t, brick) {
                return Some((before, t));
            }
            before = t;
            let is_dry = brick.is_none_or(|brick| brick.most < LEVEL);
            let [low, high] = self.corners(key);
            let beyond = ray.through(low, high).filter(|_| is_dry).map_or(t, |(_, leave, _)| leave);
            // A ray along an edge may miss the brick it is in: then it goes on as in water.
            t = (t + stride).max(beyond + 1e-3 * self.cell);
        }
        None
    }

    /// The surface between two distances.
    fn halve(&self, ray: &Ray, mut before: f32, mut after: f32) -> f32 {
        let is_water = |t: f32| self.at(ray.at(t)).w >= LEVEL;
        let ends_in_water = is_water(after);
        for _ in 0..HALVINGS {
            let middle = (before + after) / 2.0;
            if is_water(middle) == ends_in_water {
                after = middle;
            } else {
                before = middle;
            }
        }
        (before + after) / 2.0
    }
}

/// A direction bent at a surface from one medium into another, `ratio` of their indices; none where all is mirrored.
pub(super) fn refract(direction: Vec3A, normal: Vec3A, ratio: f32) -> Option<Vec3A> {
    let facing = -direction.dot(normal);
    let inside = 1.0 - ratio * ratio * (1.0 - facing * facing);
    (inside >= 0.0).then(|| (direction * ratio + normal * (ratio * facing - inside.sqrt())).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::field::Field;
    use crate::trace::test_water::tank;

    #[test]
    fn a_ray_enters_a_tank_at_its_surface_and_leaves_at_its_floor() {
        let (world, water) = tank(0.05);
        let ground = Field::of(&world);
        let field = WaterField::of(&water, world.materials(), &ground);
        let down = Ray::new(ground.place(Vec3::new(1.02, 0.97, 3.0)), Vec3A::NEG_Z);
        // Voxels are a tenth of a metre.
        let t = field.cast(&down, f32::INFINITY).expect("there is water");
        assert!((t - 20.0).abs() < 0.2, "{t}");
        assert_eq!(field.cast(&down, 15.0), None);
        let inside = Ray::new(down.at(t + 0.05), Vec3A::NEG_Z);
        let way = field.way(&inside, f32::INFINITY);
        assert!(way.leaves && (way.length - 10.0).abs() < 0.3, "{way:?}");
        let stopped = field.way(&inside, 4.0);
        assert!(!stopped.leaves && (stopped.length - 4.0).abs() < 0.5, "{stopped:?}");
        let past = Ray::new(ground.place(Vec3::new(3.0, 3.0, 3.0)), Vec3A::NEG_Z);
        assert_eq!(field.cast(&past, f32::INFINITY), None);
    }

    #[test]
    fn light_is_bent_towards_the_normal_and_mirrored_when_it_leaves_too_flat() {
        let slant = Vec3A::new(0.8, 0.0, -0.6);
        let bent = refract(slant, Vec3A::Z, 0.75).expect("it enters");
        assert!((bent.x - 0.6).abs() < 1e-5 && bent.z < -0.79);
        assert_eq!(refract(Vec3A::new(0.9, 0.0, -0.435_889_9), Vec3A::Z, 1.333), None);
    }
}
