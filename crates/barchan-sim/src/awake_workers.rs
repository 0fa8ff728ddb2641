//! Threads that stay awake between the short parallel parts of a step.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::Yield;

/// Pauses between two looks for work: together still much shorter than waking up.
const SPINS: u32 = 32;

/// Runs `f`, which takes many steps, and keeps all threads of the pool around it looking for work meanwhile.
///
/// A step of a small world has parallel parts that are shorter than the time it takes to wake a sleeping thread. The
/// results are the same, only sooner; the price is that the threads are busy while there is nothing for them to do, so
/// this is for whoever wants all of the machine.
pub fn with_awake_workers<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    let is_done = &AtomicBool::new(false);
    rayon::scope(|scope| {
        let own = rayon::current_thread_index();
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(move |_| {
                // The thread that runs `f` may come across this while it waits for others: it must not wait for itself.
                while rayon::current_thread_index() != own && !is_done.load(Ordering::Acquire) {
                    if rayon::yield_now() != Some(Yield::Executed) {
                        // Looking takes some of what a core shares with the one that works.
                        (0..SPINS).for_each(|_| std::hint::spin_loop());
                    }
                }
            });
        }
        let done = SetOnDrop(is_done);
        let result = f();
        drop(done);
        result
    })
}

/// Says that all is done, also when it ends in a panic: else the others would look for work forever.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn work_is_done_and_a_panic_comes_through() {
        for threads in 1..4 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
            let sum = |count: u64| with_awake_workers(|| (0..count).into_par_iter().sum::<u64>());
            for count in [0, 1, 1000] {
                assert_eq!(pool.install(|| sum(count)), count * count.saturating_sub(1) / 2);
            }
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.install(|| with_awake_workers(|| panic!("as asked")))
            }));
            assert!(panicked.is_err());
        }
    }
}
