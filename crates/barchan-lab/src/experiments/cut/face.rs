//! A block of soil with one free face, in a world as thin as a slice, and what becomes of it.

use std::ops::Range;

use barchan_sim::{Account, World};
use barchan_volume::{Shape, VoxelBox};
use glam::{IVec3, Vec3};

use super::theory;
use crate::measure::{SoilDepths, moved_units};
use crate::rest::{STEP_S, balance_units};
use crate::test_soil::{DampSoil, TestSoil, TooLarge, place};

/// Voxels between the two side walls.
const THICKNESS: i32 = 4;
/// So long a face must stand (s).
const STAND_S: f64 = 1.0;
/// A face has failed when this share of the wedge's soil has moved.
const FAILED_SHARE: f64 = 0.02;
/// A column belongs to the scar when it lost this share of what the column with the largest loss did.
const SCAR_SHARE: f64 = 0.05;

/// A face to be tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::experiments) struct Face {
    /// Strength and weight that theory reckons with.
    pub soil: TestSoil,
    /// What the face is made of, where that is not just this soil.
    pub made_of: Option<DampSoil>,
    pub voxel_size_m: f64,
    pub face_deg: f64,
    pub height_m: f64,
}

/// What became of a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::experiments) struct Fate {
    pub failed: bool,
    /// Angle of the plane (°) on which the first wedge slid; none where none did.
    pub plane_deg: Option<f64>,
    /// How far behind the toe the scar reaches (m) when it has just failed.
    pub scar_m: f64,
    /// Books: off by so many units, plus steps after which they did not balance.
    pub balance_units: i64,
}

/// How the steps went.
struct Wait {
    failed: bool,
    plane_deg: Option<f64>,
    /// Steps after which the books did not balance.
    off_balance: i64,
}

impl Face {
    /// Makes the face, and waits until it has failed or stood long enough.
    pub(in crate::experiments) fn fate(&self) -> Result<Fate, TooLarge> {
        let bounds = self.bounds();
        let mut world = self.world(bounds)?;
        self.place_in(&mut world);
        let before = SoilDepths::of(&world, bounds).along_x();
        let Wait { failed, plane_deg, off_balance } = self.wait(&mut world);
        let now = SoilDepths::of(&world, bounds).along_x();
        let lost: Vec<f64> = before.iter().zip(&now).map(|(before, now)| before - now).collect();
        let scar_m = scar_m(&lost, self.toe_m(), self.voxel_size_m);
        Ok(Fate { failed, plane_deg, scar_m, balance_units: balance_units(&world) + off_balance })
    }

    /// The world that it stands in, still empty.
    fn world(&self, bounds: VoxelBox) -> Result<World, TooLarge> {
        match self.made_of {
            Some(soil) => soil.world(self.voxel_size_m, bounds),
            None => self.soil.world(self.voxel_size_m, bounds),
        }
    }

    /// Steps until the face has failed or stood long enough.
    fn wait(&self, world: &mut World) -> Wait {
        let units_per_m3 = world.ledger().held.of(Account::Soil) as f64 / self.soil_m3();
        let enough = FAILED_SHARE * self.wedge_m3() * units_per_m3;
        let (mut moved, mut off_balance, mut plane_deg) = (0.0, 0, None);
        for _ in 0..(STAND_S / STEP_S) as usize {
            let report = world.step(STEP_S);
            moved += moved_units(world.ground(), &report.changes) as f64;
            off_balance += i64::from(!report.imbalance.is_zero());
            let sliding = report.slip.wedge.filter(|wedge| wedge.safety < 1.0);
            plane_deg = plane_deg.or(sliding.map(|wedge| f64::from(wedge.plane).to_degrees()));
            if moved > enough || report.awake_bricks == 0 {
                break;
            }
        }
        Wait { failed: moved > enough, plane_deg, off_balance }
    }

    /// Distance of the toe from the back wall (m): twice the reach of the wedge, so that the wall does not matter.
    fn toe_m(&self) -> f64 {
        let reach = self.height_m / theory::plane_deg(&self.soil, self.face_deg).to_radians().tan();
        ((2.0 * reach / self.voxel_size_m).ceil() + 4.0) * self.voxel_size_m
    }

    /// Distance of the crest from the back wall (m).
    fn crest_m(&self) -> f64 {
        self.toe_m() - self.height_m / self.face_deg.to_radians().tan()
    }

    /// Room for the block, and for what falls in front of it.
    fn bounds(&self) -> VoxelBox {
        // Far more than any world has: the sums below must not overflow before they are refused.
        let voxels = |metres: f64| (metres / self.voxel_size_m).ceil().min(1e8) as i32;
        let length = voxels(self.toe_m() + 2.0 * self.height_m) + 4;
        VoxelBox::new(IVec3::ZERO, IVec3::new(length, THICKNESS, voxels(self.height_m) + 2))
    }

    /// Places the soil column by column, each as high as the face is there on average: a leaning face cut through voxels
    /// would begin by closing the gaps below its partly filled ones.
    fn place_in(&self, world: &mut World) {
        let upright = (self.crest_m() / self.voxel_size_m).floor().max(0.0) as i32;
        self.place_columns(world, 0..upright, self.height_m);
        for column in upright..(self.toe_m() / self.voxel_size_m).round() as i32 {
            let [near, far] =
                [column, column + 1].map(|x| self.soil_m2(self.toe_m() - f64::from(x) * self.voxel_size_m));
            self.place_columns(world, column..column + 1, (near - far) / self.voxel_size_m);
        }
    }

    /// Area of soil between the toe and `distance_m` behind it (m²).
    fn soil_m2(&self, distance_m: f64) -> f64 {
        let slope = self.face_deg.to_radians().tan();
        let sloping = distance_m.clamp(0.0, self.height_m / slope);
        slope * sloping * sloping / 2.0 + self.height_m * (distance_m - sloping).max(0.0)
    }

    fn place_columns(&self, world: &mut World, columns: Range<i32>, height_m: f64) {
        let voxel = self.voxel_size_m as f32;
        let size = Vec3::new(columns.len() as f32 * voxel, self.width_m() as f32, height_m as f32);
        if size.min_element() >= Shape::MIN_SIZE_M {
            let corner = Vec3::X * columns.start as f32 * voxel;
            let (shape, centre) = (Shape::Box { half_extents: size / 2.0 }, corner + size / 2.0);
            match self.made_of {
                Some(soil) => assert!(soil.place(world, shape, centre), "whoever asks has checked the soil"),
                None => place(world, shape, centre),
            }
        }
    }

    fn width_m(&self) -> f64 {
        f64::from(THICKNESS) * self.voxel_size_m
    }

    fn soil_m3(&self) -> f64 {
        (self.toe_m() + self.crest_m()) / 2.0 * self.height_m * self.width_m()
    }

    /// Volume between the face and the plane on which it should fail; a tenth of all where no plane should.
    fn wedge_m3(&self) -> f64 {
        let plane = theory::plane_deg(&self.soil, self.face_deg);
        if plane >= self.face_deg {
            return 0.1 * self.soil_m3();
        }
        let cot = |deg: f64| 1.0 / deg.to_radians().tan();
        (cot(plane) - cot(self.face_deg)) * self.height_m.powi(2) / 2.0 * self.width_m()
    }
}

/// How far behind the toe (m) columns lost soil, given what every column lost (m). Where nothing was lost: 0.
fn scar_m(lost_m: &[f64], toe_m: f64, voxel_size_m: f64) -> f64 {
    let most = lost_m.iter().copied().fold(0.0, f64::max);
    let crest = lost_m.iter().position(|&lost| lost > 0.0 && lost >= SCAR_SHARE * most);
    crest.map_or(0.0, |column| (toe_m - column as f64 * voxel_size_m).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face(face_deg: f64, height_m: f64) -> Face {
        let soil = TestSoil { phi_deg: 20.0, c_pa: 5_000.0, gamma_n_m3: 20_000.0 };
        Face { soil, made_of: None, voxel_size_m: 0.1, face_deg, height_m }
    }

    #[test]
    fn the_block_is_as_large_as_it_should_be() {
        for face in [face(90.0, 1.04), face(60.0, 1.23), face(88.0, 1.1)] {
            let mut world = face.soil.world(face.voxel_size_m, face.bounds()).unwrap();
            face.place_in(&mut world);
            let depths = SoilDepths::of(&world, face.bounds());
            let volume: f64 = depths.depths_m.iter().sum::<f64>() * 0.01;
            assert!((volume / face.soil_m3() - 1.0).abs() < 0.01, "{volume} {}", face.soil_m3());
            assert!(depths.along_x().iter().all(|depth| *depth < face.height_m + 1e-3));
            let first = world.step(STEP_S);
            assert_eq!(moved_units(world.ground(), &first.changes), 0, "{face:?} has gaps");
        }
    }

    #[test]
    fn a_wedge_that_slid_shows_how_far_it_reached() {
        // Columns behind a vertical face at x = 3 m lose a tenth of a wedge that reaches 1 m back.
        let lost: Vec<f64> = (0..50)
            .map(|column| {
                let x = (f64::from(column) + 0.5) * 0.1;
                if x > 3.0 { -0.1 } else { 0.1 * (x - 2.0).max(0.0) }
            })
            .collect();
        assert!((scar_m(&lost, 3.0, 0.1) - 1.0).abs() < 0.11, "{}", scar_m(&lost, 3.0, 0.1));
        assert_eq!(scar_m(&[0.0; 50], 3.0, 0.1), 0.0);
    }
}
