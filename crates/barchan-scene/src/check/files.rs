//! The files that a scene names: heightmaps and closed meshes, read once each.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use barchan_files::heightmap::{Heightmap, RawLayout, RawSample};
use barchan_files::mesh::{read_gltf, read_obj, read_ply, read_stl};
use barchan_files::points::{Clumps, clumps, read_lammps};
use barchan_volume::{MeshSolid, ShapeError, TriMesh};

use crate::folder::Folder;

/// Largest file that is read (bytes): 1 GiB.
const MAX_BYTES: u64 = 1 << 30;
/// Vertices closer than this share of a mesh's size were meant to be one: what files with six digits lose.
const WELD_SHARE: f32 = 1e-6;

/// Reads files, and remembers the meshes: many bodies share one.
pub struct Files<'a> {
    folder: &'a Folder,
    /// By name and scale.
    meshes: BTreeMap<(String, u32), Result<Arc<MeshSolid>, String>>,
}

impl<'a> Files<'a> {
    /// Files of this folder.
    pub fn new(folder: &'a Folder) -> Self {
        Self { folder, meshes: BTreeMap::new() }
    }

    /// The heightmap in the file `name`, whose ending says the format. `size` is that of a file of bare samples.
    pub fn heightmap(&self, name: &str, size: Option<[usize; 2]>) -> Result<Heightmap, String> {
        let ending = ending(name);
        let raw = |sample| move |bytes: &[u8]| Heightmap::read_raw(bytes, RawLayout { sample, size });
        let bytes = || self.folder.read(name, MAX_BYTES);
        match ending.as_str() {
            "png" => Heightmap::read_png(&bytes()?),
            "tif" | "tiff" => Heightmap::read_tiff(&bytes()?),
            "asc" => Heightmap::read_esri_ascii(&bytes()?),
            "raw" | "r16" => raw(RawSample::U16LittleEndian)(&bytes()?),
            "r32" => raw(RawSample::F32LittleEndian)(&bytes()?),
            _ => return Err("must end in .png, .tif, .tiff, .asc, .raw, .r16 or .r32".to_owned()),
        }
        .map_err(|error| error.to_string())
    }

    /// The grains in a data file of LAMMPS or LIGGGHTS.
    pub fn grains(&self, name: &str) -> Result<Clumps, String> {
        if ending(name) != "data" {
            return Err("must end in .data".to_owned());
        }
        let atoms = read_lammps(&self.folder.read(name, MAX_BYTES)?).map_err(|error| error.to_string())?;
        Ok(clumps(&atoms))
    }

    /// The solid that the mesh in the file `name` encloses, `scale` times as large.
    pub fn mesh(&mut self, name: &str, scale: f32) -> Result<Arc<MeshSolid>, String> {
        let key = (name.to_owned(), scale.to_bits());
        if let Some(known) = self.meshes.get(&key) {
            return known.clone();
        }
        let mesh = self.read_mesh(name).and_then(|mesh| solid(mesh, scale)).map(Arc::new);
        self.meshes.insert(key, mesh.clone());
        mesh
    }

    fn read_mesh(&self, name: &str) -> Result<TriMesh, String> {
        let bytes = || self.folder.read(name, MAX_BYTES);
        match ending(name).as_str() {
            "obj" => read_obj(&bytes()?),
            "stl" => read_stl(&bytes()?),
            "ply" => read_ply(&bytes()?),
            "gltf" | "glb" => {
                read_gltf(&bytes()?, &mut |beside, limit| self.read_beside(name, beside, limit))
            }
            _ => return Err("must end in .obj, .stl, .ply, .gltf or .glb".to_owned()),
        }
        .map_err(|error| error.to_string())
    }

    /// A file that the file `name` refers to, named from its folder.
    fn read_beside(&self, name: &str, beside: &str, limit: u64) -> Result<Vec<u8>, String> {
        let path = Path::new(name).parent().unwrap_or(Path::new("")).join(beside);
        let path = path.to_str().ok_or("is not a file name")?;
        self.folder.read(path, limit.min(MAX_BYTES))
    }
}

fn ending(name: &str) -> String {
    Path::new(name)
        .extension()
        .map(|ending| ending.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

/// The inside of a mesh. Vertices that are nearly on one spot are joined only if that is what it takes to close it.
fn solid(mut mesh: TriMesh, scale: f32) -> Result<MeshSolid, String> {
    mesh.vertices.iter_mut().for_each(|vertex| *vertex *= scale);
    mesh.check().map_err(|error| error.to_string())?;
    let exact = MeshSolid::new(mesh.clone());
    let solid = match exact {
        Err(ShapeError::OpenMesh { .. }) => {
            let diagonal_m = mesh.bounds().map_or(0.0, |around| around.min.distance(around.max));
            mesh.weld(diagonal_m * WELD_SHARE);
            MeshSolid::new(mesh)
        }
        exact => exact,
    };
    solid.map_err(|error| error.to_string())
}
