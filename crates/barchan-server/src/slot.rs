//! A slot for the newest of something: whoever puts never waits, whoever takes gets the newest.

use std::sync::{Condvar, Mutex, PoisonError};

/// Holds one thing at most.
pub struct Slot<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
}

struct State<T> {
    newest: Option<T>,
    /// Somebody waits.
    wanted: bool,
    closed: bool,
}

impl<T> Slot<T> {
    /// An empty slot.
    pub fn new() -> Self {
        let state = State { newest: None, wanted: false, closed: false };
        Self { state: Mutex::new(state), filled: Condvar::new() }
    }

    /// True when somebody waits: to put anything else would be wasted work.
    pub fn is_wanted(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).wanted
    }

    /// Puts something in, over what may be there.
    pub fn put(&self, newest: T) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.newest, state.wanted) = (Some(newest), false);
        self.filled.notify_one();
    }

    /// Waits for something and takes it out. None when the slot is closed.
    pub fn take(&self) -> Option<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.closed {
                return None;
            }
            if let Some(newest) = state.newest.take() {
                return Some(newest);
            }
            state.wanted = true;
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets whoever waits go.
    pub fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.filled.notify_all();
    }
}
