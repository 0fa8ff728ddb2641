//! The process: look at the awake columns, find what slides, move it; in as many rounds as its speed needs.

use barchan_volume::VoxelBox;
use glam::{IVec2, IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::apply::{Moved, apply};
use super::floor_law::FloorLaw;
use super::flow::{Drive, Flow, Motion, SpeedLaw};
use super::footing::{Footing, PlacedBodies, footings};
use super::pairs::PairRule;
use super::rule::{SlopeForce, Strength};
use super::wedges::{Wedge, WedgeRule};
use crate::columns::{Field, Pile, Space, Tile, commit, downward};
use crate::ground::Ground;
use crate::material::{Material, Materials, Phase};

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
    /// The least safe wedge of cohesive soil that was looked at: faces that hold for certain are not. Exact where its factor of
    /// safety is below one.
    pub wedge: Option<Wedge>,
}

/// The process that lets piles slide.
#[derive(Clone, Debug, Default)]
pub struct Slip {
    /// How.
    pub params: SlipParams,
    /// Tiles as they were scanned last; each knows what has changed in it since.
    known: FxHashMap<IVec2, Tile>,
    /// The lowest voxel of the world that they were scanned in.
    lowest: i32,
}

impl Slip {
    /// Forgets what it knows of these bricks: ground or bodies in them have changed.
    pub(crate) fn forget(&mut self, bricks: impl IntoIterator<Item = IVec3>) {
        for coord in bricks {
            if let Some(tile) = self.known.get_mut(&coord.truncate()) {
                tile.note_change(coord.z);
            }
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
        placed: PlacedBodies<'_>,
        materials: &Materials,
        ground: &mut Ground,
    ) -> SlipReport {
        let mut report = SlipReport::default();
        self.forget(ground.touched());
        if let Some(down) = downward(gravity).filter(|_| !ground.awake().is_empty()) {
            self.slide(Pace::Timed { dt_s: dt_s as f32 }, down, placed, materials, ground, &mut report);
        }
        report
    }

    /// Lets the piles in awake columns slide for up to `rounds` rounds as far as each pair can, whatever time that
    /// takes.
    pub(crate) fn relax(
        &mut self,
        rounds: u32,
        gravity: Vec3,
        placed: PlacedBodies<'_>,
        materials: &Materials,
        ground: &mut Ground,
    ) -> SlipReport {
        let mut report = SlipReport::default();
        self.forget(ground.touched());
        if let Some(down) = downward(gravity) {
            self.slide(Pace::Rounds { rounds }, down, placed, materials, ground, &mut report);
        }
        report
    }

    /// The awake tiles, around them those that may hold toes, around these those that soil may slide to.
    fn look_around(&mut self, law: &Law, placed: PlacedBodies<'_>, space: &Space<'_>) -> (Field, Site) {
        let mut tiles: Vec<IVec2> = space.ground.awake().bricks().map(|coord| coord.truncate()).collect();
        // Awake bricks come in the order of their columns.
        tiles.dedup();
        let (awake, bounds) = (tiles.len(), space.ground.bounds());
        let mut seen: FxHashSet<IVec2> = tiles.iter().copied().collect();
        grow(&mut tiles, 1, bounds, &mut seen);
        let mut field = Field::default();
        field.add(&tiles, &mut self.known, space);
        let footings = footings(&field.tiles()[..awake], placed, &law.floor_laws);
        let rings = (law.cohesive_reach(&field.tiles()[..awake], self.params.longest_wedge) + 7) / 8;
        if rings == 0 {
            return (field, Site { awake, toes: 0, footings });
        }
        grow(&mut tiles, rings - 1, bounds, &mut seen);
        let toes = tiles.len();
        grow(&mut tiles, rings, bounds, &mut seen);
        field.add(&tiles[field.tiles().len()..], &mut self.known, space);
        (field, Site { awake, toes, footings })
    }

    fn slide(
        &mut self,
        pace: Pace,
        down: f32,
        placed: PlacedBodies<'_>,
        materials: &Materials,
        ground: &mut Ground,
        report: &mut SlipReport,
    ) {
        let law = Law::new(materials, down, ground.voxel_size_m());
        if self.lowest != ground.floor_z() {
            (self.known, self.lowest) = (FxHashMap::default(), ground.floor_z());
        }
        let shares = placed.fill.shares();
        let space = Space::new(ground, shares, materials);
        let (mut field, site) = self.look_around(&law, placed, &space);
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
            let motion = Motion::of(&flows, &field, &law.speed());
            // In one round the fastest soil crosses no more than one column.
            let round_s = (law.voxel_size_m / motion.fastest_m_s()).min(left_s);
            left_s -= round_s;
            let heights = motion.heights(round_s / law.voxel_size_m);
            let space = Space::new(ground, shares, materials);
            let Moved { units, tiles } = apply(&flows, &heights, &field, &space);
            if units == 0 {
                report.hit_limit = false;
                break;
            }
            report.moved += units;
            report.rounds += 1;
            for (place, bricks) in tiles {
                bricks.iter().for_each(|(coord, _)| field.note_change(place, coord.z));
                commit(bricks, ground);
            }
            if left_s <= 0.0 {
                report.hit_limit = false;
                break;
            }
            field.refresh(&Space::new(ground, shares, materials));
        }
        self.known = field.into_tiles();
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
    floor_laws: Vec<FloorLaw>,
    is_cohesive: Vec<bool>,
    forces: Vec<SlopeForce>,
    voxel_size_m: f32,
    gravity_m_s2: f32,
}

/// Which tiles of the field do what.
struct Site {
    /// How many of them, from the first on, may lose soil by pairs.
    awake: usize,
    /// How many of them, from the first on, may hold the toe of a wedge; none where nothing is cohesive.
    toes: usize,
    /// What the soil of the awake tiles may slide on; nothing at all where no body is smooth.
    footings: Vec<Option<Footing>>,
}

impl Law {
    fn new(materials: &Materials, gravity_m_s2: f32, voxel_size_m: f32) -> Self {
        let strengths: Vec<Strength> =
            materials.iter().map(|(_, material)| Strength::of(material, gravity_m_s2)).collect();
        let is_cohesive = strengths.iter().map(|s| s.cut_height_m() > COHESION_FROM * voxel_size_m).collect();
        let forces = strengths.iter().map(|s| SlopeForce::on_plane(s.tan_phi)).collect();
        // Rock does not slide: no floor is too smooth for it.
        let rock = Strength::default();
        let of_soil = |(strength, (_, material)): (&_, (_, &Material))| {
            FloorLaw::of(if material.phase == Phase::Soil { strength } else { &rock })
        };
        let floor_laws = strengths.iter().zip(materials.iter()).map(of_soil).collect();
        Self { strengths, floor_laws, is_cohesive, forces, voxel_size_m, gravity_m_s2 }
    }

    fn speed(&self) -> SpeedLaw<'_> {
        let &Self { voxel_size_m, gravity_m_s2, .. } = self;
        SpeedLaw { forces: &self.forces, voxel_size_m, gravity_m_s2 }
    }

    /// How far the wedges of these piles reach (columns); 0 when none of them is cohesive.
    fn cohesive_reach(&self, tiles: &[Tile], longest: i32) -> i32 {
        let run = |pile: &Pile| {
            let kind = usize::from(pile.kind.0);
            let counts = self.is_cohesive[kind] && !pile.is_bare();
            if counts { self.strengths[kind].cohesive_run_m() / self.voxel_size_m } else { 0.0 }
        };
        let longest_run = tiles.iter().flat_map(Tile::piles).map(run).fold(0.0, f32::max);
        if longest_run > 0.0 { (longest_run.ceil() as i32).saturating_add(2).min(longest) } else { 0 }
    }

    /// What slides now, in the order of tiles, and the least safe wedge.
    fn flows(&self, field: &Field, site: &Site) -> (Vec<Flow>, Option<Wedge>) {
        let Self { strengths, is_cohesive, floor_laws, .. } = self;
        let pairs = PairRule::new(field, strengths, is_cohesive, floor_laws, &site.footings);
        let by_tile: Vec<Vec<Flow>> =
            (0..site.awake as u32).into_par_iter().with_min_len(4).map(|place| pairs.flows(place)).collect();
        let mut flows = by_tile.concat();
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
            Drive::Slope { .. } | Drive::Floor { .. } => 0,
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
