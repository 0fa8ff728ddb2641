//! Every built-in scene: it runs, balances, and goes on the same way after a save in the middle.

use std::path::Path;

use barchan_files::world_file::{load_world, save_world};
use barchan_scene::{BuildOptions, builtin_names, load};

#[test]
fn every_scene_goes_on_after_a_save_as_if_there_had_been_none() {
    let folder = tempfile::tempdir().unwrap();
    for name in builtin_names() {
        let (mut world, plan) = load(name).unwrap().build(&BuildOptions::default()).unwrap();
        let path = folder.path().join(Path::new(name).with_extension("barchan"));
        for _ in 0..6 {
            world.step(plan.step_s);
        }
        save_world(&path, &world).unwrap();
        let mut loaded = load_world(&path, 1 << 33).unwrap_or_else(|error| panic!("{error}"));
        for _ in 0..6 {
            world.step(plan.step_s);
            loaded.step(plan.step_s);
        }
        assert_eq!(loaded.digest(), world.digest(), "{name}");
        assert!(world.ledger().balances(), "{name}");
        assert_eq!(world.count(), world.ledger().held, "{name}");
    }
}
