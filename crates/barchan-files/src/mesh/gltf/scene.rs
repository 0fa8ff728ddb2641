//! From a glTF document to one mesh: the nodes of the default scene, each put in its place.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use barchan_volume::TriMesh;
use glam::{DAffine3, DMat4, DQuat, DVec3};

use super::accessor::Source;
use super::buffers::{self, ReadBeside};
use super::document::{Document, Node};
use super::error::{FORMAT, bad_entry, missing};
use super::primitive::read_primitives;
use crate::error::FormatError;
use crate::mesh::usable::{check_count, usable};

/// Reads a `.gltf` or `.glb` file, whichever it is: all triangles of the default scene as one mesh, z up. Skins and
/// morph targets are not applied.
pub fn read_gltf(bytes: &[u8], read_beside: &mut ReadBeside<'_>) -> Result<TriMesh, FormatError> {
    let (json, binary) = buffers::split_chunks(bytes)?;
    let document = Document::parse(json)?;
    let buffers = buffers::load(&document, binary, read_beside)?;
    let mesh = join_nodes(&Source { document: &document, buffers: &buffers })?;
    usable(mesh, FORMAT)
}

/// Walks the node tree and puts every mesh where its node says.
fn join_nodes(source: &Source) -> Result<TriMesh, FormatError> {
    let document = source.document;
    let mut joined = TriMesh::default();
    let mut meshes: HashMap<usize, TriMesh> = HashMap::new();
    let mut visited = vec![false; document.nodes.len()];
    let mut waiting: Vec<(usize, DAffine3)> =
        roots(document)?.into_iter().rev().map(|node| (node, Y_UP_TO_Z_UP)).collect();
    while let Some((index, parent)) = waiting.pop() {
        let place = || format!("nodes[{index}]");
        let node = document.nodes.get(index).ok_or_else(|| missing(&place()))?;
        if std::mem::replace(&mut visited[index], true) {
            return Err(bad_entry(&place(), "it stands in more than one place of the node tree"));
        }
        let placed = parent * local_transform(node);
        waiting.extend(node.children.iter().rev().map(|&child| (child, placed)));
        if let Some(mesh) = node.mesh {
            if let Entry::Vacant(entry) = meshes.entry(mesh) {
                entry.insert(read_primitives(source, mesh)?);
            }
            append_placed(&mut joined, &meshes[&mesh], placed)?;
        }
    }
    Ok(joined)
}

/// glTF's y axis is our z axis: (x, y, z) -> (x, -z, y).
const Y_UP_TO_Z_UP: DAffine3 = DAffine3::from_cols(DVec3::X, DVec3::Z, DVec3::NEG_Y, DVec3::ZERO);

/// The nodes of the default scene; of the first one if there is no default, and all roots if there is no scene.
fn roots(document: &Document) -> Result<Vec<usize>, FormatError> {
    let scene = document.scene.unwrap_or(0);
    match document.scenes.get(scene) {
        Some(scene) => Ok(scene.nodes.clone()),
        None if document.scene.is_some() => Err(missing(&format!("scenes[{scene}]"))),
        None => {
            let mut is_child = vec![false; document.nodes.len()];
            for &child in document.nodes.iter().flat_map(|node| &node.children) {
                if let Some(is_child) = is_child.get_mut(child) {
                    *is_child = true;
                }
            }
            Ok((0..document.nodes.len()).filter(|&node| !is_child[node]).collect())
        }
    }
}

fn local_transform(node: &Node) -> DAffine3 {
    match &node.matrix {
        Some(matrix) => DAffine3::from_mat4(DMat4::from_cols_array(matrix)),
        None => DAffine3::from_scale_rotation_translation(
            node.scale.map_or(DVec3::ONE, DVec3::from_array),
            node.rotation.map_or(DQuat::IDENTITY, |q| DQuat::from_array(q).normalize()),
            node.translation.map_or(DVec3::ZERO, DVec3::from_array),
        ),
    }
}

fn append_placed(joined: &mut TriMesh, part: &TriMesh, placed: DAffine3) -> Result<(), FormatError> {
    check_count(FORMAT, "vertices", joined.vertices.len() + part.vertices.len())?;
    check_count(FORMAT, "triangles", joined.triangles.len() + part.triangles.len())?;
    let mut part = part.clone();
    for vertex in &mut part.vertices {
        *vertex = placed.transform_point3(vertex.as_dvec3()).as_vec3();
    }
    // A mirrored part would be inside out.
    if placed.matrix3.determinant() < 0.0 {
        part.flip();
    }
    joined.append(&part);
    Ok(())
}
