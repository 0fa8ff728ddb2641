//! VTK legacy files, version 3.0, binary (big endian): vertices of a PolyData with one array for each quantity.

use std::io::{self, Write};

use barchan_sim::Materials;
use glam::Vec3;

use super::{Point, legend};

/// Longest title that the format allows (bytes), with its end of line.
const LONGEST_TITLE: usize = 255;

/// Writes all points.
pub(super) fn write(points: &[Point<'_>], materials: &Materials, out: &mut impl Write) -> io::Result<()> {
    let count = points.len();
    if count > i32::MAX as usize / 2 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "more than 2^30 particles"));
    }
    let mut title = format!("Barchan: metres, z up; materials {}", legend(points, materials));
    title.truncate(title.floor_char_boundary(LONGEST_TITLE));
    write!(out, "# vtk DataFile Version 3.0\n{title}\nBINARY\nDATASET POLYDATA\n")?;
    writeln!(out, "POINTS {count} float")?;
    points.iter().try_for_each(|(_, one)| vector(one.centre_m, out))?;
    writeln!(out, "\nVERTICES {count} {}", 2 * count)?;
    for number in 0..count as u32 {
        out.write_all(&1_u32.to_be_bytes())?;
        out.write_all(&number.to_be_bytes())?;
    }
    writeln!(out, "\nPOINT_DATA {count}\nVECTORS velocity float")?;
    points.iter().try_for_each(|(_, one)| vector(one.velocity_m_s, out))?;
    scalars("radius", "float", points, |(_, one)| one.radius_m.to_be_bytes(), out)?;
    scalars("sediment", "float", points, |(_, one)| one.sediment.to_be_bytes(), out)?;
    scalars("force", "float", points, |(_, one)| one.force_n.to_be_bytes(), out)?;
    scalars("contacts", "unsigned_short", points, |(_, one)| one.contacts.to_be_bytes(), out)?;
    scalars("id", "unsigned_int", points, |(_, one)| one.id.0.to_be_bytes(), out)?;
    scalars("part", "unsigned_char", points, |(_, one)| [one.part], out)?;
    scalars("form", "unsigned_char", points, |(form, _)| [*form as u8], out)?;
    scalars("material", "unsigned_char", points, |(_, one)| [one.kind.0], out)
}

fn vector(vector: Vec3, out: &mut impl Write) -> io::Result<()> {
    vector.to_array().into_iter().try_for_each(|part| out.write_all(&part.to_be_bytes()))
}

fn scalars<const BYTES: usize>(
    name: &str,
    number: &str,
    points: &[Point<'_>],
    value: impl Fn(&Point<'_>) -> [u8; BYTES],
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "\nSCALARS {name} {number} 1\nLOOKUP_TABLE default\n")?;
    points.iter().try_for_each(|point| out.write_all(&value(point)))
}
