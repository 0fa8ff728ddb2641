//! Wavefront OBJ: `v x y z` and `f 1 2 3 …`; every other statement is passed over.

use std::io::{self, Write};

use barchan_volume::TriMesh;

use super::usable::{check_count, usable};
use super::words::{number, numbered_lines, position, shown, words};
use crate::error::FormatError;

const FORMAT: &str = "OBJ";

/// Reads the faces of all objects and groups as one mesh. Polygons become fans of triangles around their first
/// corner. Indices may be negative (relative) and may refer to vertices further down.
pub fn read_obj(bytes: &[u8]) -> Result<TriMesh, FormatError> {
    let mut mesh = TriMesh::default();
    let mut highest = HighestIndex { index: 0, line: 0 };
    let mut joined = Vec::new();
    for (line, text) in numbered_lines(bytes) {
        // A backslash at the end of a line carries the statement on to the next.
        let text = text.trim_ascii_end();
        if let Some(part) = text.strip_suffix(b"\\") {
            joined.extend_from_slice(part);
            joined.push(b' ');
            continue;
        }
        joined.extend_from_slice(text);
        read_statement(&joined, line, &mut mesh, &mut highest)?;
        joined.clear();
    }
    if !joined.is_empty() {
        read_statement(&joined, numbered_lines(bytes).count(), &mut mesh, &mut highest)?;
    }
    highest.check(mesh.vertices.len())?;
    usable(mesh, FORMAT)
}

/// Writes the mesh as OBJ text. Reading it back gives the same mesh, bit for bit.
pub fn write_obj(mesh: &TriMesh, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# Triangle mesh written by Barchan: metres, z up.")?;
    for v in &mesh.vertices {
        // Display of f32 is the shortest text that reads back as the same number.
        writeln!(out, "v {} {} {}", v.x, v.y, v.z)?;
    }
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|vertex| u64::from(vertex) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// The largest vertex index that a face used and where: vertices may follow their faces, so it is checked last.
struct HighestIndex {
    index: u32,
    line: usize,
}

impl HighestIndex {
    fn check(&self, vertices: usize) -> Result<(), FormatError> {
        if self.line == 0 || (self.index as usize) < vertices {
            return Ok(());
        }
        let found = format!("vertex {}", u64::from(self.index) + 1);
        Err(syntax(self.line, format!("a vertex of the {vertices} in the file"), found))
    }
}

fn read_statement(
    text: &[u8],
    line: usize,
    mesh: &mut TriMesh,
    highest: &mut HighestIndex,
) -> Result<(), FormatError> {
    let mut words = words(text);
    match words.next() {
        Some(b"v") => {
            mesh.vertices.push(position(&mut words, FORMAT, line)?);
            check_count(FORMAT, "vertices", mesh.vertices.len())
        }
        Some(b"f") => read_face(words, line, mesh, highest),
        _ => Ok(()),
    }
}

fn read_face<'a>(
    words: impl Iterator<Item = &'a [u8]>,
    line: usize,
    mesh: &mut TriMesh,
    highest: &mut HighestIndex,
) -> Result<(), FormatError> {
    let mut fan = [0; 2];
    let mut corners = 0;
    for word in words.take_while(|word| word[0] != b'#') {
        let vertices = mesh.vertices.len();
        let index = vertex_index(word, vertices).ok_or_else(|| {
            syntax(line, format!("a vertex counted from 1, or back from the {vertices} so far"), shown(word))
        })?;
        if highest.line == 0 || index > highest.index {
            *highest = HighestIndex { index, line };
        }
        if corners >= 2 {
            mesh.triangles.push([fan[0], fan[1], index]);
            check_count(FORMAT, "triangles", mesh.triangles.len())?;
        }
        fan[corners.min(1)] = index;
        corners += 1;
    }
    if corners < 3 {
        return Err(syntax(line, "a face of at least 3 corners".into(), corners.to_string()));
    }
    Ok(())
}

/// The vertex of a corner such as `7`, `7/1`, `7//3` or `-1/2/3`, counted from 0. `vertices` is the number of
/// vertices so far, which negative indices count back from.
fn vertex_index(word: &[u8], vertices: usize) -> Option<u32> {
    let vertex: i64 = number(word.split(|&byte| byte == b'/').next()?)?;
    let index = if vertex < 0 { vertex.checked_add(vertices as i64)? } else { vertex - 1 };
    u32::try_from(index).ok()
}

fn syntax(line: usize, expected: String, found: String) -> FormatError {
    FormatError::Syntax { format: FORMAT, line, expected, found }
}
