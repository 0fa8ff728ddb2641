//! STL, text and binary. The format repeats every vertex for each of its triangles; reading joins equal ones.

use std::io::{self, Write};

use barchan_volume::TriMesh;
use glam::Vec3;

use super::usable::{check_count, usable};
use super::words::{numbered_lines, position, shown, words};
use crate::error::FormatError;

const FORMAT: &str = "STL";

/// Name of the program and a count of triangles stand before the triangles of a binary file (bytes).
const HEADER: usize = 80 + 4;
/// Normal, three corners and two unused bytes (bytes).
const FACET: usize = 12 * 4 + 2;

/// Reads a text or binary STL file, whichever it is; several solids in one file become one mesh. Normals in the file
/// are not used: the order of the corners says what is outside.
pub fn read_stl(bytes: &[u8]) -> Result<TriMesh, FormatError> {
    // Some programs begin binary files with "solid" too, so the length decides before the first word does.
    let declared_length = binary_length(bytes);
    let corners = if declared_length == Some(bytes.len() as u64) {
        read_binary(&bytes[HEADER..])?
    } else if bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        read_text(bytes)?
    } else {
        let binary = declared_length.map(|length| format!(" or {length} bytes of binary data"));
        let expected = format!("text that begins with \"solid\"{}", binary.unwrap_or_default());
        let found = format!("{} bytes that begin with {}", bytes.len(), shown(&bytes[..bytes.len().min(5)]));
        return Err(FormatError::Unsupported { format: FORMAT, expected, found });
    };
    mesh_of_corners(corners)
}

/// Writes the mesh as binary STL. Vertices are no longer shared in it.
pub fn write_stl(mesh: &TriMesh, out: &mut impl Write) -> io::Result<()> {
    let count = u32::try_from(mesh.triangles.len())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "more triangles than STL can count"))?;
    // The name fills its 80 bytes and does not begin with "solid".
    write!(out, "{:80}", "Triangle mesh written by Barchan: metres, z up.")?;
    out.write_all(&count.to_le_bytes())?;
    for index in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(index);
        let normal = (b - a).as_dvec3().cross((c - a).as_dvec3()).normalize_or_zero().as_vec3();
        for number in [normal, a, b, c].iter().flat_map(Vec3::to_array) {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&[0, 0])?;
    }
    Ok(())
}

/// Length of the file if it is a binary one, by the count of triangles in its header (bytes).
fn binary_length(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(HEADER - 4..HEADER)?.try_into().ok().map(u32::from_le_bytes)?;
    Some(HEADER as u64 + u64::from(count) * FACET as u64)
}

/// The corners of all triangles of a binary file; `facets` is what follows its header.
fn read_binary(facets: &[u8]) -> Result<Vec<Vec3>, FormatError> {
    check_count(FORMAT, "triangles", facets.len() / FACET)?;
    let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let corner = |bytes: &[u8]| Vec3::new(number(bytes), number(&bytes[4..]), number(&bytes[8..]));
    let corners: Vec<Vec3> =
        facets.chunks_exact(FACET).flat_map(|facet| [12, 24, 36].map(|at| corner(&facet[at..]))).collect();
    if let Some(bad) = corners.iter().position(|corner| !corner.is_finite()) {
        let reason = format!("triangle {}: its corner {} is not a place in space", bad / 3, corners[bad]);
        return Err(FormatError::Corrupt { format: FORMAT, reason });
    }
    Ok(corners)
}

/// The corners of all triangles of a text file.
fn read_text(bytes: &[u8]) -> Result<Vec<Vec3>, FormatError> {
    let mut corners = Vec::new();
    // Number of corners before the facet that is being read.
    let mut facet_start = None;
    for (line, text) in numbered_lines(bytes) {
        let mut words = words(text);
        let Some(word) = words.next() else { continue };
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        let in_facet = facet_start.map(|start| corners.len() - start);
        match in_facet {
            Some(0..=2) if is("vertex") => corners.push(position(&mut words, FORMAT, line)?),
            Some(3) if is("endfacet") => facet_start = None,
            None if is("facet") => {
                facet_start = Some(corners.len());
                check_count(FORMAT, "triangles", corners.len() / 3 + 1)?;
            }
            Some(count) if is("vertex") || is("endfacet") => {
                let found = format!("{} after {count}", shown(word));
                return Err(syntax(line, "3 vertices in each facet", found));
            }
            _ if is("outer") || is("endloop") => {}
            None if is("solid") || is("endsolid") => {}
            Some(_) => return Err(syntax(line, "\"vertex\" or \"endfacet\"", shown(word))),
            None => return Err(syntax(line, "\"facet\" or \"endsolid\"", shown(word))),
        }
    }
    if facet_start.is_some() {
        let reason = "the file ends inside a facet".into();
        return Err(FormatError::Corrupt { format: FORMAT, reason });
    }
    Ok(corners)
}

fn syntax(line: usize, expected: &str, found: String) -> FormatError {
    FormatError::Syntax { format: FORMAT, line, expected: expected.into(), found }
}

fn mesh_of_corners(vertices: Vec<Vec3>) -> Result<TriMesh, FormatError> {
    let triangles = (0..vertices.len() as u32 / 3).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]);
    let mut mesh = TriMesh { triangles: triangles.collect(), vertices };
    // Three vertices for each triangle: only after joining can their number be held against the limit.
    mesh.weld(0.0);
    usable(mesh, FORMAT)
}
