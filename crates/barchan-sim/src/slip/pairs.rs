//! Pairs of columns: where loose soil is steeper than its friction allows.

use glam::IVec2;

use super::around::Around;
use super::flow::{Drive, Flow};
use super::rule::Strength;
use crate::columns::{Field, HEIGHT_ONE, Pile, PileRef};

/// Pairs that lack less than this to be too steep go along when what is below them goes (1/32,768 voxel).
const NEARLY: i64 = HEIGHT_ONE / 8;

/// Most flows that leave one pile in a round.
const MOST_FLOWS: usize = 3;

/// The columns around one, with their distance and the columns between: one of them must be open for soil to pass.
/// Knight's moves are among them because with eight directions alone piles are octagons.
struct Direction {
    to: IVec2,
    /// Place of its distance in [`DISTANCES`].
    distance: usize,
    /// Columns between, at least one of which soil must be able to pass.
    between: &'static [IVec2],
}

/// Distances of neighbouring columns (columns).
const DISTANCES: [f32; 3] = [1.0, std::f32::consts::SQRT_2, 2.236_068];

const fn direction(x: i32, y: i32, between: &'static [IVec2]) -> Direction {
    let distance = match x * x + y * y {
        1 => 0,
        2 => 1,
        _ => 2,
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
    field: &'a Field,
    /// Strength by kind of soil.
    strengths: &'a [Strength],
    /// True for kinds that [`super::wedges`] judges until they are broken.
    is_cohesive: &'a [bool],
    /// The rise that friction bears, by kind and distance (1/32,768 voxel).
    reaches: Vec<[i64; 3]>,
}

impl<'a> PairRule<'a> {
    pub fn new(field: &'a Field, strengths: &'a [Strength], is_cohesive: &'a [bool]) -> Self {
        let reach = |s: &Strength| DISTANCES.map(|d| (s.tan_phi * d * HEIGHT_ONE as f32) as i64);
        Self { field, strengths, is_cohesive, reaches: strengths.iter().map(reach).collect() }
    }

    /// All loose soil of one tile that is about to slide, or nearly.
    pub fn flows(&self, place: u32) -> Vec<Flow> {
        let tile = &self.field.tiles()[place as usize];
        let around = Around::new(self.field, tile.coord);
        let (mut flows, mut of_pile) = (Vec::new(), Vec::new());
        for column in 0..64 {
            let xy = IVec2::new(column / 8, column % 8);
            for pile in tile.places(column as usize) {
                let high = &tile.piles()[pile];
                let kind = usize::from(high.kind.0);
                if high.is_bare() || self.is_cohesive[kind] && !high.is_broken {
                    continue;
                }
                let from = PileRef { tile: place, pile: pile as u32 };
                let reaches = &self.reaches[kind];
                for direction in &DIRECTIONS {
                    // Most neighbours are too high for anything to slide there.
                    let least_rise = reaches[direction.distance] - NEARLY;
                    if high.top - around.lowest_top(xy + direction.to) > least_rise {
                        self.pair(from, high, xy, direction, &around, &mut of_pile);
                    }
                }
                keep_steepest(&mut of_pile);
                flows.append(&mut of_pile);
            }
        }
        flows
    }

    /// The pairs of pile `high` with the piles of one neighbouring column.
    fn pair(
        &self,
        from: PileRef,
        high: &Pile,
        xy: IVec2,
        direction: &Direction,
        around: &Around<'_>,
        flows: &mut Vec<Flow>,
    ) {
        let kind = usize::from(high.kind.0);
        let Some((place, tile, column)) = around.column(xy + direction.to) else { return };
        for pile in tile.places(column) {
            let low = &tile.piles()[pile];
            if low.ceiling <= high.floor {
                continue;
            }
            let mut rise = rise(high, low);
            if low.top < high.floor {
                // Behind an edge the floor is level; where it goes on rising, soil lies on a slope and slides along it.
                rise += floor_slope(high, xy - direction.to, around).min(high.floor - low.top);
            }
            let excess = rise - self.reaches[kind][direction.distance];
            if excess <= -NEARLY {
                continue;
            }
            let passes = |&between: &IVec2| passes(high, low, xy + between, around);
            if !direction.between.is_empty() && !direction.between.iter().any(passes) {
                continue;
            }
            let distance = DISTANCES[direction.distance];
            flows.push(Flow {
                from,
                to: PileRef { tile: place, pile: pile as u32 },
                excess,
                drive: Drive::Slope {
                    tangent: rise as f32 / HEIGHT_ONE as f32 / distance,
                    tan_phi: self.strengths[kind].tan_phi,
                },
                weight: (excess + NEARLY) as f32 / distance,
                over_edge_z: high.over_edge_z(low),
            });
        }
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

/// By how much the floor of column `xy` lies above that of `high`, next to which it is (1/32,768 voxel).
fn floor_slope(high: &Pile, xy: IVec2, around: &Around<'_>) -> i64 {
    let Some((_, tile, column)) = around.column(xy) else { return 0 };
    let behind = tile.places(column).map(|pile| &tile.piles()[pile]);
    let joined = behind.filter(|pile| pile.floor >= high.floor && pile.floor < high.ceiling);
    joined.map(|pile| pile.floor - high.floor).min().unwrap_or(0)
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
