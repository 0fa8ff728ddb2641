//! Soil on its way through the air.

use glam::{IVec3, Vec2, Vec3};

use super::arrivals::{Arrivals, Arrived};
use super::fall::Moving;
use super::hanging::hangs_as;
use super::riders::with_riders;
use crate::columns::{Look, Patch, Space};
use crate::units::LOOSE_FULL;
use crate::voxel::Parcel;

/// Soil of one voxel in the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Falling {
    pub at: IVec3,
    /// (m/s)
    pub velocity: Vec3,
    /// How far it is ahead of its voxel (voxels).
    pub ahead: Vec3,
}

impl Falling {
    pub fn at_rest(at: IVec3) -> Self {
        Self { at, velocity: Vec3::ZERO, ahead: Vec3::ZERO }
    }

    pub fn from_moving(moving: &Moving) -> Self {
        Self {
            at: IVec3::from_array(moving.at),
            velocity: Vec3::from_array(moving.velocity_m_s),
            ahead: Vec3::from_array(moving.ahead_voxels),
        }
    }

    pub fn to_moving(self) -> Moving {
        Moving {
            at: self.at.to_array(),
            velocity_m_s: self.velocity.to_array(),
            ahead_voxels: self.ahead.to_array(),
        }
    }
}

/// The ground while soil moves through the air.
pub(super) struct Air<'a> {
    space: Space<'a>,
    /// Velocity that gravity adds in a part of a step (m/s).
    gain: Vec3,
    /// Voxels that soil moves in a part of a step for each m/s.
    voxels_per_speed: f32,
    /// The changed ground.
    pub patch: Patch<'a>,
    /// Soil that left its voxel (units).
    pub fell: i64,
    /// Soil that moved or stayed in this part of the step.
    after: Arrivals,
}

impl<'a> Air<'a> {
    pub fn new(space: Space<'a>, gain: Vec3, voxels_per_speed: f32) -> Self {
        let (patch, after) = (Patch::new(space), Arrivals::default());
        Self { space, gain, voxels_per_speed, patch, fell: 0, after }
    }

    /// Moves the soil of `group` and all that rests on it for a part of a step. Returns what is in the air then, column
    /// by column and upwards in each.
    pub fn fall(&mut self, group: &[Falling]) -> Vec<Falling> {
        self.after.clear();
        let mut group = with_riders(group, &self.space, &mut self.patch);
        if self.gain.truncate() != Vec2::ZERO {
            // Lower soil makes room for what is above it, in other columns, too.
            group.sort_by_key(|(falling, _)| falling.at.z);
        }
        // What arrives in a voxel before its own soil has moved does not move on with it.
        for (falling, units) in &group {
            self.shift(falling, *units);
        }
        self.still_in_the_air(&group)
    }

    /// Moves `units` of soil by its velocity. Soil moves on by whole voxels and keeps in mind how far it is ahead of the
    /// voxel it is in: so it stays together, and what is thin does not spread to dust.
    fn shift(&mut self, falling: &Falling, units: u32) {
        let velocity = falling.velocity + self.gain;
        let way = falling.ahead + (velocity * self.voxels_per_speed).clamp(Vec3::NEG_ONE, Vec3::ONE);
        let mut step = nearest_voxel(way);
        let below = falling.at - IVec3::Z;
        if step == IVec3::ZERO && -way.z >= self.free_share(below) {
            // There is less room below than half a voxel, and the soil has crossed it.
            step = IVec3::NEG_Z;
        }
        if step == IVec3::ZERO {
            self.note(falling.at, units, velocity, way);
            return;
        }
        let to = falling.at + step;
        let went = self.carry(falling.at, to, units);
        self.fell += i64::from(went);
        self.note(to, went, velocity, way - step.as_vec3());
        if went == units {
            return;
        }
        // What found its way locked goes on with what is in the way, if that moves at all.
        let ahead = self.after.get(to).copied().unwrap_or_default();
        let slowed = if ahead.units > 0.0 { ahead.momentum / ahead.units } else { Vec3::ZERO };
        self.note(falling.at, units - went, slowed.clamp(-velocity.abs(), velocity.abs()), Vec3::ZERO);
    }

    /// The share of voxel `p` that is free (0 to 1).
    fn free_share(&mut self, p: IVec3) -> f32 {
        let (voxel, body) = self.patch.look(p);
        let taken = self.space.solid(&voxel, body) + voxel.soil_share();
        LOOSE_FULL.saturating_sub(taken) as f32 / LOOSE_FULL as f32
    }

    /// Carries up to `units` from `p` to `q`, as far as there is room, what lies lowest first. Returns how many went.
    fn carry(&mut self, p: IVec3, q: IVec3, units: u32) -> u32 {
        let voxel = self.patch.get(p);
        if voxel.under == 0 {
            let loose = voxel.top_void_ratio.max(self.space.materials.loose(voxel.top_kind));
            let part = self.patch.room(q, loose).min(units);
            if part == 0 {
                return 0;
            }
            let parcel = self.patch.take_top(p, part).loosened(self.space.materials);
            self.patch.add(q, parcel);
            return u32::from(parcel.units);
        }
        let (mut went, mut stays) = (0, Vec::new());
        for mut parcel in self.patch.take_all(p).into_iter().rev() {
            let going = parcel.split_off(units - went);
            let mut rest = going.loosened(self.space.materials);
            self.patch.put(q, &mut rest);
            went += u32::from(going.units - rest.units);
            stays.extend([Parcel { units: rest.units, water: rest.water, ..going }, parcel]);
        }
        stays.into_iter().for_each(|parcel| self.patch.add(p, parcel));
        went
    }

    fn note(&mut self, p: IVec3, units: u32, velocity: Vec3, ahead: Vec3) {
        if units > 0 {
            let arrived = self.after.entry(p);
            let units = units as f32;
            arrived.units += units;
            arrived.momentum += velocity * units;
            arrived.ahead += ahead * units;
        }
    }

    /// All that is in the air now: with the mean of what came together, and at rest what lost its hold just now.
    fn still_in_the_air(&mut self, before: &[(Falling, u32)]) -> Vec<Falling> {
        let Self { space, patch, after, .. } = self;
        let mut hangs = |p: IVec3| hangs_as(p, space, patch);
        let mut falling = Vec::with_capacity(before.len());
        for (at, arrived) in after.iter() {
            if hangs(*at) {
                let Arrived { units, momentum, ahead } = *arrived;
                falling.push(Falling { at: *at, velocity: momentum / units, ahead: ahead / units });
            }
        }
        for (Falling { at, .. }, _) in before {
            let mut above = *at + IVec3::Z;
            while after.get(above).is_none() && hangs(above) {
                falling.push(Falling::at_rest(above));
                above += IVec3::Z;
            }
        }
        // Mostly both parts are in order by themselves: the stable sort sees that.
        falling.sort_by_key(|f| f.at.to_array());
        falling.dedup_by_key(|f| f.at);
        falling
    }
}

/// `way` (voxels) in whole voxels, one at most along each axis. Compared by hand: `round` is a call into the C library on
/// most machines.
fn nearest_voxel(way: Vec3) -> IVec3 {
    let along = |way: f32| i32::from(way >= 0.5) - i32::from(way <= -0.5);
    IVec3::new(along(way.x), along(way.y), along(way.z))
}
