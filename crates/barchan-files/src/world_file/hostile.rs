//! Files made to deceive: their checksums are right and their content is not.

use barchan_sim::{Edit, MaterialId, Voxel, World, WorldConfig};
use barchan_volume::{Brick, Region, VoxelBox};
use glam::IVec3;

use super::bricks::encode;
use super::chunk::{Chunk, Tag};
use super::{MAGIC, VERSION, WorldSummary, read_world, write_world};

const LIMIT: u64 = 1 << 28;

/// The raw chunks of a small world: head, bodies, bricks.
fn parts() -> Vec<(Tag, Vec<u8>)> {
    let bounds = VoxelBox::new(IVec3::ZERO, IVec3::new(16, 8, 12));
    let mut world = World::new(WorldConfig { bounds: Some(bounds), ..WorldConfig::default() }).unwrap();
    let region = Region::Slab { z_min_m: 0.0, z_max_m: 0.55 };
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.5 }).unwrap();
    let mut file = Vec::new();
    write_world(&mut file, &world).unwrap();
    let mut rest = &file[MAGIC.len() + 4..];
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (chunk, checksum) = Chunk::read(&mut rest).unwrap();
        parts.push((chunk.tag, chunk.decompress(checksum).unwrap()));
    }
    parts
}

/// A file of these chunks, with right lengths and checksums.
fn assemble(parts: &[(Tag, Vec<u8>)]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    for (tag, raw) in parts {
        Chunk::compress(*tag, raw).write(&mut file).unwrap();
    }
    file
}

fn message(parts: &[(Tag, Vec<u8>)]) -> String {
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
        let chunk = next(3);
        let raw = &mut broken[chunk].1;
        match next(4) {
            0 => raw.truncate(next(raw.len())),
            1 => raw.extend(vec![next(256) as u8; 1 + next(64)]),
            _ => {
                for _ in 0..1 + next(4) {
                    let at = next(raw.len());
                    raw[at] = next(256) as u8;
                }
            }
        }
        if broken[chunk].1 != parts[chunk].1 {
            assert!(
                read_world(&assemble(&broken), LIMIT).is_err(),
                "chunk {chunk}: {:?} {:?}",
                parts[chunk].1,
                broken[chunk].1
            );
        }
    }
}

#[test]
fn overfull_voxels_wrong_kinds_and_false_books_are_named() {
    let with_voxel = |voxel: Voxel| {
        let mut parts = parts();
        parts[2].1 = encode(&[(IVec3::ZERO, &Brick::Uniform(voxel))]);
        let mut summary: WorldSummary = postcard::from_bytes(&parts[0].1).unwrap();
        summary.bricks = 1;
        parts[0].1 = postcard::to_stdvec(&summary).unwrap();
        message(&parts)
    };
    let sand = Voxel { soil: 100, ..Voxel::AIR };
    assert!(with_voxel(Voxel { soil: 65_535, ..sand }).contains("more than fits"));
    assert!(with_voxel(Voxel { soil_kind: MaterialId(200), ..sand }).contains("no kind of soil"));
    assert!(with_voxel(Voxel { rock: 5, ..Voxel::AIR }).contains("no kind of rock"));
    assert!(with_voxel(Voxel { moisture: 5, ..Voxel::AIR }).contains("not there"));
    assert!(with_voxel(sand).contains("the books hold"));
}

#[test]
fn chunks_missing_doubled_or_out_of_order_are_named() {
    let parts = parts();
    assert!(message(&parts[..3]).contains("ends in the middle"));
    assert!(message(&parts[1..]).contains("chunk number 0 is a 'BODY'"));
    let mut doubled = parts.clone();
    doubled.insert(3, parts[2].clone());
    assert!(message(&doubled).contains("out of order"));
    let mut fewer = parts;
    fewer.remove(2);
    assert!(message(&fewer).contains("bricks"));
}
