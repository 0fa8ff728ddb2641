//! The process: look at the awake columns, find what slides, move it; in as many rounds as its speed needs.

use std::sync::Arc;

use barchan_volume::VoxelBox;
use glam::IVec2;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::apply::{Load, Moved, apply};
use super::flow::Flow;
use super::footing::{Footing, footings};
use super::law::{Law, keep_one_per_pair};
use super::momentum::{Momentum, Sliding};
use super::motion::{MOST_SHARE, Motion, Span};
use super::net::Net;
use super::routes::Routes;
use super::surge::{PileKey, Surge};
use super::wedges::Wedge;
use crate::cache::Cache;
use crate::columns::{Field, Space, Tile, commit, downward};
use crate::ground::{Awake, Ground, Since, Stamp};
use crate::material::Materials;
use crate::now::Now;

/// Most rounds that a step is cut into.
const MOST_ROUNDS: u32 = 32;

/// How far from an awake column the toe of a cohesive wedge is looked for at most (columns).
const LONGEST_WEDGE: i32 = 32;

/// What slipping did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlipReport {
    /// Soil that moved from one column to another, as often as it did (units).
    pub moved: i64,
    /// Rounds in which soil moved.
    pub rounds: u32,
    /// True when the soil was too fast for the rounds that a step may have.
    pub hit_limit: bool,
    /// The least safe wedge of cohesive soil that was looked at: faces that hold for certain are not. Exact where its factor of
    /// safety is below one.
    pub wedge: Option<Wedge>,
}

/// The process that lets piles slide.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Slip {
    /// What slides and keeps its speed.
    momentum: Momentum,
    #[serde(skip)]
    seen: Cache<Seen>,
    #[serde(skip)]
    scratch: Cache<Scratch>,
    #[serde(skip)]
    law: Cache<Option<Arc<Law>>>,
}

/// What is known of the ground.
#[derive(Default)]
struct Seen {
    /// Tiles as they were scanned last; each knows what has changed in it since.
    known: FxHashMap<IVec2, Tile>,
    ground: Stamp,
    bodies: Stamp,
    /// The lowest voxel of the world, and the table of materials, that they were scanned in.
    lowest: i32,
    materials: u32,
}

/// Memory that each round uses anew: asking for it takes longer than what is done with it.
#[derive(Default)]
struct Scratch {
    flows: Vec<Flow>,
    net: Net,
    loads: Vec<Load>,
}

impl Slip {
    /// Where soil slides with this momentum.
    pub fn with_momentum(momentum: Momentum) -> Self {
        Self { momentum, ..Self::default() }
    }

    /// The soil that slides and keeps its speed.
    pub fn momentum(&self) -> &Momentum {
        &self.momentum
    }

    /// The law of sliding here, kept as long as it stays the same.
    fn law(&mut self, materials: &Materials, gravity_m_s2: f32, voxel_size_m: f32) -> Arc<Law> {
        let known = self.law.take().filter(|law| law.is_for(materials, gravity_m_s2, voxel_size_m));
        let law = known.unwrap_or_else(|| Arc::new(Law::new(materials, gravity_m_s2, voxel_size_m)));
        *self.law = Some(Arc::clone(&law));
        law
    }

    /// Asks what has changed since it last looked, and forgets what it knew of that.
    fn look(&mut self, now: &Now<'_>, ground: &Ground) {
        let seen = &mut *self.seen;
        let is_same = (seen.lowest, seen.materials) == (ground.floor_z(), now.materials.revision());
        match (ground.changes_since(seen.ground), now.body_fill.changes_since(seen.bodies)) {
            (Since::Bricks(soil), Since::Bricks(bodies)) if is_same => {
                for (coord, _) in soil.chain(bodies) {
                    if let Some(tile) = seen.known.get_mut(&coord.truncate()) {
                        tile.note_change(coord.z);
                    }
                }
            }
            _ => seen.known.clear(),
        }
        (seen.lowest, seen.materials) = (ground.floor_z(), now.materials.revision());
    }

    /// Keeps the tiles, which are up to date.
    fn keep(&mut self, field: Field, now: &Now<'_>, ground: &Ground) {
        self.seen.known = field.into_tiles();
        (self.seen.ground, self.seen.bodies) = (ground.stamp(), now.body_fill.stamp());
    }

    /// Stops what slides where the ground sleeps: it moved by less than a unit.
    pub(crate) fn stop_sleeping(&mut self, awake: &Awake) {
        if self.momentum.sliding.is_empty() {
            return;
        }
        let awake: FxHashSet<IVec2> = awake.bricks().map(|coord| coord.truncate()).collect();
        let tile = |sliding: &Sliding| IVec2::new(sliding.at[0], sliding.at[1]) >> 3;
        self.momentum.sliding.retain(|sliding| awake.contains(&tile(sliding)));
    }

    /// Forgets all that it knows of the ground.
    pub(crate) fn drop_caches(&mut self) {
        self.seen = Cache::default();
        self.law = Cache::default();
    }

    /// Lets the piles in awake columns slide.
    pub fn step(&mut self, now: &Now<'_>, ground: &mut Ground) -> SlipReport {
        let mut report = SlipReport::default();
        let dt_s = now.dt_s as f32;
        match downward(now.gravity_m_s2).filter(|_| !ground.awake().is_empty()) {
            Some(down) if self.momentum.is_kept => self.surge(dt_s, down, now, ground, &mut report),
            Some(down) => self.slide(Pace::Timed { dt_s }, down, now, ground, &mut report),
            None => self.momentum.sliding.clear(),
        }
        report
    }

    /// Lets the piles in awake columns slide for up to `rounds` rounds as far as each pair can, whatever time that
    /// takes.
    pub(crate) fn relax(&mut self, rounds: u32, now: &Now<'_>, ground: &mut Ground) -> SlipReport {
        let mut report = SlipReport::default();
        self.momentum.sliding.clear();
        if let Some(down) = downward(now.gravity_m_s2) {
            self.slide(Pace::Rounds { rounds }, down, now, ground, &mut report);
        }
        report
    }

    /// The awake tiles, around them those that may hold toes, around these those that soil may slide to.
    fn look_around(&mut self, law: &Law, now: &Now<'_>, space: &Space<'_>) -> (Field, Site) {
        let mut tiles: Vec<IVec2> = space.ground.awake().bricks().map(|coord| coord.truncate()).collect();
        // Awake bricks come in the order of their columns.
        tiles.dedup();
        let (awake, bounds) = (tiles.len(), space.ground.bounds());
        let mut seen: FxHashSet<IVec2> = tiles.iter().copied().collect();
        grow(&mut tiles, 1, bounds, &mut seen);
        let mut field = Field::default();
        field.add(&tiles, &mut self.seen.known, space);
        let footings = footings(&field.tiles()[..awake], now, &law.floor_laws);
        let rings = (law.cohesive_reach(&field.tiles()[..awake], LONGEST_WEDGE) + 7) / 8;
        if rings == 0 {
            return (field, Site { awake, toes: 0, footings, coasting: FxHashSet::default() });
        }
        grow(&mut tiles, rings - 1, bounds, &mut seen);
        let toes = tiles.len();
        grow(&mut tiles, rings, bounds, &mut seen);
        field.add(&tiles[field.tiles().len()..], &mut self.seen.known, space);
        (field, Site { awake, toes, footings, coasting: FxHashSet::default() })
    }

    /// Finds what slides now in the `moving` tiles and in wedges, in the order of tiles; returns the least safe wedge. The
    /// field grows where faces go on beyond it.
    fn find_flows(
        &mut self,
        law: &Law,
        field: &mut Field,
        moving: &[u32],
        site: &Site,
        space: &Space<'_>,
        flows: &mut Vec<Flow>,
    ) -> Option<Wedge> {
        law.pair_flows(field, moving, site, flows);
        if site.toes == 0 {
            return None;
        }
        loop {
            let (found, worst, mut unseen) = law.wedge_flows(field, site.toes);
            let mut seen = FxHashSet::default();
            unseen.retain(|tile| {
                is_inside(*tile, space.ground.bounds()) && field.place(*tile).is_none() && seen.insert(*tile)
            });
            if unseen.is_empty() {
                flows.extend(found);
                keep_one_per_pair(flows);
                return worst;
            }
            field.add(&unseen, &mut self.seen.known, space);
        }
    }

    fn slide(&mut self, pace: Pace, down: f32, now: &Now<'_>, ground: &mut Ground, report: &mut SlipReport) {
        let (materials, shares) = (now.materials, now.body_fill.shares());
        let law = self.law(materials, down, ground.voxel_size_m());
        self.look(now, ground);
        let space = Space::new(ground, shares, materials);
        let (mut field, site) = self.look_around(&law, now, &space);
        let most_rounds = match pace {
            Pace::Timed { .. } => MOST_ROUNDS,
            Pace::Rounds { rounds } => rounds,
        };
        let mut scratch = std::mem::take(&mut *self.scratch);
        let Scratch { flows, net, loads } = &mut scratch;
        let mut moving: Vec<u32> = (0..site.awake as u32).collect();
        report.hit_limit = matches!(pace, Pace::Timed { .. });
        for round in 0..most_rounds {
            let space = Space::new(ground, shares, materials);
            let wedge = self.find_flows(&law, &mut field, &moving, &site, &space, flows);
            if round == 0 {
                report.wedge = wedge;
            }
            if !flows.iter().any(Flow::is_unstable) {
                report.hit_limit = false;
                break;
            }
            let span = match pace {
                Pace::Timed { dt_s } => Span::of_step(dt_s, round, law.voxel_size_m),
                Pace::Rounds { .. } => Span::of_pass(),
            };
            net.lay(flows, &field);
            let (motion, routes) = Motion::of(net, &law.speed(), &span, || Routes::of(flows, &field));
            let moved = apply(flows, motion.heights(), &routes, &field, &space, loads);
            if moved.units == 0 {
                report.hit_limit = false;
                break;
            }
            report.moved += moved.units;
            report.rounds += 1;
            put_in_place(moved, &mut field, ground);
            if let Pace::Timed { .. } = pace {
                moving = motion.tiles_with_way_left(&span);
                if moving.is_empty() {
                    report.hit_limit = false;
                    break;
                }
            }
            field.refresh(&Space::new(ground, shares, materials));
        }
        self.keep(field, now, ground);
        *self.scratch = scratch;
    }

    /// Lets piles slide for `dt_s` (s) where sliding soil keeps its momentum.
    fn surge(&mut self, dt_s: f32, down: f32, now: &Now<'_>, ground: &mut Ground, report: &mut SlipReport) {
        let (materials, shares) = (now.materials, now.body_fill.shares());
        let law = self.law(materials, down, ground.voxel_size_m());
        self.look(now, ground);
        let (mut field, mut site) = self.look_around(&law, now, &Space::new(ground, shares, materials));
        let mut surge = Surge::new(&self.momentum.sliding);
        let columns = (surge.fastest_m_s() + down * dt_s) * dt_s / law.voxel_size_m;
        let rounds = (columns / MOST_SHARE).ceil() as u32;
        report.hit_limit = rounds > MOST_ROUNDS;
        let rounds = rounds.clamp(LEAST_ROUNDS, MOST_ROUNDS);
        let moving: Vec<u32> = (0..site.awake as u32).collect();
        let looked_at: FxHashSet<IVec2> = field.tiles()[..site.awake].iter().map(|tile| tile.coord).collect();
        let (mut flows, mut loads) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let space = Space::new(ground, shares, materials);
            site.coasting = surge.coasting();
            let wedge = self.find_flows(&law, &mut field, &moving, &site, &space, &mut flows);
            if round == 0 {
                report.wedge = wedge;
            }
            if surge.is_still() && !flows.iter().any(Flow::is_unstable) {
                break;
            }
            let heights = surge.heights(dt_s / rounds as f32, &flows, &looked_at, &field, &law);
            let routes = Routes::of(&flows, &field);
            let moved = apply(&flows, &heights, &routes, &field, &space, &mut loads);
            report.rounds += u32::from(moved.units > 0);
            report.moved += moved.units;
            put_in_place(moved, &mut field, ground);
            field.refresh(&Space::new(ground, shares, materials));
        }
        self.momentum.sliding = surge.into_sliding();
        self.keep(field, now, ground);
    }
}

/// Puts the bricks that changed in place.
fn put_in_place(moved: Moved, field: &mut Field, ground: &mut Ground) {
    for (place, bricks) in moved.tiles {
        bricks.iter().for_each(|(coord, _)| field.note_change(place, coord.z));
        commit(bricks, ground);
    }
}

/// Fewest rounds of a step in which sliding soil keeps its momentum.
const LEAST_ROUNDS: u32 = 4;

/// How long soil slides.
#[derive(Clone, Copy)]
enum Pace {
    /// As far as it gets in this time (s).
    Timed { dt_s: f32 },
    /// As far as it gets in this many rounds, each as large as can be.
    Rounds { rounds: u32 },
}

/// Which tiles of the field do what.
#[derive(Default)]
pub(super) struct Site {
    /// How many of them, from the first on, may lose soil by pairs: those that are awake.
    awake: usize,
    /// How many of them, from the first on, may hold the toe of a wedge; none where nothing is cohesive.
    toes: usize,
    /// What the soil of the awake tiles may slide on; nothing at all where no body is smooth.
    pub footings: Vec<Option<Footing>>,
    /// The piles with soil that runs on where the slope would hold it.
    pub coasting: FxHashSet<PileKey>,
}

/// Adds all tiles within `rings` of those that are there, as far as they are inside the walls.
fn grow(tiles: &mut Vec<IVec2>, rings: i32, bounds: Option<VoxelBox>, known: &mut FxHashSet<IVec2>) {
    let mut rim = 0..tiles.len();
    for _ in 0..rings {
        for at in rim.clone() {
            for step in 0..9 {
                let tile = tiles[at] + IVec2::new(step / 3 - 1, step % 3 - 1);
                if is_inside(tile, bounds) && known.insert(tile) {
                    tiles.push(tile);
                }
            }
        }
        rim = rim.end..tiles.len();
    }
}

/// True for tiles that are not beyond the walls.
fn is_inside(tile: IVec2, bounds: Option<VoxelBox>) -> bool {
    bounds.is_none_or(|b| {
        let (low, high) = (b.min.truncate() >> 3, (b.max.truncate() - 1) >> 3);
        tile.cmpge(low).all() && tile.cmple(high).all()
    })
}
