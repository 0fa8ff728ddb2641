//! The ground of a world: a sparse grid of [`Voxel`]s inside optional bounds.

use barchan_volume::brick::{EDGE, VOXELS, brick_box, brick_of, voxel_index};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;
use rayon::prelude::*;

use super::awake::{Awake, around};
use super::changes::{Changes, Journal, amounts};
use crate::in_parts::InParts;
use crate::ledger::Amounts;
use crate::voxel::Voxel;

/// Above this many changed bricks it is cheaper to wake all soil than to look at every neighbour.
const WAKE_ALL_ABOVE: usize = 4096;

/// Bricks that are worth a thread's while.
pub(super) const BRICKS_AT_ONCE: usize = 16;

/// Rock and soil, voxel by voxel. All writing goes through this type, which notes what was there before: nothing
/// changes without the books, the sleepers and the surface knowing.
#[derive(Clone, Debug)]
pub struct Ground {
    voxels: Grid<Voxel>,
    voxel_size_m: f32,
    bounds: Option<VoxelBox>,
    awake: Awake,
    journal: Journal,
}

impl Ground {
    /// Empty ground with voxels of edge `voxel_size_m` (m); outside `bounds`, if any, is wall.
    pub fn new(voxel_size_m: f32, bounds: Option<VoxelBox>) -> Self {
        Self {
            voxels: Grid::new(Voxel::AIR),
            voxel_size_m,
            bounds,
            awake: Awake::default(),
            journal: Journal::default(),
        }
    }

    /// Ground put together from stored parts; `awake` bricks are taken as they are.
    pub fn from_parts(
        voxels: Grid<Voxel>,
        voxel_size_m: f32,
        bounds: Option<VoxelBox>,
        awake: impl IntoIterator<Item = (IVec3, u8)>,
    ) -> Self {
        let awake = Awake::from_entries(awake);
        Self { voxels, voxel_size_m, bounds, awake, journal: Journal::default() }
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

    /// The lowest voxel that anything falls to: the floor, or without walls the lower end of all that is stored, for
    /// nothing may fall for ever.
    pub fn floor_z(&self) -> i32 {
        self.bounds.map_or_else(|| self.voxels.brick_bounds().min.z * EDGE, |walls| walls.min.z)
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

    /// Which bricks are awake.
    pub fn awake(&self) -> &Awake {
        &self.awake
    }

    /// The 512 voxels of brick `coord`, to change in place.
    pub fn brick_mut(&mut self, coord: IVec3) -> &mut [Voxel; VOXELS] {
        let voxels = &self.voxels;
        self.journal.note(coord, || voxels.brick(coord));
        self.voxels.brick_mut(coord).make_mut()
    }

    /// Voxel `p`, to change in place.
    pub fn voxel_mut(&mut self, p: IVec3) -> &mut Voxel {
        &mut self.brick_mut(brick_of(p))[voxel_index(p)]
    }

    /// Puts a whole brick in place.
    pub fn replace_brick(&mut self, coord: IVec3, brick: Brick<Voxel>) {
        let before = self.voxels.replace(coord, brick);
        self.journal.note(coord, || before);
    }

    /// The bricks that were touched since the last [`Ground::close_changes`], in no order.
    pub(crate) fn touched(&self) -> impl Iterator<Item = IVec3> + '_ {
        self.journal.touched()
    }

    /// Ends an edit or a step: gives back what changed since the last time, and by how much (units), and wakes it and its
    /// neighbours.
    pub(crate) fn close_changes(&mut self) -> (Changes, Amounts) {
        let changes = self.journal.take(&self.voxels);
        if changes.is_empty() {
            // A world at rest need not call for threads.
            return (changes, Amounts::default());
        }
        let even = |(coord, _): &(IVec3, _)| Some((*coord, self.voxels.stored(*coord)?.only_value()?));
        let even: Vec<(IVec3, Voxel)> =
            changes.before().par_iter().in_parts_of(BRICKS_AT_ONCE).filter_map(even).collect();
        for (coord, voxel) in even {
            self.voxels.replace(coord, Brick::Uniform(voxel));
        }
        let Self { voxels, awake, .. } = self;
        let wake = || match changes.len() > WAKE_ALL_ABOVE {
            true => wake_all(voxels, awake),
            false => {
                wake_with_neighbours(changes.bricks().map(|coord| coord.to_array()).collect(), voxels, awake)
            }
        };
        let ((), change) = rayon::join(wake, || count_change(&changes, voxels));
        (changes, change)
    }

    /// Puts back everything that changed since the last [`Ground::close_changes`].
    pub(super) fn undo_open_changes(&mut self) {
        let changes = self.journal.take(&self.voxels);
        for (coord, before) in changes.before() {
            self.voxels.replace(*coord, before.clone());
        }
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
    pub fn count(&self) -> Amounts {
        let bricks: Vec<_> = self.voxels.bricks().map(|(_, brick)| brick).collect();
        bricks.par_iter().map(|brick| amounts(brick)).sum()
    }

    /// True when all of brick `coord` lies inside the walls.
    pub(super) fn is_inside(&self, coord: IVec3) -> bool {
        self.bounds.is_none_or(|bounds| bounds.contains_box(&brick_box(coord)))
    }
}

/// How much more there is in `voxels` than before these changes (units).
fn count_change(changes: &Changes, voxels: &Grid<Voxel>) -> Amounts {
    let of = |(coord, before): &(IVec3, Brick<Voxel>)| amounts(&voxels.brick(*coord)) - amounts(before);
    changes.before().par_iter().in_parts_of(BRICKS_AT_ONCE).map(of).sum()
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
        Brick::Uniform(voxel) => voxel.soil > 0,
        Brick::Dense(values) => values.iter().any(|voxel| voxel.soil > 0),
    }
}
