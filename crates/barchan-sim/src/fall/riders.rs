//! Soil that rests on falling soil, and so falls with it.

use glam::IVec3;

use super::air::Falling;
use crate::columns::Space;
use crate::voxel::Voxel;

/// What is in the air, and all soil on top of it with the motion of what it rests on; column by column and upwards in
/// each, as `falling` is. A pile whose support sinks by a hair comes down as a whole: else the gap would climb through
/// it by one voxel a step.
pub(super) fn with_riders(
    falling: &[Falling],
    space: &Space<'_>,
    voxel: impl Fn(IVec3) -> Voxel,
) -> Vec<Falling> {
    let mut all = Vec::with_capacity(falling.len());
    for (place, lowest) in falling.iter().enumerate() {
        let next = falling.get(place + 1).map(|f| f.at);
        all.push(*lowest);
        let mut at = lowest.at + IVec3::Z;
        while Some(at) != next && rests_on_soil_alone(at, space, &voxel) {
            all.push(Falling { at, ..*lowest });
            at += IVec3::Z;
        }
    }
    all
}

/// True when the soil of voxel `p` would hang if there were none below it.
fn rests_on_soil_alone(p: IVec3, space: &Space<'_>, voxel: &impl Fn(IVec3) -> Voxel) -> bool {
    let alone = |q: IVec3| {
        let here = voxel(q);
        if q == p { here } else { Voxel { soil: 0, ..here } }
    };
    space.hangs_as(p, alone)
}
