//! Convex hulls of points.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::quickhull::quickhull;
use super::{Aabb, MeshSolid, Shape, ShapeError};
use crate::mesh::TriMesh;

/// The convex hull of points. Serialised as its points; everything else is derived.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec3>", into = "Vec<Vec3>")]
pub struct Hull {
    points: Vec<Vec3>,
    solid: MeshSolid,
}

impl Hull {
    /// Most points of a hull.
    pub const MAX_POINTS: usize = 10_000;

    /// The convex hull of `points` (m), which must not all lie in one plane. Points inside are allowed.
    pub fn new(points: Vec<Vec3>) -> Result<Self, ShapeError> {
        if !(4..=Self::MAX_POINTS).contains(&points.len()) {
            return Err(ShapeError::PointCount { count: points.len() });
        }
        // Written so that NaN is not within.
        let within = |p: &Vec3| p.abs().cmple(Vec3::splat(Shape::MAX_SIZE_M)).all();
        if let Some(index) = points.iter().position(|p| !within(p)) {
            return Err(ShapeError::Point { index, point: points[index] });
        }
        let Some(triangles) = quickhull(&points) else {
            let bounds = Aabb::around(points.iter().copied());
            return Err(ShapeError::NoVolume { what: "hull", size: bounds.max - bounds.min });
        };
        let faces = TriMesh { vertices: points.clone(), triangles };
        let solid = MeshSolid::enclosed_by(faces, "hull", "size of the hull")?;
        Ok(Self { points, solid })
    }

    /// The points the hull was made of (m).
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// The points that are corners of the hull (m).
    pub fn vertices(&self) -> &[Vec3] {
        &self.mesh().vertices
    }

    /// The faces of the hull, as triangles.
    pub fn mesh(&self) -> &TriMesh {
        self.solid.mesh()
    }

    /// Volume (m³).
    pub fn volume_m3(&self) -> f32 {
        self.solid.volume_m3()
    }

    /// The centre of the volume (m).
    pub fn centroid(&self) -> Vec3 {
        self.solid.centroid()
    }

    pub(super) fn solid(&self) -> &MeshSolid {
        &self.solid
    }
}

impl PartialEq for Hull {
    fn eq(&self, other: &Self) -> bool {
        self.points == other.points
    }
}

impl TryFrom<Vec<Vec3>> for Hull {
    type Error = ShapeError;

    fn try_from(points: Vec<Vec3>) -> Result<Self, ShapeError> {
        Self::new(points)
    }
}

impl From<Hull> for Vec<Vec3> {
    fn from(hull: Hull) -> Self {
        hull.points
    }
}
