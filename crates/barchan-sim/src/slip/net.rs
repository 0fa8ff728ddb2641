//! The piles of some tiles, and the faces between neighbours of them: where soil may go from one to another.
//!
//! Piles are nodes, in the order of their tiles and columns and upwards in each; faces stand in the order of the piles behind
//! them. Two piles share a face where their openings overlap, so there are as many levels as the ground has.

use glam::{IVec2, IVec3};
use rayon::prelude::*;

use super::footing::{Footing, Side};
use super::law::Law;
use super::sliding::{Bed, Block, FASTEST_M_S, PileKey, Sliding, Stream};
use crate::columns::{Field, HEIGHT_ONE, Pile, PileRef};
use crate::in_parts::InParts;

/// No node, no face.
pub(super) const NONE: u32 = u32::MAX;

/// Directions to neighbours: the opposite of each has the number with the last bit turned. Those of the four sides come first.
pub(super) const STEPS: [IVec2; 4] =
    [IVec2::new(-1, 0), IVec2::new(1, 0), IVec2::new(0, -1), IVec2::new(0, 1)];

/// The two sides that each of the diagonals 4 to 7 lies between.
const CORNERS: [[usize; 2]; 4] = [[0, 2], [1, 3], [0, 3], [1, 2]];

/// How far the floor of a pile may rise or sink in a step for what moves on it to go on (voxels): bodies come no further in a part of it.
const MOST_RISE: u32 = 2;

/// Nodes and faces that are worth a thread's while.
pub(super) const AT_ONCE: usize = 512;

/// A pile. Heights in 1/32,768 voxel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub at: PileRef,
    pub key: PileKey,
    pub top: i64,
    pub floor: i64,
    pub ceiling: i64,
    /// Nothing moves below this.
    pub firm: i64,
    /// Its main faces, by direction.
    pub faces: [u32; 4],
    /// The nodes behind these, then those at the corners.
    pub near: [u32; 8],
    /// Class of strength of its uppermost soil.
    pub class: u32,
    /// Its place among the smooth sides of bodies, if it lies on one along which it may slide.
    pub side: u32,
    /// Units in a voxel of its uppermost soil once it has moved.
    pub capacity: u32,
    /// All its soil (units).
    pub soil: u32,
    /// True when its tile is live.
    pub is_live: bool,
    /// True when it has more faces than the main ones.
    pub has_more: bool,
    /// Its place among the blocks, if one that slides as a whole takes it along.
    pub block: u32,
}

/// Where two piles meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// The node on the lesser side of the axis.
    pub back: u32,
    /// The node on the greater side.
    pub ahead: u32,
    /// 0: along x, 1: along y.
    pub axis: u8,
    /// True when one of the nodes is live.
    pub is_live: bool,
}

/// A tile of a net.
#[derive(Clone, Copy, Debug)]
pub(super) struct NetTile {
    pub coord: IVec2,
    /// Its place in the field.
    pub place: u32,
    pub first_node: u32,
    pub nodes: u32,
    /// True where soil may begin to move; of the others only the heights are asked.
    pub is_live: bool,
    /// The numbers of the tiles around it in the net, x slowest.
    around: [u32; 9],
}

impl NetTile {
    /// The numbers of the tiles that a pile of this one borders on.
    pub fn beside(&self, key: PileKey) -> impl Iterator<Item = u32> + '_ {
        let side = |at: i32| i32::from(at & 7 == 7) - i32::from(at & 7 == 0);
        let [x, y] = key.column.map(side);
        let number = |x: i32, y: i32| self.around[((x + 1) * 3 + y + 1) as usize];
        let beside = [(x, 0), (0, y), (x, y)].into_iter().filter(|at| *at != (0, 0));
        beside.map(move |(x, y)| number(x, y)).filter(|number| *number != NONE)
    }
}

/// Piles, faces, and what moves.
#[derive(Default)]
pub(super) struct Net {
    pub tiles: Vec<NetTile>,
    pub nodes: Vec<Node>,
    pub faces: Vec<Face>,
    /// Faces that are not among the main ones of a node, in the order of nodes.
    more: Vec<(u32, u32)>,
    pub sides: Vec<Side>,
    pub blocks: Vec<Block>,
    /// Of nodes: the bed on which soil moves (1/32,768 voxel).
    pub beds: Vec<i64>,
    /// Of faces (m/s).
    pub velocity: Vec<f32>,
    /// Of faces: what is left of the last flow and less than a unit (units).
    pub rest: Vec<f32>,
}

/// What nets are laid from.
pub(super) struct Site<'a> {
    pub field: &'a Field,
    pub law: &'a Law,
    /// By place of tile.
    pub footings: &'a [Option<Footing>],
    /// In the order of nodes.
    pub blocks: &'a [Block],
}

impl Net {
    /// The net of the tiles at these coordinates, which are sorted; `is_live` tells which are.
    pub fn lay(tiles: &[(IVec2, bool)], site: &Site<'_>, sliding: &Sliding) -> Self {
        let mut net = Self::default();
        let mut first_node = 0;
        for &(coord, is_live) in tiles {
            let Some(place) = site.field.place(coord) else { continue };
            let nodes = site.field.tiles()[place as usize].piles().len() as u32;
            net.tiles.push(NetTile { coord, place, first_node, nodes, is_live, around: [NONE; 9] });
            first_node += nodes;
        }
        for tile in &net.tiles {
            let footing = site.footings.get(tile.place as usize).and_then(Option::as_ref);
            for (pile, number) in site.field.tiles()[tile.place as usize].piles().iter().zip(0..) {
                let side = footing.and_then(|footing| footing.under(pile));
                let side = side.map_or(NONE, |side| {
                    net.sides.push(*side);
                    net.sides.len() as u32 - 1
                });
                let at = PileRef { tile: tile.place, pile: number };
                net.nodes.push(Node::of(pile, at, tile, side));
            }
        }
        net.lay_faces(site.field);
        net.find_corners();
        net.take_up(sliding);
        net.take_blocks(site.blocks);
        net.look_again(site);
        net
    }

    /// The nodes of one tile.
    pub fn nodes_of(&self, tile: &NetTile) -> std::ops::Range<usize> {
        tile.first_node as usize..(tile.first_node + tile.nodes) as usize
    }

    fn lay_faces(&mut self, field: &Field) {
        let mut place_in_net = vec![NONE; field.tiles().len()];
        for (tile, number) in self.tiles.iter().zip(0..) {
            place_in_net[tile.place as usize] = number;
        }
        for tile in &mut self.tiles {
            tile.around = std::array::from_fn(|at| {
                let step = IVec2::new(at as i32 / 3 - 1, at as i32 % 3 - 1);
                field.place(tile.coord + step).map_or(NONE, |place| place_in_net[place as usize])
            });
        }
        let lay = |tile: &NetTile| {
            let mut near = Vec::with_capacity(tile.nodes as usize);
            let mut faces = Vec::with_capacity(2 * tile.nodes as usize);
            for at in self.nodes_of(tile) {
                near.push(self.lay_around(at as u32, tile, field, &mut faces));
            }
            (near, faces)
        };
        let laid: Vec<(Vec<[u32; 4]>, Vec<Face>)> = self.tiles.par_iter().in_parts_of(4).map(lay).collect();
        let mut node = 0;
        for (near, faces) in laid {
            for four in near {
                self.nodes[node].near[..4].copy_from_slice(&four);
                node += 1;
            }
            self.faces.extend(faces);
        }
        for (face, number) in self.faces.iter().zip(0..) {
            let (to_back, to_ahead) = (2 * usize::from(face.axis), 2 * usize::from(face.axis) + 1);
            for (of, other, to) in [(face.back, face.ahead, to_ahead), (face.ahead, face.back, to_back)] {
                let node = &mut self.nodes[of as usize];
                if node.near[to] == other {
                    node.faces[to] = number;
                } else {
                    node.has_more = true;
                    self.more.push((of, number));
                }
            }
        }
        self.more.sort_unstable();
    }

    /// Adds the faces ahead of a node; returns the nodes at its four sides whose floors are nearest to its own.
    fn lay_around(&self, at: u32, tile: &NetTile, field: &Field, faces: &mut Vec<Face>) -> [u32; 4] {
        let node = &self.nodes[at as usize];
        let column = IVec2::new(node.key.column[0] & 7, node.key.column[1] & 7);
        std::array::from_fn(|to| {
            let beside = column + STEPS[to];
            let across: IVec2 = beside >> 3;
            let number = tile.around[((across.x + 1) * 3 + across.y + 1) as usize];
            let Some(other) = self.tiles.get(number as usize) else { return NONE };
            let places =
                field.tiles()[other.place as usize].places((((beside.x & 7) << 3) | (beside.y & 7)) as usize);
            let (mut nearest, mut least) = (NONE, i64::MAX);
            for place in places {
                let number = other.first_node + place as u32;
                let candidate = &self.nodes[number as usize];
                if candidate.ceiling <= node.floor || node.ceiling <= candidate.floor {
                    continue;
                }
                let distance = (candidate.floor - node.floor).abs();
                if distance < least {
                    (nearest, least) = (number, distance);
                }
                if to & 1 == 1 {
                    let is_live = tile.is_live || other.is_live;
                    faces.push(Face { back: at, ahead: number, axis: to as u8 >> 1, is_live });
                }
            }
            nearest
        })
    }

    /// Finds the nodes at the corners: where both ways around lead to the same.
    fn find_corners(&mut self) {
        let nodes = &self.nodes;
        let near = |at: u32, to: usize| if at == NONE { NONE } else { nodes[at as usize].near[to] };
        let corner = |at: usize| {
            CORNERS.map(|[x, y]| {
                let ways = [near(nodes[at].near[x], y), near(nodes[at].near[y], x)];
                if ways[0] == ways[1] { ways[0] } else { NONE }
            })
        };
        let corners: Vec<[u32; 4]> =
            (0..nodes.len()).into_par_iter().with_min_len(AT_ONCE).map(corner).collect();
        for (node, corners) in self.nodes.iter_mut().zip(corners) {
            node.near[4..].copy_from_slice(&corners);
        }
    }

    /// The main faces of a node and all others that it has.
    #[inline]
    pub fn faces_of(&self, at: usize) -> impl Iterator<Item = u32> + '_ {
        let node = &self.nodes[at];
        let more: &[(u32, u32)] = if node.has_more {
            let first = self.more.partition_point(|(of, _)| (*of as usize) < at);
            let end = self.more.partition_point(|(of, _)| (*of as usize) <= at);
            &self.more[first..end]
        } else {
            &[]
        };
        node.faces.into_iter().filter(|face| *face != NONE).chain(more.iter().map(|(_, face)| *face))
    }

    /// What moves, where the floors are now that it moves on: those on bodies rise and sink. None where all are as they were.
    fn followed(&self, sliding: &Sliding) -> Option<Sliding> {
        let mut nodes = self.nodes.iter().map(|node| node.key).peekable();
        let mut is_here = |key: PileKey| {
            while nodes.next_if(|next| *next < key).is_some() {}
            nodes.peek() == Some(&key)
        };
        if sliding.beds.iter().all(|bed| is_here(bed.at)) {
            return None;
        }
        let follow = |key: PileKey| {
            let lowest = PileKey::new(IVec2::from_array(key.column), i32::MIN);
            let first = self.nodes.partition_point(|node| node.key < lowest);
            let of_column = self.nodes[first..].iter().take_while(|node| node.key.column == key.column);
            let off = |node: &&Node| node.key.bottom_z.abs_diff(key.bottom_z);
            of_column.min_by_key(off).filter(|node| off(node) <= MOST_RISE).map_or(key, |node| node.key)
        };
        let mut followed = sliding.clone();
        followed.beds.iter_mut().for_each(|bed| bed.at = follow(bed.at));
        for stream in &mut followed.streams {
            let ahead = IVec2::from_array(stream.at.column) + STEPS[2 * usize::from(stream.axis & 1) + 1];
            stream.to_z = follow(PileKey::new(ahead, stream.to_z)).bottom_z;
            stream.at = follow(stream.at);
        }
        followed.beds.sort_by_key(|bed| bed.at);
        followed.beds.dedup_by_key(|bed| bed.at);
        followed.streams.sort_by_key(Stream::key);
        followed.streams.dedup_by_key(|stream| stream.key());
        Some(followed)
    }

    /// Brings what moves in, as far as its piles and faces are there.
    fn take_up(&mut self, sliding: &Sliding) {
        let followed = self.followed(sliding);
        let sliding = followed.as_ref().unwrap_or(sliding);
        self.beds = self.nodes.iter().map(|node| node.top).collect();
        let mut beds = sliding.beds.iter().peekable();
        for (node, bed) in self.nodes.iter().zip(&mut self.beds) {
            while beds.next_if(|next| next.at < node.key).is_some() {}
            if let Some(next) = beds.next_if(|next| next.at == node.key) {
                *bed = next.height;
            }
        }
        self.velocity = vec![0.0; self.faces.len()];
        self.rest = vec![0.0; self.faces.len()];
        let mut streams = sliding.streams.iter().peekable();
        for (at, face) in self.faces.iter().enumerate() {
            let key = self.stream_key(face);
            while streams.next_if(|next| next.key() < key).is_some() {}
            if let Some(next) = streams.next_if(|next| next.key() == key) {
                self.velocity[at] = next.velocity_m_s.clamp(-FASTEST_M_S, FASTEST_M_S);
                self.rest[at] = next.rest_units;
            }
        }
    }

    fn take_blocks(&mut self, blocks: &[Block]) {
        let mut next = blocks.iter().peekable();
        for node in &mut self.nodes {
            while next.next_if(|block| block.at < node.key).is_some() {}
            if let Some(block) = next.next_if(|block| block.at == node.key) {
                node.block = self.blocks.len() as u32;
                self.blocks.push(*block);
            }
        }
    }

    fn stream_key(&self, face: &Face) -> (PileKey, u8, i32) {
        let [back, ahead] = [face.back, face.ahead].map(|at| self.nodes[at as usize].key);
        (back, face.axis, ahead.bottom_z)
    }

    /// What moves, in order.
    pub fn sliding(&self) -> Sliding {
        let moving = self.faces.iter().enumerate().filter(|(at, _)| self.velocity[*at] != 0.0);
        let streams = moving.map(|(at, face)| {
            let (at_pile, axis, to_z) = self.stream_key(face);
            Stream { at: at_pile, axis, to_z, velocity_m_s: self.velocity[at], rest_units: self.rest[at] }
        });
        let lower = self.nodes.iter().zip(&self.beds).filter(|(node, bed)| **bed < node.top);
        let beds = lower.map(|(node, bed)| Bed { at: node.key, height: *bed });
        Sliding { beds: beds.collect(), streams: streams.collect() }
    }

    /// True when any soil at the faces of a node moves.
    #[inline]
    pub fn is_moving(&self, at: usize) -> bool {
        self.faces_of(at).any(|face| self.velocity[face as usize] != 0.0)
    }

    /// True when all layers that move are thinner than 1/64 voxel.
    pub fn moves_only_crumbs(&self) -> bool {
        let layer = |at: u32| self.nodes[at as usize].top - self.beds[at as usize];
        let moving = self.faces.iter().zip(&self.velocity).filter(|(_, velocity)| **velocity != 0.0);
        moving.map(|(face, _)| layer(face.back).max(layer(face.ahead))).all(|layer| layer < HEIGHT_ONE / 64)
    }

    /// Lets all that moves stop.
    pub fn stop(&mut self) {
        self.velocity.fill(0.0);
        self.rest_beds();
    }

    /// Lets the beds of piles in which nothing moves be their tops.
    pub fn rest_beds(&mut self) {
        for at in 0..self.nodes.len() {
            if !self.is_moving(at) {
                self.beds[at] = self.nodes[at].top;
            }
        }
    }

    /// As [`Net::rest_beds`], where some piles are no longer where they were.
    pub fn rest_beds_as_in(&mut self, field: &Field) {
        for at in 0..self.nodes.len() {
            let Node { at: pile, key, .. } = self.nodes[at];
            let piles = field.tiles()[pile.tile as usize].column(key.column);
            let now = piles.iter().find(|pile| pile.bottom_z == key.bottom_z);
            self.nodes[at].top = now.map_or(i64::MIN, |pile| pile.top);
        }
        self.rest_beds();
    }

    /// The bricks in which the soil lies that moves.
    pub fn moving_bricks(&self) -> Vec<IVec3> {
        let brick = |node: &Node| {
            let z = (node.top - 1).div_euclid(HEIGHT_ONE) as i32 >> 3;
            node.key.tile().extend(z)
        };
        let moving = (0..self.nodes.len()).filter(|at| self.is_moving(*at));
        let mut bricks: Vec<IVec3> = moving.map(|at| brick(&self.nodes[at])).collect();
        bricks.sort_unstable_by_key(|brick| brick.to_array());
        bricks.dedup();
        bricks
    }

    /// True when the piles of a tile are still where they were, whatever lies on them.
    pub fn is_like(&self, tile: &NetTile, field: &Field) -> bool {
        let piles = field.tiles()[tile.place as usize].piles();
        piles.len() == tile.nodes as usize
            && self.nodes[self.nodes_of(tile)].iter().zip(piles).all(|(node, pile)| {
                (node.floor, node.ceiling, node.key.bottom_z) == (pile.floor, pile.ceiling, pile.bottom_z)
                    && node.key.column[0] & 7 == i32::from(pile.column >> 3)
                    && node.key.column[1] & 7 == i32::from(pile.column & 7)
            })
    }

    /// Looks at the heights and soils of all piles again.
    pub fn look_again(&mut self, site: &Site<'_>) {
        for tile in &self.tiles {
            let piles = site.field.tiles()[tile.place as usize].piles();
            let nodes = tile.first_node as usize..(tile.first_node + tile.nodes) as usize;
            for (node, pile) in self.nodes[nodes].iter_mut().zip(piles) {
                node.top = pile.top;
                (node.class, node.soil) = (pile.strength.index() as u32, pile.soil);
            }
        }
        let firm = |at: usize| self.firm(at, site);
        let firm: Vec<(i64, u32)> =
            (0..self.nodes.len()).into_par_iter().with_min_len(AT_ONCE).map(firm).collect();
        for (node, (firm, capacity)) in self.nodes.iter_mut().zip(firm) {
            (node.firm, node.capacity) = (firm, capacity);
        }
    }

    /// The height below which nothing moves in a pile, and how many units of its soil fill a voxel once they have moved.
    fn firm(&self, at: usize, site: &Site<'_>) -> (i64, u32) {
        let node = &self.nodes[at];
        let pile = site.field.pile(node.at);
        if pile.is_bare() {
            return (pile.top, 1);
        }
        let capacity = site.law.capacity(pile.kind, pile.void_ratio);
        let lets_go = self.sides.get(node.side as usize).is_some_and(Side::lets_go);
        let firm = if lets_go {
            pile.floor
        } else if !site.law.is_cohesive[node.class as usize] {
            pile.firm(&site.law.is_cohesive)
        } else if self.is_splinter(at) {
            pile.floor
        } else {
            pile.top
        };
        let plane = self.blocks.get(node.block as usize).map_or(i64::MAX, |block| block.bed);
        (firm.min(self.beds[at]).min(plane).max(pile.floor), capacity)
    }

    /// True for a pile that stands more than a voxel above all around it, alone or with one other. Breaking wedges leave such
    /// splinters behind: no wedge can tell them from the end of a wall, and they crumble.
    fn is_splinter(&self, at: usize) -> bool {
        let top = self.nodes[at].top;
        let is_high = |at: u32| at == NONE || self.nodes[at as usize].top + HEIGHT_ONE >= top;
        let near = self.nodes[at].near;
        let mut high = (0..8).filter(|to| is_high(near[*to]));
        match (high.next(), high.next()) {
            (None, _) => true,
            (Some(to), None) => near[to] != NONE && !is_high(self.nodes[near[to] as usize].near[to]),
            _ => false,
        }
    }
}

impl Node {
    fn of(pile: &Pile, at: PileRef, tile: &NetTile, side: u32) -> Self {
        let column = tile.coord * 8 + IVec2::new(i32::from(pile.column >> 3), i32::from(pile.column & 7));
        Self {
            at,
            key: PileKey::new(column, pile.bottom_z),
            top: pile.top,
            floor: pile.floor,
            ceiling: pile.ceiling,
            firm: pile.top,
            faces: [NONE; 4],
            near: [NONE; 8],
            class: 0,
            side,
            capacity: 1,
            soil: 0,
            is_live: tile.is_live,
            has_more: false,
            block: NONE,
        }
    }
}
