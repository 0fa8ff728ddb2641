//! What the kinds of ground become: volumes, heights and order.

use std::path::Path;

use barchan_scene::{BuildOptions, Scene};
use barchan_sim::bodies::Motion;
use barchan_sim::{Account, Voxel, World};
use glam::{IVec3, Vec3};

fn built(text: &str) -> World {
    let scene = Scene::from_text("x.toml", text, Path::new(env!("CARGO_MANIFEST_DIR")))
        .unwrap_or_else(|e| panic!("{e}"));
    scene.build(&BuildOptions::default()).unwrap_or_else(|e| panic!("{e}")).0
}

/// A world of 8 x 8 x 8 m with voxels of 0.25 m.
fn walled(ground: &str) -> World {
    built(&format!("voxel_size_m = 0.25\n[bounds]\nmin_m = [0, 0, 0]\nmax_m = [8, 8, 8]\n{ground}"))
}

fn voxel(world: &World, x: f32, y: f32, z: f32) -> Voxel {
    let p = (Vec3::new(x, y, z) / world.ground().voxel_size_m()).floor().as_ivec3();
    world.ground().voxels().get(p)
}

/// The material at a place: that of soil before that of rock, "air" without either.
fn material(world: &World, x: f32, y: f32, z: f32) -> String {
    let found = voxel(world, x, y, z);
    if found.is_air() { "air".to_owned() } else { world.materials()[found.kind()].name.clone() }
}

/// The volume of all ground (m³).
fn volume_m3(world: &World) -> f32 {
    let bounds = world
        .ground()
        .bounds()
        .unwrap_or(barchan_volume::VoxelBox::new(IVec3::splat(-100), IVec3::splat(100)));
    let fill: f32 = bounds.cells().map(|p| world.ground().voxels().get(p).fill(world.materials())).sum();
    fill * world.ground().voxel_size_m().powi(3)
}

#[test]
fn layers_thinner_than_voxels_lose_nothing() {
    // Five layers of 6 cm, in voxels of 10 cm, on a floor that is not at the edge of a voxel either.
    let soils = ["clay", "dry_sand", "gravel", "loam", "scree"];
    let mut text = "voxel_size_m = 0.1\n[bounds]\nmin_m = [0, 0, 0]\nmax_m = [4, 4, 2]\n".to_owned();
    for (i, soil) in soils.iter().enumerate() {
        let (bottom, top) = (0.03 + 0.06 * i as f32, 0.09 + 0.06 * i as f32);
        text +=
            &format!("[[ground]]\nkind = 'layer'\nmaterial = '{soil}'\nbottom_m = {bottom}\ntop_m = {top}\n");
    }
    let scene = Scene::from_text("x.toml", &text, Path::new(".")).unwrap_or_else(|e| panic!("{e}"));
    let mut told = Vec::new();
    let (world, _) = scene
        .build_telling(&BuildOptions::default(), &mut |entry, laid| told.push((entry, laid.to_vec())))
        .unwrap_or_else(|e| panic!("{e}"));
    let area_m2 = 16.0;
    for (i, soil) in soils.iter().enumerate() {
        let (entry, laid) = &told[i];
        assert_eq!((*entry, laid.len(), laid[0].name.as_str()), (i, 1, *soil));
        // A unit of each voxel touched (40 x 40 x 2) may be lost to rounding, and the share of one that tells where it ends.
        let slack_m3 = 2.0 * 1600.0 * 2.0 * 1e-3 / 32_768.0;
        assert!((laid[0].m3 - 0.06 * area_m2).abs() < slack_m3, "{soil}: {} m³", laid[0].m3);
        let material = &world.materials()[world.materials().find(soil).unwrap()];
        let density = f64::from(material.grain_density_kg_m3 / (1.0 + material.void_ratio_natural));
        assert!((laid[0].kg / laid[0].m3 - density).abs() < 1.0, "{soil}: {} kg/m³", laid[0].kg / laid[0].m3);
    }
    let stocks = world.inventory();
    assert!(stocks.iter().all(|stock| stock.held > 0) && stocks.len() == soils.len());
}

#[test]
fn what_is_too_far_out_to_be_placed_is_refused_with_the_reason() {
    let text = "voxel_size_m = 0.01\n[[ground]]\nkind = 'ball'\nmaterial = 'granite'\nradius_m = 1\ncenter_m = [90000, 0, 0]\n";
    let scene = Scene::from_text("far.toml", text, Path::new(".")).unwrap_or_else(|e| panic!("{e}"));
    let error = scene.build(&BuildOptions::default()).expect_err("it is 9 million voxels away").to_string();
    assert!(error.contains("ground[0]") && error.contains("nothing can be placed exactly"), "{error}");
}

#[test]
fn shapes_have_their_volumes() {
    let pi = std::f32::consts::PI;
    let rows = [
        ("kind = 'layer'\nbottom_m = 1.1\ntop_m = 2.2", 64.0 * 1.1),
        ("kind = 'box'\ncenter_m = [4, 4, 4]\nsize_m = [2, 3, 1.5]\nrotation_deg = [10, 20, 30]", 9.0),
        ("kind = 'ball'\ncenter_m = [4, 4.1, 4]\nradius_m = 2", 4.0 / 3.0 * pi * 8.0),
        (
            "kind = 'cylinder'\ncenter_m = [4, 4, 4]\nradius_m = 1.5\nheight_m = 3\nrotation_deg = [0, 90, 0]",
            pi * 6.75,
        ),
        ("kind = 'cone'\ncenter_m = [4, 4, 4]\nradius_m = 2\nheight_m = 3", pi * 4.0),
        ("kind = 'heap'\nbase_m = [4, 4, 1]\nvolume_m3 = 10", 10.0),
        ("kind = 'heap'\nbase_m = [4, 4, 1]\nradius_m = 2\nslope_deg = 45", pi * 8.0 / 3.0),
        ("kind = 'ball'\ncenter_m = [0, 0, 0]\nradius_m = 2", pi * 4.0 / 3.0),
    ];
    for (text, expected) in rows {
        let world = walled(&format!("[[ground]]\nmaterial = 'dry_sand'\n{text}"));
        let volume = volume_m3(&world);
        // Voxels hold 1/32,768 of themselves, and round surfaces are cut by planes.
        assert!((volume / expected - 1.0).abs() < 0.01, "{volume} m³ instead of {expected} m³ for {text}");
    }
}

#[test]
fn a_cone_points_up_and_a_heap_stands_on_its_base() {
    let world = walled(
        "[[ground]]\nkind = 'cone'\nmaterial = 'clay'\ncenter_m = [4, 4, 4]\nradius_m = 2\nheight_m = 4",
    );
    assert_eq!(material(&world, 4.1, 4.1, 5.2), "clay");
    assert_eq!(material(&world, 5.6, 4.1, 2.1), "clay");
    assert_eq!(material(&world, 5.6, 4.1, 5.2), "air");
    let world = walled(
        "[[ground]]\nkind = 'heap'\nmaterial = 'clay'\nbase_m = [4, 4, 2]\nradius_m = 2\nslope_deg = 45",
    );
    assert_eq!(material(&world, 4.1, 4.1, 1.9), "air");
    assert_eq!(material(&world, 4.1, 4.1, 3.6), "clay");
}

#[test]
fn strata_lie_in_order_and_dip_where_they_are_told() {
    let layers =
        "layers = [{ material = 'granite', thickness_m = 2 }, { material = 'clay', thickness_m = 1 }]";
    let world = walled(&format!("[[ground]]\nkind = 'strata'\nbase_m = 1\n{layers}"));
    for (z, expected) in [(0.1, "granite"), (2.9, "granite"), (3.1, "clay"), (3.9, "clay"), (4.1, "air")] {
        assert_eq!(material(&world, 1.0, 7.0, z), expected, "at {z} m");
    }
    let world = walled(&format!(
        "[[ground]]\nkind = 'strata'\nbase_m = 1\ndip_deg = 20\ndip_direction_deg = 90\n{layers}"
    ));
    // 3 m away from the middle, tan 20° = 0.364 makes 1.09 m.
    for (y, top) in [(1.125, 4.0 + 1.046), (4.125, 4.0 - 0.045), (7.125, 4.0 - 1.137)] {
        for x in [0.1, 7.9] {
            assert_eq!(material(&world, x, y, top - 0.26), "clay", "below {top} m at y = {y} m");
            assert_eq!(material(&world, x, y, top + 0.26), "air", "above {top} m at y = {y} m");
            assert_eq!(material(&world, x, y, top - 1.4), "granite", "below the clay at y = {y} m");
        }
    }
}

#[test]
fn soil_lies_on_rock_at_its_depth() {
    for kind in ["kind = 'terrain'", "kind = 'caves'"] {
        let text = format!(
            "[[ground]]\n{kind}\nmaterial = 'granite'\nbase_m = 4\nrelief_m = 3\nfeature_size_m = 5\nsoil = 'loam'\nsoil_depth_m = 1\nmoisture = 0.5"
        );
        let world = walled(&text);
        let mut tops = Vec::new();
        for x in 0..32 {
            for y in 0..32 {
                let column = world.ground().voxels().read_column(glam::IVec2::new(x, y), 0..32);
                let share = |of: fn(&Voxel) -> bool| column.iter().filter(|v| of(v)).count();
                let (rock, soil) = (share(|v| v.rock > 0 && !v.has_soil()), share(Voxel::has_soil));
                assert!(column[0].rock > 0, "{kind}: no rock at {x} {y}");
                // A metre is four voxels, and the ends are cut.
                assert!((4..=6).contains(&soil), "{kind}: {soil} voxels of soil at {x} {y}");
                assert!(
                    column.iter().filter(|v| v.soil() > 100).all(|v| (v.saturation() - 0.5).abs() < 0.02)
                );
                tops.push(rock + soil);
            }
        }
        let (lowest, highest) = (tops.iter().min(), tops.iter().max());
        assert!(highest > lowest.map(|low| low + 4).as_ref(), "{kind} is flat: {lowest:?} to {highest:?}");
    }
}

#[test]
fn terrain_keeps_to_its_area() {
    let world = walled(
        "[[ground]]\nkind = 'terrain'\nmaterial = 'clay'\nbase_m = 4\nrelief_m = 0\nfeature_size_m = 5\ncenter_m = [3, 5]\nsize_m = [2, 4]",
    );
    assert!((volume_m3(&world) - 2.0 * 4.0 * 4.0).abs() < 0.01);
    for (x, y, expected) in [(2.1, 3.1, "clay"), (3.9, 6.9, "clay"), (1.9, 5.0, "air"), (3.0, 7.1, "air")] {
        assert_eq!(material(&world, x, y, 1.0), expected, "{x} {y}");
    }
}

#[test]
fn removes_cut_and_later_ground_fills_what_is_free() {
    let world = walled(
        "[[ground]]\nkind = 'layer'\nmaterial = 'granite'\nbottom_m = 0\ntop_m = 4\n\
         [[ground]]\nkind = 'box'\nop = 'remove'\ncenter_m = [4, 4, 4]\nsize_m = [2, 2, 4]\n\
         [[ground]]\nkind = 'layer'\nmaterial = 'gravel'\nbottom_m = 0\ntop_m = 3",
    );
    for (x, z, expected) in [
        (4.0, 1.9, "granite"),
        (4.0, 2.1, "gravel"),
        (4.0, 2.9, "gravel"),
        (4.0, 3.1, "air"),
        (2.0, 3.9, "granite"),
    ] {
        assert_eq!(material(&world, x, 4.0, z), expected, "{x} {z}");
    }
    assert!(world.ledger().balances());
    assert!(world.ledger().left.of(Account::Rock) > 0);
}

#[test]
fn a_heightmap_is_placed_where_and_as_high_as_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let map =
        "ncols 3\nnrows 2\nxllcorner 500000\nyllcorner 0\ncellsize 2\nNODATA_value -9999\n1 2 3\n4 5 6\n";
    std::fs::write(folder.path().join("map.asc"), map).expect("written");
    let text = "voxel_size_m = 0.25\n[bounds]\nmin_m = [0, 0, 0]\nmax_m = [8, 8, 8]\n[[ground]]\nkind = 'heightmap'\n\
                material = 'clay'\nfile = 'map.asc'\norigin_m = [1, 2]\nbase_m = 0.5\n";
    let scene = Scene::from_text("x.toml", text, folder.path()).unwrap_or_else(|e| panic!("{e}"));
    let (world, _) = scene.build(&BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    // The first row of the file is the northern one; samples stand in the middle of their cells.
    for (x, y, height) in
        [(2.0, 3.0, 4.5), (6.0, 3.0, 6.5), (2.0, 5.0, 1.5), (6.0, 5.0, 3.5), (4.0, 4.0, 4.0)]
    {
        assert_eq!(material(&world, x, y, height - 0.5), "clay", "below {height} at {x} {y}");
        assert_eq!(material(&world, x, y, height + 0.5), "air", "above {height} at {x} {y}");
    }
    assert_eq!(material(&world, 1.1, 2.1, 3.0), "clay");
    // The outermost heights go on for half a cell beyond the rim.
    assert_eq!(material(&world, 4.0, 6.9, 0.1), "clay");
    assert_eq!(material(&world, 4.0, 7.1, 0.1), "air");
}

#[test]
fn a_mesh_is_filled_where_and_as_large_as_it_says() {
    let knot = |scale: f32| {
        walled(&format!(
            "[[ground]]\nkind = 'mesh'\nmaterial = 'sandstone'\nfile = '../../scenes/data/knot.obj'\nscale = {scale}\nposition_m = [4, 4, 4]"
        ))
    };
    let (small, large) = (volume_m3(&knot(0.6)), volume_m3(&knot(1.0)));
    assert!((large / small - (1.0_f32 / 0.6).powi(3)).abs() < 0.02, "{small} m³, {large} m³");
}

#[test]
fn bodies_are_where_and_what_they_say() {
    let world = built(
        "voxel_size_m = 0.25\n[[body]]\nname = 'wedge'\nshape = 'box'\nsize_m = [2, 4, 6]\nposition_m = [1, 2, 3]\n\
         rotation_deg = [0, 0, 90]\ndensity_kg_m3 = 1000\nvelocity_m_s = [1, 0, 0]\nspin_deg_s = [0, 0, 180]\n\
         [[body]]\nshape = 'ball'\nradius_m = 0.5\nmotion = 'scripted'\nrotation_deg = [0, 0, 90]\nrepeat = true\n\
         path = [{ time_s = 0, position_m = [9, 0, 5] }, { time_s = 2, position_m = [11, 0, 5] }]\n",
    );
    let bodies: Vec<_> = world.bodies().iter().collect();
    assert_eq!(bodies.len(), 2);
    let wedge = &bodies[0];
    assert_eq!(wedge.spec.name, "wedge");
    assert!((wedge.mass_kg - 48_000.0).abs() < 1.0, "{}", wedge.mass_kg);
    assert!((wedge.pose.transform_point(Vec3::X) - Vec3::new(1.0, 3.0, 3.0)).length() < 1e-5);
    assert!((wedge.angular_velocity_rad_s.z - std::f32::consts::PI).abs() < 1e-5);
    let ball = &bodies[1];
    assert_eq!(ball.spec.name, "ball");
    let Motion::Scripted(track) = &ball.spec.motion else { panic!("not scripted") };
    assert!(track.repeat);
    assert!((track.pose(1.0).translation - Vec3::new(10.0, 0.0, 5.0)).length() < 1e-5);
}

#[test]
fn ground_makes_room_for_bodies() {
    let body = "[[body]]\nshape = 'box'\nmotion = 'fixed'\nsize_m = [2, 2, 2]\nposition_m = [4, 4, 2]\n";
    let layer = "[[ground]]\nkind = 'layer'\nmaterial = 'dry_sand'\nbottom_m = 0\ntop_m = 4\n";
    let (with, without) = (volume_m3(&walled(&format!("{body}{layer}"))), volume_m3(&walled(layer)));
    assert!((without - with - 8.0).abs() < 0.01, "{without} m³ without the body, {with} m³ with it");
}

#[test]
fn bodies_are_ellipsoids_and_put_together_and_turn_on_axles() {
    let world = built(
        "voxel_size_m = 0.1\n[[body]]\nshape = 'ellipsoid'\nsize_m = [2, 1, 0.5]\nposition_m = [0, 0, 5]\ndensity_kg_m3 = 1000\n\
         [[body]]\nshape = 'compound'\nposition_m = [9, 0, 5]\ndensity_kg_m3 = 1000\n\
         locked = ['move_x', 'move_y', 'move_z', 'turn_x', 'turn_z']\n\
         parts = [{ shape = 'cylinder', radius_m = 0.2, height_m = 1 },\n\
                  { shape = 'box', size_m = [1, 0.1, 0.4], position_m = [1, 0, 0] },\n\
                  { shape = 'box', size_m = [0.4, 0.1, 1], position_m = [-1, 0, 0], rotation_deg = [0, 90, 0] }]",
    );
    let bodies: Vec<_> = world.bodies().iter().collect();
    let expected = std::f32::consts::PI / 6.0 * 1000.0;
    assert!((bodies[0].mass_kg - expected).abs() < 1e-3 * expected, "{} kg", bodies[0].mass_kg);
    let wheel = &bodies[1];
    let expected = 1000.0 * (std::f32::consts::PI * 0.04 + 2.0 * 0.04);
    assert!((wheel.mass_kg - expected).abs() < 0.01 * expected, "{} kg", wheel.mass_kg);
    assert!((wheel.centre_of_mass_m - Vec3::new(9.0, 0.0, 5.0)).length() < 1e-3, "one blade on each side");
    assert_eq!(wheel.spec.locked, barchan_sim::bodies::LockedAxes::axle(1));
    assert!(wheel.inverse_mass_at(wheel.centre_of_mass_m, Vec3::X) == 0.0);
    assert!(wheel.inverse_mass_at(wheel.centre_of_mass_m + Vec3::X, Vec3::Z) > 0.0);
    for (text, word) in [
        ("shape = 'compound'\nposition_m = [0, 0, 0]\nparts = []", "parts"),
        ("shape = 'compound'\nposition_m = [0, 0, 0]\nparts = [{ shape = 'ball' }]", "radius_m"),
        ("shape = 'ball'\nradius_m = 1\nposition_m = [0, 0, 0]\nmotion = 'fixed'\nlocked = []", "locked"),
        ("shape = 'ball'\nradius_m = 1\nposition_m = [0, 0, 0]\nlocked = ['turn']", "turn_x"),
    ] {
        let error =
            Scene::from_text("x.toml", &format!("voxel_size_m = 0.1\n[[body]]\n{text}"), Path::new("."))
                .unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
}
