//! What the soil on bodies stands on: how their upper sides lean, and how little friction they have.
//!
//! The upper side of a body lies exactly where the shares of its voxels end, however the voxels step; its slope is
//! found from one column to the next.

use barchan_volume::brick::{EDGE, brick_of, voxel_index};
use barchan_volume::{Brick, Grid};
use glam::{IVec2, IVec3, Vec2};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::floor_law::FloorLaw;
use crate::bodies::{BODY_FULL, BodyFill, BodyId};
use crate::columns::{BodyRun, HEIGHT_ONE, Pile, Tile, height_of};
use crate::in_parts::InParts;
use crate::now::Now;
use crate::reader::BARRIER_SHARE;

/// Upper sides of neighbouring columns belong together where they differ by no more than this (1/32,768 voxel).
const JOINED: i64 = HEIGHT_ONE * 3 / 2;

/// The floor of a pile and the upper side of a body are the same where they differ by no more than this (1/32,768 voxel):
/// a pile leaves aside the last of a body in its voxel.
const SAME: i64 = HEIGHT_ONE / 2;

/// Columns around a tile that slopes are found from.
const MARGIN: i32 = 3;

/// Columns of a tile and of the margin around it, in a row.
const WIDTH: i32 = EDGE + 2 * MARGIN;

/// The upper sides of bodies in the columns of a tile, as far as soil may slide on them that would not slide on itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Footing {
    /// In the order of columns (x * 8 + y).
    sides: Vec<(u8, Side)>,
}

/// The upper side of a body in one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Side {
    /// Where it is in the middle of the column (1/32,768 voxel).
    height: i64,
    /// By how much it rises along x and along y (-).
    pub slope: Vec2,
    /// Coefficient of friction (-).
    pub friction: f32,
}

/// The frictions of all bodies, by their ids.
pub(super) fn frictions(now: &Now<'_>) -> Vec<(BodyId, f32)> {
    now.bodies.iter().map(|body| (body.id, body.spec.friction)).collect()
}

/// The footings of `tiles` in their order, on bodies of these frictions; none where soils slide on themselves first.
/// `laws` are those of all soils.
pub(super) fn footings(
    tiles: &[Tile],
    frictions: &[(BodyId, f32)],
    now: &Now<'_>,
    laws: &[FloorLaw],
) -> Vec<Option<Footing>> {
    let roughest = roughest(laws);
    if frictions.iter().all(|(_, friction)| *friction >= roughest) {
        return vec![None; tiles.len()];
    }
    let of = |tile: &Tile| {
        now.body_fill.shares().column_extent(tile.coord)?;
        Footing::of(tile.coord, Frictions::new(now.body_fill, frictions), roughest)
    };
    tiles.par_iter().in_parts_of(4).map(of).collect()
}

/// Friction from which on all these soils slide on themselves sooner than along a floor (-).
fn roughest(laws: &[FloorLaw]) -> f32 {
    laws.iter().map(FloorLaw::roughest_floor).fold(0.0, f32::max)
}

impl Footing {
    /// The footing on bodies that are smoother than `roughest`. Which soil slides along a side is asked when it lies there: there are
    /// thousands of strengths.
    fn of(tile: IVec2, mut frictions: Frictions<'_>, roughest: f32) -> Option<Self> {
        if frictions.of_bodies.iter().all(|(_, friction)| *friction >= roughest) {
            return None;
        }
        let tops = Tops::around(tile, frictions.fill.shares());
        let mut sides = Vec::new();
        for column in 0..EDGE * EDGE {
            let xy = IVec2::new(column / EDGE, column % EDGE);
            for &height in tops.of(xy) {
                let uppermost = (tile * EDGE + xy).extend((height - 1).div_euclid(HEIGHT_ONE) as i32);
                let friction = frictions.at(uppermost);
                if friction >= roughest {
                    continue;
                }
                sides.push((column as u8, Side { height, slope: tops.slope(xy, height), friction }));
            }
        }
        (!sides.is_empty()).then_some(Self { sides })
    }

    /// The upper side that is the floor of `pile`.
    pub fn under(&self, pile: &Pile) -> Option<&Side> {
        let first = self.sides.partition_point(|(column, _)| *column < pile.column);
        let of_column = self.sides[first..].iter().take_while(|(column, _)| *column == pile.column);
        of_column.map(|(_, side)| side).find(|side| (side.height - pile.floor).abs() <= SAME)
    }
}

impl Side {
    /// True where it leans more than its friction holds, however much soil holds together.
    pub fn lets_go(&self) -> bool {
        self.slope.length() > self.friction
    }

    /// True where soil of this law slides along it sooner than on itself.
    pub fn is_weak(&self, law: &FloorLaw) -> bool {
        law.is_weak(self.slope.length(), self.friction)
    }
}

/// Heights of all upper sides of bodies in the columns of a tile and of the margin around it (1/32,768 voxel).
struct Tops {
    heights: Vec<i64>,
    /// Where those of each column begin, x slowest.
    first: Vec<u32>,
}

impl Tops {
    fn around(tile: IVec2, shares: &Grid<u16>) -> Self {
        let stacks: [Vec<(i32, &Brick<u16>)>; 9] = std::array::from_fn(|i| {
            let coord = tile + IVec2::new(i as i32 / 3 - 1, i as i32 % 3 - 1);
            let (low, high) = shares.column_extent(coord).unwrap_or((0, -1));
            (low..=high).filter_map(|z| Some((z, shares.stored(coord.extend(z))?))).collect()
        });
        let mut tops = Self { heights: Vec::new(), first: vec![0] };
        for at in 0..WIDTH * WIDTH {
            let xy = IVec2::new(at / WIDTH, at % WIDTH) - MARGIN;
            let stack = &stacks[(((xy.x >> 3) + 1) * 3 + (xy.y >> 3) + 1) as usize];
            climb(stack, (((xy.x & 7) << 3) | (xy.y & 7)) as usize, &mut tops.heights);
            tops.first.push(tops.heights.len() as u32);
        }
        tops
    }

    /// Those of column `xy` (from the corner of the tile), upwards.
    fn of(&self, xy: IVec2) -> &[i64] {
        let at = ((xy.x + MARGIN) * WIDTH + xy.y + MARGIN) as usize;
        &self.heights[self.first[at] as usize..self.first[at + 1] as usize]
    }

    fn slope(&self, xy: IVec2, height: i64) -> Vec2 {
        Vec2::new(self.slope_along(IVec2::X, xy, height), self.slope_along(IVec2::Y, xy, height))
    }

    /// The median of the rises between the columns around. At an edge the body takes only part of a column, which looks as if
    /// it fell off there, and at a wall as if it rose: most columns are right.
    fn slope_along(&self, axis: IVec2, xy: IVec2, height: i64) -> f32 {
        let (mut rises, mut count) = ([0; 2 * MARGIN as usize], 0);
        for forwards in [1, -1] {
            let mut from = height;
            for steps in 1..=MARGIN {
                let Some(to) = self.joined(xy + axis * forwards * steps, from) else { break };
                rises[count] = (to - from) * i64::from(forwards);
                (from, count) = (to, count + 1);
            }
        }
        let rises = &mut rises[..count];
        rises.sort_unstable();
        // Of two in the middle the less steep.
        let middle = [rises.get(count.saturating_sub(1) / 2), rises.get(count / 2)];
        let median = middle.into_iter().flatten().min_by_key(|rise| rise.abs());
        median.copied().unwrap_or(0) as f32 / HEIGHT_ONE as f32
    }

    /// The upper side in column `xy` that goes on from one at `height` in the next column.
    fn joined(&self, xy: IVec2, height: i64) -> Option<i64> {
        let nearest = self.of(xy).iter().copied().min_by_key(|other| (other - height).abs())?;
        ((nearest - height).abs() <= JOINED).then_some(nearest)
    }
}

/// Follows a column of bodies upwards and notes where they end.
fn climb(stack: &[(i32, &Brick<u16>)], column: usize, heights: &mut Vec<i64>) {
    let (mut z, mut run) = (i32::MIN, BodyRun::default());
    for (brick_z, brick) in stack {
        let base = brick_z * EDGE;
        if base != z {
            heights.extend(run.end().map(|run| top(z, run)));
            z = base;
        }
        match brick {
            Brick::Uniform(BODY_FULL) => (z, run) = (base + EDGE, BodyRun::SOLID),
            brick => {
                for at in column * EDGE as usize..(column + 1) * EDGE as usize {
                    heights.extend(run.climb(brick.get(at)).map(|run| top(z, run)));
                    z += 1;
                }
            }
        }
    }
    heights.extend(run.end().map(|run| top(z, run)));
}

/// Where a run of a body ends (1/32,768 voxel) below the voxel at `z`, of which it takes nothing.
///
/// A leaning side may cut both of its last voxels. Where it takes more than half of the upper one it does not: it would have to
/// be steeper than 45°. The lower side cuts neither, for bodies are made thick enough for that.
fn top(z: i32, run: BodyRun) -> i64 {
    if run.last > BARRIER_SHARE || run.before == 0 {
        height_of(z - 1) + i64::from(run.last)
    } else {
        height_of(z - 2) + i64::from(run.before) + i64::from(run.last)
    }
}

/// Which friction bodies have in which voxel.
struct Frictions<'a> {
    fill: &'a BodyFill,
    /// In the order of their ids.
    of_bodies: &'a [(BodyId, f32)],
    /// Of bricks with bodies of different friction: what each of them takes.
    own: FxHashMap<IVec3, Vec<(f32, Brick<u16>)>>,
}

impl<'a> Frictions<'a> {
    fn new(fill: &'a BodyFill, of_bodies: &'a [(BodyId, f32)]) -> Self {
        Self { fill, of_bodies, own: FxHashMap::default() }
    }

    /// The friction of the body that takes most of voxel `p`.
    fn at(&mut self, p: IVec3) -> f32 {
        let &mut Self { fill, of_bodies, .. } = self;
        let brick = brick_of(p);
        let friction = |id: BodyId| {
            let at = of_bodies.binary_search_by_key(&id, |(other, _)| *other);
            at.map_or(f32::INFINITY, |at| of_bodies[at].1)
        };
        let ids = fill.bodies_in(brick);
        let first = ids.first().map_or(f32::INFINITY, |id| friction(*id));
        if ids.iter().all(|id| friction(*id) == first) {
            return first;
        }
        let all_own = || ids.iter().filter_map(|id| Some((friction(*id), fill.own(*id, brick)?))).collect();
        let own = self.own.entry(brick).or_insert_with(all_own);
        let most = own.iter().max_by_key(|(_, shares)| shares.get(voxel_index(p)));
        most.map_or(first, |(friction, _)| *friction)
    }
}

#[cfg(test)]
mod tests {
    use barchan_volume::{Pose, Shape, VoxelBox};
    use glam::{Quat, Vec3};

    use super::*;
    use crate::bodies::{BodySpec, Motion};
    use crate::slip::rule::Strength;

    const FRICTION: f32 = 0.1;

    /// A plate thinner than a voxel of 1 m, in the middle of 2 by 2 tiles.
    fn sides_of_plate(rotation: Quat) -> Vec<(IVec2, Side)> {
        let mut bodies = crate::bodies::Bodies::default();
        let shape = Shape::Box { half_extents: Vec3::new(5.3, 5.3, 0.1) };
        let pose = Pose { translation: Vec3::new(8.1, 7.8, 8.4), rotation };
        let spec = BodySpec::new("plate", shape, pose, Motion::Fixed);
        bodies.insert(BodySpec { friction: FRICTION, ..spec }).expect("a sound body");
        let mut fill = BodyFill::new();
        fill.update(&bodies, 1.0, Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(16))));
        let strength = Strength { tan_phi: 2.0, cohesion_pa: 0.0, gamma_n_m3: 1.0 };
        let frictions: Vec<_> = bodies.iter().map(|body| (body.id, body.spec.friction)).collect();
        let tiles = (0..4).map(|i| IVec2::new(i / 2, i % 2));
        let in_world =
            |tile: IVec2, column: u8| tile * EDGE + IVec2::from(((column / 8).into(), (column % 8).into()));
        let of_tile = |tile| {
            Footing::of(tile, Frictions::new(&fill, &frictions), roughest(&[FloorLaw::of(&strength, false)]))
                .map(|footing| (tile, footing))
        };
        let footings = tiles.filter_map(of_tile);
        footings
            .flat_map(|(tile, footing)| {
                footing.sides.into_iter().map(move |(c, side)| (in_world(tile, c), side))
            })
            .collect()
    }

    #[test]
    fn a_leaning_plate_has_its_slope_in_every_column_that_it_covers() {
        for (pitch_deg, yaw_deg) in [(0.0_f32, 0.0_f32), (3.0, 0.0), (20.0, 0.0), (20.0, 90.0), (30.0, 180.0)]
        {
            let yaw = Quat::from_rotation_z(yaw_deg.to_radians());
            let normal = yaw * Quat::from_rotation_y(pitch_deg.to_radians()) * Vec3::Z;
            let expected = -normal.truncate() / normal.z;
            let mut covered = 0;
            for (column, side) in sides_of_plate(yaw * Quat::from_rotation_y(pitch_deg.to_radians())) {
                // Right at the edges columns are covered only in part.
                let own = yaw.inverse() * (column.as_vec2() + 0.5 - Vec2::new(8.1, 7.8)).extend(0.0);
                if own.x.abs() < 3.5 * normal.z && own.y.abs() < 4.5 {
                    let off = (side.slope - expected).length();
                    assert!(off < 1e-3 && side.friction == FRICTION, "{column}: {side:?}, not {expected}");
                    covered += 1;
                }
            }
            assert!(covered >= 48, "{covered} columns at {pitch_deg}°");
        }
    }
}
