//! The JSON half of a GLB file, and where its binary half has what.

use glam::{Quat, Vec3};
use serde_json::{Value, json};

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

/// Describes a binary chunk that holds, part by part: positions, normals, colours, then the indices of all faces.
pub(super) fn document(model: &Model) -> (Value, u64) {
    let mut layout = Layout::default();
    let meshes: Vec<_> = model.parts.iter().map(|part| layout.add_mesh(part)).collect();
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
    fn add_mesh(&mut self, part: &Part) -> Value {
        let vertices = part.positions.len() as u64;
        let (low, high) = part
            .positions
            .iter()
            .map(|&p| y_up(Vec3::from_array(p)))
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let view = self.add_view(vertices * POSITION, VERTICES);
        let range = json!({ "min": low.to_array(), "max": high.to_array() });
        let position = self.add_accessor(view, 0, F32, vertices, "VEC3", range);
        let view = self.add_view(vertices * NORMAL, VERTICES);
        let normal = self.add_accessor(view, 0, F32, vertices, "VEC3", json!({}));
        let view = self.add_view(vertices * COLOR, VERTICES);
        let color = self.add_accessor(view, 0, U16, vertices, "VEC4", json!({ "normalized": true }));

        let view = self.add_view(3 * part.triangle_count() as u64 * INDEX, INDICES);
        let mut offset = 0;
        let mut primitives = Vec::new();
        for faces in &part.faces {
            let count = 3 * faces.triangles.len() as u64;
            let indices = self.add_accessor(view, offset, U32, count, "SCALAR", json!({}));
            offset += count * INDEX;
            let attributes = json!({ "POSITION": position, "NORMAL": normal, "COLOR_0": color });
            primitives.push(json!({ "attributes": attributes, "indices": indices, "material": faces.look }));
        }
        json!({ "name": part.name, "primitives": primitives })
    }

    fn add_view(&mut self, bytes: u64, target: u32) -> usize {
        self.views
            .push(json!({ "buffer": 0, "byteOffset": self.bytes, "byteLength": bytes, "target": target }));
        self.bytes += bytes;
        self.views.len() - 1
    }

    fn add_accessor(
        &mut self,
        view: usize,
        offset: u64,
        component: u32,
        count: u64,
        kind: &str,
        more: Value,
    ) -> usize {
        let mut accessor = json!({
            "bufferView": view, "byteOffset": offset, "componentType": component, "count": count, "type": kind
        });
        if let (Value::Object(accessor), Value::Object(more)) = (&mut accessor, more) {
            accessor.extend(more);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}
