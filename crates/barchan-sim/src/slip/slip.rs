//! The process: look at the awake columns, find what slides, move it; in as many substeps as its speed needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use barchan_volume::VoxelBox;
use glam::{IVec2, IVec3, Vec3};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::apply::apply;
use super::beds::Moment;
use super::flux::Flux;
use super::footing::{Footing, footings, frictions};
use super::law::Law;
use super::net::{Net, Site};
use super::pressing::Pressing;
use super::sliding::{Block, Sliding};
use super::wedges::{Wedge, find_wedges};
use crate::bodies::{BodyId, Impulse};
use crate::cache::Cache;
use crate::columns::{Field, Space, Tile, downward};
use crate::ground::{Ground, Since, Stamp};
use crate::material::Materials;
use crate::now::Now;

/// Most substeps that a step is cut into: what needs more gets less time.
const MOST_SUBSTEPS: u32 = 256;

/// How far from an awake column the toe of a cohesive wedge is looked for at most (columns).
const LONGEST_WEDGE: i32 = 32;

/// Where no more than this moves in a step of the whole world, and only in layers that are hardly there, all comes to rest (units): it
/// would trickle on for ever.
const MOST_CRUMBS: i64 = 8;

/// How long a wedge slides before all are judged anew (s).
const WEDGES_EVERY_S: f32 = 1.0 / 60.0;

/// What soil keeps of its velocity from one round of settling to the next (-).
const KEPT_IN_SETTLING: f32 = 0.9;

/// Rounds of settling in which a wedge slides before all are judged anew.
const WEDGES_EVERY_ROUNDS: u32 = 4;

/// What slipping did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlipReport {
    /// Soil that moved from one column to another, as often as it did (units).
    pub moved: i64,
    /// Substeps in which soil moved.
    pub rounds: u32,
    /// True when the soil was too fast for the substeps that a step may have; it got less time.
    pub hit_limit: bool,
    /// The least safe wedge of cohesive soil that was looked at: faces that hold for certain are not. Exact where its factor of
    /// safety is below one.
    pub wedge: Option<Wedge>,
}

/// The process that lets piles slide.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Slip {
    /// What slides.
    sliding: Sliding,
    #[serde(skip)]
    seen: Cache<Seen>,
    #[serde(skip)]
    law: Cache<Option<Arc<Law>>>,
}

/// What is known of the ground.
#[derive(Default)]
struct Seen {
    /// Tiles as they were scanned last; each knows what has changed in it since.
    known: FxHashMap<IVec2, Tile>,
    /// Tiles in which nothing moved or failed, and nothing has changed since.
    quiet: FxHashSet<IVec2>,
    ground: Stamp,
    bodies: Stamp,
    /// The lowest voxel of the world, the table of materials, gravity and the frictions of bodies that they were looked at in.
    lowest: i32,
    materials: u32,
    down_m_s2: f32,
    frictions: Vec<(BodyId, f32)>,
}

/// How long soil slides.
#[derive(Clone, Copy)]
enum Pace {
    /// For this time (s).
    Timed { dt_s: f32 },
    /// For this many substeps, each as long as can be, in which it loses most of its velocity.
    Rounds { rounds: u32 },
}

/// What slipping did, and what others have to do now.
#[derive(Default)]
pub(crate) struct Slid {
    pub report: SlipReport,
    /// Soil that poured over an edge and falls now: in which voxel, and its velocity (m/s).
    pub launched: Vec<(IVec3, Vec3)>,
    /// What it gave to bodies in its way.
    pub pressed: BTreeMap<BodyId, Impulse>,
}

impl Slip {
    /// The soil that slides.
    pub fn sliding(&self) -> &Sliding {
        &self.sliding
    }

    /// Stops all that slides.
    pub(crate) fn stop(&mut self) {
        self.sliding = Sliding::default();
    }

    /// Forgets all that it knows of the ground.
    pub(crate) fn drop_caches(&mut self) {
        self.seen = Cache::default();
        self.law = Cache::default();
    }

    /// Lets the piles in awake columns slide.
    pub(crate) fn step(&mut self, now: &Now<'_>, ground: &mut Ground) -> Slid {
        match downward(now.gravity_m_s2) {
            Some(down) => self.slide(Pace::Timed { dt_s: now.dt_s as f32 }, down, now, ground),
            None => {
                self.stop();
                Default::default()
            }
        }
    }

    /// Lets the piles in awake columns slide for up to `rounds` rounds, whatever time that takes.
    pub(crate) fn relax(&mut self, rounds: u32, now: &Now<'_>, ground: &mut Ground) -> SlipReport {
        let down = downward(now.gravity_m_s2);
        down.map_or_else(Default::default, |down| {
            self.slide(Pace::Rounds { rounds }, down, now, ground).report
        })
    }

    fn slide(&mut self, pace: Pace, down: f32, now: &Now<'_>, ground: &mut Ground) -> Slid {
        if ground.awake().is_empty() && self.sliding.is_still() {
            return Default::default();
        }
        let law = self.law(now.materials, down, ground.voxel_size_m());
        self.look(down, now, ground);
        let mut slide = Slide::new(self, &law, now, ground);
        match pace {
            Pace::Timed { dt_s } => slide.run(dt_s, ground),
            Pace::Rounds { rounds } => slide.settle(rounds, ground),
        }
        let Slide { field, mut net, report, launched, pressing, .. } = slide;
        if report.moved <= MOST_CRUMBS && net.moves_only_crumbs() {
            net.stop();
        }
        self.sliding = net.sliding();
        ground.wake_around(net.moving_bricks());
        self.seen.known = field.into_tiles();
        (self.seen.ground, self.seen.bodies) = (ground.stamp(), now.body_fill.stamp());
        Slid { report, launched, pressed: pressing.impulses }
    }

    /// The law of sliding here, kept as long as it stays the same.
    fn law(&mut self, materials: &Materials, gravity_m_s2: f32, voxel_size_m: f32) -> Arc<Law> {
        let known = self.law.take().filter(|law| law.is_for(materials, gravity_m_s2, voxel_size_m));
        let law = known.unwrap_or_else(|| Arc::new(Law::new(materials, gravity_m_s2, voxel_size_m)));
        *self.law = Some(Arc::clone(&law));
        law
    }

    /// Asks what has changed since it last looked, and forgets what it knew of that.
    fn look(&mut self, down: f32, now: &Now<'_>, ground: &Ground) {
        let seen = &mut *self.seen;
        let frictions = frictions(now);
        let is_same = (seen.lowest, seen.materials, seen.down_m_s2)
            == (ground.floor_z(), now.materials.revision(), down);
        match (ground.changes_since(seen.ground), now.body_fill.changes_since(seen.bodies)) {
            (Since::Bricks(soil), Since::Bricks(bodies)) if is_same => {
                for (coord, _) in soil {
                    seen.note_change(*coord, 0);
                }
                for (coord, _) in bodies {
                    seen.note_change(*coord, 1);
                }
            }
            _ => {
                seen.known.clear();
                seen.quiet.clear();
            }
        }
        if frictions != seen.frictions {
            seen.quiet.clear();
        }
        (seen.lowest, seen.materials) = (ground.floor_z(), now.materials.revision());
        (seen.down_m_s2, seen.frictions) = (down, frictions);
    }
}

impl Seen {
    /// Notes that something changed in a brick, which counts in so many tiles around.
    fn note_change(&mut self, coord: IVec3, around: i32) {
        if let Some(tile) = self.known.get_mut(&coord.truncate()) {
            tile.note_change(coord.z);
        }
        for (x, y) in (-around..=around).flat_map(|x| (-around..=around).map(move |y| (x, y))) {
            self.quiet.remove(&(coord.truncate() + IVec2::new(x, y)));
        }
    }
}

/// A step of sliding on its way.
struct Slide<'a> {
    law: &'a Law,
    now: &'a Now<'a>,
    seen: &'a mut Seen,
    field: Field,
    /// By place of tile in the field.
    footings: Vec<Option<Footing>>,
    /// Those that are awake, and those around.
    awake: Vec<IVec2>,
    blocks: Vec<Block>,
    net: Net,
    report: SlipReport,
    launched: Vec<(IVec3, Vec3)>,
    pressing: Pressing,
}

impl<'a> Slide<'a> {
    fn new(slip: &'a mut Slip, law: &'a Law, now: &'a Now<'a>, ground: &Ground) -> Self {
        let mut awake: Vec<IVec2> = ground.awake().bricks().map(|coord| coord.truncate()).collect();
        // Awake bricks come in the order of their columns.
        awake.dedup();
        let seen = &mut *slip.seen;
        let live: Vec<IVec2> = awake
            .iter()
            .copied()
            .filter(|tile| !seen.quiet.contains(tile))
            .chain(slip.sliding.tiles())
            .collect();
        let (field, footings) = (Field::default(), Vec::new());
        let (net, blocks, launched) = (Net::default(), Vec::new(), Vec::new());
        let (report, pressing) = (SlipReport::default(), Pressing::default());
        let mut slide =
            Self { law, now, seen, field, footings, awake, blocks, net, report, launched, pressing };
        slide.lay(live, &slip.sliding, ground);
        slide
    }

    /// Lets soil slide for `dt_s` (s).
    fn run(&mut self, dt_s: f32, ground: &mut Ground) {
        let (mut left_s, mut judged_s) = (dt_s, f32::INFINITY);
        for substep in 0..MOST_SUBSTEPS {
            if judged_s >= WEDGES_EVERY_S {
                let wedge = self.judge_wedges(ground);
                self.report.wedge = if substep == 0 { wedge } else { self.report.wedge };
                judged_s = 0.0;
            }
            let longest_s = self.net.longest_substep_s(self.law.voxel_size_m, self.law.gravity_m_s2);
            let substep_s = left_s / (left_s / longest_s).ceil().max(1.0);
            if !self.now.bodies.is_empty() {
                self.pressing.add(&self.net, self.law, substep_s, self.now);
            }
            if !self.substep(substep_s, 1.0, ground) {
                return;
            }
            (left_s, judged_s) = (left_s - substep_s, judged_s + substep_s);
            if left_s <= dt_s * 1e-6 {
                return;
            }
        }
        self.report.hit_limit = true;
    }

    /// Lets soil slide for up to `rounds` substeps, in which it loses most of its velocity.
    fn settle(&mut self, rounds: u32, ground: &mut Ground) {
        for round in 0..rounds {
            if round % WEDGES_EVERY_ROUNDS == 0 {
                self.judge_wedges(ground);
            }
            let longest_s = self.net.longest_substep_s(self.law.voxel_size_m, self.law.gravity_m_s2);
            if !self.substep(longest_s, KEPT_IN_SETTLING, ground) {
                return;
            }
        }
    }

    /// One substep; false when nothing moves any more.
    fn substep(&mut self, dt_s: f32, kept: f32, ground: &mut Ground) -> bool {
        let (beds, mut flux) = self.moment(dt_s, kept, ground);
        let space = self.space(ground);
        let moved = apply(&self.net, &mut flux, &self.field, &space);
        self.launched.extend_from_slice(&moved.launched);
        self.report.moved += moved.units;
        self.report.rounds += u32::from(moved.units > 0);
        let is_moving = flux.velocity.iter().any(|velocity| *velocity != 0.0);
        let changed = moved.put_in_place(&self.net, &mut self.field, ground);
        self.field.refresh(&self.space(ground));
        (self.net.beds, self.net.velocity, self.net.rest) = (beds, flux.velocity, flux.rest);
        self.go_on_from(&changed, ground);
        is_moving
    }

    /// The beds of this moment and what flows on them, once the net reaches as far as slopes fail.
    fn moment(&mut self, dt_s: f32, kept: f32, ground: &Ground) -> (Vec<i64>, Flux) {
        loop {
            let moment = Moment::new(&self.net, self.law, dt_s);
            let beds = moment.beds();
            let net = &self.net;
            let fails = |at: usize| beds[at] < net.nodes[at].top;
            let sleeping = net.tiles.iter().filter(|tile| !tile.is_live);
            let woken: Vec<IVec2> =
                sleeping.filter(|tile| net.nodes_of(tile).any(fails)).map(|tile| tile.coord).collect();
            if woken.is_empty() {
                let mut velocity = moment.velocities(&beds);
                if kept < 1.0 {
                    velocity.iter_mut().for_each(|velocity| *velocity *= kept);
                }
                let flux = moment.flux(velocity, &beds);
                return (beds, flux);
            }
            let sliding = self.net.sliding();
            let live = self.live().chain(woken).collect();
            self.lay(live, &sliding, ground);
        }
    }

    fn live(&self) -> impl Iterator<Item = IVec2> + '_ {
        self.net.tiles.iter().filter(|tile| tile.is_live).map(|tile| tile.coord)
    }

    fn space<'s>(&self, ground: &'s Ground) -> Space<'s>
    where
        'a: 's,
    {
        Space::new(ground, self.now.body_fill.shares(), self.now.materials)
    }

    /// Looks at what has changed in the tiles of these numbers, and at what moves now.
    fn go_on_from(&mut self, changed: &[u32], ground: &Ground) {
        let is_like =
            changed.iter().all(|tile| self.net.is_like(&self.net.tiles[*tile as usize], &self.field));
        let mut stirs = vec![false; self.net.tiles.len()];
        changed.iter().for_each(|tile| stirs[*tile as usize] = true);
        for (number, tile) in self.net.tiles.iter().enumerate() {
            stirs[number] |= self.net.nodes_of(tile).any(|node| self.net.is_moving(node));
        }
        let (mut live, mut stirring) = (0, 0);
        let mut spreads = false;
        for (tile, stirs) in self.net.tiles.iter().zip(&stirs) {
            if *stirs {
                self.seen.quiet.remove(&tile.coord);
            } else if tile.is_live {
                self.seen.quiet.insert(tile.coord);
            }
            spreads |= *stirs && !tile.is_live;
            live += usize::from(tile.is_live);
            stirring += usize::from(*stirs);
        }
        if is_like {
            self.net.look_again(&site(&self.field, self.law, &self.footings, &self.blocks));
            self.net.rest_beds();
        } else {
            self.net.rest_beds_as_in(&self.field);
        }
        if !is_like || spreads || 2 * stirring < live {
            let sliding = self.net.sliding();
            let tiles = self.net.tiles.iter().zip(stirs);
            let live = tiles.filter(|(_, stirs)| *stirs).map(|(tile, _)| tile.coord).collect();
            self.lay(live, &sliding, ground);
        }
    }

    /// Lays the net of these tiles and those around them.
    fn lay(&mut self, live: Vec<IVec2>, sliding: &Sliding, ground: &Ground) {
        let bounds = ground.bounds();
        let mut tiles: BTreeMap<[i32; 2], bool> = BTreeMap::new();
        for tile in live.into_iter().filter(|tile| is_inside(*tile, bounds)) {
            for step in 0..9 {
                let around = tile + IVec2::new(step / 3 - 1, step % 3 - 1);
                if is_inside(around, bounds) {
                    *tiles.entry(around.to_array()).or_default() |= step == 4;
                }
            }
        }
        let tiles: Vec<(IVec2, bool)> =
            tiles.into_iter().map(|(tile, is_live)| (IVec2::from_array(tile), is_live)).collect();
        let new =
            tiles.iter().map(|(tile, _)| *tile).filter(|tile| self.field.place(*tile).is_none()).collect();
        self.add_tiles(new, ground);
        self.net = Net::lay(&tiles, &site(&self.field, self.law, &self.footings, &self.blocks), sliding);
    }

    /// Adds tiles to the field, none of which it has.
    fn add_tiles(&mut self, new: Vec<IVec2>, ground: &Ground) {
        if new.is_empty() {
            return;
        }
        let space = self.space(ground);
        self.field.add(&new, &mut self.seen.known, &space);
        let tiles = &self.field.tiles()[self.footings.len()..];
        self.footings.extend(footings(tiles, &self.seen.frictions, self.now, &self.law.floor_laws));
    }

    /// Finds the wedges of cohesive soil that slide now; returns the least safe of all. The field grows where faces go on
    /// beyond it.
    fn judge_wedges(&mut self, ground: &Ground) -> Option<Wedge> {
        let bounds = ground.bounds();
        let mut toes = self.awake.clone();
        let mut known: FxHashSet<IVec2> = toes.iter().copied().collect();
        self.add_missing(&toes, ground);
        let reach = self.law.cohesive_reach(&self.field, &toes, LONGEST_WEDGE);
        let had_blocks = !self.blocks.is_empty();
        self.blocks.clear();
        let mut worst = None;
        if reach > 0 {
            let rings = (reach + 7) / 8;
            grow(&mut toes, rings, bounds, &mut known);
            let mut around = toes.clone();
            grow(&mut around, rings, bounds, &mut known);
            self.add_missing(&around, ground);
            let places: Vec<u32> = toes.iter().filter_map(|tile| self.field.place(*tile)).collect();
            loop {
                let (blocks, least, mut unseen) = find_wedges(&self.field, self.law, &places);
                let mut once = FxHashSet::default();
                unseen.retain(|tile| {
                    is_inside(*tile, bounds) && self.field.place(*tile).is_none() && once.insert(*tile)
                });
                if unseen.is_empty() {
                    (self.blocks, worst) = (blocks, least);
                    break;
                }
                self.add_tiles(unseen, ground);
            }
        }
        if had_blocks || !self.blocks.is_empty() {
            let sliding = self.net.sliding();
            let live = self.live().chain(self.blocks.iter().map(|block| block.at.tile())).collect();
            self.lay(live, &sliding, ground);
        }
        worst
    }

    /// Adds those of these tiles to the field that it does not have.
    fn add_missing(&mut self, tiles: &[IVec2], ground: &Ground) {
        let new = tiles.iter().copied().filter(|tile| self.field.place(*tile).is_none()).collect();
        self.add_tiles(new, ground);
    }
}

fn site<'a>(
    field: &'a Field,
    law: &'a Law,
    footings: &'a [Option<Footing>],
    blocks: &'a [Block],
) -> Site<'a> {
    Site { field, law, footings, blocks }
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
