//! The process: soil in the air gathers speed, moves by it and lands.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::air::{Air, Falling};
use super::hanging::{Unseen, hanging, hangs_as};
use crate::bodies::BodyFill;
use crate::cache::Cache;
use crate::columns::{ChangedBricks, Patch, Space, commit, downward};
use crate::ground::{Ground, Since, Stamp};
use crate::in_parts::InParts;
use crate::now::Now;

/// Most parts that a step is cut into.
const MOST_PARTS: u32 = 64;

/// What falling did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FallReport {
    /// Soil that moved to another voxel, as often as it did (units).
    pub fell: i64,
    /// Voxels of soil that are in the air after the step.
    pub in_the_air: usize,
    /// True when soil was so fast that it would have crossed more voxels than a step has parts; it was slowed down.
    pub hit_limit: bool,
}

/// Soil in the air.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moving {
    /// Which voxel.
    pub at: [i32; 3],
    /// Its velocity (m/s).
    pub velocity_m_s: [f32; 3],
    /// How far it is ahead of its voxel: soil moves on by whole voxels (voxels).
    pub ahead_voxels: [f32; 3],
}

/// The process that lets soil fall, and the soil that is falling.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Fall {
    /// Column by column, upwards in each.
    moving: Vec<Moving>,
    /// What was looked at for soil that hangs.
    #[serde(skip)]
    seen: Cache<Seen>,
}

/// Of which ground all soil that hangs is known.
#[derive(Default)]
struct Seen {
    ground: Stamp,
    bodies: Stamp,
    /// The lowest voxel of that world.
    lowest: i32,
}

impl Fall {
    /// The soil that is in the air, column by column and upwards in each.
    pub fn moving(&self) -> &[Moving] {
        &self.moving
    }

    /// Takes up soil that pours over edges, voxel by voxel with its velocity (m/s).
    pub(crate) fn launch(&mut self, launched: Vec<(IVec3, Vec3)>) {
        if launched.is_empty() {
            return;
        }
        let moving = |(at, velocity): (IVec3, Vec3)| Falling { at, velocity, ahead: Vec3::ZERO }.to_moving();
        self.moving.extend(launched.into_iter().map(moving));
        // Stable: what was in the air before stays as it is.
        self.moving.sort_by_key(|m| (tile(IVec3::from_array(m.at)), m.at));
        self.moving.dedup_by_key(|m| m.at);
    }

    /// True when every velocity is a number.
    pub fn is_sound(&self) -> bool {
        self.moving.iter().flat_map(|m| m.velocity_m_s.into_iter().chain(m.ahead_voxels)).all(f32::is_finite)
    }

    /// Forgets all that it knows of the ground.
    pub(crate) fn drop_caches(&mut self) {
        self.seen = Cache::default();
    }

    /// Where soil may have come to hang since the last look; from now on that is the last look.
    fn look(&mut self, ground: &Ground, bodies: &BodyFill) -> Unseen {
        let changes = (ground.changes_since(self.seen.ground), bodies.changes_since(self.seen.bodies));
        let unseen = match changes {
            (Since::Bricks(soil), Since::Bricks(bodies)) if self.seen.lowest == ground.floor_z() => {
                Unseen::of(soil.chain(bodies))
            }
            _ => Unseen::All,
        };
        *self.seen = Seen { ground: ground.stamp(), bodies: bodies.stamp(), lowest: ground.floor_z() };
        unseen
    }

    /// Lets soil fall.
    pub fn step(&mut self, now: &Now<'_>, ground: &mut Ground) -> FallReport {
        let &Now { dt_s, gravity_m_s2: gravity, materials, body_fill, .. } = now;
        let mut report = FallReport::default();
        if downward(gravity).is_none() {
            *self = Self::default();
            return report;
        }
        let unseen = self.look(ground, body_fill);
        let space = Space::new(ground, body_fill.shares(), materials);
        let falling = self.in_the_air(&unseen, &space);
        let size = ground.voxel_size_m();
        let fastest = falling.iter().map(|f| f.velocity.abs().max_element()).fold(0.0, f32::max);
        let voxels = (fastest + gravity.length() * dt_s as f32) * dt_s as f32 / size;
        report.hit_limit = !falling.is_empty() && voxels > MOST_PARTS as f32;
        let parts = (voxels.ceil() as u32).clamp(1, MOST_PARTS);
        let part_s = dt_s as f32 / parts as f32;
        let fallen: Vec<(i64, Vec<Falling>, ChangedBricks)> = apart(&falling, gravity)
            .par_iter()
            .in_parts_of(2)
            .map(|group| {
                let mut air = Air::new(space, gravity * part_s, part_s / size);
                let group = (0..parts).fold(group.to_vec(), |group, _| air.fall(&group));
                (air.fell, group, air.patch.into_changed())
            })
            .collect();
        self.moving.clear();
        for (fell, group, bricks) in fallen {
            report.fell += fell;
            self.moving.extend(group.into_iter().map(Falling::to_moving));
            commit(bricks, ground);
        }
        report.in_the_air = self.moving.len();
        report
    }

    /// What was in the air and still is, and what has come to hang there; in the order of [`tile`] and column.
    fn in_the_air(&self, unseen: &Unseen, space: &Space<'_>) -> Vec<Falling> {
        let mut look = Patch::new(*space);
        let hangs = |moving: &&Moving| hangs_as(IVec3::from_array(moving.at), space, &mut look);
        let still = self.moving.iter().filter(hangs);
        let mut falling: Vec<Falling> = still.map(Falling::from_moving).collect();
        falling.extend(hanging(unseen, space).into_iter().map(Falling::at_rest));
        // Stable: what has a velocity comes before what is found hanging without one.
        falling.sort_by_key(|f| (tile(f.at), f.at.to_array()));
        falling.dedup_by_key(|f| f.at);
        falling
    }
}

/// The column of bricks that a voxel lies in.
fn tile(p: IVec3) -> (i32, i32) {
    (p.x >> 3, p.y >> 3)
}

/// Parts that cannot meet: columns of bricks where all falls straight down, else all of it together.
fn apart(falling: &[Falling], gravity: Vec3) -> Vec<&[Falling]> {
    let straight = |v: &Vec3| v.x == 0.0 && v.y == 0.0;
    if straight(&gravity) && falling.iter().all(|f| straight(&f.velocity)) {
        falling.chunk_by(|a, b| tile(a.at) == tile(b.at)).collect()
    } else {
        vec![falling]
    }
}
