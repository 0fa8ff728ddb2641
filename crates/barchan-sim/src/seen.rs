//! Particles as they are seen: one plain list for the page, pictures and files, whatever store they come from.

pub use barchan_particles::Id as ParticleId;
use glam::Vec3;

use crate::material::MaterialId;
use crate::world::World;

/// One sphere as it is seen. A grain that is a clump of several is seen as so many spheres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenParticle {
    /// The name of the particle in its store: given once, never given again.
    pub id: ParticleId,
    /// Which sphere of the clump; 0 where there is only one.
    pub part: u8,
    /// Its centre (m).
    pub centre_m: Vec3,
    /// Its radius (m); of water that of a ball of its volume.
    pub radius_m: f32,
    /// Velocity of the centre (m/s).
    pub velocity_m_s: Vec3,
    /// What it is made of; of water the kind of which it carries most.
    pub kind: MaterialId,
    /// Share of sediment in the volume of water, 0 to 1 (-); 0 of grains.
    pub sediment: f32,
    /// Particles, walls and bodies that it touches; 0 of water.
    pub contacts: u16,
    /// Sum of the normal forces on it, without regard to direction (N); 0 of water.
    pub force_n: f32,
}

/// All particles of a world as they are seen, in any order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenParticles {
    /// Water that flows.
    pub water: Vec<SeenParticle>,
    /// Single grains.
    pub grains: Vec<SeenParticle>,
}

impl SeenParticles {
    /// How many spheres there are.
    pub fn len(&self) -> usize {
        self.water.len() + self.grains.len()
    }

    /// True when there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Both forms with their lists.
    pub fn forms(&self) -> [(ParticleForm, &[SeenParticle]); 2] {
        [(ParticleForm::Water, &self.water), (ParticleForm::Grain, &self.grains)]
    }
}

/// What particles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParticleForm {
    /// Water that flows, with what it carries.
    Water,
    /// Single grains.
    Grain,
}

impl ParticleForm {
    /// All of them, in their order on the wire.
    pub const ALL: [Self; 2] = [Self::Water, Self::Grain];

    /// Its name in files and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Water => "water",
            Self::Grain => "grain",
        }
    }
}

impl World {
    /// All particles as they are seen.
    pub fn particles(&self) -> SeenParticles {
        SeenParticles {
            water: self.state.water.seen(self.ground().voxel_size_m()),
            grains: self.state.grains.seen(),
        }
    }
}
