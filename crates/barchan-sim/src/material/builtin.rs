//! The materials that come with Barchan. A uniform table: one row a material, sources in the last column.

use super::compression::Compression;
use super::retention::Retention;
use super::table::{Material, Phase};

/// Rows: name, phase, phi (°), c (kPa), gamma (kN/m³), void ratios dense/natural/loose, repose (°), colour,
/// strength (MPa), erodibility (sand = 1), sinkage n (-), kc (kN/m^(n+1)) and kphi (kN/m^(n+2)), sources.
type Row = (&'static str, Phase, f32, f32, f32, [f32; 3], f32, [u8; 3], f32, f32, [f32; 3], &'static str);

use Phase::{Rock, Soil};

/// Friction and cohesion of sand and loams lie within the ranges of Li and Moshell 1993; repose angles are common
/// handbook values (Al-Hashemi and Al-Amoudi 2018). Void ratios: Lambe and Whitman 1969 for soils, Goodman 1989
/// (from porosity) for rocks; unit weights follow from them and the density of minerals (2,650 kg/m³) with the
/// water a soil usually holds. Erodibility is ordered after Hanson and Simon 2001.
///
/// Pressure-sinkage after Wong 2008: dry sand and sandy loam (15 % water) of the Land Locomotion Laboratory, LETE sand
/// for wet sand, Grenville loam, clayey soil with 38 % water, Harrison's snow, lunar soil. Gravel and scree are derived
/// from moduli of subgrade reaction (Bowles 1996) with n = 1: the softest of dense sand, and the (geometric) middle of
/// medium dense sand. Rock is an elastic half-space under a rigid plate: n = 1 and kc = E / (0.9 (1 - nu²)), with
/// Young's moduli E of 19, 47 and 59 GPa (Goodman 1989) and nu = 0.25.
const ROWS: &[Row] = &[
    (
        "dry_sand",
        Soil,
        33.0,
        0.0,
        15.7,
        [0.45, 0.65, 0.80],
        34.0,
        [217, 188, 138],
        0.0,
        1.0,
        [1.1, 0.99, 1_528.43],
        "LiMoshell1993; LambeWhitman1969; Wong2008; CarselParrish1988",
    ),
    (
        "wet_sand",
        Soil,
        34.0,
        1.2,
        18.6,
        [0.45, 0.62, 0.80],
        40.0,
        [166, 138, 97],
        0.0,
        0.8,
        [0.793, 102.0, 5_301.0],
        "LiMoshell1993; LambeWhitman1969; Richefeu2006; Wong2008",
    ),
    (
        "gravel",
        Soil,
        41.0,
        0.0,
        17.7,
        [0.35, 0.48, 0.60],
        42.0,
        [143, 138, 130],
        0.0,
        0.25,
        [1.0, 0.0, 64_000.0],
        "LambeWhitman1969; AlHashemi2018; Bowles1996",
    ),
    (
        "scree",
        Soil,
        38.0,
        0.0,
        16.2,
        [0.45, 0.60, 0.80],
        37.0,
        [128, 121, 112],
        0.0,
        0.15,
        [1.0, 0.0, 27_700.0],
        "LambeWhitman1969; AlHashemi2018; Bowles1996",
    ),
    (
        "sandy_loam",
        Soil,
        24.0,
        2.5,
        16.2,
        [0.50, 0.65, 0.95],
        36.0,
        [150, 111, 71],
        0.05,
        0.7,
        [0.7, 5.27, 1_515.04],
        "LiMoshell1993; OSullivan1999; Wong2008; CarselParrish1988",
    ),
    (
        "loam",
        Soil,
        22.0,
        6.0,
        16.2,
        [0.50, 0.70, 1.05],
        38.0,
        [112, 79, 50],
        0.08,
        0.5,
        [1.01, 0.06, 5_880.0],
        "LiMoshell1993; Wong2008; CarselParrish1988",
    ),
    (
        "clay",
        Soil,
        18.0,
        15.0,
        17.2,
        [0.50, 0.80, 1.30],
        30.0,
        [151, 92, 62],
        0.15,
        0.15,
        [0.5, 13.19, 692.15],
        "LambeWhitman1969; AlHashemi2018; Wong2008; CarselParrish1988",
    ),
    (
        "snow",
        Soil,
        30.0,
        0.6,
        2.5,
        [0.90, 2.40, 3.60],
        38.0,
        [240, 245, 250],
        0.02,
        2.0,
        [1.6, 4.37, 196.72],
        "Mellor1975; AlHashemi2018; Wong2008",
    ),
    (
        "lunar_regolith",
        Soil,
        40.0,
        0.5,
        15.2,
        [0.67, 0.95, 1.60],
        38.0,
        [120, 118, 115],
        0.0,
        1.0,
        [1.0, 1.4, 820.0],
        "Carrier1991; Wong2008",
    ),
    (
        "sandstone",
        Rock,
        35.0,
        15_000.0,
        22.6,
        [0.18, 0.18, 0.18],
        89.0,
        [196, 145, 95],
        70.0,
        0.004,
        [1.0, 2.2e7, 0.0],
        "Goodman1989",
    ),
    (
        "limestone",
        Rock,
        38.0,
        25_000.0,
        25.5,
        [0.05, 0.05, 0.05],
        89.0,
        [190, 184, 168],
        110.0,
        0.002,
        [1.0, 5.5e7, 0.0],
        "Goodman1989",
    ),
    (
        "granite",
        Rock,
        51.0,
        55_000.0,
        26.3,
        [0.01, 0.01, 0.01],
        89.0,
        [134, 127, 124],
        180.0,
        0.0005,
        [1.0, 7e7, 0.0],
        "Goodman1989",
    ),
];

pub(super) fn materials() -> Vec<Material> {
    ROWS.iter().map(material).collect()
}

fn material(row: &Row) -> Material {
    let &(
        name,
        phase,
        phi_deg,
        c_kpa,
        gamma_kn_m3,
        [dense, natural, loose],
        repose_deg,
        color,
        hardness_mpa,
        erodibility,
        [sinkage_exponent, sinkage_kc_kn, sinkage_kphi_kn],
        source,
    ) = row;
    Material {
        name: name.to_owned(),
        phase,
        friction_angle: phi_deg.to_radians(),
        cohesion_pa: c_kpa * 1e3,
        unit_weight_n_m3: gamma_kn_m3 * 1e3,
        void_ratio_dense: dense,
        void_ratio_natural: natural,
        void_ratio_loose: loose,
        repose_angle: repose_deg.to_radians(),
        color,
        hardness_mpa,
        erodibility,
        sinkage_exponent,
        sinkage_kc: sinkage_kc_kn * 1e3,
        sinkage_kphi: sinkage_kphi_kn * 1e3,
        retention: retention(name),
        measured_compression: compression(name),
        shear_displacement_m: shear_displacement_m(name),
        concentration_factor: concentration_factor(name),
        strength_rows: Vec::new(),
        crumbles_to: crumbles_to(name),
        grain_density_kg_m3: grain_density_kg_m3(name),
        source: source.to_owned(),
    }
}

/// How soils hold water, by texture (CarselParrish1988: residual and saturated water content, alpha in 1/cm, n). Stones have no
/// fine pores; what wet sand holds is in its cohesion already; snow and lunar soil are not known.
fn retention(soil: &str) -> Option<Retention> {
    let (residual, saturated, alpha_per_cm, n) = match soil {
        "dry_sand" => (0.045, 0.43, 0.145, 2.68),
        "sandy_loam" => (0.065, 0.41, 0.075, 1.89),
        "loam" => (0.078, 0.43, 0.036, 1.56),
        "clay" => (0.068, 0.38, 0.008, 1.09),
        _ => return None,
    };
    Some(Retention { alpha_per_m: 100.0 * alpha_per_cm, n, residual_saturation: residual / saturated })
}

/// How soils give way under pressure: sandy loam with 10 % of water (OSullivan1999). For the others it follows from their loosest
/// and densest states.
fn compression(soil: &str) -> Option<Compression> {
    (soil == "sandy_loam").then_some(Compression { volume_at_1_kpa: 2.422, lambda: 0.123, kappa: 0.0087 })
}

/// Janosi's K (Wong2008, chapter 2): 6 mm in firm clay, 10 mm in compact sand, 25 mm in loose sand and fields, 40 mm in fresh snow; of
/// lunar soil 17.8 mm. Coarse soils count as compact, rock as firm.
fn shear_displacement_m(material: &str) -> f32 {
    match material {
        "wet_sand" | "gravel" | "scree" => 0.010,
        "dry_sand" | "sandy_loam" | "loam" => 0.025,
        "snow" => 0.040,
        "lunar_regolith" => 0.017_8,
        _ => 0.006,
    }
}

/// How stress spreads below a load (Sohne1953): 4 in dry and firm soil, 5 in soil as moist as it usually is, 6 in soft soil; clay as
/// nearly elastic as rock (Frohlich1934).
fn concentration_factor(material: &str) -> f32 {
    match material {
        "sandy_loam" | "loam" => 5.0,
        "snow" => 6.0,
        "dry_sand" | "wet_sand" | "gravel" | "scree" | "lunar_regolith" => 4.0,
        _ => 3.0,
    }
}

/// What a rock breaks to: sandstone to the sand that it was made of, the others to angular stones.
fn crumbles_to(rock: &str) -> Option<String> {
    let soil = match rock {
        "sandstone" => "dry_sand",
        "limestone" | "granite" => "scree",
        _ => return None,
    };
    Some(soil.to_owned())
}

/// Density of the grains or minerals (kg/m³): quartz and feldspar unless said otherwise (LambeWhitman1969), calcite and clay
/// minerals (LambeWhitman1969), ice, and lunar soil (Carrier1991).
fn grain_density_kg_m3(material: &str) -> f32 {
    match material {
        "snow" => 917.0,
        "clay" | "limestone" => 2_710.0,
        "lunar_regolith" => 3_100.0,
        _ => 2_650.0,
    }
}
