//! Broken scenes, and the exact lines that say so.

use std::path::Path;

use barchan_scene::{Scene, SceneError};

/// The problems of a scene, one a line.
fn problems(text: &str) -> Vec<String> {
    match Scene::from_text("x.toml", text, Path::new(env!("CARGO_MANIFEST_DIR"))) {
        Err(SceneError::Problems(problems)) => problems.to_string().lines().map(str::to_owned).collect(),
        Err(other) => panic!("not a problem of the text: {other}"),
        Ok(_) => Vec::new(),
    }
}

/// A scene with walls, to which `rest` is added from line 5 on.
fn walled(rest: &str) -> String {
    format!("voxel_size_m = 0.5\n[bounds]\nmin_m = [0, 0, 0]\nmax_m = [8, 8, 8]\n{rest}")
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(problems(text), expected, "in\n{text}");
}

#[test]
fn what_is_right_has_no_problems() {
    check("voxel_size_m = 1", &[]);
    check(&walled("[[ground]]\nkind = 'layer'\nmaterial = 'clay'\nbottom_m = 0\ntop_m = 1"), &[]);
}

#[test]
fn text_that_is_not_toml_is_told_by_line_and_column() {
    check("voxel_size_m = 1\nseed = = 3\n", &["x.toml:2:8: extra `=`, expected nothing"]);
    check("voxel_size_m = 1\nvoxel_size_m = 2\n", &["x.toml:2:1: duplicate key"]);
    check("[ground\n", &["x.toml:1:8: unclosed table, expected `]`"]);
}

#[test]
fn the_top_of_a_scene() {
    let rows: &[(&str, &[&str])] = &[
        ("", &["x.toml:1: voxel_size_m: is missing; must be a number, 0.001 to 100"]),
        ("voxel_size_m = 0", &["x.toml:1: voxel_size_m = 0: must be 0.001 to 100"]),
        ("voxel_size_m = nan", &["x.toml:1: voxel_size_m = nan: must be 0.001 to 100"]),
        ("voxel_size_m = '1'", &["x.toml:1: voxel_size_m = '1': must be a number, 0.001 to 100"]),
        (
            "voxel_size = 1",
            &[
                "x.toml:1: voxel_size_m: is missing; must be a number, 0.001 to 100",
                "x.toml:1: voxel_size = 1: unknown key; did you mean voxel_size_m?",
            ],
        ),
        (
            "voxel_size_m = 1\nseed = -1",
            &["x.toml:2: seed = -1: must be a whole number, 0 to 18446744073709551615"],
        ),
        (
            "voxel_size_m = 1\ngravity_m_s2 = [0, 0]",
            &["x.toml:2: gravity_m_s2 = [0, 0]: must be three numbers [x, y, z], each -1000 to 1000"],
        ),
        (
            "voxel_size_m = 1\ngravity_m_s2 = [900, 900, 0]",
            &["x.toml:2: gravity_m_s2 = [900, 900, 0]: must be at most 1000 long"],
        ),
        (
            "voxel_size_m = 1\nstep_s = 2\nduration_s = -1",
            &[
                "x.toml:2: step_s = 2: must be 0.00001 to 1",
                "x.toml:3: duration_s = -1: must be 0 to 1000000",
            ],
        ),
        ("voxel_size_m = 1\ntitle = ''", &["x.toml:2: title = '': must be text of 1 to 200 characters"]),
        (
            "voxel_size_m = 1\nground = 3",
            &["x.toml:2: ground = 3: must be a list of tables: write [[ground]]"],
        ),
        ("voxel_size_m = 1\nground = [3]", &["x.toml:2: ground[0] = 3: must be a table"]),
        (
            "voxel_size_m = 1\n[ground]\nkind = 'ball'",
            &["x.toml:2: ground = {…}: must be a list of tables: write [[ground]]"],
        ),
        ("voxel_size_m = 1\n[[bounds]]", &["x.toml:2: bounds = [[bounds]]: must be a table: write [bounds]"]),
        (
            "voxel_size_m = 1\n[camera]\neye_m = [1, 2]\nfov_deg = 0\nsun_elevation_deg = 91\nafter_s = -1\nzoom = 2",
            &[
                "x.toml:3: camera.eye_m = [1, 2]: must be three numbers [x, y, z], each -100000 to 100000",
                "x.toml:4: camera.fov_deg = 0: must be 1 to 120",
                "x.toml:5: camera.sun_elevation_deg = 91: must be 0 to 90",
                "x.toml:6: camera.after_s = -1: must be 0 to 1000000",
                "x.toml:7: camera.zoom = 2: unknown key; known here: eye_m, target_m, fov_deg, sun_azimuth_deg, sun_elevation_deg, after_s",
            ],
        ),
        (
            "voxel_size_m = 1\n[camera]\neye_m = [1, 2, 3]\ntarget_m = [1, 2, 3]",
            &["x.toml:4: camera.target_m = [1, 2, 3]: must not be where eye_m is"],
        ),
        (
            "voxel_size_m = 1\n[record]\nevery_s = 0\npicture = 1\nmesh_format = 'gltf'\nheightmap_format = 1\nfilm = true",
            &[
                "x.toml:3: record.every_s = 0: must be 0.00001 to 1000000",
                "x.toml:4: record.picture = 1: must be true or false",
                r#"x.toml:5: record.mesh_format = 'gltf': must be "glb", "ply", "obj" or "stl"; did you mean "glb"?"#,
                r#"x.toml:6: record.heightmap_format = 1: must be "png", "tif" or "asc""#,
                concat!(
                    "x.toml:7: record.film = true: unknown key; known here: every_s, world, heightmap, heightmap_format, ",
                    "materials, picture, table, mesh, mesh_format, mesh_every_s, video, ",
                    "particles, particles_format"
                ),
            ],
        ),
        (
            "voxel_size_m = 1\n[record.video]\nname = '../x'\nformat = 'avi'\nfps = 0\nsize = [1280, 721]\nlength = 3",
            &[
                "x.toml:3: record.video.name = '../x': must be of a-z, 0-9 and _: the ending is said by format",
                r#"x.toml:4: record.video.format = 'avi': must be "mp4" or "png""#,
                "x.toml:5: record.video.fps = 0: must be a whole number, 1 to 120",
                "x.toml:6: record.video.size = [1280, 721]: must be even, both",
                "x.toml:7: record.video.length = 3: unknown key; known here: name, format, fps, size",
            ],
        ),
        (
            "voxel_size_m = 1\n[record.video]\nname = 'picture'\nsize = [640]",
            &[
                "x.toml:3: record.video.name = 'picture': must not be the name of another output",
                "x.toml:4: record.video.size = [640]: must be a list of 2, each a whole number, 16 to 4096",
            ],
        ),
        (
            "voxel_size_m = 1\n[record]\nvideo = true",
            &["x.toml:3: record.video = true: must be a table: write [record.video]"],
        ),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn bounds() {
    let rows: &[(&str, &[&str])] = &[
        (
            "min_m = [0, 0, 0]",
            &["x.toml:2: bounds.max_m: is missing; must be three numbers [x, y, z], each -100000 to 100000"],
        ),
        (
            "min_m = [0, 0, 0]\nmax_m = [1, 0.2, 1]",
            &[
                "x.toml:4: bounds.max_m = [1, 0.2, 1]: y must lie 0.5 to 200000 above min_m, 1 to 1048576 voxels",
            ],
        ),
        (
            "min_m = [0, 0, 0]\nmax_m = [-1, 1, 1]",
            &[
                "x.toml:4: bounds.max_m = [-1, 1, 1]: x must lie 0.5 to 200000 above min_m, 1 to 1048576 voxels",
            ],
        ),
        (
            "min_m = [0, 0, inf]\nmax_m = [1, 1, 1]\nfloor = 0",
            &[
                "x.toml:3: bounds.min_m = [0, 0, inf]: must be three numbers [x, y, z], each -100000 to 100000",
                "x.toml:5: bounds.floor = 0: unknown key; known here: min_m, max_m",
            ],
        ),
    ];
    for (text, expected) in rows {
        check(&format!("voxel_size_m = 0.5\n[bounds]\n{text}"), expected);
    }
}

#[test]
fn ground() {
    let rows: &[(&str, &[&str])] = &[
        (
            "material = 'clay'",
            &[concat!(
                r#"x.toml:5: ground[0].kind: is missing; must be "layer", "strata", "terrain", "dunes", "caves", "box", "#,
                r#""ball", "cylinder", "cone", "heap", "heightmap", "path", "rough_ball" or "mesh""#
            )],
        ),
        (
            "kind = 'bal'",
            &[concat!(
                r#"x.toml:6: ground[0].kind = 'bal': must be "layer", "strata", "terrain", "dunes", "caves", "box", "#,
                r#""ball", "cylinder", "cone", "heap", "heightmap", "path", "rough_ball" or "mesh"; did you mean "ball"?"#
            )],
        ),
        (
            "kind = 'ball'\nmaterial = 'dry_snad'\ncenter_m = [0, 0, 0]\nradius_m = -1.0",
            &[
                r#"x.toml:7: ground[0].material = 'dry_snad': no such material; did you mean "dry_sand"?"#,
                "x.toml:9: ground[0].radius_m = -1.0: must be 0.001 to 100000",
            ],
        ),
        (
            "kind = 'ball'\nmaterial = 'clay'\ncentre_m = [0, 0, 0]\nradius = 1",
            &[
                "x.toml:5: ground[0].radius_m: is missing; must be a number, 0.001 to 100000",
                "x.toml:5: ground[0].center_m: is missing; must be three numbers [x, y, z], each -100000 to 100000",
                "x.toml:8: ground[0].centre_m = [0, 0, 0]: unknown key; did you mean center_m?",
                "x.toml:9: ground[0].radius = 1: unknown key; did you mean radius_m?",
            ],
        ),
        (
            "kind = 'ball'\nop = 'remove'\nmaterial = 'clay'\ncenter_m = [0, 0, 0]\nradius_m = 1",
            &[r#"x.toml:8: ground[0].material = 'clay': has no place with op = "remove""#],
        ),
        ("kind = 'ball'\nop = 'cut'", &[r#"x.toml:7: ground[0].op = 'cut': must be "add" or "remove""#]),
        (
            "kind = 'layer'\nmaterial = 'clay'\nmoisture = 1.5\nbottom_m = 2\ntop_m = 1",
            &[
                "x.toml:8: ground[0].moisture = 1.5: must be 0 to 1",
                "x.toml:10: ground[0].top_m = 1: must be above bottom_m, 2",
            ],
        ),
        (
            "kind = 'strata'\nbase_m = 0",
            &[
                "x.toml:5: ground[0].layers: is missing; must be a list of { material, thickness_m }, lowest first",
            ],
        ),
        (
            "kind = 'strata'\nbase_m = 0\ndip_deg = 70\nlayers = [{ material = 'clay' },\n{ material = 'clay', thickness_m = 0 }]",
            &[
                "x.toml:8: ground[0].dip_deg = 70: must be 0 to 60",
                "x.toml:9: ground[0].layers[0].thickness_m: is missing; must be a number, 0.001 to 100000",
                "x.toml:10: ground[0].layers[1].thickness_m = 0: must be 0.001 to 100000",
            ],
        ),
        (
            "kind = 'terrain'\nmaterial = 'clay'\nbase_m = 1\nrelief_m = 1\nfeature_size_m = 4\noctaves = 17\nsoil_depth_m = 1",
            &[
                "x.toml:11: ground[0].octaves = 17: must be a whole number, 1 to 16",
                "x.toml:12: ground[0].soil_depth_m = 1: has no place without soil",
            ],
        ),
        (
            "kind = 'terrain'\nmaterial = 'clay'\nbase_m = 1\nrelief_m = 1\nfeature_size_m = 4\nsoil = 'loam'\ncenter_m = [1, 1]",
            &[
                "x.toml:5: ground[0].size_m: is missing beside center_m; must be two numbers [x, y]",
                "x.toml:5: ground[0].soil_depth_m: is missing; must be a number, 0.001 to 100000",
            ],
        ),
        (
            "kind = 'dunes'\nmaterial = 'dry_sand'\nbase_m = 1\nheight_m = 8\nwavelength_m = 4\nslope_deg = 45",
            &["x.toml:9: ground[0].height_m = 8: must be at most 2, half of wavelength_m at 45.0°"],
        ),
        (
            "kind = 'heap'\nmaterial = 'dry_sand'\nbase_m = [1, 1, 0]",
            &["x.toml:5: ground[0].radius_m: is missing; give radius_m or volume_m3"],
        ),
        (
            "kind = 'heap'\nmaterial = 'granite'\nbase_m = [1, 1, 0]\nradius_m = 1",
            &["x.toml:5: ground[0].slope_deg: is missing; must be a number, 1 to 80"],
        ),
        (
            "kind = 'caves'\nmaterial = 'granite'\nbase_m = 1\nrelief_m = 1\nfeature_size_m = 4\ncave_spacing_m = 3",
            &["x.toml:11: ground[0].cave_spacing_m = 3: has no place without cave_radius_m"],
        ),
        (
            "kind = 'heightmap'\nmaterial = 'granite'\nfile = 'none.png'",
            &["x.toml:8: ground[0].file = 'none.png': no such file"],
        ),
        (
            "kind = 'heightmap'\nmaterial = 'granite'\nfile = 'Cargo.toml'",
            &[
                "x.toml:8: ground[0].file = 'Cargo.toml': must end in .png, .tif, .tiff, .asc, .raw, .r16 or .r32",
            ],
        ),
        (
            "kind = 'heightmap'\nmaterial = 'granite'\nfile = '../../scenes/data/island.png'",
            &[
                "x.toml:5: ground[0].cell_size_m: is missing; must be a number, 0.001 to 100000",
                "x.toml:5: ground[0].height_min_m: is missing; must be a number, -100000 to 100000",
                "x.toml:5: ground[0].height_max_m: is missing; must be a number, -100000 to 100000",
            ],
        ),
        (
            "kind = 'mesh'\nmaterial = 'granite'\nfile = 'src'\nposition_m = [0, 0, 0]",
            &["x.toml:8: ground[0].file = 'src': must end in .obj, .stl, .ply, .gltf or .glb"],
        ),
    ];
    for (text, expected) in rows {
        check(&walled(&format!("[[ground]]\n{text}")), expected);
    }
}

#[test]
fn ground_without_end_needs_bounds() {
    check(
        "voxel_size_m = 1\n[[ground]]\nkind = 'layer'\nmaterial = 'clay'\nbottom_m = 0\ntop_m = 1",
        &["x.toml:3: ground[0].kind = 'layer': needs [bounds], for it has no end of its own"],
    );
}

#[test]
fn materials() {
    let rows: &[(&str, &[&str])] = &[
        (
            "name = 'Mud'\nbased_on = 'clay'",
            &["x.toml:6: material[0].name = 'Mud': must be made of a-z, 0-9 and _"],
        ),
        (
            "name = 'mud'\nbased_on = 'cley'",
            &[r#"x.toml:7: material[0].based_on = 'cley': no such material; did you mean "clay"?"#],
        ),
        (
            "name = 'mud'\nbased_on = 'clay'\ncolor = [0, 0, 256]\nfriction_angle_deg = 90",
            &[
                "x.toml:8: material[0].color = [0, 0, 256]: item [2] must be a whole number, 0 to 255",
                "x.toml:9: material[0].friction_angle_deg = 90: must be 0 to 89",
            ],
        ),
        (
            "name = 'mud'\nbased_on = 'clay'\nvoid_ratio_natural = 2",
            &["x.toml:5: material[0].void_ratio_loose: must be at least void_ratio_natural, 2"],
        ),
        (
            "name = 'mud'\nbased_on = 'clay'\n[[material]]\nname = 'mud'\nbased_on = 'loam'",
            &["x.toml:9: material[1].name = 'mud': is there twice"],
        ),
        // The ground may use the name all the same: one slip, one problem.
        (
            "name = 'mud'\nbased_on = 'clay'\ncohesion_pa = -1\n[[ground]]\nkind = 'layer'\nmaterial = 'mud'\nbottom_m = 0\ntop_m = 1",
            &["x.toml:8: material[0].cohesion_pa = -1: must be 0 to 1000000000"],
        ),
    ];
    for (text, expected) in rows {
        check(&walled(&format!("[[material]]\n{text}")), expected);
    }
}

#[test]
fn bodies() {
    let rows: &[(&str, &[&str])] = &[
        (
            "shape = 'sphere'",
            &[
                r#"x.toml:6: body[0].shape = 'sphere': must be "box", "ball", "ellipsoid", "cylinder", "cone", "capsule", "hull", "mesh" or "compound""#,
            ],
        ),
        (
            "shape = 'ball'\nradius_m = 1",
            &[
                "x.toml:5: body[0].position_m: is missing; must be three numbers [x, y, z], each -100000 to 100000",
            ],
        ),
        (
            "shape = 'ball'\nradius_m = 1\nposition_m = [0, 0, 0]\npath = []\nmass_kg = 3",
            &[
                r#"x.toml:9: body[0].path = []: has a place only with motion = "scripted""#,
                concat!(
                    "x.toml:10: body[0].mass_kg = 3: unknown key; known here: shape, motion, name, radius_m, ",
                    "density_kg_m3, friction_angle_deg, restitution, adhesion, edge_thickness_m, edges, teeth, ",
                    "rotation_deg, path, repeat, position_m, velocity_m_s, spin_deg_s, locked, carve"
                ),
            ],
        ),
        (
            "shape = 'ball'\nradius_m = 1\nmotion = 'scripted'",
            &["x.toml:5: body[0].path: is missing; must be a list of { time_s, position_m, rotation_deg }"],
        ),
        (
            "shape = 'ball'\nradius_m = 1\nmotion = 'scripted'\npath = []",
            &["x.toml:9: body[0].path = []: must have at least one entry"],
        ),
        (
            "shape = 'ball'\nradius_m = 1\nmotion = 'scripted'\nvelocity_m_s = [1, 0, 0]\npath = [{ time_s = 1, position_m = [0, 0, 0] },\n{ time_s = 1 }]",
            &[
                r#"x.toml:9: body[0].velocity_m_s = [1, 0, 0]: has a place only with motion = "dynamic""#,
                "x.toml:11: body[0].path[1].time_s = 1: must be later than the entry before, 1",
                "x.toml:11: body[0].path[1].position_m: is missing; must be three numbers [x, y, z], each -100000 to 100000",
            ],
        ),
        (
            "shape = 'hull'\nposition_m = [0, 0, 0]\npoints_m = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]",
            &[
                "x.toml:8: body[0].points_m = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]: hull encloses no volume: it measures 1 x 1 x 0 m",
            ],
        ),
        (
            "shape = 'mesh'\nposition_m = [0, 0, 0]\nfile = 'none.obj'\nfriction_angle_deg = 89",
            &[
                "x.toml:8: body[0].file = 'none.obj': no such file",
                "x.toml:9: body[0].friction_angle_deg = 89: must be 0 to 84",
            ],
        ),
        (
            "shape = 'capsule'\nradius_m = 9000\nheight_m = 9000\nposition_m = [0, 0, 0]",
            &[
                r#"x.toml:5: body[0]: body "capsule": shape extent = 27000 is not allowed; it must be between 1e-4 and 1e4 m"#,
            ],
        ),
    ];
    for (text, expected) in rows {
        check(&walled(&format!("[[body]]\n{text}")), expected);
    }
}

#[test]
fn all_problems_come_at_once_and_in_order() {
    let text = "seed = 1.5\nvoxel_size_m = 1e9\ntitel = 'x'\n[bounds]\nmin_m = 0\nmax_m = [1, 2, 3]\n\
                [[ground]]\nkind = 'ball'\nmaterial = 'mud'\ncenter_m = [0, 0, 0]\nradius_m = 'r'\n\
                [[body]]\nshape = 'ball'\nradius_m = 0\nposition_m = [0, 0, 0]\n";
    let lines = problems(text);
    let starts = [
        "x.toml:1: seed = 1.5: ",
        "x.toml:2: voxel_size_m = 1e9: ",
        "x.toml:3: titel = 'x': unknown key; did you mean title?",
        "x.toml:5: bounds.min_m = 0: ",
        "x.toml:9: ground[0].material = 'mud': ",
        "x.toml:11: ground[0].radius_m = 'r': ",
        "x.toml:14: body[0].radius_m = 0: ",
    ];
    assert_eq!(lines.len(), starts.len(), "{lines:#?}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line} does not start with {start}");
    }
}

#[test]
fn long_values_are_shortened_and_a_flood_of_problems_is_counted() {
    let text = format!("voxel_size_m = 1\ntitle = \"{}\"", "long ".repeat(1000));
    let lines = problems(&text);
    assert!(lines[0].len() < 200, "{}", lines[0]);
    let text: String = (0..1500).map(|i| format!("key{i} = 1\n")).collect();
    let lines = problems(&text);
    assert_eq!(lines.len(), 1001);
    assert_eq!(lines[1000], "… and 501 more");
}
