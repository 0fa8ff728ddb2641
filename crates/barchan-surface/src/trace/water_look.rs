//! Light at water: mirrored at its surface, bent into it, taken away by depth, thrown back by what it carries.

use glam::{Vec3, Vec3A};

use super::chance::Spread;
use super::light::{Lighting, Sample};
use super::stage::Hit;
use super::walk::Ray;
use super::water_walk::refract;

/// Refractive index of air over that of water (-).
const INTO_WATER: f32 = 0.75;
/// Share that is mirrored head-on (Fresnel, index 1.33).
const MIRRORED: f32 = 0.02;
/// Light that clear water takes away (1/m, linear RGB): that of a stream, somewhat greener than the purest water.
const ABSORBED_PER_M: Vec3 = Vec3::new(0.85, 0.26, 0.20);
/// Light that clear water gives back of that.
const DEEP: Vec3 = Vec3::new(0.018, 0.085, 0.095);
/// Light that water with as much sediment as water takes away (1/m): half a per mille of silt is opaque over metres.
const MURK_PER_M: f32 = 160.0;
/// How bright sediment is, in parts of the brightest of its hue.
const MUD: f32 = 0.5;
/// How sharp the sun is mirrored: water is never quite smooth.
const GLOSS: f32 = 1_800.0;
/// Cells by which rays start off the surface.
const LIFT: f32 = 0.3;

impl Lighting<'_> {
    /// What a ray sees that enters water at distance `t` (voxels), after `gone` that it came before.
    pub(super) fn see_water(
        &self,
        ray: &Ray,
        t: f32,
        spreading: f32,
        spread: &Spread,
        number: u32,
    ) -> Sample {
        let water = &self.stage.water;
        let place = ray.at(t);
        let normal = water.normal(place);
        let along = Vec3::from(ray.direction);
        let normal = if normal.dot(along) > -0.02 {
            (normal - along * (normal.dot(along) + 0.02)).normalize_or(-along)
        } else {
            normal
        };
        let off = Vec3A::from(normal) * (LIFT * water.cell);
        let mirror = MIRRORED + (1.0 - MIRRORED) * (1.0 + along.dot(normal)).clamp(0.0, 1.0).powi(5);

        let up = along.reflect(normal);
        let mirrored = self.glance(&Ray::new(place + off, up.into()), t, spreading, spread, number);
        let toward = self.sky.toward_sun([0.5, 0.5]);
        let is_sunny = normal.dot(toward) > 0.0
            && !self.stage.is_blocked(&Ray::new(place + off, toward.into()), f32::INFINITY);
        let sun = if is_sunny { self.sky.sunlight } else { Vec3::ZERO };
        let glint = sun * (up.dot(toward).max(0.0).powf(GLOSS) * 40.0);

        let bent = refract(ray.direction, normal.into(), INTO_WATER).unwrap_or(ray.direction);
        let inner = Ray::new(place - off, bent);
        let hit = self.stage.cast(&inner);
        let way = water.way(&inner, hit.map_or(f32::INFINITY, |hit| hit.t));
        let metres = way.length * self.stage.field.voxel_size_m;
        let seen = if way.leaves {
            let beyond = self.beyond(&inner, way.length);
            let light = self.glance(&beyond, t + way.length, spreading, spread, number);
            Sample { rest: light, ..Sample::default() }
        } else {
            self.see_dry(&inner, hit, t, spreading, spread, number)
        };

        let clear = (ABSORBED_PER_M * -metres).map(f32::exp);
        let load = way.mud.max_element() * self.stage.field.voxel_size_m;
        let murk = 1.0 - (-MURK_PER_M * load).exp();
        let day = sun * normal.dot(toward).max(0.0) + Vec3::new(0.62, 0.70, 0.82);
        let mud = way.mud / way.mud.max_element().max(1e-9) * (MUD * murk) * day;
        let own = DEEP * day * (1.0 - clear) * (1.0 - murk) + mud;
        let (through, air) = ((1.0 - mirror) * (1.0 - murk), self.air(t));
        let haze = self.sky.haze(along) * (1.0 - air);
        Sample {
            albedo: seen.albedo * clear * (through * air),
            skylight: seen.skylight,
            rest: (seen.rest * clear * through + own * (1.0 - mirror) + mirrored * mirror + glint) * air
                + haze,
            surface: seen.surface.filter(|_| murk < 0.7).or(Some((normal, place.into()))),
        }
    }

    /// The ray that goes on where one leaves water after `length` (voxels): bent, or mirrored back.
    fn beyond(&self, inner: &Ray, length: f32) -> Ray {
        let water = &self.stage.water;
        let place = inner.at(length);
        let outward = Vec3A::from(water.normal(place));
        let off = outward * (LIFT * water.cell);
        match refract(inner.direction, -outward, 1.0 / INTO_WATER) {
            Some(out) => Ray::new(place + off, out),
            // What is mirrored inside is taken as if it left there: it comes from below, where it is dark.
            None => Ray::new(place + off, inner.direction),
        }
    }

    /// All light that comes along a ray, without looking for water again.
    fn glance(&self, ray: &Ray, gone: f32, spreading: f32, spread: &Spread, number: u32) -> Vec3 {
        let hit: Option<Hit> = self.stage.cast(ray);
        let seen = self.see_dry(ray, hit, gone, spreading, spread, number);
        seen.albedo * seen.skylight + seen.rest
    }
}
