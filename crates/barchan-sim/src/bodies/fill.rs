//! Which share of every voxel the bodies occupy.
//!
//! Plates that are thinner than a voxel count as somewhat thicker than one, or soil would pass them.
//! Derived from the poses alone: dropping it and updating a new one gives the same bits. Only bodies that moved since
//! the last update are voxelised again, so bodies at rest cost nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use barchan_volume::brick::{VOXELS, brick_box, voxel_index};
use barchan_volume::{Aabb, Brick, Coverage, Grid, Pose, Shape, Solid, VoxelBox};
use glam::{DVec3, IVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::thickness::thickened;
use super::{Bodies, BodyId};
use crate::ground::{ChangeLog, Since, Stamp, Touch};
use crate::in_parts::InParts;

/// A voxel that is all body (1/32,768 of a voxel).
pub const BODY_FULL: u16 = 32_768;

/// A body that would touch more bricks than this is left out, for it would take more memory than a machine has:
/// a cube of a thousand voxels a side still fits. Bounds help, they cut off what is outside.
pub const MAX_BRICKS_PER_BODY: u128 = 1 << 21;

/// Voxels further out than this are beyond the grid (voxels).
const MAX_VOXEL: f64 = (1 << 30) as f64;

/// Which share of every voxel the bodies occupy, and which bodies touch which brick.
#[derive(Clone, Debug)]
pub struct BodyFill {
    shares: Grid<u16>,
    touching: FxHashMap<IVec3, Vec<BodyId>>,
    placed: BTreeMap<BodyId, Placed>,
    frame: Option<Frame>,
    log: ChangeLog,
}

/// A body as it was voxelised.
#[derive(Clone, Debug)]
struct Placed {
    solid: Solid,
    /// As the soil meets it.
    thick: Solid,
    /// The bricks it may touch; `None` when there are too many.
    bricks: Option<VoxelBox>,
}

/// What the voxels are.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    voxel_size_m: f32,
    bounds: Option<VoxelBox>,
}

impl Default for BodyFill {
    fn default() -> Self {
        Self::new()
    }
}

impl BodyFill {
    /// No bodies anywhere.
    pub fn new() -> Self {
        Self {
            shares: Grid::new(0),
            touching: FxHashMap::default(),
            placed: BTreeMap::new(),
            frame: None,
            log: ChangeLog::default(),
        }
    }

    /// The share of every voxel that bodies occupy, [`BODY_FULL`] for all of it (1/32,768 of a voxel). Where bodies overlap their
    /// shares add up, to no more than a full voxel.
    pub fn shares(&self) -> &Grid<u16> {
        &self.shares
    }

    /// The bricks that changed since `stamp`.
    pub(crate) fn changes_since(&self, stamp: Stamp) -> Since<'_> {
        self.log.since(stamp)
    }

    /// From which on [`BodyFill::changes_since`] tells what changes from now on.
    pub(crate) fn stamp(&self) -> Stamp {
        self.log.now()
    }

    /// The bodies that occupy something of `brick`, in the order of their ids.
    pub fn bodies_in(&self, brick: IVec3) -> &[BodyId] {
        self.touching.get(&brick).map_or(&[], Vec::as_slice)
    }

    /// All bricks that bodies occupy something of, in no order.
    pub fn bricks(&self) -> impl Iterator<Item = IVec3> + '_ {
        self.touching.keys().copied()
    }

    /// The bricks that a body may touch; none when there is no such body, or it was left out.
    pub fn bricks_of(&self, id: BodyId) -> Option<VoxelBox> {
        self.placed.get(&id).and_then(|placed| placed.bricks)
    }

    /// The share of every voxel of `brick` that body `id` alone occupies; none when it does not touch the brick.
    pub fn own(&self, id: BodyId, brick: IVec3) -> Option<Brick<u16>> {
        match self.bodies_in(brick) {
            [only] if *only == id => self.shares.stored(brick).cloned(),
            several if several.contains(&id) => {
                let (placed, frame) = (self.placed.get(&id)?, self.frame?);
                Some(shares_of(brick, &frame, &[(id, &placed.thick)]).0)
            }
            _ => None,
        }
    }

    /// The bodies that were left out because they touch too many bricks (see [`MAX_BRICKS_PER_BODY`]) or lie beyond
    /// the grid, in the order of their ids.
    pub fn oversized(&self) -> Vec<BodyId> {
        self.placed.iter().filter(|(_, placed)| placed.bricks.is_none()).map(|(id, _)| *id).collect()
    }

    /// Follows the bodies. Voxels are cubes of `voxel_size_m` (m); those outside `bounds` (voxels) stay empty. Returns
    /// the bricks whose shares or bodies changed, ordered by x, y, z.
    pub fn update(&mut self, bodies: &Bodies, voxel_size_m: f32, bounds: Option<VoxelBox>) -> Vec<IVec3> {
        let frame = Frame { voxel_size_m, bounds };
        let mut dirty = Dirty::default();
        if self.frame != Some(frame) {
            dirty.bricks.extend(self.touching.keys().copied());
            dirty.all = true;
            self.placed.clear();
            self.frame = Some(frame);
        }
        self.forget_removed(bodies, &mut dirty);
        self.place_moved(bodies, &frame, &mut dirty);
        self.voxelise(&frame, dirty)
    }

    fn forget_removed(&mut self, bodies: &Bodies, dirty: &mut Dirty) {
        self.placed.retain(|id, placed| {
            let stays = bodies.get(*id).is_some();
            if !stays {
                dirty.bricks.extend(placed.cells());
                dirty.moved.push(*id);
            }
            stays
        });
    }

    fn place_moved(&mut self, bodies: &Bodies, frame: &Frame, dirty: &mut Dirty) {
        for body in bodies.iter() {
            if let Some(old) = self.placed.get_mut(&body.id)
                && same_bits(&old.solid.pose, &body.pose)
                && same_shape(&old.solid.shape, &body.spec.shape)
            {
                // The same shape may have been loaded anew: the next comparison is quick when both share it.
                old.solid.shape = body.spec.shape.clone();
                continue;
            }
            let solid = body.solid();
            let thick = self.thickened(&solid, body.id, frame);
            let placed = Placed { bricks: frame.bricks_around(&thick.bounds()), solid, thick };
            dirty.bricks.extend(placed.cells());
            dirty.arrivals.extend(placed.cells().map(|brick| (brick, body.id)));
            dirty.moved.push(body.id);
            if let Some(old) = self.placed.insert(body.id, placed) {
                dirty.bricks.extend(old.cells());
            }
        }
    }

    /// The solid as the soil meets it.
    fn thickened(&self, solid: &Solid, id: BodyId, frame: &Frame) -> Solid {
        if !frame.is_sound() {
            return solid.clone();
        }
        match (self.placed.get(&id), &solid.shape) {
            // How thick these get does not depend on the pose, and takes a while to find out.
            (Some(old), Shape::Hull(_) | Shape::Mesh(_)) if same_shape(&old.solid.shape, &solid.shape) => {
                Solid { shape: old.thick.shape.clone(), pose: solid.pose }
            }
            _ => thickened(solid, frame.voxel_size_m),
        }
    }

    /// Computes the dirty bricks anew, and returns those that are different now.
    fn voxelise(&mut self, frame: &Frame, mut dirty: Dirty) -> Vec<IVec3> {
        dirty.sort();
        let compute = |brick: &IVec3| {
            let (shares, ids) = shares_of(*brick, frame, &self.candidates(*brick, &dirty));
            (*brick, shares, ids)
        };
        let computed: Vec<_> = dirty.bricks.par_iter().in_parts_of(4).map(compute).collect();
        let mut changed = Vec::new();
        for (brick, shares, ids) in computed {
            let differs = self.bodies_in(brick) != ids || self.shares.brick(brick) != shares;
            if differs {
                self.shares.replace(brick, shares);
                if ids.is_empty() {
                    self.touching.remove(&brick);
                } else {
                    self.touching.insert(brick, ids);
                }
                self.log.note(brick, Touch::All);
                changed.push(brick);
            }
        }
        changed
    }

    /// The bodies that may touch `brick` now, in the order of their ids: those that did and have not moved, and those
    /// that arrived.
    fn candidates(&self, brick: IVec3, dirty: &Dirty) -> Vec<(BodyId, &Solid)> {
        let here = if dirty.all { &[] } else { self.bodies_in(brick) };
        let stayed = here.iter().copied().filter(|id| dirty.moved.binary_search(id).is_err());
        let mut ids: Vec<_> = stayed.chain(dirty.arrivals_in(brick)).collect();
        ids.sort_unstable();
        ids.into_iter().filter_map(|id| self.placed.get(&id).map(|placed| (id, &placed.thick))).collect()
    }
}

impl Placed {
    fn cells(&self) -> impl Iterator<Item = IVec3> + use<> {
        self.bricks.into_iter().flat_map(|bricks| bricks.cells())
    }
}

/// What an update has to look at.
#[derive(Default)]
struct Dirty {
    /// What may be different.
    bricks: Vec<IVec3>,
    /// Bodies that came, went or moved.
    moved: Vec<BodyId>,
    /// The bricks that those may touch now.
    arrivals: Vec<(IVec3, BodyId)>,
    /// The voxels themselves are others: nothing of before counts.
    all: bool,
}

impl Dirty {
    fn sort(&mut self) {
        self.bricks.sort_unstable_by_key(|brick| brick.to_array());
        self.bricks.dedup();
        self.moved.sort_unstable();
        self.arrivals.sort_unstable_by_key(|(brick, id)| (brick.to_array(), *id));
    }

    fn arrivals_in(&self, brick: IVec3) -> impl Iterator<Item = BodyId> {
        let first = self.arrivals.partition_point(|(other, _)| other.to_array() < brick.to_array());
        self.arrivals[first..].iter().take_while(move |(other, _)| *other == brick).map(|(_, id)| *id)
    }
}

impl Frame {
    fn is_sound(&self) -> bool {
        self.voxel_size_m > 0.0 && self.voxel_size_m.is_finite()
    }

    /// The bricks inside the bounds that a box (m) may touch; `None` when there are too many.
    fn bricks_around(&self, around: &Aabb) -> Option<VoxelBox> {
        let nothing = VoxelBox::new(IVec3::ZERO, IVec3::ZERO);
        if !self.is_sound() || around.is_empty() {
            return Some(nothing);
        }
        // f32 rounds the corners of the box; a voxel too many does no harm.
        let voxel_size_m = f64::from(self.voxel_size_m);
        let margin = 1e-3 * voxel_size_m + around.min.abs().max(around.max.abs()).as_dvec3() * 1e-6;
        let voxels = |corner: DVec3| corner / voxel_size_m;
        let low = voxels(around.min.as_dvec3() - margin).floor();
        let high = voxels(around.max.as_dvec3() + margin).ceil();
        let limit = DVec3::splat(MAX_VOXEL);
        if !(low.cmpge(-limit).all() && high.cmple(limit).all()) {
            return None;
        }
        let voxels = VoxelBox::new(low.as_ivec3(), high.as_ivec3());
        let inside = self.bounds.map_or(voxels, |bounds| voxels.intersect(&bounds));
        Some(inside.to_bricks()).filter(|bricks| bricks.volume() <= MAX_BRICKS_PER_BODY)
    }

    /// True when all of `brick` is inside the bounds.
    fn holds(&self, brick: IVec3) -> bool {
        self.bounds.is_none_or(|bounds| bounds.contains_box(&brick_box(brick)))
    }

    /// Empties the voxels of `brick` that are outside the bounds.
    fn cut(&self, brick: IVec3, shares: &mut [u32; VOXELS]) {
        if let Some(bounds) = self.bounds
            && !self.holds(brick)
        {
            for voxel in brick_box(brick).cells().filter(|voxel| !bounds.contains(*voxel)) {
                shares[voxel_index(voxel)] = 0;
            }
        }
    }
}

/// The shares of one brick, and which of the bodies have any.
fn shares_of(brick: IVec3, frame: &Frame, bodies: &[(BodyId, &Solid)]) -> (Brick<u16>, Vec<BodyId>) {
    if bodies.is_empty() {
        return (Brick::Uniform(0), Vec::new());
    }
    let mut total = [0u32; VOXELS];
    let mut touching = Vec::new();
    let mut fractions = [0.0; VOXELS];
    for (id, solid) in bodies {
        match solid.coverage(brick, frame.voxel_size_m, &mut fractions) {
            Coverage::Empty => continue,
            Coverage::Full if bodies.len() == 1 && frame.holds(brick) => {
                return (Brick::Uniform(BODY_FULL), vec![*id]);
            }
            Coverage::Full | Coverage::Partial => {}
        }
        // Rounded by hand: `round` is a call into the C library on most machines, for each voxel.
        let mut own =
            fractions.map(|fraction| (fraction.clamp(0.0, 1.0) * f32::from(BODY_FULL) + 0.5) as u32);
        frame.cut(brick, &mut own);
        if own.iter().any(|&share| share > 0) {
            touching.push(*id);
            for (total, own) in total.iter_mut().zip(own) {
                *total += own;
            }
        }
    }
    let shares = total.map(|share| share.min(u32::from(BODY_FULL)) as u16);
    (Brick::from_values(&shares), touching)
}

fn same_bits(a: &Pose, b: &Pose) -> bool {
    let bits = |pose: &Pose| {
        (pose.translation.to_array().map(f32::to_bits), pose.rotation.to_array().map(f32::to_bits))
    };
    bits(a) == bits(b)
}

fn same_shape(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Hull(a), Shape::Hull(b)) => Arc::ptr_eq(a, b) || a == b,
        (Shape::Mesh(a), Shape::Mesh(b)) => Arc::ptr_eq(a, b) || a == b,
        _ => a == b,
    }
}
