//! Measuring: slopes of piles, moved soil, fits. Plain numbers in and out, so that each can be tried on a shape whose
//! answer is known.

mod depths;
mod fit;
mod moved;
mod pile;
mod round_trip;

pub use depths::SoilDepths;
pub use fit::{exponent, line_fit, median, percentile};
pub use moved::moved_units;
pub use pile::Pile;
pub use round_trip::core_round_trip_ns;
