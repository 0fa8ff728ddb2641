//! Files made to deceive: their checksums are right and their content is not.

use std::sync::OnceLock;

use barchan_sim::voxel::{Channel, Marks, SideEntry, SideList};
use barchan_sim::{Edit, MaterialId, Voxel, World, WorldConfig};
use barchan_volume::{Brick, Region, VoxelBox};
use glam::IVec3;

use super::append::Appender;
use super::bricks::{BRICKS_VERSION, encode};
use super::chunk::{Chunk, Tag};
use super::frame::GroundFrame;
use super::pages::{Tree, read_chunk};
use super::record::{Log, Says, Version, end_chunk};
use super::save::begin;
use super::source::Source;
use super::{CHUNK_VERSION, HEAD_BYTES, read_world, write_world};

const LIMIT: u64 = 1 << 28;

/// A chunk: what it is, of which form, and its raw bytes.
type Part = (Tag, u16, Vec<u8>);

/// The file of a small world of one page.
fn file() -> Vec<u8> {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(make_file).clone()
}

fn make_file() -> Vec<u8> {
    let bounds = VoxelBox::new(IVec3::ZERO, IVec3::new(16, 8, 12));
    let mut world = World::new(WorldConfig { bounds: Some(bounds), ..WorldConfig::default() }).unwrap();
    let region = Region::Slab { z_min_m: 0.0, z_max_m: 0.55 };
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.5 }).unwrap();
    let mut file = Vec::new();
    write_world(&mut file, &world, &[]).unwrap();
    file
}

fn version(file: &[u8]) -> Version {
    Log::read(&Source::Bytes(file)).unwrap().versions.remove(0)
}

/// The chunks of its world: ground, members, bodies, bricks.
fn parts() -> Vec<Part> {
    let file = file();
    let (source, version) = (Source::Bytes(&file), version(&file));
    let read = |tag, form, place| (tag, form, read_chunk(&source, tag, form, place).unwrap());
    let mut parts: Vec<Part> =
        version.parts.iter().map(|(tag, form, place)| read(Tag(*tag), *form, *place)).collect();
    let (tree, _) = Tree::read(&source, &version.trees, LIMIT).unwrap();
    assert_eq!(tree.pages.len(), 1);
    parts.push(read(Tag::BRICKS, BRICKS_VERSION, tree.pages[&[0; 3]]));
    parts
}

/// Where the chunk with this tag is.
fn place(parts: &[Part], tag: Tag) -> usize {
    parts.iter().position(|part| part.0 == tag).unwrap()
}

/// A file of these chunks, with right lengths, sums and places, and a record that was changed behind its sum.
fn assemble_with(parts: &[Part], change: impl FnOnce(&mut Version)) -> Vec<u8> {
    let mut version = version(&file());
    let mut file = Vec::new();
    begin(&mut file).unwrap();
    let mut end = Appender::new(&mut file, HEAD_BYTES);
    version.parts.clear();
    let mut pages = std::collections::BTreeMap::new();
    for (tag, form, raw) in parts {
        let place = end.chunk(*tag, *form, raw).unwrap();
        match *tag {
            Tag::BRICKS => drop(pages.insert([0; 3], place)),
            tag => version.parts.push((tag.0, *form, place)),
        }
    }
    version.trees = end.trees(&pages).unwrap();
    change(&mut version);
    end.record(None, Says::Version(Box::new(version))).unwrap();
    file
}

fn assemble(parts: &[Part]) -> Vec<u8> {
    assemble_with(parts, |_| {})
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
fn parts_missing_or_doubled_are_named() {
    let parts = parts();
    assert!(message(&parts[1..]).contains("part number 0 is a 'MATS'"));
    let mut fewer = parts.clone();
    fewer.remove(place(&parts, Tag::BRICKS));
    assert!(message(&fewer).contains("bricks, found 0"));
    let mut twice = parts;
    twice.insert(2, twice[1].clone());
    assert!(message(&twice).contains("'MATS' is there twice"));
}

#[test]
fn bricks_out_of_order_or_outside_of_their_page_are_named() {
    let sand = Brick::Uniform(Voxel { top: 100, ..Voxel::AIR });
    let with = |coords: [IVec3; 2]| {
        let mut parts = parts();
        let bricks = place(&parts, Tag::BRICKS);
        parts[bricks].2 = encode(&coords.map(|coord| (coord, &sand, &SideList::EMPTY)));
        message(&parts)
    };
    for coords in [[IVec3::X, IVec3::ZERO], [IVec3::X, IVec3::X], [IVec3::ZERO, IVec3::new(8, 0, 0)]] {
        assert!(with(coords).contains("out of order in its page"), "{coords:?}");
    }
}

#[test]
fn records_that_lie_are_refused() {
    let parts = parts();
    let message = |change: &dyn Fn(&mut Version)| {
        let file = assemble_with(&parts, |version| change(version));
        read_world(&file, LIMIT).map(drop).unwrap_err().to_string()
    };
    assert!(message(&|version| version.parent = Some(7)).contains("comes from none that was before it"));
    assert!(message(&|version| version.parent = Some(0)).contains("comes from none that was before it"));
    assert!(message(&|version| version.digest ^= 1).contains("digest"));
    assert!(message(&|version| version.parts.clear()).contains("'GRND' is missing"));
    assert!(!message(&|version| version.parts[0].2.at += 1).is_empty());
    assert!(message(&|version| version.parts[0].2.at = u64::MAX).contains("ends in the middle"));
    assert!(message(&|version| version.parts[0].2.raw_bytes += 1).contains("another length"));
    assert!(message(&|version| version.parts[0].2.sum ^= 1).contains("another than its record says"));
    assert!(message(&|version| version.parts[1].2 = version.parts[0].2).contains("where a 'MATS' should be"));
    assert!(
        message(&|version| version.trees.push(version.trees[0]))
            .contains("trees of a version are out of order")
    );
    assert!(message(&|version| version.trees[0].0 = [1 << 20, 0, 0]).contains("too far out"));
    assert!(message(&|version| version.trees[0].1 = version.parts[0].2).contains("where a 'NODE' should be"));
    assert!(message(&|version| version.parts[0].2.raw_bytes = u32::MAX).contains("size when unpacked"));
}

/// A tree that leads to more than there is: the same node again and again.
#[test]
fn a_tree_that_unpacks_without_end_is_refused() {
    let parts = parts();
    let file = assemble(&parts);
    let version = version(&file);
    let (tree, _) = Tree::read(&Source::Bytes(&file), &version.trees, LIMIT).unwrap();
    let page = tree.pages[&[0; 3]];
    let pages = (0..64).flat_map(|x| (0..64).flat_map(move |y| (0..64).map(move |z| [x, y, z])));
    let pages: std::collections::BTreeMap<[i32; 3], _> = pages.map(|coord| (coord, page)).collect();
    let mut longer = file[..].to_vec();
    let at = longer.len() as u64;
    let mut end = Appender::new(&mut longer, at);
    let trees = end.trees(&pages).unwrap();
    let version = Version { trees, ..version };
    end.record(None, Says::Version(Box::new(version))).unwrap();
    let error = read_world(&longer, 1 << 20).map(drop).unwrap_err().to_string();
    assert!(error.contains("size when unpacked"), "{error}");
}

#[test]
fn records_that_name_each_other_are_refused() {
    let mut file = file();
    let at = file.len() as u64;
    Appender::new(&mut file, at).record(Some(at), Says::Present(0)).unwrap();
    let error = read_world(&file, LIMIT).map(drop).unwrap_err().to_string();
    assert!(error.contains("one after it as the one before"), "{error}");
}

#[test]
fn an_end_that_points_nowhere_is_not_believed() {
    for last in [0, 5, 12, u64::MAX] {
        let mut file = file();
        end_chunk(last).write(&mut file).unwrap();
        // The record is still there.
        assert!(read_world(&file, LIMIT).is_ok(), "{last}");
    }
    let mut file = file();
    Chunk::compress(Tag::RECORD, 77, &[1, 2, 3]).write(&mut file).unwrap();
    assert!(read_world(&file, LIMIT).is_ok(), "what stands behind the last whole record is not looked at");
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
    for tag in [Tag::GROUND, Tag::BODY, Tag::BRICKS, Tag(*b"SEED")] {
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
