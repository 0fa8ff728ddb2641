//! Granular layers on stacks of real heights, swept until none gives more than a threshold: the plain method that debris is
//! compared with (Kuijpers2023, ch. 5.2.2, after Peytavie2009).
//!
//! Stacks are one wide and give to their four neighbours, in proportion to how far those lie below the slope of repose. The
//! same heights are read and written. The print has the sign of the difference of heights the wrong way round, and says of the
//! constant that keeps it from ringing only that it is small: here a stack gives half of the largest excess.

/// A field of stacks.
pub struct Sweep {
    side: usize,
    /// Height of what is solid, and of soil on top of it.
    solid: Vec<f64>,
    /// How much soil lies there.
    soil: Vec<f64>,
    tan: f64,
}

impl Sweep {
    /// Stacks on a square of `side`, with the solid ground `height(x, y)` below.
    pub fn new(side: usize, angle_deg: f64, height: impl Fn(f64, f64) -> f64) -> Self {
        let middle = |at: usize| at as f64 + 0.5 - side as f64 / 2.0;
        let solid = (0..side * side).map(|at| height(middle(at % side), middle(at / side))).collect();
        Self { side, solid, soil: vec![0.0; side * side], tan: angle_deg.to_radians().tan() }
    }

    /// Puts a cube of `edge` soil in the middle.
    pub fn add_cube(&mut self, edge: usize) {
        let start = (self.side - edge) / 2;
        for y in start..start + edge {
            for x in start..start + edge {
                self.soil[y * self.side + x] += edge as f64;
            }
        }
    }

    /// How much soil lies at a point from the middle, as a surface through the middles of stacks.
    pub fn depth(&self, x: f64, y: f64) -> f64 {
        let half = self.side as f64 / 2.0;
        let (x, y) = (x + half - 0.5, y + half - 0.5);
        let of = |x: f64, y: f64| {
            let inside = x >= 0.0 && y >= 0.0 && x < self.side as f64 && y < self.side as f64;
            if inside { self.soil[y as usize * self.side + x as usize] } else { 0.0 }
        };
        let (left, low) = (x.floor(), y.floor());
        let along_x = |y: f64| of(left, y) + (x - left) * (of(left + 1.0, y) - of(left, y));
        along_x(low) + (y - low) * (along_x(low + 1.0) - along_x(low))
    }

    /// Sweeps until no stack gives `threshold` or more. Returns the number of sweeps.
    pub fn run(&mut self, threshold: f64, most: usize) -> usize {
        let mut active: Vec<usize> = (0..self.soil.len()).filter(|&at| self.soil[at] > 0.0).collect();
        let mut last_active = vec![0; self.soil.len()];
        for sweep in 1..=most {
            let mut next = Vec::new();
            for &at in &active {
                let (near, count) = self.neighbours(at);
                if !self.give(at, &near[..count], threshold) {
                    continue;
                }
                for &stack in near[..count].iter().chain(&[at]) {
                    if last_active[stack] < sweep {
                        last_active[stack] = sweep;
                        next.push(stack);
                    }
                }
            }
            if next.is_empty() {
                return sweep;
            }
            active = next;
        }
        most
    }

    fn neighbours(&self, at: usize) -> ([usize; 4], usize) {
        let (x, y, side) = (at % self.side, at / self.side, self.side);
        let (mut near, mut count) = ([0; 4], 0);
        for (is_there, stack) in [
            (x > 0, at.wrapping_sub(1)),
            (x + 1 < side, at + 1),
            (y > 0, at.wrapping_sub(side)),
            (y + 1 < side, at + side),
        ] {
            if is_there {
                near[count] = stack;
                count += 1;
            }
        }
        (near, count)
    }

    /// Lets a stack give to those around it; false where it is stable.
    fn give(&mut self, at: usize, near: &[usize], threshold: f64) -> bool {
        let height = |stack: usize| self.solid[stack] + self.soil[stack];
        let mut excess = [0.0; 4];
        for (excess, stack) in excess.iter_mut().zip(near) {
            *excess = (height(at) - height(*stack) - self.tan).max(0.0);
        }
        let (sum, largest) = (excess.iter().sum::<f64>(), excess.iter().fold(0.0, |a: f64, b| a.max(*b)));
        let amount = (largest / 2.0).min(self.soil[at]);
        if amount < threshold || sum <= 0.0 {
            return false;
        }
        self.soil[at] -= amount;
        for (excess, stack) in excess.iter().zip(near) {
            self.soil[*stack] += amount * excess / sum;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_becomes_a_pile_at_its_angle_and_loses_nothing() {
        let mut sweep = Sweep::new(61, 30.0, |_, _| 0.0);
        sweep.add_cube(15);
        assert!(sweep.run(0.001, 100_000) < 100_000);
        assert!((sweep.soil.iter().sum::<f64>() - 3_375.0).abs() < 1e-6);
        let steepest = (0..60).map(|x| sweep.soil[30 * 61 + x + 1] - sweep.soil[30 * 61 + x]);
        let steepest = steepest.fold(0.0, f64::max);
        assert!((steepest - 30_f64.to_radians().tan()).abs() < 0.01, "{steepest}");
    }

    #[test]
    fn what_is_below_the_threshold_stays() {
        let mut sweep = Sweep::new(9, 45.0, |_, _| 0.0);
        sweep.add_cube(3);
        assert_eq!(sweep.run(2.0, 10), 1);
        assert_eq!(sweep.soil[4 * 9 + 4], 3.0);
    }
}
