//! The JSON half of a GLB file, and where its binary half has what.

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use super::glb::Primitive;
use super::model::Model;
use super::part::Part;

/// Bytes of one vertex's position, normal and colour, and of one index.
const POSITION: u64 = 12;
const NORMAL: u64 = 12;
const COLOR: u64 = 8;
const INDEX: u64 = 4;
/// Names that glTF gives to kinds of data.
const F32: u32 = 5126;
const U32: u32 = 5125;
const U16: u32 = 5123;
const VERTICES: u32 = 34_962;
const INDICES: u32 = 34_963;

/// glTF has y up: our z. (x, y, z) -> (x, z, -y).
pub(super) fn y_up(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.z, -v.y)
}

/// Describes a binary chunk that holds, for all `primitives` of all parts: positions, normals, colours, indices. Returns
/// also its length (bytes).
pub(super) fn document(model: &Model, primitives: &[Vec<Primitive>]) -> (Value, u64) {
    let mut layout = Layout::default();
    let mesh = |(part, primitives): (&Part, &Vec<Primitive>)| {
        let primitives: Vec<_> = primitives.iter().map(|primitive| layout.add(part, primitive)).collect();
        json!({ "name": part.name, "primitives": primitives })
    };
    let meshes: Vec<_> = model.parts.iter().zip(primitives).map(mesh).collect();
    let nodes: Vec<_> = model.parts.iter().enumerate().map(|(mesh, part)| node(mesh, part)).collect();
    let materials: Vec<_> = model
        .looks
        .iter()
        .map(|look| {
            // The colours of the vertices are the colours; this factor stays white.
            let surface = json!({ "metallicFactor": 0.0, "roughnessFactor": look.roughness });
            json!({ "name": look.name, "pbrMetallicRoughness": surface })
        })
        .collect();
    let json = json!({
        "asset": { "version": "2.0", "generator": concat!("Barchan ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
        "accessors": layout.accessors,
        "bufferViews": layout.views,
        "buffers": [{ "byteLength": layout.bytes }],
    });
    (json, layout.bytes)
}

fn node(mesh: usize, part: &Part) -> Value {
    let at = y_up(part.pose.translation);
    // The axis of a rotation turns like any other vector.
    let axis = y_up(part.pose.rotation.xyz());
    let rotation = Quat::from_xyzw(axis.x, axis.y, axis.z, part.pose.rotation.w).normalize();
    json!({ "name": part.name, "mesh": mesh, "translation": at.to_array(), "rotation": rotation.to_array() })
}

/// Where data goes, in the order in which it is added.
#[derive(Default)]
struct Layout {
    accessors: Vec<Value>,
    views: Vec<Value>,
    bytes: u64,
}

impl Layout {
    fn add(&mut self, part: &Part, primitive: &Primitive) -> Value {
        let vertices = primitive.vertices.len() as u64;
        let places = primitive.vertices.iter().map(|&vertex| part.positions[vertex as usize]);
        let (low, high) = places
            .map(|place| y_up(Vec3::from_array(place)))
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), place| {
                (low.min(place), high.max(place))
            });
        let range = json!({ "min": low.to_array(), "max": high.to_array() });
        let position = self.add_accessor(VERTICES, POSITION, F32, vertices, "VEC3", range);
        let normal = self.add_accessor(VERTICES, NORMAL, F32, vertices, "VEC3", json!({}));
        let color = self.add_accessor(VERTICES, COLOR, U16, vertices, "VEC4", json!({ "normalized": true }));
        let corners = 3 * primitive.triangles.len() as u64;
        let indices = self.add_accessor(INDICES, INDEX, U32, corners, "SCALAR", json!({}));
        let attributes = json!({ "POSITION": position, "NORMAL": normal, "COLOR_0": color });
        json!({ "attributes": attributes, "indices": indices, "material": primitive.look })
    }

    /// Puts `count` entries of `bytes` each behind what is there.
    fn add_accessor(
        &mut self,
        target: u32,
        bytes: u64,
        component: u32,
        count: u64,
        kind: &str,
        more: Value,
    ) -> usize {
        let (start, length) = (self.bytes, count * bytes);
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length, "target": target }));
        self.bytes += length;
        let view = self.views.len() - 1;
        let mut accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
        if let (Value::Object(accessor), Value::Object(more)) = (&mut accessor, more) {
            accessor.extend(more);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}
