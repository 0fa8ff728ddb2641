//! When soil slides along a smooth floor: the formulas, free of voxels.
//!
//! The push on a slice of soil over its floor is the fall of the floor, and what its own pressure adds where it is thicker
//! than the next slice; the friction of the floor holds against both (SavageHutter1989, in which only what is at rest or
//! about to move is left). The pressure is that of Rankine1857: active where soil spreads, passive where it is pushed
//! together.

use super::rule::Strength;

/// Steep friction leaves no pressure at all; this much keeps its inverse finite (-).
const LEAST_PRESSURE: f32 = 1e-3;

/// How soil of one kind holds on a floor.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloorLaw {
    tan_phi: f32,
    /// True where cohesion keeps the soil from sliding on itself until it is broken.
    is_cohesive: bool,
    /// Pressure sideways over that of the weight where soil spreads (-).
    active: f32,
    /// The same where it is pushed together (-).
    passive: f32,
}

/// The floor below a slice and the next one. All lengths of a slice are in the same unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    /// Distance of the slices.
    pub run: f32,
    /// By how much the floor is lower below the next.
    pub fall: f32,
    /// Coefficient of friction (-).
    pub friction: f32,
}

impl FloorLaw {
    pub fn of(strength: &Strength, is_cohesive: bool) -> Self {
        let sin_phi = strength.tan_phi / (1.0 + strength.tan_phi * strength.tan_phi).sqrt();
        let active = ((1.0 - sin_phi) / (1.0 + sin_phi)).max(LEAST_PRESSURE);
        Self { tan_phi: strength.tan_phi, is_cohesive, active, passive: 1.0 / active }
    }

    /// On floors of this friction and more the soil slides on itself sooner than along them (-).
    pub fn roughest_floor(&self) -> f32 {
        if self.is_cohesive { f32::INFINITY } else { self.tan_phi }
    }

    /// The rise of its surface over that of the next slice at which soil is about to slide along the floor.
    pub fn bears(&self, floor: &Floor) -> f32 {
        let spare = floor.friction * floor.run - floor.fall;
        floor.fall + spare / if spare > 0.0 { self.active } else { self.passive }
    }

    /// True when soil slides in some direction along a floor of this slope and friction sooner than on itself.
    pub fn is_weak(&self, slope: f32, friction: f32) -> bool {
        // Directions across the slope fall less, and least is borne where the fall is just the friction.
        let fall = slope.min(friction);
        let is_smooth = self.bears(&Floor { run: 1.0, fall, friction }) < self.tan_phi;
        is_smooth || self.is_cohesive && slope > friction
    }

    /// The slope that drives soil along a floor of this slope, where its surface has that one; both along one axis (-). What stands in
    /// the way of soil that is pushed together holds against it, as far as that can, and drives nothing itself.
    #[inline]
    pub fn drive(&self, surface: f32, floor: f32) -> f32 {
        let [a, b] = [self.active, self.passive].map(|pressure| floor + (surface - floor) * pressure);
        if a * b <= 0.0 {
            0.0
        } else if a.abs() < b.abs() {
            a
        } else {
            b
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(phi_deg: f32) -> FloorLaw {
        let tan_phi = phi_deg.to_radians().tan();
        FloorLaw::of(&Strength { tan_phi, cohesion_pa: 0.0, gamma_n_m3: 18_000.0 }, false)
    }

    #[test]
    fn what_drives_a_layer_is_what_it_bears() {
        for (lean_deg, friction_deg) in [(0.0, 5.0), (3.0, 5.0), (8.0, 5.0)] {
            let (law, floor) = (law(30.0), floor(lean_deg, friction_deg));
            // Ground falls along the axis, so that its slope is less than nothing.
            let drive = law.drive(-law.bears(&floor), -floor.fall);
            assert!((drive + floor.friction).abs() < 1e-5, "{lean_deg}° on {friction_deg}°: {drive}");
        }
    }

    fn floor(lean_deg: f32, friction_deg: f32) -> Floor {
        let [fall, friction] = [lean_deg, friction_deg].map(|deg| deg.to_radians().tan());
        Floor { run: 1.0, fall, friction }
    }

    #[test]
    fn an_even_layer_holds_up_to_the_friction_of_its_floor() {
        for phi_deg in [0.0, 20.0, 35.0, 89.0] {
            for friction_deg in [0.0, 5.0, 15.0, 30.0] {
                for (lean_deg, holds) in [(friction_deg - 0.5, true), (friction_deg + 0.5, false)] {
                    let floor = floor(lean_deg, friction_deg);
                    let spare = law(phi_deg).bears(&floor) - floor.fall;
                    assert_eq!(spare > 0.0, holds, "{phi_deg}°: {lean_deg}° on {friction_deg}°: {spare}");
                }
            }
        }
    }

    #[test]
    fn a_floor_rougher_than_the_soil_is_never_weak() {
        for lean_deg in [-60.0, -10.0, 0.0, 10.0, 34.0, 36.0, 60.0] {
            for (friction_deg, weak) in [(35.1, false), (60.0, false), (2.0, true)] {
                let slope = f32::to_radians(lean_deg).tan().abs();
                assert_eq!(law(35.0).is_weak(slope, f32::to_radians(friction_deg).tan()), weak);
            }
        }
    }

    #[test]
    fn soil_spreads_on_level_ice_as_its_pressure_says() {
        // Rankine1857: the active pressure of soil of 30° is a third of its weight.
        let borne = law(30.0).bears(&floor(0.0, 5.0));
        assert!((borne - 3.0 * 5_f32.to_radians().tan()).abs() < 1e-5, "{borne}");
    }
}
