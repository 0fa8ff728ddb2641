//! `docs/scenes.md` names every key there is, and no other.

use std::collections::BTreeSet;
use std::path::Path;

use barchan_scene::{Scene, SceneError};

const DOCUMENT: &str = include_str!("../../../../docs/scenes.md");

/// Tables in which every key that is allowed together is asked for.
const TABLES: [&str; 72] = [
    "",
    "[bounds]",
    "[camera]",
    "[record]",
    "[record.video]",
    "[[material]]",
    "[[material]]\nstrength = [{ no_such_key = 0 }]",
    "[hardness]\nnoise_share = 0.5",
    "[hardness]\nkinds = [{ no_such_key = 0 }]",
    "[hardness]\nbeds = [{ no_such_key = 0 }]",
    "[[ground]]\nkind = 'layer'",
    "[[ground]]\nkind = 'strata'",
    "[[ground]]\nkind = 'strata'\nlayers = [{ no_such_key = 0 }]",
    "[[ground]]\nkind = 'terrain'\nsoil = 'clay'",
    "[[ground]]\nkind = 'dunes'\nmaterial = 'clay'",
    "[[ground]]\nkind = 'caves'\ncave_radius_m = 1",
    "[[ground]]\nkind = 'box'",
    "[[ground]]\nkind = 'cylinder'",
    "[[ground]]\nkind = 'heap'\nmaterial = 'clay'",
    "[[ground]]\nkind = 'heightmap'\nfile = 'none.raw'",
    "[[ground]]\nkind = 'mesh'",
    "[flow]",
    "[erosion]",
    "[rain]",
    "[[water]]\nkind = 'layer'",
    "[[water]]\nkind = 'box'\nsediment = 0.1",
    "[[source]]\nsediment = 0.1",
    "[[drain]]",
    "[grain_laws]",
    "[[grain_template]]",
    "[[grain_template]]\nballs = [{ no_such_key = 0 }]",
    "[[grains]]\nkind = 'fill'",
    "[[grains]]\nkind = 'outlet'",
    "[[grains]]\nkind = 'single'",
    "[[grain_pair]]",
    "[[grain_wall]]\nshape = 'plane'",
    "[[grain_wall]]\nshape = 'turned'",
    "[[grain_wall]]\nshape = 'box'",
    "[[grain_wall]]\nshape = 'ball'",
    "[[grain_wall]]\nshape = 'cylinder'",
    "[[grain_wall]]\nshape = 'cone'",
    "[[grain_wall]]\nshape = 'plane'\nmotion = 'drive'",
    "[[grain_wall]]\nshape = 'plane'\nmotion = 'vibrate'",
    "[[grain_wall]]\nshape = 'plane'\nmotion = 'spin'",
    "[[grain_wall]]\nshape = 'plane'\nmotion = 'press'",
    "[[grain_wall]]\nshape = 'plane'\nmotion = 'still'",
    "[[ground]]\nkind = 'path'",
    "[[ground]]\nkind = 'rough_ball'",
    "[[edit]]\nop = 'add'\nkind = 'box'",
    "[[edit]]\nop = 'remove'\nkind = 'box'",
    "[[edit]]\nop = 'weather'\nkind = 'box'",
    "[[edit]]\nop = 'paint'\nkind = 'box'",
    "[[edit]]\nop = 'copy'",
    "[[edit]]\nop = 'fill'",
    "[[edit]]\nop = 'color'",
    "[[edit]]\nop = 'raise'",
    "[[edit]]\nop = 'smooth'",
    "[[edit]]\nop = 'grow'",
    "[[edit]]\nop = 'rest'",
    "[weather]",
    "[carve]",
    "[merge]",
    "[[body]]\nshape = 'box'",
    "[[body]]\nshape = 'ball'",
    "[[body]]\nshape = 'cone'",
    "[[body]]\nshape = 'hull'",
    "[[body]]\nshape = 'mesh'",
    "[[body]]\nshape = 'compound'",
    "[[body]]\nshape = 'ball'\nmotion = 'scripted'",
    "[[body]]\nshape = 'ball'\nmotion = 'scripted'\npath = [{ no_such_key = 0 }]",
    "[[body]]\nshape = 'capsule'\nmotion = 'dynamic'",
    "[[body]]\nshape = 'ball'\nmotion = 'fixed'",
];

#[test]
fn every_key_is_documented_and_every_documented_key_exists() {
    let (known, documented) = (known_keys(), documented_keys());
    let missing: Vec<_> = known.difference(&documented).collect();
    let invented: Vec<_> = documented.difference(&known).collect();
    assert!(missing.is_empty(), "not in docs/scenes.md: {missing:?}");
    assert!(invented.is_empty(), "no such keys: {invented:?}");
}

/// The keys that the reader lists when it meets one it does not know.
fn known_keys() -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for table in TABLES {
        let text = format!("{table}\nno_such_key = 0");
        let Err(SceneError::Problems(problems)) = Scene::from_text("x", &text, Path::new("")) else {
            panic!("{text} has no problems");
        };
        let messages = problems.list.iter().map(|problem| problem.message.as_str());
        let mut lists =
            messages.filter_map(|message| message.strip_prefix("unknown key; known here: ")).peekable();
        assert!(lists.peek().is_some(), "no list of keys for {text}");
        keys.extend(lists.flat_map(|list| list.split(", ")).map(str::to_owned));
    }
    keys
}

/// The keys in the first column of the tables; `layers[].material` is the key `material`.
fn documented_keys() -> BTreeSet<String> {
    let rows = DOCUMENT.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.filter_map(|row| row.split(" |").next());
    let keys = cells.flat_map(|cell| cell.split(", ")).map(|key| key.trim_matches('`'));
    keys.map(|key| key.rsplit('.').next().unwrap_or(key).to_owned()).chain(tables()).collect()
}

/// `[bounds]` and the like, which stand in headings.
fn tables() -> impl Iterator<Item = String> {
    let headings = DOCUMENT.lines().filter(|line| line.starts_with("## "));
    headings
        .flat_map(|heading| heading.split('`'))
        .filter(|part| part.starts_with('['))
        .map(|name| name.trim_matches(['[', ']']).to_owned())
}
