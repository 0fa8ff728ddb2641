//! `dag-history`: random edits with random undo, redo, branches, names and collection. After every step the voxels of the archive
//! are compared with a dense model, and at the end those of every version that is left.

use std::collections::BTreeMap;

use barchan_volume::VoxelBox;
use barchan_volume::archive::{Act, Archive, Dab, Extent, Leaf, VersionId};
use glam::IVec3;
use serde_json::json;

use super::dag_edit::whole;
use crate::experiment::{self, Experiment, Outcome};
use crate::experiments::books::Random;
use crate::settings::Settings;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "dag-history",
    about: "random edits, undo, redo, branches and collection in the archive, against a dense model",
    parameters: &[
        whole("edits", "random edits", &[10_000.0], (1.0, 1e7), false),
        whole("roots", "versions that are kept, at most", &[64.0], (2.0, 1_000.0), false),
        whole("seed", "seed", &[1.0], (0.0, 1e15), false),
    ],
    run,
};

/// Where edits act, across the middle of the space; a multiple of four.
const WINDOW: VoxelBox = VoxelBox::new(IVec3::splat(-24), IVec3::splat(24));
/// Leaves and nodes that a slice of collection looks at.
const SLICE: u64 = 2_000;

/// The material of every voxel of the window, x slowest.
type Dense = Vec<u8>;

fn run(settings: &Settings, progress: &dyn Fn(f64)) -> Outcome {
    let (edits, most) = (settings.count("edits"), settings.count("roots"));
    let mut random = Random::new(settings.number("seed") as u64);
    let mut archive = Archive::new(None, "empty", ());
    let mut now: Dense = vec![0; WINDOW.volume() as usize];
    let mut models = BTreeMap::from([(VersionId(0), now.clone())]);
    let (mut mismatches, mut moves, mut most_roots) = (0, 0, 0);
    for edit in 0..edits {
        let dab = random_dab(&mut random);
        apply(&dab, &mut now);
        mismatches += usize::from(archive.dab(&dab).is_err());
        if random.below(3) > 0 {
            models.insert(archive.commit(format!("edit {edit}"), ()), now.clone());
        }
        if random.below(3) == 0 {
            archive.revert();
            now = models[&archive.present()].clone();
            for _ in 0..random.below(4) {
                let gone = match random.below(5) {
                    0 | 1 => archive.undo().is_ok(),
                    2 | 3 => archive.redo().is_ok(),
                    _ => archive.go_to(any(&archive, &mut random)).is_ok(),
                };
                moves += usize::from(gone);
                now = models[&archive.present()].clone();
            }
        }
        while models.len() > most {
            let id = any(&archive, &mut random);
            if archive.forget(id).is_ok() {
                models.remove(&id);
            }
        }
        archive.collect(random.below(SLICE) as usize);
        most_roots = most_roots.max(models.len());
        mismatches += usize::from(read(&archive, None) != now);
        progress((edit + 1) as f64 / edits as f64);
    }
    archive.revert();
    while archive.collect(SLICE as usize) {}
    mismatches += models.iter().filter(|(id, model)| read(&archive, Some(**id)) != **model).count();
    let usage = archive.usage();
    let pass = mismatches == 0;
    let row = experiment::row(json!({
        "edits": edits, "roots": most_roots, "mismatches": mismatches, "moves": moves,
        "bytes": usage.bytes, "reserved_bytes": usage.reserved_bytes, "pass": pass,
    }));
    Outcome { rows: vec![row], pass, ..Outcome::default() }
}

fn random_dab(random: &mut Random) -> Dab {
    let mut place = || IVec3::from_array([0; 3].map(|_: i32| random.below(48) as i32 - 24));
    let (a, b) = (place(), place());
    let extent = if random.below(3) == 0 {
        Extent::Box(VoxelBox::new(a.min(b), a.max(b) + 1))
    } else {
        let radius = f64::from(random.unit()) * 8.0;
        Extent::Ball { centre: a.as_dvec3() * 0.6, radius }
    };
    let act = match random.below(5) {
        0 => Act::Clear,
        1 => Act::Paint(1 + random.below(5) as u8),
        _ => Act::Fill(1 + random.below(5) as u8),
    };
    Dab { extent, act }
}

fn apply(dab: &Dab, dense: &mut Dense) {
    let inside = |p: IVec3| match dab.extent {
        Extent::Box(region) => region.contains(p),
        Extent::Ball { centre, radius } => (p.as_dvec3() + 0.5 - centre).length_squared() <= radius * radius,
    };
    for p in WINDOW.cells().filter(|p| inside(*p)) {
        let voxel = &mut dense[WINDOW.index(p)];
        match dab.act {
            Act::Fill(material) => *voxel = material,
            Act::Clear => *voxel = 0,
            Act::Paint(material) if *voxel != 0 => *voxel = material,
            Act::Paint(_) => {}
        }
    }
}

/// The window of a version, or as it is now.
fn read(archive: &Archive, id: Option<VersionId>) -> Dense {
    let mut dense: Dense = vec![0; WINDOW.volume() as usize];
    let Some(view) = id.map_or(Some(archive.now()), |id| archive.view(id).ok()) else { return Vec::new() };
    let mut leaf = Leaf::default();
    for corner in VoxelBox::new(WINDOW.min / 4, WINDOW.max / 4).cells() {
        view.read_leaf(corner * 4, &mut leaf);
        for at in 0..64 {
            let offset = IVec3::new(at as i32 >> 4, at as i32 >> 2 & 3, at as i32 & 3);
            dense[WINDOW.index(corner * 4 + offset)] = leaf.material(at);
        }
    }
    dense
}

fn any(archive: &Archive, random: &mut Random) -> VersionId {
    let ids: Vec<VersionId> = archive.versions().map(|(id, _)| id).collect();
    ids[random.below(ids.len() as u64) as usize]
}
