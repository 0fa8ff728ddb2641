//! `barchan convert`: between scenes, worlds, heightmaps and meshes, by file ending.

use std::path::Path;

use anyhow::{Result, bail};
use barchan_files::heightmap::Heightmap;
use barchan_files::mesh::{read_mesh, write_mesh};
use barchan_files::top_heightmap;
use barchan_files::world_file::save_world;
use barchan_surface::TopSurface;

use crate::kind::{Kind, kind_of};
use crate::output::print;
use crate::run::open;

/// Reads `input` and writes it as `output`.
pub fn convert(input: &str, output: &Path, memory_limit_bytes: u64) -> Result<()> {
    let to = output.to_string_lossy();
    match (kind_of(input), kind_of(&to)) {
        (Kind::Scene | Kind::World, Kind::World) => save_world(output, &open(input, memory_limit_bytes)?.0)?,
        (Kind::Scene | Kind::World, Kind::Heightmap) => {
            let (world, _) = open(input, memory_limit_bytes)?;
            top_heightmap(&TopSurface::of(&world)?).write(output)?;
        }
        (Kind::Heightmap, Kind::Heightmap) => Heightmap::read(input)?.write(output)?,
        (Kind::Mesh, Kind::Mesh) => write_mesh(output, &read_mesh(Path::new(input))?)?,
        (Kind::Heightmap | Kind::Mesh, Kind::World) => bail!(
            "{input} does not say how large its voxels are to be: name it in a scene (kind = \"heightmap\" or \
             \"mesh\") and convert that"
        ),
        (Kind::Scene | Kind::World, _) => {
            bail!(
                "cannot write {to}: a scene or world is written as .barchan, .png, .tif, .asc, .raw or .r32"
            )
        }
        (Kind::Heightmap, _) => {
            bail!("cannot write {to}: a heightmap is written as .png, .tif, .asc, .raw or .r32")
        }
        (Kind::Mesh, _) => bail!("cannot write {to}: a mesh is written as .obj or .stl"),
    }
    print(&format!("{input} -> {}\n", output.display()))
}
