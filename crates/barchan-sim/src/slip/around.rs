//! The columns around a tile, at hand for the inner loops.

use glam::IVec2;

use crate::columns::{Field, Tile};

/// A tile and the eight around it.
pub(super) struct Around<'a> {
    tiles: [Option<(u32, &'a Tile)>; 9],
    /// The lowest top of each column of the tile and of the two columns around it, x slowest (1/32,768 voxel).
    lowest_tops: [i64; 144],
}

impl<'a> Around<'a> {
    pub fn new(field: &'a Field, coord: IVec2) -> Self {
        let tiles = std::array::from_fn(|i| {
            let place = field.place(coord + IVec2::new(i as i32 / 3 - 1, i as i32 % 3 - 1))?;
            Some((place, &field.tiles()[place as usize]))
        });
        let mut around = Self { tiles, lowest_tops: [i64::MAX / 2; 144] };
        for at in 0..144 {
            let Some((_, tile, column)) = around.column(IVec2::new(at / 12 - 2, at % 12 - 2)) else {
                continue;
            };
            for pile in tile.places(column) {
                let (top, at) = (tile.piles()[pile].top, at as usize);
                around.lowest_tops[at] = around.lowest_tops[at].min(top);
            }
        }
        around
    }

    /// The lowest top of column `xy` (from the corner of the middle tile, -2 to 9).
    #[inline]
    pub fn lowest_top(&self, xy: IVec2) -> i64 {
        self.lowest_tops[((xy.x + 2) * 12 + xy.y + 2) as usize]
    }

    /// The tile of column `xy` (from the corner of the middle tile, -8 to 15) and its place in it.
    #[inline]
    pub fn column(&self, xy: IVec2) -> Option<(u32, &'a Tile, usize)> {
        let (place, tile) = self.tiles[(((xy.x >> 3) + 1) * 3 + (xy.y >> 3) + 1) as usize]?;
        Some((place, tile, (((xy.x & 7) << 3) | (xy.y & 7)) as usize))
    }
}
