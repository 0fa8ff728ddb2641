//! `cargo xtask gallery`: a picture of every built-in scene, and the page that shows them. All of it comes from the
//! scenes: titles, words and cameras; and a picture of what the surface is without its smooth slopes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::tree;

/// Where scenes are, and where pictures and page go.
const SCENES: &str = "scenes";
const PICTURES: &str = "docs/pictures";
const PAGE: &str = "docs/gallery.md";

/// Time that scenes run before their picture is taken, unless they name their own (s): what falls has landed, what moves is
/// on its way.
const AFTER_S: &str = "6";
/// Size of the pictures: enough for a page, little enough for a repository (pixels).
const SIZE: &str = "960x540";

/// The picture of one pile meshed in two ways, and the example that makes it.
const RIDGES: &str = "docs/pictures/ridges.png";
const RIDGES_EXAMPLE: &str = "ridges";
const RIDGES_TEXT: &str = "
## Slopes without ridges
One pile that dry sand made by sliding, in voxels of 10 cm, as the triangles that other programs get.
Left the bare 0.5 level of the fill: every voxel of height leaves a ridge, and one normal in twenty is off the true slope by
11 to 18 degrees or more.
Right the surface as Barchan makes it: the same ground, off by less than 2 degrees (`barchan lab run ridges`).

![A pile with ridges and without](pictures/ridges.png)

`crates/barchan/examples/ridges.rs`
";

/// What a scene says about itself.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    title: String,
    words: String,
    /// When its picture is taken (s).
    after_s: String,
}

/// Renders every scene, or only those `chosen`, and writes the page of all.
pub fn make(root: &Path, chosen: &[String]) -> Result<(), String> {
    let mut entries = Vec::new();
    for path in tree::files_below(root, Path::new(SCENES), "toml")? {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        entries.push(read_entry(name, &tree::read(root, &path)?));
    }
    if let Some(unknown) = chosen.iter().find(|name| entries.iter().all(|entry| entry.name != **name)) {
        return Err(format!("there is no scene `{unknown}` in {SCENES}/"));
    }
    run(Command::new("cargo").current_dir(root).args(["build", "--release"]))?;
    for Entry { name, after_s, .. } in &entries {
        if !chosen.is_empty() && !chosen.contains(name) {
            continue;
        }
        let (scene, picture) = (format!("{SCENES}/{name}.toml"), format!("{PICTURES}/{name}.png"));
        let mut render = Command::new(root.join("target/release/barchan"));
        run(render
            .current_dir(root)
            .args(["render", &scene, "-o", &picture, "--after", after_s, "--size", SIZE]))?;
    }
    if chosen.is_empty() {
        let build = ["build", "--release", "--workspace", "--example", RIDGES_EXAMPLE];
        run(Command::new("cargo").current_dir(root).args(build))?;
        let example = root.join("target/release/examples").join(RIDGES_EXAMPLE);
        run(Command::new(example).current_dir(root).arg(RIDGES))?;
    }
    fs::write(root.join(PAGE), page(&entries)).map_err(|error| format!("{PAGE}: {error}"))
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// The title of a scene, the comment it begins with, and its moment.
fn read_entry(name: &str, text: &str) -> Entry {
    let words: Vec<_> = text.lines().map_while(|line| line.strip_prefix("# ")).collect();
    let title = text.lines().find_map(|line| line.strip_prefix("title = \"")?.split('"').next());
    let moment = text.lines().find_map(|line| line.strip_prefix("after_s = ")?.split_whitespace().next());
    Entry {
        name: name.to_owned(),
        title: title.unwrap_or(name).to_owned(),
        words: words.join("\n"),
        after_s: moment.unwrap_or(AFTER_S).to_owned(),
    }
}

fn page(entries: &[Entry]) -> String {
    let mut page = format!(
        "# Gallery\n\
         Every built-in scene as `barchan render SCENE -o picture.png --after SECONDS` shows it, after {AFTER_S} seconds unless \
         the scene names another moment.\n\
         `cargo xtask gallery` makes this page and its pictures from the scenes.\n"
    );
    for Entry { name, title, words, after_s } in entries {
        // Writing to a String cannot fail.
        let _ = write!(
            page,
            "\n## {title}\n{words}\n\n![{title}](pictures/{name}.png)\n\n`scenes/{name}.toml`, after {after_s} s\n"
        );
    }
    page + RIDGES_TEXT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_tells_its_title_and_words() {
        let text = "# One.\n# Two.\n\ntitle = \"Sand and more\"\nvoxel_size_m = 1\n# not this\n";
        let entry = read_entry("sand", text);
        assert_eq!((entry.title.as_str(), entry.words.as_str()), ("Sand and more", "One.\nTwo."));
        assert_eq!(entry.after_s, AFTER_S);
        let bare = read_entry("bare", "voxel_size_m = 1\n[camera]\nafter_s = 8.5  # full\n");
        assert_eq!((bare.title.as_str(), bare.after_s.as_str()), ("bare", "8.5"));
        let page = page(&[entry]);
        assert!(
            page.contains("## Sand and more\nOne.\nTwo.\n\n![Sand and more](pictures/sand.png)"),
            "{page}"
        );
    }
}
