//! The process: body by body, from contacts to denser columns.

use glam::IVec2;

use super::column::{Bulb, Settled};
use super::footprint::Footprint;
use crate::bearing;
use crate::columns::{Patch, Space, commit, downward};
use crate::ground::Ground;
use crate::material::{Compression, Materials};
use crate::now::Now;
use crate::units::LOOSE_FULL;

/// What compaction did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompactReport {
    /// Voxels whose soil became denser, as often as it did.
    pub voxels: u32,
    /// Pores that vanished (m³).
    pub closed_m3: f64,
}

impl std::ops::AddAssign for CompactReport {
    fn add_assign(&mut self, other: Self) {
        self.voxels += other.voxels;
        self.closed_m3 += other.closed_m3;
    }
}

/// The process that compacts soil below bodies. What soil has borne is seen from how dense it is, so there is nothing to remember.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compact;

impl Compact {
    /// Compacts the ground below these contacts, those of each body together.
    pub fn step(&self, now: &Now<'_>, contacts: &[bearing::Patch], ground: &mut Ground) -> CompactReport {
        let mut report = CompactReport::default();
        let Some(down) = downward(now.gravity_m_s2) else { return report };
        if contacts.is_empty() {
            return report;
        }
        let soils: Vec<(Compression, f32)> = soils(now.materials);
        for of_body in contacts.chunk_by(|a, b| a.body == b.body) {
            if let Some(footprint) = Footprint::of(of_body, ground.voxel_size_m()) {
                report += press(&footprint, &soils, down, now, ground);
            }
        }
        report
    }
}

/// Lines of compression and concentration factors of all materials.
fn soils(materials: &Materials) -> Vec<(Compression, f32)> {
    materials.iter().map(|(_, material)| (material.compression(), material.concentration_factor)).collect()
}

/// Compacts the ground below one body.
fn press(
    footprint: &Footprint,
    soils: &[(Compression, f32)],
    gravity_m_s2: f32,
    now: &Now<'_>,
    ground: &mut Ground,
) -> CompactReport {
    let size = ground.voxel_size_m();
    let widest = soils.iter().map(|(_, nu)| *nu).fold(3.0, f32::max);
    let reach = ground.clip(footprint.reach(widest, size));
    if reach.is_empty() {
        return CompactReport::default();
    }
    let layers = [reach.min.z, reach.max.z - 1];
    let bulb = Bulb { footprint, materials: now.materials, soils, voxel_size_m: size, gravity_m_s2, layers };
    let mut patch = Patch::new(Space::new(ground, now.body_fill.shares(), now.materials));
    let mut all = Settled::default();
    for x in reach.min.x..reach.max.x {
        for y in reach.min.y..reach.max.y {
            let settled = bulb.press(IVec2::new(x, y), &mut patch);
            all.voxels += settled.voxels;
            all.shrunk += settled.shrunk;
        }
    }
    if all.voxels > 0 {
        commit(patch.into_changed(), ground);
    }
    let voxels = all.shrunk as f64 / f64::from(LOOSE_FULL);
    CompactReport { voxels: all.voxels, closed_m3: voxels * f64::from(size).powi(3) }
}
