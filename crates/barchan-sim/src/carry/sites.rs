//! Many columns at once: those of different tiles are worked on at the same time.

use glam::{IVec2, IVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::site::Site;
use crate::columns::{ChangedBricks, Space};
use crate::in_parts::InParts;

/// Places of columns in a list of them, by the tile that they lie in.
pub(super) struct ByTile {
    /// Tile and place, in this order.
    columns: Vec<(Coord, u32)>,
}

/// Which tile; an array, as these have an order.
type Coord = [i32; 2];

impl ByTile {
    pub fn of(columns: impl Iterator<Item = IVec2>) -> Self {
        let tile = |column: IVec2| (column >> 3_i32).to_array();
        let mut columns: Vec<(Coord, u32)> =
            columns.enumerate().map(|(place, column)| (tile(column), place as u32)).collect();
        columns.sort_unstable();
        Self { columns }
    }
}

/// Ground and bodies as moving soil sees them, tile by tile.
pub(super) struct Sites<'a> {
    space: Space<'a>,
    tiles: Vec<(IVec2, Site<'a>)>,
    places: FxHashMap<IVec2, u32>,
    /// The tile that was asked for last: the next voxel mostly lies in the same.
    last: usize,
}

impl<'a> Sites<'a> {
    pub fn new(space: Space<'a>) -> Self {
        Self { space, tiles: Vec::new(), places: FxHashMap::default(), last: 0 }
    }

    /// The site that voxel `p` lies in.
    #[inline]
    pub fn at(&mut self, p: IVec3) -> &mut Site<'a> {
        let tile = p.truncate() >> 3;
        if self.tiles.get(self.last).is_none_or(|(coord, _)| *coord != tile) {
            self.last = self.find(tile);
        }
        &mut self.tiles[self.last].1
    }

    /// Does `work` for each of `columns`, in their order within a tile; it keeps to the column it is given. Returns what
    /// came of it, in the order of the columns.
    pub fn each<T: Default + Send>(
        &mut self,
        columns: &ByTile,
        work: impl Fn(usize, &mut Site<'a>) -> T + Sync,
    ) -> Vec<T> {
        let mut wanted: Vec<&[(Coord, u32)]> = Vec::new();
        for of_tile in columns.columns.chunk_by(|a, b| a.0 == b.0) {
            let place = self.find(IVec2::from_array(of_tile[0].0));
            wanted.resize(wanted.len().max(place + 1), &[]);
            wanted[place] = of_tile;
        }
        let in_tile = |((_, site), columns): (&mut (IVec2, Site<'a>), &&[(Coord, u32)])| {
            columns.iter().map(|(_, place)| (*place, work(*place as usize, site))).collect()
        };
        let done: Vec<Vec<(u32, T)>> =
            self.tiles.par_iter_mut().zip(&wanted).in_parts_of(2).map(in_tile).collect();
        let mut all: Vec<T> = Vec::new();
        all.resize_with(columns.columns.len(), T::default);
        for (place, result) in done.into_iter().flatten() {
            all[place as usize] = result;
        }
        all
    }

    /// The bricks that differ from those in the ground.
    pub fn into_changed(self) -> ChangedBricks {
        self.tiles.into_iter().flat_map(|(_, site)| site.into_changed()).collect()
    }

    fn find(&mut self, tile: IVec2) -> usize {
        let next = self.tiles.len() as u32;
        let place = *self.places.entry(tile).or_insert(next);
        if place == next {
            self.tiles.push((tile, Site::new(self.space)));
        }
        place as usize
    }
}
