//! Joining vertices that lie on the same spot, so that triangles which touch also share their corners.

use glam::{DVec3, Vec3};
use rustc_hash::FxHashMap;

use super::TriMesh;

/// Below this fraction of the mesh's extent a tolerance means "exactly the same place": f32 cannot tell more, and
/// cell numbers stay within i64.
const EXACT_BELOW: f64 = 1.0e-12;

impl TriMesh {
    /// Joins vertices that are at most `tolerance_m` (m) apart, drops triangles that lose a corner by it and vertices
    /// that no triangle uses. The first vertex of each group stays where it is; a tolerance of zero joins only equal
    /// positions. Triangles keep their order, vertices the order of first use.
    pub fn weld(&mut self, tolerance_m: f32) {
        let extent = self.bounds().map_or(0.0, |bounds| (bounds.max - bounds.min).max_element());
        let mut spots = Spots::new(f64::from(tolerance_m), f64::from(extent));
        let old = std::mem::take(&mut self.vertices);
        let mut new_index = vec![u32::MAX; old.len()];
        self.triangles.retain_mut(|corners| {
            *corners = corners.map(|vertex| {
                let known = &mut new_index[vertex as usize];
                if *known == u32::MAX {
                    *known = spots.find_or_add(old[vertex as usize], &mut self.vertices);
                }
                *known
            });
            !has_repeated_corner(corners)
        });
        self.drop_unused_vertices();
    }

    /// Forgets vertices that no triangle uses and numbers the others in the order of first use.
    fn drop_unused_vertices(&mut self) {
        let old = std::mem::take(&mut self.vertices);
        let mut new_index = vec![u32::MAX; old.len()];
        for vertex in self.triangles.iter_mut().flatten() {
            let known = &mut new_index[*vertex as usize];
            if *known == u32::MAX {
                *known = self.vertices.len() as u32;
                self.vertices.push(old[*vertex as usize]);
            }
            *vertex = *known;
        }
    }
}

/// True when two corners of a triangle are one vertex.
pub(super) fn has_repeated_corner([a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// Finds kept vertices by place: a hash grid whose cells are two tolerances wide, so that everything within one
/// tolerance of a point lies in the 2x2x2 cells nearest to it.
struct Spots {
    /// Squared tolerance (m²).
    reach2: f64,
    /// Edge of a cell (m); `None` when only equal positions match.
    cell: Option<f64>,
    /// The last vertex kept in each cell (or at each exact position).
    last_in_cell: FxHashMap<[i64; 3], u32>,
    /// For each kept vertex the one kept before it in the same cell, or `u32::MAX`. Kept vertices are more than one
    /// tolerance apart, so these chains are short.
    previous: Vec<u32>,
}

impl Spots {
    fn new(tolerance: f64, extent: f64) -> Self {
        let cell = (tolerance > extent * EXACT_BELOW).then_some(2.0 * tolerance);
        Self { reach2: tolerance * tolerance, cell, last_in_cell: FxHashMap::default(), previous: Vec::new() }
    }

    /// The index in `kept` of the vertex nearest in order that matches `place`; `place` itself is kept if none does.
    fn find_or_add(&mut self, place: Vec3, kept: &mut Vec<Vec3>) -> u32 {
        let found = match self.cell {
            None => self.last_in_cell.get(&exact_key(place)).copied(),
            Some(cell) => self.nearby(place.as_dvec3(), cell, kept),
        };
        found.unwrap_or_else(|| {
            let index = kept.len() as u32;
            let key = self.cell.map_or(exact_key(place), |cell| cell_key(place.as_dvec3() / cell));
            self.previous.push(self.last_in_cell.insert(key, index).unwrap_or(u32::MAX));
            kept.push(place);
            index
        })
    }

    /// The first kept vertex within reach, whatever the order of the cells.
    fn nearby(&self, place: DVec3, cell: f64, kept: &[Vec3]) -> Option<u32> {
        let low = cell_key(place / cell - 0.5);
        let mut found = None;
        for corner in 0..8i64 {
            let key = [low[0] + (corner & 1), low[1] + (corner >> 1 & 1), low[2] + (corner >> 2)];
            let mut at = self.last_in_cell.get(&key).copied().unwrap_or(u32::MAX);
            while at != u32::MAX {
                if kept[at as usize].as_dvec3().distance_squared(place) <= self.reach2 {
                    found = Some(found.map_or(at, |best: u32| best.min(at)));
                }
                at = self.previous[at as usize];
            }
        }
        found
    }
}

/// The bits of a position; the two zeros of IEEE 754 are one place.
fn exact_key(place: Vec3) -> [i64; 3] {
    place.to_array().map(|coordinate| i64::from((coordinate + 0.0).to_bits()))
}

fn cell_key(in_cells: DVec3) -> [i64; 3] {
    in_cells.floor().to_array().map(|coordinate| coordinate as i64)
}
