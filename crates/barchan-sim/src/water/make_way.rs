//! Water makes way for ground that came to where it is: soil that fell, slid or was laid down lifts it.

use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;

use super::beds::Reader;
use super::collide::way_out;
use super::drains::Open;
use super::particles::Particles;
use super::scale::Scale;
use crate::ground::Ground;
use crate::now::Now;
use crate::units::LOOSE_FULL;

/// Pieces of the way up (voxels), and how many are tried.
const PIECE: f64 = 0.5;
const PIECES: u32 = 2_048;

/// Puts particles that are inside ground or bodies outside: along the slope of the fill where that is near, else straight up, as
/// water rises that is displaced. Returns how many found no way out.
pub(super) fn make_way<'b>(
    particles: &mut Particles,
    reader: impl Fn() -> Reader<'b> + Sync + Send,
    now: &Now,
    ground: &Ground,
    open: &Open,
    scale: &Scale,
) -> usize {
    let up = -now.gravity_m_s2.normalize_or(Vec3::NEG_Z).as_dvec3();
    let look = |reader: &mut Reader<'b>, slot: usize| {
        let at = scale.lattice.point(particles.places[slot]);
        if reader.touch(at).fill <= 0.5 {
            return None;
        }
        let out = way_out(reader, at, scale.voxel_m as f32);
        let out = out.or_else(|| {
            let pieces = (1..=PIECES).map(|piece| at + up * (f64::from(piece) * PIECE * scale.voxel_m));
            let inside = pieces.take_while(|point| {
                ground.is_wall(voxel_of(*point, scale)) == ground.is_wall(voxel_of(at, scale))
            });
            inside.into_iter().find(|point| fill(*point, now, ground, open, scale) <= 0.5)
        });
        Some((slot, out))
    };
    let inside: Vec<(usize, Option<DVec3>)> = (0..particles.len())
        .into_par_iter()
        .with_min_len(1_024)
        .map_init(reader, look)
        .flatten_iter()
        .collect();
    let mut buried = 0;
    for (slot, out) in inside {
        let place = particles.places[slot];
        let moved = out.map(|out| scale.lattice.moved(place, out - scale.lattice.point(place)));
        let is_out = |place| fill(scale.lattice.point(place), now, ground, open, scale) <= 0.5 + f64::EPSILON;
        match moved.filter(|place| is_out(*place)) {
            Some(place) => particles.places[slot] = place,
            None => {
                particles.velocities[slot] = Vec3::ZERO;
                buried += 1;
            }
        }
    }
    buried
}

fn voxel_of(point_m: DVec3, scale: &Scale) -> IVec3 {
    (point_m / scale.voxel_m).floor().as_ivec3()
}

/// Fill at a point (m) between its eight voxels, read from the ground itself.
fn fill(point_m: DVec3, now: &Now, ground: &Ground, open: &Open, scale: &Scale) -> f64 {
    let at = point_m / scale.voxel_m - 0.5;
    let (base, f) = (at.floor().as_ivec3(), at - at.floor());
    let of_voxel = |p: IVec3| {
        if let Some(walls) = ground.bounds().filter(|walls| !walls.contains(p)) {
            return if open.is_open(p, &walls) { 0.0 } else { 1.0 };
        }
        let voxel = ground.get(p);
        let body = u32::from(now.body_fill.shares().get(p));
        let taken = voxel.rock_share(now.materials) + voxel.soil_share() + body;
        f64::from(taken.min(LOOSE_FULL)) / f64::from(LOOSE_FULL)
    };
    let mut sum = 0.0;
    for corner in 0..8 {
        let d = IVec3::new(corner >> 2, corner >> 1 & 1, corner & 1);
        let near = |axis: usize| if d[axis] == 1 { f[axis] } else { 1.0 - f[axis] };
        sum += near(0) * near(1) * near(2) * of_voxel(base + d);
    }
    sum
}
