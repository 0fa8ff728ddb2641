//! How a block makes room for the strips along its sides.
//!
//! Vertices in the outermost cells give way inwards, most of them along the surface. A vertex on a border of the block
//! belongs to neighbours of the same level too. It moves only as all of them would have it; and where blocks touch in
//! an edge or corner without a common side, each moves its own to its own side, so that no two vertices meet.

use glam::{IVec3, Vec3};

use super::key::Neighbours;

/// Width of a strip (cells of the block).
const WIDTH: f32 = 0.3;

/// How far vertices give way along the surface rather than straight: all of the way would let a strip beside a surface
/// parallel to it vanish.
const ALONG: f32 = 0.9;

/// Where a vertex at `place` in a block of `cells` gives way to, if it follows all the way or only in part (all in
/// samples of the block).
pub(super) fn moved(place: Vec3, normal: Vec3, follows: f32, neighbours: Neighbours, cells: i32) -> Vec3 {
    // Rounded, so that the sum is exact and the same in all blocks that have the vertex.
    let steps = room(place, normal, neighbours, cells) * (follows * 65_536.0);
    place + steps.round() / 65_536.0
}

/// How far a vertex gives way that follows all the way.
fn room(place: Vec3, normal: Vec3, neighbours: Neighbours, cells: i32) -> Vec3 {
    let high = cells as f32;
    let is_inner = place.cmpge(Vec3::ONE).all() && place.cmple(Vec3::splat(high - 1.0)).all();
    if is_inner || !neighbours.any_finer() {
        return Vec3::ZERO;
    }
    // -1 or 1 for each axis on whose low or high side the vertex lies.
    let on =
        IVec3::from_array(place.to_array().map(|along| i32::from(along == high) - i32::from(along == 0.0)));
    let Some(owners) = Owners::of(on, neighbours) else { return Vec3::ZERO };
    let mut straight = Vec3::ZERO;
    for axis in 0..3 {
        let depth = [place[axis], high - place[axis]];
        for (step, depth) in [-1, 1].into_iter().zip(depth).filter(|(_, depth)| *depth < 1.0) {
            let mut beyond = IVec3::ZERO;
            beyond[axis] = step;
            let gives_way = if on[axis] == 0 {
                owners.steps().all(|owner| neighbours.is_finer(owner + beyond))
            } else {
                owners.steps().all(|owner| owner[axis] == 0)
            };
            if gives_way {
                straight[axis] -= step as f32 * WIDTH * (1.0 - depth);
            }
        }
    }
    straight - normal * (normal.dot(straight) * ALONG)
}

/// The blocks of the same level that have a vertex in common, each beside another of them.
struct Owners {
    on: IVec3,
    /// A bit for each of the eight blocks around the vertex; bit 0 is the block itself.
    set: u8,
}

impl Owners {
    /// The owners of a vertex that lies on the sides `on`. `None` when a coarser block has it too.
    fn of(on: IVec3, neighbours: Neighbours) -> Option<Self> {
        let mut owners = Self { on, set: 1 };
        let axes = (0..3).filter(|axis| on[*axis] != 0).fold(0_u8, |axes, axis| axes | 1 << axis);
        let mut open = vec![0_u8];
        while let Some(corner) = open.pop() {
            for beside in (0..3).map(|axis| corner ^ 1 << axis).filter(|beside| beside & !axes == 0) {
                let step = owners.step(beside);
                if neighbours.is_same(step) {
                    if owners.set >> beside & 1 == 0 {
                        owners.set |= 1 << beside;
                        open.push(beside);
                    }
                } else if !neighbours.is_finer(step) {
                    return None;
                }
            }
        }
        Some(owners)
    }

    fn step(&self, corner: u8) -> IVec3 {
        let bit = |axis: u8| i32::from(corner >> axis & 1);
        self.on * IVec3::new(bit(0), bit(1), bit(2))
    }

    fn steps(&self) -> impl Iterator<Item = IVec3> + '_ {
        (0..8).filter(|corner| self.set >> corner & 1 == 1).map(|corner| self.step(corner))
    }
}
