//! Culmann's wedge: a plane through the toe of a face.

use crate::test_soil::TestSoil;

/// Height (m) up to which a face of `face_deg` (°) stands: Hc = (4c/gamma) sin(beta) cos(phi) / (1 - cos(beta - phi)).
/// Infinite where the face is no steeper than the soil's friction allows anyway.
pub(super) fn critical_height_m(soil: &TestSoil, face_deg: f64) -> f64 {
    let (beta, phi) = (face_deg.to_radians(), soil.phi_deg.to_radians());
    if beta <= phi {
        return f64::INFINITY;
    }
    4.0 * soil.c_pa / soil.gamma_n_m3 * beta.sin() * phi.cos() / (1.0 - (beta - phi).cos())
}

/// Angle of the plane (°) on which it fails: halfway between face and friction.
pub(super) fn plane_deg(soil: &TestSoil, face_deg: f64) -> f64 {
    (face_deg + soil.phi_deg) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertical_faces_have_the_known_stability_numbers() {
        // gamma Hc / c (Taylor 1937, plane wedges).
        for (phi_deg, number) in [(0.0, 4.00), (10.0, 4.77), (20.0, 5.71), (30.0, 6.93), (40.0, 8.58)] {
            let soil = TestSoil { phi_deg, c_pa: 5_000.0, gamma_n_m3: 20_000.0 };
            let height = critical_height_m(&soil, 90.0);
            assert!((height * 4.0 - number).abs() < 0.006, "{phi_deg}: {height}");
            assert_eq!(plane_deg(&soil, 90.0), 45.0 + phi_deg / 2.0);
        }
    }

    #[test]
    fn flatter_faces_stand_higher_and_gentle_ones_for_ever() {
        let soil = TestSoil { phi_deg: 30.0, c_pa: 5_000.0, gamma_n_m3: 20_000.0 };
        assert!(critical_height_m(&soil, 70.0) > 1.5 * critical_height_m(&soil, 90.0));
        assert_eq!(critical_height_m(&soil, 30.0), f64::INFINITY);
    }
}
