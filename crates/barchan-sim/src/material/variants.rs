//! Variants: the same material in another colour, which is how colour travels with matter.

use super::table::{MaterialId, Materials};

/// Letters of a colour in a name: an underscore and six digits.
const SUFFIX: usize = 7;

impl Materials {
    /// The variant of `kind` in `color`: `kind` itself where it has that colour, and also where the table is full.
    pub(crate) fn add_variant(&mut self, kind: MaterialId, color: [u8; 3]) -> MaterialId {
        let material = &self[kind];
        if material.color == color {
            return kind;
        }
        let [r, g, b] = color;
        let name = format!("{}_{r:02x}{g:02x}{b:02x}", base_name(&material.name));
        if let Some(known) = self.find(&name) {
            let is_variant =
                self[known].variant(String::new(), color) == material.variant(String::new(), color);
            return if is_variant { known } else { kind };
        }
        match self.with(material.variant(&name, color)) {
            Ok(with) => {
                *self = with;
                self.find(&name).unwrap_or(kind)
            }
            Err(_) => kind,
        }
    }
}

/// The name without the colour of a variant.
fn base_name(name: &str) -> &str {
    let Some((base, color)) = name.len().checked_sub(SUFFIX).and_then(|at| name.split_at_checked(at)) else {
        return name;
    };
    let is_color =
        color.starts_with('_') && color[1..].chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
    if is_color && !base.is_empty() { base } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::MOST_MATERIALS;

    #[test]
    fn a_variant_is_added_once_and_differs_by_its_colour() {
        let mut materials = Materials::builtin();
        let (before, scree) = (materials.iter().count(), materials.find("scree").expect("builtin"));
        let red = materials.add_variant(scree, [200, 40, 30]);
        assert_eq!(materials[red].name, "scree_c8281e");
        assert_eq!(materials.add_variant(scree, [200, 40, 30]), red);
        assert_eq!(materials.add_variant(red, [200, 40, 30]), red);
        let green = materials.add_variant(red, [1, 2, 3]);
        assert_eq!(materials[green].name, "scree_010203");
        assert_eq!(materials[green].repose_angle, materials[scree].repose_angle);
        assert_eq!(materials.iter().count(), before + 2);
        for i in 0..=255 {
            materials.add_variant(scree, [i, 0, 7]);
        }
        assert_eq!(materials.iter().count(), MOST_MATERIALS);
        assert_eq!(materials.add_variant(scree, [255, 255, 7]), scree);
    }
}
