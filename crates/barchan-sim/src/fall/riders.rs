//! Soil that rests on falling soil, and so falls with it.

use glam::IVec3;

use super::air::Falling;
use crate::columns::{Look, Space};
use crate::voxel::Voxel;

/// What is in the air, and all soil on top of it with the motion of what it rests on, each with its soil (units); column
/// by column and upwards in each, as `falling` is. A pile whose support sinks by a hair comes down as a whole: else the
/// gap would climb through it by one voxel a step.
pub(super) fn with_riders(
    falling: &[Falling],
    space: &Space<'_>,
    look: &mut impl Look,
) -> Vec<(Falling, u32)> {
    let mut all = Vec::with_capacity(falling.len());
    for (place, lowest) in falling.iter().enumerate() {
        let next = falling.get(place + 1).map(|f| f.at);
        let (mut at, mut below) = (lowest.at, look.look(lowest.at));
        all.push((*lowest, below.0.soil()));
        loop {
            at += IVec3::Z;
            if Some(at) == next {
                break;
            }
            let this = look.look(at);
            if !rides(at, this, below, space, look) {
                break;
            }
            all.push((Falling { at, ..*lowest }, this.0.soil()));
            below = this;
        }
    }
    all
}

/// True when soil in voxel `at` would fall if there were none below it; `this` is there, `below` under it.
fn rides(
    at: IVec3,
    this: (Voxel, u16),
    below: (Voxel, u16),
    space: &Space<'_>,
    look: &mut impl Look,
) -> bool {
    let is_free = |(voxel, body): (Voxel, u16)| voxel.rock == 0 && body == 0;
    if is_free(this) && is_free(below) {
        return this.0.has_soil();
    }
    space.hangs_as(at, &mut OnNothing { at, look })
}

/// The ground as if there were no soil but that of one voxel.
struct OnNothing<'a, L> {
    at: IVec3,
    look: &'a mut L,
}

impl<L: Look> Look for OnNothing<'_, L> {
    fn look(&mut self, p: IVec3) -> (Voxel, u16) {
        let (voxel, body) = self.look.look(p);
        (if p == self.at { voxel } else { Voxel { under: 0, top: 0, ..voxel } }, body)
    }
}
