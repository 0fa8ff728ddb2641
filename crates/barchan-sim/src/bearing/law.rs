//! How ground resists a face that moves into it: soil yields, rock does not.

use crate::material::{Material, Strength};

/// Most by which dense soil bears more than in the field (-).
const MOST_HARDENED: f32 = 20.0;

/// Soil under a body, as the body feels it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Soil {
    /// kc / b + kphi (Pa/m^n).
    modulus: f32,
    exponent: f32,
    /// Kp gamma (Pa/m).
    passive_slope: f32,
    /// 2 c sqrt(Kp) (Pa).
    passive_cohesion: f32,
    /// tan phi (-).
    pub friction: f32,
    /// c (Pa).
    pub cohesion_pa: f32,
    /// Janosi's K (m).
    pub shear_displacement_m: f32,
}

impl Soil {
    /// `material` of this void ratio and `strength` in the gravity of the world, under a contact whose smaller side is `width_m`
    /// (m). What lies denser than in the field, where its moduli were measured, bears more as its preconsolidation is more.
    pub fn new(material: &Material, void_ratio: f32, strength: &Strength, width_m: f32) -> Self {
        let root_kp = strength.root_kp();
        let hardened = material.borne_over_natural(void_ratio).clamp(1.0, MOST_HARDENED);
        Self {
            modulus: hardened * (material.sinkage_kc / width_m + material.sinkage_kphi),
            exponent: material.sinkage_exponent,
            passive_slope: root_kp * root_kp * strength.gamma_n_m3,
            passive_cohesion: 2.0 * strength.cohesion_pa * root_kp,
            friction: strength.tan_phi,
            cohesion_pa: strength.cohesion_pa,
            shear_displacement_m: material.shear_displacement_m,
        }
    }

    /// Pressure (Pa) at which soil yields, `depth_m` (m) below its surface, to a face of which the share `downwards`
    /// faces into the ground and `sideways` along it.
    pub fn yield_pressure(&self, depth_m: f32, facing: Facing) -> f32 {
        if depth_m <= 0.0 {
            return 0.0;
        }
        let mut pressure = facing.sideways * (self.passive_slope * depth_m + self.passive_cohesion);
        if facing.downwards > 0.0 {
            pressure += facing.downwards * self.modulus * libm::powf(depth_m, self.exponent);
        }
        pressure
    }
}

/// Where a face looks, against the surface of the ground: 0 to 1 each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facing {
    /// Into the ground.
    pub downwards: f32,
    /// Along it.
    pub sideways: f32,
}

/// How a point of the ground resists.
#[derive(Clone, Copy, Debug)]
pub(super) enum Resistance {
    /// It yields.
    Soil(Yield),
    /// It does not.
    Rock(Stop),
}

/// Soil that yields to a small face during one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Yield {
    /// Of the face (m²).
    pub area_m2: f64,
    /// Yield pressure where the face first meets soil (Pa).
    pub pressure_pa: f64,
    /// How it grows along the way of the face (Pa/m).
    pub slope_pa_m: f64,
    /// Air before the soil begins (m).
    pub gap_m: f64,
    /// Speed of the face into the soil before the step (m/s).
    pub approach_m_s: f64,
    /// Length of the step (s).
    pub dt_s: f64,
    /// Share that fast yielding adds (-), and the speed that is fast (m/s).
    pub rate: [f64; 2],
}

/// Rock, or another thing that lets a point move so fast and no faster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// Fastest motion that is free (m/s).
    pub limit_m_s: f64,
    /// Force per speed beyond it (N s/m).
    pub damping_n_s_m: f64,
}

impl Resistance {
    /// The force (N) against a motion that ends with `speed` (m/s) into the ground, and its slope (N s/m). Never negative,
    /// never falling. Soil yields fully from well above `stick_m_s` (m/s) on.
    pub fn force(&self, speed: f64, stick_m_s: f64) -> (f64, f64) {
        match self {
            Self::Soil(soil) => soil.force(speed, stick_m_s),
            Self::Rock(rock) if speed > rock.limit_m_s => {
                ((speed - rock.limit_m_s) * rock.damping_n_s_m, rock.damping_n_s_m)
            }
            Self::Rock(_) => (0.0, 0.0),
        }
    }
}

impl Yield {
    fn force(&self, speed: f64, stick_m_s: f64) -> (f64, f64) {
        if speed < 0.0 {
            return (0.0, 0.0);
        }
        let (pressure, pressure_slope) = self.mean_pressure(speed);
        let (moving, moving_slope) = saturation(speed / stick_m_s);
        let [gain, fast] = [self.rate[0], self.rate[1].max(stick_m_s)];
        let (rushing, rushing_slope) = saturation(speed / fast);
        let share = moving + gain * rushing;
        let share_slope = moving_slope / stick_m_s + gain * rushing_slope / fast;
        let slope = pressure_slope * share + pressure * share_slope;
        (self.area_m2 * pressure * share, self.area_m2 * slope)
    }

    /// Mean of the yield pressure over the way of the face in the step (Pa), so that force times way is the work, and
    /// its slope over the speed at the end (Pa s/m).
    fn mean_pressure(&self, speed: f64) -> (f64, f64) {
        let way = 0.5 * (self.approach_m_s + speed) * self.dt_s;
        let inside = (way - self.gap_m).max(0.0);
        if self.gap_m <= 0.0 {
            let slope = if inside > 0.0 { 0.25 * self.slope_pa_m * self.dt_s } else { 0.0 };
            return (self.pressure_pa + 0.5 * self.slope_pa_m * inside, slope);
        }
        if inside == 0.0 {
            return (0.0, 0.0);
        }
        let mean = (self.pressure_pa + 0.5 * self.slope_pa_m * inside) * inside / way;
        let slope = (self.pressure_pa + self.slope_pa_m * inside - mean) / way;
        (mean, 0.5 * slope * self.dt_s)
    }
}

/// A smooth step from 0 at 0 to 1 far above, and its slope.
pub(super) fn saturation(x: f64) -> (f64, f64) {
    let square = 1.0 + x * x;
    let root = square.sqrt();
    (x / root, 1.0 / (square * root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Materials;
    use crate::units::VoidRatio;

    #[test]
    fn soil_yields_as_bekker_and_rankine_say() {
        let materials = Materials::builtin();
        let pressure = |name: &str, depth_m: f32, facing: [f32; 2]| {
            let kind = materials.find(name).unwrap();
            let natural = VoidRatio::from_f32(materials[kind].void_ratio_natural);
            let strength = materials.strength(kind, natural, false, 0.0);
            let [downwards, sideways] = facing;
            Soil::new(&materials[kind], materials[kind].void_ratio_natural, &strength, 0.3)
                .yield_pressure(depth_m, Facing { downwards, sideways })
        };
        // Soil, depth (m), facing down and sideways, pressure (kPa) by hand: Bekker for b = 0.3 m, Rankine.
        let rows = [
            ("dry_sand", 0.05, [1.0, 0.0], 56.77),
            ("sandy_loam", 0.05, [1.0, 0.0], 188.22),
            ("clay", 0.02, [1.0, 0.0], 104.10),
            ("lunar_regolith", 0.1, [1.0, 0.0], 82.47),
            ("dry_sand", 0.2, [0.0, 1.0], 10.65),
            ("clay", 0.2, [0.0, 1.0], 47.82),
            ("clay", 0.0, [0.5, 0.5], 0.0),
        ];
        for (name, depth_m, facing, expected) in rows {
            let found = pressure(name, depth_m, facing) / 1e3;
            assert!((found - expected).abs() <= 2e-3 * expected, "{name} at {depth_m} m: {found}");
        }
    }

    #[test]
    fn slopes_are_those_of_the_forces() {
        let soil = Yield {
            area_m2: 0.01,
            pressure_pa: 3e3,
            slope_pa_m: 1e5,
            gap_m: 0.0,
            approach_m_s: 0.5,
            dt_s: 1.0 / 60.0,
            rate: [1.2, 0.3],
        };
        let rock = Stop { limit_m_s: 0.1, damping_n_s_m: 1e4 };
        let rows = [
            Resistance::Soil(soil),
            Resistance::Soil(Yield { gap_m: 0.004, ..soil }),
            Resistance::Soil(Yield { gap_m: 0.004, pressure_pa: 0.0, ..soil }),
            Resistance::Rock(rock),
        ];
        for resistance in rows {
            let mut last = 0.0;
            for i in -10..100 {
                let (speed, h) = (0.017 * f64::from(i) + 1e-4, 1e-7);
                let (force, slope) = resistance.force(speed, 0.02);
                let numeric =
                    (resistance.force(speed + h, 0.02).0 - resistance.force(speed - h, 0.02).0) / (2.0 * h);
                assert!((slope - numeric).abs() <= 1e-4 * slope.max(1.0), "{resistance:?} at {speed}");
                assert!(force >= last, "{resistance:?} at {speed}");
                last = force;
            }
            assert!(last > 0.0);
        }
    }
}
