//! Distributions of grain sizes, as the few sizes that stand for them.

use serde::{Deserialize, Serialize};

/// Sizes that stand for a distribution: each for as large a share of the grains.
pub const STEPS: usize = 16;

/// How the sizes of grains are spread, by number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sizes {
    /// All alike (m).
    One(f64),
    /// Each size between two as often as any other (m).
    Uniform {
        /// Smallest (m).
        low_m: f64,
        /// Largest (m).
        high_m: f64,
    },
    /// By the bell curve.
    Normal {
        /// Mean (m).
        mean_m: f64,
        /// Standard deviation (m).
        deviation_m: f64,
    },
    /// By a rising table of sizes (m), each with the share of grains that are smaller (0 to 1); straight in between.
    Table(Vec<[f64; 2]>),
}

impl Sizes {
    /// The sizes that stand for it (m): the middles of shares of equal number.
    pub fn steps(&self) -> Vec<f64> {
        let shares = (0..STEPS).map(|k| (k as f64 + 0.5) / STEPS as f64);
        match self {
            Self::One(size) => vec![*size],
            Self::Uniform { low_m, high_m } => shares.map(|share| low_m + (high_m - low_m) * share).collect(),
            Self::Normal { mean_m, deviation_m } => {
                shares.map(|share| mean_m + deviation_m * normal_quantile(share)).collect()
            }
            Self::Table(rows) => shares.map(|share| from_table(rows, share)).collect(),
        }
    }

    /// What is wrong with a table: it must rise from a share of 0 to one of 1.
    pub fn problem(&self) -> Option<&'static str> {
        match self {
            Self::Normal { mean_m, deviation_m } if mean_m - 2.0 * deviation_m <= 0.0 => {
                Some("leaves no room for the smallest grains: two deviations below the mean must be above 0")
            }
            Self::Table(rows) => {
                let ends = rows.first().is_some_and(|row| row[1] == 0.0)
                    && rows.last().is_some_and(|row| row[1] == 1.0);
                let rises = rows.windows(2).all(|pair| pair[0][0] <= pair[1][0] && pair[0][1] < pair[1][1]);
                (!ends || !rises).then_some("must rise, from a share of 0 to a share of 1")
            }
            _ => None,
        }
    }
}

fn from_table(rows: &[[f64; 2]], share: f64) -> f64 {
    let above = rows.partition_point(|row| row[1] < share).clamp(1, rows.len() - 1);
    let ([low, below], [high, beyond]) = (rows[above - 1], rows[above]);
    low + (high - low) * ((share - below) / (beyond - below)).clamp(0.0, 1.0)
}

/// The number that a share of the standard bell curve lies below: halving, its integral by steps of Simpson's rule.
fn normal_quantile(share: f64) -> f64 {
    let below = |z: f64| {
        let steps = 64;
        let h = z / f64::from(steps);
        let bell = |x: f64| libm::exp(-0.5 * x * x);
        let inner: f64 =
            (1..steps).map(|k| bell(h * f64::from(k)) * if k % 2 == 1 { 4.0 } else { 2.0 }).sum();
        0.5 + (bell(0.0) + inner + bell(z)) * h / 3.0 / std::f64::consts::TAU.sqrt()
    };
    let (mut low, mut high) = (-6.0, 6.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if below(middle) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_the_mean_and_spread_of_their_distribution() {
        let rows = [
            (Sizes::Uniform { low_m: 1.0, high_m: 3.0 }, 2.0, 4.0 / 12.0),
            (Sizes::Normal { mean_m: 2.0, deviation_m: 0.2 }, 2.0, 0.04),
            (Sizes::Table(vec![[1.0, 0.0], [2.0, 0.5], [4.0, 1.0]]), 2.25, 0.7708),
        ];
        for (sizes, mean, variance) in rows {
            let steps = sizes.steps();
            let found = steps.iter().sum::<f64>() / steps.len() as f64;
            let spread = steps.iter().map(|x| (x - found).powi(2)).sum::<f64>() / steps.len() as f64;
            assert!((found / mean - 1.0).abs() < 0.01, "{sizes:?}: {found}");
            // Sixteen sizes leave the tails of the bell curve out.
            assert!((spread / variance - 1.0).abs() < 0.1, "{sizes:?}: {spread}");
        }
        assert!((normal_quantile(0.975) - 1.959_964).abs() < 1e-5);
        assert!(Sizes::Table(vec![[1.0, 0.1], [2.0, 1.0]]).problem().is_some());
    }
}
