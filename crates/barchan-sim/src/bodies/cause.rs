//! Who acts on bodies.

/// What a force on a body comes from. Gravity, and what bodies and walls do to each other, are none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Rock and soil that carry it, hold it back and lie on it.
    Bearing,
    /// Water that flows.
    Water,
    /// Grains.
    Grains,
    /// Soil that slides or falls against it.
    Soil,
    /// Soil that it cuts.
    Carve,
}

impl Cause {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// All of them.
    pub const ALL: [Self; 5] = [Self::Bearing, Self::Water, Self::Grains, Self::Soil, Self::Carve];

    /// What it is called in tables, on the wire and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bearing => "bearing",
            Self::Water => "water",
            Self::Grains => "grains",
            Self::Soil => "soil",
            Self::Carve => "carve",
        }
    }
}
