//! How far uphill a wedge can reach: what lies further away holds, whatever it looks like.
//!
//! Friction: a plane of rise `h` and run `r` fails only where `t = h / r` is more than the mean friction along it, for
//! what cohesion adds is never negative (Culmann1866). Ground below the line from the toe at the least friction of all
//! soils is out of reach.
//!
//! Cohesion: where no ground within reach is higher than `H` above the toe, a wedge weighs no more than `gamma H r`. A
//! plane over `k` of at most `K` columns, whose cohesions add up to `C`, holds when
//! `C / k (r² + h²) >= gamma H r (h - r tan phi)`, thus when `C / K >= gamma H (t - tan phi) / (1 + t²)`. The right side
//! is largest at `t = tan phi + 1 / cos phi`, where the fraction is `1 / (2 t)`. `C` never falls on the way uphill: once
//! it is `gamma H K / (2 t)`, all planes that come out later hold.

use glam::IVec2;
use rayon::prelude::*;

use super::rule::Strength;
use crate::columns::{Field, HEIGHT_ONE, Pile, Tile};

/// What rounding may add to or take from a strength (-): far more than it does.
const ROUNDING: f32 = 1e-3;

/// Lower than all ground.
const NOTHING: i64 = i64::MIN / 2;

/// The highest soil of every tile, and what all soils have at least.
pub(super) struct Horizon {
    /// By place of the tile (1/32,768 voxel).
    highest: Vec<i64>,
    /// The least friction of all soils in the field (-).
    tan_phi: f32,
    /// Cohesion that each column needs for each column of reach and 1/32,768 voxel of height (Pa).
    cohesion_pa: f32,
}

/// The ground ahead of a tile in one direction, in shells of tiles that are equally many tiles away.
pub(super) struct Ahead {
    shells: Vec<Shell>,
    /// The rise from one column to the next that friction bears for certain (1/32,768 voxel).
    bears: f32,
    cohesion_pa: f32,
}

struct Shell {
    /// Its highest soil (1/32,768 voxel).
    highest: i64,
    /// A toe in the first tile that is no lower than this reaches nothing beyond this shell (1/32,768 voxel).
    beyond: i64,
}

/// How far the planes from a toe may fail.
pub(super) struct Reach {
    /// Columns to the furthest plane.
    pub columns: i32,
    /// Sum of the cohesions of columns after which all further planes hold (Pa).
    pub enough_pa: f32,
}

impl Horizon {
    /// The horizon of all tiles of `field`, in voxels of `voxel_size_m` (m).
    pub fn of(field: &Field, strengths: &[Strength], voxel_size_m: f32) -> Self {
        let look = |tile: &Tile| {
            let soils = tile.piles().iter().filter(|pile| !pile.is_bare());
            soils.fold((NOTHING, f32::INFINITY, 0.0_f32), |(highest, tan_phi, gamma), pile: &Pile| {
                let strength = &strengths[usize::from(pile.kind.0)];
                (highest.max(pile.top), tan_phi.min(strength.tan_phi), gamma.max(strength.gamma_n_m3))
            })
        };
        let seen: Vec<(i64, f32, f32)> = field.tiles().par_iter().with_min_len(16).map(look).collect();
        let tan_phi = seen.iter().fold(f32::INFINITY, |least, tile| least.min(tile.1)) * (1.0 - ROUNDING);
        let gamma_n_m3 = seen.iter().fold(0.0_f32, |most, tile| most.max(tile.2)) * (1.0 + ROUNDING);
        let steepest = tan_phi + (1.0 + tan_phi * tan_phi).sqrt();
        let cohesion_pa = gamma_n_m3 * voxel_size_m / HEIGHT_ONE as f32 / (2.0 * steepest);
        Self { highest: seen.into_iter().map(|tile| tile.0).collect(), tan_phi, cohesion_pa }
    }

    /// What lies ahead of the tile at `coord`, as far as a walk from it can come.
    pub fn ahead(&self, field: &Field, coord: IVec2, direction: IVec2) -> Ahead {
        let bears = self.tan_phi * direction.as_vec2().length() * HEIGHT_ONE as f32;
        let highest = |at: IVec2| field.place(at).map(|place| self.highest[place as usize]);
        let is_diagonal = direction.x != 0 && direction.y != 0;
        let mut shells = Vec::with_capacity(16);
        for shell in 0.. {
            let at = coord + direction * shell;
            let mut soil = highest(at).unwrap_or(NOTHING);
            if is_diagonal && shell > 0 {
                // A walk across the corners of tiles also passes those beside the diagonal.
                let beside = [at - IVec2::new(direction.x, 0), at - IVec2::new(0, direction.y)];
                soil = beside.into_iter().filter_map(highest).fold(soil, i64::max);
            }
            shells.push(Shell { highest: soil, beyond: NOTHING });
            // No walk comes past a tile that is not in the field.
            if highest(at).is_none() {
                break;
            }
        }
        for shell in (1..shells.len()).rev() {
            let Shell { highest, beyond } = shells[shell];
            let borne = (bears * (columns_of(shell).0 as f32 - 0.5)) as i64;
            shells[shell - 1].beyond = beyond.max(highest.saturating_sub(borne));
        }
        Ahead { shells, bears, cohesion_pa: self.cohesion_pa }
    }
}

impl Ahead {
    /// How far the planes from a toe at height `base` may fail.
    pub fn reach(&self, base: i64) -> Reach {
        let (mut columns, mut height) = (1, 0);
        for (place, shell) in self.shells.iter().enumerate() {
            let rise = shell.highest - base;
            height = height.max(rise);
            // A face begins up to half a column uphill of the middle of its toe.
            let borne_from = (rise as f32 / self.bears + 0.5) as i32;
            let (first, last) = columns_of(place);
            if borne_from >= first {
                columns = columns.max(borne_from.min(last));
            }
            if shell.beyond <= base {
                break;
            }
        }
        Reach { columns, enough_pa: self.cohesion_pa * height as f32 * columns as f32 }
    }
}

/// The first and the last column, counted from a toe anywhere in the first tile, that may lie in a shell.
fn columns_of(shell: usize) -> (i32, i32) {
    (8 * shell as i32 - 7, 8 * shell as i32 + 7)
}
