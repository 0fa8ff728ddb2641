//! From the primitives of a glTF mesh (lists, strips and fans of corners) to triangles.

use barchan_volume::TriMesh;

use super::accessor::{Elements, Source};
use super::document::Primitive;
use super::error::{FORMAT, bad_entry, missing, needs_extension};
use crate::error::FormatError;
use crate::mesh::usable::check_count;

/// All triangles of mesh `index` of the document, in its own coordinates.
pub(super) fn read_primitives(source: &Source, index: usize) -> Result<TriMesh, FormatError> {
    let place = format!("meshes[{index}]");
    let mesh = source.document.meshes.get(index).ok_or_else(|| missing(&place))?;
    let mut joined = TriMesh::default();
    for (number, primitive) in mesh.primitives.iter().enumerate() {
        let place = format!("{place}.primitives[{number}]");
        // Points and lines have no surface, and without positions there is nothing to draw.
        let cut = Cut::of_mode(primitive.mode, &place)?;
        if let (Some(cut), Some(position)) = (cut, primitive.attributes.position) {
            let corners = Corners::of_primitive(source, primitive, position)?;
            append_triangles(&corners, cut, &place, &mut joined)?;
        }
    }
    Ok(joined)
}

/// The corners of a primitive, in order: vertices by index, or one vertex after the other.
struct Corners<'a> {
    count: usize,
    positions: Elements<'a>,
    indices: Option<Elements<'a>>,
}

impl<'a> Corners<'a> {
    fn of_primitive(
        source: &Source<'a>,
        primitive: &Primitive,
        position: usize,
    ) -> Result<Self, FormatError> {
        if primitive.is_packed_by_draco() && !source.has_bytes(position) {
            return Err(needs_extension("KHR_draco_mesh_compression"));
        }
        let positions = source.positions(position)?;
        let indices = primitive.indices.map(|accessor| source.indices(accessor)).transpose()?;
        let count = indices.as_ref().map_or(positions.count, |indices| indices.count);
        Ok(Self { count, positions, indices })
    }

    fn vertex(&self, corner: usize) -> u32 {
        self.indices.as_ref().map_or(corner as u32, |indices| indices.vertex_index(corner))
    }

    /// Lowest and highest vertex of the first `count` corners.
    fn vertex_range(&self, count: usize) -> Option<(u32, u32)> {
        let vertices = || (0..count).map(|corner| self.vertex(corner));
        Some((vertices().min()?, vertices().max()?))
    }
}

fn append_triangles(
    corners: &Corners,
    cut: Cut,
    place: &str,
    joined: &mut TriMesh,
) -> Result<(), FormatError> {
    let triangles = cut.triangles(corners.count);
    check_count(FORMAT, "triangles", joined.triangles.len() + triangles)?;
    // Primitives often share one long list of vertices, of which each uses a stretch: only that is copied.
    let Some((low, high)) = corners.vertex_range(cut.corners_used(corners.count)) else { return Ok(()) };
    if high as usize >= corners.positions.count {
        let problem = format!("it uses vertex {high} of {} (counted from 0)", corners.positions.count);
        return Err(bad_entry(place, problem));
    }
    let offset = joined.vertices.len() as u32;
    check_count(FORMAT, "vertices", joined.vertices.len() + (high - low) as usize + 1)?;
    joined.vertices.extend((low..=high).map(|vertex| corners.positions.position(vertex as usize)));
    joined.triangles.extend(
        (0..triangles).map(|index| cut.corners_of(index).map(|corner| corners.vertex(corner) - low + offset)),
    );
    Ok(())
}

/// How corners make triangles.
#[derive(Clone, Copy)]
enum Cut {
    List,
    Strip,
    Fan,
}

impl Cut {
    /// `None` for points and lines.
    fn of_mode(mode: u32, place: &str) -> Result<Option<Self>, FormatError> {
        match mode {
            0..=3 => Ok(None),
            4 => Ok(Some(Self::List)),
            5 => Ok(Some(Self::Strip)),
            6 => Ok(Some(Self::Fan)),
            _ => Err(bad_entry(place, format!("mode {mode} does not exist"))),
        }
    }

    /// Number of triangles that so many corners make.
    fn triangles(self, corners: usize) -> usize {
        match self {
            Self::List => corners / 3,
            Self::Strip | Self::Fan => corners.saturating_sub(2),
        }
    }

    /// Number of leading corners that are part of a triangle.
    fn corners_used(self, corners: usize) -> usize {
        match (self, self.triangles(corners)) {
            (_, 0) => 0,
            (Self::List, triangles) => 3 * triangles,
            (Self::Strip | Self::Fan, triangles) => triangles + 2,
        }
    }

    /// The corners of triangle `index`.
    fn corners_of(self, index: usize) -> [usize; 3] {
        match self {
            Self::List => [3 * index, 3 * index + 1, 3 * index + 2],
            // Every other triangle of a strip runs the other way round.
            Self::Strip => [index, index + 1 + index % 2, index + 2 - index % 2],
            Self::Fan => [index + 1, index + 2, 0],
        }
    }
}
