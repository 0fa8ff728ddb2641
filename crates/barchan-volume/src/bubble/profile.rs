//! The weights along one row of a bubble, and the sums that such a row makes.

use super::lane::{LANES, Lane};

/// The weights of a row along z, written as what makes its sums cheap. Places count from the lowest place of the box.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Profile {
    /// One from place `from` up to, not including, place `to`.
    Run { from: usize, to: usize },
    /// Any weights: by how much the running sum at a place counts.
    Steps(Vec<(usize, i64)>),
    /// `top - step·i²` for the places up to `half` from the middle.
    Parabola { half: usize, top: i64, step: i64 },
}

impl Profile {
    /// The profile of these weights; `None` where all of them are 0.
    pub fn of(weights: &[u8]) -> Option<Self> {
        let from = weights.iter().position(|w| *w > 0)?;
        let to = weights.iter().rposition(|w| *w > 0)? + 1;
        if weights[from..to].iter().all(|w| *w == 1) {
            return Some(Self::Run { from, to });
        }
        let weight = |at: usize| weights.get(at).map_or(0, |w| i64::from(*w));
        // A sum of weight times difference of running sums, sorted by running sums instead.
        let step = |at: usize| (at, if at == 0 { 0 } else { weight(at - 1) } - weight(at));
        Some(Self::Steps((from..=to).map(step).filter(|(_, by)| *by != 0).collect()))
    }

    /// The profile of `top - step·i²` where that is positive, up to `radius` from the middle; `None` where it never is.
    pub fn parabola(top: i64, step: i64, radius: usize) -> Option<Self> {
        let half = (0..=radius).rev().find(|&i| top > step * (i * i) as i64)?;
        Some(Self::Parabola { half, top, step })
    }

    /// The sum of the weights.
    pub fn volume(&self) -> u64 {
        match self {
            Self::Run { from, to } => (to - from) as u64,
            Self::Steps(steps) => steps.iter().map(|&(at, by)| by * at as i64).sum::<i64>() as u64,
            Self::Parabola { half, top, step } => {
                let of_place = |i: i64| if i == 0 { *top } else { 2 * (top - step * i * i) };
                (0..=*half as i64).map(of_place).sum::<i64>() as u64
            }
        }
    }

    /// How far a parabola reaches; 0 for the others.
    pub fn half(&self) -> usize {
        match self {
            Self::Parabola { half, .. } => *half,
            _ => 0,
        }
    }
}

/// The sums of one row of voxels under every profile of `profiles`, handed to `store` one after the other. `running`
/// holds the running sums of the row, from the empty one; a row is longer by twice `radius` than what is asked for.
/// Parabolas are sorted by how far they reach.
#[inline(always)]
pub(super) fn sum_rows<R: Lane>(
    profiles: &[Profile],
    running: &[R],
    radius: usize,
    mut store: impl FnMut(usize, [R; LANES]),
) {
    // Of the parabola that was last: how far it reached, its plain sum, and that of the squares of the distances.
    let (mut reach, mut plain, mut squares) = (None, [R::default(); LANES], [R::default(); LANES]);
    for (slot, profile) in profiles.iter().enumerate() {
        let mut sum = [R::default(); LANES];
        match profile {
            Profile::Run { from, to } => {
                let (low, high) = (lanes(running, *from), lanes(running, *to));
                for z in 0..LANES {
                    sum[z] = high[z].minus(low[z]);
                }
            }
            Profile::Steps(steps) => {
                for &(at, by) in steps {
                    let (values, by) = (lanes(running, at), R::wrapped(by));
                    for z in 0..LANES {
                        sum[z] = sum[z].plus(values[z].times(by));
                    }
                }
            }
            Profile::Parabola { half, top, step } => {
                for i in reach.map_or(0, |reach: usize| reach + 1)..=*half {
                    widen(running, radius, i, &mut plain, &mut squares);
                }
                reach = Some(*half);
                let (top, step) = (R::wrapped(*top), R::wrapped(*step));
                for z in 0..LANES {
                    sum[z] = top.times(plain[z]).minus(step.times(squares[z]));
                }
            }
        }
        store(slot, sum);
    }
}

/// Adds the two places at distance `i` from the middle to a parabola's sums.
#[inline(always)]
fn widen<R: Lane>(running: &[R], radius: usize, i: usize, plain: &mut [R; LANES], squares: &mut [R; LANES]) {
    let square = R::wrapped((i * i) as i64);
    let mut add = |at: usize| {
        let (low, high) = (lanes(running, at), lanes(running, at + 1));
        for z in 0..LANES {
            let value = high[z].minus(low[z]);
            plain[z] = plain[z].plus(value);
            squares[z] = squares[z].plus(square.times(value));
        }
    };
    add(radius - i);
    if i > 0 {
        add(radius + i);
    }
}

/// The values from place `at` on, one per lane.
#[inline(always)]
fn lanes<R: Lane>(row: &[R], at: usize) -> &[R; LANES] {
    row[at..].first_chunk().expect("a row is longer than its lanes by the size of the bubble")
}
