//! What happens to the piles of a section in sweeps over it.

use std::ops::Range;

use super::flow::TOLERANCE;
use super::links::{Arrival, Below, Cause, Links, Stand, TOGETHER, larger, largest, smaller};
use super::motion::MOST_SHARE;
use super::relay::{Course, Sweep};
use super::section::Section;
use crate::columns::HEIGHT_ONE;

/// Soil on a slope is no slower than a layer of this would be (1/32,768 voxel).
pub(super) const SLOWEST_DRIVE: f32 = HEIGHT_ONE as f32;

/// Excess that goes as fast as it can, whatever its speed (1/32,768 voxel).
const CRUMB: f32 = HEIGHT_ONE as f32 / 8.0;

impl Section {
    /// From the lowest of these piles up: how much of each moves, from what those below it do, and what drives it by itself.
    pub fn find_drives(&mut self, places: Range<usize>) {
        for place in places {
            let leaving = self.links_of(place);
            let Self { stands, owns, causes, links, .. } = self;
            let links = &links[leaving];
            let heights = links.iter().map(|links| largest(links.above_plane(stands)));
            let stand = Stand::of(heights.fold(0.0, larger), owns[place].depth);
            stands[place] = stand;
            if stand.mobile <= 0.0 {
                continue;
            }
            let top = causes[place].top;
            let mut above_foot = 0.0_f32;
            for links in links {
                let above = links.above_plane(stands);
                for i in 0..TOGETHER {
                    let below = &causes[links.to[i] as usize];
                    if links.below[i] == Below::Slope && above[i] >= stand.above {
                        above_foot = larger((top - below.top) as f32 + below.above_foot, above_foot);
                    }
                }
            }
            let cause = &mut causes[place];
            (cause.above_foot, cause.drive) = (above_foot, stand.above.max(above_foot * cause.layer));
        }
    }

    /// From the highest of these piles down: what each is to give in a pass, and in the first of all how fast it is. False when nothing
    /// is to go.
    pub fn give(&mut self, places: Range<usize>, pass: u32, course: &Course<'_>) -> bool {
        let mut moves = false;
        for place in places.rev() {
            let leaving = self.links_of(place);
            let Self { stands, arrivals, owns, causes, links, .. } = self;
            let (mobile, own, links) = (stands[place].mobile, &mut owns[place], &mut links[leaving]);
            if pass == 0 {
                own.speed_m_s = speed(&causes[place], course);
                if mobile > 0.0 {
                    hand_on_drive(causes[place].drive, links, causes);
                }
            }
            own.gives = false;
            let share = course.span.columns_left(pass, own.speed_m_s).clamp(0.0, MOST_SHARE);
            if mobile <= 0.0 || share <= 0.0 {
                continue;
            }
            let (mut fall, mut weights) = (0.0_f32, 0.0);
            for links in &mut *links {
                links.weigh(&mut weights);
                fall = larger(links.fall(), fall);
            }
            if weights <= 0.0 {
                continue;
            }
            own.gives = true;
            // A thin layer may stand far above what it rests beside: no more of it goes than moves.
            let by_itself = part_of(smaller(fall, mobile), share);
            let passing = arrivals[place].coming as f32 + by_itself;
            let given = smaller(larger(mobile * share, by_itself), passing) / weights;
            links.iter_mut().for_each(|links| links.give(given, share, arrivals));
            moves = true;
        }
        moves
    }

    /// From the lowest of these piles up: what each takes of what is to come, what moves of it then and, where the passes `go_on`, how
    /// much can go next.
    pub fn take(&mut self, places: Range<usize>, go_on: bool) {
        for place in places {
            let leaving = self.links_of(place);
            let Self { stands, arrivals, owns, links, .. } = self;
            let (links, own) = (&mut links[leaving], &mut owns[place]);
            let mut given = 0.0;
            if own.gives {
                links.iter_mut().for_each(|links| links.go(stands, &mut given));
            }
            let Arrival { coming, rise } = std::mem::replace(&mut arrivals[place], Arrival::NONE);
            let coming = coming as f32;
            let taken = smaller(coming, given + rise);
            let change = taken - given;
            own.depth += change;
            let mut above = 0.0_f32;
            if go_on {
                for links in links {
                    links.note_change(change, stands);
                    above = larger(largest(links.above_plane(stands)), above);
                }
            }
            let part = if coming > 0.0 { taken / coming } else { 1.0 };
            stands[place] = Stand { change, part, ..Stand::of(above, own.depth) };
        }
    }

    /// What others need to know of a pile after a sweep up.
    pub fn tell_stand(&self, place: usize, sweep: Sweep) -> [u32; 3] {
        let Stand { above, change, part, .. } = self.stands[place];
        match sweep {
            Sweep::Drive => [above, self.causes[place].above_foot, 0.0],
            Sweep::Give { .. } | Sweep::Take { .. } => [above, change, part],
        }
        .map(f32::to_bits)
    }

    /// Notes what was told of the pile of a ghost.
    pub fn note_stand(&mut self, ghost: usize, sweep: Sweep, told: [u32; 3]) {
        let [above, second, third] = told.map(f32::from_bits);
        match sweep {
            Sweep::Drive => {
                self.stands[ghost].above = above;
                self.causes[ghost].above_foot = second;
            }
            Sweep::Give { .. } | Sweep::Take { .. } => {
                self.stands[ghost] = Stand { above, change: second, part: third, ..Stand::AT_REST };
            }
        }
    }

    /// What has come to a ghost in a sweep down, and drives it; nothing of it stays here.
    pub fn tell_arrival(&mut self, ghost: usize) -> [u32; 3] {
        let Arrival { coming, rise } = std::mem::replace(&mut self.arrivals[ghost], Arrival::NONE);
        [coming.cast_unsigned(), rise.to_bits(), self.causes[ghost].drive.to_bits()]
    }

    /// Notes what has come to a pile at its ghost.
    pub fn note_arrival(&mut self, place: usize, [coming, rise, drive]: [u32; 3]) {
        let (arrival, cause) = (&mut self.arrivals[place], &mut self.causes[place]);
        arrival.coming += coming.cast_signed();
        arrival.rise = larger(f32::from_bits(rise), arrival.rise);
        cause.drive = larger(f32::from_bits(drive), cause.drive);
    }
}

/// How fast soil is that this drives (m/s).
#[inline]
fn speed(cause: &Cause, course: &Course<'_>) -> f32 {
    match cause.drive > 0.0 {
        true => (course.speed_per_height * cause.force * cause.drive.max(SLOWEST_DRIVE)).sqrt(),
        false => 0.0,
    }
}

/// What comes down drives what is before it.
#[inline]
fn hand_on_drive(drive: f32, links: &[Links], causes: &mut [Cause]) {
    for links in links {
        for i in 0..TOGETHER {
            // Those that are missing go back to where they come from.
            let below = &mut causes[links.to[i] as usize];
            if links.below[i] != Below::Edge {
                below.drive = larger(drive, below.drive);
            }
        }
    }
}

impl Stand {
    /// Of a pile that stands so far above the plane through its foot, with soil of this depth.
    #[inline]
    fn of(above: f32, depth: f32) -> Self {
        let mobile = smaller(above, depth);
        let (above, mobile) = if mobile > TOLERANCE as f32 { (above, mobile) } else { (0.0, 0.0) };
        Self { above, mobile, ..Self::AT_REST }
    }
}

/// What of an excess goes in a pass by itself, in which soil crosses `share` of a column. Less than a little lets it lie, though
/// what comes from above may pass; the last of it goes at once, or it would be handed on for ever in crumbs.
#[inline]
pub(super) fn part_of(excess: f32, share: f32) -> f32 {
    let part = larger(excess * share, smaller(excess, CRUMB) * MOST_SHARE);
    if excess > TOLERANCE as f32 { part } else { 0.0 }
}
