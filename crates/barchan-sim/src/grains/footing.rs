//! The voxel ground as grains feel it: the 0.5 level of the fill, with the friction of what lies there.

use barchan_particles::{Lattice, Place};
use glam::{DVec3, IVec3};

use super::form::Form;
use super::grain::Grain;
use super::law::Pair;
use super::press::{Push, Rules, Springs};
use super::surface::{Given, Touch, push_off};
use crate::ground::Ground;
use crate::material::Materials;
use crate::reader::{MOST_BAND, SurfaceCursor, SurfaceField, voxel_at};

/// The number of the ground among all that balls remember.
pub const GROUND: u32 = u32::MAX;

/// The ground during a step.
pub struct Footing<'a> {
    field: SurfaceField,
    ground: &'a Ground,
    materials: &'a Materials,
    /// Numbers of the contacts of all kinds of balls, but for the friction.
    pairs: Vec<Pair>,
    lattice: Lattice,
    voxel_m: f64,
}

impl<'a> Footing<'a> {
    /// The ground with what is known of its surface from the step before.
    pub fn new(
        known: SurfaceField,
        ground: &'a Ground,
        materials: &'a Materials,
        pairs: Vec<Pair>,
        lattice: Lattice,
    ) -> Self {
        let voxel_m = f64::from(ground.voxel_size_m());
        Self { field: known, ground, materials, pairs, lattice, voxel_m }
    }

    /// A field that knows distances as far out as the largest ball reaches.
    pub fn field_for(largest_radius_m: f64, voxel_size_m: f32) -> SurfaceField {
        let voxels = (1.2 * largest_radius_m / f64::from(voxel_size_m)).ceil() + 1.0;
        SurfaceField::new((voxels as u8).clamp(2, MOST_BAND))
    }

    /// Makes the surface known wherever grains that are awake may come within `skin_m` (m).
    pub fn look_around(&mut self, grains: &[Grain], forms: &[Form], skin_m: f64) {
        let mut wanted: Vec<IVec3> = Vec::new();
        for grain in grains.iter().filter(|grain| !grain.asleep) {
            let at = self.lattice.point(grain.place);
            let reach = forms[usize::from(grain.form)].reach_m + skin_m;
            let brick = |p: DVec3| SurfaceField::brick_of(p, self.ground.voxel_size_m());
            let (low, high) = (brick(at - DVec3::splat(reach)), brick(at + DVec3::splat(reach)));
            for x in low.x..=high.x {
                for y in low.y..=high.y {
                    for z in low.z..=high.z {
                        let coord = IVec3::new(x, y, z);
                        if wanted.last() != Some(&coord) {
                            wanted.push(coord);
                        }
                    }
                }
            }
        }
        wanted.sort_unstable_by_key(|coord| coord.to_array());
        wanted.dedup();
        self.field.update(self.ground, self.materials, &wanted);
    }

    /// Where a place is (m).
    pub fn point(&self, place: Place) -> DVec3 {
        self.lattice.point(place)
    }

    /// Whoever asks about the surface, one for each task.
    pub fn cursor(&self) -> SurfaceCursor<'_> {
        self.field.cursor()
    }

    /// Distance from the surface (m) and direction away from it; none where none is near.
    #[inline(always)]
    pub fn way_to(&self, cursor: &mut SurfaceCursor, at_m: DVec3) -> Option<(f64, DVec3)> {
        let near = cursor.near(at_m);
        (near.normal != glam::Vec3::ZERO).then(|| (f64::from(near.distance_m), near.normal.as_dvec3()))
    }

    /// The push of the ground on a ball whose centre is at `at_m` (m); what the ball gives goes to `given`.
    pub fn push(
        &self,
        cursor: &mut SurfaceCursor,
        at_m: DVec3,
        ball: &Touch,
        rules: &Rules,
        springs: &mut Springs,
        given: &mut Given,
    ) -> Option<(Push, f32)> {
        let Some(way) = self.way_to(cursor, at_m).filter(|(far, _)| *far < f64::from(ball.radius)) else {
            *springs = Springs::default();
            return None;
        };
        // Half a voxel below the surface is what the ball lies on.
        let below = at_m - way.1 * (way.0 + 0.5 * self.voxel_m);
        let voxel = self.ground.get(voxel_at(below.as_vec3(), self.ground.voxel_size_m()));
        let mut pair = self.pairs[ball.kind];
        let kind = if voxel.top > 0 { voxel.top_kind } else { voxel.rock_kind };
        if let Some(material) = self.materials.get(kind) {
            pair.friction = libm::tanf(material.friction_angle);
        }
        Some(push_off(way, DVec3::ZERO, ball, &pair, rules, springs, given, [DVec3::ZERO; 2]))
    }

    /// What is known of the surface, for the next step.
    pub fn into_field(self) -> SurfaceField {
        self.field
    }
}
