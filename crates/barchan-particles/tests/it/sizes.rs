//! Particles of mixed sizes against all pairs.

use barchan_particles::{Id, Place, SizeClasses};
use proptest::prelude::*;

use crate::scattered::{Mixed, all_pairs, places};

fn closer_than(a: Place, b: Place, apart: f32) -> bool {
    let way = [0, 1, 2].map(|axis| ((b.0[axis] >> 2) - (a.0[axis] >> 2)) as f32 / (1u32 << 30) as f32);
    way[0] * way[0] + way[1] * way[1] + way[2] * way[2] < apart * apart
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn lists_of_mixed_sizes_hold_all_pairs(places in places(250), skin in 0.0f32..0.1, seed in any::<u64>()) {
        let mut mixed = Mixed(seed);
        // Reaches of 0.45 down to a tenth of it, most of them small.
        let reaches: Vec<_> = places.iter()
            .map(|_| 0.045 * (1.0 + 9.0 * ((mixed.next() >> 40) as f32 / (1 << 24) as f32).powi(3))).collect();
        let mut classes = SizeClasses::default();
        classes.sort(&places, &reaches);
        let arranged = |from: &u32| *from as usize;
        let ids: Vec<_> = classes.order().iter().map(|&from| Id(from)).collect();
        let sorted: Vec<_> = classes.order().iter().map(|from| places[arranged(from)]).collect();
        let wide: Vec<_> = classes.order().iter().map(|from| reaches[arranged(from)]).collect();
        let lists = classes.find(&sorted, &wide, &ids, skin);
        let mut expected = all_pairs(&sorted, |i, j| closer_than(sorted[i], sorted[j], wide[i] + wide[j] + skin));
        for (slot, expected) in expected.iter_mut().enumerate() {
            expected.sort_by_key(|&other| ids[other as usize]);
            prop_assert_eq!(lists.of(slot), &expected[..]);
        }
    }
}
