//! What one client has of all particles, and how much of what is new fits on its wire.

use std::sync::Arc;
use std::time::Instant;

use barchan_sim::SeenParticles;
use glam::Vec3;

use super::record::tick_of;
use super::told::{Telling, ToldParticles};
use crate::frame::deflate::Deflater;

/// What particles may take of a client's wire (bytes/s), and what they may take at once (bytes).
const BYTES_PER_S: f32 = 1.4e6;
const BYTES_AT_ONCE: f32 = 0.7e6;

/// The particles that one client has.
#[derive(Debug)]
pub struct ParticleOutbox {
    told: [ToldParticles; 2],
    shown: Option<Arc<SeenParticles>>,
    /// What may be sent now (bytes), as of when.
    allowance: (f32, Instant),
}

impl Default for ParticleOutbox {
    fn default() -> Self {
        Self { told: Default::default(), shown: None, allowance: (BYTES_AT_ONCE, Instant::now()) }
    }
}

impl ParticleOutbox {
    /// True when the client may lack any of `particles`.
    pub fn lacks(&self, particles: &Arc<SeenParticles>) -> bool {
        let is_same = self.shown.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, particles));
        let are_none = particles.is_empty() && self.told.iter().all(|told| told.len() == 0);
        (!is_same && !are_none) || self.told.iter().any(ToldParticles::is_behind)
    }

    /// The client is to forget what it has.
    pub fn forget(&mut self) {
        self.shown = None;
        self.told.iter_mut().for_each(ToldParticles::forget);
    }

    /// The next sections with their encodings, of a moment (s) that is sent `now`. What is near `eye_m` (m) comes first.
    pub fn sections(
        &mut self,
        particles: &Arc<SeenParticles>,
        time_s: f64,
        eye_m: Option<Vec3>,
        now: Instant,
        deflater: &mut Deflater,
    ) -> Vec<(u8, Vec<u8>)> {
        let (left, filled) = self.allowance;
        let earned = BYTES_PER_S * now.saturating_duration_since(filled).as_secs_f32();
        let bytes = (left + earned).min(BYTES_AT_ONCE);
        self.shown = Some(particles.clone());
        let (all, tick) = (particles.len().max(1) as f32, tick_of(time_s));
        let mut sections = Vec::new();
        for ((form, particles), told) in particles.forms().into_iter().zip(&mut self.told) {
            let share = particles.len() as f32 / all;
            let telling = Telling { form, particles, tick, eye_m, bytes: bytes.max(0.0) * share };
            sections.extend(told.tell(&telling, deflater));
        }
        let spent: usize = sections.iter().map(|(_, bytes)| bytes.len()).sum();
        self.allowance = (bytes - spent as f32, now);
        sections
    }
}
