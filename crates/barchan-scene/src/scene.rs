//! A scene: plain data that passed every check.

use std::path::Path;

use barchan_sim::bodies::BodySpec;
use barchan_sim::carve::CarveParams;
use barchan_sim::grains::{Drain as GrainDrain, Fill, GrainSpec, Setup, Source as GrainSource};
use barchan_sim::material::Hardness;
use barchan_sim::merge::MergeParams;
use barchan_sim::water::{Drain, ErosionParams, Open, Pour, Rain, Source as WaterSource, WaterParams};
use barchan_sim::weather::WeatherRules;
use barchan_sim::{Edit, MaterialId, Materials, Packing};
use barchan_volume::{Fractal, Region, VoxelBox};
use glam::{IVec2, Vec3};

use crate::check;
use crate::error::SceneError;
use crate::folder::Folder;
use crate::plan::RunPlan;

/// A checked scene. It holds every file it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// What it was loaded as: a path, or `scenes/NAME.toml` for a built-in scene.
    pub name: String,
    /// The text of the file.
    pub source: String,
    /// What it is called.
    pub title: String,
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    /// The voxels inside the walls; none: no walls.
    pub bounds: Option<VoxelBox>,
    /// Gravity (m/s²).
    pub gravity_m_s2: Vec3,
    /// Seed of everything random.
    pub seed: u64,
    /// The built-in materials and those of the scene that its ground is made of.
    pub materials: Materials,
    /// How hard the ground is at every place.
    pub hardness: Hardness,
    /// The ground, in the order in which it is placed and cut.
    pub ground: Vec<Part>,
    /// The grains; none where there are none.
    pub grains: Option<GrainsPlan>,
    /// What tools do to it, in order, once ground and bodies are there.
    pub edits: Vec<EditStep>,
    /// How rock weathers as time passes; none: not at all.
    pub weather: Option<WeatherRules>,
    /// The bodies.
    pub bodies: Vec<PlacedBody>,
    /// How tools dig.
    pub digging: SceneDigging,
    /// The water that runs free.
    pub water: SceneWater,
    /// How to run it.
    pub plan: RunPlan,
}

impl Scene {
    /// Longest text that is read (bytes).
    pub const MAX_BYTES: usize = 4 << 20;

    /// Checks `text`, which came from the file `name`. Files that it names are looked for in `folder`.
    pub fn from_text(name: &str, text: &str, folder: &Path) -> Result<Self, SceneError> {
        check::check(name, text, &Folder::Disk(folder.to_owned()))
    }
}

/// One entry of the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its line in the scene, counted from 1.
    pub line: usize,
    /// What it does.
    pub action: Action,
}

/// What an entry of the ground does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Fills the free space inside a form.
    Add {
        /// Where.
        form: Form,
        /// With what.
        material: MaterialId,
        /// Degree of saturation of soils (0 to 1).
        moisture: f32,
        /// How dense its soils are placed; none: as they naturally lie.
        packing: Option<Packing>,
        /// Soil on top: the form's upper part is filled with it instead.
        cover: Option<Cover>,
    },
    /// Takes everything out of a form.
    Remove {
        /// Where.
        form: Form,
    },
    /// Fills free space with layers.
    Strata(Strata),
}

/// Soil on top of rock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cover {
    /// Which soil.
    pub material: MaterialId,
    /// How deep, measured downwards (m).
    pub depth_m: f32,
}

/// Where ground is placed or cut.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A region that is known in full.
    Region(Region),
    /// Everything below a surface that is worked out when the scene is built.
    Relief(Relief),
}

/// A surface over an area.
#[derive(Clone, Debug, PartialEq)]
pub enum Relief {
    /// Hills and valleys.
    Hills {
        /// Where.
        area: Area,
        /// Mean height (m).
        base_m: f32,
        /// Greatest height of hills above and depth of valleys below the mean (m).
        relief_m: f32,
        /// Their pattern.
        pattern: Fractal,
    },
    /// Dunes across the wind.
    Dunes(Dunes),
}

/// Dunes across the wind: long slopes that face it, slip faces in their lee.
#[derive(Clone, Debug, PartialEq)]
pub struct Dunes {
    /// Where.
    pub area: Area,
    /// Height of the floor between dunes (m).
    pub base_m: f32,
    /// Height of the highest crests above the floor (m).
    pub height_m: f32,
    /// Distance of crests along the wind (m).
    pub wavelength_m: f32,
    /// Where the wind blows to, from +x towards +y (rad).
    pub wind: f32,
    /// How far crests bend out of line: 0 straight, 1 winding by a wavelength either way (-).
    pub waviness: f32,
    /// Slope of the slip faces (rad).
    pub slope: f32,
    /// Seed of the pattern.
    pub seed: u32,
}

/// A rectangle of voxel columns, `max` not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Lowest column inside (voxels).
    pub min: IVec2,
    /// First column beyond (voxels).
    pub max: IVec2,
}

/// One layer of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Stratum {
    /// Of what.
    pub material: MaterialId,
    /// How thick (m).
    pub thickness_m: f32,
    /// How dense, if it is soil; none: as it naturally lies.
    pub packing: Option<Packing>,
}

/// Layers on top of each other, from the floor up.
#[derive(Clone, Debug, PartialEq)]
pub struct Strata {
    /// Where the lowest layer begins to count, in the middle of the bounds (m); it reaches down to the floor.
    pub base_m: f32,
    /// The layers, lowest first.
    pub layers: Vec<Stratum>,
    /// How steeply the layers are tilted (rad).
    pub dip: f32,
    /// The direction in which they go down, from +x towards +y (rad).
    pub dip_direction: f32,
    /// Degree of saturation of soils (0 to 1).
    pub moisture: f32,
}

/// What grains there can be in a scene, and how they come.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainsPlan {
    /// What there can be.
    pub setup: Setup,
    /// How they come, in the order of the scene.
    pub pours: Vec<GrainPour>,
    /// Where they leave.
    pub drains: Vec<GrainDrain>,
}

/// One entry of grains.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainPour {
    /// Its line in the scene, counted from 1.
    pub line: usize,
    /// How they come.
    pub action: PourAction,
}

/// How grains come.
#[derive(Clone, Debug, PartialEq)]
pub enum PourAction {
    /// They fill a box from the start.
    Fill(Fill),
    /// They fall from an outlet while the scene runs.
    Outlet(GrainSource),
    /// There is one.
    Single(GrainSpec),
    /// They are those of a file.
    Many(Vec<GrainSpec>),
}

/// What one tool does: one edit, and soil that comes to rest after it.
#[derive(Clone, Debug, PartialEq)]
pub struct EditStep {
    /// Its line, counted from 1.
    pub line: usize,
    /// What is done, in order.
    pub edits: Vec<Edit>,
}

/// A body and the line in the scene that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedBody {
    /// Line, counted from 1.
    pub line: usize,
    /// The body.
    pub spec: BodySpec,
    /// Whether soil comes off as particles in front of it; none: as the scene says.
    pub carves: Option<bool>,
}

/// How tools dig: what soil comes off as, and when it lies again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneDigging {
    /// What soil comes off as; none: it makes room as voxels.
    pub carve: Option<CarveParams>,
    /// True in front of every body of which nothing else is said.
    pub by_all: bool,
    /// When grains become ground; none: never.
    pub merge: Option<MergeParams>,
}

/// Water that runs free: what there is, how it behaves, where it comes from and where it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneWater {
    /// How it behaves.
    pub params: WaterParams,
    /// How it exchanges matter with the ground.
    pub erosion: ErosionParams,
    /// What is there at first.
    pub poured: Vec<PouredWater>,
    /// Where it comes from.
    pub sources: Vec<WaterSource>,
    /// The rain.
    pub rain: Rain,
    /// Where it goes.
    pub drains: Vec<Drain>,
    /// Over which borders it leaves.
    pub open: Open,
}

/// Water that is there at first, and the line in the scene that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct PouredWater {
    /// Line, counted from 1.
    pub line: usize,
    /// The water.
    pub pour: Pour,
}
