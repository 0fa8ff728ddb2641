//! Triangles with everything a renderer or a file needs to know about them.

use barchan_volume::TriMesh;
use glam::Vec3;
use rustc_hash::FxHashMap;

/// What the ground is made of at a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexMaterial {
    /// Kind of most of the ground here: a place in the table of materials.
    pub dominant: u8,
    /// Kind of the next most; equal to `dominant` where there is only one.
    pub second: u8,
    /// Share of `dominant` among the two: 128 half, 255 all (1/255).
    pub weight: u8,
    /// Degree of saturation of the soil's pores: 0 dry, 255 saturated (1/255).
    pub moisture: u8,
}

/// A mesh of the ground's surface. The first three lists are parallel: one entry for each vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Places in the world (m).
    pub positions: Vec<[f32; 3]>,
    /// Directions out of the ground, of length one.
    pub normals: Vec<[f32; 3]>,
    /// What the ground is made of.
    pub materials: Vec<VertexMaterial>,
    /// Three vertices each, counter-clockwise seen from outside the ground.
    pub triangles: Vec<[u32; 3]>,
}

impl SurfaceMesh {
    /// True when there is not a single triangle.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Adds all of `other`, unconnected.
    pub fn append(&mut self, other: &Self) {
        let offset = self.positions.len() as u32;
        self.positions.extend_from_slice(&other.positions);
        self.normals.extend_from_slice(&other.normals);
        self.materials.extend_from_slice(&other.materials);
        self.triangles.extend(other.triangles.iter().map(|corners| corners.map(|vertex| vertex + offset)));
    }

    /// Joins vertices at exactly the same place and drops triangles that lose a corner by it: blocks of one surface
    /// agree on their common borders to the last bit, so this makes one mesh of them. Vertices that no triangle uses
    /// go too; the others keep their order.
    pub fn weld(&mut self) {
        let old = std::mem::take(self);
        let mut places = FxHashMap::default();
        let first_at: Vec<u32> = (0..old.positions.len() as u32)
            .map(|vertex| *places.entry(bits(old.positions[vertex as usize])).or_insert(vertex))
            .collect();
        let joined = old.triangles.iter().map(|corners| corners.map(|vertex| first_at[vertex as usize]));
        self.triangles = joined.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        self.keep_used(&old);
    }

    /// Drops triangles two of whose corners lie at the same place.
    pub(super) fn drop_collapsed(&mut self) {
        let place = |vertex: u32| bits(self.positions[vertex as usize]);
        self.triangles.retain(|corners| {
            let [a, b, c] = corners.map(place);
            a != b && b != c && c != a
        });
    }

    /// Takes the vertices that the triangles use over from `old`, whose numbers the triangles carry.
    fn keep_used(&mut self, old: &Self) {
        const UNUSED: u32 = u32::MAX;
        let mut number = vec![UNUSED; old.positions.len()];
        for &vertex in self.triangles.iter().flatten() {
            number[vertex as usize] = 0;
        }
        for (vertex, number) in number.iter_mut().enumerate().filter(|(_, number)| **number != UNUSED) {
            *number = self.positions.len() as u32;
            self.positions.push(old.positions[vertex]);
            self.normals.push(old.normals[vertex]);
            self.materials.push(old.materials[vertex]);
        }
        for vertex in self.triangles.iter_mut().flatten() {
            *vertex = number[*vertex as usize];
        }
    }

    /// Places and triangles alone, for measures and topology.
    pub fn to_tri_mesh(&self) -> TriMesh {
        let vertices = self.positions.iter().map(|place| Vec3::from_array(*place)).collect();
        TriMesh { vertices, triangles: self.triangles.clone() }
    }
}

/// The bits of a place; the two zeros of IEEE 754 are one.
fn bits(place: [f32; 3]) -> [u32; 3] {
    place.map(|coordinate| (coordinate + 0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welding_joins_equal_places_and_drops_what_collapses() {
        let mut mesh = SurfaceMesh::default();
        for place in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.0, 0.0, 0.0], [9.0; 3]] {
            mesh.positions.push(place);
            mesh.normals.push([0.0, 0.0, 1.0]);
            mesh.materials.push(VertexMaterial::default());
        }
        mesh.triangles = vec![[3, 1, 2], [0, 3, 1]];
        mesh.weld();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
        assert_eq!(mesh.positions.len(), 3);
    }
}
