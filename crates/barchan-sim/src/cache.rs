//! What can be made anew at any time, and is not part of the state.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Something derived or scratch. A copy of a world leaves it behind, files and digests do not know it, and all caches are equal:
/// nothing may depend on what is in one.
#[derive(Default)]
pub(crate) struct Cache<T>(T);

impl<T: Default> Clone for Cache<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> PartialEq for Cache<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> fmt::Debug for Cache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cache")
    }
}

impl<T> Deref for Cache<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Cache<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
