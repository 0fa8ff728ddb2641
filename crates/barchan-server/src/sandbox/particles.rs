//! Hands on water and grains: rain, springs, and what a world needs before either can come.

use barchan_sim::grains::{FormSpec, Setup, Substance, Template};
use barchan_sim::water::{Rain, Source, WaterParams};
use barchan_sim::{MaterialId, World};
use glam::Vec3;
use serde_json::{Value, json};

use super::sandbox::Sandbox;

/// Most springs that hands may bring a world to.
const MOST_SOURCES: usize = 64;
/// Grains of a world that says nothing of them: tetrahedra of balls so wide, as parts of a voxel.
const GRAIN_VOXELS: f64 = 0.5;
/// The same in sizes that steps can follow and people can see (m).
const GRAIN_SIZES_M: [f64; 2] = [0.015, 0.1];
/// Distance of the balls of such a grain (diameters).
const GRAIN_SPACING: f64 = 0.75;

impl Sandbox {
    /// Lets it rain everywhere, so much (mm/h); 0: no longer.
    pub(super) fn rain(&mut self, rate_mm_h: f32) -> Result<(), String> {
        make_ready_for_water(&mut self.world)?;
        self.record();
        let sources = self.world.water().sources().to_vec();
        self.world.set_water_sources(sources, Rain::everywhere(rate_mm_h))
    }

    /// Puts a spring at a point (m): a box so wide (m) from which so much flows (m³/s), with a share of sediment.
    pub(super) fn add_source(
        &mut self,
        point_m: Vec3,
        radius_m: f32,
        rate_m3_s: f32,
        sediment: f32,
    ) -> Result<Value, String> {
        make_ready_for_water(&mut self.world)?;
        let mut sources = self.world.water().sources().to_vec();
        if sources.len() >= MOST_SOURCES {
            return Err(format!("there are {MOST_SOURCES} springs; take one away first"));
        }
        self.record();
        let mut source = Source::new(point_m, Vec3::splat(2.0 * radius_m), Vec3::ZERO, rate_m3_s);
        source.sediment = sediment;
        sources.push(source);
        let number = sources.len() - 1;
        let rain = self.world.water().rain().clone();
        self.world.set_water_sources(sources, rain)?;
        Ok(json!({ "source": number }))
    }

    /// Moves a spring, or changes what flows from it.
    pub(super) fn change_source(
        &mut self,
        number: u32,
        point_m: Option<Vec3>,
        rate_m3_s: Option<f32>,
        sediment: Option<f32>,
    ) -> Result<(), String> {
        let mut sources = self.world.water().sources().to_vec();
        let source =
            sources.get_mut(number as usize).ok_or_else(|| format!("there is no spring {number}"))?;
        source.center_m = point_m.unwrap_or(source.center_m);
        source.rate_m3_s = rate_m3_s.unwrap_or(source.rate_m3_s);
        source.sediment = sediment.unwrap_or(source.sediment);
        self.record();
        let rain = self.world.water().rain().clone();
        self.world.set_water_sources(sources, rain)
    }

    /// Takes a spring away. Those after it move up.
    pub(super) fn remove_source(&mut self, number: u32) -> Result<(), String> {
        let mut sources = self.world.water().sources().to_vec();
        if number as usize >= sources.len() {
            return Err(format!("there is no spring {number}"));
        }
        self.record();
        sources.remove(number as usize);
        let rain = self.world.water().rain().clone();
        self.world.set_water_sources(sources, rain)
    }
}

/// Sees to it that the spacing of water suits the voxels, in a world of which nobody has said what it is.
pub fn make_ready_for_water(world: &mut World) -> Result<(), String> {
    let voxel_size_m = world.ground().voxel_size_m();
    if world.water().params().problem(voxel_size_m).is_none() {
        return Ok(());
    }
    world.set_water(WaterParams { spacing_m: voxel_size_m, ..world.water().params().clone() })
}

/// Puts the box of `new` in the place of that of `old`; none: there is no such box.
pub fn replace_source(world: &mut World, old: Option<&Source>, new: Option<&Source>) -> Result<(), String> {
    let is_old = |source: &Source| {
        old.is_some_and(|old| {
            (old.center_m, old.size_m, old.velocity_m_s)
                == (source.center_m, source.size_m, source.velocity_m_s)
        })
    };
    let mut sources = world.water().sources().to_vec();
    let at = sources.iter().position(is_old);
    match (at, new) {
        (Some(at), Some(new)) => {
            // What it owes stays: the same box has only moved.
            let source = &mut sources[at];
            (source.center_m, source.size_m) = (new.center_m, new.size_m);
            (source.velocity_m_s, source.rate_m3_s) = (new.velocity_m_s, new.rate_m3_s);
        }
        (Some(at), None) => drop(sources.remove(at)),
        (None, Some(new)) => sources.push(new.clone()),
        (None, None) => return Ok(()),
    }
    let rain = world.water().rain().clone();
    world.set_water_sources(sources, rain)
}

/// The forms of grains of a soil that can be poured; a world that has none gets tetrahedra of it.
pub fn forms_of(world: &mut World, soil: MaterialId) -> Result<Vec<(u16, f64)>, String> {
    let of_soil = |world: &World| -> Vec<(u16, f64)> {
        let setup = world.grains().setup();
        let is_of = |form: &FormSpec| {
            setup.substances.get(usize::from(form.substance)).is_some_and(|substance| substance.soil == soil)
        };
        let forms = setup.forms.iter().enumerate().filter(|(_, form)| is_of(form));
        forms.map(|(number, _)| (number as u16, 1.0)).collect()
    };
    let known = of_soil(world);
    if !known.is_empty() {
        return Ok(known);
    }
    // While there are grains, there can be no others: those that there are do.
    if !world.grains().is_empty() {
        let forms = world.grains().setup().forms.len() as u16;
        return Ok((0..forms).map(|form| (form, 1.0)).collect());
    }
    let size_m = f64::from(world.ground().voxel_size_m()) * GRAIN_VOXELS;
    let mut setup: Setup = world.grains().setup().clone();
    setup.substances.push(Substance::sand(soil));
    setup.templates.push(Template::tetrahedron(GRAIN_SPACING));
    setup.forms.push(FormSpec {
        template: (setup.templates.len() - 1) as u16,
        size_m: size_m.clamp(GRAIN_SIZES_M[0], GRAIN_SIZES_M[1]),
        substance: (setup.substances.len() - 1) as u16,
    });
    world.set_up_grains(setup).map_err(|error| error.to_string())?;
    Ok(of_soil(world))
}
