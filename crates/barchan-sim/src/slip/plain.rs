//! The law of sliding as it is written down: one substep over all piles, face by face, without nets, tiles or threads. What
//! [`Moment`](super::beds::Moment) finds faster must be the same.

use glam::{IVec2, Vec2};
use rustc_hash::FxHashMap;

use super::beds::Moment;
use super::law::Law;
use super::net::{Net, Site};
use super::rough_ground::{Lots, rough_field};
use super::sliding::{Bed, PileKey, Sliding, Stream};
use crate::columns::{Field, HEIGHT_ONE, Pile};
use crate::material::{Materials, STANDARD_GRAVITY};

const SIDES: [IVec2; 8] = [
    IVec2::new(-1, 0),
    IVec2::new(1, 0),
    IVec2::new(0, -1),
    IVec2::new(0, 1),
    IVec2::new(-1, -1),
    IVec2::new(1, 1),
    IVec2::new(-1, 1),
    IVec2::new(1, -1),
];

/// Two piles that meet: the one behind, the one ahead, the axis.
type Pair = (usize, usize, usize);

struct Plain<'a> {
    law: &'a Law,
    piles: Vec<(IVec2, Pile)>,
    by_column: FxHashMap<IVec2, Vec<usize>>,
    pairs: Vec<Pair>,
    /// Of pairs (m/s) and of piles (1/32,768 voxel), as they were.
    velocity: Vec<f32>,
    beds: Vec<i64>,
    dt_s: f32,
}

impl Plain<'_> {
    fn pile(&self, at: usize) -> &Pile {
        &self.piles[at].1
    }

    /// The pile of the next column whose floor is nearest.
    fn near(&self, at: usize, to: usize) -> Option<usize> {
        let (xy, pile) = &self.piles[at];
        if to >= 4 {
            let ([x, y], other) = ([[0, 2], [1, 3], [0, 3], [1, 2]][to - 4], |at, to| self.near(at, to));
            let ways = [[x, y], [y, x]].map(|[a, b]| other(at, a).and_then(|next| other(next, b)));
            return if ways[0] == ways[1] { ways[0] } else { None };
        }
        let beside = self.by_column.get(&(xy + SIDES[to]))?.iter().copied();
        let meets =
            |other: &usize| self.pile(*other).ceiling > pile.floor && pile.ceiling > self.pile(*other).floor;
        beside.filter(meets).min_by_key(|other| (self.pile(*other).floor - pile.floor).abs())
    }

    /// The pair of a pile and its nearest on one side.
    fn main(&self, at: usize, side: usize) -> Option<usize> {
        let other = self.near(at, side)?;
        let pair = if side & 1 == 1 { (at, other) } else { (other, at) };
        self.pairs.iter().position(|(back, ahead, axis)| (*back, *ahead) == pair && *axis == side / 2)
    }

    fn firm(&self, at: usize) -> i64 {
        let pile = self.pile(at);
        let class = pile.strength.index();
        let is_high = |other: Option<usize>| other.is_none_or(|o| self.pile(o).top + HEIGHT_ONE >= pile.top);
        let high: Vec<usize> = (0..8).filter(|to| is_high(self.near(at, *to))).collect();
        let is_splinter = match high[..] {
            [] => true,
            [to] => self.near(at, to).is_some_and(|next| !is_high(self.near(next, to))),
            _ => false,
        };
        let firm = match (pile.is_bare(), self.law.is_cohesive[class], is_splinter) {
            (true, ..) | (_, true, false) => pile.top,
            (_, true, true) => pile.floor,
            (_, false, _) => pile.firm(&self.law.is_cohesive),
        };
        firm.min(self.beds[at]).max(pile.floor)
    }

    fn firm_fall(&self, at: usize, to: usize) -> i64 {
        self.near(at, to ^ 1).map_or(0, |behind| (self.firm(behind) - self.firm(at)).max(0))
    }

    fn slope(&self, pair: usize) -> f32 {
        let (back, ahead, axis) = self.pairs[pair];
        let falls = self.pile(back).top > self.pile(ahead).top;
        let (high, low, to) = if falls { (back, ahead, 2 * axis + 1) } else { (ahead, back, 2 * axis) };
        let (top, firm) = (self.pile(high).top, self.firm(high));
        let mut rise = top.min(self.pile(low).ceiling) - self.pile(low).top.max(firm);
        if self.pile(low).top < firm && top > firm {
            rise += self.firm_fall(high, to).min(firm - self.pile(low).top);
        }
        rise.max(0) as f32 / HEIGHT_ONE as f32 * if falls { -1.0 } else { 1.0 }
    }

    /// The pairs across a pair that there are around it, and how much loose soil the pile has that each is one of, above what is
    /// firm in both.
    fn around(&self, pair: usize) -> Vec<(usize, f32)> {
        let (back, ahead, axis) = self.pairs[pair];
        let sides = [2 - 2 * axis, 3 - 2 * axis];
        let firm = self.firm(back).max(self.firm(ahead));
        let loose = |at: usize| (self.pile(at).top - firm).max(0) as f32 / HEIGHT_ONE as f32;
        let of = |at: usize| sides.map(|side| Some((self.main(at, side)?, loose(at))));
        [back, ahead].into_iter().flat_map(of).flatten().collect()
    }

    fn across(&self, pair: usize, slopes: &[f32]) -> f32 {
        let around = self.around(pair);
        let loose = around.iter().map(|(_, loose)| loose).sum::<f32>();
        let sum = around.iter().map(|(other, loose)| loose * slopes[*other]).sum::<f32>();
        if loose > 0.0 { sum / loose } else { 0.0 }
    }

    fn pairs_of(&self, at: usize) -> impl Iterator<Item = (usize, &Pair)> {
        self.pairs.iter().enumerate().filter(move |(_, (back, ahead, _))| *back == at || *ahead == at)
    }

    fn new_beds(&self, slopes: &[f32]) -> Vec<i64> {
        let mut beds: Vec<i64> = (0..self.piles.len()).map(|at| self.own_bed(at, slopes)).collect();
        loop {
            let before = beds.clone();
            for at in 0..beds.len() {
                let reach = self.law.grips[self.pile(at).strength.index()].reach;
                for to in 0..8 {
                    let (Some(other), firm) = (self.near(at, to), self.firm(at)) else { continue };
                    let mut below = beds[other];
                    if below < firm {
                        below = firm - self.firm_fall(at, to).min(firm - below);
                    }
                    beds[at] = beds[at].min((below + reach[to / 4]).max(firm));
                }
            }
            if beds == before {
                return beds;
            }
        }
    }

    fn own_bed(&self, at: usize, slopes: &[f32]) -> i64 {
        let (pile, firm) = (self.pile(at), self.firm(at));
        if pile.top <= firm {
            return pile.top;
        }
        let grip = &self.law.grips[pile.strength.index()];
        let moves = self.pairs_of(at).any(|(pair, _)| self.velocity[pair] != 0.0);
        let mut bed = if moves { self.beds[at].min(pile.top) } else { pile.top };
        for (pair, (back, ..)) in self.pairs_of(at) {
            let drop = if *back == at { -slopes[pair] } else { slopes[pair] };
            let steepness = Vec2::new(slopes[pair], self.across(pair, slopes)).length();
            if drop > 0.0 && steepness > grip.start {
                bed = bed.min(pile.top - ((1.0 - grip.mu / steepness) * drop * HEIGHT_ONE as f32) as i64);
            }
        }
        if moves && bed > firm {
            let mean = |of: &[f32], axis: usize| {
                let both = [self.main(at, 2 * axis), self.main(at, 2 * axis + 1)];
                let known: Vec<f32> = both.into_iter().flatten().map(|pair| of[pair]).collect();
                known.iter().sum::<f32>() / known.len().max(1) as f32
            };
            let vector = |of: &[f32]| Vec2::new(mean(of, 0), mean(of, 1)).length();
            let lacking = (grip.mu - vector(slopes)).max(0.0);
            let voxels = 0.5 * lacking * vector(&self.velocity) * self.dt_s / self.law.voxel_size_m;
            bed = (bed + (voxels * HEIGHT_ONE as f32) as i64).min(pile.top);
        }
        bed.max(firm)
    }

    fn depth(&self, pair: usize, velocity: f32, beds: &[i64]) -> i64 {
        let (back, ahead, _) = self.pairs[pair];
        let (from, to) = if velocity > 0.0 { (back, ahead) } else { (ahead, back) };
        (self.pile(from).top.min(self.pile(to).ceiling) - beds[back].max(beds[ahead])).max(0)
    }

    /// What flowed through a pair until now (m²/s).
    fn discharge(&self, pair: usize) -> f32 {
        let (back, ahead, _) = self.pairs[pair];
        let velocity = self.velocity[pair];
        let (from, to) = if velocity > 0.0 { (back, ahead) } else { (ahead, back) };
        if self.pile(to).top + HEIGHT_ONE < self.firm(from) {
            return 0.0;
        }
        velocity * self.depth(pair, velocity, &self.beds) as f32 / HEIGHT_ONE as f32 * self.law.voxel_size_m
    }

    fn new_velocity(&self, pair: usize, slopes: &[f32], beds: &[i64]) -> f32 {
        let (back, ahead, axis) = self.pairs[pair];
        let layer =
            |beds: &[i64], at: usize| (self.pile(at).top - beds[at]).max(0) as f32 / HEIGHT_ONE as f32;
        let mean = 0.5 * (layer(beds, back) + layer(beds, ahead));
        let before = 0.5 * (layer(&self.beds, back) + layer(&self.beds, ahead));
        if mean == 0.0 {
            return 0.0;
        }
        // What is taken up shares the momentum, and so does what flows in.
        let mut momentum = self.velocity[pair] * (before / mean).min(1.0);
        let (mut weight, size) = (1.0, self.law.voxel_size_m);
        let mut flow_in = |discharge: f32, from: Option<usize>| {
            let share = self.dt_s / (size * size * mean) * discharge.max(0.0);
            momentum += share * from.map_or(0.0, |from| self.velocity[from]);
            weight += share;
        };
        let of = |pair: Option<usize>| pair.map_or(0.0, |pair| self.discharge(pair));
        let (behind, further) = (self.main(back, 2 * axis), self.main(ahead, 2 * axis + 1));
        flow_in(0.5 * (of(behind) + of(Some(pair))), behind);
        flow_in(-0.5 * (of(further) + of(Some(pair))), further);
        for (side, sign) in [(2 - 2 * axis, 1.0), (3 - 2 * axis, -1.0)] {
            let discharge = 0.5 * sign * (of(self.main(back, side)) + of(self.main(ahead, side)));
            flow_in(discharge, self.near(back, side).and_then(|beside| self.main(beside, 2 * axis + 1)));
        }
        let along = momentum / weight;
        let across = 0.25 * self.around(pair).iter().map(|(other, _)| self.velocity[*other]).sum::<f32>();
        // What the slope adds, downhill no more than to the best wedge, and what friction takes.
        let is_back = layer(beds, ahead) == 0.0
            || layer(beds, back) > 0.0 && self.pile(back).top >= self.pile(ahead).top;
        let grip = &self.law.grips[self.pile(if is_back { back } else { ahead }).strength.index()];
        let slope = Vec2::new(slopes[pair], self.across(pair, slopes));
        let effective = slope.length().min(grip.steepest);
        let gravity = self.law.gravity_m_s2 / (1.0 + effective * effective) * self.dt_s;
        let cap = (grip.steepest / slope.length()).min(1.0);
        let friction = grip.mu;
        let waves = (self.law.gravity_m_s2 * self.law.voxel_size_m).sqrt();
        let is_thin = layer(beds, back).max(layer(beds, ahead)) < 1.0 / 64.0;
        if slope.length() <= grip.start && (along.abs().max(across.abs()) < 0.01 * waves || is_thin) {
            return 0.0;
        }
        let gained = |velocity: f32, slope: f32| {
            if velocity * slope <= 0.0 {
                return velocity - gravity * cap * slope;
            }
            let slowed = velocity - gravity * slope;
            if slowed * velocity > 0.0 { slowed } else { 0.0 }
        };
        let gained = Vec2::new(gained(along, slope.x), gained(across, slope.y));
        let left = gained.x * (1.0 - friction * gravity / gained.length()).max(0.0);
        if left.abs() < 1.0 / 128.0 * gravity { 0.0 } else { left }
    }
}

/// All piles of a field, with velocities and beds drawn by lot.
fn plain<'a>(field: &Field, law: &'a Law, lots: &mut Lots) -> Plain<'a> {
    let (mut piles, mut by_column) = (Vec::new(), FxHashMap::<IVec2, Vec<usize>>::default());
    for xy in (-8..64).flat_map(|x| (-8..48).map(move |y| IVec2::new(x, y))) {
        for at in field.column(xy) {
            by_column.entry(xy).or_default().push(piles.len());
            piles.push((xy, *field.pile(at)));
        }
    }
    let beds = piles.iter().map(|(_, pile)| pile.top).collect();
    let mut plain =
        Plain { law, piles, by_column, pairs: Vec::new(), velocity: Vec::new(), beds, dt_s: 0.004 };
    for (back, axis) in (0..plain.piles.len()).flat_map(|back| [(back, 0), (back, 1)]) {
        let (xy, pile) = plain.piles[back];
        for &ahead in plain.by_column.get(&(xy + SIDES[2 * axis + 1])).into_iter().flatten() {
            if plain.pile(ahead).ceiling > pile.floor && pile.ceiling > plain.pile(ahead).floor {
                plain.pairs.push((back, ahead, axis));
            }
        }
    }
    plain.velocity = plain
        .pairs
        .iter()
        .map(|_| if lots.below(3) == 0 { lots.below(400) as f32 / 100.0 - 2.0 } else { 0.0 })
        .collect();
    for at in 0..plain.piles.len() {
        let (pile, lot) = (*plain.pile(at), i64::from(lots.below(3)));
        let moves = plain.pairs_of(at).any(|(pair, _)| plain.velocity[pair] != 0.0);
        if moves && !plain.law.is_cohesive[pile.strength.index()] {
            plain.beds[at] = pile.top - (pile.top - pile.firm(&plain.law.is_cohesive)).min(lot * HEIGHT_ONE);
        }
    }
    plain
}

#[test]
fn a_substep_is_as_it_is_written_down() {
    let (materials, mut lots) = (Materials::builtin(), Lots(7));
    let (mut moving, mut lower) = (0, 0);
    for world in 0..8 {
        let law = Law::new(&materials, STANDARD_GRAVITY, [0.05, 0.1, 0.3][world % 3]);
        let field = rough_field(&mut lots, law.voxel_size_m, &materials);
        let plain = plain(&field, &law, &mut lots);
        let key = |at: usize| PileKey::new(plain.piles[at].0, plain.pile(at).bottom_z);
        let stream = |((back, ahead, axis), velocity): (&Pair, &f32)| Stream {
            at: key(*back),
            axis: *axis as u8,
            to_z: plain.pile(*ahead).bottom_z,
            velocity_m_s: *velocity,
            rest_units: 0.0,
        };
        let mut streams: Vec<Stream> = plain.pairs.iter().zip(&plain.velocity).map(stream).collect();
        streams.sort_by_key(Stream::key);
        let mut beds: Vec<Bed> =
            plain.beds.iter().enumerate().map(|(at, height)| Bed { at: key(at), height: *height }).collect();
        beds.sort_by_key(|bed| bed.at);
        let mut tiles: Vec<(IVec2, bool)> = field.tiles().iter().map(|tile| (tile.coord, true)).collect();
        tiles.sort_by_key(|(tile, _)| tile.to_array());
        let site = Site { field: &field, law: &law, footings: &[], blocks: &[] };
        let net = Net::lay(&tiles, &site, &Sliding { beds, streams });
        assert_eq!((net.nodes.len(), net.faces.len()), (plain.piles.len(), plain.pairs.len()));

        let slopes: Vec<f32> = (0..plain.pairs.len()).map(|pair| plain.slope(pair)).collect();
        let expected_beds = plain.new_beds(&slopes);
        let moment = Moment::new(&net, &law, plain.dt_s);
        let found_beds = moment.beds();
        let of_pile: FxHashMap<PileKey, usize> = (0..plain.piles.len()).map(|at| (key(at), at)).collect();
        for (node, found) in net.nodes.iter().zip(&found_beds) {
            let expected = expected_beds[of_pile[&node.key]];
            assert_eq!(*found, expected, "bed of {:?}", node.key);
            lower += usize::from(expected < node.top);
        }
        let of_pair: FxHashMap<(usize, usize), usize> =
            plain.pairs.iter().enumerate().map(|(pair, (back, ahead, _))| ((*back, *ahead), pair)).collect();
        for (face, found) in net.faces.iter().zip(moment.velocities(&found_beds)) {
            let [back, ahead] = [face.back, face.ahead].map(|at| of_pile[&net.nodes[at as usize].key]);
            let expected = plain.new_velocity(of_pair[&(back, ahead)], &slopes, &expected_beds);
            assert!(
                (found - expected).abs() <= 1e-5 * expected.abs().max(0.1),
                "{found}, not {expected}: {face:?}"
            );
            moving += usize::from(expected != 0.0);
        }
    }
    assert!(moving > 1_000 && lower > 1_000, "{moving} faces move, {lower} beds are lower than tops");
}
