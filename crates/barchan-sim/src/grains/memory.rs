//! What contacts remember between two lists of neighbours.

use glam::Vec3;
use rayon::prelude::*;

use super::grains::{Grains, Tie};
use super::press::Springs;

/// What contacts of each ball remember: `(other, springs)` in the order of names.
#[derive(Default)]
pub struct Memory {
    starts: Vec<u32>,
    entries: Vec<(u32, Springs)>,
}

/// Springs as the state keeps them.
pub fn tie(a: u32, b: u32, drawn: Springs) -> Tie {
    Tie { a, b, slide: drawn.slide.to_array(), roll: drawn.roll.to_array() }
}

/// The number of the first ball of each grain of the state; one more at the end.
pub fn ball_starts(grains: &Grains) -> Vec<u32> {
    let mut starts = Vec::with_capacity(grains.grains.len() + 1);
    let mut next = 0;
    for grain in &grains.grains {
        starts.push(next);
        next += grains.form_of(grain).balls.len() as u32;
    }
    starts.push(next);
    starts
}

impl Memory {
    /// What the ball of this number remembers.
    pub fn of(&self, ball: usize) -> &[(u32, Springs)] {
        &self.entries[self.starts[ball] as usize..self.starts[ball + 1] as usize]
    }

    /// Sorts what is remembered by balls; the entries of each ball come in the order of names already.
    pub fn sorted(drawn: Vec<(u32, u32, Springs)>, ball_starts: &[u32]) -> Self {
        let balls = ball_starts.last().map_or(0, |&end| end as usize);
        let mut starts = vec![0u32; balls + 1];
        for (ball, ..) in &drawn {
            starts[*ball as usize + 1] += 1;
        }
        for ball in 0..balls {
            starts[ball + 1] += starts[ball];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, Springs::default()); drawn.len()];
        for (ball, name, springs) in drawn {
            let at = &mut next[ball as usize];
            entries[*at as usize] = (name, springs);
            *at += 1;
        }
        Self { starts, entries }
    }

    /// What the state keeps of pairs, seen from both sides.
    pub fn of_ties(ties: &[Tie], grains: &Grains, ball_starts: &[u32]) -> Self {
        let number = |name: u32| number_of(name, grains, ball_starts);
        let mut drawn = Vec::with_capacity(2 * ties.len());
        for tie in ties {
            let springs = Springs { slide: Vec3::from_array(tie.slide), roll: Vec3::from_array(tie.roll) };
            let back = Springs { slide: -springs.slide, roll: -springs.roll };
            if let (Some(a), Some(b)) = (number(tie.a), number(tie.b)) {
                drawn.push((a, tie.b, springs));
                drawn.push((b, tie.a, back));
            }
        }
        // Each ball's entries in the order of names, whichever side they come from.
        drawn.par_sort_unstable_by_key(|(ball, name, _)| (*ball, *name));
        Self::sorted(drawn, ball_starts)
    }

    /// What the state keeps of faces.
    pub fn of_face_ties(grains: &Grains, ball_starts: &[u32]) -> Self {
        let mut drawn = Vec::with_capacity(grains.face_ties.len());
        for tie in &grains.face_ties {
            let springs = Springs { slide: Vec3::from_array(tie.slide), roll: Vec3::from_array(tie.roll) };
            if let Some(ball) = number_of(tie.a, grains, ball_starts) {
                drawn.push((ball, tie.b, springs));
            }
        }
        Self::sorted(drawn, ball_starts)
    }
}

/// The number of a ball in the order of the state.
fn number_of(name: u32, grains: &Grains, ball_starts: &[u32]) -> Option<u32> {
    let at = grains.grains.partition_point(|grain| grain.id.0 <= name).checked_sub(1)?;
    let number = ball_starts[at] + name - grains.grains[at].id.0;
    (number < ball_starts[at + 1]).then_some(number)
}
