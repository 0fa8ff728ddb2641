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
const WIDTH: usize = REACH as usize;
/// The parts they have, by distance along each axis.
const PARTS: [u32; 3] = [6, 4, 1];
/// How far above and below a vertex the top of a column is looked for (voxels).
const CLIMB: i32 = 3;
/// Steeper ground (cosine of its slope) shows its layers as they are.
const LEAST_UPRIGHT: f32 = 0.4;
/// More units than this fill half of a voxel even without any pores: what needs no closer look (units).
const MORE_THAN_HALF: u32 = 30_000;
/// Difference of moisture that is seen (1/255).
const MOISTURE_SEEN: u8 = 10;
/// Most materials that are told apart around one vertex.
const MOST_KINDS: usize = 4;

/// Mends the materials of block `key`, with `edge` cells along an edge. Coarse blocks are too far away for it to be seen.
pub fn soften(mesh: &mut SurfaceMesh, key: BlockKey, edge: i32, ground: GroundView<'_>) {
    if key.level > 0 || mesh.is_empty() {
        return;
    }
    let size_m = ground.voxel_size_m;
    let heights = mesh.positions.iter().map(|position| position[2]);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), z| (low.min(z), high.max(z)));
    let (low, high) = ((low / size_m) as i32 - CLIMB - 2, (high / size_m) as i32 + CLIMB + 2);
    let origin = key.coord() * edge;
    let beside = IVec3::new(REACH, REACH, 0);
    let (min, max) = (origin - beside, origin + IVec3::splat(edge + 1) + beside);
    let tops = Tops::of(VoxelBox::new(min.with_z(low), max.with_z(high)), ground);
    let borders = tops.borders();
    if !borders.contains(&true) {
        return;
    }
    let vertices = mesh.positions.iter().zip(&mesh.normals).zip(&mut mesh.materials);
    for ((position, _), material) in vertices.filter(|((_, normal), _)| normal[2] > LEAST_UPRIGHT) {
        // Vertices lie between the middles of voxels.
        let place = Vec3::from_array(*position) / size_m - 0.5;
        let (column, z) = (place.round().as_ivec3(), place.z.floor() as i32);
        if tops.column(column.x, column.y).is_some_and(|column| borders[column]) {
            *material = tops.mean(column, z).unwrap_or(*material);
        }
    }
}

/// Where the ground of a column ends with air above it, and with what.
#[derive(Clone, Copy)]
struct Top {
    z: i32,
    kind: u8,
    moisture: u8,
}

impl Top {
    /// True when nobody could tell it from `other`.
    fn looks_like(&self, other: &Self) -> bool {
        self.kind == other.kind && self.moisture.abs_diff(other.moisture) < MOISTURE_SEEN
    }
}

/// The tops of all columns in and around a block.
struct Tops {
    /// The columns, and how high they are looked at.
    region: VoxelBox,
    tops: Vec<Top>,
    /// Where the tops of each column end among them.
    ends: Vec<usize>,
}

impl Tops {
    fn of(region: VoxelBox, ground: GroundView<'_>) -> Self {
        let [sx, sy, height] = region.size();
        let mut voxels = vec![Voxel::AIR; sx * sy * height];
        for coord in region.to_bricks().cells() {
            if let Some(brick) = ground.voxels.stored(coord) {
                copy(brick, brick_box(coord).intersect(&region), region, &mut voxels);
            }
        }
        let is_ground = |voxel: &Voxel| {
            voxel.soil().max(u32::from(voxel.rock)) > MORE_THAN_HALF
                || (!voxel.is_air() && voxel.fill(ground.materials) >= 0.5)
        };
        let mut tops = Self { region, tops: Vec::with_capacity(sx * sy), ends: Vec::with_capacity(sx * sy) };
        for column in voxels.chunks_exact(height) {
            for (z, pair) in (region.min.z..).zip(column.windows(2)) {
                if !is_ground(&pair[1]) && is_ground(&pair[0]) {
                    let (voxel, is_soil) = (&pair[0], pair[0].soil() >= u32::from(pair[0].rock));
                    let kind = if is_soil { voxel.surface().kind } else { voxel.rock_kind };
                    tops.tops.push(Top { z, kind: kind.0, moisture: (voxel.wetness() >> 8) as u8 });
                }
            }
            tops.ends.push(tops.tops.len());
        }
        tops
    }

    /// The columns around which not all tops look the same.
    fn borders(&self) -> Vec<bool> {
        let [sx, sy, _] = self.region.size();
        let mut starts = std::iter::once(0).chain(self.ends.iter().copied());
        let of_column = |end: &usize| &self.tops[starts.next().unwrap_or(*end)..*end];
        let columns: Vec<&[Top]> = self.ends.iter().map(of_column).collect();
        let differ = |a: &[Top], b: &[Top]| a.iter().any(|a| b.iter().any(|b| !a.looks_like(b)));
        let mut borders = vec![false; sx * sy];
        for column in 0..sx * sy {
            let (x, y) = (column / sy, column % sy);
            let beside = [(x + 1 < sx).then_some(column + sy), (y + 1 < sy).then_some(column + 1)];
            let beside = beside.into_iter().flatten().chain([column]);
            if beside.into_iter().any(|other| differ(columns[column], columns[other])) {
                for x in x.saturating_sub(WIDTH)..(x + WIDTH + 1).min(sx) {
                    borders[x * sy..][y.saturating_sub(WIDTH)..(y + WIDTH + 1).min(sy)].fill(true);
                }
            }
        }
        borders
    }

    /// What the ground is made of around column `middle` at height `z` (voxels); none on a wall, which has no tops.
    fn mean(&self, middle: IVec3, z: i32) -> Option<VertexMaterial> {
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
        let column = self.column(x, y)?;
        let start = if column > 0 { self.ends[column - 1] } else { 0 };
        let near = self.tops[start..self.ends[column]].iter().filter(|top| (top.z - z).abs() <= CLIMB);
        near.min_by_key(|top| (top.z - z).abs()).copied()
    }

    /// The number of a column.
    fn column(&self, x: i32, y: i32) -> Option<usize> {
        let [sx, sy, _] = self.region.size();
        // Below the region wraps around to far above it.
        let [x, y] = [x - self.region.min.x, y - self.region.min.y].map(|n| n as u32 as usize);
        (x < sx && y < sy).then_some(x * sy + y)
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
            let kind = MaterialId(u8::from(p.x >= 16));
            let void_ratio = barchan_sim::units::VoidRatio::REFERENCE;
            grid.set(p, Voxel::of_soil(32_768, kind, void_ratio));
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
