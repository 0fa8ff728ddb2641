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
    let Some((velocity, body)) = fastest else { return Vec3::Z };
    let course = if velocity.z >= 0.0 && faces_up(p, site) {
        // Whatever slides in under soil lifts it.
        Vec3::Z
    } else {
        failure_course(velocity, &body, centre_m, rise)
    };
    course / course.abs().max_element()
}

/// True where the bodies in and around voxel `p` show it more of their top than of their sides.
fn faces_up(p: IVec3, site: &Site<'_>) -> bool {
    let share = |q: IVec3| i32::from(site.body_fill.shares().get(q));
    let [x, y, z] = IVec3::AXES.map(|axis| share(p - axis) - share(p + axis));
    z > x.abs().max(y.abs())
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

/// A walk from voxel to voxel along a course, out of what it starts in and then around what is in the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    at: Vec3,
    course: Vec3,
    /// Everything so far was blocked: soil that a body caught within itself.
    inside: bool,
    /// Voxels that may still be walked.
    left: u32,
}

impl Path {
    /// A walk of at most `length` voxels; `inside` when it starts in a blocked one.
    pub(super) fn new(start: IVec3, course: Vec3, inside: bool, length: u32) -> Self {
        Self { at: start.as_vec3() + 0.5, course, inside, left: length }
    }

    /// Where the walk has come to.
    pub(super) fn voxel(&self) -> IVec3 {
        self.at.floor().as_ivec3()
    }

    /// True as long as the walk has not come out of what it started in.
    pub(super) fn is_inside(&self) -> bool {
        self.inside
    }

    /// The next voxel: ahead, or level with it under an obstacle, or straight up at a wall. None at a dead end.
    pub(super) fn next(&mut self, mut is_blocked: impl FnMut(IVec3) -> bool) -> Option<IVec3> {
        self.left = self.left.checked_sub(1)?;
        let level = self.course.with_z(0.0);
        let here = self.voxel();
        for step in [self.course, level, Vec3::Z] {
            let voxel = (self.at + step).floor().as_ivec3();
            if voxel != here && !is_blocked(voxel) {
                (self.at, self.inside) = (self.at + step, false);
                return Some(voxel);
            }
        }
        // Out of a body on the level, or soil below it would come out on top.
        self.at += if level == Vec3::ZERO { Vec3::Z } else { level };
        self.inside.then(|| self.voxel())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_rises_slides_under_obstacles_and_climbs_walls() {
        let course = Vec3::new(1.0, 0.0, 0.5);
        let mut free = Path::new(IVec3::ZERO, course, false, 9);
        let voxels: Vec<_> = (0..4).filter_map(|_| free.next(|_| false)).collect();
        let expected = [(1, 0, 1), (2, 0, 1), (3, 0, 2), (4, 0, 2)].map(|(x, y, z)| IVec3::new(x, y, z));
        assert_eq!(voxels, expected);

        let roofed = Path::new(IVec3::ZERO, course, false, 9).next(|q| q.z > 0);
        assert_eq!(roofed, Some(IVec3::X));
        let walled = Path::new(IVec3::ZERO, course, false, 9).next(|q| q.x > 0);
        assert_eq!(walled, Some(IVec3::Z));
        assert_eq!(Path::new(IVec3::ZERO, course, false, 9).next(|_| true), None);

        let mut caught = Path::new(IVec3::ZERO, course, true, 9);
        let voxels: Vec<_> = (0..4).filter_map(|_| caught.next(|q| q.x < 3)).collect();
        let expected = [(1, 0, 0), (2, 0, 0), (3, 0, 1), (4, 0, 1)].map(|(x, y, z)| IVec3::new(x, y, z));
        assert_eq!(voxels, expected);
    }
}
