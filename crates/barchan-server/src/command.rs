//! What clients may ask for, and whether it makes sense.

use glam::Vec3;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Points and vectors lie within this of the origin, along every axis (m).
const FARTHEST_M: f32 = 100_000.0;
/// Smallest and largest ring of a tool (m).
pub const RADIUS_M: [f32; 2] = [0.1, 5.0];

/// A tool of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Material falls into the ring.
    Pour,
    /// A bowl sinks into the ring.
    Dig,
    /// Soil goes from high to low within the ring.
    Smooth,
    /// A ball follows the point.
    Push,
    /// Water falls into the ring.
    Rain,
    /// Grains of a material fall into the ring.
    Grains,
}

/// The shape of a body that hands place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyShape {
    /// A cube.
    Box,
    /// A ball.
    Ball,
}

/// A vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineKind {
    /// Boom, stick and bucket on a house that swings.
    Excavator,
    /// A blade that is lifted and tilted.
    Bulldozer,
}

/// One command of `docs/wire.md`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs, reason = "docs/wire.md describes every command and key")]
pub enum Command {
    Start {
        version: u32,
        eye_m: Option<Vec3>,
    },
    Ack {
        frame: u32,
    },
    Eye {
        eye_m: Vec3,
    },
    Pick {
        origin_m: Vec3,
        direction: Vec3,
    },
    Stroke {
        tool: Tool,
        point_m: Vec3,
        radius_m: f32,
        material: Option<String>,
        strength: Option<f32>,
    },
    Move {
        point_m: Vec3,
        radius_m: Option<f32>,
    },
    Lift {},
    Body {
        shape: BodyShape,
        size_m: f32,
        point_m: Vec3,
        velocity_m_s: Option<Vec3>,
        density_kg_m3: Option<f32>,
    },
    RemoveBody {
        body: u32,
    },
    Machine {
        kind: MachineKind,
        point_m: Vec3,
        heading: Option<f32>,
    },
    Drive {
        machine: u32,
        controls: BTreeMap<String, f32>,
    },
    RemoveMachine {
        machine: u32,
    },
    Carve {
        on: bool,
    },
    Rain {
        rate_mm_h: f32,
    },
    Source {
        point_m: Vec3,
        radius_m: f32,
        rate_m3_s: f32,
        sediment: Option<f32>,
    },
    ChangeSource {
        source: u32,
        point_m: Option<Vec3>,
        rate_m3_s: Option<f32>,
        sediment: Option<f32>,
    },
    RemoveSource {
        source: u32,
    },
    Play {},
    Pause {},
    Step {},
    Speed {
        factor: f32,
    },
    Scene {
        name: String,
    },
    Reset {},
    Soil {
        material: String,
        friction_angle_deg: Option<f32>,
        cohesion_kpa: Option<f32>,
        unit_weight_kn_m3: Option<f32>,
    },
    BodyFriction {
        friction: f32,
    },
    Save {
        name: String,
    },
    Load {
        name: String,
    },
    Undo {},
    Redo {},
}

/// A command with the number its reply is to carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// None: a reply is wanted only if the command is refused.
    pub id: Option<u32>,
    /// What to do.
    pub command: Command,
}

impl Call {
    /// Reads one text message. The error names what is wrong, and comes with the number of the call if that much could be
    /// read.
    pub fn parse(text: &str) -> Result<Self, (Option<u32>, String)> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| (None, format!("not JSON: {error}")))?;
        let Value::Object(mut keys) = value else {
            return Err((None, "a command is a JSON object".to_owned()));
        };
        let id = match keys.remove("id") {
            None | Some(Value::Null) => None,
            Some(id) => {
                let number = id.as_u64().and_then(|id| u32::try_from(id).ok());
                Some(number.ok_or_else(|| (None, format!("id = {id} is outside 0 to 4294967295")))?)
            }
        };
        let command: Command =
            serde_json::from_value(Value::Object(keys)).map_err(|error| (id, error.to_string()))?;
        command.check().map_err(|problem| (id, problem))?;
        Ok(Self { id, command })
    }
}

impl Command {
    /// Every number against its range.
    fn check(&self) -> Result<(), String> {
        match self {
            Self::Start { eye_m: Some(eye_m), .. } | Self::Eye { eye_m } => place("eye_m", *eye_m),
            Self::Pick { origin_m, direction } => {
                place("origin_m", *origin_m)?;
                place("direction", *direction)?;
                within("length of direction", direction.length(), [1e-3, 1e6])
            }
            Self::Stroke { point_m, radius_m, strength, .. } => {
                place("point_m", *point_m)?;
                within("radius_m", *radius_m, RADIUS_M)?;
                within_if("strength", *strength, [0.0, 1.0])
            }
            Self::Move { point_m, radius_m } => {
                place("point_m", *point_m)?;
                within_if("radius_m", *radius_m, RADIUS_M)
            }
            Self::Body { size_m, point_m, velocity_m_s, density_kg_m3, .. } => {
                place("point_m", *point_m)?;
                within("size_m", *size_m, [0.1, 5.0])?;
                within_if("speed (m/s)", velocity_m_s.map(Vec3::length), [0.0, 50.0])?;
                within_if("density_kg_m3", *density_kg_m3, [10.0, 20_000.0])
            }
            Self::Machine { point_m, heading, .. } => {
                place("point_m", *point_m)?;
                within_if("heading", *heading, [-100.0, 100.0])
            }
            Self::Drive { controls, .. } => {
                controls.iter().try_for_each(|(name, lever)| within(name, *lever, [-1.0, 1.0]))
            }
            Self::Rain { rate_mm_h } => within("rate_mm_h", *rate_mm_h, [0.0, 1e6]),
            Self::Source { point_m, radius_m, rate_m3_s, sediment } => {
                place("point_m", *point_m)?;
                within("radius_m", *radius_m, RADIUS_M)?;
                within("rate_m3_s", *rate_m3_s, [0.0, 100.0])?;
                within_if("sediment", *sediment, [0.0, 0.6])
            }
            Self::ChangeSource { point_m, rate_m3_s, sediment, .. } => {
                point_m.map_or(Ok(()), |point_m| place("point_m", point_m))?;
                within_if("rate_m3_s", *rate_m3_s, [0.0, 100.0])?;
                within_if("sediment", *sediment, [0.0, 0.6])
            }
            Self::Speed { factor } => within("factor", *factor, [0.1, 4.0]),
            Self::Soil { friction_angle_deg, cohesion_kpa, unit_weight_kn_m3, .. } => {
                within_if("friction_angle_deg", *friction_angle_deg, [0.0, 60.0])?;
                within_if("cohesion_kpa", *cohesion_kpa, [0.0, 100.0])?;
                within_if("unit_weight_kn_m3", *unit_weight_kn_m3, [1.0, 40.0])
            }
            Self::BodyFriction { friction } => within("friction", *friction, [0.0, 2.0]),
            _ => Ok(()),
        }
    }
}

fn place(key: &str, point: Vec3) -> Result<(), String> {
    // Written so that what is not a number is not within.
    if point.abs().cmple(Vec3::splat(FARTHEST_M)).all() {
        return Ok(());
    }
    Err(format!("{key} = {point} is outside ±{FARTHEST_M}"))
}

fn within(key: &str, value: f32, [min, max]: [f32; 2]) -> Result<(), String> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(format!("{key} = {value} is outside {min} to {max}"))
}

fn within_if(key: &str, value: Option<f32>, range: [f32; 2]) -> Result<(), String> {
    value.map_or(Ok(()), |value| within(key, value, range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_numbers() {
        let call = Call::parse(r#"{"do": "move", "id": 7, "point_m": [1, 2.5, -3]}"#).unwrap();
        let command = Command::Move { point_m: Vec3::new(1.0, 2.5, -3.0), radius_m: None };
        assert_eq!(call, Call { id: Some(7), command });
        assert_eq!(Call::parse(r#"{"do": "undo"}"#).unwrap().command, Command::Undo {});
    }

    #[test]
    fn what_is_wrong_is_named() {
        let rows = [
            ("", "not JSON"),
            ("[1]", "a JSON object"),
            ("{}", "missing field `do`"),
            (r#"{"do": "fly"}"#, "unknown variant `fly`"),
            (r#"{"do": "undo", "twice": true}"#, "unknown field `twice`"),
            (r#"{"do": "undo", "id": -1}"#, "id = -1"),
            (r#"{"do": "move", "id": 3}"#, "missing field `point_m`"),
            (r#"{"do": "move", "point_m": [1, 2]}"#, "3"),
            (r#"{"do": "move", "point_m": [1, 2, 1e9]}"#, "point_m"),
            (r#"{"do": "move", "point_m": [1, 2, 1e300]}"#, "point_m"),
            (r#"{"do": "stroke", "tool": "dig", "point_m": [0, 0, 0], "radius_m": 50}"#, "radius_m = 50"),
            (r#"{"do": "drive", "machine": 1, "controls": {"boom": 2}}"#, "boom = 2"),
            (r#"{"do": "pick", "origin_m": [0, 0, 0], "direction": [0, 0, 0]}"#, "direction"),
            (r#"{"do": "speed", "factor": 1e999}"#, "not JSON"),
        ];
        for (text, part) in rows {
            let (_, error) = Call::parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert_eq!(Call::parse(r#"{"do": "move", "id": 3}"#).unwrap_err().0, Some(3));
    }
}
