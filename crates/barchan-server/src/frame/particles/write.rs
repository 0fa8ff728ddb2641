//! Records of particles one after the other, in planes: what is alike stands together, and packs well.

use super::record::{LOOKS, Record};
use crate::frame::writer::Writer;

/// A change in one of a client's particles.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The client's number for it.
    pub number: u32,
    /// How it is now.
    pub now: Record,
    /// What the client believes: its place led on, its velocity and look as they were told.
    pub believed: Record,
}

/// All that one client is told of one form of particles at one moment.
#[derive(Debug, Default)]
pub struct News {
    /// Numbers that are free again, in order.
    pub gone: Vec<u32>,
    /// Those that it does not have, in the order of their numbers.
    pub new: Vec<(u32, Record)>,
    /// Those that are not as it believes, in the order of their numbers.
    pub changed: Vec<Change>,
}

impl News {
    /// True when there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.new.is_empty() && self.changed.is_empty()
    }

    /// Counts and planes.
    pub fn write(&self, writer: &mut Writer) {
        for count in [self.gone.len(), self.new.len(), self.changed.len()] {
            writer.u32(count as u32);
        }
        let out = &mut writer.bytes;
        planes::<4>(out, rising(self.gone.iter().copied()));
        planes::<4>(out, rising(self.new.iter().map(|(number, _)| *number)));
        for axis in 0..3 {
            planes::<4>(out, steps(self.new.iter().map(|(_, record)| record.place[axis])));
        }
        for axis in 0..3 {
            planes::<2>(out, self.new.iter().map(|(_, record)| zigzag(record.velocity[axis].into())));
        }
        for at in 0..LOOKS {
            out.extend(self.new.iter().map(|(_, record)| record.look[at]));
        }
        planes::<2>(out, rising(self.changed.iter().map(|change| change.number)));
        for axis in 0..3 {
            let off = |change: &Change| change.now.place[axis].wrapping_sub(change.believed.place[axis]);
            planes::<2>(out, self.changed.iter().map(|change| zigzag(off(change))));
        }
        for axis in 0..3 {
            let off =
                |change: &Change| change.now.velocity[axis].wrapping_sub(change.believed.velocity[axis]);
            planes::<2>(out, self.changed.iter().map(|change| zigzag(off(change).into())));
        }
        for at in 0..LOOKS {
            let off = |change: &Change| change.now.look[at].wrapping_sub(change.believed.look[at]);
            out.extend(self.changed.iter().map(off));
        }
        writer.pad();
    }
}

/// True when a change does not fit into the planes for it: then it is told as if the particle were new.
pub fn is_too_much(change: &Change) -> bool {
    (0..3).any(|axis| {
        let off = change.now.place[axis].wrapping_sub(change.believed.place[axis]);
        i16::try_from(off).is_err()
    })
}

/// Each number less the one before it.
fn rising(numbers: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    let mut before = 0_u32;
    numbers.map(move |now| now.wrapping_sub(std::mem::replace(&mut before, now)))
}

/// Each coordinate as the step from the one before it.
fn steps(places: impl Iterator<Item = i32>) -> impl Iterator<Item = u32> {
    let mut before = 0_i32;
    places.map(move |now| zigzag(now.wrapping_sub(std::mem::replace(&mut before, now))))
}

/// Small numbers of either sign as small numbers.
fn zigzag(number: i32) -> u32 {
    ((number << 1) ^ (number >> 31)) as u32
}

/// The lowest byte of all numbers, then the next, up to `BYTES`.
fn planes<const BYTES: usize>(out: &mut Vec<u8>, numbers: impl Iterator<Item = u32>) {
    let numbers: Vec<u32> = numbers.collect();
    for byte in 0..BYTES {
        out.extend(numbers.iter().map(|number| (number >> (8 * byte)) as u8));
    }
}
