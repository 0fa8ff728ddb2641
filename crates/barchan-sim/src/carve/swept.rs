//! How much soil gives way to tools in every voxel.

use barchan_volume::Grid;
use barchan_volume::brick::{VOXELS, voxel_of};
use glam::{IVec3, Vec3};

use crate::bodies::{Body, BodyId};
use crate::ground::Ground;
use crate::material::{Materials, StrengthClass};
use crate::now::Now;
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// Bodies slower than this cut nothing (m/s).
const STILL_M_S: f32 = 1e-4;

/// Soil that gives way.
#[derive(Clone, Copy, Debug)]
pub struct Swept {
    /// Where.
    pub voxel: IVec3,
    /// How much (units).
    pub units: u32,
    /// To whom.
    pub body: BodyId,
    /// How fast that one moves there (m/s).
    pub velocity_m_s: Vec3,
    /// How strong the soil is.
    pub strength: StrengthClass,
}

/// All that gives way in `bricks`, of which bodies took `before`.
pub fn swept(
    now: &Now<'_>,
    before: &Grid<u16>,
    bricks: &[IVec3],
    ground: &Ground,
    carves: impl Fn(BodyId) -> bool,
) -> Vec<Swept> {
    let mut found = Vec::new();
    let shares = now.body_fill.shares();
    for &coord in bricks {
        let (Some(here), Some(voxels)) = (shares.stored(coord), ground.voxels().stored(coord)) else {
            continue;
        };
        let bodies: Vec<Body<'_>> =
            now.body_fill.bodies_in(coord).iter().filter_map(|id| now.bodies.get(*id)).collect();
        if !bodies.iter().any(|body| carves(body.id)) {
            continue;
        }
        let then = before.stored(coord);
        for at in 0..VOXELS {
            let (voxel, share) = (voxels.get(at), u32::from(here.get(at)));
            if share == 0 || !voxel.has_soil() {
                continue;
            }
            let p = voxel_of(coord, at);
            let old = then.map_or(0, |then| u32::from(then.get(at)));
            let below = u32::from(shares.get(p - IVec3::Z));
            let units = giving_way(&voxel, old, share, below, now.materials);
            if units == 0 {
                continue;
            }
            let centre_m = (p.as_vec3() + 0.5) * ground.voxel_size_m();
            // As with pushing, the fastest of several says what happens.
            let fastest = bodies
                .iter()
                .map(|body| (body.velocity_at(centre_m), body.id))
                .reduce(|a, b| if b.0.length_squared() > a.0.length_squared() { b } else { a });
            let Some((velocity_m_s, body)) = fastest else { continue };
            if carves(body) && velocity_m_s.length() > STILL_M_S {
                let strength = voxel.strength_of(&voxel.top_layer(), now.materials);
                found.push(Swept { voxel: p, units, body, velocity_m_s, strength });
            }
        }
    }
    found
}

/// How much soil of a voxel gives way to bodies that took `old` of it before, take `share` now, and `below` of the voxel below
/// (1/32,768): all that no longer fits, and, where the body comes in from a side, as much of it as the body took of what was free.
fn giving_way(voxel: &Voxel, old: u32, share: u32, below: u32, materials: &Materials) -> u32 {
    let rock = voxel.rock_share(materials);
    let soil = voxel.soil_share();
    let free = LOOSE_FULL.saturating_sub(rock + share);
    let too_much = if soil > free { voxel.soil_beyond(free) } else { 0 };
    let was_free = LOOSE_FULL.saturating_sub(rock + old);
    // What comes down on soil from above, or slides over it, meets only what it has no room beside.
    if share > old && was_free > 0 && 2 * below >= share {
        let kept = u64::from(soil) * u64::from(free) / u64::from(was_free);
        return too_much.max(voxel.soil_beyond(kept as u32));
    }
    too_much
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::MaterialId;
    use crate::units::VoidRatio;

    #[test]
    fn a_half_full_voxel_gives_way_evenly_as_a_plate_comes_in() {
        let materials = Materials::builtin();
        let mut voxel = Voxel::of_soil(16_000, MaterialId(0), VoidRatio::REFERENCE);
        let mut came = Vec::new();
        for tenth in 1..=10 {
            let (old, share) = ((tenth - 1) * 3_276, tenth * 3_276);
            let units = giving_way(&voxel, old, share, share, &materials);
            voxel.top -= units as u16;
            came.push(units);
        }
        assert!(came[..9].iter().all(|units| units.abs_diff(1_600) < 20), "{came:?}");
        assert_eq!(giving_way(&voxel, 3_000, 3_000, 32_768, &materials), 0, "who stands still cuts nothing");
        let voxel = Voxel::of_soil(16_000, MaterialId(0), VoidRatio::REFERENCE);
        assert_eq!(giving_way(&voxel, 0, 10_000, 0, &materials), 0, "there is room above");
        assert!(giving_way(&voxel, 0, 20_000, 0, &materials) > 3_000);
    }
}
