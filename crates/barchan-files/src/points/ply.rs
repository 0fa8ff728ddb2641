//! PLY, binary, little endian: a vertex for each particle.

use std::io::{self, Write};

use barchan_sim::{Materials, ParticleForm};

use super::Point;

/// Properties of a vertex, in their order.
const PROPERTIES: [&str; 17] = [
    "float x",
    "float y",
    "float z",
    "float vx",
    "float vy",
    "float vz",
    "float radius",
    "float sediment",
    "float force",
    "uint id",
    "ushort contacts",
    "uchar part",
    "uchar form",
    "uchar material",
    "uchar red",
    "uchar green",
    "uchar blue",
];

/// Colour of clear water (sRGB).
const WATER: [u8; 3] = [95, 159, 196];

/// Writes all points.
pub(super) fn write(points: &[Point<'_>], materials: &Materials, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment written by Barchan: metres, seconds, z up")?;
    for form in ParticleForm::ALL {
        writeln!(out, "comment form {} {}", form as u8, form.name())?;
    }
    for (id, material) in materials.iter().filter(|(id, _)| points.iter().any(|(_, one)| one.kind == *id)) {
        writeln!(out, "comment material {} {}", id.0, material.name)?;
    }
    writeln!(out, "element vertex {}", points.len())?;
    for property in PROPERTIES {
        writeln!(out, "property {property}")?;
    }
    writeln!(out, "end_header")?;
    for (form, one) in points {
        let [x, y, z] = one.centre_m.to_array();
        let [vx, vy, vz] = one.velocity_m_s.to_array();
        for number in [x, y, z, vx, vy, vz, one.radius_m, one.sediment, one.force_n] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&one.id.0.to_le_bytes())?;
        out.write_all(&one.contacts.to_le_bytes())?;
        out.write_all(&[one.part, *form as u8, one.kind.0])?;
        let soil = materials.get(one.kind).map_or([128; 3], |material| material.color);
        // Little sediment colours much water.
        let load =
            if *form == ParticleForm::Water { (4.0 * one.sediment.max(0.0).sqrt()).min(1.0) } else { 1.0 };
        let mix = |part: usize| f32::from(WATER[part]) * (1.0 - load) + f32::from(soil[part]) * load;
        out.write_all(&[0, 1, 2].map(|part| mix(part) as u8))?;
    }
    Ok(())
}
