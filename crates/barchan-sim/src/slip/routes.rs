//! The flows of a round by where they go to.

use super::flow::Flow;
use crate::columns::Field;

/// The flows by where they go to: found while it is not yet known how much goes.
pub(super) struct Routes {
    /// Piles in their tiles, and the places of flows to them, in the order of tiles, piles and flows.
    arriving: Vec<(u32, u32)>,
    /// The tiles that they go to, in their order, and how many go there.
    tiles: Vec<(u32, usize)>,
}

impl Routes {
    /// The routes of `flows` in `field`.
    pub fn of(flows: &[Flow], field: &Field) -> Self {
        let (first_piles, count) = field.first_piles();
        let mut ends = vec![0_u32; count];
        let place = |flow: &Flow| first_piles[flow.to.tile as usize] + flow.to.pile as usize;
        flows.iter().for_each(|flow| ends[place(flow)] += 1);
        let mut tiles = Vec::new();
        let mut end = 0;
        for ((tile, number), first) in field.tiles().iter().zip(0..).zip(&first_piles) {
            let before = end;
            for place in &mut ends[*first..first + tile.piles().len()] {
                (*place, end) = (end, end + *place);
            }
            if end > before {
                tiles.push((number, (end - before) as usize));
            }
        }
        let mut arriving = vec![(0, 0); flows.len()];
        for (flow, number) in flows.iter().zip(0..) {
            let next = &mut ends[place(flow)];
            arriving[*next as usize] = (flow.to.pile, number);
            *next += 1;
        }
        Self { arriving, tiles }
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
