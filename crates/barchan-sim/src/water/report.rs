//! What the water did in a step.

use crate::ledger::Transfers;

/// What the water did, over all parts of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaterReport {
    /// Particles at the end.
    pub particles: usize,
    /// Substeps.
    pub substeps: u32,
    /// Iterations of the pressure in all substeps.
    pub iterations: u32,
    /// Largest mean error of density that a substep left (-).
    pub residual: f32,
    /// Mean number of neighbours in the last substep.
    pub neighbours: f32,
    /// Speed of the fastest particle in the last substep (m/s).
    pub fastest_m_s: f32,
    /// Particles that were to come and found no room, or were too many.
    pub refused: u64,
    /// True when all of it slept, at the end.
    pub is_asleep: bool,
    /// Particles inside ground or bodies at the end that found no way out: they stand still until there is one.
    pub buried: usize,
    /// Times that a particle was held to its longest way because the step was too long for its speed.
    pub hurried: u64,
    /// Times that a particle lost a velocity that was no number.
    pub mended: u64,
    /// What came, went and changed its account.
    pub transfers: Transfers,
}

impl WaterReport {
    /// What went wrong and was contained, in words.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.hurried > 0 {
            warnings.push(format!(
                "water was held back {} times: the step is too long for its speed",
                self.hurried
            ));
        }
        if self.refused > 0 {
            warnings.push(format!("{} particles of water found no room and were not made", self.refused));
        }
        if self.mended > 0 {
            warnings.push(format!("{} velocities of water were no numbers and were set to 0", self.mended));
        }
        warnings
    }
}

impl std::ops::AddAssign for WaterReport {
    fn add_assign(&mut self, later: Self) {
        self.particles = later.particles;
        self.substeps += later.substeps;
        self.iterations += later.iterations;
        self.residual = self.residual.max(later.residual);
        self.neighbours = later.neighbours;
        self.fastest_m_s = later.fastest_m_s;
        self.is_asleep = later.is_asleep;
        self.refused += later.refused;
        self.buried = later.buried;
        self.hurried += later.hurried;
        self.mended += later.mended;
        self.transfers.add_all(&later.transfers);
    }
}
