//! From units to metres: how large a particle is, and what a part of a unit weighs.

use barchan_particles::Lattice;

use super::{Method, WaterParams};
use crate::units::{LOOSE_FULL, VoidRatio};

/// Parts of a unit that particles count.
pub const PARTS: u32 = 256;

/// Kernel support over the spacing of particles: a particle of a dense pool has 30 neighbours.
pub const SUPPORT: f32 = 2.0;

/// What particles of water at rest count as density with each kernel (a cubic pack 1.034 with Wendland's, the densest packs 1.041): sums
/// over neighbours are divided by it, so that water of its true volume has the density 1.
const PACK_DFSPH: f32 = 1.040;
const PACK_MULLER: f32 = 0.998;

/// Sizes of a world's water.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Edge of a voxel (m).
    pub voxel_m: f64,
    /// Distance of particles at rest (m).
    pub spacing_m: f32,
    /// Support of the kernel, and edge of the lattice (m).
    pub support_m: f32,
    /// Places.
    pub lattice: Lattice,
    /// Volume of a part of water (m³).
    pub water_part_m3: f64,
    /// Volume of a part of sediment, without pores (m³).
    pub soil_part_m3: f64,
    /// Water of a whole particle (parts).
    pub full_parts: u32,
    /// Share of water in the mass (kg/m³).
    pub water_kg_m3: f32,
    /// Share of sediment in the mass (kg/m³).
    pub sediment_kg_m3: f32,
    /// Volumes in cubes of the support are divided by this.
    pack: f32,
}

impl Scale {
    /// Of checked parameters.
    pub fn new(params: &WaterParams, voxel_size_m: f32) -> Self {
        let voxel_m = f64::from(voxel_size_m);
        let support_m = SUPPORT * params.spacing_m;
        let unit_m3 = voxel_m.powi(3) / f64::from(LOOSE_FULL);
        let solid_m3 = unit_m3 * VoidRatio(0).room_of(1) as f64 / VoidRatio::REFERENCE.room_of(1) as f64;
        let units = (f64::from(params.spacing_m).powi(3) / unit_m3).round().max(1.0);
        let edge_m = f64::from(support_m).clamp(Lattice::EDGES_M[0], Lattice::EDGES_M[1]);
        Self {
            voxel_m,
            spacing_m: params.spacing_m,
            support_m,
            lattice: Lattice::new(edge_m).expect("it was brought into range"),
            water_part_m3: unit_m3 / f64::from(PARTS),
            soil_part_m3: solid_m3 / f64::from(PARTS),
            full_parts: (units as u32).saturating_mul(PARTS),
            water_kg_m3: params.water_kg_m3,
            sediment_kg_m3: params.sediment_kg_m3,
            pack: if params.method == Method::Dfsph { PACK_DFSPH } else { PACK_MULLER },
        }
    }

    /// Volume of so much water and sediment (m³).
    #[inline]
    pub fn volume_m3(&self, water: u32, sediment: u64) -> f64 {
        f64::from(water) * self.water_part_m3 + sediment as f64 * self.soil_part_m3
    }

    /// The same in cubes of the support, as densities are summed.
    #[inline]
    pub fn weight(&self, water: u32, sediment: u64) -> f32 {
        let cubed = f64::from(self.support_m) * f64::from(self.support_m) * f64::from(self.support_m);
        (self.volume_m3(water, sediment) / cubed) as f32 / self.pack
    }

    /// Mass of so much water and sediment (kg).
    #[inline]
    pub fn mass_kg(&self, water: u32, sediment: u64) -> f64 {
        f64::from(water) * self.water_part_m3 * f64::from(self.water_kg_m3)
            + sediment as f64 * self.soil_part_m3 * f64::from(self.sediment_kg_m3)
    }

    /// Density of water over that of so much water and sediment: what a push moves less for being heavy.
    #[inline]
    pub fn lightness(&self, water: u32, sediment: u64) -> f32 {
        let volume = self.volume_m3(water, sediment);
        if volume <= 0.0 {
            return 1.0;
        }
        (volume * f64::from(self.water_kg_m3) / self.mass_kg(water, sediment)) as f32
    }
}
