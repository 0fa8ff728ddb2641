//! PLY, binary, little endian: vertices with normals and colours, faces with the number of their material.

use std::io::{self, Write};

use super::model::Model;

/// Writes `model`, which passed its check. All parts stand in the world's own coordinates.
pub(super) fn write(model: &Model, out: &mut impl Write) -> io::Result<()> {
    // Most programs read indices as signed numbers.
    if model.vertex_count() > i32::MAX as usize || model.triangle_count() > i32::MAX as usize {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "more than 2^31 vertices or triangles"));
    }
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment written by Barchan: metres, z up")?;
    for (number, look) in model.looks.iter().enumerate() {
        writeln!(out, "comment material {number} {}", look.name)?;
    }
    writeln!(out, "element vertex {}", model.vertex_count())?;
    for name in ["x", "y", "z", "nx", "ny", "nz"] {
        writeln!(out, "property float {name}")?;
    }
    for name in ["red", "green", "blue"] {
        writeln!(out, "property uchar {name}")?;
    }
    writeln!(out, "element face {}", model.triangle_count())?;
    writeln!(out, "property list uchar int vertex_indices\nproperty ushort material\nend_header")?;
    write_vertices(model, out)?;
    write_faces(model, out)
}

fn write_vertices(model: &Model, out: &mut impl Write) -> io::Result<()> {
    for part in &model.parts {
        for ((position, normal), color) in part.placed().zip(&part.colors) {
            for number in position.to_array().into_iter().chain(normal.to_array()) {
                out.write_all(&number.to_le_bytes())?;
            }
            out.write_all(color)?;
        }
    }
    Ok(())
}

fn write_faces(model: &Model, out: &mut impl Write) -> io::Result<()> {
    let mut offset = 0;
    for part in &model.parts {
        for faces in &part.faces {
            let look = (faces.look as u16).to_le_bytes();
            for corners in &faces.triangles {
                out.write_all(&[3])?;
                for corner in corners {
                    out.write_all(&(corner + offset).to_le_bytes())?;
                }
                out.write_all(&look)?;
            }
        }
        offset += part.positions.len() as u32;
    }
    Ok(())
}
