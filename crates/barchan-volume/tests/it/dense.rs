//! The plain model that the grid is compared with: one array, and edits drawn at random for both.

use barchan_volume::brick::{VOXELS, brick_box};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::IVec3;
use proptest::prelude::*;

/// Half the edge of the model (voxels): two bricks to each side of its middle.
pub const HALF: i32 = 16;

/// A box of voxels in one array, around `middle`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    pub region: VoxelBox,
    pub values: Vec<u8>,
}

impl Dense {
    pub fn new(middle: IVec3, background: u8) -> Self {
        let region = VoxelBox::new(middle - HALF, middle + HALF);
        Self { region, values: vec![background; region.volume() as usize] }
    }

    pub fn get(&self, p: IVec3) -> u8 {
        self.values[self.region.index(p)]
    }

    pub fn set(&mut self, p: IVec3, value: u8) {
        let at = self.region.index(p);
        self.values[at] = value;
    }

    pub fn read(&self, region: VoxelBox) -> Vec<u8> {
        region.cells().map(|p| self.get(p)).collect()
    }

    pub fn write(&mut self, region: VoxelBox, values: &[u8]) {
        for (p, value) in region.cells().zip(values) {
            self.set(p, *value);
        }
    }
}

/// One change; boxes and voxels are relative to the middle.
#[derive(Clone, Debug)]
pub enum Edit {
    Set(IVec3, u8),
    Fill(VoxelBox, u8),
    Write(VoxelBox, Vec<u8>),
    WriteColumn(VoxelBox, Vec<u8>),
    Replace(IVec3, Option<u8>),
    SetInPlace(IVec3, u8),
    Compact,
}

impl Edit {
    pub fn apply(&self, middle: IVec3, grid: &mut Grid<u8>, dense: &mut Dense) {
        let moved = |region: &VoxelBox| VoxelBox::new(region.min + middle, region.max + middle);
        match self {
            Self::Set(p, value) => {
                grid.set(*p + middle, *value);
                dense.set(*p + middle, *value);
            }
            Self::Fill(region, value) => {
                let region = moved(region);
                grid.fill_box(region, *value);
                dense.write(region, &vec![*value; region.volume() as usize]);
            }
            Self::Write(region, values) => {
                grid.write_box(moved(region), values);
                dense.write(moved(region), values);
            }
            Self::WriteColumn(region, values) => {
                let region = moved(region);
                grid.write_column(region.min.truncate(), region.min.z..region.max.z, values);
                dense.write(region, values);
            }
            Self::Replace(coord, value) => replace(*coord + (middle >> 3), *value, grid, dense),
            Self::SetInPlace(p, value) => {
                let p = *p + middle;
                let brick = grid.brick_mut(barchan_volume::brick::brick_of(p));
                brick.make_mut()[barchan_volume::brick::voxel_index(p)] = *value;
                dense.set(p, *value);
            }
            Self::Compact => grid.compact(),
        }
    }
}

/// Puts a uniform brick, or a dense one without a value, and checks what comes back.
fn replace(coord: IVec3, value: Option<u8>, grid: &mut Grid<u8>, dense: &mut Dense) {
    let values: [u8; VOXELS] = std::array::from_fn(|i| value.unwrap_or((i % 5 / 2) as u8));
    let brick = value.map_or(Brick::from_values(&values), Brick::Uniform);
    let old = grid.replace(coord, brick);
    let mut read = [0; VOXELS];
    old.copy_to(&mut read);
    assert_eq!(read.to_vec(), dense.read(brick_box(coord)), "replace returned something else");
    dense.write(brick_box(coord), &values);
}

/// A voxel relative to the middle, often on the border of a brick.
pub fn voxel() -> impl Strategy<Value = IVec3> {
    let side = || prop_oneof![-HALF..HALF, prop::sample::select(vec![-16, -9, -8, -1, 0, 7, 8, 15])];
    (side(), side(), side()).prop_map(IVec3::from)
}

/// A box relative to the middle; sometimes empty, sometimes whole bricks.
pub fn region() -> impl Strategy<Value = VoxelBox> {
    let any = || (voxel(), voxel()).prop_map(|(a, b)| VoxelBox::new(a.min(b), a.max(b)));
    let small = (voxel(), 1..4i32).prop_map(|(a, edge)| VoxelBox::new(a, (a + edge).min(IVec3::splat(HALF))));
    let bricks = any().prop_map(|b| {
        let bricks = b.to_bricks();
        VoxelBox::new(bricks.min * 8, bricks.max * 8)
    });
    prop_oneof![any(), small, bricks]
}

fn edit() -> impl Strategy<Value = Edit> {
    let filled = |region: VoxelBox| {
        prop::collection::vec(0..3u8, region.volume() as usize).prop_map(move |v| (region, v))
    };
    let small = (voxel(), voxel()).prop_map(|(a, b)| VoxelBox::new(a, a.max(b).min(a + 9)));
    let column = (voxel(), 0..2 * HALF)
        .prop_map(|(a, height)| VoxelBox::new(a, IVec3::new(a.x + 1, a.y + 1, (a.z + height).min(HALF))));
    let coord = (-2..2, -2..2, -2..2).prop_map(IVec3::from);
    prop_oneof![
        4 => (voxel(), 0..3u8).prop_map(|(p, v)| Edit::Set(p, v)),
        3 => (region(), 0..3u8).prop_map(|(b, v)| Edit::Fill(b, v)),
        3 => small.prop_flat_map(filled).prop_map(|(b, v)| Edit::Write(b, v)),
        2 => column.prop_flat_map(filled).prop_map(|(b, v)| Edit::WriteColumn(b, v)),
        2 => (coord, prop::option::of(0..3u8)).prop_map(|(c, v)| Edit::Replace(c, v)),
        2 => (voxel(), 0..3u8).prop_map(|(p, v)| Edit::SetInPlace(p, v)),
        1 => Just(Edit::Compact),
    ]
}

pub fn edits(count: usize) -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec(edit(), 0..count)
}

/// Where the edits happen: at the origin and far from it.
pub fn middle() -> impl Strategy<Value = IVec3> {
    let far = 1 << 28;
    let side = move || prop::sample::select(vec![0, 0, far, -far]);
    (side(), side(), side()).prop_map(IVec3::from)
}

/// Both structures after the same edits.
pub fn edited(middle: IVec3, edits: &[Edit]) -> (Grid<u8>, Dense) {
    let (mut grid, mut dense) = (Grid::new(0), Dense::new(middle, 0));
    for edit in edits {
        edit.apply(middle, &mut grid, &mut dense);
    }
    (grid, dense)
}
