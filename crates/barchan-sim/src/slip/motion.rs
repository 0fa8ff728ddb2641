//! How much of each flow goes within a round: what moves on a slope, how fast, and what piles give and take.

use rayon::prelude::*;

use super::apply::Heights;
use super::flow::TOLERANCE;
use super::links::{Arrival, Below, Cause, Stand, TOGETHER, larger, largest, smaller};
use super::net::Net;
use crate::columns::HEIGHT_ONE;

/// Most of a column that soil crosses in one pass. Half of its excess brings a lone pair to rest; with several around a pile
/// more than this leaves them trembling.
pub(super) const MOST_SHARE: f32 = 0.35;

/// Passes over the same flows in a round of a step. More save looking for flows anew, but soil gets only to the next column in them.
pub(super) const PASSES: u32 = 4;

/// Soil on a slope is no slower than a layer of this share of the slope's height would be, so that it comes to rest (-).
pub(super) const THINNEST_LAYER: f32 = 0.125;

/// Nor is it slower than a layer of this would be (1/32,768 voxel).
pub(super) const SLOWEST_DRIVE: f32 = HEIGHT_ONE as f32;

/// Excess that goes as fast as it can, whatever its speed (1/32,768 voxel).
const CRUMB: f32 = HEIGHT_ONE as f32 / 8.0;

/// Flows that are worth a thread's while where little is done to each.
const MIN_LEN: usize = 8192;

/// What gives sliding soil its speed.
pub(super) struct SpeedLaw {
    pub voxel_size_m: f32,
    pub gravity_m_s2: f32,
}

/// How far soil goes in a round, in as many passes.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// Columns that soil crosses for each m/s.
    columns_per_speed: f32,
    /// How many passes were before.
    first_pass: u32,
    passes: u32,
}

impl Span {
    /// A round of a step of `dt_s` (s), with `round` others before, on voxels of this size (m).
    pub fn of_step(dt_s: f32, round: u32, voxel_size_m: f32) -> Self {
        Self { columns_per_speed: dt_s / voxel_size_m, first_pass: round * PASSES, passes: PASSES }
    }

    /// As far as soil gets in one pass, whatever time that takes.
    pub fn of_pass() -> Self {
        Self { columns_per_speed: f32::MAX, first_pass: 0, passes: 1 }
    }

    /// How many columns are left to cross at the beginning of a pass for soil of this speed (m/s); nothing below 0.
    fn columns_left(&self, pass: u32, speed_m_s: f32) -> f32 {
        speed_m_s * self.columns_per_speed - (self.first_pass + pass) as f32 * MOST_SHARE
    }
}

/// What moves in a round. All heights in it are in 1/32,768 voxel.
pub(super) struct Motion<'a> {
    net: &'a mut Net,
}

impl<'a> Motion<'a> {
    /// What moves in a round of this length along a net that has just been laid.
    ///
    /// A steep slope comes down as a whole: soil on it moves with all that stands above the plane through its foot, not
    /// only with what is too much for the next column. That height adds up from the foot uphill, and what comes down
    /// drives what is before it. Otherwise slopes would come to rest the later the smaller the voxels are.
    pub fn of(net: &'a mut Net, law: &SpeedLaw, span: &Span) -> Self {
        let mut motion = Self { net };
        motion.find_drives();
        motion.find_speeds(law);
        motion.find_heights(span);
        motion
    }

    /// Places of the tiles with soil that does not get as far in this round as it does in the step, in their order.
    pub fn tiles_with_way_left(&self, span: &Span) -> Vec<u32> {
        let has_way_left = |place: &usize| {
            let speed_m_s = self.net.owns[*place].speed_m_s;
            speed_m_s > 0.0 && span.columns_left(span.passes, speed_m_s) > 0.0
        };
        // What pours over an edge falls there and slides no further.
        let slides_on = |place: &usize| {
            let mut below = self.net.links[self.net.links_of(*place)].iter().flat_map(|links| links.below);
            below.any(|below| matches!(below, Below::Slope | Below::Wedge))
        };
        let moving = (0..self.net.len()).into_par_iter().with_min_len(MIN_LEN).filter(has_way_left);
        let mut tiles: Vec<u32> = moving.filter(slides_on).map(|place| self.net.tile_of(place)).collect();
        tiles.par_sort_unstable();
        tiles.dedup();
        tiles
    }

    /// Finds the height that each flow moves in a round.
    ///
    /// A pile falls and rises in a pass by no more than its share of what the steepest of its pairs has too much: it gives
    /// no more than it takes and that, and takes no more than it gives and that. So no pair is brought beyond its failure
    /// angle, nothing rings, and what a slope carries passes the bumps on it.
    fn find_heights(&mut self, span: &Span) {
        for pass in 0..span.passes {
            if !self.give(span, pass) {
                break;
            }
            // Nobody asks what could go after the last pass.
            self.take(pass + 1 < span.passes);
        }
    }

    /// The heights that flows move.
    pub fn heights(&self) -> &impl Heights {
        &*self.net
    }

    /// From the highest pile down: what each is to give in a pass. False when nothing is to go.
    fn give(&mut self, span: &Span, pass: u32) -> bool {
        let mut moves = false;
        for place in (0..self.net.len()).rev() {
            let leaving = self.net.links_of(place);
            let Net { stands, arrivals, owns, links, .. } = &mut *self.net;
            let (mobile, own) = (stands[place].mobile, &mut owns[place]);
            own.gives = false;
            let share = span.columns_left(pass, own.speed_m_s).clamp(0.0, MOST_SHARE);
            if mobile <= 0.0 || share <= 0.0 {
                continue;
            }
            let links = &mut links[leaving];
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
            let passing = arrivals[place].coming + by_itself;
            let given = smaller(larger(mobile * share, by_itself), passing) / weights;
            links.iter_mut().for_each(|links| links.give(given, share, arrivals));
            moves = true;
        }
        moves
    }

    /// From the lowest pile up: what each takes of what is to come, what moves of it then and, where the passes `go_on`, how
    /// much can go next.
    fn take(&mut self, go_on: bool) {
        for place in 0..self.net.len() {
            let leaving = self.net.links_of(place);
            let Net { stands, arrivals, owns, links, .. } = &mut *self.net;
            let (links, own) = (&mut links[leaving], &mut owns[place]);
            let mut given = 0.0;
            if own.gives {
                links.iter_mut().for_each(|links| links.go(stands, &mut given));
            }
            let Arrival { coming, rise } = std::mem::replace(&mut arrivals[place], Arrival::NONE);
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

    /// From the lowest pile up: how much of each moves, from what those below it do, and what drives it by itself.
    fn find_drives(&mut self) {
        for place in 0..self.net.len() {
            let leaving = self.net.links_of(place);
            let Net { stands, owns, causes, links, .. } = &mut *self.net;
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

    /// From the highest pile down: how fast each is. What comes down drives what is before it.
    fn find_speeds(&mut self, law: &SpeedLaw) {
        let per_height = 2.0 * law.gravity_m_s2 * law.voxel_size_m / HEIGHT_ONE as f32;
        for place in (0..self.net.len()).rev() {
            let leaving = self.net.links_of(place);
            let Net { stands, owns, causes, links, .. } = &mut *self.net;
            let Cause { drive, force, .. } = causes[place];
            if drive <= 0.0 {
                continue;
            }
            owns[place].speed_m_s = (per_height * force * drive.max(SLOWEST_DRIVE)).sqrt();
            if stands[place].mobile <= 0.0 {
                continue;
            }
            for links in &links[leaving] {
                for i in 0..TOGETHER {
                    // Those that are missing go back to where they come from.
                    let below = &mut causes[links.to[i] as usize];
                    if links.below[i] != Below::Edge {
                        below.drive = larger(drive, below.drive);
                    }
                }
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
