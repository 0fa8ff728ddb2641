//! Ground of all that may be in the way, for fast searches to be compared with plain ones.

use barchan_volume::{Grid, VoxelBox};
use glam::{IVec2, IVec3};
use rustc_hash::FxHashMap;

use crate::columns::{Field, Space};
use crate::ground::Ground;
use crate::material::{MaterialId, Materials};
use crate::units::VoidRatio;
use crate::voxel::{Marks, Voxel};

/// Numbers that look drawn by lot.
pub(super) struct Lots(pub u64);

impl Lots {
    pub fn below(&mut self, below: i32) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % below as u64) as i32
    }
}

/// Terraces, pits, ledges, caves and lone blocks of soils of all kinds, broken or not, and of rock.
fn rough_ground(lots: &mut Lots, voxel_size_m: f32, materials: &Materials) -> Ground {
    let size = IVec3::new(56, 40, 40);
    let mut ground = Ground::new(voxel_size_m, Some(VoxelBox::new(IVec3::ZERO, size)));
    let kind = |name: &str| materials.find(name).unwrap();
    let soil = |kind: MaterialId, e: f32| {
        let void_ratio = VoidRatio::from_f32(e);
        let mut voxel = Voxel::of_soil(void_ratio.capacity() as u16, kind, void_ratio);
        voxel.marks = Marks(if e > 0.7 { Marks::TOP_MOVED } else { 0 });
        voxel
    };
    let stuff = [
        soil(kind("wet_sand"), 0.62),
        soil(kind("loam"), 0.6),
        soil(kind("clay"), 0.6),
        soil(kind("wet_sand"), 0.8),
        soil(kind("dry_sand"), 0.65),
        Voxel::of_rock(50_000, kind("granite")),
        Voxel::AIR,
        Voxel::AIR,
    ];
    // The upper side leans by as many tenths of a voxel per column.
    let mut fill = |low: IVec3, high: IVec3, lean: IVec2, voxel: Voxel| {
        for xy in VoxelBox::new(low.with_z(0), high.min(size).with_z(1)).cells() {
            let top = (10 * high.z + (xy - low).truncate().dot(lean)).clamp(0, 10 * size.z);
            for z in low.z..=top.div_euclid(10) {
                let share = (top - 10 * z).clamp(0, 10) as u16;
                let whole = voxel.rock > 0 || voxel == Voxel::AIR;
                let voxel = Voxel { top: voxel.top / 10 * share, ..voxel };
                if z < size.z && (share > 0 && (whole || voxel.top > 0)) {
                    ground.set_voxel(xy.with_z(z), voxel);
                }
            }
        }
    };
    let level = 6 + lots.below(8);
    fill(IVec3::ZERO, IVec3::new(56, 40, level), IVec2::ZERO, stuff[lots.below(3) as usize]);
    for _ in 0..12 {
        let low = IVec3::new(lots.below(50), lots.below(36), lots.below(14));
        let extent = IVec3::new(3 + lots.below(30), 3 + lots.below(20), 1 + lots.below(16));
        let lean = IVec2::new(lots.below(31) - 15, lots.below(31) - 15) * lots.below(2);
        fill(low, low + extent, lean, stuff[lots.below(8) as usize]);
    }
    ground
}

/// All columns of such ground.
pub(super) fn rough_field(lots: &mut Lots, voxel_size_m: f32, materials: &Materials) -> Field {
    let ground = rough_ground(lots, voxel_size_m, materials);
    let coords: Vec<IVec2> = (0..35).map(|tile| IVec2::new(tile / 5, tile % 5)).collect();
    let shares = Grid::new(0);
    let mut field = Field::default();
    field.add(&coords, &mut FxHashMap::default(), &Space::new(&ground, &shares, materials));
    field
}
