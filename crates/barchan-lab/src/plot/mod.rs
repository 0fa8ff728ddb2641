//! Plots of what experiments found: declared as plain data, drawn as SVG.

mod axis_range;
mod plot;
mod svg;

pub use plot::{Axis, Plot, Scale, Series, Style};
