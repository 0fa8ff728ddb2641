//! What a part of an edit made, before it is stored: parts are made on all threads and stored in their order, so that the archive is
//! the same for any number of threads.

use super::leaf::Leaf;
use super::leaf_words::Form;
use super::store::Store;
use super::subtree::Subtree;

/// Memory of a node of a draft once it is stored, at most (bytes).
const NODE_BYTES: u64 = 64;

/// What came of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// Something that is stored.
    Is(Subtree),
    /// A leaf of the draft.
    Leaf(u32),
    /// A node of the draft.
    Node(u32),
}

/// New leaves and nodes, children before their parents.
#[derive(Debug, Default)]
pub(super) struct Draft {
    words: Vec<u64>,
    /// Where the words of each leaf begin.
    leaves: Vec<(u32, Form)>,
    nodes: Vec<(u32, [Made; 8])>,
}

impl Draft {
    /// The leaf of these words.
    pub fn leaf(&mut self, form: Form, words: &[u64]) -> Made {
        if let Form::Whole(material) = form {
            return Made::Is(Subtree::whole(material));
        }
        self.leaves.push((self.words.len() as u32, form));
        self.words.extend_from_slice(words);
        Made::Leaf(self.leaves.len() as u32 - 1)
    }

    /// The node of these children.
    pub fn node(&mut self, level: u32, children: [Made; 8]) -> Made {
        if let Made::Is(first) = children[0] {
            let may_be_one = first.is_uniform() || first == Subtree::BASE;
            if may_be_one && children.iter().all(|child| *child == children[0]) {
                return children[0];
            }
        }
        self.nodes.push((level, children));
        Made::Node(self.nodes.len() as u32 - 1)
    }

    /// Memory that it takes at most when it is stored (bytes).
    pub fn bytes(&self) -> u64 {
        self.words.len() as u64 * 8 + self.nodes.len() as u64 * NODE_BYTES
    }

    /// Stores all of it; gives what `made` has become.
    pub fn enter(self, made: Made, store: &mut Store) -> Subtree {
        let ends = self.leaves.iter().skip(1).map(|(start, _)| *start).chain([self.words.len() as u32]);
        let leaves: Vec<Subtree> = (self.leaves.iter().zip(ends))
            .map(|(&(start, form), end)| store.enter_leaf(form, &self.words[start as usize..end as usize]))
            .collect();
        let mut nodes: Vec<Subtree> = Vec::with_capacity(self.nodes.len());
        let stored = |made: Made, nodes: &[Subtree]| match made {
            Made::Is(tree) => tree,
            Made::Leaf(at) => leaves[at as usize],
            Made::Node(at) => nodes[at as usize],
        };
        for (level, children) in self.nodes {
            let node = store.enter_node(level, children.map(|child| stored(child, &nodes)));
            nodes.push(node);
        }
        stored(made, &nodes)
    }
}

/// A leaf in the hand, with its words before and after.
#[derive(Debug, Default)]
pub(super) struct Hand {
    pub leaf: Leaf,
    pub before: Vec<u64>,
    pub after: Vec<u64>,
}
