//! Pairs of columns: where loose soil is steeper than its friction allows.

use glam::IVec2;

use super::flow::Flow;
use super::rule::{Strength, force_over_weight};
use crate::columns::{Field, HEIGHT_ONE, Pile, PileRef, Tile};

/// Pairs that lack less than this to be too steep go along when what is below them goes (1/32,768 voxel).
const NEARLY: i64 = HEIGHT_ONE / 8;

/// Most flows that leave one pile in a round.
const MOST_FLOWS: usize = 4;

/// The columns around one, with their distance and the columns between: one of them must be open for soil to pass.
/// Knight's moves are among them because with eight directions alone piles are octagons.
struct Direction {
    to: IVec2,
    /// (columns)
    distance: f32,
    /// Columns between, at least one of which soil must be able to pass.
    between: &'static [IVec2],
}

const SQRT_5: f32 = 2.236_068;

const fn direction(x: i32, y: i32, between: &'static [IVec2]) -> Direction {
    let distance = match x * x + y * y {
        1 => 1.0,
        2 => std::f32::consts::SQRT_2,
        _ => SQRT_5,
    };
    Direction { to: IVec2::new(x, y), distance, between }
}

macro_rules! between {
    ($(($x:expr, $y:expr)),*) => { &[$(IVec2::new($x, $y)),*] };
}

const DIRECTIONS: [Direction; 16] = [
    direction(1, 0, &[]),
    direction(-1, 0, &[]),
    direction(0, 1, &[]),
    direction(0, -1, &[]),
    direction(1, 1, between![(1, 0), (0, 1)]),
    direction(1, -1, between![(1, 0), (0, -1)]),
    direction(-1, 1, between![(-1, 0), (0, 1)]),
    direction(-1, -1, between![(-1, 0), (0, -1)]),
    direction(2, 1, between![(1, 0), (1, 1)]),
    direction(2, -1, between![(1, 0), (1, -1)]),
    direction(-2, 1, between![(-1, 0), (-1, 1)]),
    direction(-2, -1, between![(-1, 0), (-1, -1)]),
    direction(1, 2, between![(0, 1), (1, 1)]),
    direction(-1, 2, between![(0, 1), (-1, 1)]),
    direction(1, -2, between![(0, -1), (1, -1)]),
    direction(-1, -2, between![(0, -1), (-1, -1)]),
];

/// What pairs are judged by.
pub(super) struct PairRule<'a> {
    pub field: &'a Field,
    /// Strength by kind of soil.
    pub strengths: &'a [Strength],
    /// True for kinds that [`super::wedges`] judges.
    pub is_cohesive: &'a [bool],
}

impl PairRule<'_> {
    /// All loose soil of one tile that is about to slide.
    pub fn flows(&self, place: u32) -> Vec<Flow> {
        let tile = &self.field.tiles()[place as usize];
        let around = Around::new(self.field, tile.coord);
        let (mut flows, mut of_pile) = (Vec::new(), Vec::new());
        for column in 0..64 {
            let xy = IVec2::new(column / 8, column % 8);
            for pile in tile.places(column as usize) {
                let high = &tile.piles()[pile];
                if high.is_bare() || self.is_cohesive[usize::from(high.kind.0)] {
                    continue;
                }
                let from = PileRef { tile: place, pile: pile as u32 };
                for direction in &DIRECTIONS {
                    self.pair(from, high, xy, direction, &around, &mut of_pile);
                }
                keep_steepest(&mut of_pile);
                flows.append(&mut of_pile);
            }
        }
        flows
    }

    /// The pairs of pile `high` with the piles of one neighbouring column.
    #[inline]
    fn pair(
        &self,
        from: PileRef,
        high: &Pile,
        xy: IVec2,
        direction: &Direction,
        around: &Around<'_>,
        flows: &mut Vec<Flow>,
    ) {
        let reach = self.reach(high, direction.distance);
        let Some((place, tile, column)) = around.column(xy + direction.to) else { return };
        for pile in tile.places(column) {
            let low = &tile.piles()[pile];
            let rise = rise(high, low);
            let excess = rise - reach;
            if excess <= -NEARLY {
                continue;
            }
            if !direction.between.is_empty()
                && !direction.between.iter().any(|&b| passes(high, low, xy + b, around))
            {
                continue;
            }
            let tan_phi = self.strengths[usize::from(high.kind.0)].tan_phi;
            flows.push(Flow {
                from,
                to: PileRef { tile: place, pile: pile as u32 },
                excess,
                wedge: 0,
                force: force_over_weight(rise as f32 / HEIGHT_ONE as f32, direction.distance, tan_phi),
                weight: (excess + NEARLY) as f32 / direction.distance,
                over_edge_z: (low.top + HEIGHT_ONE < high.floor).then(|| (high.floor / HEIGHT_ONE) as i32),
            });
        }
    }

    /// The rise that friction bears over `distance` columns (1/32,768 voxel).
    #[inline]
    fn reach(&self, high: &Pile, distance: f32) -> i64 {
        (self.strengths[usize::from(high.kind.0)].tan_phi * distance * HEIGHT_ONE as f32) as i64
    }
}

/// Keeps the steepest few of the flows of one pile: the others have their turn when these have gone.
fn keep_steepest(flows: &mut Vec<Flow>) {
    if flows.len() > MOST_FLOWS {
        flows.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        flows.truncate(MOST_FLOWS);
    }
}

/// How far `high` stands above `low`, as far as the opening above `low` and the floor of `high` let it slide there.
#[inline]
fn rise(high: &Pile, low: &Pile) -> i64 {
    high.top.min(low.ceiling) - low.top.max(high.floor)
}

/// True when soil on its way from `high` to `low` can pass over column `xy`.
fn passes(high: &Pile, low: &Pile, xy: IVec2, around: &Around<'_>) -> bool {
    let Some((_, tile, column)) = around.column(xy) else { return false };
    let lower = low.top.max(high.floor);
    tile.places(column).any(|pile| {
        let between = &tile.piles()[pile];
        between.top < high.top && between.ceiling > lower
    })
}

/// A tile and the eight around it.
struct Around<'a> {
    tiles: [Option<(u32, &'a Tile)>; 9],
}

impl<'a> Around<'a> {
    fn new(field: &'a Field, coord: IVec2) -> Self {
        let tiles = std::array::from_fn(|i| {
            let place = field.place(coord + IVec2::new(i as i32 / 3 - 1, i as i32 % 3 - 1))?;
            Some((place, &field.tiles()[place as usize]))
        });
        Self { tiles }
    }

    /// The tile of column `xy` (from the corner of the middle tile, -8 to 15) and its place in it.
    #[inline]
    fn column(&self, xy: IVec2) -> Option<(u32, &'a Tile, usize)> {
        let (place, tile) = self.tiles[(((xy.x >> 3) + 1) * 3 + (xy.y >> 3) + 1) as usize]?;
        Some((place, tile, (((xy.x & 7) << 3) | (xy.y & 7)) as usize))
    }
}
