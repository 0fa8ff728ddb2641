//! Colours of vertices: materials mixed and wetted in linear light, kept as sRGB.

use barchan_sim::Materials;
use barchan_surface::VertexMaterial;

/// Colour of a material that the table does not have: grey.
const UNKNOWN: [u8; 3] = [128; 3];
/// Wet ground is about half as bright as dry.
const DARKER_WHEN_WET: f32 = 0.5;

/// Mixes colours of one table of materials.
pub(super) struct Palette {
    /// Linear light of each material (0 to 1).
    linear: Vec<[f32; 3]>,
}

impl Palette {
    pub fn new(materials: &Materials) -> Self {
        Self { linear: materials.iter().map(|(_, material)| material.color.map(linear)).collect() }
    }

    /// The colour of ground such as `vertex` says (sRGB).
    pub fn color(&self, vertex: VertexMaterial) -> [u8; 3] {
        let of = |id: u8| self.linear.get(usize::from(id)).copied().unwrap_or(UNKNOWN.map(linear));
        let (first, second) = (of(vertex.dominant), of(vertex.second));
        let share = f32::from(vertex.weight) / 255.0;
        let light = 1.0 - DARKER_WHEN_WET * f32::from(vertex.moisture) / 255.0;
        std::array::from_fn(|channel| {
            srgb((first[channel] * share + second[channel] * (1.0 - share)) * light)
        })
    }
}

/// Linear light (0 to 1) of an sRGB value.
pub(super) fn linear(value: u8) -> f32 {
    let value = f32::from(value) / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB value of linear light (0 to 1).
fn srgb(light: f32) -> u8 {
    let value = if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (value * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_returns_and_grows() {
        for value in 0..=255 {
            assert_eq!(srgb(linear(value)), value);
            assert!(value == 0 || linear(value) > linear(value - 1));
        }
    }

    #[test]
    fn one_material_keeps_its_colour_two_mix_and_water_darkens() {
        let materials = Materials::builtin();
        let palette = Palette::new(&materials);
        let colors: Vec<_> = materials.iter().map(|(_, material)| material.color).collect();
        let dry = VertexMaterial { dominant: 0, second: 5, weight: 255, moisture: 0 };
        assert_eq!(palette.color(dry), colors[0]);
        let half = palette.color(VertexMaterial { weight: 128, ..dry });
        let wet = palette.color(VertexMaterial { moisture: 255, ..dry });
        for channel in 0..3 {
            let (low, high) =
                (colors[0][channel].min(colors[5][channel]), colors[0][channel].max(colors[5][channel]));
            assert!((low..=high).contains(&half[channel]), "{half:?}");
            assert!(wet[channel] < colors[0][channel], "{wet:?}");
        }
        assert_eq!(palette.color(VertexMaterial { dominant: 255, ..dry }), UNKNOWN);
    }
}
