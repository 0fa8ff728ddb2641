//! Soil that falls in any direction, all of it together: the plain way, which soil takes where gravity is aslant.

use barchan_volume::Grid;
use glam::{IVec3, Vec3};
use rustc_hash::FxHashMap;

use super::fall::{Course, Velocities, from_key, key};
use crate::columns::{Patch, Space};
use crate::ground::Ground;
use crate::material::Materials;
use crate::units::VoidRatio;
use crate::voxel::{Parcel, Voxel};

/// Lets soil fall for a step. Returns how much left its voxel (units), and what is in the air then.
pub(super) fn fall_aslant(
    mut velocities: Velocities,
    course: &Course,
    body_shares: &Grid<u16>,
    materials: &Materials,
    ground: &mut Ground,
) -> (i64, Velocities) {
    let mut sum = 0;
    for _ in 0..course.parts {
        let space = Space::new(ground, body_shares, materials);
        let group = with_riders(&velocities, &space);
        let (fell, after, patch) = Air::new(space).fall(&group, course);
        (sum, velocities) = (sum + fell, after);
        patch.commit(ground);
    }
    (sum, velocities)
}

/// What is in the air, and all soil on top of it with the velocity of what it rests on. A pile whose support sinks by a
/// hair comes down as a whole: else the gap would climb through it by one voxel a step.
fn with_riders(falling: &Velocities, space: &Space<'_>) -> Velocities {
    let mut all = falling.clone();
    all.sort_unstable_by_key(|([z, x, y], _)| [*x, *y, *z]);
    for place in 0..falling.len() {
        let (at, velocity) = all[place];
        let next = all.get(place + 1).filter(|_| place + 1 < falling.len()).map(|(at, _)| *at);
        let below = IVec3::from_array(from_key(at));
        all.extend(riders(below, next, space).map(|p| (key(p), velocity)));
    }
    all.sort_unstable_by_key(|(at, _)| *at);
    all
}

/// The soil that rests on the soil of voxel `below`, up to what is in the air itself (`next` in this column or another).
fn riders<'a>(
    below: IVec3,
    next: Option<[i32; 3]>,
    space: &'a Space<'_>,
) -> impl Iterator<Item = IVec3> + use<'a> {
    (1..)
        .map(move |height| below + IVec3::Z * height)
        .take_while(move |p| Some(key(*p)) != next && rests_on_soil_alone(*p, space))
}

/// True when the soil of voxel `p` would hang if there were none below it.
fn rests_on_soil_alone(p: IVec3, space: &Space<'_>) -> bool {
    let voxel = |q: IVec3| {
        let here = space.ground.get(q);
        if q == p { here } else { Voxel { soil: 0, ..here } }
    };
    space.hangs_as(p, voxel)
}

/// The ground while soil moves through the air.
struct Air<'a> {
    space: Space<'a>,
    patch: Patch,
    /// Soil that moved or stayed: units and momentum (units m/s).
    after: FxHashMap<[i32; 3], (f32, Vec3)>,
}

impl<'a> Air<'a> {
    fn new(space: Space<'a>) -> Self {
        Self { space, patch: Patch::default(), after: FxHashMap::default() }
    }

    /// Moves all soil of `group` by its velocity and what gravity adds to it. Returns how much left its voxel (units),
    /// what is in the air then, and the changed ground.
    fn fall(mut self, group: &Velocities, course: &Course) -> (i64, Velocities, Patch) {
        // What arrives in a voxel before its own soil has moved does not move on with it.
        let snapshot: Vec<(IVec3, Vec3, u16)> = group
            .iter()
            .map(|(at, v)| {
                let p = IVec3::from_array(from_key(*at));
                (p, *v + course.gain, self.space.ground.get(p).soil)
            })
            .collect();
        let mut fell = 0;
        for (p, velocity, units) in snapshot {
            let shift = (velocity * course.voxels_per_speed).clamp(Vec3::NEG_ONE, Vec3::ONE);
            fell += self.shift(p, velocity, shift, units);
        }
        let velocities = self.settle_velocities(group);
        (fell, velocities, self.patch)
    }

    /// Moves `units` of the soil of voxel `p` by `shift` (voxels).
    fn shift(&mut self, p: IVec3, velocity: Vec3, shift: Vec3, units: u16) -> i64 {
        let (step, part) = (IVec3::from_array(shift.to_array().map(|s| s.signum() as i32)), shift.abs());
        let (mut left, mut locked) = (units, 0);
        // The furthest corner first: there is room in the direction of motion, if anywhere.
        for corner in (1..8).rev() {
            let along = |axis: i32| corner >> axis & 1 == 1;
            let share: f32 = (0..3)
                .map(|axis| if along(axis) { part[axis as usize] } else { 1.0 - part[axis as usize] })
                .product();
            let wanted = (f32::from(units) * share + 0.5) as u16;
            if wanted > 0 {
                let q = p + step * IVec3::from_array([0, 1, 2].map(|axis| i32::from(along(axis))));
                let went = self.carry(p, q, wanted.min(left), velocity);
                locked += wanted.min(left) - went;
                left -= went;
            }
        }
        // What found its way locked has lost its speed, what lags behind has not.
        let free = 1.0 - f32::from(locked.min(left)) / f32::from(left.max(1));
        self.note(p, f32::from(left), velocity * free);
        i64::from(units - left)
    }

    /// Carries up to `units` from `p` to `q`, as far as there is room. Returns how many went.
    fn carry(&mut self, p: IVec3, q: IVec3, units: u16, velocity: Vec3) -> u16 {
        let voxel = self.patch.get(p, &self.space);
        let loose = VoidRatio::from_f32(self.space.materials[voxel.soil_kind].void_ratio_loose);
        let (kind, moisture) = (voxel.soil_kind, voxel.moisture);
        let parcel = Parcel { units: 0, kind, void_ratio: loose.max(voxel.void_ratio), moisture };
        let went = self.patch.put(q, parcel, u32::from(units), &self.space);
        if went > 0 {
            self.patch.take(p, went, &self.space);
            self.note(q, went as f32, velocity);
        }
        went as u16
    }

    fn note(&mut self, p: IVec3, units: f32, velocity: Vec3) {
        let entry = self.after.entry(key(p)).or_insert((0.0, Vec3::ZERO));
        *entry = (entry.0 + units, entry.1 + velocity * units);
    }

    /// The velocities of all that is in the air now: averaged by mass, and none for what lost its hold just now.
    fn settle_velocities(&self, before: &Velocities) -> Velocities {
        let hangs = |p: IVec3| self.space.hangs_as(p, |p| self.patch.get(p, &self.space));
        let mut velocities = Velocities::new();
        for (at, _) in before {
            let mut above = IVec3::from_array(from_key(*at)) + IVec3::Z;
            while !self.after.contains_key(&key(above)) && hangs(above) {
                velocities.push((key(above), Vec3::ZERO));
                above += IVec3::Z;
            }
        }
        for (at, (units, momentum)) in &self.after {
            if *units > 0.0 && hangs(IVec3::from_array(from_key(*at))) {
                velocities.push((*at, *momentum / *units));
            }
        }
        velocities.sort_unstable_by_key(|(at, _)| *at);
        velocities.dedup_by_key(|(at, _)| *at);
        velocities
    }
}
