//! `chute`: a layer of dry soil on a plane of rock. It holds below its angle of friction, and above gains what gravity leaves of it.

use barchan_sim::material::Phase;
use barchan_sim::{Edit, Material, Materials, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::plot::{Axis, Plot, Style};
use crate::settings::{Parameter, Settings};
use crate::test_soil;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "chute",
    about: "a layer of dry soil on a leaning plane: when it starts, and what it gains (SavageHutter1989)",
    parameters: &[
        Parameter {
            key: "lean_deg",
            about: "how far the plane leans (degrees)",
            default: &[0.0, 10.0, 20.0, 27.0, 33.0, 36.0, 40.0, 45.0],
            range: (0.0, 45.0),
            whole: false,
            list: true,
        },
        test_soil::phi_deg(&[30.0]),
        test_soil::voxel_size_m(&[0.1, 0.05]),
    ],
    run,
};

/// By what share of g (sin - mu cos) the gain may differ.
const TOLERANCE: f64 = 0.10;
/// Within this of its angle of friction a layer may do either (degrees).
const EITHER_DEG: f64 = 2.0;
const SOURCE: &str = "SavageHutter1989: g (sin - tan phi cos)";
const GRAVITY_M_S2: f64 = 9.81;
/// What is looked at (s), and in which steps.
const SPAN_S: f64 = 0.35;
const STEP_S: f64 = 1.0 / 120.0;
/// Length, width and height of the layer (m).
const LAYER_M: Vec3 = Vec3::new(3.0, 0.8, 0.4);

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (sizes, leans) = (settings.list("voxel_size_m"), settings.list("lean_deg"));
    let phi_deg = settings.list("phi_deg")[0];
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    for &voxel_size_m in sizes {
        for &lean_deg in leans {
            let measured = gain_m_s2(lean_deg, phi_deg, voxel_size_m);
            points.push([lean_deg, measured]);
            rows.push(row_of(lean_deg, phi_deg, voxel_size_m, measured));
            progress(rows.len() as f64 / (sizes.len() * leans.len()) as f64);
        }
    }
    let failed = rows.iter().filter(|row| row["pass"] != json!(true)).count();
    let mut summary = Row::new();
    summary.insert("failed".into(), json!(failed));
    let axes = (Axis::linear("lean (degrees)"), Axis::linear("gain along the plane (m/s²)"));
    let line = (0..=45).map(f64::from).map(|lean| [lean, expected_m_s2(lean, phi_deg)]).collect();
    let plot = Plot::new("gain", "What a layer gains on a plane", axes.0, axes.1)
        .with("measured", Style::LinePoints, points)
        .with("g (sin - tan phi cos)", Style::Reference, line);
    Outcome { rows, summary, plots: vec![plot], pass: failed == 0 }
}

fn expected_m_s2(lean_deg: f64, phi_deg: f64) -> f64 {
    let (lean, phi) = (lean_deg.to_radians(), phi_deg.to_radians());
    (GRAVITY_M_S2 * (lean.sin() - phi.tan() * lean.cos())).max(0.0)
}

fn row_of(lean_deg: f64, phi_deg: f64, voxel_size_m: f64, measured: f64) -> Row {
    let expected = expected_m_s2(lean_deg, phi_deg);
    let pass = if (lean_deg - phi_deg).abs() < EITHER_DEG {
        measured <= expected + TOLERANCE
    } else if expected > 0.0 {
        (measured / expected - 1.0).abs() <= TOLERANCE
    } else {
        // The upper and the lower end of the layer are steeper than the soil bears, and slump.
        measured < 0.25
    };
    row(json!({
        "lean_deg": lean_deg,
        "phi_deg": phi_deg,
        "voxel_size_m": voxel_size_m,
        "measured": measured,
        "expected": expected,
        "tolerance": TOLERANCE * expected,
        "source": SOURCE,
        "pass": pass,
    }))
}

/// What the middle of a layer gains along a plane of rock (m/s²).
fn gain_m_s2(lean_deg: f64, phi_deg: f64, voxel_size_m: f64) -> f64 {
    let size = (Vec3::new(9.0, LAYER_M.y, 9.0) / voxel_size_m as f32).round().as_ivec3();
    let bounds = VoxelBox::new(IVec3::ZERO, size);
    let (mut world, rotation) =
        (world(phi_deg, voxel_size_m, bounds), Quat::from_rotation_y(lean_deg.to_radians() as f32));
    let middle = Vec3::new(4.5, 0.5 * LAYER_M.y, 4.5);
    let mut place = |half_extents: Vec3, above: f32, name: &str| {
        let material = world.materials().find(name).expect("made above");
        let pose = Pose { translation: middle + rotation * Vec3::Z * above, rotation };
        let region = Region::Solid(Solid { shape: Shape::Box { half_extents }, pose });
        world.edit(&Edit::Place { region, material, moisture: 0.0 }).expect("fits into memory");
    };
    place(Vec3::new(7.0, 2.0, 0.5), -0.5, "granite");
    place(LAYER_M * Vec3::new(0.5, 2.0, 0.5), 0.5 * LAYER_M.z, "test_soil");
    let start = centre_x_m(&world, bounds);
    for _ in 0..(SPAN_S / STEP_S).round() as usize {
        world.step(STEP_S);
    }
    let along = (centre_x_m(&world, bounds) - start) / lean_deg.to_radians().cos();
    2.0 * along / (SPAN_S * SPAN_S)
}

/// An empty world of granite and of this soil, which does not swell when it moves.
fn world(phi_deg: f64, voxel_size_m: f64, bounds: VoxelBox) -> World {
    let builtin = Materials::builtin();
    let sand =
        builtin.iter().find(|(_, material)| material.phase == Phase::Soil).expect("soils are built in").1;
    let soil = Material {
        name: "test_soil".into(),
        friction_angle: (phi_deg as f32).to_radians(),
        cohesion_pa: 0.0,
        void_ratio_loose: sand.void_ratio_natural,
        ..sand.clone()
    };
    let materials = builtin.with(soil).expect("a sound soil");
    let config = WorldConfig {
        voxel_size_m: voxel_size_m as f32,
        bounds: Some(bounds),
        materials,
        ..WorldConfig::default()
    };
    World::new(config).expect("a sound configuration")
}

/// Where the middle of all soil is along x (m).
fn centre_x_m(world: &World, bounds: VoxelBox) -> f64 {
    let (mut sum, mut units) = (0.0, 0.0);
    for p in bounds.cells() {
        let soil = f64::from(world.ground().get(p).soil());
        (sum, units) = (sum + soil * (f64::from(p.x) + 0.5), units + soil);
    }
    sum / units * f64::from(world.ground().voxel_size_m())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_holds_below_its_friction_and_gains_above() {
        let settings = Settings::new(EXPERIMENT.parameters, &["lean_deg=20,40", "voxel_size_m=0.1"]).unwrap();
        let outcome = run(&settings, &|_| ());
        assert!(outcome.pass, "{:#?}", outcome.rows);
    }
}
