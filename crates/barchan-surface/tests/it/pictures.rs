//! What pictures promise: the same for any number of threads, smooth slopes, shade, wet ground darker, and an answer
//! for every world and view.

use barchan_sim::{SeenParticles, World, WorldConfig};
use barchan_surface::{Image, PictureOptions, View, picture, render, render_particles};
use barchan_volume::Shape;
use glam::{Quat, Vec3};

use crate::worlds::{self, below, place, solid, walled};

fn brightness(image: &Image) -> f64 {
    image.rgb.iter().map(|byte| f64::from(*byte)).sum::<f64>() / image.rgb.len() as f64
}

/// Straight down onto the middle of a walled world, over a metre or two.
fn from_above() -> View {
    View { eye_m: Vec3::new(3.2, 3.2, 9.0), target_m: Vec3::new(3.2, 3.2, 0.0), opening: 0.2 }
}

#[test]
fn threads_do_not_change_a_picture() {
    let (world, size) = (worlds::heaps(), [96, 54]);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| picture(&world, &View::whole(&world), size))
    };
    let one = with(1);
    assert_eq!(one.rgb.len(), 96 * 54 * 3);
    assert!(one == with(2) && one == with(5));
}

#[test]
fn a_plane_slope_is_evenly_bright() {
    for slope_deg in [20_f32, 30.0, 40.0, 45.0] {
        let mut world = walled();
        let half_extents = Vec3::new(20.0, 20.0, 10.0);
        let rotation = Quat::from_rotation_z(0.3) * Quat::from_rotation_y(slope_deg.to_radians());
        let sunk = Vec3::new(3.2, 3.2, 1.6) - rotation * Vec3::Z * 10.0;
        place(&mut world, "snow", 0.0, solid(Shape::Box { half_extents }, sunk, rotation));
        let options = PictureOptions { samples: 4, sun_azimuth: 0.0, ..PictureOptions::fine([60, 60]) };
        let image = render(&world, &from_above(), &options);
        // Means of squares of 6 pixels, a voxel or so: steps would show as bands of light and dark.
        let mut squares = [0.0; 100];
        for (at, pixel) in image.rgb.chunks_exact(3).enumerate() {
            squares[at / 60 / 6 * 10 + at % 60 / 6] += f64::from(pixel[1]) / 36.0;
        }
        let mean = squares.iter().sum::<f64>() / 100.0;
        let spread = (squares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / 100.0).sqrt();
        assert!(mean > 60.0 && spread < 0.03 * mean, "{slope_deg}°: {mean:.1} ± {spread:.1}");
    }
}

#[test]
fn what_hides_the_sun_leaves_shade() {
    let mut open = walled();
    place(&mut open, "dry_sand", 0.0, below(1.0));
    let mut roofed = open.clone();
    let roof = Shape::Box { half_extents: Vec3::new(1.0, 1.0, 0.1) };
    place(&mut roofed, "granite", 0.0, solid(roof, Vec3::new(1.8, 2.6, 2.2), Quat::IDENTITY));
    // The sun stands such that the shadow falls on the middle.
    let sun = Vec3::new(1.8, 2.6, 2.2) - Vec3::new(3.2, 3.2, 1.0);
    let options = PictureOptions {
        sun_azimuth: sun.y.atan2(sun.x),
        sun_elevation: (sun.z / sun.length()).asin(),
        samples: 4,
        ..PictureOptions::fine([24, 24])
    };
    let view = View { opening: 0.05, ..from_above() };
    let [light, shade] = [&open, &roofed].map(|world| brightness(&render(world, &view, &options)));
    assert!(shade < 0.8 * light, "{shade} in the shade, {light} in the sun");
}

#[test]
fn wet_ground_is_darker() {
    let [dry, wet] = [0.0, 1.0].map(|moisture| {
        let mut world = walled();
        place(&mut world, "clay", moisture, below(1.0));
        brightness(&picture(&world, &from_above(), [24, 24]))
    });
    assert!(wet < 0.85 * dry, "wet {wet}, dry {dry}");
}

#[test]
fn every_world_and_view_has_a_picture() {
    let empty = World::new(WorldConfig::default()).expect("a world");
    let heaps = worlds::heaps();
    let inside = View { eye_m: Vec3::new(3.2, 3.2, 0.2), target_m: Vec3::new(3.2, 3.2, 0.2), opening: 1.0 };
    let far = View { eye_m: Vec3::splat(9e5), target_m: Vec3::ZERO, opening: 0.1 };
    for world in [&empty, &heaps] {
        for view in [View::whole(world), from_above(), inside, far] {
            assert_eq!(picture(world, &view, [7, 5]).rgb.len(), 7 * 5 * 3);
            assert_eq!(picture(world, &view, [0, 0]).rgb.len(), 0);
        }
    }
}

#[test]
fn water_and_grains_look_the_same_on_any_threads_and_never_fail() {
    let (world, particles) = worlds::pond();
    let options = PictureOptions::quick([64, 36]);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| render_particles(&world, &particles, &View::whole(&world), &options))
    };
    assert!(with(1) == with(3));
    // From within the water, of particles alone, and of some that are nowhere.
    let empty = World::new(WorldConfig::default()).expect("a world");
    let mut broken = particles.clone();
    broken.water[0].centre_m = Vec3::NAN;
    broken.grains[0].radius_m = f32::INFINITY;
    broken.grains[1].centre_m = Vec3::splat(f32::NEG_INFINITY);
    let inside = View { eye_m: Vec3::new(3.0, 3.2, 0.8), target_m: Vec3::new(4.0, 3.0, 0.7), opening: 1.0 };
    for world in [&world, &empty] {
        for view in [View::whole(world), inside] {
            assert_eq!(render_particles(world, &broken, &view, &options).rgb.len(), 64 * 36 * 3);
        }
    }
}

#[test]
fn sediment_hides_what_lies_below() {
    let (world, clear) = worlds::pond();
    let mut muddy = clear.clone();
    muddy.water.iter_mut().for_each(|water| water.sediment = 0.2);
    let dry = SeenParticles::default();
    let view = View { eye_m: Vec3::new(3.0, 4.2, 9.0), target_m: Vec3::new(3.0, 4.2, 0.0), opening: 0.05 };
    let options = PictureOptions { samples: 4, ..PictureOptions::fine([16, 16]) };
    let [dry, clear, muddy] = [&dry, &clear, &muddy].map(|particles| {
        let rgb = render_particles(&world, particles, &view, &options).rgb;
        [0, 1, 2].map(|channel| {
            rgb.iter().skip(channel).step_by(3).map(|byte| f64::from(*byte)).sum::<f64>() / 256.0
        })
    });
    // Water takes away red before blue; loam in it gives back more red than blue.
    let redness = |rgb: [f64; 3]| rgb[0] / rgb[2];
    assert!(clear[0] < 0.96 * dry[0] && redness(clear) < 0.97 * redness(dry), "dry {dry:?}, clear {clear:?}");
    assert!(
        muddy[1] < 0.9 * clear[1] && redness(muddy) > 1.1 * redness(dry),
        "clear {clear:?}, muddy {muddy:?}"
    );
}
