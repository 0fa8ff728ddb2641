//! How often a client may speak.

use std::time::Instant;

/// A bucket that messages are taken out of and that fills by itself.
#[derive(Clone, Debug)]
pub struct Bucket {
    per_s: f64,
    most: f64,
    left: f64,
    filled: Instant,
}

impl Bucket {
    /// A full bucket of `most`, filling by `per_s` (1/s).
    pub fn new(per_s: f64, most: f64, now: Instant) -> Self {
        Self { per_s, most, left: most, filled: now }
    }

    /// Takes one out; false when there is none.
    pub fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.left = (self.left + passed * self.per_s).min(self.most);
        self.filled = now;
        let any = self.left >= 1.0;
        self.left -= if any { 1.0 } else { 0.0 };
        any
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn fills_at_its_rate_and_no_further_than_full() {
        let start = Instant::now();
        let mut bucket = Bucket::new(10.0, 3.0, start);
        let took = |bucket: &mut Bucket, after_s: f64| bucket.take(start + Duration::from_secs_f64(after_s));
        assert_eq!([0.0; 4].map(|at| took(&mut bucket, at)), [true, true, true, false]);
        assert_eq!([0.11, 0.12].map(|at| took(&mut bucket, at)), [true, false]);
        assert_eq!([9.0; 4].map(|at| took(&mut bucket, at)), [true, true, true, false]);
    }
}
