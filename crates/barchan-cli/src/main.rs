//! The `barchan` program: opens the sandbox, runs scenes, looks into files, converts them, runs experiments.

mod args;
mod convert;
mod edit;
mod film;
mod info;
mod kind;
mod lab;
mod output;
mod play;
mod progress;
mod record;
mod render;
mod run;
mod versions;

use std::io::Write;
use std::process::ExitCode;

use args::{Cli, Command, LabCommand, PlayArgs};
use convert::Part;

/// An experiment or check did not pass.
const DID_NOT_PASS: u8 = 1;
/// Bad usage or input.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let command = Cli::read().command.unwrap_or_else(|| Command::Play(PlayArgs::default()));
    let done = match command {
        Command::Play(args) => play::play(&args).map(|()| true),
        Command::Run(args) => run::run(&args).map(|()| true),
        Command::Render(args) => render::render_picture(&args).map(|()| true),
        Command::Info { file, json, max_memory } => info::info(&file, json, max_memory.0).map(|()| true),
        Command::Convert { input, output, materials, particles, max_memory } => {
            let part = match (materials, particles) {
                (true, _) => Part::Materials,
                (_, true) => Part::Particles,
                _ => Part::Usual,
            };
            convert::convert(&input, &output, part, max_memory.0).map(|()| true)
        }
        Command::Edit(args) => edit::edit(&args).map(|()| true),
        Command::Lab { command: LabCommand::List } => lab::list().map(|()| true),
        Command::Lab { command: LabCommand::Run(args) } => lab::run(&args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(DID_NOT_PASS),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(BAD_INPUT)
        }
    }
}
