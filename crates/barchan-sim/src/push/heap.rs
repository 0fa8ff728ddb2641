//! The ground while soil is heaped up on it.

use barchan_volume::brick::{EDGE, brick_of};
use glam::IVec3;

use super::cursor::free_share;
use super::path::Path;
use super::site::Excess;
use crate::bodies::BodyFill;
use crate::columns::{ChangedBricks, FULL_SLACK, FullSoil, Look, Patch, Space};
use crate::ground::Ground;
use crate::material::Materials;
use crate::units::VoidRatio;
use crate::voxel::{Parcel, Parcels};

/// Columns that soil rolls across at most: enough for no tower to stand. The rest is left to slipping, which is cheaper.
const LONGEST_ROLL: usize = 16;

/// The ground, and what was taken from it and heaped up on it.
pub(super) struct Heap<'a> {
    ground: &'a Ground,
    materials: &'a Materials,
    /// Every parcel comes to a few voxels close by: their bricks are at hand here.
    patch: Patch<'a>,
    /// The lowest voxel that anything falls to (voxels).
    lowest: i32,
    full: FullSoil,
    /// Where the last soil that rolled came along, as far as it is still true: the next mostly rolls the same way.
    trail: Vec<IVec3>,
    /// Nothing goes on from the end of the trail.
    trail_ends: bool,
}

impl<'a> Heap<'a> {
    pub(super) fn new(ground: &'a Ground, body_fill: &'a BodyFill, materials: &'a Materials) -> Self {
        let space = Space::new(ground, body_fill.shares(), materials);
        Self {
            ground,
            materials,
            patch: Patch::new(space),
            lowest: space.lowest,
            full: FullSoil::default(),
            trail: Vec::new(),
            trail_ends: false,
        }
    }

    /// The bricks that differ from those in the ground.
    pub(super) fn into_changed(self) -> ChangedBricks {
        self.patch.into_changed()
    }

    /// The share of voxel `p` that is free (1/32,768); none where soil cannot pass: in walls, and where rock and bodies
    /// fill it.
    pub(super) fn probe(&mut self, p: IVec3) -> Option<u32> {
        if self.ground.is_wall(p) {
            return None;
        }
        let (voxel, body) = self.patch.look(p);
        free_share(&voxel, body, self.materials)
    }

    fn is_open(&mut self, p: IVec3) -> bool {
        if self.ground.is_wall(p) {
            return false;
        }
        let (voxel, body) = self.patch.look(p);
        // Most are empty or full of soil, which takes no division to see.
        if voxel.rock == 0 && body == 0 && (!voxel.has_soil() || self.full.is_full(&voxel)) {
            return !voxel.has_soil();
        }
        free_share(&voxel, body, self.materials).is_some_and(|free| free >= FULL_SLACK)
    }

    /// The next voxel of a path that has room.
    pub(super) fn next_room(&mut self, path: &mut Path) -> Option<IVec3> {
        let ground = self.ground;
        loop {
            let (voxel, free) = path.next(|q| self.probe(q), |q| ground.is_wall(q))?;
            if free >= FULL_SLACK {
                return Some(voxel);
            }
        }
    }

    /// Takes soil out of its voxel and loosens it, kind by kind.
    pub(super) fn take(&mut self, excess: &Excess) -> Parcels {
        let mut parcels = Parcels::new();
        self.patch.take(excess.voxel, excess.units, &mut parcels);
        parcels.iter_mut().for_each(|parcel| *parcel = parcel.loosened(self.materials));
        parcels
    }

    /// Puts soil that fits nowhere back where it was, as dense as it was squeezed: a voxel always holds its own soil.
    pub(super) fn put_back(&mut self, p: IVec3, parcel: Parcel) {
        if parcel.units > 0 {
            let dense = VoidRatio::from_f32(self.materials[parcel.kind].void_ratio_dense);
            let mut parcel = Parcel { void_ratio: dense, ..parcel };
            self.patch.press_in(p, &mut parcel);
            debug_assert_eq!(parcel.units, 0, "all of it was there before");
            // Better too much in a voxel than lost.
            self.patch.overfill(p, &mut parcel);
        }
    }

    /// Lets `parcel` go in voxel `p`: it falls to the ground below and fills the column from there up to `p`.
    pub(super) fn drop_at(&mut self, p: IVec3, parcel: &mut Parcel) {
        for z in self.landing(p)..=p.z {
            if parcel.units == 0 {
                break;
            }
            self.deposit(p.with_z(z), parcel);
        }
    }

    /// Where soil in voxel `p` comes to rest when it rolls down whatever is steeper than a voxel, the lowest way first.
    pub(super) fn roll_from(&mut self, p: IVec3) -> IVec3 {
        let mut at = p.with_z(self.landing(p));
        if self.trail.first() != Some(&at) {
            self.trail.clear();
            self.trail.push(at);
            self.trail_ends = false;
        }
        at = self.trail[self.trail.len() - 1];
        while !self.trail_ends && self.trail.len() <= LONGEST_ROLL {
            match self.lowest_beside(at) {
                Some(next) => {
                    self.trail.push(next);
                    at = next;
                }
                None => self.trail_ends = true,
            }
        }
        at
    }

    /// The lowest place that soil falls to from voxel `at` across one of its sides.
    fn lowest_beside(&mut self, at: IVec3) -> Option<IVec3> {
        let sides = [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y].map(|side| at + side);
        let way = |q: IVec3| {
            let below = q - IVec3::Z;
            let falls = self.is_open(q) && self.is_open(below);
            falls.then(|| q.with_z(self.landing(below)))
        };
        sides.into_iter().filter_map(way).min_by_key(|q| q.z)
    }

    /// Forgets the part of the trail that voxel `p`, full from now on, may have changed: soil looks at the columns beside
    /// its own.
    fn cut_trail(&mut self, p: IVec3) {
        let is_near = |at: &IVec3| (at - p).truncate().abs().element_sum() <= 1;
        if let Some(place) = self.trail.iter().position(is_near) {
            self.trail.truncate(place + 1);
            self.trail_ends = false;
        }
    }

    /// Height of the lowest voxel that soil falling from `p` reaches.
    fn landing(&mut self, p: IVec3) -> i32 {
        let mut bottom = p.z;
        while bottom > self.lowest && self.is_open(p.with_z(bottom - 1)) {
            bottom -= 1;
        }
        bottom
    }

    /// Lets as much of `parcel` stay in voxel `p` as fits.
    fn deposit(&mut self, p: IVec3, parcel: &mut Parcel) {
        let (voxel, body) = self.patch.look(p);
        let room = voxel.room(parcel.void_ratio, u32::from(body), self.materials);
        if room > 0 {
            self.patch.add(p, parcel.split_off(room));
            // Without walls there may be soil below all that there was before.
            self.lowest = self.lowest.min(brick_of(p).z * EDGE);
            if !self.trail.is_empty() && !self.is_open(p) {
                self.cut_trail(p);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use barchan_volume::VoxelBox;

    use super::*;

    /// What a heap becomes when soil comes up at several places of a wall in turn.
    fn heaped(forgets: bool) -> ChangedBricks {
        let bounds = VoxelBox::new(IVec3::ZERO, IVec3::new(24, 24, 40));
        let (ground, materials) = (Ground::new(0.1, Some(bounds)), Materials::builtin());
        let body_fill = BodyFill::new();
        let mut heap = Heap::new(&ground, &body_fill, &materials);
        let kind = materials.find("dry_sand").expect("builtin");
        for number in 0..3000 {
            let units = 9_000 + number % 7 * 4_000;
            let mut parcel = Parcel { units, kind, void_ratio: VoidRatio::REFERENCE, ..Parcel::default() };
            let place = IVec3::new(23, i32::from(number / 8 % 24), 39);
            while parcel.units > 0 {
                let from = heap.roll_from(place);
                heap.drop_at(from, &mut parcel);
                if forgets {
                    heap.trail.clear();
                }
            }
        }
        heap.into_changed()
    }

    #[test]
    fn soil_rolls_as_if_none_had_rolled_before() {
        assert!(heaped(false) == heaped(true));
    }
}
