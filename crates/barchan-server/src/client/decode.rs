//! Reading frames back: the reference for whoever writes another client.

use std::collections::HashMap;

use flate2::{Decompress, FlushDecompress, Status};

use super::particles::HeardParticles;

/// Longest section once it is inflated (bytes).
const LONGEST_SECTION: usize = 64 << 20;
/// The version of the format that is read.
const VERSION: u8 = crate::frame::VERSION as u8;
/// Account, kind and five numbers of one entry of the inventory (bytes).
const STOCK_BYTES: usize = 2 + 5 * 8;

/// A frame, as far as a client without a screen looks into it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Its number.
    pub number: u32,
    /// Which world it shows.
    pub epoch: u32,
    /// Everything before it is to be forgotten.
    pub anew: bool,
    /// It brings everything that was still missing.
    pub whole: bool,
    /// Simulated time (s).
    pub time_s: f64,
    /// Steps taken.
    pub steps: u64,
    /// Changed blocks.
    pub blocks: Vec<BlockHead>,
    /// Bodies that moved, with their positions (m).
    pub poses: Vec<(u32, [f32; 3])>,
    /// Bodies that are new, with their names.
    pub bodies: Vec<(u32, String)>,
    /// Bodies that are gone.
    pub gone: Vec<u32>,
    /// Steps in a second, by the server's own count (1/s).
    pub steps_per_s: f32,
    /// By how much the books are off (units).
    pub off_by: f64,
    /// Triangles in view, by the server's own count.
    pub triangles: u32,
}

/// One block, with its vertices where they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockHead {
    /// Place in the grid of blocks of its level.
    pub coord: [i32; 3],
    /// Level of detail.
    pub level: u8,
    /// Places of its vertices (m).
    pub positions: Vec<[f32; 3]>,
    /// Whether grass grows at each of them.
    pub grass: Vec<bool>,
    /// Triangles, as places in `positions`.
    pub triangles: Vec<[u16; 3]>,
}

/// Why bytes are no frame.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("not a frame: {0}")]
pub struct FrameError(pub(super) &'static str);

/// Reads the frames of one connection, one after the other. Blocks come as differences to what came before.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// The bytes of every block, by place and level.
    blocks: HashMap<([i32; 3], u8), Vec<u8>>,
    /// Water and grains.
    particles: [HeardParticles; 2],
}

impl Decoder {
    /// Water, and grains, as they are believed to be.
    pub fn particles(&self) -> &[HeardParticles; 2] {
        &self.particles
    }

    /// Reads one binary message.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Frame, FrameError> {
        let mut bytes = Bytes(bytes);
        if [bytes.u8()?, bytes.u8()?] != [1, VERSION] {
            return Err(FrameError("unknown kind or version"));
        }
        let flags = bytes.u16()?;
        let (number, epoch, _) = (bytes.u32()?, bytes.u32()?, bytes.u32()?);
        let (time_s, steps) = (f64::from_bits(bytes.u64()?), bytes.u64()?);
        let (anew, whole) = (flags & 1 != 0, flags & 2 != 0);
        let mut frame = Frame { number, epoch, anew, whole, time_s, steps, ..Frame::default() };
        if anew {
            self.blocks.clear();
            self.particles.iter_mut().for_each(HeardParticles::clear);
        }
        self.particles.iter_mut().for_each(|particles| particles.lead_on(time_s));
        while !bytes.0.is_empty() {
            let (tag, encoding, _, length) = (bytes.u8()?, bytes.u8()?, bytes.u16()?, bytes.u32()? as usize);
            let payload = bytes.take(length)?;
            bytes.take(length.next_multiple_of(4) - length)?;
            match encoding {
                0 => self.section(tag, payload, &mut frame)?,
                1 => self.section(tag, &inflate(payload, &[], LONGEST_SECTION)?, &mut frame)?,
                _ => return Err(FrameError("unknown encoding")),
            }
        }
        Ok(frame)
    }

    fn section(&mut self, tag: u8, payload: &[u8], frame: &mut Frame) -> Result<(), FrameError> {
        let mut bytes = Bytes(payload);
        match tag {
            1 => {
                for _ in 0..bytes.u32()? {
                    let from = bytes.0;
                    let block = block(&mut bytes)?;
                    self.keep(block, &from[..from.len() - bytes.0.len()], frame);
                }
            }
            7 => {
                for _ in 0..bytes.u32()? {
                    let inflated = self.renewed(&mut bytes)?;
                    let block = block(&mut Bytes(&inflated))?;
                    self.keep(block, &inflated, frame);
                }
            }
            8 => {
                let form = usize::from(bytes.u8()?);
                let known = self.particles.get_mut(form);
                known.ok_or(FrameError("unknown form of particles"))?.read(&mut bytes)?;
            }
            _ => frame.section(tag, bytes)?,
        }
        Ok(())
    }

    /// The bytes of a block that comes as the difference to the one before.
    fn renewed(&self, bytes: &mut Bytes<'_>) -> Result<Vec<u8>, FrameError> {
        let coord = [bytes.u32()? as i32, bytes.u32()? as i32, bytes.u32()? as i32];
        let level = bytes.u8()?;
        bytes.take(3)?;
        let (length, packed) = (bytes.u32()? as usize, bytes.u32()? as usize);
        let old = self.blocks.get(&(coord, level)).ok_or(FrameError("a block to be renewed is not there"))?;
        let inflated = inflate(bytes.take(packed)?, old, length.min(LONGEST_SECTION))?;
        bytes.take(packed.next_multiple_of(4) - packed)?;
        if inflated.len() == length { Ok(inflated) } else { Err(FrameError("a block has another length")) }
    }

    fn keep(&mut self, block: BlockHead, bytes: &[u8], frame: &mut Frame) {
        let key = (block.coord, block.level);
        if block.triangles.is_empty() {
            self.blocks.remove(&key);
        } else {
            self.blocks.insert(key, bytes.to_vec());
        }
        frame.blocks.push(block);
    }
}

impl Frame {
    /// Takes in a section that says everything itself.
    fn section(&mut self, tag: u8, mut bytes: Bytes<'_>) -> Result<(), FrameError> {
        match tag {
            2 => {
                for _ in 0..bytes.u32()? {
                    self.poses.push((bytes.u32()?, [bytes.f32()?, bytes.f32()?, bytes.f32()?]));
                    bytes.take(8)?;
                }
            }
            3 => {
                for _ in 0..bytes.u32()? {
                    self.bodies.push(body(&mut bytes)?);
                }
            }
            4 => {
                for _ in 0..bytes.u32()? {
                    self.gone.push(bytes.u32()?);
                }
            }
            5 => {
                self.steps_per_s = bytes.f32()?;
                bytes.take(12)?;
                self.off_by = bytes.f64()?;
                let stocks = bytes.u16()?;
                bytes.take(usize::from(stocks) * STOCK_BYTES)?;
                self.triangles = bytes.u32()?;
            }
            _ => {}
        }
        Ok(())
    }
}

fn block(bytes: &mut Bytes<'_>) -> Result<BlockHead, FrameError> {
    let coord = [bytes.u32()? as i32, bytes.u32()? as i32, bytes.u32()? as i32];
    let level = bytes.u8()?;
    bytes.take(3)?;
    let (origin, quantum) = ([bytes.f32()?, bytes.f32()?, bytes.f32()?], bytes.f32()?);
    let (vertices, corners) = (bytes.u32()? as usize, bytes.u32()? as usize * 3);
    let mut axes = Vec::new();
    for _ in 0..3 {
        axes.push(running_sum(bytes.planes(vertices)?));
    }
    let (normals, kinds) = (2 * vertices, 2 * vertices);
    bytes.take(normals + kinds)?;
    let grass = bytes.take(vertices)?.iter().map(|weight| weight & 128 != 0).collect();
    let moisture = vertices;
    bytes.take(moisture)?;
    let unzigzag = |z: u16| (z >> 1) ^ (z & 1).wrapping_neg();
    let indices = running_sum(bytes.planes(corners)?.into_iter().map(unzigzag).collect());
    let length = 40 + 12 * vertices + 2 * corners;
    bytes.take(length.next_multiple_of(4) - length)?;
    if indices.iter().any(|index| usize::from(*index) >= vertices) {
        return Err(FrameError("a triangle has a corner that is not there"));
    }
    let place = |i: usize| [0, 1, 2].map(|axis| origin[axis] + f32::from(axes[axis][i]) * quantum);
    let triangles = indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Ok(BlockHead { coord, level, positions: (0..vertices).map(place).collect(), grass, triangles })
}

fn body(bytes: &mut Bytes<'_>) -> Result<(u32, String), FrameError> {
    let (id, shape) = (bytes.u32()?, bytes.u8()?);
    bytes.take(4)?;
    let name_bytes = usize::from(bytes.u8()?);
    bytes.take(2 + 12)?;
    if shape == 5 {
        let (vertices, triangles) = (bytes.u32()? as usize, bytes.u32()? as usize);
        bytes.take((vertices + triangles) * 12)?;
    }
    let name = String::from_utf8_lossy(bytes.take(name_bytes)?).into_owned();
    bytes.take(name_bytes.next_multiple_of(4) - name_bytes)?;
    Ok((id, name))
}

fn running_sum(mut differences: Vec<u16>) -> Vec<u16> {
    let mut sum = 0_u16;
    for number in &mut differences {
        sum = sum.wrapping_add(*number);
        *number = sum;
    }
    differences
}

/// Inflates what was deflated for somebody who knows `known`; at most `most` bytes.
fn inflate(bytes: &[u8], known: &[u8], most: usize) -> Result<Vec<u8>, FrameError> {
    let broken = FrameError("a section cannot be inflated");
    let (mut inflate, mut out) = (Decompress::new(false), Vec::with_capacity(4 * bytes.len() + 64));
    if !known.is_empty() {
        inflate.set_dictionary(known).map_err(|_| broken.clone())?;
    }
    loop {
        let (taken, made) = (inflate.total_in() as usize, out.len());
        let status = inflate.decompress_vec(&bytes[taken..], &mut out, FlushDecompress::None);
        match status.map_err(|_| broken.clone())? {
            Status::StreamEnd if out.len() <= most => return Ok(out),
            Status::Ok | Status::BufError if out.len() <= most && out.len() == out.capacity() => {
                out.reserve(out.capacity());
            }
            _ if out.len() > most || (out.len() == made && inflate.total_in() as usize == taken) => {
                return Err(broken);
            }
            _ => {}
        }
    }
}

/// Bytes that are read from the front.
pub(super) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], FrameError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(FrameError("it ends too soon"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FrameError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, FrameError> {
        self.array().map(u8::from_le_bytes)
    }

    fn u16(&mut self) -> Result<u16, FrameError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, FrameError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, FrameError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, FrameError> {
        self.array().map(f32::from_le_bytes)
    }

    fn f64(&mut self) -> Result<f64, FrameError> {
        self.array().map(f64::from_le_bytes)
    }

    /// Numbers of so many bytes, as a plane of the lowest bytes, then of the next.
    pub(super) fn numbers<const BYTES: usize>(&mut self, count: usize) -> Result<Vec<u32>, FrameError> {
        let mut numbers = vec![0; count.min(self.0.len())];
        for byte in 0..BYTES {
            let plane = self.take(count)?;
            numbers
                .iter_mut()
                .zip(plane)
                .for_each(|(number, part)| *number |= u32::from(*part) << (8 * byte));
        }
        Ok(numbers)
    }

    /// Numbers as a plane of low bytes and one of high bytes.
    fn planes(&mut self, count: usize) -> Result<Vec<u16>, FrameError> {
        let (low, high) = (self.take(count)?, self.take(count)?);
        Ok(low.iter().zip(high).map(|(low, high)| u16::from_le_bytes([*low, *high])).collect())
    }
}
