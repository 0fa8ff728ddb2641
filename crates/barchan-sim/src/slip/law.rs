//! How the materials of a world slide: tables by [`StrengthClass`](crate::material::StrengthClass).

use glam::IVec2;
use rayon::prelude::*;

use super::floor_law::FloorLaw;
use super::rule::{Grip, Strength};
use crate::columns::{Field, Pile};
use crate::in_parts::InParts;
use crate::material::{MaterialId, Materials};
use crate::units::VoidRatio;

/// Cohesion counts where it makes a cut stand that is higher than this (voxels); below, soil is loose to the grid.
const COHESION_FROM: f32 = 0.25;

/// Tiles that are worth a thread's while where they are hardly more than looked at.
const TILES_LOOKED_AT: usize = 32;

/// The law of sliding.
pub(super) struct Law {
    pub strengths: Vec<Strength>,
    pub floor_laws: Vec<FloorLaw>,
    pub is_cohesive: Vec<bool>,
    pub grips: Vec<Grip>,
    /// The rise to the next column that friction bears; none where cohesion does not count (1/32,768 voxel).
    pub bears: Vec<Option<i64>>,
    /// Void ratio of what has just moved, by kind.
    loose: Vec<VoidRatio>,
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
        let both = || strengths.iter().zip(&is_cohesive);
        let floor_laws = both().map(|(strength, is_cohesive)| FloorLaw::of(strength, *is_cohesive)).collect();
        let bears = both().map(|(strength, is_cohesive)| is_cohesive.then(|| strength.bears(1.0))).collect();
        let grips = strengths.iter().map(Grip::of).collect();
        let loose = materials.iter().map(|(kind, _)| materials.loose(kind)).collect();
        let revision = materials.revision();
        Self { strengths, floor_laws, is_cohesive, grips, bears, loose, revision, voxel_size_m, gravity_m_s2 }
    }

    /// True when it is the law for these.
    pub fn is_for(&self, materials: &Materials, gravity_m_s2: f32, voxel_size_m: f32) -> bool {
        (self.revision, self.gravity_m_s2, self.voxel_size_m)
            == (materials.revision(), gravity_m_s2, voxel_size_m)
    }

    /// Units of such soil that fill a voxel once it has moved.
    #[inline]
    pub fn capacity(&self, kind: MaterialId, void_ratio: VoidRatio) -> u32 {
        void_ratio.max(self.loose[usize::from(kind.0)]).capacity()
    }

    /// How far the wedges of the piles of these tiles reach (columns); 0 when none of them is cohesive.
    pub fn cohesive_reach(&self, field: &Field, tiles: &[IVec2], longest: i32) -> i32 {
        let run = |pile: &Pile| {
            let class = pile.whole_strength().index();
            let counts = !pile.is_bare() && self.is_cohesive[class];
            if counts { self.strengths[class].cohesive_run_m() / self.voxel_size_m } else { 0.0 }
        };
        let run_in_tile = |tile: &IVec2| {
            let piles = field.place(*tile).map_or(&[][..], |place| field.tiles()[place as usize].piles());
            piles.iter().map(run).fold(0.0, f32::max)
        };
        let longest_run =
            tiles.par_iter().in_parts_of(TILES_LOOKED_AT).map(run_in_tile).reduce(|| 0.0, f32::max);
        if longest_run > 0.0 { (longest_run.ceil() as i32).saturating_add(2).min(longest) } else { 0 }
    }
}
