//! One column below a load: which of its soil becomes how dense, and how what stands on it comes down.

use glam::{IVec2, IVec3, Vec3};

use super::footprint::Footprint;
use crate::columns::{Look, Patch};
use crate::material::{Compression, MaterialId, Materials};
use crate::reader::BARRIER_SHARE;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{Layer, Parcel, Voxel};

/// Mean over vertical stress of soil under its own weight (-): (1 + 2 K0) / 3 with K0 = 1/2, as of normally consolidated soil of 30°.
const MEAN_OVER_VERTICAL: f32 = 2.0 / 3.0;

/// Layers above the highest load from which on the weight of soil is added up.
const ABOVE: i32 = 16;

/// What all columns have in common.
pub(super) struct Bulb<'a> {
    pub footprint: &'a Footprint,
    pub materials: &'a Materials,
    /// Lines of compression and concentration factor, by kind.
    pub soils: &'a [(Compression, f32)],
    pub voxel_size_m: f32,
    /// Downward gravity (m/s²).
    pub gravity_m_s2: f32,
    /// Lowest layer and the layer of the highest load.
    pub layers: [i32; 2],
}

/// A voxel that becomes denser.
#[derive(Clone, Copy, Debug)]
struct Denser {
    z: i32,
    /// Void ratios of both layers, below and on top, before and after.
    under: [VoidRatio; 2],
    top: [VoidRatio; 2],
    /// The room that this sets free (1/32,768 voxel).
    free: u32,
}

/// What became of a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settled {
    /// Voxels that became denser.
    pub voxels: u32,
    /// By how much their soil shrank (1/32,768 voxel).
    pub shrunk: u64,
}

impl Bulb<'_> {
    /// Compacts one column.
    pub fn press(&self, column: IVec2, patch: &mut Patch<'_>) -> Settled {
        let Walked { mut denser, displaced, has_body, top_z } = self.walk(column, patch);
        let free: u64 = denser.iter().map(|voxel| u64::from(voxel.free)).sum();
        if free == 0 || has_body && displaced == 0 {
            return Settled::default();
        }
        if has_body && free > displaced {
            let share = displaced as f32 / free as f32;
            denser.iter_mut().for_each(|voxel| voxel.soften(share));
        }
        let mut settled = Settled::default();
        for voxel in &denser {
            let p = column.extend(voxel.z);
            let before = patch.get(p).soil_share();
            patch.compact(p, voxel.under[1], voxel.top[1]);
            let shrunk = before.saturating_sub(patch.get(p).soil_share());
            settled.voxels += u32::from(shrunk > 0);
            settled.shrunk += u64::from(shrunk);
        }
        if settled.shrunk > 0 {
            let lowest = denser.iter().map(|voxel| voxel.z).min().unwrap_or(top_z);
            (lowest..top_z).for_each(|z| self.let_down(column.extend(z), patch));
        }
        settled
    }

    /// Goes down the column and finds what becomes denser.
    fn walk(&self, column: IVec2, patch: &mut Patch<'_>) -> Walked {
        let [lowest, highest] = self.layers;
        let size = self.voxel_size_m;
        let mut walked = Walked { denser: Vec::new(), displaced: 0, has_body: false, top_z: lowest };
        let (mut weight_pa, mut is_in_soil) = (0.0, false);
        for z in (lowest..=highest + ABOVE).rev() {
            let p = column.extend(z);
            let (voxel, body) = patch.look(p);
            let rock = voxel.rock_share(self.materials);
            if rock >= BARRIER_SHARE {
                break;
            }
            if body > 0 && z <= highest + 1 {
                // What lies on a body presses on it, and the body on the ground.
                (walked.has_body, weight_pa) = (true, 0.0);
            }
            if !voxel.has_soil() {
                if is_in_soil && body == 0 {
                    // A cave: what is below does not carry what is above.
                    break;
                }
                continue;
            }
            if !is_in_soil {
                walked.top_z = z;
            }
            is_in_soil = true;
            let solid = u32::from(body) + rock;
            walked.displaced += u64::from((voxel.soil_share() + solid).saturating_sub(LOOSE_FULL));
            let own_pa = self.weight_pa(&voxel);
            let below_load = z <= highest;
            if below_load {
                let middle = (p.as_vec3() + 0.5) * size;
                let overburden_pa = MEAN_OVER_VERTICAL * (weight_pa + 0.5 * own_pa);
                walked.denser.extend(self.denser(&voxel, middle, overburden_pa));
            }
            weight_pa += own_pa;
        }
        walked
    }

    /// How dense `voxel` becomes, if it does.
    fn denser(&self, voxel: &Voxel, middle_m: Vec3, overburden_pa: f32) -> Option<Denser> {
        let mut load_pa = None;
        let mut after = |layer: Layer| {
            if layer.units == 0 {
                return [layer.void_ratio; 2];
            }
            let (lines, nu) = &self.soils[usize::from(layer.kind.0)];
            let e = layer.void_ratio.to_f32();
            let borne_kpa = lines.preconsolidation_kpa(e, overburden_pa / 1e3);
            let most_pa = self.footprint.most_pa(self.depth_m(middle_m), *nu);
            if (overburden_pa + most_pa) / 1e3 <= borne_kpa {
                return [layer.void_ratio; 2];
            }
            let load_pa = *load_pa.get_or_insert_with(|| self.footprint.stress_pa(middle_m, *nu));
            let loaded_kpa = (overburden_pa + load_pa) / 1e3;
            let e = lines.void_ratio_after(e, overburden_pa / 1e3, loaded_kpa).max(self.densest(layer.kind));
            // Rounded so that nothing becomes denser than it should.
            let after = VoidRatio(VoidRatio::from_f32(e).0.saturating_add(1)).min(layer.void_ratio);
            [layer.void_ratio, after]
        };
        let (under, top) = (after(voxel.under_layer()), after(voxel.top_layer()));
        if under[0] == under[1] && top[0] == top[1] {
            return None;
        }
        let share = |at: usize| {
            VoidRatio::share_of_all([(under[at], voxel.under.into()), (top[at], voxel.top.into())])
        };
        let z = (middle_m.z / self.voxel_size_m).floor() as i32;
        Some(Denser { z, under, top, free: share(0).saturating_sub(share(1)) })
    }

    /// How far a point is from all loads at least (m).
    fn depth_m(&self, point_m: Vec3) -> f32 {
        self.footprint.depth_m(point_m).max(0.25 * self.voxel_size_m)
    }

    fn densest(&self, kind: MaterialId) -> f32 {
        self.materials[kind].void_ratio_dense
    }

    /// What the soil of a voxel weighs on its floor (Pa).
    fn weight_pa(&self, voxel: &Voxel) -> f32 {
        let saturation = voxel.saturation();
        let of = |layer: Layer| {
            let e = layer.void_ratio.to_f32();
            let share = layer.void_ratio.share_of(layer.units.into()) as f32 / LOOSE_FULL as f32;
            share * self.materials[layer.kind].density_kg_m3(e, saturation)
        };
        let kg_m3 = of(voxel.top_layer()) + if voxel.under > 0 { of(voxel.under_layer()) } else { 0.0 };
        kg_m3 * self.voxel_size_m * self.gravity_m_s2
    }

    /// Fills what is free in voxel `p` with what stands in the voxel above, from its lowest soil on, as dense as it is.
    fn let_down(&self, p: IVec3, patch: &mut Patch<'_>) {
        let above = p + IVec3::Z;
        let lowest = lowest_soil(&patch.get(above));
        if patch.room(p, lowest.void_ratio) == 0 || lowest.units == 0 {
            return;
        }
        let mut is_full = false;
        let parcels: Vec<Parcel> = patch.take_all(above).into_iter().rev().collect();
        for mut parcel in parcels {
            if !is_full {
                patch.put(p, &mut parcel);
                is_full = parcel.units > 0;
            }
            patch.add(above, parcel);
        }
    }
}

impl Denser {
    /// Becomes denser by this share only.
    fn soften(&mut self, share: f32) {
        let softer = |[before, after]: [VoidRatio; 2]| {
            let steps = (f32::from(before.0 - after.0) * share).floor() as u16;
            [before, VoidRatio(before.0 - steps)]
        };
        (self.under, self.top) = (softer(self.under), softer(self.top));
    }
}

/// What a walk down a column found.
struct Walked {
    denser: Vec<Denser>,
    /// What bodies have taken of the room of soil (1/32,768 voxel).
    displaced: u64,
    has_body: bool,
    /// The highest layer of soil.
    top_z: i32,
}

fn lowest_soil(voxel: &Voxel) -> Layer {
    if voxel.under > 0 { voxel.under_layer() } else { voxel.top_layer() }
}
