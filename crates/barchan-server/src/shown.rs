//! The ground as it is shown. It follows the ground of the world brick by brick: what a hand is at goes first, what nobody
//! could see waits a while. All blocks are meshed from it, so that they fit together whatever waits.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use barchan_sim::{Materials, Voxel};
use barchan_volume::brick::{EDGE, VOXELS};
use barchan_volume::{Brick, Grid};
use glam::{IVec3, Vec3};

/// Longest time for which a brick may be shown as it was.
const LONGEST_WAIT: Duration = Duration::from_millis(300);
/// The angle that an eye tells apart (rad): about a pixel on a screen of 720 lines.
const SHARPNESS: f32 = 1e-3;
/// The least and the most that the surface may be off while a brick waits (voxels).
const LEAST_SEEN: f32 = 1.0 / 32.0;
const MOST_UNSEEN: f32 = 1.0 / 8.0;

/// Where a hand is at work.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    /// Its middle (m).
    pub point_m: Vec3,
    /// How far around it the ground is to be shown at once (m).
    pub reach_m: f32,
}

/// What decides which bricks go first.
pub struct Look<'a> {
    /// What the ground is made of.
    pub materials: &'a Materials,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// Where people look from (m).
    pub eyes_m: &'a [Vec3],
    /// Where hands are at work.
    pub hands: &'a [Hand],
    /// Bricks that are taken over at once beside those that hands are at: more would delay the next view.
    pub most_bricks: usize,
    /// The time now.
    pub now: Instant,
}

/// The ground as it is shown.
pub struct ShownGround {
    voxels: Grid<Voxel>,
    /// Bricks that are shown as they were, and since when.
    late: BTreeMap<[i32; 3], Instant>,
}

impl ShownGround {
    /// Shows everything.
    pub fn new(voxels: Grid<Voxel>) -> Self {
        Self { voxels, late: BTreeMap::new() }
    }

    /// What is shown.
    pub fn voxels(&self) -> &Grid<Voxel> {
        &self.voxels
    }

    /// Shows all of `ground`. Returns the bricks that differ from before, in order.
    pub fn take_all(&mut self, ground: &Grid<Voxel>) -> Vec<IVec3> {
        let changed = ground.bricks_unlike(&self.voxels);
        self.voxels = ground.clone();
        self.late.clear();
        changed
    }

    /// Shows of `ground` what can be seen to have changed and what has waited long enough. Returns the bricks that differ
    /// from before, in order.
    pub fn follow(&mut self, ground: &Grid<Voxel>, look: &Look<'_>) -> Vec<IVec3> {
        let (mut due, mut late) = (Vec::new(), BTreeMap::new());
        for coord in ground.bricks_unlike(&self.voxels) {
            let now = ground.brick(coord);
            let Some(change) = change(&self.voxels.brick(coord), &now, look.materials) else {
                self.voxels.replace(coord, now);
                continue;
            };
            let since = *self.late.get(&coord.to_array()).unwrap_or(&look.now);
            late.insert(coord.to_array(), since);
            let urgency = look.urgency(coord, change, since);
            if urgency >= 1.0 {
                due.push((urgency, coord));
            }
        }
        due.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.to_array().cmp(&b.1.to_array())));
        let at_hand = due.iter().take_while(|(urgency, _)| urgency.is_infinite()).count();
        due.truncate(at_hand + look.most_bricks);
        let mut shown: Vec<IVec3> = due.into_iter().map(|(_, coord)| coord).collect();
        shown.sort_unstable_by_key(IVec3::to_array);
        for coord in &shown {
            self.voxels.replace(*coord, ground.brick(*coord));
            late.remove(&coord.to_array());
        }
        self.late = late;
        if self.late.is_empty() {
            // From here on both share all that does not change, which is what makes the next comparison quick.
            self.voxels = ground.clone();
        }
        shown
    }
}

impl Look<'_> {
    /// How much it matters that brick `coord`, which has changed by `change` (voxels) `since`, is shown: 1 when it is due,
    /// infinite for what a hand does.
    fn urgency(&self, coord: IVec3, change: f32, since: Instant) -> f32 {
        let edge_m = EDGE as f32 * self.voxel_size_m;
        let middle_m = (coord.as_vec3() + 0.5) * edge_m;
        let is_near = |hand: &Hand| hand.point_m.distance(middle_m) < hand.reach_m + 0.87 * edge_m;
        if change >= LEAST_SEEN && self.hands.iter().any(is_near) {
            return f32::INFINITY;
        }
        let nearest_m = self.eyes_m.iter().map(|eye| eye.distance(middle_m)).fold(f32::INFINITY, f32::min);
        let unseen = (nearest_m * SHARPNESS / self.voxel_size_m).clamp(LEAST_SEEN, MOST_UNSEEN);
        change / unseen + (self.now - since).div_duration_f32(LONGEST_WAIT)
    }
}

/// How far two bricks differ (voxels): the largest change of fill, or all of it where something else lies there now. None
/// when they are equal.
fn change(before: &Brick<Voxel>, now: &Brick<Voxel>, materials: &Materials) -> Option<f32> {
    let voxels = (0..VOXELS).map(|index| (before.get(index), now.get(index)));
    let of_voxel = |(before, now): (Voxel, Voxel)| {
        let kinds = |voxel: Voxel| (voxel.surface().kind, voxel.rock_kind);
        let stayed = before.soil().min(now.soil()) > 0 || before.rock.min(now.rock) > 0;
        let is_other = stayed && kinds(before) != kinds(now);
        if is_other { 1.0 } else { (before.fill(materials) - now.fill(materials)).abs() }
    };
    voxels.filter(|(before, now)| before != now).map(of_voxel).reduce(f32::max)
}

#[cfg(test)]
mod tests {
    use barchan_sim::MaterialId;
    use barchan_sim::units::VoidRatio;
    use barchan_volume::brick::brick_box;

    use super::*;

    const SIZE_M: f32 = 0.1;

    fn ground(heights: impl Fn(IVec3) -> u16) -> Grid<Voxel> {
        let mut grid = Grid::new(Voxel::AIR);
        for coord in [IVec3::ZERO, IVec3::new(9, 0, 0)] {
            for p in brick_box(coord).cells() {
                let soil = if p.z < 4 {
                    30_000
                } else if p.z == 4 {
                    heights(p)
                } else {
                    0
                };
                grid.set(p, Voxel::of_soil(soil, MaterialId(0), VoidRatio(0)));
            }
        }
        grid
    }

    fn look<'a>(materials: &'a Materials, hands: &'a [Hand], now: Instant) -> Look<'a> {
        Look { materials, voxel_size_m: SIZE_M, eyes_m: &[], hands, most_bricks: 8, now }
    }

    #[test]
    fn what_nobody_sees_waits_but_not_for_ever() {
        let (materials, began) = (Materials::builtin(), Instant::now());
        let mut shown = ShownGround::new(ground(|_| 10_000));
        let later = ground(|_| 10_100);
        assert_eq!(shown.follow(&later, &look(&materials, &[], began)), []);
        assert_eq!(shown.follow(&later, &look(&materials, &[], began + LONGEST_WAIT)).len(), 2);
        assert_eq!(shown.follow(&later, &look(&materials, &[], began + 2 * LONGEST_WAIT)), []);
        assert!(later.bricks_unlike(shown.voxels()).is_empty());
    }

    #[test]
    fn what_is_seen_goes_at_once() {
        let (materials, began) = (Materials::builtin(), Instant::now());
        let mut shown = ShownGround::new(ground(|_| 10_000));
        let later = ground(|p| if p.x < 8 { 25_000 } else { 10_100 });
        assert_eq!(shown.follow(&later, &look(&materials, &[], began)), [IVec3::ZERO]);
    }

    #[test]
    fn no_more_than_some_go_at_once() {
        let (materials, began) = (Materials::builtin(), Instant::now());
        let mut shown = ShownGround::new(ground(|_| 10_000));
        let later = ground(|p| if p.x < 8 { 20_000 } else { 25_000 });
        let look = Look { most_bricks: 1, ..look(&materials, &[], began) };
        assert_eq!(shown.follow(&later, &look), [IVec3::new(9, 0, 0)], "what changed most goes first");
        assert_eq!(shown.follow(&later, &look), [IVec3::ZERO]);
    }

    #[test]
    fn what_is_at_a_hand_goes_at_once() {
        let (materials, began) = (Materials::builtin(), Instant::now());
        let mut shown = ShownGround::new(ground(|_| 10_000));
        let hand = Hand { point_m: Vec3::new(7.6, 0.4, 0.4), reach_m: 0.3 };
        let later = ground(|_| 12_500);
        assert_eq!(shown.follow(&later, &look(&materials, &[], began)), []);
        let changed = shown.follow(&later, &look(&materials, &[hand], began));
        assert_eq!(changed, [IVec3::new(9, 0, 0)]);
    }
}
