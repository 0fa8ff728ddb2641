//! The rows: vertices and faces become a mesh.

use barchan_volume::TriMesh;
use glam::DVec3;

use super::super::usable::{check_count, usable};
use super::header::{Element, FORMAT, Property, read_header};
use super::values::Values;
use crate::error::FormatError;

/// Reads all faces of a PLY file as one mesh. Polygons become fans of triangles around their first corner.
pub fn read_ply(bytes: &[u8]) -> Result<TriMesh, FormatError> {
    let (encoding, elements, rest) = read_header(bytes)?;
    let mut values = Values::new(rest, encoding);
    let mut mesh = TriMesh::default();
    for element in &elements {
        match element.name.as_slice() {
            b"vertex" => read_vertices(element, &mut values, &mut mesh)?,
            b"face" => read_faces(element, &mut values, &mut mesh)?,
            _ => each_row(element, &mut values, |_, _| Ok(()))?,
        }
    }
    usable(mesh, FORMAT)
}

fn read_vertices(element: &Element, values: &mut Values, mesh: &mut TriMesh) -> Result<(), FormatError> {
    let axis = |name: &[u8]| {
        let found = element.properties.iter().position(|p| p.name == name && p.length.is_none());
        found.ok_or_else(|| lacks("vertices", "x, y and z"))
    };
    let axes = [axis(b"x")?, axis(b"y")?, axis(b"z")?];
    each_row(element, values, |mesh_row, row| {
        let [x, y, z] = axes.map(|axis| row[axis].first().copied().unwrap_or(f64::NAN));
        let place = DVec3::new(x, y, z).as_vec3();
        if !place.is_finite() {
            let reason = format!("vertex {mesh_row} is at {place}, which is no place in space");
            return Err(FormatError::Corrupt { format: FORMAT, reason });
        }
        mesh.vertices.push(place);
        check_count(FORMAT, "vertices", mesh.vertices.len())
    })
}

fn read_faces(element: &Element, values: &mut Values, mesh: &mut TriMesh) -> Result<(), FormatError> {
    let is_corners =
        |p: &Property| matches!(p.name.as_slice(), b"vertex_indices" | b"vertex_index") && p.length.is_some();
    let place = element.properties.iter().position(is_corners);
    let place = place.ok_or_else(|| lacks("faces", "a list vertex_indices"))?;
    each_row(element, values, |face, row| {
        let corners = row[place].iter().map(|&value| {
            let whole = (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0;
            whole.then_some(value as u32).ok_or_else(|| FormatError::Corrupt {
                format: FORMAT,
                reason: format!("face {face}: {value} is not the number of a vertex"),
            })
        });
        let corners: Vec<u32> = corners.collect::<Result<_, _>>()?;
        let [first, rest @ ..] = corners.as_slice() else { return Ok(()) };
        mesh.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        check_count(FORMAT, "triangles", mesh.triangles.len())
    })
}

/// Reads the rows of `element` and hands each out with its number: one list for each property, of length 1 for those
/// that are no lists.
fn each_row(
    element: &Element,
    values: &mut Values,
    mut visit: impl FnMut(u64, &[Vec<f64>]) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    // Rows without any entry take no bytes, and there may be 2^64 of them.
    if element.properties.is_empty() {
        return Ok(());
    }
    let mut row = vec![Vec::new(); element.properties.len()];
    for number in 0..element.count {
        for (property, entries) in element.properties.iter().zip(&mut row) {
            entries.clear();
            read_entries(property, values, entries).ok_or_else(|| too_short(element, number))?;
        }
        visit(number, &row)?;
    }
    Ok(())
}

fn read_entries(property: &Property, values: &mut Values, entries: &mut Vec<f64>) -> Option<()> {
    let count = match property.length {
        Some(kind) => values.next(kind).filter(|count| *count >= 0.0 && count.fract() == 0.0)? as u64,
        None => 1,
    };
    for _ in 0..count {
        entries.push(values.next(property.kind)?);
    }
    Some(())
}

fn too_short(element: &Element, row: u64) -> FormatError {
    let name = String::from_utf8_lossy(&element.name[..element.name.len().min(32)]).into_owned();
    let reason =
        format!("row {row} of the {} rows of {name:?} is cut short or holds no number", element.count);
    FormatError::Corrupt { format: FORMAT, reason }
}

fn lacks(what: &str, expected: &str) -> FormatError {
    FormatError::Unsupported {
        format: FORMAT,
        expected: format!("{what} with {expected}"),
        found: "other properties only".into(),
    }
}
