//! Balls as records that vectors read.

use barchan_particles::Place;
use glam::{DMat3, DVec3};

use super::grain::Grain;
use super::setup::Worked;

/// The radius in a record of a ball (m).
#[inline(always)]
pub fn radius(at: &[u32; 4]) -> f32 {
    f32::from_bits(at[3])
}

/// Writes the records of all balls of a grain.
#[inline(always)]
pub fn write_records(
    grain: &Grain,
    worked: &Worked,
    at: &mut [[u32; 4]],
    velocity: &mut [[u32; 4]],
    spin: &mut [[u32; 4]],
) {
    let form = &worked.forms[usize::from(grain.form)];
    let axes = DMat3::from_quat(grain.turn);
    let turning = grain.spin_rad_s(form);
    let parts_per_m = f64::from(1u32 << Place::FINE_BITS) / worked.edge_m;
    let centre = grain.place.fine();
    let bits = |v: DVec3| v.as_vec3().to_array().map(f32::to_bits);
    let [wx, wy, wz] = bits(turning);
    for (k, ball) in form.balls.iter().enumerate() {
        let off = axes * ball.at_m;
        let parts = (off * parts_per_m).round_ties_even_fast();
        at[k] = [
            centre[0].wrapping_add(parts[0]) as u32,
            centre[1].wrapping_add(parts[1]) as u32,
            centre[2].wrapping_add(parts[2]) as u32,
            ball.radius_m.to_bits(),
        ];
        let [vx, vy, vz] = bits(grain.velocity_m_s + turning.cross(off));
        velocity[k] = [vx, vy, vz, u32::from(ball.kind)];
        spin[k] = [wx, wy, wz, 0];
    }
}

/// Whole numbers next to those of a vector.
trait Rounding {
    fn round_ties_even_fast(self) -> [i32; 3];
}

impl Rounding for DVec3 {
    #[inline(always)]
    fn round_ties_even_fast(self) -> [i32; 3] {
        const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 x 2^52
        self.to_array().map(|x| ((x + SHIFT) - SHIFT) as i64 as i32)
    }
}
