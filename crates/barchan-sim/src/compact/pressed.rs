//! What all bodies together press on the ground with: stress anywhere below them.

use glam::Vec3;

use super::footprint::Footprint;
use crate::bearing::Patch;

/// The loads of all bodies in the last part of a step.
#[derive(Clone, Debug, Default)]
pub struct Pressed(Vec<Footprint>);

impl Pressed {
    /// Those of these contacts, body by body, in a world of such voxels (m).
    pub fn of(contacts: &[Patch], voxel_size_m: f32) -> Self {
        let last = contacts.iter().map(|patch| patch.part).max().unwrap_or(0);
        let now: Vec<Patch> = contacts.iter().filter(|patch| patch.part == last).copied().collect();
        let of_body = |patches: &[Patch]| Footprint::of(patches, voxel_size_m);
        Self(now.chunk_by(|a, b| a.body == b.body).filter_map(of_body).collect())
    }

    /// Mean normal stress (Pa) that they send to a point (m) in soil of concentration factor `nu`, beyond the weight of the soil.
    pub fn mean_stress_pa(&self, point_m: Vec3, nu: f32) -> f32 {
        self.0.iter().map(|footprint| footprint.stress_pa(point_m, nu)).sum()
    }
}
