//! Positions that are equally exact everywhere.

use glam::{DVec3, IVec3, Vec3};
use serde::{Deserialize, Serialize};

/// Bits of a coordinate that count parts of a cell.
const PART_BITS: u32 = 32;

/// Parts of a cell in one cell.
const PARTS: f64 = (1u64 << PART_BITS) as f64;

/// A position on a [`Lattice`]: per axis, whole cells in the upper 32 bits and 1/2^32 parts of a cell in the lower.
///
/// Differences are exact, near the origin and far from it: what is moved by whole cells keeps every bit of its
/// motion, and increments of a millionth of a cell add up without loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place(pub [i64; 3]);

impl Place {
    /// Furthest cell from the origin along an axis (cells): half a million, 100 km for cells of 0.2 m.
    pub const LIMIT: i64 = 1 << 19;

    /// Binary digits of a part of a cell that [`Place::coarse`] keeps.
    pub const COARSE_BITS: u32 = 23;

    /// Binary digits of a part of a cell that [`Place::fine`] keeps.
    pub const FINE_BITS: u32 = 30;

    /// The cell in which the place lies, of cells that are a `2^-fineness` of the lattice's edge.
    #[must_use]
    pub fn cell(self, fineness: u32) -> IVec3 {
        IVec3::from_array(self.0.map(|x| (x >> (PART_BITS - fineness)) as i32))
    }

    /// The place in 2^-23 of a cell, with the cells counted modulo 512.
    ///
    /// Wrapping differences of places less than two cells apart are right, and exact as `f32`.
    #[must_use]
    pub fn coarse(self) -> [i32; 3] {
        self.0.map(|x| (x >> (PART_BITS - Self::COARSE_BITS)) as i32)
    }

    /// The place in 2^-30 of a cell, with the cells counted modulo four.
    ///
    /// Wrapping differences of places less than two cells apart are right: exact as integers, as `f32` with a
    /// relative error of 2^-24, however small they are.
    #[must_use]
    pub fn fine(self) -> [i32; 3] {
        self.0.map(|x| (x >> (PART_BITS - Self::FINE_BITS)) as i32)
    }

    /// The place `cells` further.
    #[must_use]
    pub fn shifted(self, cells: IVec3) -> Place {
        let by = cells.to_array();
        Place([0, 1, 2].map(|axis| limited(self.0[axis] + (i64::from(by[axis]) << PART_BITS))))
    }
}

/// Cubic cells of one size, and the places in them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    edge_m: f64,
}

/// Why there is no such lattice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatticeError {
    /// The refused length of a cell's edge (m).
    pub edge_m: f64,
}

impl std::fmt::Display for LatticeError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let [low, high] = Lattice::EDGES_M;
        write!(f, "the edge of a cell is {} m; it must be from {low} to {high} m", self.edge_m)
    }
}

impl std::error::Error for LatticeError {}

impl Lattice {
    /// The lengths of edges that are allowed (m).
    pub const EDGES_M: [f64; 2] = [1e-6, 1e4];

    /// Cells of `edge_m` (m).
    pub fn new(edge_m: f64) -> Result<Lattice, LatticeError> {
        let [low, high] = Self::EDGES_M;
        if (low..=high).contains(&edge_m) { Ok(Lattice { edge_m }) } else { Err(LatticeError { edge_m }) }
    }

    /// Length of a cell's edge (m).
    #[must_use]
    pub fn edge_m(&self) -> f64 {
        self.edge_m
    }

    /// The place of a point (m), or none if the point is too far away or no point at all.
    #[must_use]
    pub fn place(&self, point: DVec3) -> Option<Place> {
        let cells = point / self.edge_m;
        let inside = cells.abs().max_element() < Place::LIMIT as f64 && cells.is_finite();
        inside.then(|| Place((cells * PARTS).to_array().map(|x| x.round() as i64)))
    }

    /// The point of a place (m).
    #[must_use]
    pub fn point(&self, place: Place) -> DVec3 {
        DVec3::from_array(place.0.map(|x| x as f64)) * (self.edge_m / PARTS)
    }

    /// The place that lies `by` (m) further; it stays within [`Place::LIMIT`], and where it is if `by` is no number.
    #[must_use]
    pub fn moved(&self, place: Place, by: DVec3) -> Place {
        let by = (by * (PARTS / self.edge_m)).to_array();
        // Conversion saturates and takes what is no number as 0.
        Place([0, 1, 2].map(|axis| limited(place.0[axis].saturating_add(by[axis].round() as i64))))
    }

    /// The way from one place to another (m), rounded once.
    #[must_use]
    pub fn between(&self, from: Place, to: Place) -> Vec3 {
        let part_m = self.edge_m / PARTS;
        Vec3::from_array([0, 1, 2].map(|axis| ((to.0[axis] - from.0[axis]) as f64 * part_m) as f32))
    }
}

fn limited(x: i64) -> i64 {
    const END: i64 = Place::LIMIT << PART_BITS;
    x.clamp(-END, END - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_by_whole_cells_keeps_every_bit_of_a_motion() {
        let lattice = Lattice::new(0.2).unwrap();
        let near = lattice.place(DVec3::new(0.013, -0.17, 0.05)).unwrap();
        let far = near.shifted(IVec3::new(400_000, -31_000, 7));
        let step = DVec3::new(1e-9, -3.3e-7, 0.004);
        let (mut a, mut b) = (near, far);
        for _ in 0..1000 {
            (a, b) = (lattice.moved(a, step), lattice.moved(b, step));
        }
        assert_eq!(lattice.between(near, a), lattice.between(far, b));
        // A billionth of a metre, a thousand times, is there to a part of the cell per step.
        assert!((f64::from(lattice.between(far, b).x) - 1e-6).abs() < 1000.0 * 0.2 / PARTS);
    }

    #[test]
    fn what_is_no_place_is_refused_and_nothing_leaves_the_lattice() {
        let lattice = Lattice::new(1.0).unwrap();
        for x in [f64::NAN, f64::INFINITY, 524_288.0, -1e300] {
            assert_eq!(lattice.place(DVec3::new(0.0, x, 0.0)), None);
            let moved = lattice.moved(Place::default(), DVec3::new(x, 0.0, 0.0));
            assert!(moved.cell(0).x.unsigned_abs() <= 1 << 19);
        }
        for edge_m in [0.0, -1.0, f64::NAN, 1e-7, 1e5] {
            assert!(Lattice::new(edge_m).is_err());
        }
    }
}
