//! Particles as bytes (section 8). A client is told where a particle is and how it moves; it hears of it again once that
//! leads it astray, those that are seen to be astray the most first, and never more than the wire can carry.

mod outbox;
mod record;
#[cfg(test)]
mod tests;
mod told;
mod write;

pub use outbox::ParticleOutbox;
