//! How far uphill a wedge can reach: the ground further away lies below the slope that friction alone bears.
//!
//! A plane of rise `h` and run `r` fails only where `h / r` is more than the mean friction along it (Culmann1866: what
//! cohesion adds is never negative), which is no less than the least friction of all soils around. So once all ground
//! ahead lies below the line from the toe at that slope, no plane that comes out there fails, and a walk uphill may end.

use glam::IVec2;
use rayon::prelude::*;

use super::rule::Strength;
use crate::columns::{Field, HEIGHT_ONE, Pile, Tile};

/// Share of the least friction that is counted on: rounding comes nowhere near the rest.
const COUNTED_ON: f32 = 0.999;

/// The highest soil of every tile.
pub(super) struct Horizon {
    /// By place of the tile (1/32,768 voxel).
    highest: Vec<i64>,
    /// The least friction of all soils in the field (-).
    tan_phi: f32,
}

/// The ground ahead of a tile in one direction, in shells of tiles that are equally many tiles away.
#[derive(Default)]
pub(super) struct Ahead {
    shells: Vec<Shell>,
    /// The rise from one column to the next that friction bears for certain (1/32,768 voxel).
    bears: f32,
}

struct Shell {
    /// Its highest soil (1/32,768 voxel).
    highest: i64,
    /// A toe in the first tile that is no lower than this has no failing plane beyond this shell (1/32,768 voxel).
    beyond: i64,
}

impl Horizon {
    /// The horizon of all tiles of `field`.
    pub fn of(field: &Field, strengths: &[Strength]) -> Self {
        let look = |tile: &Tile| {
            let soils = tile.piles().iter().filter(|pile| !pile.is_bare());
            soils.fold((NOTHING, f32::INFINITY), |(highest, tan_phi), pile: &Pile| {
                (highest.max(pile.top), tan_phi.min(strengths[usize::from(pile.kind.0)].tan_phi))
            })
        };
        let (highest, least): (Vec<i64>, Vec<f32>) =
            field.tiles().par_iter().with_min_len(16).map(look).unzip();
        Self { highest, tan_phi: least.into_iter().fold(f32::INFINITY, f32::min) }
    }

    /// What lies ahead of the tile at `coord`, as far as a walk from it can come.
    pub fn ahead(&self, field: &Field, coord: IVec2, direction: IVec2) -> Ahead {
        let bears = COUNTED_ON * self.tan_phi * direction.as_vec2().length() * HEIGHT_ONE as f32;
        let mut shells = Vec::with_capacity(16);
        for shell in 0.. {
            let at = coord + direction * shell;
            // A walk across the corners of tiles also passes those beside the diagonal.
            let beside = [at - IVec2::new(direction.x, 0), at - IVec2::new(0, direction.y)];
            let is_diagonal = direction.x != 0 && direction.y != 0 && shell > 0;
            let highest = |at: IVec2| field.place(at).map_or(NOTHING, |place| self.highest[place as usize]);
            let highest_beside =
                if is_diagonal { highest(beside[0]).max(highest(beside[1])) } else { NOTHING };
            shells.push(Shell { highest: highest(at).max(highest_beside), beyond: NOTHING });
            // No walk comes past a tile that is not in the field.
            if field.place(at).is_none() {
                break;
            }
        }
        for shell in (1..shells.len()).rev() {
            let first_column = 8 * (shell as i32 - 1) + 1;
            let Shell { highest, beyond } = shells[shell];
            shells[shell - 1].beyond = beyond.max(highest.saturating_sub(rise(bears, first_column)));
        }
        Ahead { shells, bears }
    }
}

impl Ahead {
    /// True when no plane from a toe at height `base` fails that comes out further away than `column`, which lies in
    /// this shell.
    #[inline]
    pub fn is_safe_beyond(&self, column: i32, shell: i32, base: i64) -> bool {
        self.shells.get(shell as usize).is_some_and(|shell| {
            shell.beyond <= base && shell.highest.saturating_sub(rise(self.bears, column + 1)) <= base
        })
    }
}

/// Lower than all ground.
const NOTHING: i64 = i64::MIN / 2;

/// What friction bears from the toe to a column that is so many columns away: a face begins up to half a column uphill
/// of the middle of its toe.
#[inline]
fn rise(bears: f32, column: i32) -> i64 {
    (bears * (column as f32 - 0.5)) as i64
}
