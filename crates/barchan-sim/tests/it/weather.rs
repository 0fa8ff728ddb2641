//! Weathering at a click: exact counts, exact books, planes that stay planes, and debris that comes to rest.

use std::sync::Arc;

use barchan_sim::material::Hardness;
use barchan_sim::weather::{Debris, WeatherRules, Weathering};
use barchan_sim::{Account, Edit, EditError, EditReport, MaterialId, World, WorldConfig};
use barchan_volume::{Bubble, Form, Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

fn world(size: IVec3) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, size));
    World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap()
}

fn block(min: Vec3, max: Vec3) -> Region {
    let shape = Shape::Box { half_extents: (max - min) / 2.0 };
    Region::Solid(Solid { shape, pose: Pose::at((min + max) / 2.0) })
}

fn place(world: &mut World, region: Region, name: &str) {
    let material = world.materials().find(name).unwrap();
    world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
}

fn bubble(form: Form, radius: i32) -> Bubble {
    Bubble::new(form, IVec3::splat(radius)).unwrap()
}

fn weather(world: &mut World, weathering: Weathering) -> EditReport {
    let report = world.edit(&Edit::Weather(weathering)).unwrap();
    assert!(report.imbalance.is_zero() && world.ledger().balances(), "{:?}", report.imbalance);
    world.check().unwrap();
    report
}

/// A cube of 40 voxels that nothing touches.
fn free_cube() -> World {
    let mut world = world(IVec3::splat(80));
    place(&mut world, block(Vec3::splat(2.0), Vec3::splat(6.0)), "granite");
    world
}

#[test]
fn a_free_cube_loses_exactly_what_it_must() {
    let cube = free_cube();
    for (radius, threshold, expected) in [
        (3, 0.5, 2_224),
        (7, 0.5, 9_368),
        (11, 0.5, 19_352),
        (15, 0.5, 32_016),
        (11, 0.1, 0),
        (11, 0.3, 3_200),
        (11, 0.7, 41_688),
        (11, 0.9, 54_064),
    ] {
        let mut cube = cube.clone();
        let report = weather(&mut cube, Weathering::new(None, bubble(Form::Box, radius), threshold));
        assert_eq!(report.voxels, expected, "radius {radius}, threshold {threshold}");
        let capacity = i64::from(cube.materials().rock_void_ratio(MaterialId(11)).capacity());
        assert_eq!(report.removed().of(Account::Rock), expected as i64 * capacity);
    }
    for (threshold, expected) in [(0.0, 0), (1.0, 64_000 - 18 * 18 * 18)] {
        let report = weather(&mut cube.clone(), Weathering::new(None, bubble(Form::Box, 11), threshold));
        assert_eq!(report.voxels, expected, "threshold {threshold}");
    }
}

#[test]
fn a_region_keeps_all_else_and_a_world_of_rock_has_nothing_to_lose() {
    let half = block(Vec3::ZERO, Vec3::new(4.0, 8.0, 8.0));
    let mut cube = free_cube();
    let report = weather(&mut cube, Weathering::new(Some(half), bubble(Form::Box, 3), 0.5));
    assert_eq!(report.voxels, 2_224 / 2);
    let beyond = block(Vec3::splat(70.0), Vec3::splat(80.0));
    assert_eq!(weather(&mut cube, Weathering::new(Some(beyond), bubble(Form::Box, 3), 1.0)).voxels, 0);

    let mut rock = world(IVec3::splat(24));
    place(&mut rock, block(Vec3::ZERO, Vec3::splat(2.4)), "sandstone");
    let digest = rock.digest();
    for threshold in [0.5, 1.0] {
        let report = weather(&mut rock, Weathering::new(None, bubble(Form::Ball, 64), threshold));
        assert!(report.voxels == 0 && rock.digest() == digest);
    }
}

#[test]
fn a_hollow_that_counts_as_filled_changes_nothing_outside() {
    let mut hollow = free_cube();
    hollow.edit(&Edit::Remove { region: block(Vec3::splat(2.2), Vec3::splat(5.8)) }).unwrap();
    let weathering = Weathering::new(None, bubble(Form::Box, 3), 0.5);
    let report = weather(&mut hollow.clone(), Weathering { fill_hollows: true, ..weathering.clone() });
    let inside = VoxelBox::new(IVec3::splat(20), IVec3::splat(60)).grow(-2);
    let (mut filled, mut shell) = (free_cube(), hollow.clone());
    weather(&mut filled, weathering.clone());
    weather(&mut shell, Weathering { fill_hollows: true, ..weathering });
    let rock = |world: &World, p| world.ground().get(p).rock;
    let region = VoxelBox::new(IVec3::splat(20), IVec3::splat(60));
    assert!(report.voxels > 0);
    assert!(
        region
            .cells()
            .filter(|p| !inside.contains(*p))
            .all(|p| (rock(&filled, p) > 0) == (rock(&shell, p) > 0))
    );
}

#[test]
fn a_hollow_cube_and_a_filled_one_lose_the_same() {
    let (filled, mut hollow) = (free_cube(), free_cube());
    // A shell one voxel thick, as a mesh that is only skin would be.
    hollow.edit(&Edit::Remove { region: block(Vec3::splat(2.1), Vec3::splat(5.9)) }).unwrap();
    for (form, radius) in [(Form::Box, 3), (Form::Ball, 5), (Form::Falloff, 6), (Form::Rhombus, 4)] {
        let weathering = Weathering::new(None, bubble(form, radius), 0.5);
        let lost = |world: &World, fill_hollows: bool| {
            let mut world = world.clone();
            weather(&mut world, Weathering { fill_hollows, ..weathering.clone() });
            let skin = VoxelBox::new(IVec3::splat(20), IVec3::splat(60));
            let on_skin = skin.cells().filter(|p| !skin.grow(-1).contains(*p));
            on_skin.filter(|p| world.ground().get(*p).rock == 0).count()
        };
        let whole = lost(&filled, false);
        assert!(whole > 0 && lost(&hollow, true) == whole, "{form:?}");
        assert!(lost(&hollow, false) > whole, "a shell that counts as one loses more: {form:?}");
    }
}

#[test]
fn crumbs_go_with_the_last_solid_rock_beside_them() {
    let plate = || {
        let mut plate = world(IVec3::splat(40));
        // One voxel and three tenths thick: solid below, a crumb on top of it.
        place(&mut plate, block(Vec3::new(1.0, 1.0, 2.0), Vec3::new(3.0, 3.0, 2.13)), "granite");
        plate
    };
    let mut all = plate();
    assert_eq!(all.ground().get(IVec3::new(20, 20, 21)).rock_share(all.materials()) * 10 / 32_768, 3);
    weather(&mut all, Weathering::new(None, bubble(Form::Box, 2), 1.0));
    assert_eq!(all.ledger().held.of(Account::Rock), 0);
    // Of half a plate the crumbs stay that lie on the other half.
    let mut half = plate();
    let left = block(Vec3::ZERO, Vec3::new(2.0, 4.0, 4.0));
    weather(&mut half, Weathering::new(Some(left), bubble(Form::Box, 2), 1.0));
    let rock = |x: i32| half.ground().get(IVec3::new(x, 20, 21)).rock;
    assert!((10..20).all(|x| rock(x) == 0) && (20..30).all(|x| rock(x) > 0));
}

#[test]
fn weights_of_any_levels_count_as_they_are_added_up() {
    let mut cube = free_cube();
    let levels = |d: IVec3| f64::from((d.x * 37 + d.y * 11 + d.z * 5).rem_euclid(256)) / 255.0;
    let radii = IVec3::new(2, 3, 4);
    let any = Bubble::from_fn(radii, levels).unwrap();
    let limit = 0.6 * any.volume() as f64;
    let is_solid = |p: IVec3| p.cmpge(IVec3::splat(20)).all() && p.cmplt(IVec3::splat(60)).all();
    let count = |p: IVec3| -> u64 {
        any.bounds().cells().filter(|d| is_solid(p + *d)).map(|d| u64::from(any.weight(d))).sum()
    };
    let walls = VoxelBox::new(IVec3::ZERO, IVec3::splat(80));
    let near = |p: &IVec3| (0..3).filter(|axis| !(24..56).contains(&p[*axis])).count() > 0;
    let expected = walls.cells().filter(|p| is_solid(*p) && near(p) && (count(*p) as f64) < limit).count();
    assert_eq!(weather(&mut cube, Weathering::new(None, any, 0.6)).voxels, expected);
    for weight in [f64::NAN, -0.1, 1.1] {
        assert!(Bubble::from_fn(radii, |_| weight).is_err());
    }
    assert!(Bubble::from_fn(radii, |_| 0.0).is_err());
}

#[test]
fn soil_shields_unless_asked_otherwise() {
    let mut covered = world(IVec3::new(48, 48, 48));
    place(&mut covered, block(Vec3::ZERO, Vec3::new(4.8, 4.8, 2.4)), "granite");
    place(&mut covered, block(Vec3::new(0.0, 0.0, 2.4), Vec3::new(4.8, 4.8, 4.0)), "gravel");
    let weathering = Weathering::new(None, bubble(Form::Ball, 5), 0.6);
    assert_eq!(weather(&mut covered.clone(), weathering.clone()).voxels, 0);
    let report = weather(&mut covered, Weathering { soil_shields: false, ..weathering });
    // One layer, as far as walls are no nearer than a few voxels: they count as solid.
    assert_eq!(report.voxels, 40 * 40);
}

#[test]
fn debris_swells_keeps_its_units_and_its_colour_and_comes_to_rest() {
    let mut cliff = world(IVec3::new(96, 64, 64));
    place(&mut cliff, block(Vec3::ZERO, Vec3::new(9.6, 6.4, 0.8)), "sandstone");
    place(&mut cliff, block(Vec3::ZERO, Vec3::new(3.2, 6.4, 4.8)), "granite");
    let rock = cliff.ledger().held.of(Account::Rock);
    let weathering = Weathering::new(None, bubble(Form::Ball, 7), 0.55);
    let report = weather(&mut cliff, weathering.with_debris(Debris::default()));
    assert!(!report.restless && report.rounds > 0);
    assert!(report.voxels > 500, "{}", report.voxels);
    let soil = cliff.ledger().held.of(Account::Soil);
    assert!(soil > 0 && cliff.ledger().held.of(Account::Rock) + soil == rock, "every unit turned, none left");
    assert_eq!(report.removed().total(), 0);
    let granite = cliff.materials()[cliff.materials().find("granite").unwrap()].color;
    let kinds: Vec<_> =
        cliff.ledger().held.iter().filter(|((account, _), _)| *account == Account::Soil).collect();
    let scree =
        kinds.iter().map(|((_, kind), _)| &cliff.materials()[*kind]).find(|m| m.name.starts_with("scree"));
    assert_eq!(scree.unwrap().color, granite);
    // At rest: stepping moves hardly anything any more. What trickles less than a thousandth of a voxel a round is left to time.
    for _ in 0..10 {
        let report = cliff.step(1.0 / 60.0);
        assert!(report.imbalance.is_zero());
        assert!(i128::from(report.slip.moved) * 10_000 < soil, "{} of {soil} units move", report.slip.moved);
    }
    // The foot of the cliff has scree, not its top.
    let foot = (0..64).any(|y| cliff.ground().get(IVec3::new(34, y, 8)).has_soil());
    assert!(foot);
}

#[test]
fn a_share_is_chosen_by_the_seed_and_threads_change_nothing() {
    let run = |share: f32, threads: usize| {
        let mut cube = free_cube();
        let debris = Debris { share, ..Debris::default() };
        let weathering = Weathering::new(None, bubble(Form::Ball, 9), 0.5).with_debris(debris);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let report = pool.install(|| weather(&mut cube, weathering));
        let soil = cube.ledger().held.of(Account::Soil) as f64;
        let left = report.removed().of(Account::Rock) as f64;
        (cube.digest(), soil / (soil + left))
    };
    for share in [0.0, 0.3, 1.0] {
        let (one, measured) = run(share, 1);
        assert_eq!(run(share, 2).0, one, "share {share}");
        assert!((measured - f64::from(share)).abs() < 0.02, "{measured} of {share}");
    }
}

#[test]
fn what_finds_no_room_stays_rock() {
    // A hollow of 4³ voxels in solid rock: its walls cannot swell into it whole.
    let mut solid = world(IVec3::splat(40));
    place(&mut solid, block(Vec3::ZERO, Vec3::splat(4.0)), "granite");
    solid.edit(&Edit::Remove { region: block(Vec3::splat(1.8), Vec3::splat(2.2)) }).unwrap();
    let rock = solid.ledger().held.of(Account::Rock);
    let report =
        weather(&mut solid, Weathering::new(None, bubble(Form::Ball, 3), 1.0).with_debris(Debris::default()));
    let held = &solid.ledger().held;
    assert!(report.voxels > 300 && held.of(Account::Soil) > 0);
    assert_eq!(held.of(Account::Rock) + held.of(Account::Soil), rock);
}

#[test]
fn pieces_that_lose_their_hold_come_down() {
    // A block on a thin neck.
    let mut neck = world(IVec3::new(64, 64, 64));
    place(&mut neck, block(Vec3::ZERO, Vec3::new(6.4, 6.4, 0.8)), "granite");
    place(&mut neck, block(Vec3::new(3.0, 3.0, 0.8), Vec3::new(3.4, 3.4, 2.4)), "granite");
    place(&mut neck, block(Vec3::new(2.0, 2.0, 2.4), Vec3::new(4.4, 4.4, 4.8)), "granite");
    let middle = block(Vec3::new(2.0, 2.0, 1.2), Vec3::new(4.4, 4.4, 2.0));
    let weathering = Weathering::new(Some(middle), bubble(Form::Ball, 5), 0.5).with_debris(Debris::default());
    let (mut held, mut fallen) = (neck.clone(), neck);
    weather(&mut held, weathering.clone());
    assert!(held.ground().get(IVec3::new(32, 32, 36)).rock > 0);
    weather(&mut fallen, Weathering { drop_pieces: true, ..weathering });
    assert_eq!(fallen.ground().get(IVec3::new(32, 32, 36)).rock, 0);
    assert!(fallen.ledger().held.of(Account::Soil) > held.ledger().held.of(Account::Soil));
}

#[test]
fn a_smoothly_weathered_plane_stays_a_plane() {
    for (tilt, threshold) in [(0.0, 0.6), (0.3, 0.6), (0.6, 0.75), (0.45, 0.5)] {
        let mut slope = world(IVec3::splat(64));
        let pose = Pose {
            translation: Vec3::new(3.2, 3.2, -1.93),
            rotation: Quat::from_euler(glam::EulerRot::XYZ, tilt, 0.7 * tilt, 0.0),
        };
        let shape = Shape::Box { half_extents: Vec3::new(20.0, 20.0, 5.0) };
        place(&mut slope, Region::Solid(Solid { shape, pose }), "sandstone");
        let before = heights(&slope);
        let weathering = Weathering::new(None, bubble(Form::Ball, 6), threshold);
        weather(&mut slope, Weathering { smooth: true, ..weathering });
        let after = heights(&slope);
        let lowered: Vec<f64> = before.iter().zip(&after).map(|(b, a)| b - a).collect();
        let mean = lowered.iter().sum::<f64>() / lowered.len() as f64;
        let worst = lowered.iter().map(|by| (by - mean).abs()).fold(0.0, f64::max);
        assert!(worst < 0.1, "tilt {tilt}, threshold {threshold}: off by {worst} of {mean}");
        assert!(threshold == 0.5 && mean.abs() < 0.1 || mean > 0.5, "{mean}");
    }
}

/// Heights of the surface (voxels) in the middle of the field, where no bubble reaches a wall.
fn heights(world: &World) -> Vec<f64> {
    let fill = |p| f64::from(world.ground().get(p).fill(world.materials()));
    let column = |x: i32, y: i32| (0..64).map(|z| fill(IVec3::new(x, y, z))).sum::<f64>();
    (20..44).flat_map(|x| (20..44).map(move |y| (x, y))).map(|(x, y)| column(x, y)).collect()
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let mut cube = free_cube();
    let digest = cube.digest();
    let sound = Weathering::new(None, bubble(Form::Ball, 3), 0.5);
    let rock = Debris { kind: cube.materials().find("granite"), ..Debris::default() };
    let unknown = Debris { kind: Some(MaterialId(99)), ..Debris::default() };
    let too_much = Debris { share: 1.5, ..Debris::default() };
    let cases = [
        (Weathering { threshold: f64::NAN, ..sound.clone() }, "threshold = NaN"),
        (Weathering { threshold: -0.1, ..sound.clone() }, "threshold = -0.1"),
        (Weathering { threshold: 1.1, ..sound.clone() }, "threshold = 1.1"),
        (sound.clone().with_debris(rock), "'granite' is rock"),
        (sound.clone().with_debris(unknown), "material number 99"),
        (sound.clone().with_debris(too_much), "debris share = 1.5"),
    ];
    for (weathering, reason) in cases {
        let error = cube.edit(&Edit::Weather(weathering)).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let weathering = sound.with_debris(Debris::default());
    for stage in 0..3 {
        let mut ended = 0;
        let cancelled = cube.edit_watched(&Edit::Weather(weathering.clone()), &mut |_| {
            ended += 1;
            ended <= stage
        });
        assert_eq!(cancelled.unwrap_err(), EditError::Cancelled);
    }
    cube.limit_memory(1 << 10);
    let refused =
        cube.edit(&Edit::Weather(Weathering { bubble: Arc::new(bubble(Form::Ball, 3)), ..weathering }));
    assert!(matches!(refused, Err(EditError::TooLarge { .. })));
    assert_eq!(cube.digest(), digest);
}

/// A wall of sandstone of no resistance whose face at x = 32 is flat.
fn face(voxel_size_m: f32) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(48, 40, 40)));
    let mut world = World::new(WorldConfig { bounds, voxel_size_m, ..WorldConfig::default() }).unwrap();
    let corner = Vec3::new(32.0, 40.0, 40.0) * voxel_size_m;
    place(&mut world, block(Vec3::ZERO, corner), "sandstone");
    let sandstone = world.materials().find("sandstone").unwrap();
    world.set_hardness(Hardness { kinds: vec![(sandstone, 0.0)], ..Hardness::default() }).unwrap();
    world
}

fn rules(radius: i32, rate_m_per_kyr: f64, years_per_second: f64) -> WeatherRules {
    WeatherRules { debris: None, ..WeatherRules::new(radius, rate_m_per_kyr, years_per_second) }
}

#[test]
fn over_time_a_flat_face_goes_back_at_the_rate_that_is_set() {
    for (voxel_size_m, step_s) in [(0.05, 1.0 / 60.0), (0.1, 0.11), (0.2, 0.5)] {
        let mut world = face(voxel_size_m);
        // 2 m in 1,000 years, 200 years a second: 0.4 m/s.
        world.set_weather(Some(rules(3, 2.0, 200.0))).unwrap();
        // Walls count as rock: the face lags beside them, but not in its middle.
        let deep =
            |world: &World| (0..48).filter(|x| world.ground().get(IVec3::new(*x, 20, 20)).rock > 0).count();
        let expected = 20.0 * f64::from(voxel_size_m) / 0.4;
        let mut seconds = 0.0;
        while deep(&world) > 12 && seconds < 3.0 * expected {
            assert!(world.step(step_s).imbalance.is_zero());
            seconds += step_s;
        }
        // A step is over before anyone looks.
        let off = (seconds - 0.5 * step_s) / expected - 1.0;
        assert!(off.abs() < 0.05_f64.max(step_s / expected), "{seconds} s, {expected} expected");
        world.check().unwrap();
    }
}

#[test]
fn over_time_corners_go_first_or_stay_in_niches() {
    let corner = |cavernous: bool| {
        let mut cube = free_cube();
        let granite = cube.materials().find("granite").unwrap();
        cube.set_hardness(Hardness { kinds: vec![(granite, 0.0)], ..Hardness::default() }).unwrap();
        cube.set_weather(Some(WeatherRules { cavernous, drop_pieces: false, ..rules(5, 1.0, 300.0) }))
            .unwrap();
        (0..20).for_each(|_| assert!(cube.step(0.1).imbalance.is_zero()));
        let is_there = |p| cube.ground().get(p).rock > 0;
        (is_there(IVec3::splat(20)), is_there(IVec3::new(20, 40, 40)))
    };
    assert_eq!(corner(false), (false, false));
    assert!(corner(true).0 && !corner(true).1, "corners stay, faces go");
}

#[test]
fn over_time_a_niche_deepens_and_the_edges_of_its_wall_stay() {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::new(56, 48, 48)));
    let mut wall = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    place(&mut wall, block(Vec3::new(0.0, 1.0, 1.0), Vec3::new(4.0, 4.8, 4.0)), "sandstone");
    wall.edit(&Edit::Remove { region: block(Vec3::new(3.6, 2.2, 2.2), Vec3::new(4.0, 2.8, 2.8)) }).unwrap();
    let sandstone = wall.materials().find("sandstone").unwrap();
    wall.set_hardness(Hardness { kinds: vec![(sandstone, 0.0)], ..Hardness::default() }).unwrap();
    wall.set_weather(Some(WeatherRules { cavernous: true, drop_pieces: false, ..rules(4, 1.0, 200.0) }))
        .unwrap();
    // How much rock a row into the wall has left (voxels).
    let left = |wall: &World, y: i32, z: i32| {
        (0..56).filter(|x| wall.ground().get(IVec3::new(*x, y, z)).rock > 0).count()
    };
    let (niche, face, edge) = ((25, 25), (38, 25), (38, 39));
    assert_eq!([left(&wall, niche.0, niche.1), left(&wall, face.0, face.1)], [36, 40]);
    // Five seconds take 1 m off a flat face.
    (0..25).for_each(|_| assert!(wall.step(0.1).imbalance.is_zero()));
    let (niche, face, edge) =
        (left(&wall, niche.0, niche.1), left(&wall, face.0, face.1), left(&wall, edge.0, edge.1));
    assert!(36 - niche >= 8 && 36 - niche > 40 - face, "niche {niche}, face {face}");
    assert_eq!(edge, 40, "the edge stays");
}

#[test]
fn over_time_debris_falls_and_all_goes_on_after_a_save() {
    let start = || {
        let mut cliff = world(IVec3::new(64, 24, 48));
        place(&mut cliff, block(Vec3::ZERO, Vec3::new(6.4, 2.4, 0.8)), "granite");
        place(&mut cliff, block(Vec3::ZERO, Vec3::new(2.4, 2.4, 3.6)), "sandstone");
        cliff.set_weather(Some(WeatherRules::new(3, 1.0, 2_000.0))).unwrap();
        cliff
    };
    let run = |threads: usize, save_at: Option<usize>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut cliff = start();
            let rock = cliff.ledger().held.of(Account::Rock);
            for i in 0..60 {
                if save_at == Some(i) {
                    let members = cliff.state().members();
                    let mut state = cliff.state().clone();
                    members.iter().for_each(|member| state.read_member(member).unwrap());
                    cliff = World::from_state(state).unwrap();
                }
                assert!(cliff.step(1.0 / 30.0).imbalance.is_zero());
            }
            cliff.check().unwrap();
            let held = &cliff.ledger().held;
            assert!(held.of(Account::Soil) > 0 && held.of(Account::Rock) + held.of(Account::Soil) == rock);
            cliff.digest()
        })
    };
    let plain = run(1, None);
    assert_eq!(run(2, None), plain);
    assert_eq!(run(1, Some(30)), plain);
}

#[test]
fn over_time_nonsense_is_refused() {
    let mut cube = free_cube();
    let digest = cube.digest();
    for wrong in [
        rules(0, 1.0, 1.0),
        rules(65, 1.0, 1.0),
        rules(3, f64::NAN, 1.0),
        rules(3, 1.0, -1.0),
        WeatherRules { debris: Some(Debris { share: 2.0, ..Debris::default() }), ..rules(3, 1.0, 1.0) },
        WeatherRules {
            debris: Some(Debris { kind: cube.materials().find("granite"), ..Debris::default() }),
            ..rules(3, 1.0, 1.0)
        },
    ] {
        assert!(cube.set_weather(Some(wrong)).is_err());
    }
    assert_eq!(cube.digest(), digest);
}
