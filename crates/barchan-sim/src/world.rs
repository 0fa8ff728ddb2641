//! The World: one ground, its bodies and materials, one clock, one set of books.

use barchan_volume::{Grid, VoxelBox};
use glam::{IVec3, Vec3};

use crate::bearing::Patch;
use crate::bodies::{Bodies, BodyError, BodyFill, BodyId, BodySpec};
use crate::clock::Clock;
use crate::compact::Compact;
use crate::fall::Fall;
use crate::ground::{EditReport, Ground};
use crate::inventory::kind_name;
use crate::ledger::{Amounts, Ledger, Place, Transfers};
use crate::material::{Hardness, HardnessError, Materials};
use crate::now::now;
use crate::push::Push;
use crate::slip::Sliding;
use crate::state::WorldState;
use crate::voxel::{SideList, Voxel};
use crate::water::{Drain, ErosionParams, Open, Pour, PourError, Rain, Source, Water, WaterParams};

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
    /// The ledger does not agree with what is there.
    #[error("the books hold {booked} units of {what} but there are {counted}")]
    Books {
        /// On which account, of which kind.
        what: String,
        /// By the ledger (units).
        booked: i128,
        /// By counting (units).
        counted: i128,
    },
    /// A field of hardness that makes no sense.
    #[error(transparent)]
    Hardness(#[from] HardnessError),
    /// What came in, went out and was turned does not add up to what is held.
    #[error("the books are off by {units} units of {what}")]
    Balance {
        /// On which account, of which kind.
        what: String,
        /// By how much (units).
        units: i128,
    },
}

/// Everything there is, and the only thing that steps.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) state: WorldState,
    /// Derived from the poses of the bodies.
    pub(crate) body_fill: BodyFill,
    pub(crate) push: Push,
    pub(crate) compact: Compact,
    /// Parts of the last step.
    pub(crate) parts_of_step: u32,
    /// Where bodies pressed on the ground in the last step.
    pub(crate) contacts: Vec<Patch>,
    pub(crate) memory_limit_bytes: u64,
}

impl World {
    /// An empty world.
    pub fn new(config: WorldConfig) -> Result<Self, WorldError> {
        check_voxel_size(config.voxel_size_m)?;
        check_gravity(config.gravity_m_s2)?;
        check_bounds(config.bounds)?;
        let state = WorldState {
            materials: config.materials,
            gravity_m_s2: config.gravity_m_s2,
            seed: config.seed,
            water: Water::for_voxels(config.voxel_size_m),
            ..WorldState::new(Ground::new(config.voxel_size_m, config.bounds))
        };
        let memory_limit_bytes = config.memory_limit_bytes;
        let (body_fill, contacts) = (BodyFill::default(), Vec::new());
        Ok(Self {
            state,
            body_fill,
            push: Push,
            compact: Compact,
            parts_of_step: 0,
            contacts,
            memory_limit_bytes,
        })
    }

    /// The world of a state. Everything that would break an invariant is refused.
    pub fn from_state(state: WorldState) -> Result<Self, WorldError> {
        check_voxel_size(state.ground.voxel_size_m())?;
        check_gravity(state.gravity_m_s2)?;
        check_bounds(state.ground.bounds())?;
        if !(state.clock.time_s.is_finite() && state.clock.time_s >= 0.0) {
            let value = state.clock.time_s.to_string();
            return Err(WorldError::OutOfRange { field: "time_s", value, range: "0 and more" });
        }
        let out_of_range = |field, value: &str, range| {
            Err(WorldError::OutOfRange { field, value: value.to_string(), range })
        };
        if !state.fall.is_sound() {
            return out_of_range("velocity of falling soil", "not a number", "any number");
        }
        if !state.slip.sliding().is_sound() {
            return out_of_range("soil that slides", "not a number, or out of order", "any number, in order");
        }
        if !state.weather.is_sound(&state.materials) {
            return out_of_range("weather", "no rules", "what can be set");
        }
        if !state.grains.is_sound(&state.materials) {
            return out_of_range("grains", "what no step leaves behind", "what this program writes");
        }
        let voxel_size_m = state.ground.voxel_size_m();
        if !state.carve.is_sound(&state.materials, &state.grains, voxel_size_m) {
            return out_of_range("carving", "what no step leaves behind", "what this program writes");
        }
        if !state.merge.is_sound() {
            return out_of_range("merging", "what no step leaves behind", "what this program writes");
        }
        state.hardness.check(&state.materials)?;
        if !state.water.is_sound(&state.materials, state.ground.voxel_size_m()) {
            return out_of_range("water", "not what water can be", "what docs/scenes.md allows");
        }
        state.ground.check(&state.materials)?;
        check_books(&state)?;
        let mut world = Self {
            state,
            body_fill: BodyFill::default(),
            push: Push,
            compact: Compact,
            parts_of_step: 0,
            contacts: Vec::new(),
            memory_limit_bytes: DEFAULT_MEMORY_LIMIT_BYTES,
        };
        world.state.carry.drop_unsound();
        let state = &mut world.state;
        state.ground.measure_room(&state.materials);
        world.rebuild_body_fill();
        Ok(world)
    }

    /// All that decides what happens next.
    pub fn state(&self) -> &WorldState {
        &self.state
    }

    /// The digest of all that decides what happens next.
    pub fn digest(&self) -> u64 {
        self.state.digest()
    }

    /// The ground.
    pub fn ground(&self) -> &Ground {
        &self.state.ground
    }

    /// The bodies.
    pub fn bodies(&self) -> &Bodies {
        &self.state.bodies
    }

    /// The soil that is in the air.
    pub fn fall(&self) -> &Fall {
        &self.state.fall
    }

    /// The soil that slides.
    pub fn sliding(&self) -> &Sliding {
        self.state.slip.sliding()
    }

    /// The share of each voxel that bodies take.
    pub fn body_fill(&self) -> &BodyFill {
        &self.body_fill
    }

    /// Where bodies pressed on the ground in the last step, part by part. Of those that follow a track only soil is told, and
    /// only while they move.
    pub fn contacts(&self) -> &[Patch] {
        &self.contacts
    }

    /// The materials.
    pub fn materials(&self) -> &Materials {
        &self.state.materials
    }

    /// How hard the ground is at every place.
    pub fn hardness(&self) -> &Hardness {
        &self.state.hardness
    }

    /// Gravity (m/s²).
    pub fn gravity_m_s2(&self) -> Vec3 {
        self.state.gravity_m_s2
    }

    /// The clock.
    pub fn clock(&self) -> Clock {
        self.state.clock
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.state.seed
    }

    /// The books.
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// Counts every unit in the ground and in all that runs over it: the slow truth that the books are audited against.
    pub fn count(&self) -> Amounts<i128> {
        count(&self.state)
    }

    /// Looks at every voxel: an error names the first that lies outside the walls, holds more than fits, or breaks another
    /// rule of the ground, or the account that does not agree with what is there. If there is one after a step or an edit, that is
    /// a bug.
    pub fn check(&self) -> Result<(), WorldError> {
        self.state.ground.check(&self.state.materials)?;
        check_books(&self.state)
    }

    /// Memory that the ground, and the grains beside it, may use (bytes).
    pub(crate) fn memory_limit_bytes(&self) -> u64 {
        self.memory_limit_bytes
    }

    /// From now on the ground may use `bytes` of memory. Not part of the state: it changes nothing that happened.
    pub fn limit_memory(&mut self, bytes: u64) {
        self.memory_limit_bytes = bytes;
    }

    /// The water that runs free.
    pub fn water(&self) -> &Water {
        &self.state.water
    }

    /// Sets how water behaves; in words what is wrong with that, if it is refused.
    pub fn set_water(&mut self, params: WaterParams) -> Result<(), String> {
        self.state.water.set_params(params, self.state.ground.voxel_size_m())
    }

    /// Sets how water and ground exchange matter; in words what is wrong with that, if it is refused.
    pub fn set_erosion(&mut self, erosion: ErosionParams) -> Result<(), String> {
        self.state.water.set_erosion(erosion)
    }

    /// Sets where water comes from; in words what is wrong with that, if it is refused.
    pub fn set_water_sources(&mut self, sources: Vec<Source>, rain: Rain) -> Result<(), String> {
        self.state.water.set_sources(sources)?;
        self.state.water.set_rain(rain)
    }

    /// Sets where water goes; in words what is wrong with that, if it is refused.
    pub fn set_water_drains(&mut self, drains: Vec<Drain>, open: Open) -> Result<(), String> {
        self.state.water.set_drains(drains, open)
    }

    /// Pours water into what is free of a region, and books it.
    pub fn pour(&mut self, pour: &Pour) -> Result<EditReport, PourError> {
        let time_s = self.state.clock.time_s;
        let transfers = now!(self, 0.0, time_s, |now, state| state.water.pour(&now, pour, &state.ground))?;
        let closing = self.close(&transfers);
        Ok(EditReport {
            transfers,
            changes: closing.changes,
            imbalance: closing.imbalance,
            ..EditReport::default()
        })
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
            match self.state.bodies.insert(spec) {
                Ok(id) => ids.push(id),
                Err(error) => {
                    for id in ids {
                        self.state.bodies.remove(id);
                    }
                    return Err(error);
                }
            }
        }
        self.make_room();
        self.close(&Transfers::none());
        Ok(ids)
    }

    /// Takes a body out of the world. False when there is none of this id.
    pub fn remove_body(&mut self, id: BodyId) -> bool {
        let was_there = self.state.bodies.remove(id);
        self.make_room();
        self.close(&Transfers::none());
        was_there
    }

    /// Everything but the voxels.
    pub(crate) fn without_voxels(mut self) -> Self {
        self.state.ground = self.state.ground.with_voxels(Grid::new(Voxel::AIR), []);
        self
    }

    /// The world with these voxels and lists in the place of those it had; all that is said of them must be said of these already.
    pub(crate) fn with_voxels(
        mut self,
        voxels: Grid<Voxel>,
        sides: impl IntoIterator<Item = (IVec3, SideList)>,
    ) -> Self {
        self.state.ground = self.state.ground.with_voxels(voxels, sides);
        self
    }

    /// Forgets everything that is derived or scratch. Changes nothing that matters.
    pub fn drop_caches(&mut self) {
        self.state.bodies.drop_scratch();
        self.state.bearing.drop_caches();
        self.state.slip.drop_caches();
        self.state.fall.drop_caches();
        self.state.water.drop_caches();
        self.state.weather.drop_caches();
        self.state.grains.drop_caches();
        self.rebuild_body_fill();
    }

    /// Derives the body shares anew. No body moved, so nothing wakes.
    fn rebuild_body_fill(&mut self) {
        self.body_fill = BodyFill::default();
        self.update_body_fill();
    }

    /// Brings the body shares up to date with the poses. Returns the bricks whose shares changed.
    pub(crate) fn update_body_fill(&mut self) -> Vec<IVec3> {
        let ground = &self.state.ground;
        self.body_fill.update(&self.state.bodies, ground.voxel_size_m(), ground.bounds())
    }

    /// Moves soil out of the way of bodies that came or went, and wakes the ground around.
    fn make_room(&mut self) {
        let changed = self.update_body_fill();
        let (push, time_s) = (self.push, self.state.clock.time_s);
        now!(self, 0.0, time_s, |now, state| push.step(&now, &changed, &mut state.ground));
        self.state.ground.wake_around(changed);
    }
}

/// Every unit that there is.
fn count(state: &WorldState) -> Amounts<i128> {
    let mut counted = state.ground.count();
    counted.add_all(&state.water.count());
    counted.add_all(&state.grains.count());
    counted.add_all(&state.carve.count());
    counted
}

/// Compares the books with what is there.
fn check_books(state: &WorldState) -> Result<(), WorldError> {
    let what = |place: Place| {
        let (account, kind) = (place.0.name(), kind_name(place, &state.materials));
        if account == kind { kind } else { format!("{account} ({kind})") }
    };
    let is_sound = state.ledger.columns().iter().all(|(_, amounts)| amounts.is_sound());
    let (counted, held) = (count(state), &state.ledger.held);
    let mut difference = counted.clone();
    difference.subtract_all(held);
    if let Some((place, _)) = difference.iter().next() {
        let (booked, counted) = (held.get(place), counted.get(place));
        return Err(WorldError::Books { what: what(place), booked, counted });
    }
    if let Some((place, units)) = state.ledger.balance().iter().next() {
        return Err(WorldError::Balance { what: what(place), units });
    }
    if !is_sound {
        let field = "the books";
        return Err(WorldError::OutOfRange { field, value: "out of order".into(), range: "each kind once" });
    }
    Ok(())
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
