//! What an edit does to one brick, voxel by voxel, and how much of what comes and goes by it.

use std::cell::OnceCell;

use barchan_volume::brick::{VOXELS, brick_box, brick_of, voxel_index};
use barchan_volume::{Brick, Coverage, Grid, Region};
use glam::{IVec3, Vec3};

use super::brick::GroundBrick;
use super::edit::EditError;
use super::ground::Ground;
use super::packing::Packing;
use crate::columns::is_ledge;
use crate::ledger::{Account, Amounts, Place};
use crate::material::{MaterialId, Materials, Phase};
use crate::reader::BARRIER_SHARE;
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::voxel::{MOST_SOIL, Parcel, Parcels, SideList, Voxel, VoxelMut, water_in_pores};

/// Two directions whose cosine is at least this are the same (-).
const SAME_DIRECTION: f32 = 0.999;

/// An edit made ready for voxels.
pub(super) struct Brush<'a> {
    region: &'a Region,
    materials: &'a Materials,
    body_share: &'a Grid<u16>,
    voxel_size_m: f32,
    /// What is placed; none: the region is emptied.
    stuff: Option<Stuff>,
    /// How dense, where that changes with depth, and the highest point of the region (m).
    profile: Option<(&'a Packing, f32)>,
}

/// What is placed.
#[derive(Clone, Copy)]
pub(crate) struct Stuff {
    kind: MaterialId,
    phase: Phase,
    void_ratio: VoidRatio,
    saturation: f32,
}

/// How a voxel that lies partly in the region and holds something already stands to its neighbours (1/32,768).
#[derive(Clone, Copy)]
struct Lie {
    /// How much more of the region lies in the next voxel along each axis than in the last.
    region: Vec3,
    /// The same of what is there.
    there: Vec3,
    /// True where the region neither goes on above nor below.
    is_thin: bool,
    /// The same of what is there.
    is_there_thin: bool,
}

impl Stuff {
    /// A material in its natural state, its pores filled with water to this degree (0 to 1).
    pub(crate) fn new(kind: MaterialId, moisture: f32, materials: &Materials) -> Result<Self, EditError> {
        let material = materials.get(kind).ok_or(EditError::UnknownMaterial(kind.0))?;
        if !(0.0..=1.0).contains(&moisture) {
            return Err(EditError::Moisture(moisture));
        }
        let void_ratio = VoidRatio::from_f32(material.void_ratio_natural);
        Ok(Self { kind, phase: material.phase, void_ratio, saturation: moisture })
    }

    /// Puts as much of it into a voxel as takes `wanted` (1/32,768) of it and fits beside what is there and a body that takes
    /// `body` of it. Returns what came of it, and of water.
    pub(crate) fn fill(
        &self,
        voxel: &mut VoxelMut<'_>,
        wanted: u32,
        body: u32,
        materials: &Materials,
    ) -> [(Place, i64); 2] {
        const NO_WATER: (Place, i64) = ((Account::Water, Account::WATER_KIND), 0);
        let Self { kind, phase, void_ratio, saturation } = *self;
        match phase {
            Phase::Soil => {
                let units = void_ratio.units_in(wanted).min(MOST_SOIL - voxel.get().soil()) as u16;
                let water = water_in_pores(units, void_ratio, saturation).min(u16::MAX - voxel.get().water);
                voxel.add_soil(Parcel { units, kind, void_ratio, moved: false, water });
                [((Account::Soil, kind), units.into()), (NO_WATER.0, water.into())]
            }
            Phase::Rock => {
                let rock = u32::from(voxel.get().rock);
                // The voxel will name one of the two kinds, and with it the room that a unit takes.
                let named = materials.rock_void_ratio(voxel.get().rock_kind);
                let loosest = if rock > 0 { void_ratio.max(named) } else { void_ratio };
                let room = LOOSE_FULL.saturating_sub(voxel.get().soil_share() + body);
                let fits = loosest.units_in(room).saturating_sub(rock);
                let units = void_ratio.units_in(wanted).min(fits) as u16;
                voxel.add_rock(units, kind);
                [((Account::Rock, kind), units.into()), NO_WATER]
            }
        }
    }
}

impl<'a> Brush<'a> {
    pub(super) fn new(
        region: &'a Region,
        (stuff, packing): (Option<Stuff>, Option<&'a Packing>),
        materials: &'a Materials,
        body_share: &'a Grid<u16>,
        voxel_size_m: f32,
    ) -> Self {
        let only_one = packing.and_then(Packing::only_one);
        let stuff = stuff.map(|stuff| Stuff { void_ratio: only_one.unwrap_or(stuff.void_ratio), ..stuff });
        let profile = packing.filter(|packing| packing.only_one().is_none());
        let profile = profile.map(|packing| (packing, region.bounds().max.z));
        Self { region, materials, body_share, voxel_size_m, stuff, profile }
    }

    /// The brick of `ground` after the edit, if it changes, and what comes in or goes out (units).
    pub(super) fn apply(
        &self,
        coord: IVec3,
        voxels: &Brick<Voxel>,
        ground: &Ground,
    ) -> Option<(GroundBrick, Amounts<i64>)> {
        if !self.places() && voxels.uniform() == Some(Voxel::AIR) {
            return None;
        }
        let mut covered = [0.0_f32; VOXELS];
        let coverage = self.region.coverage(coord, self.voxel_size_m, &mut covered);
        // The voxels inside the walls, when not all are.
        let allowed = if ground.is_inside(coord) { None } else { ground.bounds() };
        let bodies = self.body_share.stored(coord);
        match (coverage, voxels) {
            (Coverage::Empty, _) => return None,
            (Coverage::Full, Brick::Uniform(voxel))
                if allowed.is_none() && bodies.is_none() && self.profile.is_none() =>
            {
                // One voxel speaks for all, but for the uppermost of those with rock, which may carry soil.
                if voxel.rock == 0 || !self.places_soil() {
                    return self.apply_evenly(*voxel);
                }
                covered.fill(1.0);
            }
            (Coverage::Full, _) => covered.fill(1.0),
            (Coverage::Partial, _) => {}
        }
        let mut values = [Voxel::AIR; VOXELS];
        voxels.copy_to(&mut values);
        let is_closed = |p: IVec3| {
            allowed.is_some_and(|walls| !walls.contains(p)) || self.places_soil() && self.is_caught(p, ground)
        };
        let has_rock = values.iter().any(|voxel| voxel.rock > 0);
        let around = Around::new(coord, &covered, self, ground);
        let (mut side, mut amounts) = (ground.side(coord).clone(), Amounts::default());
        for p in brick_box(coord).cells() {
            let at = voxel_index(p);
            let here = share(covered[at]);
            if here == 0 || (allowed.is_some() || has_rock) && is_closed(p) {
                continue;
            }
            // Nobody asks how a voxel lies that is all in the region, or empty.
            let lie = (self.places() && here < LOOSE_FULL && !values[at].is_air()).then(|| around.lie(p));
            let body = bodies.map_or(0, |shares| u32::from(shares.get(at)));
            let stuff = self.stuff_at(p);
            let voxel = VoxelMut::new(&mut values[at], &mut side, at);
            self.edit_voxel(voxel, here, lie, (body, stuff), &mut amounts);
        }
        let edited = GroundBrick { voxels: Brick::from_values(&values), side };
        let is_other = edited.voxels != *voxels || edited.side != *ground.side(coord);
        is_other.then_some((edited, amounts))
    }

    /// As [`Brush::apply`] for a brick of voxels that are all in the region and all like `voxel`, without bodies.
    fn apply_evenly(&self, voxel: Voxel) -> Option<(GroundBrick, Amounts<i64>)> {
        let (mut edited, mut side, mut of_voxel) = (voxel, SideList::EMPTY, Amounts::default());
        let alone = (0, self.stuff);
        self.edit_voxel(VoxelMut::new(&mut edited, &mut side, 0), LOOSE_FULL, None, alone, &mut of_voxel);
        if edited == voxel {
            return None;
        }
        let amounts = of_voxel.iter().map(|(place, units)| (place, units * VOXELS as i64)).collect();
        let entries = side.entries().to_vec();
        let of_all = |at: usize| {
            entries.iter().map(move |entry| crate::voxel::SideEntry { voxel: at as u16, ..*entry })
        };
        let side = SideList::from_entries((0..VOXELS).flat_map(of_all).collect()).unwrap_or_default();
        Some((GroundBrick { voxels: Brick::Uniform(edited), side }, amounts))
    }

    fn places(&self) -> bool {
        self.stuff.is_some()
    }

    fn places_soil(&self) -> bool {
        self.stuff.is_some_and(|stuff| stuff.phase == Phase::Soil)
    }

    /// What is placed in voxel `p`.
    fn stuff_at(&self, p: IVec3) -> Option<Stuff> {
        let (Some((packing, highest_m)), Some(stuff)) = (self.profile, self.stuff) else { return self.stuff };
        let middle = (p.as_vec3() + 0.5) * self.voxel_size_m;
        let top_m = match self.region {
            Region::Heights(heights) => heights.height_m(middle.truncate()),
            _ => None,
        };
        let depth_m = top_m.unwrap_or(highest_m) - middle.z;
        Some(Stuff { void_ratio: VoidRatio::from_f32(packing.void_ratio(depth_m)), ..stuff })
    }

    /// True when soil in voxel `p` would be caught beside a wall of rock or below a ceiling.
    fn is_caught(&self, p: IVec3, ground: &Ground) -> bool {
        let rock = |p: IVec3| ground.get(p).rock_share(self.materials);
        let here = rock(p);
        here >= BARRIER_SHARE && !is_ledge(here, rock(p + IVec3::Z))
    }

    /// Edits a voxel of which `share` (1/32,768) lies in the region, as `lie` tells: takes from it, or places `stuff` beside a body
    /// that takes `body` of it.
    fn edit_voxel(
        &self,
        mut voxel: VoxelMut<'_>,
        share: u32,
        lie: Option<Lie>,
        (body, stuff): (u32, Option<Stuff>),
        amounts: &mut Amounts<i64>,
    ) {
        let Some(stuff) = stuff else {
            self.take_down(voxel, LOOSE_FULL - share, amounts);
            return;
        };
        let taken = voxel.get().rock_share(self.materials) + voxel.get().soil_share() + body;
        let taken = taken.min(LOOSE_FULL);
        let overlap = lie.map_or(taken.min(share), |lie| lie.overlap(share, taken));
        let wanted = (share - overlap).min(LOOSE_FULL - taken);
        let came = stuff.fill(&mut voxel, wanted, body, self.materials);
        came.into_iter().for_each(|(place, units)| amounts.add(place, units));
    }

    /// Takes soil, then rock, until both together take at most `left` (1/32,768) of the voxel.
    fn take_down(&self, mut voxel: VoxelMut<'_>, left: u32, amounts: &mut Amounts<i64>) {
        let rock_share = voxel.get().rock_share(self.materials);
        let units = voxel.get().soil_beyond(left.saturating_sub(rock_share));
        let mut parcels = Parcels::new();
        voxel.take_soils(units, &mut parcels);
        for parcel in parcels {
            amounts.add((Account::Soil, parcel.kind), parcel.units.into());
            amounts.add((Account::Water, Account::WATER_KIND), parcel.water.into());
        }
        let rock_left = left.saturating_sub(voxel.get().soil_share());
        while voxel.get().rock_share(self.materials) > rock_left {
            let keep = self.materials.rock_void_ratio(voxel.get().rock_kind).units_in(rock_left);
            let (units, kind) = voxel.take_rock(u32::from(voxel.get().rock).saturating_sub(keep).max(1));
            amounts.add((Account::Rock, kind), units.into());
        }
    }
}

impl Lie {
    /// How much of the `share` of the voxel that lies in the region is `taken` already by what is there (1/32,768).
    ///
    /// Nothing knows where in a voxel its matter lies, but its neighbours tell which way it goes on. What goes on the same way as
    /// the region lies in it as far as it can, what goes on the other way beside it as far as it can, and what goes on across it is
    /// cut by it. A region that ends above and below in the voxel lies on what is there.
    fn overlap(&self, share: u32, taken: u32) -> u32 {
        let (nested, beside) = (share.min(taken), (share + taken).saturating_sub(LOOSE_FULL));
        if self.is_thin {
            return if self.is_there_thin { nested } else { beside };
        }
        let lengths = self.region.length() * self.there.length();
        let cosine = if lengths > 0.0 { self.region.dot(self.there) / lengths } else { 0.0 };
        if cosine.abs() >= SAME_DIRECTION {
            return if cosine > 0.0 { nested } else { beside };
        }
        let across = share as f32 * (taken as f32 / LOOSE_FULL as f32);
        let towards = if cosine > 0.0 { nested } else { beside } as f32;
        (across + cosine.abs() * (towards - across)) as u32
    }
}

/// A share of one in 1/32,768. Coverage is between nothing and one; anything else would be a fault of the region.
fn share(covered: f32) -> u32 {
    (covered.clamp(0.0, 1.0) * LOOSE_FULL as f32 + 0.5) as u32
}

/// What the region covers of a brick, and of those beside it where somebody asks.
struct Around<'a> {
    coord: IVec3,
    covered: &'a [f32; VOXELS],
    brush: &'a Brush<'a>,
    ground: &'a Ground,
    /// In the order of [`SIDES`].
    beside: [OnceCell<Box<[f32; VOXELS]>>; 6],
}

const SIDES: [IVec3; 6] = [IVec3::X, IVec3::Y, IVec3::Z, IVec3::NEG_X, IVec3::NEG_Y, IVec3::NEG_Z];

impl<'a> Around<'a> {
    fn new(coord: IVec3, covered: &'a [f32; VOXELS], brush: &'a Brush<'a>, ground: &'a Ground) -> Self {
        Self { coord, covered, brush, ground, beside: Default::default() }
    }

    /// How voxel `p` lies among its neighbours.
    fn lie(&self, p: IVec3) -> Lie {
        let region = SIDES.map(|side| self.share(p + side));
        let there = SIDES.map(|side| self.taken(p, p + side));
        let slope = |of: [u32; 6]| {
            Vec3::from_array(std::array::from_fn(|axis| of[axis] as f32 - of[axis + 3] as f32))
        };
        let is_thin = |of: [u32; 6]| of[2] == 0 && of[5] == 0;
        Lie {
            region: slope(region),
            there: slope(there),
            is_thin: is_thin(region),
            is_there_thin: is_thin(there),
        }
    }

    /// How much of voxel `p` lies in the region (1/32,768).
    fn share(&self, p: IVec3) -> u32 {
        let (at, side) = (voxel_index(p), brick_of(p) - self.coord);
        let covered = match SIDES.iter().position(|other| *other == side) {
            None => self.covered[at],
            Some(side) => self.beside[side].get_or_init(|| self.covered_beside(SIDES[side]))[at],
        };
        share(covered)
    }

    fn covered_beside(&self, side: IVec3) -> Box<[f32; VOXELS]> {
        let mut covered = Box::new([0.0; VOXELS]);
        let Brush { region, voxel_size_m, .. } = self.brush;
        match region.coverage(self.coord + side, *voxel_size_m, &mut covered) {
            Coverage::Empty => covered.fill(0.0),
            Coverage::Full => covered.fill(1.0),
            Coverage::Partial => {}
        }
        covered
    }

    /// How much of voxel `q` beside `p` is taken (1/32,768): all of it in the floor, and in other walls as much as of `p`.
    fn taken(&self, p: IVec3, q: IVec3) -> u32 {
        let is_wall = self.ground.is_wall(q);
        if is_wall && q.z < p.z {
            return LOOSE_FULL;
        }
        let voxel = self.ground.get(if is_wall { p } else { q });
        voxel.rock_share(self.brush.materials) + voxel.soil_share()
    }
}
