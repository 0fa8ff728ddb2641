//! Painting: rock or soil becomes another kind or takes a colour, and keeps its shape.

use barchan_volume::Mask;
use glam::IVec3;
use rustc_hash::FxHashMap;

use crate::ground::{BrickMut, EditError, Ground};
use crate::ledger::{Account, Transfers};
use crate::material::{MaterialId, Materials, Phase};
use crate::voxel::Parcels;

/// What is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pigment {
    /// All rock, or all soil, becomes this.
    Kind(MaterialId),
    /// All kinds take this colour, as variants of themselves (sRGB, 0 to 255).
    Color([u8; 3]),
}

/// What each kind becomes, by its number; none: it stays.
type Becomes = [Option<MaterialId>; 256];

/// Paints the voxels of `masks`, which come in order. Returns what became what, and how many voxels were painted.
pub(super) fn paint(
    masks: &[(IVec3, Mask)],
    pigment: Pigment,
    ground: &mut Ground,
    materials: &mut Materials,
    memory_limit_bytes: u64,
) -> Result<(Transfers, usize), EditError> {
    let becomes = becomes(masks, pigment, ground, materials)?;
    let bricks: Vec<IVec3> = masks.iter().map(|(coord, _)| *coord).collect();
    let of_brick: FxHashMap<IVec3, Mask> = masks.iter().copied().collect();
    let write = |brick: &mut BrickMut| {
        let mask = of_brick[&brick.coord];
        mask.indices().filter(|&at| paint_voxel(brick, at, &becomes, materials)).count()
    };
    let (transfers, counts) = ground.rewrite(&bricks, memory_limit_bytes, write)?;
    Ok((transfers, counts.into_iter().sum()))
}

/// What the kinds in these voxels become. Variants that do not exist yet are added to `materials`.
fn becomes(
    masks: &[(IVec3, Mask)],
    pigment: Pigment,
    ground: &Ground,
    materials: &mut Materials,
) -> Result<Becomes, EditError> {
    let mut becomes = [None; 256];
    match pigment {
        Pigment::Kind(kind) => {
            let phase: Phase = materials.get(kind).ok_or(EditError::UnknownMaterial(kind.0))?.phase;
            for (id, _) in materials.iter().filter(|(id, material)| *id != kind && material.phase == phase) {
                becomes[usize::from(id.0)] = Some(kind);
            }
        }
        Pigment::Color(color) => {
            for id in kinds_in(masks, ground) {
                let variant = materials.add_variant(id, color);
                becomes[usize::from(id.0)] = Some(variant).filter(|variant| *variant != id);
            }
        }
    }
    Ok(becomes)
}

/// The kinds of what is in these voxels, in order; of those that a list names, all of the brick.
fn kinds_in(masks: &[(IVec3, Mask)], ground: &Ground) -> Vec<MaterialId> {
    let mut is_there = [false; 256];
    for (coord, mask) in masks {
        let brick = ground.brick(*coord);
        for at in mask.indices() {
            let voxel = brick.voxels.get(at);
            let parts =
                [(voxel.rock, voxel.rock_kind), (voxel.top, voxel.top_kind), (voxel.under, voxel.under_kind)];
            parts
                .iter()
                .filter(|(units, _)| *units > 0)
                .for_each(|(_, id)| is_there[usize::from(id.0)] = true);
        }
        brick.side.entries().iter().for_each(|entry| is_there[usize::from(entry.key)] = true);
    }
    (0..=255).map(MaterialId).filter(|id| is_there[usize::from(id.0)]).collect()
}

/// Paints one voxel; false where nothing of it becomes anything else.
fn paint_voxel(brick: &mut BrickMut, at: usize, becomes: &Becomes, materials: &Materials) -> bool {
    let voxel = brick.get(at);
    if voxel.is_air() {
        return false;
    }
    let before: Vec<_> = brick.voxel(at).contents().iter().collect();
    let of = |kind: MaterialId| becomes[usize::from(kind.0)].unwrap_or(kind);
    if before.iter().all(|((account, kind), _)| !account.has_materials() || of(*kind) == *kind) {
        return false;
    }
    paint_rock(brick, at, &of, materials);
    paint_soil(brick, at, &of);
    true
}

/// Rock of another packing takes the room that there was: some comes or leaves for that.
fn paint_rock(
    brick: &mut BrickMut,
    at: usize,
    of: &impl Fn(MaterialId) -> MaterialId,
    materials: &Materials,
) {
    let share = brick.get(at).rock_share(materials);
    let mut kinds = Vec::new();
    while brick.get(at).rock > 0 {
        kinds.push(brick.voxel(at).take_rock(u32::MAX));
    }
    let same_packing = |(_, kind): &(u16, MaterialId)| {
        materials.rock_void_ratio(*kind) == materials.rock_void_ratio(of(*kind))
    };
    if kinds.iter().all(same_packing) {
        for (units, kind) in kinds {
            brick.voxel(at).add_rock(units, of(kind));
            if of(kind) != kind {
                brick.note(Some((Account::Rock, kind)), Some((Account::Rock, of(kind))), units.into());
            }
        }
        return;
    }
    // Only one kind is painted over others.
    let kind = of(kinds[0].1);
    let fits = materials.rock_void_ratio(kind).units_in(share);
    let mut left = fits;
    for (units, was) in kinds {
        let stays = u32::from(units).min(left);
        left -= stays;
        if was != kind {
            brick.note(Some((Account::Rock, was)), Some((Account::Rock, kind)), stays);
        }
        brick.note(Some((Account::Rock, was)), None, u32::from(units) - stays);
    }
    brick.note(None, Some((Account::Rock, kind)), left);
    brick.voxel(at).add_rock(fits as u16, kind);
}

fn paint_soil(brick: &mut BrickMut, at: usize, of: &impl Fn(MaterialId) -> MaterialId) {
    let mut parcels = Parcels::new();
    brick.voxel(at).take_soils(u32::MAX, &mut parcels);
    for mut parcel in parcels.into_iter().rev() {
        let (was, now) = (parcel.kind, of(parcel.kind));
        if was != now {
            brick.note(Some((Account::Soil, was)), Some((Account::Soil, now)), parcel.units.into());
        }
        parcel.kind = now;
        brick.voxel(at).add_soil(parcel);
    }
}
