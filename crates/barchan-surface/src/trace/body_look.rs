//! The looks of bodies: painted steel, wood or stone, by how heavy they are.

use glam::{Vec3, Vec3A};

use super::bodies::Placed;
use super::chance::{hash, noise, smoothstep};
use super::look::{Look, bump, linear, seen};

/// Heavier than this is metal (kg/m³); lighter than the other is wood.
const METAL_KG_M3: f32 = 4_500.0;
const WOOD_KG_M3: f32 = 1_300.0;

/// The looks of a point of a body. `footprint`: width of a pixel there (m).
pub(super) fn look(body: &Placed, place: Vec3A, normal: Vec3, footprint_m: f32, voxel_m: f32) -> Look {
    // Patterns are as large as on the ground, and move with the body.
    let p = body.own(place) / voxel_m;
    let footprint = footprint_m / voxel_m;
    if body.density_kg_m3 > METAL_KG_M3 {
        metal(p, normal, footprint)
    } else if body.density_kg_m3 < WOOD_KG_M3 {
        wood(p, normal, footprint)
    } else {
        stone(p, normal, footprint, body.number)
    }
}

/// Yellow paint, scratched and worn off in places.
fn metal(p: Vec3, normal: Vec3, footprint: f32) -> Look {
    let (broad, _) = noise(p / 3.7);
    let (fine, _) = noise(p / 0.6);
    let worn = smoothstep(0.34, 0.5, broad + 0.35 * fine * seen(0.6, footprint));
    let paint = linear([232, 150, 22]) * (1.0 + 0.05 * broad);
    let steel = linear([120, 116, 112]) * (1.0 + 0.15 * fine);
    Look { albedo: paint.lerp(steel, worn), normal, shine: 0.04 + 0.10 * worn, gloss: 60.0 - 30.0 * worn }
}

/// Rings about the long axis, z.
fn wood(p: Vec3, normal: Vec3, footprint: f32) -> Look {
    let (warp, _) = noise(p * Vec3::new(0.5, 0.5, 0.06));
    let rings = (p.truncate().length() * 5.0 + 4.0 * warp).sin() * seen(0.6, footprint);
    let (fibre, rough) = noise(p * Vec3::new(3.0, 3.0, 0.25));
    let fibre_share = seen(0.35, footprint);
    let albedo = linear([148, 104, 62]) * (1.0 + 0.14 * rings + 0.22 * fibre * fibre_share);
    Look { shine: 0.01, gloss: 15.0, ..Look::dull(albedo, bump(normal, rough * (0.05 * fibre_share))) }
}

/// Grey stone, no two alike.
fn stone(p: Vec3, normal: Vec3, footprint: f32, number: u32) -> Look {
    let own = hash(number);
    let tone = (own & 255) as f32 / 255.0;
    let p = p + Vec3::splat((own >> 8 & 255) as f32);
    let (blotch, swell) = noise(p / 2.3);
    let (speckle, rough) = noise(p / 0.45);
    let fine = seen(0.45, footprint);
    let base = linear([150, 146, 140]).lerp(linear([172, 158, 138]), tone);
    let albedo = base * (0.92 + 0.08 * blotch + 0.15 * speckle * fine);
    let normal = bump(normal, swell * 0.08 + rough * (0.07 * fine));
    Look { shine: 0.012, gloss: 16.0, ..Look::dull(albedo, normal) }
}
