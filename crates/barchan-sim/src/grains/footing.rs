//! The voxel ground as grains feel it: the 0.5 level of the fill, with the friction of what lies there.

use barchan_particles::{Lattice, Place};
use glam::{DVec3, IVec3};

use super::damping::Dampings;
use super::form::Form;
use super::grain::Grain;
use super::grains::Grains;
use super::law::Pair;
use super::press::{Meeting, Push, Rules, Springs};
use super::surface::{Given, Touch, meet, pairs_with_ground, push_off};
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
    /// Balls up to this radius are felt by the distance of their centres (m).
    widest_by_centre_m: f64,
    /// Directions spread evenly, in which wider balls look for ground.
    spread: Vec<DVec3>,
}

/// Distance of neighbouring points on the rim of a wide ball that look for ground (voxels): less than the band of the field.
const RIM_PITCH: f64 = 3.0;

/// Most such points.
const MOST_ON_RIM: f64 = 4096.0;

/// How often the lowest point of a wide ball is sought anew from the normal of the ground there.
const ROUNDS: usize = 4;

impl<'a> Footing<'a> {
    fn new(
        known: SurfaceField,
        ground: &'a Ground,
        materials: &'a Materials,
        pairs: Vec<Pair>,
        lattice: Lattice,
        largest_m: f64,
    ) -> Self {
        let voxel_m = f64::from(ground.voxel_size_m());
        let widest_by_centre_m = (f64::from(MOST_BAND) - 1.0) / 1.2 * voxel_m;
        let spread = if largest_m > widest_by_centre_m {
            spread(
                (2.0 * std::f64::consts::TAU * (largest_m / (RIM_PITCH * voxel_m)).powi(2)).min(MOST_ON_RIM),
            )
        } else {
            Vec::new()
        };
        Self { field: known, ground, materials, pairs, lattice, voxel_m, widest_by_centre_m, spread }
    }

    /// The ground below grains; none where there is none. `known` is what the step before left.
    pub fn below(
        grains: &Grains,
        known: Option<SurfaceField>,
        ground: &'a Ground,
        materials: &'a Materials,
        dampings: &mut Dampings,
    ) -> Option<Self> {
        ground.voxels().bricks().next()?;
        let largest = grains.worked.kinds.iter().map(|kind| kind.radius_m).fold(0.0, f64::max);
        let known = known.unwrap_or_else(|| Self::field_for(largest, ground.voxel_size_m()));
        let pairs = pairs_with_ground(grains, dampings);
        Some(Self::new(known, ground, materials, pairs, grains.lattice(), largest))
    }

    /// A field that knows distances as far out as the largest ball reaches.
    fn field_for(largest_radius_m: f64, voxel_size_m: f32) -> SurfaceField {
        let voxels = voxels_of_reach(largest_radius_m, voxel_size_m);
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

    /// Distance of the centre of a ball from the surface (m) and direction away from it; none where none is within `reach_m` (m),
    /// which is at least the radius of the ball.
    #[inline(always)]
    pub fn way_to(
        &self,
        cursor: &mut SurfaceCursor,
        at_m: DVec3,
        radius_m: f64,
        reach_m: f64,
    ) -> Option<(f64, DVec3)> {
        if radius_m > self.widest_by_centre_m {
            return self.way_from_rim(cursor, at_m, radius_m, reach_m);
        }
        let near = cursor.near(at_m);
        (near.normal != glam::Vec3::ZERO).then(|| (f64::from(near.distance_m), near.normal.as_dvec3()))
    }

    /// As [`Footing::way_to`], for balls so wide that distances are not known as far as their centres: by the point of their rim
    /// that is deepest in the ground.
    fn way_from_rim(
        &self,
        cursor: &mut SurfaceCursor,
        at_m: DVec3,
        radius_m: f64,
        reach_m: f64,
    ) -> Option<(f64, DVec3)> {
        let band = f64::from(MOST_BAND) * self.voxel_m;
        // Shells no further apart than the band, so that no surface within reach lies between two of them.
        let shells = ((reach_m - radius_m) / band).ceil().max(0.0) as usize;
        let mut deepest: Option<(f64, DVec3)> = None;
        for shell in 0..=shells {
            let out = radius_m + (reach_m - radius_m) * (shell as f64 / shells.max(1) as f64);
            for &way in &self.spread {
                let near = cursor.near(at_m + way * out);
                let far = out + f64::from(near.distance_m);
                let is_near = near.normal != glam::Vec3::ZERO || near.distance_m < 0.0;
                if is_near && deepest.is_none_or(|(least, _)| far < least) {
                    deepest = Some((far, way));
                }
            }
            if deepest.is_some() {
                break;
            }
        }
        let (_, mut way) = deepest?;
        let mut found: Option<(f64, DVec3)> = None;
        for _ in 0..ROUNDS {
            let near = cursor.near(at_m + way * radius_m);
            if near.normal == glam::Vec3::ZERO {
                break;
            }
            let (far, normal) = (radius_m + f64::from(near.distance_m), near.normal.as_dvec3());
            if found.is_none_or(|(least, _)| far < least) {
                found = Some((far, normal));
            }
            way = -normal;
        }
        // Far from the rim nothing is known but that there is ground.
        found.or_else(|| deepest.map(|(far, way)| (far, -way)))
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
        let Some((way, pair)) = self.touched(cursor, at_m, ball) else {
            *springs = Springs::default();
            return None;
        };
        Some(push_off(way, DVec3::ZERO, ball, &pair, rules, springs, given, [DVec3::ZERO; 2]))
    }

    /// How it meets a ball whose centre is at `at_m` (m), and the numbers of that; none where they do not touch.
    pub fn meeting(&self, cursor: &mut SurfaceCursor, at_m: DVec3, ball: &Touch) -> Option<(Meeting, Pair)> {
        let (way, pair) = self.touched(cursor, at_m, ball)?;
        Some((meet(way, DVec3::ZERO, ball, [DVec3::ZERO; 2]).0, pair))
    }

    /// The way to the ground where a ball touches it, and the numbers of that.
    #[inline(always)]
    fn touched(&self, cursor: &mut SurfaceCursor, at_m: DVec3, ball: &Touch) -> Option<((f64, DVec3), Pair)> {
        let radius = f64::from(ball.radius);
        let way = self.way_to(cursor, at_m, radius, radius).filter(|(far, _)| *far < radius)?;
        // Half a voxel below the surface is what the ball lies on.
        let below = at_m - way.1 * (way.0 + 0.5 * self.voxel_m);
        let voxel = self.ground.get(voxel_at(below.as_vec3(), self.ground.voxel_size_m()));
        let mut pair = self.pairs[ball.kind];
        let kind = if voxel.top > 0 { voxel.top_kind } else { voxel.rock_kind };
        if let Some(material) = self.materials.get(kind) {
            pair.friction = libm::tanf(material.friction_angle);
        }
        Some((way, pair))
    }

    /// What is known of the surface, for the next step.
    pub fn into_field(self) -> SurfaceField {
        self.field
    }
}

/// How far a field must reach for balls of this radius (voxels).
fn voxels_of_reach(radius_m: f64, voxel_size_m: f32) -> f64 {
    (1.2 * radius_m / f64::from(voxel_size_m)).ceil() + 1.0
}

/// About `count` directions, spread evenly on a spiral around z.
fn spread(count: f64) -> Vec<DVec3> {
    let count = count.ceil().max(1.0);
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let of = |k: usize| {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / count;
        let r = (1.0 - z * z).sqrt();
        let (sin, cos) = libm::sincos(golden * k as f64);
        DVec3::new(r * cos, r * sin, z)
    };
    (0..count as usize).map(of).collect()
}
