//! The process: who is at rest, and goes back.

use barchan_volume::Aabb;
use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::looseness::Looseness;
use super::params::MergeParams;
use super::spread::{Lump, ground_below, lay_down};
use crate::bodies::Motion;
use crate::carve::{Carve, Pocket, move_water};
use crate::columns::{Patch, Space, commit};
use crate::grains::{Grain, Grains};
use crate::ground::Ground;
use crate::ledger::{Account, Transfers};
use crate::material::Materials;
use crate::now::Now;
use crate::units::VoidRatio;
use crate::voxel::Parcel;

/// Grains that merge in one step at most, so that none of them costs a frame.
const AT_ONCE: usize = 64;

/// Soil in front of a tool that cuts no more goes back after this time (s).
const IDLE_S: f64 = 0.5;

/// How far below its rim the ground may be that a grain lies on (voxels).
const GAP: f64 = 0.75;

/// A tool that moves more slowly does not work (m/s).
const STILL_M_S: f32 = 1e-3;

/// When grains become ground, and for how long each has been at rest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Merge {
    pub(super) params: Option<MergeParams>,
    /// How long grains have been at rest by their names, in order (s).
    pub(super) resting: Vec<(u32, f32)>,
}

/// What merging did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergeReport {
    /// Grains that became ground.
    pub grains: u32,
    /// Of these, those that had to because too many were alive.
    pub forced: u32,
    /// Units that became ground.
    pub units: i64,
    /// Grains that are alive.
    pub alive: usize,
    /// More grains are alive than may be, and none of them can go.
    pub is_crowded: bool,
    /// What changed its account.
    pub transfers: Transfers,
}

impl MergeReport {
    /// What went wrong and was contained, in words.
    pub fn warnings(&self) -> Vec<String> {
        let alive = self.alive;
        let crowded =
            format!("{alive} grains are alive, more than may be, and too few of them lie on the ground");
        self.is_crowded.then_some(crowded).into_iter().collect()
    }
}

impl Merge {
    /// When grains become ground; none: never.
    pub fn params(&self) -> Option<&MergeParams> {
        self.params.as_ref()
    }

    /// How many grains may be alive.
    pub fn most(&self) -> usize {
        self.params.map_or(usize::MAX, |params| params.most as usize)
    }

    /// Lets grains that are at rest become ground.
    pub(crate) fn step(
        &mut self,
        now: &Now<'_>,
        carve: &mut Carve,
        grains: &mut Grains,
        ground: &mut Ground,
    ) -> MergeReport {
        let mut report = MergeReport { alive: grains.len(), ..MergeReport::default() };
        let stale = carve.stale_pockets(now.bodies, IDLE_S);
        let Some(params) = self.params else { return report };
        if grains.is_empty() && stale.is_empty() {
            self.resting.clear();
            return report;
        }
        self.watch(&params, now, grains);
        let too_many = grains.len().saturating_sub(params.most as usize);
        let due = |rest_s: f32| f64::from(rest_s) >= params.rest_s;
        let may_go = self.resting.iter().filter(|(_, rest_s)| due(*rest_s)).count();
        if may_go == 0 && too_many == 0 && stale.is_empty() {
            return report;
        }
        let site = Site::new(now, ground, carve, &params);
        let mut patch = Patch::new(Space::new(ground, now.body_fill.shares(), now.materials));
        let mut looseness: Option<Looseness> = None;
        let mut gone: Vec<u32> = Vec::new();
        // By names: the oldest first.
        let names = |forced: bool| {
            let is_in_turn = move |(_, rest_s): &&(u32, f32)| due(*rest_s) != forced;
            self.resting.iter().filter(is_in_turn).map(|(name, _)| *name)
        };
        for forced in [false, true] {
            for name in names(forced) {
                let enough =
                    if forced { gone.len() >= too_many } else { gone.len() >= AT_ONCE.max(too_many) };
                if enough {
                    break;
                }
                let Some(grain) = named(grains, name) else { continue };
                let Some(material) = now.materials.get(grains.soil_of(grain)) else { continue };
                let at_m = grains.position_m(grain);
                let radius_m = grains.form_of(grain).reach_m;
                if !site.lies_on_ground(at_m, radius_m, &mut patch) {
                    continue;
                }
                // Most that rest lie on others, and nobody asks how loosely.
                let e = looseness.get_or_insert_with(|| Looseness::of(grains)).at(grains, grain, material);
                let water = carve.water_of(name);
                let lump = lump_of(grains, grain, at_m, e, water);
                if lay_down(&lump, site.voxel_m, ground.bounds(), &mut patch, now.materials) {
                    tell(&mut report, &lump);
                    report.grains += 1;
                    report.forced += u32::from(forced);
                    gone.push(name);
                }
            }
        }
        for pocket in stale {
            let void_ratio = now.materials.loose(pocket.kind);
            let soil = Parcel { kind: pocket.kind, void_ratio, moved: true, units: 0, water: 0 };
            let radius_m = carve.params().map_or(site.voxel_m, |params| 0.5 * params.size_m);
            let Pocket { units, water, at_m, .. } = pocket;
            let lump = Lump { at_m, radius_m, soil, units, water };
            if site.is_clear(at_m)
                && lay_down(&lump, site.voxel_m, ground.bounds(), &mut patch, now.materials)
            {
                tell(&mut report, &lump);
                carve.remove_pocket(pocket.body, pocket.kind);
            }
        }
        commit(patch.into_changed(), ground);
        gone.sort_unstable();
        for name in &gone {
            carve.take_water(*name);
        }
        grains.leave(&gone);
        self.resting.retain(|(name, _)| gone.binary_search(name).is_err());
        report.alive = grains.len();
        report.is_crowded = report.alive > params.most as usize;
        report
    }

    /// Keeps account of who is at rest, and for how long.
    fn watch(&mut self, params: &MergeParams, now: &Now<'_>, grains: &Grains) {
        let (dt_s, up) = (now.dt_s, now.gravity_m_s2.as_dvec3().normalize_or_zero());
        let mut then = self.resting.iter().peekable();
        let mut resting = Vec::with_capacity(self.resting.len());
        for grain in grains.all() {
            while then.peek().is_some_and(|(name, _)| *name < grain.id.0) {
                then.next();
            }
            let known =
                then.peek().filter(|(name, _)| *name == grain.id.0).map_or(0.0, |(_, rest_s)| *rest_s);
            // What turns about the vertical rolls nowhere, and little stops it.
            let spin = grain.spin_rad_s(grains.form_of(grain));
            let spin = (spin - up * spin.dot(up)).length();
            if grain.velocity_m_s.length() <= params.speed_m_s && spin <= params.spin_rad_s {
                resting.push((grain.id.0, (known + dt_s as f32).min(1e6)));
            }
        }
        self.resting = resting;
    }

    /// False for what no step can have left behind: it comes from a damaged file.
    pub(crate) fn is_sound(&self) -> bool {
        self.params.is_none_or(|params| params.check().is_ok())
            && self.resting.windows(2).all(|pair| pair[0].0 < pair[1].0)
            && self.resting.iter().all(|(_, rest_s)| (0.0..=1e6).contains(rest_s))
    }
}

fn named(grains: &Grains, name: u32) -> Option<&Grain> {
    let at = grains.all().binary_search_by_key(&name, |grain| grain.id.0).ok()?;
    Some(&grains.all()[at])
}

fn lump_of(grains: &Grains, grain: &Grain, at_m: DVec3, void_ratio: VoidRatio, water: u64) -> Lump {
    let kind = grains.soil_of(grain);
    // As loose as it takes for its pores to hold its water.
    let void_ratio = void_ratio.max(VoidRatio::holding(grain.units, water));
    let soil = Parcel { kind, void_ratio, moved: true, units: 0, water: 0 };
    Lump { at_m, radius_m: grains.form_of(grain).reach_m, soil, units: grain.units, water }
}

fn tell(report: &mut MergeReport, lump: &Lump) {
    let (kind, units) = (lump.soil.kind, lump.units as i64);
    report.units += units;
    report.transfers.add(Some((Account::Grains, kind)), Some((Account::Soil, kind)), units);
    move_water(&mut report.transfers, lump.water as i64, false);
}

/// Tools and ground, where grains lie.
struct Site<'a> {
    materials: &'a Materials,
    voxel_m: f64,
    /// Around tools that work nothing merges (m).
    working: Vec<Aabb>,
}

impl<'a> Site<'a> {
    fn new(now: &Now<'a>, ground: &Ground, carve: &Carve, params: &MergeParams) -> Self {
        let clearance = params.clearance_m as f32;
        let tools = carve.tools(now.bodies).filter(|body| !matches!(body.spec.motion, Motion::Fixed));
        let works = |body: &crate::bodies::Body<'_>| {
            let is_moving = body.linear_velocity_m_s.length() > STILL_M_S
                || body.angular_velocity_rad_s.length() > STILL_M_S;
            is_moving && body.pose != body.previous_pose
        };
        let working = tools
            .filter(works)
            .map(|body| {
                let bounds = body.solid().bounds();
                Aabb { min: bounds.min - clearance, max: bounds.max + clearance }
            })
            .collect();
        Self { materials: now.materials, voxel_m: f64::from(ground.voxel_size_m()), working }
    }

    /// True where no tool works near a place (m).
    fn is_clear(&self, at_m: DVec3) -> bool {
        let at = at_m.as_vec3();
        !self.working.iter().any(|aabb| at.cmpge(aabb.min).all() && at.cmple(aabb.max).all())
    }

    /// True for a ball that lies on the ground, away from tools.
    fn lies_on_ground(&self, at_m: DVec3, radius_m: f64, patch: &mut Patch<'_>) -> bool {
        let reach_m = radius_m + GAP * self.voxel_m;
        self.is_clear(at_m) && ground_below(at_m, reach_m, self.voxel_m, patch, self.materials).is_some()
    }
}
