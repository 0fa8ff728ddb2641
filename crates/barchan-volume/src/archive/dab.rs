//! Simple edits: a ball or a box is filled, emptied or painted.

use glam::{DVec3, IVec3};

use super::change::{Change, Verdict};
use super::cube::{Cube, SPAN, leaf_index};
use super::error::ArchiveError;
use super::leaf::Leaf;
use super::view::View;
use crate::voxel_box::VoxelBox;

/// Where a dab acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// Voxels whose middle is not further than `radius` from `centre`.
    Ball {
        /// Its middle (voxels).
        centre: DVec3,
        /// Its radius (voxels).
        radius: f64,
    },
    /// A box of voxels.
    Box(VoxelBox),
}

/// What a dab does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Makes everything solid, of this material.
    Fill(u8),
    /// Makes everything air.
    Clear,
    /// Makes what is wholly of one material another one; air and voxels of exact contents stay.
    Paint(u8),
}

/// An edit of whole voxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dab {
    /// Where.
    pub extent: Extent,
    /// What.
    pub act: Act,
}

/// How a cube lies to an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Outside,
    Inside,
    Across,
}

impl Dab {
    /// The voxels that it may change; an error where numbers make no sense.
    pub fn region(&self) -> Result<VoxelBox, ArchiveError> {
        let material = match self.act {
            Act::Fill(material) | Act::Paint(material) => material,
            Act::Clear => 1,
        };
        if material == 0 {
            return Err(ArchiveError::Range { what: "material", value: 0.0, allowed: "1 to 255" });
        }
        match self.extent {
            Extent::Box(region) => Ok(region),
            Extent::Ball { centre, radius } => {
                let most = f64::from(SPAN);
                if !(0.0..=most).contains(&radius) {
                    let allowed = "0 to 131072 voxels";
                    return Err(ArchiveError::Range { what: "radius", value: radius, allowed });
                }
                let far = centre.abs().max_element();
                if !centre.is_finite() || far > most {
                    let allowed = "within 131072 voxels of the origin";
                    return Err(ArchiveError::Range { what: "centre", value: far, allowed });
                }
                // Middles of voxels lie at halves.
                let (low, high) = ((centre - radius - 0.5).ceil(), (centre + radius - 0.5).floor());
                Ok(VoxelBox::new(low.as_ivec3(), high.as_ivec3() + IVec3::ONE))
            }
        }
    }
}

impl Change for Dab {
    fn of_cube(&self, _: View<'_>, cube: Cube, now: Option<u8>) -> Verdict {
        match (self.act, now) {
            (Act::Clear | Act::Paint(_), Some(0)) => return Verdict::Keep,
            (Act::Fill(material) | Act::Paint(material), Some(same)) if material == same => {
                return Verdict::Keep;
            }
            _ => {}
        }
        match (self.extent.side_of(cube), self.act, now) {
            (Side::Outside, _, _) => Verdict::Keep,
            (Side::Inside, Act::Fill(material), _) => Verdict::Whole(material),
            (Side::Inside, Act::Paint(material), Some(_)) => Verdict::Whole(material),
            (Side::Inside, Act::Clear, _) => Verdict::Whole(0),
            _ => Verdict::Cut,
        }
    }

    fn of_leaf(&self, _: View<'_>, min: IVec3, leaf: &mut Leaf) {
        let mask = self.extent.mask(min);
        match self.act {
            Act::Fill(material) => leaf.fill(mask, material),
            Act::Clear => leaf.fill(mask, 0),
            Act::Paint(material) => leaf.fill(mask & leaf.solid & !leaf.exact, material),
        }
    }
}

impl Extent {
    pub(super) fn side_of(&self, cube: Cube) -> Side {
        match *self {
            Self::Box(region) => match region.intersect(&cube.voxels()) {
                part if part.is_empty() => Side::Outside,
                part if part == cube.voxels() => Side::Inside,
                _ => Side::Across,
            },
            Self::Ball { centre, radius } => {
                let low = cube.min.as_dvec3() + 0.5 - centre;
                let high = low + f64::from(cube.edge() - 1);
                let nearest = low.max(DVec3::ZERO).max(-high);
                let farthest = low.abs().max(high.abs());
                let square = radius * radius;
                if farthest.length_squared() <= square {
                    Side::Inside
                } else if nearest.length_squared() > square {
                    Side::Outside
                } else {
                    Side::Across
                }
            }
        }
    }

    /// The voxels of the leaf at `min` that it holds.
    fn mask(&self, min: IVec3) -> u64 {
        match *self {
            Self::Box(region) => {
                let part = region.intersect(&Cube { min, level: 2 }.voxels());
                part.cells().fold(0, |mask, p| mask | 1 << leaf_index(p))
            }
            Self::Ball { centre, radius } => {
                let low = min.as_dvec3() + 0.5 - centre;
                let squares = |from: f64| [0.0, 1.0, 2.0, 3.0].map(|step| (from + step) * (from + step));
                let (x, y, z) = (squares(low.x), squares(low.y), squares(low.z));
                let mut mask = 0;
                for row in (0..16).rev() {
                    let left = radius * radius - x[row >> 2] - y[row & 3];
                    let run = u64::from(z[0] <= left)
                        | u64::from(z[1] <= left) << 1
                        | u64::from(z[2] <= left) << 2
                        | u64::from(z[3] <= left) << 3;
                    mask = mask << 4 | run;
                }
                mask
            }
        }
    }
}
