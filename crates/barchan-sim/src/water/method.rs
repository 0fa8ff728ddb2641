//! Which equations move the water.

use serde::{Deserialize, Serialize};

/// How the pressure of water is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// Solved for, so that water keeps its volume (BenderKoschier2015).
    #[default]
    Dfsph,
    /// From an equation of state with Müller's kernels (Müller2003): the more it is pressed the more it presses back.
    Muller,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Dfsph, Self::Muller];

    /// What it is called in scenes and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dfsph => "dfsph",
            Self::Muller => "muller",
        }
    }
}
