//! Walls that only grains feel: planes, surfaces of revolution, rooms and solids, each with a motion.

use barchan_volume::Shape;
use glam::{DQuat, DVec2, DVec3};
use serde::{Deserialize, Serialize};

use super::faces::Face;

/// Most points of a profile: every point and every stretch between two has a number of six bits.
pub const MOST_POINTS: usize = 30;

/// The form of a wall, in its own frame, whose origin and turn the wall gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WallForm {
    /// The plane z = 0; grains are above it.
    Plane,
    /// A thin sheet: a line of points (distance from the axis z, height) turned about the axis. Grains feel both sides.
    Turned {
        /// The points (m).
        profile: Vec<DVec2>,
    },
    /// The inside of a shape: grains stay in it.
    Room {
        /// A box, ball, cylinder or cone.
        shape: Shape,
    },
    /// The outside of a shape.
    Solid {
        /// A box, ball, cylinder, cone or capsule.
        shape: Shape,
    },
}

/// How a wall moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum WallMotion {
    /// It does not.
    #[default]
    Still,
    /// At a constant velocity for a while.
    Drive {
        /// Velocity (m/s).
        velocity_m_s: DVec3,
        /// When it begins (s).
        from_s: f64,
        /// When it ends (s).
        until_s: f64,
    },
    /// To and fro about its place, beginning at rest in it.
    Vibrate {
        /// Greatest way (m).
        amplitude_m: DVec3,
        /// Frequency (Hz).
        frequency_hz: f64,
    },
    /// About its origin at a constant rate.
    Spin {
        /// Rate about the axes of the world (rad/s).
        rate_rad_s: DVec3,
    },
    /// A plunger: a force drives it along a line, grains and its own inertia hold it back.
    Press {
        /// Force (N); it moves along it only.
        force_n: DVec3,
        /// Mass (kg).
        mass_kg: f64,
    },
}

/// A wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wall {
    /// What it is called.
    pub name: String,
    /// Its form.
    pub form: WallForm,
    /// Where the origin of its frame is (m).
    pub origin_m: DVec3,
    /// How its frame is turned.
    pub turn: DQuat,
    /// Radius of the virtual balls that make a plane, the sides of a box or a cylinder rough (m); none: it is smooth.
    pub rough_m: Option<f64>,
    /// Coefficient of friction of grains on it (-); none: as among the grains.
    pub friction: Option<f64>,
    /// Restitution of grains on it (-); none: as among the grains.
    pub restitution: Option<f64>,
    /// How it moves.
    pub motion: WallMotion,
    /// When it is taken away (s); none: never.
    pub until_s: Option<f64>,
}

/// What is wrong with a wall.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("wall '{name}': {problem}")]
pub struct WallError {
    /// Which wall.
    pub name: String,
    /// What is wrong.
    pub problem: String,
}

/// Where a wall is and how it moves right now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallPose {
    /// Origin of its frame (m).
    pub origin_m: DVec3,
    /// Turn of its frame.
    pub turn: DQuat,
    /// Velocity of the origin (m/s).
    pub velocity_m_s: DVec3,
    /// Rate of turning (rad/s).
    pub spin_rad_s: DVec3,
}

/// How far a plunger has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plunged {
    /// Way along its line (m).
    pub way_m: f64,
    /// Speed along its line (m/s).
    pub speed_m_s: f64,
}

impl Wall {
    /// A wall that stands still, with the friction and restitution of the grains.
    pub fn new(name: impl Into<String>, form: WallForm, origin_m: DVec3) -> Self {
        Self {
            name: name.into(),
            form,
            origin_m,
            turn: DQuat::IDENTITY,
            rough_m: None,
            friction: None,
            restitution: None,
            motion: WallMotion::Still,
            until_s: None,
        }
    }

    /// A plane through `point_m` (m), free on the side to which `normal` points.
    pub fn plane(name: impl Into<String>, point_m: DVec3, normal: DVec3) -> Self {
        let turn = DQuat::from_rotation_arc(DVec3::Z, normal.normalize());
        Self { turn, ..Self::new(name, WallForm::Plane, point_m) }
    }

    /// An upright tube around the z axis, open at both ends.
    pub fn tube(name: impl Into<String>, foot_m: DVec3, radius_m: f64, height_m: f64) -> Self {
        let profile = vec![DVec2::new(radius_m, 0.0), DVec2::new(radius_m, height_m)];
        Self::new(name, WallForm::Turned { profile }, foot_m)
    }

    /// The same wall with this coefficient of friction (-).
    #[must_use]
    pub fn with_friction(self, friction: f64) -> Self {
        Self { friction: Some(friction), ..self }
    }

    /// The same wall, moving.
    #[must_use]
    pub fn moving(self, motion: WallMotion) -> Self {
        Self { motion, ..self }
    }

    /// Where it is at `time_s` (s).
    pub fn pose(&self, time_s: f64, plunged: &Plunged) -> WallPose {
        let mut pose = WallPose {
            origin_m: self.origin_m,
            turn: self.turn,
            velocity_m_s: DVec3::ZERO,
            spin_rad_s: DVec3::ZERO,
        };
        match self.motion {
            WallMotion::Still => {}
            WallMotion::Drive { velocity_m_s, from_s, until_s } => {
                pose.origin_m += velocity_m_s * (time_s.min(until_s) - from_s).max(0.0);
                if (from_s..until_s).contains(&time_s) {
                    pose.velocity_m_s = velocity_m_s;
                }
            }
            WallMotion::Vibrate { amplitude_m, frequency_hz } => {
                let rate = std::f64::consts::TAU * frequency_hz;
                pose.origin_m += amplitude_m * libm::sin(rate * time_s);
                pose.velocity_m_s = amplitude_m * (rate * libm::cos(rate * time_s));
            }
            WallMotion::Spin { rate_rad_s } => {
                let rate = rate_rad_s.length();
                if rate > 0.0 {
                    let axis = rate_rad_s / rate;
                    let half = 0.5 * rate * time_s;
                    let about = axis * libm::sin(half);
                    let turned = DQuat::from_xyzw(about.x, about.y, about.z, libm::cos(half));
                    pose.turn = turned * self.turn;
                    pose.spin_rad_s = rate_rad_s;
                }
            }
            WallMotion::Press { force_n, .. } => {
                let line = force_n.normalize_or_zero();
                pose.origin_m += line * plunged.way_m;
                pose.velocity_m_s = line * plunged.speed_m_s;
            }
        }
        pose
    }

    /// False once it is taken away.
    pub fn stands(&self, time_s: f64) -> bool {
        self.until_s.is_none_or(|until_s| time_s < until_s)
    }

    /// True when it is taken away after `from_s` and until `until_s` (s).
    pub fn goes_between(&self, from_s: f64, until_s: f64) -> bool {
        self.stands(from_s) && !self.stands(until_s)
    }

    /// Says what is wrong with it.
    pub fn check(&self) -> Result<(), WallError> {
        let wrong = |problem: String| Err(WallError { name: self.name.clone(), problem });
        let near = |v: DVec3| v.is_finite() && v.abs().max_element() <= 1e6;
        if !near(self.origin_m) {
            return wrong(format!("origin {} must be within 1e6 m", self.origin_m));
        }
        if !(self.turn.is_finite() && (self.turn.length() - 1.0).abs() < 1e-3) {
            return wrong("its turn is no turn: a normal or an axis has no length".to_owned());
        }
        let may_be_rough = match &self.form {
            WallForm::Plane => true,
            WallForm::Room { shape: Shape::Box { .. } } => true,
            WallForm::Room { shape: Shape::Cylinder { radius, .. } }
            | WallForm::Solid { shape: Shape::Cylinder { radius, .. } } => {
                Face::may_be_rough_tube(f64::from(*radius), self.rough_m.unwrap_or(1e-6))
            }
            _ => false,
        };
        if let Some(radius) = self.rough_m
            && !(may_be_rough && (1e-6..=100.0).contains(&radius))
        {
            return wrong(format!(
                "rough_m = {radius}: only planes, rooms that are boxes, and cylinders that at least 12 balls fit around are rough, by 1e-6 to 100 m"
            ));
        }
        let friction = self.friction.unwrap_or(0.0);
        if !(0.0..=10.0).contains(&friction) {
            return wrong(format!("friction = {friction} is outside 0 to 10"));
        }
        let restitution = self.restitution.unwrap_or(1.0);
        if !(super::damping::LOWEST_RESTITUTION..=1.0).contains(&restitution) {
            return wrong(format!("restitution = {restitution} is outside 0.05 to 1"));
        }
        if self.until_s.is_some_and(|s| s.is_nan() || s < 0.0) {
            return wrong("until_s must be 0 and more".to_owned());
        }
        self.check_form().or_else(wrong)?;
        let slow = |v: DVec3| v.is_finite() && v.length() <= 100.0;
        match self.motion {
            WallMotion::Still => Ok(()),
            WallMotion::Drive { velocity_m_s, from_s, until_s } => {
                let times = from_s >= 0.0 && until_s >= from_s;
                if slow(velocity_m_s) && times {
                    Ok(())
                } else {
                    wrong("it must drive at up to 100 m/s, from a time of 0 and more on".to_owned())
                }
            }
            WallMotion::Vibrate { amplitude_m, frequency_hz } => {
                let fastest = amplitude_m * (std::f64::consts::TAU * frequency_hz);
                if (0.0..=1e5).contains(&frequency_hz) && slow(fastest) {
                    Ok(())
                } else {
                    wrong("it must vibrate at 0 to 1e5 Hz, no faster than 100 m/s".to_owned())
                }
            }
            WallMotion::Spin { rate_rad_s } if rate_rad_s.is_finite() && rate_rad_s.length() <= 1e3 => Ok(()),
            WallMotion::Spin { .. } => wrong("it must spin at up to 1000 rad/s".to_owned()),
            WallMotion::Press { force_n, mass_kg } => {
                if force_n.is_finite() && force_n.length() > 0.0 && (1e-12..=1e9).contains(&mass_kg) {
                    Ok(())
                } else {
                    wrong("it needs a force that is not zero, and a mass of 1e-12 to 1e9 kg".to_owned())
                }
            }
        }
    }

    fn check_form(&self) -> Result<(), String> {
        match &self.form {
            WallForm::Plane => Ok(()),
            WallForm::Turned { profile } => {
                let usable = |p: &DVec2| p.is_finite() && p.x >= 0.0 && p.length() <= 1e5;
                if !(2..=MOST_POINTS).contains(&profile.len()) {
                    Err(format!("its profile has {} points; it must have 2 to {MOST_POINTS}", profile.len()))
                } else if !profile.iter().all(usable) {
                    Err("points of a profile must be [0 and more, any height], up to 1e5 m".to_owned())
                } else if profile.windows(2).any(|pair| pair[0].distance(pair[1]) < 1e-9) {
                    Err("two points of its profile that follow each other are the same".to_owned())
                } else {
                    Ok(())
                }
            }
            WallForm::Room { shape } => match shape {
                Shape::Box { .. } | Shape::Ball { .. } | Shape::Cylinder { .. } | Shape::Cone { .. } => {
                    shape.check().map_err(|error| error.to_string())
                }
                _ => Err("a room must be a box, a ball, a cylinder or a cone".to_owned()),
            },
            WallForm::Solid { shape } => match shape {
                Shape::Hull(_) | Shape::Mesh(_) => {
                    Err("a solid wall must be a box, a ball, a cylinder, a cone or a capsule".to_owned())
                }
                _ => shape.check().map_err(|error| error.to_string()),
            },
        }
    }
}
