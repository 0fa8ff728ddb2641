//! Which columns are let go.

use crate::settings::Settings;
use crate::test_soil::TestSoil;

/// One column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Case {
    pub soil: TestSoil,
    pub voxel_size_m: f64,
    /// Brought to rest by settling instead of stepping.
    pub settle: bool,
}

/// All combinations of what was set. What was not set is swept at every voxel size: friction, then cohesion and weight at
/// the middle angle, the weight at the largest cohesion. All combinations of everything would show no more.
pub(super) fn cases(settings: &Settings) -> Vec<Case> {
    let lists = ["phi_deg", "c_pa", "gamma_n_m3", "voxel_size_m"].map(|key| settings.list(key));
    let [phi, c, gamma, voxel] = lists;
    let middle_phi = phi[phi.len() / 2];
    let (strongest, first_c) = (c[c.len() - 1], c[0]);
    let free = |key: &str, value: f64, base: f64| settings.is_set(key) || value == base;
    let mut cases = Vec::new();
    for &c_pa in c {
        for &gamma_n_m3 in gamma {
            for &phi_deg in phi {
                for &voxel_size_m in voxel {
                    let one_angle = free("phi_deg", phi_deg, middle_phi);
                    let one_weight = free("gamma_n_m3", gamma_n_m3, gamma[0]);
                    let friction = free("c_pa", c_pa, first_c) && one_weight;
                    let cohesion = one_angle && one_weight;
                    let weight = one_angle && free("c_pa", c_pa, strongest);
                    if friction || cohesion || weight {
                        let soil = TestSoil { phi_deg, c_pa, gamma_n_m3 };
                        let modes = settings.list("settle").iter().map(|settle| *settle > 0.0);
                        cases.extend(modes.map(|settle| Case { soil, voxel_size_m, settle }));
                    }
                }
            }
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::super::EXPERIMENT;
    use super::*;

    fn count(sets: &[&str]) -> usize {
        cases(&Settings::new(EXPERIMENT.parameters, sets).unwrap()).len()
    }

    #[test]
    fn what_is_set_is_combined_and_the_rest_is_swept() {
        let one = ["phi_deg=33", "c_pa=0", "gamma_n_m3=19600", "voxel_size_m=0.5"];
        assert_eq!(count(&one), 1);
        assert_eq!(count(&[&one[..], &["settle=0,1"]].concat()), 2);
        assert_eq!(count(&["phi_deg=20,30", "c_pa=0,100", "gamma_n_m3=1e4,2e4", "voxel_size_m=0.4,0.2"]), 16);
        assert_eq!(count(&["c_pa=0", "gamma_n_m3=19600"]), 15);
        // Five angles, three more cohesions, two more weights, at three sizes.
        assert_eq!(count(&[]), 3 * (5 + 3 + 2));
    }
}
