//! Loads on bodies: soil on top, other bodies, hands that push; and what wakes those that sleep.

use barchan_sim::Edit;
use barchan_sim::bodies::{BodyId, BodySpec, Cause, Motion};
use barchan_volume::{Pose, Region, Shape, Solid};
use glam::Vec3;

use super::{DT_S, GRAVITY, VOXEL_M, Yard, block};

#[test]
fn soil_on_top_weighs_what_it_weighs() {
    let mut yard = Yard::flat("granite");
    let half = Vec3::new(0.25, 0.25, 0.1);
    let id = yard.add(block(half, 2000.0, Pose::at(Vec3::Z * half.z)));
    // A slab of sand 0.3 m high on all of the top, and a tower over its middle that does not touch it.
    let on_top = |low: f32, high: f32, half: f32| {
        let half_extents = Vec3::new(half, half, 0.5 * (high - low));
        let pose = Pose::at(Vec3::Z * 0.5 * (low + high));
        Region::Solid(Solid { shape: Shape::Box { half_extents }, pose })
    };
    yard.place(on_top(0.2, 0.5, 0.25), "dry_sand");
    yard.place(on_top(0.7, 1.0, 0.1), "dry_sand");
    let load = yard.step(DT_S).loads[0];
    let expected = 15.7e3 / 9.806_65 * 0.5 * 0.5 * 0.3;
    assert!((load.overburden_kg - expected).abs() < 0.02 * expected, "{} for {expected}", load.overburden_kg);
    yard.run(1.0);
    assert!(yard.body(id).pose.translation.z > half.z - 0.1 * VOXEL_M, "rock carries both");
}

#[test]
fn soil_on_top_presses_a_body_deeper() {
    let depth = |height_m: f32| {
        let mut yard = Yard::flat("dry_sand");
        let half = Vec3::new(0.25, 0.25, 0.15);
        let id = yard.add(block(half, 800.0, Pose::at(Vec3::Z * half.z)));
        yard.run(2.0);
        let shape = Shape::Box { half_extents: Vec3::new(0.25, 0.25, 0.5 * height_m) };
        let pose = Pose::at(Vec3::Z * (2.0 * half.z + 0.5 * height_m));
        yard.place(Region::Solid(Solid { shape, pose }), "dry_sand");
        yard.run(2.0);
        half.z - yard.body(id).pose.translation.z
    };
    let depths = [0.01, 0.5, 1.0].map(depth);
    // 2.35 kPa of its own and 7.85 kPa more for every half metre, in Bekker's law.
    for (depth, pressure_kpa) in depths.into_iter().zip([2.35, 10.2, 18.05]) {
        let expected = (pressure_kpa / 1528.43_f32).powf(1.0 / 1.1);
        assert!((depth - expected).abs() < 0.25 * expected, "{depths:?}: {expected} for {pressure_kpa} kPa");
    }
}

#[test]
fn a_stack_comes_to_rest_and_sinks_by_its_whole_weight() {
    for (ground, expected) in [("dry_sand", 0.0313), ("granite", 0.0)] {
        let mut yard = Yard::flat(ground);
        let half = Vec3::splat(0.25);
        let at = |level: i32| Pose::at(Vec3::Z * (half.z + 0.501 * level as f32));
        let ids: Vec<BodyId> = (0..3).map(|level| yard.add(block(half, 2300.0, at(level)))).collect();
        yard.run(6.0);
        let depth = half.z - yard.body(ids[0]).pose.translation.z;
        for id in &ids {
            let body = yard.body(*id);
            assert!(body.linear_velocity_m_s.length() < 0.01, "{ground}: {}", body.linear_velocity_m_s);
        }
        // Loads that come from above are met two steps late, which costs a few millimetres.
        assert!(
            (depth - expected).abs() < 0.25 * expected + 0.1 * VOXEL_M,
            "{ground}: {depth} for {expected}"
        );
    }
}

/// The force (N) that a scripted ram would need: the greatest push that a block, buried to `depth_m` (m), withstands.
fn resistance(soil: &str, depth_m: f32) -> f32 {
    let half = Vec3::new(0.2, 0.2, 0.3);
    let withstands = |push: f32| {
        let mut yard = Yard::flat(soil);
        let id = yard.add(block(half, 500.0, Pose::at(Vec3::Z * (half.z - depth_m))));
        for _ in 0..60 {
            yard.keep_awake(id);
            // At the height where soil resists, so that it is not tipped over.
            // Cohesion resists evenly, friction more below.
            let share = if soil == "clay" { 0.5 } else { 0.6 };
            let point = yard.body(id).centre_of_mass_m.with_z(-share * depth_m);
            yard.bodies.apply_force_at(id, Cause::Soil, Vec3::X * push, point).unwrap();
            yard.step(DT_S);
            if yard.body(id).pose.translation.x > 0.02 {
                return false;
            }
        }
        true
    };
    let (mut low, mut high) = (0.0, 1e5);
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        if withstands(middle) { low = middle } else { high = middle }
    }
    low
}

#[test]
fn resistance_to_a_push_grows_with_depth() {
    for soil in ["dry_sand", "sandy_loam", "clay"] {
        let found = [0.1, 0.2, 0.3].map(|depth| resistance(soil, depth));
        assert!(found.is_sorted_by(|a, b| 1.2 * a < *b), "{soil}: {found:?}");
    }
}

#[test]
fn sleepers_wake_when_their_ground_goes() {
    let mut yard = Yard::flat("sandy_loam");
    let half = Vec3::splat(0.2);
    let id = yard.add(block(half, 1500.0, Pose::at(Vec3::Z * half.z)));
    yard.run(3.0);
    assert!(yard.body(id).sleeping);
    let rest = yard.body(id).pose.translation.z;
    yard.edit(&Edit::Remove { region: Region::Slab { z_min_m: -0.5, z_max_m: 0.0 } });
    assert!(!yard.body(id).sleeping, "woken by the edit");
    yard.run(3.0);
    let body = yard.body(id);
    // It fell half a metre and made a dent.
    let fell = rest - body.pose.translation.z;
    assert!(body.sleeping && (0.5..0.55).contains(&fell), "fell {fell} m");
}

#[test]
fn waking_costs_no_depth() {
    let mut yard = Yard::flat("dry_sand");
    let half = Vec3::splat(0.2);
    let id = yard.add(block(half, 2000.0, Pose::at(Vec3::Z * half.z)));
    yard.run(3.0);
    let rest = yard.body(id).pose.translation.z;
    for _ in 0..20 {
        assert!(yard.body(id).sleeping);
        let centre = yard.body(id).centre_of_mass_m;
        yard.bodies.apply_force_at(id, Cause::Soil, 1e-3 * GRAVITY, centre).unwrap();
        yard.run(1.0);
    }
    let sunk = rest - yard.body(id).pose.translation.z;
    assert!(sunk.abs() < 1e-3, "{sunk} m");
}

#[test]
fn bodies_that_forces_do_not_move_feel_nothing() {
    let mut yard = Yard::flat("dry_sand");
    let spec = BodySpec { motion: Motion::Fixed, ..block(Vec3::splat(0.2), 2000.0, Pose::IDENTITY) };
    yard.add(spec);
    assert!(yard.step(DT_S).loads.is_empty());
}
