//! What the search for wedges needs to know of a tile, gathered in one walk over its piles: all but a few tiles are done
//! with when these numbers have been looked at.

use glam::IVec2;
use rayon::prelude::*;

use super::rule::Strength;
use crate::columns::{Field, Pile, PileRef, Tile};

/// Lower than all ground (1/32,768 voxel).
pub(super) const NOTHING: i64 = i64::MIN / 2;

/// The outline of a tile. Heights in 1/32,768 voxel; columns x * 8 + y.
pub(super) struct Outline {
    /// Its highest soil.
    pub highest: i64,
    /// The least friction of its soils (-).
    pub tan_phi: f32,
    /// The largest unit weight of its soils (N/m³).
    pub gamma_n_m3: f32,
    /// The lowest top of each column; far up where there is none.
    lowest: [i64; 64],
    /// The height below which the foot of a steep cohesive face lies that rises in a column; nothing where none can.
    edges: [i64; 64],
}

/// A tile and the eight around it: the columns that may hold the toe of a face.
pub(super) struct Toes<'a> {
    tiles: [Option<(u32, &'a Tile)>; 9],
    /// The edges of the tile and of one column around it, x slowest.
    edges: [[i64; 10]; 10],
    /// For each column the highest edge in and around it.
    around: [[i64; 8]; 8],
}

impl Outline {
    /// The outlines of all tiles. `bears` is the rise to the next column that friction bears, by class of strength;
    /// none for soils without cohesion (1/32,768 voxel).
    pub fn of_all(field: &Field, strengths: &[Strength], bears: &[Option<i64>]) -> Vec<Self> {
        field.tiles().par_iter().with_min_len(16).map(|tile| Self::of(tile, strengths, bears)).collect()
    }

    fn of(tile: &Tile, strengths: &[Strength], bears: &[Option<i64>]) -> Self {
        let mut outline = Self {
            highest: NOTHING,
            tan_phi: f32::INFINITY,
            gamma_n_m3: 0.0,
            lowest: [i64::MAX; 64],
            edges: [NOTHING; 64],
        };
        for pile in tile.piles() {
            let column = usize::from(pile.column & 63);
            outline.lowest[column] = outline.lowest[column].min(pile.top);
            if pile.is_bare() {
                continue;
            }
            let class = pile.whole_strength().index();
            outline.highest = outline.highest.max(pile.top);
            outline.tan_phi = outline.tan_phi.min(strengths[class].tan_phi);
            outline.gamma_n_m3 = outline.gamma_n_m3.max(strengths[class].gamma_n_m3);
            if let Some(bears) = bears[class] {
                outline.edges[column] = outline.edges[column].max(pile.top - bears);
            }
        }
        outline
    }
}

impl<'a> Toes<'a> {
    /// The columns of the tile at `coord` with what rises around them.
    pub fn of(field: &'a Field, outlines: &[Outline], coord: IVec2) -> Self {
        let tiles = std::array::from_fn(|i| {
            let place = field.place(coord + IVec2::new(i as i32 / 3 - 1, i as i32 % 3 - 1))?;
            Some((place, &field.tiles()[place as usize]))
        });
        let edge = |x: usize, y: usize| {
            let tile: Option<(u32, &Tile)> = tiles[x.div_ceil(8) * 3 + y.div_ceil(8)];
            tile.map_or(NOTHING, |(place, _)| {
                outlines[place as usize].edges[(((x + 7) & 7) << 3) | ((y + 7) & 7)]
            })
        };
        let edges: [[i64; 10]; 10] = std::array::from_fn(|x| std::array::from_fn(|y| edge(x, y)));
        let rows =
            edges.map(|row| std::array::from_fn::<i64, 8, _>(|y| row[y].max(row[y + 1]).max(row[y + 2])));
        let around = std::array::from_fn(|x| {
            std::array::from_fn(|y| rows[x][y].max(rows[x + 1][y]).max(rows[x + 2][y]))
        });
        Self { tiles, edges, around }
    }

    /// The columns of the tile with this outline that lie below an edge.
    pub fn columns(&self, outline: &Outline) -> impl Iterator<Item = usize> {
        (0..64).filter(|column| self.around[column / 8][column % 8] > outline.lowest[*column])
    }

    /// The edge in column `xy` (from the corner of the tile, -1 to 8).
    #[inline]
    pub fn edge(&self, xy: IVec2) -> i64 {
        self.edges[(xy.x + 1) as usize][(xy.y + 1) as usize]
    }

    /// The piles of column `xy` (from the corner of the middle tile, -8 to 15), upwards.
    #[inline]
    pub fn piles(&self, xy: IVec2) -> impl Iterator<Item = (PileRef, &'a Pile)> + use<'a> {
        let column = (((xy.x & 7) << 3) | (xy.y & 7)) as usize;
        self.tiles[(((xy.x >> 3) + 1) * 3 + (xy.y >> 3) + 1) as usize].into_iter().flat_map(
            move |(place, tile)| {
                let piles = tile.places(column);
                piles.map(move |pile| (PileRef { tile: place, pile: pile as u32 }, &tile.piles()[pile]))
            },
        )
    }
}
