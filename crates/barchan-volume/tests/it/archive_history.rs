//! Versions of the archive: undo, redo, branches, names, what differs, collection, and the limit of memory.

use std::collections::BTreeMap;

use barchan_volume::VoxelBox;
use barchan_volume::archive::{Act, Archive, ArchiveError, Cube, Dab, Extent, VersionId};
use glam::{DVec3, IVec3};
use proptest::prelude::*;

use crate::archive::{Model, Op, WINDOW, apply, ops};

#[derive(Clone, Debug)]
enum Step {
    Edit(Op),
    Commit,
    Undo,
    Redo,
    GoTo(usize),
    Forget(usize),
    Collect(usize),
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => ops().prop_map(Step::Edit),
        4 => Just(Step::Commit),
        2 => Just(Step::Undo),
        2 => Just(Step::Redo),
        1 => any::<usize>().prop_map(Step::GoTo),
        1 => any::<usize>().prop_map(Step::Forget),
        4 => (1..400_usize).prop_map(Step::Collect),
    ]
}

fn pick(archive: &Archive<u32>, number: usize) -> VersionId {
    let ids: Vec<_> = archive.versions().map(|(id, _)| id).collect();
    ids[number % ids.len()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_version_is_what_it_was_whatever_is_undone_forgotten_and_collected(
        steps in prop::collection::vec(steps(), 1..40),
    ) {
        let mut archive = Archive::new(None, "empty", 0_u32);
        let mut models = BTreeMap::from([(VersionId(0), Model::air())]);
        let mut now = Model::air();
        let mut commits = 0;
        for step in &steps {
            match step {
                Step::Edit(op) => {
                    now.apply(op);
                    apply(&mut archive, op).unwrap();
                }
                Step::Commit => {
                    commits += 1;
                    let id = archive.commit(format!("commit {commits}"), commits);
                    models.insert(id, now.clone());
                }
                Step::Undo | Step::Redo | Step::GoTo(_) => {
                    let gone = match step {
                        Step::Undo => archive.undo().map(drop),
                        Step::Redo => archive.redo().map(drop),
                        Step::GoTo(number) => archive.go_to(pick(&archive, *number)),
                        _ => unreachable!(),
                    };
                    match gone {
                        Ok(()) => now = models[&archive.present()].clone(),
                        Err(ArchiveError::Uncommitted(_)) => prop_assert!(archive.is_changed()),
                        Err(error) => prop_assert!(matches!(
                            error, ArchiveError::NothingToUndo | ArchiveError::NothingToRedo)),
                    }
                }
                Step::Forget(number) => {
                    let id = pick(&archive, *number);
                    let is_present = id == archive.present();
                    prop_assert_eq!(archive.forget(id).is_err(), is_present);
                    if !is_present {
                        models.remove(&id);
                    }
                }
                Step::Collect(some) => {
                    archive.collect(*some);
                }
            }
            prop_assert!(Model::read(archive.now()) == now, "{step:?}");
        }
        archive.revert();
        while archive.collect(1_000) {}
        for (id, model) in &models {
            prop_assert!(Model::read(archive.view(*id).unwrap()) == *model, "{id:?}");
        }
        // Nothing is kept beyond what the versions need.
        let mut others: Vec<VersionId> = models.keys().copied().collect();
        others.retain(|id| *id != archive.present());
        others.into_iter().for_each(|id| drop(archive.forget(id)));
        apply(&mut archive, &Op::Dab(Dab { extent: Extent::Box(WINDOW), act: Act::Clear })).unwrap();
        let last = archive.present();
        let empty = archive.commit("empty", 0);
        archive.forget(last).unwrap();
        while archive.collect(1_000) {}
        prop_assert_eq!(archive.present(), empty);
        prop_assert_eq!((archive.usage().leaves, archive.usage().nodes, archive.usage().bytes), (0, 0, 0));
    }

    #[test]
    fn what_differs_is_told_and_nothing_else(before in prop::collection::vec(ops(), 1..4), then in ops()) {
        let mut archive = Archive::new(None, "empty", ());
        before.iter().for_each(|op| drop(apply(&mut archive, op)));
        let a = archive.commit("a", ());
        apply(&mut archive, &then).unwrap();
        let told = archive.diff_to_now(a, 2).unwrap();
        let b = archive.commit("b", ());
        prop_assert_eq!(&archive.diff(a, b, 2).unwrap(), &told);
        let views = [a, b].map(|id| archive.view(id).unwrap());
        let changed = |cube: &Cube| cube.voxels().cells().any(|p| views[0].get(p) != views[1].get(p));
        for min in VoxelBox::new(WINDOW.min / 4, WINDOW.max / 4).cells().map(|corner| corner * 4) {
            let leaf = Cube { min, level: 2 };
            let is_told = told.iter().any(|cube| cube.voxels().contains(min));
            // What is rare is not looked at here.
            prop_assert!(is_told || !changed(&leaf), "{min}");
        }
        prop_assert!(told.iter().all(|cube| cube.level >= 2));
        let region = archive.version(b).unwrap().region;
        prop_assert!(told.iter().all(|cube| !region.intersect(&cube.voxels()).is_empty()));
    }
}

fn ball(x: i32, radius: f64, act: Act) -> Dab {
    Dab { extent: Extent::Ball { centre: DVec3::new(f64::from(x), 0.0, 0.0), radius }, act }
}

#[test]
fn redo_follows_the_branch_that_was_left_last() {
    let mut archive = Archive::new(None, "empty", "nothing");
    archive.dab(&ball(0, 5.0, Act::Fill(1))).unwrap();
    let one = archive.commit("one", "a ball");
    archive.dab(&ball(9, 5.0, Act::Fill(2))).unwrap();
    let two = archive.commit("two", "two balls");
    assert_eq!(archive.undo(), Ok(one));
    archive.dab(&ball(9, 5.0, Act::Fill(3))).unwrap();
    let other = archive.commit("other", "another second ball");
    assert_eq!((archive.redo(), archive.undo()), (Err(ArchiveError::NothingToRedo), Ok(one)));
    assert_eq!(archive.redo(), Ok(other));
    archive.go_to(two).unwrap();
    assert_eq!((archive.undo(), archive.redo()), (Ok(one), Ok(two)));
    assert_eq!(archive.version(other).unwrap().parent, Some(one));
    assert_eq!(archive.version(two).unwrap().extra, "two balls");
    assert!(archive.version(two).unwrap().bytes > 0);
    archive.dab(&ball(20, 2.0, Act::Fill(3))).unwrap();
    assert_eq!(archive.undo(), Err(ArchiveError::Uncommitted(two.0)));
    archive.revert();
    archive.name(two, "good").unwrap();
    assert_eq!(archive.named("good"), Ok(two));
    assert!(archive.named("bad").unwrap_err().to_string().contains("'bad'"));
    assert_eq!(archive.forget(one), Ok("a ball"));
    assert_eq!(archive.version(two).unwrap().parent, Some(VersionId(0)));
}

#[test]
fn within_a_limit_of_memory_the_oldest_versions_go_first_and_named_ones_stay() {
    let mut archive = Archive::new(None, "empty", ());
    archive.dab(&ball(0, 40.0, Act::Fill(1))).unwrap();
    let first = archive.commit("first", ());
    archive.name(first, "first").unwrap();
    let limit_bytes = 10 * archive.usage().bytes;
    archive.limit_memory(Some(limit_bytes));
    for at in 1..60 {
        archive.dab(&ball(37 * at, 40.3, Act::Fill(1 + (at % 5) as u8))).unwrap();
        archive.dab(&ball(37 * (at - 2), 40.3, Act::Clear)).unwrap();
        archive.commit(format!("{at}"), ());
        assert!(archive.usage().bytes <= limit_bytes);
    }
    let left: Vec<u32> = archive.versions().map(|(id, _)| id.0).collect();
    assert!(left.len() < 60 && left[0] == first.0 && left[1] > 5, "{left:?}");
    assert_eq!(
        archive.view(first).unwrap().count().solid(),
        archive
            .view(first)
            .unwrap()
            .count_in(VoxelBox::new(IVec3::splat(-40), IVec3::splat(40)))
            .unwrap()
            .solid()
    );
    // What needs more than there can be is refused, and nothing of it is done.
    let before = archive.now().count();
    let refused = archive.dab(&ball(-3_000, 2_500.5, Act::Fill(9))).unwrap_err();
    assert!(matches!(refused, ArchiveError::Memory { .. }), "{refused}");
    assert!(refused.to_string().contains("its limit is"), "{refused}");
    assert_eq!((archive.now().count(), archive.is_changed()), (before, false));
    assert_eq!(archive.named("first"), Ok(first));
}
