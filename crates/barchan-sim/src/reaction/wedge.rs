//! The force on a flat face driven into soil, in closed form.

use std::f32::consts::PI;

/// Steps in which the angle of failure is sought, and rounds that make them finer.
const STEPS: usize = 24;
const ROUNDS: usize = 2;

/// Failure planes flatter or steeper than this are not looked at (rad).
const LEAST_ANGLE: f32 = 0.04;

/// The soil in front of a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutSoil {
    /// Unit weight (N/m³).
    pub gamma_n_m3: f32,
    /// Cohesion (Pa).
    pub cohesion_pa: f32,
    /// Angle of internal friction (rad).
    pub phi: f32,
    /// Gravity (m/s²).
    pub gravity_m_s2: f32,
}

/// A flat face in soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wedge {
    /// Depth of its lower edge below the surface (m).
    pub depth_m: f32,
    /// Its width (m).
    pub width_m: f32,
    /// Angle between the face and the surface in front of it (rad): 90° upright, less where it leans back and soil rides up on it.
    pub rake: f32,
    /// Angle of friction between soil and face (rad).
    pub tool_friction: f32,
    /// Weight on the surface in front (Pa).
    pub surcharge_pa: f32,
    /// Speed into the soil (m/s).
    pub speed_m_s: f32,
    /// Ends beside which soil fails, too: 0 in a channel as wide as the face, 2 where both are free.
    pub free_ends: u32,
}

/// What a wedge asks of the tool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WedgeForce {
    /// Along the surface, against the tool (N).
    pub along_n: f32,
    /// Of this, what grows with depth along the face (N); the rest is even.
    pub weight_n: f32,
    /// Down on the tool (N); negative where it lifts.
    pub down_n: f32,
    /// Angle of the plane of failure (rad).
    pub plane: f32,
    /// How far in front of the edge it comes to the surface (m).
    pub reach_m: f32,
}

impl Wedge {
    /// The least force at which a wedge fails; none where no wedge can slide up (the face leans over too far) or nothing is cut.
    ///
    /// H = w (gamma d² N_g + c d N_c + q d N_q) + inertia, V = H cot(a + d'), least over the angle of failure b.
    pub fn force(&self, soil: &CutSoil) -> Option<WedgeForce> {
        let is_sound = [self.depth_m, self.width_m, self.rake].iter().all(|x| *x > 0.0 && x.is_finite());
        // The plane, the face and both frictions must leave the wedge a way up.
        let steepest = PI - self.rake - self.tool_friction - soil.phi - LEAST_ANGLE;
        if !is_sound || steepest <= LEAST_ANGLE {
            return None;
        }
        let (mut low, mut high) = (LEAST_ANGLE, steepest.min(PI / 2.0));
        let mut best: Option<WedgeForce> = None;
        for _ in 0..=ROUNDS {
            let step = (high - low) / STEPS as f32;
            for i in 0..=STEPS {
                let found = self.force_on(low + step * i as f32, soil);
                if found.along_n > 0.0 && best.is_none_or(|best| found.along_n < best.along_n) {
                    best = Some(found);
                }
            }
            let Some(best) = best else { return None };
            (low, high) = ((best.plane - step).max(LEAST_ANGLE), (best.plane + step).min(high));
        }
        best
    }

    /// The force where soil fails on a plane of this angle (rad).
    fn force_on(&self, plane: f32, soil: &CutSoil) -> WedgeForce {
        let &Self { depth_m: d, width_m: w, rake, tool_friction, .. } = self;
        let (cot_rake, cot_plane) = (cot(rake), cot(plane));
        let reach_m = d * (cot_rake + cot_plane);
        let failing = WedgeForce { plane, reach_m, ..WedgeForce::default() };
        let (on_tool, on_plane) = (cot(rake + tool_friction), cot(plane + soil.phi));
        let resistance = on_tool + on_plane;
        if reach_m <= 0.0 || resistance <= 0.0 {
            return failing;
        }
        let side_m = d * (cot_plane * cot_plane + 2.0 * cot_rake * cot_plane).max(0.0).sqrt();
        let beside = self.free_ends as f32 / 2.0 * side_m / w;
        let weight = soil.gamma_n_m3 * d * 0.5 * reach_m * (1.0 + 2.0 / 3.0 * beside);
        let cohesion = soil.cohesion_pa * d * (1.0 + cot_plane * on_plane) * (1.0 + beside);
        let surcharge = self.surcharge_pa * reach_m * (1.0 + beside);
        // Soil that lies still is brought to the speed of the wedge.
        let rho = soil.gamma_n_m3 / soil.gravity_m_s2.max(1e-3);
        let inertia = rho * self.speed_m_s * self.speed_m_s * d * (libm::tanf(plane) + on_plane)
            / (1.0 + libm::tanf(plane) * cot_rake);
        let along_n = w * (weight + cohesion + surcharge + inertia) / resistance;
        WedgeForce { along_n, weight_n: w * weight / resistance, down_n: along_n * on_tool, ..failing }
    }
}

/// Cotangent.
fn cot(angle: f32) -> f32 {
    libm::cosf(angle) / libm::sinf(angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wedge(rake_deg: f32, tool_deg: f32, depth_m: f32, width_m: f32, free_ends: u32) -> Wedge {
        Wedge {
            depth_m,
            width_m,
            rake: rake_deg.to_radians(),
            tool_friction: tool_deg.to_radians(),
            surcharge_pa: 0.0,
            speed_m_s: 0.0,
            free_ends,
        }
    }

    fn soil(phi_deg: f32, cohesion_pa: f32, gamma_n_m3: f32) -> CutSoil {
        CutSoil { gamma_n_m3, cohesion_pa, phi: phi_deg.to_radians(), gravity_m_s2: 9.81 }
    }

    #[test]
    fn total_forces_are_those_of_mckyes() {
        // Rake, friction, tool friction (°), cohesion (Pa), total force per metre at 0.2 m (kN).
        for (rake, phi, tool, c, total) in
            [(90.0, 30.0, 0.0, 0.0, 0.960), (60.0, 30.0, 20.0, 0.0, 0.995), (90.0, 30.0, 0.0, 2_000.0, 2.346)]
        {
            let found = wedge(rake, tool, 0.2, 1.0, 0).force(&soil(phi, c, 16_000.0)).unwrap();
            let whole = found.along_n / 1e3 / (rake + tool).to_radians().sin();
            assert!((whole / total - 1.0).abs() < 0.005, "{rake} {tool} {c}: {whole}");
        }
    }

    #[test]
    fn rake_changes_the_force_as_in_the_table() {
        // Rake (°), horizontal and downward force (kN): phi 35°, tool 20°, 0.5 m, 1800 kg/m³, 1 m.
        for (rake, h, v) in
            [(30.0, 5.8, 4.9), (45.0, 6.4, 3.0), (60.0, 7.9, 1.4), (75.0, 10.8, -0.9), (90.0, 17.3, -6.3)]
        {
            let found = wedge(rake, 20.0, 0.5, 1.0, 0).force(&soil(35.0, 0.0, 1_800.0 * 9.81)).unwrap();
            assert!((found.along_n / 1e3 - h).abs() < 0.1, "{rake}: {}", found.along_n);
            assert!((found.down_n / 1e3 - v).abs() < 0.1, "{rake}: {}", found.down_n);
        }
    }

    #[test]
    fn speed_adds_a_third_at_a_metre_a_second() {
        let slow = wedge(60.0, 20.0, 0.2, 1.0, 0);
        let soil = soil(30.0, 0.0, 16_000.0);
        let slow_n = slow.force(&soil).unwrap().along_n;
        let fast_n = Wedge { speed_m_s: 1.0, ..slow }.force(&soil).unwrap().along_n;
        assert!((0.25..0.40).contains(&(fast_n / slow_n - 1.0)), "{fast_n} {slow_n}");
    }

    #[test]
    fn free_ends_add_and_nothing_is_cut_by_nonsense() {
        let soil = soil(35.0, 0.0, 14_126.0);
        let channel = wedge(90.0, 16.0, 0.2, 0.3, 0).force(&soil).unwrap().along_n;
        let free = wedge(90.0, 16.0, 0.2, 0.3, 2).force(&soil).unwrap().along_n;
        assert!(free > 1.2 * channel, "{free} {channel}");
        for odd in [
            wedge(150.0, 20.0, 0.2, 1.0, 2),
            wedge(90.0, 0.0, 0.0, 1.0, 2),
            wedge(90.0, 0.0, 0.2, f32::NAN, 0),
        ] {
            assert_eq!(odd.force(&soil), None, "{odd:?}");
        }
    }
}
