//! A model: what a mesh file shows, before any format.

use barchan_sim::World;
use barchan_surface::SurfaceMesh;
use barchan_volume::{Pose, TriMesh};

use super::part::Part;
use super::shapes::shape_mesh;
use crate::error::FormatError;

/// How bodies look: painted steel.
const BODY: (&str, [u8; 3], f32) = ("body", [195, 124, 63], 0.5);
/// How a mesh looks that says nothing about it.
const PLAIN: (&str, [u8; 3], f32) = ("plain", [180, 180, 180], 0.8);
/// Ground scatters light to all sides (-).
const GROUND_ROUGHNESS: f32 = 0.95;

/// Parts in their places, and what they look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The materials of all parts.
    pub looks: Vec<Look>,
    /// The parts; the ground, where there is any, comes first.
    pub parts: Vec<Part>,
}

/// What a surface looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Name of the material.
    pub name: String,
    /// Colour where it is dry and unmixed (sRGB).
    pub color: [u8; 3],
    /// Roughness: 0 a mirror, 1 chalk (-).
    pub roughness: f32,
}

impl Model {
    /// The ground of `world`, whose surface is `ground`, and its bodies where they are now.
    pub fn of_world(world: &World, ground: SurfaceMesh) -> Self {
        let materials = world.materials();
        let mut looks: Vec<_> = materials
            .iter()
            .map(|(_, material)| Look {
                name: material.name.clone(),
                color: material.color,
                roughness: GROUND_ROUGHNESS,
            })
            .collect();
        let body_look = looks.len();
        looks.push(Look::from(BODY));
        let bodies = world.bodies().iter().map(|body| {
            let spec = body.spec;
            Part::shaded(&spec.name, body.pose, &shape_mesh(&spec.shape), body_look, BODY.1)
        });
        let parts = [Part::ground(ground, materials)].into_iter().chain(bodies);
        let mut model = Self { looks, parts: parts.filter(|part| part.triangle_count() > 0).collect() };
        model.drop_unused_looks();
        model
    }

    /// A bare mesh in one plain colour; edges of more than 40° stay sharp.
    pub fn of_mesh(mesh: &TriMesh) -> Self {
        let part = Part::shaded("mesh", Pose::IDENTITY, mesh, 0, PLAIN.1);
        Self { looks: vec![Look::from(PLAIN)], parts: vec![part] }
    }

    /// Triangles of all parts.
    pub fn triangle_count(&self) -> usize {
        self.parts.iter().map(Part::triangle_count).sum()
    }

    /// Vertices of all parts.
    pub fn vertex_count(&self) -> usize {
        self.parts.iter().map(|part| part.positions.len()).sum()
    }

    /// All parts in the world as one bare mesh.
    pub fn to_mesh(&self) -> TriMesh {
        let mut mesh = TriMesh::default();
        for part in &self.parts {
            let offset = mesh.vertices.len() as u32;
            mesh.vertices.extend(part.placed().map(|(position, _)| position));
            let triangles = part.faces.iter().flat_map(|faces| &faces.triangles);
            mesh.triangles.extend(triangles.map(|corners| corners.map(|vertex| vertex + offset)));
        }
        mesh
    }

    /// Whether a file of `format` can be made of it: something to show, and no contradiction in it.
    pub fn check(&self, format: &'static str) -> Result<(), FormatError> {
        if self.triangle_count() == 0 {
            let (expected, found) = ("ground or bodies to show".into(), "none".into());
            return Err(FormatError::Unsupported { format, expected, found });
        }
        let wrong = self.parts.iter().find_map(|part| Some((part, part.problem(self.looks.len())?)));
        match wrong {
            Some((part, problem)) => {
                Err(FormatError::Corrupt { format, reason: format!("part `{}`: {problem}", part.name) })
            }
            None => Ok(()),
        }
    }

    fn drop_unused_looks(&mut self) {
        let mut used = vec![false; self.looks.len()];
        let mut all_faces: Vec<_> = self.parts.iter_mut().flat_map(|part| &mut part.faces).collect();
        all_faces.iter().for_each(|faces| used[faces.look] = true);
        let places: Vec<_> = used
            .iter()
            .scan(0, |next, &used| {
                let place = *next;
                *next += usize::from(used);
                Some(place)
            })
            .collect();
        all_faces.iter_mut().for_each(|faces| faces.look = places[faces.look]);
        let mut used = used.into_iter();
        self.looks.retain(|_| used.next() == Some(true));
    }
}

impl From<(&str, [u8; 3], f32)> for Look {
    fn from((name, color, roughness): (&str, [u8; 3], f32)) -> Self {
        Self { name: name.to_owned(), color, roughness }
    }
}
