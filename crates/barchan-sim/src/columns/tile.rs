//! The piles of 8x8 columns, found by a walk up each of them.
//!
//! Ground mostly changes near the surface. A tile remembers where its walks stood in a brick just below the last change,
//! and the next scan goes on from there instead of from the bottom.

use std::ops::Range;

use barchan_volume::Brick;
use barchan_volume::brick::EDGE;
use glam::IVec2;

use super::pile::{Pile, height_of};
use super::scan::{Paused, Walk};
use super::space::{FULL_SLACK, Space};
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// Columns of a tile.
const COLUMNS: usize = 64;

/// How many bricks below a change a pause may lie to be kept: the next change may lie a little lower, too.
const PAUSE_KEPT: i32 = 1;

/// The piles of 8x8 columns.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Which column of bricks.
    pub coord: IVec2,
    piles: Vec<Pile>,
    /// Where the piles of each column begin, x slowest.
    first: [u32; COLUMNS + 1],
    /// The lowest brick (z) that has changed since the last scan, if any has.
    changed_from: Option<i32>,
    pause: Option<Box<Pause>>,
    /// Memory for the piles of the next scan.
    spare: Vec<Pile>,
}

/// Lower than all ground (1/32,768 voxel).
pub(crate) const FAR_DOWN: i64 = i64::MIN / 2;

/// The walks of all columns of a tile as they stood before they entered a brick.
#[derive(Clone, Debug)]
struct Pause {
    /// Which brick (z).
    brick_z: i32,
    columns: [Paused; COLUMNS],
}

impl Tile {
    /// The tile of a column of bricks of which nothing is known yet.
    pub(super) fn unknown(coord: IVec2) -> Self {
        let changed_from = Some(i32::MIN);
        let (piles, spare) = (Vec::new(), Vec::new());
        Self { coord, piles, first: [0; COLUMNS + 1], changed_from, pause: None, spare }
    }

    /// The piles of the columns of bricks at `coord`.
    pub fn scan(coord: IVec2, space: &Space<'_>) -> Self {
        let mut tile = Self::unknown(coord);
        tile.renew(space);
        tile
    }

    /// All piles, column by column, upwards in each.
    pub fn piles(&self) -> &[Pile] {
        &self.piles
    }

    /// Places of the piles of one column (x * 8 + y).
    #[inline]
    pub fn places(&self, column: usize) -> Range<usize> {
        self.first[column] as usize..self.first[column + 1] as usize
    }

    /// The piles of the column of voxels `xy`, which lies in this tile, upwards.
    pub fn column(&self, xy: [i32; 2]) -> &[Pile] {
        &self.piles[self.places((((xy[0] & 7) << 3) | (xy[1] & 7)) as usize)]
    }

    /// Notes that ground or bodies in the brick at `brick_z` have changed.
    pub(crate) fn note_change(&mut self, brick_z: i32) {
        self.changed_from = Some(self.changed_from.map_or(brick_z, |lowest| lowest.min(brick_z)));
    }

    /// True when something in it has changed since it was scanned.
    pub(super) fn is_stale(&self) -> bool {
        self.changed_from.is_some()
    }

    /// Scans the tile from the lowest change up.
    pub(super) fn renew(&mut self, space: &Space<'_>) {
        let Some(changed) = self.changed_from.take() else { return };
        let from = self.pause.take().filter(|pause| pause.brick_z <= changed);
        let is_near = |pause: &Pause| pause.brick_z >= changed.saturating_sub(PAUSE_KEPT);
        let pause_z = if from.as_deref().is_some_and(is_near) { None } else { Some(changed) };
        let mut pause = None;
        let bottom = space.lowest >> 3;
        let stack = Stack::of(self.coord, from.as_ref().map_or(bottom, |pause| pause.brick_z), space);
        let mut piles = std::mem::take(&mut self.spare);
        piles.clear();
        piles.reserve(self.piles.len().max(COLUMNS));
        let mut first = [0; COLUMNS + 1];
        let mut walk = Walk::new(space.materials, &mut piles);
        for column in 0..COLUMNS {
            let xy = self.coord * EDGE + IVec2::new(column as i32 / EDGE, column as i32 % EDGE);
            if !space.is_outside(xy.extend(space.lowest)) {
                match &from {
                    Some(pause) => {
                        walk.go_on(column, &pause.columns[column], &self.piles[self.places(column)]);
                    }
                    None => walk.go_to(column),
                }
                let paused = stack.scan_column(column, pause_z, &mut walk);
                if let (Some(brick_z), Some(paused)) = (pause_z, paused) {
                    let new = || Box::new(Pause { brick_z, columns: [Paused::default(); COLUMNS] });
                    pause.get_or_insert_with(new).columns[column] = paused;
                }
            }
            first[column + 1] = walk.count() as u32;
        }
        self.spare = std::mem::replace(&mut self.piles, piles);
        self.first = first;
        self.pause = if pause_z.is_none() { from } else { pause };
    }
}

/// The bricks of a tile from one of them up.
struct Stack<'a> {
    bricks: Vec<Storey<'a>>,
    /// The lowest layer of the lowest brick that anything falls to.
    bottom_z: i32,
    /// The first layer above all others.
    top_z: i32,
    ceiling: i64,
}

/// One brick of a stack.
struct Storey<'a> {
    brick_z: i32,
    ground: Option<&'a Brick<Voxel>>,
    bodies: Option<&'a Brick<u16>>,
}

impl Storey<'_> {
    /// Walks up some layers of one column.
    fn scan_column(&self, column: usize, layers: Range<i32>, walk: &mut Walk<'_>) {
        let &Self { brick_z, bodies, .. } = self;
        let first = column * EDGE as usize;
        let at = |z: i32| first + (z - brick_z * EDGE) as usize;
        let shares = match bodies {
            None => return self.scan_run(&layers, 0, at, walk),
            Some(Brick::Uniform(share)) => return self.scan_run(&layers, *share, at, walk),
            Some(Brick::Dense(shares)) => shares,
        };
        let mut z = layers.start;
        while z < layers.end {
            let share = shares[at(z)];
            let differs = |z: &i32| shares[at(*z)] != share;
            let end = (z + 1..layers.end).find(differs).unwrap_or(layers.end);
            self.scan_run(&(z..end), share, at, walk);
            z = end;
        }
    }

    /// Walks up some layers, of all of which bodies take this `share`. Most columns of a brick that a body reaches into are
    /// clear of it or filled by it, and need not be looked at voxel by voxel.
    #[inline]
    fn scan_run(&self, layers: &Range<i32>, share: u16, at: impl Fn(i32) -> usize, walk: &mut Walk<'_>) {
        let (start, count) = (layers.start, layers.end - layers.start);
        match self.ground {
            None => walk.layers(start, count, Voxel::AIR, share),
            Some(Brick::Uniform(voxel)) => walk.layers(start, count, *voxel, share),
            Some(Brick::Dense(voxels)) if share == 0 => {
                walk.voxels(start, &voxels[at(start)..at(start) + count as usize])
            }
            // Nothing fits in beside the body, whatever there is.
            Some(Brick::Dense(voxels)) if u32::from(share) + FULL_SLACK > LOOSE_FULL => {
                walk.layers(start, count, voxels[at(start)], share);
            }
            Some(Brick::Dense(voxels)) => {
                layers.clone().for_each(|z| walk.layers(z, 1, voxels[at(z)], share));
            }
        }
    }
}

impl<'a> Stack<'a> {
    /// The bricks at `coord` from `lowest` (z) up.
    fn of(coord: IVec2, lowest: i32, space: &Space<'a>) -> Self {
        let (ground, bodies) = (space.ground.voxels(), space.body_shares);
        let walls = space.ground.bounds();
        let tops = [ground.column_extent(coord), bodies.column_extent(coord)];
        let top = tops.into_iter().flatten().map(|(_, top)| top).max().unwrap_or(i32::MIN);
        let top = walls.map_or(top, |walls| top.min((walls.max.z - 1) >> 3));
        let bricks = (lowest..=top).map(|z| {
            let at = coord.extend(z);
            Storey { brick_z: z, ground: ground.stored(at), bodies: bodies.stored(at) }
        });
        let mut bricks: Vec<Storey<'_>> = bricks.collect();
        let is_air = |storey: &Storey<'_>| {
            storey.ground.is_none_or(|brick| brick.uniform() == Some(Voxel::AIR)) && storey.bodies.is_none()
        };
        while bricks.last().is_some_and(is_air) {
            bricks.pop();
        }
        let ceiling = walls.map_or(Pile::SKY, |walls| height_of(walls.max.z));
        let top_z = (ceiling.min(height_of(i32::MAX)) >> 15) as i32;
        Self { bricks, bottom_z: space.lowest.max(lowest * EDGE), top_z, ceiling }
    }

    /// Walks up one column; says where the walk stood before it entered the brick at `pause_z`.
    fn scan_column(&self, column: usize, pause_z: Option<i32>, walk: &mut Walk<'_>) -> Option<Paused> {
        let mut paused = None;
        let mut end = self.bottom_z;
        for storey in &self.bricks {
            if pause_z == Some(storey.brick_z) {
                paused = Some(walk.pause());
            }
            let base = storey.brick_z * EDGE;
            let layers = base.max(self.bottom_z)..(base + EDGE).min(self.top_z);
            end = layers.end;
            storey.scan_column(column, layers, walk);
        }
        if end < self.top_z {
            walk.layers(end, 1, Voxel::AIR, 0);
        }
        walk.finish(self.ceiling);
        paused
    }
}

#[cfg(test)]
mod tests {
    use barchan_volume::brick::brick_of;
    use barchan_volume::{Grid, VoxelBox};
    use glam::IVec3;
    use proptest::prelude::*;

    use super::*;
    use crate::ground::Ground;
    use crate::material::{MaterialId, Materials};
    use crate::units::VoidRatio;

    const HEIGHT: i32 = 48;

    /// Column, lowest layer and height of what is filled, with what (soil, rock and body by their share of a voxel, 1/8), and
    /// whether the soil is loose.
    type Fill = ((i32, i32, i32, i32), [u32; 3], bool);

    fn fills() -> impl Strategy<Value = Vec<Fill>> {
        let place = (0..8, 0..8, 0..HEIGHT, 1..HEIGHT / 2);
        let shares = prop::array::uniform3(prop_oneof![Just(0), Just(0), 1..8_u32, Just(8)]);
        prop::collection::vec((place, shares, any::<bool>()), 1..6)
    }

    fn fill(
        fill: &Fill,
        ground: &mut Ground,
        bodies: &mut Grid<u16>,
        materials: &Materials,
        tile: &mut Tile,
    ) {
        let &((x, y, z, height), [soil, rock, body], loose) = fill;
        let granite = materials.find("granite").expect("built in");
        for p in (z..(z + height).min(HEIGHT)).flat_map(|z| [IVec3::new(x, y, z), IVec3::new(y, x, z)]) {
            let body = body.min(8 - rock);
            let void_ratio = VoidRatio::from_f32(if loose { 0.8 } else { 0.65 });
            let units = |of: VoidRatio, share: u32| of.units_in(LOOSE_FULL * share / 8) as u16;
            let soil = units(void_ratio, soil.min(8 - rock - body));
            let mut voxel = Voxel::of_soil(soil, MaterialId(u8::from(x == y)), void_ratio);
            if rock > 0 {
                (voxel.rock, voxel.rock_kind) = (units(materials.rock_void_ratio(granite), rock), granite);
            }
            ground.set_voxel(p, voxel);
            bodies.set(p, (LOOSE_FULL * body / 8) as u16);
            tile.note_change(brick_of(p).z);
        }
    }

    proptest! {
        #[test]
        fn a_renewed_tile_is_as_if_scanned_anew(rounds in prop::collection::vec(fills(), 1..8)) {
            let materials = Materials::builtin();
            let bounds = VoxelBox::new(IVec3::ZERO, IVec3::new(8, 8, HEIGHT));
            let (mut ground, mut bodies) = (Ground::new(0.1, Some(bounds)), Grid::new(0));
            let mut tile = Tile::unknown(IVec2::ZERO);
            for round in &rounds {
                for of_round in round {
                    fill(of_round, &mut ground, &mut bodies, &materials, &mut tile);
                }
                let space = Space::new(&ground, &bodies, &materials);
                tile.renew(&space);
                let anew = Tile::scan(IVec2::ZERO, &space);
                prop_assert_eq!(&tile.piles, &anew.piles);
                prop_assert_eq!(tile.first, anew.first);
            }
        }
    }
}
