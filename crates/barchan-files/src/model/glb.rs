//! glTF 2.0 in its binary form: a header, the document as JSON, the numbers.

use std::io::{self, Write};

use glam::Vec3;

use super::color::linear;
use super::glb_document::{document, y_up};
use super::model::Model;
use super::part::{Part, unit};

/// Magic, version and length of the file; then kind and length before each of two chunks (bytes).
const HEADERS: u64 = 12 + 8 + 8;

/// Writes `model`, which passed its check.
pub(super) fn write(model: &Model, out: &mut impl Write) -> io::Result<()> {
    let (json, binary_bytes) = document(model);
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let bytes = HEADERS + json.len() as u64 + binary_bytes;
    let length = u32::try_from(bytes).map_err(|_| {
        let message = format!("the model takes {bytes} bytes; a .glb file holds at most 4 GiB");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })?;
    out.write_all(b"glTF")?;
    write_u32s(out, [2, length, json.len() as u32])?;
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    write_u32s(out, [binary_bytes as u32])?;
    out.write_all(b"BIN\0")?;
    model.parts.iter().try_for_each(|part| write_part(part, out))
}

/// The numbers of one part, in the order that [`document`] describes.
fn write_part(part: &Part, out: &mut impl Write) -> io::Result<()> {
    for &position in &part.positions {
        write_f32s(out, y_up(Vec3::from_array(position)))?;
    }
    for &normal in &part.normals {
        write_f32s(out, y_up(unit(Vec3::from_array(normal))))?;
    }
    // The format wants linear light, and eight bits of that would show steps in the dark.
    let full = f32::from(u16::MAX);
    let light: [u16; 256] = std::array::from_fn(|value| (linear(value as u8) * full).round() as u16);
    for color in &part.colors {
        let [r, g, b] = color.map(|value| light[usize::from(value)]);
        [r, g, b, u16::MAX].iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
    }
    part.faces.iter().flat_map(|faces| &faces.triangles).try_for_each(|corners| write_u32s(out, *corners))
}

fn write_f32s(out: &mut impl Write, v: Vec3) -> io::Result<()> {
    v.to_array().iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

fn write_u32s(out: &mut impl Write, numbers: impl IntoIterator<Item = u32>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}
