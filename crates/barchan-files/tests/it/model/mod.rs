//! Models: what we write, read again by ourselves and by other programs.

mod files;
mod other_programs;
mod samples;
