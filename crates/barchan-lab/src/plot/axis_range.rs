//! The stretch of values that an axis shows, and where its ticks are.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use super::Scale;

/// From the smallest to the largest value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AxisRange {
    scale: Scale,
    min: f64,
    max: f64,
}

impl AxisRange {
    /// A stretch that shows all of `values` with a little room around them.
    pub(super) fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            return Self { scale, min: 0.1, max: 1.0 };
        }
        match scale {
            Scale::Log => Self { scale, min: low / 1.3, max: high * 1.3 },
            Scale::Linear => {
                let room = 0.07 * if high > low { high - low } else { high.abs().max(1.0) };
                // An axis that would begin near zero begins at zero.
                let from_zero = low >= 0.0 && low < 0.4 * high;
                Self { scale, min: if from_zero { 0.0 } else { low - room }, max: high + room }
            }
        }
    }

    /// Round values to write at an axis, at most about `count`.
    fn ticks(&self, count: usize) -> Vec<f64> {
        match self.scale {
            Scale::Linear => linear_ticks(self.min, self.max, count),
            Scale::Log => log_ticks(self.min, self.max, count),
        }
    }
}

impl Ranged for AxisRange {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let place = |value: f64| if self.scale == Scale::Log { value.ln() } else { value };
        let (min, max) = (place(self.min), place(self.max));
        let share = (place(*value) - min) / (max - min);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.ticks(hint.max_num_points().min(10))
    }

    fn range(&self) -> Range<f64> {
        self.min..self.max
    }
}

fn linear_ticks(min: f64, max: f64, count: usize) -> Vec<f64> {
    let least = (max - min) / count.max(2) as f64;
    let decade = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * decade).into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * decade);
    let (first, last) = ((min / step).ceil() as i64, (max / step).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

/// 1, 2 and 5 of every decade as far as they fit, else powers of ten.
fn log_ticks(min: f64, max: f64, count: usize) -> Vec<f64> {
    let decades = (min.log10().floor() as i32..=max.log10().ceil() as i32).collect::<Vec<_>>();
    let of = |digits: &[f64]| -> Vec<f64> {
        let all = decades.iter().flat_map(|d| digits.iter().map(|m| m * 10_f64.powi(*d)));
        all.filter(|tick| (min..=max).contains(tick)).collect()
    };
    let fine = of(&[1.0, 2.0, 5.0]);
    if fine.len() <= count { fine } else { of(&[1.0]) }
}

/// A tick's value in as few characters as tell it.
pub(super) fn tick_label(value: &f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{value:.0e}");
    }
    // Sums of steps carry rounding; no tick needs more than six digits.
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(linear_ticks(0.0, 43.0, 10), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0]);
        assert_eq!(linear_ticks(18.5, 41.5, 5), [20.0, 25.0, 30.0, 35.0, 40.0]);
        assert_eq!(log_ticks(0.8, 60.0, 10), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(log_ticks(1e5, 2e7, 3), [1e5, 1e6, 1e7]);
    }

    #[test]
    fn ranges_hold_their_values_and_begin_at_zero_where_it_is_near() {
        let range = AxisRange::around(Scale::Linear, [2.0, 10.0].into_iter());
        assert_eq!(range.min, 0.0);
        assert!(range.max > 10.0);
        let far = AxisRange::around(Scale::Linear, [20.0, 40.0].into_iter());
        assert!(far.min > 15.0 && far.min < 20.0);
        let one = AxisRange::around(Scale::Linear, [3.0].into_iter());
        assert!(one.min < 3.0 && one.max > 3.0);
        let log = AxisRange::around(Scale::Log, [1.0, 100.0].into_iter());
        assert_eq!(log.map(&10.0, (0, 1000)), 500);
    }

    #[test]
    fn labels_are_short() {
        let cases = [(0.0, "0"), (0.1 + 0.2, "0.3"), (20.0, "20"), (2e7, "2e7"), (1e-4, "1e-4")];
        for (value, label) in cases {
            assert_eq!(tick_label(&value), label);
        }
    }
}
