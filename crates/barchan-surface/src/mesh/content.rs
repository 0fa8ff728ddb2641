//! What one sample of the ground holds, at any level of detail.

use barchan_sim::units::LOOSE_FULL;
use barchan_sim::{Materials, Voxel};

use super::options::Phases;
use super::surface_mesh::VertexMaterial;

/// A whole voxel (shares).
pub(super) const FULL: u16 = LOOSE_FULL as u16;
/// The level of the surface (shares).
pub(super) const HALF: u16 = FULL / 2;

/// Shares of rock and soil, their kinds, and how wet the soil is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// Rock (1/32,768).
    pub rock: u16,
    /// Soil (1/32,768).
    pub soil: u16,
    /// Degree of saturation of the soil (1/65,535).
    pub moisture: u16,
    /// Which rock.
    pub rock_kind: u8,
    /// Which soil.
    pub soil_kind: u8,
}

/// Whatever a grid stores that has a [`Content`].
pub(super) trait Holds: Copy + PartialEq + Send + Sync {
    /// What it holds.
    fn content(&self, materials: &Materials) -> Content;

    /// What it is made of, where that is soil alone, rock alone or nothing: without any reckoning of shares.
    fn lone(&self) -> Option<Lone>;

    /// A share of the voxel that `phases` take at least (1/32,768), without any reckoning of shares.
    fn least_fill(&self, phases: Phases) -> u16;
}

/// Ground of one phase, or none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Lone {
    material: VertexMaterial,
    phase: Option<Phases>,
}

impl Lone {
    /// Nothing.
    const NONE: Self =
        Self { material: VertexMaterial { dominant: 0, second: 0, weight: 255, moisture: 0 }, phase: None };

    #[inline]
    fn of(rock: u16, soil: u16, rock_kind: u8, soil_kind: u8, moisture: u16) -> Option<Self> {
        let (phase, kind, moisture) = match (rock, soil) {
            (0, 0) => return Some(Self::NONE),
            (0, _) => (Phases::Soil, soil_kind, (moisture >> 8) as u8),
            (_, 0) => (Phases::Rock, rock_kind, 0),
            _ => return None,
        };
        let material = VertexMaterial { dominant: kind, second: kind, weight: 255, moisture };
        Some(Self { material, phase: Some(phase) })
    }

    /// That of what a grid has, if it has anything.
    #[inline]
    pub(super) fn of_held<T: Holds>(held: Option<&T>) -> Option<Self> {
        held.map_or(Some(Self::NONE), Holds::lone)
    }

    /// What the ground is made of between two samples, if both are of one kind and equally wet or one has nothing.
    #[inline]
    pub(super) fn joined(low: Self, high: Self) -> Option<VertexMaterial> {
        match (low.phase, high.phase) {
            (_, None) => Some(low.material),
            (None, _) => Some(high.material),
            _ => (low == high).then_some(low.material),
        }
    }
}

impl Holds for Content {
    #[inline]
    fn content(&self, _: &Materials) -> Content {
        *self
    }

    #[inline]
    fn lone(&self) -> Option<Lone> {
        Lone::of(self.rock, self.soil, self.rock_kind, self.soil_kind, self.moisture)
    }

    #[inline]
    fn least_fill(&self, phases: Phases) -> u16 {
        self.of(phases).fill()
    }
}

impl Holds for Voxel {
    #[inline]
    fn content(&self, materials: &Materials) -> Content {
        let in_range = |share: u32| share.min(LOOSE_FULL) as u16;
        Content {
            rock: in_range(self.rock_share(materials)),
            soil: in_range(self.soil_share()),
            moisture: self.wetness(),
            rock_kind: self.rock_kind.0,
            soil_kind: self.surface().kind.0,
        }
    }

    #[inline]
    fn lone(&self) -> Option<Lone> {
        Lone::of(self.rock, self.top, self.rock_kind.0, self.surface().kind.0, self.wetness())
    }

    #[inline]
    fn least_fill(&self, phases: Phases) -> u16 {
        // Without any voids between its grains, a unit takes 1 / (1 + 0.8) of what it takes at the reference void ratio.
        let grains = |units: u16| units / 9 * 5;
        match phases {
            Phases::Joined => {
                grains(self.rock).saturating_add(grains(self.top)).saturating_add(grains(self.under))
            }
            Phases::Soil => grains(self.top).saturating_add(grains(self.under)),
            Phases::Rock => grains(self.rock),
        }
    }
}

impl Content {
    /// The part of it that `phases` has.
    #[inline]
    pub(super) fn of(self, phases: Phases) -> Self {
        match phases {
            Phases::Joined => self,
            Phases::Soil => Self { rock: 0, ..self },
            Phases::Rock => Self { soil: 0, ..self },
        }
    }

    /// True on or above the level.
    #[inline]
    pub(super) fn is_inside(self) -> bool {
        self.fill() >= HALF
    }

    /// Share of the voxel that is taken (1/32,768).
    #[inline]
    pub(super) fn fill(self) -> u16 {
        (self.rock + self.soil).min(FULL)
    }
}

/// What the ground is made of between two samples, at `t` (1/65,536) of the way from one to the other.
pub(super) fn blend(low: Content, high: Content, t: u32) -> VertexMaterial {
    let weights = [65_536 - t, t];
    let mut amounts = [(0_u8, 0_u64); 4];
    let (mut wet, mut soil) = (0_u64, 0_u64);
    for (at, (content, weight)) in [low, high].into_iter().zip(weights).enumerate() {
        let part = |share: u16| u64::from(share) * u64::from(weight);
        amounts[2 * at] = (content.soil_kind, part(content.soil));
        amounts[2 * at + 1] = (content.rock_kind, part(content.rock));
        soil += part(content.soil);
        wet += part(content.soil) * u64::from(content.moisture >> 8);
    }
    // The same kind at both ends is one amount.
    for later in 2..4 {
        for earlier in 0..2 {
            if amounts[earlier].0 == amounts[later].0 {
                amounts[earlier].1 += std::mem::take(&mut amounts[later].1);
            }
        }
    }
    let (mut first, mut second) = (amounts[0], (amounts[0].0, 0));
    for amount in &amounts[1..] {
        if amount.1 > first.1 {
            (first, second) = (*amount, first);
        } else if amount.1 > second.1 {
            second = *amount;
        }
    }
    if second.1 == 0 {
        second.0 = first.0;
    }
    let share = (255 * first.1 + (first.1 + second.1) / 2).checked_div(first.1 + second.1);
    VertexMaterial {
        dominant: first.0,
        second: second.0,
        weight: share.unwrap_or(255) as u8,
        moisture: wet.checked_div(soil).unwrap_or(0) as u8,
    }
}

#[cfg(test)]
mod tests {
    use barchan_sim::MaterialId;
    use barchan_sim::units::VoidRatio;

    use super::*;

    #[test]
    fn no_voxel_is_less_full_than_its_least() {
        let materials = Materials::builtin();
        let rock_kind = materials.find("granite").unwrap_or(MaterialId(0));
        for void_ratio in [0, 1, 400, 13_107, 40_000, u16::MAX].map(VoidRatio) {
            for (rock, soil) in [(0, 0), (0, 1), (0, 9), (7, 5), (0, 32_768), (20_000, 10_000), (50_000, 0)] {
                let voxel =
                    Voxel { top: soil, top_void_ratio: void_ratio, ..Voxel::of_rock(rock, rock_kind) };
                for phases in [Phases::Joined, Phases::Soil, Phases::Rock] {
                    let fill = voxel.content(&materials).of(phases).fill();
                    assert!(
                        voxel.least_fill(phases).min(FULL) <= fill,
                        "{rock} {soil} {void_ratio:?} {phases:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_blend_names_the_two_largest_and_their_shares() {
        let rock = Content { rock: FULL, rock_kind: 4, ..Content::default() };
        let sand = Content { soil: FULL, soil_kind: 2, moisture: u16::MAX, ..Content::default() };
        let expected = VertexMaterial { dominant: 4, second: 2, weight: 191, moisture: 255 };
        assert_eq!(blend(rock, sand, 16_384), expected);
        let alone = VertexMaterial { dominant: 2, second: 2, weight: 255, moisture: 255 };
        assert_eq!(blend(Content::default(), sand, 30_000), alone);
        assert_eq!(blend(sand, sand, 30_000), alone);
        assert_eq!(blend(Content::default(), Content::default(), 1).weight, 255);
    }
}
