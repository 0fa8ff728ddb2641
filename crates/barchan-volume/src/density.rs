//! Terrain as a density in space: hills with overhangs and arches, cut by winding caves.
//!
//! The ground is solid where `base + relief(x, y) - z + overhang(x, y, z) > 0`. Caves are the places where two noise
//! fields are nearly zero at once, which is a tube around a curve. Both are in metres, roughly the distance to
//! the surface; the smaller one counts. Noise is bounded in value and slope, so most bricks are answered from one point.

use glam::{IVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::brick::{EDGE, VOXELS};
use crate::noise::{Fractal, FractalError, Spacing};
use crate::solid::{Aabb, Coverage};

/// A terrain without ends to the sides and below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Density {
    /// Mean height of the ground (m).
    pub base_height_m: f32,
    /// Pattern of hills and valleys, a function of x and y.
    pub relief: Fractal,
    /// Greatest height of hills above and depth of valleys below the mean (m); mostly a quarter of that.
    pub relief_m: f32,
    /// Pattern in space that bends the surface over itself.
    pub overhang: Fractal,
    /// How far that pattern can move the surface up or down (m); mostly a quarter of that. 0 leaves a plain height
    /// field; overhangs need about 1 / frequency.
    pub overhang_m: f32,
    /// Caves, if there are any.
    pub caves: Option<Caves>,
}

/// Winding tubes through the ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Caves {
    /// Pattern of the fields whose common zeros are the tubes; `ridged` changes nothing here.
    pub pattern: Fractal,
    /// Typical radius of a tube (m).
    pub radius_m: f32,
}

impl Default for Density {
    fn default() -> Self {
        Self {
            base_height_m: 0.0,
            relief: Fractal { frequency_per_m: 0.02, octaves: 5, ..Fractal::default() },
            relief_m: 10.0,
            overhang: Fractal { seed: 1, frequency_per_m: 0.12, octaves: 3, ..Fractal::default() },
            overhang_m: 12.0,
            caves: None,
        }
    }
}

impl Default for Caves {
    fn default() -> Self {
        Self {
            pattern: Fractal { seed: 2, frequency_per_m: 0.04, octaves: 2, ..Fractal::default() },
            radius_m: 1.5,
        }
    }
}

/// What is wrong with a [`Density`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DensityError {
    /// A pattern is out of range.
    #[error("{pattern}: {source}")]
    Pattern {
        /// Which pattern.
        pattern: &'static str,
        /// What is wrong with it.
        source: FractalError,
    },
    /// A number is not finite or negative where it must not be.
    #[error("{field} is {value}; it must be {allowed}")]
    Range {
        /// Name of the field.
        field: &'static str,
        /// What it holds (m).
        value: f32,
        /// What it may hold.
        allowed: &'static str,
    },
}

/// Points along an edge of the lattice of voxel corners of a brick.
const CORNERS: usize = EDGE as usize + 1;
/// Corners of all voxels of a brick.
const LATTICE: usize = CORNERS * CORNERS * CORNERS;
/// Root mean square slope of one octave of noise in space at unit frequency (measured): turns noise into metres.
const TYPICAL_SLOPE: f32 = 0.98;

impl Density {
    /// An error when a field is out of range.
    pub fn check(&self) -> Result<(), DensityError> {
        let pattern = |name, fractal: &Fractal| {
            fractal.check().map_err(|source| DensityError::Pattern { pattern: name, source })
        };
        let range = |field, value: f32, allowed, good: bool| {
            if value.is_finite() && good {
                Ok(())
            } else {
                Err(DensityError::Range { field, value, allowed })
            }
        };
        pattern("relief", &self.relief)?;
        pattern("overhang", &self.overhang)?;
        range("base_height_m", self.base_height_m, "finite", true)?;
        range("relief_m", self.relief_m, "0 or more", self.relief_m >= 0.0)?;
        range("overhang_m", self.overhang_m, "0 or more", self.overhang_m >= 0.0)?;
        let Some(caves) = &self.caves else { return Ok(()) };
        pattern("caves.pattern", &caves.pattern)?;
        range("caves.radius_m", caves.radius_m, "above 0", caves.radius_m > 0.0)
    }

    /// The box around the ground: a top, but no sides and no bottom (m).
    pub fn bounds(&self) -> Aabb {
        let top = self.base_height_m
            + self.relief_m * self.relief.bound()
            + self.overhang_m * self.overhang.bound();
        Aabb { min: Vec3::NEG_INFINITY, max: Vec3::new(f32::INFINITY, f32::INFINITY, top) }
    }

    /// Writes the fraction of each voxel of `brick` that is ground into `out`, in the order of
    /// [`voxel_index`](crate::brick::voxel_index).
    pub fn coverage(&self, brick: IVec3, voxel_size_m: f32, out: &mut [f32; VOXELS]) -> Coverage {
        let place = Place::new(self, brick, voxel_size_m);
        let heights = self.heights(&place);
        let ground = self.ground_range(&place, &heights);
        if ground.1 <= -place.clear_m {
            return Coverage::Empty.fill(out);
        }
        let tubes = self.caves.as_ref().map(Tubes::new);
        let open = tubes.as_ref().map_or((f32::INFINITY, f32::INFINITY), |tubes| tubes.range(&place.cube()));
        if open.1 <= -place.clear_m {
            return Coverage::Empty.fill(out);
        }
        let heights = Some(&heights).filter(|_| ground.0 < place.clear_m);
        let tubes = tubes.filter(|_| open.0 < place.clear_m);
        if heights.is_none() && tubes.is_none() {
            return Coverage::Full.fill(out);
        }
        self.sampled(&place, heights, tubes.as_ref(), out)
    }

    /// What all of the cube of `edge` voxels at `min` is: ground (true), or nothing (false); none where it may be both. Quick: it is
    /// answered from one point and what is known of slopes.
    pub fn whole(&self, min: IVec3, edge: i32, voxel_size_m: f32) -> Option<bool> {
        let cube = Cube { middle: min + edge / 2, edge, spacing: Spacing::corners(voxel_size_m) };
        let clear_m = 0.5 * 3f32.sqrt() * self.slope_bound() * voxel_size_m;
        let half_m = 0.5 * edge as f32 * voxel_size_m;
        let relief_m = (2f32.sqrt() * half_m * self.relief.slope_bound_2d()).min(2.0 * self.relief.bound());
        let overhang_m = self.overhang_m * cube.reach(&self.overhang).min(2.0 * self.overhang.bound());
        let reach_m = self.relief_m * relief_m + half_m + overhang_m;
        let ground_m = self.ground_at(&cube);
        let caves = self.caves.as_ref().map(|caves| Tubes::new(caves).range(&cube));
        let open = caves.unwrap_or((f32::INFINITY, f32::INFINITY));
        if ground_m + reach_m <= -clear_m || open.1 <= -clear_m {
            Some(false)
        } else {
            (ground_m - reach_m >= clear_m && open.0 >= clear_m).then_some(true)
        }
    }

    /// The density at the lowest corner of voxel `p` (m): above 0 is ground.
    pub fn at_corner(&self, p: IVec3, voxel_size_m: f32) -> f32 {
        let point = Cube { middle: p, edge: 0, spacing: Spacing::corners(voxel_size_m) };
        let caves = self.caves.as_ref().map(|caves| Tubes::new(caves).range(&point).0);
        self.ground_at(&point).min(caves.unwrap_or(f32::INFINITY))
    }

    /// The density in the middle of a cube, caves left out (m).
    fn ground_at(&self, cube: &Cube) -> f32 {
        let (mut height, p) = ([0.0], cube.middle);
        self.relief.fill_plane(p.truncate(), [1, 1], cube.spacing, &mut height);
        let overhang_m =
            if self.overhang_m > 0.0 { self.overhang_m * cube.middle_of(&self.overhang) } else { 0.0 };
        let z_m = (f64::from(p.z) * f64::from(cube.spacing.step_m)) as f32;
        self.base_height_m + self.relief_m * height[0] - z_m + overhang_m
    }

    /// Coverage from the density at all voxel corners, of the surface and the tubes that are given.
    fn sampled(
        &self,
        place: &Place,
        heights: Option<&[f32; CORNERS * CORNERS]>,
        tubes: Option<&Tubes>,
        out: &mut [f32; VOXELS],
    ) -> Coverage {
        let mut density = [place.clear_m; LATTICE];
        if let Some(heights) = heights {
            self.lower_to_ground(place, heights, &mut density);
        }
        if let Some(tubes) = tubes {
            tubes.lower_to_tubes(place, &mut density);
        }
        // What is out of reach of the surface must not matter, whether it was sampled or not.
        density.iter_mut().for_each(|d| *d = d.max(-place.clear_m));
        cover(&density, out);
        Coverage::of(out)
    }

    /// Height of the ground at the voxel corners without overhangs (m).
    fn heights(&self, place: &Place) -> [f32; CORNERS * CORNERS] {
        let mut heights = [0.0; CORNERS * CORNERS];
        let size = [CORNERS; 2];
        self.relief.fill_plane(place.start.truncate(), size, place.spacing, &mut heights);
        heights.iter_mut().for_each(|h| *h = self.base_height_m + self.relief_m * *h);
        heights
    }

    /// Bounds on the density of the ground in a brick (m).
    fn ground_range(&self, place: &Place, heights: &[f32; CORNERS * CORNERS]) -> (f32, f32) {
        let low = heights.iter().copied().fold(f32::INFINITY, f32::min) - place.z(CORNERS - 1);
        let high = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max) - place.z(0);
        let most = self.overhang_m * self.overhang.bound();
        if most == 0.0 || low - most >= place.clear_m || high + most <= -place.clear_m {
            return (low - most, high + most);
        }
        let cube = place.cube();
        let (middle, reach) = (cube.middle_of(&self.overhang), cube.reach(&self.overhang));
        let nearest = self.overhang_m * (middle - reach).max(-self.overhang.bound());
        let farthest = self.overhang_m * (middle + reach).min(self.overhang.bound());
        (low + nearest, high + farthest)
    }

    /// Lowers `density` to that of the ground at every voxel corner (m).
    fn lower_to_ground(
        &self,
        place: &Place,
        heights: &[f32; CORNERS * CORNERS],
        density: &mut [f32; LATTICE],
    ) {
        let mut overhang = [0.0; LATTICE];
        if self.overhang_m > 0.0 {
            self.overhang.fill_box(place.start, [CORNERS; 3], place.spacing, &mut overhang);
        }
        for (i, (density, overhang)) in density.iter_mut().zip(&overhang).enumerate() {
            let ground = heights[i / CORNERS] - place.z(i % CORNERS) + self.overhang_m * overhang;
            *density = density.min(ground);
        }
    }

    /// The most that the density can change over a metre (-).
    fn slope_bound(&self) -> f32 {
        let relief = self.relief_m * self.relief.slope_bound_2d();
        let ground = (1.0 + relief * relief).sqrt() + self.overhang_m * self.overhang.slope_bound_3d();
        self.caves.as_ref().map_or(ground, |caves| ground.max(Tubes::new(caves).slope_bound()))
    }
}

/// Where a brick lies.
struct Place {
    /// Its first voxel corner.
    start: IVec3,
    spacing: Spacing,
    /// A density of at least this much leaves no voxel cut, at most minus this much leaves it empty (m): half a
    /// voxel at the steepest slope, times sqrt(3) because the slope is measured axis by axis.
    clear_m: f32,
}

impl Place {
    fn new(terrain: &Density, brick: IVec3, voxel_size_m: f32) -> Self {
        let clear_m = 0.5 * 3f32.sqrt() * terrain.slope_bound() * voxel_size_m;
        Self { start: brick * EDGE, spacing: Spacing::corners(voxel_size_m), clear_m }
    }

    /// Height of the corners of layer `layer` (m).
    fn z(&self, layer: usize) -> f32 {
        (f64::from(self.start.z + layer as i32) * f64::from(self.spacing.step_m)) as f32
    }

    fn cube(&self) -> Cube {
        Cube { middle: self.start + EDGE / 2, edge: EDGE, spacing: self.spacing }
    }
}

/// A cube of voxels around a corner.
struct Cube {
    middle: IVec3,
    /// Voxels along an edge.
    edge: i32,
    spacing: Spacing,
}

impl Cube {
    /// Value of a pattern in the middle.
    fn middle_of(&self, fractal: &Fractal) -> f32 {
        let mut middle = [0.0];
        fractal.fill_column(self.middle, self.spacing, &mut middle);
        middle[0]
    }

    /// How far a pattern can differ from that at the corners.
    fn reach(&self, fractal: &Fractal) -> f32 {
        let half_diagonal_m = 0.5 * 3f32.sqrt() * self.edge as f32 * self.spacing.step_m;
        fractal.slope_bound_3d() * half_diagonal_m
    }
}

/// The two fields of the caves.
struct Tubes {
    fields: [Fractal; 2],
    /// Distance from the common zero at which the tube ends (noise units).
    radius: f32,
    /// Noise units per metre.
    slope_per_m: f32,
}

impl Tubes {
    fn new(caves: &Caves) -> Self {
        let first = Fractal { ridged: false, ..caves.pattern };
        let second = Fractal { seed: first.seed ^ 0x5bd1_e995, ..first };
        let slope_per_m = TYPICAL_SLOPE * first.frequency_per_m;
        Self { fields: [first, second], radius: caves.radius_m * slope_per_m, slope_per_m }
    }

    /// The most that the density can change over a metre (-).
    fn slope_bound(&self) -> f32 {
        2f32.sqrt() * self.fields[0].slope_bound_3d() / self.slope_per_m
    }

    /// Density at a point with these field values (m): negative inside a tube.
    fn density(&self, a: f32, b: f32) -> f32 {
        ((a * a + b * b).sqrt() - self.radius) / self.slope_per_m
    }

    /// Bounds on the density in a cube (m).
    fn range(&self, cube: &Cube) -> (f32, f32) {
        let [a, b] = self.fields.map(|field| cube.middle_of(&field));
        let reach_m = 2f32.sqrt() * cube.reach(&self.fields[0]) / self.slope_per_m;
        let middle = self.density(a, b);
        (middle - reach_m, middle + reach_m)
    }

    /// Lowers `density` to that of the tubes at every voxel corner (m).
    fn lower_to_tubes(&self, place: &Place, density: &mut [f32; LATTICE]) {
        let mut values = [[0.0; LATTICE]; 2];
        for (field, values) in self.fields.iter().zip(&mut values) {
            field.fill_box(place.start, [CORNERS; 3], place.spacing, values);
        }
        for (i, density) in density.iter_mut().enumerate() {
            *density = density.min(self.density(values[0][i], values[1][i]));
        }
    }
}

/// Turns densities at the corners of voxels into the filled fractions of the voxels: a plane through the voxel at the
/// distance and slope that the corners give.
fn cover(density: &[f32; LATTICE], out: &mut [f32; VOXELS]) {
    for (voxel, out) in out.iter_mut().enumerate() {
        let at = ((voxel >> 6) * CORNERS + (voxel >> 3 & 7)) * CORNERS + (voxel & 7);
        let corner = |i: usize| density[at + (i >> 2) * CORNERS * CORNERS + (i >> 1 & 1) * CORNERS + (i & 1)];
        let d: [f32; 8] = std::array::from_fn(corner);
        let sum = |bit: usize| (0..8).map(|i| if i & bit == 0 { -d[i] } else { d[i] }).sum::<f32>() * 0.25;
        // Changes over one voxel.
        let steep = (sum(4) * sum(4) + sum(2) * sum(2) + sum(1) * sum(1)).sqrt();
        let mean = d.iter().sum::<f32>() * 0.125;
        *out = if steep > 0.0 { (0.5 + mean / steep).clamp(0.0, 1.0) } else { f32::from(mean > 0.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel_box::VoxelBox;

    #[test]
    fn bounds_answer_what_samples_would() {
        let mut terrain = Density { caves: Some(Caves::default()), ..Density::default() };
        let (mut quick, mut full) = ([9.0; VOXELS], [9.0; VOXELS]);
        let mut counts = [0; 3];
        for (octaves, voxel_size_m) in [(1, 0.25), (1, 0.5), (1, 1.0), (3, 0.5)] {
            terrain.overhang.octaves = octaves;
            terrain.caves =
                Some(Caves { pattern: Fractal { octaves, ..Caves::default().pattern }, radius_m: 1.5 });
            let tubes = terrain.caves.as_ref().map(Tubes::new);
            for coord in VoxelBox::new(IVec3::new(-3, 2, -8), IVec3::new(3, 8, 8)).cells() {
                let place = Place::new(&terrain, coord, voxel_size_m);
                let heights = terrain.heights(&place);
                let sampled = terrain.sampled(&place, Some(&heights), tubes.as_ref(), &mut full);
                assert_eq!(terrain.coverage(coord, voxel_size_m, &mut quick), sampled, "{coord}");
                assert_eq!(quick, full, "{coord}");
                counts[sampled as usize] += 1;
            }
        }
        assert!(counts.iter().all(|&count| count > 50), "not every kind of brick was met: {counts:?}");
    }

    #[test]
    fn typical_slope_is_that_of_noise() {
        let noise = Fractal { frequency_per_m: 1.0, octaves: 1, ..Fractal::default() };
        let (edge, step) = (24, 0.05);
        let mut values = vec![0.0; edge * edge * edge];
        let (mut sum, mut count) = (0.0, 0.0);
        for block in 0..400 {
            let start = IVec3::splat(block * edge as i32);
            noise.fill_box(start, [edge; 3], Spacing::corners(step), &mut values);
            for i in (0..values.len() - edge * edge - edge)
                .filter(|i| i % edge + 1 < edge && i / edge % edge + 1 < edge)
            {
                let change = Vec3::new(values[i + edge * edge], values[i + edge], values[i + 1]) - values[i];
                sum += f64::from((change / step).length_squared());
                count += 1.0;
            }
        }
        let slope = (sum / count).sqrt() as f32;
        assert!((slope / TYPICAL_SLOPE - 1.0).abs() < 0.03, "measured {slope}");
    }
}
