//! The shape of a pile: how steep its flank is, and how round its base.

use std::f64::consts::TAU;

use super::depths::SoilDepths;

/// The flank is measured between these shares of the height: above, tips are blunt; below, feet are drawn out.
const FLANK: [f64; 2] = [0.9, 0.1];
/// Directions in which the base is measured. Of 16, four lie along the axes and four along the diagonals.
const SECTORS: usize = 16;
/// Rays that are followed in each.
const RAYS_PER_SECTOR: usize = 4;
/// Depth of soil from which on ground belongs to the base (voxels): what the surface shows.
const BASE_DEPTH: f64 = 0.5;

/// The measures of a pile around the z axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Pile {
    /// Height of the middle (m).
    pub peak_m: f64,
    /// Mean slope of the flank (rad).
    pub slope: f64,
    /// Largest over smallest radius of the base in any of 16 directions; 1 is round.
    pub roundness: f64,
    /// Mean radius of the base (m).
    pub base_radius_m: f64,
    /// Radius and mean height of the surface there (m), from the axis outwards.
    pub profile_m: Vec<[f64; 2]>,
}

impl Pile {
    /// Measures the soil of a map around x = y = 0. None where no soil stands there.
    pub fn of(depths: &SoilDepths) -> Option<Self> {
        let profile_m = profile(depths);
        let peak_m = profile_m.iter().map(|[_, height]| *height).fold(0.0, f64::max);
        if peak_m <= 0.0 {
            return None;
        }
        let radii = sector_radii(depths);
        let (low, high) = radii.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), r| (l.min(*r), h.max(*r)));
        let base_radius_m = radii.iter().sum::<f64>() / SECTORS as f64;
        let slope = flank_slope(&profile_m, peak_m);
        Some(Self { peak_m, slope, roundness: high / low, base_radius_m, profile_m })
    }
}

/// Mean height over all columns at about the same radius, in rings as wide as a voxel.
fn profile(depths: &SoilDepths) -> Vec<[f64; 2]> {
    let mut rings: Vec<[f64; 3]> = Vec::new();
    for (middle, depth) in depths.columns() {
        let radius = f64::from(middle.length());
        let ring = (radius / depths.voxel_size_m) as usize;
        rings.resize(rings.len().max(ring + 1), [0.0; 3]);
        let sums = &mut rings[ring];
        (sums[0], sums[1], sums[2]) = (sums[0] + 1.0, sums[1] + radius, sums[2] + depth);
    }
    rings.iter().filter(|sums| sums[0] > 0.0).map(|[n, radius, depth]| [radius / n, depth / n]).collect()
}

/// Mean slope of the flank (rad): what it falls by over how far it goes out. Of a cone this is its slope; where a steep part meets
/// a flat one, as in piles of cohesive soil, a straight line fitted to both would tell mostly how many columns each has.
fn flank_slope(profile_m: &[[f64; 2]], peak_m: f64) -> f64 {
    let [inner, outer] = FLANK.map(|share| radius_at(profile_m, share * peak_m));
    ((FLANK[0] - FLANK[1]) * peak_m).atan2(outer - inner)
}

/// The largest radius (m) at which the surface still reaches `height_m`.
fn radius_at(profile_m: &[[f64; 2]], height_m: f64) -> f64 {
    let Some(last) = profile_m.iter().rposition(|[_, height]| *height >= height_m) else { return 0.0 };
    let [inner, high] = profile_m[last];
    match profile_m.get(last + 1) {
        Some([outer, low]) => inner + (outer - inner) * (high - height_m) / (high - low),
        None => inner,
    }
}

/// Radius (m) of the base in every direction: mean over a few rays, each followed inwards to the first soil.
fn sector_radii(depths: &SoilDepths) -> [f64; SECTORS] {
    let ray_width = TAU / (SECTORS * RAYS_PER_SECTOR) as f64;
    std::array::from_fn(|sector| {
        let middle = sector as f64 * TAU / SECTORS as f64;
        let azimuth = |ray: usize| middle + (ray as f64 - (RAYS_PER_SECTOR - 1) as f64 / 2.0) * ray_width;
        let radii = (0..RAYS_PER_SECTOR).map(|ray| ray_radius(depths, azimuth(ray)));
        radii.sum::<f64>() / RAYS_PER_SECTOR as f64
    })
}

fn ray_radius(depths: &SoilDepths, azimuth: f64) -> f64 {
    let (sin, cos) = azimuth.sin_cos();
    let (step, threshold) = (0.25 * depths.voxel_size_m, BASE_DEPTH * depths.voxel_size_m);
    let depth = |k: usize| depths.at(k as f64 * step * cos, k as f64 * step * sin);
    let steps = 4 * depths.size[0].max(depths.size[1]);
    let Some(last) = (0..steps).rfind(|&k| depth(k) >= threshold) else { return 0.0 };
    let (inner, outer) = (depth(last), depth(last + 1));
    (last as f64 + (inner - threshold) / (inner - outer)) * step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone(side: i32, radius: f64, slope_deg: f64) -> SoilDepths {
        let tan = slope_deg.to_radians().tan();
        SoilDepths::from_fn(side, 0.1, |x, y| ((radius - x.hypot(y)) * tan).max(0.0))
    }

    #[test]
    fn a_cone_has_its_slope_and_is_round() {
        for slope_deg in [20.0, 33.0, 40.0] {
            for radius in [1.2, 2.5] {
                let pile = Pile::of(&cone(80, radius, slope_deg)).unwrap();
                assert!((pile.slope.to_degrees() - slope_deg).abs() < 0.3, "{pile:?}");
                assert!(pile.roundness < 1.02, "{radius}, {slope_deg}: {}", pile.roundness);
                let expected = radius - 0.05 / slope_deg.to_radians().tan();
                assert!((pile.base_radius_m - expected).abs() < 0.03, "{} {expected}", pile.base_radius_m);
            }
        }
    }

    #[test]
    fn a_blunt_tip_and_a_long_foot_do_not_change_the_slope() {
        let tan = 30_f64.to_radians().tan();
        let heap = SoilDepths::from_fn(100, 0.1, |x, y| {
            let height = (3.0 - x.hypot(y)) * tan;
            height.min(1.5).max(0.05 - 0.01 * x.hypot(y)).max(0.0)
        });
        let slope_deg = Pile::of(&heap).unwrap().slope.to_degrees();
        assert!((slope_deg - 30.0).abs() < 0.3, "{slope_deg}");
    }

    #[test]
    fn a_square_pyramid_is_not_round() {
        let pyramid = SoilDepths::from_fn(80, 0.1, |x, y| (2.5 - x.abs().max(y.abs())).max(0.0) * 0.6);
        let roundness = Pile::of(&pyramid).unwrap().roundness;
        assert!((1.25..1.45).contains(&roundness), "{roundness}");
        let oval = SoilDepths::from_fn(80, 0.1, |x, y| (2.5 - x.hypot(y * 1.1)).max(0.0) * 0.6);
        assert!(Pile::of(&oval).unwrap().roundness > 1.08);
    }

    #[test]
    fn a_column_that_stands_is_steep_and_nothing_is_no_pile() {
        let column = SoilDepths::from_fn(40, 0.1, |x, y| if x.hypot(y) < 1.0 { 2.5 } else { 0.0 });
        assert!(Pile::of(&column).unwrap().slope.to_degrees() > 80.0);
        assert_eq!(Pile::of(&SoilDepths::from_fn(40, 0.1, |_, _| 0.0)), None);
    }
}
