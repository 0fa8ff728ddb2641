//! Digs a hole into a heap, drops a stone into the world, lets a second pass and writes picture and world.
//!
//!     cargo run --release --package barchan --example dig

use barchan::files::picture::write_png;
use barchan::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, plan) = barchan::scene::load("heaps")?.build(&BuildOptions::default())?;
    let at = |x, y, z| Pose { translation: Vec3::new(x, y, z), rotation: Quat::IDENTITY };

    let hole = Solid { shape: Shape::Ball { radius: 1.0 }, pose: at(4.0, 4.0, 1.5) };
    let dug = world.edit(&Edit::Remove { region: Region::Solid(hole) })?;
    let dug = |account| dug.removed().of(account);
    println!("dug {} units of soil and {} of rock", dug(Account::Soil), dug(Account::Rock));

    let half_extents = Vec3::new(0.4, 0.3, 0.2);
    world.add_body(BodySpec::new(
        "stone",
        Shape::Box { half_extents },
        at(8.0, 8.0, 5.0),
        Motion::Dynamic,
    ))?;
    for _ in 0..60 {
        world.step(plan.step_s);
    }

    std::fs::create_dir_all("out")?;
    write_png("out/dig.png".as_ref(), &picture(&world, &View::whole(&world), [960, 540]))?;
    save_world("out/dig.barchan".as_ref(), &world)?;
    for stock in world.inventory() {
        println!("{:>12}: {:.2} m³, {:.0} kg", stock.name, stock.m3, stock.kg);
    }
    println!("wrote out/dig.png and out/dig.barchan; the books balance: {}", world.ledger().balances());
    Ok(())
}
