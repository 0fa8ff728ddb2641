//! The tests of scenes, one file a subject.

mod broken;
mod builtin;
mod documented;
mod forms;
mod limits;
mod mutated;
