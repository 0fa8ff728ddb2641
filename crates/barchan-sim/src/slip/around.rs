//! The columns around a tile, at hand for the inner loops.

use glam::IVec2;

use crate::columns::{Field, Tile};

/// A tile and the eight around it.
pub(super) struct Around<'a> {
    tiles: [Option<(u32, &'a Tile)>; 9],
}

/// A height for each column of a tile and of the two columns around it, x slowest (1/32,768 voxel).
pub(super) struct Heights([i64; 144]);

impl<'a> Around<'a> {
    pub fn new(field: &'a Field, coord: IVec2) -> Self {
        let tiles = std::array::from_fn(|i| {
            let place = field.place(coord + IVec2::new(i as i32 / 3 - 1, i as i32 % 3 - 1))?;
            Some((place, &field.tiles()[place as usize]))
        });
        Self { tiles }
    }

    /// The lowest top of each column; far up where there is none.
    pub fn lowest_tops(&self) -> Heights {
        let mut heights = [i64::MAX / 2; 144];
        for (at, height) in heights.iter_mut().enumerate() {
            let xy = IVec2::new(at as i32 / 12 - 2, at as i32 % 12 - 2);
            if let Some((_, tile, column)) = self.column(xy) {
                let piles = &tile.piles()[tile.places(column)];
                *height = piles.iter().fold(*height, |lowest, pile| lowest.min(pile.top));
            }
        }
        Heights(heights)
    }

    /// The tile of column `xy` (from the corner of the middle tile, -8 to 15) and its place in it.
    #[inline]
    pub fn column(&self, xy: IVec2) -> Option<(u32, &'a Tile, usize)> {
        let (place, tile) = self.tiles[(((xy.x >> 3) + 1) * 3 + (xy.y >> 3) + 1) as usize]?;
        Some((place, tile, (((xy.x & 7) << 3) | (xy.y & 7)) as usize))
    }
}

impl Heights {
    /// That of column `xy` (from the corner of the middle tile, -2 to 9).
    #[inline]
    pub fn at(&self, xy: IVec2) -> i64 {
        self.0[((xy.x + 2) * 12 + xy.y + 2) as usize]
    }
}
