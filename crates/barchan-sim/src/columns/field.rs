//! The piles of many columns: tiles of 8x8 columns, one for each column of bricks that is looked at.

use barchan_volume::Brick;
use barchan_volume::brick::EDGE;
use glam::IVec2;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::pile::{Pile, height_of};
use super::scan::Walk;
use super::space::Space;
use crate::voxel::Voxel;

/// Columns of a tile.
const COLUMNS: usize = 64;

/// Which pile: tile and place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PileRef {
    /// Place of the tile in its [`Field`].
    pub tile: u32,
    /// Place of the pile in its [`Tile`].
    pub pile: u32,
}

/// The piles of 8x8 columns.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Which column of bricks.
    pub coord: IVec2,
    piles: Vec<Pile>,
    /// Where the piles of each column begin, x slowest.
    first: [u32; COLUMNS + 1],
}

impl Tile {
    /// The piles of the columns of bricks at `coord`.
    pub fn scan(coord: IVec2, space: &Space<'_>) -> Self {
        let stack = Stack::of(coord, space);
        let (mut piles, mut first) = (Vec::with_capacity(COLUMNS), [0; COLUMNS + 1]);
        let mut walk = Walk::new(space.materials, &mut piles);
        for column in 0..COLUMNS {
            let xy = coord * EDGE + IVec2::new(column as i32 / EDGE, column as i32 % EDGE);
            if !space.is_outside(xy.extend(stack.bottom_z)) {
                stack.scan_column(column, &mut walk);
            }
            first[column + 1] = walk.count() as u32;
        }
        Self { coord, piles, first }
    }

    /// All piles, column by column, upwards in each.
    pub fn piles(&self) -> &[Pile] {
        &self.piles
    }

    /// Places of the piles of one column (x * 8 + y).
    #[inline]
    pub fn places(&self, column: usize) -> std::ops::Range<usize> {
        self.first[column] as usize..self.first[column + 1] as usize
    }
}

/// The bricks of a tile from the lowest voxel up.
struct Stack<'a> {
    bottom_z: i32,
    bricks: Vec<Storey<'a>>,
    ceiling: i64,
}

/// One brick of a stack.
struct Storey<'a> {
    /// Its lowest layer.
    base: i32,
    ground: Option<&'a Brick<Voxel>>,
    bodies: Option<&'a Brick<u16>>,
}

impl<'a> Stack<'a> {
    fn of(coord: IVec2, space: &Space<'a>) -> Self {
        let (ground, bodies) = (space.ground.voxels(), space.body_shares);
        let bottom_z = space.lowest;
        let walls = space.ground.bounds();
        let tops = [ground.column_extent(coord), bodies.column_extent(coord)];
        let top = tops.into_iter().flatten().map(|(_, top)| top).max().unwrap_or(i32::MIN);
        let top = walls.map_or(top, |walls| top.min((walls.max.z - 1) >> 3));
        let bricks = ((bottom_z >> 3)..=top).map(|z| {
            let at = coord.extend(z);
            Storey { base: z * EDGE, ground: ground.stored(at), bodies: bodies.stored(at) }
        });
        let ceiling = walls.map_or(Pile::SKY, |walls| height_of(walls.max.z));
        Self { bottom_z, bricks: bricks.collect(), ceiling }
    }

    fn scan_column(&self, column: usize, walk: &mut Walk<'_>) {
        walk.go_to(column);
        let top_z = (self.ceiling.min(height_of(i32::MAX)) >> 15) as i32;
        let mut end = self.bottom_z;
        for &Storey { base, ground, bodies } in &self.bricks {
            let layers = base.max(self.bottom_z)..(base + EDGE).min(top_z);
            end = layers.end;
            let uniform = match (ground, bodies) {
                (None, None) => Some(Voxel::AIR),
                (Some(Brick::Uniform(voxel)), None) => Some(*voxel),
                _ => None,
            };
            if let Some(voxel) = uniform {
                walk.layers(layers.start, layers.end - layers.start, voxel, 0);
                continue;
            }
            for z in layers {
                let at = column * EDGE as usize + (z & 7) as usize;
                let voxel = ground.map_or(Voxel::AIR, |brick| brick.get(at));
                walk.layers(z, 1, voxel, bodies.map_or(0, |shares| shares.get(at)));
            }
        }
        if end < top_z {
            walk.layers(end, 1, Voxel::AIR, 0);
        }
        walk.finish(self.ceiling);
    }
}

/// Tiles that are looked at together.
#[derive(Clone, Debug, Default)]
pub struct Field {
    tiles: Vec<Tile>,
    places: FxHashMap<IVec2, u32>,
}

impl Field {
    /// The tiles at `coords`, which are all different; those that are in `known` are taken from there.
    pub fn scan(coords: &[IVec2], known: &mut FxHashMap<IVec2, Tile>, space: &Space<'_>) -> Self {
        let known: Vec<Option<Tile>> = coords.iter().map(|coord| known.remove(coord)).collect();
        let tiles = coords
            .par_iter()
            .zip(known)
            .with_min_len(4)
            .map(|(coord, tile)| tile.unwrap_or_else(|| Tile::scan(*coord, space)))
            .collect();
        let places = coords.iter().enumerate().map(|(place, coord)| (*coord, place as u32)).collect();
        Self { tiles, places }
    }

    /// All tiles by where they are.
    pub fn into_tiles(self) -> FxHashMap<IVec2, Tile> {
        self.tiles.into_iter().map(|tile| (tile.coord, tile)).collect()
    }

    /// Scans these tiles anew.
    pub fn refresh(&mut self, places: &[u32], space: &Space<'_>) {
        let scanned: Vec<Tile> = places
            .par_iter()
            .with_min_len(4)
            .map(|place| Tile::scan(self.tiles[*place as usize].coord, space))
            .collect();
        for (place, tile) in places.iter().zip(scanned) {
            self.tiles[*place as usize] = tile;
        }
    }

    /// All tiles, in the order in which they were asked for.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Place of the tile at `coord`.
    pub fn place(&self, coord: IVec2) -> Option<u32> {
        self.places.get(&coord).copied()
    }

    /// One pile.
    #[inline]
    pub fn pile(&self, at: PileRef) -> &Pile {
        &self.tiles[at.tile as usize].piles[at.pile as usize]
    }

    /// Voxel column of a pile.
    pub fn column_of(&self, at: PileRef) -> IVec2 {
        let tile = &self.tiles[at.tile as usize];
        let column = i32::from(tile.piles[at.pile as usize].column);
        tile.coord * EDGE + IVec2::new(column / EDGE, column % EDGE)
    }

    /// The piles of voxel column `xy`, upwards; none where the field has no tile.
    pub fn column(&self, xy: IVec2) -> impl Iterator<Item = PileRef> + '_ {
        self.column_of_tile(self.place(xy >> 3), xy)
    }

    /// As [`Field::column`], where the place of the tile is known.
    #[inline]
    pub fn column_of_tile(&self, place: Option<u32>, xy: IVec2) -> impl Iterator<Item = PileRef> + '_ {
        let column = (((xy.x & 7) << 3) | (xy.y & 7)) as usize;
        place.into_iter().flat_map(move |tile| {
            let places = self.tiles[tile as usize].places(column);
            places.map(move |pile| PileRef { tile, pile: pile as u32 })
        })
    }
}
