//! The weight of soil that lies on a body.

use glam::Vec3;

use super::view::{View, voxel_at};
use crate::bodies::{BODY_FULL, BodyFill};
use crate::units::{LOOSE_FULL, VoidRatio};

/// Highest column that is weighed (voxels).
const MAX_VOXELS: i32 = 256;

/// Mass of the soil that stands on `point` (m), up to the next air, rock or body (kg/m²).
pub(super) fn mass_above(point: Vec3, view: &mut View<'_>, body_fill: &BodyFill) -> f32 {
    let size = view.ground.voxel_size_m();
    // The voxel that the surface cuts may hold soil, or be all body but for a gap that soil has not filled yet.
    let first = voxel_at(point + Vec3::Z * (0.05 * size), size);
    let mut mass = 0.0;
    for z in first.z..first.z + MAX_VOXELS {
        let p = first.with_z(z);
        let voxel = view.get(p);
        if z == first.z && voxel.is_air() {
            continue;
        }
        let covered = z > first.z && body_fill.shares().get(p) > BODY_FULL / 2;
        if !voxel.has_soil() || voxel.rock_share(view.materials) > LOOSE_FULL / 2 || covered {
            break;
        }
        let saturation = voxel.saturation();
        for layer in [voxel.under_layer(), voxel.top_layer()].iter().filter(|layer| layer.units > 0) {
            let e = layer.void_ratio.to_f32();
            let share = f32::from(layer.units) / LOOSE_FULL as f32 * (1.0 + e)
                / (1.0 + VoidRatio::REFERENCE.to_f32());
            mass += share * size * view.materials[layer.kind].density_kg_m3(e, saturation);
        }
    }
    mass
}
