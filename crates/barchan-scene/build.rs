//! Rebuilds the crate when a scene is added or taken away: the embedded tree is read by a macro, which cargo cannot see.

fn main() {
    println!("cargo::rerun-if-changed=../../scenes");
}
