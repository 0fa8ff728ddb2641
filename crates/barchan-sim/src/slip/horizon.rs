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
//!
//! Where the ground at the end of the field is still above the line of friction, nothing is known of how far it goes on.

use glam::IVec2;

use super::outline::{NOTHING, Outline};
use crate::columns::{Field, HEIGHT_ONE};

/// What rounding may add to or take from a strength (-): far more than it does.
const ROUNDING: f32 = 1e-3;

/// What all soils of a field have at least.
pub(super) struct Horizon {
    /// Friction (-).
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
    /// The horizon of all tiles of a field, in voxels of `voxel_size_m` (m).
    pub fn of(outlines: &[Outline], voxel_size_m: f32) -> Self {
        let least = outlines.iter().fold(f32::INFINITY, |least, tile| least.min(tile.tan_phi));
        let heaviest = outlines.iter().fold(0.0_f32, |most, tile| most.max(tile.gamma_n_m3));
        let tan_phi = least * (1.0 - ROUNDING);
        let steepest = tan_phi + (1.0 + tan_phi * tan_phi).sqrt();
        let cohesion_pa = heaviest * (1.0 + ROUNDING) * voxel_size_m / HEIGHT_ONE as f32 / (2.0 * steepest);
        Self { tan_phi, cohesion_pa }
    }

    /// What lies ahead of the tile at `coord`, as far as a walk from it can come.
    pub fn ahead(&self, field: &Field, outlines: &[Outline], coord: IVec2, direction: IVec2) -> Ahead {
        let bears = self.tan_phi * direction.as_vec2().length() * HEIGHT_ONE as f32;
        let highest = |at: IVec2| field.place(at).map(|place| outlines[place as usize].highest);
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
            let borne = (bears * (columns_of(shell).0 as f32 - 1.0)) as i64;
            shells[shell - 1].beyond = beyond.max(highest.saturating_sub(borne));
        }
        Ahead { shells, bears, cohesion_pa: self.cohesion_pa }
    }
}

impl Ahead {
    /// How far the planes from a toe at height `base` may fail.
    pub fn reach(&self, base: i64) -> Reach {
        let (mut columns, mut height) = (1, 0);
        // After the last shell comes a tile that is not in the field.
        let last_seen = self.shells.len() - 2;
        for (place, shell) in self.shells.iter().enumerate() {
            let rise = shell.highest - base;
            height = height.max(rise);
            // A face begins less than a column uphill of the middle of its toe.
            let borne_from = (rise as f32 / self.bears + 1.0) as i32;
            let (first, last) = columns_of(place);
            if borne_from >= first {
                columns = columns.max(borne_from.min(last));
            }
            if place == last_seen && borne_from > last {
                return Reach { columns: last + 1, enough_pa: f32::INFINITY };
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
