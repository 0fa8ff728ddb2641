//! Sensors: what there is at a point of the ground, and what a box holds.

use barchan_volume::brick::EDGE;
use barchan_volume::{Aabb, VoxelBox};
use glam::{IVec2, IVec3, Vec3};

use crate::compact::Pressed;
use crate::material::{MaterialId, Strength};
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{Layer, Voxel};
use crate::world::World;

/// Farthest toe that is looked for from a crest (voxels).
const FARTHEST_TOE: i32 = 24;

/// Planes on which a wedge may slide that are tried between level ground and the face.
const PLANES: i32 = 32;

/// Vertical stress becomes mean stress by this (-): (1 + 2 K0) / 3 with K0 = 1/2.
const MEAN_OVER_VERTICAL: f32 = 2.0 / 3.0;

/// Layers that are weighed above a point at most.
const HIGHEST: i32 = 4096;

/// What a point of the ground is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoilAt {
    /// Which soil.
    pub kind: MaterialId,
    /// Its void ratio.
    pub void_ratio: f32,
    /// Share of its pores that is full of water (-).
    pub saturation: f32,
    /// How strong it is, in the gravity of the world.
    pub strength: Strength,
    /// Vertical stress by the weight of what lies above it (Pa).
    pub overburden_pa: f32,
    /// Mean normal stress by what pressed on the ground in the last step (Pa).
    pub load_pa: f32,
    /// The greatest mean stress that it has borne (Pa).
    pub preconsolidation_pa: f32,
    /// Share of that which it bears now (-): at 1 and more it gives way.
    pub yielding: f32,
    /// Factor of safety of the slope below its column (-): strength over stress on the plane on which it slides soonest (Holz2009
    /// eq. 4). Infinite on level ground; at 1 and less it fails.
    pub safety: f32,
}

impl SoilAt {
    /// Shear strength (Pa) on a plane that is pressed by `normal_pa` (Pa): c + sigma tan phi.
    pub fn shear_strength_pa(&self, normal_pa: f32) -> f32 {
        self.strength.cohesion_pa + normal_pa * self.strength.tan_phi
    }
}

/// Soil or rock of one kind in a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldIn {
    /// Which.
    pub kind: MaterialId,
    /// As it lies, pores included (m³).
    pub m3: f64,
    /// Dry (kg).
    pub kg: f64,
}

impl World {
    /// What the soil at a point (m) is like; none where there is no soil.
    pub fn soil_at(&self, point_m: Vec3) -> Option<SoilAt> {
        let soil = self.soil_under(point_m, &self.pressed())?;
        Some(SoilAt { safety: self.safety_at(point_m).unwrap_or(f32::INFINITY), ..soil })
    }

    /// Factor of safety of the slope below the column of a point (m); none where there is no soil at the point.
    pub fn safety_at(&self, point_m: Vec3) -> Option<f32> {
        let p = (point_m / self.ground().voxel_size_m()).floor().as_ivec3();
        let voxel = self.ground().get(p);
        let strength = self.materials().strengths()[voxel.strength_class(self.materials()).index()];
        let is_soil = point_m.is_finite() && voxel.has_soil();
        is_soil.then(|| self.safety(p, &strength.in_gravity(self.gravity_m_s2().length())))
    }

    /// What bodies pressed on the ground with in the last step.
    pub fn pressed(&self) -> Pressed {
        Pressed::of(self.contacts(), self.ground().voxel_size_m())
    }

    /// As [`World::soil_at`], for many points under the same loads, but for the factor of safety, which takes longest: it is said
    /// to be infinite.
    pub fn soil_under(&self, point_m: Vec3, pressed: &Pressed) -> Option<SoilAt> {
        let size = self.ground().voxel_size_m();
        let p = (point_m / size).floor().as_ivec3();
        let voxel = self.ground().get(p);
        if !point_m.is_finite() || !voxel.has_soil() {
            return None;
        }
        let Layer { kind, void_ratio, .. } = voxel.surface();
        let class = voxel.strength_class(self.materials());
        let gravity = self.gravity_m_s2().length();
        let strength = self.materials().strengths()[class.index()].in_gravity(gravity);
        let overburden_pa = self.weight_above_pa(p);
        let (material, e) = (&self.materials()[kind], void_ratio.to_f32());
        let mean_pa = MEAN_OVER_VERTICAL * overburden_pa;
        let load_pa = pressed.mean_stress_pa(point_m, material.concentration_factor);
        let preconsolidation_pa = 1e3 * material.compression().preconsolidation_kpa(e, mean_pa / 1e3);
        Some(SoilAt {
            kind,
            void_ratio: e,
            saturation: voxel.saturation(),
            strength,
            overburden_pa,
            load_pa,
            preconsolidation_pa,
            yielding: (mean_pa + load_pa) / preconsolidation_pa.max(1.0),
            safety: f32::INFINITY,
        })
    }

    /// What a box (m) holds, kind by kind: voxels count whose middle lies in it.
    pub fn held_in(&self, bounds: &Aabb) -> Vec<HeldIn> {
        let size = self.ground().voxel_size_m();
        let far = Vec3::splat(1e8);
        let [low, high] =
            [bounds.min, bounds.max].map(|corner| (corner.clamp(-far, far) / size - 0.5).ceil().as_ivec3());
        let bricks = self.ground().voxels().brick_bounds();
        let stored = VoxelBox::new(bricks.min * EDGE, bricks.max * EDGE);
        let inside = VoxelBox::new(low, high).intersect(&stored);
        let mut rooms = vec![[0.0_f64; 2]; 256];
        for p in inside.cells() {
            let voxel = self.ground().get(p);
            for layer in [voxel.under_layer(), voxel.top_layer()] {
                add(&mut rooms[usize::from(layer.kind.0)], layer.void_ratio, layer.units);
            }
            if voxel.rock > 0 {
                let e = self.materials().rock_void_ratio(voxel.rock_kind);
                add(&mut rooms[usize::from(voxel.rock_kind.0)], e, voxel.rock);
            }
        }
        let voxel_m3 = f64::from(size).powi(3);
        let of_kind = |(kind, material): (MaterialId, &crate::material::Material)| {
            let [bulk, solid] = rooms[usize::from(kind.0)].map(|shares| shares * voxel_m3);
            HeldIn { kind, m3: bulk, kg: solid * f64::from(material.grain_density_kg_m3) }
        };
        self.materials().iter().map(of_kind).filter(|held| held.m3 > 0.0).collect()
    }

    /// The weight of all that stands on the middle of a voxel (Pa), up to the next air.
    fn weight_above_pa(&self, p: IVec3) -> f32 {
        let (mut kg_m3, mut z) = (0.5 * self.density_kg_m3(&self.ground().get(p)), p.z + 1);
        while z < p.z + HIGHEST {
            let voxel = self.ground().get(p.with_z(z));
            if voxel.is_air() {
                break;
            }
            kg_m3 += self.density_kg_m3(&voxel);
            z += 1;
        }
        kg_m3 * self.ground().voxel_size_m() * self.gravity_m_s2().length()
    }

    /// Mass of soil and rock in a voxel over its volume (kg/m³).
    fn density_kg_m3(&self, voxel: &Voxel) -> f32 {
        let saturation = voxel.saturation();
        let of = |kind: MaterialId, e: VoidRatio, units: u16, saturation: f32| {
            if units == 0 {
                return 0.0;
            }
            let share = e.share_of(units.into()) as f32 / LOOSE_FULL as f32;
            share * self.materials()[kind].density_kg_m3(e.to_f32(), saturation)
        };
        let (under, top) = (voxel.under_layer(), voxel.top_layer());
        let rock =
            if voxel.rock > 0 { self.materials().rock_void_ratio(voxel.rock_kind) } else { VoidRatio(0) };
        of(under.kind, under.void_ratio, under.units, saturation)
            + of(top.kind, top.void_ratio, top.units, saturation)
            + of(voxel.rock_kind, rock, voxel.rock, 0.0)
    }

    /// Factor of safety of the steepest way down from the top of the column of `p`.
    fn safety(&self, p: IVec3, strength: &Strength) -> f32 {
        let size = self.ground().voxel_size_m();
        let Some(crest_m) = self.top_m(p.truncate(), p.z) else { return f32::INFINITY };
        let mut least = f32::INFINITY;
        for way in 0..8 {
            let step = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)][way];
            let step = IVec2::new(step.0, step.1);
            for distance in 1..=FARTHEST_TOE {
                let column = p.truncate() + step * distance;
                if self.ground().is_wall(column.extend(p.z)) {
                    break;
                }
                let toe_m = self.top_m(column, p.z).unwrap_or(crest_m);
                let run_m = step.as_vec2().length() * distance as f32 * size;
                least = least.min(culmann_safety(strength, crest_m - toe_m, run_m));
            }
        }
        least
    }

    /// The height of the ground in a column, going up or down from layer `from` (m); none where there is nothing near.
    fn top_m(&self, column: IVec2, from: i32) -> Option<f32> {
        let fill = |z: i32| self.ground().get(column.extend(z)).fill(self.materials());
        let mut z = from;
        while fill(z) >= 0.5 && fill(z + 1) > 0.0 && z < from + HIGHEST {
            z += 1;
        }
        while fill(z) == 0.0 && z > from - FARTHEST_TOE * 8 {
            z -= 1;
        }
        let fill = fill(z);
        (fill > 0.0).then(|| (z as f32 + fill) * self.ground().voxel_size_m())
    }
}

/// Least factor of safety of a face of this height over this run (m), over all planes through its toe: (c L + W cos a tan phi) /
/// (W sin a).
fn culmann_safety(strength: &Strength, height_m: f32, run_m: f32) -> f32 {
    let slope = height_m / run_m;
    if slope <= 0.0 {
        return f32::INFINITY;
    }
    let mut least = f32::INFINITY;
    for plane in 1..PLANES {
        let tan = libm::tanf(libm::atanf(slope) * plane as f32 / PLANES as f32);
        // Weight of the wedge and length of its plane, per metre.
        let weight = 0.5 * strength.gamma_n_m3 * height_m * (height_m / tan - run_m);
        let length = height_m * (1.0 + 1.0 / (tan * tan)).sqrt();
        let cos = 1.0 / (1.0 + tan * tan).sqrt();
        let sin = tan * cos;
        least = least.min((strength.cohesion_pa * length + weight * cos * strength.tan_phi) / (weight * sin));
    }
    least
}

/// Adds the share of a voxel that so many units take, with pores and without.
fn add(shares: &mut [f64; 2], void_ratio: VoidRatio, units: u16) {
    let full = f64::from(LOOSE_FULL) * VoidRatio::REFERENCE.room_of(1) as f64;
    shares[0] += void_ratio.room_of(units.into()) as f64 / full;
    shares[1] += VoidRatio(0).room_of(units.into()) as f64 / full;
}

#[cfg(test)]
mod tests {
    use barchan_volume::Region;

    use super::*;
    use crate::ground::{Edit, Packing};
    use crate::world::WorldConfig;

    #[test]
    fn a_bed_is_as_it_was_laid() {
        let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(16)));
        let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
        let material = world.materials().find("sandy_loam").unwrap();
        let region = Region::Slab { z_min_m: 0.0, z_max_m: 1.0 };
        let packing = Packing::even(0.8);
        world.edit(&Edit::Pack { region, material, moisture: 0.0, packing }).unwrap();
        let soil = world.soil_at(Vec3::new(0.55, 0.55, 0.45)).unwrap();
        assert_eq!(soil.kind, material);
        assert!((soil.void_ratio - 0.8).abs() < 1e-4);
        // 0.55 m of 2,726 kg/m³ / 1.8 stands on it.
        let expected = 0.55 * world.materials()[material].density_kg_m3(0.8, 0.0) * 9.81;
        assert!((soil.overburden_pa / expected - 1.0).abs() < 0.01, "{}", soil.overburden_pa);
        assert_eq!(soil.safety, f32::INFINITY);
        assert_eq!(world.soil_at(Vec3::new(0.55, 0.55, 1.45)), None);
        let held = world.held_in(&Aabb::new(Vec3::ZERO, Vec3::splat(0.5)));
        assert_eq!(held.len(), 1);
        assert!((held[0].m3 - 0.125).abs() < 1e-4, "{held:?}");
        let kg = 0.125 * 2_650.0 / 1.8;
        assert!((held[0].kg / kg - 1.0).abs() < 1e-3, "{held:?}");
    }

    #[test]
    fn an_upright_cut_of_critical_height_has_a_safety_of_one() {
        let strength = Strength { tan_phi: 0.5, cohesion_pa: 2_500.0, gamma_n_m3: 16_000.0 };
        let height = strength.cut_height_m();
        let found = culmann_safety(&strength, height, 1e-4 * height);
        assert!((1.0 - found).abs() < 0.02, "{found}");
    }
}
