//! Bricks of ground on their way into the archive and out of it, to the bit.
//!
//! In the archive the material of a voxel is its kind plus one where at least half of it is filled, and its contents are its bytes.
//! One voxel of every material needs no contents: the first of which a whole brick was made.

use std::cmp::Ordering;

use barchan_volume::Brick;
use barchan_volume::archive::{Change, Contents, Cube, Leaf, Rare, SPAN, Value, Verdict, View};
use barchan_volume::brick::{EDGE, VOXELS, brick_box, voxel_index};
use glam::IVec3;

use crate::ground::GroundBrick;
use crate::material::Materials;
use crate::voxel::{Channel, SideEntry, SideList, Voxel};

/// Level of a cube as large as a brick.
const BRICK: u32 = 3;
/// Voxels of a leaf.
const LEAF_VOXELS: usize = 64;

/// Which voxel is meant by a whole one of each material.
#[derive(Clone, Debug)]
pub(super) struct Wholes([Option<Voxel>; 256]);

impl Wholes {
    pub fn new() -> Self {
        Self([None; 256])
    }

    /// Learns from bricks that are all of one voxel. What is known stays.
    pub fn learn(&mut self, bricks: &[(IVec3, GroundBrick)], materials: &Materials) {
        for voxel in bricks.iter().filter_map(|(_, brick)| brick.voxels.uniform()) {
            let material = usize::from(material_of(&voxel, materials));
            if material != 0 && self.0[material].is_none() {
                self.0[material] = Some(voxel);
            }
        }
    }

    fn value(&self, voxel: Voxel, materials: &Materials) -> Value {
        if voxel == Voxel::AIR {
            return Value::AIR;
        }
        let material = material_of(&voxel, materials);
        if material != 0 && self.0[usize::from(material)] == Some(voxel) {
            return Value::whole(material);
        }
        let bytes = voxel.to_bytes();
        let word = |at: usize| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]);
        Value { material, contents: Some(std::array::from_fn(word)) }
    }

    fn voxel(&self, value: Value) -> Voxel {
        match value.contents {
            Some(contents) => from_contents(contents),
            None => self.0[usize::from(value.material)].unwrap_or(Voxel::AIR),
        }
    }

    /// The brick at `coord` as the archive has it.
    pub fn brick(&self, view: View<'_>, coord: IVec3) -> GroundBrick {
        let cube = Cube { min: coord * EDGE, level: BRICK };
        if let Some(value) = view.only(cube) {
            return GroundBrick::plain(Brick::Uniform(self.voxel(value)));
        }
        let (mut voxels, mut rare) = ([Voxel::AIR; VOXELS], Vec::new());
        view.read_leaves(cube, |min, leaf| {
            for at in 0..LEAF_VOXELS {
                voxels[voxel_index(min + offset(at))] = self.voxel(leaf.get(at));
            }
            for entry in leaf.rare() {
                let voxel = voxel_index(min + offset(usize::from(entry.voxel))) as u16;
                rare.extend(from_rare(voxel, entry.data));
            }
        });
        rare.sort_unstable_by_key(|entry: &SideEntry| (entry.voxel, entry.channel, entry.key));
        let side = SideList::from_entries(rare).unwrap_or_default();
        GroundBrick { voxels: Brick::from_values(&voxels), side }
    }
}

/// Puts bricks into the archive.
pub(super) struct Shelve<'a> {
    /// In the order of [`along`].
    bricks: Vec<(IVec3, GroundBrick)>,
    wholes: &'a Wholes,
    materials: &'a Materials,
}

impl<'a> Shelve<'a> {
    pub fn new(mut bricks: Vec<(IVec3, GroundBrick)>, wholes: &'a Wholes, materials: &'a Materials) -> Self {
        bricks.sort_unstable_by(|(a, _), (b, _)| along(*a, *b));
        Self { bricks, wholes, materials }
    }

    /// The bricks that lie in `cube`, which is at least as large as one.
    fn inside(&self, cube: Cube) -> &[(IVec3, GroundBrick)] {
        let low = cube.min >> BRICK as i32;
        let high = (cube.min + (cube.edge() - 1)) >> BRICK as i32;
        let from = self.bricks.partition_point(|(coord, _)| along(*coord, low) == Ordering::Less);
        let count =
            self.bricks[from..].partition_point(|(coord, _)| along(*coord, high) != Ordering::Greater);
        &self.bricks[from..from + count]
    }
}

impl Change for Shelve<'_> {
    fn of_cube(&self, _: View<'_>, cube: Cube, _: Option<u8>) -> Verdict {
        if cube.level < BRICK {
            return Verdict::Cut;
        }
        match self.inside(cube) {
            [] => Verdict::Keep,
            [(_, brick)] if cube.level == BRICK && brick.side.is_empty() => {
                let value = brick.voxels.uniform().map(|voxel| self.wholes.value(voxel, self.materials));
                match value {
                    Some(Value { material, contents: None }) => Verdict::Whole(material),
                    _ => Verdict::Cut,
                }
            }
            _ => Verdict::Cut,
        }
    }

    fn of_leaf(&self, _: View<'_>, min: IVec3, leaf: &mut Leaf) {
        let [(_, brick)] = self.inside(Cube::around(min, BRICK)) else { return };
        match &brick.voxels {
            Brick::Uniform(voxel) => leaf.set_all(self.wholes.value(*voxel, self.materials)),
            Brick::Dense(voxels) => {
                leaf.fill(!0, 0);
                for at in 0..LEAF_VOXELS {
                    let voxel = voxels[voxel_index(min + offset(at))];
                    if voxel != Voxel::AIR {
                        leaf.set(at, self.wholes.value(voxel, self.materials));
                    }
                }
            }
        }
        if brick.side.is_empty() {
            return;
        }
        for at in 0..LEAF_VOXELS {
            let voxel = voxel_index(min + offset(at));
            for entry in Channel::ALL.into_iter().flat_map(|channel| brick.side.of(voxel, channel)) {
                leaf.add_rare(Rare { voxel: at as u8, data: to_rare(entry) });
            }
        }
    }
}

/// True when all of brick `coord` lies in an archive.
pub(super) fn fits(coord: IVec3) -> bool {
    let half = SPAN / 2 / EDGE;
    coord.cmpge(IVec3::splat(-half)).all() && coord.cmplt(IVec3::splat(half)).all() && {
        Cube::ALL.voxels().contains_box(&brick_box(coord))
    }
}

/// The order in which cubes of the archive come: those of a larger cube follow one another.
fn along(a: IVec3, b: IVec3) -> Ordering {
    // Numbers below zero come first.
    let [a, b] = [a, b].map(|p| (p ^ IVec3::splat(i32::MIN)).as_uvec3());
    let differ = a ^ b;
    let highest = |bits: u32| 32 - bits.leading_zeros();
    let top = [highest(differ.x), highest(differ.y), highest(differ.z)];
    let axis = if top[0] >= top[1] && top[0] >= top[2] {
        0
    } else if top[1] >= top[2] {
        1
    } else {
        2
    };
    a[axis].cmp(&b[axis])
}

fn material_of(voxel: &Voxel, materials: &Materials) -> u8 {
    if voxel.fill(materials) >= 0.5 { voxel.kind().0.saturating_add(1) } else { 0 }
}

fn from_contents(contents: Contents) -> Voxel {
    let mut bytes = [0; Voxel::BYTES];
    for (pair, word) in bytes.chunks_exact_mut(2).zip(contents) {
        pair.copy_from_slice(&word.to_le_bytes());
    }
    Voxel::from_bytes(bytes)
}

fn offset(at: usize) -> IVec3 {
    IVec3::new(at as i32 >> 4, at as i32 >> 2 & 3, at as i32 & 3)
}

fn to_rare(entry: &SideEntry) -> u32 {
    (entry.channel as u32) << 24 | u32::from(entry.key) << 16 | u32::from(entry.value)
}

fn from_rare(voxel: u16, data: u32) -> Option<SideEntry> {
    let [_, _, key, channel] = data.to_le_bytes();
    let channel = Channel::ALL.into_iter().find(|known| *known as u8 == channel)?;
    Some(SideEntry { voxel, channel, key, value: data as u16 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bricks_of_a_cube_follow_one_another() {
        let region = barchan_volume::VoxelBox::new(IVec3::splat(-8), IVec3::splat(8));
        let mut bricks: Vec<IVec3> = region.cells().collect();
        bricks.sort_unstable_by(|a, b| along(*a, *b));
        for level in 1..4 {
            let of = |p: IVec3| p >> level;
            let changes = bricks.windows(2).filter(|pair| of(pair[0]) != of(pair[1])).count();
            assert_eq!(changes + 1, 1 << (3 * (4 - level)));
        }
    }
}
