//! One step of a world: the only place that knows the order of processes.

use barchan_volume::Aabb;

use crate::bearing::{BearingReport, wake_near};
use crate::bodies::{Body, LONGEST_HOP, Motion, StepMotion};
use crate::carry::{CarryReport, Moment};
use crate::fall::FallReport;
use crate::ground::Changes;
use crate::ledger::{Amounts, Ledger};
use crate::push::PushReport;
use crate::slip::{PlacedBodies, SlipReport};
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
    /// How the ground bore them in the last part of the step.
    pub bearing: BearingReport,
    /// The soil that moved with them.
    pub carry: CarryReport,
    /// The soil that made room for them.
    pub push: PushReport,
    /// The soil that fell.
    pub fall: FallReport,
    /// The soil that slid.
    pub slip: SlipReport,
    /// The books after the step.
    pub ledger: Ledger,
    /// What counting the changed bricks found beyond what processes reported (units). Zero, or there is a bug.
    pub imbalance: Amounts,
    /// What went wrong and was contained, in words.
    pub warnings: Vec<String>,
}

/// The processes of a step, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// Forces of the ground on bodies.
    Bearing,
    /// Motion of bodies.
    Bodies,
    /// Soil that moves with bodies.
    Carry,
    /// Soil that makes room for bodies.
    Push,
    /// Soil that falls.
    Fall,
    /// Soil that slides.
    Slip,
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
            let (ledger, awake_bricks) = (self.ledger, self.ground.awake().len());
            return StepReport { ledger, awake_bricks, warnings, ..StepReport::default() };
        }

        let (parts, mut report) = (self.parts(dt_s, &mut warnings), StepReport::default());
        for part in 0..parts {
            let (part_s, time_s) = (dt_s / f64::from(parts), self.clock.time_s + dt_s * share(part, parts));
            report.bearing = self.bearing.step(
                part_s,
                &self.ground,
                &self.materials,
                &self.body_fill,
                self.gravity_m_s2,
                &mut self.bodies,
            );
            done(Process::Bearing);
            report.bodies = self.bodies.step(part_s, self.gravity_m_s2, time_s, self.walls_m());
            done(Process::Bodies);
            warnings.extend(report.bodies.warnings());
            let moment = Moment { dt_s: part_s, time_s, gravity_m_s2: self.gravity_m_s2 };
            let moves =
                self.carry.step(&moment, &self.bodies, &self.body_fill, &self.ground, &self.materials);
            done(Process::Carry);
            let changed = self.update_body_fill();
            done(Process::Bodies);
            report.carry += moves.apply(&self.body_fill, &self.materials, &mut self.ground);
            done(Process::Carry);
            report.push += self.make_room(changed);
            done(Process::Push);
        }

        let shares = self.body_fill.shares();
        report.fall = self.fall.step(dt_s, self.gravity_m_s2, shares, &self.materials, &mut self.ground);
        done(Process::Fall);
        let placed = PlacedBodies { bodies: &self.bodies, fill: &self.body_fill };
        report.slip = self.slip.step(dt_s, self.gravity_m_s2, placed, &self.materials, &mut self.ground);
        done(Process::Slip);

        self.clock.advance(dt_s);
        self.ground.pass_step();
        // Processes only move soil: any other change is an imbalance.
        let (changes, imbalance) = self.ground.close_changes();
        self.fall.note_soil(changes.bricks());
        self.slip.stop_sleeping(self.ground.awake());
        wake_near(changes.bricks(), &self.body_fill, &mut self.bodies);
        let (ledger, awake_bricks) = (self.ledger, self.ground.awake().len());
        StepReport { dt_s, changes, awake_bricks, ledger, imbalance, warnings, ..report }
    }

    /// Into how many parts a step must be cut so that no body moves further than [`LONGEST_HOP`] in any of them, and a
    /// word when that would be too many.
    fn parts(&self, dt_s: f64, warnings: &mut Vec<String>) -> u32 {
        let reach_m = |body: Body<'_>| match &body.spec.motion {
            Motion::Fixed => 0.0,
            Motion::Scripted(track) => {
                let ahead = track.pose(self.clock.time_s + dt_s);
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
        let farthest = self.bodies.iter().map(reach_m).fold(0.0, f32::max);
        let voxels = farthest / self.ground.voxel_size_m();
        // Half a voxel is not to be cut once more for the rounding of its last bit.
        let hops = (voxels / LONGEST_HOP - 1e-3).ceil();
        if hops > MOST_PARTS as f32 {
            let most = MOST_PARTS as f32 * LONGEST_HOP;
            warnings.push(format!(
                "a body moves more than {most} voxels in one step: it may jump over soil; take shorter steps"
            ));
        }
        (hops as u32).clamp(1, MOST_PARTS)
    }

    /// The walls as a box (m), if there are walls.
    fn walls_m(&self) -> Option<Aabb> {
        let (bounds, size) = (self.ground.bounds()?, self.ground.voxel_size_m());
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
