//! Density around each particle, and what a push changes of it (BenderKoschier2015, eq. 2 and 8).

use barchan_particles::Bundles;
use barchan_particles::lanes::{Level, Simd, dispatch, f32x16, prelude::*};
use glam::Vec3;
use rayon::prelude::*;

use super::flow::{Flow, lanes_of, split};
use super::lanes::{WENDLAND, WENDLAND_SLOPE, numbers, seen, way};

/// What a particle's neighbours are to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Density {
    /// Share of the space around it that is filled with water, walls left out.
    pub share: f32,
    /// Gradient of that by its own place (1/support).
    pub slope: Vec3,
    /// How much its pressure drives its neighbours away (1/support²).
    pub give: f32,
    /// How many they are.
    pub neighbours: u32,
}

impl Flow {
    /// Finds the density around each particle. Movers hold the lightness of each as their number.
    pub fn find_densities(&mut self) {
        let level = Level::new();
        self.densities.resize(self.weights.len(), Density::default());
        let Self { bundles, ranges, places, movers, weights, densities, .. } = self;
        split(ranges, densities).into_par_iter().enumerate().for_each(|(part, out)| {
            let first = ranges[part].start;
            dispatch!(level, simd => sum_part(simd, bundles, part, places, movers, weights, first, out));
        });
    }
}

#[allow(clippy::too_many_arguments, reason = "the entry of an inner loop takes all that it reads")]
#[inline(always)]
fn sum_part<S: Simd>(
    simd: S,
    bundles: &Bundles,
    part: usize,
    places: &[[u32; 4]],
    movers: &[[u32; 4]],
    weights: &[f32],
    first: usize,
    out: &mut [Density],
) {
    let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
    for bundle in bundles.of_part(part) {
        let own = seen(simd, places, bundle.slots);
        let (mut share, mut give, mut count) = (zero, zero, zero);
        let (mut slope_x, mut slope_y, mut slope_z) = (zero, zero, zero);
        for row in bundle.rows {
            let other = seen(simd, places, row);
            let [_, _, _, light] = numbers(simd, movers, row);
            let way = way(&own, &other);
            let q = way.r2.sqrt();
            let rest = (one - q).max(zero);
            let cubed = rest * rest * rest;
            share += other.number * (cubed * rest * (one + q * 4.0));
            let slope = other.number * cubed;
            slope_x += slope * way.x;
            slope_y += slope * way.y;
            slope_z += slope * way.z;
            give += slope * light * (cubed * way.r2);
            count += other.number.simd_gt(zero).select(one, zero);
        }
        for (lane, slot) in lanes_of(bundle.slots, bundles.stand_in()) {
            let weight = weights[slot];
            let slope = Vec3::new(slope_x[lane], slope_y[lane], slope_z[lane]);
            out[slot - first] = Density {
                share: WENDLAND * (share[lane] + weight),
                slope: slope * -WENDLAND_SLOPE,
                give: weight * give[lane] * (WENDLAND_SLOPE * WENDLAND_SLOPE),
                neighbours: count[lane] as u32,
            };
        }
    }
}
