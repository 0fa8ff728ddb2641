//! The base: what an archive holds where nobody has changed anything, computed when it is looked at.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::cube::{BRICK, Cube};
use super::leaf::{Leaf, VOXELS};
use crate::brick::{self, voxel_index};
use crate::density::{Density, DensityError};
use crate::noise::Spacing;

/// A terrain without end, in layers of several materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// Its form.
    pub terrain: Density,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// Layers from the top down; below them is `rock`.
    pub strata: Vec<Stratum>,
    /// The material below all layers.
    pub rock: u8,
}

/// A layer of a [`Base`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stratum {
    /// What it is of.
    pub material: u8,
    /// How far it reaches down below the height of the terrain without overhangs (m).
    pub down_to_m: f32,
}

impl Base {
    /// An error when a field is out of range.
    pub fn check(&self) -> Result<(), DensityError> {
        self.terrain.check()?;
        let depths = self.strata.iter().map(|stratum| ("strata.down_to_m", stratum.down_to_m));
        let mut sizes = depths.chain([("voxel_size_m", self.voxel_size_m)]);
        match sizes.find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            Some((field, value)) => Err(DensityError::Range { field, value, allowed: "above 0" }),
            None => Ok(()),
        }
    }

    /// What all of `cube` is; none where it may be several things. Quick: it looks at one point.
    pub(super) fn of_cube(&self, cube: Cube) -> Option<u8> {
        let is_ground = self.terrain.whole(cube.min, cube.edge(), self.voxel_size_m)?;
        if !is_ground {
            return Some(0);
        }
        let middle = cube.min + cube.edge() / 2;
        let half_m = 0.5 * cube.edge() as f32 * self.voxel_size_m;
        let slope = self.terrain.relief_m * self.terrain.relief.slope_bound_2d();
        let reach_m = half_m * (1.0 + 2f32.sqrt() * slope);
        let depth_m = self.height_m(middle) - middle.z as f32 * self.voxel_size_m;
        let highest = self.material(depth_m - reach_m);
        (highest == self.material(depth_m + reach_m)).then_some(highest)
    }

    /// What there is in the middle of `cube`: as good as any when one cannot see more of it.
    pub(super) fn in_middle(&self, cube: Cube) -> u8 {
        let middle = cube.min + cube.edge() / 2;
        if self.terrain.at_corner(middle, self.voxel_size_m) <= 0.0 {
            return 0;
        }
        self.material(self.height_m(middle) - middle.z as f32 * self.voxel_size_m)
    }

    /// The brick whose lowest voxel is `min`.
    pub(super) fn brick(&self, min: IVec3) -> BaseBrick {
        let mut covered = [0.0; brick::VOXELS];
        self.terrain.coverage(min >> BRICK as i32, self.voxel_size_m, &mut covered);
        let mut relief = [0.0; 64];
        let spacing = Spacing::centres(self.voxel_size_m);
        self.terrain.relief.fill_plane(min.truncate(), [8, 8], spacing, &mut relief);
        let material = |at: usize| {
            if covered[at] < 0.5 {
                return 0;
            }
            let height_m = self.terrain.base_height_m + self.terrain.relief_m * relief[at >> 3];
            self.material(height_m - ((min.z + (at & 7) as i32) as f32 + 0.5) * self.voxel_size_m)
        };
        BaseBrick { min, materials: std::array::from_fn(material) }
    }

    /// Height of the terrain without overhangs at the lowest corner of `p` (m).
    fn height_m(&self, p: IVec3) -> f32 {
        let mut height = [0.0];
        let spacing = Spacing::corners(self.voxel_size_m);
        self.terrain.relief.fill_plane(p.truncate(), [1, 1], spacing, &mut height);
        self.terrain.base_height_m + self.terrain.relief_m * height[0]
    }

    fn material(&self, depth_m: f32) -> u8 {
        let stratum = self.strata.iter().find(|stratum| depth_m < stratum.down_to_m);
        stratum.map_or(self.rock, |stratum| stratum.material)
    }
}

/// 8x8x8 voxels of a base.
#[derive(Clone, Debug)]
pub(super) struct BaseBrick {
    min: IVec3,
    materials: [u8; brick::VOXELS],
}

impl BaseBrick {
    /// The brick around voxel `p`, made anew unless it is the one that is `known`.
    pub fn around<'b>(known: &'b mut Option<Self>, base: &Base, p: IVec3) -> &'b Self {
        let min = Cube::around(p, BRICK).min;
        let known_there = known.take().filter(|brick| brick.min == min);
        known.insert(known_there.unwrap_or_else(|| base.brick(min)))
    }

    /// The material of voxel `p`, which lies in it.
    pub fn material(&self, p: IVec3) -> u8 {
        self.materials[voxel_index(p)]
    }

    /// The leaf whose lowest voxel is `min`, which lies in it.
    pub fn read_leaf(&self, min: IVec3, leaf: &mut Leaf) {
        leaf.fill(!0, 0);
        for at in 0..VOXELS {
            let offset = IVec3::new(at as i32 >> 4, at as i32 >> 2 & 3, at as i32 & 3);
            let material = self.material(min + offset);
            if material != 0 {
                leaf.fill(1 << at, material);
            }
        }
    }
}
