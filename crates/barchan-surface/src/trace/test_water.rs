//! Water for tests.

use barchan_sim::{MaterialId, ParticleId, SeenParticle, World, WorldConfig};
use glam::Vec3;

/// A world without anything.
pub(super) fn empty() -> World {
    World::new(WorldConfig::default()).expect("a world")
}

/// A particle that stands still (m).
pub(super) fn drop_at(centre_m: Vec3, radius_m: f32) -> SeenParticle {
    SeenParticle {
        id: ParticleId(0),
        part: 0,
        centre_m,
        radius_m,
        velocity_m_s: Vec3::ZERO,
        kind: MaterialId(0),
        sediment: 0.0,
        contacts: 0,
        force_n: 0.0,
    }
}

/// Two metres square and one high of water, in particles so far apart (m), in an empty world.
pub(super) fn tank(spacing_m: f32) -> (World, Vec<SeenParticle>) {
    let along = |length_m: f32| (length_m / spacing_m).round() as u32;
    let (wide, high) = (along(2.0), along(1.0));
    let radius_m = spacing_m * (3.0 / (4.0 * std::f32::consts::PI)).cbrt();
    let at = |n: u32| (n as f32 + 0.5) * spacing_m;
    let mut water = Vec::new();
    for x in 0..wide {
        for y in 0..wide {
            for z in 0..high {
                water.push(drop_at(Vec3::new(at(x), at(y), at(z)), radius_m));
            }
        }
    }
    (empty(), water)
}
