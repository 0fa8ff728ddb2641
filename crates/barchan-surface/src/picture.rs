//! Pictures of a world.

use barchan_sim::{SeenParticles, World};

use crate::overlay::{OverlaySeen, draw_legend};
use crate::trace;
use crate::view::View;

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

/// How a picture is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureOptions {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Rays through each pixel: 1 for a quick look, 16 for a picture to keep.
    pub samples: u32,
    /// True: rays through every second pixel of every second row only, from which the picture is enlarged.
    pub coarse: bool,
    /// Where the sun is, from +x towards +y (rad).
    pub sun_azimuth: f32,
    /// How high the sun is above the horizon (rad).
    pub sun_elevation: f32,
}

impl PictureOptions {
    /// A picture to keep, `size` = width and height (pixels).
    pub fn fine(size: [usize; 2]) -> Self {
        let [width, height] = size;
        // Afternoon, from the south-west: from the left and in front of a view from the south-east.
        let [sun_azimuth, sun_elevation] = [206_f32, 34.0].map(f32::to_radians);
        Self { width, height, samples: 16, coarse: false, sun_azimuth, sun_elevation }
    }

    /// A quick look.
    pub fn quick(size: [usize; 2]) -> Self {
        Self { samples: 1, ..Self::fine(size) }
    }

    /// A preview: the quickest look there is.
    pub fn preview(size: [usize; 2]) -> Self {
        Self { coarse: true, ..Self::quick(size) }
    }
}

/// A quick picture of `world` as `view` sees it, `size` = width and height (pixels).
pub fn picture(world: &World, view: &View, size: [usize; 2]) -> Image {
    render(world, view, &PictureOptions::quick(size))
}

/// The picture of `world` as `view` sees it. The same for any number of threads.
pub fn render(world: &World, view: &View, options: &PictureOptions) -> Image {
    trace::render(world, &world.particles(), None, view, options)
}

/// As [`render`], with the ground in the colours of an overlay, and its legend.
pub fn render_overlay(
    world: &World,
    overlay: &OverlaySeen<'_>,
    view: &View,
    options: &PictureOptions,
) -> Image {
    let mut image = trace::render(world, &world.particles(), Some(overlay), view, options);
    draw_legend(&mut image, overlay);
    image
}

/// The picture of `world` with these particles in place of its own.
pub fn render_particles(
    world: &World,
    particles: &SeenParticles,
    view: &View,
    options: &PictureOptions,
) -> Image {
    trace::render(world, particles, None, view, options)
}
