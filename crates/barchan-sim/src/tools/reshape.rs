//! Raising, flattening and smoothing the surface within a disc, of rock as of soil.

use std::sync::Arc;

use barchan_volume::{Grid, HeightSamples, Heights, Region};
use glam::{IVec2, Vec2, Vec3};

use crate::ground::{EditError, Ground, Stuff};
use crate::ledger::Transfers;
use crate::material::{MaterialId, Materials};

/// Largest disc that is reshaped at once (voxels).
const LARGEST_RADIUS: f32 = 512.0;

/// A new surface within a disc. What is above it leaves; what is missing below it comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reshaping {
    /// Middle of the disc, near the surface (m).
    pub center_m: Vec3,
    /// Its radius (m).
    pub radius_m: f32,
    /// Which surface.
    pub surface: Surface,
    /// Of what it is where it is higher; none: of what the surface in the middle is made of.
    pub material: Option<MaterialId>,
}

/// Which surface a disc is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Surface {
    /// Higher by this in the middle, less towards the rim (m); below 0: lower.
    Raised(f32),
    /// The height of the middle.
    Flat,
    /// The mean of the heights around, by this share (0 to 1), less towards the rim.
    Smooth(f32),
}

/// Carries it out. Returns what came and went, and how many columns the disc has.
pub(super) fn reshape(
    reshaping: &Reshaping,
    ground: &mut Ground,
    body_share: &Grid<u16>,
    materials: &Materials,
    memory_limit_bytes: u64,
) -> Result<(Transfers, usize), EditError> {
    check(reshaping, ground.voxel_size_m())?;
    let disc = Disc::measure(reshaping, ground, materials);
    let Some(kind) = reshaping.material.or(disc.kind) else { return Ok((Transfers::none(), 0)) };
    let stuff = Stuff::new(kind, 0.0, materials)?;
    let new = disc.reshaped(reshaping);
    let voxel = ground.voxel_size_m();
    let placed = disc.region(|at| disc.heights[at], |at| new[at].max(disc.heights[at]));
    // The uppermost voxel loses what is above the new surface, with the air above the old one.
    let taken = disc.region(
        |at| new[at],
        |at| match new[at] < disc.heights[at] {
            true => disc.heights[at] + voxel,
            false => new[at],
        },
    );
    let placed = disc.only_where(|at| new[at] > disc.heights[at]).then_some(placed).flatten();
    let taken = disc.only_where(|at| new[at] < disc.heights[at]).then_some(taken).flatten();
    let mut transfers = Transfers::none();
    if let Some(region) = taken {
        transfers.add_all(&ground.fill_or_empty(
            &region,
            (None, None),
            materials,
            body_share,
            memory_limit_bytes,
        )?);
    }
    if let Some(region) = placed {
        let came =
            ground.fill_or_empty(&region, (Some(stuff), None), materials, body_share, memory_limit_bytes)?;
        transfers.add_all(&came);
    }
    Ok((transfers, disc.columns))
}

fn check(reshaping: &Reshaping, voxel_size_m: f32) -> Result<(), EditError> {
    let Reshaping { center_m, radius_m, surface, .. } = *reshaping;
    let range = |field, value: f32, range, good: bool| {
        if good { Ok(()) } else { Err(EditError::OutOfRange { field, value, range }) }
    };
    let farthest = center_m.abs().max_element() / voxel_size_m;
    range(
        "center_m (voxels)",
        farthest,
        "within 2^22 voxels",
        center_m.is_finite() && farthest < (1 << 22) as f32,
    )?;
    let radius = radius_m / voxel_size_m;
    range("radius_m (voxels)", radius, "0.5 to 512", (0.5..=LARGEST_RADIUS).contains(&radius))?;
    match surface {
        Surface::Raised(by) => range("height_m", by, "up to radius_m", by.abs() <= radius_m),
        Surface::Smooth(share) => range("strength", share, "0 to 1", (0.0..=1.0).contains(&share)),
        Surface::Flat => Ok(()),
    }
}

/// Heights of the surface in a square around a disc.
struct Disc {
    /// Columns along x and y.
    side: usize,
    /// The lowest column.
    corner: IVec2,
    voxel_size_m: f32,
    /// Height of each (m), x fastest; of a column without a surface nearby, the height of the middle.
    heights: Vec<f32>,
    /// One in the middle of the disc, nothing from its rim on, and where there is no surface.
    weights: Vec<f32>,
    /// Columns with a weight.
    columns: usize,
    /// What the surface in the middle is made of.
    kind: Option<MaterialId>,
}

impl Disc {
    fn measure(reshaping: &Reshaping, ground: &Ground, materials: &Materials) -> Self {
        let size = ground.voxel_size_m();
        let (center, radius) = (reshaping.center_m / size, reshaping.radius_m / size);
        let reach = radius.ceil() as i32 + 1;
        let middle = center.truncate().floor().as_ivec2();
        let side = (2 * reach + 1) as usize;
        let (mut heights, mut weights) = (vec![0.0; side * side], vec![0.0; side * side]);
        let at_middle = surface_at(middle, center.z, reach, ground, materials);
        let (level, kind) = at_middle.map_or((reshaping.center_m.z, None), |(z, kind)| (z, Some(kind)));
        let (corner, mut columns) = (middle - reach, 0);
        for at in 0..side * side {
            let xy = corner + IVec2::new((at % side) as i32, (at / side) as i32);
            let off = (xy.as_vec2() + 0.5 - center.truncate()) / radius;
            let found = surface_at(xy, center.z, reach, ground, materials);
            heights[at] = found.map_or(level, |(z, _)| z);
            if found.is_some() && off.length_squared() < 1.0 {
                weights[at] = 1.0 - off.length_squared();
                columns += 1;
            }
        }
        Self { side, corner, voxel_size_m: size, heights, weights, columns, kind }
    }

    /// The heights that are asked for (m).
    fn reshaped(&self, reshaping: &Reshaping) -> Vec<f32> {
        let level = self.heights[self.heights.len() / 2];
        let new = |at: usize| {
            let (old, weight) = (self.heights[at], self.weights[at]);
            match reshaping.surface {
                Surface::Raised(by) => old + by * weight,
                Surface::Flat if weight > 0.0 => level,
                Surface::Flat => old,
                Surface::Smooth(share) => old + share * weight.sqrt() * (self.mean_around(at) - old),
            }
        };
        (0..self.heights.len()).map(new).collect()
    }

    /// The mean height of the 5 x 5 columns around one (m).
    fn mean_around(&self, at: usize) -> f32 {
        let (x, y, side) = ((at % self.side) as i32, (at / self.side) as i32, self.side as i32);
        let (mut sum, mut count) = (0.0, 0.0);
        for dy in -2..=2 {
            for dx in -2..=2 {
                let (x, y) = (x + dx, y + dy);
                if (0..side).contains(&x) && (0..side).contains(&y) {
                    sum += self.heights[(y * side + x) as usize];
                    count += 1.0;
                }
            }
        }
        sum / count
    }

    fn only_where(&self, is_other: impl Fn(usize) -> bool) -> bool {
        (0..self.heights.len()).any(|at| self.weights[at] > 0.0 && is_other(at))
    }

    /// Everything between two surfaces, none where they are no numbers.
    fn region(&self, low: impl Fn(usize) -> f32, high: impl Fn(usize) -> f32) -> Option<Region> {
        let heights = |of: &dyn Fn(usize) -> f32| {
            let samples_m = (0..self.heights.len()).map(of).collect();
            let origin = (self.corner.as_vec2() + Vec2::splat(0.5)) * self.voxel_size_m;
            let (width, height, cell_size_m) = (self.side, self.side, self.voxel_size_m);
            Heights::new(HeightSamples { width, height, cell_size_m, origin, samples_m }).ok().map(Arc::new)
        };
        Some(Region::Between { low: heights(&low)?, high: heights(&high)? })
    }
}

/// The surface of a column within `reach` voxels of height `z` (voxels): where it is (m), and what it is made of. None where it
/// is buried, far off or in the wall.
fn surface_at(
    xy: IVec2,
    z: f32,
    reach: i32,
    ground: &Ground,
    materials: &Materials,
) -> Option<(f32, MaterialId)> {
    let middle = z.round() as i32;
    if ground.is_wall(xy.extend(middle)) {
        return None;
    }
    let holds = |z: &i32| !ground.get(xy.extend(*z)).is_air();
    if holds(&(middle + reach + 1)) {
        return None;
    }
    let top = (middle - reach..=middle + reach).rev().find(holds)?;
    let voxel = ground.get(xy.extend(top));
    let fill = voxel.fill(materials);
    Some(((top as f32 + fill) * ground.voxel_size_m(), voxel.kind()))
}
