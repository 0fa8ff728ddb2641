//! Looking at an archive: rays, levels of detail, and the base under what was changed.

use barchan_volume::archive::{
    Act, Archive, ArchiveHit, Base, Change, Cube, Dab, Extent, Leaf, Stratum, Value, Verdict, View,
};
use barchan_volume::{Caves, Density, Grid, VoxelBox};
use glam::{DVec3, IVec3};

/// Numbers between -1 and 1, one after the other.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((self.0 >> 33) as u32) / f64::from(1_u32 << 30) - 1.0
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

fn ball(centre: DVec3, radius: f64, act: Act) -> Dab {
    Dab { extent: Extent::Ball { centre, radius }, act }
}

/// A heap of balls with holes.
fn heap() -> Archive {
    let (mut archive, mut numbers) = (Archive::new(None, "empty", ()), Numbers(7));
    for at in 0..60_u8 {
        let act = if at % 3 == 2 { Act::Clear } else { Act::Fill(1 + at % 7) };
        archive.dab(&ball(40.0 * numbers.point(), 6.0 + 5.0 * numbers.next(), act)).unwrap();
    }
    archive
}

#[test]
fn rays_meet_the_voxel_that_a_walk_over_dense_voxels_meets() {
    let archive = heap();
    let view = archive.now();
    let mut grid = Grid::new(0_u8);
    let space = VoxelBox::new(IVec3::splat(-56), IVec3::splat(56));
    view.read_leaves(Cube { min: IVec3::splat(-64), level: 6 }, |_, _| {});
    space.cells().for_each(|p| grid.set(p, view.get(p).material));
    let (mut numbers, mut hits) = (Numbers(3), 0);
    for _ in 0..2_000 {
        let origin = (90.0 * numbers.point()).as_vec3();
        let direction = (40.0 * numbers.point()).as_vec3() - origin;
        let mut expected = None;
        let visit = |voxel: barchan_volume::RayVoxel<u8>| {
            expected = (voxel.value != 0).then_some((voxel.voxel, voxel.t_enter, voxel.value));
            if expected.is_some() {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        };
        grid.walk_ray(origin, direction, 3.0, |value| value == 0, visit);
        let hit = view.cast_ray(origin.as_dvec3(), direction.as_dvec3(), 3.0, 0.0);
        assert_eq!(hit.map(|hit| hit.cube.min), expected.map(|(voxel, ..)| voxel));
        if let (Some(hit), Some((_, t, material))) = (hit, expected) {
            assert_eq!((hit.material, hit.cube.level), (material, 0));
            assert!((hit.t - f64::from(t)).abs() < 1e-5);
            let into = hit.normal.as_dvec3().dot(direction.as_dvec3());
            assert!(into < 0.0 || hit.t == 0.0);
            hits += 1;
        }
    }
    assert!(hits > 500);
}

#[test]
fn from_far_cubes_are_judged_by_what_is_counted_in_them() {
    let archive = heap();
    let view = archive.now();
    let (mut numbers, mut coarse) = (Numbers(5), 0);
    for _ in 0..500 {
        let origin = 3_000.0 * numbers.point().normalize();
        let direction = (30.0 * numbers.point() - origin).normalize();
        let pixel = 2e-3;
        let Some(hit) = view.cast_ray(origin, direction, 1e5, pixel) else { continue };
        assert!(f64::from(hit.cube.edge()) <= (pixel * hit.t).max(1.0), "{hit:?}");
        let solid = view.count_in(hit.cube.voxels()).unwrap().solid();
        assert!(2 * solid >= hit.cube.volume(), "{hit:?}");
        coarse += u32::from(hit.cube.level > 1);
    }
    assert!(coarse > 50);
}

#[test]
fn rays_that_lead_nowhere_meet_nothing() {
    let archive = heap();
    let ray = |origin: DVec3, direction: DVec3| archive.now().cast_ray(origin, direction, 1e9, 0.0);
    assert_eq!(ray(DVec3::ZERO, DVec3::ZERO), None);
    assert_eq!(ray(DVec3::NAN, DVec3::X), None);
    assert_eq!(ray(DVec3::ZERO, DVec3::new(f64::INFINITY, 0.0, 0.0)), None);
    assert_eq!(ray(DVec3::splat(1e7), DVec3::X), None);
    assert_eq!(ray(DVec3::new(0.5, 0.5, 200.0), DVec3::Z), None);
}

fn base() -> Base {
    let terrain = Density { caves: Some(Caves::default()), overhang_m: 3.0, ..Density::default() };
    let strata = vec![Stratum { material: 3, down_to_m: 1.0 }, Stratum { material: 2, down_to_m: 4.5 }];
    Base { terrain, voxel_size_m: 0.5, strata, rock: 9 }
}

/// Looks at everything and leaves it as it is.
struct Look;

impl Change for Look {
    fn of_cube(&self, _: View<'_>, _: Cube, _: Option<u8>) -> Verdict {
        Verdict::Cut
    }

    fn of_leaf(&self, _: View<'_>, _: IVec3, leaf: &mut Leaf) {
        let again: Vec<Value> = (0..64).map(|at| leaf.get(at)).collect();
        again.iter().enumerate().for_each(|(at, value)| leaf.set(at, *value));
    }
}

#[test]
fn of_a_base_only_what_is_changed_is_stored() {
    base().check().unwrap();
    let mut archive = Archive::new(Some(base()), "terrain", ());
    let region = VoxelBox::new(IVec3::new(-16, 8, -24), IVec3::new(24, 40, 24));
    let voxels = |archive: &Archive| region.cells().map(|p| archive.now().get(p)).collect::<Vec<_>>();
    let before = voxels(&archive);
    let materials: std::collections::BTreeSet<u8> = before.iter().map(|value| value.material).collect();
    assert_eq!(materials.into_iter().collect::<Vec<_>>(), [0, 2, 3, 9]);
    assert_eq!(archive.change(region, &Look), Ok(false));
    assert_eq!((archive.usage().bytes, archive.now().count().lacks_base), (0, true));

    let dig = ball(DVec3::new(4.0, 24.0, 0.0), 9.2, Act::Clear);
    assert!(archive.dab(&dig).unwrap());
    let dug = region.cells().zip(&before).zip(voxels(&archive)).filter(|((p, before), now)| {
        let inside = (p.as_dvec3() + 0.5 - DVec3::new(4.0, 24.0, 0.0)).length() <= 9.2;
        assert_eq!(*now, if inside { Value::AIR } else { **before }, "{p}");
        inside
    });
    assert!(dug.count() > 3_000 && archive.usage().leaves < 400);
    // A copy of the base in another place is no base any more.
    let from = VoxelBox::new(IVec3::new(-16, 8, -24), IVec3::new(0, 24, 24));
    let to = IVec3::new(-16, 8, 1_000);
    archive.copy(from, to).unwrap();
    for p in from.cells() {
        assert_eq!(archive.now().get(p), archive.now().get(p - from.min + to));
    }
}

#[test]
fn rays_meet_the_base_where_its_voxels_are() {
    let mut archive = Archive::new(Some(base()), "terrain", ());
    archive.dab(&ball(DVec3::new(0.0, 0.0, 10.0), 30.0, Act::Clear)).unwrap();
    let (view, mut numbers, mut hits) = (archive.now(), Numbers(11), 0);
    for _ in 0..40 {
        let origin = DVec3::new(60.0 * numbers.next(), 60.0 * numbers.next(), 70.0);
        let direction =
            (DVec3::new(60.0 * numbers.next(), 60.0 * numbers.next(), -20.0) - origin).normalize();
        let solid = |t: f64| view.get((origin + direction * t).floor().as_ivec3()).material;
        let stepped = (0..15_000).map(|step| f64::from(step) * 0.02).find(|t| solid(*t) != 0);
        let hit: Option<ArchiveHit> = view.cast_ray(origin, direction, 300.0, 0.0);
        let (Some(hit), Some(stepped)) = (hit, stepped) else {
            assert!(hit.is_none() || stepped.is_some() || hit.is_some_and(|hit| hit.t > 290.0));
            continue;
        };
        // Steps may leap over a corner.
        assert!(hit.t <= stepped + 1e-9, "{hit:?} {stepped}");
        assert_eq!(solid(hit.t + 1e-7), hit.material);
        hits += 1;
    }
    assert!(hits > 20);
    // From very far a few points stand for all of it.
    let far = view.cast_ray(DVec3::new(9.0, 7.0, 60_000.0), DVec3::NEG_Z, 1e6, 1e-3).unwrap();
    assert!(far.cube.edge() > 16 && (far.t - 60_000.0).abs() < 200.0, "{far:?}");
}
