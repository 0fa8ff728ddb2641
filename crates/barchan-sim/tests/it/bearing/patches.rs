//! Contacts as others see them: what they add up to, and what soil does to bodies that are led through it.

use barchan_sim::World;
use barchan_sim::bearing::Patch;
use barchan_sim::bodies::{BodySpec, Cause, Key, Motion, Track};
use barchan_volume::{Pose, Shape};
use glam::Vec3;

use super::{DT_S, GRAVITY, Yard, block};

fn force(patches: &[Patch]) -> Vec3 {
    patches.iter().map(|patch| patch.force_n).sum()
}

#[test]
fn patches_add_up_to_the_force_on_a_body() {
    for ground in ["dry_sand", "clay", "granite"] {
        let mut yard = Yard::flat(ground);
        let half = Vec3::new(0.4, 0.3, 0.2);
        let id = yard.add(block(half, 1500.0, Pose::at(Vec3::Z * (half.z + 0.002))));
        for step in 0..30 {
            yard.keep_awake(id);
            let (report, patches) = yard.step_with_patches(DT_S);
            let load = report.loads.first().map_or(Vec3::ZERO, |load| load.force_n);
            let found = force(&patches);
            assert!((found - load).length() < 0.01 * load.length().max(1.0), "{ground}: {found} {load}");
            if step > 20 {
                let weight = yard.body(id).mass_kg * 9.81;
                assert!((found.z - weight).abs() < 0.05 * weight, "{ground}: {found} for {weight}");
                let pressing = patches.iter().filter(|patch| patch.area_m2 > 0.0);
                let sum: f32 =
                    pressing.map(|patch| -patch.normal.z * patch.pressure_pa * patch.area_m2).sum();
                let corners = patches.iter().filter(|patch| patch.area_m2 == 0.0);
                let on_corners: f32 = corners.map(|patch| patch.force_n.z).sum();
                assert!((sum + on_corners - weight).abs() < 0.06 * weight, "{ground}: {sum} for {weight}");
            }
        }
        let received = yard.body(id).received.by(Cause::Bearing);
        assert!(received.linear.z > 0.0);
    }
}

/// A plate led downwards at 1 cm/s, its underside at `z_m` (m), in a world that does not move yet.
fn plate(yard: &mut Yard, z_m: f32) -> barchan_sim::bodies::BodyId {
    let shape = Shape::Box { half_extents: Vec3::new(0.3, 0.3, 0.05) };
    let key = |time_s: f64, z: f32| Key { time_s, pose: Pose::at(Vec3::Z * (z + 0.05)) };
    let keys = vec![key(0.0, z_m), key(10.0, z_m - 0.1)];
    let motion = Motion::Scripted(Track { keys, repeat: false });
    yard.add(BodySpec::new("plate", shape, Pose::IDENTITY, motion))
}

#[test]
fn soil_resists_a_plate_that_is_led_into_it() {
    let mut yard = Yard::flat("dry_sand");
    let id = plate(&mut yard, -0.03);
    let (_, patches) = yard.step_with_patches(DT_S);
    assert!(!patches.is_empty() && patches.iter().all(|patch| patch.body == id && !patch.is_rock));
    let sand = &yard.world.materials()[yard.world.materials().find("dry_sand").unwrap()];
    // Bekker at the middle of the way, 30 mm below the surface, for b = 0.6 m.
    let pressure = (sand.sinkage_kc / 0.6 + sand.sinkage_kphi) * 0.03_f32.powf(sand.sinkage_exponent);
    let expected = pressure * 0.36;
    let found = force(&patches).z;
    assert!((found - expected).abs() < 0.15 * expected, "{found} N for {expected} N");
    let (mean, _) = yard.body(id).received.mean_force_n(Cause::Bearing);
    assert!((mean.z - found).abs() < 0.2 * expected, "{mean} N, soil on top included");
}

#[test]
fn the_world_keeps_the_contacts_of_a_step() {
    let mut yard = Yard::flat("dry_sand");
    let world: &mut World = &mut yard.world;
    let keys = [(0.0, 0.0), (1.0, 6.0)].map(|(time_s, x)| Key { time_s, pose: Pose::at(Vec3::X * x) });
    let motion = Motion::Scripted(Track { keys: keys.to_vec(), repeat: false });
    let shape = Shape::Box { half_extents: Vec3::new(0.1, 0.3, 0.2) };
    let id = world.add_body(BodySpec::new("blade", shape, Pose::IDENTITY, motion)).unwrap();
    world.step(DT_S);
    // A tenth of a metre, in parts of half a voxel.
    let parts: Vec<u32> = world.contacts().iter().map(|patch| patch.part).collect();
    assert!(parts.is_sorted() && parts.last() == Some(&3), "{parts:?}");
    let push = force(world.contacts());
    assert!(push.x < 0.0, "soil holds the blade back: {push}");
    let received = world.bodies().received(id).unwrap();
    assert!(received.by(Cause::Bearing).linear.x < 0.0 && (received.dt_s - DT_S).abs() < 1e-9);
    assert!(push.is_finite() && GRAVITY.is_finite());
    world.step(f64::NAN);
    assert!(!world.contacts().is_empty(), "no step, nothing forgotten");
}
