//! The experiment: let columns go, mesh the piles in both ways, compare normals with slopes.

use barchan_sim::World;
use barchan_surface::SurfaceMesh;
use barchan_surface::mesh::{MeshOptions, whole_mesh};
use barchan_volume::{Shape, VoxelBox};
use glam::Vec3;
use serde_json::json;

use crate::experiment::{Experiment, Outcome, Row, row};
use crate::measure::{Pile, SoilDepths, percentile};
use crate::rest::{settle, step_to_rest};
use crate::settings::{Parameter, Settings};
use crate::test_soil::{self, TestSoil, TooLarge, bounds_around};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ridges",
    about: "normals of the mesh against the slope of piles at rest, with and without ridges",
    parameters: &[
        test_soil::phi_deg(&[20.0, 25.0, 30.0, 35.0, 40.0, 45.0]),
        Parameter {
            key: "radius_m",
            about: "radius of the piles, in voxels of 0.1 m (m)",
            default: &[4.0],
            range: (1.0, 50.0),
            whole: false,
            list: false,
        },
        Parameter {
            key: "settle",
            about: "0: step the world until it rests, 1: settle it without letting time pass",
            default: &[0.0, 1.0],
            range: (0.0, 1.0),
            whole: true,
            list: true,
        },
    ],
    run,
};

/// Edge of a voxel (m).
const VOXEL_M: f64 = 0.1;
/// The true slope at a place is that of the plane through all columns no further off than this (m).
const SLOPE_REACH_M: f64 = 3.0 * VOXEL_M;
/// Normals are compared between these shares of the height: tips are blunt, and feet end in the floor.
const FLANK: [f64; 2] = [0.2, 0.8];
/// At most 5 in 100 normals are further off than this (°).
const TOLERANCE_DEG: f64 = 3.0;
/// Longest time to wait for rest (s).
const LIMIT_S: f64 = 60.0;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (phis, modes) = (settings.list("phi_deg"), settings.list("settle"));
    let mut outcome = Outcome { pass: true, ..Outcome::default() };
    for (at, &phi_deg) in phis.iter().enumerate() {
        for (mode, &settled) in modes.iter().enumerate() {
            let row = match heap(phi_deg, settings.number("radius_m"), settled > 0.0) {
                Err(problem) => {
                    row(json!({ "phi_deg": phi_deg, "problem": problem.to_string(), "pass": false }))
                }
                Ok((world, bounds)) => measure(&world, bounds, phi_deg, settled),
            };
            outcome.pass &= row["pass"] == json!(true);
            outcome.rows.push(row);
            progress((at * modes.len() + mode + 1) as f64 / (phis.len() * modes.len()) as f64);
        }
    }
    outcome
}

/// A column that came to rest as a pile of about `radius_m` (m).
fn heap(phi_deg: f64, radius_m: f64, settled: bool) -> Result<(World, VoxelBox), TooLarge> {
    let radius = radius_m as f32;
    let column_radius = 0.5 * radius;
    let height = radius / 3.0 * (phi_deg as f32).to_radians().tan() * (radius / column_radius).powi(2);
    let side = 2.6 * radius;
    let bounds = bounds_around(Vec3::new(side, side, 1.05 * height), VOXEL_M);
    let mut world = TestSoil::loose(phi_deg).world(VOXEL_M, bounds)?;
    let column = Shape::Cylinder { radius: column_radius, half_height: height / 2.0 };
    test_soil::place(&mut world, column, Vec3::Z * height / 2.0);
    if settled {
        settle(&mut world)
    } else {
        step_to_rest(&mut world, LIMIT_S)
    };
    Ok((world, bounds))
}

fn measure(world: &World, bounds: VoxelBox, phi_deg: f64, settled: f64) -> Row {
    let depths = SoilDepths::of(world, bounds);
    let pile = Pile::of(&depths).expect("the soil of the column is still there");
    let of = |smooth: bool| {
        let mesh = whole_mesh(world, MeshOptions { smooth, ..MeshOptions::default() });
        Deviations::of(&mesh, &depths, pile.peak_m)
    };
    let (smooth, plain) = (of(true), of(false));
    let measured = percentile(&smooth.normals_deg, 0.95).unwrap_or(f64::NAN);
    row(json!({
        "phi_deg": phi_deg,
        "settle": settled as u8,
        "slope_deg": pile.slope.to_degrees(),
        "normals": smooth.normals_deg.len(),
        "with_ridges_deg": percentile(&plain.normals_deg, 0.95),
        "triangles_deg": percentile(&smooth.triangles_deg, 0.95),
        "triangles_with_ridges_deg": percentile(&plain.triangles_deg, 0.95),
        "measured": measured,
        "expected": 0.0,
        "tolerance": TOLERANCE_DEG,
        "source": "the plane through the columns within three voxels",
        "pass": measured < TOLERANCE_DEG,
    }))
}

/// How far a mesh is off the slope of the ground, on the flank of a pile (°).
struct Deviations {
    normals_deg: Vec<f64>,
    triangles_deg: Vec<f64>,
}

impl Deviations {
    fn of(mesh: &SurfaceMesh, depths: &SoilDepths, peak_m: f64) -> Self {
        let flank = FLANK.map(|share| (share * peak_m) as f32);
        let off_deg = |place: Vec3, normal: Vec3| {
            let on_flank = (flank[0]..=flank[1]).contains(&place.z);
            let truth = depths.normal(place.truncate(), SLOPE_REACH_M).filter(|_| on_flank)?;
            Some(f64::from(normal.dot(truth).clamp(-1.0, 1.0).acos().to_degrees()))
        };
        let place = |vertex: u32| Vec3::from_array(mesh.positions[vertex as usize]);
        let vertices = mesh.positions.iter().zip(&mesh.normals);
        let of_triangle = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(place);
            off_deg((a + b + c) / 3.0, (b - a).cross(c - a).normalize_or_zero())
        };
        Self {
            normals_deg: vertices.filter_map(|(p, n)| off_deg((*p).into(), (*n).into())).collect(),
            triangles_deg: mesh.triangles.iter().filter_map(of_triangle).collect(),
        }
    }
}
