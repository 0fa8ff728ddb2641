//! Files of version 1, as they were: their layouts and the way in which their digest was made are frozen here.
//!
//! Voxels had ten bytes: one soil of one kind, without layers, and a degree of saturation instead of water. What had been moved
//! showed in its void ratio. The books knew no kinds: they are checked as they are and then begun anew with what is there.

use std::collections::BTreeMap;

use barchan_sim::bodies::Bodies;
use barchan_sim::material::Phase;
use barchan_sim::state::{MemberBytes, MemberTag};
use barchan_sim::units::{LOOSE_FULL, VoidRatio};
use barchan_sim::voxel::Marks;
use barchan_sim::{
    Clock, Ground, GroundBrick, Ledger, Material, MaterialId, Materials, Voxel, World, WorldState,
};
use barchan_volume::brick::VOXELS;
use barchan_volume::{Brick, VoxelBox};
use glam::{IVec3, Vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::bricks::{frames, take};
use super::chunk::{Chunk, Tag, corrupt};
use super::frame::GroundFrame;
use super::version_2::{Chunks, check_size, from_bytes, put_together, split};
use crate::error::FormatError;

/// Bytes of a voxel.
const VOXEL_BYTES: usize = 10;

/// tag, raw length, stored length, checksum
const FRAME_BYTES: usize = 4 + 4 + 4 + 8;

#[derive(Deserialize)]
struct Head {
    voxel_size_m: f32,
    bounds: Option<VoxelBox>,
    gravity_m_s2: [f32; 3],
    clock: Clock,
    seed: u64,
    ledger: Books,
    materials: Vec<OldMaterial>,
    awake: Vec<([i32; 3], u8)>,
    bricks: u64,
    bearing: Bearing,
    fall: Vec<Moving>,
    momentum: Momentum,
    carry: Carry,
    digest: u64,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Default)]
struct Amounts {
    rock: i64,
    soil: i64,
}

#[derive(Deserialize)]
struct Books {
    held: Amounts,
    entered: Amounts,
    left: Amounts,
}

#[derive(Serialize, Deserialize)]
struct OldMaterial {
    name: String,
    phase: Phase,
    friction_angle: f32,
    cohesion_pa: f32,
    unit_weight_n_m3: f32,
    void_ratio_dense: f32,
    void_ratio_natural: f32,
    void_ratio_loose: f32,
    repose_angle: f32,
    color: [u8; 3],
    hardness_mpa: f32,
    erodibility: f32,
    sinkage_exponent: f32,
    sinkage_kc: f32,
    sinkage_kphi: f32,
    source: String,
}

/// By bodies: five twists of six numbers, the length of the step, whether the body slept.
#[derive(Serialize, Deserialize)]
struct Bearing {
    records: BTreeMap<u32, ([[f64; 6]; 5], f64, bool)>,
}

#[derive(Serialize, Deserialize)]
struct Moving {
    at: [i32; 3],
    velocity_m_s: [f32; 3],
    ahead_voxels: [f32; 3],
}

#[derive(Serialize, Deserialize)]
struct Sliding {
    at: [i32; 3],
    height_voxels: f32,
    speed_m_s: f32,
}

#[derive(Serialize, Deserialize)]
struct Momentum {
    is_kept: bool,
    sliding: Vec<Sliding>,
}

/// By bodies: middle, turn, velocity, rate of turn, climb.
#[derive(Serialize, Deserialize)]
struct Carry {
    frames: BTreeMap<u32, [f64; 7]>,
}

/// The world in what follows the version.
pub(super) fn read(bytes: &[u8], memory_limit_bytes: u64) -> Result<World, FormatError> {
    let chunks = split(bytes, read_frame)?;
    check_order(&chunks)?;
    check_size(&chunks, memory_limit_bytes)?;
    let head: Head = from_bytes("HEAD", &chunks[0].0.unpack()?)?;
    let bodies = Bodies::from_bytes(&chunks[1].0.unpack()?).map_err(|error| corrupt(error.to_string()))?;
    let bricks: Vec<Vec<(IVec3, Brick<OldVoxel>)>> = chunks[2..chunks.len() - 1]
        .par_iter()
        .map(|(chunk, _)| bricks(&chunk.unpack()?))
        .collect::<Result<_, _>>()?;
    let bricks: Vec<(IVec3, Brick<OldVoxel>)> = bricks.into_iter().flatten().collect();
    check_books(&head.ledger, &bricks)?;
    if digest(&head, &bodies, &bricks) != head.digest {
        return Err(corrupt("the digest of the world does not match: the file was damaged"));
    }
    let materials = materials(&head.materials)?;
    let ground = ground(&head, bricks, &materials)?;
    let mut state =
        WorldState { materials, bodies, clock: head.clock, seed: head.seed, ..WorldState::new(ground) };
    state.gravity_m_s2 = Vec3::from_array(head.gravity_m_s2);
    let held = state.ground.count();
    state.ledger = Ledger { held: held.clone(), entered: held, ..Ledger::default() };
    // These members have kept their form.
    for (tag, bytes) in [
        (*b"BEAR", postcard::to_stdvec(&head.bearing)),
        (*b"CARR", postcard::to_stdvec(&head.carry)),
        (*b"FALL", postcard::to_stdvec(&head.fall)),
        (*b"SLIP", postcard::to_stdvec(&head.momentum)),
    ] {
        let bytes = bytes.map_err(|error| corrupt(error.to_string()))?;
        let member = MemberBytes { tag: MemberTag(tag), version: 1, bytes };
        state.read_member(&member).map_err(|error| corrupt(error.to_string()))?;
    }
    World::from_state(state).map_err(|error| corrupt(error.to_string()))
}

fn read_frame<'a>(bytes: &mut &'a [u8]) -> Result<(Chunk<'a>, u64), FormatError> {
    let frame = bytes.split_off(..FRAME_BYTES).ok_or_else(|| corrupt("the file ends in the middle"))?;
    let word = |at: usize| u32::from_le_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]]);
    let tag = Tag([frame[0], frame[1], frame[2], frame[3]]);
    let chunk = Chunk::stored(tag, 1, (word(4) as usize, word(8) as usize), bytes)?;
    let mut hasher = Xxh3::new();
    hasher.update(&frame[..8]);
    hasher.update(chunk.stored_bytes());
    let checksum = u64::from(word(12)) | u64::from(word(16)) << 32;
    if hasher.digest() != checksum {
        return Err(corrupt("a checksum does not match: the file was damaged"));
    }
    Ok((chunk, checksum))
}

fn check_order(chunks: &Chunks<'_>) -> Result<(), FormatError> {
    for (at, (chunk, _)) in chunks.iter().enumerate() {
        let expected = match at {
            0 => chunk.tag == Tag(*b"HEAD"),
            1 => chunk.tag == Tag::BODY,
            _ => chunk.tag == if at + 1 == chunks.len() { Tag::END } else { Tag::BRICKS },
        };
        if !expected {
            return Err(corrupt(format!("chunk number {at} is a '{}'", chunk.tag.name())));
        }
    }
    Ok(())
}

/// rock, soil, void ratio, moisture as two bytes each; kind of the rock, kind of the soil.
type OldVoxel = [u8; VOXEL_BYTES];

fn word(voxel: &OldVoxel, at: usize) -> u16 {
    u16::from_le_bytes([voxel[2 * at], voxel[2 * at + 1]])
}

fn bricks(mut bytes: &[u8]) -> Result<Vec<(IVec3, Brick<OldVoxel>)>, FormatError> {
    // Uniform voxels are kept as they are until their table of materials is known: as the bytes of a voxel of today.
    let keep = |bytes: &mut &[u8]| {
        let old: OldVoxel = take(bytes)?;
        let mut padded = [0; Voxel::BYTES];
        padded[..VOXEL_BYTES].copy_from_slice(&old);
        Ok(Voxel::from_bytes(padded))
    };
    let mut bricks = Vec::new();
    for (coord, uniform, _) in frames(&mut bytes, false, keep)? {
        let brick = match uniform {
            Some(voxel) => {
                let bytes = voxel.to_bytes();
                Brick::Uniform(std::array::from_fn(|at| bytes[at]))
            }
            None => {
                let planes = take::<{ VOXELS * VOXEL_BYTES }>(&mut bytes)?;
                Brick::from_values(&std::array::from_fn(|at| {
                    std::array::from_fn(|plane| planes[plane * VOXELS + at])
                }))
            }
        };
        bricks.push((coord, brick));
    }
    if !bytes.is_empty() {
        return Err(corrupt("bytes are left over after the bricks of a chunk"));
    }
    Ok(bricks)
}

fn check_books(books: &Books, bricks: &[(IVec3, Brick<OldVoxel>)]) -> Result<(), FormatError> {
    let mut counted = Amounts::default();
    for (_, brick) in bricks {
        for at in 0..VOXELS {
            let voxel = brick.get(at);
            counted.rock += i64::from(word(&voxel, 0));
            counted.soil += i64::from(word(&voxel, 1));
        }
    }
    let Books { held, entered, left } = books;
    let balance = held.rock.wrapping_add(held.soil).wrapping_add(left.rock).wrapping_add(left.soil);
    if counted != *held || balance != entered.rock.wrapping_add(entered.soil) {
        return Err(corrupt("the books do not agree with the ground"));
    }
    Ok(())
}

fn digest(head: &Head, bodies: &Bodies, bricks: &[(IVec3, Brick<OldVoxel>)]) -> u64 {
    let mut hasher = Xxh3::new();
    let floats = |hasher: &mut Xxh3, numbers: &[f32]| {
        numbers.iter().for_each(|number| hasher.update(&number.to_bits().to_le_bytes()));
    };
    let coord = |hasher: &mut Xxh3, p: [i32; 3]| p.iter().for_each(|c| hasher.update(&c.to_le_bytes()));
    floats(&mut hasher, &[head.voxel_size_m]);
    if let Some(bounds) = head.bounds {
        coord(&mut hasher, bounds.min.to_array());
        coord(&mut hasher, bounds.max.to_array());
    }
    for (at, brick) in bricks {
        if let Some(hash) = hash_brick(brick) {
            coord(&mut hasher, at.to_array());
            hasher.update(&hash.to_le_bytes());
        }
    }
    for (at, quiet) in &head.awake {
        coord(&mut hasher, *at);
        hasher.update(&[*quiet]);
    }
    bodies.digest(&mut hasher);
    for (id, (twists, dt_s, slept)) in &head.bearing.records {
        hasher.update(&id.to_le_bytes());
        let numbers = twists.as_flattened().iter().copied().chain([*dt_s, f64::from(u8::from(*slept))]);
        numbers.for_each(|number| hasher.update(&number.to_bits().to_le_bytes()));
    }
    for moving in &head.fall {
        coord(&mut hasher, moving.at);
        floats(&mut hasher, &moving.velocity_m_s);
        floats(&mut hasher, &moving.ahead_voxels);
    }
    if head.momentum.is_kept {
        hasher.update(b"momentum");
        for sliding in &head.momentum.sliding {
            coord(&mut hasher, sliding.at);
            floats(&mut hasher, &[sliding.height_voxels, sliding.speed_m_s]);
        }
    }
    for (id, frame) in &head.carry.frames {
        hasher.update(&id.to_le_bytes());
        frame.iter().for_each(|number| hasher.update(&number.to_bits().to_le_bytes()));
    }
    for material in &head.materials {
        hasher.update(&postcard::to_stdvec(material).expect("plain data serialises"));
    }
    floats(&mut hasher, &head.gravity_m_s2);
    hasher.update(&head.clock.time_s.to_bits().to_le_bytes());
    hasher.update(&head.clock.steps.to_le_bytes());
    hasher.update(&head.seed.to_le_bytes());
    for amounts in [head.ledger.held, head.ledger.entered, head.ledger.left] {
        hasher.update(&amounts.rock.to_le_bytes());
        hasher.update(&amounts.soil.to_le_bytes());
    }
    hasher.digest()
}

fn hash_brick(brick: &Brick<OldVoxel>) -> Option<u64> {
    if let Some(voxel) = brick.only_value() {
        return (voxel != OldVoxel::default()).then(|| xxh3_64(&voxel));
    }
    let bytes: Vec<u8> = (0..VOXELS).flat_map(|at| brick.get(at)).collect();
    Some(xxh3_64(&bytes))
}

/// The table of today: what version 1 did not know is that of the built-in material of the same name, or none.
fn materials(old: &[OldMaterial]) -> Result<Materials, FormatError> {
    let builtin = Materials::builtin();
    let has = |name: &str| old.iter().any(|other| other.name == name && other.phase == Phase::Soil);
    let material = |old: &OldMaterial| {
        let like = builtin.find(&old.name).map(|id| builtin[id].clone());
        let grain_density_kg_m3 = like.as_ref().map_or(2_650.0, |like| like.grain_density_kg_m3);
        let retention = like.as_ref().and_then(|like| like.retention);
        let measured_compression = like.as_ref().and_then(|like| like.measured_compression);
        let concentration_factor = like.as_ref().map_or(4.0, |like| like.concentration_factor);
        let crumbles_to = like.and_then(|like| like.crumbles_to);
        Material {
            name: old.name.clone(),
            phase: old.phase,
            friction_angle: old.friction_angle,
            cohesion_pa: old.cohesion_pa,
            unit_weight_n_m3: old.unit_weight_n_m3,
            grain_density_kg_m3,
            void_ratio_dense: old.void_ratio_dense,
            void_ratio_natural: old.void_ratio_natural,
            void_ratio_loose: old.void_ratio_loose,
            repose_angle: old.repose_angle,
            color: old.color,
            hardness_mpa: old.hardness_mpa,
            erodibility: old.erodibility,
            sinkage_exponent: old.sinkage_exponent,
            sinkage_kc: old.sinkage_kc,
            sinkage_kphi: old.sinkage_kphi,
            retention,
            crumbles_to: crumbles_to.filter(|name| has(name)),
            measured_compression,
            concentration_factor,
            strength_rows: Vec::new(),
            source: old.source.clone(),
        }
    };
    Materials::new(old.iter().map(material).collect()).map_err(|error| corrupt(error.to_string()))
}

fn ground(
    head: &Head,
    bricks: Vec<(IVec3, Brick<OldVoxel>)>,
    materials: &Materials,
) -> Result<Ground, FormatError> {
    let frame = GroundFrame {
        voxel_size_m: head.voxel_size_m,
        bounds: head.bounds,
        awake: head.awake.clone(),
        bricks: head.bricks,
    };
    let convert = |(coord, brick): (IVec3, Brick<OldVoxel>)| {
        let brick = match brick {
            Brick::Uniform(voxel) => Brick::Uniform(voxel_of(&voxel, materials)),
            Brick::Dense(voxels) => {
                Brick::from_values(&std::array::from_fn(|at| voxel_of(&voxels[at], materials)))
            }
        };
        (coord, GroundBrick::plain(brick))
    };
    put_together(&frame, bricks.into_iter().map(convert))
}

/// A voxel of today. A file of nonsense gives nonsense, which the world refuses.
fn voxel_of(old: &OldVoxel, materials: &Materials) -> Voxel {
    let (kind, void_ratio) = (MaterialId(old[9]), VoidRatio(word(old, 2)));
    let mut voxel = Voxel {
        rock: word(old, 0),
        rock_kind: MaterialId(old[8]),
        top: word(old, 1),
        top_kind: kind,
        top_void_ratio: void_ratio,
        ..Voxel::AIR
    };
    if voxel.top > 0 {
        if materials.get(kind).is_some_and(|material| was_moved(material, void_ratio)) {
            voxel.marks = Marks(Marks::TOP_MOVED);
        }
        let saturation = f64::from(word(old, 3)) / f64::from(u16::MAX);
        let water = (f64::from(voxel.pore_share()) * saturation).round();
        voxel.water = water.min(f64::from(LOOSE_FULL)) as u16;
    }
    voxel
}

/// What was moved was loosened at least half way from its natural void ratio.
fn was_moved(material: &Material, void_ratio: VoidRatio) -> bool {
    let half_way = 0.5 * (material.void_ratio_natural + material.void_ratio_loose);
    material.void_ratio_loose > material.void_ratio_natural && void_ratio >= VoidRatio::from_f32(half_way)
}
