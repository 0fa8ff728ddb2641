//! The columns around a tile, at hand for the inner loops.

use glam::IVec2;

use crate::columns::{FAR_DOWN, FAR_UP, Field, Skyline, Tile};

/// A tile and the eight around it.
pub(super) struct Around<'a> {
    tiles: [Option<(u32, &'a Tile)>; 9],
    /// The lowest top of each column of the tile and of the two columns around it that anything can come to, x slowest
    /// (1/32,768 voxel).
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
        let mut around = Self { tiles, lowest_tops: [FAR_UP; 144], single_ceilings: [FAR_DOWN; 144] };
        for (x, y) in (0..3).flat_map(|x| (0..3).map(move |y| (x, y))) {
            if let Some((_, tile)) = around.tiles[x * 3 + y] {
                around.copy(tile.skyline(), &SIDES[x], &SIDES[y]);
            }
        }
        around
    }

    /// Copies the skyline of one tile as far as it is near.
    fn copy(&mut self, skyline: &Skyline, x: &Side, y: &Side) {
        for row in 0..x.count {
            let (at, of) = ((x.at + row) * 12 + y.at, (x.from + row) * 8 + y.from);
            self.lowest_tops[at..at + y.count].copy_from_slice(&skyline.lowest_tops[of..of + y.count]);
            self.single_ceilings[at..at + y.count]
                .copy_from_slice(&skyline.single_ceilings[of..of + y.count]);
        }
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

/// Which columns of a tile are near, in one direction: so many, from one of its own on, at this place of all that are.
struct Side {
    from: usize,
    at: usize,
    count: usize,
}

/// Of the tile before, the middle one and the one after.
const SIDES: [Side; 3] = [
    Side { from: 6, at: 0, count: 2 },
    Side { from: 0, at: 2, count: 8 },
    Side { from: 0, at: 10, count: 2 },
];

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
