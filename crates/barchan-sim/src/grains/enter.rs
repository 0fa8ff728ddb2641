//! Grains that come from the ground and go back to it: with units of their own, and without disturbing those that sleep far away.

use barchan_particles::Id;
use glam::DVec3;

use super::grain::Grain;
use super::grains::{GrainSpec, Grains};
use super::setup::{GrainsError, Setup};
use super::wall::Plunged;

impl Grains {
    /// Puts in one grain that counts as `units`; says its name. None where it cannot be.
    pub(crate) fn enter_with_units(&mut self, spec: &GrainSpec, units: u64) -> Option<Id> {
        let form = self.worked.forms.get(usize::from(spec.form))?;
        let place = self.lattice().place(spec.position_m)?;
        let balls = form.balls.len() as u32;
        if u64::from(self.next_ball) + u64::from(balls) > 1 << 31 {
            return None;
        }
        let id = Id(self.next_ball);
        let mut grain = Grain {
            id,
            form: spec.form,
            units,
            place,
            velocity_m_s: spec.velocity_m_s,
            turn: spec.turn.normalize() * form.axes,
            angular_momentum: DVec3::ZERO,
            rest_s: 0.0,
            asleep: false,
        };
        grain.set_spin(spec.spin_rad_s, form);
        self.grains.push(grain);
        self.next_ball += balls;
        self.changed_by_hand();
        Some(id)
    }

    /// Takes grains out by their names, which are in order, and wakes what hangs together with them.
    pub(crate) fn leave(&mut self, names: &[u32]) {
        if names.is_empty() {
            return;
        }
        let goes = |grain: &Grain| names.binary_search(&grain.id.0).is_ok();
        let asleep = |grain: &Grain| grain.asleep && goes(grain);
        let woken: Vec<usize> = (0..self.grains.len()).filter(|&at| asleep(&self.grains[at])).collect();
        self.wake(&woken);
        let balls_of = |grain: &Grain| grain.id.0..grain.id.0 + self.form_of(grain).balls.len() as u32;
        let gone: Vec<_> = self.grains.iter().filter(|grain| goes(grain)).map(balls_of).collect();
        let is_gone = |name: u32| {
            let at = gone.partition_point(|range| range.end <= name);
            gone.get(at).is_some_and(|range| range.contains(&name))
        };
        self.ties.retain(|tie| !is_gone(tie.a) && !is_gone(tie.b));
        self.face_ties.retain(|tie| !is_gone(tie.a));
        self.grains.retain(|grain| !goes(grain));
        self.changed_by_hand();
    }

    /// Says what else there can be beside what was said before; forms keep their numbers.
    pub(crate) fn extend_setup(&mut self, setup: Setup) -> Result<(), GrainsError> {
        if !self.grains.is_empty() {
            return Err(GrainsError::Busy { count: self.grains.len() });
        }
        self.worked = setup.work_out()?;
        self.plunged.resize(setup.walls.len(), Plunged::default());
        self.setup = setup;
        self.drop_caches();
        Ok(())
    }
}
