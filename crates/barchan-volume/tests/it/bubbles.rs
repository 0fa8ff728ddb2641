//! Bubbles: every count agrees with adding up weight by weight, and known shapes lose the voxels they must lose.

use barchan_volume::{
    Around, Brick, Bubble, BubbleError, Filling, Form, Grid, GridFilling, LiveCounts, Plugged, VoxelBox,
    VoxelSet, Walled, count_bubbles, enclosed,
};
use glam::IVec3;
use proptest::prelude::*;

use crate::dense::{HALF, edited, edits, middle, region};

const FULL: u16 = 32_768;

/// What the counts are defined to be.
fn brute_force(filled: impl Fn(IVec3) -> u64, bubble: &Bubble, p: IVec3) -> u64 {
    bubble.bounds().cells().map(|d| u64::from(bubble.weight(d)) * filled(p + d)).sum()
}

/// All counts of a region, z fastest, put together from its tiles.
fn counts(filling: &impl Filling, bubble: &Bubble, region: VoxelBox) -> Vec<u64> {
    let mut all = vec![u64::MAX; region.volume() as usize];
    let tiles = count_bubbles(filling, bubble, region, Around::Every, |tile| {
        tile.region.cells().map(|p| (region.index(p), tile.at(p))).collect::<Vec<_>>()
    });
    for (at, count) in tiles.into_iter().flatten() {
        assert_eq!(all[at], u64::MAX, "a voxel is in two tiles");
        all[at] = count;
    }
    all
}

fn radii(most: i32) -> impl Strategy<Value = IVec3> {
    prop_oneof![(1..=most).prop_map(IVec3::splat), (1..=most, 1..=most, 1..=most).prop_map(IVec3::from),]
}

fn bubble() -> impl Strategy<Value = Bubble> {
    let named = (prop::sample::select(Form::ALL.to_vec()), radii(6))
        .prop_map(|(form, radii)| Bubble::new(form, radii).expect("a valid bubble"));
    let table = (radii(3), prop::sample::select(vec![2u8, 3, 255])).prop_flat_map(|(radii, levels)| {
        let places = (radii * 2 + 1).element_product() as usize;
        prop::collection::vec(0..levels, places).prop_map(move |mut table| {
            table[places / 2] = 1;
            Bubble::from_levels(radii, &table).expect("a valid bubble")
        })
    });
    prop_oneof![3 => named, 2 => table]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn counts_agree_with_adding_up(
        (middle, edits, part, bubble, full) in
            (middle(), edits(12), region(), bubble(), prop::sample::select(vec![1, 7, FULL, u16::MAX]))
    ) {
        let (grid, dense) = edited(middle, &edits);
        let weigh = |v: u8| [0, full, full / 3][usize::from(v)];
        let part = VoxelBox::new(part.min + middle, part.max + middle);
        let part = VoxelBox::new(part.min, part.max.min(part.min + 12));
        let found = counts(&GridFilling::new(&grid, full, weigh), &bubble, part);
        let value = |p| if dense.region.contains(p) { dense.get(p) } else { 0 };
        for (p, found) in part.cells().zip(found) {
            prop_assert_eq!(found, brute_force(|p| u64::from(weigh(value(p))), &bubble, p), "at {}", p);
        }
    }

    #[test]
    fn beyond_walls_and_in_plugs_all_is_full(
        (edits, bounds, bubble, plugs) in
            (edits(12), region(), bubble(), prop::collection::vec(crate::dense::voxel(), 0..200))
    ) {
        let (grid, dense) = edited(IVec3::ZERO, &edits);
        let plugs: VoxelSet = plugs.into_iter().collect();
        let weigh = |v: u8| u16::from(v > 0);
        let filling = Plugged::new(Walled::new(GridFilling::new(&grid, 1, weigh), bounds), &plugs);
        let part = VoxelBox::new(IVec3::splat(-HALF - 2), IVec3::splat(-HALF + 7));
        let value = |p| {
            let is_full = !bounds.contains(p)
                || plugs.contains(p)
                || dense.region.contains(p) && dense.get(p) > 0;
            u64::from(is_full)
        };
        for (p, found) in part.cells().zip(counts(&filling, &bubble, part)) {
            prop_assert_eq!(found, brute_force(value, &bubble, p), "at {}", p);
        }
    }

    #[test]
    fn live_counts_follow_changes((edits, more, bubble) in (edits(12), edits(4), bubble())) {
        let (mut grid, mut dense) = edited(IVec3::ZERO, &edits);
        let before = grid.clone();
        let weigh = |v: u8| u16::from(v) * 100;
        let bricks = [IVec3::ZERO, IVec3::new(-2, 1, 0), IVec3::splat(-1), IVec3::new(5, 0, 0)];
        let mut live = LiveCounts::new(bubble.clone());
        live.count(&GridFilling::new(&grid, 200, weigh), &bricks);
        more.iter().for_each(|edit| edit.apply(IVec3::ZERO, &mut grid, &mut dense));
        let difference = |p| i32::from(weigh(grid.get(p))) - i32::from(weigh(before.get(p)));
        let changes: Vec<_> =
            dense.region.cells().map(|p| (p, difference(p))).filter(|(_, by)| *by != 0).collect();
        live.change(&changes);
        let mut fresh = LiveCounts::new(bubble);
        fresh.count(&GridFilling::new(&grid, 200, weigh), &bricks);
        for brick in bricks {
            prop_assert!(live.brick(brick).is_some() && live.brick(brick) == fresh.brick(brick));
        }
        prop_assert!(live.brick(IVec3::Z).is_none());
    }
}

/// Random voxels around the seams of tiles, with bubbles of the largest radii: every number type and both tile lengths.
#[test]
fn seams_of_tiles_do_not_show() {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 33
    };
    let mut grid = Grid::new(0u16);
    for coord in VoxelBox::new(IVec3::new(-2, -4, -4), IVec3::new(20, 10, 14)).cells() {
        let brick = match next() % 4 {
            0 => Brick::Uniform(FULL),
            1 => Brick::Uniform(0),
            _ => Brick::from_values(&std::array::from_fn(|_| [0, FULL, 77][next() as usize % 3])),
        };
        grid.replace(coord, brick);
    }
    let cases = [
        (Form::Ball, IVec3::splat(11), 1),
        (Form::Box, IVec3::splat(21), 1),
        (Form::Ball, IVec3::new(33, 20, 40), 1),
        (Form::Teardrop, IVec3::splat(17), 1),
        (Form::Falloff, IVec3::splat(20), 1),
        (Form::Falloff, IVec3::new(13, 17, 19), FULL),
        (Form::TallBall, IVec3::splat(12), FULL),
        (Form::FlattenedBall, IVec3::splat(25), 1),
        (Form::Box, IVec3::splat(Bubble::MAX_RADIUS), FULL),
    ];
    for (form, radii, full) in cases {
        let bubble = Bubble::new(form, radii).expect("a valid bubble");
        let weigh = |v: u16| if full == 1 { u16::from(v == FULL) } else { v };
        let filling = GridFilling::new(&grid, full, weigh);
        let region = VoxelBox::new(IVec3::new(-3, -9, -13), IVec3::new(141, 61, 97));
        let checked = [IVec3::ZERO, IVec3::new(60, 22, 47), IVec3::new(61, 23, 48), IVec3::new(124, 54, 50)];
        let found = counts(&filling, &bubble, region);
        for p in checked.into_iter().chain([region.min, region.max - 1]) {
            let expected = brute_force(|p| u64::from(weigh(grid.get(p))), &bubble, p);
            assert_eq!(found[region.index(p)], expected, "{form:?} of radii {radii} at {p}");
        }
        let inside = VoxelBox::new(IVec3::splat(9), IVec3::splat(12));
        let small = counts(&filling, &bubble, inside);
        let same = inside.cells().zip(small).all(|(p, count)| count == found[region.index(p)]);
        assert!(same, "{form:?} of radii {radii} depends on the region");
    }
}

/// Voxels of a free cube that have less than a share of their bubble filled (exact: the source's figures 6.1 and 6.4).
#[test]
fn a_free_cube_loses_exactly_these_voxels() {
    let cube = VoxelBox::new(IVec3::splat(3), IVec3::splat(43));
    let mut grid = Grid::new(0u8);
    grid.fill_box(cube, 1);
    let filling = GridFilling::new(&grid, 1, u16::from);
    let rows = [
        (3, 5, 2_224),
        (7, 5, 9_368),
        (11, 5, 19_352),
        (15, 5, 32_016),
        (11, 1, 0),
        (11, 3, 3_200),
        (11, 7, 41_688),
        (11, 9, 54_064),
    ];
    for (radius, tenths, expected) in rows {
        let bubble = Bubble::new(Form::Box, IVec3::splat(radius)).expect("a valid bubble");
        let lost = |count: &u64| 10 * count < tenths * bubble.volume();
        let found = counts(&filling, &bubble, cube).iter().filter(|count| lost(count)).count();
        assert_eq!(found, expected, "box of radius {radius} at threshold 0.{tenths}");
    }
}

/// With its hollow taken as full, a hollow cube has the counts of a filled one (figure 4.1).
#[test]
fn a_plugged_hollow_counts_as_rock() {
    let cube = VoxelBox::new(IVec3::ZERO, IVec3::splat(30));
    let (mut filled, mut hollow) = (Grid::new(0u8), Grid::new(0u8));
    filled.fill_box(cube, 1);
    hollow.fill_box(cube, 1);
    hollow.fill_box(cube.grow(-2), 0);
    let empty = |coord| barchan_volume::Mask::from_fn(|index| hollow.brick(coord).get(index) == 0);
    let plugs = enclosed(empty, cube.grow(2));
    assert_eq!(plugs.len(), 26 * 26 * 26);
    let bubble = Bubble::new(Form::Ball, IVec3::splat(7)).expect("a valid bubble");
    let plugged = Plugged::new(GridFilling::new(&hollow, 1, u16::from), &plugs);
    let expected = counts(&GridFilling::new(&filled, 1, u16::from), &bubble, cube);
    assert_eq!(counts(&plugged, &bubble, cube), expected);
    assert_ne!(counts(&GridFilling::new(&hollow, 1, u16::from), &bubble, cube), expected);
}

#[test]
fn tiles_without_anything_are_left_out() {
    let mut grid = Grid::new(0u8);
    grid.fill_box(VoxelBox::new(IVec3::splat(0), IVec3::splat(20)), 1);
    let bubble = Bubble::new(Form::Ball, IVec3::splat(5)).expect("a valid bubble");
    let region = VoxelBox::new(IVec3::ZERO, IVec3::splat(200));
    let filling = GridFilling::new(&grid, 1, u16::from);
    let tiles = count_bubbles(&filling, &bubble, region, Around::Filled, |tile| tile.region);
    assert_eq!(tiles.len(), 1);
    assert_eq!(tiles[0].min, IVec3::ZERO);
    let empty = VoxelBox::new(IVec3::splat(4), IVec3::splat(4));
    assert!(count_bubbles(&filling, &bubble, empty, Around::Every, |_| ()).is_empty());
}

/// Volumes that one can count on paper, and weights at chosen places.
#[test]
fn forms_have_the_weights_they_say() {
    let volume = |form, radii: IVec3| Bubble::new(form, radii).expect("a valid bubble").volume();
    assert_eq!(volume(Form::Box, IVec3::new(1, 2, 3)), 3 * 5 * 7);
    assert_eq!(volume(Form::Ball, IVec3::splat(1)), 7);
    assert_eq!(volume(Form::Ball, IVec3::splat(11)), 5_575);
    assert_eq!(volume(Form::Rhombus, IVec3::splat(2)), 25);
    // Two of three steps in the middle layer of 5 voxels, one above and below.
    assert_eq!(volume(Form::FlattenedBall, IVec3::splat(1)), 5 * 2 + 2);
    // 1 in the middle and 0 at the six neighbours.
    assert_eq!(volume(Form::Falloff, IVec3::splat(1)), 1);
    // 4, six of 3, twelve of 2 and eight of 1.
    assert_eq!(volume(Form::Falloff, IVec3::splat(2)), 4 + 18 + 24 + 8);
    let drop = Bubble::new(Form::Teardrop, IVec3::splat(12)).expect("a valid bubble");
    // Widest a third below its middle: R sqrt(1 - s²) sqrt((1 - s)/2) = 0.77 R.
    assert_eq!((drop.weight(IVec3::new(9, 0, -4)), drop.weight(IVec3::new(10, 0, -4))), (1, 0));
    assert_eq!((drop.weight(IVec3::new(0, 0, 12)), drop.weight(IVec3::new(1, 0, 11))), (1, 0));
    let tall = Bubble::new(Form::TallBall, IVec3::splat(9)).expect("a valid bubble");
    let weights = [IVec3::ZERO, IVec3::Z * 9, IVec3::X * 5, IVec3::X * 10].map(|d| tall.weight(d));
    assert_eq!(weights, [255, 255, 127, 0]);
}

#[test]
fn bad_bubbles_are_refused() {
    let of = |radii| Bubble::new(Form::Ball, radii).err();
    for radii in [IVec3::ZERO, IVec3::new(3, -1, 3), IVec3::splat(65), IVec3::splat(i32::MAX)] {
        assert_eq!(of(radii), Some(BubbleError::Radius(radii)));
    }
    let count = BubbleError::Count { found: 2, expected: 27, radii: IVec3::ONE };
    assert_eq!(Bubble::from_levels(IVec3::ONE, &[1, 2]), Err(count));
    assert_eq!(Bubble::from_levels(IVec3::ONE, &[0; 27]), Err(BubbleError::Empty));
    for weight in [-0.1, 1.1, f64::INFINITY] {
        let at = IVec3::splat(-1);
        assert_eq!(Bubble::from_fn(IVec3::ONE, |_| weight), Err(BubbleError::Weight { weight, at }));
    }
    assert!(matches!(Bubble::from_fn(IVec3::ONE, |_| f64::NAN), Err(BubbleError::Weight { .. })));
    let half = Bubble::from_fn(IVec3::ONE, |_| 0.5).expect("a valid bubble");
    assert_eq!(half, Bubble::new(Form::Box, IVec3::ONE).expect("a valid bubble"));
}
