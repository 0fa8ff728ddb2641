//! The program as a user meets it: its answers, its exit codes, and what it does when things go wrong.

mod bad_input;
#[cfg(unix)]
mod ctrl_c;
mod every_scene;
mod interrupted_save;
mod outputs;
mod program;
mod run;
