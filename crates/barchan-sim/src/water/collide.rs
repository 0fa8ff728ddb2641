//! Particles on their way: they do not enter ground or bodies, and what they run along slows them.

use barchan_particles::Place;
use glam::{DVec3, Vec3};

use super::beds::Reader;
use super::params::WaterParams;
use super::particles::FASTEST_M_S;
use super::scale::Scale;
use crate::ground::Ground;

/// Longest piece of a way between two looks at the ground (voxels).
const PIECE: f64 = 0.25;

/// Tries to find the surface from inside.
const TRIES: usize = 8;

/// How far outside the surface a particle is put that met it (voxels).
const CLEAR: f32 = 1e-3;

/// Von Kármán's constant, and the height over roughness at which the law of the wall has no speed (Nikuradse1933).
const KARMAN: f32 = 0.41;
const ROUGH: f32 = 30.0;

/// How a particle's way ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub place: Place,
    pub velocity: Vec3,
    /// Speed at which it met a wall, along its normal (m/s).
    pub struck: f32,
    /// How far it moved against the ground beside it and along that (m); none: no ground was near.
    pub wear_m: Option<[f32; 2]>,
    /// How its velocity changed where it met a wall (m/s).
    pub pushed: Vec3,
    /// True when it is inside and found no way out.
    pub is_buried: bool,
    /// True when it was held to its longest way.
    pub was_hurried: bool,
    /// True when its velocity was no number.
    pub was_mended: bool,
}

/// What all ways of a substep have in common.
pub(super) struct Ways<'a> {
    pub scale: &'a Scale,
    pub params: &'a WaterParams,
    pub ground: &'a Ground,
    pub dt_s: f32,
}

impl Ways<'_> {
    /// Where a particle gets that is led with the velocity `along` (m/s), and how it moves then; `wall_m_s` is the velocity of the
    /// wall beside it.
    pub fn go(
        &self,
        reader: &mut Reader<'_>,
        place: Place,
        velocity: Vec3,
        mut along: Vec3,
        wall_m_s: Vec3,
    ) -> Arrival {
        let mut arrival = Arrival {
            place,
            velocity,
            struck: 0.0,
            wear_m: None,
            pushed: Vec3::ZERO,
            is_buried: false,
            was_hurried: false,
            was_mended: !(velocity.is_finite() && along.is_finite()),
        };
        if arrival.was_mended {
            (arrival.velocity, along) = (Vec3::ZERO, Vec3::ZERO);
        }
        let longest_m = self.scale.spacing_m.min(self.scale.voxel_m as f32);
        let fastest = (longest_m / self.dt_s).min(FASTEST_M_S);
        let speed = arrival.velocity.length();
        if speed > fastest {
            arrival.velocity *= fastest / speed;
            arrival.was_hurried = true;
        }
        along *= (fastest / along.length().max(fastest)).min(1.0);
        let mut at = self.scale.lattice.point(place);
        if reader.touch(at).fill > 0.5 {
            match way_out(reader, at, self.scale.voxel_m as f32) {
                Some(out) => at = out,
                None => {
                    return Arrival { velocity: Vec3::ZERO, is_buried: true, ..arrival };
                }
            }
        }
        let mut left_s = f64::from(self.dt_s);
        while left_s > 0.0 {
            let speed = f64::from(along.length());
            let piece_s = if speed > 0.0 { (PIECE * self.scale.voxel_m / speed).min(left_s) } else { left_s };
            left_s = if piece_s < left_s { left_s - piece_s } else { 0.0 };
            let next = at + along.as_dvec3() * piece_s;
            let touch = reader.touch(next);
            if touch.fill <= 0.5 {
                at = next;
                continue;
            }
            let outwards = -touch.gradient.normalize_or_zero();
            along -= outwards * (along - wall_m_s).dot(outwards).min(0.0);
            let approach = (arrival.velocity - wall_m_s).dot(outwards);
            if approach < 0.0 {
                arrival.velocity -= outwards * approach;
                arrival.pushed -= outwards * approach;
                arrival.struck = arrival.struck.max(-approach);
            }
            // It stands where it met the wall if there is no way out: what is left of its way is along the wall.
            at = way_out(reader, next, self.scale.voxel_m as f32).unwrap_or(at);
        }
        arrival.place = self.scale.lattice.moved(place, at - self.scale.lattice.point(place));
        // The lattice is finer than f64 far out, and coarser near the origin: rounding must not end inside.
        if reader.touch(self.scale.lattice.point(arrival.place)).fill > 0.5 {
            arrival.place = place;
            arrival.is_buried = reader.touch(self.scale.lattice.point(place)).fill > 0.5;
        }
        self.rub(reader, &mut arrival, wall_m_s);
        arrival
    }

    /// Slows what runs along ground, by the law of the wall (Nikuradse1933).
    fn rub(&self, reader: &mut Reader<'_>, arrival: &mut Arrival, wall_m_s: Vec3) {
        let point_m = self.scale.lattice.point(arrival.place);
        let touch = reader.touch(point_m);
        let spacing_m = self.scale.spacing_m;
        let Some(distance_m) = touch.distance_m().filter(|distance| *distance < spacing_m) else { return };
        let inwards = touch.gradient.normalize_or_zero();
        let relative = arrival.velocity - wall_m_s;
        let along = relative - inwards * relative.dot(inwards);
        arrival.wear_m = Some([arrival.struck, along.length()].map(|speed| speed * self.dt_s));
        let below = point_m + (inwards * (distance_m.max(0.0) + 0.5 * self.scale.voxel_m as f32)).as_dvec3();
        let voxel = self.ground.get((below / self.scale.voxel_m).floor().as_ivec3());
        let roughness_m =
            if voxel.has_soil() { self.params.soil_roughness_m } else { self.params.rock_roughness_m };
        if roughness_m <= 0.0 {
            return;
        }
        let log = libm::logf(1.0 + ROUGH * 0.5 * spacing_m / roughness_m);
        let drag = KARMAN * KARMAN / (log * log);
        // Implicitly: it slows and never turns round.
        let kept = 1.0 / (1.0 + self.dt_s * drag * along.length() / spacing_m);
        arrival.velocity -= along * (1.0 - kept);
        arrival.pushed -= along * (1.0 - kept);
    }
}

/// The nearest point outside, along the slope of the fill; none where that does not lead out.
pub(super) fn way_out(reader: &mut Reader<'_>, from: DVec3, voxel_m: f32) -> Option<DVec3> {
    let mut at = from;
    for _ in 0..TRIES {
        let touch = reader.touch(at);
        if touch.fill <= 0.5 {
            return Some(at);
        }
        let steepness = touch.gradient.length();
        if steepness * voxel_m < 1e-3 {
            return None;
        }
        let way_m = ((touch.fill - 0.5) / steepness).min(0.5 * voxel_m) + CLEAR * voxel_m;
        at -= (touch.gradient * (way_m / steepness)).as_dvec3();
        if !reader.knows(at) {
            return None;
        }
    }
    (reader.touch(at).fill <= 0.5).then_some(at)
}
