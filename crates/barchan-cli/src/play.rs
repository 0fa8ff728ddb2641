//! `barchan play`: the sandbox in the browser.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use barchan_server::{SandboxOptions, Server, ServerOptions};

use crate::args::PlayArgs;
use crate::output::print;

/// Serves the sandbox until ctrl-C.
pub fn play(args: &PlayArgs) -> Result<()> {
    if let Some(threads) = args.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().context("cannot start threads")?;
    }
    let sandbox = SandboxOptions {
        scene: args.scene.clone(),
        files: args.files.clone(),
        memory_limit_bytes: args.max_memory.0,
    };
    let server = Server::start(ServerOptions { sandbox, port: args.port })?;
    let url = server.url();
    print(&format!("the sandbox is at {url}\nctrl-C ends it\n"))?;
    if !args.no_open && !open_in_browser(&url) {
        print("no browser could be opened; open the address yourself\n")?;
    }
    server.wait_for_interrupt().context("cannot wait for ctrl-C")?;
    server.stop();
    Ok(())
}

/// Asks the system to show `url`. False when it cannot be asked.
fn open_in_browser(url: &str) -> bool {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(target_os = "windows") {
        let mut shell = Command::new("cmd");
        shell.args(["/C", "start", ""]);
        shell
    } else {
        Command::new("xdg-open")
    };
    let quiet = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().is_ok()
}
