//! One step of a world: the only place that knows the order of processes.

use barchan_volume::Aabb;

use crate::bearing::BearingReport;
use crate::bodies::{Body, Cause, Coupled, LONGEST_HOP, Motion, StepMotion};
use crate::carry::CarryReport;
use crate::carve::CarveReport;
use crate::close::Closing;
use crate::compact::CompactReport;
use crate::fall::FallReport;
use crate::grains::GrainsReport;
use crate::ground::Changes;
use crate::ledger::{Amounts, Transfers};
use crate::merge::MergeReport;
use crate::now::now;
use crate::push::PushReport;
use crate::slip::SlipReport;
use crate::water::WaterReport;
use crate::weather::WeatherReport;
use crate::world::World;

/// Longest time that one step may pass (s). Longer steps are cut to this and reported.
pub const LONGEST_STEP_S: f64 = 1.0;

/// Most parts into which a step is cut so that bodies do not jump over voxels.
pub const MOST_PARTS: u32 = 128;

/// What a step did, with the books closed.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// Time that passed (s).
    pub dt_s: f64,
    /// Which bricks of ground changed.
    pub changes: Changes,
    /// Bricks awake after the step.
    pub awake_bricks: usize,
    /// How the bodies fared in the last part of the step.
    pub bodies: StepMotion,
    /// How the grains fared.
    pub grains: GrainsReport,
    /// How the ground bore them in the last part of the step.
    pub bearing: BearingReport,
    /// The soil that moved with them.
    pub carry: CarryReport,
    /// The soil that became denser below them.
    pub compact: CompactReport,
    /// The soil that came off in front of them as particles.
    pub carve: CarveReport,
    /// The soil that made room for them.
    pub push: PushReport,
    /// The soil that fell.
    pub fall: FallReport,
    /// The soil that slid.
    pub slip: SlipReport,
    /// The grains that became ground.
    pub merge: MergeReport,
    /// The water that ran.
    pub water: WaterReport,
    /// The rock that weathered.
    pub weather: WeatherReport,
    /// What counting found beyond what processes reported, by account and kind (units). Nothing, or there is a bug.
    pub imbalance: Amounts<i64>,
    /// What went wrong and was contained, in words.
    pub warnings: Vec<String>,
}

/// The processes of a step, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// Forces of the ground on bodies.
    Bearing,
    /// Water that runs.
    Water,
    /// Motion of grains, with the bodies that they touch.
    Grains,
    /// Motion of bodies.
    Bodies,
    /// Soil that moves with bodies.
    Carry,
    /// Soil that becomes denser below bodies.
    Compact,
    /// Soil that comes off as particles.
    Carve,
    /// Soil that makes room for bodies.
    Push,
    /// Soil that falls.
    Fall,
    /// Soil that slides.
    Slip,
    /// Grains that become ground.
    Merge,
    /// Rock that weathers.
    Weather,
}

impl Process {
    /// All of them, in order: the place of each here is its number.
    pub const ALL: [Self; 12] = [
        Self::Bearing,
        Self::Water,
        Self::Grains,
        Self::Bodies,
        Self::Carry,
        Self::Compact,
        Self::Carve,
        Self::Push,
        Self::Fall,
        Self::Slip,
        Self::Merge,
        Self::Weather,
    ];

    /// What it is called, in timings, on the wire and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bearing => "bearing",
            Self::Grains => "grains",
            Self::Bodies => "bodies",
            Self::Carry => "carry",
            Self::Compact => "compact",
            Self::Carve => "carve",
            Self::Push => "push",
            Self::Water => "water",
            Self::Weather => "weather",
            Self::Fall => "fall",
            Self::Slip => "slip",
            Self::Merge => "merge",
        }
    }
}

impl World {
    /// Lets `dt_s` (s) pass. Cannot fail: nonsense passes no time and is reported.
    pub fn step(&mut self, dt_s: f64) -> StepReport {
        self.step_watched(dt_s, &mut |_| ())
    }

    /// As [`World::step`]; `done` is told whenever a process has done some of its work, so that whoever has a clock can
    /// tell how long each took.
    pub fn step_watched(&mut self, dt_s: f64, done: &mut dyn FnMut(Process)) -> StepReport {
        let mut warnings = Vec::new();
        let dt_s = usable_dt(dt_s, &mut warnings);
        if dt_s == 0.0 {
            let awake_bricks = self.state.ground.awake().len();
            return StepReport { awake_bricks, warnings, ..StepReport::default() };
        }

        // Nothing couples to the bodies in small steps of its own.
        let (parts, walls) = (self.parts(dt_s, f64::INFINITY, &mut warnings), self.walls_m());
        self.state.bodies.begin_step();
        self.contacts.clear();
        self.parts_of_step = parts;
        let mut report = StepReport::default();
        let mut transfers = self.pour_grains(dt_s, &mut warnings);
        // Hands push all the way.
        let hands = self.state.bodies.waiting();
        for part in 0..parts {
            for (id, force_n, torque_n_m) in hands.iter().filter(|_| part > 0) {
                let _ = self.state.bodies.haul(*id, *force_n, *torque_n_m);
            }
            let time_s = self.state.clock.time_s + dt_s * share(part, parts);
            let part_s = dt_s / f64::from(parts);
            let hold = now!(self, part_s, time_s, |now, state| state.bearing.step(&now, &state.ground));
            let first = self.contacts.len();
            self.contacts.extend(hold.patches(part));
            report.bearing = hold.apply(&mut self.state.bodies);
            done(Process::Bearing);
            self.run_water(time_s, part_s, &mut report.water);
            done(Process::Water);
            report.grains += self.step_grains(part_s, time_s);
            done(Process::Grains);
            report.bodies = self.state.bodies.step(part_s, self.state.gravity_m_s2, time_s, walls);
            warnings.extend(report.bodies.warnings());
            done(Process::Bodies);
            let moves = now!(self, part_s, time_s, |now, state| state.carry.step(&now, &state.ground));
            done(Process::Carry);
            // Which bodies took what, while some of them carve.
            let before = self.state.carve.is_on().then(|| self.body_fill.shares().clone());
            let changed = self.update_body_fill();
            done(Process::Bodies);
            report.carry += now!(self, part_s, time_s, |now, state| moves.apply(&now, &mut state.ground));
            done(Process::Carry);
            let (compact, contacts) = (self.compact, &self.contacts[first..]);
            report.compact +=
                now!(self, part_s, time_s, |now, state| compact.step(&now, contacts, &mut state.ground));
            done(Process::Compact);
            if let Some(before) = before {
                let most = self.state.merge.most();
                report.carve += now!(self, part_s, time_s, |now, state| {
                    state.carve.step(&now, &before, &changed, most, &mut state.ground, &mut state.grains)
                });
                done(Process::Carve);
            }
            let push = self.push;
            report.push +=
                now!(self, part_s, time_s, |now, state| push.step(&now, &changed, &mut state.ground));
            self.state.ground.wake_around(changed);
            done(Process::Push);
        }

        let time_s = self.state.clock.time_s;
        report.fall = now!(self, dt_s, time_s, |now, state| state.fall.step(&now, &mut state.ground));
        done(Process::Fall);
        let slid = now!(self, dt_s, time_s, |now, state| state.slip.step(&now, &mut state.ground));
        report.slip = slid.report;
        self.state.fall.launch(slid.launched);
        for (body, impulse) in slid.pressed {
            // Refused when it is not finite, and then nothing is given.
            let _ = self.state.bodies.kick(body, Cause::Soil, impulse);
        }
        done(Process::Slip);
        report.merge = now!(self, dt_s, time_s, |now, state| {
            state.merge.step(&now, &mut state.carve, &mut state.grains, &mut state.ground)
        });
        done(Process::Merge);

        let drained = self.state.grains.drain(self.state.clock.time_s + dt_s);
        transfers.leave(&drained);
        done(Process::Grains);

        report.water.buried =
            now!(self, dt_s, time_s, |now, state| state.water.make_way(&now, &state.ground));
        done(Process::Water);

        let (seed, hardness) = (self.state.seed, self.state.hardness.clone());
        report.weather = now!(self, dt_s, time_s, |now, state| {
            state.weather.step(&now, seed, &hardness, &mut state.ground)
        });
        if report.weather.is_late {
            warnings
                .push("rock weathers faster than steps can follow: take shorter steps or fewer years".into());
        }
        transfers.add_all(&report.weather.transfers);
        done(Process::Weather);

        self.state.clock.advance(dt_s);
        self.state.ground.pass_step();
        warnings.extend(report.water.warnings());
        warnings.extend(report.grains.warnings());
        warnings.extend(report.merge.warnings());
        transfers.add_all(&report.water.transfers);
        transfers.add_all(&report.carve.transfers);
        transfers.add_all(&report.merge.transfers);
        // What no process told of is an imbalance.
        let Closing { changes, imbalance } = self.close(&transfers);
        let awake_bricks = self.state.ground.awake().len();
        StepReport { dt_s, changes, awake_bricks, imbalance, warnings, ..report }
    }

    /// Lets water run for a part of a step, and the bodies take what it presses on them.
    fn run_water(&mut self, time_s: f64, part_s: f64, report: &mut WaterReport) {
        if !self.state.water.is_there() {
            return;
        }
        let gravity_m_s2 = self.state.gravity_m_s2;
        let mut coupled = Coupled::of(&self.state.bodies, gravity_m_s2, time_s, part_s);
        let seed = self.state.seed;
        *report += now!(self, part_s, time_s, |now, state| {
            state.water.step(&now, seed, &state.hardness, &mut coupled, &mut state.ground)
        });
        coupled.hand_in(Cause::Water, &mut self.state.bodies);
    }

    /// Lets grains in from their outlets.
    fn pour_grains(&mut self, dt_s: f64, warnings: &mut Vec<String>) -> Transfers {
        let mut transfers = Transfers::none();
        let coming = self.state.grains.poured(self.state.clock.time_s, dt_s);
        match self.enter_grains(&coming) {
            Ok(entered) => transfers.enter(&entered),
            Err(error) => warnings.push(format!("an outlet is dry: {error}")),
        }
        transfers
    }

    /// Moves the grains, and with them copies of the bodies that they touch.
    fn step_grains(&mut self, part_s: f64, time_s: f64) -> GrainsReport {
        if self.state.grains.is_empty() {
            return GrainsReport::default();
        }
        let mut coupled = Coupled::of(&self.state.bodies, self.state.gravity_m_s2, time_s, part_s);
        let report =
            now!(self, part_s, time_s, |now, state| state.grains.step(&now, &state.ground, &mut coupled));
        coupled.hand_in(Cause::Grains, &mut self.state.bodies);
        report
    }

    /// Into how many parts a step must be cut so that no body moves further than [`LONGEST_HOP`] in any of them and none is
    /// longer than `longest_s` (s), which is what couples to the bodies asks for. A word when that would be too many.
    fn parts(&self, dt_s: f64, longest_s: f64, warnings: &mut Vec<String>) -> u32 {
        let reach_m = |body: Body<'_>| match &body.spec.motion {
            Motion::Fixed => 0.0,
            Motion::Scripted(track) => {
                let ahead = track.pose(self.state.clock.time_s + dt_s);
                let way_m = body.pose.translation.distance(ahead.translation);
                // The bounds of a mesh take a while, and most bodies do not turn.
                if body.pose.rotation == ahead.rotation {
                    return way_m;
                }
                let bounds = body.solid().bounds();
                let radius = (bounds.max - bounds.min).length() / 2.0;
                way_m + body.pose.rotation.angle_between(ahead.rotation) * radius
            }
            Motion::Dynamic => body.linear_velocity_m_s.length() * dt_s as f32,
        };
        let farthest = self.state.bodies.iter().map(reach_m).fold(0.0, f32::max);
        let voxels = farthest / self.state.ground.voxel_size_m();
        // Half a voxel is not to be cut once more for the rounding of its last bit.
        let hops = (voxels / LONGEST_HOP - 1e-3).ceil();
        if hops > MOST_PARTS as f32 {
            let most = MOST_PARTS as f32 * LONGEST_HOP;
            warnings.push(format!(
                "a body moves more than {most} voxels in one step: it may jump over soil; take shorter steps"
            ));
        }
        let asked = (dt_s / longest_s - 1e-6).ceil() as u32;
        asked.max(hops as u32).clamp(1, MOST_PARTS)
    }

    /// The walls as a box (m), if there are walls.
    fn walls_m(&self) -> Option<Aabb> {
        let (bounds, size) = (self.state.ground.bounds()?, self.state.ground.voxel_size_m());
        Some(Aabb { min: bounds.min.as_vec3() * size, max: bounds.max.as_vec3() * size })
    }
}

/// Which share of a step lies before `part`.
fn share(part: u32, parts: u32) -> f64 {
    f64::from(part) / f64::from(parts)
}

/// `dt_s` as far as it makes sense, and a word when it does not.
fn usable_dt(dt_s: f64, warnings: &mut Vec<String>) -> f64 {
    if !(dt_s > 0.0 && dt_s.is_finite()) {
        warnings.push(format!("dt_s = {dt_s} is not a positive time: nothing was stepped"));
        return 0.0;
    }
    if dt_s > LONGEST_STEP_S {
        warnings.push(format!("dt_s = {dt_s} is longer than {LONGEST_STEP_S} s and was cut to it"));
    }
    dt_s.min(LONGEST_STEP_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_listed_by_their_numbers() {
        // Timers count by number and name by place.
        let numbers: Vec<usize> = Process::ALL.iter().map(|process| *process as usize).collect();
        assert_eq!(numbers, (0..Process::ALL.len()).collect::<Vec<_>>());
    }
}
