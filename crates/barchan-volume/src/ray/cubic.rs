//! The field along a ray within a cell.

/// `c[0] + c[1] s + c[2] s² + c[3] s³`: what a trilinear field is along a line.
pub struct Cubic([f64; 4]);

impl Cubic {
    /// The cubic with these values at 0, 1/3, 2/3 and 1.
    pub fn through([a, b, c, d]: [f64; 4]) -> Self {
        let linear = -5.5 * a + 9.0 * b - 4.5 * c + d;
        let square = 9.0 * a - 22.5 * b + 18.0 * c - 4.5 * d;
        let cube = -4.5 * a + 13.5 * b - 13.5 * c + 4.5 * d;
        Self([a, linear, square, cube])
    }

    fn value(&self, s: f64) -> f64 {
        let [a, b, c, d] = self.0;
        a + s * (b + s * (c + s * d))
    }

    /// The first place in 0..=1 where the cubic is not negative.
    pub fn first_not_negative(&self) -> Option<f64> {
        let mut low = 0.0;
        if self.value(low) >= 0.0 {
            return Some(low);
        }
        // Between its turning points a cubic is monotone: a change of sign there is the only one.
        for high in self.turning_points().into_iter().chain([1.0]).filter(|s| (0.0..=1.0).contains(s)) {
            if self.value(high) >= 0.0 {
                return Some(self.bisect(low, high));
            }
            low = high;
        }
        None
    }

    /// Where the slope is zero, ascending; not a number where it is not.
    fn turning_points(&self) -> [f64; 2] {
        let [_, b, c, d] = self.0;
        let root = (c * c - 3.0 * b * d).sqrt();
        // The form without cancellation: it also holds when the cube vanishes.
        let q = -(c + root.copysign(c));
        let (r, s) = (q / (3.0 * d), b / q);
        if r < s { [r, s] } else { [s, r] }
    }

    fn bisect(&self, mut low: f64, mut high: f64) -> f64 {
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.value(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}
