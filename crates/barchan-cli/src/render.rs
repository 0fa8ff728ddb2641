//! `barchan render`: a picture of a scene or a saved world.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use barchan_files::picture::write_png;
use barchan_scene::{Camera, RunPlan};
use barchan_sim::World;
use barchan_surface::{Overlay, OverlaySeen, PictureOptions, TopSurface, View, render, render_overlay};

use crate::args::RenderArgs;
use crate::output::print;
use crate::progress;
use crate::run::{open, thread_pool};

/// Takes the picture that `args` ask for.
pub fn render_picture(args: &RenderArgs) -> Result<()> {
    check_ending(&args.output)?;
    let pool = thread_pool(args.threads)?;
    let (mut world, mut plan) = pool.install(|| open(&args.scene, args.max_memory.0))?;
    // Sinkage is seen against the ground as it was.
    let before = (args.overlay == Some(Overlay::Sinkage)).then(|| TopSurface::of(&world)).transpose()?;
    plan.duration_s = args.after.or(plan.camera.after_s).unwrap_or(0.0);
    pool.install(|| pass_time(&mut world, &plan));
    plan.camera.eye_m = args.eye.or(plan.camera.eye_m);
    plan.camera.target_m = args.target.or(plan.camera.target_m);
    plan.camera.fov = args.fov_deg.map(f32::to_radians).or(plan.camera.fov);
    let started = Instant::now();
    let asked = if args.preview {
        PictureOptions::preview(args.size.0)
    } else {
        PictureOptions { samples: args.samples, ..PictureOptions::fine(args.size.0) }
    };
    let (view, options) = in_camera(&plan.camera, &world, asked);
    let image = pool.install(|| match args.overlay {
        Some(overlay) => {
            render_overlay(&world, &OverlaySeen::of(&world, overlay, before.as_ref()), &view, &options)
        }
        None => render(&world, &view, &options),
    });
    let seconds = started.elapsed().as_secs_f64();
    write_png(&args.output, &image)?;
    let (width, height) = (image.width, image.height);
    let rays = if args.preview { "a preview".to_owned() } else { format!("{} samples", args.samples) };
    print(&format!("{}: {width}x{height} pixels, {rays}, in {seconds:.2} s\n", args.output.display()))
}

/// View and options as `camera` says; what it leaves open shows the whole world in the light of `options`.
pub fn in_camera(camera: &Camera, world: &World, options: PictureOptions) -> (View, PictureOptions) {
    let whole = View::whole(world);
    let view = View {
        eye_m: camera.eye_m.unwrap_or(whole.eye_m),
        target_m: camera.target_m.unwrap_or(whole.target_m),
        opening: camera.fov.unwrap_or(whole.opening),
    };
    let options = PictureOptions {
        sun_azimuth: camera.sun_azimuth.unwrap_or(options.sun_azimuth),
        sun_elevation: camera.sun_elevation.unwrap_or(options.sun_elevation),
        ..options
    };
    (view, options)
}

fn check_ending(path: &Path) -> Result<()> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    bail!("{}: pictures are written as .png", path.display())
}

fn pass_time(world: &mut World, plan: &RunPlan) {
    let bar = progress::bar(plan.steps(), "simulating");
    for _ in 0..plan.steps() {
        world.step(plan.step_s);
        bar.inc(1);
    }
    bar.finish_and_clear();
}
