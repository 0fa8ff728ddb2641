//! Compact: what presses on soil sends a bulb of stress down, and soil that never bore so much before becomes denser.
//!
//! Model: Fröhlich's form of Boussinesq for the stress below a load (Frohlich1934, concentration factors of Sohne1953), all loads of
//! all contacts superposed, the weight of the soil added; the mean normal stress drives critical-state compression (OSullivan1999,
//! Holz2009 4.4). Vertical contact compacts, horizontal contact fails the soil.
//!
//! Reads the contacts of bearing in a part of a step (N, m²), the bodies' share of each voxel (1/32,768), materials and gravity;
//! lowers void ratios of soil and lets what stands above come down with the density it has.
//!
//! Conserves every unit and its kind. Below a body no more room is made than the body has just taken, so that sinkage counts once:
//! bearing says how far a body sinks, this says which part of the soil that it displaces goes into pores; the rest heaves. Beside
//! bodies the surface comes down. A load that comes again changes nothing: what soil has borne shows in its void ratio.
//!
//! Checked by `tests/it/compact.rs` and the experiments `stress`, `compression`, `sinkage` and `passes`.

mod bulb;
mod column;
mod compact;
mod footprint;
mod pressed;

pub use bulb::{Load, mean_stress_pa, vertical_stress_pa};
pub use compact::{Compact, CompactReport};
pub use pressed::Pressed;
