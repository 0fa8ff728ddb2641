//! Giving back what no version needs any more, a little at a time: first all that can be reached from a version is marked, then all
//! that is not marked is freed, from the top down, so that what is found again in the meantime is whole.

use super::cube::{LEAF, TOP};
use super::store::Store;
use super::subtree::{Part, Subtree};

/// How far it has come.
#[derive(Clone, Debug, Default)]
pub(super) enum Collector {
    /// There is nothing to do.
    #[default]
    Idle,
    /// Something can be reached and was not looked at yet.
    Marking(Vec<(Subtree, u32)>),
    /// From this number on nodes of a level are to be freed.
    Nodes(u32, usize),
    /// From this place on leaves are to be freed.
    Leaves(u64),
}

impl Collector {
    /// Begins anew: `roots` with their levels are kept.
    pub fn begin(&mut self, store: &mut Store, roots: Vec<(Subtree, u32)>) {
        store.marks.live = !store.marks.live;
        store.marks.marking = true;
        *self = Self::Marking(roots);
    }

    pub fn is_idle(&self) -> bool {
        matches!(self, Self::Idle)
    }

    /// Keeps one more.
    pub fn keep(&mut self, tree: Subtree, level: u32) {
        if let Self::Marking(open) = self {
            open.push((tree, level));
        }
    }

    /// Looks at up to `some` leaves and nodes. True when there is more to do.
    pub fn work(&mut self, store: &mut Store, some: usize) -> bool {
        let some = some.max(1);
        match self {
            Self::Idle => {}
            Self::Marking(open) => {
                for _ in 0..some {
                    let Some((tree, level)) = open.pop() else { break };
                    mark(store, tree, level, open);
                }
                if open.is_empty() {
                    store.marks.marking = false;
                    *self = Self::Nodes(TOP, 0);
                }
            }
            Self::Nodes(level, from) => {
                let live = store.marks.live;
                *self = match store.nodes_mut(*level).sweep(*from, some, live) {
                    Some(next) => Self::Nodes(*level, next),
                    None if *level > LEAF + 1 => Self::Nodes(*level - 1, 0),
                    None => Self::Leaves(0),
                };
            }
            Self::Leaves(from) => {
                let live = store.marks.live;
                *self = store.leaves.sweep(*from, some, live).map_or(Self::Idle, Self::Leaves);
            }
        }
        !self.is_idle()
    }
}

fn mark(store: &mut Store, tree: Subtree, level: u32, open: &mut Vec<(Subtree, u32)>) {
    let live = store.marks.live;
    match tree.part() {
        Part::Whole(_) | Part::Base => {}
        Part::Even(id) => store.leaves.set_mark(id, live),
        Part::Stored(id) if level == LEAF => store.leaves.set_mark(id, live),
        Part::Stored(id) => {
            let nodes = store.nodes_mut(level);
            if nodes.mark(id) != live {
                nodes.set_mark(id, live);
                open.extend(nodes.children(id).map(|child| (child, level - 1)));
            }
        }
    }
}
