//! The folder that worlds are saved to and loaded from, and nothing outside it.

use std::path::{Path, PathBuf};

use barchan_scene::{RunPlan, load_world, save_version};
use barchan_sim::World;

/// Longest name of a saved world.
const LONGEST_NAME: usize = 64;
const ENDING: &str = "barchan";

/// A folder of saved worlds.
#[derive(Clone, Debug)]
pub struct Saves {
    folder: PathBuf,
}

impl Saves {
    /// The saved worlds in `folder`, which is made when the first one is saved.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The names of all saved worlds, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.filter_map(|entry| name_of(&entry.path())).collect();
        names.sort_unstable();
        names
    }

    /// Writes a world: where there is one of the name, as its next version.
    pub fn save(&self, name: &str, world: &World, plan: &RunPlan) -> Result<(), String> {
        let path = self.path(name)?;
        std::fs::create_dir_all(&self.folder).map_err(|error| format!("cannot make the folder: {error}"))?;
        if path.symlink_metadata().is_ok_and(|data| !data.is_file()) {
            return Err(format!("'{name}' is no file"));
        }
        save_version(&path, world, plan, "saved", u64::MAX).map_err(|error| error.to_string())
    }

    /// Reads a world, and how its scene wants it run.
    pub fn load(&self, name: &str, memory_limit_bytes: u64) -> Result<(World, RunPlan), String> {
        let path = self.path(name)?;
        if !is_plain_file(&path) {
            return Err(format!("there is no saved world '{name}'"));
        }
        load_world(&path, memory_limit_bytes).map_err(|error| error.to_string())
    }

    /// Refuses what is no name of a world.
    pub fn check(&self, name: &str) -> Result<(), String> {
        if is_name(name) {
            return Ok(());
        }
        Err(format!("name = {name:?} must be 1 to {LONGEST_NAME} of A-Z, a-z, 0-9, _ and -"))
    }

    /// Where the world of this name is. A name has no way of leaving the folder.
    fn path(&self, name: &str) -> Result<PathBuf, String> {
        self.check(name)?;
        Ok(self.folder.join(format!("{name}.{ENDING}")))
    }
}

fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(letter)
}

/// The name of the world in this file, if it is one that can be loaded.
fn name_of(path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let ours = path.extension().is_some_and(|ending| ending == ENDING) && is_name(name);
    (ours && is_plain_file(path)).then(|| name.to_owned())
}

/// A link could lead out of the folder.
fn is_plain_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_file())
}

#[cfg(test)]
mod tests {
    use barchan_files::world_file::WorldFile;
    use barchan_scene::save_world;
    use barchan_sim::WorldConfig;

    use super::*;

    #[test]
    fn a_world_saved_again_is_the_next_version() {
        let folder = tempfile::tempdir().unwrap();
        let saves = Saves::new(folder.path().to_owned());
        let plan = RunPlan::default();
        let worlds = [3, 4].map(|seed| World::new(WorldConfig { seed, ..WorldConfig::default() }).unwrap());
        worlds.iter().for_each(|world| saves.save("one", world, &plan).unwrap());
        assert_eq!(saves.load("one", 1 << 30).unwrap().0.digest(), worlds[1].digest());
        let mut file = WorldFile::open(&folder.path().join("one.barchan"), 1 << 30).unwrap();
        file.undo().unwrap();
        assert_eq!(saves.load("one", 1 << 30).unwrap().0.digest(), worlds[0].digest());
    }

    #[test]
    fn nothing_leaves_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let saves = Saves::new(folder.path().join("inner"));
        let (world, plan) = (World::new(WorldConfig::default()).unwrap(), RunPlan::default());
        for name in ["", ".", "..", "../x", "a/b", "a\\b", "/etc/x", "x.y", "ä", "a b", "\0", &"x".repeat(65)]
        {
            assert!(saves.save(name, &world, &plan).is_err(), "{name:?}");
            assert!(saves.load(name, 1 << 30).is_err(), "{name:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        saves.save("one", &world, &plan).unwrap();
        saves.save("Two-2_x", &world, &plan).unwrap();
        assert_eq!(saves.names(), ["Two-2_x", "one"]);
        assert_eq!(saves.load("one", 1 << 30).unwrap().0.digest(), world.digest());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (outside, inside) = (folder.path().join("secret.barchan"), folder.path().join("inner"));
        save_world(&outside, &World::new(WorldConfig::default()).unwrap(), &RunPlan::default()).unwrap();
        std::fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("link.barchan")).unwrap();
        let saves = Saves::new(inside);
        assert_eq!(saves.names(), [""; 0]);
        assert!(saves.load("link", 1 << 30).is_err());
    }
}
