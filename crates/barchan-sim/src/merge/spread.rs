//! Laying soil down around a place, so that no spike appears: a tent over the columns around, whole units, all or none.

use barchan_volume::VoxelBox;
use glam::{DVec3, IVec2, IVec3};

use crate::columns::{Look, Patch};
use crate::material::Materials;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Parcel;

/// Half the width of the tent over the diameter of what is laid down, at least (-).
const WIDTH: f64 = 2.2;

/// The tent rises by no more than this (voxels), as far as it may be so wide for it (voxels).
const RISE: f64 = 0.17;
const WIDEST: f64 = 6.0;

/// Steepest way along which soil spreads: height over width of the tent (-).
const STEEPEST: f64 = 1.0;

/// What is to be laid down.
#[derive(Clone, Copy, Debug)]
pub struct Lump {
    /// Where its middle is (m).
    pub at_m: DVec3,
    /// Its radius (m).
    pub radius_m: f64,
    /// The soil; units and water may be more than a voxel holds.
    pub soil: Parcel,
    /// How much (units).
    pub units: u64,
    /// The water in it (units).
    pub water: u64,
}

/// Where the ground is below a place, if the place lies on it: the highest voxel of ground there, no body between.
pub fn ground_below(
    at_m: DVec3,
    reach_m: f64,
    voxel_m: f64,
    patch: &mut Patch<'_>,
    materials: &Materials,
) -> Option<IVec3> {
    let middle = (at_m / voxel_m).floor().as_ivec3();
    let lowest = ((at_m.z - reach_m) / voxel_m).floor() as i32;
    let mut z = middle.z;
    while z >= lowest {
        let p = middle.with_z(z);
        let (voxel, body) = patch.look(p);
        if body > 0 {
            return None;
        }
        if 2 * (voxel.rock_share(materials) + voxel.soil_share()) >= LOOSE_FULL {
            return Some(p);
        }
        z -= 1;
    }
    None
}

/// Lays a lump down on the columns around it; false, and nothing happened, where there is no room for all of it.
pub fn lay_down(
    lump: &Lump,
    voxel_m: f64,
    bounds: Option<VoxelBox>,
    patch: &mut Patch<'_>,
    materials: &Materials,
) -> bool {
    let columns = columns_around(lump, voxel_m, bounds, patch, materials);
    let total: f64 = columns.iter().map(|column| column.weight).sum();
    if total <= 0.0 {
        return false;
    }
    let e = lump.soil.void_ratio;
    // Whole units, whose rounding never adds up to more than one: what is due up to a column less what went before it.
    let (mut plan, mut passed, mut given, mut over) = (Vec::new(), 0.0, 0u64, 0u64);
    for column in &columns {
        passed += column.weight;
        let due = ((lump.units as f64 * (passed / total)).round() as u64).clamp(given, lump.units);
        over += (due - given) - place(column, due - given, e, patch, &mut plan);
        given = due;
    }
    over += lump.units - given;
    // What found no room goes wherever there is some left, the lowest columns first.
    let mut by_height: Vec<&Column> = columns.iter().collect();
    by_height.sort_by_key(|column| (column.ground, column.at.to_array()));
    for column in by_height {
        if over > 0 {
            over -= place(column, over, e, patch, &mut plan);
        }
    }
    if over > 0 {
        return false;
    }
    let Some(waters) = share_water(lump, &plan) else { return false };
    for ((p, units), water) in plan.into_iter().zip(waters) {
        patch.add(p, Parcel { units: units as u16, water: water as u16, ..lump.soil });
    }
    true
}

/// The water that goes with each part of a plan, no more than its pores hold; none where they do not hold all of it.
fn share_water(lump: &Lump, plan: &[(IVec3, u32)]) -> Option<Vec<u32>> {
    let pores = |units: u32| {
        let solid = VoidRatio(0).share_of(units);
        lump.soil.void_ratio.share_of(units).saturating_sub(solid + 1)
    };
    let even =
        |units: u32| (u128::from(lump.water) * u128::from(units) / u128::from(lump.units.max(1))) as u32;
    let mut waters: Vec<u32> = plan.iter().map(|(_, units)| even(*units).min(pores(*units))).collect();
    let mut left = lump.water - waters.iter().map(|water| u64::from(*water)).sum::<u64>();
    for (water, (_, units)) in waters.iter_mut().zip(plan) {
        let more = u64::from(pores(*units) - *water).min(left);
        *water += more as u32;
        left -= more;
    }
    (left == 0).then_some(waters)
}

/// A column that takes part.
struct Column {
    at: IVec2,
    /// The highest voxel of ground in it (voxels).
    ground: i32,
    /// The highest voxel that may be filled (voxels).
    top: i32,
    /// Its share, before all are made to add up to one.
    weight: f64,
}

/// The columns that soil spreads to from where the lump lies, with their weights.
fn columns_around(
    lump: &Lump,
    voxel_m: f64,
    bounds: Option<VoxelBox>,
    patch: &mut Patch<'_>,
    materials: &Materials,
) -> Vec<Column> {
    let voxels = lump.soil.void_ratio.room_of(1) as f64 / VoidRatio::REFERENCE.room_of(1) as f64
        * (lump.units as f64 / f64::from(LOOSE_FULL));
    let low_enough = (voxels / RISE).sqrt().min(WIDEST);
    let wide = (2.0 * WIDTH * lump.radius_m / voxel_m).max(low_enough).max(1.5);
    let at = lump.at_m / voxel_m;
    let middle = DVec3::new(at.x - 0.5, at.y - 0.5, at.z);
    let low = (middle.truncate() - wide).ceil().as_ivec2();
    let high = (middle.truncate() + wide).floor().as_ivec2();
    let bottom = at.z - lump.radius_m / voxel_m;
    let mut columns = Vec::new();
    for x in low.x..=high.x {
        for y in low.y..=high.y {
            let off = (IVec2::new(x, y).as_dvec2() - middle.truncate()).abs();
            let weight = (1.0 - off.x / wide) * (1.0 - off.y / wide);
            if weight <= 0.0 {
                continue;
            }
            let reach = STEEPEST * off.length() + 1.0;
            let (first, last) = ((at.z + 0.5 * reach).floor() as i32, (bottom - reach).floor() as i32 - 1);
            let column = IVec2::new(x, y);
            if let Some(ground) = surface(column, first, last, bounds, patch, materials) {
                columns.push(Column { at: column, ground, top: first, weight });
            }
        }
    }
    columns
}

/// The highest voxel of ground between two heights; none where a body or a wall is above it, or it is higher, or there is none.
fn surface(
    column: IVec2,
    first: i32,
    last: i32,
    bounds: Option<VoxelBox>,
    patch: &mut Patch<'_>,
    materials: &Materials,
) -> Option<i32> {
    for z in (last..=first).rev() {
        let p = column.extend(z);
        if bounds.is_some_and(|bounds| !bounds.contains(p)) {
            // On the floor of the world soil lies as on ground.
            return (z < first && bounds.is_some_and(|bounds| z < bounds.min.z)).then_some(z);
        }
        let (voxel, body) = patch.look(p);
        if body > 0 {
            return None;
        }
        if 2 * (voxel.rock_share(materials) + voxel.soil_share()) >= LOOSE_FULL {
            return (z < first).then_some(z);
        }
    }
    None
}

/// Plans to put up to `units` into a column from its ground up, beside what is planned already; says how many find room.
fn place(
    column: &Column,
    units: u64,
    void_ratio: VoidRatio,
    patch: &mut Patch<'_>,
    plan: &mut Vec<(IVec3, u32)>,
) -> u64 {
    let mut left = units;
    for z in column.ground..=column.top {
        if left == 0 {
            break;
        }
        let p = column.at.extend(z);
        let planned: u32 = plan.iter().filter(|(q, _)| *q == p).map(|(_, units)| *units).sum();
        let room = patch.room(p, void_ratio).saturating_sub(planned);
        let here = left.min(u64::from(room));
        if here > 0 {
            plan.push((p, here as u32));
            left -= here;
        }
    }
    units - left
}
