//! Rays through the archive: over empty cubes in one step, and no closer a look than the eye can see.

use glam::{DVec3, IVec3};

use super::base::Base;
use super::cube::{BRICK, Cube, LEAF, TOP, leaf_index};
use super::subtree::{Part, Subtree};
use super::view::{Reader, View};
use crate::ray::Walk;

/// Where a ray meets what is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArchiveHit {
    /// How far along the ray (lengths of the direction).
    pub t: f64,
    /// What was hit: a voxel (level 0), or a cube that is no larger than a pixel and at least half solid.
    pub cube: Cube,
    /// Unit vector out of the face that was hit; zero where the ray began inside.
    pub normal: IVec3,
    /// What it is of; of a cube, what there is most of.
    pub material: u8,
}

/// What a ray finds around its place.
enum Found {
    /// Nothing, as far as this cube reaches.
    Open(Cube),
    /// Something solid of this material.
    Solid(Cube, u8),
}

impl View<'_> {
    /// The first solid voxel on the ray from `origin` (voxels) up to `max_t` lengths of `direction`. Cubes that are smaller than
    /// `pixel` times their distance, both in lengths of the direction, are judged as a whole by what is counted in them.
    pub fn cast_ray(&self, origin: DVec3, direction: DVec3, max_t: f64, pixel: f64) -> Option<ArchiveHit> {
        let space = Cube::ALL.voxels();
        let mut walk = Walk::new(origin, direction)?;
        walk.enter(&space)?;
        let mut reader = Reader::new(*self);
        let per_voxel = direction.length();
        while walk.t <= max_t && space.contains(walk.cell) {
            // Edge of the largest cube that is no larger than a pixel (voxels).
            let seen = pixel * walk.t * per_voxel;
            let lowest = if seen < 2.0 { 0 } else { (seen as u64).ilog2().min(TOP) };
            match reader.around(walk.cell, lowest) {
                Found::Open(cube) => walk.leave(&cube.voxels()),
                Found::Solid(cube, material) => {
                    let normal = normal(origin, direction, walk.t, cube);
                    return Some(ArchiveHit { t: walk.t, cube, normal, material });
                }
            }
        }
        None
    }
}

impl Reader<'_> {
    /// What there is around voxel `p`, looked at no closer than cubes of level `lowest`.
    #[inline]
    fn around(&mut self, p: IVec3, lowest: u32) -> Found {
        let (tree, level) = self.find(p, lowest.max(LEAF));
        let look = Look { p, lowest };
        match tree.part() {
            Part::Whole(material) => look.found(level, material),
            Part::Even(_) => look.found(level, self.view.store.summary(tree, LEAF).material),
            Part::Base => match self.view.base {
                Some(base) => self.around_in_base(base, look, level),
                None => look.found(level, 0),
            },
            Part::Stored(_) if lowest < LEAF => look.found(0, self.leaf_material(tree, leaf_index(p))),
            Part::Stored(_) => look.found(level, self.as_a_whole(tree, Cube::around(p, level))),
        }
    }

    /// The material of a stored cube that is too small to be looked into.
    fn as_a_whole(&self, tree: Subtree, cube: Cube) -> u8 {
        let summary = self.view.store.summary(tree, cube.level);
        match self.view.base {
            Some(base) if summary.has_base && 2 * summary.solid < cube.volume() => base.in_middle(cube),
            _ => self.view.look_of(tree, cube.level),
        }
    }

    fn around_in_base(&mut self, base: &Base, look: Look, level: u32) -> Found {
        for level in (BRICK..=level).rev() {
            let cube = Cube::around(look.p, level);
            if let Some(material) = base.of_cube(cube) {
                return look.found(level, material);
            }
            if level <= look.lowest {
                return look.found(level, base.in_middle(cube));
            }
        }
        look.found(0, self.base_material(base, look.p))
    }
}

/// A look at voxel `p`, no closer than at cubes of level `lowest`.
#[derive(Clone, Copy)]
struct Look {
    p: IVec3,
    lowest: u32,
}

impl Look {
    /// All that one sees of the cube of this level is `material`; 0: it is open.
    fn found(self, level: u32, material: u8) -> Found {
        if material == 0 {
            return Found::Open(Cube::around(self.p, level));
        }
        Found::Solid(Cube::around(self.p, level.min(self.lowest)), material)
    }
}

/// The face of `cube` through which the ray came at `t`.
fn normal(origin: DVec3, direction: DVec3, t: f64, cube: Cube) -> IVec3 {
    if t <= 0.0 {
        return IVec3::ZERO;
    }
    let entered = |axis: usize| {
        let forward = direction[axis] > 0.0;
        let face = if forward { cube.min[axis] } else { cube.min[axis] + cube.edge() };
        let at = (f64::from(face) - origin[axis]) / direction[axis];
        if direction[axis] == 0.0 { f64::NEG_INFINITY } else { at }
    };
    let axis = (0..3).max_by(|a, b| entered(*a).total_cmp(&entered(*b))).unwrap_or(2);
    let mut normal = IVec3::ZERO;
    normal[axis] = if direction[axis] > 0.0 { -1 } else { 1 };
    normal
}
