//! One part of a model: triangles in their own frame, and where that is.

use barchan_sim::Materials;
use barchan_surface::SurfaceMesh;
use barchan_volume::{Pose, TriMesh};
use glam::Vec3;
use rayon::prelude::*;

use super::color::Palette;
use super::shading::{Shaded, shaded};

/// Triangles with shared vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// For people; need not be unique.
    pub name: String,
    /// Where it is in the world.
    pub pose: Pose,
    /// Vertices in the frame of the part (m), z up.
    pub positions: Vec<[f32; 3]>,
    /// Unit vectors out of the surface, one a vertex (-).
    pub normals: Vec<[f32; 3]>,
    /// Colours, one a vertex (sRGB).
    pub colors: Vec<[u8; 3]>,
    /// Triangles by what they look like.
    pub faces: Vec<Faces>,
}

/// Triangles of one look.
#[derive(Clone, Debug, PartialEq)]
pub struct Faces {
    /// Which, as a place in [`Model::looks`](super::Model::looks).
    pub look: usize,
    /// Three vertices each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Part {
    /// The surface of the ground. Look `i` is material `i`; those that the table does not have count as the first.
    pub(super) fn ground(mesh: SurfaceMesh, materials: &Materials) -> Self {
        let palette = Palette::new(materials);
        let colors = mesh.materials.par_iter().map(|&vertex| palette.color(vertex)).collect();
        let known = materials.iter().count();
        let mut by_look: Vec<Vec<[u32; 3]>> = vec![Vec::new(); known];
        for corners in mesh.triangles {
            let of = |corner: u32| mesh.materials.get(corner as usize).map_or(0, |m| usize::from(m.dominant));
            let [a, b, c] = corners.map(of);
            // What two corners agree on; the first where all differ.
            let look = if b == c { b } else { a };
            by_look[if look < known { look } else { 0 }].push(corners);
        }
        let faces = by_look.into_iter().enumerate().filter(|(_, triangles)| !triangles.is_empty());
        Self {
            name: "ground".into(),
            pose: Pose::IDENTITY,
            positions: mesh.positions,
            normals: mesh.normals,
            colors,
            faces: faces.map(|(look, triangles)| Faces { look, triangles }).collect(),
        }
    }

    /// A bare mesh in one colour, smooth but for its sharp edges.
    pub(super) fn shaded(name: &str, pose: Pose, mesh: &TriMesh, look: usize, color: [u8; 3]) -> Self {
        let Shaded { positions, normals, triangles } = shaded(mesh);
        let colors = vec![color; positions.len()];
        let pose = Pose { rotation: pose.rotation.normalize(), ..pose };
        Self {
            name: name.to_owned(),
            pose,
            positions,
            normals,
            colors,
            faces: vec![Faces { look, triangles }],
        }
    }

    /// How many triangles it has.
    pub fn triangle_count(&self) -> usize {
        self.faces.iter().map(|faces| faces.triangles.len()).sum()
    }

    /// Position (m) and normal of every vertex in the world.
    pub(super) fn placed(&self) -> impl Iterator<Item = (Vec3, Vec3)> {
        let (pose, in_place) = (self.pose, self.pose == Pose::IDENTITY);
        self.positions.iter().zip(&self.normals).map(move |(&position, &normal)| {
            let (position, normal) = (Vec3::from_array(position), unit(Vec3::from_array(normal)));
            // Nothing is lost where there is nothing to move.
            if in_place {
                (position, normal)
            } else {
                (pose.transform_point(position), pose.rotation * normal)
            }
        })
    }

    /// What contradicts itself in it.
    pub(super) fn problem(&self, looks: usize) -> Option<String> {
        let vertices = self.positions.len();
        if (self.normals.len(), self.colors.len()) != (vertices, vertices) {
            let (normals, colors) = (self.normals.len(), self.colors.len());
            return Some(format!("{vertices} vertices, {normals} normals and {colors} colours"));
        }
        if !(self.pose.translation.is_finite() && self.pose.rotation.is_normalized()) {
            return Some(format!("{:?} is no place", self.pose));
        }
        let finite = |numbers: &[f32; 3]| numbers.iter().all(|number| number.is_finite());
        if let Some(at) = self.positions.iter().zip(&self.normals).position(|(p, n)| !finite(p) || !finite(n))
        {
            return Some(format!(
                "vertex {at} is at {:?} with the normal {:?}",
                self.positions[at], self.normals[at]
            ));
        }
        let outside = |corner: &&u32| **corner as usize >= vertices;
        self.faces.iter().find_map(|faces| {
            let corner = faces.triangles.as_flattened().iter().find(outside);
            let look = (faces.look >= looks).then(|| format!("look {} of {looks}", faces.look));
            corner.map(|corner| format!("a triangle has vertex {corner} of {vertices}")).or(look)
        })
    }
}

/// `normal` at unit length; up where it has no direction.
pub(super) fn unit(normal: Vec3) -> Vec3 {
    normal.try_normalize().unwrap_or(Vec3::Z)
}
