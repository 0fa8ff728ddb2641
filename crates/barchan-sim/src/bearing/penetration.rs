//! Edges and teeth that are driven into soil point first.
//!
//! Soil bears on them as on a deep foundation: q = c N_c s_c + gamma z N_q s_q (Prandtl1921, Reissner1924), with s_c = 1 + N_q / N_c
//! and s_q = 1 + tan phi for round teeth (DeBeer1970). It grows with depth, resists the way in which they cut, and nothing else.

use std::f32::consts::{FRAC_PI_4, PI};

use glam::{DVec3, Mat3, Vec3};

use super::contacts::Setting;
use super::law::{Resistance, Yield};
use super::solve::Contact;
use super::surroundings::Surroundings;
use crate::bodies::{Body, Edge};
use crate::material::Strength;
use crate::reader::{Reader, voxel_at};

/// Points into which an edge is cut.
const POINTS: usize = 4;

/// The soil in front of a point is looked at this far ahead (voxels).
const AHEAD: f32 = 0.75;

/// Pressure (Pa) with which soil of this strength bears on an edge, or a round tooth, `depth_m` (m) down.
pub(super) fn tip_pressure_pa(strength: &Strength, depth_m: f32, is_round: bool) -> f32 {
    let tan_phi = strength.tan_phi;
    let passive = libm::tanf(FRAC_PI_4 + 0.5 * libm::atanf(tan_phi));
    let n_q = passive * passive * libm::expf(PI * tan_phi);
    // Its limit where there is no friction.
    let n_c = if tan_phi > 1e-3 { (n_q - 1.0) / tan_phi } else { 2.0 + PI };
    let (s_c, s_q) = if is_round { (1.0 + n_q / n_c, 1.0 + tan_phi) } else { (1.0, 1.0) };
    strength.cohesion_pa * n_c * s_c + strength.gamma_n_m3 * depth_m.max(0.0) * n_q * s_q
}

/// The contacts of the edges and teeth of `body` that are in soil, appended to `contacts`.
pub(super) fn penetrate(
    body: &Body<'_>,
    edges: &[Edge],
    surroundings: &Surroundings,
    reader: &mut Reader<'_>,
    setting: &Setting<'_>,
    contacts: &mut Vec<Contact>,
) {
    let (size, turn) = (reader.ground.voxel_size_m(), Mat3::from_quat(body.pose.rotation));
    for edge in edges {
        let into = turn * edge.into;
        let points = if edge.is_tooth() { 1 } else { POINTS };
        for number in 0..points {
            let share = (number as f32 + 0.5) / points as f32;
            let point = turn * edge.ends_m[0].lerp(edge.ends_m[1], share) + body.pose.translation;
            let depth_m = surroundings.depth(point);
            let voxel = reader.voxel(voxel_at(point + into * (AHEAD * size), size));
            if depth_m <= 0.0 || !voxel.has_soil() {
                continue;
            }
            let class = voxel.strength_class(reader.materials);
            let gravity = setting.gravity.length();
            let strength = reader.materials.strengths()[class.index()].in_gravity(gravity);
            let area_m2 = f64::from(edge.area_m2() / points as f32);
            contacts.push(tip(
                body,
                point,
                into,
                area_m2,
                tip_pressure_pa(&strength, depth_m, edge.is_tooth()),
                setting,
            ));
        }
    }
}

fn tip(
    body: &Body<'_>,
    point: Vec3,
    into: Vec3,
    area_m2: f64,
    pressure_pa: f32,
    setting: &Setting<'_>,
) -> Contact {
    let resistance = Resistance::Soil(Yield {
        area_m2,
        pressure_pa: f64::from(pressure_pa),
        slope_pa_m: 0.0,
        gap_m: 0.0,
        approach_m_s: f64::from(body.velocity_at(point).dot(into)),
        dt_s: setting.dt_s,
        rate: [0.0, 1.0],
    });
    Contact {
        arm: (point - body.centre_of_mass_m).as_dvec3(),
        into: into.as_dvec3().normalize(),
        resistance,
        friction: 0.0,
        shear: None,
        area_m2,
        cuts: false,
        is_edge: true,
        drift: DVec3::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_bear_as_deep_foundations_do() {
        // Friction (°), cohesion (Pa), depth (m), edge (kPa) by hand: N_q of 30° is 18.40, N_c 30.14; of 0° 1 and 5.14.
        let strength = |deg: f32, cohesion_pa: f32| Strength {
            tan_phi: deg.to_radians().tan(),
            cohesion_pa,
            gamma_n_m3: 16_000.0,
        };
        for (deg, cohesion_pa, depth_m, kpa) in
            [(30.0, 0.0, 0.2, 58.88), (30.0, 2_000.0, 0.0, 60.28), (0.0, 10_000.0, 0.1, 53.0)]
        {
            let found = tip_pressure_pa(&strength(deg, cohesion_pa), depth_m, false) / 1e3;
            assert!((found / kpa - 1.0).abs() < 0.01, "{deg}° {cohesion_pa} Pa {depth_m} m: {found}");
        }
        let round = tip_pressure_pa(&strength(30.0, 0.0), 0.2, true);
        assert!((round / 1e3 / (58.88 * 1.577) - 1.0).abs() < 0.01, "{round}");
    }
}
