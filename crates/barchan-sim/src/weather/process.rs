//! Rock that weathers as time passes.
//!
//! Model: Beardall2007: the level of every exposed voxel starts at 1 and falls by (1 - resistance) x air / rock of its bubble (cavernous:
//! rock / air where rock is more than a half); at 0 the voxel goes. It falls sqrt(n) times as fast where n axes are open, so that
//! faces in all directions go back alike; a flat face of resistance 0 goes back at the rate that is set.
//! Reads ground and hardness (-), writes rock, soil and levels (1/2^24).
//! Conserves every unit: rock that goes becomes debris or leaves, as `Transfers` say. What a round takes too much from a voxel it
//! takes from those behind it, so the rate does not depend on the step.
//! Checked by the tests of this room, and by `books`.

use barchan_volume::brick::EDGE;
use barchan_volume::{Bubble, Grid, VoxelSet};
use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::debris::{Turning, turn_to_debris};
use super::exposure::Exposure;
use super::levels::{FRESH, Levels};
use super::pieces::cut_off;
use super::rules::WeatherRules;
use super::select::{FACES, crumbs, cuts_of};
use crate::cache::Cache;
use crate::ground::Ground;
use crate::ledger::Transfers;
use crate::material::{Hardness, MaterialId, Materials, SoftnessCache};
use crate::now::Now;

/// By how much of a level a flat face of resistance 0 falls in a round.
const FALL_PER_ROUND: f64 = 1.0 / 32.0;
/// Most rounds of a step; beyond that rounds are longer.
const MOST_ROUNDS: f64 = 64.0;
/// A round is never so long that a flat face of resistance 0 falls by more than this.
const LONGEST_FALL: f64 = 0.5;

/// How rock weathers as time passes, and how far each voxel has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Weather {
    rules: Option<WeatherRules>,
    /// What each rock turns into, found when the rules were set.
    soils: Vec<(MaterialId, MaterialId)>,
    levels: Levels,
    /// Years that passed since the last round.
    waiting_years: f64,
    #[serde(skip)]
    seen: Cache<Option<Seen>>,
}

/// What is kept between rounds, and follows from the rest.
struct Seen {
    exposure: Exposure,
    softness: SoftnessCache,
    /// The rate of a flat face of resistance 0 (levels per year), and the ratio there.
    per_year: f64,
    of_a_face: f64,
}

/// What weathering did in a step.
#[derive(Clone, Debug, Default)]
pub struct WeatherReport {
    /// Rock that became debris or left.
    pub transfers: Transfers,
    /// Voxels that went.
    pub voxels: usize,
    /// Rounds.
    pub rounds: u32,
    /// True where more time passed than rounds can follow: rock weathers slower than it should.
    pub is_late: bool,
}

/// A voxel that has gone, and by how much too far its level fell.
type Gone = (IVec3, u32);

impl Weather {
    /// How rock weathers; none: not at all.
    pub fn rules(&self) -> Option<&WeatherRules> {
        self.rules.as_ref()
    }

    /// Sets how rock weathers from now on. Levels stay.
    pub(crate) fn set_rules(&mut self, rules: Option<WeatherRules>, soils: Vec<(MaterialId, MaterialId)>) {
        (self.rules, self.soils) = (rules, soils);
        *self.seen = None;
    }

    /// Forgets what follows from the rest.
    pub(crate) fn drop_caches(&mut self) {
        *self.seen = None;
    }

    /// False for what no world could hold.
    pub(crate) fn is_sound(&self, materials: &Materials) -> bool {
        let is_known = |kind: MaterialId| materials.get(kind).is_some();
        self.waiting_years.is_finite()
            && self.waiting_years >= 0.0
            && self.rules.as_ref().is_none_or(|rules| rules.check().is_ok())
            && self.soils.iter().all(|(rock, soil)| is_known(*rock) && is_known(*soil))
    }

    /// Lets rock weather for the time of a step.
    pub(crate) fn step(
        &mut self,
        now: &Now<'_>,
        seed: u64,
        hardness: &Hardness,
        ground: &mut Ground,
    ) -> WeatherReport {
        let mut report = WeatherReport::default();
        let Some(rules) = self.rules.clone() else { return report };
        if rules.rate_m_per_kyr == 0.0 || rules.years_per_second == 0.0 {
            return report;
        }
        let Ok(bubble) = Bubble::new(rules.bubble, rules.radii) else { return report };
        let mut seen = self.seen.take().unwrap_or_else(|| {
            let of_a_face = rules.ratio_of_a_face(&bubble);
            let per_year = rules.rate_m_per_kyr / 1_000.0 / f64::from(ground.voxel_size_m());
            let exposure = Exposure::new(bubble, ground, now.materials);
            Seen { exposure, softness: SoftnessCache::default(), per_year, of_a_face }
        });
        self.waiting_years += now.dt_s * rules.years_per_second;
        let round_years = FALL_PER_ROUND / seen.per_year;
        let due = (self.waiting_years / round_years).floor();
        let rounds = due.min(MOST_ROUNDS);
        let longest = LONGEST_FALL / seen.per_year;
        let years = if due > rounds { (self.waiting_years / rounds).min(longest) } else { round_years };
        let turning = Turning::known(rules.debris.as_ref(), &self.soils, seed);
        for _ in 0..rounds as u32 {
            self.waiting_years -= years;
            let gone = self.fall(years, &rules, &mut seen, hardness, now.materials, ground);
            report.rounds += 1;
            report.voxels += gone.len();
            if !gone.is_empty() {
                let shares = now.body_fill.shares();
                self.take(&gone, &rules, &turning, ground, shares, now.materials, &mut report);
                seen.exposure.update(ground, now.materials);
            }
        }
        if self.waiting_years > longest {
            (self.waiting_years, report.is_late) = (0.0, true);
        }
        *self.seen = Some(seen);
        report
    }

    /// Lets all levels fall. Returns the voxels that go, in order.
    fn fall(
        &mut self,
        years: f64,
        rules: &WeatherRules,
        seen: &mut Seen,
        hardness: &Hardness,
        materials: &Materials,
        ground: &Ground,
    ) -> Vec<Gone> {
        seen.exposure.update(ground, materials);
        let (mut gone, volume) = (Vec::new(), seen.exposure.counts.bubble().volume());
        let flat = years * seen.per_year / seen.of_a_face * f64::from(FRESH);
        for (coord, spots) in &seen.exposure.spots {
            let coord = IVec3::from_array(*coord);
            let Some(counts) = seen.exposure.counts.brick(coord) else { continue };
            for spot in spots {
                let at = usize::from(spot.at);
                let p = coord * EDGE + IVec3::new((at >> 6) as i32, (at >> 3 & 7) as i32, (at & 7) as i32);
                let softness = seen.softness.at(p, hardness, ground.voxel_size_m());
                let kind = ground.get(p).rock_kind;
                let weak = 1.0 - f64::from(hardness.resistance_at(kind, materials, softness));
                let fall = weak * rules.ratio(counts[at], volume) * flat * f64::from(spot.axes).sqrt();
                let (level, fall) = (self.levels.get(coord, at), fall.min(f64::from(u32::MAX)) as u32);
                if fall >= level {
                    gone.push((p, (fall - level).min(FRESH / 2)));
                } else if fall > 0 {
                    self.levels.set(coord, at, level - fall);
                }
            }
        }
        gone
    }

    /// Takes voxels that have gone, with crumbs and with rock that loses its hold.
    #[allow(clippy::too_many_arguments, reason = "all of it is what a step reads and writes")]
    fn take(
        &mut self,
        gone: &[Gone],
        rules: &WeatherRules,
        turning: &Turning,
        ground: &mut Ground,
        body_share: &Grid<u16>,
        materials: &Materials,
        report: &mut WeatherReport,
    ) {
        let mut all: VoxelSet = gone.iter().map(|(p, _)| *p).collect();
        if rules.drop_pieces {
            let loose = cut_off(&all, ground, materials);
            loose.bricks_in_order().into_iter().for_each(|(coord, mask)| all.insert_mask(coord, mask));
        }
        let crumbs = crumbs(&all, ground, materials);
        crumbs.bricks_in_order().into_iter().for_each(|(coord, mask)| all.insert_mask(coord, mask));
        let cuts = cuts_of(&all);
        if let Ok(transfers) = turn_to_debris(&cuts, turning, ground, body_share, materials, u64::MAX) {
            report.transfers.add_all(&transfers);
        }
        for p in all.voxels_in_order() {
            self.levels.forget(p);
        }
        // What fell too far is taken from fresh rock behind it.
        for (p, too_far) in gone {
            for q in FACES.map(|face| p + face) {
                let (coord, at) = (barchan_volume::brick::brick_of(q), barchan_volume::brick::voxel_index(q));
                if self.levels.get(coord, at) == FRESH && ground.get(q).rock > 0 && *too_far > 0 {
                    self.levels.set(coord, at, FRESH - too_far);
                }
            }
        }
    }
}
