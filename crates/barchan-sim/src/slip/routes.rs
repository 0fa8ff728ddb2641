//! The flows of a round by where they go to.

use rayon::prelude::*;

use super::flow::Flow;

/// The flows by where they go to: found while it is not yet known how much goes.
pub(super) struct Routes {
    /// Piles in their tiles, and the places of flows to them, in the order of tiles and piles.
    arriving: Vec<(u32, u32)>,
    /// The tiles that they go to, in their order, and how many go there.
    tiles: Vec<(u32, usize)>,
}

impl Routes {
    /// The routes of `flows` in a field of so many tiles.
    pub fn of(flows: &[Flow], tiles: usize) -> Self {
        let mut ends = vec![0_usize; tiles];
        flows.iter().for_each(|flow| ends[flow.to.tile as usize] += 1);
        let groups =
            ends.iter().zip(0..).filter(|(count, _)| **count > 0).map(|(count, tile)| (tile, *count));
        let groups: Vec<(u32, usize)> = groups.collect();
        let mut end = 0;
        for place in &mut ends {
            (*place, end) = (end, end + *place);
        }
        let mut arriving = vec![(0, 0); flows.len()];
        for (flow, number) in flows.iter().zip(0..) {
            let place = &mut ends[flow.to.tile as usize];
            arriving[*place] = (flow.to.pile, number);
            *place += 1;
        }
        let mut of_tiles = Vec::with_capacity(groups.len());
        let mut rest = &mut arriving[..];
        for (_, count) in &groups {
            let (of_tile, others) = rest.split_at_mut(*count);
            of_tiles.push(of_tile);
            rest = others;
        }
        of_tiles.into_par_iter().with_min_len(4).for_each(|of_tile| of_tile.sort_unstable());
        Self { arriving, tiles: groups }
    }

    /// The tiles that flows go to, with those flows.
    pub fn by_tile(&self) -> Vec<(u32, &[(u32, u32)])> {
        let mut rest = &self.arriving[..];
        let mut of_tile = |&(tile, count): &(u32, usize)| {
            let (first, others) = rest.split_at(count);
            rest = others;
            (tile, first)
        };
        self.tiles.iter().map(&mut of_tile).collect()
    }
}
