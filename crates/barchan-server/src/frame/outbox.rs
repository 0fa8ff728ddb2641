//! What one client has, and the frame that brings it up to date. Nothing is queued: a frame is made from the newest view.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use barchan_surface::mesh::BlockKey;
use barchan_volume::Pose;
use glam::Vec3;

use super::block::Block;
use super::bodies::{write_body, write_machine, write_pose, write_statistics};
use super::deflate::Deflater;
use super::particles::ParticleOutbox;
use super::writer::Writer;
use crate::view::View;

/// Blocks of one frame take no more than this before they are compressed (bytes), but for the last one.
const FRAME_BYTES: usize = 768 << 10;
/// Flags of the header.
const ANEW: u16 = 1;
const WHOLE: u16 = 2;

/// What one client has.
#[derive(Debug, Default)]
pub struct Outbox {
    frames: u32,
    epoch: Option<u32>,
    lineage: u32,
    blocks: HashMap<BlockKey, Arc<Block>>,
    bodies: BTreeMap<u32, Pose>,
    particles: ParticleOutbox,
    /// The last frame brought everything there was.
    whole: bool,
    deflater: Deflater,
}

impl Outbox {
    /// True when the client lacks anything of `view` but numbers.
    pub fn lacks(&self, view: &View) -> bool {
        !self.whole
            || self.epoch != Some(view.epoch)
            || self.lineage != view.lineage
            || self.particles.lacks(&view.particles)
            || self.bodies.len() != view.bodies.len()
            || view.bodies.iter().any(|body| self.bodies.get(&body.id) != Some(&body.pose))
            || self.blocks.len() != view.blocks.len()
            || view.blocks.iter().any(|(key, block)| !self.has(key, block))
    }

    /// The next frame, and its number. Blocks near `eye_m` (m) come first.
    pub fn frame(&mut self, view: &View, eye_m: Option<Vec3>, viewers: u32) -> (u32, Vec<u8>) {
        let anew = self.epoch != Some(view.epoch);
        if anew {
            *self = Self {
                frames: self.frames,
                epoch: Some(view.epoch),
                lineage: view.lineage,
                ..Self::default()
            };
        }
        let (blocks, renewed, whole) = self.blocks(view, eye_m);
        if self.lineage != view.lineage {
            self.particles.forget();
        }
        let [gone, bodies, poses] = self.bodies(view);
        self.whole = whole;
        self.frames += 1;

        let mut frame = Writer::default();
        frame.u8(1);
        frame.u8(super::VERSION as u8);
        frame.u16(if anew { ANEW } else { 0 } | if whole { WHOLE } else { 0 });
        frame.u32(self.frames);
        frame.u32(view.epoch);
        frame.u32(0);
        frame.f64(view.clock.time_s);
        frame.u64(view.clock.steps);
        for (tag, section) in [(4, gone), (3, bodies), (2, poses), (1, blocks)] {
            if let Some(section) = section {
                frame.section(tag, &section.bytes, &mut self.deflater);
            }
        }
        if let Some(renewed) = renewed {
            frame.section_as(7, 0, &renewed.bytes);
        }
        let (time_s, now) = (view.clock.time_s, Instant::now());
        let particles = self.particles.sections(&view.particles, time_s, eye_m, now, &mut self.deflater);
        particles.into_iter().for_each(|(encoding, bytes)| frame.section_as(8, encoding, &bytes));
        let mut numbers = Writer::default();
        let (bodies, triangles) = (view.bodies.len() as u32, view.triangles());
        write_statistics(&view.statistics, bodies, triangles, viewers, &mut numbers);
        frame.section(5, &numbers.bytes, &mut self.deflater);
        let machines: Vec<_> = view.machines.iter().collect();
        let machines = list(machines, |(number, machine), writer| write_machine(number, machine, writer));
        if let Some(machines) = machines {
            frame.section(6, &machines.bytes, &mut self.deflater);
        }
        (self.frames, frame.bytes)
    }

    fn has(&self, key: &BlockKey, block: &Arc<Block>) -> bool {
        self.blocks.get(key).is_some_and(|old| Arc::ptr_eq(old, block))
    }

    /// Blocks that are new, those that replace others, nearest first, as many as fit; and whether those are all. Blocks
    /// that are gone go last, so that there is never a hole between two levels.
    fn blocks(&mut self, view: &View, eye_m: Option<Vec3>) -> (Option<Writer>, Option<Writer>, bool) {
        let changed = view.blocks.iter().filter(|(key, block)| !self.has(key, block));
        let mut changed: Vec<_> = changed
            .map(|(key, block)| {
                let distance = eye_m.map_or(0.0, |eye| eye.distance_squared(block.middle_m));
                (distance, *key, block)
            })
            .collect();
        changed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut new, mut renewed, mut all) = (List::default(), List::default(), true);
        for (_, key, block) in changed {
            if new.writer.bytes.len() + renewed.writer.bytes.len() > FRAME_BYTES {
                all = false;
                break;
            }
            match self.blocks.insert(key, block.clone()) {
                None => new.add(|writer| writer.bytes.extend_from_slice(&block.bytes)),
                Some(old) => renewed.add(|writer| block.renew(key, &old, &mut self.deflater, writer)),
            }
        }
        if all {
            let mut gone: Vec<_> =
                self.blocks.extract_if(|key, _| !view.blocks.contains_key(key)).map(|(key, _)| key).collect();
            gone.sort_unstable();
            gone.into_iter().for_each(|key| new.add(|writer| Block::gone(key, writer)));
        }
        (new.done(), renewed.done(), all)
    }

    /// Bodies that are gone, that are new, and that moved.
    fn bodies(&mut self, view: &View) -> [Option<Writer>; 3] {
        let other_times = self.lineage != view.lineage;
        self.lineage = view.lineage;
        let here: BTreeMap<u32, Pose> = view.bodies.iter().map(|body| (body.id, body.pose)).collect();
        let gone: Vec<u32> =
            self.bodies.keys().copied().filter(|id| other_times || !here.contains_key(id)).collect();
        let had = |id: u32| self.bodies.get(&id).filter(|_| !other_times);
        let new: Vec<_> = view.bodies.iter().filter(|body| had(body.id).is_none()).collect();
        let moved: Vec<_> = view.bodies.iter().filter(|body| had(body.id) != Some(&body.pose)).collect();
        self.bodies = here;
        [list(gone, |id, writer| writer.u32(id)), list(new, write_body), list(moved, write_pose)]
    }
}

/// A count and that many entries; none when there are none.
fn list<T>(entries: Vec<T>, write: impl Fn(T, &mut Writer)) -> Option<Writer> {
    let mut list = List::default();
    entries.into_iter().for_each(|entry| list.add(|writer| write(entry, writer)));
    list.done()
}

/// A count and that many entries, in the making.
struct List {
    writer: Writer,
    count: u32,
}

impl Default for List {
    fn default() -> Self {
        // Room for the count.
        Self { writer: Writer { bytes: vec![0; 4] }, count: 0 }
    }
}

impl List {
    fn add(&mut self, write: impl FnOnce(&mut Writer)) {
        self.count += 1;
        write(&mut self.writer);
    }

    fn done(mut self) -> Option<Writer> {
        self.writer.bytes[..4].copy_from_slice(&self.count.to_le_bytes());
        (self.count > 0).then_some(self.writer)
    }
}
