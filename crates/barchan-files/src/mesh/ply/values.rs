//! The numbers after the header, one after the other.

use super::super::words::number;
use super::header::{Encoding, Kind};

/// Hands out numbers. Every kind of PLY fits into 64-bit floating point.
pub(super) struct Values<'a> {
    rest: &'a [u8],
    encoding: Encoding,
}

impl<'a> Values<'a> {
    pub fn new(rest: &'a [u8], encoding: Encoding) -> Self {
        Self { rest, encoding }
    }

    /// The next number; none where the file ends or says something else.
    pub fn next(&mut self, kind: Kind) -> Option<f64> {
        match self.encoding {
            Encoding::Text => self.next_word().and_then(number),
            Encoding::LittleEndian => Some(match kind {
                Kind::I8 => i8::from_le_bytes(self.take()?).into(),
                Kind::U8 => u8::from_le_bytes(self.take()?).into(),
                Kind::I16 => i16::from_le_bytes(self.take()?).into(),
                Kind::U16 => u16::from_le_bytes(self.take()?).into(),
                Kind::I32 => i32::from_le_bytes(self.take()?).into(),
                Kind::U32 => u32::from_le_bytes(self.take()?).into(),
                Kind::F32 => f32::from_le_bytes(self.take()?).into(),
                Kind::F64 => f64::from_le_bytes(self.take()?),
            }),
            Encoding::BigEndian => Some(match kind {
                Kind::I8 => i8::from_be_bytes(self.take()?).into(),
                Kind::U8 => u8::from_be_bytes(self.take()?).into(),
                Kind::I16 => i16::from_be_bytes(self.take()?).into(),
                Kind::U16 => u16::from_be_bytes(self.take()?).into(),
                Kind::I32 => i32::from_be_bytes(self.take()?).into(),
                Kind::U32 => u32::from_be_bytes(self.take()?).into(),
                Kind::F32 => f32::from_be_bytes(self.take()?).into(),
                Kind::F64 => f64::from_be_bytes(self.take()?),
            }),
        }
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*taken)
    }

    fn next_word(&mut self) -> Option<&'a [u8]> {
        let text = self.rest.trim_ascii_start();
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}
