//! Grains against closed forms, against all pairs, against themselves on other vectors, threads and files.

use barchan_particles::lanes::levels;
use barchan_volume::{Pose, Shape};
use glam::{DQuat, DVec3, IVec3, Vec3};

use super::motion::By;
use super::press::Rules;
use super::records::radius;
use super::surface::Surface;
use super::workshop::Workshop;
use super::*;
use crate::bodies::{Bodies, BodyFill, BodySpec, Coupled, Motion};
use crate::ground::Ground;
use crate::ledger::Account;
use crate::material::MaterialId;
use crate::now::Now;
use crate::state::WorldState;
use crate::world::{World, WorldConfig};

pub(super) const SAND: MaterialId = MaterialId(0);
pub(super) const DOWN: Vec3 = Vec3::new(0.0, 0.0, -9.81);

pub(super) fn setup(templates: Vec<Template>, size_m: f64) -> Setup {
    let forms =
        (0..templates.len() as u16).map(|template| FormSpec { template, size_m, substance: 0 }).collect();
    Setup { substances: vec![Substance::sand(SAND)], templates, forms, ..Setup::default() }
}

pub(super) fn world(setup: Setup, gravity_m_s2: Vec3) -> World {
    let mut world = World::new(WorldConfig { gravity_m_s2, ..WorldConfig::default() }).unwrap();
    world.set_up_grains(setup).unwrap();
    world
}

/// Momentum, and angular momentum about the origin.
fn momenta(grains: &Grains) -> (DVec3, DVec3) {
    let mut sums = (DVec3::ZERO, DVec3::ZERO);
    for grain in grains.all() {
        let p = grain.velocity_m_s * grains.form_of(grain).mass_kg;
        sums.0 += p;
        sums.1 += grains.position_m(grain).cross(p) + grain.angular_momentum;
    }
    sums
}

/// Clumps of three templates and three sizes, thrown together on a floor.
pub(super) fn heap() -> Setup {
    let mut setup =
        setup(vec![Template::sphere(), Template::tetrahedron(0.75), Template::trefoil(1.0)], 0.01);
    setup.forms.push(FormSpec { template: 0, size_m: 0.004, substance: 0 });
    setup.forms.push(FormSpec { template: 1, size_m: 0.02, substance: 0 });
    setup.substances[0].rolling_friction = 0.1;
    setup.walls.push(Wall::plane("floor", DVec3::ZERO, DVec3::Z));
    setup.walls.push(Wall::tube("tube", DVec3::new(0.0, 0.0, -0.01), 0.06, 1.0));
    setup
}

pub(super) fn thrown(setup: Setup, count: usize) -> World {
    let forms = setup.forms.len() as u16;
    let mut world = world(setup, DOWN);
    let fill = Fill {
        mix: (0..forms).map(|form| (form, 1.0)).collect(),
        low_m: DVec3::new(-0.055, -0.055, 0.0),
        high_m: DVec3::new(0.055, 0.055, 3.0),
        pitch_m: Some(0.027),
        jitter: 0.0,
        count,
        turned: true,
        velocity_m_s: DVec3::new(0.3, -0.2, -1.5),
        seed: 7,
    };
    assert!(world.fill_with_grains(&fill).unwrap() > count / 2);
    world
}

#[test]
fn two_spheres_part_with_the_restitution_asked_for_and_less_when_they_are_quicker() {
    for (law, sliding) in [(Law::Hertz, Sliding::Springs), (Law::Linear, Sliding::Viscous)] {
        for (speed, expected) in [(1.0, 0.65), (0.1, 0.755), (10.0, 0.523)] {
            let expected = if law == Law::Linear { 0.65 } else { expected };
            let mut setup = setup(vec![Template::sphere()], 0.01);
            setup.laws = Laws { law, sliding, substeps_per_contact: 60.0, ..Laws::default() };
            setup.substances[0].restitution = 0.65;
            setup.substances[0].young_pa = 1e8;
            let mut world = world(setup, Vec3::ZERO);
            let specs = [-1.0, 1.0].map(|side| GrainSpec {
                velocity_m_s: DVec3::X * (-0.5 * side * speed),
                ..GrainSpec::at(0, DVec3::X * (0.00505 * side))
            });
            world.add_grains(&specs).unwrap();
            world.step(0.005 / speed.min(2.0));
            let [a, b] = [0, 1].map(|i| world.grains().all()[i].velocity_m_s.x);
            assert!(
                ((b - a) / speed - expected).abs() < 0.006,
                "{law:?} at {speed} m/s: {}",
                (b - a) / speed
            );
            assert!((a + b).abs() < 1e-6 * speed);
        }
    }
}

#[test]
fn collisions_of_clumps_keep_momentum_and_angular_momentum() {
    let mut world = world(setup(vec![Template::tetrahedron(1.0), Template::dimer(0.8)], 0.01), Vec3::ZERO);
    let a = GrainSpec {
        velocity_m_s: DVec3::new(0.7, 0.1, 0.0),
        spin_rad_s: DVec3::new(20.0, -60.0, 35.0),
        ..GrainSpec::at(0, DVec3::new(-0.015, 0.002, 0.001))
    };
    let b = GrainSpec {
        velocity_m_s: DVec3::new(-0.6, 0.0, 0.1),
        spin_rad_s: DVec3::new(-40.0, 10.0, 80.0),
        ..GrainSpec::at(1, DVec3::new(0.015, -0.002, -0.002))
    };
    world.add_grains(&[a, b]).unwrap();
    let before = momenta(world.grains());
    (0..10).for_each(|_| drop(world.step(0.005)));
    let after = momenta(world.grains());
    let struck = world.grains().all()[0].velocity_m_s.distance(a.velocity_m_s);
    assert!(struck > 0.1, "they met: {struck}");
    assert!((after.0 - before.0).length() < 1e-6 * 0.7 * 0.005, "{before:?} {after:?}");
    assert!((after.1 - before.1).length() < 2e-6 * before.1.length(), "{before:?} {after:?}");
}

#[test]
fn a_free_clump_keeps_its_energy_and_angular_momentum_for_a_thousand_turns() {
    let balls = vec![
        Ball { centre: DVec3::ZERO, radius: 0.5 },
        Ball { centre: DVec3::new(0.9, 0.0, 0.0), radius: 0.35 },
        Ball { centre: DVec3::new(0.1, 0.7, 0.2), radius: 0.25 },
    ];
    let mut world = world(setup(vec![Template { name: "odd".into(), balls }], 0.01), Vec3::ZERO);
    let spin = DVec3::new(3.0, 60.0, 1.0);
    world.add_grains(&[GrainSpec { spin_rad_s: spin, ..GrainSpec::at(0, DVec3::ZERO) }]).unwrap();
    let energy = |world: &World| {
        let grain = &world.grains().all()[0];
        grain.kinetic_j(world.grains().form_of(grain))[1]
    };
    let (start, momentum) = (energy(&world), world.grains().all()[0].angular_momentum);
    let turns_s = 1000.0 * std::f64::consts::TAU / spin.length();
    let steps = (turns_s / 1.0).ceil() as usize;
    let mut worst: f64 = 0.0;
    for _ in 0..steps {
        world.step(1.0);
        worst = worst.max((energy(&world) / start - 1.0).abs());
    }
    assert!(worst < 1e-3, "{worst}");
    assert_eq!(world.grains().all()[0].angular_momentum, momentum);
}

#[test]
fn no_pair_is_missed() {
    let mut world = thrown(heap(), 60);
    (0..12).for_each(|_| drop(world.step(0.02)));
    let grains = &world.state.grains;
    let mut workshop = Workshop::default();
    workshop.take_in(&grains.grains);
    let mut surfaces = Surface::of_walls(grains, None, 0.0, &mut damping::Dampings::default());
    grains.place_walls(&mut surfaces, 0.0);
    workshop.rebuild(grains, &surfaces, None);
    let rules = Rules::new(&grains.setup.laws, true, 0.0, grains.worked.edge_m);
    workshop.feel(&grains.worked, &rules, By::Plain);
    let balls = workshop.names.len();
    let mut contacts = vec![0.0; balls];
    for i in 0..balls {
        for j in 0..balls {
            let (a, b) = (workshop.at[i], workshop.at[j]);
            let apart = [0, 1, 2].map(|k| a[k].wrapping_sub(b[k]) as i32 as f32 * rules.part_m);
            let near = Vec3::from_array(apart).length() < radius(&a) + radius(&b);
            // Coordinates wrap: what is far away may look near.
            let place = |k: usize| workshop.movers[workshop.owner[k] as usize].place;
            let far = grains.lattice().between(place(i), place(j)).length() > 0.06;
            if workshop.owner[i] != workshop.owner[j] && near && !far {
                contacts[i] += 1.0;
            }
        }
    }
    let felt: Vec<f32> = workshop.felt.iter().map(|felt| felt.contacts).collect();
    assert_eq!(felt, contacts);
    assert!(contacts.iter().sum::<f32>() > 60.0, "they lie on each other");
}

#[test]
fn vectors_of_every_level_do_what_plain_code_does() {
    let world = thrown(heap(), 40);
    let (bodies, body_fill) = (Bodies::new(), BodyFill::default());
    let run = |by: By| {
        let mut grains = world.state.grains.clone();
        for step in 0..8 {
            let now = Now {
                dt_s: 0.02,
                time_s: 0.02 * f64::from(step),
                gravity_m_s2: DOWN,
                materials: &world.state.materials,
                bodies: &bodies,
                body_fill: &body_fill,
            };
            let mut coupled = Coupled::of(&bodies, DOWN, now.time_s, now.dt_s);
            grains.step_by(&now, &Ground::new(0.1, None), &mut coupled, by);
        }
        postcard::to_stdvec(&grains).unwrap()
    };
    let plain = run(By::Plain);
    for (name, level) in levels() {
        assert!(run(By::Vectors(level)) == plain, "{name}");
    }
}

#[test]
fn threads_copies_and_files_in_the_middle_change_nothing() {
    let start = thrown(heap(), 120);
    let run = |threads: usize, disturb: fn(World) -> World| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = start.clone();
            for _ in 0..4 {
                world.step(0.01);
            }
            world = disturb(world);
            world.step(0.01);
            world.digest()
        })
    };
    let expected = run(1, |world| world);
    assert_eq!(run(3, |world| world), expected);
    let through_bytes = |world: World| {
        let mut state = WorldState::new(Ground::new(0.1, None));
        for member in world.state().members() {
            state.read_member(&member).unwrap();
        }
        World::from_state(state).unwrap()
    };
    assert_eq!(run(2, through_bytes), expected);
    assert_eq!(
        run(2, |mut world| {
            world.drop_caches();
            world
        }),
        expected
    );
}

#[test]
fn a_bed_that_lies_whole_cells_further_moves_by_the_same_bits() {
    let run = |cells: IVec3| {
        let mut setup = setup(vec![Template::tetrahedron(1.0)], 0.01);
        let edge_m = setup.work_out().unwrap().edge_m;
        let by = cells.as_dvec3() * edge_m;
        setup.walls.push(Wall::plane("floor", by, DVec3::Z));
        let mut world = world(setup, DOWN);
        let specs: Vec<_> = (0..12)
            .map(|k| {
                let at = DVec3::new(
                    0.003 * f64::from(k % 3),
                    0.004 * f64::from(k % 2),
                    0.02 + 0.025 * f64::from(k),
                );
                GrainSpec { turn: DQuat::from_rotation_x(f64::from(k)), ..GrainSpec::at(0, at + by) }
            })
            .collect();
        world.add_grains(&specs).unwrap();
        (0..10).for_each(|_| drop(world.step(0.03)));
        world
            .grains()
            .all()
            .iter()
            .map(|g| (g.place.shifted(-cells), g.velocity_m_s, g.turn))
            .collect::<Vec<_>>()
    };
    assert!(run(IVec3::ZERO) == run(IVec3::new(4096, -65_536, 512)));
}

#[test]
fn units_are_dealt_to_the_last_one_and_a_thief_is_found() {
    let mut world = world(setup(vec![Template::sphere(), Template::trefoil(1.0)], 0.003), DOWN);
    let specs: Vec<_> =
        (0..1000).map(|k| GrainSpec::at(k % 2, DVec3::new(0.01 * f64::from(k), 0.0, 0.0))).collect();
    world.add_grains(&specs).unwrap();
    let volume: f64 = world.grains().all().iter().map(|g| world.grains().form_of(g).volume_m3).sum();
    let held = world.ledger().held.get((Account::Grains, SAND));
    assert!((volume / world.unit_m3() - held as f64).abs() < 1.0);
    assert!(world.ledger().balances() && world.check().is_ok());
    assert_eq!(world.remove_grains(|grain| grain.id.0 > 100), 949);
    assert!(world.ledger().balances() && world.check().is_ok());
    world.state.grains.grains[3].units -= 1;
    assert_eq!(world.step(0.01).imbalance.get((Account::Grains, SAND)), -1);
}

#[test]
fn a_body_and_grains_give_each_other_what_they_lose() {
    let mut world = world(setup(vec![Template::tetrahedron(1.0)], 0.02), Vec3::ZERO);
    let specs: Vec<_> = (0..27)
        .map(|k| {
            GrainSpec::at(0, DVec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)) * 0.045)
        })
        .collect();
    world.add_grains(&specs).unwrap();
    let ball = Shape::Ball { radius: 0.05 };
    let mut spec = BodySpec::new("ball", ball, Pose::at(Vec3::new(0.045, 0.04, -0.15)), Motion::Dynamic);
    spec.linear_velocity_m_s = Vec3::new(0.0, 0.0, 2.0);
    world.add_body(spec).unwrap();
    let total = |world: &World| {
        let body = world.bodies().iter().next().unwrap();
        momenta(world.grains()).0 + (body.linear_velocity_m_s * body.mass_kg).as_dvec3()
    };
    let before = total(&world);
    for _ in 0..12 {
        world.step(1.0 / 120.0);
    }
    let after = total(&world);
    assert!(momenta(world.grains()).0.z > 0.05, "the ball has struck");
    assert!((after - before).length() < 1e-4 * before.length(), "{before} {after}");
}

#[test]
fn a_heap_falls_asleep_and_wakes_when_something_falls_on_it() {
    let mut setup = setup(vec![Template::tetrahedron(1.0)], 0.02);
    setup.walls.push(Wall::plane("floor", DVec3::ZERO, DVec3::Z));
    let mut world = world(setup, DOWN);
    let specs: Vec<_> = (0..5)
        .map(|k| GrainSpec::at(0, DVec3::new(0.01 * f64::from(k % 2), 0.0, 0.03 + 0.05 * f64::from(k))))
        .collect();
    world.add_grains(&specs).unwrap();
    for _ in 0..300 {
        world.step(1.0 / 60.0);
        if world.grains().asleep() == 5 {
            break;
        }
    }
    assert_eq!(world.grains().asleep(), 5);
    let (lying, ties) = (world.grains().all().to_vec(), world.grains().ties().to_vec());
    let report = world.step(1.0);
    assert_eq!((report.grains.substeps, world.grains().all()), (0, &lying[..]));
    assert_eq!(world.grains().ties(), ties);
    let above = world.grains().position_m(&lying[0]) + DVec3::Z * 0.3;
    world.add_grains(&[GrainSpec::at(0, above)]).unwrap();
    world.step(0.1);
    assert_eq!(world.grains().asleep(), 5, "what is still far off wakes nobody");
    world.step(0.3);
    assert!(world.grains().asleep() < 5);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let refuse = |change: fn(&mut Setup), word: &str| {
        let mut wrong = setup(vec![Template::sphere()], 0.01);
        change(&mut wrong);
        let error = wrong.work_out().unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };
    refuse(|s| s.substances[0].density_kg_m3 = 0.0, "density_kg_m3 = 0");
    refuse(|s| s.substances[0].restitution = 1.5, "restitution = 1.5");
    refuse(|s| s.substances[0].restitution = 0.0, "restitution = 0");
    refuse(|s| s.substances[0].friction = -0.1, "friction = -0.1");
    refuse(|s| s.forms[0].size_m = 0.0, "size of a grain");
    refuse(|s| s.forms[0].template = 3, "no template 3");
    refuse(|s| s.templates[0].balls.clear(), "has 0 balls");
    refuse(|s| s.templates[0].balls = vec![s.templates[0].balls[0]; 1_000_000], "has 1000000 balls");
    refuse(|s| s.templates[0].balls[0].radius = f64::NAN, "radius NaN");
    let mut world = world(setup(vec![Template::sphere()], 0.01), DOWN);
    for at in [DVec3::NAN, DVec3::X * 1e9] {
        assert!(world.add_grains(&[GrainSpec::at(0, at)]).is_err());
    }
    world.limit_memory(1 << 20);
    let many = vec![GrainSpec::at(0, DVec3::ZERO); 100_000];
    assert!(world.add_grains(&many).unwrap_err().to_string().contains("MiB"));
    assert!(world.grains().is_empty() && world.ledger().balances());
}

#[test]
fn what_overlaps_at_the_start_is_pushed_apart_without_exploding() {
    let mut world = world(setup(vec![Template::sphere()], 0.01), Vec3::ZERO);
    let specs = [-1.0, 1.0].map(|side| GrainSpec::at(0, DVec3::X * (0.002 * side)));
    world.add_grains(&specs).unwrap();
    let grains = world.grains();
    let pair = grains.worked.pairs[0];
    let stored = 0.4 * f64::from(pair.stiffness) * 0.006f64.powf(2.5);
    (0..20).for_each(|_| drop(world.step(0.01)));
    let grains = world.grains();
    let moving: f64 = grains.all().iter().map(|g| g.kinetic_j(grains.form_of(g)).iter().sum::<f64>()).sum();
    assert!(moving > 0.1 * stored && moving <= 1.001 * stored, "{moving} of {stored} J");
}

#[test]
fn grains_come_to_rest_on_the_ground_and_press_on_it_with_their_weight() {
    let mut world = world(setup(vec![Template::tetrahedron(1.0)], 0.02), DOWN);
    let region = barchan_volume::Region::Solid(barchan_volume::Solid {
        shape: Shape::Box { half_extents: Vec3::new(0.8, 0.8, 0.4) },
        pose: Pose::at(Vec3::new(0.0, 0.0, -0.4)),
    });
    let rock = world.materials().find("granite").unwrap();
    world.edit(&crate::Edit::Place { region, material: rock, moisture: 0.0 }).unwrap();
    let specs: Vec<_> = (0..6)
        .map(|k| GrainSpec::at(0, DVec3::new(0.1 * f64::from(k % 3), 0.0, 0.04 + 0.06 * f64::from(k / 3))))
        .collect();
    world.add_grains(&specs).unwrap();
    let mut report = world.step(1.0 / 60.0);
    for _ in 0..60 {
        report = world.step(1.0 / 60.0);
        if report.grains.asleep == 6 {
            break;
        }
        let lowest =
            world.grains().seen().iter().map(|ball| ball.centre_m.z - ball.radius_m).fold(1.0, f32::min);
        assert!(lowest > -0.002, "{lowest}");
        assert!(world.ledger().balances());
    }
    let weight: f64 =
        world.grains().all().iter().map(|g| world.grains().form_of(g).mass_kg).sum::<f64>() * 9.81;
    let pressed = -report.grains.ground_n.z;
    assert!((pressed / weight - 1.0).abs() < 0.1 || report.grains.asleep == 6, "{pressed} N of {weight} N");
    assert!(world.grains().all().iter().all(|g| g.velocity_m_s.length() < 0.02));
    // What takes the ground away wakes them.
    let below = barchan_volume::Region::Solid(barchan_volume::Solid {
        shape: Shape::Box { half_extents: Vec3::splat(1.5) },
        pose: Pose::at(Vec3::ZERO),
    });
    world.edit(&crate::Edit::Remove { region: below }).unwrap();
    (0..10).for_each(|_| drop(world.step(1.0 / 60.0)));
    assert!(world.grains().all().iter().all(|g| g.velocity_m_s.z < -0.5));
}

#[test]
fn ground_becomes_grains_and_grains_become_ground_with_every_unit() {
    let mut world = world(setup(vec![Template::tetrahedron(0.75)], 0.02), DOWN);
    let region = barchan_volume::Region::Solid(barchan_volume::Solid {
        shape: Shape::Box { half_extents: Vec3::new(0.4, 0.4, 0.2) },
        pose: Pose::at(Vec3::new(0.0, 0.0, 0.2)),
    });
    world.edit(&crate::Edit::Place { region, material: SAND, moisture: 0.0 }).unwrap();
    let before = world.ledger().held.total();
    let came =
        world.loosen_into_grains(DVec3::new(-0.2, -0.2, 0.1), DVec3::new(0.19, 0.19, 0.35), 0, 3).unwrap();
    assert!(came > 100, "{came}");
    assert_eq!(world.grains().len(), came);
    assert!(world.ledger().balances() && world.check().is_ok() && world.ledger().held.total() == before);
    let (grains, soil) = [Account::Grains, Account::Soil].map(|a| world.ledger().held.of(a)).into();
    assert!(grains > 0 && grains + soil == before);
    world.step(0.01);
    assert_eq!(world.lay_grains(|_| true), came);
    assert_eq!(world.ledger().held.of(Account::Soil), before);
    assert!(world.grains().is_empty() && world.ledger().balances() && world.check().is_ok());
}

#[test]
fn a_block_rests_on_grains_and_they_carry_its_weight() {
    let mut setup = setup(vec![Template::tetrahedron(1.0)], 0.02);
    let shape = Shape::Box { half_extents: Vec3::new(0.11, 0.11, 0.5) };
    setup.walls.push(Wall::new("tray", WallForm::Room { shape }, DVec3::Z * 0.5));
    let mut world = world(setup, DOWN);
    let fill = Fill {
        mix: vec![(0, 1.0)],
        low_m: DVec3::new(-0.11, -0.11, 0.0),
        high_m: DVec3::new(0.11, 0.11, 0.9),
        pitch_m: None,
        jitter: 1.0,
        count: 40,
        turned: true,
        velocity_m_s: DVec3::ZERO,
        seed: 5,
    };
    assert_eq!(world.fill_with_grains(&fill).unwrap(), 40);
    (0..60).for_each(|_| drop(world.step(1.0 / 60.0)));
    let block = Shape::Box { half_extents: Vec3::new(0.09, 0.09, 0.03) };
    let top = world.grains().seen().iter().map(|ball| ball.centre_m.z + ball.radius_m).fold(0.0, f32::max);
    let pose = Pose::at(Vec3::new(0.0, 0.0, top + 0.032));
    let id = world.add_body(BodySpec::new("block", block, pose, Motion::Dynamic)).unwrap();
    let (mut quiet, mut carried) = (0, 0.0);
    for _ in 0..300 {
        world.step(1.0 / 60.0);
        let body = world.bodies().get(id).unwrap();
        let speed = body.linear_velocity_m_s.length();
        let force = world.bodies().received(id).unwrap().mean_force_n(crate::bodies::Cause::Grains).0.z;
        (quiet, carried) = if speed < 1e-3 { (quiet + 1, carried + force) } else { (0, 0.0) };
        if quiet == 20 {
            let weight = body.mass_kg * 9.81;
            assert!((carried / 20.0 / weight - 1.0).abs() < 0.01, "{} N of {weight} N", carried / 20.0);
            return;
        }
    }
    panic!("it did not come to rest");
}
