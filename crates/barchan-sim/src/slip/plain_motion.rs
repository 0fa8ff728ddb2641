//! What moves in a round as it is written down: flow by flow, with a list of flows for each pile. What [`Motion`] finds
//! faster must be the same to the last bit.

use rustc_hash::FxHashMap;

use super::apply::Heights;
use super::flow::{Drive, Flow, NEARLY, TOLERANCE};
use super::law::{Law, keep_one_per_pair};
use super::links::whole;
use super::motion::{MOST_SHARE, Motion, PASSES, Span, THINNEST_LAYER};
use super::net::{FINEST, Net};
use super::rough_ground::{Lots, rough_field};
use super::slip::Site;
use super::sweep::{SLOWEST_DRIVE, part_of};
use crate::columns::{Field, HEIGHT_ONE, PileRef};
use crate::material::{Materials, STANDARD_GRAVITY};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Slope,
    Wedge,
    Edge,
}

struct PlainLink {
    from: usize,
    to: usize,
    kind: Kind,
    per_distance: f32,
    fall: f32,
    excess: f32,
    height: f32,
    total: f32,
}

#[derive(Default)]
struct PlainPile {
    top: i64,
    depth: f32,
    links: Vec<usize>,
    force: f32,
    layer: f32,
    above: f32,
    mobile: f32,
    above_foot: f32,
    drive: f32,
    speed: f32,
    coming: i32,
    rise: f32,
    part: f32,
    change: f32,
    gives: bool,
}

struct Plain {
    /// From the lowest up.
    piles: Vec<PlainPile>,
    /// As the flows.
    links: Vec<PlainLink>,
}

impl Plain {
    fn new(flows: &[Flow], field: &Field) -> Self {
        let mut order: Vec<PileRef> = flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
        order.sort_unstable();
        order.dedup();
        let top = |at: &PileRef| field.pile(*at).top;
        let lowest = order.iter().map(top).min().unwrap_or(0);
        order.sort_by_key(|at| (top(at) - lowest) / FINEST);
        let places: FxHashMap<PileRef, usize> =
            order.iter().zip(0..).map(|(at, place)| (*at, place)).collect();
        let link = |flow: &Flow| {
            let (kind, fall) = match flow.drive {
                Drive::Wedge { above, .. } => (Kind::Wedge, above),
                _ if flow.over_edge_z.is_some() => (Kind::Edge, flow.excess),
                _ => (Kind::Slope, flow.excess),
            };
            let per_distance = flow.weight / (i64::from(flow.excess) + NEARLY) as f32;
            let (fall, excess) = (fall as f32, flow.excess as f32);
            let (from, to) = (places[&flow.from], places[&flow.to]);
            PlainLink { from, to, kind, per_distance, fall, excess, height: 0.0, total: 0.0 }
        };
        let links: Vec<PlainLink> = flows.iter().map(link).collect();
        let pile = |(at, place): (&PileRef, usize)| {
            let pile = field.pile(*at);
            let leaving: Vec<usize> = (0..links.len()).filter(|link| links[*link].from == place).collect();
            let steepest =
                leaving.iter().copied().reduce(|a, b| if flows[b].weight > flows[a].weight { b } else { a });
            let (force, layer) = match steepest.map(|link| flows[link].drive) {
                Some(Drive::Slope { force, .. }) => (force, THINNEST_LAYER),
                Some(Drive::Floor { force }) => (force, 1.0),
                Some(Drive::Wedge { force, .. }) => (force, 0.0),
                None => (0.0, 0.0),
            };
            let depth = (pile.top - pile.floor) as f32;
            PlainPile {
                top: pile.top,
                depth,
                links: leaving,
                force,
                layer,
                part: 1.0,
                ..PlainPile::default()
            }
        };
        let piles = order.iter().zip(0..).map(pile).collect();
        Self { piles, links }
    }

    fn above_plane(&self, link: usize) -> f32 {
        let PlainLink { kind, fall, to, .. } = self.links[link];
        if kind == Kind::Slope { fall + self.piles[to].above } else { fall }
    }

    fn stand(&mut self, place: usize) {
        let above = self.piles[place].links.iter().map(|link| self.above_plane(*link)).fold(0.0, f32::max);
        let pile = &mut self.piles[place];
        let mobile = above.min(pile.depth);
        (pile.above, pile.mobile) = if mobile > TOLERANCE as f32 { (above, mobile) } else { (0.0, 0.0) };
    }

    fn find_speeds(&mut self, law: &Law) {
        for place in 0..self.piles.len() {
            self.stand(place);
            let pile = &self.piles[place];
            if pile.mobile <= 0.0 {
                continue;
            }
            let steepest = pile.links.iter().map(|link| (&self.links[*link], self.above_plane(*link)));
            let steepest = steepest.filter(|(link, above)| link.kind == Kind::Slope && *above >= pile.above);
            let above_foot = steepest.map(|(link, _)| {
                let below = &self.piles[link.to];
                (pile.top - below.top) as f32 + below.above_foot
            });
            let above_foot = above_foot.fold(0.0, f32::max);
            let drive = pile.above.max(above_foot * pile.layer);
            (self.piles[place].above_foot, self.piles[place].drive) = (above_foot, drive);
        }
        let per_height = 2.0 * law.gravity_m_s2 * law.voxel_size_m / HEIGHT_ONE as f32;
        for place in (0..self.piles.len()).rev() {
            let PlainPile { drive, force, mobile, .. } = self.piles[place];
            if drive <= 0.0 {
                continue;
            }
            self.piles[place].speed = (per_height * force * drive.max(SLOWEST_DRIVE)).sqrt();
            let below = self.piles[place].links.iter().map(|link| &self.links[*link]);
            let below: Vec<usize> =
                below.filter(|link| link.kind != Kind::Edge).map(|link| link.to).collect();
            for below in below.into_iter().filter(|_| mobile > 0.0) {
                self.piles[below].drive = self.piles[below].drive.max(drive);
            }
        }
    }

    fn give(&mut self, pass: u32, columns_per_speed: f32) {
        for place in (0..self.piles.len()).rev() {
            self.piles[place].gives = false;
            let PlainPile { mobile, speed, coming, ref links, .. } = self.piles[place];
            let share = (speed * columns_per_speed - pass as f32 * MOST_SHARE).clamp(0.0, MOST_SHARE);
            let links = links.clone();
            let weight = |link: &PlainLink| match link.kind {
                Kind::Wedge => 1.0,
                Kind::Slope | Kind::Edge => (link.excess + NEARLY as f32).max(0.0) * link.per_distance,
            };
            let weights: f32 = links.iter().map(|link| weight(&self.links[*link])).fold(0.0, |a, b| a + b);
            if mobile <= 0.0 || share <= 0.0 || weights <= 0.0 {
                continue;
            }
            self.piles[place].gives = true;
            let fall = links.iter().map(|link| self.links[*link].fall).fold(0.0, f32::max);
            let own = part_of(fall.min(mobile), share);
            let given = (mobile * share).max(own).min(coming as f32 + own) / weights;
            for link in links {
                let link = &mut self.links[link];
                link.height = weight(link) * given;
                let to = &mut self.piles[link.to];
                to.coming += whole(link.height);
                to.rise = to.rise.max(part_of(link.excess, share));
            }
        }
    }

    fn take(&mut self) {
        for place in 0..self.piles.len() {
            let links = self.piles[place].links.clone();
            let mut given = 0.0;
            for link in links.iter().filter(|_| self.piles[place].gives) {
                let link = &mut self.links[*link];
                link.height *= self.piles[link.to].part;
                link.total += link.height;
                given += link.height;
            }
            let pile = &mut self.piles[place];
            let coming = pile.coming as f32;
            let taken = coming.min(given + pile.rise);
            pile.part = if coming > 0.0 { taken / coming } else { 1.0 };
            pile.change = taken - given;
            pile.depth += pile.change;
            (pile.coming, pile.rise) = (0, 0.0);
            let change = pile.change;
            for link in links {
                let link = &mut self.links[link];
                let below = self.piles[link.to].change;
                link.fall += change - if link.kind == Kind::Slope { below } else { 0.0 };
                link.excess += change - if link.kind == Kind::Edge { 0.0 } else { below };
            }
            self.stand(place);
        }
    }
}

#[test]
fn piles_give_and_take_as_flow_by_flow() {
    let (materials, mut lots) = (Materials::builtin(), Lots(7));
    let (mut net, mut going, mut wedges, mut over_edges, mut crossings) = (Net::default(), 0, 0, 0, 0);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
    let pools = [1, 3].map(pool);
    for world in 0..16 {
        let voxel_size_m = [0.05, 0.1, 0.3, 1.0][world % 4];
        let dt_s = [1.0 / 60.0, 0.2][world / 8];
        let field = rough_field(&mut lots, voxel_size_m, &materials);
        let law = Law::new(&materials, STANDARD_GRAVITY, voxel_size_m);
        let tiles: Vec<u32> = (0..field.tiles().len() as u32).collect();
        let mut flows = Vec::new();
        law.pair_flows(&field, &tiles, &Site::default(), &mut flows);
        flows.extend(law.wedge_flows(&field, tiles.len()).0);
        keep_one_per_pair(&mut flows);
        // There are hardly any edges in such ground.
        flows.iter_mut().step_by(11).for_each(|flow| flow.over_edge_z = Some(0));

        let mut plain = Plain::new(&flows, &field);
        plain.find_speeds(&law);
        for pass in 0..PASSES {
            plain.give(pass, dt_s / voxel_size_m);
            plain.take();
        }
        for sections in [1, 2, 3, 5] {
            net.lay_in_sections(&flows, &field, sections, 1);
            crossings += net.parts().1.len();
            let span = Span::of_step(dt_s, 0, voxel_size_m);
            let motion = pools[sections % 2].install(|| Motion::of(&mut net, &law.speed(), &span, || ()).0);
            for number in 0..flows.len() {
                let height = motion.heights().of_flow(number);
                assert_eq!(height, plain.links[number].total as i64, "flow {number} in world {world}");
                going += usize::from(height > 0);
                wedges += usize::from(plain.links[number].kind == Kind::Wedge);
                over_edges += usize::from(plain.links[number].kind == Kind::Edge);
            }
        }
    }
    assert!(going > 1000 && wedges > 100 && over_edges > 100, "{going}, {wedges} and {over_edges} flows");
    assert!(crossings > 100, "{crossings} go from one section to another");
}
