//! The shape of dunes: a gentle slope to the wind, a slip face at a given angle in the lee, crests that wind and
//! change in height.

use barchan_volume::Fractal;
use glam::Vec2;

use super::relief::Patch;
use crate::scene::Dunes;

/// Crests bend over this many wavelengths, and their height changes over as many.
const BEND_WAVELENGTHS: f32 = 4.0;
/// The lowest crests, as a share of the highest.
const LOWEST_CREST: f32 = 0.35;
/// Makes the pattern of heights another than that of bends.
const HEIGHT_SEED: u32 = 0x6475_6e65;

/// Writes the heights of `dunes` (m) on a patch, x fastest.
pub(super) fn dune_heights(dunes: &Dunes, patch: &Patch, out: &mut [f32]) {
    let rows = out.len() / patch.width;
    let frequency_per_m = 1.0 / (BEND_WAVELENGTHS * dunes.wavelength_m);
    let bends = Fractal { seed: dunes.seed, frequency_per_m, octaves: 2, ..Fractal::default() };
    let crests = Fractal { seed: dunes.seed ^ HEIGHT_SEED, ..bends };
    let along_wind = Vec2::from_angle(dunes.wind) / dunes.wavelength_m;
    let lee = dunes.height_m / (dunes.slope.tan() * dunes.wavelength_m);
    let noise = patch.noise(&bends, rows).zip(patch.noise(&crests, rows));
    for (at, (out, (bend, crest))) in out.iter_mut().zip(noise).enumerate() {
        let phase = along_wind.dot(patch.place(at)) + dunes.waviness * bend;
        // Noise keeps mostly to ±0.5.
        let crest = (0.5 + crest).clamp(0.0, 1.0);
        let height_m = dunes.height_m * (LOWEST_CREST + (1.0 - LOWEST_CREST) * crest);
        *out = dunes.base_m + height_m * profile(phase - phase.floor(), lee);
    }
}

/// Height of a dune (0 to 1) over its length (0 to 1) along the wind; the last `lee` of it is the slip face.
fn profile(at: f32, lee: f32) -> f32 {
    let windward = 1.0 - lee;
    if at < windward {
        let rise = at / windward;
        rise * rise * (3.0 - 2.0 * rise)
    } else {
        ((1.0 - at) / lee).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Area;
    use crate::scene::Relief;
    use glam::IVec2;

    fn dunes(waviness: f32) -> Dunes {
        let area = Area { min: IVec2::splat(-40), max: IVec2::splat(120) };
        let slope = 32_f32.to_radians();
        Dunes { area, base_m: 3.0, height_m: 2.0, wavelength_m: 12.0, wind: 0.7, waviness, slope, seed: 5 }
    }

    #[test]
    fn the_profile_rises_to_one_crest_and_falls_to_the_floor() {
        for lee in [0.1, 0.3, 0.5] {
            assert_eq!(profile(0.0, lee), 0.0);
            assert!((profile(1.0 - lee, lee) - 1.0).abs() < 1e-6);
            assert!(profile(0.999_999, lee) < 1e-4);
            let heights: Vec<_> = (0..1000).map(|i| profile(i as f32 / 1000.0, lee)).collect();
            let crest = heights.iter().position(|h| *h >= 0.999).expect("a crest");
            assert!(heights[..crest].is_sorted());
        }
    }

    #[test]
    fn slip_faces_are_no_steeper_than_asked_and_windward_sides_gentler() {
        let relief = Relief::Dunes(dunes(0.0));
        let heights = relief.heights(0.25);
        let samples = heights.samples();
        let at = |x: usize, y: usize| samples.samples_m[y * samples.width + x];
        let wind = Vec2::from_angle(0.7);
        let (mut steepest_lee, mut steepest_windward) = (0.0f32, 0.0f32);
        for y in 1..samples.height - 1 {
            for x in 1..samples.width - 1 {
                let slope = Vec2::new(at(x + 1, y) - at(x - 1, y), at(x, y + 1) - at(x, y - 1)) / 0.5;
                let along = slope.dot(wind);
                (steepest_lee, steepest_windward) = (steepest_lee.max(-along), steepest_windward.max(along));
            }
        }
        let tan = 32_f32.to_radians().tan();
        // The crest changes in height along the dune, which adds a little.
        assert!((0.6 * tan..1.1 * tan).contains(&steepest_lee), "{steepest_lee}");
        assert!(steepest_windward < 0.6 * tan, "{steepest_windward}");
        assert!(samples.samples_m.iter().all(|h| (3.0..=5.0).contains(h)));
    }

    #[test]
    fn heights_do_not_depend_on_the_area() {
        let whole = Relief::Dunes(dunes(0.5)).heights(0.5);
        let part = Area { min: IVec2::new(-7, 20), max: IVec2::new(33, 61) };
        let part = Relief::Dunes(Dunes { area: part, ..dunes(0.5) }).heights(0.5);
        for (x, y) in [(0.25, 12.25), (10.0, 10.0), (-3.0, 30.25)] {
            assert_eq!(whole.height_m(Vec2::new(x, y)), part.height_m(Vec2::new(x, y)), "{x} {y}");
        }
    }
}
