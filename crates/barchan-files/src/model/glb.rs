//! glTF 2.0 in its binary form: a header, the document as JSON, the numbers.

use std::io::{self, Write};

use glam::Vec3;

use super::color::linear;
use super::glb_document::{document, y_up};
use super::model::Model;
use super::part::{Faces, Part, unit};

/// Magic, version and length of the file; then kind and length before each of two chunks (bytes).
const HEADERS: u64 = 12 + 8 + 8;

/// Writes `model`, which passed its check.
pub(super) fn write(model: &Model, out: &mut impl Write) -> io::Result<()> {
    let primitives: Vec<_> = model.parts.iter().map(Primitive::of_part).collect();
    let (json, binary_bytes) = document(model, &primitives);
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
    for (part, primitives) in model.parts.iter().zip(&primitives) {
        primitives.iter().try_for_each(|primitive| write_primitive(part, primitive, out))?;
    }
    Ok(())
}

/// Triangles of one look with vertices of their own: programs that read glTF copy what several share.
pub(super) struct Primitive {
    pub look: usize,
    /// Its vertices, as places in the part.
    pub vertices: Vec<u32>,
    /// Three of these vertices each.
    pub triangles: Vec<[u32; 3]>,
}

impl Primitive {
    fn of_part(part: &Part) -> Vec<Self> {
        const UNUSED: u32 = u32::MAX;
        let mut places = vec![UNUSED; part.positions.len()];
        let of_look = |faces: &Faces| {
            let mut vertices: Vec<u32> = Vec::new();
            let mut place_of = |vertex: u32| {
                let place = &mut places[vertex as usize];
                if *place == UNUSED {
                    *place = vertices.len() as u32;
                    vertices.push(vertex);
                }
                *place
            };
            let triangles = faces.triangles.iter().map(|corners| corners.map(&mut place_of)).collect();
            vertices.iter().for_each(|&vertex| places[vertex as usize] = UNUSED);
            Self { look: faces.look, vertices, triangles }
        };
        part.faces.iter().map(of_look).collect()
    }
}

/// The numbers of one primitive, in the order that [`document`] describes.
fn write_primitive(part: &Part, primitive: &Primitive, out: &mut impl Write) -> io::Result<()> {
    let vertices = || primitive.vertices.iter().map(|&vertex| vertex as usize);
    for vertex in vertices() {
        write_f32s(out, y_up(Vec3::from_array(part.positions[vertex])))?;
    }
    for vertex in vertices() {
        write_f32s(out, y_up(unit(Vec3::from_array(part.normals[vertex]))))?;
    }
    // The format wants linear light, and eight bits of that would show steps in the dark.
    let full = f32::from(u16::MAX);
    let light: [u16; 256] = std::array::from_fn(|value| (linear(value as u8) * full).round() as u16);
    for vertex in vertices() {
        let [r, g, b] = part.colors[vertex].map(|value| light[usize::from(value)]);
        [r, g, b, u16::MAX].iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
    }
    primitive.triangles.iter().try_for_each(|corners| write_u32s(out, *corners))
}

fn write_f32s(out: &mut impl Write, v: Vec3) -> io::Result<()> {
    v.to_array().iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

fn write_u32s(out: &mut impl Write, numbers: impl IntoIterator<Item = u32>) -> io::Result<()> {
    numbers.into_iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}
