//! A progress bar on a terminal, and nothing in a pipe.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of `length` steps on stderr, hidden where nobody would see it.
pub fn bar(length: u64, what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {eta_precise} left")
        .expect("the template is fixed")
        .progress_chars("=> ");
    ProgressBar::new(length).with_style(style).with_message(what.to_owned())
}
