//! How much of each flow goes within a round: what moves on a slope, how fast, and what piles give and take.

use rayon::prelude::*;

use super::apply::Heights;
use super::links::Below;
use super::net::Net;
use super::relay::{Course, Relay};
use crate::columns::HEIGHT_ONE;

/// Most of a column that soil crosses in one pass. Half of its excess brings a lone pair to rest; with several around a pile
/// more than this leaves them trembling.
pub(super) const MOST_SHARE: f32 = 0.35;

/// Soil on a slope is no slower than a layer of this share of the slope's height would be, so that it comes to rest (-).
pub(super) const THINNEST_LAYER: f32 = 0.125;

/// Passes over the same flows in a round of a step. More save looking for flows anew, but soil gets only to the next column in them.
pub(super) const PASSES: u32 = 4;

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
    pub passes: u32,
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
    pub fn columns_left(&self, pass: u32, speed_m_s: f32) -> f32 {
        speed_m_s * self.columns_per_speed - (self.first_pass + pass) as f32 * MOST_SHARE
    }
}

/// What moves in a round. All heights in it are in 1/32,768 voxel.
pub(super) struct Motion<'a> {
    net: &'a Net,
}

impl<'a> Motion<'a> {
    /// What moves in a round of this length along a net that has just been laid, and what `beside` finds meanwhile.
    ///
    /// A steep slope comes down as a whole: soil on it moves with all that stands above the plane through its foot, not
    /// only with what is too much for the next column. That height adds up from the foot uphill, and what comes down
    /// drives what is before it. Otherwise slopes would come to rest the later the smaller the voxels are.
    pub fn of<R: Send>(
        net: &'a mut Net,
        law: &SpeedLaw,
        span: &Span,
        beside: impl FnOnce() -> R + Send,
    ) -> (Self, R) {
        let speed_per_height = 2.0 * law.gravity_m_s2 * law.voxel_size_m / HEIGHT_ONE as f32;
        let (sections, crossings, heights) = net.parts();
        let relay = Relay::new(sections, Course { speed_per_height, span: *span, crossings, heights });
        let ((), found) = rayon::join(|| relay.run(), beside);
        (Self { net }, found)
    }

    /// Places of the tiles with soil that does not get as far in this round as it does in the step, in their order.
    pub fn tiles_with_way_left(&self, span: &Span) -> Vec<u32> {
        let mut tiles: Vec<u32> = Vec::new();
        for section in self.net.sections() {
            let has_way_left = |place: &usize| {
                let speed_m_s = section.owns[*place].speed_m_s;
                speed_m_s > 0.0 && span.columns_left(span.passes, speed_m_s) > 0.0
            };
            // What pours over an edge falls there and slides no further.
            let slides_on = |place: &usize| {
                let mut below = section.links[section.links_of(*place)].iter().flat_map(|links| links.below);
                below.any(|below| matches!(below, Below::Slope | Below::Wedge))
            };
            let moving = (0..section.len()).into_par_iter().with_min_len(MIN_LEN).filter(has_way_left);
            tiles.par_extend(moving.filter(slides_on).map(|place| section.owns[place].tile));
        }
        tiles.par_sort_unstable();
        tiles.dedup();
        tiles
    }

    /// The heights that flows move.
    pub fn heights(&self) -> &impl Heights {
        self.net
    }
}
