//! Borders between materials: within some voxels one runs into the other, so that they look like ground, not like voxels.
//!
//! What a vertex is made of is a weighted mean over the tops of the columns around it. Only voxels decide, not blocks, so
//! that blocks which touch agree on the vertices they share.

use barchan_sim::Voxel;
use barchan_surface::mesh::{BlockKey, GroundView};
use barchan_surface::{SurfaceMesh, VertexMaterial};
use barchan_volume::brick::{brick_box, voxel_index};
use barchan_volume::{Brick, VoxelBox};
use glam::{IVec3, Vec3};

/// How far around a column others have a part in its look (voxels). No further than blocks are meshed anew after a change.
const REACH: i32 = 2;
/// The parts they have, by distance along each axis.
const PARTS: [u32; 3] = [6, 4, 1];
/// How far above and below a vertex the top of a column is looked for (voxels).
const CLIMB: i32 = 3;
/// More units than this fill half of a voxel even without any pores: what needs no closer look (units).
const MORE_THAN_HALF: u16 = 30_000;
/// Most materials that are told apart around one vertex.
const MOST_KINDS: usize = 4;

/// Mends the materials of block `key`, with `edge` cells along an edge. Coarse blocks are too far away for it to be seen.
pub fn soften(mesh: &mut SurfaceMesh, key: BlockKey, edge: i32, ground: GroundView<'_>) {
    if key.level > 0 || mesh.is_empty() {
        return;
    }
    let tops = Tops::around(key.coord() * edge, edge, ground);
    if tops.are_alike() {
        return;
    }
    for (position, material) in mesh.positions.iter().zip(&mut mesh.materials) {
        // Vertices lie between the middles of voxels.
        let place = Vec3::from_array(*position) / ground.voxel_size_m - 0.5;
        *material = tops.mean(place).unwrap_or(*material);
    }
}

/// Where the ground of a column ends with air above it, and with what.
#[derive(Clone, Copy)]
struct Top {
    z: i32,
    kind: u8,
    moisture: u8,
}

/// The tops of all columns in and around a block.
struct Tops {
    /// The columns, and how high they are looked at.
    region: VoxelBox,
    columns: Vec<Vec<Top>>,
}

impl Tops {
    fn around(origin: IVec3, edge: i32, ground: GroundView<'_>) -> Self {
        let beside = IVec3::new(REACH, REACH, CLIMB);
        let region = VoxelBox::new(origin - beside, origin + IVec3::splat(edge + 1) + beside + IVec3::Z);
        let [sx, sy, height] = region.size();
        let mut voxels = vec![Voxel::AIR; sx * sy * height];
        for coord in region.to_bricks().cells() {
            if let Some(brick) = ground.voxels.stored(coord) {
                copy(brick, brick_box(coord).intersect(&region), region, &mut voxels);
            }
        }
        let is_ground = |voxel: &Voxel| {
            voxel.soil.max(voxel.rock) > MORE_THAN_HALF
                || (!voxel.is_air() && voxel.fill(ground.materials) >= 0.5)
        };
        let top = |z: usize, voxel: &Voxel| {
            let is_soil = voxel.soil >= voxel.rock;
            let kind = if is_soil { voxel.soil_kind } else { voxel.rock_kind };
            Top { z: region.min.z + z as i32, kind: kind.0, moisture: (voxel.moisture >> 8) as u8 }
        };
        let tops_of = |column: &[Voxel]| {
            let pairs = column.windows(2).enumerate();
            let ends = pairs.filter(|(_, pair)| !is_ground(&pair[1]) && is_ground(&pair[0]));
            ends.map(|(z, pair)| top(z, &pair[0])).collect()
        };
        Self { region, columns: voxels.chunks_exact(height).map(tops_of).collect() }
    }

    /// True when there is nothing to run into anything.
    fn are_alike(&self) -> bool {
        let mut tops = self.columns.iter().flatten();
        let Some(first) = tops.next() else { return true };
        tops.all(|top| (top.kind, top.moisture) == (first.kind, first.moisture))
    }

    /// What the ground is made of around `place` (voxels from middle to middle); none on a wall, which has no tops.
    fn mean(&self, place: Vec3) -> Option<VertexMaterial> {
        let (middle, z) = (place.round().as_ivec3(), place.z.floor() as i32);
        let (mut amounts, mut wet) = ([(0_u8, 0_u32); MOST_KINDS], 0);
        for x in -REACH..=REACH {
            for y in -REACH..=REACH {
                let Some(top) = self.top(middle.x + x, middle.y + y, z) else { continue };
                let part = PARTS[x.unsigned_abs() as usize] * PARTS[y.unsigned_abs() as usize];
                // Of more kinds than fit the later ones do not count.
                let Some(amount) = amounts.iter_mut().find(|a| a.1 == 0 || a.0 == top.kind) else { continue };
                *amount = (top.kind, amount.1 + part);
                wet += part * u32::from(top.moisture);
            }
        }
        amounts.sort_unstable_by_key(|amount| std::cmp::Reverse((amount.1, amount.0)));
        let total: u32 = amounts.iter().map(|amount| amount.1).sum();
        let [first, second, ..] = amounts;
        let weight = (255 * first.1 + (first.1 + second.1) / 2).checked_div(first.1 + second.1)?;
        let second = if second.1 == 0 { first.0 } else { second.0 };
        let moisture = (wet / total) as u8;
        Some(VertexMaterial { dominant: first.0, second, weight: weight as u8, moisture })
    }

    /// The top of a column that is nearest to `z`, if it is near.
    fn top(&self, x: i32, y: i32, z: i32) -> Option<Top> {
        let [sx, sy, _] = self.region.size();
        let [x, y] = [x - self.region.min.x, y - self.region.min.y].map(|n| n as usize);
        if x >= sx || y >= sy {
            return None;
        }
        let near = self.columns[x * sy + y].iter().filter(|top| (top.z - z).abs() <= CLIMB);
        near.min_by_key(|top| (top.z - z).abs()).copied()
    }
}

/// Copies the voxels of `part`, which lies in `brick`, into the array of `region`.
fn copy(brick: &Brick<Voxel>, part: VoxelBox, region: VoxelBox, voxels: &mut [Voxel]) {
    let length = (part.max.z - part.min.z) as usize;
    for x in part.min.x..part.max.x {
        for y in part.min.y..part.max.y {
            let bottom = IVec3::new(x, y, part.min.z);
            let run = &mut voxels[region.index(bottom)..][..length];
            match brick {
                Brick::Uniform(voxel) => run.fill(*voxel),
                Brick::Dense(held) => run.copy_from_slice(&held[voxel_index(bottom)..][..length]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use barchan_sim::{MaterialId, Materials};
    use barchan_surface::mesh::{MeshOptions, Surface};
    use barchan_volume::Grid;

    use super::*;

    /// Flat ground, of kind 0 up to x = 16 and of kind 1 beyond.
    fn flat() -> Grid<Voxel> {
        let mut grid = Grid::new(Voxel::AIR);
        for p in VoxelBox::new(IVec3::ZERO, IVec3::new(32, 32, 6)).cells() {
            let soil_kind = MaterialId(u8::from(p.x >= 16));
            let void_ratio = barchan_sim::units::VoidRatio::REFERENCE;
            grid.set(p, Voxel { soil: 32_768, void_ratio, soil_kind, ..Voxel::AIR });
        }
        grid
    }

    #[test]
    fn kinds_run_into_each_other_alike_on_both_sides_of_a_block() {
        let (voxels, materials) = (flat(), Materials::builtin());
        let ground = GroundView { voxels: &voxels, materials: &materials, voxel_size_m: 0.1, bounds: None };
        let surface = Surface::new(ground, MeshOptions { block_edge: 16, ..MeshOptions::default() });
        let share_of_0 = |coord: IVec3, x_of_vertex: f32| {
            let key = BlockKey::new(0, coord);
            let mut mesh = surface.mesh(key).expect("a surface").into_owned();
            soften(&mut mesh, key, 16, ground);
            let here =
                |p: &[f32; 3]| (p[0] - x_of_vertex).abs() < 1e-4 && (p[1] - 0.85).abs() < 1e-4 && p[2] > 0.5;
            let at = mesh.positions.iter().position(here).expect("a vertex");
            let material = mesh.materials[at];
            match (material.dominant, material.second) {
                (0, 0) => 255,
                (1, 1) => 0,
                (0, 1) => material.weight,
                _ => 255 - material.weight,
            }
        };
        let shares = [1.25, 1.45, 1.55, 1.65].map(|x| share_of_0(IVec3::ZERO, x));
        assert_eq!(shares[0], 255);
        assert!(shares.is_sorted_by(|a, b| a > b) && shares[3] < 128, "{shares:?}");
        assert_eq!(share_of_0(IVec3::ZERO, 1.65), share_of_0(IVec3::X, 1.65));
        assert_eq!(share_of_0(IVec3::X, 1.95), 0);
    }
}
