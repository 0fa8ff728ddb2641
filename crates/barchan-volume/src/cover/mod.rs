//! Spheres spread evenly over a closed mesh: the mesh as something that touches with round things only.
//!
//! A signed distance is known around the mesh (angle-weighted pseudonormals, Bærentzen and Aanæs 2005). Spheres start on the
//! triangles, push each other apart and are drawn back to the zero level of the distance, until they lie evenly (Longmore ch. 6).

mod distance_grid;
mod spread;

pub use distance_grid::DistanceGrid;

use glam::{IVec3, Vec3};
use rustc_hash::FxHashMap;

use crate::mesh::TriMesh;

/// How a mesh is covered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverSpec {
    /// Radius of the spheres (m).
    pub radius_m: f32,
    /// Cells of the grid of distances along the longest side of the mesh.
    pub grid: u32,
    /// How far from the mesh distances are known, on either side (m); at least a sphere's diameter is taken.
    pub thickness_m: f32,
}

/// A mesh covered with spheres.
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    spec: CoverSpec,
    distances: DistanceGrid,
    centres: Vec<Vec3>,
    colours: Vec<u8>,
    colour_count: u8,
    gap_m: f32,
    /// Spheres by cells with edges of one diameter.
    cells: FxHashMap<IVec3, Vec<u32>>,
}

/// Most spheres of a cover: beyond them spheres are made larger.
const MOST_SPHERES: f64 = 100_000.0;

/// Spheres closer than this have different colours (diameters).
const APART: f32 = 1.6;

/// Area of the mesh for one sphere, where spheres touch six others, over the square of the radius: 2 sqrt(3).
const AREA_OF_ONE: f64 = 3.464_101_6;

impl Cover {
    /// Covers a closed mesh, seen from outside counter-clockwise. Spheres are made larger where there would be too many.
    pub fn of(mesh: &TriMesh, spec: CoverSpec) -> Self {
        let least = (mesh.area_m2() / AREA_OF_ONE / MOST_SPHERES).sqrt() as f32;
        let radius_m = spec.radius_m.max(least);
        let spec = CoverSpec { radius_m, ..spec };
        let distances = DistanceGrid::of(mesh, spec.grid, spec.thickness_m.max(2.0 * radius_m));
        let count = (mesh.area_m2() / (AREA_OF_ONE * f64::from(radius_m).powi(2))).ceil().max(4.0) as usize;
        let centres = spread::spread(mesh, &distances, radius_m, count);
        let mut cover = Self {
            spec,
            distances,
            colours: Vec::new(),
            colour_count: 0,
            gap_m: 0.0,
            cells: by_cells(&centres, 2.0 * radius_m),
            centres,
        };
        cover.colour();
        cover.gap_m = cover.widest_gap(mesh);
        cover
    }

    /// The radius of all spheres (m).
    pub fn radius_m(&self) -> f32 {
        self.spec.radius_m
    }

    /// Centres of the spheres (m).
    pub fn centres(&self) -> &[Vec3] {
        &self.centres
    }

    /// How many colours there are. Spheres of one colour do not touch the same small thing.
    pub fn colours(&self) -> u8 {
        self.colour_count
    }

    /// How far the farthest point of the mesh is from the nearest sphere (m): what is thinner than that may slip between them.
    pub fn gap_m(&self) -> f32 {
        self.gap_m
    }

    /// The signed distance around the mesh.
    pub fn distances(&self) -> &DistanceGrid {
        &self.distances
    }

    /// The nearest sphere of a colour around a point: distance from its surface (m) and direction away from it; none where none
    /// is within `reach` (m) of the point.
    pub fn nearest(&self, colour: u8, p: Vec3, reach: f32) -> Option<(f32, Vec3)> {
        let mut nearest: Option<(f32, Vec3)> = None;
        self.each_near(p, reach + self.spec.radius_m, |index| {
            if self.colours[index] == colour {
                let way = p - self.centres[index];
                let squared = way.length_squared();
                if nearest.is_none_or(|(least, _)| squared < least) {
                    nearest = Some((squared, way));
                }
            }
        });
        let (squared, way) = nearest?;
        let far = squared.sqrt();
        (far > 0.0).then(|| (far - self.spec.radius_m, way / far))
    }

    /// Calls `visit` with all spheres whose centres are within `reach` (m) of a point, and some more.
    fn each_near(&self, p: Vec3, reach: f32, mut visit: impl FnMut(usize)) {
        let edge = 2.0 * self.spec.radius_m;
        let (low, high) = (cell_of(p - reach, edge), cell_of(p + reach, edge));
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    for &index in self.cells.get(&IVec3::new(x, y, z)).into_iter().flatten() {
                        visit(index as usize);
                    }
                }
            }
        }
    }

    /// Gives every sphere the lowest colour that none near it has.
    fn colour(&mut self) {
        let apart = APART * 2.0 * self.spec.radius_m;
        let mut colours = vec![u8::MAX; self.centres.len()];
        for index in 0..self.centres.len() {
            let mut taken = [false; 256];
            self.each_near(self.centres[index], apart, |other| {
                if self.centres[other].distance(self.centres[index]) < apart {
                    taken[usize::from(colours[other])] = true;
                }
            });
            // More than fit around one never come: where they lie on each other the last colour is shared.
            let free = taken[..MOST_COLOURS].iter().position(|taken| !taken).unwrap_or(MOST_COLOURS - 1);
            colours[index] = free as u8;
        }
        self.colour_count = colours.iter().max().map_or(0, |most| most + 1);
        self.colours = colours;
    }

    /// Looks at points all over the mesh, half a radius apart.
    fn widest_gap(&self, mesh: &TriMesh) -> f32 {
        let mut widest = 0.0f32;
        for index in 0..mesh.triangles.len() {
            spread::each_point(&mesh.corners(index), 0.5 * self.spec.radius_m, |p| {
                let mut nearest = f32::INFINITY;
                let mut reach = 2.0 * self.spec.radius_m;
                while nearest.is_infinite() && reach < 64.0 * self.spec.radius_m {
                    self.each_near(p, reach, |other| nearest = nearest.min(self.centres[other].distance(p)));
                    reach *= 2.0;
                }
                widest = widest.max(nearest.min(reach) - self.spec.radius_m);
            });
        }
        widest
    }
}

/// Most colours.
const MOST_COLOURS: usize = 16;

fn cell_of(p: Vec3, edge: f32) -> IVec3 {
    (p / edge).floor().as_ivec3()
}

/// Points by cells of this edge.
fn by_cells(points: &[Vec3], edge: f32) -> FxHashMap<IVec3, Vec<u32>> {
    let mut cells: FxHashMap<IVec3, Vec<u32>> = FxHashMap::default();
    for (index, p) in points.iter().enumerate() {
        cells.entry(cell_of(*p, edge)).or_default().push(index as u32);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hull;

    fn brick() -> TriMesh {
        let half = Vec3::new(0.5, 0.3, 0.2);
        let corners = (0..8)
            .map(|k| half * Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32) * 2.0 - half)
            .collect();
        Hull::new(corners).unwrap().mesh().clone()
    }

    #[test]
    fn distances_have_the_sign_of_the_side_at_faces_edges_and_corners() {
        let grid = DistanceGrid::of(&brick(), 40, 0.15);
        for (p, far) in [
            (Vec3::new(0.55, 0.1, 0.0), 0.05),
            (Vec3::new(0.1, 0.25, 0.0), -0.05),
            (Vec3::new(0.53, 0.34, 0.0), 0.05),
            (Vec3::new(0.52, 0.32, 0.21), 0.03),
            (Vec3::new(-0.46, -0.2, -0.1), -0.04),
        ] {
            let (found, way) = grid.at(p).unwrap();
            assert!((found - far).abs() < 0.012, "{p}: {found}");
            assert!((grid.at(p + way * 0.02).unwrap().0 - found - 0.02).abs() < 0.01, "{p}: {way}");
        }
        assert!(grid.at(Vec3::splat(3.0)).is_none());
    }

    #[test]
    fn spheres_lie_evenly_on_the_mesh_and_leave_no_hole_for_one_of_them() {
        let mesh = brick();
        let spec = CoverSpec { radius_m: 0.03, grid: 48, thickness_m: 0.1 };
        let cover = Cover::of(&mesh, spec);
        let due = mesh.area_m2() / (AREA_OF_ONE * 0.03 * 0.03);
        assert!((cover.centres().len() as f64 / due - 1.0).abs() < 0.1, "{} of {due}", cover.centres().len());
        let off =
            cover.centres().iter().map(|p| cover.distances().at(*p).unwrap().0.abs()).fold(0.0, f32::max);
        assert!(off < 0.01, "{off}");
        assert!(cover.gap_m() < 0.03, "{}", cover.gap_m());
        assert!((3..=MOST_COLOURS as u8).contains(&cover.colours()));
        // Whoever asks for all colours finds the nearest sphere.
        let p = Vec3::new(0.1, 0.05, 0.23);
        let by_colour = (0..cover.colours())
            .filter_map(|colour| cover.nearest(colour, p, 0.1))
            .map(|(far, _)| far)
            .fold(f32::INFINITY, f32::min);
        let by_all = cover.centres().iter().map(|c| c.distance(p) - 0.03).fold(f32::INFINITY, f32::min);
        assert!((by_colour - by_all).abs() < 1e-6);
        assert_eq!(Cover::of(&mesh, spec), cover);
    }
}
