//! Worlds for the tests of the mesher, from a rule for the fill.

use barchan_sim::units::{LOOSE_FULL, VoidRatio};
use barchan_sim::{Ground, MaterialId, Voxel, World, WorldState};
use barchan_surface::mesh::SurfaceMesh;
use barchan_volume::brick::{VOXELS, brick_box, voxel_index};
use barchan_volume::{Brick, Grid, Topology, VoxelBox};
use glam::IVec3;

/// A world of voxels of 1 m whose soil fills each voxel of `region` as `fill` says (0 to 1).
pub fn world(region: VoxelBox, bounds: Option<VoxelBox>, fill: impl Fn(IVec3) -> f32) -> World {
    let mut grid = Grid::new(Voxel::AIR);
    for coord in region.to_bricks().cells() {
        let mut voxels = [Voxel::AIR; VOXELS];
        for p in region.intersect(&brick_box(coord)).cells() {
            let units = (fill(p).clamp(0.0, 1.0) * LOOSE_FULL as f32).round() as u16;
            voxels[voxel_index(p)] = Voxel::of_soil(units, MaterialId(0), VoidRatio::REFERENCE);
        }
        grid.replace(coord, Brick::from_values(&voxels));
    }
    World::from_state(WorldState::entered(Ground::from_parts(grid, [], 1.0, bounds, [])))
        .expect("a world that holds together")
}

/// A small repeatable source of numbers.
pub struct Dice(pub u64);

impl Dice {
    /// The next 32 bits (splitmix64).
    pub fn roll(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits >> 32) as u32
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f32 {
        (self.roll() >> 8) as f32 / (1 << 24) as f32
    }
}

/// Checks that a mesh bounds a volume and has nothing broken in it.
pub fn check_closed(mesh: &SurfaceMesh, what: &str) -> Topology {
    let finite = |vectors: &[[f32; 3]]| vectors.iter().flatten().all(|number| number.is_finite());
    assert!(finite(&mesh.positions) && finite(&mesh.normals), "{what}: not a number");
    let topology = mesh.to_tri_mesh().topology();
    assert!(topology.is_closed() || mesh.is_empty(), "{what}: {topology:?}");
    assert_eq!(topology.degenerate_triangles, 0, "{what}: {topology:?}");
    topology
}
