//! The process: look at the awake columns, find what slides, move it; in as many rounds as its speed needs.

use barchan_volume::{Brick, Grid, VoxelBox};
use glam::{IVec2, IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::apply::{Moved, apply};
use super::flow::{Drive, Flow, Motion};
use super::pairs::PairRule;
use super::rule::Strength;
use super::wedges::{Wedge, WedgeRule};
use crate::columns::{Field, Space, Tile, downward};
use crate::ground::Ground;
use crate::material::Materials;

/// Cohesion counts where it makes a cut stand that is higher than this (voxels); below, soil is loose to the grid.
const COHESION_FROM: f32 = 0.25;

/// How soil slips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlipParams {
    /// Most rounds that a step is cut into.
    pub most_rounds: u32,
    /// How far from an awake column the toe of a cohesive wedge is looked for at most (columns).
    pub longest_wedge: i32,
}

impl Default for SlipParams {
    fn default() -> Self {
        Self { most_rounds: 32, longest_wedge: 32 }
    }
}

/// What slipping did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlipReport {
    /// Soil that moved from one column to another, as often as it did (units).
    pub moved: i64,
    /// Rounds in which soil moved.
    pub rounds: u32,
    /// True when the soil was too fast for the rounds that a step may have.
    pub hit_limit: bool,
    /// The least safe wedge of cohesive soil that was looked at.
    pub wedge: Option<Wedge>,
}

/// The process that lets piles slide.
#[derive(Clone, Debug, Default)]
pub struct Slip {
    /// How.
    pub params: SlipParams,
    /// Tiles as they were scanned last, as far as nothing has changed in them since.
    known: FxHashMap<IVec2, Tile>,
    /// The lowest voxel of the world that they were scanned in.
    lowest: i32,
}

impl Slip {
    /// Forgets what it knows of these bricks: ground or bodies in them have changed.
    pub(crate) fn forget(&mut self, bricks: impl IntoIterator<Item = IVec3>) {
        for coord in bricks {
            self.known.remove(&coord.truncate());
        }
    }

    /// Forgets all that it knows of the ground.
    pub(crate) fn drop_scratch(&mut self) {
        self.known.clear();
    }

    /// Lets the piles in awake columns slide for `dt_s` (s).
    pub fn step(
        &mut self,
        dt_s: f64,
        gravity: Vec3,
        body_shares: &Grid<u16>,
        materials: &Materials,
        ground: &mut Ground,
    ) -> SlipReport {
        let mut report = SlipReport::default();
        self.forget(ground.touched());
        if let Some(down) = downward(gravity).filter(|_| !ground.awake().is_empty()) {
            self.slide(Pace::Timed { dt_s: dt_s as f32 }, down, body_shares, materials, ground, &mut report);
        }
        report
    }

    /// Lets the piles in awake columns slide for up to `rounds` rounds as far as each pair can, whatever time that
    /// takes.
    pub(crate) fn relax(
        &mut self,
        rounds: u32,
        gravity: Vec3,
        body_shares: &Grid<u16>,
        materials: &Materials,
        ground: &mut Ground,
    ) -> SlipReport {
        let mut report = SlipReport::default();
        self.forget(ground.touched());
        if let Some(down) = downward(gravity) {
            self.slide(Pace::Rounds { rounds }, down, body_shares, materials, ground, &mut report);
        }
        report
    }

    fn slide(
        &mut self,
        pace: Pace,
        down: f32,
        body_shares: &Grid<u16>,
        materials: &Materials,
        ground: &mut Ground,
        report: &mut SlipReport,
    ) {
        let law = Law::new(materials, down, ground.voxel_size_m());
        let site = law.site(&Space::new(ground, body_shares, materials), self.params.longest_wedge);
        if self.lowest != ground.floor_z() {
            (self.known, self.lowest) = (FxHashMap::default(), ground.floor_z());
        }
        let mut field =
            Field::scan(&site.tiles, &mut self.known, &Space::new(ground, body_shares, materials));
        let (most_rounds, mut left_s) = match pace {
            Pace::Timed { dt_s } => (self.params.most_rounds, dt_s),
            Pace::Rounds { rounds } => (rounds, f32::INFINITY),
        };
        report.hit_limit = matches!(pace, Pace::Timed { .. });
        for round in 0..most_rounds {
            let (flows, wedge) = law.flows(&field, &site);
            if round == 0 {
                report.wedge = wedge;
            }
            if !flows.iter().any(Flow::is_unstable) {
                report.hit_limit = false;
                break;
            }
            let motion = Motion::of(&flows, &field, law.voxel_size_m, law.gravity_m_s2);
            // In one round the fastest soil crosses no more than one column.
            let round_s = (law.voxel_size_m / motion.fastest_m_s()).min(left_s);
            left_s -= round_s;
            let heights = motion.heights(round_s / law.voxel_size_m);
            let space = Space::new(ground, body_shares, materials);
            let Moved { units, tiles, patches } = apply(&flows, &heights, &field, &space);
            if units == 0 {
                report.hit_limit = false;
                break;
            }
            report.moved += units;
            report.rounds += 1;
            patches.into_iter().for_each(|patch| patch.commit(ground));
            if left_s <= 0.0 {
                report.hit_limit = false;
                break;
            }
            field.refresh(&tiles, &Space::new(ground, body_shares, materials));
        }
        self.known = field.into_tiles();
        // The last round changed the ground after it was scanned.
        self.forget(ground.touched());
    }
}

/// How long soil slides.
#[derive(Clone, Copy)]
enum Pace {
    /// As far as it gets in this time (s).
    Timed { dt_s: f32 },
    /// As far as it gets in this many rounds, each as large as can be.
    Rounds { rounds: u32 },
}

/// The law of sliding for one step.
struct Law {
    strengths: Vec<Strength>,
    is_cohesive: Vec<bool>,
    voxel_size_m: f32,
    gravity_m_s2: f32,
}

/// Which tiles are looked at.
struct Site {
    /// All of them.
    tiles: Vec<IVec2>,
    /// How many of them, from the first on, may lose soil by pairs.
    awake: usize,
    /// How many of them, from the first on, may hold the toe of a wedge; none where nothing is cohesive.
    toes: usize,
}

impl Law {
    fn new(materials: &Materials, gravity_m_s2: f32, voxel_size_m: f32) -> Self {
        let strengths: Vec<Strength> =
            materials.iter().map(|(_, material)| Strength::of(material, gravity_m_s2)).collect();
        let is_cohesive = strengths.iter().map(|s| s.cut_height_m() > COHESION_FROM * voxel_size_m).collect();
        Self { strengths, is_cohesive, voxel_size_m, gravity_m_s2 }
    }

    /// The awake tiles, around them those that may hold toes, around these those that soil may slide to.
    fn site(&self, space: &Space<'_>, longest_wedge: i32) -> Site {
        let mut tiles: Vec<IVec2> = space.ground.awake().bricks().map(|coord| coord.truncate()).collect();
        // Awake bricks come in the order of their columns.
        tiles.dedup();
        let mut known: FxHashSet<IVec2> = tiles.iter().copied().collect();
        let reach = self.cohesive_reach(space, longest_wedge);
        let (awake, bounds) = (tiles.len(), space.ground.bounds());
        if reach > 0 {
            grow(&mut tiles, (reach + 7) / 8, bounds, &mut known);
        }
        let toes = if reach > 0 { tiles.len() } else { 0 };
        grow(&mut tiles, if reach > 0 { (reach + 7) / 8 } else { 1 }, bounds, &mut known);
        Site { tiles, awake, toes }
    }

    /// How far the wedges of the cohesive soils in the awake bricks reach (columns); 0 when there are none.
    fn cohesive_reach(&self, space: &Space<'_>, longest: i32) -> i32 {
        if !self.is_cohesive.contains(&true) {
            return 0;
        }
        let reach = |kind: usize| {
            if !self.is_cohesive[kind] {
                return 0;
            }
            let run = self.strengths[kind].cohesive_run_m() / self.voxel_size_m;
            (run.ceil() as i32).saturating_add(2).min(longest)
        };
        let reaches: Vec<i32> = (0..self.is_cohesive.len()).map(reach).collect();
        let bricks: Vec<_> = space.ground.awake().bricks().collect();
        let of_brick = |coord: &IVec3| match space.ground.voxels().stored(*coord) {
            None => 0,
            Some(Brick::Uniform(voxel)) if voxel.soil == 0 => 0,
            Some(Brick::Uniform(voxel)) => reaches[usize::from(voxel.soil_kind.0)],
            Some(Brick::Dense(voxels)) => {
                let soils = voxels.iter().filter(|voxel| voxel.soil > 0);
                soils.map(|voxel| reaches[usize::from(voxel.soil_kind.0)]).max().unwrap_or(0)
            }
        };
        bricks.par_iter().with_min_len(16).map(of_brick).max().unwrap_or(0)
    }

    /// What slides now, in the order of tiles, and the least safe wedge.
    fn flows(&self, field: &Field, site: &Site) -> (Vec<Flow>, Option<Wedge>) {
        let Self { strengths, is_cohesive, .. } = self;
        let pairs = PairRule::new(field, strengths, is_cohesive);
        let by_tile: Vec<Vec<Flow>> =
            (0..site.awake as u32).into_par_iter().with_min_len(4).map(|place| pairs.flows(place)).collect();
        let mut flows: Vec<Flow> = by_tile.into_iter().flatten().collect();
        if site.toes == 0 {
            return (flows, None);
        }
        let wedges = WedgeRule::new(field, strengths, is_cohesive, self.voxel_size_m);
        let found: Vec<(Vec<Flow>, Option<Wedge>)> =
            (0..site.toes as u32).into_par_iter().with_min_len(4).map(|place| wedges.flows(place)).collect();
        let least = |a: Option<Wedge>, b: Option<Wedge>| match (a, b) {
            (Some(a), Some(b)) => Some(if b.safety < a.safety { b } else { a }),
            (a, b) => a.or(b),
        };
        let worst = found.iter().map(|(_, wedge)| *wedge).fold(None, least);
        flows.extend(found.into_iter().flat_map(|(flows, _)| flows));
        // Those of a pile must stand together; where it lies above the planes of several toes, the deepest counts.
        let depth = |flow: &Flow| match flow.drive {
            Drive::Wedge { above, .. } => above,
            Drive::Slope { .. } => 0,
        };
        flows.sort_by_key(|flow| (flow.from, flow.to, std::cmp::Reverse(depth(flow))));
        flows.dedup_by_key(|flow| (flow.from, flow.to));
        (flows, worst)
    }
}

/// Adds all tiles within `rings` of those that are there, as far as they are inside the walls.
fn grow(tiles: &mut Vec<IVec2>, rings: i32, bounds: Option<VoxelBox>, known: &mut FxHashSet<IVec2>) {
    let is_inside = |tile: IVec2| {
        bounds.is_none_or(|b| {
            let (low, high) = (b.min.truncate() >> 3, (b.max.truncate() - 1) >> 3);
            tile.cmpge(low).all() && tile.cmple(high).all()
        })
    };
    let mut rim = 0..tiles.len();
    for _ in 0..rings {
        for at in rim.clone() {
            for step in 0..9 {
                let tile = tiles[at] + IVec2::new(step / 3 - 1, step % 3 - 1);
                if is_inside(tile) && known.insert(tile) {
                    tiles.push(tile);
                }
            }
        }
        rim = rim.end..tiles.len();
    }
}
