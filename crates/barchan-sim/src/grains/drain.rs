//! Where grains go: boxes in which they leave the world.

use glam::DVec3;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::grain::Grain;
use super::grains::Grains;
use super::law::Sliding;
use super::setup::{GrainsError, check_range};
use crate::ledger::{Account, Amounts};

/// A box from which grains are taken away at the end of each step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drain {
    /// Lowest corner (m).
    pub low_m: DVec3,
    /// Highest corner (m).
    pub high_m: DVec3,
    /// When it opens (s).
    pub from_s: f64,
    /// When it shuts (s); none: never.
    pub until_s: Option<f64>,
}

impl Drain {
    /// A box that is always open.
    pub fn new(low_m: DVec3, high_m: DVec3) -> Self {
        Self { low_m, high_m, from_s: 0.0, until_s: None }
    }

    /// Says what is wrong with it.
    pub fn check(&self) -> Result<(), GrainsError> {
        for axis in 0..3 {
            check_range("low corner of a drain (m)", self.low_m[axis], [-1e6, 1e6])?;
            check_range("high corner of a drain (m)", self.high_m[axis], [self.low_m[axis], 1e6])?;
        }
        check_range("from_s of a drain", self.from_s, [0.0, 1e9])?;
        check_range("until_s of a drain", self.until_s.unwrap_or(1e9), [self.from_s, 1e9])
    }

    fn is_open(&self, time_s: f64) -> bool {
        time_s >= self.from_s && self.until_s.is_none_or(|until_s| time_s < until_s)
    }

    fn holds(&self, at_m: DVec3) -> bool {
        at_m.cmpge(self.low_m).all() && at_m.cmple(self.high_m).all()
    }
}

impl Grains {
    /// The drains, each with the number of grains it has taken.
    pub fn drains(&self) -> impl Iterator<Item = (&Drain, u64)> + '_ {
        self.drains.iter().zip(self.drained.iter().copied())
    }

    /// Takes out the grains whose centres are in drains that are open at `time_s`; says what left.
    pub(crate) fn drain(&mut self, time_s: f64) -> Amounts<i64> {
        let open: Vec<(usize, Drain)> =
            self.drains.iter().copied().enumerate().filter(|(_, drain)| drain.is_open(time_s)).collect();
        if open.is_empty() {
            return Amounts::default();
        }
        let mut gone = Vec::new();
        for grain in &self.grains {
            let at_m = self.position_m(grain);
            if let Some((which, _)) = open.iter().find(|(_, drain)| drain.holds(at_m)) {
                gone.push(grain.id);
                self.drained[*which] += 1;
            }
        }
        if gone.is_empty() {
            return Amounts::default();
        }
        self.take(|grain| gone.binary_search(&grain.id).is_ok()).1
    }

    /// Takes out every grain that `goes` says; tells what left. What leant on them, and what is near them, wakes.
    pub(crate) fn take(&mut self, mut goes: impl FnMut(&Grain) -> bool) -> (Vec<Grain>, Amounts<i64>) {
        let mut left = Amounts::default();
        let (gone, stay): (Vec<_>, Vec<_>) = self.grains.drain(..).partition(|grain| goes(grain));
        self.grains = stay;
        for grain in &gone {
            left.add((Account::Grains, self.soil_of(grain)), grain.units as i64);
        }
        if gone.is_empty() {
            return (gone, left);
        }
        let names: Vec<_> =
            gone.iter().map(|g| g.id.0..g.id.0 + self.form_of(g).balls.len() as u32).collect();
        let is_gone = |name: u32| {
            let at = names.partition_point(|range| range.end <= name);
            names.get(at).is_some_and(|range| range.contains(&name))
        };
        self.sleepers -= gone.iter().filter(|grain| grain.asleep).count();
        let mut leant: Vec<usize> = Vec::new();
        for tie in &self.ties {
            let left_over = match (is_gone(tie.a), is_gone(tie.b)) {
                (true, false) => tie.b,
                (false, true) => tie.a,
                _ => continue,
            };
            leant.extend(self.index_of_ball(left_over));
        }
        leant.extend(self.sleepers_near(&gone));
        self.ties.retain(|tie| !is_gone(tie.a) && !is_gone(tie.b));
        self.face_ties.retain(|tie| !is_gone(tie.a));
        if self.setup.laws.sliding == Sliding::Viscous {
            // Without springs nobody knows who leans on whom.
            self.wake_all();
        } else {
            self.wake(&leant);
        }
        self.changed_by_hand();
        (gone, left)
    }

    /// Sleepers that may touch one of `gone`.
    fn sleepers_near(&self, gone: &[Grain]) -> Vec<usize> {
        if self.sleepers == 0 {
            return Vec::new();
        }
        let widest = self.worked.forms.iter().map(|form| form.reach_m).fold(0.0, f64::max);
        let edge_m = 2.0 * widest + self.worked.skin_m;
        let cell = |at_m: DVec3| (at_m / edge_m).floor().as_i64vec3();
        let mut by_cell: FxHashMap<glam::I64Vec3, Vec<(DVec3, f64)>> = FxHashMap::default();
        for grain in gone {
            let at_m = self.position_m(grain);
            by_cell.entry(cell(at_m)).or_default().push((at_m, self.form_of(grain).reach_m));
        }
        let is_near = |grain: &Grain| {
            let (at_m, reach) = (self.position_m(grain), self.form_of(grain).reach_m + self.worked.skin_m);
            let home = cell(at_m);
            let around = (0..27).map(|k| home + glam::I64Vec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
            around
                .filter_map(|cell| by_cell.get(&cell))
                .flatten()
                .any(|(other, radius)| other.distance_squared(at_m) < (radius + reach).powi(2))
        };
        (0..self.grains.len()).filter(|&at| self.grains[at].asleep && is_near(&self.grains[at])).collect()
    }
}
