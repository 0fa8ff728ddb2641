//! The water of a world: what it consists of, and what is asked and told of it.

use barchan_particles::Ids;
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::WaterParams;
use super::beds::Beds;
use super::drains::{Drain, Open};
use super::erosion::ErosionParams;
use super::flow::Flow;
use super::particles::{Particles, whole_units};
use super::rest::Rest;
use super::scale::{PARTS, Scale};
use super::sources::{Rain, Source};
use crate::cache::Cache;
use crate::ledger::Amounts;
use crate::material::{MaterialId, Materials, Phase};
use crate::seen::SeenParticle;

/// Particles that one task looks at.
const AT_ONCE: usize = 1_024;

/// All the water that runs free, and where it comes from and goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Water {
    pub(super) params: WaterParams,
    pub(super) erosion: ErosionParams,
    pub(super) particles: Particles,
    pub(super) ids: Ids,
    /// What is too little to be a unit and belongs to no particle any more: water, and sediment by kind (1/256 unit).
    pub(super) rest_water: u32,
    pub(super) rest_sediment: Vec<(MaterialId, u32)>,
    pub(super) sources: Vec<Source>,
    pub(super) rain: Rain,
    pub(super) drains: Vec<Drain>,
    pub(super) open: Open,
    /// Parts of steps that passed with water: the moments of chance.
    pub(super) moments: u64,
    /// How long all of it has been calm.
    pub(super) rest: Rest,
    #[serde(skip)]
    pub(super) scratch: Cache<Scratch>,
}

#[derive(Default)]
pub(super) struct Scratch {
    pub(super) flow: Flow,
    pub(super) beds: Beds,
    /// Bodies alone.
    pub(super) of_bodies: Option<Beds>,
    /// The bricks in which and beside which water sleeps.
    pub(super) resting: Option<FxHashSet<IVec3>>,
}

impl Water {
    /// None, in ground with voxels of this edge (m).
    pub(crate) fn for_voxels(voxel_size_m: f32) -> Self {
        let params = WaterParams { spacing_m: 0.5 * voxel_size_m, ..WaterParams::default() };
        Self { params, ..Self::default() }
    }

    /// The bytes of version 1 as those of today: water did not sleep then. None where they are no water.
    pub(crate) fn brought_up(version_1: &[u8]) -> Option<Vec<u8>> {
        let today = WaterParams::default();
        // All before `sleeps` is as it was; the byte that is read in its place is the first of what follows, a bool too.
        let (_, after) = postcard::take_from_bytes::<WaterParams>(version_1).ok()?;
        let (params, others) = version_1.split_at(version_1.len() - after.len() - 1);
        let rest = postcard::to_stdvec(&Rest::default()).ok()?;
        Some([params, &[u8::from(today.sleeps)], others, &rest].concat())
    }

    /// How it behaves.
    pub fn params(&self) -> &WaterParams {
        &self.params
    }

    /// How it exchanges matter with the ground.
    pub fn erosion(&self) -> &ErosionParams {
        &self.erosion
    }

    /// True where there is water or something that brings it.
    pub(crate) fn is_there(&self) -> bool {
        !self.particles.is_empty() || !self.sources.is_empty() || self.rain.rate_mm_h > 0.0
    }

    /// The particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Where it comes from.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The rain.
    pub fn rain(&self) -> &Rain {
        &self.rain
    }

    /// Where it goes.
    pub fn drains(&self) -> &[Drain] {
        &self.drains
    }

    /// Over which borders it leaves.
    pub fn open(&self) -> Open {
        self.open
    }

    /// Sets how it behaves. The spacing stays while there are particles.
    pub(crate) fn set_params(&mut self, params: WaterParams, voxel_size_m: f32) -> Result<(), String> {
        if let Some(problem) = params.problem(voxel_size_m) {
            return Err(problem);
        }
        if !self.particles.is_empty() && params.spacing_m != self.params.spacing_m {
            return Err("spacing_m cannot change while there is water".to_owned());
        }
        self.params = params;
        self.wake();
        Ok(())
    }

    /// Sets how it exchanges matter with the ground.
    pub(crate) fn set_erosion(&mut self, erosion: ErosionParams) -> Result<(), String> {
        match erosion.problem() {
            Some(problem) => Err(problem),
            None => {
                self.erosion = erosion;
                self.wake();
                Ok(())
            }
        }
    }

    /// Sets all sources.
    pub(crate) fn set_sources(&mut self, sources: Vec<Source>) -> Result<(), String> {
        if !sources.iter().all(Source::is_sound) {
            return Err("a number of a source of water is out of its range".to_owned());
        }
        self.sources = sources;
        self.wake();
        Ok(())
    }

    /// Sets the rain.
    pub(crate) fn set_rain(&mut self, rain: Rain) -> Result<(), String> {
        if !rain.is_sound() {
            return Err("a number of the rain is out of its range".to_owned());
        }
        self.rain = rain;
        self.wake();
        Ok(())
    }

    /// Sets all drains and open borders.
    pub(crate) fn set_drains(&mut self, drains: Vec<Drain>, open: Open) -> Result<(), String> {
        if !drains.iter().all(Drain::is_sound) {
            return Err("a number of a drain is out of its range".to_owned());
        }
        (self.drains, self.open) = (drains, open);
        self.scratch.beds.forget();
        self.wake();
        Ok(())
    }

    /// What there is in whole units. All that particles hold and what is left over beside them makes whole units, or something was
    /// made or lost.
    pub fn count(&self) -> Amounts<i128> {
        if self.particles.is_empty() && self.rest_water == 0 && self.rest_sediment.is_empty() {
            return Amounts::default();
        }
        let rests = self.rest_sediment.iter().map(|(kind, parts)| (*kind, i128::from(*parts)));
        let mut sediment: Vec<(MaterialId, i128)> = self.particles.sediment_parts().collect();
        for (kind, parts) in rests {
            match sediment.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, sum)) => *sum += parts,
                None => sediment.push((kind, parts)),
            }
        }
        let water = self.particles.water_parts() + i128::from(self.rest_water);
        whole_units(water, sediment.into_iter())
    }

    /// True when everything is in its range: what a file says need not be.
    pub(crate) fn is_sound(&self, materials: &Materials, voxel_size_m: f32) -> bool {
        let is_soil =
            |kind: &MaterialId| materials.get(*kind).is_some_and(|material| material.phase == Phase::Soil);
        self.params.problem(voxel_size_m).is_none_or(|_| *self == Self::default())
            && self.erosion.problem().is_none()
            && self.particles.is_sound(&Scale::new(&self.params, voxel_size_m))
            && self.particles.kinds.iter().all(is_soil)
            && self.rest_water < PARTS
            && self.rest_sediment.iter().all(|(kind, _)| is_soil(kind))
            && self.rest_sediment.windows(2).all(|pair| pair[0].0 < pair[1].0)
            && self.sources.iter().all(Source::is_sound)
            && self.sources.iter().all(|source| source.sediment == 0.0 || is_soil(&source.kind))
            && self.rain.is_sound()
            && self.rest.is_sound()
            && self.drains.iter().all(Drain::is_sound)
    }

    pub(crate) fn drop_caches(&mut self) {
        *self.scratch = Scratch::default();
    }

    /// All particles as they are seen.
    pub(crate) fn seen(&self, voxel_size_m: f32) -> Vec<SeenParticle> {
        let (scale, particles) = (Scale::new(&self.params, voxel_size_m), &self.particles);
        let see = |slot: usize| {
            let sediment = particles.sediment_of(slot);
            let volume = scale.volume_m3(particles.water[slot], sediment);
            let most = (0..particles.kinds.len()).rev().max_by_key(|&row| particles.sediment[row][slot]);
            let kind = most.filter(|&row| particles.sediment[row][slot] > 0);
            SeenParticle {
                id: particles.ids[slot],
                part: 0,
                centre_m: scale.lattice.point(particles.places[slot]).as_vec3(),
                radius_m: libm::cbrt(volume * 3.0 / (4.0 * std::f64::consts::PI)) as f32,
                velocity_m_s: particles.velocities[slot],
                kind: kind.map_or(MaterialId(0), |row| particles.kinds[row]),
                sediment: (sediment as f64 * scale.soil_part_m3 / volume.max(f64::MIN_POSITIVE)) as f32,
                contacts: 0,
                force_n: 0.0,
            }
        };
        (0..particles.len()).into_par_iter().with_min_len(AT_ONCE).map(see).collect()
    }
}
