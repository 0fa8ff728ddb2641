//! Mesh files on the disk: the ending of the name says which format it is.

use std::path::Path;

use barchan_volume::TriMesh;

use super::{read_gltf, read_obj, read_ply, read_stl, write_obj, write_stl};
use crate::atomic_write::write_atomically;
use crate::error::{FileError, FormatError, file_ending};
use crate::model::{Model, write_model};
use crate::read_limit::read_file;

/// Largest mesh file that is read (bytes).
const MAX_BYTES: u64 = 1 << 30;

/// Reads a mesh from an `.obj`, `.stl`, `.ply`, `.gltf` or `.glb` file: lengths in metres, z up.
///
/// A `.gltf` file may refer to others in its own folder and below, nowhere else.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriMesh, FileError> {
    let path = path.as_ref();
    let parse: fn(&[u8], &Path) -> Result<TriMesh, FormatError> = match file_ending(path).as_str() {
        "obj" => |bytes, _| read_obj(bytes),
        "stl" => |bytes, _| read_stl(bytes),
        "ply" => |bytes, _| read_ply(bytes),
        "gltf" | "glb" => |bytes, path| read_gltf(bytes, &mut |name, limit| read_beside(path, name, limit)),
        _ => return Err(FileError::ending(path, "obj, stl, ply, gltf, glb")),
    };
    parse(&read_file(path, MAX_BYTES)?, path).map_err(FileError::in_file(path))
}

/// Writes a mesh as an `.obj`, `.stl` (binary), `.ply` or `.glb` file. An old file is replaced only by a whole new one.
pub fn write_mesh(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), FileError> {
    let path = path.as_ref();
    let check = |format| {
        mesh.check().map_err(|cause| FormatError::Mesh { format, cause }).map_err(FileError::in_file(path))
    };
    match file_ending(path).as_str() {
        "obj" => check("OBJ").and_then(|()| write_atomically(path, |file| write_obj(mesh, file))),
        "stl" => check("STL").and_then(|()| write_atomically(path, |file| write_stl(mesh, file))),
        "ply" => check("PLY").and_then(|()| write_model(path, &Model::of_mesh(mesh))),
        "glb" => check("glTF").and_then(|()| write_model(path, &Model::of_mesh(mesh))),
        _ => Err(FileError::ending(path, "obj, stl, ply, glb")),
    }
}

/// Reads the file `name` in the folder of `document`, not following links out of it.
fn read_beside(document: &Path, name: &str, limit: u64) -> Result<Vec<u8>, String> {
    let folder = document.parent().unwrap_or(Path::new(""));
    let path = folder.join(name);
    let real = |path: &Path| {
        // The parent of a bare file name is empty, and the empty path is no folder.
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        path.canonicalize().map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    if !real(&path)?.starts_with(real(folder)?) {
        return Err(format!("{} leads out of the folder of the document", path.display()));
    }
    read_file(&path, limit).map_err(|error| error.to_string())
}
