//! Soil that falls straight down: column by column, and tile by tile beside the ground.

use barchan_volume::{Brick, Grid};
use glam::{IVec2, IVec3, Vec3};
use rayon::prelude::*;

use super::fall::{Course, Velocities, from_key, key};
use super::stack::{ChangedBrick, Stack};
use crate::columns::Space;
use crate::ground::Ground;
use crate::material::Materials;
use crate::units::VoidRatio;
use crate::voxel::Parcel;

/// True when all of it falls straight down, so that columns cannot meet.
pub(super) fn is_straight(velocities: &Velocities, gravity: Vec3) -> bool {
    let straight = |v: &Vec3| v.x == 0.0 && v.y == 0.0 && v.z <= 0.0;
    straight(&gravity) && velocities.iter().all(|(_, v)| straight(v))
}

/// Lets soil fall whose columns cannot meet: tile by tile, on all threads. Returns how much left its voxel (units), and
/// what is in the air then.
pub(super) fn fall_straight(
    mut velocities: Velocities,
    course: &Course,
    body_shares: &Grid<u16>,
    materials: &Materials,
    ground: &mut Ground,
) -> (i64, Velocities) {
    let tile = |[_, x, y]: [i32; 3]| (x >> 3, y >> 3);
    velocities.sort_unstable_by_key(|(at, _)| (tile(*at), at[1], at[2], at[0]));
    let groups: Vec<_> = velocities.chunk_by(|a, b| tile(a.0) == tile(b.0)).collect();
    let space = Space::new(ground, body_shares, materials);
    let fallen: Vec<_> =
        groups.par_iter().with_min_len(2).map(|group| fall_tile(group, course, space)).collect();
    let (mut sum, mut after) = (0, Velocities::with_capacity(velocities.len()));
    for (fell, group, bricks) in fallen {
        sum += fell;
        after.extend(group);
        for (coord, voxels) in bricks {
            ground.replace_brick(coord, Brick::Dense(voxels));
        }
    }
    after.sort_unstable_by_key(|(at, _)| *at);
    (sum, after)
}

/// Soil of one column in the air: height of its voxel and speed downwards (m/s).
type Falling = Vec<(i32, f32)>;

/// A column of soil with units and momentum (units m/s) of what moved or stayed, from the lowest voxel up.
type Noted = Vec<(i32, f32, f32)>;

/// Lets the soil of one tile fall for a whole step. `group` stands in the order of columns, from the lowest up in each.
/// Returns how much left its voxel (units), what is in the air then, and the changed ground.
fn fall_tile(
    group: &[([i32; 3], Vec3)],
    course: &Course,
    space: Space<'_>,
) -> (i64, Velocities, Vec<ChangedBrick>) {
    let column_of = |at: [i32; 3]| IVec3::from_array(from_key(at)).truncate();
    let mut stack = Stack::new(column_of(group[0].0) >> 3, space);
    let (mut fell, mut velocities) = (0, Velocities::new());
    for column in group.chunk_by(|a, b| column_of(a.0) == column_of(b.0)) {
        let xy = column_of(column[0].0);
        let mut falling: Falling = column.iter().map(|([z, ..], v)| (*z, v.z)).collect();
        for _ in 0..course.parts {
            if falling.is_empty() {
                break;
            }
            let riding = with_riders(xy, &falling, &mut stack);
            let noted = shift_all(xy, &riding, course, &mut stack, space, &mut fell);
            falling = in_the_air(xy, &riding, &noted, &mut stack);
        }
        velocities.extend(falling.iter().map(|(z, v)| (key(xy.extend(*z)), Vec3::new(0.0, 0.0, *v))));
    }
    (fell, velocities, stack.into_changes())
}

/// What is in the air, and all soil on top of it with the speed of what it rests on.
fn with_riders(xy: IVec2, falling: &Falling, stack: &mut Stack<'_>) -> Falling {
    let mut all = Falling::with_capacity(2 * falling.len());
    for (place, &(z, v)) in falling.iter().enumerate() {
        let next = falling.get(place + 1).map_or(i32::MAX, |(next, _)| *next);
        all.push((z, v));
        all.extend((z + 1..next).take_while(|z| stack.rests_on_soil_alone(xy.extend(*z))).map(|z| (z, v)));
    }
    all
}

/// Moves the soil of a column down by its speed and what gravity adds to it, the lowest first: it makes room.
fn shift_all(
    xy: IVec2,
    falling: &Falling,
    course: &Course,
    stack: &mut Stack<'_>,
    space: Space<'_>,
    fell: &mut i64,
) -> Noted {
    let mut noted = Noted::with_capacity(falling.len() + 1);
    for &(z, v) in falling {
        let p = xy.extend(z);
        let (voxel, speed) = (stack.get(p), v + course.gain.z);
        let part = (speed * course.voxels_per_speed).clamp(-1.0, 1.0).abs();
        let wanted = ((f32::from(voxel.soil) * part + 0.5) as u16).min(voxel.soil);
        let mut went = 0;
        if wanted > 0 {
            let loose = VoidRatio::from_f32(space.materials[voxel.soil_kind].void_ratio_loose);
            let (kind, moisture) = (voxel.soil_kind, voxel.moisture);
            let parcel = Parcel { units: 0, kind, void_ratio: loose.max(voxel.void_ratio), moisture };
            went = stack.put(p - IVec3::Z, parcel, wanted);
        }
        if went > 0 {
            stack.take(p, went);
            note(&mut noted, z - 1, f32::from(went), speed);
            *fell += i64::from(went);
        }
        // What found its way locked has lost its speed, what lags behind has not.
        let left = voxel.soil - went;
        let free = 1.0 - f32::from((wanted - went).min(left)) / f32::from(left.max(1));
        note(&mut noted, z, f32::from(left), speed * free);
    }
    noted
}

fn note(noted: &mut Noted, z: i32, units: f32, speed: f32) {
    match noted.last_mut().filter(|last| last.0 == z) {
        Some(last) => *last = (z, last.1 + units, last.2 + speed * units),
        None => noted.push((z, units, speed * units)),
    }
}

/// The speeds of all that is in the air now: averaged by mass, and none for what lost its hold just now.
fn in_the_air(xy: IVec2, before: &Falling, noted: &Noted, stack: &mut Stack<'_>) -> Falling {
    let is_noted = |z: i32| noted.binary_search_by_key(&z, |(z, ..)| *z).is_ok();
    let mut falling = Falling::new();
    for &(z, _) in before {
        let loosened = (z + 1..).take_while(|z| !is_noted(*z) && stack.hangs(xy.extend(*z)));
        falling.extend(loosened.map(|z| (z, 0.0)));
    }
    for &(z, units, momentum) in noted {
        if units > 0.0 && stack.hangs(xy.extend(z)) {
            falling.push((z, momentum / units));
        }
    }
    falling.sort_unstable_by_key(|(z, _)| *z);
    falling
}
