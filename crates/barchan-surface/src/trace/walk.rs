//! The walk of a ray through the field: empty space is left in cubes of 64, 32, 16, 8 and 2 voxels, and only where
//! the surface goes through a cube of 2 are samples looked at.

use glam::{IVec3, Vec3A};

use super::field::{CHUNK_LOG, Chunk, Field, FieldBrick, LEVEL_SAMPLE, Slot, cell_of, slot_index};

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
        Self { origin, direction, inverse: direction.recip() }
    }

    #[inline]
    pub fn at(&self, t: f32) -> Vec3A {
        self.origin + self.direction * t
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
        if enter > 0.0 && self.at(ray.at(enter)) >= 0.5 {
            let side = Vec3A::AXES[axis] * -ray.direction[axis].signum();
            return Some(GroundHit { t: enter, cut: Some(side) });
        }
        let t = self.walk(ray, enter.max(0.0), leave.min(reach))?;
        Some(GroundHit { t, cut: None })
    }

    fn walk(&self, ray: &Ray, from: f32, to: f32) -> Option<f32> {
        // Enough to get into the next cube, also where numbers are large.
        let nudge = 1e-3 + self.low.abs().max(self.high.abs()).max_element() * 3e-7;
        let (mut key, mut chunk): (IVec3, Option<&Chunk>) = (IVec3::MAX, None);
        let mut t = from;
        while t < to {
            let cell = cell_of(ray.at(t));
            if cell >> CHUNK_LOG != key {
                key = cell >> CHUNK_LOG;
                chunk = self.chunks.get(&key);
            }
            let (log, brick) = chunk.map_or((CHUNK_LOG, None), |chunk| self.emptiness(chunk, cell));
            let end = exit(ray, cell, log).max(t);
            if let Some(brick) = brick
                && let Some(hit) = cross(ray, brick, (cell & !7).as_vec3a(), t, end)
            {
                return Some(hit).filter(|hit| *hit <= to);
            }
            t = end + nudge;
        }
        None
    }

    /// The edge of the largest cube around a cell that has no surface, as a power of two; or the brick to look at.
    #[inline]
    fn emptiness(&self, chunk: &Chunk, cell: IVec3) -> (i32, Option<&FieldBrick>) {
        let quad: IVec3 = (cell >> 5) & 1;
        if chunk.quads >> ((quad.x << 2) | (quad.y << 1) | quad.z) & 1 == 0 {
            return (5, None);
        }
        let pair: IVec3 = (cell >> 4) & 3;
        if chunk.pairs >> ((pair.x << 4) | (pair.y << 2) | pair.z) & 1 == 0 {
            return (4, None);
        }
        let Slot::Stored(number) = chunk.slots[slot_index(cell)] else { return (3, None) };
        let brick = &self.bricks[number as usize];
        if brick.surface == 0 {
            return (3, None);
        }
        let cube: IVec3 = (cell >> 1) & 3;
        let crossed = brick.surface >> ((cube.x << 4) | (cube.y << 2) | cube.z) & 1 == 1;
        (1, crossed.then_some(brick))
    }
}

/// Where the ray leaves the cube of edge 2^`log` around `cell`.
#[inline]
fn exit(ray: &Ray, cell: IVec3, log: i32) -> f32 {
    let low = (cell >> log << log).as_vec3a();
    let far = Vec3A::select(ray.direction.cmpgt(Vec3A::ZERO), low + (1 << log) as f32, low);
    ((far - ray.origin) * ray.inverse).min_element()
}

/// Where the ray comes below the surface between `from` and `to`.
#[inline]
fn cross(ray: &Ray, brick: &FieldBrick, corner: Vec3A, from: f32, to: f32) -> Option<f32> {
    let origin = ray.origin - corner;
    let look = |t: f32| brick.at(origin + ray.direction * t) - LEVEL_SAMPLE;
    let mut before = (from, look(from));
    if before.1 >= 0.0 {
        return Some(from);
    }
    let strides = ((to - from) / STRIDE).ceil().max(1.0);
    let stride = (to - from) / strides;
    for at in 1..=strides as usize {
        let t = from + stride * at as f32;
        let now = (t, look(t));
        if now.1 >= 0.0 {
            return Some(refine(before, now, look));
        }
        before = now;
    }
    None
}

/// The root between a point outside and one inside.
fn refine(mut outside: (f32, f32), mut inside: (f32, f32), look: impl Fn(f32) -> f32) -> f32 {
    for _ in 0..3 {
        let share = outside.1 / (outside.1 - inside.1);
        let t = outside.0 + (inside.0 - outside.0) * share;
        let value = look(t);
        if value < 0.0 {
            outside = (t, value);
        } else {
            inside = (t, value);
        }
    }
    outside.0 + (inside.0 - outside.0) * outside.1 / (outside.1 - inside.1)
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
