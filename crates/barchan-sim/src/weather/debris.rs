//! Rock turns into soil: where it was, and as soil takes more room than rock, into the free space beside that.

use std::collections::VecDeque;

use glam::IVec3;
use rustc_hash::{FxHashMap, FxHashSet};

use super::select::Cut;
use super::weathering::Debris;
use crate::columns::{ChangedBricks, Look, Patch, Space, commit};
use crate::ground::{BrickMut, EditError, Ground};
use crate::ledger::{Account, Transfers};
use crate::material::{MaterialId, Materials};
use crate::reader::BARRIER_SHARE;
use crate::voxel::{Parcel, Parcels, VoxelMut};

/// Voxels that are looked at for the room that one voxel of rock needs beside its own.
const MOST_LOOKS: usize = 4_096;

/// Where debris spreads to first: aside, down, and only then up.
const ASIDE_FIRST: [IVec3; 6] = [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::NEG_Z, IVec3::Z];

/// Rock that has become soil.
pub(super) struct Rubble {
    /// Where it was rock.
    at: IVec3,
    /// Which rock it was.
    rock: MaterialId,
    /// What is still to be laid down.
    parcel: Parcel,
    /// What was laid down where it was rock (units).
    here: u16,
}

/// What each kind of rock turns into.
pub(crate) struct Turning {
    /// By kind of rock; none where it leaves.
    soils: Vec<Option<MaterialId>>,
    share: f32,
    seed: u64,
}

impl Turning {
    /// As `debris` says, for these rocks; soils in the colours of rocks are added to `materials`.
    pub fn new(
        debris: Option<&Debris>,
        rocks: impl Iterator<Item = MaterialId>,
        seed: u64,
        materials: &mut Materials,
    ) -> Self {
        let mut soils = vec![None; 256];
        let Some(debris) = debris else { return Self { soils, share: 0.0, seed } };
        for rock in rocks {
            let crumbles_to = materials[rock].crumbles_to.as_deref().and_then(|name| materials.find(name));
            let Some(soil) = debris.kind.or(crumbles_to) else { continue };
            let color = materials[rock].color;
            let kind = if debris.keeps_color { materials.add_variant(soil, color) } else { soil };
            soils[usize::from(rock.0)] = Some(kind);
        }
        Self { soils, share: debris.share, seed }
    }

    /// As `debris` says, where it is known what each rock becomes.
    pub fn known(debris: Option<&Debris>, known: &[(MaterialId, MaterialId)], seed: u64) -> Self {
        let mut soils = vec![None; 256];
        known.iter().for_each(|(rock, soil)| soils[usize::from(rock.0)] = Some(*soil));
        Self { soils, share: debris.map_or(0.0, |debris| debris.share), seed }
    }

    /// What each rock becomes.
    pub fn pairs(&self) -> Vec<(MaterialId, MaterialId)> {
        let soils = (0..=255).zip(&self.soils);
        soils.filter_map(|(rock, soil)| Some((MaterialId(rock), (*soil)?))).collect()
    }

    /// What rock `kind` at `p` becomes.
    fn soil(&self, kind: MaterialId, p: IVec3) -> Option<MaterialId> {
        let chosen = chance(self.seed, p) < self.share;
        self.soils[usize::from(kind.0)].filter(|_| chosen)
    }
}

/// A number from 0 to 1 (never 1) that belongs to a voxel and a seed.
fn chance(seed: u64, p: IVec3) -> f32 {
    let mut mixed = seed ^ 0x9e37_79b9_7f4a_7c15;
    for axis in p.to_array() {
        mixed = (mixed ^ u64::from(axis as u32)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 32;
    }
    (mixed >> 40) as f32 / (1 << 24) as f32
}

/// Takes the rock of `cuts` out of the ground: some of it becomes soil there and beside, the rest leaves. What finds no room
/// stays rock. `enter` is told of every stage that ends.
pub(super) fn turn_to_debris(
    cuts: &[Cut],
    turning: &Turning,
    ground: &mut Ground,
    body_share: &barchan_volume::Grid<u16>,
    materials: &Materials,
    memory_limit_bytes: u64,
) -> Result<Transfers, EditError> {
    let bricks: Vec<IVec3> = cuts.iter().map(|cut| cut.coord).collect();
    let of_brick: FxHashMap<IVec3, &Cut> = cuts.iter().map(|cut| (cut.coord, cut)).collect();
    let take = |brick: &mut BrickMut| take_rock(brick, of_brick[&brick.coord], turning, materials);
    let (mut transfers, rubble) = ground.rewrite(&bricks, memory_limit_bytes, take)?;
    let mut rubble: Vec<Rubble> = rubble.into_iter().flatten().collect();
    let turned: Vec<u16> = rubble.iter().map(|piece| piece.parcel.units).collect();
    let changed = strew(&mut rubble, Space::new(ground, body_share, materials));
    commit(changed, ground);
    put_back(&mut rubble, ground, body_share, materials, memory_limit_bytes)?;
    for (piece, units) in rubble.iter().zip(turned) {
        let (rock, soil) = ((Account::Rock, piece.rock), (Account::Soil, piece.parcel.kind));
        transfers.add(Some(rock), Some(soil), i64::from(units - piece.parcel.units));
    }
    Ok(transfers)
}

/// Takes the rock of a cut out of its brick. What becomes soil is still to be laid down.
fn take_rock(brick: &mut BrickMut, cut: &Cut, turning: &Turning, materials: &Materials) -> Vec<Rubble> {
    let mut rubble = Vec::new();
    for &(at, keep) in &cut.voxels {
        let (at, keep, p) = (usize::from(at), u32::from(keep), brick.place(usize::from(at)));
        while brick.get(at).rock > 0 && brick.get(at).rock_share(materials) > keep {
            let kept = materials.rock_void_ratio(brick.get(at).rock_kind).units_in(keep);
            let goes = u32::from(brick.get(at).rock).saturating_sub(kept).max(1);
            let (units, rock) = brick.voxel(at).take_rock(goes);
            match turning.soil(rock, p) {
                None => brick.note(Some((Account::Rock, rock)), None, units.into()),
                Some(kind) => {
                    let void_ratio = materials.loose(kind);
                    let parcel = Parcel { units, kind, void_ratio, moved: true, water: 0 };
                    rubble.push(Rubble { at: p, rock, parcel, here: 0 });
                }
            }
        }
    }
    rubble
}

/// Lays rubble down where it was rock, and what finds no room there in the nearest free space.
fn strew(rubble: &mut [Rubble], space: Space<'_>) -> ChangedBricks {
    let mut patch = Patch::new(space);
    for piece in &mut *rubble {
        let before = piece.parcel.units;
        patch.put(piece.at, &mut piece.parcel);
        piece.here = before - piece.parcel.units;
    }
    let exits = exits(rubble, &space, &mut patch);
    let mut by_exit: FxHashMap<IVec3, Vec<usize>> = FxHashMap::default();
    let mut order = Vec::new();
    for (i, piece) in rubble.iter().enumerate().filter(|(_, piece)| piece.parcel.units > 0) {
        if let Some(exit) = exits.get(&piece.at) {
            by_exit.entry(*exit).or_insert_with(|| {
                order.push(*exit);
                Vec::new()
            });
            by_exit.entry(*exit).or_default().push(i);
        }
    }
    let mut search = Search::default();
    for exit in order {
        let surplus = by_exit.remove(&exit).unwrap_or_default();
        search.spill(exit, surplus, rubble, &space, &mut patch);
    }
    patch.into_changed()
}

/// For every voxel that rubble was taken from, the free voxel through which it comes out soonest; those that have none are not
/// named.
fn exits(rubble: &[Rubble], space: &Space<'_>, patch: &mut Patch<'_>) -> FxHashMap<IVec3, IVec3> {
    let mut known: FxHashMap<IVec3, Option<IVec3>> = FxHashMap::default();
    known.extend(rubble.iter().map(|piece| (piece.at, None)));
    let mut queue = VecDeque::new();
    for piece in rubble {
        if known[&piece.at].is_some() {
            continue;
        }
        let is_out = |q: &IVec3| !known.contains_key(q) && patch.room(*q, piece.parcel.void_ratio) > 0;
        if let Some(exit) = ASIDE_FIRST.map(|face| piece.at + face).into_iter().find(is_out) {
            known.insert(piece.at, Some(exit));
            queue.push_back(piece.at);
        }
    }
    while let Some(p) = queue.pop_front() {
        let exit = known[&p];
        for q in ASIDE_FIRST.map(|face| p + face) {
            if known.get(&q) == Some(&None) && is_open(q, space, patch) {
                known.insert(q, exit);
                queue.push_back(q);
            }
        }
    }
    known.into_iter().filter_map(|(p, exit)| Some((p, exit?))).collect()
}

/// True where soil can pass through voxel `p`.
fn is_open(p: IVec3, space: &Space<'_>, patch: &mut Patch<'_>) -> bool {
    let (voxel, body) = patch.look(p);
    !space.is_outside(p) && space.solid(&voxel, body) < BARRIER_SHARE
}

/// A search for free room, from voxel to voxel through faces.
#[derive(Default)]
struct Search {
    seen: FxHashSet<IVec3>,
    queue: VecDeque<IVec3>,
}

impl Search {
    /// Lays `surplus` (places in `rubble`) down in the free voxels nearest to `from`.
    fn spill(
        &mut self,
        from: IVec3,
        mut surplus: Vec<usize>,
        rubble: &mut [Rubble],
        space: &Space<'_>,
        patch: &mut Patch<'_>,
    ) {
        self.seen.clear();
        self.queue.clear();
        self.seen.insert(from);
        self.queue.push_back(from);
        for _ in 0..MOST_LOOKS * surplus.len() {
            let Some(p) = self.queue.pop_front() else { return };
            while let Some(&i) = surplus.last() {
                patch.put(p, &mut rubble[i].parcel);
                if rubble[i].parcel.units > 0 {
                    break;
                }
                surplus.pop();
            }
            if surplus.is_empty() {
                return;
            }
            for q in ASIDE_FIRST.map(|face| p + face) {
                if is_open(q, space, patch) && self.seen.insert(q) {
                    self.queue.push_back(q);
                }
            }
        }
    }
}

/// Turns into rock again what found no room, with what was laid down in its place.
fn put_back(
    rubble: &mut [Rubble],
    ground: &mut Ground,
    body_share: &barchan_volume::Grid<u16>,
    materials: &Materials,
    memory_limit_bytes: u64,
) -> Result<(), EditError> {
    use barchan_volume::brick::{brick_of, voxel_index};
    let mut by_brick: FxHashMap<IVec3, Vec<(usize, MaterialId, u16, u16)>> = FxHashMap::default();
    for piece in rubble.iter_mut().filter(|piece| piece.parcel.units > 0) {
        let returns = piece.parcel.units + piece.here;
        let entry = (voxel_index(piece.at), piece.rock, piece.here, returns);
        by_brick.entry(brick_of(piece.at)).or_default().push(entry);
        piece.parcel.units = returns;
    }
    let mut bricks: Vec<IVec3> = by_brick.keys().copied().collect();
    bricks.sort_unstable_by_key(IVec3::to_array);
    let restore = |brick: &mut BrickMut| {
        // Of one voxel what came last lies on top.
        for &(at, rock, here, returns) in by_brick[&brick.coord].iter().rev() {
            let body = u32::from(body_share.get(brick.place(at)));
            let mut voxel = brick.voxel(at);
            take_from_top(here, &mut voxel);
            voxel.add_rock(returns, rock);
            // What lay there may have become looser beside the debris.
            voxel.press_in(Parcel::default(), body, materials);
        }
    };
    ground.rewrite(&bricks, memory_limit_bytes, restore).map(drop)
}

/// Takes `units` of dry soil off the top of a voxel; all water stays with the rest.
fn take_from_top(units: u16, voxel: &mut VoxelMut<'_>) {
    let (mut parcels, mut left) = (Parcels::new(), units);
    voxel.take_soils(u32::MAX, &mut parcels);
    let mut water = 0;
    for parcel in &mut parcels {
        let goes = parcel.units.min(left);
        left -= goes;
        parcel.units -= goes;
        water += std::mem::take(&mut parcel.water);
    }
    parcels.retain(|parcel| parcel.units > 0);
    for mut parcel in parcels.into_iter().rev() {
        parcel.water = std::mem::take(&mut water);
        voxel.add_soil(parcel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_spread_evenly_and_belong_to_the_seed() {
        let voxels = || (0..40_000).map(|i| IVec3::new(i % 40 - 20, i / 40 % 25, i / 1_000));
        for share in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let chosen = voxels().filter(|p| chance(7, *p) < share).count() as f32 / 40_000.0;
            assert!((chosen - share).abs() < 0.01, "{chosen} of {share}");
        }
        assert_ne!(chance(7, IVec3::ONE), chance(8, IVec3::ONE));
    }
}
