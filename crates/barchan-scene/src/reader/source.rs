//! The text of a scene, and what was found wrong with it.

use std::cell::RefCell;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::error::{Problem, Problems};

/// More of a value than this is not shown (characters).
const SHOWN: usize = 60;

/// The text of one scene file and the problems found in it so far.
pub(crate) struct Source<'a> {
    file: &'a str,
    text: &'a str,
    /// Byte at which each line starts.
    lines: Vec<usize>,
    problems: RefCell<Vec<Problem>>,
}

impl<'a> Source<'a> {
    /// `text`, which came from `file`.
    pub fn new(file: &'a str, text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Self { file, text, lines, problems: RefCell::default() }
    }

    /// The text as TOML. None when it is not; the problems then say where.
    pub fn parse(&self) -> Option<DeTable<'a>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        let mut last_line = 0;
        for error in &errors {
            let at = error.span().map_or(0, |span| span.start);
            let line = self.line(at);
            // One slip of the pen makes the parser stumble several times on its line.
            if line != last_line {
                self.note(at, Some(self.column(at)), "", String::new(), error.message().to_owned());
            }
            last_line = line;
        }
        errors.is_empty().then(|| table.into_inner())
    }

    /// Notes that the value of `key`, which stands at `span`, is wrong.
    pub fn wrong_value(&self, key: &str, span: Range<usize>, value: &DeValue<'_>, message: String) {
        self.note(span.start, None, key, self.shown(span, value), message);
    }

    /// Notes a problem at byte `at` that is not about a value.
    pub fn wrong(&self, key: &str, at: usize, message: String) {
        self.note(at, None, key, String::new(), message);
    }

    /// Everything that was found, in order of lines.
    pub fn into_problems(self) -> Problems {
        let mut list = self.problems.into_inner();
        list.sort_by_key(|problem| (problem.line, problem.column));
        let more = list.len().saturating_sub(Problems::MOST);
        list.truncate(Problems::MOST);
        Problems { list, more }
    }

    /// The line of byte `at`, counted from 1.
    pub fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }

    /// How many problems there are.
    pub fn count(&self) -> usize {
        self.problems.borrow().len()
    }

    /// The column of byte `at` in its line (characters), counted from 1.
    fn column(&self, at: usize) -> usize {
        let start = self.lines[self.line(at) - 1];
        self.text.get(start..at).map_or(1, |before| before.chars().count() + 1)
    }

    fn note(&self, at: usize, column: Option<usize>, key: &str, value: String, message: String) {
        let (file, line, key) = (self.file.to_owned(), self.line(at), short(key));
        self.problems.borrow_mut().push(Problem { file, line, column, key, value, message });
    }

    /// A value as the file has it, on one line and not too long.
    fn shown(&self, span: Range<usize>, value: &DeValue<'_>) -> String {
        if value.is_table() {
            return "{…}".to_owned();
        }
        short(self.text.get(span).unwrap_or_default())
    }
}

/// `text` on one line and not too long.
fn short(text: &str) -> String {
    let mut line = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == SHOWN {
            line.push('…');
            break;
        }
        line.push(if c.is_whitespace() || c.is_control() { ' ' } else { c });
    }
    line
}
