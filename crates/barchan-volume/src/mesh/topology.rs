//! How the triangles of a mesh hang together: holes, edges of more than two triangles, contradictions in orientation.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::TriMesh;
use super::weld::has_repeated_corner;

/// What [`TriMesh::topology`] finds. Triangles are connected where they share vertices, so weld first if the mesh
/// comes from a format that repeats them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Edges of one triangle only: the rims of holes.
    pub open_edges: usize,
    /// The vertices of one open edge.
    pub an_open_edge: Option<[u32; 2]>,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// The vertices of one non-manifold edge.
    pub a_non_manifold_edge: Option<[u32; 2]>,
    /// Edges whose two triangles disagree about which side is outside.
    pub misoriented_edges: usize,
    /// The vertices of one misoriented edge.
    pub a_misoriented_edge: Option<[u32; 2]>,
    /// Triangles without any area. Those that use one vertex twice have no part in the edges above.
    pub degenerate_triangles: usize,
    /// Pieces that share no vertex with each other.
    pub components: usize,
}

impl Topology {
    /// True when the mesh bounds a volume: no holes, no edges of more than two triangles, one idea of outside.
    pub fn is_closed(&self) -> bool {
        self.components > 0
            && self.open_edges == 0
            && self.non_manifold_edges == 0
            && self.misoriented_edges == 0
    }
}

impl TriMesh {
    /// Examines every edge and triangle.
    pub fn topology(&self) -> Topology {
        let mut found = Topology {
            degenerate_triangles: self.count_degenerate_triangles(),
            components: self.count_components(),
            ..Topology::default()
        };
        let edges = self.edges_in_order();
        for same_edge in edges.chunk_by(|a, b| undirected(*a) == undirected(*b)) {
            let (count, example) = match same_edge {
                [_] => (&mut found.open_edges, &mut found.an_open_edge),
                // Neighbours that agree pass along their edge in opposite directions.
                [a, b] if a == b => (&mut found.misoriented_edges, &mut found.a_misoriented_edge),
                [_, _] => continue,
                _ => (&mut found.non_manifold_edges, &mut found.a_non_manifold_edge),
            };
            *count += 1;
            example.get_or_insert(undirected(same_edge[0]).into());
        }
        found
    }

    /// True when the mesh bounds a volume; see [`Topology::is_closed`].
    pub fn is_closed(&self) -> bool {
        self.topology().is_closed()
    }

    /// All directed edges, with those between the same two vertices beside each other.
    fn edges_in_order(&self) -> Vec<[u32; 2]> {
        let of_triangle = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
        let whole = self.triangles.iter().filter(|corners| !has_repeated_corner(corners));
        let mut edges: Vec<[u32; 2]> = whole.flat_map(|&corners| of_triangle(corners)).collect();
        edges.par_sort_unstable_by_key(|&edge| undirected(edge));
        edges
    }

    fn count_degenerate_triangles(&self) -> usize {
        self.triangles_f64(Vec3::ZERO).filter(|[a, b, c]| (b - a).cross(c - a) == DVec3::ZERO).count()
    }

    fn count_components(&self) -> usize {
        let mut parents: Vec<u32> = (0..self.vertices.len() as u32).collect();
        let mut used = vec![false; self.vertices.len()];
        let mut components = 0;
        for &[a, b, c] in self.triangles.iter().filter(|corners| !has_repeated_corner(corners)) {
            for vertex in [a, b, c] {
                components += usize::from(!std::mem::replace(&mut used[vertex as usize], true));
            }
            for other in [b, c] {
                let (ours, theirs) = (root(&mut parents, a), root(&mut parents, other));
                components -= usize::from(ours != theirs);
                // The lower number becomes the root: the forest then does not depend on anything but the mesh.
                parents[ours.max(theirs) as usize] = ours.min(theirs);
            }
        }
        components
    }
}

fn undirected([a, b]: [u32; 2]) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// The root of `vertex` in a union-find forest; halves the path on the way.
fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        let grandparent = parents[parents[vertex as usize] as usize];
        parents[vertex as usize] = grandparent;
        vertex = grandparent;
    }
    vertex
}
