//! Where a particle has room: beside ground, bodies, walls and other particles.

use std::sync::OnceLock;

use barchan_volume::VoxelBox;
use glam::{DVec3, IVec3, Vec3};
use rustc_hash::FxHashMap;

use crate::columns::{Look, Patch};
use crate::grains::Grains;
use crate::material::Materials;
use crate::units::LOOSE_FULL;

/// Steps of half a diameter that a particle goes at most through soil, and up beyond it.
const MOST_STEPS: i32 = 64;

/// How far around the tool a free place is looked for when none is ahead (diameters).
const NEAR: i32 = 5;

/// Share of their distance by which particles come further apart than they touch.
const APART: f64 = 1.001;

/// Places beside a tool, the nearest first (half diameters).
fn around() -> &'static [IVec3] {
    static AROUND: OnceLock<Vec<IVec3>> = OnceLock::new();
    AROUND.get_or_init(|| {
        let reach = IVec3::splat(2 * NEAR);
        let mut around: Vec<IVec3> = VoxelBox::new(-reach, reach + 1).cells().collect();
        around.sort_by_key(|at| (at.length_squared(), at.to_array()));
        around
    })
}

/// Where there is room.
pub struct Room {
    /// Particles by cells of one diameter.
    cells: FxHashMap<IVec3, Vec<(DVec3, f64)>>,
    diameter_m: f64,
    /// Radius of the widest grain (m).
    widest_m: f64,
    voxel_m: f64,
    /// Where ground is a wall.
    bounds: Option<VoxelBox>,
}

impl Room {
    /// The room between `grains` for particles of `diameter_m` (m).
    pub fn of(grains: &Grains, diameter_m: f64, voxel_size_m: f32, bounds: Option<VoxelBox>) -> Self {
        let mut room = Self {
            cells: FxHashMap::default(),
            diameter_m,
            widest_m: 0.5 * diameter_m,
            voxel_m: f64::from(voxel_size_m),
            bounds,
        };
        for grain in grains.all() {
            room.take(grains.position_m(grain), grains.form_of(grain).reach_m);
        }
        room
    }

    /// Diameter of a particle (m).
    pub fn diameter_m(&self) -> f64 {
        self.diameter_m
    }

    /// A ball of this radius (m) is there now.
    pub fn take(&mut self, at: DVec3, radius_m: f64) {
        self.widest_m = self.widest_m.max(radius_m);
        self.cells.entry(self.cell(at)).or_default().push((at, radius_m));
    }

    /// A place for a particle that comes off at `from` (m) and is pressed along `course`: through the soil on this course, then up
    /// over what lies there; else the nearest free place around. True beside it where it was ahead.
    pub fn find(
        &self,
        from: DVec3,
        course: Vec3,
        patch: &mut Patch<'_>,
        materials: &Materials,
    ) -> Option<(DVec3, bool)> {
        let step = 0.5 * self.diameter_m;
        let mut at = from;
        let mut is_out = false;
        for _ in 0..MOST_STEPS {
            if self.is_free(at, patch, materials) {
                return Some((at, true));
            }
            is_out = is_out || !self.is_solid(at, patch, materials);
            let next = at + course.as_dvec3() * step;
            // Out of the soil, at rock or at a wall it goes up.
            at = if is_out || self.is_barred(next, patch, materials) { at + DVec3::Z * step } else { next };
        }
        let mut places = around().iter().map(|off| from + off.as_dvec3() * step);
        places.find(|at| self.is_free(*at, patch, materials)).map(|at| (at, false))
    }

    /// True where a particle at `at` (m) touches nothing.
    pub fn is_free(&self, at: DVec3, patch: &mut Patch<'_>, materials: &Materials) -> bool {
        let r = 0.5 * self.diameter_m;
        self.is_apart(at, r) && self.is_clear(at, r, patch, materials)
    }

    fn is_apart(&self, at: DVec3, r: f64) -> bool {
        let reach = DVec3::splat((r + self.widest_m) * APART);
        let (low, high) = (self.cell(at - reach), self.cell(at + reach));
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let Some(here) = self.cells.get(&IVec3::new(x, y, z)) else { continue };
                    let is_near = |(p, s): &(DVec3, f64)| p.distance_squared(at) < ((r + s) * APART).powi(2);
                    if here.iter().any(is_near) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// No body and no wall in any voxel that the ball meets, and the ground below its surface in none whose middle it covers.
    fn is_clear(&self, at: DVec3, r: f64, patch: &mut Patch<'_>, materials: &Materials) -> bool {
        let v = self.voxel_m;
        let (low, high) = (self.voxel(at - r), self.voxel(at + r));
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let p = IVec3::new(x, y, z);
                    let corner = p.as_dvec3() * v;
                    let nearest = at.clamp(corner, corner + v);
                    if nearest.distance_squared(at) >= r * r {
                        continue;
                    }
                    if self.bounds.is_some_and(|bounds| !bounds.contains(p)) {
                        return false;
                    }
                    let (voxel, body) = patch.look(p);
                    if body > 0 {
                        return false;
                    }
                    let is_covered = (corner + 0.5 * v).distance_squared(at) < (r + 0.1 * v).powi(2);
                    let share = voxel.rock_share(materials) + voxel.soil_share();
                    if is_covered && share > LOOSE_FULL / 2 {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// True in ground.
    fn is_solid(&self, at: DVec3, patch: &mut Patch<'_>, materials: &Materials) -> bool {
        let (voxel, body) = patch.look(self.voxel(at));
        voxel.rock_share(materials) + voxel.soil_share() + u32::from(body) > LOOSE_FULL / 2
    }

    /// True in rock and outside.
    fn is_barred(&self, at: DVec3, patch: &mut Patch<'_>, materials: &Materials) -> bool {
        let p = self.voxel(at);
        self.bounds.is_some_and(|bounds| !bounds.contains(p))
            || patch.look(p).0.rock_share(materials) > LOOSE_FULL / 2
    }

    fn voxel(&self, at: DVec3) -> IVec3 {
        (at / self.voxel_m).floor().as_ivec3()
    }

    fn cell(&self, at: DVec3) -> IVec3 {
        (at / self.diameter_m).floor().as_ivec3()
    }
}
