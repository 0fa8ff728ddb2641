//! The tools: exact on the books per kind, undone in one go, and refused with a reason where they make no sense.

use std::sync::Arc;

use barchan_sim::tools::{Copying, Flood, FloodWork, Growing, Pigment, Reshaping, Surface};
use barchan_sim::water::Pour;
use barchan_sim::weather::{Debris, WeatherRules, Weathering};
use barchan_sim::{Account, Edit, EditReport, MaterialId, Versions, Voxel, World, WorldConfig};
use barchan_volume::{Bubble, Form, Fractal, Path, Pose, Region, RoughBall, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

fn world(side: i32) -> World {
    let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(side)));
    World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap()
}

fn block(min: Vec3, max: Vec3) -> Region {
    let shape = Shape::Box { half_extents: (max - min) / 2.0 };
    Region::Solid(Solid { shape, pose: Pose::at((min + max) / 2.0) })
}

fn kind(world: &World, name: &str) -> MaterialId {
    world.materials().find(name).unwrap()
}

fn place(world: &mut World, region: Region, name: &str) {
    let material = kind(world, name);
    edit(world, Edit::Place { region, material, moisture: 0.2 });
}

fn edit(world: &mut World, edit: Edit) -> EditReport {
    let report = world.edit(&edit).unwrap();
    assert!(report.imbalance.is_zero() && world.ledger().balances(), "{edit:?}: {:?}", report.imbalance);
    world.check().unwrap();
    report
}

/// A floor of sandstone with clay on it, a granite block and a heap of damp sand.
fn mixed() -> World {
    let mut world = world(48);
    place(&mut world, block(Vec3::ZERO, Vec3::new(4.8, 4.8, 0.85)), "sandstone");
    place(&mut world, block(Vec3::ZERO, Vec3::new(4.8, 4.8, 1.23)), "clay");
    place(&mut world, block(Vec3::new(1.0, 1.0, 0.5), Vec3::new(2.0, 2.5, 2.4)), "granite");
    let heap = Shape::Cone { radius: 1.0, half_height: 0.35 };
    place(
        &mut world,
        Region::Solid(Solid { shape: heap, pose: Pose::at(Vec3::new(3.2, 3.2, 1.5)) }),
        "dry_sand",
    );
    world
}

#[test]
fn paint_turns_kinds_and_keeps_shapes() {
    let mut world = mixed();
    let before = world.clone();
    let all = || block(Vec3::ZERO, Vec3::splat(4.8));
    let red = edit(&mut world, Edit::Paint { region: all(), pigment: Pigment::Color([200, 30, 20]) });
    assert!(red.voxels > 10_000 && red.placed().is_zero() && red.removed().is_zero());
    assert_eq!(world.ledger().held.total(), before.ledger().held.total());
    assert!(world.ledger().held.iter().all(|((account, kind), _)| {
        account == Account::Water || world.materials()[kind].color == [200, 30, 20]
    }));
    let again = edit(&mut world, Edit::Paint { region: all(), pigment: Pigment::Color([200, 30, 20]) });
    assert!(again.changes.is_empty());

    let mut world = before.clone();
    let limestone = kind(&world, "limestone");
    edit(&mut world, Edit::Paint { region: all(), pigment: Pigment::Kind(limestone) });
    for p in VoxelBox::new(IVec3::ZERO, IVec3::splat(48)).cells() {
        let (was, is) = (before.ground().get(p), world.ground().get(p));
        let share = |world: &World, voxel: Voxel| voxel.rock_share(world.materials());
        assert!(share(&world, is).abs_diff(share(&before, was)) <= 1, "{p}");
        assert!((is.rock == 0 || is.rock_kind == limestone) && is.soil() == was.soil());
    }
    let loam = kind(&world, "loam");
    let soil = world.ledger().held.of(Account::Soil);
    edit(&mut world, Edit::Paint { region: all(), pigment: Pigment::Kind(loam) });
    assert_eq!(world.ledger().held.get((Account::Soil, loam)), soil);
}

#[test]
fn copies_turn_mirror_and_come_back() {
    let mut world = mixed();
    let from = VoxelBox::new(IVec3::new(6, 7, 3), IVec3::new(26, 31, 30));
    let onto_itself = Copying { from, to: from.min, turns: 0, mirror: [false; 3] };
    assert!(edit(&mut world, Edit::Copy(onto_itself)).changes.is_empty());
    // Four quarter turns in place of a square, and two mirrors, are nothing.
    let square = VoxelBox::new(IVec3::new(6, 6, 3), IVec3::new(26, 26, 30));
    let before = world.clone();
    for _ in 0..4 {
        let turned = Copying { from: square, to: square.min, turns: 1, mirror: [false; 3] };
        assert!(!edit(&mut world, Edit::Copy(turned)).changes.is_empty());
    }
    assert!(*world.ground().voxels() == *before.ground().voxels());
    for _ in 0..2 {
        edit(&mut world, Edit::Copy(Copying { from, to: from.min, turns: 0, mirror: [true, false, true] }));
    }
    assert!(*world.ground().voxels() == *before.ground().voxels());
    // Overlapping itself, and partly beyond the walls.
    let report = edit(
        &mut world,
        Edit::Copy(Copying { from, to: IVec3::new(30, 12, 8), turns: 3, mirror: [false; 3] }),
    );
    assert_eq!(report.voxels, 18 * 20 * 27);
    let p = IVec3::new(30, 12, 8);
    assert_eq!(world.ground().get(p), before.ground().get(IVec3::new(25, 7, 3)));
}

#[test]
fn floods_fill_hollows_and_boxes_but_not_the_sky() {
    let mut world = mixed();
    edit(&mut world, Edit::Remove { region: block(Vec3::new(1.2, 1.2, 1.4), Vec3::new(1.8, 2.3, 2.2)) });
    let granite = kind(&world, "granite");
    let fill = |from, within| {
        Edit::Flood(Flood { from, within, work: FloodWork::Fill { material: granite, moisture: 0.0 } })
    };
    let hollow = edit(&mut world.clone(), fill(IVec3::new(15, 15, 16), None));
    assert_eq!(hollow.voxels, 6 * 11 * 8);
    let sky = world.edit(&fill(IVec3::new(40, 5, 40), None)).unwrap_err().to_string();
    assert!(sky.contains("open to the outside"), "{sky}");
    let solid = world.edit(&fill(IVec3::new(15, 15, 3), None)).unwrap_err().to_string();
    assert!(solid.contains("is closed"), "{solid}");
    let within = Some(VoxelBox::new(IVec3::new(36, 2, 13), IVec3::new(44, 8, 20)));
    let filled = edit(&mut world, fill(IVec3::new(40, 5, 15), within));
    assert_eq!(filled.voxels, 8 * 6 * 7);
    assert!(world.ground().get(IVec3::new(43, 7, 19)).rock_share(world.materials()) > 32_000);

    let paint = FloodWork::Paint(Pigment::Color([9, 9, 9]));
    let painted = edit(&mut world, Edit::Flood(Flood { from: IVec3::new(40, 5, 15), within, work: paint }));
    assert_eq!(painted.voxels, 8 * 6 * 7);
}

#[test]
fn ground_grows_and_shrinks_by_voxels() {
    let mut cube = world(48);
    place(&mut cube, block(Vec3::splat(2.0), Vec3::splat(2.8)), "granite");
    let grown = edit(&mut cube, Edit::Grow(Growing { region: None, voxels: 2, material: None }));
    // Faces 2 deep, and what a ball of 2 reaches over edges (3 voxels of a square: 0,1 1,0 1,1) and corners.
    let ball = VoxelBox::new(IVec3::ZERO, IVec3::splat(3))
        .cells()
        .filter(|d| d.length_squared() <= 4 && d.min_element() > 0);
    assert_eq!(grown.voxels, 6 * 64 * 2 + 12 * 8 + 8 * ball.count());
    let shrunk = edit(&mut cube, Edit::Grow(Growing { region: None, voxels: -2, material: None }));
    assert!(shrunk.voxels >= 6 * 64 * 2);
    let sand = kind(&cube, "dry_sand");
    let half = Some(block(Vec3::ZERO, Vec3::new(2.4, 4.8, 4.8)));
    edit(&mut cube, Edit::Grow(Growing { region: half, voxels: 1, material: Some(sand) }));
    assert!(cube.ledger().held.get((Account::Soil, sand)) > 0);
    assert!(
        cube.ground().get(IVec3::new(19, 24, 24)).has_soil()
            && !cube.ground().get(IVec3::new(28, 24, 24)).has_soil()
    );
    for voxels in [0, 65, i32::MIN] {
        let refused = cube.edit(&Edit::Grow(Growing { region: None, voxels, material: None })).unwrap_err();
        assert!(refused.to_string().contains("voxels ="), "{refused}");
    }
}

#[test]
fn surfaces_are_raised_flattened_and_smoothed() {
    let disc = |surface| {
        let center_m = Vec3::new(2.4, 2.4, 1.2);
        Edit::Reshape(Reshaping { center_m, radius_m: 1.5, surface, material: None })
    };
    let height = |world: &World, x: i32, y: i32| {
        (0..48)
            .map(|z| f64::from(world.ground().get(IVec3::new(x, y, z)).fill(world.materials())))
            .sum::<f64>()
    };
    let mut flat = world(48);
    place(&mut flat, block(Vec3::ZERO, Vec3::new(4.8, 4.8, 1.23)), "sandstone");
    let even = flat.clone();
    for (by, sign) in [(0.5, 1.0), (-0.5, -1.0)] {
        let mut world = even.clone();
        edit(&mut world, disc(Surface::Raised(by)));
        let d = height(&world, 24, 24) - height(&even, 24, 24);
        assert!((d * sign - 5.0).abs() < 0.1, "{d}");
        assert!((height(&world, 42, 24) - height(&even, 42, 24)).abs() < 1e-3);
        edit(&mut world, disc(Surface::Flat));
        let level = height(&world, 24, 24);
        assert!((18..30).all(|x| (height(&world, x, 27) - level).abs() < 0.05));
    }
    let mut rough = mixed();
    let steep = |world: &World| {
        (12..36).map(|x| (height(world, x, 24) - height(world, x + 1, 24)).powi(2)).sum::<f64>()
    };
    let before = steep(&rough);
    for _ in 0..3 {
        edit(&mut rough, disc(Surface::Smooth(1.0)));
    }
    assert!(steep(&rough) < 0.5 * before, "{} of {before}", steep(&rough));
    for surface in [Surface::Raised(f32::NAN), Surface::Raised(2.0), Surface::Smooth(-0.1)] {
        assert!(rough.edit(&disc(surface)).is_err());
    }
}

#[test]
fn paths_and_rough_balls_are_placed_and_taken() {
    let mut world = mixed();
    let path = Path::new(vec![Vec3::new(0.5, 0.5, 3.0), Vec3::new(4.0, 1.0, 3.5)], 0.4).unwrap();
    place(&mut world, Region::Path(Arc::new(path)), "granite");
    let noise = Fractal { frequency_per_m: 1.0, ..Fractal::default() };
    let rough = RoughBall::new(Vec3::new(2.4, 3.6, 1.0), 0.9, 0.3, noise).unwrap();
    let removed = edit(&mut world, Edit::Remove { region: Region::RoughBall(Arc::new(rough)) });
    assert!(removed.removed().of(Account::Rock) > 0 && removed.removed().of(Account::Soil) > 0);
}

#[test]
fn long_mixed_sequences_keep_the_books_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = mixed();
            for round in 0..6 {
                let at = Vec3::new(0.8 + 0.6 * round as f32, 2.0 + 0.3 * round as f32, 1.3);
                let near = Some(block(at - 0.9, at + 0.9));
                let bubble = Bubble::new(Form::ALL[round % 7], IVec3::splat(2 + round as i32)).unwrap();
                let debris = Debris { share: 0.7, ..Debris::default() };
                let weathering = Weathering::new(near.clone(), bubble, 0.6).with_debris(debris);
                let smooth = round % 2 == 1;
                edit(&mut world, Edit::Weather(Weathering { smooth, drop_pieces: round == 3, ..weathering }));
                place(
                    &mut world,
                    block(at - 0.3, at + 0.3),
                    if round % 2 == 0 { "gravel" } else { "granite" },
                );
                edit(
                    &mut world,
                    Edit::Paint { region: near.clone().unwrap(), pigment: Pigment::Color([round as u8; 3]) },
                );
                let from = VoxelBox::new(IVec3::new(4, 4, 4), IVec3::new(20, 24, 24));
                let turns = round as u8;
                edit(
                    &mut world,
                    Edit::Copy(Copying {
                        from,
                        to: IVec3::new(20, 10 + round as i32, 9),
                        turns,
                        mirror: [round == 2; 3],
                    }),
                );
                edit(
                    &mut world,
                    Edit::Grow(Growing { region: near, voxels: 1 - 2 * (round as i32 % 2), material: None }),
                );
                edit(
                    &mut world,
                    Edit::Reshape(Reshaping {
                        center_m: at,
                        radius_m: 0.8,
                        surface: Surface::Smooth(0.7),
                        material: None,
                    }),
                );
                (0..20).for_each(|_| assert!(world.step(1.0 / 60.0).imbalance.is_zero()));
            }
            let rest = edit(&mut world, Edit::Rest { most_rounds: 1 << 16 });
            assert!(!rest.restless);
            world.digest()
        })
    };
    assert_eq!(run(1), run(2));
}

/// Every tool once, around the middle of the mixed world.
fn every_tool(world: &World) -> Vec<Edit> {
    let (granite, sand) = (kind(world, "granite"), kind(world, "dry_sand"));
    let middle = Vec3::new(2.2, 2.2, 1.4);
    let near = || block(middle - 0.8, middle + 0.8);
    let solid = |shape| Region::Solid(Solid { shape, pose: Pose::at(middle) });
    let path = Path::new(vec![middle - 0.5, middle + 0.9], 0.3).unwrap();
    let noise = Fractal { frequency_per_m: 1.0, ..Fractal::default() };
    let rough = RoughBall::new(middle, 0.7, 0.3, noise).unwrap();
    let regions = [
        near(),
        solid(Shape::Ball { radius: 0.6 }),
        solid(Shape::Cylinder { radius: 0.5, half_height: 0.7 }),
        solid(Shape::Cone { radius: 0.6, half_height: 0.5 }),
        Region::Path(Arc::new(path)),
        Region::RoughBall(Arc::new(rough)),
    ];
    let mut all = Vec::new();
    for (i, region) in regions.into_iter().enumerate() {
        let material = if i % 2 == 0 { granite } else { sand };
        all.push(Edit::Place { region: region.clone(), material, moisture: 0.1 });
        all.push(Edit::Remove { region });
    }
    let ball = Bubble::new(Form::Ball, IVec3::splat(4)).unwrap();
    let weathering = Weathering::new(None, ball, 0.7);
    all.push(Edit::Weather(weathering.clone()));
    all.push(Edit::Weather(Weathering { smooth: true, ..weathering.clone() }.with_debris(Debris::default())));
    all.push(Edit::Paint { region: near(), pigment: Pigment::Kind(kind(world, "limestone")) });
    all.push(Edit::Paint { region: near(), pigment: Pigment::Color([90, 10, 10]) });
    let from = VoxelBox::new(IVec3::new(8, 8, 4), IVec3::new(24, 20, 24));
    all.push(Edit::Copy(Copying { from, to: IVec3::new(18, 22, 8), turns: 1, mirror: [true, false, false] }));
    let within = Some(VoxelBox::new(IVec3::new(30, 2, 10), IVec3::new(46, 16, 30)));
    let from = IVec3::new(40, 5, 20);
    for work in
        [FloodWork::Fill { material: granite, moisture: 0.0 }, FloodWork::Paint(Pigment::Color([1, 2, 3]))]
    {
        let from = if matches!(work, FloodWork::Paint(_)) { from.with_z(11) } else { from };
        all.push(Edit::Flood(Flood { from, within, work }));
    }
    for surface in [Surface::Raised(0.4), Surface::Flat, Surface::Smooth(1.0)] {
        let center_m = Vec3::new(3.2, 3.2, 1.3);
        all.push(Edit::Reshape(Reshaping { center_m, radius_m: 1.0, surface, material: None }));
    }
    for voxels in [2, -2] {
        all.push(Edit::Grow(Growing { region: Some(near()), voxels, material: None }));
    }
    all.push(Edit::Rest { most_rounds: 1 << 16 });
    all
}

#[test]
fn every_tool_is_one_step_of_undo() {
    let mut world = mixed();
    for tool in every_tool(&mixed()) {
        let (before, beside) = (world.digest(), format!("{tool:?}"));
        let (mut versions, first) = Versions::new(world.clone(), "before", ()).unwrap();
        let mut after = world.clone();
        let report = edit(&mut after, tool);
        assert!(!report.changes.is_empty(), "does nothing: {beside}");
        let second = versions.commit(after.clone(), "after", ()).unwrap();
        let (back, ()) = versions.go_to(first).unwrap();
        assert!(back.digest() == before && back.ledger() == world.ledger(), "{beside}");
        back.check().unwrap();
        let (again, ()) = versions.go_to(second).unwrap();
        assert_eq!(again.digest(), after.digest(), "{beside}");
        world = after;
    }
}

#[test]
fn weathering_pouring_digging_flooding_and_undo_in_any_order_lose_nothing() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = mixed();
            world.set_weather(Some(WeatherRules::new(3, 1.0, 2_000.0))).unwrap();
            let tools = every_tool(&world);
            let (mut versions, mut past) = {
                let (versions, first) = Versions::new(world.clone(), "", ()).unwrap();
                (versions, vec![(first, world.digest())])
            };
            let mut state = 3_u64;
            for _ in 0..40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let chance = (state >> 33) as usize;
                match chance % 8 {
                    0 if past.len() > 1 => {
                        let (id, digest) = past.remove(chance / 8 % past.len());
                        world = versions.go_to(id).unwrap().0;
                        assert_eq!(world.digest(), digest);
                    }
                    1 => {
                        let corner = Vec3::new(0.5 + 0.1 * (chance % 30) as f32, 0.6, 3.0);
                        let poured = world.pour(&Pour::new(block(corner, corner + 0.5))).unwrap();
                        assert!(poured.imbalance.is_zero());
                    }
                    2 | 3 => (0..3).for_each(|_| assert!(world.step(1.0 / 60.0).imbalance.is_zero())),
                    _ => drop(edit(&mut world, tools[chance / 8 % tools.len()].clone())),
                }
                assert!(world.ledger().balances() && world.count() == world.ledger().held);
                past.push((versions.commit(world.clone(), "", ()).unwrap(), world.digest()));
            }
            world.check().unwrap();
            assert!(world.ledger().held.of(Account::Soil) > 0);
            world.digest()
        })
    };
    assert_eq!(run(1), run(2));
}
