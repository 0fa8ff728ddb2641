//! The surface in all cells of a block: Marching Cubes with shared vertices.
//!
//! Cells are found by the bits of whole columns, and every crossed edge makes its vertex before any cell asks for it,
//! so nothing is looked up twice and no table is cleared.

use std::ops::Range;
use std::sync::LazyLock;

use glam::{IVec3, Vec3};

use super::content::{Content, Holds, Lone, blend};
use super::field::Field;
use super::frame::Frame;
use super::lattice::{Bricks, Lattice};
use super::options::Phases;
use super::polyhedron::cube;
use super::surface_mesh::{SurfaceMesh, VertexMaterial};

/// Most triangles in a cell.
const MOST: usize = 5;

/// How a cell is cut: how many triangles, and their edges.
type Cut = (u8, [[u8; 3]; MOST]);

/// The 256 ways to be cut, by the corners inside.
static CUTS: LazyLock<[Cut; 256]> = LazyLock::new(|| {
    let cell = cube();
    std::array::from_fn(|inside| {
        let triangles = cell.triangles(inside as u16);
        let mut padded = [[0; 3]; MOST];
        padded[..triangles.len()].copy_from_slice(&triangles);
        (triangles.len() as u8, padded)
    })
});

/// The ends of the twelve edges of a cell.
static CORNERS: LazyLock<Vec<[u8; 2]>> = LazyLock::new(|| cube().edges().to_vec());

/// A vertex on an edge between two samples.
pub(super) struct Vertex {
    /// Samples above the origin of the block.
    pub place: Vec3,
    /// Out of the ground, of length one.
    pub normal: Vec3,
    /// What the ground is made of.
    pub material: VertexMaterial,
}

/// Everything that vertices of one level are made from.
pub(super) struct Samples<'a, T> {
    /// The field.
    pub field: &'a Field,
    /// The samples' contents.
    pub lattice: &'a Lattice<'a, T>,
    /// The same, near at hand.
    pub bricks: &'a Bricks<'a, T>,
    /// Where the block lies.
    pub frame: Frame,
}

impl<T: Holds> Samples<'_, T> {
    /// The vertex on the crossed edge from `corner` (samples above the origin) along `axis`.
    pub(super) fn vertex(&self, corner: IVec3, axis: usize) -> Vertex {
        let sample = self.frame.origin + corner;
        let lone = |p: IVec3| Lone::of_held(self.bricks.held(p, self.lattice));
        let ends = [lone(sample), lone(sample + IVec3::AXES[axis])];
        self.vertex_between(corner, axis, ends)
    }

    /// The same, where it is known what is at both ends.
    #[inline]
    fn vertex_between(&self, corner: IVec3, axis: usize, ends: [Option<Lone>; 2]) -> Vertex {
        let (field, sample) = (self.field, self.frame.origin + corner);
        let low = field.index(sample);
        let high = low + field.strides()[axis];
        let t = Field::crossing(field.value(low), field.value(high));
        let share = t as f32 / 65_536.0;
        let along = IVec3::AXES[axis];
        Vertex {
            place: corner.as_vec3() + along.as_vec3() * share,
            normal: self.normal(low, high, share, axis),
            material: self.material(sample, sample + along, t, ends),
        }
    }

    /// What the ground is made of between two samples, at `t` (1/65,536) of the way from one to the other.
    #[inline]
    fn material(&self, low: IVec3, high: IVec3, t: u32, ends: [Option<Lone>; 2]) -> VertexMaterial {
        // Nearly all ground is of one kind on both sides, or has nothing on the other.
        if self.lattice.options.phases == Phases::Joined
            && let [Some(low), Some(high)] = ends
            && let Some(material) = Lone::joined(low, high)
        {
            return material;
        }
        blend(self.content(low), self.content(high), t)
    }

    /// What sample `p` holds of what is meshed.
    pub(super) fn content(&self, p: IVec3) -> Content {
        self.bricks.content(p, self.lattice).of(self.lattice.options.phases)
    }

    #[inline]
    fn normal(&self, low: usize, high: usize, share: f32, axis: usize) -> Vec3 {
        let field = self.field;
        let outward = field.outward(low) * (1.0 - share) + field.outward(high) * share;
        outward.try_normalize().unwrap_or_else(|| {
            // The field is the same on both sides: the edge itself is the best guess.
            let mut along = Vec3::ZERO;
            along[axis] = if field.value(low) > 0 { 1.0 } else { -1.0 };
            along
        })
    }
}

/// The surface in a block, and the place of every vertex (samples above the block's origin).
#[derive(Default)]
pub(super) struct Core {
    /// The triangles.
    pub mesh: SurfaceMesh,
    /// Places, parallel to the vertices; none at level 0.
    pub places: Vec<Vec3>,
}

impl Core {
    fn add(&mut self, vertex: Vertex, frame: &Frame) -> u32 {
        let number = self.mesh.positions.len() as u32;
        self.mesh.positions.push(frame.world(vertex.place));
        self.mesh.normals.push(vertex.normal.to_array());
        self.mesh.materials.push(vertex.material);
        // Blocks of the finest level never make room.
        if frame.level > 0 {
            self.places.push(vertex.place);
        }
        number
    }

    /// Makes room for as many vertices, and for the triangles that are likely to come with them.
    fn reserve(&mut self, vertices: usize) {
        self.mesh.positions.reserve_exact(vertices);
        self.mesh.normals.reserve_exact(vertices);
        self.mesh.materials.reserve_exact(vertices);
        self.mesh.triangles.reserve(2 * vertices + 64);
    }
}

/// Numbers of the vertices on the edges of two slices of constant x and between them.
struct Edges {
    side: usize,
    numbers: Vec<u32>,
}

impl Edges {
    fn new(cells: usize) -> Self {
        let side = cells + 1;
        Self { side, numbers: vec![0; 5 * side * side] }
    }

    /// Where the edges along `axis` of slice `x` begin. Those along x have one slice, the others two in turns.
    fn start(&self, x: usize, axis: usize) -> usize {
        let sheet = if axis == 0 { 4 } else { (x & 1) * 2 + axis - 1 };
        sheet * self.side * self.side
    }

    /// Where the twelve edges of the cell at x, 0, 0 are.
    fn of_cell(&self, x: usize, corners: &[[u8; 2]]) -> [usize; 12] {
        std::array::from_fn(|edge| {
            let [low, high] = corners[edge].map(usize::from);
            let axis = (low ^ high).trailing_zeros() as usize;
            self.start(x + (low & 1), axis) + (low >> 1 & 1) * self.side + (low >> 2)
        })
    }
}

/// Meshes the cells of a block with `cells` of them along each edge: those in `span` along x and y, which the field must
/// cover.
pub(super) fn extract<T: Holds>(samples: &Samples<'_, T>, cells: usize, span: [Range<usize>; 2]) -> Core {
    let mut core = Core::default();
    let mut edges = Edges::new(cells);
    let [xs, ys] = span;
    // Samples of the field before the block's own; none where the span begins further on.
    let before = samples.frame.origin - samples.field.min;
    let kept = if cells == 64 { u64::MAX } else { (1 << cells) - 1 };
    let column = |x: usize, y: usize| {
        let at = |along: usize, before: i32| along.wrapping_add_signed(before as isize);
        samples.field.column(at(x, before.x), at(y, before.y)) >> before.z
    };
    let level = (1 << (cells + 1)) - 1;
    let crossed_beside = |x: usize, y: usize| {
        let here = column(x, y);
        let beside = if x > xs.start { (here ^ column(x - 1, y)) & level } else { 0 };
        let behind = if y > ys.start { (here ^ column(x, y - 1)) & level } else { 0 };
        let upright = u128::from((here ^ here >> 1) as u64 & kept);
        // Most are zero, and counting takes long.
        let counts = [beside, behind, upright].map(|bits| if bits == 0 { 0 } else { bits.count_ones() });
        counts.iter().sum::<u32>() as usize
    };
    let columns = (xs.start..=xs.end).flat_map(|x| (ys.start..=ys.end).map(move |y| (x, y)));
    core.reserve(columns.map(|(x, y)| crossed_beside(x, y)).sum());
    for x in xs.start..=xs.end {
        for y in ys.start..=ys.end {
            let here = column(x, y);
            let upright = (here ^ here >> 1) as u64 & kept;
            make_vertices(samples, [x, y], 2, u128::from(upright), &mut edges, &mut core);
            if y < ys.end {
                make_vertices(samples, [x, y], 1, (here ^ column(x, y + 1)) & level, &mut edges, &mut core);
            }
            if x > xs.start {
                let crossed = (here ^ column(x - 1, y)) & level;
                make_vertices(samples, [x - 1, y], 0, crossed, &mut edges, &mut core);
            }
        }
        if x > xs.start {
            let places = edges.of_cell(x - 1, &CORNERS);
            for y in ys.clone() {
                let columns = [column(x - 1, y), column(x, y), column(x - 1, y + 1), column(x, y + 1)];
                let start = y * edges.side;
                cut_cells(columns, kept, &places, start, &edges.numbers, &mut core.mesh.triangles);
            }
        }
    }
    core
}

/// Makes the vertices on the edges along `axis` of one column whose bits are set in `crossed`.
#[inline]
fn make_vertices<T: Holds>(
    samples: &Samples<'_, T>,
    [x, y]: [usize; 2],
    axis: usize,
    mut crossed: u128,
    edges: &mut Edges,
    core: &mut Core,
) {
    if crossed == 0 {
        return;
    }
    let start = edges.start(x, axis) + y * edges.side;
    let foot = samples.frame.origin + IVec3::new(x as i32, y as i32, 0);
    let step = IVec3::AXES[axis];
    let pillar = |p: IVec3| samples.bricks.pillar(p.truncate(), samples.lattice);
    let (low, high) = (pillar(foot), pillar(foot + step));
    while crossed != 0 {
        let z = crossed.trailing_zeros() as usize;
        crossed &= crossed - 1;
        let corner = IVec3::new(x as i32, y as i32, z as i32);
        let height = foot.z + z as i32;
        let ends = [Lone::of_held(low.held(height)), Lone::of_held(high.held(height + step.z))];
        let vertex = samples.vertex_between(corner, axis, ends);
        edges.numbers[start + z] = core.add(vertex, &samples.frame);
    }
}

/// Adds the triangles of a row of cells along z between four columns.
#[inline]
fn cut_cells(
    columns: [u128; 4],
    kept: u64,
    places: &[usize; 12],
    start: usize,
    numbers: &[u32],
    triangles: &mut Vec<[u32; 3]>,
) {
    let low = columns.map(|column| column as u64);
    let high = columns.map(|column| (column >> 1) as u64);
    let both = |fold: fn(u64, u64) -> u64| low.into_iter().chain(high).reduce(fold).unwrap_or(0);
    let mut cut = both(|a, b| a | b) & !both(|a, b| a & b) & kept;
    while cut != 0 {
        let z = cut.trailing_zeros() as usize;
        cut &= cut - 1;
        let bits = low.into_iter().chain(high).enumerate();
        let inside = bits.fold(0, |code, (corner, column)| code | (column >> z & 1) << corner);
        let (count, cut_triangles) = &CUTS[inside as usize];
        let row = &numbers[start + z..];
        let number = |edge: u8| row[places[usize::from(edge)]];
        for [a, b, c] in &cut_triangles[..usize::from(*count)] {
            triangles.push([number(*a), number(*b), number(*c)]);
        }
    }
}
