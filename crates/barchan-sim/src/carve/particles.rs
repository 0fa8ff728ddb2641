//! As what soil comes off: one form of ball for each soil, with contacts soft enough for real time.

use glam::Vec3;

use super::params::CarveParams;
use crate::grains::{FormSpec, Law, Laws, Setup, Sliding, Substance, Template};
use crate::material::{Material, MaterialId, Materials, Phase};

/// Poisson's ratio of soil (-).
const POISSON: f64 = 0.3;

/// Soil hardly bounces (-).
const RESTITUTION: f64 = 0.2;

/// Substeps of a contact: the fewest that keep heaps at rest.
const SUBSTEPS: f64 = 8.0;

/// How many diameters deep the pile is at whose bottom the overlap is as asked.
const PILE: f64 = 10.0;

/// Speed of impact for which the linear spring is worked out (m/s).
const SPEED_M_S: f64 = 1.0;

/// The setup with a form for every soil after those that it has, and which form each soil got.
pub fn with_particles(
    setup: &Setup,
    params: &CarveParams,
    materials: &Materials,
    gravity_m_s2: Vec3,
) -> (Setup, Vec<(MaterialId, u16)>) {
    let mut setup = setup.clone();
    if setup.forms.is_empty() {
        setup.laws = Laws {
            law: Law::Linear,
            sliding: Sliding::Springs,
            restitution_speed_m_s: SPEED_M_S,
            substeps_per_contact: SUBSTEPS,
        };
    }
    let template = setup.templates.len() as u16;
    setup.templates.push(Template::sphere());
    let mut forms = Vec::new();
    for (id, material) in materials.iter().filter(|(_, material)| material.phase == Phase::Soil) {
        forms.push((id, setup.forms.len() as u16));
        let substance = setup.substances.len() as u16;
        setup.forms.push(FormSpec { template, size_m: params.size_m, substance });
        setup.substances.push(substance_of(id, material, params, gravity_m_s2));
    }
    (setup, forms)
}

/// How balls of a soil behave: they heap up at its angle of repose.
fn substance_of(id: MaterialId, material: &Material, params: &CarveParams, gravity: Vec3) -> Substance {
    let density_kg_m3 = f64::from(material.solid_density_kg_m3());
    let repose = f64::from(libm::tanf(material.repose_angle));
    Substance {
        name: format!("particles of {}", material.name),
        soil: id,
        density_kg_m3,
        young_pa: young_pa(params, density_kg_m3, f64::from(gravity.length())),
        poisson: POISSON,
        restitution: RESTITUTION,
        friction: repose.min(1.0),
        rolling_friction: (0.4 * repose).min(0.6),
        adhesion_pa: 0.0,
    }
}

/// Young's modulus at which a pile of ten presses its lowest ball in as far as asked (Pa).
fn young_pa(params: &CarveParams, density_kg_m3: f64, gravity: f64) -> f64 {
    let (d, r) = (params.size_m, 0.5 * params.size_m);
    let mass = std::f64::consts::PI / 6.0 * d * d * d * density_kg_m3;
    let wanted = PILE * mass * gravity.max(1e-2) / (params.overlap * d);
    // The linear spring of two such balls is (m v²)^0.2 (K / 1.25)^0.8 for a stiffness K of Hertz: solved for K, then for E.
    let energy = 0.5 * mass * SPEED_M_S * SPEED_M_S;
    let hertz = 1.25 * libm::pow(wanted / libm::pow(energy, 0.2), 1.25);
    let young = hertz * 1.5 * (1.0 - POISSON * POISSON) / (0.5 * r).sqrt();
    young.clamp(1e3, 1e12)
}
