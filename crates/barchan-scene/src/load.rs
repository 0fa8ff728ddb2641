//! Loading a scene by path or by name.

use std::path::{Path, PathBuf};

use crate::check;
use crate::error::SceneError;
use crate::folder::{BUILTIN, Folder, read_file};
use crate::reader::nearest;
use crate::scene::Scene;

/// The scene that is shown when none is asked for.
pub const DEFAULT_SCENE: &str = "sandbox";

/// Loads and checks a scene: a path, or the name of a built-in scene. A file goes before a built-in of its name.
pub fn load(name_or_path: impl AsRef<Path>) -> Result<Scene, SceneError> {
    let path = name_or_path.as_ref();
    let name = path.display().to_string();
    if let Some(text) = path.to_str().filter(|_| !path.is_file()).and_then(builtin_text) {
        return check::check(&format!("scenes/{name}.toml"), text, &Folder::Builtin(PathBuf::new()));
    }
    if !path.exists() {
        let builtin: Vec<_> = builtin_names().iter().map(|&name| name.to_owned()).collect();
        let nearest = nearest(&name, builtin_names()).map(str::to_owned);
        return Err(SceneError::NotFound { name, nearest, builtin });
    }
    let unreadable = |reason| SceneError::Unreadable { file: name.clone(), reason };
    let bytes = read_file(path, Scene::MAX_BYTES as u64).map_err(unreadable)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
        unreadable(format!("line {line} is not UTF-8 text"))
    })?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    check::check(&name, text, &Folder::Disk(folder))
}

/// The names of the built-in scenes, in order.
pub fn builtin_names() -> Vec<&'static str> {
    let scenes =
        BUILTIN.files().filter(|file| file.path().extension().is_some_and(|ending| ending == "toml"));
    let mut names: Vec<_> = scenes.filter_map(|file| file.path().file_stem()?.to_str()).collect();
    names.sort_unstable();
    names
}

/// The text of a built-in scene, if there is one of this name.
pub fn builtin_text(name: &str) -> Option<&'static str> {
    builtin_names().contains(&name).then(|| BUILTIN.get_file(format!("{name}.toml"))?.contents_utf8())?
}
