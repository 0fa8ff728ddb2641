//! The way that pushed soil takes.

use std::f32::consts::FRAC_PI_4;

use barchan_volume::brick::brick_of;
use glam::{IVec3, Vec3};

use super::site::Site;
use crate::bodies::{Bodies, Body};
use crate::material::MaterialId;

/// Bodies slower than this do not say where soil goes (m/s).
const STILL_M_S: f32 = 1e-6;

/// Where soil of voxel `p` is pushed to: a vector whose largest component is one voxel.
pub(super) fn direction(p: IVec3, kind: MaterialId, bodies: &Bodies, site: &Site<'_>) -> Vec3 {
    let centre_m = (p.as_vec3() + 0.5) * site.voxel_size_m();
    let rise = FRAC_PI_4 - site.friction_angle(kind) / 2.0;
    let fastest = site
        .body_fill
        .bodies_in(brick_of(p))
        .iter()
        .filter_map(|id| bodies.get(*id))
        .map(|body| (body.velocity_at(centre_m), body))
        .reduce(|a, b| if b.0.length_squared() > a.0.length_squared() { b } else { a });
    let course = fastest.map_or(Vec3::Z, |(velocity, body)| failure_course(velocity, &body, centre_m, rise));
    course / course.abs().max_element()
}

/// The course along which soil fails before a body that moves with `velocity`.
fn failure_course(velocity: Vec3, body: &Body<'_>, centre_m: Vec3, rise: f32) -> Vec3 {
    let level = velocity.with_z(0.0);
    if velocity.length() < STILL_M_S || velocity.z > level.length() {
        // Lifted, or surprised by a body that was not there before: up.
        return Vec3::Z;
    }
    // A body that sinks drives soil away from under itself, one that advances drives it on.
    let sinks = -velocity.z > level.length();
    let away = if sinks { (centre_m - body.centre_of_mass_m).with_z(0.0) } else { level };
    let ahead = away.try_normalize().unwrap_or(Vec3::X);
    ahead * rise.cos() + Vec3::Z * rise.sin()
}

/// A walk from voxel to voxel along a course, around what is in the way.
pub(super) struct Path {
    at: Vec3,
    course: Vec3,
    /// Voxels that may still be walked.
    left: u32,
}

impl Path {
    /// A walk of at most `length` voxels.
    pub(super) fn new(start: IVec3, course: Vec3, length: u32) -> Self {
        Self { at: start.as_vec3() + 0.5, course, left: length }
    }

    /// The next voxel: ahead, or level with it under an obstacle, or straight up at a wall. None at a dead end.
    pub(super) fn next(&mut self, mut is_blocked: impl FnMut(IVec3) -> bool) -> Option<IVec3> {
        self.left = self.left.checked_sub(1)?;
        let level = self.course.with_z(0.0);
        [self.course, level, Vec3::Z].into_iter().filter(|step| *step != Vec3::ZERO).find_map(|step| {
            let next = self.at + step;
            let voxel = next.floor().as_ivec3();
            (voxel != self.at.floor().as_ivec3() && !is_blocked(voxel)).then(|| {
                self.at = next;
                voxel
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_rises_slides_under_obstacles_and_climbs_walls() {
        let course = Vec3::new(1.0, 0.0, 0.5);
        let mut free = Path::new(IVec3::ZERO, course, 9);
        let voxels: Vec<_> = (0..4).filter_map(|_| free.next(|_| false)).collect();
        let expected = [(1, 0, 1), (2, 0, 1), (3, 0, 2), (4, 0, 2)].map(|(x, y, z)| IVec3::new(x, y, z));
        assert_eq!(voxels, expected);

        let roofed = Path::new(IVec3::ZERO, course, 9).next(|q| q.z > 0);
        assert_eq!(roofed, Some(IVec3::X));
        let walled = Path::new(IVec3::ZERO, course, 9).next(|q| q.x > 0);
        assert_eq!(walled, Some(IVec3::Z));
        assert_eq!(Path::new(IVec3::ZERO, course, 9).next(|_| true), None);
    }
}
