//! Soil that rests on falling soil, and so falls with it.

use glam::IVec3;

use super::fall::{Velocities, from_key, key};
use crate::columns::Space;
use crate::voxel::Voxel;

/// What is in the air, and all soil on top of it with the velocity of what it rests on. A pile whose support sinks by a
/// hair comes down as a whole: else the gap would climb through it by one voxel a step.
pub(super) fn with_riders(falling: &Velocities, space: &Space<'_>) -> Velocities {
    let mut all = falling.clone();
    all.sort_unstable_by_key(|([z, x, y], _)| [*x, *y, *z]);
    for place in 0..falling.len() {
        let (at, velocity) = all[place];
        let next = all.get(place + 1).filter(|_| place + 1 < falling.len()).map(|(at, _)| *at);
        let below = IVec3::from_array(from_key(at));
        all.extend(riders(below, next, space).map(|p| (key(p), velocity)));
    }
    all.sort_unstable_by_key(|(at, _)| *at);
    all
}

/// The soil that rests on the soil of voxel `below`, up to what is in the air itself (`next` in this column or another).
fn riders<'a>(
    below: IVec3,
    next: Option<[i32; 3]>,
    space: &'a Space<'_>,
) -> impl Iterator<Item = IVec3> + use<'a> {
    (1..)
        .map(move |height| below + IVec3::Z * height)
        .take_while(move |p| Some(key(*p)) != next && rests_on_soil_alone(*p, space))
}

/// True when the soil of voxel `p` would hang if there were none below it.
fn rests_on_soil_alone(p: IVec3, space: &Space<'_>) -> bool {
    let voxel = |q: IVec3| {
        let here = space.ground.get(q);
        if q == p { here } else { Voxel { soil: 0, ..here } }
    };
    space.hangs_as(p, voxel)
}
