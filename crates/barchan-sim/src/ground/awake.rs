//! Which bricks are awake. Work follows motion: a process looks only at bricks that are awake.
//!
//! This is the one place that says what wakes a brick and what lets it sleep:
//! - a brick wakes when its ground changes, when the ground of one of its 26 neighbours changes, or when a body
//!   comes, goes, moves or gets another friction in it;
//! - only bricks that hold soil are kept awake: rock and air have nothing to move;
//! - a brick falls asleep after [`QUIET_STEPS`] steps in which none of this happened.

use std::collections::BTreeMap;

use glam::IVec3;

/// Steps without change after which a brick sleeps.
pub const QUIET_STEPS: u8 = 4;

/// The awake bricks in order of x, y, z, each with the steps since something last changed there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Awake {
    quiet_steps: Vec<([i32; 3], u8)>,
}

impl Awake {
    /// Brick coordinates of the awake, in order of x, y, z.
    pub fn bricks(&self) -> impl ExactSizeIterator<Item = IVec3> + '_ {
        self.quiet_steps.iter().map(|&(coord, _)| IVec3::from_array(coord))
    }

    /// The awake bricks with the steps each has been quiet.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (IVec3, u8)> + '_ {
        self.quiet_steps.iter().map(|&(coord, quiet)| (IVec3::from_array(coord), quiet))
    }

    /// The awake set with these entries, as [`Awake::entries`] gives them.
    pub(super) fn from_entries(entries: impl IntoIterator<Item = (IVec3, u8)>) -> Self {
        // Of a brick that comes several times the last entry counts.
        let entries: BTreeMap<_, _> =
            entries.into_iter().map(|(coord, quiet)| (coord.to_array(), quiet)).collect();
        Self { quiet_steps: entries.into_iter().collect() }
    }

    /// Number of awake bricks.
    pub fn len(&self) -> usize {
        self.quiet_steps.len()
    }

    /// True when brick `coord` is awake.
    pub fn contains(&self, coord: IVec3) -> bool {
        self.quiet_steps.binary_search_by_key(&coord.to_array(), |(coord, _)| *coord).is_ok()
    }

    /// True when all the ground sleeps.
    pub fn is_empty(&self) -> bool {
        self.quiet_steps.is_empty()
    }

    /// Wakes these bricks, which come in the order of x, y, z and each once, or keeps them awake.
    pub(super) fn wake(&mut self, bricks: impl IntoIterator<Item = [i32; 3]>) {
        let woken = bricks.into_iter().map(|coord| (coord, 0));
        let before = std::mem::take(&mut self.quiet_steps);
        self.quiet_steps.reserve(before.len());
        let mut before = before.into_iter().peekable();
        for brick in woken {
            while let Some(other) = before.next_if(|other| other.0 < brick.0) {
                self.quiet_steps.push(other);
            }
            before.next_if(|other| other.0 == brick.0);
            self.quiet_steps.push(brick);
        }
        self.quiet_steps.extend(before);
    }

    /// Lets one step pass: everyone was quiet for one step more, and who was quiet long enough sleeps.
    /// Called before the step's changes wake those that were not quiet.
    pub(super) fn pass_step(&mut self) {
        self.quiet_steps.retain_mut(|(_, quiet)| {
            *quiet = quiet.saturating_add(1);
            *quiet < QUIET_STEPS
        });
    }
}

/// These bricks and their 26 neighbours, each once; both in the order of x, y, z.
pub(super) fn around(bricks: Vec<[i32; 3]>) -> Vec<[i32; 3]> {
    // Moved by one along an axis they are still in order: all that is left to do is to merge.
    (0..3).fold(bricks, |bricks, axis| {
        let moved = |by: i32| {
            bricks.iter().map(move |coord| {
                let mut coord = *coord;
                coord[axis] += by;
                coord
            })
        };
        merge(merge(moved(-1), moved(0)), moved(1)).collect()
    })
}

/// What is in one of two lists or in both, in order, as each of them is.
fn merge(
    a: impl Iterator<Item = [i32; 3]>,
    b: impl Iterator<Item = [i32; 3]>,
) -> impl Iterator<Item = [i32; 3]> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    std::iter::from_fn(move || {
        let next = match (a.peek(), b.peek()) {
            (Some(a), Some(b)) => *a.min(b),
            (a, b) => *a.or(b)?,
        };
        a.next_if_eq(&next);
        b.next_if_eq(&next);
        Some(next)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn around_bricks_are_their_neighbours() {
        for bricks in
            [vec![], vec![[0, 0, 0]], vec![[-3, 5, 1], [-2, 4, 2], [0, 0, -7], [0, 0, -6], [9, 9, 9]]]
        {
            let near = |coord: &[i32; 3]| {
                let [x, y, z] = *coord;
                (0..27).map(move |i| [x + i / 9 - 1, y + i / 3 % 3 - 1, z + i % 3 - 1])
            };
            let expected: BTreeSet<[i32; 3]> = bricks.iter().flat_map(near).collect();
            assert_eq!(around(bricks), expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn who_is_woken_is_awake_and_who_is_quiet_sleeps() {
        let mut awake = Awake::default();
        awake.wake([[0, 0, 1], [0, 2, 0], [3, 0, 0]]);
        awake.pass_step();
        awake.wake([[-1, 0, 0], [0, 2, 0], [4, 0, 0]]);
        let entries: Vec<_> = awake.entries().map(|(coord, quiet)| (coord.to_array(), quiet)).collect();
        assert_eq!(
            entries,
            [([-1, 0, 0], 0), ([0, 0, 1], 1), ([0, 2, 0], 0), ([3, 0, 0], 1), ([4, 0, 0], 0)]
        );
        (1..QUIET_STEPS).for_each(|_| awake.pass_step());
        assert!(awake.contains(IVec3::new(0, 2, 0)) && !awake.contains(IVec3::new(0, 0, 1)));
        awake.pass_step();
        assert!(awake.is_empty());
    }
}
