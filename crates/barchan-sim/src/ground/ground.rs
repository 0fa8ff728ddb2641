//! The ground of a world: a sparse grid of [`Voxel`]s inside optional bounds.

use std::sync::Arc;

use barchan_volume::brick::{EDGE, VOXELS, brick_box};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::awake::{Awake, around};
use super::brick::{Count, GroundBrick};
use super::change_log::{ChangeLog, Since, Stamp, Touch};
use super::changes::{Changes, Journal};
use crate::in_parts::InParts;
use crate::ledger::{Amounts, Place};
use crate::material::Materials;
use crate::voxel::{SideList, Voxel};

/// Above this many changed bricks it is cheaper to wake all soil than to look at every neighbour.
const WAKE_ALL_ABOVE: usize = 4096;

/// Bricks that are worth a thread's while.
pub(super) const BRICKS_AT_ONCE: usize = 16;

/// Bricks that a thread counts at once: each part has books of its own.
const BRICKS_COUNTED_AT_ONCE: usize = 64;

/// What takes memory beside the table of bricks.
#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    /// Bricks whose voxels are not all equal.
    dense_bricks: usize,
    /// Of all lists beside bricks (bytes).
    side_bytes: usize,
}

impl Stored {
    fn of(voxels: &Grid<Voxel>, sides: &FxHashMap<IVec3, SideList>) -> Self {
        let dense_bricks = voxels.bricks().map(|(_, brick)| dense(brick)).sum();
        Self { dense_bricks, side_bytes: sides.values().map(SideList::memory_bytes).sum() }
    }
}

/// One for a brick whose voxels are stored one by one.
fn dense(brick: &Brick<Voxel>) -> usize {
    usize::from(brick.uniform().is_none())
}

/// Rock, soil and water, voxel by voxel. All writing goes through this type, which notes what was there before: nothing
/// changes without the books, the sleepers and the surface knowing.
#[derive(Clone, Debug)]
pub struct Ground {
    voxels: Grid<Voxel>,
    /// The lists beside those few bricks that have one.
    sides: Arc<FxHashMap<IVec3, SideList>>,
    voxel_size_m: f32,
    bounds: Option<VoxelBox>,
    /// The room that all of it takes, by account and kind (see [`VoidRatio::room_of`](crate::units::VoidRatio::room_of)); none where
    /// nobody has asked since it was made.
    room: Amounts<i128>,
    /// The lowest brick (z) of all that hold anything; nobody asks where there are walls.
    lowest_brick: Option<i32>,
    stored: Stored,
    awake: Awake,
    journal: Journal,
    log: ChangeLog,
}

impl Ground {
    /// Empty ground with voxels of edge `voxel_size_m` (m); outside `bounds`, if any, is wall.
    pub fn new(voxel_size_m: f32, bounds: Option<VoxelBox>) -> Self {
        Self::from_parts(Grid::new(Voxel::AIR), [], voxel_size_m, bounds, [])
    }

    /// Ground put together from stored parts: voxels, the lists beside some bricks, and the awake bricks with the steps that each
    /// was quiet; these are taken as they are.
    pub fn from_parts(
        voxels: Grid<Voxel>,
        sides: impl IntoIterator<Item = (IVec3, SideList)>,
        voxel_size_m: f32,
        bounds: Option<VoxelBox>,
        awake: impl IntoIterator<Item = (IVec3, u8)>,
    ) -> Self {
        let sides = sides.into_iter().filter(|(_, side)| !side.is_empty()).collect();
        let lowest_brick = if bounds.is_none() { voxels.lowest_brick() } else { None };
        let stored = Stored::of(&voxels, &sides);
        Self {
            voxels,
            sides: Arc::new(sides),
            voxel_size_m,
            bounds,
            room: Amounts::default(),
            lowest_brick,
            stored,
            awake: Awake::from_entries(awake),
            journal: Journal::default(),
            log: ChangeLog::default(),
        }
    }

    /// Edge of a voxel (m).
    pub fn voxel_size_m(&self) -> f32 {
        self.voxel_size_m
    }

    /// The voxels inside the walls, if there are walls.
    pub fn bounds(&self) -> Option<VoxelBox> {
        self.bounds
    }

    /// True when `p` lies in the wall.
    pub fn is_wall(&self, p: IVec3) -> bool {
        self.bounds.is_some_and(|bounds| !bounds.contains(p))
    }

    /// The lowest voxel that anything falls to: the floor, or without walls the lower end of all that was there when the books
    /// were closed last, for nothing may fall for ever.
    pub fn floor_z(&self) -> i32 {
        self.bounds.map_or(self.lowest_brick.unwrap_or(0) * EDGE, |walls| walls.min.z)
    }

    /// The part of `region` inside the walls.
    pub fn clip(&self, region: VoxelBox) -> VoxelBox {
        self.bounds.map_or(region, |bounds| bounds.intersect(&region))
    }

    /// All voxels, to read.
    pub fn voxels(&self) -> &Grid<Voxel> {
        &self.voxels
    }

    /// Voxel `p`.
    pub fn get(&self, p: IVec3) -> Voxel {
        self.voxels.get(p)
    }

    /// The list beside brick `coord`.
    pub fn side(&self, coord: IVec3) -> &SideList {
        const NONE: &SideList = &SideList::EMPTY;
        if self.sides.is_empty() { NONE } else { self.sides.get(&coord).unwrap_or(NONE) }
    }

    /// The lists beside bricks that have one, in the order of x, y, z.
    pub fn sides_in_order(&self) -> Vec<(IVec3, &SideList)> {
        let mut sides: Vec<_> = self.sides.iter().map(|(coord, side)| (*coord, side)).collect();
        sides.sort_unstable_by_key(|(coord, _)| coord.to_array());
        sides
    }

    /// Brick `coord` with its list.
    pub fn brick(&self, coord: IVec3) -> GroundBrick {
        GroundBrick { voxels: self.voxels.brick(coord), side: self.side(coord).clone() }
    }

    /// Heap memory of all voxels and lists (bytes), but for the rims of the table that finds them. Kept up to date, not counted.
    pub fn memory_bytes(&self) -> usize {
        let of_bricks = self.voxels.brick_count() * size_of::<(i32, Brick<Voxel>)>();
        let of_voxels = self.stored.dense_bricks * size_of::<[Voxel; VOXELS]>();
        of_bricks + of_voxels + self.stored.side_bytes + self.sides.len() * size_of::<(IVec3, SideList)>()
    }

    /// Which bricks are awake.
    pub fn awake(&self) -> &Awake {
        &self.awake
    }

    /// Ground of other voxels and lists, of which the same can be said: walls, what is awake, the room that they take.
    pub(crate) fn with_voxels(
        &self,
        voxels: Grid<Voxel>,
        sides: impl IntoIterator<Item = (IVec3, SideList)>,
    ) -> Self {
        Self {
            room: self.room.clone(),
            lowest_brick: self.lowest_brick,
            awake: self.awake.clone(),
            ..Self::from_parts(voxels, sides, self.voxel_size_m, self.bounds, [])
        }
    }

    /// Puts a whole brick in place, which differs by what `touch` says.
    pub(crate) fn replace_brick(&mut self, coord: IVec3, brick: GroundBrick, touch: Touch) {
        self.stored.dense_bricks += dense(&brick.voxels);
        self.stored.side_bytes += brick.side.memory_bytes();
        let voxels = self.voxels.replace(coord, brick.voxels);
        let had_side = !self.side(coord).is_empty();
        let side = if had_side || !brick.side.is_empty() {
            let sides = Arc::make_mut(&mut self.sides);
            let before = sides.remove(&coord).unwrap_or_default();
            if !brick.side.is_empty() {
                sides.insert(coord, brick.side);
            }
            before
        } else {
            SideList::EMPTY
        };
        self.stored.dense_bricks -= dense(&voxels);
        self.stored.side_bytes -= side.memory_bytes();
        self.journal.note(coord, GroundBrick { voxels, side });
        self.log.note(coord, touch);
    }

    /// The bricks that changed since `stamp`.
    pub(crate) fn changes_since(&self, stamp: Stamp) -> Since<'_> {
        self.log.since(stamp)
    }

    /// From which on [`Ground::changes_since`] tells what changes from now on.
    pub(crate) fn stamp(&self) -> Stamp {
        self.log.now()
    }

    /// Ends an edit or a step: gives back what changed since the last time, and by how much (units), and wakes it and its
    /// neighbours.
    pub(crate) fn close_changes(&mut self, materials: &Materials) -> (Changes, Amounts<i64>) {
        let changes = Changes::of(self.journal.drain(), self);
        if changes.is_empty() {
            // A world at rest need not call for threads.
            return (changes, Amounts::default());
        }
        self.fold_even(&changes);
        let floor_moved = self.update_lowest(&changes);
        let Self { voxels, sides, awake, .. } = self;
        let wake = || match floor_moved || changes.len() > WAKE_ALL_ABOVE {
            true => wake_all(voxels, awake),
            false => {
                wake_with_neighbours(changes.bricks().map(|coord| coord.to_array()).collect(), voxels, awake)
            }
        };
        let ((), (units, room)) = rayon::join(wake, || count_change(&changes, voxels, sides, materials));
        self.room.add_all(&room);
        (changes, units)
    }

    /// Stores bricks as a single voxel where all of theirs have become equal.
    fn fold_even(&mut self, changes: &Changes) {
        let even = |(coord, _): &(IVec3, GroundBrick)| {
            let value = self.voxels.stored(*coord)?.only_value()?;
            self.side(*coord).is_empty().then_some((*coord, value))
        };
        let even: Vec<(IVec3, Voxel)> =
            changes.before().par_iter().in_parts_of(BRICKS_AT_ONCE).filter_map(even).collect();
        for (coord, voxel) in even {
            let before = self.voxels.replace(coord, Brick::Uniform(voxel));
            self.stored.dense_bricks -= dense(&before);
        }
    }

    /// Follows the lowest brick; true when there are no walls and it is another, so that other soil has lost its hold.
    fn update_lowest(&mut self, changes: &Changes) -> bool {
        let is_above = |z| self.lowest_brick.is_some_and(|lowest| z > lowest);
        if self.bounds.is_some() || changes.bricks().map(|coord| coord.z).min().is_none_or(is_above) {
            return false;
        }
        let before = std::mem::replace(&mut self.lowest_brick, self.voxels.lowest_brick());
        before != self.lowest_brick
    }

    /// Puts back everything that changed since the last [`Ground::close_changes`].
    pub(crate) fn undo_open_changes(&mut self) {
        for (coord, before) in self.journal.drain() {
            self.replace_brick(coord, before, Touch::All);
        }
        self.journal.drain();
    }

    /// Lets the awake bricks grow quiet by one step. Comes before [`Ground::close_changes`] in a step.
    pub(crate) fn pass_step(&mut self) {
        self.awake.pass_step();
    }

    /// Wakes these bricks and their 26 neighbours, as far as they hold soil.
    pub(crate) fn wake_around(&mut self, bricks: impl IntoIterator<Item = IVec3>) {
        let mut bricks: Vec<[i32; 3]> = bricks.into_iter().map(|coord| coord.to_array()).collect();
        bricks.sort_unstable();
        bricks.dedup();
        wake_with_neighbours(bricks, &self.voxels, &mut self.awake);
    }

    /// Wakes all bricks that hold soil.
    pub fn wake_all(&mut self) {
        wake_all(&self.voxels, &mut self.awake);
    }

    /// Counts every unit in the ground, brick by brick: the slow truth that the ledger is audited against.
    pub fn count(&self) -> Amounts<i128> {
        // Nobody asks for the room that it takes.
        let no_materials = Materials::none();
        let mut counted = Amounts::default();
        counted.add_all(&self.count_all(&no_materials).units());
        counted
    }

    /// Finds the room that all of it takes: from then on it is kept up to date.
    pub(crate) fn measure_room(&mut self, materials: &Materials) {
        let room = self.count_all(materials).room();
        self.room = Amounts::default();
        self.room.add_all(&room);
    }

    /// The room that all of one kind on one account takes (see [`VoidRatio::room_of`](crate::units::VoidRatio::room_of)).
    pub(crate) fn room_taken(&self, place: Place) -> i128 {
        self.room.get(place)
    }

    fn count_all<'m>(&self, materials: &'m Materials) -> Count<'m> {
        let bricks: Vec<_> = self.voxels.bricks().collect();
        let of_part = |bricks: &[(IVec3, &Brick<Voxel>)]| {
            let mut count = Count::zero(materials);
            bricks.iter().for_each(|(coord, voxels)| count.add_brick(voxels, self.side(*coord), 1));
            count
        };
        let parts = bricks.par_chunks(BRICKS_COUNTED_AT_ONCE * 16).map(of_part);
        parts.reduce(|| Count::zero(materials), Count::plus)
    }

    /// True when all of brick `coord` lies inside the walls.
    pub(super) fn is_inside(&self, coord: IVec3) -> bool {
        self.bounds.is_none_or(|bounds| bounds.contains_box(&brick_box(coord)))
    }
}

/// How much more there is now than before these changes: units, and the room that they take.
fn count_change(
    changes: &Changes,
    voxels: &Grid<Voxel>,
    sides: &FxHashMap<IVec3, SideList>,
    materials: &Materials,
) -> (Amounts<i64>, Amounts<i64>) {
    let of_part = |part: &[(IVec3, GroundBrick)]| {
        let mut count = Count::zero(materials);
        for (coord, before) in part {
            let side = if sides.is_empty() { None } else { sides.get(coord) };
            let now = GroundBrick { voxels: voxels.brick(*coord), side: side.cloned().unwrap_or_default() };
            count.add_change(&now, before);
        }
        count
    };
    let parts = changes.before().par_chunks(BRICKS_COUNTED_AT_ONCE).map(of_part);
    let count = parts.reduce(|| Count::zero(materials), Count::plus);
    (count.units(), count.room())
}

/// Wakes these bricks, which come in the order of x, y, z, and their 26 neighbours, as far as they hold soil.
fn wake_with_neighbours(bricks: Vec<[i32; 3]>, voxels: &Grid<Voxel>, awake: &mut Awake) {
    if bricks.is_empty() {
        return;
    }
    let holds_soil = |coord: &[i32; 3]| voxels.stored(IVec3::from_array(*coord)).is_some_and(holds_soil);
    awake.wake(around(bricks).into_iter().filter(holds_soil));
}

/// Wakes all bricks that hold soil.
fn wake_all(voxels: &Grid<Voxel>, awake: &mut Awake) {
    let with_soil = voxels.bricks().filter(|(_, brick)| holds_soil(brick));
    let mut bricks: Vec<[i32; 3]> = with_soil.map(|(coord, _)| coord.to_array()).collect();
    bricks.sort_unstable();
    awake.wake(bricks);
}

fn holds_soil(brick: &Brick<Voxel>) -> bool {
    match brick {
        Brick::Uniform(voxel) => voxel.has_soil(),
        Brick::Dense(values) => values.iter().any(Voxel::has_soil),
    }
}

#[cfg(test)]
impl Ground {
    /// Makes one voxel hold exactly `voxel`.
    pub(crate) fn set_voxel(&mut self, p: IVec3, voxel: Voxel) {
        use barchan_volume::brick::{brick_of, voxel_index};
        let mut brick = self.brick(brick_of(p));
        let voxels = brick.voxels.make_mut();
        crate::voxel::VoxelMut::new(&mut voxels[voxel_index(p)], &mut brick.side, voxel_index(p)).set(voxel);
        self.replace_brick(brick_of(p), brick, Touch::All);
    }
}
