//! Spheres spread over meshes that are bodies: how grains feel them.

use std::sync::Arc;

use barchan_volume::{Cover, CoverSpec, MeshSolid, Shape};
use serde::{Deserialize, Serialize};

use super::grains::Grains;
use super::setup::{GrainsError, check_range};
use crate::bodies::{BodyId, CoupledBody};

/// How meshes are covered with spheres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Covering {
    /// Radius of the spheres (m); none: that of the smallest ball of the grains.
    pub radius_m: Option<f64>,
    /// Cells of the grid of distances along the longest side of a mesh.
    pub grid: u32,
    /// How far from a mesh distances are known (m); none: three radii.
    pub thickness_m: Option<f64>,
}

impl Default for Covering {
    fn default() -> Self {
        Self { radius_m: None, grid: 48, thickness_m: None }
    }
}

/// What a mesh got.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Covered {
    /// Which body.
    pub body: BodyId,
    /// How many spheres.
    pub spheres: usize,
    /// Their radius (m).
    pub radius_m: f32,
    /// How far the farthest point of the mesh is from a sphere (m).
    pub gap_m: f32,
}

/// Covers that were made once.
#[derive(Clone, Debug, Default)]
pub struct Covers {
    known: Vec<(BodyId, Arc<MeshSolid>, Arc<Cover>)>,
}

impl Covering {
    /// Says what is wrong with it.
    pub fn check(&self) -> Result<(), GrainsError> {
        check_range("radius_m of a cover", self.radius_m.unwrap_or(1.0), [1e-5, 1e3])?;
        check_range("grid of a cover", self.grid.into(), [4.0, 256.0])?;
        check_range("thickness_m of a cover", self.thickness_m.unwrap_or(1.0), [1e-5, 1e3])
    }
}

impl Covers {
    /// The cover of a body that is a mesh; made when it is first asked for.
    pub fn of(&mut self, grains: &Grains, body: &CoupledBody) -> Option<Arc<Cover>> {
        let Shape::Mesh(mesh) = &body.shape else { return None };
        if let Some(at) = self.known.iter().position(|(id, ..)| *id == body.id) {
            if Arc::ptr_eq(&self.known[at].1, mesh) {
                return Some(self.known[at].2.clone());
            }
            self.known.swap_remove(at);
        }
        let covering = &grains.setup.covering;
        let smallest = grains.worked.kinds.iter().map(|kind| kind.radius_m).fold(f64::INFINITY, f64::min);
        let radius_m = covering.radius_m.unwrap_or(smallest) as f32;
        let thickness_m = covering.thickness_m.map_or(3.0 * radius_m, |thickness| thickness as f32);
        let cover =
            Arc::new(Cover::of(mesh.mesh(), CoverSpec { radius_m, grid: covering.grid, thickness_m }));
        self.known.push((body.id, mesh.clone(), cover.clone()));
        Some(cover)
    }

    /// What all of them are like, in the order of bodies.
    pub fn told(&self) -> Vec<Covered> {
        let of = |(body, _, cover): &(BodyId, Arc<MeshSolid>, Arc<Cover>)| Covered {
            body: *body,
            spheres: cover.centres().len(),
            radius_m: cover.radius_m(),
            gap_m: cover.gap_m(),
        };
        let mut told: Vec<_> = self.known.iter().map(of).collect();
        told.sort_by_key(|covered| covered.body);
        told
    }
}
