//! How far any point near the ground is from its surface, and which way out is.
//!
//! Signed distance to the 0.5 level of the fill, by fast sweeping (`barchan_volume`'s `distance.rs`) at the centres of voxels, and
//! interpolated between them. Of each brick the distances at its own centres and at the next ones are kept, so that a question
//! needs one brick. A brick is made when it is first wanted and forgotten when the ground in or beside it changes.
//!
//! Checked by distances to planes, balls and ground moved far away (tests below).

use barchan_volume::brick::EDGE;
use barchan_volume::sample::{Cell, FARTHEST};
use barchan_volume::{VoxelBox, signed_distance};
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::ground::{Ground, Since, Stamp};
use crate::material::Materials;
use crate::voxel::Voxel;

/// Furthest from the surface that distances can be known (voxels).
pub const MOST_BAND: u8 = 4;

/// Centres along one edge of what is kept of a brick: its own and the next.
const SIDE: usize = EDGE as usize + 1;

/// Beyond this the sweep needs nothing (voxels).
const MARGIN: i32 = 2;

/// Where a point is against the surface of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Distance from the surface, negative inside (m). Further than the band it is the band.
    pub distance_m: f32,
    /// Unit vector out of the ground; zero where no surface is near.
    pub normal: Vec3,
}

/// Distances near the surface of the ground, brick by brick. Not part of any state.
#[derive(Clone, Debug)]
pub struct SurfaceField {
    band: u8,
    voxel_size_m: f32,
    bricks: FxHashMap<IVec3, Kept>,
    stamp: Stamp,
}

/// What is known of a brick.
#[derive(Clone, Debug)]
enum Kept {
    /// No surface is near: this distance everywhere (voxels).
    Far(f32),
    /// Distances (voxels), z fastest.
    Near(Box<[f32; SIDE * SIDE * SIDE]>),
}

impl Default for SurfaceField {
    fn default() -> Self {
        Self::new(2)
    }
}

impl SurfaceField {
    /// Knows nothing yet, and later distances up to `band` voxels from the surface, 1 to [`MOST_BAND`].
    pub fn new(band: u8) -> Self {
        let band = band.clamp(1, MOST_BAND);
        Self { band, voxel_size_m: 1.0, bricks: FxHashMap::default(), stamp: Stamp::default() }
    }

    /// The brick in which a question about `point_m` (m) looks: the one with the lowest of the eight centres around it.
    pub fn brick_of(point_m: DVec3, voxel_size_m: f32) -> IVec3 {
        let far = f64::from(FARTHEST);
        let p = point_m / f64::from(voxel_size_m) - 0.5;
        (p.clamp(DVec3::splat(-far), DVec3::splat(far)) / f64::from(EDGE)).floor().as_ivec3()
    }

    /// Follows the ground: forgets what changed, and makes those of the `wanted` bricks that are missing, on all threads. They
    /// may come in any order and more than once.
    pub fn update(&mut self, ground: &Ground, materials: &Materials, wanted: &[IVec3]) {
        self.forget_changed(ground);
        let mut missing: Vec<IVec3> =
            wanted.iter().copied().filter(|coord| !self.bricks.contains_key(coord)).collect();
        missing.sort_unstable_by_key(|coord| coord.to_array());
        missing.dedup();
        let band = self.band;
        let made: Vec<(IVec3, Kept)> =
            missing.into_par_iter().map(|coord| (coord, Kept::of(coord, ground, materials, band))).collect();
        self.bricks.extend(made);
    }

    /// Forgets all bricks but those of `wanted`.
    pub fn keep_only(&mut self, wanted: &[IVec3]) {
        let kept: rustc_hash::FxHashSet<IVec3> = wanted.iter().copied().collect();
        self.bricks.retain(|coord, _| kept.contains(coord));
    }

    /// How many bricks it knows.
    pub fn len(&self) -> usize {
        self.bricks.len()
    }

    /// True when it knows nothing.
    pub fn is_empty(&self) -> bool {
        self.bricks.is_empty()
    }

    /// To ask about points. Make one for each task.
    pub fn cursor(&self) -> SurfaceCursor<'_> {
        SurfaceCursor { field: self, at: IVec3::MAX, kept: None }
    }

    fn forget_changed(&mut self, ground: &Ground) {
        if self.voxel_size_m != ground.voxel_size_m() {
            self.voxel_size_m = ground.voxel_size_m();
            self.bricks.clear();
        }
        match ground.changes_since(self.stamp) {
            Since::Everything => self.bricks.clear(),
            Since::Bricks(changed) => {
                for (coord, _) in changed {
                    for near in VoxelBox::cell(*coord).grow(1).cells() {
                        self.bricks.remove(&near);
                    }
                }
            }
        }
        self.stamp = ground.stamp();
    }
}

impl Kept {
    fn of(coord: IVec3, ground: &Ground, materials: &Materials, band: u8) -> Self {
        let margin = i32::from(band) + MARGIN;
        let region = VoxelBox::new(coord * EDGE - margin, coord * EDGE + SIDE as i32 + margin);
        let around = region.to_bricks();
        let mut uniform = around.cells().map(|brick| ground.voxels().brick(brick).uniform());
        let is_inside = |voxel: &Voxel| voxel.fill(materials) >= 0.5;
        let far = |is_inside: bool| if is_inside { -f32::from(band) } else { f32::from(band) };
        // Most bricks lie in the middle of air or of one ground.
        if let Some(Some(first)) = uniform.next()
            && uniform.all(|next| next.is_some_and(|next| is_inside(&next) == is_inside(&first)))
        {
            return Self::Far(far(is_inside(&first)));
        }
        let size = region.size();
        let mut voxels = vec![Voxel::AIR; size.iter().product()];
        ground.voxels().read_box_into(region, &mut voxels);
        let fill = |voxel: &Voxel| if voxel.is_air() { 0.0 } else { voxel.fill(materials) };
        let fills: Vec<f32> = voxels.iter().map(fill).collect();
        if fills.iter().all(|fill| (*fill >= 0.5) == (fills[0] >= 0.5)) {
            return Self::Far(far(fills[0] >= 0.5));
        }
        let all = signed_distance(&fills, size, band);
        let mut own = Box::new([0.0; SIDE * SIDE * SIDE]);
        for (row, own) in own.chunks_exact_mut(SIDE).enumerate() {
            let p = coord * EDGE + IVec3::new((row / SIDE) as i32, (row % SIDE) as i32, 0);
            let start = region.index(p);
            own.copy_from_slice(&all[start..start + SIDE]);
        }
        Self::Near(own)
    }
}

/// Asks a [`SurfaceField`] about points; remembers the brick of the last.
pub struct SurfaceCursor<'a> {
    field: &'a SurfaceField,
    at: IVec3,
    kept: Option<&'a Kept>,
}

impl SurfaceCursor<'_> {
    /// Where `point_m` (m) is against the surface. A brick that was never wanted counts as far above it.
    #[inline]
    pub fn near(&mut self, point_m: DVec3) -> Near {
        let size = self.field.voxel_size_m;
        let far = f64::from(FARTHEST);
        let p = (point_m / f64::from(size) - 0.5).clamp(DVec3::splat(-far), DVec3::splat(far));
        let base = floor(p);
        let coord = base >> 3;
        if self.at != coord {
            (self.at, self.kept) = (coord, self.field.bricks.get(&coord));
        }
        match self.kept {
            None => Near { distance_m: f32::from(self.field.band) * size, normal: Vec3::ZERO },
            Some(Kept::Far(distance)) => Near { distance_m: distance * size, normal: Vec3::ZERO },
            Some(Kept::Near(distances)) => {
                let place = (p - base.as_dvec3()).as_vec3();
                let own = base & (EDGE - 1);
                let start = (own.x as usize * SIDE + own.y as usize) * SIDE + own.z as usize;
                let d = |x: usize, y: usize, z: usize| distances[start + (x * SIDE + y) * SIDE + z];
                let cell = Cell([
                    d(0, 0, 0),
                    d(0, 0, 1),
                    d(0, 1, 0),
                    d(0, 1, 1),
                    d(1, 0, 0),
                    d(1, 0, 1),
                    d(1, 1, 0),
                    d(1, 1, 1),
                ]);
                let normal = cell.gradient(place).try_normalize().unwrap_or(Vec3::ZERO);
                Near { distance_m: cell.value(place) * size, normal }
            }
        }
    }
}

/// Whole numbers below. Quicker than `floor` in software.
#[inline]
fn floor(p: DVec3) -> IVec3 {
    let cut = p.as_ivec3();
    let above = p.cmplt(cut.as_dvec3());
    cut - IVec3::new(i32::from(above.x), i32::from(above.y), i32::from(above.z))
}

#[cfg(test)]
mod tests {
    use barchan_volume::{Pose, Region, Shape, Solid};
    use glam::Quat;

    use super::*;
    use crate::bodies::BodyFill;
    use crate::reader::Reader;
    use crate::{Edit, World, WorldConfig};

    const SIZE_M: f32 = 0.1;

    /// Rock in `shape` at `pose`.
    fn rock(shape: Shape, pose: Pose) -> World {
        let mut world = World::new(WorldConfig { voxel_size_m: SIZE_M, ..WorldConfig::default() }).unwrap();
        let material = world.materials().find("granite").unwrap();
        let region = Region::Solid(Solid { shape, pose });
        world.edit(&Edit::Place { region, material, moisture: 0.0 }).unwrap();
        world
    }

    /// What a distance of `distance_m` (m) may be off (m): an eighth of a voxel beside the surface, and more further away, for the
    /// sweep is of first order.
    fn tolerance_m(distance_m: f32) -> f32 {
        0.12 * SIZE_M + 0.05 * distance_m.abs()
    }

    fn field_at(world: &World, points: &[DVec3]) -> SurfaceField {
        let mut field = SurfaceField::new(3);
        let wanted: Vec<IVec3> = points.iter().map(|p| SurfaceField::brick_of(*p, SIZE_M)).collect();
        field.update(world.ground(), world.materials(), &wanted);
        field
    }

    #[test]
    fn distances_to_leaning_planes_are_found() {
        for (i, lean) in [0.0, 0.2, 0.5, 0.79, 1.2_f32].into_iter().enumerate() {
            let turn = Quat::from_rotation_z(0.7 * i as f32) * Quat::from_rotation_y(lean);
            let half_extents = Vec3::new(2.0, 2.0, 1.0);
            let world = rock(Shape::Box { half_extents }, Pose::new(turn * Vec3::NEG_Z, turn));
            let expected: Vec<(DVec3, f32)> = (0..200)
                .map(|k| {
                    let gap = SIZE_M * (0.025 * k as f32 - 2.5);
                    let (x, y) = (0.0053 * k as f32 - 0.5, 0.0037 * k as f32 - 0.3);
                    ((turn * Vec3::new(x, y, gap)).as_dvec3(), gap)
                })
                .collect();
            let points: Vec<DVec3> = expected.iter().map(|(point, _)| *point).collect();
            let field = field_at(&world, &points);
            let mut cursor = field.cursor();
            for (point, gap) in expected {
                let near = cursor.near(point);
                assert!((near.distance_m - gap).abs() < tolerance_m(gap), "{lean} {gap}: {near:?}");
                let off = near.normal.dot(turn * Vec3::Z).min(1.0).acos().to_degrees();
                assert!(off < 12.0, "{lean} {gap}: {off}° off");
            }
        }
    }

    #[test]
    fn distances_to_a_ball_are_found_and_move_with_it() {
        let far = Vec3::new(8.0 * 64.0, -8.0 * 32.0, 8.0 * 16.0) * SIZE_M;
        let worlds = [Vec3::ZERO, far].map(|at| rock(Shape::Ball { radius: 1.0 }, Pose::at(at)));
        let around = |at: Vec3| {
            move |k: i32| {
                let out = Vec3::new((0.7 * k as f32).sin(), (1.3 * k as f32).cos(), (0.37 * k as f32).sin());
                (at + out.normalize() * (0.75 + 0.0025 * k as f32)).as_dvec3()
            }
        };
        let [near_points, far_points] =
            [Vec3::ZERO, far].map(|at| (0..200).map(around(at)).collect::<Vec<_>>());
        let fields = [field_at(&worlds[0], &near_points), field_at(&worlds[1], &far_points)];
        let (mut here, mut there) = (fields[0].cursor(), fields[1].cursor());
        for (point, moved) in near_points.iter().zip(&far_points) {
            let (near, far) = (here.near(*point), there.near(*moved));
            let expected = point.length() as f32 - 1.0;
            assert!((near.distance_m - expected).abs() < tolerance_m(expected), "{expected}: {near:?}");
            assert!((near.distance_m - far.distance_m).abs() < 0.01 * SIZE_M, "{near:?} {far:?}");
        }
    }

    #[test]
    fn it_follows_the_ground_and_does_not_care_what_was_asked_before() {
        let mut world = rock(Shape::Box { half_extents: Vec3::splat(2.0) }, Pose::IDENTITY);
        let points: Vec<DVec3> =
            (0..300).map(|k| DVec3::new(-2.9 + 0.0193 * f64::from(k), 0.3, 1.9)).collect();
        let mut kept = field_at(&world, &points);
        let before = kept.cursor().near(points[200]);
        let region = Region::Solid(Solid {
            shape: Shape::Ball { radius: 0.7 },
            pose: Pose::at(Vec3::new(1.0, 0.3, 1.9)),
        });
        world.edit(&Edit::Remove { region }).unwrap();
        let wanted: Vec<IVec3> = points.iter().map(|p| SurfaceField::brick_of(*p, SIZE_M)).collect();
        kept.update(world.ground(), world.materials(), &wanted);
        let fresh = field_at(&world, &points);
        let answers = |field: &SurfaceField, backwards: bool| {
            let mut cursor = field.cursor();
            let ask = |p: &DVec3| cursor.near(*p);
            let mut all: Vec<Near> = if backwards {
                points.iter().rev().map(ask).collect()
            } else {
                points.iter().map(ask).collect()
            };
            if backwards {
                all.reverse();
            }
            all
        };
        assert_eq!(answers(&kept, false), answers(&fresh, true));
        assert_ne!(before, kept.cursor().near(points[200]));
        let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = threads.install(|| field_at(&world, &points));
        assert_eq!(answers(&kept, false), answers(&alone, false));
    }

    #[test]
    fn points_nowhere_are_far_away() {
        let world = rock(Shape::Ball { radius: 1.0 }, Pose::IDENTITY);
        let field = field_at(&world, &[]);
        for point in [DVec3::NAN, DVec3::INFINITY, DVec3::splat(-1e300), DVec3::ZERO] {
            let near = field.cursor().near(point);
            assert!(near.distance_m > 0.0 && near.normal == Vec3::ZERO, "{point}: {near:?}");
            let brick = SurfaceField::brick_of(point, SIZE_M);
            let mut asked = SurfaceField::new(9);
            asked.update(world.ground(), world.materials(), &[brick]);
            assert_eq!(asked.len(), 1);
        }
    }

    #[test]
    fn the_reader_interpolates_as_the_grid_does() {
        let world = rock(Shape::Ball { radius: 1.0 }, Pose::at(Vec3::new(0.3, 7.0, -3.0)));
        let none = BodyFill::new();
        let mut reader = Reader::new(world.ground(), &none, world.materials());
        for k in 0..100 {
            let p = Vec3::new(0.3 + 0.013 * k as f32, 7.0 - 0.007 * k as f32, -3.0 + 0.003 * k as f32);
            let fill = |voxel: Voxel| voxel.fill(world.materials());
            let (value, gradient) = world.ground().voxels().sample_with_gradient(p / SIZE_M, fill);
            assert!((reader.fill_at(p.as_dvec3()) - value).abs() < 1e-4, "{p}");
            let found = reader.gradient_at(p.as_dvec3()) * SIZE_M;
            assert!((found - gradient).length() < 1e-3, "{p}: {found} {gradient}");
            let voxel = crate::reader::voxel_at(p, SIZE_M);
            assert_eq!(reader.voxel(voxel), world.ground().get(voxel));
            assert_eq!(reader.fill(voxel), fill(reader.voxel(voxel)));
            assert_eq!(reader.is_barrier(voxel), reader.rock_fill(voxel) >= 0.5);
        }
    }
}
