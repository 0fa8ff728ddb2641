//! The way that pushed soil takes.

use barchan_volume::brick::{brick_of, voxel_index};
use glam::{I64Vec3, IVec3, Vec3};

use super::cursor::Cursor;
use super::site::Site;
use crate::bodies::Body;
use crate::material::StrengthClass;

/// Bodies slower than this do not say where soil goes (m/s).
const STILL_M_S: f32 = 1e-6;

/// Where soil of voxel `p` is pushed to by the `bodies` in its brick: a vector whose largest component is one voxel.
pub(super) fn direction(
    p: IVec3,
    strength: StrengthClass,
    bodies: &[Body<'_>],
    cursor: &mut Cursor<'_>,
    site: &Site<'_>,
) -> Vec3 {
    let centre_m = (p.as_vec3() + 0.5) * site.voxel_size_m();
    let fastest = bodies
        .iter()
        .map(|body| (body.velocity_at(centre_m), body))
        .reduce(|a, b| if b.0.length_squared() > a.0.length_squared() { b } else { a });
    let Some((velocity, body)) = fastest else { return Vec3::Z };
    if velocity.z >= 0.0 && faces_up(p, cursor) {
        // Whatever slides in under soil lifts it.
        return Vec3::Z;
    }
    let course = failure_course(velocity, body, centre_m, site.strength(strength).root_kp());
    course / course.abs().max_element()
}

/// True where the bodies in and around voxel `p` show it more of their top than of their sides.
fn faces_up(p: IVec3, cursor: &mut Cursor<'_>) -> bool {
    let mut change =
        |axis: IVec3| i32::from(cursor.body_share(p - axis)) - i32::from(cursor.body_share(p + axis));
    let z = change(IVec3::Z);
    z > 0 && z > change(IVec3::X).abs().max(change(IVec3::Y).abs())
}

/// The course along which soil fails before a body that moves with `velocity`: it rises by 45° - phi/2, whose tangent is one over
/// `root_kp`.
fn failure_course(velocity: Vec3, body: &Body<'_>, centre_m: Vec3, root_kp: f32) -> Vec3 {
    let level = velocity.with_z(0.0);
    if velocity.length() < STILL_M_S || velocity.z > level.length() {
        // Lifted, or surprised by a body that was not there before: up.
        return Vec3::Z;
    }
    // A body that sinks drives soil away from under itself, one that advances drives it on.
    let sinks = -velocity.z > level.length();
    let away = if sinks { (centre_m - body.centre_of_mass_m).with_z(0.0) } else { level };
    let ahead = away.try_normalize().unwrap_or(Vec3::X);
    (ahead * root_kp + Vec3::Z).normalize()
}

/// Parts of a voxel that a path counts.
const PARTS: f32 = 65_536.0;

/// A walk from voxel to voxel along a course, out of what it starts in and then around what is in the way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// Place (1/65,536 voxel).
    at: I64Vec3,
    /// Per step, like the place: one voxel along at least one axis, so that every step comes to another voxel.
    course: I64Vec3,
    /// Everything so far was blocked: soil that a body caught within itself.
    inside: bool,
    /// The last step went straight up at a wall.
    climbs: bool,
    /// A wall of the world is ahead, as high as the world: from now on it only goes up.
    walled: bool,
    /// Voxels that were walked.
    walked: u32,
    /// Voxels that may be walked.
    length: u32,
}

impl Path {
    /// A walk of at most `length` voxels; `inside` when it starts in a blocked one.
    pub(super) fn new(start: IVec3, course: Vec3, inside: bool, length: u32) -> Self {
        let at = start.as_i64vec3() * PARTS as i64 + PARTS as i64 / 2;
        Self {
            at,
            course: (course * PARTS).as_i64vec3(),
            inside,
            climbs: false,
            walled: false,
            walked: 0,
            length,
        }
    }

    /// Where the walk has come to.
    pub(super) fn voxel(&self) -> IVec3 {
        voxel_of(self.at)
    }

    /// How many voxels the walk has come (voxels).
    pub(super) fn walked(&self) -> u32 {
        self.walked
    }

    /// True as long as the walk has not come out of what it started in.
    pub(super) fn is_inside(&self) -> bool {
        self.inside
    }

    /// True when the walk came to where it is straight up a wall.
    pub(super) fn climbs(&self) -> bool {
        self.climbs
    }

    /// The next voxel, ahead, or level with it under an obstacle, or straight up at a wall, and what `probe` says is
    /// free in it; that is none where the way is blocked. None at a dead end. Out of a body it goes through anything but
    /// walls.
    pub(super) fn next(
        &mut self,
        mut probe: impl FnMut(IVec3) -> Option<u32>,
        is_wall: impl Fn(IVec3) -> bool,
    ) -> Option<(IVec3, u32)> {
        if self.walked == self.length {
            return None;
        }
        self.walked += 1;
        if !self.walled {
            let ahead = voxel_of(self.at + self.course);
            if let Some(free) = probe(ahead) {
                return Some((ahead, self.go(self.course, false, free)));
            }
        }
        let up = I64Vec3::Z * PARTS as i64;
        let level = I64Vec3::new(self.course.x, self.course.y, 0);
        let (here, beside) = (self.voxel(), voxel_of(self.at + level));
        self.walled = self.walled || is_wall(beside);
        if !self.walled
            && beside != here
            && let Some(free) = probe(beside)
        {
            return Some((beside, self.go(level, false, free)));
        }
        if let Some(free) = probe(here + IVec3::Z) {
            return Some((here + IVec3::Z, self.go(up, true, free)));
        }
        if !self.inside {
            return None;
        }
        // On the level, or soil below a body would come out on top of it.
        let is_open = |step: &I64Vec3| *step != I64Vec3::ZERO && !is_wall(voxel_of(self.at + *step));
        self.at += [level, up].into_iter().find(is_open)?;
        Some((self.voxel(), 0))
    }

    /// Takes a step into a voxel that lets soil pass. Returns what is free in it.
    #[inline]
    fn go(&mut self, step: I64Vec3, climbs: bool, free: u32) -> u32 {
        (self.at, self.inside, self.climbs) = (self.at + step, false, climbs);
        free
    }

    /// Goes on while the next voxel lies in `brick` and `is_full` says of its place there that soil fills it and nothing
    /// is in the way: what [`Path::next`] would do, but sooner.
    #[inline]
    pub(super) fn pass(&mut self, brick: IVec3, mut is_full: impl FnMut(usize) -> bool) {
        let step = if self.walled { I64Vec3::Z * PARTS as i64 } else { self.course };
        while self.walked < self.length {
            let voxel = voxel_of(self.at + step);
            if brick_of(voxel) != brick || !is_full(voxel_index(voxel)) {
                break;
            }
            self.walked += 1;
            self.go(step, self.walled, 0);
        }
    }
}

fn voxel_of(place: I64Vec3) -> IVec3 {
    (place >> 16_i32).as_ivec3()
}

#[cfg(test)]
mod tests {
    use barchan_volume::brick::brick_box;

    use super::*;

    /// The first `count` voxels of a path along (1, 0, 1/2).
    fn walk(inside: bool, count: u32, is_blocked: impl Fn(IVec3) -> bool) -> Vec<[i32; 3]> {
        let mut path = Path::new(IVec3::ZERO, Vec3::new(1.0, 0.0, 0.5), inside, count);
        std::iter::from_fn(|| path.next(|q| (!is_blocked(q) && q.x <= 9).then_some(1), |q| q.x > 9))
            .map(|(voxel, _)| voxel.to_array())
            .collect()
    }

    #[test]
    fn a_path_rises_slides_under_obstacles_and_climbs_walls() {
        assert_eq!(walk(false, 4, |_| false), [[1, 0, 1], [2, 0, 1], [3, 0, 2], [4, 0, 2]]);
        assert_eq!(walk(false, 1, |q| q.z > 0), [[1, 0, 0]], "under a roof");
        assert_eq!(walk(false, 1, |q| q.x > 0), [[0, 0, 1]], "up a wall");
        assert!(walk(false, 1, |_| true).is_empty());
        let out = [[1, 0, 0], [2, 0, 0], [3, 0, 1], [4, 0, 1]];
        assert_eq!(walk(true, 4, |q| q.x < 3), out, "out of a body");
        let up = walk(true, 13, |q| q.z < 4);
        assert_eq!(
            up[8..],
            [[9, 0, 0], [9, 0, 1], [9, 0, 2], [9, 0, 3], [9, 0, 4]],
            "out of a body at a wall"
        );
    }

    #[test]
    fn passing_full_voxels_is_the_same_as_going_from_one_to_the_next() {
        let is_full = |q: IVec3| q.z < 12 && (q.x + q.y) % 5 != 0;
        let probe = |q: IVec3| (q.x < 20).then(|| if is_full(q) { 0 } else { 1 });
        for course in [Vec3::new(1.0, 0.3, 0.6), Vec3::new(-0.2, 1.0, 0.4), Vec3::Z] {
            for length in [3, 40] {
                let mut slow = Path::new(IVec3::new(2, 1, 3), course, false, length);
                let mut fast = slow;
                let found =
                    std::iter::from_fn(|| slow.next(probe, |q| q.x >= 20)).filter(|(_, free)| *free > 0);
                let found: Vec<_> = found.map(|(voxel, _)| voxel).collect();
                let passing = std::iter::from_fn(|| {
                    let brick = brick_of(fast.voxel());
                    fast.pass(brick, |at| {
                        brick_box(brick).cells().any(|q| voxel_index(q) == at && q.x < 20 && is_full(q))
                    });
                    fast.next(probe, |q| q.x >= 20)
                });
                let passed: Vec<_> = passing.filter(|(_, free)| *free > 0).map(|(voxel, _)| voxel).collect();
                assert_eq!(found, passed, "{course} {length}");
            }
        }
    }
}
