//! Weathering: rock goes where much of the space around it is empty, and what goes becomes debris.
//!
//! Model: spheroidal weathering (Beardall2007; Kuijpers2023): around each voxel a bubble of weights, of which c is filled and V
//! is all; at a click a voxel goes if c < t V; over time its level falls by (1 - resistance) x air / rock.
//! Reads rock (units), soil and bodies as shares of voxels, hardness (-); writes rock and soil.
//! Conserves every unit: rock that goes becomes soil of a kind, or leaves, and both are booked. Counts are whole numbers; nothing
//! depends on the order of voxels or threads. Over time it works in rounds in which no level falls by more than a share.
//! Checked by the experiments `weather`, `debris`, `rest-threshold` and `weather-debris`, and by its tests against exact counts of
//! cubes, slabs and planes.

mod debris;
mod exposure;
mod levels;
mod one_click;
mod pieces;
mod process;
mod rules;
mod select;
mod smooth_cut;
mod weathering;

pub use process::{Weather, WeatherReport};
pub use rules::{WeatherError, WeatherRules};
pub use weathering::{Debris, Weathering};
