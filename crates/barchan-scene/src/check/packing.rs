//! `void_ratio`: how dense soil is placed, a number or a profile over depth.

use barchan_sim::units::VoidRatio;
use barchan_sim::{MaterialId, Packing};
use toml::de::DeValue;

use super::materials::Palette;
use super::ranges::LENGTH_OR_ZERO;
use crate::reader::{List, Number, Rule, TableReader};

/// Most points of a profile.
const MOST_POINTS: usize = 1_000;

/// A void ratio that a voxel can store.
const VOID_RATIO: Number = Number { min: 0.0, max: VoidRatio::MAX as f64 };

/// A void ratio, or a list of depths (m) and the void ratios there.
struct VoidRatios;

impl VoidRatios {
    fn profile() -> List<List<Number>> {
        let any = Number { min: 0.0, max: LENGTH_OR_ZERO.max };
        List { each: List { each: any, min: 2, max: 2 }, min: 1, max: MOST_POINTS }
    }
}

impl Rule for VoidRatios {
    type Value = Packing;

    fn allowed(&self) -> String {
        format!("{} or a list of [depth_m, void_ratio]", VOID_RATIO.allowed())
    }

    fn read(&self, value: &DeValue<'_>) -> Result<Packing, String> {
        if value.as_array().is_none() {
            return VOID_RATIO.read(value).map(Packing::even).map_err(|_| self.refusal());
        }
        let points = Self::profile().read(value).map_err(|_| self.refusal())?;
        let points = points.into_iter().map(|point| [point[0], point[1]]).collect();
        Ok(Packing { points })
    }
}

/// How dense all soils of an entry are placed; none: as they naturally lie. The outer option is none where that is wrong.
pub fn read_packing(
    table: &mut TableReader<'_>,
    soils: &[MaterialId],
    palette: &Palette,
) -> Option<Option<Packing>> {
    let packing = table.optional("void_ratio", &VoidRatios)?;
    let Some(packing) = packing else { return Some(None) };
    match soils.iter().find_map(|soil| palette.packing_problem(&packing, *soil)) {
        Some(problem) => {
            table.wrong("void_ratio", problem);
            None
        }
        None => Some(Some(packing)),
    }
}
