//! What kind of file a name stands for.

use std::path::Path;

/// The kinds of input that the program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A scene.toml, or the name of a built-in scene.
    Scene,
    /// A .barchan world.
    World,
    /// A heightmap.
    Heightmap,
    /// A triangle mesh.
    Mesh,
    /// Particles as points.
    Points,
}

/// The kind of `name` by its ending; without a known ending it is taken for a scene.
pub fn kind_of(name: &str) -> Kind {
    let ending = Path::new(name).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("barchan") => Kind::World,
        Some("png" | "tif" | "tiff" | "asc" | "raw" | "r16" | "r32") => Kind::Heightmap,
        Some("vtk") => Kind::Points,
        Some("obj" | "stl" | "ply" | "gltf" | "glb") => Kind::Mesh,
        _ => Kind::Scene,
    }
}
