//! How the materials of a world slide, and what of it does.

use glam::IVec2;
use rayon::prelude::*;

use super::floor_law::FloorLaw;
use super::flow::{Drive, Flow};
use super::motion::SpeedLaw;
use super::pairs::{MOST_FLOWS, PairRule};
use super::parts::parts;
use super::rule::{SlopeForce, Strength};
use super::slip::Site;
use super::wedges::{Found, Wedge, WedgeRule};
use crate::columns::{Field, Pile, Tile};
use crate::in_parts::{InParts, part_len};
use crate::material::Materials;

/// Cohesion counts where it makes a cut stand that is higher than this (voxels); below, soil is loose to the grid.
const COHESION_FROM: f32 = 0.25;

/// Most tiles whose flows a thread finds at once, and how many mostly leave a tile at most: threads that ask for memory often
/// wait for each other.
const TILES_PER_TASK: usize = 3;
const FLOWS_PER_TILE: usize = 64 * MOST_FLOWS;

/// The same where they are hardly more than looked at.
const TILES_LOOKED_AT: usize = 32;

/// The law of sliding, by [`StrengthClass`](crate::material::StrengthClass).
pub(super) struct Law {
    pub strengths: Vec<Strength>,
    pub floor_laws: Vec<FloorLaw>,
    pub is_cohesive: Vec<bool>,
    pub forces: Vec<SlopeForce>,
    /// The rise that friction bears, by distance (1/32,768 voxel).
    pub reaches: Vec<[i64; 3]>,
    /// The rise to the next column that friction bears; none where cohesion does not count (1/32,768 voxel).
    pub bears: Vec<Option<i64>>,
    /// Of which table of materials.
    revision: u32,
    pub voxel_size_m: f32,
    pub gravity_m_s2: f32,
}

impl Law {
    pub fn new(materials: &Materials, gravity_m_s2: f32, voxel_size_m: f32) -> Self {
        let strengths: Vec<Strength> =
            materials.strengths().iter().map(|strength| strength.in_gravity(gravity_m_s2)).collect();
        let is_cohesive: Vec<bool> =
            strengths.iter().map(|s| s.cut_height_m() > COHESION_FROM * voxel_size_m).collect();
        let forces = strengths.iter().map(|s| SlopeForce::on_plane(s.tan_phi)).collect();
        let both = || strengths.iter().zip(&is_cohesive);
        let floor_laws = both().map(|(strength, is_cohesive)| FloorLaw::of(strength, *is_cohesive)).collect();
        let reaches = strengths.iter().map(PairRule::reaches).collect();
        let bears = both().map(|(strength, is_cohesive)| is_cohesive.then(|| strength.bears(1.0))).collect();
        Self {
            strengths,
            floor_laws,
            is_cohesive,
            forces,
            reaches,
            bears,
            revision: materials.revision(),
            voxel_size_m,
            gravity_m_s2,
        }
    }

    /// True when it is the law for these.
    pub fn is_for(&self, materials: &Materials, gravity_m_s2: f32, voxel_size_m: f32) -> bool {
        (self.revision, self.gravity_m_s2, self.voxel_size_m)
            == (materials.revision(), gravity_m_s2, voxel_size_m)
    }

    pub fn speed(&self) -> SpeedLaw {
        let &Self { voxel_size_m, gravity_m_s2, .. } = self;
        SpeedLaw { voxel_size_m, gravity_m_s2 }
    }

    /// How far the wedges of these piles reach (columns); 0 when none of them is cohesive.
    pub fn cohesive_reach(&self, tiles: &[Tile], longest: i32) -> i32 {
        let run = |pile: &Pile| {
            let class = pile.whole_strength().index();
            let counts = !pile.is_bare() && self.is_cohesive[class];
            if counts { self.strengths[class].cohesive_run_m() / self.voxel_size_m } else { 0.0 }
        };
        let run_in_tile = |tile: &Tile| tile.piles().iter().map(run).fold(0.0, f32::max);
        let tiles = tiles.par_iter().in_parts_of(TILES_LOOKED_AT);
        let longest_run = tiles.map(run_in_tile).reduce(|| 0.0, f32::max);
        if longest_run > 0.0 { (longest_run.ceil() as i32).saturating_add(2).min(longest) } else { 0 }
    }

    /// Finds what slides by pairs of columns in the tiles at these places, in their order.
    pub fn pair_flows(&self, field: &Field, places: &[u32], site: &Site, flows: &mut Vec<Flow>) {
        let pairs = PairRule::new(field, self, site);
        let of_tiles = |places: &[u32]| {
            let mut flows = Vec::with_capacity(places.len() * FLOWS_PER_TILE);
            places.iter().for_each(|place| pairs.flows(*place, &mut flows));
            flows
        };
        let found: Vec<Vec<Flow>> =
            places.par_chunks(part_len(places.len(), TILES_PER_TASK)).in_parts_of(1).map(of_tiles).collect();
        // What stays of the last round is written over.
        flows.resize(found.iter().map(Vec::len).sum(), Flow::default());
        let places = parts(flows, found.iter().map(Vec::len)).into_par_iter();
        places.zip(&found).in_parts_of(8).for_each(|(place, found)| place.copy_from_slice(found));
    }

    /// What slides in wedges whose toes are in the first `toes` tiles, the least safe of them, and tiles outside the field
    /// into which their faces go on.
    pub fn wedge_flows(&self, field: &Field, toes: usize) -> (Vec<Flow>, Option<Wedge>, Vec<IVec2>) {
        let wedges = WedgeRule::new(field, &self.strengths, &self.bears, self.voxel_size_m);
        let found: Vec<Found> =
            (0..toes as u32).into_par_iter().with_min_len(4).map(|place| wedges.found(place)).collect();
        let least = |a: Option<Wedge>, b: Option<Wedge>| match (a, b) {
            (Some(a), Some(b)) => Some(if b.safety < a.safety { b } else { a }),
            (a, b) => a.or(b),
        };
        let worst = found.iter().map(|found| found.worst).fold(None, least);
        let unseen = found.iter().flat_map(|found| &found.unseen).copied().collect();
        (found.into_iter().flat_map(|found| found.flows).collect(), worst, unseen)
    }
}

/// Brings together the flows of each pile. Where it lies above the planes of several toes, the deepest counts.
pub(super) fn keep_one_per_pair(flows: &mut Vec<Flow>) {
    let depth = |flow: &Flow| match flow.drive {
        Drive::Wedge { above, .. } => above,
        Drive::Slope { .. } | Drive::Floor { .. } => 0,
    };
    flows.sort_by_key(|flow| (flow.from, flow.to, std::cmp::Reverse(depth(flow))));
    flows.dedup_by_key(|flow| (flow.from, flow.to));
}
