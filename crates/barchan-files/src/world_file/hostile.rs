//! Files made to deceive: their checksums are right and their content is not.

use barchan_sim::voxel::{Channel, Marks, SideEntry, SideList};
use barchan_sim::{Edit, MaterialId, Voxel, World, WorldConfig};
use barchan_volume::{Brick, Region, VoxelBox};
use glam::IVec3;

use super::bricks::{BRICKS_VERSION, encode};
use super::chunk::{Chunk, Tag};
use super::save::CHUNK_VERSION;
use super::{GroundFrame, MAGIC, VERSION, read_world, write_world};

const LIMIT: u64 = 1 << 28;

/// A chunk: what it is, of which form, and its raw bytes.
type Part = (Tag, u16, Vec<u8>);

/// The chunks of a small world: ground, members, bodies, bricks, end.
fn parts() -> Vec<Part> {
    let bounds = VoxelBox::new(IVec3::ZERO, IVec3::new(16, 8, 12));
    let mut world = World::new(WorldConfig { bounds: Some(bounds), ..WorldConfig::default() }).unwrap();
    let region = Region::Slab { z_min_m: 0.0, z_max_m: 0.55 };
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.5 }).unwrap();
    let mut file = Vec::new();
    write_world(&mut file, &world, &[]).unwrap();
    let mut rest = &file[MAGIC.len() + 4..];
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (chunk, checksum) = Chunk::read(&mut rest).unwrap();
        parts.push((chunk.tag, chunk.version, chunk.decompress(checksum).unwrap()));
    }
    parts
}

/// Where the chunk with this tag is.
fn place(parts: &[Part], tag: Tag) -> usize {
    parts.iter().position(|part| part.0 == tag).unwrap()
}

/// A file of these chunks, with right lengths and checksums.
fn assemble(parts: &[Part]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    for (tag, version, raw) in parts {
        Chunk::compress(*tag, *version, raw).write(&mut file).unwrap();
    }
    file
}

fn message(parts: &[Part]) -> String {
    read_world(&assemble(parts), LIMIT).map(drop).unwrap_err().to_string()
}

#[test]
fn reassembled_parts_are_the_world_again() {
    assert!(read_world(&assemble(&parts()), LIMIT).is_ok());
}

#[test]
fn bytes_changed_behind_the_checksum_are_refused() {
    let parts = parts();
    // A fixed linear congruence is random enough to hit every byte of these small chunks many times.
    let mut state = 1_u64;
    let mut next = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    for _ in 0..10_000 {
        let mut broken = parts.clone();
        let chunk = next(parts.len());
        let raw = &mut broken[chunk].2;
        match next(4) {
            0 => raw.truncate(next(raw.len() + 1)),
            1 => raw.extend(vec![next(256) as u8; 1 + next(64)]),
            _ if raw.is_empty() => {}
            _ => {
                for _ in 0..1 + next(4) {
                    let at = next(raw.len());
                    raw[at] = next(256) as u8;
                }
            }
        }
        if broken[chunk].2 != parts[chunk].2 {
            let loaded = read_world(&assemble(&broken), LIMIT);
            assert!(loaded.is_err(), "{}: {:?} {:?}", parts[chunk].0.name(), parts[chunk].2, broken[chunk].2);
        }
    }
}

/// What is said of a world whose only brick is this one.
fn with_brick(voxels: Brick<Voxel>, side: &SideList) -> String {
    let mut parts = parts();
    let [ground, bricks] = [Tag::GROUND, Tag::BRICKS].map(|tag| place(&parts, tag));
    parts[bricks] = (Tag::BRICKS, BRICKS_VERSION, encode(&[(IVec3::ZERO, &voxels, side)]));
    let mut frame: GroundFrame = postcard::from_bytes(&parts[ground].2).unwrap();
    frame.bricks = 1;
    parts[ground].2 = postcard::to_stdvec(&frame).unwrap();
    message(&parts)
}

#[test]
fn overfull_voxels_wrong_kinds_and_false_books_are_named() {
    let with_voxel = |voxel: Voxel| with_brick(Brick::Uniform(voxel), &SideList::EMPTY);
    let sand = Voxel { top: 100, ..Voxel::AIR };
    let two = Voxel { under: 50, under_kind: MaterialId(1), ..sand };
    assert!(with_voxel(Voxel { top: 65_535, ..sand }).contains("more than fits"));
    assert!(with_voxel(Voxel { under: 40_000, top: 40_000, ..two }).contains("more than fits"));
    assert!(with_voxel(Voxel { top_kind: MaterialId(200), ..sand }).contains("no kind of soil"));
    assert!(with_voxel(Voxel { under_kind: MaterialId(11), ..two }).contains("no kind of soil"));
    assert!(with_voxel(Voxel { rock: 5, ..Voxel::AIR }).contains("no kind of rock"));
    assert!(with_voxel(Voxel { top: 0, ..two }).contains("does not lie on top"));
    assert!(with_voxel(Voxel { water: 5, ..Voxel::AIR }).contains("not there"));
    assert!(with_voxel(Voxel { marks: Marks(Marks::UNDER_MOVED), ..sand }).contains("not there"));
    assert!(with_voxel(Voxel { marks: Marks(64), ..sand }).contains("not there"));
    assert!(with_voxel(Voxel { marks: Marks(Marks::MORE_SOILS), ..two }).contains("do not agree"));
    assert!(with_voxel(sand).contains("the books hold"));
}

#[test]
fn false_lists_beside_bricks_are_named() {
    let two = Voxel {
        under: 50,
        under_kind: MaterialId(1),
        top: 100,
        marks: Marks(Marks::MORE_SOILS),
        ..Voxel::AIR
    };
    let list = |key, value| {
        let entry = SideEntry { voxel: 7, channel: Channel::Soil, key, value };
        SideList::from_entries(vec![entry]).unwrap()
    };
    let with = |marks: u8, side: &SideList| {
        let mut voxels = [Voxel::AIR; barchan_volume::brick::VOXELS];
        voxels[7] = Voxel { marks: Marks(marks), ..two };
        with_brick(Brick::from_values(&voxels), side)
    };
    assert!(with(0, &list(2, 5)).contains("do not agree"));
    // As much as there is, of the kind that is named, of a rock, and more than of the kind that is named.
    for (key, value) in [(2, 50), (1, 5), (11, 5), (2, 26)] {
        assert!(
            with(Marks::MORE_SOILS, &list(key, value)).contains("names what is not there"),
            "{key} {value}"
        );
    }
    assert!(
        with(Marks::MORE_SOILS, &list(2, 25)).contains("the books hold"),
        "nothing else is wrong with it"
    );
}

#[test]
fn chunks_missing_doubled_or_out_of_order_are_named() {
    let parts = parts();
    assert!(message(&parts[..parts.len() - 1]).contains("ends in the middle"));
    assert!(message(&parts[1..]).contains("chunk number 0 is a 'MATS'"));
    let bricks = place(&parts, Tag::BRICKS);
    let mut doubled = parts.clone();
    doubled.insert(bricks, parts[bricks].clone());
    assert!(message(&doubled).contains("out of order"));
    let mut late = parts.clone();
    late.swap(bricks, bricks - 1);
    assert!(message(&late).contains("stands among the bricks"));
    let mut fewer = parts.clone();
    fewer.remove(bricks);
    assert!(message(&fewer).contains("bricks"));
    let mut twice = parts;
    twice.insert(2, twice[1].clone());
    assert!(message(&twice).contains("'MATS' is there twice"));
}

#[test]
fn unknown_chunks_and_versions_are_refused_by_name() {
    let with = |change: &dyn Fn(&mut Vec<Part>)| {
        let mut parts = parts();
        change(&mut parts);
        message(&parts)
    };
    let unknown = with(&|parts| parts.insert(3, (Tag(*b"LAVA"), 1, vec![1, 2, 3])));
    assert!(unknown.contains("there is no 'LAVA' in a world"), "{unknown}");
    for tag in [Tag::GROUND, Tag::BODY, Tag::BRICKS, Tag::END, Tag(*b"SEED")] {
        let newer = with(&|parts| {
            let at = place(parts, tag);
            parts[at].1 = 77;
        });
        assert!(newer.contains("version 77"), "{newer}");
    }
}

#[test]
fn a_member_without_a_chunk_is_as_by_default() {
    let mut parts = parts();
    let seed = place(&parts, Tag(*b"SEED"));
    assert_eq!(parts.remove(seed).1, CHUNK_VERSION);
    assert_eq!(read_world(&assemble(&parts), LIMIT).unwrap().seed(), 0);
}
