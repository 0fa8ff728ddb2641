//! The walk of a ray through the field: empty space is left in leaps of whole bricks, as far as the nearest with surface,
//! and in bricks with surface in cubes of 4 and 2 voxels. Only in cubes of 2 that it goes through are samples looked at.

use glam::{IVec3, Vec3A};

use super::field::{
    CHUNK_LOG, Chunk, Field, FieldBrick, LEAP_EDGE, LEVEL_SAMPLE, Slot, cell_of, leap_index, slot_index,
    whole,
};

/// Distance between looks at the field inside a cube (voxels); the field changes over two.
const STRIDE: f32 = 0.9;

/// A ray in the places of a field.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    /// Where it starts.
    pub origin: Vec3A,
    /// Where it goes: a unit vector.
    pub direction: Vec3A,
    inverse: Vec3A,
    /// The direction's signs.
    toward: Vec3A,
}

/// Where a ray meets the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GroundHit {
    /// Distance (voxels).
    pub t: f32,
    /// The outward normal of the wall, where the ray meets the cut through the ground.
    pub cut: Option<Vec3A>,
}

impl Ray {
    pub fn new(origin: Vec3A, direction: Vec3A) -> Self {
        // No component is nought: its inverse would not be a number.
        let tiny = |d: f32| if d.abs() < 1e-7 { 1e-7_f32.copysign(d) } else { d };
        let direction = Vec3A::from_array(direction.to_array().map(tiny));
        Self { origin, direction, inverse: direction.recip(), toward: direction.signum() }
    }

    #[inline]
    pub fn at(&self, t: f32) -> Vec3A {
        self.origin + self.direction * t
    }

    /// How far it is from a place on the ray until it has left as many cubes of edge `EDGE` on its way, the one around
    /// the place among them.
    #[inline]
    fn leave<const EDGE: i32>(&self, place: Vec3A, cubes: f32) -> f32 {
        let (edge, per_edge) = (EDGE as f32, 1.0 / EDGE as f32);
        // From the cell, not from the place: on the border of two cubes both must mean the same one.
        let inside = place * per_edge - whole((whole(place) + 0.5) * per_edge);
        let ahead = (0.5 - inside) * self.toward + (cubes - 0.5);
        ((ahead * self.inverse.abs()).min_element() * edge).max(0.0)
    }

    /// Distances at which the ray enters and leaves a box, and the axis of the face it enters by.
    pub fn through(&self, low: Vec3A, high: Vec3A) -> Option<(f32, f32, usize)> {
        let (a, b) = ((low - self.origin) * self.inverse, (high - self.origin) * self.inverse);
        let (near, far) = (a.min(b), a.max(b));
        let (enter, leave) = (near.max_element(), far.min_element());
        (enter <= leave && leave >= 0.0).then(|| (enter, leave, near.max_position()))
    }
}

impl Field {
    /// The first ground on a ray no further than `reach` (voxels).
    pub fn cast(&self, ray: &Ray, reach: f32) -> Option<GroundHit> {
        let (enter, leave, axis) = ray.through(self.low, self.high)?;
        if enter > reach {
            return None;
        }
        if self.is_cut(ray, enter) {
            let side = Vec3A::AXES[axis] * -ray.direction[axis].signum();
            return Some(GroundHit { t: enter, cut: Some(side) });
        }
        let crossing = self.walk(ray, enter.max(0.0), leave.min(reach))?;
        Some(GroundHit { t: crossing.refine(ray), cut: None })
    }

    /// Whether there is ground on a ray no further than `reach` (voxels).
    pub fn is_in_the_way(&self, ray: &Ray, reach: f32) -> bool {
        ray.through(self.low, self.high).is_some_and(|(enter, leave, _)| {
            enter <= reach
                && (self.is_cut(ray, enter) || self.walk(ray, enter.max(0.0), leave.min(reach)).is_some())
        })
    }

    /// Whether a ray enters the box of the field through ground.
    fn is_cut(&self, ray: &Ray, enter: f32) -> bool {
        enter > 0.0 && self.at(ray.at(enter)) >= 0.5
    }

    /// The first stretch of a ray between two distances in which it comes below the surface.
    fn walk(&self, ray: &Ray, from: f32, to: f32) -> Option<Crossing<'_>> {
        // Enough to get into the next cube, also where numbers are large.
        let nudge = 1e-3 + self.low.abs().max(self.high.abs()).max_element() * 3e-7;
        let (mut first, mut chunk): (IVec3, Option<&Chunk>) = (IVec3::MAX, None);
        let (mut t, mut seen) = (from, None);
        while t < to {
            let place = ray.at(t);
            let cell = cell_of(place);
            let away = cell ^ first;
            if (away.x | away.y | away.z) >> CHUNK_LOG != 0 {
                chunk = self.chunks.get(&(cell >> CHUNK_LOG));
                first = cell >> CHUNK_LOG << CHUNK_LOG;
            }
            let Some(chunk) = chunk else {
                t += ray.leave::<{ 1 << CHUNK_LOG }>(place, 1.0) + nudge;
                seen = None;
                continue;
            };
            let leap = chunk.leaps[leap_index(cell)];
            if leap > 0 {
                t += ray.leave::<LEAP_EDGE>(place, f32::from(leap)) + nudge;
                seen = None;
                continue;
            }
            let end = (t + ray.leave::<2>(place, 1.0)).min(to);
            seen = match chunk.crossed(cell) {
                Some(brick) => match Crossing::find(ray, brick, (cell & !7).as_vec3a(), [t, end], seen) {
                    Ok(crossing) => return Some(crossing),
                    Err(last) => Some(last),
                },
                None => None,
            };
            t = end + nudge;
        }
        None
    }
}

impl Chunk {
    /// The brick of a cell, if the surface goes through the cube of two cells there.
    #[inline]
    fn crossed(&self, cell: IVec3) -> Option<&FieldBrick> {
        let slot = slot_index(cell);
        let cube: IVec3 = (cell >> 1) & 3;
        let is_crossed = self.surface[slot] >> ((cube.x << 4) | (cube.y << 2) | cube.z) & 1 == 1;
        match self.slots[slot] {
            Slot::Stored(number) if is_crossed => Some(&self.bricks[usize::from(number)]),
            _ => None,
        }
    }
}

/// A stretch of a ray that begins above the surface and ends below.
struct Crossing<'a> {
    brick: &'a FieldBrick,
    /// Where the brick begins.
    corner: Vec3A,
    /// Distances, and how far the field is off the level there.
    outside: (f32, f32),
    inside: (f32, f32),
}

impl<'a> Crossing<'a> {
    /// The first between two distances within a brick; or how far the field is off the level at the end. `seen`: how far
    /// it is at the begin, where that is known.
    #[inline]
    fn find(
        ray: &Ray,
        brick: &'a FieldBrick,
        corner: Vec3A,
        [from, to]: [f32; 2],
        seen: Option<f32>,
    ) -> Result<Self, f32> {
        let origin = ray.origin - corner;
        let look = |t: f32| brick.at(origin + ray.direction * t) - LEVEL_SAMPLE;
        let mut outside = (from, seen.unwrap_or_else(|| look(from)));
        if outside.1 >= 0.0 {
            return Ok(Self { brick, corner, outside, inside: outside });
        }
        let strides = 1 + ((to - from) * STRIDE.recip()) as u16;
        let stride = (to - from) / f32::from(strides);
        for at in 1..=strides {
            let t = from + stride * f32::from(at);
            let now = (t, look(t));
            if now.1 >= 0.0 {
                return Ok(Self { brick, corner, outside, inside: now });
            }
            outside = now;
        }
        Err(outside.1)
    }

    /// Where on the ray the surface is.
    fn refine(mut self, ray: &Ray) -> f32 {
        let root = |outside: (f32, f32), inside: (f32, f32)| {
            let rise = inside.1 - outside.1;
            if rise > 0.0 { outside.0 - (inside.0 - outside.0) * outside.1 / rise } else { outside.0 }
        };
        let origin = ray.origin - self.corner;
        for _ in 0..3 {
            let t = root(self.outside, self.inside);
            let value = self.brick.at(origin + ray.direction * t) - LEVEL_SAMPLE;
            if value < 0.0 {
                self.outside = (t, value);
            } else {
                self.inside = (t, value);
            }
        }
        root(self.outside, self.inside)
    }
}

#[cfg(test)]
mod tests {
    use barchan_sim::{Edit, World, WorldConfig};
    use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
    use glam::Vec3;

    use super::*;

    /// A world with a ball of sandstone whose top is cut off by the wall, and a cone of sand; voxels of 1 m.
    fn world() -> World {
        let bounds = Some(VoxelBox::new(IVec3::new(-90, -90, 0), IVec3::new(90, 90, 60)));
        let config = WorldConfig { bounds, voxel_size_m: 1.0, ..WorldConfig::default() };
        let mut world = World::new(config).expect("a world");
        let parts = [
            ("sandstone", Shape::Ball { radius: 31.3 }, Vec3::new(20.0, 5.0, 35.0)),
            ("dry_sand", Shape::Cone { radius: 30.0, half_height: 10.0 }, Vec3::new(-45.0, -30.0, 10.0)),
        ];
        for (material, shape, translation) in parts {
            let material = world.materials().find(material).expect("built in");
            let region = Region::Solid(Solid { shape, pose: Pose::at(translation) });
            world.edit(&Edit::Place { region, material, moisture: 0.0 }).expect("it fits");
        }
        world
    }

    #[test]
    fn the_walk_finds_what_small_steps_find() {
        let field = Field::of(&world());
        let mut hits = 0;
        for at in 0..400 {
            let turn = at as f32 * 0.618_034 * std::f32::consts::TAU;
            let from = Vec3::new(turn.cos() * 150.0, turn.sin() * 150.0, 5.0 + (at % 29) as f32 * 4.0);
            let to = Vec3::new((turn * 3.7).sin() * 70.0, (turn * 2.3).cos() * 70.0, (at % 13) as f32 * 4.0);
            let ray = Ray::new(field.place(from), Vec3A::from((to - from).normalize()));
            let found = field.cast(&ray, 400.0).map(|hit| hit.t);
            let slow = slowly(&field, &ray);
            hits += u32::from(slow.is_some());
            match (found, slow) {
                (Some(found), Some(slow)) => assert!((found - slow).abs() < 0.1, "{at}: {found} for {slow}"),
                (None, None) => {}
                // A ray that only grazes the surface may do so between two looks.
                (found, slow) => {
                    let t = found.or(slow).unwrap_or_default();
                    let deepest = (0..80).map(|n| field.at(ray.at(t + n as f32 * 0.05))).fold(0.0, f32::max);
                    assert!(deepest < 0.53, "{at}: {found:?} for {slow:?}, {deepest}");
                }
            }
        }
        assert!(hits > 100, "only {hits} rays hit");
    }

    fn slowly(field: &Field, ray: &Ray) -> Option<f32> {
        let (enter, leave, _) = ray.through(field.low, field.high)?;
        let steps = ((leave - enter.max(0.0)) / 0.02) as usize;
        let looks = (0..steps).map(|step| enter.max(0.0) + step as f32 * 0.02);
        looks.into_iter().find(|t| field.at(ray.at(*t)) >= 0.5)
    }

    #[test]
    fn the_cut_at_a_wall_is_flat_and_faces_outwards() {
        let field = Field::of(&world());
        // Down onto the ball, which the upper wall cuts off at 60 m.
        let ray = Ray::new(field.place(Vec3::new(22.0, 7.0, 100.0)), Vec3A::NEG_Z);
        let hit = field.cast(&ray, f32::INFINITY).expect("the ball is there");
        assert_eq!(hit.cut, Some(Vec3A::Z));
        assert!((hit.t - 40.0).abs() < 1e-3, "{hit:?}");
    }

    #[test]
    fn slopes_have_their_normals() {
        let field = Field::of(&world());
        let expected = Vec3A::new(0.0, -20.0, 30.0).normalize();
        for at in 0..60 {
            let y = -53.0 + at as f32 * 0.25;
            let ray = Ray::new(field.place(Vec3::new(-45.0, y, 90.0)), Vec3A::NEG_Z);
            let hit = field.cast(&ray, f32::INFINITY).expect("the cone is there");
            let normal = field.normal(ray.at(hit.t)).expect("a slope");
            let off = normal.angle_between(expected).to_degrees();
            assert!(off < 3.0, "{off}° at y = {y}");
            // The height of the cone there, which smoothing keeps.
            let height = (30.0 - (y + 30.0).abs()) * 20.0 / 30.0;
            assert!((90.0 - hit.t - height).abs() < 0.15, "{} for {height}", 90.0 - hit.t);
        }
    }
}
