//! Putting numbers one after the other, little endian.

use super::deflate::Deflater;

/// Sections shorter than this (bytes) are not worth compressing.
const SHORTEST_DEFLATED: usize = 256;

/// Bytes in the making.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// What is written so far.
    pub bytes: Vec<u8>,
}

macro_rules! put {
    ($($name:ident $number:ty),*) => {$(
        #[doc = concat!("Writes a ", stringify!($number), ".")]
        pub fn $name(&mut self, value: $number) {
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    )*};
}

impl Writer {
    put!(u8 u8, u16 u16, u32 u32, u64 u64, i16 i16, i32 i32, f32 f32, f64 f64);

    /// Writes a vector.
    pub fn vec3(&mut self, vector: glam::Vec3) {
        vector.to_array().into_iter().for_each(|number| self.f32(number));
    }

    /// Writes zeros up to the next multiple of 4.
    pub fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// Writes one section, deflated if that makes it shorter.
    pub fn section(&mut self, tag: u8, payload: &[u8], deflater: &mut Deflater) {
        let deflated = (payload.len() >= SHORTEST_DEFLATED).then(|| deflater.deflate(payload, &[]));
        match &deflated {
            Some(short) if short.len() < payload.len() => self.section_as(tag, 1, short),
            _ => self.section_as(tag, 0, payload),
        }
    }

    /// Writes one section whose bytes are in `encoding` already.
    pub fn section_as(&mut self, tag: u8, encoding: u8, payload: &[u8]) {
        self.u8(tag);
        self.u8(encoding);
        self.u16(0);
        self.u32(payload.len() as u32);
        self.bytes.extend_from_slice(payload);
        self.pad();
    }
}
