//! From voxels to piles: one walk up a column.

use super::pile::{HEIGHT_ONE, Pile, height_of};
use super::space::{BARRIER_SHARE, FULL_SLACK, is_ledge};
use crate::material::MaterialId;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::Voxel;

/// One layer of a column, as far as piles care.
#[derive(Clone, Copy)]
pub(super) struct Layer {
    pub voxel: Voxel,
    /// Share of rock and bodies (1/32,768).
    pub solid: u32,
    /// Share of soil (1/32,768).
    pub soil: u32,
    /// True when that soil has lost its cohesion.
    pub is_broken: bool,
}

/// Where the walk is.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// The last layer was all rock, body or wall.
    Solid,
    /// In a pile whose last layer was full.
    Rising,
    /// Above the top of a pile.
    Open {
        /// The surface of rock or a body leans through the layer of the top and may go on in the next.
        leaning: bool,
    },
}

/// A walk up one column, layer by layer from the lowest on.
pub(super) struct Walk<'a> {
    piles: &'a mut Vec<Pile>,
    state: State,
    pile: Pile,
}

impl<'a> Walk<'a> {
    /// A walk that starts on a wall and adds what it finds to `piles`.
    pub fn new(piles: &'a mut Vec<Pile>) -> Self {
        Self { piles, state: State::Solid, pile: NONE }
    }

    /// Takes the layer at `z`; above it rock and bodies take `solid_above` of the voxel.
    #[inline]
    pub fn layer(&mut self, z: i32, layer: &Layer, solid_above: u32) {
        let ledge = is_ledge(layer.solid, solid_above);
        let barrier = layer.solid >= BARRIER_SHARE;
        if layer.solid + FULL_SLACK > LOOSE_FULL || barrier && !ledge {
            self.close(height_of(z));
            self.state = State::Solid;
            return;
        }
        match self.state {
            State::Solid => self.open(z, layer, ledge),
            State::Rising if barrier => {
                self.close(height_of(z));
                self.open(z, layer, ledge);
            }
            State::Rising => {}
            State::Open { leaning } if ledge => {
                if leaning && z == self.pile.top_z + 1 {
                    self.pile.floor = height_of(z) + i64::from(layer.solid);
                } else {
                    self.close(height_of(z));
                    self.open(z, layer, ledge);
                }
            }
            State::Open { .. } => return,
        }
        self.rise(z, layer, ledge);
    }

    /// Ends the walk under `ceiling` (1/32,768 voxel).
    pub fn finish(mut self, ceiling: i64) {
        self.close(ceiling);
    }

    fn close(&mut self, ceiling: i64) {
        if self.state != State::Solid {
            self.pile.ceiling = ceiling;
            self.pile.top = self.pile.top.min(ceiling);
            self.piles.push(self.pile);
        }
    }

    fn open(&mut self, z: i32, layer: &Layer, ledge: bool) {
        let floor = height_of(z) + if ledge { i64::from(layer.solid) } else { 0 };
        self.pile = Pile { floor, top: floor, bottom_z: z, top_z: z, ..NONE };
    }

    /// Adds the soil of a layer that is carried.
    #[inline]
    fn rise(&mut self, z: i32, layer: &Layer, ledge: bool) {
        self.pile.top_z = z;
        let voxel = &layer.voxel;
        if voxel.soil > 0 {
            if (voxel.soil_kind, layer.is_broken) != (self.pile.kind, self.pile.is_broken) {
                (self.pile.kind, self.pile.is_broken, self.pile.movable) =
                    (voxel.soil_kind, layer.is_broken, 0);
            }
            self.pile.movable = self.pile.movable.saturating_add(u32::from(voxel.soil));
            self.pile.soil = self.pile.soil.saturating_add(u32::from(voxel.soil));
            (self.pile.void_ratio, self.pile.moisture) = (voxel.void_ratio, voxel.moisture);
        }
        if layer.solid + layer.soil + FULL_SLACK > LOOSE_FULL {
            self.pile.top = height_of(z) + HEIGHT_ONE;
            self.state = State::Rising;
            return;
        }
        let above = if ledge {
            layer.solid + layer.soil
        } else {
            // Beside a wall that cuts the voxel the soil stands higher than its share says.
            layer.soil * LOOSE_FULL / (LOOSE_FULL - layer.solid)
        };
        self.pile.top = height_of(z) + i64::from(above);
        self.state = State::Open { leaning: ledge };
    }
}

/// A pile of nothing.
const NONE: Pile = Pile {
    floor: 0,
    top: 0,
    ceiling: Pile::SKY,
    bottom_z: 0,
    top_z: 0,
    movable: 0,
    soil: 0,
    is_broken: false,
    kind: MaterialId(0),
    void_ratio: VoidRatio(0),
    moisture: 0,
};
