//! `blade`: the force on a flat blade that is led through soil at constant depth and speed, against the wedge of McKyes and Ali:
//! at first before level ground, later with the heap in front of it as surcharge.

use std::sync::Arc;

use barchan_sim::World;
use barchan_sim::bodies::{BodyId, BodySpec, Key, LockedAxes, Motion, Track};
use barchan_sim::reaction::{CutSoil, Wedge};
use barchan_volume::{Hull, Pose, Shape, VoxelBox};
use glam::{IVec3, Vec3};
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::rest::balance_units;
use crate::settings::{Parameter, Settings};
use crate::test_soil::{TestSoil, TooLarge, place};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "blade",
    about: "force on a blade in a channel (2d) or in open ground (3d) at several rakes (McKyes and Ali)",
    parameters: &[
        Parameter {
            key: "model",
            about: "2: in a channel as wide as the blade, 3: with free sides",
            default: &[2.0, 3.0],
            range: (2.0, 3.0),
            whole: true,
            list: true,
        },
        Parameter {
            key: "towed",
            about: "0: led along a track, 1: towed, by just the force that keeps its speed",
            default: &[0.0],
            range: (0.0, 1.0),
            whole: true,
            list: true,
        },
        list("rake_deg", "angles between blade and ground (°)", &[45.0, 60.0, 75.0, 90.0], (15.0, 110.0)),
        list("phi_deg", "angles of internal friction (°)", &[35.0], (5.0, 50.0)),
        list("tool_friction_deg", "angles of friction on the blade (°)", &[20.0], (0.0, 45.0)),
        list("c_pa", "cohesions (Pa)", &[0.0], (0.0, 1e6)),
        list("gamma_n_m3", "unit weights (N/m³)", &[17_652.0], (100.0, 250_000.0)),
        list("depth_m", "depths of the edge (m)", &[0.2], (0.01, 10.0)),
        list("width_m", "widths (m)", &[0.8], (0.02, 50.0)),
        list("speed_m_s", "speeds (m/s)", &[0.2], (0.001, 10.0)),
        Parameter {
            key: "voxels",
            about: "voxels in the depth of the edge",
            default: &[5.0],
            range: (2.0, 40.0),
            whole: true,
            list: true,
        },
    ],
    run,
};

const fn list(
    key: &'static str,
    about: &'static str,
    default: &'static [f64],
    range: (f64, f64),
) -> Parameter {
    Parameter { key, about, default, range, whole: false, list: true }
}

/// Angle of the edge (°), and length of the blade above the ground (depths).
const SHARP_DEG: f64 = 6.0;
const ABOVE: f64 = 2.5;
/// Ground in front of, behind and beside the blade (depths).
const AHEAD: f64 = 9.0;
const BEHIND: f64 = 2.0;
const BESIDE: f64 = 4.0;
const BELOW: f64 = 1.0;
/// The force on level ground is the mean over this part of the way, the ripple is seen over that one (depths).
const FIRST: [f64; 2] = [0.02, 0.12];
const STEADY: [f64; 2] = [1.0, 3.0];
/// Way in a step (voxels).
const HOP: f64 = 0.1;
/// Forces must agree within this share, and may ripple by that.
const TOLERANCE: f64 = 0.15;
const MOST_RIPPLE: f64 = 0.05;
const SOURCE: &str =
    "McKyes 1985, McKyes and Ali 1977: H = w (gamma d² N_g + c d N_c), V = H cot(a + d'), least over b";

/// One blade.
#[derive(Clone, Copy)]
struct Case {
    is_channel: bool,
    is_towed: bool,
    rake_deg: f64,
    tool_friction_deg: f64,
    soil: TestSoil,
    depth_m: f64,
    width_m: f64,
    speed_m_s: f64,
    voxel_size_m: f64,
}

/// What a blade felt.
struct Found {
    /// Way (m), force against it and force down on the blade (N), step by step.
    forces: Vec<[f64; 3]>,
    balance_units: i64,
}

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let cases = cases(settings);
    let mut rows = Vec::new();
    let mut plot = Plot::new(
        "force",
        "Force on a blade along its way",
        Axis::linear("way (depths)"),
        Axis::linear("horizontal force (N)"),
    );
    for (index, case) in cases.iter().enumerate() {
        match case.drive() {
            Ok(found) => {
                let how = if case.is_towed { "towed" } else { "led" };
                let label = format!("{}, {how}, {}°, {} voxels", case.model(), case.rake_deg, case.voxels());
                let points = found.forces.iter().map(|[way, h, _]| [way / case.depth_m, *h]).collect();
                plot = plot.with(label, Style::Line, points);
                rows.push(case.row(&found));
            }
            Err(problem) => {
                let mut row = case.head();
                row.insert("problem".into(), json!(problem.to_string()));
                row.insert("pass".into(), json!(false));
                rows.push(row);
            }
        }
        progress((index + 1) as f64 / cases.len() as f64);
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    Outcome { rows, summary, plots: vec![plot], pass: failed == 0 }
}

fn cases(settings: &Settings) -> Vec<Case> {
    let mut cases = vec![[0.0; 11]];
    let keys = [
        "model",
        "towed",
        "rake_deg",
        "phi_deg",
        "tool_friction_deg",
        "c_pa",
        "gamma_n_m3",
        "depth_m",
        "width_m",
        "speed_m_s",
        "voxels",
    ];
    for (at, key) in keys.into_iter().enumerate() {
        cases = cases
            .iter()
            .flat_map(|case| {
                settings.list(key).iter().map(move |value| {
                    let mut case = *case;
                    case[at] = *value;
                    case
                })
            })
            .collect();
    }
    cases.into_iter().map(Case::of).collect()
}

impl Case {
    fn of(
        [
            model,
            towed,
            rake_deg,
            phi_deg,
            tool_friction_deg,
            c_pa,
            gamma_n_m3,
            depth_m,
            width_m,
            speed_m_s,
            voxels,
        ]: [f64; 11],
    ) -> Self {
        Self {
            is_channel: model < 2.5,
            is_towed: towed > 0.5,
            rake_deg,
            tool_friction_deg,
            soil: TestSoil { phi_deg, c_pa, gamma_n_m3 },
            depth_m,
            width_m,
            speed_m_s,
            voxel_size_m: depth_m / voxels,
        }
    }

    fn model(&self) -> &'static str {
        if self.is_channel { "2d" } else { "3d" }
    }

    fn voxels(&self) -> f64 {
        (self.depth_m / self.voxel_size_m).round()
    }

    /// Leads the blade along and notes what it feels.
    fn drive(&self) -> Result<Found, TooLarge> {
        let (voxel, depth) = (self.voxel_size_m, self.depth_m);
        let voxels = |metres: f64| (metres / voxel).round() as i32;
        // Blades in channels are as wide as whole voxels are.
        let half_width = (voxels(self.width_m / 2.0)).max(1);
        let half_side = if self.is_channel { half_width } else { half_width + voxels(BESIDE * depth) };
        let height = voxels((BELOW + 1.0) * depth);
        let bounds = VoxelBox::new(
            IVec3::new(-voxels(BEHIND * depth), -half_side, 0),
            IVec3::new(voxels(AHEAD * depth), half_side, height + voxels((ABOVE + 1.0) * depth)),
        );
        let mut world = self.soil.world(voxel, bounds)?;
        let top_m = f64::from(height) * voxel;
        let size = Vec3::new((AHEAD + BEHIND) as f32, 1.0, 1.0) * depth as f32;
        let half_extents =
            Vec3::new(size.x / 2.0, (f64::from(half_side) * voxel) as f32, (top_m / 2.0) as f32);
        let middle = Vec3::new(((AHEAD - BEHIND) / 2.0 * depth) as f32, 0.0, (top_m / 2.0) as f32);
        place(&mut world, Shape::Box { half_extents }, middle);
        let edge = Vec3::new(0.0, 0.0, (top_m - depth) as f32);
        let (blade, way_m) = (self.blade(half_width, edge), STEADY[1] * depth);
        let id = world.add_body(blade).expect("a blade is sound");
        let dt_s = HOP * voxel / self.speed_m_s;
        let (mut forces, mut off_balance) = (Vec::new(), 0);
        for step in 1..=(way_m / (HOP * voxel)) as u32 {
            let dt_s = dt_s.min(0.05);
            let tow_n = self.is_towed.then(|| self.tow(&mut world, id, dt_s));
            let report = world.step(dt_s);
            off_balance += usize::from(!report.imbalance.is_zero());
            let [h, v] = felt(&world, id);
            // What it takes to tow is what the ground must have done to it.
            let h = tow_n.unwrap_or(h);
            forces.push([f64::from(step) * HOP * voxel, h, v]);
        }
        Ok(Found { forces, balance_units: balance_units(&world) + off_balance as i64 })
    }

    /// Pushes the blade ahead by what the ground did to it in the step before and what brings it back to its speed. Returns that (N).
    fn tow(&self, world: &mut World, id: BodyId, dt_s: f64) -> f64 {
        let Some(body) = world.bodies().get(id) else { return 0.0 };
        let lost_m_s = self.speed_m_s - f64::from(body.linear_velocity_m_s.x);
        let tow_n = felt(world, id)[0] + lost_m_s * f64::from(body.mass_kg) / dt_s;
        let pushed = world.push_body(id, Vec3::X * tow_n as f32, Vec3::ZERO);
        assert!(pushed.is_ok(), "the blade is there");
        tow_n
    }

    /// The blade with its edge at `edge` (m), led along x: a prism that is sharp below, so that nothing but its front meets soil.
    fn blade(&self, half_width: i32, edge: Vec3) -> BodySpec {
        let long = (1.0 + ABOVE) * self.depth_m;
        let half_width = f64::from(half_width) * self.voxel_size_m;
        let up = |angle_deg: f64| {
            let (sin, cos) = angle_deg.to_radians().sin_cos();
            [-cos * long, sin * long]
        };
        let section = [[0.0, 0.0], up(self.rake_deg), up(self.rake_deg - SHARP_DEG)];
        let points = section
            .iter()
            .flat_map(|[x, z]| [-half_width, half_width].map(|y| Vec3::new(*x as f32, y as f32, *z as f32)));
        let shape = Shape::Hull(Arc::new(Hull::new(points.collect()).expect("a prism is solid")));
        let way_m = (AHEAD * self.depth_m) as f32;
        let end = Pose::at(edge + Vec3::X * way_m);
        let keys = vec![
            Key { time_s: 0.0, pose: Pose::at(edge) },
            Key { time_s: f64::from(way_m) / self.speed_m_s, pose: end },
        ];
        let (motion, locked) = match self.is_towed {
            true => (Motion::Dynamic, LockedAxes { translation: [false, true, true], rotation: [true; 3] }),
            false => (Motion::Scripted(Track { keys, repeat: false }), LockedAxes::NONE),
        };
        let start = if self.is_towed { Vec3::X * self.speed_m_s as f32 } else { Vec3::ZERO };
        BodySpec {
            locked,
            linear_velocity_m_s: start,
            friction: self.tool_friction_deg.to_radians().tan() as f32,
            ..BodySpec::new("blade", shape, Pose::at(edge), motion)
        }
    }

    fn head(&self) -> Row {
        row(json!({
            "model": self.model(),
            "towed": self.is_towed,
            "rake_deg": self.rake_deg,
            "phi_deg": self.soil.phi_deg,
            "tool_friction_deg": self.tool_friction_deg,
            "c_pa": self.soil.c_pa,
            "gamma_n_m3": self.soil.gamma_n_m3,
            "depth_m": self.depth_m,
            "width_m": self.width_m,
            "speed_m_s": self.speed_m_s,
            "voxel_size_m": self.voxel_size_m,
        }))
    }

    fn row(&self, found: &Found) -> Row {
        let half_width = (self.width_m / 2.0 / self.voxel_size_m).round().max(1.0);
        let wedge = Wedge {
            depth_m: self.depth_m as f32,
            width_m: (2.0 * half_width * self.voxel_size_m) as f32,
            rake: self.rake_deg.to_radians() as f32,
            tool_friction: self.tool_friction_deg.min(self.soil.phi_deg).to_radians() as f32,
            surcharge_pa: 0.0,
            speed_m_s: self.speed_m_s as f32,
            free_ends: if self.is_channel { 0 } else { 2 },
        };
        let soil = CutSoil {
            gamma_n_m3: (self.soil.gamma_n_m3 / 9.806_65 * 9.81) as f32,
            cohesion_pa: self.soil.c_pa as f32,
            phi: self.soil.phi_deg.to_radians() as f32,
            gravity_m_s2: 9.81,
        };
        let expected = wedge.force(&soil).map(|force| [force.along_n, force.down_n].map(f64::from));
        let [h, v] = found.mean(FIRST, self.depth_m);
        let ripple = found.ripple(self.depth_m);
        let holds = expected.is_some_and(|[along, _]| (h - along).abs() <= TOLERANCE * along);
        let mut row = self.head();
        row.extend(self::row(json!({
            "force_h_n": h,
            "force_v_n": v,
            "ripple": ripple,
            "heaped_h_n": found.mean(STEADY, self.depth_m)[0],
            "expected_v_n": expected.map(|force| force[1]),
            "measured": h,
            "expected": expected.map(|force| force[0]),
            "tolerance": expected.map(|force| TOLERANCE * force[0]),
            "balance_units": found.balance_units,
            "source": SOURCE,
            "pass": holds && ripple <= MOST_RIPPLE && found.balance_units == 0,
        })));
        row
    }
}

impl Found {
    /// Mean forces between two places of the way (depths).
    fn mean(&self, between: [f64; 2], depth_m: f64) -> [f64; 2] {
        let on_way = |force: &&[f64; 3]| (between[0]..=between[1]).contains(&(force[0] / depth_m));
        let forces: Vec<&[f64; 3]> = self.forces.iter().filter(on_way).collect();
        let mean = |at: usize| forces.iter().map(|force| force[at]).sum::<f64>() / forces.len().max(1) as f64;
        [mean(1), mean(2)]
    }

    /// How much the force departs from the line that fits it best while the blade ploughs on, as a share of its mean (standard
    /// deviation).
    fn ripple(&self, depth_m: f64) -> f64 {
        let on_way = |force: &&[f64; 3]| (STEADY[0]..=STEADY[1]).contains(&(force[0] / depth_m));
        let points: Vec<[f64; 2]> =
            self.forces.iter().filter(on_way).map(|force| [force[0], force[1]]).collect();
        let count = points.len().max(1) as f64;
        let [x, y] = [0, 1].map(|at| points.iter().map(|point| point[at]).sum::<f64>() / count);
        let (mut across, mut along) = (0.0, 0.0);
        for [px, py] in &points {
            across += (px - x) * (py - y);
            along += (px - x) * (px - x);
        }
        let slope = if along > 0.0 { across / along } else { 0.0 };
        let square = |point: &[f64; 2]| (point[1] - y - slope * (point[0] - x)).powi(2);
        (points.iter().map(square).sum::<f64>() / count).sqrt() / y.abs().max(1e-9)
    }
}

/// The force against the way and down on the blade (N).
fn felt(world: &World, id: BodyId) -> [f64; 2] {
    let force_n = world.reaction(id).map_or(Vec3::ZERO, |reaction| reaction.force_n);
    [-f64::from(force_n.x), -f64::from(force_n.z)]
}
