//! Names of particles that stay with them while their slots change.

use serde::{Deserialize, Serialize};

/// The name of a particle in its store: given once, never given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Id(pub u32);

/// Gives out names in rising order. It is state: it is saved with the particles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ids {
    given: u32,
}

impl Ids {
    /// The next name, or none when all four thousand million are given.
    #[must_use = "a name that is given is not given again"]
    pub fn give(&mut self) -> Option<Id> {
        let id = Id(self.given);
        self.given = self.given.checked_add(1)?;
        Some(id)
    }

    /// How many names have been given.
    #[must_use]
    pub fn given(&self) -> u32 {
        self.given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_given_twice_and_the_last_is_refused() {
        let mut ids = Ids { given: u32::MAX - 1 };
        assert_eq!(ids.give(), Some(Id(u32::MAX - 1)));
        assert_eq!(ids.give(), None);
        assert_eq!(ids.give(), None);
    }
}
