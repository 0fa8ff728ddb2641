//! The process: soil that gives way to a tool gathers in its pockets, and leaves them as particles.

use barchan_volume::Grid;
use glam::{DQuat, DVec3, IVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::params::CarveParams;
use super::pocket::Pocket;
use super::room::Room;
use super::swept::{Swept, swept};
use crate::bodies::{Bodies, Body, BodyId};
use crate::columns::{Patch, Space, commit};
use crate::grains::{Chance, GrainSpec, Grains};
use crate::ground::Ground;
use crate::ledger::{Account, Amounts, Transfers};
use crate::material::{MaterialId, Materials};
use crate::now::Now;
use crate::voxel::Parcels;

/// Fastest that a particle leaves a tool (m/s).
const FASTEST_M_S: f32 = 5.0;

/// Share of a diameter by which particles come beside the middle of their voxel, so that they do not stack (-).
const JITTER: f64 = 0.5;

/// Which bodies carve, what they carve into, and what is on its way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Carve {
    pub(super) params: Option<CarveParams>,
    /// True where every body carves of which nothing else is said.
    pub(super) by_all: bool,
    /// Bodies that do otherwise, in order.
    pub(super) others: Vec<BodyId>,
    /// The form of the particles of each soil, in the order of soils.
    pub(super) forms: Vec<(MaterialId, u16)>,
    /// What is not yet a whole particle, in the order of bodies and soils.
    pub(super) pockets: Vec<Pocket>,
    /// The water in particles by the names of grains, in order (units).
    pub(super) wet: Vec<(u32, u64)>,
    /// Particles that ever came.
    pub(super) came: u64,
}

/// What carving did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarveReport {
    /// Soil that came off (units).
    pub units: i64,
    /// Particles that it became, with what was in the pockets.
    pub particles: u32,
    /// Soil that found no room as a particle and was left to be pushed (units).
    pub left: i64,
    /// What changed its account.
    pub transfers: Transfers,
}

impl std::ops::AddAssign for CarveReport {
    fn add_assign(&mut self, other: Self) {
        self.units += other.units;
        self.particles += other.particles;
        self.left += other.left;
        self.transfers.add_all(&other.transfers);
    }
}

impl Carve {
    /// How soil comes off; none where nothing carves.
    pub fn params(&self) -> Option<&CarveParams> {
        self.params.as_ref()
    }

    /// True where this body carves.
    pub fn is_by(&self, body: BodyId) -> bool {
        self.params.is_some() && (self.by_all != self.others.binary_search(&body).is_ok())
    }

    /// True where some body may carve.
    pub fn is_on(&self) -> bool {
        self.params.is_some() && (self.by_all || !self.others.is_empty())
    }

    /// Particles that ever came off.
    pub fn came(&self) -> u64 {
        self.came
    }

    /// The bodies that carve.
    pub(crate) fn tools<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = Body<'a>> + 'a {
        bodies.iter().filter(|body| self.is_by(body.id))
    }

    /// Takes soil off where bodies moved in `bricks`, of which they took `before`. No more than `most` grains may be alive.
    pub(crate) fn step(
        &mut self,
        now: &Now<'_>,
        before: &Grid<u16>,
        bricks: &[IVec3],
        most: usize,
        ground: &mut Ground,
        grains: &mut Grains,
    ) -> CarveReport {
        let mut report = CarveReport::default();
        let Some(params) = self.params else { return report };
        for pocket in &mut self.pockets {
            pocket.idle_s += now.dt_s;
        }
        let found = swept(now, before, bricks, ground, |body| self.is_by(body));
        if found.is_empty() {
            return report;
        }
        let (voxel_size_m, bounds) = (ground.voxel_size_m(), ground.bounds());
        let mut room = Room::of(grains, params.size_m, voxel_size_m, bounds);
        let mut patch = Patch::new(Space::new(ground, now.body_fill.shares(), now.materials));
        let mut work = Work { now, most, voxel_size_m, patch: &mut patch, room: &mut room, grains };
        // Tools whose pocket is full and in front of which there is no more room.
        let mut blocked: Vec<(BodyId, MaterialId)> = Vec::new();
        for swept in &found {
            self.take(swept, &mut work, &mut blocked, &mut report);
        }
        commit(patch.into_changed(), ground);
        self.pockets.retain(|pocket| pocket.units > 0);
        report
    }

    /// Takes the soil of one voxel, kind by kind from the top down, as far as it can go on as particles.
    fn take(
        &mut self,
        swept: &Swept,
        work: &mut Work<'_, '_>,
        blocked: &mut Vec<(BodyId, MaterialId)>,
        report: &mut CarveReport,
    ) {
        let mut left = swept.units;
        while left > 0 {
            let voxel = work.patch.get(swept.voxel);
            let kind = voxel.top_kind;
            let units = left.min(u32::from(voxel.top));
            let form = self.form_of(kind).filter(|_| !blocked.contains(&(swept.body, kind)));
            let Some(form) = form.filter(|_| units > 0) else {
                report.left += i64::from(left);
                return;
            };
            let mut parcels = Parcels::new();
            work.patch.take(swept.voxel, units, &mut parcels);
            let at_m = (swept.voxel.as_dvec3() + 0.5) * f64::from(work.voxel_size_m);
            for parcel in parcels {
                left = left.saturating_sub(u32::from(parcel.units));
                report.units += i64::from(parcel.units);
                report.transfers.add(
                    Some((Account::Soil, parcel.kind)),
                    Some((Account::Grains, parcel.kind)),
                    i64::from(parcel.units),
                );
                move_water(&mut report.transfers, i64::from(parcel.water), true);
                let pocket = self.pocket(swept.body, parcel.kind, at_m);
                pocket.units += u64::from(parcel.units);
                pocket.water += u64::from(parcel.water);
            }
            if !self.empty_pocket(swept, kind, form, work, report) {
                blocked.push((swept.body, kind));
            }
        }
    }

    /// Turns what is in a pocket into particles as far as it is enough; false where there is no room for them.
    fn empty_pocket(
        &mut self,
        swept: &Swept,
        kind: MaterialId,
        form: u16,
        work: &mut Work<'_, '_>,
        report: &mut CarveReport,
    ) -> bool {
        let each = work.units_of(form);
        loop {
            let came = self.came;
            let pocket = self.pocket_at(swept.body, kind);
            let Some(pocket) = pocket.filter(|pocket| pocket.units >= each) else { return true };
            if work.grains.len() >= work.most {
                return false;
            }
            let Some((at, velocity_m_s)) = work.place_for(swept, pocket.at_m, came) else { return false };
            let (units, water) = pocket.split_off(each);
            let spec = GrainSpec {
                form,
                position_m: at,
                turn: DQuat::IDENTITY,
                velocity_m_s,
                spin_rad_s: DVec3::ZERO,
            };
            let Some(id) = work.grains.enter_with_units(&spec, units) else {
                pocket.units += units;
                pocket.water += water;
                return false;
            };
            work.room.take(at, work.grains.forms()[usize::from(form)].reach_m);
            if water > 0 {
                self.wet.push((id.0, water));
            }
            self.came += 1;
            report.particles += 1;
        }
    }

    fn form_of(&self, kind: MaterialId) -> Option<u16> {
        let at = self.forms.binary_search_by_key(&kind, |(kind, _)| *kind).ok()?;
        Some(self.forms[at].1)
    }

    fn pocket_at(&mut self, body: BodyId, kind: MaterialId) -> Option<&mut Pocket> {
        let at = self.pockets.binary_search_by_key(&(body, kind), |p| (p.body, p.kind)).ok()?;
        Some(&mut self.pockets[at])
    }

    fn pocket(&mut self, body: BodyId, kind: MaterialId, at_m: DVec3) -> &mut Pocket {
        let found = self.pockets.binary_search_by_key(&(body, kind), |p| (p.body, p.kind));
        let at = found.unwrap_or_else(|at| {
            self.pockets.insert(at, Pocket { body, kind, units: 0, water: 0, at_m, idle_s: 0.0 });
            at
        });
        let pocket = &mut self.pockets[at];
        (pocket.at_m, pocket.idle_s) = (at_m, 0.0);
        pocket
    }

    /// Forgets what soil comes off as, where anything was said.
    pub(crate) fn forget_params(&mut self) -> Option<CarveParams> {
        self.forms.clear();
        self.params.take()
    }

    /// Grains left by hand, and their water with them: says how much.
    pub(crate) fn dry(&mut self, names: impl Iterator<Item = u32>) -> Amounts<i64> {
        let mut left = Amounts::default();
        let water: u64 = names.map(|name| self.take_water(name)).sum();
        left.add((Account::FreeWater, Account::WATER_KIND), water as i64);
        left
    }

    /// The water that a grain carries, which it no longer does (units).
    pub(crate) fn take_water(&mut self, grain: u32) -> u64 {
        match self.wet.binary_search_by_key(&grain, |(name, _)| *name) {
            Ok(at) => self.wet.remove(at).1,
            Err(_) => 0,
        }
    }

    /// The water that a grain carries (units).
    pub(crate) fn water_of(&self, grain: u32) -> u64 {
        let found = self.wet.binary_search_by_key(&grain, |(name, _)| *name);
        found.map_or(0, |at| self.wet[at].1)
    }

    /// Pockets of tools that cut nothing any more, or are gone, and so go back to the ground.
    pub(crate) fn stale_pockets(&self, bodies: &Bodies, idle_s: f64) -> Vec<Pocket> {
        let is_stale = |p: &&Pocket| p.idle_s >= idle_s || bodies.get(p.body).is_none();
        self.pockets.iter().filter(is_stale).copied().collect()
    }

    /// Takes a pocket away.
    pub(crate) fn remove_pocket(&mut self, body: BodyId, kind: MaterialId) {
        self.pockets.retain(|pocket| (pocket.body, pocket.kind) != (body, kind));
    }

    /// What pockets hold, and the water of particles (units).
    pub(crate) fn count(&self) -> Amounts<i128> {
        let mut amounts = Amounts::default();
        let mut water: i128 = self.wet.iter().map(|(_, units)| i128::from(*units)).sum();
        for pocket in &self.pockets {
            amounts.add((Account::Grains, pocket.kind), i128::from(pocket.units));
            water += i128::from(pocket.water);
        }
        amounts.add((Account::FreeWater, Account::WATER_KIND), water);
        amounts
    }

    /// False for what no step can have left behind: it comes from a damaged file.
    pub(crate) fn is_sound(&self, materials: &Materials, grains: &Grains, voxel_size_m: f32) -> bool {
        self.params.is_none_or(|params| params.check(voxel_size_m).is_ok())
            && self.others.windows(2).all(|pair| pair[0] < pair[1])
            && self.forms.windows(2).all(|pair| pair[0].0 < pair[1].0)
            && self.forms.iter().all(|(kind, form)| {
                let known = grains.forms().get(usize::from(*form));
                materials.get(*kind).is_some() && known.is_some()
            })
            && self.pockets.windows(2).all(|p| (p[0].body, p[0].kind) < (p[1].body, p[1].kind))
            && self.pockets.iter().all(|p| p.is_sound() && materials.get(p.kind).is_some())
            && self.wet.windows(2).all(|pair| pair[0].0 < pair[1].0)
            && self.wet.iter().all(|(_, units)| *units < 1 << 40)
    }
}

/// Water that goes with soil into particles, or comes back with it.
pub(crate) fn move_water(transfers: &mut Transfers, units: i64, out: bool) {
    if units > 0 {
        let (soil, free) = ((Account::Water, Account::WATER_KIND), (Account::FreeWater, Account::WATER_KIND));
        let (from, to) = if out { (soil, free) } else { (free, soil) };
        transfers.add(Some(from), Some(to), units);
    }
}

/// What is worked on.
struct Work<'a, 'b> {
    now: &'a Now<'b>,
    most: usize,
    voxel_size_m: f32,
    patch: &'a mut Patch<'b>,
    room: &'a mut Room,
    grains: &'a mut Grains,
}

impl Work<'_, '_> {
    /// Units of a particle.
    fn units_of(&self, form: u16) -> u64 {
        let unit_m3 = crate::units::unit_m3(self.voxel_size_m);
        (self.grains.forms()[usize::from(form)].volume_m3 / unit_m3).max(1.0) as u64
    }

    /// Where the next particle comes, and how fast it moves (m/s).
    fn place_for(&mut self, swept: &Swept, at_m: DVec3, came: u64) -> Option<(DVec3, DVec3)> {
        let body = self.now.bodies.get(swept.body)?;
        let centre_m = (swept.voxel.as_vec3() + 0.5) * self.voxel_size_m;
        let root_kp = self.now.materials.strengths()[swept.strength.index()].root_kp();
        let course = failure_course(swept.velocity_m_s, &body, centre_m, root_kp);
        let size = self.room.diameter_m();
        let off = (Chance::new(came, 0).vector() - DVec3::splat(0.5)) * (JITTER * size);
        let (at, is_ahead) = self.room.find(at_m + off, course, self.patch, self.now.materials)?;
        let velocity = if is_ahead { swept.velocity_m_s.clamp_length_max(FASTEST_M_S) } else { Vec3::ZERO };
        Some((at, velocity.as_dvec3()))
    }
}

/// The course along which soil fails in front of a tool: ahead of it, rising by 45° - phi/2, whose tangent is one over `root_kp`.
fn failure_course(velocity: Vec3, body: &Body<'_>, centre_m: Vec3, root_kp: f32) -> Vec3 {
    let level = velocity.with_z(0.0);
    if velocity.z > level.length() {
        return Vec3::Z;
    }
    let sinks = -velocity.z > level.length();
    let away = if sinks { (centre_m - body.centre_of_mass_m).with_z(0.0) } else { level };
    (away.try_normalize().unwrap_or(Vec3::X) * root_kp + Vec3::Z).normalize()
}
