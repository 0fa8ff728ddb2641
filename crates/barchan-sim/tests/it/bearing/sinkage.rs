//! Static sinkage against p = (kc/b + kphi) z^n, with the soils of Wong 2008.

use barchan_sim::bodies::Cause;
use barchan_volume::Pose;
use glam::Vec3;

use super::{DT_S, GRAVITY, Yard, block};

/// Soil, n (-), kc (kN/m^(n+1)), kphi (kN/m^(n+2)): Wong 2008, table 2.3.
const SOILS: [(&str, f32, f32, f32); 4] = [
    ("dry_sand", 1.1, 0.99, 1528.43),
    ("sandy_loam", 0.7, 5.27, 1515.04),
    ("clay", 0.5, 13.19, 692.15),
    ("lunar_regolith", 1.0, 1.4, 820.0),
];

/// How far (m) a block of `size` (m) sinks that presses with `pressure_kpa` (kPa) and is set down without speed.
fn sinkage(mut yard: Yard, size: Vec3, pressure_kpa: f32) -> f32 {
    let density = pressure_kpa * 1e3 / (size.z * -GRAVITY.z);
    let id = yard.add(block(0.5 * size, density, Pose::at(Vec3::new(0.013, -0.007, 0.5 * size.z))));
    yard.run(4.0);
    let body = yard.body(id);
    assert!(body.sleeping, "{pressure_kpa} kPa: {}", body.linear_velocity_m_s);
    0.5 * size.z - body.pose.translation.z
}

#[test]
fn plates_sink_as_bekker_says() {
    for (soil, n, kc, kphi) in SOILS {
        for (width_m, pressure_kpa) in [(0.5, 10.0), (0.5, 40.0), (0.3, 40.0), (0.8, 80.0)] {
            let expected = (pressure_kpa / (kc / width_m + kphi)).powf(1.0 / n);
            if expected < 1e-3 {
                // Creep until it sleeps is a few hundredths of a millimetre; a millimetre is told well.
                continue;
            }
            for gives_way in [false, true] {
                let yard = Yard { gives_way, ..Yard::flat(soil) };
                let found = sinkage(yard, Vec3::new(width_m, 1.0, 1.0), pressure_kpa);
                let what = format!("{soil}, {width_m} m wide, {pressure_kpa} kPa, gives way: {gives_way}");
                assert!((found - expected).abs() < 0.25 * expected, "{what}: {found} m for {expected} m");
            }
        }
    }
}

#[test]
fn heavier_sinks_deeper_and_wider_less() {
    for (soil, ..) in SOILS {
        let of_mass = |mass: f32| sinkage(Yard::flat(soil), Vec3::new(0.5, 0.5, 0.5), mass * 9.81e-3 / 0.25);
        let depths = [400.0, 800.0, 1600.0, 3200.0].map(of_mass);
        assert!(depths.is_sorted_by(|a, b| a < b), "{soil} by mass: {depths:?}");
        let of_width = |width: f32| {
            let pressure_kpa = 1000.0 * 9.81e-3 / (width * width);
            sinkage(Yard::flat(soil), Vec3::new(width, width, 0.5), pressure_kpa)
        };
        let depths = [0.3, 0.45, 0.6, 0.9].map(of_width);
        assert!(depths.is_sorted_by(|a, b| a > b), "{soil} by width: {depths:?}");
    }
}

#[test]
fn unloading_and_loading_again_is_stiff() {
    for (soil, ..) in SOILS {
        let mut yard = Yard::flat(soil);
        let half = Vec3::splat(0.25);
        let id = yard.add(block(half, 2000.0, Pose::at(Vec3::Z * half.z)));
        yard.run(3.0);
        let weight = GRAVITY * yard.body(id).mass_kg;
        // Depth (m) after the load went from one multiple of the weight to another within a second.
        let mut depth_after = |from: f32, to: f32| {
            for step in 1..=120 {
                let load = from + (to - from) * (step as f32 / 60.0).min(1.0);
                let centre = yard.body(id).centre_of_mass_m;
                yard.keep_awake(id);
                yard.bodies.apply_force_at(id, Cause::Soil, weight * load, centre).unwrap();
                yard.step(DT_S);
            }
            half.z - yard.body(id).pose.translation.z
        };
        let [light, heavy] = [depth_after(0.0, 0.0), depth_after(0.0, 4.0)];
        let [light_again, heavy_again] = [depth_after(4.0, 0.0), depth_after(0.0, 4.0)];
        let first = heavy - light;
        assert!(first > 1e-3, "{soil}: {first}");
        // At least five times as stiff as on first loading.
        assert!((heavy - light_again).abs() < 0.2 * first, "{soil} up: {heavy} {light_again}");
        assert!((heavy_again - light_again).abs() < 0.2 * first, "{soil} down: {light_again} {heavy_again}");
    }
}
