//! Ground that moves: sand, soil, rock and bodies in one world, with one set of books.
//!
//! ```
//! use barchan::prelude::*;
//!
//! let (mut world, plan) = barchan::scene::load("heaps")?.build(&BuildOptions::default())?;
//! let ball = Region::Solid(Solid {
//!     shape: Shape::Ball { radius: 0.5 },
//!     pose: Pose { translation: Vec3::new(3.0, 3.0, 0.5), rotation: Quat::IDENTITY },
//! });
//! let dug = world.edit(&Edit::Remove { region: ball })?;
//! world.step(plan.step_s);
//! assert_eq!(world.ledger().left.total(), i128::from(dug.removed().total()));
//! assert!(world.ledger().balances());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use barchan_files as files;
pub use barchan_scene as scene;
pub use barchan_sim as sim;
pub use barchan_surface as surface;
pub use barchan_volume as volume;

/// What most programs need.
pub mod prelude {
    pub use barchan_files::world_file::{load_world, save_world};
    pub use barchan_scene::{BuildOptions, RunPlan, Scene};
    pub use barchan_sim::bodies::{BodyId, BodySpec, Motion};
    pub use barchan_sim::{
        Account, Edit, Ledger, Material, MaterialId, Materials, StepReport, Voxel, World, WorldConfig,
    };
    pub use barchan_surface::{TopSurface, View, picture};
    pub use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
    pub use glam::{IVec3, Quat, Vec3};
}
