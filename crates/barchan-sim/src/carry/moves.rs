//! Moving many voxels of soil at once.

use glam::IVec3;

use super::carry::CarryReport;
use crate::bodies::BodyFill;
use crate::ground::Ground;
use crate::material::Materials;
use crate::voxel::Parcel;

/// Voxels whose soil is to move, and where to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moves {
    /// From and to.
    pairs: Vec<(IVec3, IVec3)>,
}

impl Moves {
    pub(super) fn add(&mut self, from: IVec3, to: IVec3) {
        if from != to {
            self.pairs.push((from, to));
        }
    }

    /// Moves the soil, all of it at the same time, beside the bodies as they are now. What finds no room for the half of
    /// it stays, and so does what would have taken its place.
    pub(crate) fn apply(
        mut self,
        body_fill: &BodyFill,
        materials: &Materials,
        ground: &mut Ground,
    ) -> CarryReport {
        // Soil between two bodies goes with the first that asks.
        self.pairs.sort_by_key(|(from, _)| from.to_array());
        self.pairs.dedup_by_key(|(from, _)| *from);
        let mut parcels: Vec<Parcel> =
            self.pairs.iter().map(|(from, _)| ground.voxel_mut(*from).take_soil(u32::MAX)).collect();
        let mut site = Site { body_fill, materials, ground };
        let stays = self.stop_blocked(&mut parcels, &mut site);

        let mut report = CarryReport::default();
        for (index, (from, to)) in self.pairs.iter().enumerate().filter(|(index, _)| !stays[*index]) {
            let parcel = &mut parcels[index];
            report.moved += i64::from(parcel.units);
            site.stack(*to, parcel);
            site.stack(*from, parcel);
        }
        // No room anywhere above either: back it goes, for pushing to deal with.
        for parcel in parcels.iter_mut() {
            for (from, _) in &self.pairs {
                if parcel.units == 0 {
                    break;
                }
                site.squeeze(*from, parcel);
            }
        }
        report
    }

    /// Puts what cannot move back where it was, and tells which that was.
    fn stop_blocked(&self, parcels: &mut [Parcel], site: &mut Site<'_>) -> Vec<bool> {
        let mut by_target: Vec<usize> = (0..self.pairs.len()).collect();
        by_target.sort_by_key(|&index| self.pairs[index].1.to_array());
        let mut stays = vec![false; self.pairs.len()];
        let mut asked: Vec<usize> = (0..self.pairs.len()).rev().collect();
        while let Some(index) = asked.pop() {
            let (from, to) = self.pairs[index];
            if stays[index] || site.takes_half(to, &parcels[index]) {
                continue;
            }
            stays[index] = true;
            site.ground.voxel_mut(from).add_soil(parcels[index]);
            parcels[index].units = 0;
            let key = from.to_array();
            let first = by_target.partition_point(|&other| self.pairs[other].1.to_array() < key);
            asked.extend(by_target[first..].iter().take_while(|&&other| self.pairs[other].1 == from));
        }
        stays
    }
}

/// Ground and bodies, as moving soil sees them.
struct Site<'a> {
    body_fill: &'a BodyFill,
    materials: &'a Materials,
    ground: &'a mut Ground,
}

/// How far above its place soil may come to lie (voxels).
const HIGHEST_STACK: i32 = 64;

impl Site<'_> {
    fn room(&self, p: IVec3, parcel: &Parcel) -> u32 {
        if self.ground.is_wall(p) {
            return 0;
        }
        let body = u32::from(self.body_fill.shares().get(p));
        self.ground.get(p).room(parcel.void_ratio, body, self.materials)
    }

    fn takes_half(&self, p: IVec3, parcel: &Parcel) -> bool {
        2 * self.room(p, parcel) >= u32::from(parcel.units)
    }

    /// Lets `parcel` stay in voxel `p` and above it, as far as there is room.
    fn stack(&mut self, p: IVec3, parcel: &mut Parcel) {
        for z in p.z..p.z + HIGHEST_STACK {
            if parcel.units == 0 {
                return;
            }
            let q = p.with_z(z);
            let units = self.room(q, parcel).min(u32::from(parcel.units)) as u16;
            if units > 0 {
                self.ground.voxel_mut(q).add_soil(Parcel { units, ..*parcel });
                parcel.units -= units;
            }
        }
    }

    /// Puts as much of `parcel` into voxel `p` as a voxel can count.
    fn squeeze(&mut self, p: IVec3, parcel: &mut Parcel) {
        let units = parcel.units.min(u16::MAX - self.ground.get(p).soil);
        self.ground.voxel_mut(p).add_soil(Parcel { units, ..*parcel });
        parcel.units -= units;
    }
}
