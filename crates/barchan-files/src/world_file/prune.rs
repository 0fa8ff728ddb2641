//! Giving old versions up: a file with the newest ones only.

use std::collections::HashMap;
use std::io::{self, Write};

use super::HEAD_BYTES;
use super::append::Appender;
use super::bricks::BRICKS_VERSION;
use super::chunk::Tag;
use super::pages::{Place, Tree};
use super::record::{Log, Says};
use super::save::begin;
use super::source::Source;

impl Log {
    /// Writes a file with the `keep` newest versions, and the present one, to `out`.
    pub fn write_newest(&self, source: &Source<'_>, keep: usize, out: &mut impl Write) -> io::Result<()> {
        begin(out)?;
        let mut moved = Moved { source, end: Appender::new(out, HEAD_BYTES), places: HashMap::new() };
        let first = self.versions.len().saturating_sub(keep);
        let mut last = None;
        let is_kept = |index: usize| index >= first || index == self.present;
        let kept: Vec<_> = (0..self.versions.len()).filter(|index| is_kept(*index)).collect();
        for index in &kept {
            let mut version = self.versions[*index].clone();
            while let Some(parent) = version.parent.and_then(|parent| self.find(parent)) {
                if is_kept(parent) {
                    break;
                }
                version.parent = self.versions[parent].parent;
            }
            let before = moved.end.at;
            for (tag, form, place) in &mut version.parts {
                *place = moved.chunk(Tag(*tag), *form, *place)?;
            }
            let (mut tree, _) = Tree::read(source, &version.trees, u64::MAX).map_err(io::Error::other)?;
            for place in tree.pages.values_mut() {
                *place = moved.chunk(Tag::BRICKS, BRICKS_VERSION, *place)?;
            }
            version.trees = moved.end.trees(&tree.pages)?;
            version.bytes = moved.end.at - before;
            last = Some(moved.end.record(last, Says::Version(Box::new(version)))?);
        }
        if kept.last().is_some_and(|newest| *newest != self.present) {
            moved.end.record(last, Says::Present(self.versions[self.present].id))?;
        }
        Ok(())
    }
}

/// Chunks on their way from one file to another.
struct Moved<'a, W> {
    source: &'a Source<'a>,
    end: Appender<W>,
    /// Where they are now, by where they were.
    places: HashMap<u64, Place>,
}

impl<W: Write> Moved<'_, W> {
    fn chunk(&mut self, tag: Tag, form: u16, place: Place) -> io::Result<Place> {
        if let Some(place) = self.places.get(&place.at) {
            return Ok(*place);
        }
        let raw = super::pages::read_chunk(self.source, tag, form, place).map_err(io::Error::other)?;
        let now = self.end.chunk(tag, form, &raw)?;
        self.places.insert(place.at, now);
        Ok(now)
    }
}
