//! The nodes of one level, each stored once, with what is counted in them beside.

use super::chains::{Chained, Chains, NONE, finish, mix};
use super::segments::Segments;
use super::subtree::{FIRST_ID, Subtree, Summary};

/// From this level on nodes of several materials keep how much there is of each.
pub(super) const TALLIED: u32 = 4;

const MARK: u32 = 1 << 31;
const SEVERAL: u32 = 1 << 8;
const HAS_BASE: u32 = 1 << 9;
const SOLID_SHIFT: u32 = 10;
/// Stands in the second child of a record that is free.
const FREED: Subtree = Subtree(u32::MAX);

/// Materials in their order, with how many voxels there are of each.
pub(super) type Tally = Box<[(u8, u64)]>;

/// A node: 44 bytes.
#[derive(Clone, Debug)]
struct Node {
    children: [Subtree; 8],
    solid_low: u32,
    /// Material 8 bits, several 1, base 1, upper bits of the solid voxels 22.
    rest: u32,
    /// Next of the chain 31 bits, mark 1.
    next: u32,
}

/// The nodes of one level.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    records: Segments<Node>,
    /// As long as the records where this level is tallied, else empty.
    tallies: Segments<Option<Tally>>,
    is_tallied: bool,
    chains: Chains,
    free: u32,
    tally_bytes: u64,
}

impl Nodes {
    pub fn new(level: u32) -> Self {
        Self {
            records: Segments::new(),
            tallies: Segments::new(),
            is_tallied: level >= TALLIED,
            chains: Chains::new(),
            free: NONE,
            tally_bytes: 0,
        }
    }

    #[inline]
    pub fn children(&self, id: u32) -> &[Subtree; 8] {
        &self.node(id).children
    }

    #[inline]
    pub fn summary(&self, id: u32) -> Summary {
        let node = self.node(id);
        Summary {
            solid: u64::from(node.rest >> SOLID_SHIFT) << 32 | u64::from(node.solid_low),
            material: node.rest as u8,
            several: node.rest & SEVERAL != 0,
            has_base: node.rest & HAS_BASE != 0,
        }
    }

    /// How much of each material there is, where that is kept.
    pub fn tally(&self, id: u32) -> Option<&Tally> {
        if self.is_tallied { self.tallies.get((id - FIRST_ID) as usize).as_ref() } else { None }
    }

    /// The node of these children, if there is one; it gets mark `found`, if given.
    pub fn find(&mut self, children: &[Subtree; 8], found: Option<bool>) -> Option<u32> {
        let mut id = self.first_of(hash_children(children));
        while id != NONE {
            if self.node(id).children == *children {
                if let Some(mark) = found {
                    self.set_mark(id, mark);
                }
                return Some(id);
            }
            id = self.next_of(id);
        }
        None
    }

    /// A new node.
    pub fn add(&mut self, children: [Subtree; 8], summary: Summary, tally: Option<Tally>, born: bool) -> u32 {
        let rest = u32::from(summary.material)
            | if summary.several { SEVERAL } else { 0 }
            | if summary.has_base { HAS_BASE } else { 0 }
            | ((summary.solid >> 32) as u32) << SOLID_SHIFT;
        let node = Node { children, solid_low: summary.solid as u32, rest, next: NONE };
        self.tally_bytes += tally_bytes(tally.as_ref());
        let id = if self.free != NONE {
            let id = self.free;
            self.free = self.node(id).children[0].0;
            *self.records.get_mut((id - FIRST_ID) as usize) = node;
            if self.is_tallied {
                *self.tallies.get_mut((id - FIRST_ID) as usize) = tally;
            }
            id
        } else {
            let id = self.records.len() as u32 + FIRST_ID;
            assert!(id < MARK, "an archive holds at most 2^31 nodes of a level");
            self.records.push(node);
            if self.is_tallied {
                self.tallies.push(tally);
            }
            id
        };
        self.chain(id, hash_children(&children));
        self.set_mark(id, born);
        id
    }

    pub fn mark(&self, id: u32) -> bool {
        self.node(id).next & MARK != 0
    }

    pub fn set_mark(&mut self, id: u32, mark: bool) {
        let node = self.node_mut(id);
        node.next = if mark { node.next | MARK } else { node.next & !MARK };
    }

    pub fn count(&self) -> usize {
        self.chains.records()
    }

    /// Memory of what is stored (bytes).
    pub fn bytes_in_use(&self) -> u64 {
        (self.count() * size_of::<Node>()) as u64 + self.tally_bytes
    }

    /// Memory that is set aside (bytes).
    pub fn bytes(&self) -> u64 {
        self.records.bytes() + self.tallies.bytes() + self.tally_bytes + self.chains.bytes()
    }

    /// Looks at some nodes from number `from` on and frees those that do not bear `live`. The number to go on from; none: no more.
    pub fn sweep(&mut self, from: usize, some: usize, live: bool) -> Option<usize> {
        let end = self.records.len().min(from + some);
        for at in from..end {
            let id = at as u32 + FIRST_ID;
            if self.node(id).children[1] != FREED && self.mark(id) != live {
                self.free_node(id);
            }
        }
        (end < self.records.len()).then_some(end)
    }

    fn free_node(&mut self, id: u32) {
        self.unchain(id);
        let free = std::mem::replace(&mut self.free, id);
        let node = self.node_mut(id);
        (node.children[0], node.children[1]) = (Subtree(free), FREED);
        if self.is_tallied {
            let tally = self.tallies.get_mut((id - FIRST_ID) as usize).take();
            self.tally_bytes -= tally_bytes(tally.as_ref());
        }
    }

    #[inline]
    fn node(&self, id: u32) -> &Node {
        self.records.get((id - FIRST_ID) as usize)
    }

    fn node_mut(&mut self, id: u32) -> &mut Node {
        self.records.get_mut((id - FIRST_ID) as usize)
    }
}

impl Chained for Nodes {
    fn chains(&self) -> &Chains {
        &self.chains
    }

    fn chains_mut(&mut self) -> &mut Chains {
        &mut self.chains
    }

    fn next_of(&self, id: u32) -> u32 {
        self.node(id).next & !MARK
    }

    fn set_next_of(&mut self, id: u32, next: u32) {
        let node = self.node_mut(id);
        node.next = node.next & MARK | next;
    }

    fn hash_of(&self, id: u32) -> u32 {
        hash_children(&self.node(id).children)
    }
}

fn tally_bytes(tally: Option<&Tally>) -> u64 {
    tally.map_or(0, |tally| size_of_val(&tally[..]) as u64)
}

fn hash_children(children: &[Subtree; 8]) -> u32 {
    let pair = |at: usize| u64::from(children[at].0) << 32 | u64::from(children[at + 1].0);
    finish([0, 2, 4, 6].into_iter().fold(0, |hash, at| mix(hash, pair(at))))
}
