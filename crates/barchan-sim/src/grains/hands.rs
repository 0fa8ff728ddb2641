//! Hands on the grains of a world: what there can be, what comes and what goes, with the books closed.

use super::source::Room;
use super::{Fill, Grain, GrainSpec, Grains, GrainsError, Setup, Source, SourceState};
use crate::carve::CarveError;
use crate::ledger::{Amounts, Transfers};
use crate::seen::{ParticleId, SeenParticle};
use crate::world::World;

impl World {
    /// The grains.
    pub fn grains(&self) -> &Grains {
        &self.state.grains
    }

    /// Says what grains there can be, and the walls that only they feel.
    ///
    /// # Errors
    /// When something is wrong with it, a substance is no soil of this world, or there are grains already.
    pub fn set_up_grains(&mut self, setup: Setup) -> Result<(), GrainsError> {
        for substance in &setup.substances {
            if self.state.materials.get(substance.soil).is_none() {
                return Err(GrainsError::Missing { what: "material", index: substance.soil.0.into() });
            }
        }
        self.state.grains.set_up(setup)?;
        // Soil comes off as what it came off before.
        if let Some(params) = self.state.carve.forget_params() {
            self.ready_carve(params).map_err(|error| match error {
                CarveError::Grains(error) => error,
                CarveError::OutOfRange { field, value, low, high } => {
                    GrainsError::OutOfRange { field: field.to_owned(), value, low, high }
                }
            })?;
        }
        Ok(())
    }

    /// Puts grains into the world, all or none.
    ///
    /// # Errors
    /// When one cannot be, or there are too many for the memory.
    pub fn add_grains(&mut self, specs: &[GrainSpec]) -> Result<(), GrainsError> {
        let entered = self.enter_grains(specs)?;
        let mut transfers = Transfers::none();
        transfers.enter(&entered);
        self.close(&transfers);
        Ok(())
    }

    /// Adds grains and leaves closing the books to whoever calls.
    pub(crate) fn enter_grains(&mut self, specs: &[GrainSpec]) -> Result<Amounts<i64>, GrainsError> {
        let unit_m3 = self.unit_m3();
        let limit = self.memory_limit_bytes();
        self.state.grains.add(specs, unit_m3, limit)
    }

    /// Fills a region with grains, as far as neither grains, nor walls that only they feel, are in their way. Says how many came.
    ///
    /// # Errors
    /// When one cannot be, or there are too many for the memory.
    pub fn fill_with_grains(&mut self, fill: &Fill) -> Result<usize, GrainsError> {
        fill.check(&self.state.grains)?;
        let room = Room::of(&self.state.grains, self.clock().time_s);
        let specs = fill.grains(&self.state.grains, |at, reach| room.is_free(at, reach));
        self.add_grains(&specs)?;
        Ok(specs.len())
    }

    /// Takes grains out of the world; says how many.
    pub fn remove_grains(&mut self, goes: impl FnMut(&Grain) -> bool) -> usize {
        let (gone, left) = self.state.grains.take(goes);
        let mut transfers = Transfers::none();
        transfers.leave(&left);
        transfers.leave(&self.state.carve.dry(gone.iter().map(|grain| grain.id.0)));
        self.close(&transfers);
        gone.len()
    }

    /// Adds an outlet.
    ///
    /// # Errors
    /// When something is wrong with it.
    pub fn add_grain_source(&mut self, source: Source) -> Result<(), GrainsError> {
        source.check(&self.state.grains)?;
        self.state.grains.sources.push(source);
        self.state.grains.source_states.push(SourceState::default());
        Ok(())
    }

    /// From now on keeps account of the energy that grains lose, or no longer; a copy of the world does not.
    pub fn watch_grain_energy(&mut self, watch: bool) {
        self.state.grains.watch_energy(watch);
    }

    /// Wakes all grains.
    pub fn wake_grains(&mut self) {
        self.state.grains.wake_all();
    }

    /// Volume of solid matter that one unit stands for (m³).
    pub fn unit_m3(&self) -> f64 {
        crate::units::unit_m3(self.ground().voxel_size_m())
    }
}

impl Grains {
    /// All balls as they are seen.
    pub fn seen(&self) -> Vec<SeenParticle> {
        let workshop = &*self.workshop;
        let is_known = workshop.movers.len() == self.grains.len() && !self.grains.is_empty();
        let mut first_felt = vec![None; self.grains.len()];
        if is_known {
            for (&stand, &first) in workshop.stands.iter().zip(&workshop.first_slot) {
                first_felt[stand as usize] = Some(first as usize);
            }
        }
        let mut seen = Vec::with_capacity(self.grains.len() * 4);
        for (grain, first) in self.grains.iter().zip(first_felt) {
            let form = self.form_of(grain);
            let (centre, spin) = (self.position_m(grain), grain.spin_rad_s(form));
            let kind = self.soil_of(grain);
            for (k, ball) in form.balls.iter().enumerate() {
                let off = grain.turn * ball.at_m;
                let felt = first.and_then(|first| workshop.felt.get(first + k)).copied().unwrap_or_default();
                seen.push(SeenParticle {
                    id: ParticleId(grain.id.0),
                    part: k as u8,
                    centre_m: (centre + off).as_vec3(),
                    radius_m: ball.radius_m,
                    velocity_m_s: (grain.velocity_m_s + spin.cross(off)).as_vec3(),
                    kind,
                    sediment: 0.0,
                    contacts: felt.contacts as u16,
                    force_n: felt.load,
                });
            }
        }
        seen
    }
}
