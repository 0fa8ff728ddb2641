//! Checks of ground that comes from outside: whatever a file holds, only sound voxels become ground.

use barchan_volume::Brick;
use barchan_volume::brick::{VOXELS, brick_box, voxel_of};
use glam::IVec3;
use rayon::prelude::*;

use super::ground::Ground;
use crate::material::{MaterialId, Materials, Phase};
use crate::units::LOOSE_FULL;
use crate::voxel::{Channel, MOST_SOIL, Marks, SideList, Voxel};
use crate::world::WorldError;

impl Ground {
    /// Finds the first voxel (by x, y, z) that breaks a rule of the ground.
    pub(crate) fn check(&self, materials: &Materials) -> Result<(), WorldError> {
        let bricks = self.voxels().bricks_in_order();
        let bad =
            bricks.par_iter().find_map_first(|(coord, brick)| check_brick(*coord, brick, self, materials));
        match bad {
            Some((p, problem)) => Err(WorldError::BadVoxel { x: p.x, y: p.y, z: p.z, problem }),
            None => Ok(()),
        }
    }
}

fn check_brick(
    coord: IVec3,
    voxels: &Brick<Voxel>,
    ground: &Ground,
    materials: &Materials,
) -> Option<(IVec3, &'static str)> {
    let (bounds, side) = (ground.bounds(), ground.side(coord));
    let all_inside = bounds.is_none_or(|b| b.contains_box(&brick_box(coord)));
    let count = if voxels.uniform().is_some() && all_inside && side.is_empty() { 1 } else { VOXELS };
    (0..count).find_map(|at| {
        let p = voxel_of(coord, at);
        let voxel = voxels.get(at);
        let outside = !voxel.is_air() && bounds.is_some_and(|b| !b.contains(p));
        let problem = if outside { Some("ground outside the bounds") } else { problem(&voxel, materials) };
        problem.or_else(|| problem_beside(&voxel, side, at, materials)).map(|problem| (p, problem))
    })
}

fn problem(voxel: &Voxel, materials: &Materials) -> Option<&'static str> {
    let is = |kind: MaterialId, phase| materials.get(kind).is_some_and(|m| m.phase == phase);
    if voxel.rock > 0 && !is(voxel.rock_kind, Phase::Rock) {
        return Some("its rock is of no kind of rock");
    }
    if [voxel.under_layer(), voxel.top_layer()]
        .iter()
        .any(|soil| soil.units > 0 && !is(soil.kind, Phase::Soil))
    {
        return Some("its soil is of no kind of soil");
    }
    if voxel.under > 0 && voxel.top == 0 {
        return Some("its only soil does not lie on top");
    }
    if describes_nothing(voxel) {
        return Some("it describes rock or soil that is not there");
    }
    if voxel.soil() > MOST_SOIL || voxel.rock_share(materials) + voxel.soil_share() > LOOSE_FULL {
        return Some("it holds more than fits into a voxel");
    }
    None
}

/// True when something is said of a part that is absent.
fn describes_nothing(voxel: &Voxel) -> bool {
    let Voxel { under_void_ratio, top_void_ratio, under_kind, top_kind, marks, .. } = *voxel;
    let no_rock = voxel.rock == 0 && (voxel.rock_kind.0 > 0 || marks.has(Marks::MORE_ROCKS));
    let no_under = voxel.under == 0
        && (under_void_ratio.0 > 0 || under_kind.0 > 0 || marks.has(Marks::UNDER_MOVED | Marks::MORE_SOILS));
    let no_top = voxel.top == 0
        && (top_void_ratio.0 > 0 || top_kind.0 > 0 || marks.has(Marks::TOP_MOVED) || voxel.water > 0);
    no_rock || no_under || no_top || marks.has(!Marks::ALL)
}

/// What is wrong with the list beside voxel number `at`.
fn problem_beside(voxel: &Voxel, side: &SideList, at: usize, materials: &Materials) -> Option<&'static str> {
    let lists = [
        (Channel::Soil, Marks::MORE_SOILS, Phase::Soil, voxel.under, voxel.under_kind),
        (Channel::Rock, Marks::MORE_ROCKS, Phase::Rock, voxel.rock, voxel.rock_kind),
    ];
    lists.into_iter().find_map(|(channel, mark, phase, all, named)| {
        let entries = side.of(at, channel);
        if entries.is_empty() == voxel.marks.has(mark) {
            return Some("its mark and the list beside it do not agree");
        }
        let listed: u32 = entries.iter().map(|entry| u32::from(entry.value)).sum();
        let most = entries.iter().map(|entry| entry.value).max().unwrap_or(0);
        let kinds_fit = entries.iter().all(|entry| {
            let kind = MaterialId(entry.key);
            kind != named && materials.get(kind).is_some_and(|m| m.phase == phase)
        });
        let fits = kinds_fit && (listed + u32::from(most) <= u32::from(all) || entries.is_empty());
        (!fits).then_some("the list beside it names what is not there")
    })
}
