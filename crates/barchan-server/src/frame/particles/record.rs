//! What is told of one particle, in whole numbers: both sides of the wire reckon with the same ones.

use barchan_sim::SeenParticle;
use glam::Vec3;

/// Ticks of the wire in a second of the world (1/s).
const TICKS_PER_S: f64 = 256.0;
/// Quanta in the smallest radius, at least.
const QUANTA_PER_RADIUS: f32 = 8.0;
/// Velocities are told in quanta per second over this: a sixteenth of a radius in a quarter of a second is not seen.
const VELOCITY_QUANTA_PER_S: f32 = 4.0;
/// A velocity times so many ticks is so many quanta times this power of two.
const VELOCITY_SHIFT: u32 = 6;
/// Codes for a doubling of a radius, and of a force.
const SIZE_CODES: f32 = 16.0;
const FORCE_CODES: f32 = 8.0;
/// The force of code 0 (N).
const SMALLEST_FORCE_N: f32 = 1e-6;
/// Quanta that a particle may be astray, and codes by which its looks may differ, before it is told anew.
const ASTRAY_QUANTA: u32 = 2;
const LOOK_CODES: [u8; LOOKS] = [2, 0, 8, 0, 8];

/// Bytes that tell how a particle looks: size, kind, sediment, contacts, force.
pub const LOOKS: usize = 5;

/// A moment as the wire counts it (ticks).
pub fn tick_of(time_s: f64) -> u32 {
    // Past the longest time that is told, ticks begin anew: only differences of them count.
    (time_s * TICKS_PER_S) as u64 as u32
}

/// The quantum of places (m), a power of two: for particles of at least `radius_m` (m) that are no further than `far_m`
/// (m) from the origin.
pub fn quantum_m(radius_m: f32, far_m: f32) -> f32 {
    let fine = (radius_m.clamp(1e-5, 1e3) / QUANTA_PER_RADIUS).log2().floor().exp2();
    let coarse = (far_m.clamp(1e-5, 1e9) / (1 << 29) as f32).log2().ceil().exp2();
    fine.max(coarse)
}

/// True where places in steps of `quantum_m` (m) are too coarse for particles of `radius_m` (m).
pub fn is_too_coarse(quantum_m: f32, radius_m: f32) -> bool {
    radius_m < QUANTA_PER_RADIUS / 4.0 * quantum_m
}

/// One particle in quanta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its place (quanta).
    pub place: [i32; 3],
    /// Its velocity (quanta per quarter of a second).
    pub velocity: [i16; 3],
    /// How it looks.
    pub look: [u8; LOOKS],
}

impl Record {
    /// A particle in steps of `quantum_m` (m).
    pub fn of(particle: &SeenParticle, quantum_m: f32) -> Self {
        let SeenParticle { centre_m, radius_m, velocity_m_s, sediment, contacts, force_n, .. } = *particle;
        // Conversion saturates, and takes what is no number as 0.
        let velocity = velocity_m_s / (quantum_m * VELOCITY_QUANTA_PER_S);
        let code = |number: f32| number.round() as u8;
        Self {
            place: quanta(centre_m, quantum_m),
            velocity: velocity.to_array().map(|v| v.round() as i16),
            look: [
                code(SIZE_CODES * (radius_m / quantum_m).log2()),
                particle.kind.0,
                // Most water carries little: the root tells little from none.
                code(255.0 * sediment.max(0.0).sqrt()),
                contacts.min(255) as u8,
                code(FORCE_CODES * (force_n / SMALLEST_FORCE_N).log2()),
            ],
        }
    }

    /// Where it comes by itself in so many ticks (quanta).
    pub fn led_on(&self, ticks: i32) -> [i32; 3] {
        let way = |v: i16| ((i64::from(v) * i64::from(ticks)) >> VELOCITY_SHIFT) as i32;
        [0, 1, 2].map(|axis| self.place[axis].wrapping_add(way(self.velocity[axis])))
    }

    /// By how much it is elsewhere, or looks other, than a client believes that has it at `place` with `look` (quanta);
    /// 0 where nobody would see it.
    pub fn astray(&self, place: [i32; 3], look: [u8; LOOKS]) -> u32 {
        let off = (0..3).map(|axis| self.place[axis].abs_diff(place[axis])).max().unwrap_or(0);
        let looks_other = (0..LOOKS).any(|at| self.look[at].abs_diff(look[at]) > LOOK_CODES[at]);
        if off > ASTRAY_QUANTA { off } else { ASTRAY_QUANTA * u32::from(looks_other) }
    }
}

fn quanta(point_m: Vec3, quantum_m: f32) -> [i32; 3] {
    (point_m / quantum_m).to_array().map(|x| x.round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_particle_is_led_on_as_its_velocity_says() {
        let quantum_m = quantum_m(0.05, 100.0);
        assert!(quantum_m <= 0.05 / 8.0 && !is_too_coarse(quantum_m, 0.05));
        let particle = SeenParticle {
            id: barchan_sim::ParticleId(1),
            part: 0,
            centre_m: Vec3::new(1.0, -2.0, 3.0),
            radius_m: 0.05,
            velocity_m_s: Vec3::new(2.0, 0.0, -1.0),
            kind: barchan_sim::MaterialId(3),
            sediment: 0.5,
            contacts: 4,
            force_n: 1.0,
        };
        let record = Record::of(&particle, quantum_m);
        let ticks = tick_of(10.25).wrapping_sub(tick_of(10.0)) as i32;
        let after = record.led_on(ticks).map(|x| x as f32 * quantum_m);
        for (axis, expected) in [1.5, -2.0, 2.75].into_iter().enumerate() {
            assert!((after[axis] - expected).abs() < 2.0 * quantum_m, "{after:?}");
        }
        assert_eq!(record.led_on(0), record.place);
        assert_eq!(record.look[1..4], [3, 180, 4]);
    }

    #[test]
    fn nothing_that_is_no_number_gets_onto_the_wire() {
        let lost = SeenParticle {
            id: barchan_sim::ParticleId(0),
            part: 0,
            centre_m: Vec3::new(f32::NAN, f32::INFINITY, -1e30),
            radius_m: 0.0,
            velocity_m_s: Vec3::splat(f32::NEG_INFINITY),
            kind: barchan_sim::MaterialId(0),
            sediment: f32::NAN,
            contacts: u16::MAX,
            force_n: -1.0,
        };
        let quantum_m = quantum_m(f32::MAX, f32::MAX);
        assert!(quantum_m > 0.0 && quantum_m.is_finite());
        let record = Record::of(&lost, quantum_m);
        assert_eq!(record.place, [0, i32::MAX, i32::MIN]);
        assert_eq!(record.look, [0, 0, 0, 255, 0]);
        record.led_on(i32::MIN);
    }
}
