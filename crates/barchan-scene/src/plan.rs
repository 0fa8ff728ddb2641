//! How a scene is to be run, and what is kept of the run.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::outputs::{HeightmapFormat, MeshFormat, PointFormat, VideoPlan};

/// How to run a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPlan {
    /// Time that one step passes (s).
    pub step_s: f64,
    /// Time to simulate (s).
    pub duration_s: f64,
    /// What to keep.
    pub record: Record,
    /// Where pictures are taken from.
    pub camera: Camera,
}

impl RunPlan {
    /// False for what no scene may say: it comes from a damaged file.
    pub(crate) fn is_sound(&self) -> bool {
        let Camera { eye_m, target_m, fov, sun_azimuth, sun_elevation, after_s } = self.camera;
        let places = [eye_m, target_m].into_iter().flatten().all(Vec3::is_finite);
        let angles = [fov, sun_azimuth, sun_elevation].into_iter().flatten().all(f32::is_finite);
        let intervals = [self.record.every_s, self.record.mesh_every_s].into_iter().flatten();
        let times = [Some(self.duration_s), after_s].into_iter().flatten();
        places
            && angles
            && (1e-5..=1.0).contains(&self.step_s)
            && times.into_iter().all(|time_s| (0.0..=1e9).contains(&time_s))
            && intervals.into_iter().all(|every_s| every_s > 0.0 && every_s.is_finite())
            && self.record.video.as_ref().is_none_or(VideoPlan::is_sound)
    }

    /// Steps that pass the whole duration; the last one may reach beyond it.
    pub fn steps(&self) -> u64 {
        // A share of a millionth is rounding, not a step.
        (self.duration_s / self.step_s - 1e-6).ceil().max(0.0) as u64
    }
}

impl Default for RunPlan {
    /// Ten seconds at sixty steps a second.
    fn default() -> Self {
        Self { step_s: 1.0 / 60.0, duration_s: 10.0, record: Record::default(), camera: Camera::default() }
    }
}

/// Where pictures are taken from, and where the sun is. What is none is chosen to suit the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// Where the eye is (m).
    pub eye_m: Option<Vec3>,
    /// What it looks at (m).
    pub target_m: Option<Vec3>,
    /// Vertical opening (rad).
    pub fov: Option<f32>,
    /// Where the sun is, from +x towards +y (rad).
    pub sun_azimuth: Option<f32>,
    /// How high the sun is above the horizon (rad).
    pub sun_elevation: Option<f32>,
    /// When the scene shows its point (s).
    pub after_s: Option<f64>,
}

/// What a run leaves behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Time between two records (s); none: only the end is recorded.
    pub every_s: Option<f64>,
    /// The world itself.
    pub world: bool,
    /// The height of the ground.
    pub heightmap: bool,
    /// As which files.
    pub heightmap_format: HeightmapFormat,
    /// A map of the materials on top.
    pub materials: bool,
    /// A picture.
    pub picture: bool,
    /// A row of numbers for each record.
    pub table: bool,
    /// Ground and bodies as triangles.
    pub mesh: bool,
    /// As which files.
    pub mesh_format: MeshFormat,
    /// Time between two meshes (s); none: as `every_s`.
    pub mesh_every_s: Option<f64>,
    /// A film of the whole run.
    pub video: Option<VideoPlan>,
    /// Water and grains as points. Stands beside the plan in files: plans of version 1 end without it.
    #[serde(skip)]
    pub particles: bool,
    /// As which files.
    #[serde(skip)]
    pub particles_format: PointFormat,
}

impl Default for Record {
    /// World, heightmap, picture and table, at the end.
    fn default() -> Self {
        Self {
            every_s: None,
            world: true,
            heightmap: true,
            heightmap_format: HeightmapFormat::default(),
            materials: false,
            picture: true,
            table: true,
            mesh: false,
            mesh_format: MeshFormat::default(),
            mesh_every_s: None,
            video: None,
            particles: false,
            particles_format: PointFormat::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_cover_the_duration() {
        for (step_s, duration_s, steps) in
            [(0.5, 1.0, 2), (1.0 / 60.0, 10.0, 600), (0.3, 1.0, 4), (1.0, 0.0, 0)]
        {
            let plan = RunPlan { step_s, duration_s, ..RunPlan::default() };
            assert_eq!(plan.steps(), steps, "{duration_s} s in steps of {step_s} s");
        }
    }
}
