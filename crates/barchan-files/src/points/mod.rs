//! Particles as point clouds, for other programs to show and to reckon with.
//!
//! | ending | format | read by |
//! | --- | --- | --- |
//! | `.vtk` | VTK, legacy, binary: vertices with point data | ParaView, VisIt, PyVista |
//! | `.ply` | PLY, binary: vertices with properties | Blender, MeshLab, CloudCompare |
//!
//! Beds of LAMMPS and LIGGGHTS are read from their data files.
//!
//! Both carry the same: place (m), velocity (m/s), radius (m), share of sediment, force (N), contacts, name, sphere of a
//! clump, form (0 water, 1 grain) and number of the material. z is up.

mod lammps;
mod ply;
mod vtk;

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

pub use lammps::{Atom, Clumps, clumps, read_lammps};

use barchan_sim::{Materials, ParticleForm, SeenParticle, SeenParticles};

use crate::atomic_write::write_atomically;
use crate::error::{FileError, file_ending};

/// Writes `particles`, of which `materials` tell the kinds, as a `.vtk` or `.ply` file, by the ending of `path`. An old
/// file is replaced only by a whole new one.
pub fn write_points(
    path: impl AsRef<Path>,
    particles: &SeenParticles,
    materials: &Materials,
) -> Result<(), FileError> {
    let path = path.as_ref();
    type Write = fn(&[Point<'_>], &Materials, &mut BufWriter<File>) -> io::Result<()>;
    let write: Write = match file_ending(path).as_str() {
        "vtk" => |points, materials, file| vtk::write(points, materials, file),
        "ply" => |points, materials, file| ply::write(points, materials, file),
        _ => return Err(FileError::ending(path, "vtk, ply")),
    };
    let points = points(particles);
    write_atomically(path, |file| write(&points, materials, file))
}

/// A particle with its form.
type Point<'a> = (ParticleForm, &'a SeenParticle);

/// All particles, water first, each form in the order of names.
fn points(particles: &SeenParticles) -> Vec<Point<'_>> {
    let all = particles.forms().into_iter().flat_map(|(form, list)| list.iter().map(move |one| (form, one)));
    let mut all: Vec<Point<'_>> = all.collect();
    all.sort_by_key(|(form, one)| (*form, one.id, one.part));
    all
}

/// What the numbers of the materials mean, in one line.
fn legend(points: &[Point<'_>], materials: &Materials) -> String {
    let named = materials.iter().filter(|(id, _)| points.iter().any(|(_, one)| one.kind == *id));
    named.map(|(id, material)| format!("{} {}", id.0, material.name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use barchan_sim::{MaterialId, ParticleId};
    use glam::Vec3;

    use super::*;

    fn sample() -> SeenParticles {
        let one = |id: u32, sediment: f32| SeenParticle {
            id: ParticleId(id),
            part: 1,
            centre_m: Vec3::new(1.0, 2.0, id as f32),
            radius_m: 0.25,
            velocity_m_s: Vec3::new(-1.0, 0.5, 4.0),
            kind: MaterialId(2),
            sediment,
            contacts: 700,
            force_n: 9.0,
        };
        SeenParticles { water: vec![one(9, 0.5), one(3, 0.125)], grains: vec![one(1, 0.0)] }
    }

    fn written(name: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_points(&path, &sample(), &Materials::builtin()).unwrap();
        std::fs::read(path).unwrap()
    }

    /// The bytes after a line.
    fn after<'a>(bytes: &'a [u8], line: &str) -> &'a [u8] {
        let at = bytes.windows(line.len()).position(|part| part == line.as_bytes());
        &bytes[at.unwrap_or_else(|| panic!("no {line:?}")) + line.len()..]
    }

    fn big(bytes: &[u8], at: usize) -> f32 {
        f32::from_be_bytes(bytes[4 * at..4 * at + 4].try_into().unwrap())
    }

    #[test]
    fn vtk_has_points_in_order_with_all_their_data() {
        let bytes = written("a.vtk");
        assert!(bytes.starts_with(b"# vtk DataFile Version 3.0\n"));
        let points = after(&bytes, "POINTS 3 float\n");
        assert_eq!([0, 1, 2, 5, 8].map(|at| big(points, at)), [1.0, 2.0, 3.0, 9.0, 1.0]);
        assert_eq!(after(points, "VERTICES 3 6\n")[..8], [0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(big(after(&bytes, "VECTORS velocity float\n"), 2), 4.0);
        let sediment = after(&bytes, "SCALARS sediment float 1\nLOOKUP_TABLE default\n");
        assert_eq!([0, 1, 2].map(|at| big(sediment, at)), [0.125, 0.5, 0.0]);
        let form = after(&bytes, "SCALARS form unsigned_char 1\nLOOKUP_TABLE default\n");
        assert_eq!(form[..3], [0, 0, 1]);
    }

    #[test]
    fn ply_has_as_many_bytes_as_its_header_says() {
        let bytes = written("a.ply");
        let body = after(&bytes, "end_header\n");
        let header = String::from_utf8_lossy(&bytes[..bytes.len() - body.len()]).into_owned();
        assert!(header.contains("element vertex 3\n") && header.contains("comment material 2 "), "{header}");
        let size = |line: &str| match line.split(' ').nth(1) {
            Some("float" | "uint") => 4,
            Some("ushort") => 2,
            _ => 1,
        };
        let stride: usize = header.lines().filter(|line| line.starts_with("property")).map(size).sum();
        assert_eq!(body.len(), 3 * stride);
        let z = f32::from_le_bytes(body[8..12].try_into().unwrap());
        assert_eq!(z, 3.0);
    }

    #[test]
    fn other_endings_are_refused_and_none_are_a_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let (none, materials) = (SeenParticles::default(), Materials::builtin());
        let error = write_points(folder.path().join("a.csv"), &none, &materials).unwrap_err().to_string();
        assert!(error.contains("vtk, ply"), "{error}");
        for name in ["none.vtk", "none.ply"] {
            write_points(folder.path().join(name), &none, &materials).unwrap();
        }
    }
}
