//! The edits that an entry of the ground is made of.

use std::sync::Arc;

use barchan_sim::material::Phase;
use barchan_sim::{Edit, EditError, MaterialId, Packing};
use barchan_volume::{Density, HeightSamples, Heights, Region};
use glam::Vec2;

use crate::scene::{Action, Form, Part, Scene, Strata};

/// Calls `carry_out` with each edit of `part`, in order. They are made one at a time: each may hold a large surface.
pub(super) fn for_each_edit(
    part: &Part,
    scene: &Scene,
    mut carry_out: impl FnMut(Edit) -> Result<(), EditError>,
) -> Result<(), EditError> {
    match &part.action {
        Action::Remove { form } => carry_out(Edit::Remove { region: region(form, scene) }),
        Action::Add { form, material, moisture, packing, cover } => {
            let whole = region(form, scene);
            let mut place = |region, material| {
                let packing = packing.as_ref().filter(|_| is_soil(material, scene));
                carry_out(placing(region, material, *moisture, packing))
            };
            match cover {
                None => place(whole, *material),
                // Placing fills only what is free, so the soil stays on top.
                Some(cover) => {
                    place(lowered(&whole, cover.depth_m), *material)?;
                    place(whole, cover.material)
                }
            }
        }
        Action::Strata(strata) => {
            let mut top_m = strata.base_m;
            strata.layers.iter().try_for_each(|layer| {
                top_m += layer.thickness_m;
                let region = below_plane(strata, top_m, scene);
                carry_out(placing(region, layer.material, strata.moisture, layer.packing.as_ref()))
            })
        }
    }
}

fn is_soil(material: MaterialId, scene: &Scene) -> bool {
    scene.materials[material].phase == Phase::Soil
}

/// The edit that places a material as dense as `packing` says, or as it naturally lies.
fn placing(region: Region, material: MaterialId, moisture: f32, packing: Option<&Packing>) -> Edit {
    match packing {
        Some(packing) => Edit::Pack { region, material, moisture, packing: packing.clone() },
        None => Edit::Place { region, material, moisture },
    }
}

fn region(form: &Form, scene: &Scene) -> Region {
    match form {
        Form::Region(region) => region.clone(),
        Form::Relief(relief) => Region::Heights(Arc::new(relief.heights(scene.voxel_size_m))),
    }
}

/// What has a surface, with that surface `depth_m` lower.
fn lowered(region: &Region, depth_m: f32) -> Region {
    match region {
        Region::Heights(heights) => {
            let mut samples = heights.samples().clone();
            samples.samples_m.iter_mut().for_each(|height| *height -= depth_m);
            below(samples)
        }
        Region::Density(density) => {
            let base_height_m = density.base_height_m - depth_m;
            Region::Density(Arc::new(Density { base_height_m, ..Density::clone(density) }))
        }
        _ => region.clone(),
    }
}

/// Everything below a plane that is at `top_m` (m) in the middle of the bounds and tilted like the strata.
fn below_plane(strata: &Strata, top_m: f32, scene: &Scene) -> Region {
    let level = Region::Slab { z_min_m: f32::NEG_INFINITY, z_max_m: top_m };
    let Some(bounds) = scene.bounds.filter(|_| strata.dip > 0.0) else { return level };
    let metres = |p: glam::IVec3| p.truncate().as_vec2() * scene.voxel_size_m;
    let (min, max) = (metres(bounds.min), metres(bounds.max));
    let (middle, half_side) = (0.5 * (min + max), 0.5 * (max - min).max_element() + scene.voxel_size_m);
    let down = Vec2::from_angle(strata.dip_direction) * strata.dip.tan();
    let corners = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
    let samples_m = corners.map(|(x, y)| top_m - down.dot(Vec2::new(x, y)) * half_side).to_vec();
    let origin = middle - half_side;
    let samples = HeightSamples { width: 2, height: 2, cell_size_m: 2.0 * half_side, origin, samples_m };
    below(samples)
}

/// Everything below these samples, which are finite: they were worked out from checked numbers.
fn below(samples: HeightSamples) -> Region {
    Region::Heights(Arc::new(Heights::new(samples).expect("at least 2 x 2 finite samples")))
}
