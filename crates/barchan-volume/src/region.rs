//! Parts of space that ground is put into or taken out of.

use std::sync::Arc;

use glam::{IVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::brick::{EDGE, VOXELS};
use crate::connect::Mask;
use crate::density::Density;
use crate::heights::Heights;
use crate::rounded::{Path, RoughBall};
use crate::solid::{Aabb, Coverage, Solid};

/// A part of space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Region {
    /// The inside of a solid.
    Solid(Solid),
    /// Everything between two heights; either may be infinite.
    Slab {
        /// Lower end (m).
        z_min_m: f32,
        /// Upper end (m).
        z_max_m: f32,
    },
    /// Everything below a height field.
    Heights(Arc<Heights>),
    /// Wherever a density says so.
    Density(Arc<Density>),
    /// Everything between two height fields.
    Between {
        /// The lower surface.
        low: Arc<Heights>,
        /// The upper surface.
        high: Arc<Heights>,
    },
    /// Everything near a line.
    Path(Arc<Path>),
    /// A ball with a rough surface.
    RoughBall(Arc<RoughBall>),
    /// A region that is told from the corner of a brick instead of from the origin: however far out that is, it covers the same of its
    /// voxels, to the bit.
    Moved {
        /// Which brick.
        origin: IVec3,
        /// Edge of a brick (m).
        brick_m: f32,
        /// The region around its lowest corner.
        region: Arc<Region>,
    },
}

impl Region {
    /// The smallest box around the region (m), infinite where the region is.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Solid(solid) => solid.bounds(),
            Self::Slab { z_min_m, z_max_m } if z_min_m < z_max_m => {
                Aabb::new(Vec3::NEG_INFINITY.with_z(*z_min_m), Vec3::INFINITY.with_z(*z_max_m))
            }
            Self::Slab { .. } => Aabb::EMPTY,
            Self::Heights(heights) => heights.bounds(),
            Self::Density(density) => density.bounds(),
            Self::Between { low, high } => {
                let (low_m, high) = (low.lowest_m(), high.bounds());
                Aabb::new(high.min.with_z(low_m), high.max)
            }
            Self::Path(path) => path.bounds(),
            Self::RoughBall(ball) => ball.bounds(),
            Self::Moved { origin, brick_m, region } => {
                let (bounds, by_m) = (region.bounds(), origin.as_vec3() * *brick_m);
                Aabb { min: bounds.min + by_m, max: bounds.max + by_m }
            }
        }
    }

    /// The voxels of `brick` of which at least half lies inside the region.
    pub fn mask(&self, brick: IVec3, voxel_size_m: f32) -> Mask {
        let mut covered = [0.0; VOXELS];
        match self.coverage(brick, voxel_size_m, &mut covered) {
            Coverage::Empty => Mask::EMPTY,
            Coverage::Full => Mask::FULL,
            Coverage::Partial => Mask::from_fn(|at| covered[at] >= 0.5),
        }
    }

    /// Writes the fraction (0 to 1) of every voxel of `brick` that lies inside the region into `out`, in the order of
    /// [`voxel_index`](crate::brick::voxel_index).
    pub fn coverage(&self, brick: IVec3, voxel_size_m: f32, out: &mut [f32; VOXELS]) -> Coverage {
        match self {
            Self::Solid(solid) => solid.coverage(brick, voxel_size_m, out),
            Self::Slab { z_min_m, z_max_m } => {
                slab_coverage([*z_min_m, *z_max_m], brick.z, voxel_size_m, out)
            }
            Self::Heights(heights) => heights.coverage(brick, voxel_size_m, out),
            Self::Density(density) => density.coverage(brick, voxel_size_m, out),
            Self::Between { low, high } => {
                if high.coverage(brick, voxel_size_m, out) == Coverage::Empty {
                    return Coverage::Empty.fill(out);
                }
                let mut below = [0.0; VOXELS];
                low.coverage(brick, voxel_size_m, &mut below);
                out.iter_mut().zip(&below).for_each(|(out, below)| *out = (*out - below).max(0.0));
                Coverage::of(out)
            }
            Self::Path(path) => path.coverage(brick, voxel_size_m, out),
            Self::RoughBall(ball) => ball.coverage(brick, voxel_size_m, out),
            Self::Moved { origin, region, .. } => {
                region.coverage(brick.saturating_sub(*origin), voxel_size_m, out)
            }
        }
    }
}

/// As [`Region::coverage`], for the space between two heights (m).
fn slab_coverage(z_m: [f32; 2], brick_z: i32, voxel_size_m: f32, out: &mut [f32; VOXELS]) -> Coverage {
    let is_somewhere = z_m[0] < z_m[1] && voxel_size_m > 0.0;
    if !is_somewhere {
        return Coverage::Empty.fill(out);
    }
    let floor = f64::from(brick_z) * f64::from(EDGE);
    // In voxels above the floor of the brick.
    let [low, high] = z_m.map(|z| f64::from(z) / f64::from(voxel_size_m) - floor);
    let mut layers = [0.0; EDGE as usize];
    for (z, layer) in layers.iter_mut().enumerate() {
        let z = z as f64;
        *layer = (high.min(z + 1.0) - low.max(z)).max(0.0) as f32;
    }
    for column in out.chunks_exact_mut(EDGE as usize) {
        column.copy_from_slice(&layers);
    }
    Coverage::of(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brick::voxel_index;

    #[test]
    fn a_slab_fills_what_is_between_its_heights() {
        let slab = Region::Slab { z_min_m: -0.55, z_max_m: 0.32 };
        let mut out = [f32::NAN; VOXELS];
        for (voxel, expected) in [(-6, 0.5), (-5, 1.0), (-1, 1.0), (0, 1.0), (3, 0.2), (4, 0.0), (-7, 0.0)] {
            let at = IVec3::new(3, -11, voxel);
            assert_eq!(slab.coverage(at >> 3, 0.1, &mut out), Coverage::Partial);
            let got = out[voxel_index(at)];
            assert!((got - expected).abs() < 1e-5, "{got} instead of {expected} in voxel {voxel}");
        }
        assert_eq!(slab.coverage(IVec3::Z, 0.1, &mut out), Coverage::Empty);
        assert_eq!(slab.bounds().min, Vec3::new(f32::NEG_INFINITY, f32::NEG_INFINITY, -0.55));
    }

    #[test]
    fn a_region_that_is_moved_covers_the_same_of_its_voxels() {
        use crate::brick::brick_box;
        use crate::solid::{Pose, Shape};
        let ball = Region::Solid(Solid {
            shape: Shape::Ball { radius: 1.31 },
            pose: Pose::at(Vec3::new(0.37, 0.2, 0.1)),
        });
        let origin = IVec3::new(8191, -8190, 77);
        let moved = Region::Moved { origin, brick_m: 0.8, region: Arc::new(ball.clone()) };
        let (mut here, mut there) = ([0.0; VOXELS], [0.0; VOXELS]);
        for brick in brick_box(IVec3::ZERO).grow(-2).cells() {
            let brick = brick - 4;
            let found = ball.coverage(brick, 0.1, &mut here);
            assert_eq!(found, moved.coverage(brick + origin, 0.1, &mut there));
            assert!(found != Coverage::Partial || here == there, "{brick}");
        }
        let (near, far) = (ball.bounds(), moved.bounds());
        assert!((far.min - near.min - origin.as_vec3() * 0.8).length() < 1e-2, "{far:?}");
    }

    #[test]
    fn heights_may_be_infinite_but_not_upside_down_or_no_number() {
        let mut out = [f32::NAN; VOXELS];
        let mut answer = |z_min_m, z_max_m| {
            let slab = Region::Slab { z_min_m, z_max_m };
            (slab.coverage(IVec3::splat(-1), 0.1, &mut out), slab.bounds().is_empty())
        };
        assert_eq!(answer(f32::NEG_INFINITY, 0.0), (Coverage::Full, false));
        assert_eq!(answer(0.0, f32::INFINITY), (Coverage::Empty, false));
        assert_eq!(answer(0.0, -1.0), (Coverage::Empty, true));
        assert_eq!(answer(f32::NAN, 0.0), (Coverage::Empty, true));
        assert_eq!(answer(-1.0, f32::NAN), (Coverage::Empty, true));
    }
}
