//! Where water comes from: rain and springs.

use barchan_particles::{Cells, Ids};
use barchan_volume::VoxelBox;
use glam::{DVec3, IVec3, Vec2, Vec3};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::particles::{Newborn, Particles};
use super::random::Chance;
use super::scale::{PARTS, Scale};
use crate::ground::Ground;
use crate::material::MaterialId;
use crate::now::Now;
use crate::units::LOOSE_FULL;

/// Most particles that come in one part of a step.
pub(super) const MOST_AT_ONCE: usize = 20_000;

/// Most particles that there may be.
pub(super) const MOST_PARTICLES: usize = 8_000_000;

/// Nearest that a particle comes to another (spacings): at 0.8 what comes by chance is half as dense again as water, and springs up.
const ROOM: f64 = 0.95;

/// Places that are tried for each particle.
const TRIES: u64 = 8;

/// Particles that a source may owe before it forgets them.
const MOST_OWED: f64 = 64.0;

/// A box from which water flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Its middle (m).
    pub center_m: Vec3,
    /// Its edges (m).
    pub size_m: Vec3,
    /// How fast the water leaves it (m/s).
    pub velocity_m_s: Vec3,
    /// How much (m³/s).
    pub rate_m3_s: f32,
    /// Share of its volume that is sediment, 0 to 0.6 (-).
    pub sediment: f32,
    /// Which.
    pub kind: MaterialId,
    /// What should have come and has not (m³).
    pub(super) owed_m3: f64,
}

/// Rain, the same everywhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rain {
    /// How much falls (mm/h); 0: none.
    pub rate_mm_h: f32,
    /// Where: lowest and highest corner on the map (m); none: all that lies within the walls.
    pub area_m: Option<[Vec2; 2]>,
    /// What should have come and has not (m³).
    pub(super) owed_m3: f64,
}

impl Source {
    /// Most sediment in what flows from it (share of volume).
    pub const MOST_SEDIMENT: f32 = 0.6;

    /// Clear water from a box with this middle and these edges (m), so fast (m/s) and so much (m³/s).
    pub fn new(center_m: Vec3, size_m: Vec3, velocity_m_s: Vec3, rate_m3_s: f32) -> Self {
        let (sediment, kind) = (0.0, MaterialId(0));
        Self { center_m, size_m, velocity_m_s, rate_m3_s, sediment, kind, owed_m3: 0.0 }
    }

    pub(super) fn is_sound(&self) -> bool {
        [self.center_m, self.size_m, self.velocity_m_s].iter().all(|v| v.abs().max_element() <= 1e6)
            && (0.0..=1e9).contains(&self.rate_m3_s)
            && (0.0..=Self::MOST_SEDIMENT).contains(&self.sediment)
            && (0.0..=1e9).contains(&self.owed_m3)
    }
}

impl Rain {
    /// Everywhere, so much (mm/h).
    pub fn everywhere(rate_mm_h: f32) -> Self {
        Self { rate_mm_h, ..Self::default() }
    }

    pub(super) fn is_sound(&self) -> bool {
        let corners = self.area_m.into_iter().flatten();
        (0.0..=1e7).contains(&self.rate_mm_h)
            && (0.0..=1e9).contains(&self.owed_m3)
            && corners.into_iter().all(|corner| corner.abs().max_element() <= 1e6)
    }

    /// Where it falls, within the walls (m).
    fn area(&self, walls: Option<VoxelBox>, voxel_m: f64) -> Option<[Vec2; 2]> {
        let inside =
            walls.map(|walls| [walls.min, walls.max].map(|p| (p.truncate().as_dvec2() * voxel_m).as_vec2()));
        match (self.area_m, inside) {
            (Some([low, high]), Some([min, max])) => Some([low.max(min), high.min(max)]),
            (area, inside) => area.or(inside),
        }
    }
}

/// What comes into the world in a part of a step.
pub(super) struct Birth<'a> {
    pub now: &'a Now<'a>,
    pub ground: &'a Ground,
    pub scale: &'a Scale,
    pub cells: &'a Cells,
    pub particles: &'a Particles,
    pub ids: &'a mut Ids,
    pub chance: Chance,
    /// Questions asked of chance so far.
    asked: u64,
    near: FxHashMap<IVec3, Vec<DVec3>>,
    pub born: Vec<Newborn>,
    /// Those that found no room.
    pub refused: u64,
}

impl<'a> Birth<'a> {
    /// Among `particles`, which are sorted into `cells`.
    pub fn new(
        now: &'a Now<'a>,
        ground: &'a Ground,
        scale: &'a Scale,
        cells: &'a Cells,
        particles: &'a Particles,
        ids: &'a mut Ids,
        chance: Chance,
    ) -> Self {
        let (near, born) = (FxHashMap::default(), Vec::new());
        Self { now, ground, scale, cells, particles, ids, chance, asked: 0, near, born, refused: 0 }
    }

    /// Volume of a whole particle of water (m³).
    fn whole_m3(&self) -> f64 {
        self.scale.volume_m3(self.scale.full_parts, 0)
    }

    /// A particle for what is owed, if that is enough for one and there may be more of them.
    fn is_due(&mut self, owed_m3: &mut f64) -> bool {
        let whole = self.whole_m3();
        if *owed_m3 < whole {
            return false;
        }
        let are_many =
            self.born.len() >= MOST_AT_ONCE || self.particles.len() + self.born.len() >= MOST_PARTICLES;
        if are_many {
            self.refused += (*owed_m3 / whole) as u64;
            *owed_m3 = 0.0;
        }
        !are_many
    }

    /// What a source gives.
    pub fn flow(&mut self, source: &mut Source) {
        source.owed_m3 += f64::from(source.rate_m3_s) * self.now.dt_s;
        let whole = self.whole_m3();
        while self.is_due(&mut source.owed_m3) {
            let found = (0..TRIES).find_map(|_| {
                let shares = [(); 3].map(|()| self.ask() - 0.5);
                let at = source.center_m.as_dvec3() + source.size_m.as_dvec3() * DVec3::from_array(shares);
                self.is_free(at).then_some(at)
            });
            let Some(at) = found else {
                // What finds no room now may find it in the next steps, but not for ever.
                let beyond = source.owed_m3 - MOST_OWED * whole;
                if beyond > 0.0 {
                    self.refused += (beyond / whole) as u64;
                    source.owed_m3 -= (beyond / whole).floor() * whole;
                }
                break;
            };
            source.owed_m3 -= whole;
            self.add(at, source.velocity_m_s, Some((source.kind, source.sediment)));
        }
    }

    /// What rain brings: drops appear above whatever lies highest.
    pub fn rain(&mut self, rain: &mut Rain) {
        let Some([low, high]) = rain.area(self.ground.bounds(), self.scale.voxel_m) else { return };
        let size = (high - low).max(Vec2::ZERO);
        let per_hour_m = f64::from(rain.rate_mm_h) / 1_000.0;
        rain.owed_m3 += per_hour_m / 3_600.0 * f64::from(size.x) * f64::from(size.y) * self.now.dt_s;
        let whole = self.whole_m3();
        while self.is_due(&mut rain.owed_m3) {
            rain.owed_m3 -= whole;
            let found = (0..TRIES).find_map(|_| {
                let (x, y) = (self.ask(), self.ask());
                let x = f64::from(low.x) + f64::from(size.x) * x;
                let y = f64::from(low.y) + f64::from(size.y) * y;
                let at = self.above(x, y)?;
                self.is_free(at).then_some(at)
            });
            match found {
                Some(at) => self.add(at, Vec3::ZERO, None),
                None => self.refused += 1,
            }
        }
    }

    /// The point above ground, bodies and water at a place on the map (m); none where the walls leave no room.
    fn above(&self, x: f64, y: f64) -> Option<DVec3> {
        let (voxel_m, spacing_m) = (self.scale.voxel_m, f64::from(self.scale.spacing_m));
        let (vx, vy) = ((x / voxel_m).floor() as i32, (y / voxel_m).floor() as i32);
        let top_brick = self.ground.voxels().column_extent(IVec3::new(vx >> 3, vy >> 3, 0).truncate());
        let of_bodies = self.now.body_fill.shares().column_extent(IVec3::new(vx >> 3, vy >> 3, 0).truncate());
        let ceiling = self.ground.bounds().map(|walls| walls.max.z);
        let highest = top_brick.into_iter().chain(of_bodies).map(|(_, top)| (top + 1) * 8).max();
        let highest = match (highest, ceiling) {
            (Some(top), Some(ceiling)) => top.min(ceiling),
            (top, _) => top.unwrap_or(self.ground.floor_z()),
        };
        let lowest = self.ground.floor_z();
        let is_filled = |z: &i32| self.fill(IVec3::new(vx, vy, *z)) >= LOOSE_FULL / 2;
        let ground_z = (lowest..highest).rev().find(is_filled).map_or(lowest, |z| z + 1);
        let mut z = f64::from(ground_z) * voxel_m + 0.5 * spacing_m;
        let at = self.scale.lattice.place(DVec3::new(x, y, z))?;
        let (low, high) = (at.cell(0) - IVec3::new(1, 1, 0), at.cell(0) + IVec3::new(1, 1, 0));
        let far = (low.with_z(low.z - 1), high.with_z(i32::MAX - 1));
        self.cells.runs_between(far.0, far.1, |run| {
            for slot in run {
                let other = self.scale.lattice.point(self.particles.places[slot]);
                if (other.truncate() - glam::DVec2::new(x, y)).length() < spacing_m {
                    z = z.max(other.z + spacing_m);
                }
            }
        });
        let is_inside = ceiling.is_none_or(|ceiling| z < f64::from(ceiling) * voxel_m);
        is_inside.then_some(DVec3::new(x, y, z))
    }

    /// How much of a voxel ground and bodies take (1/32,768).
    fn fill(&self, p: IVec3) -> u32 {
        let voxel = self.ground.get(p);
        let body = u32::from(self.now.body_fill.shares().get(p));
        voxel.rock_share(self.now.materials) + voxel.soil_share() + body
    }

    /// True when a point (m) lies within the walls, outside ground and bodies, and no particle is near.
    fn is_free(&self, at: DVec3) -> bool {
        let voxel = (at / self.scale.voxel_m).floor().as_ivec3();
        if self.ground.is_wall(voxel) || self.fill(voxel) >= LOOSE_FULL / 4 {
            return false;
        }
        let Some(place) = self.scale.lattice.place(at) else { return false };
        let room_m = ROOM * f64::from(self.scale.spacing_m);
        let mut is_free = true;
        let cell = place.cell(0);
        self.cells.runs_between(cell - 1, cell + 1, |run| {
            for slot in run {
                let other = self.scale.lattice.point(self.particles.places[slot]);
                is_free &= other.distance_squared(at) >= room_m * room_m;
            }
        });
        let around = VoxelBox::new(cell - 1, cell + 2);
        is_free
            && around
                .cells()
                .filter_map(|cell| self.near.get(&cell))
                .flatten()
                .all(|other| other.distance_squared(at) >= room_m * room_m)
    }

    fn add(&mut self, at: DVec3, velocity: Vec3, sediment: Option<(MaterialId, f32)>) {
        let (Some(place), Some(id)) = (self.scale.lattice.place(at), self.ids.give()) else {
            self.refused += 1;
            return;
        };
        self.near.entry(place.cell(0)).or_default().push(at);
        let (water, sediment) = shared_out(self.scale, sediment);
        self.born.push(Newborn { place, velocity, water, sediment, id });
    }

    fn ask(&mut self) -> f64 {
        self.asked += 1;
        self.chance.share(self.asked)
    }
}

/// Water and sediment (1/256 unit) of a whole particle with such a share of sediment by volume, both in whole units.
pub(super) fn shared_out(
    scale: &Scale,
    sediment: Option<(MaterialId, f32)>,
) -> (u32, Option<(MaterialId, u32)>) {
    let whole = scale.full_parts;
    let Some((kind, share)) = sediment.filter(|(_, share)| *share > 0.0) else { return (whole, None) };
    let whole_units = |parts: f64| (parts / f64::from(PARTS)).round() as u32 * PARTS;
    let share = f64::from(share.clamp(0.0, Source::MOST_SEDIMENT));
    let water = whole_units(f64::from(whole) * (1.0 - share)).max(PARTS);
    let solid = whole_units(f64::from(whole) * share * scale.water_part_m3 / scale.soil_part_m3);
    (water, (solid > 0).then_some((kind, solid)))
}
