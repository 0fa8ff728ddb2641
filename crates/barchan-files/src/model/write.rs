//! Models on the disk: the ending of the name says which format it is.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use super::model::Model;
use super::{glb, obj, ply};
use crate::atomic_write::write_atomically;
use crate::error::{FileError, file_ending};
use crate::mesh::write_stl;

/// Writes `model` as a `.glb`, `.ply`, `.obj` or `.stl` file, by the ending of `path`. An old file is replaced only by
/// a whole new one.
pub fn write_model(path: impl AsRef<Path>, model: &Model) -> Result<(), FileError> {
    let path = path.as_ref();
    type Write = fn(&Model, &mut BufWriter<File>) -> io::Result<()>;
    let (format, write): (_, Write) = match file_ending(path).as_str() {
        "glb" => ("glTF", |model, file| glb::write(model, file)),
        "ply" => ("PLY", |model, file| ply::write(model, file)),
        "obj" => ("OBJ", |model, file| obj::write(model, file)),
        "stl" => ("STL", |model, file| write_stl(&model.to_mesh(), file)),
        _ => return Err(FileError::ending(path, "glb, ply, obj, stl")),
    };
    model.check(format).map_err(FileError::in_file(path))?;
    write_atomically(path, |file| write(model, file))
}

/// Writes the bytes of `model` as a `.glb` file.
pub fn encode_glb(out: &mut impl io::Write, model: &Model) -> io::Result<()> {
    model.check("glTF").map_err(io::Error::other)?;
    glb::write(model, out)
}
