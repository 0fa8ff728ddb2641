//! The parts of a glTF document that shape depends on, as they stand in its JSON.

use serde::Deserialize;

use super::error::{bad_entry, corrupt, needs_extension};
use crate::error::FormatError;

/// Most values in the JSON of a document. A few bytes of text can become a hundred in memory, so they are counted
/// before they are parsed. A scene of a hundred thousand nodes, each with a matrix, stays below it.
const MAX_VALUES: usize = 4_000_000;

/// Required extensions with these beginnings change how things look or are packed, not their shape, or are understood.
const HARMLESS_EXTENSIONS: [&str; 7] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_mesh_quantization",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub asset: Asset,
    #[serde(default)]
    pub extensions_required: Vec<String>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub scenes: Vec<Scene>,
    pub scene: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub uri: Option<String>,
    pub byte_length: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub shape: String,
    pub sparse: Option<Box<Sparse>>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: usize,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<usize>,
    #[serde(default = "triangle_list")]
    pub mode: u32,
    pub extensions: Option<PrimitiveExtensions>,
}

impl Primitive {
    /// True when Draco's extension holds the real data; plain accessors may hold it as well, for others to read.
    pub fn is_packed_by_draco(&self) -> bool {
        self.extensions.as_ref().is_some_and(|extensions| extensions.draco.is_some())
    }
}

fn triangle_list() -> u32 {
    4
}

#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub position: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub draco: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub mesh: Option<usize>,
    #[serde(default)]
    pub children: Vec<usize>,
    pub matrix: Option<Box<[f64; 16]>>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

impl Document {
    /// Parses the JSON text and makes sure that its version and extensions are understood.
    pub fn parse(json: &[u8]) -> Result<Self, FormatError> {
        let values = json.iter().filter(|&&byte| matches!(byte, b'{' | b'[' | b',')).count();
        if values > MAX_VALUES {
            let problem = format!("the glTF document has {values} values; at most {MAX_VALUES} are allowed");
            return Err(corrupt(problem));
        }
        let document: Self =
            serde_json::from_slice(json).map_err(|error| corrupt(format!("not a glTF document: {error}")))?;
        if !document.asset.version.starts_with("2.") {
            let problem = format!("glTF version {:?} is not supported, only 2.x", document.asset.version);
            return Err(bad_entry("asset.version", problem));
        }
        let changes_shape = |name: &&String| !HARMLESS_EXTENSIONS.iter().any(|start| name.starts_with(start));
        match document.extensions_required.iter().find(changes_shape) {
            Some(name) => Err(needs_extension(name)),
            None => Ok(document),
        }
    }
}
