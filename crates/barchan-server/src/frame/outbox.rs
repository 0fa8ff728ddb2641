//! What one client has, and the frame that brings it up to date. Nothing is queued: a frame is made from the newest view.

use std::collections::{BTreeMap, HashMap};

use barchan_surface::mesh::BlockKey;
use barchan_volume::Pose;
use glam::Vec3;

use super::block::Block;
use super::bodies::{write_body, write_machine, write_pose, write_statistics};
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
    blocks: HashMap<BlockKey, u64>,
    bodies: BTreeMap<u32, Pose>,
    /// The last frame brought everything there was.
    whole: bool,
}

impl Outbox {
    /// True when the client lacks anything of `view` but numbers.
    pub fn lacks(&self, view: &View) -> bool {
        !self.whole
            || self.epoch != Some(view.epoch)
            || self.lineage != view.lineage
            || self.bodies.len() != view.bodies.len()
            || view.bodies.iter().any(|body| self.bodies.get(&body.id) != Some(&body.pose))
            || self.blocks.len() != view.blocks.len()
            || view.blocks.iter().any(|(key, block)| self.blocks.get(key) != Some(&block.version))
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
        let (blocks, whole) = self.blocks(view, eye_m);
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
                frame.section(tag, &section.bytes);
            }
        }
        let mut numbers = Writer::default();
        let (bodies, triangles) = (view.bodies.len() as u32, view.triangles());
        write_statistics(&view.statistics, bodies, triangles, viewers, &mut numbers);
        frame.section(5, &numbers.bytes);
        let machines: Vec<_> = view.machines.iter().collect();
        let machines = list(machines, |(number, machine), writer| write_machine(number, machine, writer));
        if let Some(machines) = machines {
            frame.section(6, &machines.bytes);
        }
        (self.frames, frame.bytes)
    }

    /// Changed blocks, nearest first, as many as fit; and whether those are all. Blocks that are gone go last, so that
    /// there is never a hole between two levels.
    fn blocks(&mut self, view: &View, eye_m: Option<Vec3>) -> (Option<Writer>, bool) {
        let mut changed: Vec<_> = view
            .blocks
            .iter()
            .filter(|(key, block)| self.blocks.get(key) != Some(&block.version))
            .map(|(key, block)| {
                let distance = eye_m.map_or(0.0, |eye| eye.distance_squared(block.middle_m));
                (distance, *key, block)
            })
            .collect();
        changed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut writer, mut count, mut all) = (Writer::default(), 0_u32, true);
        writer.u32(0);
        for (_, key, block) in changed {
            if writer.bytes.len() > FRAME_BYTES {
                all = false;
                break;
            }
            writer.bytes.extend_from_slice(&block.bytes);
            self.blocks.insert(key, block.version);
            count += 1;
        }
        if all {
            let mut gone: Vec<_> =
                self.blocks.extract_if(|key, _| !view.blocks.contains_key(key)).map(|(key, _)| key).collect();
            gone.sort_unstable();
            count += gone.len() as u32;
            gone.into_iter().for_each(|key| Block::gone(key, &mut writer));
        }
        writer.bytes[..4].copy_from_slice(&count.to_le_bytes());
        ((count > 0).then_some(writer), all)
    }

    /// Bodies that are gone, that are new, and that moved.
    fn bodies(&mut self, view: &View) -> [Option<Writer>; 3] {
        let other_times = self.lineage != view.lineage;
        self.lineage = view.lineage;
        let here: BTreeMap<u32, Pose> = view.bodies.iter().map(|body| (body.id, body.pose)).collect();
        let gone: Vec<u32> =
            self.bodies.keys().copied().filter(|id| other_times || !here.contains_key(id)).collect();
        self.bodies.retain(|id, _| !gone.contains(id));
        let new: Vec<_> = view.bodies.iter().filter(|body| !self.bodies.contains_key(&body.id)).collect();
        let moved: Vec<_> =
            view.bodies.iter().filter(|body| self.bodies.get(&body.id) != Some(&body.pose)).collect();
        self.bodies = here;
        [list(gone, |id, writer| writer.u32(id)), list(new, write_body), list(moved, write_pose)]
    }
}

/// A count and that many entries; none when there are none.
fn list<T>(entries: Vec<T>, write: impl Fn(T, &mut Writer)) -> Option<Writer> {
    let mut writer = Writer::default();
    writer.u32(entries.len() as u32);
    let count = entries.len();
    entries.into_iter().for_each(|entry| write(entry, &mut writer));
    (count > 0).then_some(writer)
}
