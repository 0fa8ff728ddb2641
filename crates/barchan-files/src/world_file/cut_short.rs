//! Saves that end in the middle: at every byte, by a writer that fails or a file that is cut there.

use std::io::{self, Write};

use barchan_sim::{Edit, MaterialId, World, WorldConfig};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

use super::append::Appender;
use super::pages::Tree;
use super::record::{Log, Says};
use super::source::Source;
use super::{WorldFile, read_world, save_world, write_world};

const LIMIT: u64 = 1 << 28;

fn world() -> World {
    let bounds = VoxelBox::new(IVec3::splat(-8), IVec3::splat(8));
    let mut world = World::new(WorldConfig { bounds: Some(bounds), ..WorldConfig::default() }).unwrap();
    let region = Region::Slab { z_min_m: -0.8, z_max_m: 0.15 };
    world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.5 }).unwrap();
    world
}

fn dug(world: &World, x: f32) -> World {
    let mut world = world.clone();
    let pose = Pose { translation: Vec3::new(x, 0.0, 0.1), ..Pose::default() };
    let region = Region::Solid(Solid { shape: Shape::Ball { radius: 0.3 }, pose });
    world.edit(&Edit::Remove { region }).unwrap();
    world
}

/// A disk with room for so many bytes.
struct Disk {
    bytes: Vec<u8>,
    room: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.room - self.bytes.len());
        if fits == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Adds `world` to the file in `out.bytes` as a version.
fn add(file: &[u8], out: &mut Disk, world: &World) -> io::Result<()> {
    let source = Source::Bytes(file);
    let log = Log::read(&source).map_err(io::Error::other)?;
    let parent = &log.versions[log.present];
    let (tree, _) = Tree::read(&source, &parent.trees, LIMIT).map_err(io::Error::other)?;
    let mut end = Appender::new(out, log.end);
    end.knows(parent.parts.iter().map(|(_, _, place)| *place));
    end.knows(tree.nodes.iter().chain(tree.pages.values()).copied());
    let written = end.world(world, &[])?;
    let version = written.version(world, parent.id + 1, Some(parent.id), "dug", VoxelBox::cell(IVec3::ZERO));
    end.record(Some(log.last), Says::Version(Box::new(version))).map(drop)
}

#[test]
fn a_disk_that_is_full_at_any_byte_loses_no_version_but_the_one_being_written() {
    let (first, second) = (world(), dug(&world(), 0.0));
    let mut before = Vec::new();
    write_world(&mut before, &first, &[]).unwrap();
    let mut whole = Disk { bytes: before.clone(), room: usize::MAX };
    add(&before, &mut whole, &second).unwrap();
    let whole = whole.bytes;
    assert_eq!(read_world(&whole, LIMIT).unwrap().digest(), second.digest());
    let mut new = 0;
    for room in before.len()..whole.len() {
        let mut disk = Disk { bytes: before.clone(), room };
        assert!(add(&before, &mut disk, &second).is_err());
        assert_eq!(disk.bytes, whole[..room]);
        let found = read_world(&disk.bytes, LIMIT).unwrap().digest();
        assert!(found == first.digest() || found == second.digest(), "room for {room}");
        new += usize::from(found == second.digest());
    }
    // Only what tells where the last record is may be missing.
    assert_eq!(new, 31, "bytes that are not needed to find the new version");
}

#[test]
fn rubbish_behind_the_last_version_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.barchan");
    let (first, second) = (world(), dug(&world(), 0.2));
    save_world(&path, &first).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for rubbish in [vec![0; 1], vec![0xff; 100], whole[12..whole.len() / 2].to_vec()] {
        std::fs::write(&path, [&whole[..], &rubbish].concat()).unwrap();
        let mut file = WorldFile::open(&path, LIMIT).unwrap();
        assert_eq!(file.load(0).unwrap().world.digest(), first.digest());
        file.add(&second, &[], "dug").unwrap();
        let again = WorldFile::open(&path, LIMIT).unwrap();
        assert_eq!(again.versions().count(), 2);
        assert_eq!(again.load(0).unwrap().world.digest(), first.digest());
        assert_eq!(again.load(1).unwrap().world.digest(), second.digest());
    }
}

#[test]
fn a_new_version_takes_what_it_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.barchan");
    let mut world = World::new(WorldConfig::default()).unwrap();
    // Rough ground, so that pages are not alike.
    for at in 0..400 {
        let (x, y) = ((at % 20) as f32, (at / 20) as f32);
        let pose = Pose { translation: Vec3::new(x, y, 0.3 * (x * 1.7 + y * y).sin()), ..Pose::default() };
        let region = Region::Solid(Solid { shape: Shape::Ball { radius: 0.7 }, pose });
        world.edit(&Edit::Place { region, material: MaterialId(11), moisture: 0.0 }).unwrap();
    }
    save_world(&path, &world).unwrap();
    let whole = std::fs::metadata(&path).unwrap().len();
    let mut file = WorldFile::open(&path, LIMIT).unwrap();
    file.add(&dug(&world, 0.0), &[], "dug").unwrap();
    let dug_version = file.present();
    let added = std::fs::metadata(&path).unwrap().len() - whole;
    assert!(added < whole / 8, "{added} of {whole} bytes");
    assert!(dug_version.bytes <= added && dug_version.bytes > 0);
    let region = VoxelBox::new(IVec3::splat(-8), IVec3::splat(8));
    assert_eq!((dug_version.region, dug_version.parent), (region, Some(0)));
    // Nothing changed: nothing but the record is written.
    file.add(&dug(&world, 0.0), &[], "again").unwrap();
    assert_eq!(file.present().bytes, 0);
}
