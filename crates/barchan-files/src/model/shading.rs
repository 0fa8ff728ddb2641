//! Normals for bare meshes: smooth across flat edges, sharp across others.

use barchan_volume::TriMesh;
use glam::{DVec3, Vec3};

/// Triangles that meet at less than this angle share a normal: cosine of 40°.
const SMOOTH: f32 = 0.766;
/// Vertices of more corners than this are left faceted: comparing all with all would take too long.
const MOST_CORNERS: usize = 128;

/// A mesh with a normal for every vertex; vertices on sharp edges are there once for each side.
pub(super) struct Shaded {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// `mesh` with normals. Its indices are valid.
pub(super) fn shaded(mesh: &TriMesh) -> Shaded {
    let facets: Vec<Vec3> =
        (0..mesh.triangles.len()).map(|index| facet_normal(mesh.corners(index))).collect();
    let corners = Corners::of(mesh);
    let mut out =
        Shaded { positions: Vec::new(), normals: Vec::new(), triangles: vec![[0; 3]; mesh.triangles.len()] };
    for (vertex, position) in mesh.vertices.iter().enumerate() {
        let around = corners.around(vertex);
        let first = out.positions.len();
        for &(triangle, place) in around {
            let normal = corner_normal(mesh, &facets, around, triangle).to_array();
            // Corners with the same normal share a vertex.
            let known = out.normals[first..].iter().take(MOST_CORNERS).position(|other| *other == normal);
            let index = known.map_or(out.positions.len(), |at| first + at);
            if known.is_none() {
                out.positions.push(position.to_array());
                out.normals.push(normal);
            }
            out.triangles[triangle as usize][usize::from(place)] = index as u32;
        }
    }
    out
}

/// The triangles around every vertex, with the place of the vertex in each.
struct Corners {
    /// Where the corners of each vertex begin in `list`; one more at the end.
    starts: Vec<usize>,
    list: Vec<(u32, u8)>,
}

impl Corners {
    fn of(mesh: &TriMesh) -> Self {
        let mut starts = vec![0; mesh.vertices.len() + 1];
        mesh.triangles.as_flattened().iter().for_each(|&vertex| starts[vertex as usize + 1] += 1);
        for vertex in 0..mesh.vertices.len() {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut list = vec![(0, 0); 3 * mesh.triangles.len()];
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            for (place, &vertex) in corners.iter().enumerate() {
                list[next[vertex as usize]] = (triangle as u32, place as u8);
                next[vertex as usize] += 1;
            }
        }
        Self { starts, list }
    }

    fn around(&self, vertex: usize) -> &[(u32, u8)] {
        &self.list[self.starts[vertex]..self.starts[vertex + 1]]
    }
}

/// The mean of the facets around a vertex that `triangle` goes on into smoothly, each by its angle there.
fn corner_normal(mesh: &TriMesh, facets: &[Vec3], around: &[(u32, u8)], triangle: u32) -> Vec3 {
    let own = facets[triangle as usize];
    if around.len() > MOST_CORNERS {
        return super::part::unit(own);
    }
    let smooth = around.iter().filter(|(other, _)| facets[*other as usize].dot(own) > SMOOTH);
    let sum: Vec3 = smooth
        .map(|&(other, place)| {
            facets[other as usize] * angle(mesh.corners(other as usize), usize::from(place))
        })
        .sum();
    super::part::unit(sum.try_normalize().unwrap_or(own))
}

/// Unit vector out of a triangle; zero where it has no area.
fn facet_normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac): (DVec3, DVec3) = ((b - a).as_dvec3(), (c - a).as_dvec3());
    ab.cross(ac).normalize_or_zero().as_vec3()
}

/// Angle of a triangle at one of its corners (rad).
fn angle(corners: [Vec3; 3], place: usize) -> f32 {
    let at = corners[place];
    let [one, other] = [1, 2].map(|step| (corners[(place + step) % 3] - at).normalize_or_zero());
    one.dot(other).clamp(-1.0, 1.0).acos()
}

#[cfg(test)]
mod tests {
    use super::super::shapes::shape_mesh;
    use super::*;
    use barchan_volume::Shape;

    #[test]
    fn a_box_is_faceted_and_a_ball_smooth() {
        let cube = shaded(&shape_mesh(&Shape::Box { half_extents: Vec3::ONE }));
        assert_eq!((cube.positions.len(), cube.triangles.len()), (24, 12));
        for normal in &cube.normals {
            assert_eq!(normal.iter().filter(|side| side.abs() == 1.0).count(), 1, "{normal:?}");
        }
        let mesh = shape_mesh(&Shape::Ball { radius: 2.0 });
        let ball = shaded(&mesh);
        assert_eq!(ball.positions.len(), mesh.vertices.len());
        for (position, normal) in ball.positions.iter().zip(&ball.normals) {
            let error = Vec3::from_array(*normal).angle_between(Vec3::from_array(*position));
            assert!(error < 0.02, "{position:?}: {error} rad");
        }
    }

    #[test]
    fn no_triangle_changes_its_corners() {
        let mesh = shape_mesh(&Shape::Cone { radius: 1.0, half_height: 2.0 });
        let cone = shaded(&mesh);
        for (index, corners) in cone.triangles.iter().enumerate() {
            let places = corners.map(|vertex| Vec3::from_array(cone.positions[vertex as usize]));
            assert_eq!(places, mesh.corners(index));
        }
    }

    #[test]
    fn a_fan_of_very_many_triangles_and_one_without_area_are_shaded_too() {
        let count = 100_000;
        let rim = (0..count).map(|i| Vec3::new(1.0, i as f32 * 1e-5, (i % 7) as f32));
        let mesh = TriMesh {
            vertices: [Vec3::ZERO].into_iter().chain(rim).collect(),
            triangles: (1..count).map(|i| [0, i, i + 1]).chain([[0, 1, 1]]).collect(),
        };
        let fan = shaded(&mesh);
        assert_eq!(fan.triangles.len(), count as usize);
        assert!(fan.normals.iter().all(|normal| Vec3::from_array(*normal).is_normalized()));
    }
}
