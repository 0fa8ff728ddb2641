//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use barchan_sim::DEFAULT_MEMORY_LIMIT_BYTES;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use glam::Vec3;

/// The command line of `barchan`.
#[derive(Debug, Parser)]
#[command(name = "barchan", version, about = "Ground that moves: sand, soil, rock and bodies in one world")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// Reads the command line; ends the program where it is wrong or asks for help.
    pub fn read() -> Self {
        let after_help = format!(
            "Without a command, opens the sandbox in the browser.\n\
             SCENE is a path to a .toml or .barchan file, or the name of a built-in scene:\n  {}\n\
             Exit codes: 0 done, 1 an experiment did not pass, 2 bad usage or input.",
            barchan_scene::builtin_names().join(", ")
        );
        let matches = Self::command().after_help(after_help).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open the sandbox: dig, pour and drive in the browser
    Play(PlayArgs),
    /// Run a scene and report what happened
    Run(RunArgs),
    /// Take a picture of a scene or a saved world
    Render(RenderArgs),
    /// Tell what is in a scene, world, heightmap or mesh
    Info {
        /// A file, or the name of a built-in scene
        file: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        /// Memory that may be used, like 8GiB or 500MB
        #[arg(long, allow_negative_numbers = true, default_value_t)]
        max_memory: Memory,
    },
    /// Convert between scenes, worlds, heightmaps, meshes and points, by file ending
    Convert {
        /// What to read: .toml, .barchan, .png, .tif, .asc, .raw, .obj, .stl, .ply, .gltf, .glb, or a built-in scene
        input: String,
        /// What to write: .barchan, .glb, .ply, .obj, .stl, .png (16-bit heights), .tif, .asc, .raw, .vtk
        /// (water and grains)
        output: PathBuf,
        /// Write the materials on top (.png, legend beside as .csv) instead of heights
        #[arg(long)]
        materials: bool,
        /// Write water and grains as points (.ply, .vtk) instead of ground and bodies
        #[arg(long, conflicts_with = "materials")]
        particles: bool,
        /// Memory that may be used, like 8GiB or 500MB
        #[arg(long, allow_negative_numbers = true, default_value_t)]
        max_memory: Memory,
    },
    /// Change a saved world by a tool: add, remove, weather, paint, copy, fill, color, raise, flatten, smooth, grow, shrink, rest
    Edit(EditArgs),
    /// Experiments that compare the ground with theory and measurement
    Lab {
        #[command(subcommand)]
        command: LabCommand,
    },
}

#[derive(Debug, Args)]
pub struct PlayArgs {
    /// A path to a .toml or .barchan file, or the name of a built-in scene
    #[arg(default_value = barchan_scene::DEFAULT_SCENE)]
    pub scene: String,
    /// Port on 127.0.0.1; a free one unless given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// Folder that worlds are saved to and loaded from; nothing outside it is touched
    #[arg(long, default_value = "out")]
    pub files: PathBuf,
    /// Threads to use; all cores unless given
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory that the ground may use, like 8GiB or 500MB
    #[arg(long, allow_negative_numbers = true, default_value_t)]
    pub max_memory: Memory,
}

impl Default for PlayArgs {
    /// What the program does when it is given nothing to do.
    fn default() -> Self {
        Self {
            scene: barchan_scene::DEFAULT_SCENE.to_owned(),
            port: None,
            no_open: false,
            files: PathBuf::from("out"),
            threads: None,
            max_memory: Memory::default(),
        }
    }
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A path to a .toml or .barchan file, or the name of a built-in scene
    pub scene: String,
    /// Simulated time to run (s); the scene's own unless given
    #[arg(long, conflicts_with = "steps", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Time that one step passes (s); the scene's own unless given, 1/60 for a saved world
    #[arg(long, value_parser = step_seconds, allow_negative_numbers = true)]
    pub step_s: Option<f64>,
    /// Number of steps to run
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    pub steps: Option<u64>,
    #[command(flatten)]
    pub options: RunOptions,
    /// Memory that the ground may use, like 8GiB or 500MB
    #[arg(long, allow_negative_numbers = true, default_value_t)]
    pub max_memory: Memory,
}

#[derive(Debug, Args)]
pub struct EditArgs {
    /// A saved world: a .barchan file
    pub file: PathBuf,
    /// The tool, as `op` of an [[edit]] in a scene; or `undo`, `redo`, `log`, `go` (version=N) and `prune` (keep=N) for the versions
    /// that the file holds
    pub op: String,
    /// The keys of that [[edit]]: key=value, words without quotes, like kind=ball center_m=[1,2,3] radius_m=1.5
    #[arg(value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub keys: Vec<String>,
    /// Write the world to this .barchan file and leave FILE as it is
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
    /// Threads to use; all cores unless given
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory that the ground may use, like 8GiB or 500MB
    #[arg(long, allow_negative_numbers = true, default_value_t)]
    pub max_memory: Memory,
}

#[derive(Debug, Args)]
pub struct RenderArgs {
    /// A path to a .toml or .barchan file, or the name of a built-in scene
    pub scene: String,
    /// The picture to write: a .png file
    #[arg(short, long)]
    pub output: PathBuf,
    /// Width and height (pixels)
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: PictureSize,
    /// Rays through each pixel: 1 for a quick look, 16 for a picture to keep
    #[arg(long, default_value_t = 16, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub samples: u32,
    /// The quickest look: one ray for every four pixels
    #[arg(long, conflicts_with = "samples")]
    pub preview: bool,
    /// Where the eye is (m); the scene's own unless given
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub eye: Option<Vec3>,
    /// What the eye looks at (m); the scene's own unless given
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub target: Option<Vec3>,
    /// Vertical opening (degrees); the scene's own unless given
    #[arg(long, value_name = "DEGREES", value_parser = opening_degrees, allow_negative_numbers = true)]
    pub fov_deg: Option<f32>,
    /// Time to simulate before the picture is taken (s); the scene's own unless given
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub after: Option<f64>,
    /// Threads to use; all cores unless given
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory that the ground may use, like 8GiB or 500MB
    #[arg(long, allow_negative_numbers = true, default_value_t)]
    pub max_memory: Memory,
}

/// Width and height of a picture (pixels).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize(pub [usize; 2]);

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=8192).contains(side));
        let sides = text.split_once('x').and_then(|(width, height)| Some([side(width)?, side(height)?]));
        sides.map(Self).ok_or_else(|| "expected WIDTHxHEIGHT, each 1 to 8192, like 1280x720".to_owned())
    }
}

#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// List all experiments with their parameters
    List,
    /// Run one experiment
    Run(LabRunArgs),
}

#[derive(Debug, Args)]
pub struct LabRunArgs {
    /// Name of the experiment
    pub name: String,
    /// Set a parameter to a value or a list: key=value or key=value,value
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    #[command(flatten)]
    pub options: RunOptions,
}

/// How a run goes about its work, and what it leaves.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// Threads to use; all cores unless given
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Folder for the results; nothing is written unless given
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Print one JSON object on stdout, all else on stderr
    #[arg(long)]
    pub json: bool,
}

/// An amount of memory (bytes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory(pub u64);

impl Default for Memory {
    fn default() -> Self {
        Self(DEFAULT_MEMORY_LIMIT_BYTES)
    }
}

impl std::fmt::Display for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_multiple_of(1 << 30) {
            write!(f, "{}GiB", self.0 >> 30)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const UNITS: &[(&str, u64)] = &[
            ("KiB", 1 << 10),
            ("MiB", 1 << 20),
            ("GiB", 1 << 30),
            ("TiB", 1 << 40),
            ("kB", 1_000),
            ("KB", 1_000),
            ("MB", 1_000_000),
            ("GB", 1_000_000_000),
            ("K", 1 << 10),
            ("M", 1 << 20),
            ("G", 1 << 30),
            ("B", 1),
        ];
        let (number, unit) = UNITS
            .iter()
            .find_map(|(suffix, unit)| text.strip_suffix(suffix).map(|number| (number, *unit)))
            .unwrap_or((text, 1));
        let bytes = number.trim().parse::<f64>().ok().map(|number| number * unit as f64);
        match bytes {
            Some(bytes) if (1e6..=1e15).contains(&bytes) => Ok(Self(bytes as u64)),
            _ => Err("expected an amount from 1MB to 1000TB, like 8GiB or 500MB".to_owned()),
        }
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(seconds),
        _ => Err("expected a time from 0 to 1e9 seconds".to_owned()),
    }
}

fn point(text: &str) -> Result<Vec3, String> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if [x, y, z].iter().all(|number| number.abs() <= 1e6) => Ok(Vec3::new(x, y, z)),
        _ => Err("expected three numbers X,Y,Z within 1e6 m of the origin".to_owned()),
    }
}

fn opening_degrees(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(degrees) if (1.0..=120.0).contains(&degrees) => Ok(degrees),
        _ => Err("expected an angle from 1 to 120 degrees".to_owned()),
    }
}

fn step_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (1e-5..=1.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a time from 0.00001 to 1 seconds".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_and_points_are_read() {
        assert_eq!("640x360".parse(), Ok(PictureSize([640, 360])));
        for wrong in ["", "640", "640x", "0x1", "-1x5", "9000x9", "1x2x3", "axb"] {
            assert!(wrong.parse::<PictureSize>().is_err(), "{wrong}");
        }
        assert_eq!(point("1, -2.5,3e2"), Ok(Vec3::new(1.0, -2.5, 300.0)));
        for wrong in ["", "1,2", "1,2,3,4", "1,2,nan", "1,2,inf", "a,b,c"] {
            assert!(point(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn memory_is_read_with_its_unit() {
        assert_eq!("8GiB".parse(), Ok(Memory(8 << 30)));
        assert_eq!("500MB".parse(), Ok(Memory(500_000_000)));
        assert_eq!("1.5G".parse(), Ok(Memory(3 << 29)));
        assert_eq!("2000000".parse(), Ok(Memory(2_000_000)));
        for wrong in ["", "GiB", "-1GiB", "NaN", "1", "1e99", "8 gigs"] {
            assert!(wrong.parse::<Memory>().is_err(), "{wrong}");
        }
        assert_eq!(Memory::default().to_string().parse(), Ok(Memory::default()));
    }
}
