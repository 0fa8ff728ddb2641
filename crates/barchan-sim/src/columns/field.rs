//! The piles of many columns: tiles of 8x8 columns, one for each column of bricks that is looked at.

use barchan_volume::brick::EDGE;
use glam::IVec2;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::pile::Pile;
use super::space::Space;
use super::tile::Tile;
use crate::in_parts::InParts;

/// Which pile: tile and place in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PileRef {
    /// Place of the tile in its [`Field`].
    pub tile: u32,
    /// Place of the pile in its [`Tile`].
    pub pile: u32,
}

/// Tiles that are looked at together.
#[derive(Clone, Debug, Default)]
pub struct Field {
    tiles: Vec<Tile>,
    places: FxHashMap<IVec2, u32>,
}

impl Field {
    /// Adds the tiles at `coords`, none of which it has; those that are in `known` are taken from there.
    pub fn add(&mut self, coords: &[IVec2], known: &mut FxHashMap<IVec2, Tile>, space: &Space<'_>) {
        for coord in coords {
            self.places.insert(*coord, self.tiles.len() as u32);
            self.tiles.push(known.remove(coord).unwrap_or_else(|| Tile::unknown(*coord)));
        }
        self.refresh(space);
    }

    /// All tiles by where they are.
    pub fn into_tiles(self) -> FxHashMap<IVec2, Tile> {
        self.tiles.into_iter().map(|tile| (tile.coord, tile)).collect()
    }

    /// Notes that ground in the brick at `brick_z` of the tile at this place has changed.
    pub(crate) fn note_change(&mut self, place: u32, brick_z: i32) {
        self.tiles[place as usize].note_change(brick_z);
    }

    /// Scans the tiles in which something has changed.
    pub fn refresh(&mut self, space: &Space<'_>) {
        let mut stale: Vec<&mut Tile> = self.tiles.iter_mut().filter(|tile| tile.is_stale()).collect();
        stale.par_iter_mut().in_parts_of(2).for_each(|tile| tile.renew(space));
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
        &self.tiles[at.tile as usize].piles()[at.pile as usize]
    }

    /// Voxel column of a pile.
    pub fn column_of(&self, at: PileRef) -> IVec2 {
        let tile = &self.tiles[at.tile as usize];
        let column = i32::from(tile.piles()[at.pile as usize].column);
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
