//! What water runs over: the fill of ground and bodies around each brick that holds water, and what it means to particles.

use barchan_volume::brick::{EDGE, VOXELS, brick_box, brick_of, voxel_index};
use barchan_volume::{Brick, Grid, VoxelBox};
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::drains::Open;
use super::fold::{
    Fold, MARGIN, NARROW, PADDED, PaddedFill, STEPS, Shade, density_beyond, smooth_among, trilinear,
};
use super::scale::{SUPPORT, Scale};
use crate::ground::{Ground, Since, Stamp};
use crate::material::Materials;
use crate::now::Now;
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// Voxels along an edge of a brick with one voxel around it.
const RIMMED: usize = EDGE as usize + 2;

/// Bricks beyond those in use that are kept before all are forgotten.
const SPARE_BRICKS: usize = 4_096;

/// The ground as water meets it. All of it can be made anew from the ground and the bodies at any time.
#[derive(Debug, Default)]
pub(super) struct Beds {
    fold: Fold,
    voxel_m: f64,
    stamp: Stamp,
    /// Fill of the voxels of every brick that was looked at (1/32,768).
    fills: FxHashMap<IVec3, Box<[u16; VOXELS]>>,
    index: FxHashMap<IVec3, u32>,
    beds: Vec<Bed>,
    /// The bricks in which there were bodies when one last looked.
    with_bodies: Vec<IVec3>,
    /// True where ground and walls are left out.
    only_bodies: bool,
}

#[derive(Debug)]
struct Bed {
    coord: IVec3,
    /// Fill of the voxels of the brick and one around it (1/32,768), z fastest.
    rimmed: Box<[u16; RIMMED * RIMMED * RIMMED]>,
    /// None: it has to be folded anew.
    shade: Option<Shade>,
}

/// What ground and bodies are at a point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Touch {
    /// Fill, interpolated between voxels; what is above 0.5 is inside.
    pub fill: f32,
    /// Its gradient, into the ground (1/m).
    pub gradient: Vec3,
}

impl Touch {
    /// Distance to the surface (m), positive outside, as far as a plane tells; none where no ground is near.
    pub fn distance_m(&self) -> Option<f32> {
        let steepness = self.gradient.length();
        (steepness > 1e-6).then(|| (0.5 - self.fill) / steepness)
    }
}

impl Beds {
    /// Of bodies alone.
    pub fn of_bodies() -> Self {
        Self { only_bodies: true, ..Self::default() }
    }

    /// Those of `bricks` in which a body can be felt.
    pub fn near_bodies(&self, bricks: &[IVec3]) -> Vec<IVec3> {
        let mut near: Vec<IVec3> = self.with_bodies.iter().flat_map(|coord| around(*coord)).collect();
        near.sort_unstable_by_key(|coord| coord.to_array());
        near.dedup();
        near.retain(|coord| bricks.binary_search_by_key(&coord.to_array(), |brick| brick.to_array()).is_ok());
        near
    }

    /// Follows the ground and the bodies.
    pub fn follow(&mut self, now: &Now, ground: &Ground, open: &Open, scale: &Scale) {
        let voxels = f64::from(scale.spacing_m) / scale.voxel_m;
        let fold = Fold::new(SUPPORT * voxels as f32, voxels as f32);
        if self.voxel_m != scale.voxel_m || self.fold != fold {
            let only_bodies = self.only_bodies;
            *self = Self { fold, voxel_m: scale.voxel_m, only_bodies, ..Self::default() };
        }
        let mut with_bodies: Vec<IVec3> = now.body_fill.bricks().collect();
        with_bodies.sort_unstable_by_key(|coord| coord.to_array());
        match ground.changes_since(self.stamp) {
            Since::Everything => self.forget(),
            Since::Bricks(bricks) => {
                let mut touched: Vec<IVec3> = bricks.map(|(coord, _)| *coord).collect();
                touched.extend(&with_bodies);
                touched.extend(&self.with_bodies);
                touched.sort_unstable_by_key(|coord| coord.to_array());
                touched.dedup();
                touched.retain(|coord| self.fills.contains_key(coord));
                self.refill(now, ground, open, &touched);
            }
        }
        (self.stamp, self.with_bodies) = (ground.stamp(), with_bodies);
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.fills.clear();
        self.index.clear();
        self.beds.clear();
    }

    /// Looks again at bricks that may have changed.
    fn refill(&mut self, now: &Now, ground: &Ground, open: &Open, touched: &[IVec3]) {
        let only = self.only_bodies;
        let fill = |coord: &IVec3| (*coord, fill_of(*coord, now, ground, open, only));
        let filled: Vec<_> = touched.par_iter().map(fill).collect();
        let (mut stale, mut unfolded) = (Vec::new(), Vec::new());
        for (coord, fill) in filled {
            let Some(known) = self.fills.get_mut(&coord) else { continue };
            if **known == *fill {
                continue;
            }
            if let Some(changed) = changed_voxels(coord, known, &fill) {
                let felt = changed.grow(MARGIN as i32).to_bricks();
                unfolded.extend(felt.cells());
            }
            stale.extend(around(coord));
            *known = fill;
        }
        for list in [&mut stale, &mut unfolded] {
            list.sort_unstable_by_key(|coord| coord.to_array());
            list.dedup();
        }
        for coord in unfolded {
            if let Some(at) = self.index.get(&coord) {
                self.beds[*at as usize].shade = None;
            }
        }
        let stale: Vec<u32> = stale.iter().filter_map(|coord| self.index.get(coord).copied()).collect();
        let fills = &self.fills;
        let rimmed: Vec<_> =
            stale.par_iter().map(|at| rimmed(self.beds[*at as usize].coord, fills)).collect();
        for (at, rimmed) in stale.into_iter().zip(rimmed) {
            self.beds[at as usize].rimmed = rimmed;
        }
    }

    /// Makes ready whatever particles in these bricks may meet.
    pub fn prepare(&mut self, now: &Now, ground: &Ground, open: &Open, bricks: &[IVec3]) {
        if self.beds.len() > 4 * bricks.len() + SPARE_BRICKS {
            self.forget();
        }
        let missing: Vec<IVec3> =
            bricks.iter().copied().filter(|coord| !self.index.contains_key(coord)).collect();
        let mut unseen: Vec<IVec3> =
            missing.iter().flat_map(|coord| around(*coord)).filter(|c| !self.fills.contains_key(c)).collect();
        unseen.sort_unstable_by_key(|coord| coord.to_array());
        unseen.dedup();
        let only = self.only_bodies;
        let fill = |coord: &IVec3| (*coord, fill_of(*coord, now, ground, open, only));
        self.fills.extend(unseen.par_iter().map(fill).collect::<Vec<_>>());
        let fills = &self.fills;
        let bed = |coord: &IVec3| Bed { coord: *coord, rimmed: rimmed(*coord, fills), shade: None };
        for bed in missing.par_iter().map(bed).collect::<Vec<_>>() {
            self.index.insert(bed.coord, self.beds.len() as u32);
            self.beds.push(bed);
        }
        let mut unfolded: Vec<u32> =
            bricks.iter().filter_map(|coord| self.index.get(coord).copied()).collect();
        unfolded.retain(|at| self.beds[*at as usize].shade.is_none());
        let fold = &self.fold;
        let shade = |at: &u32| fold.shade(&padded(self.beds[*at as usize].coord, fills));
        let shades: Vec<_> = unfolded.par_iter().map(shade).collect();
        for (at, shade) in unfolded.into_iter().zip(shades) {
            self.beds[at as usize].shade = Some(shade);
        }
    }

    /// To read with, one for each task.
    pub fn reader(&self) -> Reader<'_> {
        Reader { beds: self, last: None, seen: IVec3::MAX }
    }
}

/// Reads beds at points that follow each other closely.
pub(super) struct Reader<'a> {
    beds: &'a Beds,
    last: Option<&'a Bed>,
    seen: IVec3,
}

impl<'a> Reader<'a> {
    /// The brick of a point (m), if it was prepared.
    #[inline]
    fn bed(&mut self, voxel: IVec3) -> Option<&'a Bed> {
        let coord = brick_of(voxel);
        if coord != self.seen {
            self.seen = coord;
            self.last = self.beds.index.get(&coord).map(|at| &self.beds.beds[*at as usize]);
        }
        self.last
    }

    /// True when a point (m) was prepared.
    pub fn knows(&mut self, point_m: DVec3) -> bool {
        self.bed((point_m / self.beds.voxel_m).floor().as_ivec3()).is_some()
    }

    /// Fill and its gradient at a point (m); no ground where nothing was prepared.
    #[inline]
    pub fn touch(&mut self, point_m: DVec3) -> Touch {
        let at = point_m / self.beds.voxel_m;
        let Some(bed) = self.bed(at.floor().as_ivec3()) else { return Touch::default() };
        let from_middle = at - 0.5;
        let base = from_middle.floor();
        let f = (from_middle - base).as_vec3();
        let local = base.as_ivec3() - bed.coord * EDGE + 1;
        let [x, y, z] = local.to_array().map(|i| i as usize);
        let get = |dx: usize, dy: usize, dz: usize| {
            f32::from(bed.rimmed[((x + dx) * RIMMED + y + dy) * RIMMED + z + dz]) / LOOSE_FULL as f32
        };
        let (fill, slope) = trilinear(
            [get(0, 0, 0), get(0, 0, 1), get(0, 1, 0), get(0, 1, 1)],
            [get(1, 0, 0), get(1, 0, 1), get(1, 1, 0), get(1, 1, 1)],
            f.to_array(),
        );
        Touch { fill, gradient: Vec3::from_array(slope) / self.beds.voxel_m as f32 }
    }

    /// What ground and bodies add to the density around a point (m), and its gradient per support of the water's kernel.
    #[inline]
    pub fn shade(&mut self, point_m: DVec3) -> (f32, Vec3) {
        let at = point_m / self.beds.voxel_m;
        let Some(bed) = self.bed(at.floor().as_ivec3()) else { return (0.0, Vec3::ZERO) };
        let map = match &bed.shade {
            Some(Shade::Map(map)) => map,
            Some(Shade::Even(distance)) => return (density_beyond(*distance).0, Vec3::ZERO),
            None => return (0.0, Vec3::ZERO),
        };
        let fold = &self.beds.fold;
        let points = fold.points();
        // From the point before the brick's first.
        let local = ((at - (bed.coord * EDGE).as_dvec3()) * fold.per_voxel as f64).as_vec3() + 1.0;
        let middle = local.round().clamp(Vec3::ONE, Vec3::splat((points - 2) as f32));
        let [x, y, z] = middle.to_array().map(|i| i as usize - 1);
        let get = |dx: usize, dy: usize, dz: usize| map[((x + dx) * points + y + dy) * points + z + dz];
        let (distance, slope) = smooth_among(get, (local - middle).to_array());
        if distance >= 1.0 {
            return (0.0, Vec3::ZERO);
        }
        let (density, falls) = density_beyond(distance);
        (density, Vec3::from_array(slope) * (-falls * fold.support_points / NARROW))
    }
}

/// The brick and the 26 around it.
pub(super) fn around(coord: IVec3) -> impl Iterator<Item = IVec3> {
    VoxelBox::new(coord - 1, coord + 2).cells()
}

#[inline]
fn steps(fill: u16) -> u8 {
    (u32::from(fill) * u32::from(STEPS) / LOOSE_FULL) as u8
}

/// Fill of the voxels of a brick by ground and bodies; wall is full, unless water may leave there.
fn fill_of(coord: IVec3, now: &Now, ground: &Ground, open: &Open, only_bodies: bool) -> Box<[u16; VOXELS]> {
    let mut fill = Box::new([0; VOXELS]);
    if only_bodies {
        add_bodies(coord, now.body_fill.shares(), &mut fill);
        return fill;
    }
    match ground.voxels().stored(coord) {
        None => {}
        Some(Brick::Uniform(voxel)) => fill.fill(share(voxel, now.materials)),
        Some(Brick::Dense(voxels)) => {
            for (fill, voxel) in fill.iter_mut().zip(voxels.iter()) {
                *fill = share(voxel, now.materials);
            }
        }
    }
    add_bodies(coord, now.body_fill.shares(), &mut fill);
    if let Some(walls) = ground.bounds().filter(|walls| !walls.contains_box(&brick_box(coord))) {
        for p in brick_box(coord).cells().filter(|p| !walls.contains(*p)) {
            fill[voxel_index(p)] = if open.is_open(p, &walls) { 0 } else { LOOSE_FULL as u16 };
        }
    }
    fill
}

/// The voxels whose fill changed by as much as a fold can tell.
fn changed_voxels(coord: IVec3, before: &[u16; VOXELS], after: &[u16; VOXELS]) -> Option<VoxelBox> {
    let changed = brick_box(coord).cells().filter(|p| {
        let at = voxel_index(*p);
        steps(before[at]) != steps(after[at])
    });
    changed.map(|p| VoxelBox::new(p, p + 1)).reduce(|a, b| VoxelBox::new(a.min.min(b.min), a.max.max(b.max)))
}

fn add_bodies(coord: IVec3, shares: &Grid<u16>, fill: &mut [u16; VOXELS]) {
    match shares.stored(coord) {
        None => {}
        Some(Brick::Uniform(share)) => fill.iter_mut().for_each(|fill| *fill = together(*fill, *share)),
        Some(Brick::Dense(shares)) => {
            for (fill, share) in fill.iter_mut().zip(shares.iter()) {
                *fill = together(*fill, *share);
            }
        }
    }
}

fn together(a: u16, b: u16) -> u16 {
    (u32::from(a) + u32::from(b)).min(LOOSE_FULL) as u16
}

fn share(voxel: &Voxel, materials: &Materials) -> u16 {
    (voxel.rock_share(materials) + voxel.soil_share()).min(LOOSE_FULL) as u16
}

fn rimmed(
    coord: IVec3,
    fills: &FxHashMap<IVec3, Box<[u16; VOXELS]>>,
) -> Box<[u16; RIMMED * RIMMED * RIMMED]> {
    let mut out = Box::new([0; RIMMED * RIMMED * RIMMED]);
    copy_around::<RIMMED, u16>(coord, 1, fills, &mut out[..], |fill| fill);
    out
}

fn padded(coord: IVec3, fills: &FxHashMap<IVec3, Box<[u16; VOXELS]>>) -> Box<PaddedFill> {
    let mut out = Box::new([0; PADDED * PADDED * PADDED]);
    copy_around::<PADDED, u8>(coord, MARGIN, fills, &mut out[..], steps);
    out
}

/// Writes what `map` makes of the fills of a brick and of `margin` voxels around it.
fn copy_around<const SIDE: usize, T>(
    coord: IVec3,
    margin: usize,
    fills: &FxHashMap<IVec3, Box<[u16; VOXELS]>>,
    out: &mut [T],
    map: impl Fn(u16) -> T,
) {
    let region = {
        let inner = brick_box(coord);
        VoxelBox::new(inner.min - margin as i32, inner.max + margin as i32)
    };
    for near in around(coord) {
        let Some(fill) = fills.get(&near) else { continue };
        for p in brick_box(near).intersect(&region).cells() {
            let [x, y, z] = (p - region.min).to_array().map(|i| i as usize);
            out[(x * SIDE + y) * SIDE + z] = map(fill[voxel_index(p)]);
        }
    }
}
