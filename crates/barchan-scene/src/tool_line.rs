//! One edit of a world, told in the words of a scene: what `barchan edit FILE OP key=value …` says.

use std::path::Path;

use barchan_sim::World;

use crate::check;
use crate::error::SceneError;
use crate::folder::Folder;
use crate::scene::EditStep;

/// Reads the edit `op` with its keys, each `key=value`, for `world`. Values are written as in a scene; words need no quotes.
/// Files that it names are looked for in `folder`.
pub fn read_tool_line<S: AsRef<str>>(
    op: &str,
    keys: &[S],
    world: &World,
    folder: &Path,
) -> Result<EditStep, SceneError> {
    let mut text = format!("[[edit]]\nop = {}\n", quoted(op));
    for pair in keys {
        let pair = pair.as_ref();
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        text += &format!("{} = {}\n", key.trim(), written(value.trim()));
    }
    check::check_edits("edit", &text, world, &Folder::Disk(folder.to_owned()))
}

/// A value as it stands in a scene.
fn written(value: &str) -> String {
    let is_toml = value.starts_with(|c: char| c.is_ascii_digit() || "+-.[{\"'".contains(c));
    if is_toml || value == "true" || value == "false" { value.to_owned() } else { quoted(value) }
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use barchan_sim::{Edit, WorldConfig};
    use barchan_volume::VoxelBox;
    use glam::IVec3;

    use super::*;

    fn world() -> World {
        let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(32)));
        World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap()
    }

    #[test]
    fn words_need_no_quotes_and_numbers_are_numbers() {
        let keys = ["kind=box", "center_m=[1.6, 1.6, 0.4]", "size_m=[3.2,3.2,0.8]", "material=granite"];
        let step = read_tool_line("add", &keys, &world(), Path::new("")).unwrap();
        assert!(matches!(&step.edits[..], [Edit::Place { .. }]));
        let keys = ["bubble=teardrop", "bubble_radius_voxels=[3,3,5]", "threshold=0.3", "debris=scree"];
        let step = read_tool_line("weather", &keys, &world(), Path::new("")).unwrap();
        let [Edit::Weather(weathering)] = &step.edits[..] else { panic!("{step:?}") };
        assert_eq!((weathering.threshold, weathering.bubble.radii()), (0.3, IVec3::new(3, 3, 5)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let refused = |op: &str, keys: &[&str]| {
            read_tool_line(op, keys, &world(), Path::new("")).unwrap_err().to_string()
        };
        assert!(refused("wether", &[]).contains("did you mean \"weather\""));
        assert!(refused("weather", &["threshold=nan"]).contains("threshold"));
        assert!(refused("weather", &["bubble_radius_voxels=0"]).contains("1 to 64"));
        assert!(refused("weather", &["debris=granite"]).contains("must be a soil"));
        assert!(refused("add", &["kind=box"]).contains("material"));
        assert!(refused("add", &["kind=\"box"]).contains("edit"));
        assert!(refused("copy", &["to_m=[0,0,0]"]).contains("min_m"));
        assert!(refused("rest", &["x=\\\"=3"]).contains("unknown key"));
    }
}
