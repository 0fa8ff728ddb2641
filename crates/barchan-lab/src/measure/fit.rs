//! Fits and medians.

/// Offset and slope of the straight line through `points` (x, y) with the least sum of squared distances in y.
/// None unless two points differ in x.
pub fn line_fit(points: &[[f64; 2]]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let mean = |at: usize| points.iter().map(|p| p[at]).sum::<f64>() / count;
    let (x_mean, y_mean) = (mean(0), mean(1));
    let spread: f64 = points.iter().map(|[x, _]| (x - x_mean).powi(2)).sum();
    let common: f64 = points.iter().map(|[x, y]| (x - x_mean) * (y - y_mean)).sum();
    let slope = common / spread;
    slope.is_finite().then_some((y_mean - slope * x_mean, slope))
}

/// The exponent k of y = a x^k that fits `points` best. None unless two points differ in x; all must be positive.
pub fn exponent(points: &[[f64; 2]]) -> Option<f64> {
    let logs: Vec<_> = points.iter().map(|point| point.map(f64::ln)).collect();
    line_fit(&logs).map(|(_, slope)| slope)
}

/// The middle value; the mean of the two middle ones when their number is even. None of none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted.get(sorted.len().saturating_sub(1) / 2)?, sorted.get(sorted.len() / 2)?);
    Some((low + high) / 2.0)
}

/// The value that `share` (0 to 1) of all values do not exceed. None of none.
pub fn percentile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() as f64 * share) as usize;
    sorted.get(at).or(sorted.last()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_powers_are_found() {
        let (offset, slope) = line_fit(&[[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]]).unwrap();
        assert!((offset - 1.0).abs() < 1e-12 && (slope - 2.0).abs() < 1e-12);
        let power = exponent(&[[56.0, 56_f64.powf(2.3)], [100.0, 100_f64.powf(2.3)]]).unwrap();
        assert!((power - 2.3).abs() < 1e-12);
        assert_eq!(line_fit(&[[1.0, 1.0], [1.0, 2.0]]), None);
        assert_eq!(line_fit(&[]), None);
    }

    #[test]
    fn medians_ignore_outliers() {
        assert_eq!(median(&[1.0, 2.0, 1000.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn percentiles_leave_the_largest_away() {
        let values: Vec<f64> = (0..100).rev().map(f64::from).collect();
        assert_eq!(percentile(&values, 0.95), Some(95.0));
        assert_eq!(percentile(&values, 1.0), Some(99.0));
        assert_eq!(percentile(&[], 0.95), None);
    }
}
