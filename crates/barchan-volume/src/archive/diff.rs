//! What differs between two versions: only what is not shared is looked at.

use super::cube::{Cube, LEAF};
use super::store::Store;
use super::subtree::Subtree;

/// Adds the cubes of level `finest` or above in which `a` and `b` differ, in order. Where both are of one value, but not the same,
/// the whole cube is told.
pub(super) fn differing(
    store: &Store,
    (a, b): (Subtree, Subtree),
    cube: Cube,
    finest: u32,
    out: &mut Vec<Cube>,
) {
    if a == b {
        return;
    }
    if cube.level <= finest.max(LEAF) || a.is_uniform() && b.is_uniform() {
        out.push(cube);
        return;
    }
    for at in 0..8 {
        let parts = (store.eighth(a, cube.level, at), store.eighth(b, cube.level, at));
        differing(store, parts, cube.eighth(at), finest, out);
    }
}
