//! Leads a blade through sand and reads the force on it.
//!
//!     cargo run --release --package barchan --example forces

use barchan::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, plan) = barchan::scene::load("rakes")?.build(&BuildOptions::default())?;
    for step in 0..300 {
        world.step(plan.step_s);
        for body in world.bodies().iter().filter(|_| step % 50 == 49) {
            let Some(felt) = world.reaction(body.id) else { continue };
            let (against_n, down_n) = (-felt.force_n.x, -felt.force_n.z);
            println!(
                "{}: {against_n:.0} N against it, {down_n:.0} N down, at {}",
                body.spec.name, felt.point_m
            );
        }
    }
    Ok(())
}
