//! Scenes: `scene.toml` is parsed, checked, and built into a world.
//!
//! ```text
//! scene.toml --load--> Scene --build--> (World, RunPlan)
//! ```
//!
//! [`load`] takes a path or the name of a built-in scene and reports every problem at once, each with file, line,
//! key, value and what is allowed. A [`Scene`] is plain data that passed all checks; it holds the heightmaps and
//! meshes it needs, so that building touches no file. Every key is described in `docs/scenes.md`.

mod build;
mod check;
mod error;
mod folder;
mod load;
mod outputs;
mod plan;
mod reader;
mod saved;
mod scene;
mod tool_line;

pub use build::{BuildOptions, Laid};
pub use error::{Problem, Problems, SceneError};
pub use load::{DEFAULT_SCENE, builtin_names, builtin_text, load};
pub use outputs::{HeightmapFormat, MeshFormat, PointFormat, VideoEnding, VideoPlan};
pub use plan::{Camera, Record, RunPlan};
pub use saved::{add_version, load_world, save_version, save_world, write_world};
pub use scene::{
    Action, Area, Cover, Dunes, EditStep, Form, Part, PlacedBody, Relief, Scene, Strata, Stratum,
};
pub use tool_line::read_tool_line;
