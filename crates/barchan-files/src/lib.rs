//! Every foreign format, in and out, and Barchan's own file. Parsers work on bytes and answer every input, however
//! broken, with a value or an error that names what is wrong; writers never harm the file they replace.

mod atomic_write;
mod books;
mod error;
pub mod heightmap;
mod material_map;
pub mod mesh;
pub mod model;
pub mod picture;
pub mod points;
mod read_limit;
mod top;
pub mod video;
pub mod world_file;

pub use atomic_write::write_atomically;
pub use books::{books_json, units_json};
pub use error::{FileError, FormatError};
pub use material_map::write_material_map;
pub use top::top_heightmap;
