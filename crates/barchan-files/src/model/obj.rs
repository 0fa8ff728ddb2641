//! Wavefront OBJ: one object a part, one group a material, colours behind the coordinates of each vertex.

use std::io::{self, Write};

use super::model::Model;

/// Writes `model`, which passed its check. All parts stand in the world's own coordinates.
pub(super) fn write(model: &Model, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# Written by Barchan: metres, z up; v x y z red green blue")?;
    let mut first: u64 = 1;
    for part in &model.parts {
        writeln!(out, "o {}", one_word(&part.name))?;
        for ((p, _), color) in part.placed().zip(&part.colors) {
            let [r, g, b] = color.map(|value| f32::from(value) / 255.0);
            // Display of f32 is the shortest text that reads back as the same number.
            writeln!(out, "v {} {} {} {r:.4} {g:.4} {b:.4}", p.x, p.y, p.z)?;
        }
        for (_, n) in part.placed() {
            writeln!(out, "vn {:.5} {:.5} {:.5}", n.x, n.y, n.z)?;
        }
        for faces in &part.faces {
            writeln!(out, "g {}", one_word(&model.looks[faces.look].name))?;
            for corners in &faces.triangles {
                let [a, b, c] = corners.map(|corner| u64::from(corner) + first);
                writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}")?;
            }
        }
        first += part.positions.len() as u64;
    }
    Ok(())
}

/// A name that cannot be taken for anything else: lines and spaces mean something in this format.
fn one_word(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_whitespace() || c.is_control() || c == '\\' || c == '#' { '_' } else { c })
        .collect()
}
