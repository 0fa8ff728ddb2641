//! The cells are cut as Lengyel's tables cut them: the crate transvoxel, which holds them, is the judge.

use std::collections::{BTreeMap, BTreeSet};

use barchan_surface::mesh::{MeshOptions, Mesher};
use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3};
use transvoxel::prelude::*;

use crate::mesh_world::{Dice, world};

const CELLS: i32 = 16;

/// Triangles in each cell.
fn by_cell(corners: impl Iterator<Item = [Vec3; 3]>) -> BTreeMap<[i32; 3], usize> {
    let mut counts = BTreeMap::new();
    for [a, b, c] in corners {
        *counts.entry(((a + b + c) / 3.0).floor().as_ivec3().to_array()).or_insert(0) += 1;
    }
    counts
}

#[test]
fn every_cell_has_as_many_triangles() {
    let region = VoxelBox::new(IVec3::splat(-8), IVec3::splat(CELLS + 8));
    let options = MeshOptions { block_edge: CELLS as u32, ..MeshOptions::default() };
    for seed in 0..20 {
        let mut dice = Dice(seed);
        // Off the level, where conventions may differ.
        let fills: Vec<f32> =
            region.cells().map(|_| if dice.share() < 0.5 { 0.2 } else { 0.8 } + 0.2 * dice.share()).collect();
        let density =
            |x: f32, y: f32, z: f32| fills[region.index(Vec3::new(x, y, z).round().as_ivec3())] - 0.5;
        let block = Block::new([0.0; 3], CELLS as f32, CELLS as usize);
        let theirs = extract_from_field(
            &density,
            FieldCaching::CacheNothing,
            block,
            TransitionSide::none(),
            0.0,
            GenericMeshBuilder::new(),
        )
        .build();
        let vertex = |v: &transvoxel::structs::generic_mesh::Vertex<f32>| Vec3::from_array(v.position);
        let expected = by_cell(theirs.tris().iter().map(|tri| [0, 1, 2].map(|at| vertex(&tri.vertices[at]))));

        let world = world(region, None, |p| fills[region.index(p)]);
        let ours = Mesher::default().block(&world, options, IVec3::ZERO);
        let mesh = ours.core().to_tri_mesh();
        let found = by_cell((0..mesh.triangles.len()).map(|at| mesh.corners(at).map(|corner| corner - 0.5)));
        assert!(expected.len() > 2_000);
        assert_eq!(found, expected, "field {seed}");
        // They repeat some vertices; ours are one for each edge that is crossed.
        let edge = |p: &[f32]| [p[0], p[1], p[2]].map(|c| (c.floor() as i32, c.fract() > 0.0));
        let edges: BTreeSet<_> = theirs.positions.chunks_exact(3).map(edge).collect();
        assert_eq!(mesh.vertices.len(), edges.len(), "field {seed}");
    }
}
