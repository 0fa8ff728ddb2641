//! What the ground did to tools during a run: step by step as a table, and as a plot against time.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use barchan_lab::plot::{Axis, Plot, Style};
use barchan_sim::World;
use barchan_sim::bodies::{BodyId, Motion};
use barchan_sim::reaction::Reaction;
use glam::Vec3;
use serde_json::{Value, json};

/// Bodies that are followed at most: led and held ones first.
const MOST_TOOLS: usize = 16;

/// Columns: means over the step, in the frame of the world.
const HEAD: &str = "time_s,body,name,force_x_n,force_y_n,force_z_n,torque_x_n_m,torque_y_n_m,torque_z_n_m,\
                    point_x_m,point_y_m,point_z_m,cutting_x_n,cutting_y_n,cutting_z_n,\
                    penetration_x_n,penetration_y_n,penetration_z_n,pressing_x_n,pressing_y_n,\
                    pressing_z_n,friction_x_n,friction_y_n,friction_z_n,carried_x_n,carried_y_n,carried_z_n\n";

/// Forces on tools, gathered step by step.
pub struct ToolForces {
    tools: Vec<(BodyId, String)>,
    table: String,
    /// By tool: time (s) and how strong the force is (N).
    strengths: BTreeMap<BodyId, Vec<[f64; 2]>>,
}

impl ToolForces {
    /// Follows the bodies of a world that are led along tracks or held by rails; where there are none, the first of the others.
    pub fn of(world: &World) -> Self {
        let of = |wanted: bool| {
            let is_wanted = move |motion: &Motion, is_held: bool| match motion {
                Motion::Fixed => false,
                Motion::Scripted(_) => wanted,
                Motion::Dynamic => is_held == wanted,
            };
            world
                .bodies()
                .iter()
                .filter(move |body| is_wanted(&body.spec.motion, !body.spec.locked.is_none()))
                .map(|body| (body.id, body.spec.name.clone()))
        };
        let tools = of(true).chain(of(false)).take(MOST_TOOLS).collect();
        Self { tools, table: HEAD.to_owned(), strengths: BTreeMap::new() }
    }

    /// Notes what the last step did to them.
    pub fn note(&mut self, world: &World) {
        let time_s = world.clock().time_s;
        for (id, name) in &self.tools {
            let Some(felt) = world.reaction(*id).filter(|felt| felt.force_n != Vec3::ZERO) else { continue };
            // As in any file of this kind: quotes are doubled.
            let name = name.replace('"', "\"\"");
            let _ = write!(self.table, "{time_s:.6},{},\"{name}\"", id.0);
            for number in columns(&felt).into_iter().flat_map(|v| v.to_array()) {
                let _ = write!(self.table, ",{number:.6e}");
            }
            self.table.push('\n');
            self.strengths.entry(*id).or_default().push([time_s, f64::from(felt.force_n.length())]);
        }
    }

    /// The table, if anything was felt.
    pub fn table(&self) -> Option<&str> {
        (self.table.len() > HEAD.len()).then_some(self.table.as_str())
    }

    /// The plot, if anything was felt.
    pub fn plot(&self) -> Option<String> {
        let plot = Plot::new(
            "tools",
            "Force of the ground on bodies",
            Axis::linear("time (s)"),
            Axis::linear("force (N)"),
        );
        let plot = self.tools.iter().fold(plot, |plot, (id, name)| {
            let points = self.strengths.get(id).cloned().unwrap_or_default();
            plot.with(format!("{name} {id}"), Style::Line, points)
        });
        (!plot.series.is_empty()).then(|| plot.to_svg())
    }
}

fn columns(felt: &Reaction) -> [Vec3; 8] {
    let Reaction { force_n, torque_n_m, point_m, cutting_n, penetration_n, .. } = *felt;
    let Reaction { pressing_n, friction_n, carried_n, .. } = *felt;
    [force_n, torque_n_m, point_m, cutting_n, penetration_n, pressing_n, friction_n, carried_n]
}

/// What the last step did to all bodies that felt anything, by cause.
pub fn reactions_json(world: &World) -> Value {
    let of_body = |body: barchan_sim::bodies::Body<'_>| {
        let felt = world.reaction(body.id)?;
        let by_cause: serde_json::Map<String, Value> = body
            .received
            .mean_forces()
            .into_iter()
            .map(|(cause, force, torque)| {
                let both = json!({ "force_n": force.to_array(), "torque_n_m": torque.to_array() });
                (cause.name().to_owned(), both)
            })
            .collect();
        let [force, torque, point, cutting, penetration, pressing, friction, carried] =
            columns(&felt).map(|v| v.to_array());
        (!by_cause.is_empty()).then(|| {
            json!({
                "body": body.id.0,
                "name": body.spec.name,
                "force_n": force,
                "torque_n_m": torque,
                "point_m": point,
                "cutting_n": cutting,
                "penetration_n": penetration,
                "pressing_n": pressing,
                "friction_n": friction,
                "carried_n": carried,
                "by_cause": by_cause,
            })
        })
    };
    Value::Array(world.bodies().iter().filter_map(of_body).collect())
}
