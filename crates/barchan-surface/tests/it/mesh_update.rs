//! The surface follows the world: what is kept up to date equals what is made anew.

use barchan_sim::{Edit, World};
use barchan_surface::mesh::{Detail, MeshOptions, Phases, Surface};
use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
use glam::{IVec3, Vec3};

use crate::mesh_world::{Dice, world};

fn hills() -> World {
    let region = VoxelBox::new(IVec3::ZERO, IVec3::new(96, 96, 40));
    let height = |p: IVec3| 16.0 + 6.0 * (p.x as f32 * 0.11).sin() + 5.0 * (p.y as f32 * 0.13).cos();
    world(region, Some(region), |p| height(p) - p.z as f32)
}

/// Digs a hole; gives back the bricks that changed.
fn dig(world: &mut World, dice: &mut Dice) -> Vec<IVec3> {
    let centre = Vec3::new(8.0 + 80.0 * dice.share(), 8.0 + 80.0 * dice.share(), 14.0 + 8.0 * dice.share());
    let edit = Edit::Remove { region: ball(centre, 3.0 + 2.0 * dice.share()) };
    world.edit(&edit).expect("a hole").changes.bricks().collect()
}

fn ball(centre: Vec3, radius: f32) -> Region {
    Region::Solid(Solid { shape: Shape::Ball { radius }, pose: Pose::at(centre) })
}

#[test]
fn updates_equal_a_new_surface() {
    let detail = Detail { eye_m: Vec3::new(20.0, 20.0, 30.0), nearness: 1.5, levels: 3 };
    for (detail, closed) in [(None, false), (None, true), (Some(detail), false)] {
        let make = |world: &World| match detail {
            None => Surface::new(world, MeshOptions { closed, ..MeshOptions::default() }),
            Some(detail) => {
                Surface::with_detail(world, MeshOptions { block_edge: 16, ..MeshOptions::default() }, detail)
            }
        };
        let mut world = hills();
        let mut surface = make(&world);
        let mut dice = Dice(7);
        for _ in 0..6 {
            let before = surface.clone();
            let changed = dig(&mut world, &mut dice);
            let renewed = surface.update(&world, changed);
            let anew = make(&world);
            assert!(surface.keys().eq(anew.keys()));
            for key in anew.keys() {
                assert_eq!(surface.mesh(key), anew.mesh(key), "{key:?}");
                assert!(
                    renewed.contains(&key) || before.mesh(key) == anew.mesh(key),
                    "{key:?} changed unseen"
                );
            }
            assert!(renewed.is_sorted() && renewed.len() < surface.tree().len());
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let world = hills();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            Surface::new(&world, MeshOptions { block_edge: 16, ..MeshOptions::default() }).whole()
        })
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn looking_from_elsewhere_tells_what_differs() {
    let world = hills();
    let options = MeshOptions { block_edge: 8, ..MeshOptions::default() };
    let near = |x: f32| Detail { eye_m: Vec3::new(x, 10.0, 25.0), nearness: 1.0, levels: 3 };
    let mut surface = Surface::with_detail(&world, options, near(0.0));
    let before = surface.clone();
    let differ = surface.look(&world, [near(90.0)]);
    let anew = Surface::with_detail(&world, options, near(90.0));
    assert!(surface.keys().eq(anew.keys()));
    for key in before.keys().chain(anew.keys()) {
        assert!(differ.contains(&key) || before.mesh(key) == surface.mesh(key), "{key:?}");
        assert_eq!(surface.mesh(key), anew.mesh(key), "{key:?}");
    }
}

#[test]
fn rock_and_soil_have_surfaces_of_their_own() {
    let world = hills();
    let of = |phases: Phases| Surface::new(&world, MeshOptions { phases, ..MeshOptions::default() }).whole();
    assert!(of(Phases::Rock).is_empty());
    assert_eq!(of(Phases::Soil), of(Phases::Joined));
}

#[test]
fn no_block_of_an_open_surface_is_pressed_flat_onto_the_walls() {
    let bounds = VoxelBox::new(IVec3::new(-3, 0, 0), IVec3::new(37, 40, 16));
    let world = world(bounds, Some(bounds), |p| 7.3 + 0.1 * p.x as f32 - p.z as f32);
    let surface = Surface::new(&world, MeshOptions::default());
    let mut triangles = 0;
    for key in surface.keys() {
        let mesh = surface.block(key).expect("a block").core();
        for corners in &mesh.triangles {
            let [a, b, c] = corners.map(|vertex| Vec3::from_array(mesh.positions[vertex as usize]));
            assert!((b - a).cross(c - a).length() > 0.0, "{key:?}: {a} {b} {c}");
        }
        triangles += mesh.triangles.len();
    }
    // Two at least for each cell between the middles of voxels; those at the walls reach up to them.
    assert!(triangles >= 2 * 41 * 41, "{triangles}");
}
