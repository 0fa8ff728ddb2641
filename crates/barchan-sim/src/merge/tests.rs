//! Grains on sand: who becomes ground, and what it looks like then.

use barchan_volume::{Region, VoxelBox};
use glam::{DVec3, IVec3};

use super::*;
use crate::carve::CarveParams;
use crate::grains::GrainSpec;
use crate::ground::Edit;
use crate::ledger::Account;
use crate::material::MaterialId;
use crate::world::{World, WorldConfig};

const STEP_S: f64 = 1.0 / 60.0;
const VOXEL_M: f32 = 0.1;
const SAND: MaterialId = MaterialId(0);

/// Level sand half a metre deep, and what particles it would come off as.
fn bed() -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(40)));
    let config = WorldConfig { voxel_size_m: VOXEL_M, bounds, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let region = Region::Slab { z_min_m: 0.0, z_max_m: 0.5 };
    world.edit(&Edit::Place { region, material: SAND, moisture: 0.0 }).unwrap();
    world.set_carve(Some(CarveParams::for_voxels(VOXEL_M))).unwrap();
    world.set_merge(Some(MergeParams::default())).unwrap();
    world
}

/// Height of the surface by columns (voxels).
fn heights(world: &World) -> Vec<f64> {
    let of = |at: usize| {
        let (x, y) = ((at % 40) as i32, (at / 40) as i32);
        (0..40).map(|z| f64::from(world.ground().get(IVec3::new(x, y, z)).fill(world.materials()))).sum()
    };
    (0..1600).map(of).collect()
}

fn form(world: &World) -> u16 {
    let of_sand = |(_, form): &(usize, &crate::grains::Form)| {
        world.grains().setup().substances[usize::from(form.spec.substance)].soil == SAND
    };
    world.grains().forms().iter().enumerate().find(of_sand).unwrap().0 as u16
}

#[test]
fn a_ball_at_rest_becomes_ground_without_a_spike_and_nothing_slides() {
    let mut world = bed();
    let at = DVec3::new(2.03, 1.98, 0.5 + 0.0751);
    world.add_grains(&[GrainSpec::at(form(&world), at)]).unwrap();
    let (before, held) = (heights(&world), world.ledger().held.of(Account::Grains));
    let mut merged = 0;
    for _ in 0..90 {
        let report = world.step(STEP_S);
        assert!(report.imbalance.is_zero());
        merged += report.merge.grains;
        if merged > 0 {
            assert_eq!(report.merge.units, held as i64);
            break;
        }
    }
    assert_eq!((merged, world.grains().len()), (1, 0));
    assert_eq!(world.ledger().held.of(Account::Grains), 0);
    let after = heights(&world);
    let raised = after.iter().zip(&before).map(|(a, b)| a - b).fold(0.0, f64::max);
    assert!(raised > 0.02 && raised < 0.2, "raised by {raised} voxels");
    for _ in 0..60 {
        assert_eq!(world.step(STEP_S).slip.moved, 0, "slopes are within their angle");
    }
    assert!(world.ledger().balances());
    world.check().unwrap();
}

#[test]
fn thresholds_are_obeyed() {
    let at_once = MergeParams { rest_s: 0.0, ..MergeParams::default() };
    for (params, steps, merges) in [
        (MergeParams { rest_s: 0.1, ..at_once }, 30, true),
        (MergeParams { rest_s: 100.0, ..at_once }, 30, false),
        (MergeParams { speed_m_s: 1e-6, ..at_once }, 2, false),
        (MergeParams { speed_m_s: 10.0, ..at_once }, 2, true),
    ] {
        let mut world = bed();
        world.set_merge(Some(params)).unwrap();
        // It drops by a little and lies within a tenth of a second.
        world.add_grains(&[GrainSpec::at(form(&world), DVec3::new(2.0, 2.0, 0.59))]).unwrap();
        (0..steps).for_each(|_| drop(world.step(STEP_S)));
        assert_eq!(world.grains().is_empty(), merges, "{params:?}");
    }
    let wrong = MergeParams { most: 0, ..MergeParams::default() };
    assert!(bed().set_merge(Some(wrong)).unwrap_err().contains("most"));
}

#[test]
fn the_oldest_at_rest_go_first_when_there_are_too_many() {
    let mut world = bed();
    world.set_merge(Some(MergeParams { most: 5, rest_s: 50.0, ..MergeParams::default() })).unwrap();
    let kind = form(&world);
    let place = |at: usize| DVec3::new(0.5 + 0.3 * (at % 8) as f64, 0.6 + 0.4 * (at / 8) as f64, 0.58);
    let specs: Vec<_> = (0..12).map(|at| GrainSpec::at(kind, place(at))).collect();
    world.add_grains(&specs).unwrap();
    let names: Vec<u32> = world.grains().all().iter().map(|grain| grain.id.0).collect();
    let mut forced = 0;
    for _ in 0..60 {
        forced += world.step(STEP_S).merge.forced;
    }
    assert_eq!((forced, world.grains().len()), (7, 5));
    let left: Vec<u32> = world.grains().all().iter().map(|grain| grain.id.0).collect();
    assert_eq!(left, names[7..], "the youngest stay");
}

#[test]
fn a_heap_of_balls_becomes_a_heap_of_ground() {
    let mut world = bed();
    let kind = form(&world);
    let mut specs = Vec::new();
    for at in 0..48 {
        let (x, y, z) = (at % 4, at / 4 % 4, at / 16);
        let off = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * 0.16;
        specs.push(GrainSpec::at(kind, DVec3::new(1.7, 1.7, 0.6) + off));
    }
    world.add_grains(&specs).unwrap();
    for _ in 0..400 {
        assert!(world.step(STEP_S).imbalance.is_zero());
    }
    // One or the other of 48 may still rock in a hollow.
    assert!(world.grains().len() <= 2, "{:?}", world.grains().all());
    let highest = heights(&world).into_iter().fold(0.0, f64::max);
    assert!((5.3..9.0).contains(&highest), "{highest}");
    world.check().unwrap();
}
