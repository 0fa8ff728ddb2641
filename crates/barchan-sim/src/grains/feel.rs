//! What balls read of each other when they feel who presses.

use super::law::Pair;
use super::press::Rules;

/// Records and numbers that contacts read.
#[derive(Clone, Copy, Debug)]
pub struct Balls<'a> {
    /// Places and radii.
    pub at: &'a [[u32; 4]],
    /// Velocities and kinds.
    pub velocity: &'a [[u32; 4]],
    /// Spins.
    pub spin: &'a [[u32; 4]],
    /// Numbers of all pairs of kinds, row by row.
    pub pairs: &'a [Pair],
    /// How many kinds there are.
    pub kinds: usize,
    /// What all contacts have in common.
    pub rules: &'a Rules,
}
