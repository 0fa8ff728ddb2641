//! How much of each flow goes within a round: what moves on a slope, how fast, and what piles give and take.

use rayon::prelude::*;

use super::flow::{Flow, TOLERANCE};
use super::links::{Below, Cause, Link, Net, Node};
use crate::columns::{Field, HEIGHT_ONE};

/// Most of a column that soil crosses in one pass. Half of its excess brings a lone pair to rest; with several around a pile
/// more than this leaves them trembling.
pub(super) const MOST_SHARE: f32 = 0.35;

/// Passes over the same flows in a round of a step. More save looking for flows anew, but soil gets only to the next column in them.
const PASSES: u32 = 4;

/// Soil on a slope is no slower than a layer of this share of the slope's height would be, so that it comes to rest (-).
pub(super) const THINNEST_LAYER: f32 = 0.125;

/// Nor is it slower than a layer of this would be (1/32,768 voxel).
const SLOWEST_DRIVE: f32 = HEIGHT_ONE as f32;

/// Excess that goes as fast as it can, whatever its speed (1/32,768 voxel).
const CRUMB: f32 = HEIGHT_ONE as f32 / 8.0;

/// Flows that are worth a thread's while where little is done to each.
pub(super) const MIN_LEN: usize = 8192;

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
    /// What moves when `flows` go; those of a pile stand together.
    ///
    /// A steep slope comes down as a whole: soil on it moves with all that stands above the plane through its foot, not
    /// only with what is too much for the next column. That height adds up from the foot uphill, and what comes down
    /// drives what is before it. Otherwise slopes would come to rest the later the smaller the voxels are.
    pub fn of(flows: &[Flow], field: &Field, law: &SpeedLaw, net: &'a mut Net) -> Self {
        net.lay(flows, field);
        let mut motion = Self { net };
        motion.find_drives();
        motion.find_speeds(law);
        motion
    }

    /// Places of the tiles with soil that does not get as far in this round as it does in the step, in their order.
    pub fn tiles_with_way_left(&self, span: &Span) -> Vec<u32> {
        let Net { nodes, links, .. } = &*self.net;
        let has_way_left = |place: &usize| {
            let speed_m_s = nodes[*place].speed_m_s;
            speed_m_s > 0.0 && span.columns_left(span.passes, speed_m_s) > 0.0
        };
        // What pours over an edge falls there and slides no further.
        let slides_on =
            |place: &usize| links[self.net.links_of(*place)].iter().any(|link| link.below != Below::Edge);
        let moving = (0..nodes.len()).into_par_iter().with_min_len(MIN_LEN).filter(has_way_left);
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
    pub fn heights(&mut self, span: &Span, heights: &mut Vec<i64>) {
        for pass in 0..span.passes {
            if !self.give(span, pass) {
                break;
            }
            // Nobody asks what could go after the last pass.
            self.take(pass + 1 < span.passes);
        }
        self.net.heights(heights);
    }

    /// From the highest pile down: what each is to give in a pass. False when nothing is to go.
    fn give(&mut self, span: &Span, pass: u32) -> bool {
        let mut moves = false;
        for place in (0..self.net.nodes.len()).rev() {
            let leaving = self.net.links_of(place);
            let Net { nodes, links, .. } = &mut *self.net;
            let node = &mut nodes[place];
            node.gives = false;
            let share = span.columns_left(pass, node.speed_m_s).clamp(0.0, MOST_SHARE);
            if node.mobile <= 0.0 || share <= 0.0 {
                continue;
            }
            let (mut fall, mut weights) = (0.0_f32, 0.0);
            for link in &mut links[leaving.clone()] {
                link.height = link.weight();
                weights += link.height;
                fall = fall.max(link.fall);
            }
            if weights <= 0.0 {
                continue;
            }
            node.gives = true;
            // A thin layer may stand far above what it rests beside: no more of it goes than moves.
            let own = part_of(fall.min(node.mobile), share);
            let given = (node.mobile * share).max(own).min(node.coming + own) / weights;
            for link in &mut links[leaving] {
                link.height *= given;
                let to = &mut nodes[link.to as usize];
                to.coming += link.height;
                to.rise = to.rise.max(part_of(link.excess, share));
            }
            moves = true;
        }
        moves
    }

    /// From the lowest pile up: what each takes of what is to come, what moves of it then and, where the passes `go_on`, how
    /// much can go next.
    fn take(&mut self, go_on: bool) {
        for place in 0..self.net.nodes.len() {
            let leaving = self.net.links_of(place);
            let Net { nodes, links, .. } = &mut *self.net;
            let links = &mut links[leaving];
            let mut given = 0.0;
            if nodes[place].gives {
                for link in links.iter_mut() {
                    link.height *= nodes[link.to as usize].part;
                    link.total += link.height;
                    given += link.height;
                }
            }
            let node = &mut nodes[place];
            let taken = node.coming.min(given + node.rise);
            node.part = if node.coming > 0.0 { taken / node.coming } else { 1.0 };
            node.change = taken - given;
            node.depth += node.change;
            (node.coming, node.rise) = (0.0, 0.0);
            if !go_on {
                continue;
            }
            let change = node.change;
            let mut above = 0.0_f32;
            for link in links {
                let below = &nodes[link.to as usize];
                link.fall += change - if link.below == Below::Slope { below.change } else { 0.0 };
                link.excess += change - if link.below == Below::Edge { 0.0 } else { below.change };
                above = above.max(above_plane(link, below));
            }
            nodes[place].stand(above);
        }
    }

    /// From the lowest pile up: how much of each moves, from what those below it do, and what drives it by itself.
    fn find_drives(&mut self) {
        for place in 0..self.net.nodes.len() {
            let leaving = self.net.links_of(place);
            let Net { nodes, causes, links, .. } = &mut *self.net;
            let links = &links[leaving];
            let heights = links.iter().map(|link| above_plane(link, &nodes[link.to as usize]));
            let above = heights.fold(0.0, f32::max);
            nodes[place].stand(above);
            let Node { above, mobile, .. } = nodes[place];
            if mobile <= 0.0 {
                continue;
            }
            let top = causes[place].top;
            let mut above_foot = 0.0_f32;
            for link in links.iter().filter(|link| link.below == Below::Slope) {
                let to = link.to as usize;
                if above_plane(link, &nodes[to]) >= above {
                    above_foot = above_foot.max((top - causes[to].top) as f32 + causes[to].above_foot);
                }
            }
            let cause = &mut causes[place];
            (cause.above_foot, cause.drive) = (above_foot, above.max(above_foot * cause.layer));
        }
    }

    /// From the highest pile down: how fast each is. What comes down drives what is before it.
    fn find_speeds(&mut self, law: &SpeedLaw) {
        let per_height = 2.0 * law.gravity_m_s2 * law.voxel_size_m / HEIGHT_ONE as f32;
        for place in (0..self.net.nodes.len()).rev() {
            let leaving = self.net.links_of(place);
            let Net { nodes, causes, links, .. } = &mut *self.net;
            let (node, Cause { drive, force, .. }) = (&mut nodes[place], causes[place]);
            if drive <= 0.0 {
                continue;
            }
            node.speed_m_s = (per_height * force * drive.max(SLOWEST_DRIVE)).sqrt();
            if node.mobile <= 0.0 {
                continue;
            }
            for link in links[leaving].iter().filter(|link| link.below != Below::Edge) {
                let below = &mut causes[link.to as usize];
                below.drive = below.drive.max(drive);
            }
        }
    }
}

impl Node {
    /// Says how far the pile stands above the plane through its foot, and so how much of it moves.
    #[inline]
    fn stand(&mut self, above: f32) {
        let mobile = above.min(self.depth);
        (self.above, self.mobile) = if mobile > TOLERANCE as f32 { (above, mobile) } else { (0.0, 0.0) };
    }
}

/// How far the upper pile of a link stands above the plane through the foot of the slope, where the lower one is `below`.
#[inline]
fn above_plane(link: &Link, below: &Node) -> f32 {
    match link.below {
        Below::Slope => link.fall + below.above,
        Below::Wedge | Below::Edge => link.fall,
    }
}

/// What of an excess goes in a pass by itself, in which soil crosses `share` of a column. Less than a little lets it lie, though
/// what comes from above may pass; the last of it goes at once, or it would be handed on for ever in crumbs.
#[inline]
pub(super) fn part_of(excess: f32, share: f32) -> f32 {
    if excess > TOLERANCE as f32 { (excess * share).max(excess.min(CRUMB) * MOST_SHARE) } else { 0.0 }
}
