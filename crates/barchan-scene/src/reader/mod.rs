//! Reading checked values out of TOML: every problem is noted with its line and key, and reading goes on.
//!
//! A [`TableReader`] hands out the keys of one table. What a value must be is said by a [`Rule`]; keys that nobody
//! asked for are unknown, and the nearest name that was asked for is suggested.

mod nearest;
mod rule;
mod source;
mod table_reader;

pub(crate) use nearest::nearest;
pub(crate) use rule::{Exact, Flag, List, Number, OneOf, Rule, Seconds, Text, Vector, Vector2, Whole};
pub(crate) use source::Source;
pub(crate) use table_reader::TableReader;
