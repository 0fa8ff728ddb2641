//! Speed of the mesher.

fn main() {
    divan::main();
}
