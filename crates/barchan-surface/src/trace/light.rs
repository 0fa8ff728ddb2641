//! Light at a point: sun with soft shadow, sky as far as it is open, light from the surroundings, shine and haze.

use barchan_sim::{SeenParticles, World};
use glam::{Vec3, Vec3A};

use super::body_look;
use super::chance::{Spread, smoothstep};
use super::ground_look::{GroundLooks, GroundPoint};
use super::look::Look;
use super::sky::Sky;
use super::stage::{Hit, On, Stage};
use super::walk::Ray;
use crate::overlay::OverlaySeen;

/// Colour of the table (linear RGB).
const TABLE: Vec3 = Vec3::new(0.47, 0.455, 0.435);
/// Share of the light of day that comes back from ground that hides the sky.
const BOUNCE: f32 = 0.34;
/// Voxels by which light is looked for above the surface, or it would shade itself.
const LIFT: f32 = 0.6;
/// How far things must be to hide the sky, in radii of the stage.
const SKY_REACH: f32 = 0.6;
/// Radii of the stage over which haze takes away all but 1/e of the light.
const HAZE_LENGTH: f32 = 26.0;

/// Patterns of samples, one for each use.
const LENS: u32 = 0;
const SUN: u32 = 1;
const BLEND: u32 = 2;
const BLEND_UP: u32 = 3;
const SKY: u32 = 4;

/// The light of one sample of a pixel, in the parts that are put together later.
#[derive(Clone, Copy, Default)]
pub(super) struct Sample {
    /// Colour that light of the sky is multiplied by (linear RGB).
    pub albedo: Vec3,
    /// Light of the sky on the surface (linear RGB).
    pub skylight: Vec3,
    /// All other light that reaches the eye (linear RGB).
    pub rest: Vec3,
    /// The surface, to tell pixels of one surface from those of another; none for the sky.
    pub surface: Option<(Vec3, Vec3)>,
}

/// All that the colour of a ray depends on.
pub(super) struct Lighting<'a> {
    pub stage: Stage,
    pub looks: GroundLooks<'a>,
    pub sky: Sky,
    /// Rays to the sky for each sample.
    pub sky_rays: u32,
    /// How far materials blend into each other (voxels): from sample to sample, so that one by itself would be a speckle.
    pub blending: f32,
}

impl<'a> Lighting<'a> {
    pub fn of(
        world: &'a World,
        particles: &SeenParticles,
        overlay: Option<&'a OverlaySeen<'a>>,
        sky: Sky,
        sky_rays: u32,
        blending: f32,
    ) -> Self {
        let looks = GroundLooks::of(world, overlay);
        Self { stage: Stage::of(world, particles), looks, sky, sky_rays, blending }
    }

    /// Where in the pixel sample `number` goes through, from -0.5 to 0.5 either way.
    pub fn lens(spread: &Spread, number: u32) -> [f32; 2] {
        spread.pair(LENS, number).map(|u| u - 0.5)
    }

    /// What a ray sees. `spreading`: how much wider a pixel gets for each voxel of distance.
    pub fn see(&self, ray: &Ray, spreading: f32, spread: &Spread, number: u32) -> Sample {
        let hit = self.stage.cast(ray);
        match self.stage.water.cast(ray, hit.map_or(f32::INFINITY, |hit| hit.t)) {
            Some(t) => self.see_water(ray, t, spreading, spread, number),
            None => self.see_dry(ray, hit, 0.0, spreading, spread, number),
        }
    }

    /// What a ray sees that meets `hit` and no water, after it has `gone` so far (voxels) before.
    pub(super) fn see_dry(
        &self,
        ray: &Ray,
        hit: Option<Hit>,
        gone: f32,
        spreading: f32,
        spread: &Spread,
        number: u32,
    ) -> Sample {
        let direction = Vec3::from(ray.direction);
        let Some(hit) = hit else {
            return Sample { rest: self.sky.light(direction), ..Sample::default() };
        };
        let place = ray.at(hit.t);
        let look = self.look(&hit, place, (gone + hit.t) * spreading, spread, number);
        let clear = self.clearness(&hit, place);
        let start = place + Vec3A::from(hit.normal) * self.lift(&hit);
        let sun = self.sunlight(start, &hit, &look, direction, spread.pair(SUN, number));
        let mirrored = self.mirrored(&hit, &look, direction);
        let haze = self.sky.haze(direction) * (1.0 - clear);
        Sample {
            albedo: look.albedo * clear,
            skylight: self.skylight(start, &hit, &look, spread, number),
            rest: (sun + mirrored) * clear + haze,
            surface: Some((hit.normal, place.into())),
        }
    }

    fn look(&self, hit: &Hit, place: Vec3A, footprint: f32, spread: &Spread, number: u32) -> Look {
        match hit.on {
            On::Table => Look::dull(TABLE, Vec3::Z),
            On::Body(body) => {
                let voxel_m = self.stage.field.voxel_size_m;
                let body = self.stage.bodies.get(body);
                body_look::look(body, place, hit.normal, footprint * voxel_m, voxel_m)
            }
            On::Grain(grain) => self.stage.grains.look(grain, place, hit.normal, footprint),
            On::Ground { is_cut } => {
                let ([u, v], [w, _]) = (spread.pair(BLEND, number), spread.pair(BLEND_UP, number));
                let jitter = (Vec3::new(u, v, w) - 0.5) * self.blending;
                let point = GroundPoint { place, normal: hit.normal, is_cut, footprint, jitter };
                self.looks.look(&self.stage.field, &point)
            }
        }
    }

    /// Share of light that haze leaves over a distance (voxels).
    pub(super) fn air(&self, distance: f32) -> f32 {
        (-distance / (HAZE_LENGTH * self.stage.radius)).exp()
    }

    /// Share of light that haze leaves of what is met. The table ends in it, as in the sweep of a studio.
    fn clearness(&self, hit: &Hit, place: Vec3A) -> f32 {
        let radius = self.stage.radius;
        let air = self.air(hit.t);
        match hit.on {
            On::Table => {
                let away = (place - self.stage.middle).truncate().length() / radius;
                air * (-(away / 5.0).powi(2)).exp()
            }
            _ => air,
        }
    }

    fn lift(&self, hit: &Hit) -> f32 {
        match hit.on {
            On::Ground { is_cut: false } => LIFT,
            _ => 1e-3 + 2e-6 * self.stage.radius,
        }
    }

    fn sunlight(&self, start: Vec3A, hit: &Hit, look: &Look, seen_along: Vec3, u: [f32; 2]) -> Vec3 {
        let toward = self.sky.toward_sun(u);
        let facing = look.normal.dot(toward);
        // Relief may turn a little towards a sun that is below the surface itself.
        if facing <= 0.0 || hit.normal.dot(toward) <= -0.05 {
            return Vec3::ZERO;
        }
        if self.stage.is_blocked(&Ray::new(start, toward.into()), f32::INFINITY) {
            return Vec3::ZERO;
        }
        let dull = self.sky.sunlight * facing * look.albedo;
        if look.shine == 0.0 {
            return dull;
        }
        let half = (toward - seen_along).normalize_or(look.normal);
        let lobe = (look.gloss + 8.0) / 8.0 * half.dot(look.normal).max(0.0).powf(look.gloss);
        dull + self.sky.sunlight * (facing * look.shine * lobe)
    }

    /// The sky in a surface that shines: most of it at a grazing look (Schlick 1994).
    fn mirrored(&self, hit: &Hit, look: &Look, seen_along: Vec3) -> Vec3 {
        if look.shine == 0.0 {
            return Vec3::ZERO;
        }
        let normal = hit.normal.lerp(look.normal, 0.4).normalize_or(hit.normal);
        let grazing = (1.0 + seen_along.dot(normal)).clamp(0.0, 1.0).powi(5);
        // Rough surfaces mirror little at the edge: their own relief is in the way.
        let share = look.shine + (look.gloss / 160.0).min(0.6) * grazing;
        let direction = seen_along.reflect(normal);
        self.sky.light(direction) * share * smoothstep(-0.1, 0.2, direction.z)
    }

    /// Light of the sky as far as it is seen, and of the surroundings where it is not.
    fn skylight(&self, start: Vec3A, hit: &Hit, look: &Look, spread: &Spread, number: u32) -> Vec3 {
        let reach = SKY_REACH * self.stage.radius;
        // Light of day on open ground: what surroundings give back.
        let day = self.sky.sunlight * self.sky.sun.z.max(0.0) + Vec3::splat(0.6);
        let mut sum = Vec3::ZERO;
        for ray in 0..self.sky_rays {
            let direction = above(look.normal, hit.normal, spread.pair(SKY, number * self.sky_rays + ray));
            let ray = Ray::new(start, direction.into());
            sum += if self.stage.is_blocked(&ray, reach) {
                day * look.albedo * BOUNCE
            } else if direction.z < 0.0 {
                day * TABLE * 0.6
            } else {
                self.sky.light(direction)
            };
        }
        sum / self.sky_rays as f32
    }
}

/// A direction above a surface, from two numbers in 0..1, as often as light from there counts.
fn above(normal: Vec3, surface: Vec3, [u, v]: [f32; 2]) -> Vec3 {
    let (a, b) = normal.any_orthonormal_pair();
    let (radius, turn) = (u.sqrt(), v * std::f32::consts::TAU);
    let direction =
        a * (radius * turn.cos()) + b * (radius * turn.sin()) + normal * (1.0 - u).max(0.0).sqrt();
    // Relief must not look into the ground.
    let under = direction.dot(surface);
    if under < 0.02 { (direction + surface * (0.02 - under)).normalize_or(surface) } else { direction }
}
