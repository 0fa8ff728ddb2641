//! A ball that is dug or heaped up with a smooth surface: voxels across it keep how much they hold.

use barchan_volume::VoxelBox;
use barchan_volume::archive::{Change, Cube, Leaf, Value, Verdict, View};
use glam::{DVec3, IVec3};

use super::terrain::{FULL, SOIL, UNITS, soil_contents};

/// A ball of soil, or of nothing.
pub(super) struct SmoothBall {
    /// Its middle (voxels).
    pub centre: DVec3,
    /// Its radius (voxels).
    pub radius: f64,
    /// It is heaped up, not dug.
    pub heaps: bool,
}

impl SmoothBall {
    /// The voxels that it may change.
    pub fn region(&self) -> VoxelBox {
        let reach = self.radius + 1.0;
        let (low, high) = (self.centre - reach, self.centre + reach);
        VoxelBox::new(low.floor().as_ivec3(), high.ceil().as_ivec3())
    }
}

impl Change for SmoothBall {
    fn of_cube(&self, _: View<'_>, cube: Cube, now: Option<u8>) -> Verdict {
        if now == Some(if self.heaps { SOIL } else { 0 }) {
            return Verdict::Keep;
        }
        let low = cube.min.as_dvec3() + 0.5 - self.centre;
        let high = low + f64::from(cube.edge() - 1);
        let nearest = low.max(DVec3::ZERO).max(-high).length();
        let farthest = low.abs().max(high.abs()).length();
        if nearest >= self.radius + 0.5 {
            Verdict::Keep
        } else if farthest <= self.radius - 0.5 {
            Verdict::Whole(if self.heaps { SOIL } else { 0 })
        } else {
            Verdict::Cut
        }
    }

    fn of_leaf(&self, _: View<'_>, min: IVec3, leaf: &mut Leaf) {
        let low = min.as_dvec3() + 0.5 - self.centre;
        let mut whole = 0_u64;
        for at in 0..64 {
            let place = low + DVec3::new((at >> 4) as f64, (at >> 2 & 3) as f64, (at & 3) as f64);
            let inside = (self.radius + 0.5 - place.length()).clamp(0.0, 1.0);
            if inside == 1.0 {
                whole |= 1 << at;
            } else if inside > 0.0 {
                self.cut(leaf, at, inside);
            }
        }
        leaf.fill(whole, if self.heaps { SOIL } else { 0 });
    }
}

impl SmoothBall {
    /// Changes a voxel of which the ball takes the part `inside`.
    fn cut(&self, leaf: &mut Leaf, at: usize, inside: f64) {
        let value = leaf.get(at);
        let held = match value.contents {
            Some(contents) => contents[UNITS],
            None if value.material == 0 => 0,
            None => FULL,
        };
        let share = (inside * f64::from(FULL)) as u16;
        let units = if self.heaps { held.max(share) } else { held.min(FULL - share) };
        if units == held {
            return;
        }
        leaf.set(
            at,
            match units {
                0 => Value::AIR,
                FULL => Value::whole(SOIL),
                units => {
                    let material = if units >= FULL / 2 { SOIL } else { 0 };
                    Value { material, contents: Some(soil_contents(units)) }
                }
            },
        );
    }
}
