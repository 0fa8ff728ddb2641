//! The same bits on every level of the CPU and on any number of threads.

use barchan_particles::lanes::{Level, Simd, dispatch, f32x16, levels, prelude::*};
use barchan_particles::{BUNDLE, Bundles, Place, gather};
use glam::IVec3;

use crate::scattered::{Mixed, found, strewn};

/// Sums over lists with a particle in each lane, as solvers form them.
#[inline(always)]
fn sums<S: Simd>(simd: S, bundles: &Bundles, records: &[[u32; 4]], sums: &mut [f32]) {
    for bundle in (0..bundles.parts()).flat_map(|part| bundles.of_part(part)) {
        let [x, y, z, _] = gather(simd, records, bundle.slots).map(|word| word.bitcast::<f32x16<S>>());
        let mut sum = f32x16::splat(simd, 0.0);
        for row in bundle.rows {
            let [other_x, other_y, other_z, weight] =
                gather(simd, records, row).map(|word| word.bitcast::<f32x16<S>>());
            let (dx, dy, dz) = (other_x - x, other_y - y, other_z - z);
            let rest = (f32x16::splat(simd, 1.0) - (dx * dx + dy * dy + dz * dz)).max(0.0);
            sum += weight * rest * rest * rest;
        }
        for lane in 0..BUNDLE {
            sums[bundle.slots[lane] as usize] = sum[lane];
        }
    }
}

fn all_bits(level: Level, places: &[Place]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let (sorted, lists) = found(level, places, 1.0);
    let mut bundles = Bundles::default();
    bundles.lay_out(&lists, sorted.len());
    let mut mixed = Mixed(1);
    let mut records: Vec<_> = sorted
        .iter()
        .map(|place| {
            let [x, y, z] = place.coarse().map(|x| x as f32 / 8_388_608.0);
            [x, y, z, (mixed.next() >> 40) as f32].map(f32::to_bits)
        })
        .collect();
    records.push([1e9, 1e9, 1e9, 0.0].map(f32::to_bits));
    let mut sum = vec![0.0; records.len()];
    dispatch!(level, simd => sums(simd, &bundles, &records, &mut sum));
    sum.pop();
    let lists = (0..sorted.len()).map(|slot| lists.of(slot).to_vec()).collect();
    (lists, sum.into_iter().map(f32::to_bits).collect())
}

#[test]
fn levels_and_threads_change_no_bit() {
    let places = strewn(30_000, IVec3::new(-8, -400, 77), [16 << 32; 3], 21);
    let expected = all_bits(levels()[0].1, &places);
    assert!(expected.1.iter().any(|&bits| f32::from_bits(bits) > 0.0));
    for (name, level) in levels() {
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| all_bits(level, &places)) == expected, "{name} with {threads} threads");
        }
    }
}
