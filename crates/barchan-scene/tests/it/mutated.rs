//! Thousands of scenes with something wrong in them: each is refused in words or is a scene. None panics or hangs.

use std::path::Path;

use barchan_scene::{BuildOptions, Scene, SceneError, builtin_names, builtin_text};

/// Texts that are tried.
const TEXTS: u64 = 12_000;
/// What a world may use here (bytes).
const MEMORY: u64 = 64 << 20;
/// Worlds with more voxels than this within their bounds are checked but not built.
const VOXELS: u128 = 40 * 40 * 40;

/// Words that scenes are made of, and some that they should not be made of.
const TOKENS: [&str; 40] = [
    "0",
    "-1",
    "1",
    "0.5",
    "1e9",
    "-1e9",
    "1e-9",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "99999999999999999999",
    "0x7f",
    "true",
    "\"\"",
    "\"dry_sand\"",
    "\"granite\"",
    "\"layer\"",
    "\"ball\"",
    "\"box\"",
    "\"terrain\"",
    "\"caves\"",
    "\"remove\"",
    "\"scripted\"",
    "[]",
    "{}",
    "[0, 0, 0]",
    "[1, 1]",
    "[[1, 2, 3]]",
    "=",
    "[",
    "]",
    "\"",
    "\n",
    "#",
    "1979-05-27",
    "[[ground]]",
    "[[body]]",
    "material = \"clay\"",
    "kind = \"dunes\"",
];

/// Marsaglia's xorshift: the same texts on every machine.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// A scene of every kind of ground and body, small enough to be built thousands of times.
const SMALL: &str = r#"
title = "small"
voxel_size_m = 0.5
seed = 3
gravity_m_s2 = [0, 0, -9.81]
[bounds]
min_m = [0, 0, 0]
max_m = [8, 8, 8]
[[material]]
name = "mud"
based_on = "clay"
void_ratio_loose = 1.4
color = [90, 70, 50]
[[ground]]
kind = "layer"
material = "granite"
bottom_m = 0
top_m = 1
[[ground]]
kind = "strata"
base_m = 0
dip_deg = 10
layers = [{ material = "mud", thickness_m = 1.5 }]
[[ground]]
kind = "terrain"
material = "sandstone"
base_m = 2
relief_m = 1
feature_size_m = 4
octaves = 2
soil = "loam"
soil_depth_m = 0.5
[[ground]]
kind = "dunes"
material = "dry_sand"
base_m = 1
height_m = 1
wavelength_m = 6
[[ground]]
kind = "caves"
material = "limestone"
base_m = 3
relief_m = 1
feature_size_m = 4
octaves = 2
overhang_m = 1
cave_radius_m = 0.5
[[ground]]
kind = "box"
op = "remove"
center_m = [4, 4, 3]
size_m = [2, 2, 2]
rotation_deg = [0, 30, 0]
[[ground]]
kind = "heap"
material = "gravel"
base_m = [4, 4, 2]
volume_m3 = 3
[[body]]
shape = "hull"
points_m = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
position_m = [2, 2, 6]
[[body]]
shape = "capsule"
radius_m = 0.3
height_m = 1
motion = "scripted"
path = [{ time_s = 0, position_m = [1, 1, 5] }, { time_s = 2, position_m = [5, 1, 5] }]
[record]
every_s = 0.5
world = false
mesh = true
mesh_format = "ply"
mesh_every_s = 1
[record.video]
name = "film"
fps = 25
size = [640, 360]
"#;

#[test]
fn no_text_panics_or_hangs() {
    let scenes: Vec<_> = builtin_names().into_iter().filter_map(builtin_text).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let (mut refused, mut right, mut built) = (0, 0, 0);
    for text in 0..TEXTS {
        // Most are small scenes: those that come out right can be built.
        let original = if text % 4 == 0 { scenes[chance.below(scenes.len())] } else { SMALL };
        let mutant = mutate(original, &mut chance);
        match Scene::from_text("mutant.toml", &mutant, &folder) {
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
            Ok(scene) => {
                right += 1;
                built += u32::from(build_if_small(&scene));
            }
        }
    }
    // Fewer would mean that the texts try nothing.
    assert!(
        refused > 5_000 && right > 1_000 && built > 500,
        "{refused} refused, {right} right, {built} built"
    );
}

fn build_if_small(scene: &Scene) -> bool {
    if scene.bounds.is_none_or(|bounds| bounds.volume() > VOXELS) {
        return false;
    }
    match scene.build(&BuildOptions { memory_limit_bytes: MEMORY }) {
        Ok((world, _)) => {
            assert!(world.ledger().balances(), "{}", scene.source);
            assert_eq!(world.ledger().held, world.count(), "{}", scene.source);
            true
        }
        Err(SceneError::TooLarge { .. } | SceneError::Problems(_)) => false,
        Err(error) => panic!("{error}"),
    }
}

/// `text` with one to three changes. Half of them only change a digit, so that some scenes stay right.
fn mutate(text: &str, chance: &mut Chance) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + chance.below(3) {
        match chance.below(12) {
            0 => change_byte(&mut bytes, chance),
            1 => replace_token(&mut bytes, chance),
            2 => replace_number(&mut bytes, chance),
            3 => drop_line(&mut bytes, chance),
            4 => repeat_line(&mut bytes, chance),
            5 => insert_token(&mut bytes, chance),
            _ => change_digit(&mut bytes, chance),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn change_byte(bytes: &mut [u8], chance: &mut Chance) {
    let at = chance.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << chance.below(8);
    }
}

fn change_digit(bytes: &mut [u8], chance: &mut Chance) {
    let from = chance.below(bytes.len());
    if let Some(digit) = bytes.iter_mut().skip(from).find(|byte| byte.is_ascii_digit()) {
        *digit = b'0' + chance.below(10) as u8;
    }
}

/// Replaces a run of letters and digits by a token.
fn replace_token(bytes: &mut Vec<u8>, chance: &mut Chance) {
    replace_run(bytes, chance, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
}

/// Replaces a run of digits by a token: most of what comes out is still TOML.
fn replace_number(bytes: &mut Vec<u8>, chance: &mut Chance) {
    replace_run(bytes, chance, |byte| byte.is_ascii_digit() || byte == b'.');
}

fn replace_run(bytes: &mut Vec<u8>, chance: &mut Chance, is_part: fn(u8) -> bool) {
    let from = chance.below(bytes.len());
    let Some(start) = bytes[from..].iter().position(|byte| is_part(*byte)).map(|at| from + at) else {
        return;
    };
    let end = bytes[start..].iter().position(|byte| !is_part(*byte)).map_or(bytes.len(), |at| start + at);
    let token = TOKENS[chance.below(TOKENS.len())];
    bytes.splice(start..end, token.bytes());
}

fn insert_token(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let at = chance.below(bytes.len() + 1);
    bytes.splice(at..at, TOKENS[chance.below(TOKENS.len())].bytes());
}

fn drop_line(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let (start, end) = line_at(bytes, chance);
    bytes.drain(start..end);
}

fn repeat_line(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let (start, end) = line_at(bytes, chance);
    let line = bytes[start..end].to_vec();
    let into = line_at(bytes, chance).0;
    bytes.splice(into..into, line);
}

/// Start and end of a line, its break included.
fn line_at(bytes: &[u8], chance: &mut Chance) -> (usize, usize) {
    let at = chance.below(bytes.len());
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |after| at + after + 1);
    (start, end)
}
