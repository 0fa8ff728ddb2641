//! Which soil hangs in the air.

use barchan_volume::Brick;
use barchan_volume::brick::{EDGE, VOXELS, brick_box, voxel_of};
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::columns::{FULL_SLACK, FullSoil, LEDGE_SHARE, Look, Space};
use crate::ground::{Awake, Touch};
use crate::in_parts::InParts;
use crate::reader::BrickPair;
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// Which bricks were not looked at since something changed in or around them.
#[derive(Clone, Debug, Default)]
pub(super) enum Unseen {
    /// Any.
    #[default]
    All,
    /// Those in which soil has changed, or the share that bodies take, and the lowest layer of those right above them.
    Changed(FxHashSet<IVec3>),
}

impl Unseen {
    /// Bricks in which something has changed. Whether rock or a body ends in a voxel, and so carries soil, shows in the voxel
    /// above it.
    pub fn of<'a>(changes: impl Iterator<Item = &'a (IVec3, Touch)>) -> Self {
        let mut changed = FxHashSet::default();
        for (coord, touch) in changes {
            changed.insert(*coord);
            if *touch == Touch::All {
                changed.insert(coord - IVec3::Z);
            }
        }
        Self::Changed(changed)
    }

    /// Those that are awake, each with the layers to look at.
    fn awake(&self, awake: &Awake) -> Vec<(IVec3, usize)> {
        let whole = HEIGHT;
        let Self::Changed(changed) = self else {
            return awake.bricks().map(|coord| (coord, whole)).collect();
        };
        let above = changed.iter().map(|coord| coord + IVec3::Z).filter(|coord| !changed.contains(coord));
        let both = changed.iter().map(|coord| (*coord, whole)).chain(above.map(|coord| (coord, 1)));
        both.filter(|(coord, _)| awake.contains(*coord)).collect()
    }
}

/// All voxels whose soil hangs in the air in those of the `unseen` bricks that are awake, in no order.
pub(super) fn hanging(unseen: &Unseen, space: &Space<'_>) -> Vec<IVec3> {
    let in_brick = |(coord, layers): &(IVec3, usize)| hanging_in(*coord, *layers, space);
    unseen.awake(space.ground.awake()).par_iter().in_parts_of(16).flat_map_iter(in_brick).collect()
}

/// Voxels above each other in a brick.
const HEIGHT: usize = EDGE as usize;

/// One column of a brick: so many that the compiler knows how many, for this looks at most of what is awake.
fn column_of<T>(values: &[T; VOXELS], column: usize) -> &[T; HEIGHT] {
    &values.as_chunks().0[column]
}

impl BrickPair<'_> {
    /// The voxels of a column whose soil does not lie on a voxel full of soil, one bit each; the lowest lies on `under`.
    #[inline]
    fn not_on_full_soil(&self, column: usize, under: (Voxel, u16), soils: &mut FullSoil) -> u32 {
        let mut bits = 0;
        let mut is_on_full = under.1 == 0 && under.0.rock == 0 && soils.is_full(&under.0);
        let mut look = |z: usize, voxel: &Voxel, body: u16| {
            if !voxel.has_soil() {
                is_on_full = false;
                return;
            }
            bits |= u32::from(!is_on_full) << z;
            is_on_full = body == 0 && voxel.rock == 0 && soils.is_full(voxel);
        };
        match (self.ground, self.bodies) {
            (Some(Brick::Dense(voxels)), None | Some(Brick::Uniform(0))) => {
                column_of(voxels, column).iter().enumerate().for_each(|(z, voxel)| look(z, voxel, 0));
            }
            (Some(Brick::Dense(voxels)), Some(Brick::Dense(bodies))) => {
                let both = column_of(voxels, column).iter().zip(column_of(bodies, column));
                both.enumerate().for_each(|(z, (voxel, body))| look(z, voxel, *body));
            }
            _ => (0..HEIGHT).for_each(|z| {
                let (voxel, body) = self.get(column * HEIGHT + z);
                look(z, &voxel, body);
            }),
        }
        bits
    }

    /// True when every voxel is full of soil.
    fn is_full_soil(&self) -> bool {
        let full = |voxel: &Voxel| voxel.soil_share() + FULL_SLACK > LOOSE_FULL;
        self.bodies.is_none() && matches!(self.ground, Some(Brick::Uniform(voxel)) if full(voxel))
    }
}

/// Those in the lowest `layers` of one brick.
fn hanging_in(coord: IVec3, layers: usize, space: &Space<'_>) -> Vec<IVec3> {
    let mut found = Vec::new();
    let at = |coord| BrickPair::at(coord, space.ground.voxels(), space.body_shares);
    let (here, below) = (at(coord), at(coord - IVec3::Z));
    if here.ground.is_none() {
        return found;
    }
    let cells = brick_box(coord);
    // In a brick full of soil only the lowest layer can hang, and not on another such brick.
    let is_full_soil = here.is_full_soil();
    if is_full_soil && below.is_full_soil() && cells.min.z > space.lowest {
        return found;
    }
    let layers = if is_full_soil { 1 } else { layers };
    let mut soils = FullSoil::default();
    for column in 0..VOXELS / HEIGHT {
        let lowest = column * HEIGHT;
        // What is below a brick at the floor does not matter: it is outside.
        let under = below.get(lowest + HEIGHT - 1);
        let mut doubtful = here.not_on_full_soil(column, under, &mut soils) & ((1 << layers) - 1);
        while doubtful != 0 {
            let z = doubtful.trailing_zeros() as usize;
            let under = if z == 0 { under } else { here.get(lowest + z - 1) };
            let p = voxel_of(coord, lowest + z);
            if hangs_on(here.get(lowest + z), under, p, space, &mut space.clone()) {
                found.push(p);
            }
            doubtful &= doubtful - 1;
        }
    }
    found
}

/// True when soil in voxel `p` hangs in the air where the ground is as `look` says.
pub(super) fn hangs_as(p: IVec3, space: &Space<'_>, look: &mut impl Look) -> bool {
    let this = look.look(p);
    this.0.has_soil() && hangs_on(this, look.look(p - IVec3::Z), p, space, look)
}

/// True when the soil of voxel `p` hangs: `this` is there, `under` below, all else as `look` says.
#[inline]
fn hangs_on(
    this: (Voxel, u16),
    under: (Voxel, u16),
    p: IVec3,
    space: &Space<'_>,
    look: &mut impl Look,
) -> bool {
    let (solid, all) = shares(under, space);
    if all + FULL_SLACK > LOOSE_FULL {
        return false;
    }
    // Without rock or bodies around, a voxel below that has room decides it.
    let plain = solid < LEDGE_SHARE && solid_share(this, space) < LEDGE_SHARE;
    if plain { !space.is_outside(p - IVec3::Z) } else { space.hangs_as(p, look) }
}

/// Rock and body, and all of it with the soil (1/32,768).
#[inline]
fn shares(both: (Voxel, u16), space: &Space<'_>) -> (u32, u32) {
    let solid = solid_share(both, space);
    (solid, solid + both.0.soil_share())
}

#[inline]
fn solid_share((voxel, body): (Voxel, u16), space: &Space<'_>) -> u32 {
    voxel.rock_share(space.materials) + u32::from(body)
}
