//! Strips that close the gap between a block and finer ones beside it.
//!
//! Transition cells after Lengyel (2010) lie along a side of the coarse block, with nine samples of the finer level
//! on their outer face and four of the block's own on the inner. Coarse samples here are averages, so the
//! corners of both faces have values of their own: the cell is cut by all thirteen of its signs. Outer vertices
//! are those of the finer blocks to the last bit. Inner ones are those of the block, which makes room for the strip
//! by drawing its outermost cells in; what it shares with a neighbour of its own level stays where it is.

use std::sync::{LazyLock, OnceLock};

use glam::{IVec3, Vec3};

use super::cells::{Samples, Vertex};
use super::content::{Holds, blend};
use super::field::Field;
use super::frame::Frame;
use super::key::{Side, Sides};
use super::polyhedron::{Polyhedron, transition};
use super::surface_mesh::{SurfaceMesh, VertexMaterial};

/// Width of a strip (cells of the block).
const WIDTH: f32 = 0.3;

/// How far vertices give way along the surface rather than straight: all of the way would let a strip beside a surface
/// parallel to it vanish.
const ALONG: f32 = 0.9;

static CELL: LazyLock<Polyhedron> = LazyLock::new(transition);

/// The triangles of each way to be cut, made when first met.
static CUTS: [OnceLock<Vec<[u8; 3]>>; 1 << 13] = [const { OnceLock::new() }; 1 << 13];

/// A strip along one side of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Strip {
    vertices: Vec<StripVertex>,
    triangles: Vec<[u32; 3]>,
}

#[derive(Clone, Copy, Debug)]
struct StripVertex {
    /// Where it is while the block has made no room (m).
    position: [f32; 3],
    normal: Vec3,
    material: VertexMaterial,
    /// The place in the block that it gives way with (samples above the origin).
    place: Vec3,
    /// How far it follows: 0 for vertices of the finer blocks, 1 for those of the block.
    follows: f32,
}

impl Strip {
    /// True when it has not a single triangle.
    pub(super) fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Adds the strip to `mesh`, for a block that made room at all `sides`.
    pub(super) fn append_to(&self, mesh: &mut SurfaceMesh, sides: Sides, cells: i32, frame: &Frame) {
        let offset = mesh.positions.len() as u32;
        for vertex in &self.vertices {
            let moved = room(vertex.place, vertex.normal, sides, cells) * vertex.follows;
            let position =
                if moved == Vec3::ZERO { vertex.position } else { frame.world(vertex.place + moved) };
            mesh.positions.push(position);
            mesh.normals.push(vertex.normal.to_array());
            mesh.materials.push(vertex.material);
        }
        let whole = self.triangles.iter().map(|corners| corners.map(|vertex| vertex + offset));
        // Where no room was made, the two ends of a side can be one place.
        let place = |vertex: u32| mesh.positions[vertex as usize];
        mesh.triangles.extend(
            whole.filter(|[a, b, c]| {
                place(*a) != place(*b) && place(*b) != place(*c) && place(*c) != place(*a)
            }),
        );
    }
}

/// How far a vertex at `place` (samples above the origin) gives way for strips at `sides` (samples).
pub(super) fn room(place: Vec3, normal: Vec3, sides: Sides, cells: i32) -> Vec3 {
    let high = cells as f32;
    let depth = |side: Side| {
        let along = place[side.axis()];
        if side.is_high() { high - along } else { along }
    };
    let on = Sides::where_true(|side| depth(side) == 0.0);
    if !sides.contains_all(on) {
        // Blocks of the same level beyond that side have this vertex too.
        return Vec3::ZERO;
    }
    let mut straight = Vec3::ZERO;
    for side in Side::ALL.into_iter().filter(|side| sides.contains(*side) && depth(*side) < 1.0) {
        straight[side.axis()] += WIDTH * (1.0 - depth(side)) * if side.is_high() { -1.0 } else { 1.0 };
    }
    straight - normal * (normal.dot(straight) * ALONG)
}

/// The strip along `side` of a block with `cells` along each edge.
pub(super) fn extract<C: Holds, F: Holds>(
    coarse: &Samples<'_, C>,
    fine: &Samples<'_, F>,
    side: Side,
    cells: i32,
) -> Strip {
    let mut maker = Maker {
        coarse,
        fine,
        side,
        cells,
        strip: Strip::default(),
        known: vec![[NONE; NUMBERED]; ((cells + 1) * (cells + 1)) as usize],
    };
    for v in 0..cells {
        for u in 0..cells {
            maker.cut([u, v]);
        }
    }
    maker.strip
}

/// No vertex yet.
const NONE: u32 = u32::MAX;
/// Edges that a cell counts as its own, the others being its neighbours': four fine and one coarse along each of u
/// and v, and the one between the levels; then the bends in its low sides.
const NUMBERED: usize = 13;
/// The corner that each bend is around.
const BENDS: [u8; 4] = [1, 7, 3, 5];

struct Maker<'a, C, F> {
    coarse: &'a Samples<'a, C>,
    fine: &'a Samples<'a, F>,
    side: Side,
    cells: i32,
    strip: Strip,
    /// Vertices by cell and edge.
    known: Vec<[u32; NUMBERED]>,
}

impl<C: Holds, F: Holds> Maker<'_, C, F> {
    fn cut(&mut self, cell: [i32; 2]) {
        let mut inside = 0_u16;
        for corner in 0..13 {
            inside |= u16::from(self.value(cell, corner) > 0) << corner;
        }
        let triangles = CUTS[usize::from(inside)].get_or_init(|| CELL.triangles(inside));
        for corners in triangles {
            let [a, b, c] = corners.map(|edge| self.vertex(cell, usize::from(edge)));
            // The cell is described as seen on a high side; on a low one it is its mirror image.
            self.strip.triangles.push(if self.side.is_high() { [a, b, c] } else { [a, c, b] });
        }
    }

    fn value(&self, cell: [i32; 2], corner: u8) -> i32 {
        let place = self.place(cell, corner);
        if corner < 9 {
            self.fine.field.value(self.fine.field.index(self.fine.frame.origin + place))
        } else {
            self.coarse.field.value(self.coarse.field.index(self.coarse.frame.origin + place))
        }
    }

    /// Place of a corner of a cell: samples of its level above the block's origin.
    fn place(&self, [u, v]: [i32; 2], corner: u8) -> IVec3 {
        let corner = i32::from(corner);
        let (along, scale) = if corner < 9 {
            ([2 * u + corner % 3, 2 * v + corner / 3], 2)
        } else {
            ([u + (corner - 9) % 2, v + (corner - 9) / 2], 1)
        };
        let axis = self.side.axis();
        let mut place = IVec3::ZERO;
        place[axis] = if self.side.is_high() { self.cells * scale } else { 0 };
        place[(axis + 1) % 3] = along[0];
        place[(axis + 2) % 3] = along[1];
        place
    }

    /// The vertex on an edge of a cell, or at one of its bends.
    fn vertex(&mut self, cell: [i32; 2], edge: usize) -> u32 {
        let corners = CELL.edges().get(edge).copied();
        let (owner, slot) = corners.map_or_else(
            || owner_of_bend(cell, edge - CELL.edges().len()),
            |corners| owner_of_edge(cell, corners),
        );
        let at = (owner[1] * (self.cells + 1) + owner[0]) as usize;
        if self.known[at][slot] == NONE {
            self.known[at][slot] = self.strip.vertices.len() as u32;
            let vertex = match corners {
                None => self.at_bend(cell, edge - CELL.edges().len()),
                Some([low, high]) if high < 9 => self.on_fine(cell, [low, high]),
                Some([low, high]) if low >= 9 => self.on_coarse(cell, [low, high]),
                Some([low, high]) => self.between(cell, [low, high]),
            };
            self.strip.vertices.push(vertex);
        }
        self.known[at][slot]
    }

    fn on_fine(&self, cell: [i32; 2], [low, high]: [u8; 2]) -> StripVertex {
        let (low, high) = (self.place(cell, low), self.place(cell, high));
        let vertex = self.fine.vertex(low, axis_between(low, high));
        let position = self.fine.frame.world(vertex.place);
        StripVertex { position, place: vertex.place / 2.0, ..vertex.into() }
    }

    fn on_coarse(&self, cell: [i32; 2], [low, high]: [u8; 2]) -> StripVertex {
        let (low, high) = (self.place(cell, low), self.place(cell, high));
        let vertex = self.coarse.vertex(low, axis_between(low, high));
        let position = self.coarse.frame.world(vertex.place);
        StripVertex { position, follows: 1.0, ..vertex.into() }
    }

    /// On an edge between the two levels, whose ends are the same place until the block makes room.
    fn between(&self, cell: [i32; 2], [low, high]: [u8; 2]) -> StripVertex {
        let (fine_place, place) = (self.place(cell, low), self.place(cell, high));
        let (fine_sample, sample) = (self.fine.frame.origin + fine_place, self.coarse.frame.origin + place);
        let t = Field::crossing(self.value(cell, low), self.value(cell, high));
        let material = blend(self.fine.content(fine_sample), self.coarse.content(sample), t);
        let field = self.coarse.field;
        let normal = field.outward(field.index(sample)).try_normalize().unwrap_or(Vec3::Z);
        let place = place.as_vec3();
        let position = self.coarse.frame.world(place);
        StripVertex { position, normal, material, place, follows: t as f32 / 65_536.0 }
    }

    /// Half way to the inner face from a point on the rim between the two crossings around a fine corner; not from that
    /// corner, with which other vertices are in line.
    fn at_bend(&self, cell: [i32; 2], bend: usize) -> StripVertex {
        let (corner, before) = (BENDS[bend], if bend < 2 { 1 } else { 3 });
        let (low, middle) = (self.place(cell, corner - before), self.place(cell, corner));
        let crossing = self.fine.vertex(low, axis_between(low, middle));
        let place = (crossing.place + middle.as_vec3()) / 2.0;
        let position = self.fine.frame.world(place);
        StripVertex { position, place: place / 2.0, follows: 0.5, ..crossing.into() }
    }
}

impl From<Vertex> for StripVertex {
    fn from(Vertex { place, normal, material }: Vertex) -> Self {
        Self { position: [0.0; 3], normal, material, place, follows: 0.0 }
    }
}

fn axis_between(low: IVec3, high: IVec3) -> usize {
    let along = (high - low).to_array();
    along.iter().position(|step| *step != 0).unwrap_or(0)
}

/// The cell that counts a bend as its own, and its number there.
fn owner_of_bend([u, v]: [i32; 2], bend: usize) -> ([i32; 2], usize) {
    let beyond = (bend % 2) as i32;
    if bend < 2 { ([u, v + beyond], 11) } else { ([u + beyond, v], 12) }
}

/// The cell that counts an edge as its own, and its number there.
fn owner_of_edge([u, v]: [i32; 2], [low, high]: [u8; 2]) -> ([i32; 2], usize) {
    let (low, high) = (usize::from(low), usize::from(high));
    if high < 9 {
        let along_v = usize::from(high - low == 3);
        let (i, j) = (low % 3, low / 3);
        let cell = [u + (i / 2) as i32, v + (j / 2) as i32];
        return (cell, along_v * 4 + (i % 2) + 2 * (j % 2));
    }
    let corner = if low >= 9 { low - 9 } else { high - 9 };
    let cell = [u + (corner % 2) as i32, v + (corner / 2) as i32];
    let slot = match (low >= 9, high - low) {
        (true, 1) => 8,
        (true, _) => 9,
        (false, _) => 10,
    };
    (cell, slot)
}
