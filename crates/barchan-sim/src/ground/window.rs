//! The window: the part of a scene on a [`Base`] in which bricks are there to be changed. Its rim is wall.
//!
//! What the base gives is laid when the window comes there and dropped when it leaves. Bricks that differ from the base are the
//! ground's own, wherever the window is: inside they are voxels like all others, outside they lie on the shelf. Only they are
//! counted and have a part in the digest, so that where the window is changes neither.

use std::collections::BTreeMap;
use std::sync::Arc;

use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;
use rustc_hash::FxHashMap;

use super::base::Base;
use super::brick::{Count, GroundBrick};
use super::changes::Changes;
use super::edit::{EditError, stored_bytes};
use super::ground::Ground;
use super::shelf::Shelf;
use crate::digest::hash_brick;
use crate::ledger::{Account, Amounts, Place, Transfers};
use crate::material::Materials;
use crate::voxel::{SideList, Voxel};

/// A window on a base.
#[derive(Clone, Debug)]
pub(super) struct Window {
    base: Arc<Base>,
    /// The base inside the window.
    laid: Grid<Voxel>,
    sides: Arc<FxHashMap<IVec3, SideList>>,
    shelf: Shelf,
    /// What lies on the shelf: units, and the room that they take; what the base gave for it taken away from [`Account::Base`].
    shelved: [Amounts<i128>; 2],
}

impl Window {
    fn brick(&self, coord: IVec3) -> GroundBrick {
        let side = self.sides.get(&coord).cloned().unwrap_or_default();
        GroundBrick { voxels: self.laid.brick(coord), side }
    }
}

/// What `brick` holds instead of `base`: its own units and room on the one side, those of the base on account [`Account::Base`] on the other.
fn own(brick: &GroundBrick, base: &GroundBrick, materials: &Materials) -> [Amounts<i64>; 2] {
    let mut count = Count::zero(materials);
    count.add_brick(&brick.voxels, &brick.side, 1);
    let [mut units, mut room] = [count.units(), count.room()];
    let [of_base, room_of_base] = given(base, -1, materials);
    units.add_all(&of_base);
    room.add_all(&room_of_base);
    [units, room]
}

/// What the base gave for a brick, on account [`Account::Base`]: units and room.
fn given(base: &GroundBrick, times: i64, materials: &Materials) -> [Amounts<i64>; 2] {
    let mut count = Count::zero(materials);
    count.add_brick(&base.voxels, &base.side, times);
    [count.units(), count.room()]
        .map(|amounts| amounts.iter().map(|(place, units)| (on_base(place), units)).collect())
}

/// Where the books keep what the base has of this.
fn on_base((_, kind): Place) -> Place {
    (Account::Base, kind)
}

impl Ground {
    /// Ground on a base with the window at `region` (voxels), bricks that are its own, and the awake bricks with the steps that each was
    /// quiet.
    pub fn on_base(
        base: Base,
        own: BTreeMap<[i32; 3], GroundBrick>,
        awake: Vec<(IVec3, u8)>,
        voxel_size_m: f32,
        region: VoxelBox,
        materials: &Materials,
        memory_limit_bytes: u64,
    ) -> Result<Self, EditError> {
        base.check(materials)?;
        if !(1e-4..=1e3).contains(&voxel_size_m) {
            let (field, value) = ("voxel_size_m", voxel_size_m);
            return Err(EditError::OutOfRange { field, value, range: "0.0001 to 1000" });
        }
        let (mut voxels, mut sides) = (Grid::new(Voxel::AIR), Vec::new());
        for (coord, brick) in &own {
            voxels.replace(IVec3::from_array(*coord), brick.voxels.clone());
            sides.push((IVec3::from_array(*coord), brick.side.clone()));
        }
        let all = Self::from_parts(voxels, sides, voxel_size_m, Some(base.bounds), []);
        all.check(materials).map_err(|error| EditError::Unsound(error.to_string()))?;
        let mut ground = Self::from_parts(Grid::new(Voxel::AIR), [], voxel_size_m, None, awake);
        ground.stand_on(base);
        ground.take_in(own, materials)?;
        ground.move_window(region, materials, memory_limit_bytes)?;
        Ok(ground)
    }

    /// Empty ground becomes ground on `base`, with an empty window.
    fn stand_on(&mut self, base: Base) {
        let nowhere = VoxelBox::new(base.bounds.min, base.bounds.min);
        let window = Window {
            base: Arc::new(base),
            laid: Grid::new(Voxel::AIR),
            sides: Arc::default(),
            shelf: Shelf::new(),
            shelved: Default::default(),
        };
        self.set_bounds(Some(nowhere));
        self.set_window(Some(Box::new(window)));
    }

    /// What the ground is where nobody has changed anything; none: nothing.
    pub fn base(&self) -> Option<&Base> {
        self.window().map(|window| &*window.base)
    }

    /// The voxels inside the walls of the scene: the bounds, wherever the window is.
    pub fn scene_bounds(&self) -> Option<VoxelBox> {
        self.window().map_or(self.bounds(), |window| Some(window.base.bounds))
    }

    /// True where brick `coord` is the ground's own: all of them where there is no base.
    pub(super) fn is_own(&self, coord: IVec3) -> bool {
        let Some(window) = self.window() else { return true };
        let (now, base) = (self.voxels().stored(coord), window.laid.stored(coord));
        let is_same = match (now, base) {
            (Some(now), Some(base)) => now.is_same(base) || now == base,
            (None, None) => true,
            (Some(one), None) | (None, Some(one)) => one.only_value() == Some(Voxel::AIR),
        };
        !is_same || self.side(coord) != window.sides.get(&coord).unwrap_or(&SideList::EMPTY)
    }

    /// The bricks in the window that are the ground's own, in order.
    fn own_bricks(&self) -> Vec<IVec3> {
        let Some(window) = self.window() else { return Vec::new() };
        let mut own: Vec<IVec3> = self.voxels().bricks_unlike(&window.laid);
        own.extend(window.sides.keys().chain(self.sides_in_order().iter().map(|(coord, _)| coord)));
        own.sort_unstable_by_key(|coord| coord.to_array());
        own.dedup();
        own.retain(|coord| self.is_own(*coord));
        own
    }

    /// The digests of all bricks that are the ground's own, by their places, wherever the window is.
    pub(crate) fn own_digests(&self) -> BTreeMap<[i32; 3], u64> {
        let Some(window) = self.window() else { return BTreeMap::new() };
        let mut digests = window.shelf.bricks().clone();
        digests.extend(self.own_bricks().into_iter().map(|coord| (coord.to_array(), self.digest_of(coord))));
        digests
    }

    fn digest_of(&self, coord: IVec3) -> u64 {
        hash_brick(&self.voxels().brick(coord), self.side(coord)).unwrap_or(0)
    }

    /// All bricks that are the ground's own, by their places, wherever the window is.
    pub fn own(&self) -> BTreeMap<[i32; 3], GroundBrick> {
        let Some(window) = self.window() else { return BTreeMap::new() };
        let shelved = window.shelf.bricks().keys().map(|coord| IVec3::from_array(*coord));
        let shelved = shelved.filter_map(|coord| Some((coord.to_array(), window.shelf.get(coord)?)));
        let here = self.own_bricks().into_iter().map(|coord| (coord.to_array(), self.brick(coord)));
        shelved.chain(here).collect()
    }

    /// Memory of what lies outside of the window, and of the base in it (bytes).
    pub fn window_bytes(&self) -> u64 {
        self.window().map_or(0, |window| window.shelf.bytes() + window.laid.brick_count() as u64 * 40)
    }

    /// Moves the window to `region` (voxels), which is widened to whole bricks and cut at the walls of the scene. Refused as a whole where
    /// that takes more memory than is allowed.
    pub(crate) fn move_window(
        &mut self,
        region: VoxelBox,
        materials: &Materials,
        limit: u64,
    ) -> Result<(), EditError> {
        let Some(window) = self.window() else { return Ok(()) };
        let whole = window.base.bounds;
        let bricks = region.intersect(&whole).to_bricks();
        let too_large = |bytes: u64| EditError::too_large(bytes, limit);
        // Told before anything is laid: a window has no more voxels than there are bytes for it.
        let least = u64::try_from(bricks.volume()).unwrap_or(u64::MAX).saturating_mul(512);
        if least > limit {
            return Err(too_large(least));
        }
        let before =
            self.bounds().map_or(VoxelBox::new(IVec3::ZERO, IVec3::ZERO), |bounds| bounds.to_bricks());
        let mut laid = Vec::new();
        let mut bytes = self.memory_bytes() as u64;
        for part in without(bricks, before) {
            let ground = window.base.lay(part, self.voxel_size_m(), materials)?;
            // What is all air is not stored.
            let of_part: Vec<_> = part
                .cells()
                .map(|coord| (coord, ground.brick(coord)))
                .filter(|(_, brick)| *brick != GroundBrick::AIR)
                .collect();
            bytes += of_part.iter().map(|(_, brick)| stored_bytes(brick)).sum::<u64>();
            if bytes > limit {
                return Err(too_large(bytes));
            }
            laid.extend(of_part);
        }
        self.leave(bricks, materials);
        self.enter(laid, bricks, materials);
        self.set_bounds(Some(VoxelBox::new(bricks.min * 8, bricks.max * 8).intersect(&whole)));
        Ok(())
    }

    /// Puts what is the ground's own outside of `bricks` on the shelf, and drops the rest there.
    fn leave(&mut self, bricks: VoxelBox, materials: &Materials) {
        let own: Vec<IVec3> =
            self.own_bricks().into_iter().filter(|coord| !bricks.contains(*coord)).collect();
        let brick = |coord: &IVec3| (*coord, self.brick(*coord), self.digest_of(*coord));
        let shelved: Vec<(IVec3, GroundBrick, u64)> = own.iter().map(brick).collect();
        let Some(mut window) = self.take_window() else { return };
        for coord in &own {
            let [units, room] = own_amounts(self, &window, *coord, materials);
            window.shelved[0].add_all(&units);
            window.shelved[1].add_all(&room);
        }
        // The walls of a scene on a base lie inside the space of the archive, and it has no limit: it cannot refuse.
        let is_shelved = window.shelf.put(shelved, materials).is_ok();
        debug_assert!(is_shelved, "the archive refused bricks within its space");
        let gone = |grid: &Grid<Voxel>| -> Vec<IVec3> {
            grid.bricks().map(|(coord, _)| coord).filter(|coord| !bricks.contains(*coord)).collect()
        };
        let (here, laid) = (gone(self.voxels()), gone(&window.laid));
        laid.into_iter().for_each(|coord| drop(window.laid.replace(coord, Brick::Uniform(Voxel::AIR))));
        Arc::make_mut(&mut window.sides).retain(|coord, _| bricks.contains(*coord));
        self.set_window(Some(window));
        here.into_iter().for_each(|coord| self.put_silently(coord, GroundBrick::AIR));
    }

    /// Takes in what was `laid`, and what lies on the shelf of `bricks`.
    fn enter(&mut self, laid: Vec<(IVec3, GroundBrick)>, bricks: VoxelBox, materials: &Materials) {
        let Some(mut window) = self.take_window() else { return };
        for (coord, brick) in laid {
            window.laid.replace(coord, brick.voxels.clone());
            if !brick.side.is_empty() {
                Arc::make_mut(&mut window.sides).insert(coord, brick.side.clone());
            }
            self.put_silently(coord, brick);
        }
        let own = window.shelf.take(bricks);
        for (coord, brick) in own {
            self.put_silently(coord, brick);
            let [units, room] = own_amounts(self, &window, coord, materials);
            window.shelved[0].subtract_all(&units);
            window.shelved[1].subtract_all(&room);
        }
        self.set_window(Some(window));
    }

    /// Takes in bricks that are the ground's own: they lie on the shelf until the window comes.
    fn take_in(
        &mut self,
        own: BTreeMap<[i32; 3], GroundBrick>,
        materials: &Materials,
    ) -> Result<(), EditError> {
        let Some(mut window) = self.take_window() else { return Ok(()) };
        let base = window.base.clone();
        let mut pages: BTreeMap<[i32; 3], Vec<(IVec3, GroundBrick)>> = BTreeMap::new();
        for (coord, brick) in own {
            let coord = IVec3::from_array(coord);
            let page: IVec3 = coord >> 3;
            pages.entry(page.to_array()).or_default().push((coord, brick));
        }
        for (page, bricks) in pages {
            let first = IVec3::from_array(page) * 8;
            let of_base = base.lay(VoxelBox::new(first, first + 8), self.voxel_size_m(), materials)?;
            let mut shelved = Vec::with_capacity(bricks.len());
            for (coord, brick) in bricks {
                let [units, room] = self::own(&brick, &of_base.brick(coord), materials);
                window.shelved[0].add_all(&units);
                window.shelved[1].add_all(&room);
                let digest = hash_brick(&brick.voxels, &brick.side).unwrap_or(0);
                shelved.push((coord, brick, digest));
            }
            window.shelf.put(shelved, materials).map_err(|_| EditError::Unbounded)?;
        }
        self.set_window(Some(window));
        Ok(())
    }

    /// What all bricks of the ground's own hold, and what the base gave for them: units and room.
    pub(super) fn count_own(&self, materials: &Materials) -> [Amounts<i128>; 2] {
        let Some(window) = self.window() else { return Default::default() };
        let mut all = window.shelved.clone();
        for coord in self.own_bricks() {
            let [units, room] = own_amounts(self, window, coord, materials);
            all[0].add_all(&units);
            all[1].add_all(&room);
        }
        all
    }

    /// What the base gave, and took back, as bricks became the ground's own and ceased to be: as transfers, and in units and room what is
    /// there more of by it than counting the changes finds.
    pub(super) fn given_by_base(
        &self,
        changes: &Changes,
        materials: &Materials,
    ) -> (Transfers, [Amounts<i64>; 2]) {
        let (mut transfers, mut more) = (Transfers::none(), <[Amounts<i64>; 2]>::default());
        let Some(window) = self.window() else { return (transfers, more) };
        for (coord, before) in changes.before() {
            let base = window.brick(*coord);
            let times = i64::from(self.is_own(*coord)) - i64::from(*before != base);
            if times == 0 {
                continue;
            }
            let mut count = Count::zero(materials);
            count.add_brick(&base.voxels, &base.side, times);
            for (place, units) in count.units().iter() {
                let (from, to) = if times > 0 { (on_base(place), place) } else { (place, on_base(place)) };
                transfers.add(Some(from), Some(to), units.abs());
            }
            let [of_base, room_of_base] = given(&base, -times, materials);
            for (sum, part) in more.iter_mut().zip([count.units(), count.room()]) {
                sum.add_all(&part);
            }
            more[0].add_all(&of_base);
            more[1].add_all(&room_of_base);
        }
        (transfers, more)
    }
}

fn own_amounts(ground: &Ground, window: &Window, coord: IVec3, materials: &Materials) -> [Amounts<i64>; 2] {
    own(&ground.brick(coord), &window.brick(coord), materials)
}

/// The parts of `all` outside of `hole`: boxes that do not overlap.
fn without(all: VoxelBox, hole: VoxelBox) -> Vec<VoxelBox> {
    let hole = all.intersect(&hole);
    if hole.is_empty() {
        return if all.is_empty() { Vec::new() } else { vec![all] };
    }
    let (mut rest, mut parts) = (all, Vec::new());
    for axis in 0..3 {
        let (mut below, mut above) = (rest, rest);
        below.max[axis] = hole.min[axis];
        above.min[axis] = hole.max[axis];
        parts.extend([below, above].into_iter().filter(|part| !part.is_empty()));
        (rest.min[axis], rest.max[axis]) = (hole.min[axis], hole.max[axis]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_a_hole_is_told_once() {
        let all = VoxelBox::new(IVec3::ZERO, IVec3::splat(6));
        for hole in [
            VoxelBox::new(IVec3::splat(2), IVec3::splat(4)),
            VoxelBox::new(IVec3::splat(-3), IVec3::new(2, 9, 1)),
            VoxelBox::new(IVec3::splat(7), IVec3::splat(9)),
            VoxelBox::new(IVec3::splat(-1), IVec3::splat(9)),
        ] {
            let parts = without(all, hole);
            for p in all.cells() {
                let found = parts.iter().filter(|part| part.contains(p)).count();
                assert_eq!(found, usize::from(!hole.contains(p)), "{p} beside {hole:?}");
            }
        }
    }
}
