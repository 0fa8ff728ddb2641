//! The columns around a tile, at hand for the inner loops.

use glam::IVec2;

use crate::columns::{Field, Tile};

/// A tile and the eight around it.
pub(super) struct Around<'a> {
    tiles: [Option<(u32, &'a Tile)>; 9],
    /// The lowest top of each column of the tile and of the two columns around it, x slowest (1/32,768 voxel).
    lowest_tops: [i64; 144],
    /// The ceilings of those of these columns that are a single pile, as most are; of the others far down.
    single_ceilings: [i64; 144],
}

impl<'a> Around<'a> {
    pub fn new(field: &'a Field, coord: IVec2) -> Self {
        let tiles = std::array::from_fn(|i| {
            let place = field.place(coord + IVec2::new(i as i32 / 3 - 1, i as i32 % 3 - 1))?;
            Some((place, &field.tiles()[place as usize]))
        });
        let (lowest_tops, single_ceilings) = ([i64::MAX / 2; 144], [i64::MIN / 2; 144]);
        let mut around = Self { tiles, lowest_tops, single_ceilings };
        for at in 0..144 {
            let Some((_, tile, column)) = around.column(IVec2::new(at / 12 - 2, at % 12 - 2)) else {
                continue;
            };
            let (at, piles) = (at as usize, &tile.piles()[tile.places(column)]);
            for pile in piles {
                around.lowest_tops[at] = around.lowest_tops[at].min(pile.top);
            }
            if let [pile] = piles {
                around.single_ceilings[at] = pile.ceiling;
            }
        }
        around
    }

    /// The lowest top of column `xy` (from the corner of the middle tile, -2 to 9).
    #[inline]
    pub fn lowest_top(&self, xy: IVec2) -> i64 {
        self.lowest_tops[near(xy)]
    }

    /// The lowest tops of the columns around column `xy` of the middle tile, by [`place_near`].
    #[inline]
    pub fn lowest_tops_near(&self, xy: IVec2) -> &[i64; NEAR] {
        let first = near(xy) - NEAR / 2;
        self.lowest_tops[first..].first_chunk().expect("two columns are known on each side")
    }

    /// The top of column `xy` (from the corner of the middle tile, -2 to 9) if it is a single pile and open up to `height`.
    #[inline]
    pub fn plain_top(&self, xy: IVec2, height: i64) -> Option<i64> {
        (self.single_ceilings[near(xy)] >= height).then(|| self.lowest_tops[near(xy)])
    }

    /// The tile of column `xy` (from the corner of the middle tile, -8 to 15) and its place in it.
    #[inline]
    pub fn column(&self, xy: IVec2) -> Option<(u32, &'a Tile, usize)> {
        let (place, tile) = self.tiles[(((xy.x >> 3) + 1) * 3 + (xy.y >> 3) + 1) as usize]?;
        Some((place, tile, (((xy.x & 7) << 3) | (xy.y & 7)) as usize))
    }
}

/// Columns from the one two before, diagonally, to the one two after.
const NEAR: usize = 2 * (2 * 12 + 2) + 1;

/// Place of the column that lies `to` (-2 to 2) from another among those near that.
#[inline]
pub(super) const fn place_near(to: IVec2) -> usize {
    (NEAR as i32 / 2 + to.x * 12 + to.y) as usize
}

/// Place of a column of the middle tile or of the two columns around it.
#[inline]
fn near(xy: IVec2) -> usize {
    ((xy.x + 2) * 12 + xy.y + 2) as usize
}
