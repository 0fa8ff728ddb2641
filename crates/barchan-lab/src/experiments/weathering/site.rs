//! The worlds that weathering and debris are tried in.

use std::time::Instant;

use barchan_sim::material::Phase;
use barchan_sim::tools::Stage;
use barchan_sim::{Edit, EditReport, Material, MaterialId, Materials, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

/// Edge of a voxel (m).
pub const VOXEL_M: f32 = 0.1;
/// The soil that debris is made of.
pub const SOIL: MaterialId = MaterialId(0);
/// The rock.
pub const ROCK: MaterialId = MaterialId(1);

/// An empty world of `bounds` with a loose soil that rests at `angle_deg` and does not swell, and a rock.
pub fn world(bounds: VoxelBox, angle_deg: f64, seed: u64) -> World {
    let builtin = Materials::builtin();
    let of =
        |phase| builtin.iter().find(|(_, m)| m.phase == phase).expect("there are such materials").1.clone();
    let (sand, rock) = (of(Phase::Soil), of(Phase::Rock));
    let angle = (angle_deg as f32).to_radians();
    let soil = Material {
        name: "debris".into(),
        friction_angle: angle,
        repose_angle: angle,
        cohesion_pa: 0.0,
        void_ratio_loose: sand.void_ratio_natural,
        ..sand
    };
    let rock = Material { name: "rock".into(), crumbles_to: Some("debris".into()), ..rock };
    let materials = Materials::new(vec![soil, rock]).expect("parameters are within the ranges of materials");
    let config = WorldConfig {
        voxel_size_m: VOXEL_M,
        bounds: Some(bounds),
        materials,
        seed,
        ..WorldConfig::default()
    };
    World::new(config).expect("the bounds of an experiment are sound")
}

/// The box of these voxels as a region of space.
pub fn block(voxels: VoxelBox) -> Region {
    let (min, max) = (voxels.min.as_vec3() * VOXEL_M, voxels.max.as_vec3() * VOXEL_M);
    let shape = Shape::Box { half_extents: (max - min) / 2.0 };
    Region::Solid(Solid { shape, pose: Pose::at((min + max) / 2.0) })
}

/// A cube of `edge` voxels with its lowest corner at `min` (voxels).
pub fn cube(min: IVec3, edge: i32) -> VoxelBox {
    VoxelBox::new(min, min + edge)
}

/// Fills `region` with a material.
pub fn place(world: &mut World, region: Region, material: MaterialId) {
    let edit = Edit::Place { region, material, moisture: 0.0 };
    world.edit(&edit).expect("the world of an experiment has room");
}

/// A box turned by `angle` (rad) about y.
pub fn leaning(centre_m: Vec3, half_extents: Vec3, angle: f32) -> Region {
    let pose = Pose { translation: centre_m, rotation: glam::Quat::from_rotation_y(angle) };
    Region::Solid(Solid { shape: Shape::Box { half_extents }, pose })
}

/// How long each stage of an edit took (s), in the order of [`Stage::ALL`].
#[derive(Clone, Copy, Debug, Default)]
pub struct StageTimes([f64; Stage::ALL.len()]);

impl StageTimes {
    /// Time of a stage (s).
    pub fn of(&self, stage: Stage) -> f64 {
        let at = Stage::ALL.iter().position(|one| *one == stage).expect("every stage is in the list");
        self.0[at]
    }

    /// All of it (s).
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }
}

/// Carries `edit` out and looks at the clock after every stage.
pub fn timed(world: &mut World, edit: &Edit) -> (EditReport, StageTimes) {
    let (mut times, mut last) = (StageTimes::default(), Instant::now());
    let report = world.edit_watched(edit, &mut |stage| {
        let now = Instant::now();
        let at = Stage::ALL.iter().position(|one| *one == stage).expect("every stage is in the list");
        times.0[at] += (now - last).as_secs_f64();
        last = now;
        true
    });
    (report.expect("the edit of an experiment is sound"), times)
}

/// Mean, and half the interval that holds it with 95 % (Student's t), of a few values.
pub fn mean_and_interval(values: &[f64]) -> (f64, f64) {
    // Quantiles of Student's t at 97.5 % for 1 to 10 degrees of freedom.
    const T: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, 0.0);
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let t = T.get(values.len() - 2).copied().unwrap_or(1.96);
    (mean, t * (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_student() {
        assert_eq!(mean_and_interval(&[3.0]), (3.0, 0.0));
        let (mean, half) = mean_and_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        // t = 2.776, s = 1.5811, n = 5.
        assert!(mean == 3.0 && (half - 1.963).abs() < 1e-3, "{half}");
    }
}
