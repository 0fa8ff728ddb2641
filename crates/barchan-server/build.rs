//! Rebuilds the crate when a file of the page is added or taken away: the embedded tree is read by a macro, which cargo
//! cannot see.

fn main() {
    println!("cargo::rerun-if-changed=page");
}
