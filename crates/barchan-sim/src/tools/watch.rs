//! Who watches an edit hears of its stages, and can say no.

use crate::ground::EditError;

/// The stages of an edit, in their order; simple ones skip some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// What has to be known first: hollows.
    Prepare,
    /// What goes is counted.
    Count,
    /// It is taken, and what it turns into is laid down.
    Remove,
    /// The books are closed.
    Commit,
    /// Soil comes to rest.
    Rest,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Prepare, Self::Count, Self::Remove, Self::Commit, Self::Rest];

    /// What it is called, in timings and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Count => "count",
            Self::Remove => "remove",
            Self::Commit => "commit",
            Self::Rest => "rest",
        }
    }
}

/// Who watches.
pub(crate) struct Watch<'a> {
    /// Is told when a stage has ended; false: enough.
    goes_on: &'a mut dyn FnMut(Stage) -> bool,
}

impl<'a> Watch<'a> {
    pub fn new(goes_on: &'a mut dyn FnMut(Stage) -> bool) -> Self {
        Self { goes_on }
    }

    /// Tells that `stage` has ended.
    pub fn ended(&mut self, stage: Stage) -> Result<(), EditError> {
        if (self.goes_on)(stage) { Ok(()) } else { Err(EditError::Cancelled) }
    }
}
