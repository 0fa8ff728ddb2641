//! Blocks of the surface: quantised, differenced, split into planes.

use barchan_surface::mesh::BlockKey;
use barchan_surface::{SurfaceMesh, VertexMaterial};
use glam::{IVec3, Vec3};

use super::deflate::Deflater;
use super::writer::Writer;

/// Parts of a voxel that vertices are rounded to, unless the block is too large for that.
const FINEST: f32 = 16.0;
/// Largest number that a coordinate may have.
const LARGEST: f32 = u16::MAX as f32;

/// One block as it goes over the wire.
#[derive(Clone, Debug)]
pub struct Block {
    /// All of it, as section 1 holds it.
    pub bytes: Vec<u8>,
    /// Triangles in it.
    pub triangles: u32,
    /// Its middle (m).
    pub middle_m: Vec3,
}

impl Block {
    /// The mesh of one block of a world with voxels of `voxel_size_m` (m), without the underside of ground that rests on
    /// `floor_m` (m): nobody sees that. `grows`: whether there is grass at a place (m) with a normal. None when it is
    /// empty.
    pub fn of(
        key: BlockKey,
        mesh: &SurfaceMesh,
        voxel_size_m: f32,
        floor_m: f32,
        grows: impl Fn(Vec3, Vec3) -> bool,
    ) -> Option<Self> {
        let mesh = &above_floor(mesh, floor_m + 0.55 * voxel_size_m);
        if mesh.is_empty() || mesh.positions.len() > usize::from(u16::MAX) {
            return None;
        }
        let places = mesh.positions.iter().copied().map(Vec3::from_array);
        let (min, max) = places.clone().fold((Vec3::MAX, Vec3::MIN), |(a, b), p| (a.min(p), b.max(p)));
        let mut quantum = voxel_size_m / FINEST;
        while (max - min).max_element() / quantum > LARGEST - 2.0 {
            quantum *= 2.0;
        }
        let origin: IVec3 = (min / quantum).floor().as_ivec3();
        let quantised = |p: Vec3| ((p / quantum).round().as_ivec3() - origin).as_u16vec3().to_array();

        let mut writer = Writer::default();
        key_to(key, &mut writer);
        writer.vec3(origin.as_vec3() * quantum);
        writer.f32(quantum);
        writer.u32(mesh.positions.len() as u32);
        writer.u32(mesh.triangles.len() as u32);
        let positions: Vec<[u16; 3]> = places.clone().map(quantised).collect();
        for axis in 0..3 {
            planes(&differences(positions.iter().map(|p| p[axis])), &mut writer.bytes);
        }
        let directions = mesh.normals.iter().copied().map(Vec3::from_array);
        let normals: Vec<[i8; 2]> = directions.clone().map(octahedral).collect();
        for axis in 0..2 {
            let mut before = 0_u8;
            writer.bytes.extend(normals.iter().map(|n| {
                let now = n[axis] as u8;
                now.wrapping_sub(std::mem::replace(&mut before, now))
            }));
        }
        let grass = places.zip(directions).map(|(place, normal)| grows(place, normal));
        let weights = mesh.materials.iter().zip(grass).map(|(material, grass)| weight(material, grass));
        writer.bytes.extend(mesh.materials.iter().map(|material| material.dominant));
        writer.bytes.extend(mesh.materials.iter().map(|material| material.second));
        writer.bytes.extend(weights);
        writer.bytes.extend(mesh.materials.iter().map(|material| material.moisture));
        let indices = differences(mesh.triangles.iter().flatten().map(|index| *index as u16));
        planes(&indices.iter().map(|d| zigzag(*d)).collect::<Vec<_>>(), &mut writer.bytes);
        writer.pad();
        let triangles = mesh.triangles.len() as u32;
        Some(Self { bytes: writer.bytes, triangles, middle_m: (min + max) / 2.0 })
    }

    /// Puts it in the place of `old`, which the client has.
    pub fn renew(&self, key: BlockKey, old: &Self, deflater: &mut Deflater, writer: &mut Writer) {
        let packed = deflater.deflate(&self.bytes, &old.bytes);
        key_to(key, writer);
        writer.u32(self.bytes.len() as u32);
        writer.u32(packed.len() as u32);
        writer.bytes.extend_from_slice(&packed);
        writer.pad();
    }

    /// Tells a client to take the block away.
    pub fn gone(key: BlockKey, writer: &mut Writer) {
        key_to(key, writer);
        writer.vec3(Vec3::ZERO);
        writer.f32(0.0);
        writer.u32(0);
        writer.u32(0);
    }
}

fn key_to(key: BlockKey, writer: &mut Writer) {
    key.coord.into_iter().for_each(|coordinate| writer.i32(coordinate));
    writer.u8(key.level);
    [0; 3].into_iter().for_each(|zero| writer.u8(zero));
}

/// The mesh without the triangles that look down and lie below `floor_m` (m), and without vertices that nothing uses.
fn above_floor(mesh: &SurfaceMesh, floor_m: f32) -> SurfaceMesh {
    let is_under = |vertex: &u32| {
        let at = *vertex as usize;
        mesh.positions[at][2] <= floor_m && mesh.normals[at][2] < -0.5
    };
    let kept = mesh.triangles.iter().filter(|triangle| !triangle.iter().all(is_under));
    let (mut numbers, mut shown) = (vec![u32::MAX; mesh.positions.len()], SurfaceMesh::default());
    for triangle in kept {
        shown.triangles.push(triangle.map(|vertex| {
            let (at, number) = (vertex as usize, &mut numbers[vertex as usize]);
            if *number == u32::MAX {
                *number = shown.positions.len() as u32;
                shown.positions.push(mesh.positions[at]);
                shown.normals.push(mesh.normals[at]);
                shown.materials.push(mesh.materials[at]);
            }
            *number
        }));
    }
    shown
}

/// Share of the dominant material, which is never less than half (128), with grass in the bit that this leaves free.
fn weight(material: &VertexMaterial, grass: bool) -> u8 {
    material.weight.saturating_sub(128) | u8::from(grass) << 7
}

/// Each number less the one before it.
fn differences(numbers: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut before = 0;
    numbers.map(|now| now.wrapping_sub(std::mem::replace(&mut before, now))).collect()
}

/// Small differences either way as small numbers.
fn zigzag(difference: u16) -> u16 {
    (difference << 1) ^ ((difference as i16) >> 15) as u16
}

/// All low bytes, then all high bytes.
fn planes(numbers: &[u16], out: &mut Vec<u8>) {
    out.extend(numbers.iter().map(|number| *number as u8));
    out.extend(numbers.iter().map(|number| (*number >> 8) as u8));
}

/// A unit vector on the octahedron, unfolded into a square.
fn octahedral(normal: Vec3) -> [i8; 2] {
    let n = normal / normal.abs().element_sum().max(1e-12);
    let sign = |v: f32| if v < 0.0 { -1.0 } else { 1.0 };
    let [u, v] =
        if n.z < 0.0 { [(1.0 - n.y.abs()) * sign(n.x), (1.0 - n.x.abs()) * sign(n.y)] } else { [n.x, n.y] };
    [u, v].map(|part| (part * 127.0).round() as i8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzag_codes_small_steps_as_small_numbers() {
        let rows = [(0_i16, 0), (-1, 1), (1, 2), (-2, 3), (i16::MAX, 65_534), (i16::MIN, 65_535)];
        for (difference, code) in rows {
            assert_eq!(zigzag(difference as u16), code);
            assert_eq!(((code >> 1) ^ (code & 1).wrapping_neg()) as i16, difference);
        }
    }

    #[test]
    fn a_weight_keeps_its_share_beside_the_grass() {
        for share in 128..=255 {
            for grass in [false, true] {
                let byte = weight(&VertexMaterial { weight: share, ..VertexMaterial::default() }, grass);
                assert_eq!((128 + (byte & 127), byte >= 128), (share, grass));
            }
        }
    }

    #[test]
    fn normals_survive_to_a_degree() {
        for i in 0..2000 {
            let turn = 2.4 * i as f32;
            let z = 1.0 - (i as f32 + 0.5) / 1000.0;
            let r = (1.0 - z * z).max(0.0).sqrt();
            let normal = Vec3::new(r * turn.cos(), r * turn.sin(), z);
            let [u, v] = octahedral(normal).map(|part| f32::from(part) / 127.0);
            let mut back = Vec3::new(u, v, 1.0 - u.abs() - v.abs());
            if back.z < 0.0 {
                let sign = |v: f32| if v < 0.0 { -1.0 } else { 1.0 };
                (back.x, back.y) = ((1.0 - v.abs()) * sign(u), (1.0 - u.abs()) * sign(v));
            }
            assert!(back.angle_between(normal).to_degrees() < 1.0, "{normal} came back as {back}");
        }
    }

    #[test]
    fn blocks_that_touch_round_their_common_vertices_alike() {
        let mesh = |shift: f32| SurfaceMesh {
            positions: vec![[0.803 + shift, 0.0, 0.0], [0.8, 0.817, 0.3], [0.8, 0.1, 0.555]],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            materials: vec![VertexMaterial::default(); 3],
            triangles: vec![[0, 1, 2]],
        };
        let second = |mesh: &SurfaceMesh| {
            let block =
                Block::of(BlockKey { level: 0, coord: [0; 3] }, mesh, 0.1, -9.0, |_, _| false).unwrap();
            let f = |at: usize| f32::from_le_bytes(block.bytes[at..at + 4].try_into().unwrap());
            let (origin, quantum) = ([f(16), f(20), f(24)], f(28));
            let planes = &block.bytes[40..];
            let q = |axis: usize| {
                (0..2).fold(0_u16, |sum, i| {
                    let low = u16::from(planes[axis * 6 + i]);
                    sum.wrapping_add(low | u16::from(planes[axis * 6 + 3 + i]) << 8)
                })
            };
            [0, 1, 2].map(|axis| origin[axis] + f32::from(q(axis)) * quantum)
        };
        let (a, b) = (second(&mesh(-0.7)), second(&mesh(0.7)));
        for axis in 0..3 {
            assert!((a[axis] - b[axis]).abs() < 1e-6, "{a:?} {b:?}");
            assert!((a[axis] - [0.8, 0.817, 0.3][axis]).abs() <= 0.1 / 32.0 + 1e-6);
        }
    }
}
