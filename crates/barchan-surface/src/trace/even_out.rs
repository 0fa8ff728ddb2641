//! Evening out the light of the sky between pixels of one surface: few rays give grainy light, and light of the sky
//! hardly changes from one pixel to the next (edge-avoiding à-trous wavelets, Dammertz et al. 2010).

use glam::Vec3;
use rayon::prelude::*;

use super::light::Sample;

/// Weights of neighbours by their distance.
const WEIGHTS: [f32; 3] = [0.375, 0.25, 0.0625];
/// How often, each time over twice the distance.
const PASSES: usize = 3;

/// Evens out the skylight of `pixels`, in rows of `width`. `spacing`: of pixels, for each voxel of distance from `eye`.
pub(super) fn even_out(pixels: &mut [Sample], width: usize, eye: Vec3, spacing: f32) {
    for pass in 0..PASSES {
        let step = 1_isize << pass;
        let pixels_now = &*pixels;
        let light: Vec<Vec3> = (0..pixels_now.len())
            .into_par_iter()
            .with_min_len(width.max(1))
            .map(|at| mean(pixels_now, width, at, step, eye, spacing))
            .collect();
        for (pixel, light) in pixels.iter_mut().zip(light) {
            pixel.skylight = light;
        }
    }
}

fn mean(pixels: &[Sample], width: usize, at: usize, step: isize, eye: Vec3, spacing: f32) -> Vec3 {
    let own = &pixels[at];
    let Some((normal, place)) = own.surface else { return own.skylight };
    let (column, row) = ((at % width) as isize, (at / width) as isize);
    let height = (pixels.len() / width) as isize;
    // As far off the plane of the surface as a few pixels are wide.
    let thickness = (place - eye).length() * spacing * 4.0 * step as f32 + 0.5;
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for dy in -2..=2_isize {
        for dx in -2..=2_isize {
            let (x, y) = (column + dx * step, row + dy * step);
            if x < 0 || y < 0 || x >= width as isize || y >= height {
                continue;
            }
            let other = &pixels[y as usize * width + x as usize];
            let Some((other_normal, other_place)) = other.surface else { continue };
            let facing = normal.dot(other_normal).max(0.0);
            let off = ((other_place - place).dot(normal) / thickness).abs();
            let weight = WEIGHTS[dx.unsigned_abs()]
                * WEIGHTS[dy.unsigned_abs()]
                * facing.powi(24)
                * (1.0 - off).max(0.0);
            sum += other.skylight * weight;
            total += weight;
        }
    }
    if total > 0.0 { sum / total } else { own.skylight }
}
