//! One table of a scene, read key by key.

use toml::de::{DeTable, DeValue};

use super::{Rule, Source, nearest};

/// Hands out the keys of a table. Readers return none when there is nothing usable; the problem is noted then, so the
/// caller reads all keys first and gives up after.
pub(crate) struct TableReader<'a> {
    source: &'a Source<'a>,
    table: &'a DeTable<'a>,
    /// Dotted path of the table, empty for the file itself.
    path: String,
    /// Where the table starts (bytes).
    at: usize,
    /// Keys that were asked for: all others are unknown.
    asked: Vec<&'static str>,
}

impl<'a> TableReader<'a> {
    /// The file itself.
    pub fn root(source: &'a Source<'a>, table: &'a DeTable<'a>) -> Self {
        Self { source, table, path: String::new(), at: 0, asked: Vec::new() }
    }

    /// The value of a key that must be there.
    pub fn required<R: Rule>(&mut self, key: &'static str, rule: &R) -> Option<R::Value> {
        let value = self.optional(key, rule)?;
        if value.is_none() {
            let message = format!("is missing; must be {}", rule.allowed());
            self.source.wrong(&self.path_of(key), self.at, message);
        }
        value
    }

    /// The value of a key, or `default` where it is not there.
    pub fn or<R: Rule>(&mut self, key: &'static str, rule: &R, default: R::Value) -> Option<R::Value> {
        self.optional(key, rule).map(|value| value.unwrap_or(default))
    }

    /// The value of a key that need not be there. The outer option is none when it is there and wrong.
    pub fn optional<R: Rule>(&mut self, key: &'static str, rule: &R) -> Option<Option<R::Value>> {
        self.asked.push(key);
        let Some(value) = self.table.get(key) else { return Some(None) };
        match rule.read(value.get_ref()) {
            Ok(read) => Some(Some(read)),
            Err(message) => {
                self.wrong(key, message);
                None
            }
        }
    }

    /// The table of this name, if it is there and is one.
    pub fn table(&mut self, key: &'static str) -> Option<TableReader<'a>> {
        self.asked.push(key);
        let value = self.table.get(key)?;
        match value.get_ref() {
            DeValue::Table(table) => Some(self.inner(self.path_of(key), value.span().start, table)),
            _ => {
                self.wrong(key, format!("must be a table: write [{}]", self.path_of(key)));
                None
            }
        }
    }

    /// The tables of a list, at most `most`; none when the key is not there.
    pub fn tables(&mut self, key: &'static str, most: usize) -> Vec<TableReader<'a>> {
        self.asked.push(key);
        let Some(value) = self.table.get(key) else { return Vec::new() };
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong(key, format!("must be a list of tables: write [[{key}]]"));
            return Vec::new();
        };
        if list.len() > most {
            let message = format!("there are {}; must be at most {most}", list.len());
            self.source.wrong(&self.path_of(key), value.span().start, message);
            return Vec::new();
        }
        let mut readers = Vec::new();
        for (i, item) in list.iter().enumerate() {
            let path = format!("{}[{i}]", self.path_of(key));
            match item.get_ref() {
                DeValue::Table(table) => readers.push(self.inner(path, item.span().start, table)),
                other => self.source.wrong_value(&path, item.span(), other, "must be a table".to_owned()),
            }
        }
        readers
    }

    /// True when the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Notes what is wrong with the value of `key`, or with its absence.
    pub fn wrong(&self, key: &str, message: impl Into<String>) {
        let path = self.path_of(key);
        match self.table.get(key) {
            Some(value) => self.source.wrong_value(&path, value.span(), value.get_ref(), message.into()),
            None => self.source.wrong(&path, self.at, message.into()),
        }
    }

    /// Notes what is wrong with the table as a whole.
    pub fn wrong_here(&self, message: impl Into<String>) {
        self.source.wrong(&self.path, self.at, message.into());
    }

    /// Refuses a key that has no place here, for a reason.
    pub fn refuse(&mut self, key: &'static str, reason: &str) {
        self.asked.push(key);
        if self.has(key) {
            self.wrong(key, reason);
        }
    }

    /// The line on which the table starts, counted from 1.
    pub fn line(&self) -> usize {
        self.source.line(self.at)
    }

    /// How many problems the whole file has so far.
    pub fn problem_count(&self) -> usize {
        self.source.count()
    }

    /// Notes every key that nobody asked for. To be called when all keys were asked for.
    pub fn finish(self) {
        for (key, value) in self.table {
            let name = key.get_ref().as_ref();
            if self.asked.contains(&name) {
                continue;
            }
            let message = match nearest(name, self.asked.iter().copied()) {
                Some(meant) => format!("unknown key; did you mean {meant}?"),
                None => format!("unknown key; known here: {}", self.asked.join(", ")),
            };
            let path = self.path_of(name);
            self.source.wrong_value(&path, value.span(), value.get_ref(), message);
        }
    }

    fn inner(&self, path: String, at: usize, table: &'a DeTable<'a>) -> Self {
        Self { source: self.source, table, path, at, asked: Vec::new() }
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}
