//! Text that the server sends: welcome, state, replies, and what the world is like.

use barchan_files::{books_json, units_json};
use barchan_sim::bodies::Cause;
use barchan_sim::material::Phase;
use barchan_sim::water::Source;
use barchan_sim::{Account, Materials};
use barchan_surface::{GroundKind, View as Camera};
use glam::Vec3;
use serde_json::{Map, Value, json};

use crate::command::{MachineKind, RADIUS_M};
use crate::frame::VERSION;
use crate::sandbox::{Sandbox, timed_names};
use crate::scenes;

/// The first message of a connection.
pub fn welcome() -> String {
    let presets: Vec<_> = Materials::builtin()
        .iter()
        .filter(|(_, material)| material.phase == Phase::Soil)
        .map(|(_, m)| {
            json!({
                "name": m.name,
                "friction_angle_deg": round(m.friction_angle.to_degrees()),
                "cohesion_kpa": round(m.cohesion_pa / 1e3),
                "unit_weight_kn_m3": round(m.unit_weight_n_m3 / 1e3),
            })
        })
        .collect();
    let machines = MachineKind::ALL.map(|kind| json!({ "kind": kind.name(), "controls": kind.levers() }));
    json!({ "welcome": {
        "version": VERSION,
        "program": concat!("barchan ", env!("CARGO_PKG_VERSION")),
        "processes": timed_names(),
        "accounts": Account::ALL.map(Account::name),
        "scenes": scenes::menu(),
        "tools": { "radius_m": RADIUS_M },
        "presets": presets,
        "machines": machines,
    }})
    .to_string()
}

/// Everything about the sandbox that is not in frames.
pub fn state(sandbox: &Sandbox) -> String {
    let (world, ground) = (sandbox.world(), sandbox.world().ground());
    let size_m = ground.voxel_size_m();
    let bounds = ground.bounds().map(|bounds| {
        json!({
            "min": (bounds.min.as_vec3() * size_m).to_array(),
            "max": (bounds.max.as_vec3() * size_m).to_array(),
        })
    });
    let camera = Camera::whole(world);
    let materials: Vec<_> = world
        .materials()
        .iter()
        .map(|(_, m)| {
            json!({
                "name": m.name,
                "phase": m.phase,
                "look": GroundKind::of(m).name(),
                "color": m.color,
                "repose_deg": round(m.repose_angle.to_degrees()),
                "friction_angle_deg": round(m.friction_angle.to_degrees()),
                "cohesion_kpa": round(m.cohesion_pa / 1e3),
                "unit_weight_kn_m3": round(m.unit_weight_n_m3 / 1e3),
            })
        })
        .collect();
    let machines: Vec<_> = sandbox
        .machines()
        .iter()
        .map(|(number, machine)| {
            let bodies: Vec<_> = machine.bodies.iter().map(|id| id.0).collect();
            json!({ "machine": number, "kind": machine.kind.name(), "bodies": bodies, "carves": machine.carves })
        })
        .collect();
    let source = |source: &Source| {
        json!({ "point_m": source.center_m.to_array(), "size_m": source.size_m.to_array(),
            "rate_m3_s": source.rate_m3_s, "sediment": source.sediment })
    };
    let sources: Vec<_> = world.water().sources().iter().map(source).collect();
    let (playing, speed) = sandbox.pace();
    let [undo, redo] = sandbox.depths();
    json!({ "state": {
        "epoch": sandbox.epoch(),
        "scene": sandbox.name(),
        "voxel_size_m": size_m,
        "bounds_m": bounds,
        "view": { "eye_m": camera.eye_m.to_array(), "target_m": camera.target_m.to_array() },
        "step_s": sandbox.step_s(),
        "playing": playing,
        "speed": speed,
        "undo": undo,
        "redo": redo,
        "materials": materials,
        "body_friction": sandbox.body_friction(),
        "rain_mm_h": world.water().rain().rate_mm_h,
        "sources": sources,
        "machines": machines,
        "saves": sandbox.saves(),
    }})
    .to_string()
}

/// The answer to a command.
pub fn reply(id: Option<u32>, done: Result<Value, String>) -> String {
    let mut answer = match done {
        Ok(answer) => answer,
        Err(error) => json!({ "error": error }),
    };
    answer["ok"] = (answer.get("error").is_none()).into();
    answer["reply"] = id.into();
    answer.to_string()
}

/// Something that the people should know.
pub fn notice(text: &str) -> String {
    json!({ "notice": text }).to_string()
}

/// The world as `GET /api/world` tells it; counts every unit of the ground.
pub fn world(sandbox: &mut Sandbox, viewers: usize) -> Value {
    let statistics = sandbox.statistics();
    let world = sandbox.world();
    let counted = world.count();
    let counted: Map<String, Value> =
        Account::ALL.into_iter().map(|of| (of.name().to_owned(), units_json(counted.of(of)))).collect();
    let (playing, speed) = sandbox.pace();
    let [undo, redo] = sandbox.depths();
    let bodies: Vec<_> = sandbox
        .bodies()
        .into_iter()
        .map(|body| {
            let (position, rotation) = (body.pose.translation.to_array(), body.pose.rotation.to_array());
            let of_cause = |(cause, force, torque): &(Cause, Vec3, Vec3)| {
                let both = json!({ "force_n": force.to_array(), "torque_n_m": torque.to_array() });
                (cause.name().to_owned(), both)
            };
            let forces: Map<String, Value> = body.forces.iter().map(of_cause).collect();
            json!({ "body": body.id, "name": body.name, "role": body.role as u8,
                "position_m": position, "rotation": rotation, "forces": forces })
        })
        .collect();
    let machines: Vec<_> = sandbox
        .machines()
        .iter()
        .map(|(number, machine)| {
            json!({ "machine": number, "kind": machine.kind.name(), "heading": machine.heading,
                "position_m": machine.position_m.to_array(), "joints": machine.joints,
                "carves": machine.carves, "fill_m3": machine.load.m3, "payload_kg": machine.load.kg })
        })
        .collect();
    json!({
        "epoch": sandbox.epoch(),
        "scene": sandbox.name(),
        "steps": world.clock().steps,
        "time_s": world.clock().time_s,
        "playing": playing,
        "speed": speed,
        "undo": undo,
        "redo": redo,
        "ledger": books_json(world),
        "counted": counted,
        "awake_bricks": world.ground().awake().len(),
        "steps_per_second": statistics.steps_per_s,
        "step_ms": statistics.step_ms,
        "viewers": viewers,
        "digest": format!("{:016x}", world.digest()),
        "bodies": bodies,
        "machines": machines,
    })
}

/// Rounded to what sliders show.
fn round(value: f32) -> f64 {
    (f64::from(value) * 1e3).round() / 1e3
}
