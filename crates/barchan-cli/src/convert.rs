//! `barchan convert`: between scenes, worlds, heightmaps, meshes and points, by file ending.

use std::path::Path;

use anyhow::{Result, bail};
use barchan_files::heightmap::Heightmap;
use barchan_files::mesh::{read_mesh, write_mesh};
use barchan_files::model::{Model, write_model};
use barchan_files::points::write_points;
use barchan_files::{top_heightmap, write_material_map};
use barchan_scene::save_world;
use barchan_sim::World;
use barchan_surface::TopSurface;
use barchan_surface::mesh::{MeshOptions, whole_mesh};

use crate::kind::{Kind, kind_of};
use crate::output::print;
use crate::run::open;

/// What of a world is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the ending of the output says.
    Usual,
    /// A map of the materials on top.
    Materials,
    /// Water and grains as points.
    Particles,
}

/// Reads `input` and writes `part` of it as `output`.
pub fn convert(input: &str, output: &Path, part: Part, memory_limit_bytes: u64) -> Result<()> {
    let to = output.to_string_lossy();
    let world = || Ok::<_, anyhow::Error>(open(input, memory_limit_bytes)?.0);
    match (kind_of(input), kind_of(&to)) {
        (Kind::Scene | Kind::World, to) if part == Part::Particles || to == Kind::Points => {
            let world = world()?;
            write_points(output, &world.particles(), world.materials())?;
        }
        (Kind::Scene | Kind::World, _) if part == Part::Materials => {
            let world = world()?;
            let legend = write_material_map(output, &TopSurface::of(&world)?, world.materials())?;
            return print(&format!("{input} -> {}, {}\n", output.display(), legend.display()));
        }
        (_, _) if part != Part::Usual => {
            bail!("{input}: only scenes and worlds have materials and particles")
        }
        (_, Kind::Points) => bail!("{input} has no particles: scenes and worlds are written as .vtk"),
        (Kind::Points, _) => bail!("{input}: particles are written, not read"),
        (Kind::Scene | Kind::World, Kind::World) => {
            let (world, plan) = open(input, memory_limit_bytes)?;
            save_world(output, &world, &plan)?;
        }
        (Kind::Scene | Kind::World, Kind::Heightmap) => {
            top_heightmap(&TopSurface::of(&world()?)?).write(output)?;
        }
        (Kind::Scene | Kind::World, Kind::Mesh) => write_model(output, &model_of(&world()?))?,
        (Kind::Heightmap, Kind::Heightmap) => Heightmap::read(input)?.write(output)?,
        (Kind::Mesh, Kind::Mesh) => write_mesh(output, &read_mesh(Path::new(input))?)?,
        (Kind::Heightmap | Kind::Mesh, Kind::World) => bail!(
            "{input} does not say how large its voxels are to be: name it in a scene (kind = \"heightmap\" or \
             \"mesh\") and convert that"
        ),
        (Kind::Scene | Kind::World, Kind::Scene) => bail!(
            "cannot write {to}: a scene or world is written as .barchan, .glb, .ply, .obj, .stl, .png, .tif, .asc, \
             .raw, .r32 or .vtk"
        ),
        (Kind::Heightmap, _) => {
            bail!("cannot write {to}: a heightmap is written as .png, .tif, .asc, .raw or .r32")
        }
        (Kind::Mesh, _) => bail!("cannot write {to}: a mesh is written as .obj, .stl, .ply or .glb"),
    }
    print(&format!("{input} -> {}\n", output.display()))
}

/// Ground and bodies of `world` as closed surfaces.
pub fn model_of(world: &World) -> Model {
    Model::of_world(world, whole_mesh(world, MeshOptions { closed: true, ..MeshOptions::default() }))
}
