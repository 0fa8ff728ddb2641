//! Overlays: the ground in the colours of what it has borne, how strong it is and how far it sank, with a legend.

mod color;
mod font;
mod legend;
mod overlay;
mod seen;

pub use overlay::Overlay;
pub use seen::OverlaySeen;

pub(crate) use legend::draw_legend;
