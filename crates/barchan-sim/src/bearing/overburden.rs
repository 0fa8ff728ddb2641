//! The weight of soil that lies on a body.

use glam::Vec3;

use crate::reader::{BARRIER_SHARE, Reader, voxel_at};
use crate::units::{LOOSE_FULL, VoidRatio};

/// Highest column that is weighed (voxels).
const MAX_VOXELS: i32 = 256;

/// Mass of the soil that stands on `point` (m), up to the next air, rock or body (kg/m²).
pub(super) fn mass_above(point: Vec3, reader: &mut Reader<'_>) -> f32 {
    let size = reader.ground.voxel_size_m();
    // The voxel that the surface cuts may hold soil, or be all body but for a gap that soil has not filled yet.
    let first = voxel_at(point + Vec3::Z * (0.05 * size), size);
    let mut mass = 0.0;
    for z in first.z..first.z + MAX_VOXELS {
        let p = first.with_z(z);
        let voxel = reader.voxel(p);
        if z == first.z && voxel.is_air() {
            continue;
        }
        let covered = z > first.z && u32::from(reader.body_share(p)) > BARRIER_SHARE;
        if !voxel.has_soil() || voxel.rock_share(reader.materials) > BARRIER_SHARE || covered {
            break;
        }
        let saturation = voxel.saturation();
        for layer in [voxel.under_layer(), voxel.top_layer()].iter().filter(|layer| layer.units > 0) {
            let e = layer.void_ratio.to_f32();
            let share = f32::from(layer.units) / LOOSE_FULL as f32 * (1.0 + e)
                / (1.0 + VoidRatio::REFERENCE.to_f32());
            mass += share * size * reader.materials[layer.kind].density_kg_m3(e, saturation);
        }
    }
    mass
}
