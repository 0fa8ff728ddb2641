//! How strong the skeleton of a soil is by how dense it lies.

use serde::{Deserialize, Serialize};

use super::table::{Material, Phase};

/// Most rows of a table.
pub const MOST_ROWS: usize = 64;

/// Steepest friction that denser packing gives where nothing was measured (-): tan 60°. Of dense lunar soil 54° to 58° were
/// measured (Carrier1991), of other soils less.
const MOST_TAN_PHI: f32 = 1.732;

/// Most cohesion that denser packing gives where nothing was measured (Pa): beyond it, it is rock (Bowles1996).
const MOST_COHESION_PA: f32 = 1e6;

/// Void ratios that differ by less are the same (-): a voxel stores them in steps of 1/16,384.
const SAME: f32 = 4e-5;

/// Strength at one void ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DensityRow {
    /// Void ratio (-).
    pub void_ratio: f32,
    /// Angle of internal friction (rad).
    pub friction_angle: f32,
    /// Cohesion of its structure (Pa).
    pub cohesion_pa: f32,
}

impl Material {
    /// Friction and cohesion of the dry soil at this void ratio, before anything moved it.
    ///
    /// From its table, linear between rows and even beyond them. Without a table they are derived from the natural state: e tan phi
    /// is constant and cohesion goes with the preconsolidation. Soil without cohesion is given by the slope on which it rests once
    /// it was moved; it keeps that friction where it is looser.
    pub fn strength_at(&self, void_ratio: f32) -> DensityRow {
        if !self.strength_rows.is_empty() {
            return self.between_rows(void_ratio);
        }
        let void_ratio = void_ratio.max(self.void_ratio_dense).min(self.void_ratio_loose);
        let (natural, natural_tan) = (self.void_ratio_natural, libm::tanf(self.friction_angle));
        let keeps_friction = self.cohesion_pa == 0.0 && void_ratio > natural;
        if self.phase == Phase::Rock || (void_ratio - natural).abs() < SAME {
            let Self { friction_angle, cohesion_pa, .. } = *self;
            return DensityRow { void_ratio, friction_angle, cohesion_pa };
        }
        let tan_phi = if keeps_friction {
            natural_tan
        } else {
            (natural_tan * natural / void_ratio.max(1e-3)).min(MOST_TAN_PHI.max(natural_tan))
        };
        let cohesion_pa = (self.cohesion_pa * self.borne_over_natural(void_ratio))
            .min(MOST_COHESION_PA.max(self.cohesion_pa));
        DensityRow { void_ratio, friction_angle: libm::atanf(tan_phi), cohesion_pa }
    }

    fn between_rows(&self, void_ratio: f32) -> DensityRow {
        let rows = &self.strength_rows;
        let above = rows.partition_point(|row| row.void_ratio <= void_ratio);
        let (Some(low), Some(high)) = (above.checked_sub(1).map(|at| rows[at]), rows.get(above)) else {
            let end = if above == 0 { rows[0] } else { rows[rows.len() - 1] };
            return DensityRow { void_ratio, ..end };
        };
        let part = (void_ratio - low.void_ratio) / (high.void_ratio - low.void_ratio);
        let between = |a: f32, b: f32| a + part * (b - a);
        DensityRow {
            void_ratio,
            friction_angle: between(low.friction_angle, high.friction_angle),
            cohesion_pa: between(low.cohesion_pa, high.cohesion_pa),
        }
    }

    /// Takes friction and cohesion of the natural state from the table, where there is one.
    pub(super) fn follow_rows(&mut self) {
        if !self.strength_rows.is_empty() {
            let natural = self.between_rows(self.void_ratio_natural);
            (self.friction_angle, self.cohesion_pa) = (natural.friction_angle, natural.cohesion_pa);
        }
    }

    /// What is wrong with its table of strengths, if anything.
    pub(super) fn rows_problem(&self) -> Option<&'static str> {
        let rows = &self.strength_rows;
        let in_order = rows.windows(2).all(|pair| pair[0].void_ratio < pair[1].void_ratio);
        let in_range = rows.iter().all(|row| {
            (0.0..=4.0).contains(&row.void_ratio)
                && (0.0..=89_f32.to_radians()).contains(&row.friction_angle)
                && (0.0..=1e9).contains(&row.cohesion_pa)
        });
        if rows.len() > MOST_ROWS {
            Some("has more than 64 rows")
        } else if !in_range {
            Some("has numbers out of range: void ratio 0 to 4, friction 0 to 89°, cohesion 0 to 1e9 Pa")
        } else if !in_order {
            Some("is not in the order of its void ratios, the densest first")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Materials;

    fn material(name: &str) -> Material {
        let materials = Materials::builtin();
        materials[materials.find(name).expect("built in")].clone()
    }

    #[test]
    fn derived_strength_follows_the_rule() {
        let loam = material("sandy_loam");
        for e in [0.5, 0.6, 0.65, 0.8, 0.95] {
            let row = loam.strength_at(e);
            assert!((row.friction_angle.tan() * e - 24_f32.to_radians().tan() * 0.65).abs() < 1e-5, "{e}");
            let preconsolidation = |e: f32| loam.compression().preconsolidation_kpa(e, 1.0);
            let expected = 2_500.0 * preconsolidation(e) / preconsolidation(0.65);
            assert!((row.cohesion_pa / expected - 1.0).abs() < 1e-4, "{e}: {}", row.cohesion_pa);
        }
        // Beyond what there is, the ends count.
        assert_eq!(loam.strength_at(0.1).cohesion_pa, loam.strength_at(0.5).cohesion_pa);
    }

    #[test]
    fn moved_sand_is_never_steeper_than_undisturbed_sand() {
        for (_, soil) in Materials::builtin().iter() {
            let mut last = DensityRow { void_ratio: 0.0, friction_angle: 2.0, cohesion_pa: f32::INFINITY };
            for step in 0..=400 {
                let row = soil.strength_at(step as f32 / 100.0);
                assert!(row.friction_angle <= last.friction_angle + 1e-6, "{} at {step}", soil.name);
                assert!(row.cohesion_pa <= last.cohesion_pa, "{} at {step}", soil.name);
                last = row;
            }
        }
        let sand = material("dry_sand");
        assert_eq!(sand.strength_at(sand.void_ratio_loose).friction_angle, sand.friction_angle);
    }

    #[test]
    fn a_table_is_read_between_its_rows_and_rules_the_natural_state() {
        let row = |void_ratio, friction_deg: f32, cohesion_pa| DensityRow {
            void_ratio,
            friction_angle: friction_deg.to_radians(),
            cohesion_pa,
        };
        let strength_rows = vec![row(0.5, 32.0, 9_000.0), row(0.7, 26.0, 3_000.0), row(0.9, 20.0, 0.0)];
        let soil = Material { strength_rows, ..material("sandy_loam") };
        for (e, deg, cohesion_pa) in
            [(0.4, 32.0, 9_000.0), (0.6, 29.0, 6_000.0), (0.8, 23.0, 1_500.0), (1.0, 20.0, 0.0)]
        {
            let found = soil.strength_at(e);
            assert!((found.friction_angle.to_degrees() - deg).abs() < 1e-3, "{e}");
            assert!((found.cohesion_pa - cohesion_pa).abs() < 1.0, "{e}");
        }
        let materials = Materials::new(vec![soil.clone()]).unwrap();
        let natural = materials.iter().next().unwrap().1;
        assert!((natural.friction_angle.to_degrees() - 27.5).abs() < 1e-3);
        assert!((natural.cohesion_pa - 4_500.0).abs() < 1.0);
        let mut mixed = soil;
        mixed.strength_rows.swap(0, 1);
        assert!(Materials::new(vec![mixed]).unwrap_err().to_string().contains("order"));
    }
}
