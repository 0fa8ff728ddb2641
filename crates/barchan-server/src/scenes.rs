//! The scenes of the menu: their titles, what they show, and the vehicles that stand ready in them.

use barchan_scene::{builtin_names, builtin_text};
use glam::Vec3;
use serde_json::{Value, json};

use crate::command::MachineKind;

/// Every built-in scene as the menu shows it, the sandbox first.
pub fn menu() -> Vec<Value> {
    let mut names = builtin_names();
    names.sort_by_key(|name| *name != SANDBOX);
    names.into_iter().filter_map(entry).collect()
}

/// The scene that is made to play in.
pub const SANDBOX: &str = "sandbox";

/// Vehicles that stand in a scene from the beginning: kind, a point above where they stand (m), heading (rad).
pub fn parked_machines(scene: &str) -> Vec<(MachineKind, Vec3, f32)> {
    if scene != SANDBOX {
        return Vec::new();
    }
    vec![
        (MachineKind::Excavator, Vec3::new(9.0, 6.0, 3.0), 0.7),
        (MachineKind::Bulldozer, Vec3::new(17.0, 5.0, 3.0), 2.2),
    ]
}

/// Title and first comment lines of a scene file.
fn entry(name: &str) -> Option<Value> {
    let text = builtin_text(name)?;
    let about: Vec<_> = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim).collect();
    let title = text.lines().find_map(|line| line.strip_prefix("title = ")).unwrap_or(name);
    Some(json!({
        "name": name,
        "title": title.trim_matches('"'),
        "about": about.join(" "),
        "picture": format!("/scenes/{name}.png"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_has_a_title_and_says_what_it_shows() {
        let menu = menu();
        assert_eq!(menu.len(), builtin_names().len());
        assert_eq!(menu[0]["name"], SANDBOX);
        for scene in menu {
            assert_ne!(scene["title"], scene["name"], "{scene}");
            assert!(scene["about"].as_str().is_some_and(|about| about.len() > 20), "{scene}");
        }
    }
}
