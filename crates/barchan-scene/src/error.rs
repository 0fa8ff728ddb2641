//! What can be wrong with a scene, said in full.

use std::fmt;

/// Why a scene cannot be loaded or built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// Neither a file nor a built-in scene.
    #[error("{name}: no such file, and no built-in scene of that name{}; built-in: {}", meant(.nearest), .builtin.join(", "))]
    NotFound {
        /// What was asked for.
        name: String,
        /// The built-in scene with the nearest name, if one is near.
        nearest: Option<String>,
        /// All built-in scenes.
        builtin: Vec<String>,
    },
    /// The file is there but is no scene: unreadable, too long, or not text.
    #[error("{file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// What stands in the way.
        reason: String,
    },
    /// Everything that is wrong with the text, in order of lines.
    #[error("{0}")]
    Problems(Problems),
    /// The world would not fit into the memory it may use.
    #[error("{file}: needs at least {} of memory; the limit is {}", bytes(*.needed_bytes), bytes(*.limit_bytes))]
    TooLarge {
        /// The scene.
        file: String,
        /// At least this much (bytes).
        needed_bytes: u64,
        /// The limit (bytes).
        limit_bytes: u64,
    },
}

/// One thing that is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The scene, as it was asked for.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column (characters), counted from 1, where the text is not TOML.
    pub column: Option<usize>,
    /// Dotted path of the key, such as `ground[2].radius_m`; empty where the text is not TOML.
    pub key: String,
    /// What the file says there, shortened; empty when the key is missing.
    pub value: String,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": ")?;
        match (self.key.is_empty(), self.value.is_empty()) {
            (true, _) => write!(f, "{}", self.message),
            (false, true) => write!(f, "{}: {}", self.key, self.message),
            (false, false) => write!(f, "{} = {}: {}", self.key, self.value, self.message),
        }
    }
}

/// All problems of a scene, in order of lines. One line each when shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The first [`Problems::MOST`] of them.
    pub list: Vec<Problem>,
    /// How many more there are.
    pub more: usize,
}

impl Problems {
    /// Nobody reads further than this, and a broken file can have a million.
    pub const MOST: usize = 1_000;
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.list.iter().enumerate() {
            let line_break = if at > 0 { "\n" } else { "" };
            write!(f, "{line_break}{problem}")?;
        }
        if self.more > 0 {
            write!(f, "\n… and {} more", self.more)?;
        }
        Ok(())
    }
}

fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

/// A number of bytes for people.
fn bytes(count: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20)];
    match UNITS.iter().find(|(_, size)| count >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", count as f64 / *size as f64),
        None => format!("{count} bytes"),
    }
}
