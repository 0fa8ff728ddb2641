//! `[carve]` and `[merge]`: soil that comes off as particles, and particles that become soil.

use barchan_sim::carve::CarveParams;
use barchan_sim::merge::MergeParams;

use super::site::Site;
use crate::reader::{Number, Seconds, TableReader, Whole};
use crate::scene::SceneDigging;

const SIZE: Number = Number { min: 1e-5, max: 1_000.0 };
const OVERLAP: Number = Number { min: 0.001, max: 0.2 };
const SPEED: Number = Number { min: 1e-6, max: 100.0 };
const SPIN: Number = Number { min: 0.0001, max: 57_000.0 };
const REST: Seconds = Seconds(Number { min: 0.0, max: 1e4 });
const CLEARANCE: Number = Number { min: 0.0, max: 100.0 };

/// How soil comes off, and goes back; `asked` where some body says that it carves.
pub fn read(scene: &mut TableReader<'_>, site: &Site, asked: bool) -> Option<SceneDigging> {
    let voxel_m = site.voxel_size_m.unwrap_or(0.1);
    let usual = CarveParams::for_voxels(voxel_m);
    let by_all = scene.has("carve");
    let mut carve = (by_all || asked).then_some(usual);
    let mut is_right = true;
    if let Some(mut table) = scene.table("carve") {
        let size_m = table.or("particle_size_m", &SIZE, usual.size_m as f32);
        let overlap = table.or("overlap", &OVERLAP, usual.overlap as f32);
        carve = size_m
            .zip(overlap)
            .map(|(size_m, overlap)| CarveParams { size_m: size_m.into(), overlap: overlap.into() });
        is_right &= carve.is_some();
        if let Some(Err(error)) = carve.map(|carve| carve.check(voxel_m)) {
            table.wrong_here(error.to_string().replacen("size_m", "particle_size_m", 1));
            is_right = false;
        }
        table.finish();
    }
    let usual = carve.map_or_else(MergeParams::default, |carve| MergeParams {
        clearance_m: 2.0 * carve.size_m,
        ..MergeParams::default()
    });
    let mut merge = carve.is_some().then_some(usual);
    if let Some(mut table) = scene.table("merge") {
        let speed_m_s = table.or("speed_m_s", &SPEED, usual.speed_m_s as f32);
        let spin_deg_s = table.or("spin_deg_s", &SPIN, usual.spin_rad_s.to_degrees() as f32);
        let rest_s = table.or("rest_s", &REST, usual.rest_s);
        let clearance_m = table.or("clearance_m", &CLEARANCE, usual.clearance_m as f32);
        let most = table.or("most", &Whole { min: 1, max: 1_000_000 }, u64::from(usual.most));
        merge = (|| {
            Some(MergeParams {
                speed_m_s: speed_m_s?.into(),
                spin_rad_s: f64::from(spin_deg_s?).to_radians(),
                rest_s: rest_s?,
                clearance_m: clearance_m?.into(),
                most: most? as u32,
            })
        })();
        is_right &= merge.is_some();
        table.finish();
    }
    is_right.then_some(SceneDigging { carve, by_all, merge })
}
