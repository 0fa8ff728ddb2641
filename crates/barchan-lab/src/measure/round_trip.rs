//! How long two cores take to hand something to each other and back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Round trips in one measurement, and about how long it takes at most: threads that share a core are slow.
const TRIPS: u64 = 50_000;
const LONGEST: Duration = Duration::from_millis(100);

/// Round trips between two looks at the clock, which take time, too.
const TRIPS_PER_LOOK: u64 = 64;

/// Looks for an answer before a thread gives up: some seconds.
const MOST_LOOKS: u64 = 1 << 32;

/// Time in which a number goes from one thread to another and back (ns); none where there is but one core.
///
/// Cores that share a cache take about a tenth of a microsecond, others several times as long. A shared machine may put its two
/// cores next to each other in one minute and far apart in the next: then threads that work on the same ground gain less.
pub fn core_round_trip_ns() -> Option<f64> {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return None;
    }
    let (ball, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut last = 0;
            while !is_over.load(Ordering::Relaxed) {
                let now = ball.load(Ordering::Acquire);
                if now != last {
                    ball.store(now + 1, Ordering::Release);
                    last = now + 1;
                }
            }
        });
        // The other thread is there once it has answered.
        let mut is_there = trip(&ball, 0);
        let start = Instant::now();
        let mut trips = 0;
        while is_there && trips < TRIPS && (trips % TRIPS_PER_LOOK > 0 || start.elapsed() < LONGEST) {
            trips += 1;
            is_there = trip(&ball, 2 * trips);
        }
        let seconds = start.elapsed().as_secs_f64();
        is_over.store(true, Ordering::Relaxed);
        (is_there && trips > 0).then(|| 1e9 * seconds / trips as f64)
    })
}

/// Sends `number` + 1 and waits for the next; false when none comes.
fn trip(ball: &AtomicU64, number: u64) -> bool {
    ball.store(number + 1, Ordering::Release);
    (0..MOST_LOOKS).any(|_| ball.load(Ordering::Acquire) == number + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cores_reach_each_other_and_one_has_no_other() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let found = core_round_trip_ns();
        assert_eq!(found.is_some(), cores > 1, "{found:?} ns with {cores} cores");
        assert!(found.is_none_or(|ns| ns > 1.0 && ns.is_finite()), "{found:?} ns");
    }
}
