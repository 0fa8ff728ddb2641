//! Pictures: one ray a pixel to the 0.5 level of ground and bodies, sunlight with shadows, light from the sky.

use barchan_sim::bodies::BODY_FULL;
use barchan_sim::{Materials, Voxel, World};
use barchan_volume::RayHit;
use glam::Vec3;
use rayon::prelude::*;

use crate::view::View;

/// Direction to the sun: afternoon, from the south-west.
const SUN: Vec3 = Vec3::new(-0.62, -0.35, 0.70);
/// Sunlight and the two ends of the sky's light (linear RGB).
const SUN_LIGHT: Vec3 = Vec3::new(1.9, 1.72, 1.45);
const SKY_HIGH: Vec3 = Vec3::new(0.36, 0.52, 0.78);
const SKY_LOW: Vec3 = Vec3::new(0.80, 0.83, 0.86);
/// Colour of bodies: painted steel (linear RGB).
const BODY_COLOR: Vec3 = Vec3::new(0.55, 0.20, 0.05);

/// A picture, row by row from the top (sRGB, 8 bits a channel).
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green, blue of every pixel.
    pub rgb: Vec<u8>,
}

/// The picture of `world` as `view` sees it, `size` = width and height (pixels).
pub fn picture(world: &World, view: &View, size: [usize; 2]) -> Image {
    let [width, height] = size;
    let scene = Eye::new(world, view, size);
    let mut rgb = vec![0; width * height * 3];
    rgb.par_chunks_exact_mut(width.max(1) * 3).enumerate().for_each(|(row, line)| {
        for (column, pixel) in line.chunks_exact_mut(3).enumerate() {
            pixel.copy_from_slice(&to_srgb(scene.color(column, row)));
        }
    });
    Image { width, height, rgb }
}

/// Everything a ray needs.
struct Eye<'a> {
    world: &'a World,
    materials: &'a Materials,
    /// Positions in here are in voxels, as the grids have them.
    origin: Vec3,
    axes: [Vec3; 3],
    size: [usize; 2],
    /// Tangent of half the opening.
    slope: f32,
}

impl<'a> Eye<'a> {
    fn new(world: &'a World, view: &View, size: [usize; 2]) -> Self {
        Self {
            world,
            materials: world.materials(),
            origin: view.eye_m / world.ground().voxel_size_m(),
            axes: view.axes(),
            size,
            slope: (view.opening / 2.0).tan(),
        }
    }

    fn color(&self, column: usize, row: usize) -> Vec3 {
        let [width, height] = self.size.map(|side| side as f32);
        let x = (2.0 * (column as f32 + 0.5) - width) / height * self.slope;
        let y = (height - 2.0 * (row as f32 + 0.5)) / height * self.slope;
        let [forward, right, up] = self.axes;
        let direction = (forward + right * x + up * y).normalize();
        match self.nearest(self.origin, direction) {
            Some((hit, albedo)) => self.lit(self.origin + direction * hit.t, &hit, albedo),
            None => SKY_LOW.lerp(SKY_HIGH, (direction.z * 2.0 + 0.3).clamp(0.0, 1.0)),
        }
    }

    /// The first surface on a ray, of ground or body, and its colour.
    fn nearest(&self, origin: Vec3, direction: Vec3) -> Option<(RayHit, Vec3)> {
        let ground = self.world.ground().voxels();
        let fill = |voxel: Voxel| voxel.fill(self.materials);
        let ground_hit = ground.cast_ray(origin, direction, f32::INFINITY, fill);
        let bodies = self.world.body_fill().shares();
        let reach = ground_hit.map_or(f32::INFINITY, |hit| hit.t);
        if let Some(hit) = bodies.cast_ray(origin, direction, reach, body_share) {
            return Some((hit, BODY_COLOR));
        }
        let mut hit = ground_hit?;
        // The slope over a voxel or two looks smooth where that of a single cell shows every step.
        if let Some(normal) = ground.normal(origin + direction * hit.t, fill) {
            hit.normal = normal;
        }
        Some((hit, self.albedo(ground.get(hit.voxel))))
    }

    /// True when something stands in the way to the sun.
    fn is_shaded(&self, start: Vec3, sun: Vec3) -> bool {
        let ground = self.world.ground().voxels();
        let bodies = self.world.body_fill().shares();
        ground.cast_ray(start, sun, f32::INFINITY, |voxel| voxel.fill(self.materials)).is_some()
            || bodies.cast_ray(start, sun, f32::INFINITY, body_share).is_some()
    }

    fn albedo(&self, voxel: Voxel) -> Vec3 {
        let kind = if voxel.soil > 0 { voxel.soil_kind } else { voxel.rock_kind };
        let color = self.materials.get(kind).map_or([128; 3], |material| material.color);
        let dry = Vec3::from_array(color.map(|channel| from_srgb(f32::from(channel) / 255.0)));
        // Wet ground is about half as bright as dry.
        dry * (1.0 - 0.5 * f32::from(voxel.moisture) / f32::from(u16::MAX))
    }

    fn lit(&self, point: Vec3, hit: &RayHit, albedo: Vec3) -> Vec3 {
        let sun = SUN.normalize();
        let facing = hit.normal.dot(sun).max(0.0);
        // Start outside the surface, or it would shade itself.
        let start = point + hit.normal * 2.0;
        let shaded = facing == 0.0 || self.is_shaded(start, sun);
        let direct = if shaded { Vec3::ZERO } else { SUN_LIGHT * facing };
        let open = 0.5 + 0.5 * hit.normal.z;
        let sky = SKY_HIGH.lerp(SKY_LOW, 0.5) * (0.15 + 0.45 * open);
        albedo * (direct + sky)
    }
}

/// Share of a voxel that bodies take, 0 to 1.
fn body_share(units: u16) -> f32 {
    f32::from(units) / f32::from(BODY_FULL)
}

fn from_srgb(value: f32) -> f32 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Linear light as sRGB bytes, with highlights rolled off.
fn to_srgb(light: Vec3) -> [u8; 3] {
    light.to_array().map(|value| {
        let value = value.max(0.0);
        let rolled = value * (1.0 + value / 9.0) / (1.0 + value * 0.75);
        let encoded =
            if rolled <= 0.003_130_8 { rolled * 12.92 } else { 1.055 * rolled.powf(1.0 / 2.4) - 0.055 };
        (encoded.clamp(0.0, 1.0) * 255.0).round() as u8
    })
}
