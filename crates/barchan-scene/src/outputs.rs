//! In which form a run leaves its outputs.

use serde::{Deserialize, Serialize};

/// The file format of heightmaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeightmapFormat {
    /// 16-bit PNG.
    #[default]
    Png,
    /// GeoTIFF.
    Tif,
    /// ESRI ASCII grid.
    Asc,
}

impl HeightmapFormat {
    /// All of them, by their file endings.
    pub const ALL: [(&'static str, Self); 3] = [("png", Self::Png), ("tif", Self::Tif), ("asc", Self::Asc)];

    /// Its file ending.
    pub fn ending(self) -> &'static str {
        ending(&Self::ALL, self)
    }
}

/// The file format of meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeshFormat {
    /// glTF 2.0, binary.
    #[default]
    Glb,
    /// PLY, binary.
    Ply,
    /// Wavefront OBJ.
    Obj,
    /// STL, binary.
    Stl,
}

impl MeshFormat {
    /// All of them, by their file endings.
    pub const ALL: [(&'static str, Self); 4] =
        [("glb", Self::Glb), ("ply", Self::Ply), ("obj", Self::Obj), ("stl", Self::Stl)];

    /// Its file ending.
    pub fn ending(self) -> &'static str {
        ending(&Self::ALL, self)
    }
}

/// The file format of particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PointFormat {
    /// VTK, legacy, binary.
    #[default]
    Vtk,
    /// PLY, binary.
    Ply,
}

impl PointFormat {
    /// All of them, by their file endings.
    pub const ALL: [(&'static str, Self); 2] = [("vtk", Self::Vtk), ("ply", Self::Ply)];

    /// Its file ending.
    pub fn ending(self) -> &'static str {
        ending(&Self::ALL, self)
    }
}

/// The file format of films.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VideoEnding {
    /// H.264 in MP4, made by ffmpeg.
    #[default]
    Mp4,
    /// Animated PNG.
    Png,
}

impl VideoEnding {
    /// All of them, by their file endings.
    pub const ALL: [(&'static str, Self); 2] = [("mp4", Self::Mp4), ("png", Self::Png)];

    /// Its file ending.
    pub fn ending(self) -> &'static str {
        ending(&Self::ALL, self)
    }
}

/// A film of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VideoPlan {
    /// Name of the file, without its ending.
    pub name: String,
    /// Its format.
    pub format: VideoEnding,
    /// Frames for every second that is simulated, and for every second of the film.
    pub fps: u32,
    /// Width and height (pixels), both even.
    pub size: [usize; 2],
}

impl VideoPlan {
    /// False for what no scene may say: it comes from a damaged file.
    pub(crate) fn is_sound(&self) -> bool {
        // The name must not lead out of the folder.
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let fits = |side: &usize| (2..=8192).contains(side) && side.is_multiple_of(2);
        !self.name.is_empty()
            && self.name.chars().all(is_word)
            && (1..=1000).contains(&self.fps)
            && self.size.iter().all(fits)
    }
}

impl Default for VideoPlan {
    fn default() -> Self {
        Self { name: "video".into(), format: VideoEnding::default(), fps: 30, size: [1280, 720] }
    }
}

/// The word for `format`, which is in the list.
fn ending<T: PartialEq>(all: &[(&'static str, T)], format: T) -> &'static str {
    all.iter().find(|(_, known)| *known == format).map_or("", |(word, _)| word)
}
