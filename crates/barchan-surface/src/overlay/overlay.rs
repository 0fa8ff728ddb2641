//! Which overlays there are.

/// What the colours of the ground tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// How loose soil lies.
    VoidRatio,
    /// Mean stress by the weight of soil and by what presses on it.
    Stress,
    /// Shear strength at the surface under 10 kPa.
    Strength,
    /// How far the surface lies lower than it did.
    Sinkage,
    /// Mean stress over the greatest that the soil has borne.
    Yield,
    /// Factor of safety of the slope.
    Safety,
}

impl Overlay {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::VoidRatio, Self::Stress, Self::Strength, Self::Sinkage, Self::Yield, Self::Safety];

    /// What it is called on the command line and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::VoidRatio => "void_ratio",
            Self::Stress => "stress",
            Self::Strength => "strength",
            Self::Sinkage => "sinkage",
            Self::Yield => "yield",
            Self::Safety => "safety",
        }
    }

    /// The overlay of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|overlay| overlay.name() == name)
    }

    /// What stands above its legend, with the unit.
    pub fn title(self) -> &'static str {
        match self {
            Self::VoidRatio => "void ratio",
            Self::Stress => "mean stress (kPa)",
            Self::Strength => "shear strength at 10 kPa (kPa)",
            Self::Sinkage => "sinkage (cm)",
            Self::Yield => "stress / greatest borne",
            Self::Safety => "factor of safety",
        }
    }

    /// True where values either side of nought have colours of their own.
    pub fn has_two_sides(self) -> bool {
        self == Self::Sinkage
    }
}
