//! From voxels to piles: one walk up a column.

use super::pile::{Pile, height_of};
use super::space::{FULL_SLACK, FullSoil, is_ledge};
use super::tile::FAR_DOWN;
use crate::material::{MaterialId, Materials, StrengthClass};
use crate::reader::BARRIER_SHARE;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{DUST_SHARE, Layer, Marks, Voxel};

/// One layer of a column with rock or a body in it.
#[derive(Clone, Copy, Debug)]
struct Held {
    z: i32,
    voxel: Voxel,
    /// Share of rock and bodies (1/32,768).
    solid: u32,
}

/// What soils are like, kept for the soil that was asked for last: that of the next layer is mostly the same.
struct SoilState<'a> {
    materials: &'a Materials,
    /// Kind, whether it was moved, void ratio and wetness of the last one.
    like: (MaterialId, bool, VoidRatio, u16),
    full: FullSoil,
    is_broken: bool,
    /// True where its structure holds it together.
    is_intact: bool,
    strength: StrengthClass,
}

impl<'a> SoilState<'a> {
    fn new(materials: &'a Materials) -> Self {
        let like = (MaterialId(0), false, VoidRatio::default(), 0);
        let (is_broken, strength) = Self::find(materials, like);
        let is_intact = !is_broken && materials.can_break(like.0);
        Self { materials, like, full: FullSoil::default(), is_broken, is_intact, strength }
    }

    #[inline]
    fn look_at(&mut self, layer: &Layer, wetness: u16) {
        let like = (layer.kind, layer.moved, layer.void_ratio, wetness);
        if like != self.like {
            self.like = like;
            (self.is_broken, self.strength) = Self::find(self.materials, like);
            self.is_intact = !self.is_broken && self.materials.can_break(layer.kind);
        }
    }

    #[inline]
    fn find(
        materials: &Materials,
        (kind, moved, void_ratio, wetness): (MaterialId, bool, VoidRatio, u16),
    ) -> (bool, StrengthClass) {
        let is_broken = materials.is_broken(kind, moved);
        (is_broken, materials.strength_class(kind, void_ratio, is_broken, wetness))
    }
}

/// Where the walk is.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// How a walk stood between two layers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paused {
    state: State,
    pile: Pile,
    held: Option<Held>,
    /// Piles of the column that were closed before.
    closed: u32,
}

impl Default for Paused {
    fn default() -> Self {
        Self { state: State::Solid, pile: NONE, held: None, closed: 0 }
    }
}

/// A walk up one column, layer by layer from the lowest on.
pub(super) struct Walk<'a> {
    piles: &'a mut Vec<Pile>,
    soils: SoilState<'a>,
    state: State,
    pile: Pile,
    column: u8,
    /// How many piles there were before those of this column.
    before: usize,
    /// A layer with rock or a body, which is judged once the one above it is known.
    held: Option<Held>,
}

impl<'a> Walk<'a> {
    /// A walk that starts on a wall and adds what it finds to `piles`.
    pub fn new(materials: &'a Materials, piles: &'a mut Vec<Pile>) -> Self {
        Self {
            piles,
            soils: SoilState::new(materials),
            state: State::Solid,
            pile: NONE,
            column: 0,
            before: 0,
            held: None,
        }
    }

    /// Goes to another column of the tile (x * 8 + y), which starts on a wall, too.
    pub fn go_to(&mut self, column: usize) {
        (self.state, self.held, self.column) = (State::Solid, None, column as u8);
        self.before = self.piles.len();
    }

    /// Goes to another column and on from where a walk was paused in it; `piles` are those that it had found then.
    pub fn go_on(&mut self, column: usize, paused: &Paused, piles: &[Pile]) {
        self.go_to(column);
        self.piles.extend_from_slice(&piles[..paused.closed as usize]);
        (self.state, self.pile, self.held) = (paused.state, paused.pile, paused.held);
    }

    /// How the walk stands now.
    pub fn pause(&self) -> Paused {
        let closed = (self.piles.len() - self.before) as u32;
        Paused { state: self.state, pile: self.pile, held: self.held, closed }
    }

    /// How many piles were found.
    pub fn count(&self) -> usize {
        self.piles.len()
    }

    /// Takes the `count` layers from `z` up, all like `voxel`, with a body that takes `body` (1/32,768) of each.
    #[inline]
    pub fn layers(&mut self, z: i32, count: i32, voxel: Voxel, body: u16) {
        if voxel.rock == 0 && body == 0 {
            self.release(0);
            self.soil(z, count, &voxel);
            return;
        }
        let solid = (voxel.rock_share(self.soils.materials) + u32::from(body)).min(LOOSE_FULL);
        if solid + FULL_SLACK > LOOSE_FULL {
            // Whatever is above, nothing fits in here.
            self.release(solid);
            self.close(height_of(z));
            self.state = State::Solid;
            return;
        }
        for z in z..z + count {
            self.release(solid);
            self.held = Some(Held { z, voxel, solid });
        }
    }

    /// Takes the layers from `z` up that are like `voxels`, without a body.
    pub fn voxels(&mut self, z: i32, voxels: &[Voxel]) {
        let mut at = 0;
        while let Some(voxel) = voxels.get(at) {
            let run = if voxel.rock == 0 && self.held.is_none() {
                self.run(z + at as i32, &voxels[at..])
            } else {
                0
            };
            if run == 0 {
                self.layers(z + at as i32, 1, *voxel, 0);
            }
            at += run.max(1);
        }
    }

    /// Takes as many of the lowest layers without rock as change nothing but the height of the pile; says how many.
    #[inline]
    fn run(&mut self, z: i32, voxels: &[Voxel]) -> usize {
        match self.state {
            State::Open { .. } => voxels.iter().take_while(|voxel| voxel.rock == 0).count(),
            State::Rising => {
                let first = &voxels[0];
                let mut units = 0;
                let full = voxels.iter().take_while(|voxel| {
                    let is_full = voxel.top_kind == first.top_kind
                        && voxel.marks == first.marks
                        && (voxel.rock, voxel.under, voxel.water) == (0, 0, 0)
                        && self.soils.full.is_full(voxel);
                    units += if is_full { u32::from(voxel.top) } else { 0 };
                    is_full
                });
                let count = full.count();
                if count > 0 {
                    self.add_layer(&voxels[count - 1].top_layer(), units, 0);
                    self.pile.top_z = z + count as i32 - 1;
                    self.pile.top = height_of(z + count as i32);
                    self.note_hold(z, first);
                }
                count
            }
            State::Solid => 0,
        }
    }

    /// Ends the column under `ceiling` (1/32,768 voxel).
    pub fn finish(&mut self, ceiling: i64) {
        self.release(0);
        self.close(ceiling);
    }

    /// Judges the layer that was held, above which rock and bodies take `solid_above` of the voxel.
    #[inline]
    fn release(&mut self, solid_above: u32) {
        if let Some(layer) = self.held.take() {
            self.solid_layer(&layer, solid_above);
        }
    }

    /// Layers without rock or bodies.
    #[inline]
    fn soil(&mut self, z: i32, count: i32, voxel: &Voxel) {
        match self.state {
            State::Open { .. } => return,
            State::Solid => self.open(z, height_of(z)),
            State::Rising => {}
        }
        self.pile.top_z = z;
        if !voxel.has_soil() {
            (self.pile.top, self.state) = (height_of(z), State::Open { leaning: false });
            return;
        }
        if self.soils.full.is_full(voxel) {
            self.add(voxel, count as u32);
            self.pile.top_z = z + count - 1;
            (self.pile.top, self.state) = (height_of(z + count), State::Rising);
        } else {
            self.add(voxel, 1);
            self.pile.top = height_of(z) + i64::from(voxel.soil_share());
            self.state = State::Open { leaning: false };
        }
        self.note_hold(z, voxel);
    }

    /// Notes up to where soil holds together, once that of `voxel` in layer `z` was added.
    #[inline]
    fn note_hold(&mut self, z: i32, voxel: &Voxel) {
        if self.soils.is_intact {
            (self.pile.hold, self.pile.hold_strength) = (self.pile.top, self.soils.strength);
        } else if voxel.under > 0 {
            let (under, materials) = (voxel.under_layer(), self.soils.materials);
            if materials.can_break(under.kind) && !materials.is_broken(under.kind, under.moved) {
                self.pile.hold = height_of(z) + i64::from(under.void_ratio.share_of(under.units.into()));
                self.pile.hold_strength =
                    materials.strength_class(under.kind, under.void_ratio, false, voxel.wetness());
            }
        }
    }

    /// A layer with rock or a body in it.
    fn solid_layer(&mut self, layer: &Held, solid_above: u32) {
        let &Held { z, voxel, solid } = layer;
        let ledge = is_ledge(solid, solid_above);
        let barrier = solid >= BARRIER_SHARE;
        if barrier && !ledge {
            self.close(height_of(z));
            self.state = State::Solid;
            return;
        }
        let floor = height_of(z) + if ledge { i64::from(solid) } else { 0 };
        match self.state {
            State::Solid => self.open(z, floor),
            State::Rising if barrier => {
                self.close(height_of(z));
                self.open(z, floor);
            }
            State::Rising => {}
            State::Open { leaning } if ledge => {
                if leaning && z == self.pile.top_z + 1 {
                    self.pile.floor = floor;
                } else {
                    self.close(height_of(z));
                    self.open(z, floor);
                }
            }
            State::Open { .. } => return,
        }
        self.pile.top_z = z;
        if voxel.has_soil() {
            self.add(&voxel, 1);
        }
        let soil = voxel.soil_share();
        if solid + soil + FULL_SLACK > LOOSE_FULL {
            (self.pile.top, self.state) = (height_of(z + 1), State::Rising);
            self.note_hold(z, &voxel);
            return;
        }
        // Beside a wall that cuts the voxel the soil stands higher than its share says.
        let above = if ledge { solid + soil } else { soil * LOOSE_FULL / (LOOSE_FULL - solid) };
        self.pile.top = height_of(z) + i64::from(above);
        self.state = State::Open { leaning: ledge };
        if voxel.has_soil() {
            self.note_hold(z, &voxel);
        }
    }

    fn close(&mut self, ceiling: i64) {
        if self.state != State::Solid {
            self.pile.ceiling = ceiling;
            self.pile.top = self.pile.top.min(ceiling);
            self.piles.push(self.pile);
        }
    }

    fn open(&mut self, z: i32, floor: i64) {
        self.pile = Pile { floor, top: floor, bottom_z: z, top_z: z, column: self.column, ..NONE };
    }

    /// Adds the soil of `count` layers like `voxel`.
    #[inline]
    fn add(&mut self, voxel: &Voxel, count: u32) {
        let wetness = voxel.wetness();
        if voxel.under > 0 {
            self.add_mixed(voxel, count, wetness);
        } else {
            self.add_dusty(&voxel.top_layer(), u32::from(voxel.top) * count, wetness);
        }
        self.pile.is_mixed |= voxel.water > 0;
    }

    /// Both layers of a voxel. Which kinds lie below is not known here.
    #[cold]
    fn add_mixed(&mut self, voxel: &Voxel, count: u32, wetness: u16) {
        for _ in 0..count {
            self.add_layer(&voxel.under_layer(), u32::from(voxel.under), wetness);
            self.pile.is_mixed |= voxel.marks.has(Marks::MORE_SOILS);
            self.add_dusty(&voxel.top_layer(), u32::from(voxel.top), wetness);
        }
    }

    /// Soil on top of what was added, which counts as more of that where it is only dust.
    #[inline]
    fn add_dusty(&mut self, layer: &Layer, units: u32, wetness: u16) {
        if layer.kind != self.pile.kind && units < DUST_SHARE && self.pile.soil > 0 {
            self.pile.movable = self.pile.movable.saturating_add(units);
            self.pile.soil = self.pile.soil.saturating_add(units);
            self.pile.is_mixed = true;
        } else {
            self.add_layer(layer, units, wetness);
        }
    }

    /// Adds `units` of soil like `layer`, as wet as this (1/65,535).
    #[inline]
    fn add_layer(&mut self, layer: &Layer, units: u32, wetness: u16) {
        self.soils.look_at(layer, wetness);
        let pile = &mut self.pile;
        if pile.soil == 0 || (layer.kind, self.soils.is_broken) != (pile.kind, pile.is_broken) {
            (pile.kind, pile.is_broken, pile.movable) = (layer.kind, self.soils.is_broken, 0);
            (pile.strength, pile.is_mixed) = (self.soils.strength, false);
        } else if units >= FIRM {
            pile.strength = self.soils.strength;
        }
        pile.movable = pile.movable.saturating_add(units);
        pile.soil = pile.soil.saturating_add(units);
        pile.void_ratio = layer.void_ratio;
    }
}

/// So much soil says how dense and wet that of its kind is, and a skin on it does not (units).
const FIRM: u32 = LOOSE_FULL / 2;

/// A pile of nothing.
const NONE: Pile = Pile {
    floor: 0,
    top: 0,
    hold: FAR_DOWN,
    hold_strength: StrengthClass::NONE,
    ceiling: Pile::SKY,
    bottom_z: 0,
    top_z: 0,
    movable: 0,
    soil: 0,
    is_broken: false,
    strength: StrengthClass::NONE,
    column: 0,
    kind: MaterialId(0),
    void_ratio: VoidRatio(0),
    is_mixed: false,
};
