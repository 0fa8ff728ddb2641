//! Watches the allocator, so that a test can say how much memory a broken file was able to claim.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[global_allocator]
static WATCHED: Watched = Watched;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

/// Runs `work` and returns its result with the largest single allocation it made on this thread (bytes).
pub fn largest_allocation<T>(work: impl FnOnce() -> T) -> (T, usize) {
    LARGEST.set(0);
    let result = work();
    (result, LARGEST.get())
}

struct Watched;

// SAFETY: every call is handed on to the system allocator unchanged; the record beside it allocates nothing.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller's promises about `layout` are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: `block` came from `System` through this allocator, with this layout.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as in `realloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

fn note(size: usize) {
    // A thread that is ending has no record any more, and needs none.
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
}
