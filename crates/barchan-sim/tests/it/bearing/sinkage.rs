//! Static sinkage against p = (kc/b + kphi) z^n, with the soils of Wong 2008.

use barchan_volume::Pose;
use glam::Vec3;

use super::{GRAVITY, VOXEL_M, Yard, block};

/// Soil, n (-), kc (kN/m^(n+1)), kphi (kN/m^(n+2)): Wong 2008, table 2.3.
const SOILS: [(&str, f32, f32, f32); 4] = [
    ("dry_sand", 1.1, 0.99, 1528.43),
    ("sandy_loam", 0.7, 5.27, 1515.04),
    ("clay", 0.5, 13.19, 692.15),
    ("lunar_regolith", 1.0, 1.4, 820.0),
];

/// How far a box of half sides `half` (m) sinks that presses with `pressure_pa` (Pa) and is set down without speed.
fn sinkage(yard: &mut Yard, half: Vec3, pressure_pa: f32) -> f32 {
    let density = pressure_pa / (2.0 * half.z * -GRAVITY.z);
    let id = yard.add(block(half, density, Pose::at(Vec3::new(0.013, -0.007, half.z))));
    yard.run(4.0);
    let body = yard.body(id);
    assert!(body.sleeping, "{}", body.linear_velocity_m_s);
    half.z - body.pose.translation.z
}

#[test]
fn plates_sink_as_bekker_says() {
    for (soil, n, kc, kphi) in SOILS {
        for (width_m, pressure_kpa) in [(0.5, 10.0), (0.5, 40.0), (0.3, 40.0), (0.8, 80.0)] {
            let half = Vec3::new(0.5 * width_m, 0.5, 0.5);
            let expected = (pressure_kpa / (kc / f32::min(width_m, 1.0) + kphi)).powf(1.0 / n);
            if expected < 1e-3 {
                // Less than a fiftieth of a voxel: below what this model resolves.
                continue;
            }
            for gives_way in [false, true] {
                let mut yard = Yard { gives_way, ..Yard::flat(soil) };
                let found = sinkage(&mut yard, half, pressure_kpa * 1e3);
                println!("{soil} {width_m} m {pressure_kpa} kPa {gives_way}: {found} for {expected}");
            }
        }
    }
    let _ = VOXEL_M;
}
