//! Which soil rests on a body.

use barchan_volume::brick::{EDGE, VOXELS, voxel_of};
use barchan_volume::{Brick, VoxelBox};
use glam::{DVec2, IVec2, IVec3};
use rayon::prelude::*;

use crate::bodies::{BODY_FULL, BodyFill, BodyId};
use crate::columns::{BodyRun, Look, Patch, Space, is_ledge};
use crate::ground::Ground;
use crate::in_parts::InParts;
use crate::now::Now;
use crate::reader::BARRIER_SHARE;
use crate::units::LOOSE_FULL;

/// Columns of voxels in a brick.
const COLUMNS: usize = (EDGE * EDGE) as usize;

/// A pile of soil in one column of voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pile {
    pub column: IVec2,
    pub bottom: i32,
    /// First voxel above the soil.
    pub top: i32,
    /// How high the soil reaches in its uppermost voxel (1/32,768 voxel).
    pub height: u32,
    /// False when the body falls away from under it.
    pub rides: bool,
    /// True when the body rises under it more than it moves along below it.
    pub is_lifted: bool,
}

/// All soil that rests on one or several bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Load {
    pub piles: Vec<Pile>,
    /// Mean tan phi of the soil that touches the body (-).
    pub friction: f64,
}

impl Load {
    /// The soil on `bodies`, as `body_fill` has it.
    pub(super) fn on(bodies: impl Iterator<Item = BodyId>, now: &Now<'_>, ground: &Ground) -> Self {
        let body_fill = now.body_fill;
        let space = Space::new(ground, body_fill.shares(), now.materials);
        let feet: Vec<(BodyId, IVec3)> = bodies.flat_map(|body| feet(body, body_fill)).collect();
        let part = |(body, foot): &(BodyId, IVec3)| Part::above(*foot, *body, body_fill, &space);
        let parts: Vec<Part> = feet.par_iter().in_parts_of(4).map(part).collect();
        let units: f64 = parts.iter().map(|part| part.units).sum();
        let friction: f64 = parts.iter().map(|part| part.friction).sum();
        Self {
            piles: parts.into_iter().flat_map(|part| part.piles).collect(),
            friction: if units > 0.0 { friction / units } else { 0.0 },
        }
    }

    /// Root of the mean squared distance of the piles from `centre` (voxels).
    pub(super) fn gyration(&self, centre: DVec2) -> f64 {
        let sum: f64 = self.piles.iter().map(|pile| pile.offset(centre).length_squared()).sum();
        (sum / self.piles.len().max(1) as f64).sqrt()
    }
}

impl Pile {
    /// Its voxels, upwards.
    pub(super) fn voxels(&self) -> impl Iterator<Item = IVec3> + use<> {
        let column = self.column;
        (self.bottom..self.top).map(move |z| column.extend(z))
    }

    /// From `centre` (voxels) to the middle of the column.
    pub(super) fn offset(&self, centre: DVec2) -> DVec2 {
        self.column.as_dvec2() + 0.5 - centre
    }
}

/// The soil on one column of the bricks of a body.
#[derive(Default)]
struct Part {
    piles: Vec<Pile>,
    /// Soil that touches the body (units).
    units: f64,
    /// Sum of tan phi over these (-).
    friction: f64,
}

impl Part {
    /// The soil above the lowest brick `foot`.
    fn above(foot: IVec3, body: BodyId, body_fill: &BodyFill, space: &Space<'_>) -> Self {
        let mut part = Self { piles: Vec::with_capacity(COLUMNS), ..Self::default() };
        let mut look = Patch::new(*space);
        for top in tops(foot, body, body_fill) {
            if let Some(pile) = pile_on(top, space, &mut look) {
                let lowest = look.get(pile.column.extend(pile.bottom));
                let soil = f64::from(lowest.soil());
                // What touches the body lies lowest.
                let touches = if lowest.under > 0 { lowest.under_layer() } else { lowest.top_layer() };
                let class = lowest.strength_of(&touches, space.materials);
                part.friction += soil * f64::from(space.materials.strengths()[class.index()].tan_phi);
                part.units += soil;
                part.piles.push(pile);
            }
        }
        part
    }
}

/// The pile whose lowest soil lies beside or right above the voxel `top`, in which a body ends. Where the upper side of the
/// body leans there is soil beside it further down, too; what stands beside an upright side does not rest on it.
fn pile_on(top: IVec3, space: &Space<'_>, look: &mut Patch<'_>) -> Option<Pile> {
    // Its soil, and the share that rock and bodies take (1/32,768).
    let mut at = |z: i32| {
        let (voxel, body) = look.look(top.with_z(z));
        (voxel, space.solid(&voxel, body))
    };
    let mut bottom = [top.z, top.z + 1].into_iter().find(|&z| at(z).0.has_soil())?;
    let leans_below = |here: u32, below: u32| here < BARRIER_SHARE && below > here;
    while at(bottom - 1).0.has_soil() && leans_below(at(bottom).1, at(bottom - 1).1) {
        bottom -= 1;
    }
    let ends_at = |z: &i32| {
        let (voxel, solid) = at(*z);
        !voxel.has_soil() || *z > top.z && solid >= BARRIER_SHARE && is_ledge(solid, at(z + 1).1)
    };
    let end = (bottom..).find(ends_at)?;
    let (last, beside) = at(end - 1);
    let height = if is_ledge(beside, at(end).1) {
        beside + last.soil_share()
    } else {
        // Beside a wall that cuts the voxel the soil stands higher than its share says.
        last.soil_share() * LOOSE_FULL / (LOOSE_FULL - beside).max(1)
    };
    let height = height.min(LOOSE_FULL);
    (end > bottom).then_some(Pile {
        column: top.truncate(),
        bottom,
        top: end,
        height,
        rides: true,
        is_lifted: false,
    })
}

/// The lowest bricks of a body, one for each column of bricks.
fn feet(body: BodyId, body_fill: &BodyFill) -> Vec<(BodyId, IVec3)> {
    let bricks = body_fill.bricks_of(body);
    let floor = bricks.map(|bricks| VoxelBox::new(bricks.min, bricks.max.with_z(bricks.min.z + 1)));
    floor.into_iter().flat_map(|floor| floor.cells().map(move |foot| (body, foot))).collect()
}

/// The voxels at the top of the body above its lowest brick `foot`, wherever it covers most of a column.
fn tops(foot: IVec3, body: BodyId, body_fill: &BodyFill) -> Vec<IVec3> {
    let mut tops = Vec::with_capacity(COLUMNS);
    let Some(bricks) = body_fill.bricks_of(body) else { return tops };
    let mut runs = [BodyRun::default(); COLUMNS];
    for z in bricks.min.z..=bricks.max.z {
        let brick = foot.with_z(z);
        let own = if z < bricks.max.z { body_fill.own(body, brick) } else { None };
        climb(brick, own.as_ref(), &mut runs, &mut tops);
    }
    tops
}

/// Follows the columns of a brick upwards and notes where the body ends.
fn climb(brick: IVec3, own: Option<&Brick<u16>>, runs: &mut [BodyRun; COLUMNS], tops: &mut Vec<IVec3>) {
    if own.and_then(Brick::uniform) == Some(BODY_FULL) {
        runs.fill(BodyRun::SOLID);
        return;
    }
    if own.is_none() && runs.iter().all(|run| run.last == 0) {
        return;
    }
    for at in 0..VOXELS {
        let ended = runs[at / EDGE as usize].climb(own.map_or(0, |own| own.get(at)));
        if ended.is_some_and(|run| run.covers_column()) {
            tops.push(voxel_of(brick, at) - IVec3::Z);
        }
    }
}

#[cfg(test)]
mod tests {
    use barchan_volume::{Pose, Region, Shape, Solid};
    use glam::Vec3;

    use super::*;
    use crate::bodies::{BodySpec, Motion};
    use crate::now::now;
    use crate::{Edit, MaterialId, World, WorldConfig};

    #[test]
    fn what_stands_beside_an_upright_side_does_not_rest_on_it() {
        let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(24)));
        let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).expect("a sound world");
        let size = world.ground().voxel_size_m();
        let in_box = |half: Vec3, centre: Vec3| {
            let shape = Shape::Box { half_extents: half * size };
            Solid { shape, pose: Pose::at(centre * size) }
        };
        let region = Region::Solid(in_box(Vec3::new(12.0, 12.0, 8.0), Vec3::new(12.0, 12.0, 8.0)));
        world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).expect("there is room");
        // Its sides along x cut voxels not quite in half.
        let Solid { shape, pose } = in_box(Vec3::new(4.45, 4.0, 4.0), Vec3::new(12.0, 12.0, 8.0));
        let body = world.add_body(BodySpec::new("block", shape, pose, Motion::Fixed)).expect("a sound body");
        let load = now!(world, 0.0, 0.0, |now, state| Load::on(std::iter::once(body), &now, &state.ground));
        let at_sides = load.piles.iter().filter(|pile| [7, 16].contains(&pile.column.x)).count();
        assert!(at_sides > 0 && load.piles.len() > at_sides);
        assert!(load.piles.iter().all(|pile| pile.bottom >= 10), "{:?}", load.piles);
    }
}
