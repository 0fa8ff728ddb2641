//! The film of a run: so many frames for every second that passes in it.

use std::path::Path;

use anyhow::{Context, Result};
use barchan_files::video::{VideoFormat, VideoWriter, ffmpeg_is_installed};
use barchan_scene::{VideoEnding, VideoPlan};
use barchan_sim::World;
use barchan_surface::{View, picture};

/// Writes frames as their time comes. The camera stands still.
pub struct Film {
    writer: VideoWriter,
    view: View,
    size: [usize; 2],
    /// Frames a step.
    rate: f64,
    steps: u64,
    shown: u64,
}

/// The name of the file that `plan` gives here, and a warning where it is another than the plan says.
pub fn file_name(plan: &VideoPlan) -> (String, Option<String>) {
    let asked = format!("{}.{}", plan.name, plan.format.ending());
    if plan.format != VideoEnding::Mp4 || ffmpeg_is_installed() {
        return (asked, None);
    }
    let instead = format!("{}.{}", plan.name, VideoEnding::Png.ending());
    let warning = format!("ffmpeg is not installed: {instead} (animated) is written instead of {asked}");
    (instead, Some(warning))
}

impl Film {
    /// Begins the film `path` of a run of `steps` steps that starts with `world`.
    pub fn begin(path: &Path, plan: &VideoPlan, world: &World, steps: u64, step_s: f64) -> Result<Self> {
        let rate = f64::from(plan.fps) * step_s;
        let count = frames_until(steps, rate);
        let frames = u32::try_from(count)
            .with_context(|| format!("a film of {count} frames is too long: lower record.video.fps"))?;
        let [width, height] = plan.size;
        let writer = VideoWriter::create(path, VideoFormat { width, height, fps: plan.fps, frames })?;
        let mut film = Self { writer, view: View::whole(world), size: plan.size, rate, steps: 0, shown: 0 };
        film.show(world)?;
        Ok(film)
    }

    /// To be called after every step.
    pub fn after_step(&mut self, world: &World) -> Result<()> {
        self.steps += 1;
        self.show(world)
    }

    /// Closes the film when all steps are done.
    pub fn finish(self) -> Result<()> {
        Ok(self.writer.finish()?)
    }

    /// Adds the frames whose time has come; several of the same where steps are longer than frames.
    fn show(&mut self, world: &World) -> Result<()> {
        let due = frames_until(self.steps, self.rate);
        if due == self.shown {
            return Ok(());
        }
        let image = picture(world, &self.view, self.size);
        for _ in self.shown..due {
            self.writer.add(&image)?;
        }
        self.shown = due;
        Ok(())
    }
}

/// How many frames are due after `steps` steps; the first is that of the beginning.
fn frames_until(steps: u64, rate: f64) -> u64 {
    // A millionth of a frame is rounding, not a delay.
    (steps as f64 * rate + 1e-6) as u64 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_of_the_run_is_a_second_of_the_film() {
        // Steps of 1/60 s at 30 frames a second: every other step has one, and so has the beginning.
        assert_eq!([0, 1, 2, 3, 600].map(|steps| frames_until(steps, 30.0 / 60.0)), [1, 1, 2, 2, 301]);
        // Steps of 0.1 s: three frames each.
        assert_eq!([0, 1, 2].map(|steps| frames_until(steps, 30.0 * 0.1)), [1, 4, 7]);
        assert_eq!(frames_until(25 * 7, 1.0 / 7.0), 26);
    }
}
