//! Evening out the light of the sky between pixels of one surface: few rays give grainy light, and light of the sky
//! hardly changes from one pixel to the next (edge-avoiding à-trous wavelets, Dammertz et al. 2010).

use glam::{Vec3, Vec3A};
use rayon::prelude::*;

use super::light::Sample;

/// Weights of a pixel and of those beside it, along either axis.
const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];

/// The skylight of `pixels`, in rows of `width`, evened out in as many passes, each over twice the distance.
/// `spacing`: of pixels, for each voxel of distance from `eye`.
pub(super) fn even_out(pixels: &[Sample], width: usize, passes: u32, eye: Vec3, spacing: f32) -> Vec<Vec3A> {
    let width = width.max(1);
    let guides: Vec<Guide> = pixels.par_iter().map(|pixel| Guide::of(pixel, eye.into(), spacing)).collect();
    let mut light: Vec<Vec3A> = pixels.par_iter().map(|pixel| pixel.skylight.into()).collect();
    let mut evened = vec![Vec3A::ZERO; light.len()];
    for pass in 0..passes {
        evened.par_chunks_mut(width).enumerate().for_each(|(row, line)| {
            for (column, value) in line.iter_mut().enumerate() {
                *value = mean(&light, &guides, width, [column, row], 1 << pass);
            }
        });
        std::mem::swap(&mut light, &mut evened);
    }
    light
}

/// What tells the surface of a pixel from others.
struct Guide {
    /// Nought where there is no surface.
    normal: Vec3A,
    place: Vec3A,
    /// How far off its plane the same surface may be, per pixel between (voxels).
    thickness: f32,
}

impl Guide {
    fn of(pixel: &Sample, eye: Vec3A, spacing: f32) -> Self {
        let (normal, place) = pixel.surface.unwrap_or_default();
        let place = Vec3A::from(place);
        Self { normal: normal.into(), place, thickness: (place - eye).length() * spacing * 4.0 }
    }
}

/// The mean of a pixel and of those `step` away that are of one surface with it.
#[inline]
fn mean(light: &[Vec3A], guides: &[Guide], width: usize, [column, row]: [usize; 2], step: usize) -> Vec3A {
    let height = light.len() / width;
    let at = row * width + column;
    let own = &guides[at];
    if own.normal == Vec3A::ZERO {
        return light[at];
    }
    let per_thickness = 1.0 / (own.thickness * step as f32 + 0.5);
    let (mut sum, mut total) = (Vec3A::ZERO, 0.0);
    for (dy, weight_y) in WEIGHTS.iter().enumerate() {
        let y = (row + dy * step).wrapping_sub(step);
        if y >= height {
            continue;
        }
        for (dx, weight_x) in WEIGHTS.iter().enumerate() {
            let x = (column + dx * step).wrapping_sub(step);
            if x >= width {
                continue;
            }
            let other = &guides[y * width + x];
            let facing = own.normal.dot(other.normal).max(0.0);
            let off = ((other.place - own.place).dot(own.normal) * per_thickness).abs();
            let weight = weight_x * weight_y * facing.powi(24) * (1.0 - off).max(0.0);
            sum += light[y * width + x] * weight;
            total += weight;
        }
    }
    if total > 0.0 { sum / total } else { light[at] }
}
