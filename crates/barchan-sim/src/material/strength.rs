//! How strong soil is: the one law that everything asks.
//!
//! Strength is that of Mohr and Coulomb, more where soil lies denser ([`Material::strength_at`]). Cohesion that a soil has by its structure is lost when it is moved; what water adds is
//! not: suction presses the grains together, and friction makes it a cohesion of `Se s tan phi` (Lu2010). Weight is that of the
//! solids, as dense as they lie, and of the water between them.

use super::retention::WATER_KG_M3;
use super::table::{Material, MaterialId, Materials, STANDARD_GRAVITY};
use crate::units::VoidRatio;

/// What resists sliding in a soil.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strength {
    /// Tangent of the angle of internal friction (-).
    pub tan_phi: f32,
    /// Cohesion (Pa).
    pub cohesion_pa: f32,
    /// Unit weight (N/m³).
    pub gamma_n_m3: f32,
}

impl Strength {
    /// The same soil where gravity is `gravity_m_s2` (m/s²) instead of the standard one.
    pub fn in_gravity(self, gravity_m_s2: f32) -> Self {
        Self { gamma_n_m3: self.gamma_n_m3 * gravity_m_s2 / STANDARD_GRAVITY, ..self }
    }

    /// Run of the wedge that a vertical cut of critical height loses, 4c / gamma (m): the length that cohesion brings
    /// into the ground.
    pub fn cohesive_run_m(&self) -> f32 {
        4.0 * self.cohesion_pa / self.gamma_n_m3
    }

    /// Height that a vertical cut keeps (m): (4c / gamma) tan(45° + phi / 2).
    pub fn cut_height_m(&self) -> f32 {
        self.cohesive_run_m() * self.root_kp()
    }

    /// Root of the coefficient of passive earth pressure (Rankine1857), tan(45° + phi / 2), without an angle.
    pub fn root_kp(&self) -> f32 {
        self.tan_phi + (1.0 + self.tan_phi * self.tan_phi).sqrt()
    }
}

/// What the dry grains of a soil do at one void ratio.
pub(super) struct Skeleton<'a> {
    material: &'a Material,
    void_ratio: f32,
    tan_phi: f32,
    cohesion_pa: f32,
}

impl<'a> Skeleton<'a> {
    pub fn of(material: &'a Material, void_ratio: VoidRatio) -> Self {
        let void_ratio = void_ratio.to_f32();
        let row = material.strength_at(void_ratio);
        Self { material, void_ratio, tan_phi: libm::tanf(row.friction_angle), cohesion_pa: row.cohesion_pa }
    }

    /// Its strength with water that fills this share of the pores and presses the grains together with `suction_pa` (Pa).
    pub fn with_water(&self, suction_pa: f32, saturation: f32, is_broken: bool) -> Strength {
        let structure = if is_broken { 0.0 } else { self.cohesion_pa };
        Strength {
            tan_phi: self.tan_phi,
            cohesion_pa: structure + suction_pa * self.tan_phi,
            gamma_n_m3: self.material.density_kg_m3(self.void_ratio, saturation) * STANDARD_GRAVITY,
        }
    }
}

impl Material {
    /// The stress with which water in this share of the pores presses the grains together (Pa).
    pub(super) fn suction_stress_pa(&self, saturation: f32) -> f32 {
        self.retention.map_or(0.0, |retention| retention.suction_stress_pa(saturation))
    }

    /// Bulk density at this void ratio, with water in this share of the pores (kg/m³). What a soil usually holds of water is in
    /// its unit weight already: only more than that makes it heavier.
    pub fn density_kg_m3(&self, void_ratio: f32, saturation: f32) -> f32 {
        let solid = self.solid_density_kg_m3();
        let usual = (solid - self.grain_density_kg_m3).max(0.0);
        let water = (saturation * void_ratio * WATER_KG_M3 - usual).max(0.0);
        (solid + water) / (1.0 + void_ratio)
    }
}

impl Materials {
    /// How strong soil `kind` is at this void ratio, moved since it was placed or not, with water in this share of its pores
    /// (0 to 1); at standard gravity. The law of strength: all that asks for friction or cohesion of soil asks here.
    pub fn strength(
        &self,
        kind: MaterialId,
        void_ratio: VoidRatio,
        moved: bool,
        saturation: f32,
    ) -> Strength {
        let material = &self[kind];
        let is_broken = moved && self.can_break(kind);
        Skeleton::of(material, void_ratio).with_water(
            material.suction_stress_pa(saturation),
            saturation,
            is_broken,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Phase;

    fn kind(name: &str) -> (Materials, MaterialId) {
        let materials = Materials::builtin();
        let kind = materials.find(name).expect("built in");
        (materials, kind)
    }

    #[test]
    fn dry_natural_soil_is_as_its_material_says() {
        let materials = Materials::builtin();
        for (id, material) in materials.iter().filter(|(_, m)| m.phase == Phase::Soil) {
            let natural = VoidRatio::from_f32(material.void_ratio_natural);
            let class = materials.strength_class(id, natural, false, 0);
            for found in [materials.strength(id, natural, false, 0.0), materials.strengths()[class.index()]] {
                assert!((found.tan_phi - material.friction_angle.tan()).abs() < 1e-5, "{}", material.name);
                assert_eq!(found.cohesion_pa, material.cohesion_pa, "{}", material.name);
                let weight = found.gamma_n_m3 / material.unit_weight_n_m3;
                assert!((weight - 1.0).abs() < 1e-4, "{}: {weight}", material.name);
            }
        }
    }

    #[test]
    fn what_was_moved_keeps_only_what_water_gives() {
        let (materials, loam) = kind("loam");
        let loose = materials.loose(loam);
        let [dry, damp] = [0.0, 0.4].map(|saturation| materials.strength(loam, loose, true, saturation));
        let whole = materials.strength(loam, loose, false, 0.4);
        let structure = materials[loam].strength_at(loose.to_f32()).cohesion_pa;
        assert_eq!(dry.cohesion_pa, 0.0);
        assert!(damp.cohesion_pa > 500.0);
        assert!((whole.cohesion_pa - damp.cohesion_pa - structure).abs() < 1.0);
    }

    #[test]
    fn weight_is_that_of_grains_and_water() {
        let (materials, sand) = kind("dry_sand");
        let gamma = |e: f32, saturation: f32| {
            materials.strength(sand, VoidRatio::from_f32(e), false, saturation).gamma_n_m3 / 1e3
        };
        // By hand from 2,650 kg/m³ and water: dry, drowned, loose, loose and drowned (kN/m³).
        let rows = [(0.65, 0.0, 15.7), (0.65, 1.0, 19.56), (0.8, 0.0, 14.4), (0.8, 1.0, 18.75)];
        for (e, saturation, expected) in rows {
            assert!(
                (gamma(e, saturation) - expected).abs() < 0.05,
                "{e}, {saturation}: {}",
                gamma(e, saturation)
            );
        }
        // The water that loam usually holds does not count twice.
        let (materials, loam) = kind("loam");
        let usual = |saturation: f32| materials.strength(loam, VoidRatio::from_f32(0.7), false, saturation);
        assert_eq!(usual(0.0).gamma_n_m3, usual(0.15).gamma_n_m3);
        assert!(usual(1.0).gamma_n_m3 > usual(0.0).gamma_n_m3 + 2_000.0);
    }
}
