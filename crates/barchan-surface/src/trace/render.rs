//! From rays to pixels.

use barchan_sim::{SeenParticles, World};
use glam::{Vec3, Vec3A};
use rayon::prelude::*;

use super::chance::Spread;
use super::even_out::even_out;
use super::light::{Lighting, Sample};
use super::sky::Sky;
use super::walk::Ray;
use crate::overlay::OverlaySeen;
use crate::picture::{Image, PictureOptions};
use crate::view::View;

/// Fewest rays to the sky for a pixel: fewer are too grainy to be evened out.
const SKY_RAYS: u32 = 4;
/// The same for the pixels that a preview is enlarged from, which hides grain.
const SKY_RAYS_COARSE: u32 = 2;
/// How often light of the sky is evened out where that many rays went to it from each pixel, and where fewer.
const MANY_RAYS: u32 = 16;
const PASSES: u32 = 3;
const PASSES_GRAINY: u32 = 4;
/// Pixels along the edge of a tile.
const TILE: usize = 8;
/// The pattern of samples for dithering; others are those of the light.
const DITHER: u32 = 99;
/// Brightness of the picture.
const EXPOSURE: f32 = 0.44;
/// Share of colour that is kept: the curve of film makes colours stronger than they are.
const SATURATION: f32 = 0.86;

/// The picture of `world` with `particles` as `view` sees it.
pub(crate) fn render(
    world: &World,
    particles: &SeenParticles,
    overlay: Option<&OverlaySeen<'_>>,
    view: &View,
    options: &PictureOptions,
) -> Image {
    let (width, height) = (options.width, options.height);
    let light = if options.coarse {
        let small = PictureOptions { width: width.div_ceil(2), height: height.div_ceil(2), ..*options };
        enlarge(&light(world, particles, overlay, view, &small), &small, [width, height])
    } else {
        light(world, particles, overlay, view, options)
    };
    let mut rgb = vec![0; width * height * 3];
    let curve = Srgb::new();
    rgb.par_chunks_exact_mut(3).zip(&light).enumerate().with_min_len(4096).for_each(
        |(at, (bytes, light))| {
            let [dither, _] = Spread::of(at % width, at / width).pair(DITHER, 0);
            bytes.copy_from_slice(&curve.bytes(*light, dither));
        },
    );
    Image { width, height, rgb }
}

/// The light of every pixel, row by row (linear RGB).
fn light(
    world: &World,
    particles: &SeenParticles,
    overlay: Option<&OverlaySeen<'_>>,
    view: &View,
    options: &PictureOptions,
) -> Vec<Vec3> {
    let (width, height) = (options.width, options.height);
    let samples = options.samples.max(1);
    let sky = Sky::new(options.sun_azimuth, options.sun_elevation);
    let sky_rays = if options.coarse { SKY_RAYS_COARSE } else { SKY_RAYS };
    let blending = if options.coarse && samples == 1 { 0.0 } else { 1.0 };
    let lighting = Lighting::of(world, particles, overlay, sky, sky_rays.div_ceil(samples), blending);
    let eye = Eye::new(&lighting, view, options);
    let mut pixels = vec![Sample::default(); width * height];
    // In small tiles, whose rays meet the same bricks; a few rows at a time, because some are quick and others are not.
    pixels.par_chunks_mut(width.max(1) * TILE).enumerate().with_max_len(1).for_each(|(band, lines)| {
        for first in (0..width).step_by(TILE) {
            for (row, line) in lines.chunks_mut(width).enumerate() {
                let end = width.min(first + TILE);
                for (column, pixel) in line[first..end].iter_mut().enumerate() {
                    *pixel = eye.pixel(&lighting, first + column, band * TILE + row, samples);
                }
            }
        }
    });
    let passes = if samples * lighting.sky_rays >= MANY_RAYS { PASSES } else { PASSES_GRAINY };
    let skylight = even_out(&pixels, width, passes, eye.origin.into(), eye.spreading);
    pixels.par_iter().zip(skylight).map(|(pixel, sky)| pixel.albedo * Vec3::from(sky) + pixel.rest).collect()
}

/// The light of a picture twice as large, up to `size`, between the pixels of a small one.
fn enlarge(light: &[Vec3], small: &PictureOptions, [width, height]: [usize; 2]) -> Vec<Vec3> {
    // Of two pixels in a row or column the first lies a quarter before the middle of the small one.
    let near = |at: usize, most: usize| {
        let own = at / 2;
        (own, if at.is_multiple_of(2) { own.saturating_sub(1) } else { (own + 1).min(most - 1) })
    };
    let mix = |a: Vec3, b: Vec3| a * 0.75 + b * 0.25;
    (0..width * height)
        .into_par_iter()
        .with_min_len(4096)
        .map(|at| {
            let ((x, beside), (y, below)) = (near(at % width, small.width), near(at / width, small.height));
            let row = |y: usize| mix(light[y * small.width + x], light[y * small.width + beside]);
            mix(row(y), row(below))
        })
        .collect()
}

/// Where rays start and how they part.
struct Eye {
    origin: Vec3A,
    /// Forward, and a pixel to the right and down.
    forward: Vec3,
    right: Vec3,
    down: Vec3,
    middle: [f32; 2],
    /// Width of a pixel for each voxel of distance.
    spreading: f32,
}

impl Eye {
    fn new(lighting: &Lighting<'_>, view: &View, options: &PictureOptions) -> Self {
        let [forward, right, up] = view.axes();
        let spreading = 2.0 * (view.opening / 2.0).tan() / options.height.max(1) as f32;
        let middle = [options.width, options.height].map(|side| side as f32 / 2.0);
        let origin = lighting.stage.field.place(view.eye_m);
        Self { origin, forward, right: right * spreading, down: up * -spreading, middle, spreading }
    }

    fn pixel(&self, lighting: &Lighting<'_>, column: usize, row: usize, samples: u32) -> Sample {
        let spread = Spread::of(column, row);
        let (mut sum, mut lit) = (Sample::default(), Vec3::ZERO);
        for number in 0..samples {
            let [dx, dy] = Lighting::lens(&spread, number);
            let x = column as f32 + 0.5 + dx - self.middle[0];
            let y = row as f32 + 0.5 + dy - self.middle[1];
            let direction = (self.forward + self.right * x + self.down * y).normalize();
            let ray = Ray::new(self.origin, direction.into());
            let sample = lighting.see(&ray, self.spreading, &spread, number);
            sum.albedo += sample.albedo;
            sum.rest += sample.rest;
            lit += sample.albedo * sample.skylight;
            sum.surface = sum.surface.or(sample.surface);
        }
        let share = 1.0 / samples as f32;
        // Light such that it times the mean colour is the mean of both together.
        let skylight = lit / sum.albedo.max(Vec3::splat(1e-6));
        Sample { albedo: sum.albedo * share, skylight, rest: sum.rest * share, surface: sum.surface }
    }
}

/// Linear light as sRGB bytes, by a table of the curve: its powers would take longer than the rays of a preview.
struct Srgb([f32; Self::STEPS + 2]);

impl Srgb {
    /// As many that straight lines between them are right to a hundredth of a byte.
    const STEPS: usize = 4096;

    fn new() -> Self {
        Self(std::array::from_fn(|at| {
            let value = at as f32 / Self::STEPS as f32;
            if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
        }))
    }

    /// Highlights are rolled off along the curve of film (fit of ACES by Narkowicz 2015). `dither`: where between two
    /// bytes the upper one begins, other for every pixel, so that even light shows no bands.
    fn bytes(&self, light: Vec3, dither: f32) -> [u8; 3] {
        let grey = Vec3::splat(light.dot(Vec3::new(0.2126, 0.7152, 0.0722)));
        let light = (grey.lerp(light, SATURATION) * EXPOSURE).max(Vec3::ZERO);
        let film = light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14);
        film.to_array().map(|value| {
            let along = value.clamp(0.0, 1.0) * Self::STEPS as f32;
            let at = along as usize;
            let encoded = self.0[at] + (self.0[at + 1] - self.0[at]) * (along - at as f32);
            (encoded * 255.0 + dither) as u8
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_curve() {
        let curve = Srgb::new();
        let light = |value: f32| {
            let exact =
                if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
            (exact * 255.0 + 0.5) as u8
        };
        for at in 0..=2_000 {
            // Light whose value on film is known: the curve of film, solved for it.
            let value = at as f32 / 2_100.0;
            let (a, b, c) = (2.51 - 2.43 * value, 0.03 - 0.59 * value, -0.14 * value);
            let before = ((b * b - 4.0 * a * c).sqrt() - b) / (2.0 * a) / EXPOSURE;
            let bytes = curve.bytes(Vec3::splat(before), 0.5);
            assert!(bytes.iter().all(|byte| byte.abs_diff(light(value)) <= 1), "{bytes:?} for {value}");
        }
    }
}
