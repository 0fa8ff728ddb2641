//! The experiments, one file each.

pub mod books;
