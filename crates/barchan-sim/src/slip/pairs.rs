//! Pairs of columns: where loose soil is steeper than its friction, or that of a body below it, allows.

use glam::IVec2;

use super::around::{Around, place_near};
use super::floor_law::{Floor, FloorLaw};
use super::flow::{Drive, Flow, NEARLY, in_flow};
use super::footing::Side;
use super::law::Law;
use super::rule::{SlopeForce, Strength};
use super::slip::Site;
use super::surge::key;
use crate::columns::{Field, HEIGHT_ONE, Pile, PileRef};

/// Most flows that leave one pile in a round.
pub(super) const MOST_FLOWS: usize = 4;

/// The columns around one, with their distance and the columns between. Soil passes where one of those is open; what else lies
/// there must be soil, or it would leak between rock that touches only at corners.
/// Knight's moves are among them because with eight directions alone piles are octagons.
struct Direction {
    to: IVec2,
    /// Place of its distance in [`DISTANCES`].
    distance: usize,
    /// Columns between.
    between: &'static [IVec2],
}

/// Distances of neighbouring columns (columns).
const DISTANCES: [f32; 3] = [1.0, std::f32::consts::SQRT_2, 2.236_068];

/// One over these.
const PER_DISTANCE: [f32; 3] = [1.0, std::f32::consts::FRAC_1_SQRT_2, 1.0 / 2.236_068];

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
    /// True for soil that [`super::wedges`] judges, by class of strength like all that follows.
    is_cohesive: &'a [bool],
    /// The rise that friction bears, by distance (1/32,768 voxel).
    reaches: &'a [[i64; 3]],
    floor_laws: &'a [FloorLaw],
    forces: &'a [SlopeForce],
    /// Which tiles do what.
    site: &'a Site,
}

impl<'a> PairRule<'a> {
    pub fn new(field: &'a Field, law: &'a Law, site: &'a Site) -> Self {
        let Law { is_cohesive, reaches, floor_laws, forces, .. } = law;
        Self { field, is_cohesive, reaches, floor_laws, forces, site }
    }

    /// The rise that friction bears, by distance (1/32,768 voxel).
    pub fn reaches(strength: &Strength) -> [i64; 3] {
        DISTANCES.map(|d| (strength.tan_phi * d * HEIGHT_ONE as f32) as i64)
    }

    /// Adds all loose soil of one tile that is about to slide, or nearly, to `flows`.
    pub fn flows(&self, place: u32, flows: &mut Vec<Flow>) {
        let tile = &self.field.tiles()[place as usize];
        let around = Around::new(self.field, tile.coord);
        let footing = self.site.footings.get(place as usize).and_then(Option::as_ref);
        let mut steepest = Steepest::default();
        for column in 0..64 {
            let xy = IVec2::new(column / 8, column % 8);
            for pile in tile.places(column as usize) {
                let high = &tile.piles()[pile];
                let class = high.strength.index();
                if high.is_bare() {
                    continue;
                }
                let side = footing.and_then(|footing| footing.under(high));
                let holds = || !side.is_some_and(Side::lets_go) && !is_splinter(high, xy, &around);
                if self.is_cohesive[class] && holds() {
                    continue;
                }
                let from = PileRef { tile: place, pile: pile as u32 };
                if self.coasts(from) {
                    self.pairs_of_coasting(from, high, xy, &around, &mut steepest);
                } else if let Some(side) = side {
                    self.pairs_on_body(from, high, xy, side, &around, &mut steepest);
                } else {
                    let mut lower = self.lower_columns(high, xy, &around);
                    while lower != 0 {
                        let direction = &DIRECTIONS[lower.trailing_zeros() as usize];
                        let reach = self.reaches[class][direction.distance];
                        let way = Way { from, high, xy, direction, reach, free: reach - NEARLY, floor: None };
                        self.pair(&way, &around, &mut steepest);
                        lower &= lower - 1;
                    }
                }
                steepest.move_to(flows, &self.forces[class]);
            }
        }
    }

    /// The directions in which a column is so low that something of `high` may slide there, one bit each. Most
    /// neighbours are too high.
    #[inline]
    fn lower_columns(&self, high: &Pile, xy: IVec2, around: &Around<'_>) -> u32 {
        let lower_than = self.reaches[high.strength.index()].map(|reach| high.top - (reach - NEARLY));
        let lowest_tops = around.lowest_tops_near(xy);
        let is_lower = |direction: &Direction| {
            u32::from(lowest_tops[place_near(direction.to)] < lower_than[direction.distance])
        };
        DIRECTIONS.iter().rev().fold(0, |bits, direction| bits << 1 | is_lower(direction))
    }

    /// True where soil runs on over slopes that would hold it.
    #[inline]
    fn coasts(&self, at: PileRef) -> bool {
        !self.site.coasting.is_empty() && self.site.coasting.contains(&key(self.field, at))
    }

    /// The pairs of pile `high`, whose soil runs on wherever it goes down.
    #[cold]
    fn pairs_of_coasting(
        &self,
        from: PileRef,
        high: &Pile,
        xy: IVec2,
        around: &Around<'_>,
        steepest: &mut Steepest,
    ) {
        for direction in &DIRECTIONS {
            if around.lowest_top(xy + direction.to) < high.top {
                let reach = self.reaches[high.strength.index()][direction.distance];
                let way = Way { from, high, xy, direction, reach, free: 0, floor: None };
                self.pair(&way, around, steepest);
            }
        }
    }

    /// The pairs of pile `high`, which stands on the upper side of a body and may slide along it.
    #[cold]
    fn pairs_on_body(
        &self,
        from: PileRef,
        high: &Pile,
        xy: IVec2,
        side: &Side,
        around: &Around<'_>,
        steepest: &mut Steepest,
    ) {
        let class = high.strength.index();
        for direction in &DIRECTIONS {
            let run = DISTANCES[direction.distance];
            let floor = Floor { run, fall: side.fall(direction.to), friction: side.friction };
            let borne = (self.floor_laws[class].bears(&floor) * HEIGHT_ONE as f32) as i64;
            let reach = borne.min(self.reaches[class][direction.distance]);
            if around.lowest_top(xy + direction.to) < high.top - (reach - NEARLY) {
                let way = Way { from, high, xy, direction, reach, free: reach - NEARLY, floor: Some(&floor) };
                self.pair(&way, around, steepest);
            }
        }
    }

    /// The pairs of a pile with the piles of one neighbouring column. Always inlined: without a floor, as nearly all ways are,
    /// all that is about floors goes.
    #[inline(always)]
    fn pair(&self, way: &Way<'_>, around: &Around<'_>, steepest: &mut Steepest) {
        let &Way { high, xy, direction, .. } = way;
        let low_xy = xy + direction.to;
        if let Some(top) = around.plain_top(low_xy, high.top).filter(|top| *top >= high.floor) {
            let rise = high.top - top;
            if way.weight(rise) > steepest.least() && way.is_open(top, high.top, around) {
                let Some((place, tile, column)) = around.column(low_xy) else { return };
                let to = PileRef { tile: place, pile: tile.places(column).start as u32 };
                steepest.add(self.flow(way, to, rise, None));
            }
        } else {
            self.pairs_with_openings(way, around, steepest);
        }
    }

    /// As [`PairRule::pair`], where the column has several piles or lies behind an edge.
    #[cold]
    fn pairs_with_openings(&self, way: &Way<'_>, around: &Around<'_>, steepest: &mut Steepest) {
        let &Way { high, xy, direction, .. } = way;
        let Some((place, tile, column)) = around.column(xy + direction.to) else { return };
        for pile in tile.places(column) {
            let low = &tile.piles()[pile];
            if low.ceiling <= high.floor {
                continue;
            }
            let mut rise = high.top.min(low.ceiling) - low.top.max(high.floor);
            if low.top < high.floor {
                // Behind an edge the floor is level; where it goes on rising, soil lies on a slope and slides along it.
                let slope = match way.floor {
                    Some(floor) => (floor.fall.max(0.0) * HEIGHT_ONE as f32) as i64,
                    None => floor_slope(high, xy - direction.to, around),
                };
                rise += slope.min(high.floor - low.top);
            }
            let (lower, upper) = (low.top.max(high.floor), high.top.min(low.ceiling));
            if way.weight(rise) > steepest.least() && way.is_open(lower, upper, around) {
                let to = PileRef { tile: place, pile: pile as u32 };
                steepest.add(self.flow(way, to, rise, high.over_edge_z(low)));
            }
        }
    }

    #[inline(always)]
    fn flow(&self, way: &Way<'_>, to: PileRef, rise: i64, over_edge_z: Option<i32>) -> Flow {
        let (class, distance) = (way.high.strength.index(), way.direction.distance);
        let voxels = rise as f32 / HEIGHT_ONE as f32;
        let drive = match way.floor {
            // What is too steep for the soil itself slides above its floor.
            Some(floor) if rise <= self.reaches[class][distance] => {
                Drive::Floor { force: self.floor_laws[class].over_weight(voxels, floor) }
            }
            _ => Drive::Slope { tangent: voxels * PER_DISTANCE[distance], force: 0.0 },
        };
        let (excess, weight) = (in_flow(rise - way.reach), way.weight(rise));
        Flow { from: way.from, to, excess, drive, weight, over_edge_z }
    }
}

/// From a pile in one direction.
struct Way<'a> {
    from: PileRef,
    high: &'a Pile,
    /// Its column, from the corner of its tile.
    xy: IVec2,
    direction: &'a Direction,
    /// The rise that friction bears (1/32,768 voxel).
    reach: i64,
    /// The rise beyond which soil takes this way (1/32,768 voxel).
    free: i64,
    /// The floor along which soil may slide on this way (voxels).
    floor: Option<&'a Floor>,
}

impl Way<'_> {
    /// How much of its soil takes this way where the pile stands `rise` above the other; nothing below 0.
    #[inline]
    fn weight(&self, rise: i64) -> f32 {
        (rise - self.free) as f32 * PER_DISTANCE[self.direction.distance]
    }

    /// True when soil can come through between these two heights: over a column between there is room, and no rock, body or wall
    /// closes another.
    #[inline]
    fn is_open(&self, lower: i64, upper: i64, around: &Around<'_>) -> bool {
        let between = self.direction.between;
        let is_free = |&between: &IVec2| {
            let xy = self.xy + between;
            match around.plain_top(xy, upper) {
                Some(top) => top < upper,
                None => around.lowest_top(xy) < upper && has_way((lower, upper), xy, around, |pile| pile.top),
            }
        };
        if between.iter().all(is_free) {
            return true;
        }
        let has_no_wall =
            |&between: &IVec2| has_way((lower, upper), self.xy + between, around, |pile| pile.floor);
        between.iter().any(is_free) && between.iter().all(has_no_wall)
    }
}

/// The steepest few flows of one pile, the steepest first: the others have their turn when these have gone.
#[derive(Default)]
struct Steepest {
    flows: [Flow; MOST_FLOWS],
    count: usize,
}

impl Steepest {
    /// A flow of no more weight than this is not among them.
    #[inline]
    fn least(&self) -> f32 {
        if self.count == MOST_FLOWS { self.flows[MOST_FLOWS - 1].weight } else { 0.0 }
    }

    /// Adds a flow that has more than the least weight.
    #[inline]
    fn add(&mut self, flow: Flow) {
        let mut place = self.count.min(MOST_FLOWS - 1);
        while place > 0 && self.flows[place - 1].weight < flow.weight {
            self.flows[place] = self.flows[place - 1];
            place -= 1;
        }
        self.flows[place] = flow;
        self.count = MOST_FLOWS.min(self.count + 1);
    }

    /// Moves them to `flows`, with the force on the steepest of them.
    fn move_to(&mut self, flows: &mut Vec<Flow>, slope_force: &SlopeForce) {
        let mut of_pile = None;
        for flow in &mut self.flows[..self.count] {
            if let Drive::Slope { tangent, force } = &mut flow.drive {
                *force = *of_pile.get_or_insert_with(|| slope_force.over_weight(*tangent));
            }
        }
        flows.extend_from_slice(&self.flows[..self.count]);
        self.count = 0;
    }
}

/// True for a pile that stands more than a voxel above all around it, alone or with one other. Breaking wedges leave such
/// splinters behind: no wedge can tell them from the end of a wall, and they crumble.
fn is_splinter(pile: &Pile, xy: IVec2, around: &Around<'_>) -> bool {
    let is_lower = |to: &IVec2| {
        let top = around.plain_top(xy + *to, pile.top);
        top.is_some_and(|top| top + HEIGHT_ONE < pile.top)
    };
    let mut as_high = DIRECTIONS[..8].iter().map(|direction| direction.to).filter(|to| !is_lower(to));
    match (as_high.next(), as_high.next()) {
        (None, _) => true,
        (Some(other), None) => is_lower(&(2 * other)),
        _ => false,
    }
}

/// By how much the floor of column `xy` lies above that of `high`, next to which it is (1/32,768 voxel).
fn floor_slope(high: &Pile, xy: IVec2, around: &Around<'_>) -> i64 {
    let Some((_, tile, column)) = around.column(xy) else { return 0 };
    let behind = tile.places(column).map(|pile| &tile.piles()[pile]);
    let joined = behind.filter(|pile| pile.floor >= high.floor && pile.floor < high.ceiling);
    joined.map(|pile| pile.floor - high.floor).min().unwrap_or(0)
}

/// True when there is a way through column `xy` between two heights, over what ends at `top` of its piles.
fn has_way((lower, upper): (i64, i64), xy: IVec2, around: &Around<'_>, top: impl Fn(&Pile) -> i64) -> bool {
    let Some((_, tile, column)) = around.column(xy) else { return false };
    tile.places(column).any(|pile| {
        let between = &tile.piles()[pile];
        top(between) < upper && between.ceiling > lower
    })
}
