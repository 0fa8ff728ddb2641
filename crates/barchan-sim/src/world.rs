//! The World: one ground, its bodies and materials, one clock, one set of books.

use barchan_volume::VoxelBox;
use glam::{IVec3, Vec3};

use crate::bearing::{Bearing, wake_near};
use crate::bodies::{Bodies, BodyError, BodyFill, BodyId, BodySpec};
use crate::carry::Carry;
use crate::clock::Clock;
use crate::fall::Fall;
use crate::ground::{Edit, EditError, EditReport, Ground};
use crate::ledger::Ledger;
use crate::material::Materials;
use crate::push::{Push, PushReport};
use crate::slip::{Momentum, Slip};

/// Memory that ground may use unless the world says otherwise (bytes): 8 GiB.
pub const DEFAULT_MEMORY_LIMIT_BYTES: u64 = 8 << 30;

/// How to make a world.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldConfig {
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// The voxels inside the walls; none: no walls.
    pub bounds: Option<VoxelBox>,
    /// Gravity (m/s²).
    pub gravity_m_s2: Vec3,
    /// Seed of everything random.
    pub seed: u64,
    /// Materials.
    pub materials: Materials,
    /// True where sliding soil keeps its momentum and runs out beyond the slope that would hold it.
    pub momentum: bool,
    /// Memory that the ground may use (bytes).
    pub memory_limit_bytes: u64,
}

impl Default for WorldConfig {
    fn default() -> Self {
        Self {
            voxel_size_m: 0.1,
            bounds: None,
            gravity_m_s2: Vec3::new(0.0, 0.0, -9.81),
            seed: 0,
            materials: Materials::builtin(),
            momentum: false,
            memory_limit_bytes: DEFAULT_MEMORY_LIMIT_BYTES,
        }
    }
}

/// Why a world cannot be made or put together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// A number outside its range.
    #[error("{field} = {value} is outside {range}")]
    OutOfRange {
        /// What.
        field: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        range: &'static str,
    },
    /// A voxel that no world could hold.
    #[error("voxel ({x}, {y}, {z}): {problem}")]
    BadVoxel {
        /// Voxel coordinate.
        x: i32,
        /// Voxel coordinate.
        y: i32,
        /// Voxel coordinate.
        z: i32,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The ledger does not agree with the ground.
    #[error("the books hold {booked} units but the ground {counted}")]
    Books {
        /// By the ledger (units).
        booked: i64,
        /// By counting (units).
        counted: i64,
    },
}

/// Everything there is, and the only thing that steps.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) ground: Ground,
    pub(crate) bodies: Bodies,
    /// Derived from the poses of `bodies`.
    pub(crate) body_fill: BodyFill,
    pub(crate) bearing: Bearing,
    pub(crate) carry: Carry,
    pub(crate) push: Push,
    pub(crate) fall: Fall,
    pub(crate) slip: Slip,
    pub(crate) materials: Materials,
    pub(crate) gravity_m_s2: Vec3,
    pub(crate) clock: Clock,
    pub(crate) seed: u64,
    pub(crate) ledger: Ledger,
    memory_limit_bytes: u64,
}

/// The state of a world in parts, as a file stores it.
#[derive(Clone, Debug)]
pub struct WorldParts {
    /// The ground.
    pub ground: Ground,
    /// The bodies.
    pub bodies: Bodies,
    /// How the ground bears them.
    pub bearing: Bearing,
    /// The soil that is in the air.
    pub fall: Fall,
    /// The soil that slides and keeps its speed.
    pub momentum: Momentum,
    /// How the soil on them moves.
    pub carry: Carry,
    /// The materials.
    pub materials: Materials,
    /// Gravity (m/s²).
    pub gravity_m_s2: Vec3,
    /// The clock.
    pub clock: Clock,
    /// The seed.
    pub seed: u64,
    /// The books.
    pub ledger: Ledger,
}

impl World {
    /// An empty world.
    pub fn new(config: WorldConfig) -> Result<Self, WorldError> {
        check_voxel_size(config.voxel_size_m)?;
        check_gravity(config.gravity_m_s2)?;
        check_bounds(config.bounds)?;
        Ok(Self {
            ground: Ground::new(config.voxel_size_m, config.bounds),
            bodies: Bodies::new(),
            body_fill: BodyFill::default(),
            bearing: Bearing::default(),
            carry: Carry::default(),
            push: Push::default(),
            fall: Fall::default(),
            slip: Slip::with_momentum(Momentum::new(config.momentum)),
            materials: config.materials,
            gravity_m_s2: config.gravity_m_s2,
            clock: Clock::default(),
            seed: config.seed,
            ledger: Ledger::default(),
            memory_limit_bytes: config.memory_limit_bytes,
        })
    }

    /// A world put together from stored parts. Everything that would break an invariant is refused.
    pub fn from_parts(parts: WorldParts) -> Result<Self, WorldError> {
        check_voxel_size(parts.ground.voxel_size_m())?;
        check_gravity(parts.gravity_m_s2)?;
        check_bounds(parts.ground.bounds())?;
        if !(parts.clock.time_s.is_finite() && parts.clock.time_s >= 0.0) {
            let value = parts.clock.time_s.to_string();
            return Err(WorldError::OutOfRange { field: "time_s", value, range: "0 and more" });
        }
        if !parts.fall.is_sound() {
            let value = "not a number".to_string();
            return Err(WorldError::OutOfRange {
                field: "velocity of falling soil",
                value,
                range: "any number",
            });
        }
        if !parts.momentum.is_sound() {
            let value = "not a number of 0 and more".to_string();
            return Err(WorldError::OutOfRange {
                field: "speed of sliding soil",
                value,
                range: "0 and more",
            });
        }
        parts.ground.check(&parts.materials)?;
        let counted = parts.ground.count();
        let held = parts.ledger.held;
        if counted != held || parts.ledger.balance() != 0 {
            let (booked, counted) = (held.total(), counted.total());
            return Err(WorldError::Books { booked, counted });
        }
        let mut world = Self {
            ground: parts.ground,
            bodies: parts.bodies,
            body_fill: BodyFill::default(),
            bearing: parts.bearing,
            carry: parts.carry,
            push: Push::default(),
            fall: parts.fall,
            slip: Slip::with_momentum(parts.momentum),
            materials: parts.materials,
            gravity_m_s2: parts.gravity_m_s2,
            clock: parts.clock,
            seed: parts.seed,
            ledger: parts.ledger,
            memory_limit_bytes: DEFAULT_MEMORY_LIMIT_BYTES,
        };
        world.carry.drop_unsound();
        world.rebuild_body_fill();
        Ok(world)
    }

    /// The state in parts, to be stored. Costs a table, not a copy: bricks are shared.
    pub fn to_parts(&self) -> WorldParts {
        WorldParts {
            ground: self.ground.clone(),
            bodies: self.bodies.clone(),
            bearing: self.bearing.clone(),
            fall: self.fall.clone(),
            momentum: self.slip.momentum.clone(),
            carry: self.carry.clone(),
            materials: self.materials.clone(),
            gravity_m_s2: self.gravity_m_s2,
            clock: self.clock,
            seed: self.seed,
            ledger: self.ledger,
        }
    }

    /// The ground.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// The bodies.
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// How the ground bears the bodies.
    pub fn bearing(&self) -> &Bearing {
        &self.bearing
    }

    /// The soil that is in the air.
    pub fn fall(&self) -> &Fall {
        &self.fall
    }

    /// The soil that slides and keeps its speed.
    pub fn momentum(&self) -> &Momentum {
        &self.slip.momentum
    }

    /// How the soil on bodies moves.
    pub fn carry(&self) -> &Carry {
        &self.carry
    }

    /// The share of each voxel that bodies take.
    pub fn body_fill(&self) -> &BodyFill {
        &self.body_fill
    }

    /// The materials.
    pub fn materials(&self) -> &Materials {
        &self.materials
    }

    /// Gravity (m/s²).
    pub fn gravity_m_s2(&self) -> Vec3 {
        self.gravity_m_s2
    }

    /// The clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The books.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// Looks at every voxel: an error names the first that lies outside the walls, holds more than fits, or breaks another
    /// rule of the ground. If there is one after a step or an edit, that is a bug.
    pub fn check(&self) -> Result<(), WorldError> {
        self.ground.check(&self.materials)
    }

    /// From now on the ground may use `bytes` of memory. Not part of the state: it changes nothing that happened.
    pub fn limit_memory(&mut self, bytes: u64) {
        self.memory_limit_bytes = bytes;
    }

    /// Places or removes ground, and books it.
    pub fn edit(&mut self, edit: &Edit) -> Result<EditReport, EditError> {
        let shares = self.body_fill.shares();
        let report = self.ground.edit(edit, &self.materials, shares, self.memory_limit_bytes)?;
        self.ledger.entered += report.placed;
        self.ledger.left += report.removed;
        self.ledger.held += report.placed - report.removed;
        wake_near(report.changes.bricks(), &self.body_fill, &mut self.bodies);
        self.slip.forget(report.changes.bricks());
        self.fall.note_any(report.changes.bricks());
        Ok(report)
    }

    /// Puts a body into the world. Soil that is in its place makes room.
    pub fn add_body(&mut self, spec: BodySpec) -> Result<BodyId, BodyError> {
        Ok(self.add_bodies([spec])?[0])
    }

    /// Puts bodies into the world, all of them or none. Soil that is in their place makes room.
    pub fn add_bodies(
        &mut self,
        specs: impl IntoIterator<Item = BodySpec>,
    ) -> Result<Vec<BodyId>, BodyError> {
        let mut ids = Vec::new();
        for spec in specs {
            match self.bodies.insert(spec) {
                Ok(id) => ids.push(id),
                Err(error) => {
                    for id in ids {
                        self.bodies.remove(id);
                    }
                    return Err(error);
                }
            }
        }
        let changed = self.update_body_fill();
        self.make_room(changed);
        self.ground.close_changes();
        Ok(ids)
    }

    /// Takes a body out of the world. False when there is none of this id.
    pub fn remove_body(&mut self, id: BodyId) -> bool {
        let was_there = self.bodies.remove(id);
        let changed = self.update_body_fill();
        self.make_room(changed);
        self.ground.close_changes();
        was_there
    }

    /// Forgets everything that is derived or scratch. Changes nothing that matters.
    pub fn drop_caches(&mut self) {
        self.bodies.drop_scratch();
        self.bearing.drop_scratch();
        self.slip.drop_scratch();
        self.fall.drop_scratch();
        self.rebuild_body_fill();
    }

    /// Derives the body shares anew. No body moved, so nothing wakes.
    fn rebuild_body_fill(&mut self) {
        self.body_fill = BodyFill::default();
        self.update_body_fill();
    }

    /// Brings the body shares up to date with the poses. Returns the bricks whose shares changed.
    pub(crate) fn update_body_fill(&mut self) -> Vec<IVec3> {
        self.body_fill.update(&self.bodies, self.ground.voxel_size_m(), self.ground.bounds())
    }

    /// Moves soil out of the way of the bodies in `changed` bricks and wakes the ground around.
    pub(crate) fn make_room(&mut self, changed: Vec<IVec3>) -> PushReport {
        let pushed =
            self.push.step(&changed, &self.bodies, &self.body_fill, &self.materials, &mut self.ground);
        self.slip.forget(self.ground.touched());
        self.slip.forget(changed.iter().copied());
        self.fall.note_soil(self.ground.touched());
        self.fall.note_any(changed.iter().copied());
        self.ground.wake_around(changed);
        pushed
    }
}

fn check_voxel_size(voxel_size_m: f32) -> Result<(), WorldError> {
    if (1e-4..=1e3).contains(&voxel_size_m) {
        return Ok(());
    }
    let value = voxel_size_m.to_string();
    Err(WorldError::OutOfRange { field: "voxel_size_m", value, range: "0.0001 to 1000" })
}

fn check_gravity(gravity: Vec3) -> Result<(), WorldError> {
    if gravity.abs().max_element() <= 1e3 && gravity.is_finite() {
        return Ok(());
    }
    let value = gravity.to_string();
    Err(WorldError::OutOfRange { field: "gravity_m_s2", value, range: "-1000 to 1000 per axis" })
}

fn check_bounds(bounds: Option<VoxelBox>) -> Result<(), WorldError> {
    const FARTHEST: i32 = 1 << 28;
    let far = VoxelBox::new(IVec3::splat(-FARTHEST), IVec3::splat(FARTHEST));
    match bounds {
        Some(b) if b.is_empty() || !far.contains_box(&b) => Err(WorldError::OutOfRange {
            field: "bounds (voxels)",
            value: format!("{} to {}", b.min, b.max),
            range: "a box with volume within ±2^28 voxels",
        }),
        _ => Ok(()),
    }
}
