//! The archive against a dense model of a window of it: every kind of edit, undo, branches, collection.

use std::collections::BTreeMap;

use barchan_volume::VoxelBox;
use barchan_volume::archive::{
    Act, Archive, ArchiveError, Change, Cube, Dab, Extent, Leaf, Rare, SPAN, Value, Verdict, View,
};
use glam::{DVec3, IVec3};
use proptest::prelude::*;

/// Where edits act, across the middle of the space.
pub(crate) const WINDOW: VoxelBox = VoxelBox::new(IVec3::splat(-20), IVec3::splat(20));

/// A voxel with what is rare of it.
type Told = (Value, Vec<u32>);

/// What the archive should hold in the window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model(Vec<Told>);

/// One edit.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Dab(Dab),
    /// Contents that vary in some words.
    Speckle(VoxelBox, u16, u8),
    Copy(VoxelBox, IVec3),
}

/// Writes exact contents, materials and rare things that depend on the place.
struct Speckle {
    region: VoxelBox,
    seed: u16,
    /// Number of materials.
    kinds: u8,
}

impl Speckle {
    fn value(&self, p: IVec3) -> Told {
        let mut hash = (p.x as u32).wrapping_mul(73_856_093)
            ^ (p.y as u32).wrapping_mul(19_349_663)
            ^ (p.z as u32).wrapping_mul(83_492_791)
            ^ u32::from(self.seed);
        hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
        hash ^= hash >> 13;
        let material = (hash >> 8) as u8 % self.kinds;
        let mut contents = [0, self.seed, 0, 0, 7, 0, 0, 0];
        contents[0] = if self.kinds == 1 { 9 } else { hash as u16 };
        contents[6] = u16::from(self.kinds > 3) * (hash >> 20) as u16;
        let rare = if hash.is_multiple_of(31) { vec![5, hash] } else { Vec::new() };
        let value =
            if hash % 5 == 1 { Value::whole(material) } else { Value { material, contents: Some(contents) } };
        if self.kinds == 1 {
            (Value { material: 0, contents: Some(contents) }, Vec::new())
        } else {
            (value, rare)
        }
    }
}

impl Change for Speckle {
    fn of_cube(&self, _: View<'_>, _: Cube, _: Option<u8>) -> Verdict {
        Verdict::Cut
    }

    fn of_leaf(&self, _: View<'_>, min: IVec3, leaf: &mut Leaf) {
        for p in self.region.intersect(&VoxelBox::new(min, min + 4)).cells() {
            let at = index_in_leaf(p);
            let (value, rare) = self.value(p);
            leaf.set(at, value);
            rare.iter().for_each(|data| leaf.add_rare(Rare { voxel: at as u8, data: *data }));
        }
    }
}

fn index_in_leaf(p: IVec3) -> usize {
    ((p.x & 3) << 4 | (p.y & 3) << 2 | p.z & 3) as usize
}

impl Model {
    pub(crate) fn air() -> Self {
        Self(vec![(Value::AIR, Vec::new()); WINDOW.volume() as usize])
    }

    pub(crate) fn apply(&mut self, op: &Op) {
        match op {
            Op::Dab(dab) => {
                let inside = |p: IVec3| match dab.extent {
                    Extent::Box(region) => region.contains(p),
                    Extent::Ball { centre, radius } => {
                        (p.as_dvec3() + 0.5 - centre).length_squared() <= radius * radius
                    }
                };
                for p in WINDOW.cells().filter(|p| inside(*p)) {
                    let told = &mut self.0[WINDOW.index(p)];
                    match dab.act {
                        Act::Fill(material) => *told = (Value::whole(material), Vec::new()),
                        Act::Clear => *told = (Value::AIR, Vec::new()),
                        Act::Paint(material) if told.0.material != 0 && told.0.contents.is_none() => {
                            *told = (Value::whole(material), Vec::new());
                        }
                        Act::Paint(_) => {}
                    }
                }
            }
            Op::Speckle(region, seed, kinds) => {
                let speckle = Speckle { region: *region, seed: *seed, kinds: *kinds };
                WINDOW.intersect(region).cells().for_each(|p| self.0[WINDOW.index(p)] = speckle.value(p));
            }
            Op::Copy(from, to) => {
                let before = self.clone();
                for p in from.cells() {
                    self.0[WINDOW.index(p - from.min + *to)] = before.0[WINDOW.index(p)].clone();
                }
            }
        }
    }

    pub(crate) fn read(view: View<'_>) -> Self {
        let (mut model, mut leaf) = (Self::air(), Leaf::default());
        for min in VoxelBox::new(WINDOW.min / 4, WINDOW.max / 4).cells().map(|corner| corner * 4) {
            view.read_leaf(min, &mut leaf);
            for p in VoxelBox::new(min, min + 4).cells() {
                let at = index_in_leaf(p);
                let rare = leaf.rare().iter().filter(|rare| usize::from(rare.voxel) == at);
                model.0[WINDOW.index(p)] = (leaf.get(at), rare.map(|rare| rare.data).collect());
            }
        }
        model
    }

    /// Solid voxels of `region` by material.
    pub(crate) fn count(&self, region: VoxelBox) -> BTreeMap<u8, u64> {
        let mut counts = BTreeMap::new();
        for p in region.cells() {
            *counts.entry(self.0[WINDOW.index(p)].0.material).or_default() += 1;
        }
        counts.remove(&0);
        counts
    }
}

pub(crate) fn apply<E>(archive: &mut Archive<E>, op: &Op) -> Result<bool, ArchiveError> {
    match op {
        Op::Dab(dab) => archive.dab(dab),
        Op::Speckle(region, seed, kinds) => {
            archive.change(*region, &Speckle { region: *region, seed: *seed, kinds: *kinds })
        }
        Op::Copy(from, to) => archive.copy(*from, *to),
    }
}

fn place() -> impl Strategy<Value = IVec3> {
    (-20..20, -20..20, -20..20).prop_map(|(x, y, z)| IVec3::new(x, y, z))
}

fn boxes() -> impl Strategy<Value = VoxelBox> {
    (place(), place()).prop_map(|(a, b)| VoxelBox::new(a.min(b), a.max(b) + 1))
}

pub(crate) fn ops() -> impl Strategy<Value = Op> {
    let act = prop_oneof![
        (1..6_u8).prop_map(Act::Fill),
        Just(Act::Clear),
        (1..4_u8).prop_map(Act::Paint),
        (1..=255_u8).prop_map(Act::Fill)
    ];
    let extent = prop_oneof![
        (place(), 0.0..7.9_f64, 0..2_u8).prop_map(|(p, radius, half)| Extent::Ball {
            centre: (p / 2).as_dvec3() + f64::from(half) * 0.5,
            radius
        }),
        boxes().prop_map(Extent::Box)
    ];
    let copy = (boxes(), place(), 0..3_u32).prop_map(|(from, to, shift)| {
        let (from, most) = (from, WINDOW.max - (from.max - from.min));
        let by = (to.min(most) - from.min) >> shift << shift;
        let to = (from.min + by).clamp(WINDOW.min, most);
        Op::Copy(from, to)
    });
    prop_oneof![
        4 => (extent, act).prop_map(|(extent, act)| Op::Dab(Dab { extent, act })),
        2 => (boxes(), any::<u16>(), prop_oneof![1..3_u8, 3..30_u8])
            .prop_map(|(region, seed, kinds)| Op::Speckle(region, seed, kinds)),
        2 => copy,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_every_voxel_and_count_is_that_of_a_dense_model(
        ops in prop::collection::vec(ops(), 1..12), region in boxes(),
    ) {
        let (mut archive, mut model) = (Archive::new(None, "empty", ()), Model::air());
        for op in &ops {
            let before = model.clone();
            model.apply(op);
            let changed = apply(&mut archive, op).unwrap();
            prop_assert!(changed || model == before, "{op:?}");
            prop_assert!(Model::read(archive.now()) == model, "{op:?}");
        }
        for part in [WINDOW, region] {
            let counts = archive.now().count_in(part).unwrap();
            let counted = counts.by_material.iter().enumerate().filter(|(_, voxels)| **voxels > 0);
            let counted: BTreeMap<u8, u64> = counted.map(|(m, voxels)| (m as u8, *voxels)).collect();
            prop_assert_eq!(counted, model.count(part));
        }
        prop_assert_eq!(archive.now().count().solid(), model.count(WINDOW).values().sum::<u64>());
    }

    #[test]
    fn equal_voxels_are_stored_once_however_they_came_to_be(ops in prop::collection::vec(ops(), 1..8)) {
        let mut archive = Archive::new(None, "empty", ());
        for op in &ops {
            apply(&mut archive, op).unwrap();
        }
        let first = archive.commit("first", ());
        // Everything anew from what is there, voxel by voxel, in another archive version.
        let whole = Model::read(archive.now());
        apply(&mut archive, &Op::Dab(Dab { extent: Extent::Box(WINDOW), act: Act::Clear })).unwrap();
        archive.change(WINDOW, &Rewrite(&whole)).unwrap();
        let second = archive.commit("second", ());
        prop_assert!(archive.diff(first, second, 2).unwrap().is_empty());
    }
}

struct Rewrite<'a>(&'a Model);

impl Change for Rewrite<'_> {
    fn of_cube(&self, _: View<'_>, _: Cube, _: Option<u8>) -> Verdict {
        Verdict::Cut
    }

    fn of_leaf(&self, _: View<'_>, min: IVec3, leaf: &mut Leaf) {
        for p in VoxelBox::new(min, min + 4).cells() {
            let (value, rare) = &self.0.0[WINDOW.index(p)];
            let at = index_in_leaf(p);
            leaf.set(at, *value);
            rare.iter().for_each(|data| leaf.add_rare(Rare { voxel: at as u8, data: *data }));
        }
    }
}

#[test]
fn any_number_of_threads_makes_the_same_archive() {
    let build = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut archive = Archive::new(None, "empty", ());
            for (at, radius) in [(0, 90.0), (70, 66.5), (-40, 41.0)] {
                let extent = Extent::Ball { centre: DVec3::new(f64::from(at), 3.0, -7.5), radius };
                let act = if at == 70 { Act::Clear } else { Act::Fill(3) };
                archive.dab(&Dab { extent, act }).unwrap();
            }
            let region = VoxelBox::new(IVec3::splat(-60), IVec3::splat(9));
            archive.change(region, &Speckle { region, seed: 4, kinds: 9 }).unwrap();
            format!("{archive:?}")
        })
    };
    assert_eq!(build(1), build(3), "down to every id");
}

#[test]
fn what_is_all_of_one_value_needs_no_storage() {
    let mut archive = Archive::new(None, "empty", ());
    let everything = Dab { extent: Extent::Box(Cube::ALL.voxels()), act: Act::Fill(7) };
    assert!(archive.dab(&everything).unwrap());
    assert_eq!((archive.usage().leaves, archive.usage().nodes), (0, 0));
    assert_eq!(archive.now().count().by_material[7], 1 << 51);
    // Of exact contents, all the same, there is one leaf.
    let region = VoxelBox::new(IVec3::ZERO, IVec3::splat(64));
    archive.change(region, &Speckle { region, seed: 1, kinds: 1 }).unwrap();
    assert_eq!(archive.usage().leaves, 1);
    assert_eq!(archive.now().count().by_material[7], (1 << 51) - (1 << 18));
}

#[test]
fn edits_reach_the_border_and_no_further() {
    let mut archive = Archive::new(None, "empty", ());
    let half = SPAN / 2;
    for corner in [IVec3::splat(-half), IVec3::new(half - 1, -half, half - 1), IVec3::splat(half - 1)] {
        let dab = |reach: i32| Dab {
            extent: Extent::Box(VoxelBox::new(corner - reach, corner + 1 + reach)),
            act: Act::Fill(2),
        };
        assert!(archive.dab(&dab(0)).unwrap());
        assert_eq!(archive.now().get(corner), Value::whole(2));
        let refused = archive.dab(&dab(1)).unwrap_err().to_string();
        assert!(refused.contains("ends at ±65536 voxels"), "{refused}");
    }
    assert_eq!(archive.now().count().solid(), 3);
    assert_eq!(archive.now().get(IVec3::splat(half)), Value::AIR);
    let far = VoxelBox::new(IVec3::splat(half - 4), IVec3::splat(half));
    assert!(archive.copy(far, IVec3::splat(half - 3)).is_err());
    assert!(archive.copy(far, IVec3::splat(i32::MAX - 1)).is_err());
}

#[test]
fn balls_that_are_none_are_refused() {
    let mut archive = Archive::new(None, "empty", ());
    let mut ball =
        |centre: DVec3, radius: f64, act| archive.dab(&Dab { extent: Extent::Ball { centre, radius }, act });
    assert_eq!(ball(DVec3::ZERO, 0.0, Act::Fill(1)), Ok(false), "no voxel's middle lies there");
    assert_eq!(ball(DVec3::splat(0.5), 0.0, Act::Fill(1)), Ok(true));
    for radius in [-1.0, f64::NAN, f64::INFINITY, 1e9] {
        assert!(ball(DVec3::ZERO, radius, Act::Clear).unwrap_err().to_string().contains("radius"));
    }
    assert!(ball(DVec3::splat(f64::NAN), 1.0, Act::Clear).unwrap_err().to_string().contains("centre"));
    assert!(ball(DVec3::splat(1e300), 1.0, Act::Clear).unwrap_err().to_string().contains("centre"));
    assert!(ball(DVec3::ZERO, 1.0, Act::Fill(0)).unwrap_err().to_string().contains("material"));
    assert!(ball(DVec3::ZERO, 70_000.0, Act::Fill(1)).is_err());
}

#[test]
fn copies_of_aligned_boxes_share_what_they_copy() {
    let mut archive = Archive::new(None, "empty", ());
    let region = VoxelBox::new(IVec3::ZERO, IVec3::splat(64));
    archive.change(region, &Speckle { region, seed: 4, kinds: 9 }).unwrap();
    let before = archive.usage();
    archive.copy(region, IVec3::new(640, -1280, 64)).unwrap();
    assert_eq!(archive.usage().leaves, before.leaves);
    assert!(archive.usage().nodes < before.nodes + 20);
    for p in [IVec3::ZERO, IVec3::new(13, 60, 1), IVec3::splat(63)] {
        assert_eq!(archive.now().get(p), archive.now().get(p + IVec3::new(640, -1280, 64)));
    }
}
