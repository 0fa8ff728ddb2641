//! Lists of neighbours against all pairs.

use barchan_particles::lanes::Level;
use barchan_particles::{BUNDLE, Bundles, Cells, Id, Place};
use glam::IVec3;
use proptest::prelude::*;

use crate::scattered::{all_pairs, close, found, places, strewn};

fn check(places: &[Place], reach: f32) -> Result<(), TestCaseError> {
    let (sorted, lists) = found(Level::new(), places, reach);
    let expected = all_pairs(&sorted, |i, j| close(sorted[i], sorted[j], reach));
    for (slot, expected) in expected.iter().enumerate() {
        prop_assert_eq!(lists.of(slot), &expected[..]);
    }
    let covered: Vec<_> = lists.parts().flatten().collect();
    prop_assert_eq!(covered, (0..sorted.len()).collect::<Vec<_>>());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn lists_hold_all_pairs_within_reach_and_none_twice(places in places(400), reach in 0.05f32..=1.0) {
        check(&places, reach)?;
    }

    #[test]
    fn runs_between_two_cells_hold_what_lies_there(places in places(300), low in -20i32..20, size in 0i32..20) {
        let mut cells = Cells::default();
        cells.sort(&places, 0);
        let middle = places[0].cell(0);
        let (low, high) = (middle + low, middle + low + size);
        let mut seen = Vec::new();
        cells.runs_between(low, high, |run| seen.extend(run.map(|slot| cells.order()[slot])));
        let inside = |place: &Place| {
            let cell = place.cell(0);
            cell.cmpge(low).all() && cell.cmple(high).all()
        };
        let mut expected: Vec<_> = (0..places.len() as u32).filter(|&i| inside(&places[i as usize])).collect();
        seen.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(seen, expected);
    }

    #[test]
    fn bundles_hold_what_lists_hold(places in places(300), reach in 0.3f32..=1.0) {
        let (sorted, lists) = found(Level::new(), &places, reach);
        let mut bundles = Bundles::default();
        bundles.lay_out(&lists, sorted.len());
        let mut seen = vec![None; sorted.len()];
        for bundle in (0..bundles.parts()).flat_map(|part| bundles.of_part(part)) {
            for lane in 0..BUNDLE {
                let mut list: Vec<_> = bundle.rows.iter().map(|row| row[lane]).collect();
                while list.last() == Some(&bundles.stand_in()) {
                    list.pop();
                }
                if bundle.slots[lane] == bundles.stand_in() {
                    prop_assert!(list.is_empty());
                } else {
                    prop_assert!(seen[bundle.slots[lane] as usize].replace(list).is_none());
                }
            }
        }
        for (slot, list) in seen.into_iter().enumerate() {
            prop_assert_eq!(list.as_deref(), Some(lists.of(slot)));
        }
    }
}

#[test]
fn particles_that_share_one_cell_or_one_point_all_see_each_other() {
    let places = strewn(1200, IVec3::new(-5, 3, 2), [1 << 31; 3], 7);
    check(&places, 1.0).unwrap();
    check(&[places[3]; 300], 0.1).unwrap();
}

#[test]
fn a_hundred_thousand_particles_have_the_neighbours_that_a_sweep_finds() {
    // Eight a cell, as water has them.
    let places = strewn(100_000, IVec3::splat(-11), [23 << 32, 23 << 32, 24 << 32], 3);
    let (sorted, lists) = found(Level::new(), &places, 1.0);
    // All pairs would take minutes: only those whose x is near are compared.
    let mut by_x: Vec<_> = (0..sorted.len()).collect();
    by_x.sort_by_key(|&slot| sorted[slot].0[0]);
    for (rank, &i) in by_x.iter().enumerate().step_by(97) {
        let within = |&&j: &&usize| (sorted[j].0[0] - sorted[i].0[0]).abs() <= 1 << 32;
        let (before, after) = by_x.split_at(rank);
        let near = before.iter().rev().take_while(within).chain(after.iter().take_while(within));
        let mut expected: Vec<_> =
            near.filter(|&&j| j != i && close(sorted[i], sorted[j], 1.0)).map(|&j| j as u32).collect();
        expected.sort_unstable();
        assert_eq!(lists.of(i), expected);
    }
}

#[test]
fn a_list_in_the_order_of_names_does_not_tell_when_it_was_made() {
    let places = strewn(2000, IVec3::splat(-3), [6 << 32; 3], 11);
    let named: Vec<_> = places.iter().enumerate().map(|(i, place)| (*place, Id(i as u32))).collect();
    let mut turned = named.clone();
    turned.reverse();
    turned.rotate_left(777);
    let lists_of = |particles: &[(Place, Id)]| {
        let places: Vec<_> = particles.iter().map(|particle| particle.0).collect();
        let (_, mut lists) = found(Level::new(), &places, 0.9);
        let mut cells = Cells::default();
        cells.sort(&places, 0);
        let mut ids = Vec::new();
        cells.arrange(&particles.iter().map(|particle| particle.1).collect::<Vec<_>>(), &mut ids);
        lists.order_by_id(&ids);
        let mut of_each: Vec<(Id, Vec<Id>)> = (0..places.len())
            .map(|slot| (ids[slot], lists.of(slot).iter().map(|&other| ids[other as usize]).collect()))
            .collect();
        of_each.sort();
        of_each
    };
    assert_eq!(lists_of(&named), lists_of(&turned));
}

#[test]
fn a_million_particles_over_kilometres_cost_no_more_than_in_a_pool() {
    // 100 km at 0.2 m, each alone, against eight a cell.
    let far = strewn(1_000_000, IVec3::splat(-250_000), [500_000 << 32; 3], 5);
    let pool = strewn(1_000_000, IVec3::splat(-250), [50 << 32; 3], 5);
    let bytes = |places: &[Place]| {
        let mut cells = Cells::default();
        cells.sort(places, 0);
        cells.memory_bytes() / places.len()
    };
    assert!(bytes(&far) < 80, "{} bytes", bytes(&far));
    assert!(bytes(&pool) < 40, "{} bytes", bytes(&pool));
}
