//! Worlds in files: exact when whole, refused in words when not.

use std::path::Path;

use barchan_files::FileError;
use barchan_files::world_file::{
    Attachment, WorldFile, load_world, read_world, read_world_with_attachments, save_world, write_world,
};
use barchan_sim::bodies::{BodySpec, Motion};
use barchan_sim::{Account, Edit, MaterialId, Voxel, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Quat, Vec3};

use crate::mutate::{Rng, mutate};

const LIMIT: u64 = 1 << 30;

fn ball(x: f32, y: f32, z: f32, radius: f32) -> Solid {
    Solid {
        shape: Shape::Ball { radius },
        pose: Pose { translation: Vec3::new(x, y, z), rotation: Quat::from_rotation_x(0.3) },
    }
}

fn small_world() -> World {
    let bounds = VoxelBox::new(IVec3::new(-20, -16, -3), IVec3::new(21, 30, 33));
    let config = WorldConfig { bounds: Some(bounds), seed: 42, ..WorldConfig::default() };
    let mut world = World::new(config).unwrap();
    let materials = world.materials().clone();
    let place = |region, name: &str, moisture| Edit::Place {
        region,
        material: materials.find(name).unwrap(),
        moisture,
    };
    world.edit(&place(Region::Slab { z_min_m: -0.3, z_max_m: 0.43 }, "granite", 0.0)).unwrap();
    world.edit(&place(Region::Solid(ball(0.3, 0.2, 0.7, 1.1)), "wet_sand", 0.37)).unwrap();
    world.edit(&Edit::Remove { region: Region::Solid(ball(0.9, 0.2, 1.0, 0.6)) }).unwrap();
    let body = ball(0.0, 0.0, 2.9, 0.25);
    world.add_body(BodySpec::new("stone", body.shape, body.pose, Motion::Dynamic)).unwrap();
    for _ in 0..3 {
        world.step(1.0 / 60.0);
    }
    world
}

fn bytes_of(world: &World) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_world(&mut bytes, world, &[]).unwrap();
    bytes
}

#[test]
fn soil_that_slides_goes_on_from_a_file() {
    let bounds = Some(VoxelBox::new(IVec3::splat(-16), IVec3::splat(16)));
    let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
    let region = Region::Solid(ball(0.0, 0.0, -0.6, 0.9));
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).unwrap();
    (0..10).for_each(|_| drop(world.step(1.0 / 60.0)));
    assert!(!world.sliding().is_still());
    let mut loaded = read_world(&bytes_of(&world), LIMIT).unwrap();
    for _ in 0..20 {
        world.step(1.0 / 60.0);
        loaded.step(1.0 / 60.0);
        assert_eq!(loaded.digest(), world.digest());
    }
}

#[test]
fn a_loaded_world_is_the_saved_world_and_goes_on_the_same_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.barchan");
    let mut world = small_world();
    save_world(&path, &world).unwrap();
    let mut loaded = load_world(&path, LIMIT).unwrap();
    assert_eq!(loaded.digest(), world.digest());
    assert_eq!(loaded.ledger(), world.ledger());
    assert_eq!(loaded.ground().voxels(), world.ground().voxels());
    for _ in 0..40 {
        world.step(1.0 / 60.0);
        loaded.step(1.0 / 60.0);
        assert_eq!(loaded.digest(), world.digest());
    }
}

#[test]
fn the_same_world_gives_the_same_bytes() {
    let world = small_world();
    assert_eq!(bytes_of(&world), bytes_of(&world));
    // Rapier orders its inner tables anew when it is loaded, so only a world without bodies has the same bytes again.
    let config = WorldConfig { bounds: world.ground().bounds(), ..WorldConfig::default() };
    let mut bare = World::new(config).unwrap();
    let slab = Region::Slab { z_min_m: 0.0, z_max_m: 1.03 };
    bare.edit(&Edit::Place { region: slab, material: MaterialId(2), moisture: 0.1 }).unwrap();
    let bytes = bytes_of(&bare);
    assert_eq!(bytes, bytes_of(&read_world(&bytes, LIMIT).unwrap()));
}

/// A world saved by the first version of the program: loam 0.4 wet and moved by a plate, a column of sand that collapses, a stone.
const VERSION_1: &[u8] = include_bytes!("../data/version_1.barchan");

#[test]
fn a_file_of_version_1_is_read_and_goes_on() {
    let mut world = read_world(VERSION_1, LIMIT).unwrap();
    world.check().unwrap();
    assert_eq!((world.clock().steps, world.seed(), world.bodies().len()), (40, 5, 2));
    let held = |account| world.ledger().held.of(account);
    // What its books said, in units.
    assert_eq!((held(Account::Rock), held(Account::Soil)), (149_495_808, 100_128_824));
    assert!(held(Account::Water) > 0 && world.ledger().balances());
    let loam = world.materials().find("loam").unwrap();
    let of_loam = |voxel: &Voxel| voxel.top_kind == loam && voxel.top > 20_000;
    let cells = || world.ground().bounds().unwrap().cells().map(|p| world.ground().get(p)).filter(of_loam);
    assert!(cells().any(|voxel| voxel.top_layer().moved) && cells().any(|voxel| !voxel.top_layer().moved));
    let wettest =
        cells().filter(|voxel| !voxel.top_layer().moved).map(|voxel| voxel.saturation()).fold(0.0, f32::max);
    assert!((wettest - 0.4).abs() < 1e-3, "{wettest}");
    for _ in 0..20 {
        assert!(world.step(1.0 / 60.0).imbalance.is_zero());
    }
    let again = read_world(&bytes_of(&world), LIMIT).unwrap();
    assert_eq!(again.digest(), world.digest());
}

#[test]
fn broken_files_of_version_1_are_refused() {
    let mut rng = Rng::new(23);
    for _ in 0..300 {
        let broken = mutate(&mut rng, VERSION_1);
        assert!(broken == VERSION_1 || read_world(&broken, LIMIT).is_err());
    }
}

#[test]
fn what_is_attached_comes_back() {
    let plan = Attachment { tag: Attachment::PLAN, version: 3, bytes: vec![1, 2, 3] };
    let mut bytes = Vec::new();
    write_world(&mut bytes, &small_world(), std::slice::from_ref(&plan)).unwrap();
    let loaded = read_world_with_attachments(&bytes, LIMIT).unwrap();
    assert_eq!((loaded.attachments, loaded.world.digest()), (vec![plan], small_world().digest()));
}

#[test]
fn an_empty_world_without_bounds_is_saved_too() {
    let world = World::new(WorldConfig::default()).unwrap();
    let loaded = read_world(&bytes_of(&world), LIMIT).unwrap();
    assert_eq!(loaded.digest(), world.digest());
}

/// A file of version 2: a cone of wet sand on granite.
const VERSION_2: &[u8] = include_bytes!("../data/version_2.barchan");

#[test]
fn a_file_of_version_2_is_read_and_goes_on_with_versions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.barchan");
    std::fs::write(&path, VERSION_2).unwrap();
    let mut world = load_world(&path, LIMIT).unwrap();
    world.check().unwrap();
    let held = |account| world.ledger().held.of(account);
    // What its books said, in units.
    assert_eq!(
        (held(Account::Rock), held(Account::Soil), held(Account::Water)),
        (239_194_112, 31_991_712, 5_510_296)
    );
    let before = world.digest();
    let region = Region::Solid(ball(0.0, 0.0, 0.5, 0.4));
    world.edit(&Edit::Remove { region }).unwrap();
    let mut file = WorldFile::open(&path, LIMIT).unwrap();
    assert_eq!((file.versions().count(), file.present().label.as_str()), (1, "as it was"));
    assert!(file.undo().unwrap_err().to_string().contains("nothing to undo"));
    file.add(&world, &[], "dug").unwrap();
    let digests = |file: &WorldFile| file.versions().map(|version| version.digest).collect::<Vec<_>>();
    assert_eq!(digests(&WorldFile::open(&path, LIMIT).unwrap()), [before, world.digest()]);
    assert_eq!(load_world(&path, LIMIT).unwrap().digest(), world.digest());
    file.undo().unwrap();
    assert_eq!(load_world(&path, LIMIT).unwrap().digest(), before);
}

#[test]
fn broken_files_of_version_2_are_refused() {
    for length in (0..VERSION_2.len()).step_by(7) {
        assert!(read_world(&VERSION_2[..length], LIMIT).is_err(), "cut to {length}");
    }
    let mut rng = Rng::new(29);
    for _ in 0..300 {
        let broken = mutate(&mut rng, VERSION_2);
        assert!(broken == VERSION_2 || read_world(&broken, LIMIT).is_err());
    }
}

#[test]
fn no_truncation_and_no_flipped_byte_makes_another_world() {
    let (bytes, digest) = (bytes_of(&small_world()), small_world().digest());
    // What is behind the record only tells where it is: without it the file is searched.
    let needed = bytes.len() - 31;
    for length in (0..needed).step_by(7).chain(needed - 20..needed) {
        assert!(read_world(&bytes[..length], LIMIT).is_err(), "cut to {length}");
    }
    let mut rng = Rng::new(5);
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 1 << rng.below(8);
        let read = read_world(&broken, LIMIT);
        assert_eq!(read.is_err(), at < needed, "byte {at}");
        assert!(read.is_ok_and(|world| world.digest() == digest) || at < needed);
    }
    let mut longer = bytes;
    longer.push(0);
    assert_eq!(read_world(&longer, LIMIT).unwrap().digest(), digest);
}

#[test]
fn ten_thousand_broken_files_are_refused() {
    let (bytes, digest) = (bytes_of(&small_world()), small_world().digest());
    let mut rng = Rng::new(11);
    let mut refused = 0;
    for _ in 0..10_000 {
        let broken = mutate(&mut rng, &bytes);
        match read_world(&broken, LIMIT) {
            // What stands behind the record may be anything.
            Ok(world) => assert_eq!(world.digest(), digest, "a changed file made another world"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 9_000, "the generator broke only {refused} files");
}

#[test]
fn messages_name_the_file_and_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, bytes: &[u8], expected: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let message = load_world(&path, LIMIT).unwrap_err().to_string();
        assert!(message.contains(name) && message.contains(expected), "{message}");
    };
    let bytes = bytes_of(&small_world());
    check("text.barchan", b"hello there", "not a .barchan file");
    check("empty.barchan", b"", "not a .barchan file");
    check("cut.barchan", &bytes[..bytes.len() / 2], "ends in the middle");
    let mut newer = bytes.clone();
    newer[8] = 9;
    check("newer.barchan", &newer, "expected version 1 to 3, found version 9");
    let mut flipped = bytes.clone();
    let middle = bytes.len() / 2;
    flipped[middle] ^= 1;
    check("flipped.barchan", &flipped, "checksum");

    let missing = load_world(Path::new("no/such.barchan"), LIMIT).unwrap_err();
    assert!(matches!(missing, FileError::Read { .. }), "{missing}");
    let path = folder.path().join("large.barchan");
    std::fs::write(&path, &bytes).unwrap();
    assert!(load_world(&path, 100).unwrap_err().to_string().contains("size when unpacked"));
    std::fs::write(&path, VERSION_2).unwrap();
    assert!(matches!(load_world(&path, 100), Err(FileError::TooLarge { .. })));
}

#[test]
fn a_file_that_unpacks_to_more_than_the_limit_is_refused() {
    let bounds = VoxelBox::new(IVec3::ZERO, IVec3::splat(128));
    let mut world = World::new(WorldConfig { bounds: Some(bounds), ..WorldConfig::default() }).unwrap();
    let region = Region::Solid(ball(6.4, 6.4, 6.4, 6.0));
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).unwrap();
    let bytes = bytes_of(&world);
    let error = read_world(&bytes, bytes.len() as u64).unwrap_err().to_string();
    assert!(error.contains("size when unpacked"), "{error}");
}
