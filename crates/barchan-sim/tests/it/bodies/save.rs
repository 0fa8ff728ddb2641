//! Saving in the middle changes nothing; bytes that are not saved bodies are refused.

use std::sync::Arc;

use barchan_sim::bodies::{Bodies, BodyError, BodySpec, Cause, Motion};
use barchan_volume::{Hull, Pose, Shape};
use glam::Vec3;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{Numbers, bits, cube, run, stack_and_blade};

fn reloaded(bodies: &Bodies) -> Bodies {
    Bodies::from_bytes(&bodies.to_bytes()).unwrap()
}

fn digest(bodies: &Bodies) -> u64 {
    let mut hasher = Xxh3::new();
    bodies.digest(&mut hasher);
    hasher.digest()
}

#[test]
fn sixty_and_sixty_are_a_hundred_and_twenty() {
    for stop in [0, 1, 37, 60, 119] {
        let mut straight = stack_and_blade();
        run(&mut straight, 0, stop);
        let mut resumed = reloaded(&straight);
        assert_eq!(digest(&straight), digest(&resumed));
        for step in stop..120 {
            run(&mut straight, step, 1);
            run(&mut resumed, step, 1);
            assert_eq!(bits(&straight), bits(&resumed), "saved after {stop}, step {step}");
        }
        assert_eq!(straight.to_bytes(), resumed.to_bytes(), "all that rapier holds, too");
        assert_eq!(digest(&straight), digest(&resumed));
    }
}

#[test]
fn reloading_after_every_step_changes_nothing() {
    let mut straight = stack_and_blade();
    let mut resumed = stack_and_blade();
    for step in 0..120 {
        run(&mut straight, step, 1);
        resumed = reloaded(&resumed);
        run(&mut resumed, step, 1);
        assert_eq!(bits(&straight), bits(&resumed), "step {step}");
    }
}

#[test]
fn what_was_changed_between_steps_is_saved_too() {
    let mut bodies = stack_and_blade();
    run(&mut bodies, 0, 30);
    let ids: Vec<_> = bodies.iter().map(|body| body.id).collect();
    bodies.remove(ids[2]);
    bodies.set_pose(ids[5], Pose::at(Vec3::new(0.0, 2.0, 0.5))).unwrap();
    bodies
        .apply_force_at(ids[6], Cause::Soil, Vec3::new(0.0, 0.0, 4000.0), Vec3::new(0.0, 0.3, 0.5))
        .unwrap();
    bodies
        .apply_impulse_at(ids[7], Cause::Soil, Vec3::new(100.0, 0.0, 0.0), Vec3::new(0.0, 0.3, 0.5))
        .unwrap();
    bodies.insert(cube("late", 0.1, Vec3::new(0.0, 0.2, 3.0), Motion::Dynamic)).unwrap();
    let mut resumed = reloaded(&bodies);
    for step in 30..90 {
        run(&mut bodies, step, 1);
        run(&mut resumed, step, 1);
        assert_eq!(bits(&bodies), bits(&resumed), "step {step}");
        assert_eq!(digest(&bodies), digest(&resumed), "step {step}");
    }
}

#[test]
fn sleeping_bodies_sleep_on() {
    let mut bodies = stack_and_blade();
    // Round things roll on a hard floor for ever.
    let round: Vec<_> = bodies.iter().filter(|body| ["ball", "log"].contains(&&*body.spec.name)).collect();
    let round: Vec<_> = round.iter().map(|body| body.id).collect();
    assert!(round.into_iter().all(|id| bodies.remove(id)));
    run(&mut bodies, 0, 600);
    let awake: Vec<_> = bodies.iter().filter(|body| !body.sleeping).collect();
    assert!(awake.is_empty(), "{awake:?}");
    let mut resumed = reloaded(&bodies);
    let first = bodies.iter().next().unwrap();
    let (id, at, mass) = (first.id, first.pose.translation, first.mass_kg);
    for world in [&mut bodies, &mut resumed] {
        assert_eq!(run(world, 600, 10).iter().map(|motion| motion.moved).sum::<usize>(), 0);
        world.apply_impulse_at(id, Cause::Soil, Vec3::new(3.0, 2.0, 1.0) * mass, at).unwrap();
        assert!(run(world, 610, 120)[0].moved > 0);
    }
    assert_eq!(bits(&bodies), bits(&resumed));
}

#[test]
fn the_digest_sees_every_part() {
    let base = stack_and_blade();
    let id = base.iter().next().unwrap().id;
    let mut digests = vec![digest(&base)];
    let mut changed = |change: &dyn Fn(&mut Bodies)| {
        let mut bodies = base.clone();
        change(&mut bodies);
        digests.push(digest(&bodies));
    };
    changed(&|bodies| bodies.set_pose(id, Pose::at(Vec3::new(0.0, 0.0, 0.200_001))).unwrap());
    changed(&|bodies| bodies.set_velocity(id, Vec3::new(0.0, 0.0, 1e-6), Vec3::ZERO).unwrap());
    changed(&|bodies| bodies.apply_force_at(id, Cause::Soil, Vec3::X, Vec3::ZERO).unwrap());
    changed(&|bodies| assert!(bodies.remove(id)));
    changed(&|bodies| {
        let late = bodies.insert(cube("late", 0.1, Vec3::ZERO, Motion::Fixed)).unwrap();
        assert!(bodies.remove(late));
    });
    for friction in [0.5, 0.7] {
        changed(&|bodies| {
            let spec = BodySpec { friction, ..cube("late", 0.1, Vec3::ZERO, Motion::Fixed) };
            bodies.insert(spec).unwrap();
        });
    }
    let count = digests.len();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), count);
}

/// Something of everything, small.
fn sample() -> Vec<u8> {
    let mut bodies = stack_and_blade();
    let points = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let hull = Shape::Hull(Arc::new(Hull::new(points).unwrap()));
    bodies.insert(BodySpec::new("hull", hull, Pose::at(Vec3::new(3.0, 0.0, 0.5)), Motion::Dynamic)).unwrap();
    run(&mut bodies, 0, 20);
    bodies.to_bytes()
}

/// The bytes with a few of them changed, cut, doubled or filled.
fn mutated(bytes: &[u8], from: usize, numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=numbers.below(3) {
        let at = from + numbers.below(bytes.len() - from);
        match numbers.below(5) {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes[at] = numbers.next() as u8,
            2 => bytes.truncate(at.max(from + 1)),
            3 => {
                let end = (at + 5).min(bytes.len());
                bytes[at..end].fill(0xff);
            }
            _ => {
                let end = (at + 16).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
        }
    }
    bytes
}

#[test]
fn mutated_bytes_are_refused() {
    let bytes = sample();
    let mut numbers = Numbers(42);
    for round in 0..10_000 {
        let broken = mutated(&bytes, 0, &mut numbers);
        if broken != bytes {
            let outcome = Bodies::from_bytes(&broken);
            assert!(matches!(outcome, Err(BodyError::Damaged(_))), "round {round}");
        }
    }
    for length in 0..40 {
        assert!(Bodies::from_bytes(&bytes[..length]).is_err());
    }
    assert!(Bodies::from_bytes(&bytes).is_ok());
}

/// Forged bytes with a checksum that fits: whatever still passes as bodies can be stepped, and stays finite.
#[test]
fn forged_bytes_do_no_harm() {
    let bytes = sample();
    let mut numbers = Numbers(4711);
    let (mut accepted, mut restarted) = (0, 0);
    for round in 0..2_000 {
        let mut forged = mutated(&bytes, 16, &mut numbers);
        let hash = xxh3_64(&forged[16..]);
        forged[8..16].copy_from_slice(&hash.to_le_bytes());
        let Ok(mut bodies) = Bodies::from_bytes(&forged) else { continue };
        accepted += 1;
        restarted += usize::from(run(&mut bodies, 20, 3).iter().any(|motion| motion.restarted));
        let finite =
            bodies.iter().all(|body| body.pose.translation.is_finite() && body.pose.rotation.is_finite());
        assert!(finite, "round {round}");
    }
    assert!(
        accepted > 100 && restarted > 0,
        "{accepted} forgeries were taken for bodies, {restarted} were bad"
    );
}
