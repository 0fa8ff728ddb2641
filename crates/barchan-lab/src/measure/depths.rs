//! How much soil stands on every column of a world.

use std::f64::consts::FRAC_PI_2;

use barchan_sim::World;
use barchan_sim::units::LOOSE_FULL;
use barchan_volume::VoxelBox;
use glam::{DMat3, DVec3, IVec2, IVec3, Vec2, Vec3};

/// Depth of soil in every column of a rectangle.
#[derive(Clone, Debug, PartialEq)]
pub struct SoilDepths {
    /// Lowest column (voxels).
    pub origin: IVec2,
    /// Columns along x and y.
    pub size: [usize; 2],
    /// Edge of a voxel (m).
    pub voxel_size_m: f64,
    /// Depth of soil (m), rows of constant y: all the room that soil takes in the column, wherever it is. For soil on a
    /// flat floor this is the height of its surface, finer than a voxel.
    pub depths_m: Vec<f64>,
}

impl SoilDepths {
    /// The soil of `world` within `region` (voxels).
    pub fn of(world: &World, region: VoxelBox) -> Self {
        let (ground, [width, height, _]) = (world.ground(), region.size());
        let voxel_size_m = f64::from(ground.voxel_size_m());
        let column = |x: i32, y: i32| {
            let shares = (region.min.z..region.max.z).map(|z| ground.get(IVec3::new(x, y, z)).soil_share());
            shares.map(u64::from).sum::<u64>() as f64 / f64::from(LOOSE_FULL) * voxel_size_m
        };
        let rows =
            (region.min.y..region.max.y).flat_map(|y| (region.min.x..region.max.x).map(move |x| (x, y)));
        let depths_m = rows.map(|(x, y)| column(x, y)).collect();
        Self { origin: region.min.truncate(), size: [width, height], voxel_size_m, depths_m }
    }

    /// A map of the depths `depth_m(x, y)` (m) in the middles of columns: a shape whose measures are known.
    #[cfg(test)]
    pub(super) fn from_fn(side: i32, voxel_size_m: f64, depth_m: impl Fn(f64, f64) -> f64) -> Self {
        let origin = IVec2::splat(-side / 2);
        let middle = |at: i32, k: i32| (f64::from(at + k) + 0.5) * voxel_size_m;
        let cells = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
        let depths_m = cells.map(|(x, y)| depth_m(middle(origin.x, x), middle(origin.y, y))).collect();
        Self { origin, size: [side as usize; 2], voxel_size_m, depths_m }
    }

    /// Every column: its middle (m) and the depth of its soil (m).
    pub fn columns(&self) -> impl Iterator<Item = (Vec2, f64)> + '_ {
        self.depths_m.iter().enumerate().map(|(at, &depth)| {
            let cell = self.origin + IVec2::new((at % self.size[0]) as i32, (at / self.size[0]) as i32);
            ((cell.as_vec2() + 0.5) * self.voxel_size_m as f32, depth)
        })
    }

    /// Depth (m) at a place (m), interpolated between the middles of columns; none outside of the map.
    pub fn at(&self, x_m: f64, y_m: f64) -> f64 {
        let cell = |metres: f64, origin: i32| metres / self.voxel_size_m - f64::from(origin) - 0.5;
        let (x, y) = (cell(x_m, self.origin.x), cell(y_m, self.origin.y));
        let (left, low) = (x.floor(), y.floor());
        let depth = |x: f64, y: f64| {
            let inside = x >= 0.0 && y >= 0.0 && x < self.size[0] as f64 && y < self.size[1] as f64;
            if inside { self.depths_m[y as usize * self.size[0] + x as usize] } else { 0.0 }
        };
        let along_x = |y: f64| depth(left, y) + (x - left) * (depth(left + 1.0, y) - depth(left, y));
        along_x(low) + (y - low) * (along_x(low + 1.0) - along_x(low))
    }

    /// The map of a heap around x = y = 0 that looks everywhere as this one does within 45° of the direction `towards` (rad).
    pub fn as_towards(&self, towards: f64) -> Self {
        let depth = |middle: Vec2| {
            let (x, y) = (f64::from(middle.x), f64::from(middle.y));
            // Folded from the whole circle into the sector.
            let folded = (y.atan2(x).abs() - FRAC_PI_2) / 2.0;
            let (sin, cos) = (towards + folded).sin_cos();
            self.at(x.hypot(y) * cos, x.hypot(y) * sin)
        };
        Self { depths_m: self.columns().map(|(middle, _)| depth(middle)).collect(), ..self.clone() }
    }

    /// Direction out of the plane that fits the surface best around a place, over all columns no further off than
    /// `reach_m` (m). None where they do not span a plane.
    pub fn normal(&self, place_m: Vec2, reach_m: f64) -> Option<Vec3> {
        let (x, y) = (f64::from(place_m.x) / self.voxel_size_m, f64::from(place_m.y) / self.voxel_size_m);
        let reach = reach_m / self.voxel_size_m;
        let cells = |middle: f64, origin: i32, size: usize| {
            let low = (middle - reach).floor() as i32 - origin;
            low.max(0)..((middle + reach).ceil() as i32 - origin).min(size as i32)
        };
        // The least sum of squares of z = a + b dx + c dy, all in voxels.
        let (mut sums, mut heights) = (DMat3::ZERO, DVec3::ZERO);
        for row in cells(y, self.origin.y, self.size[1]) {
            for column in cells(x, self.origin.x, self.size[0]) {
                let dx = f64::from(column + self.origin.x) + 0.5 - x;
                let dy = f64::from(row + self.origin.y) + 0.5 - y;
                if dx.hypot(dy) <= reach {
                    let v = DVec3::new(1.0, dx, dy);
                    let depth = self.depths_m[row as usize * self.size[0] + column as usize];
                    sums += DMat3::from_cols(v * v.x, v * v.y, v * v.z);
                    heights += v * (depth / self.voxel_size_m);
                }
            }
        }
        let fit = sums.try_inverse()? * heights;
        DVec3::new(-fit.y, -fit.z, 1.0).try_normalize().map(|normal| normal.as_vec3())
    }

    /// Mean depth (m) over y for every x, lowest first.
    pub fn along_x(&self) -> Vec<f64> {
        let [width, height] = self.size;
        let mean = |x: usize| (0..height).map(|y| self.depths_m[y * width + x]).sum::<f64>() / height as f64;
        (0..width).map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_looks_everywhere_as_it_does_to_one_side() {
        let lopsided = SoilDepths::from_fn(60, 0.1, |x, y| {
            (2.0 - x.hypot(y) * if x < 0.0 { 1.0 } else { 2.0 }).max(0.0)
        });
        for (towards, slope) in [(0.0, 2.0), (std::f64::consts::PI, 1.0)] {
            let side = lopsided.as_towards(towards);
            for (x, y) in [(0.7, 0.0), (-0.5, 0.5), (0.0, -0.8)] {
                let expected = 2.0 - f64::hypot(x, y) * slope;
                assert!((side.at(x, y) - expected).abs() < 0.02, "{} {expected}", side.at(x, y));
            }
        }
    }

    #[test]
    fn planes_are_interpolated_exactly_and_end_at_the_rim() {
        let plane = SoilDepths::from_fn(10, 0.1, |x, y| 2.0 + x - 0.5 * y);
        assert!((plane.at(0.123, -0.2) - 2.223).abs() < 1e-12);
        assert_eq!(plane.at(0.7, 0.0), 0.0);
        let normal = plane.normal(Vec2::new(0.03, -0.1), 0.3).expect("a plane");
        assert!(normal.distance(Vec3::new(-1.0, 0.5, 1.0).normalize()) < 1e-5, "{normal}");
        assert_eq!(plane.normal(Vec2::splat(9.0), 0.3), None);
        assert_eq!(plane.columns().count(), 100);
        assert!((plane.along_x()[0] - 1.55).abs() < 1e-12);
    }
}
