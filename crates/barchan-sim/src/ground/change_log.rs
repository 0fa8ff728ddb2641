//! Which bricks changed since one last looked: a bounded list that whoever keeps something about the ground asks.

use std::collections::VecDeque;

use glam::IVec3;

/// Most changes that are remembered: whoever has not looked for longer looks at everything.
const MOST_ENTRIES: usize = 1 << 16;

/// What changed in a brick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// Soil.
    Soil,
    /// Rock or bodies as well, which carry soil.
    All,
}

/// How far a reader of a [`ChangeLog`] has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp(Option<u64>);

/// What a [`ChangeLog`] knows since a [`Stamp`].
pub(crate) enum Since<'a> {
    /// Too much to tell.
    Everything,
    /// These bricks, in the order in which they changed, some of them more than once.
    Bricks(std::collections::vec_deque::Iter<'a, (IVec3, Touch)>),
}

/// The bricks that changed, in the order in which they did.
#[derive(Debug, Default)]
pub(crate) struct ChangeLog {
    /// Number of the first entry that is remembered.
    first: u64,
    entries: VecDeque<(IVec3, Touch)>,
}

/// Whoever has a copy of the ground starts to read it anew.
impl Clone for ChangeLog {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl ChangeLog {
    /// Notes a change.
    #[inline]
    pub(crate) fn note(&mut self, coord: IVec3, touch: Touch) {
        if self.entries.len() == MOST_ENTRIES {
            self.entries.drain(..MOST_ENTRIES / 2);
            self.first += MOST_ENTRIES as u64 / 2;
        }
        self.entries.push_back((coord, touch));
    }

    /// The end of what is known now.
    pub(crate) fn now(&self) -> Stamp {
        Stamp(Some(self.first + self.entries.len() as u64))
    }

    /// What changed since `stamp`.
    pub(crate) fn since(&self, stamp: Stamp) -> Since<'_> {
        let end = self.first + self.entries.len() as u64;
        match stamp.0 {
            Some(at) if (self.first..=end).contains(&at) => {
                Since::Bricks(self.entries.range((at - self.first) as usize..))
            }
            _ => Since::Everything,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(log: &ChangeLog, stamp: Stamp) -> Option<usize> {
        match log.since(stamp) {
            Since::Everything => None,
            Since::Bricks(bricks) => Some(bricks.len()),
        }
    }

    #[test]
    fn one_is_told_what_changed_since_one_looked() {
        let mut log = ChangeLog::default();
        let start = log.now();
        assert_eq!((count(&log, start), count(&log, Stamp::default())), (Some(0), None));
        (0..10).for_each(|x| log.note(IVec3::new(x, 0, 0), Touch::Soil));
        let later = log.now();
        log.note(IVec3::Z, Touch::All);
        assert_eq!((count(&log, start), count(&log, later)), (Some(11), Some(1)));
        (0..MOST_ENTRIES).for_each(|_| log.note(IVec3::X, Touch::Soil));
        assert_eq!(count(&log, start), None, "it was too long ago");
        assert!(count(&log, log.now()) == Some(0));
        assert_eq!(count(&log.clone(), later), None, "a copy knows nothing");
    }
}
