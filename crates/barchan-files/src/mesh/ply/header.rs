//! The header: what the rows that follow hold, in words.

use super::super::words::{number, shown, words};
use crate::error::FormatError;

pub(super) const FORMAT: &str = "PLY";

/// How the rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// Rows of one kind.
#[derive(Debug)]
pub(super) struct Element {
    pub name: Vec<u8>,
    pub count: u64,
    pub properties: Vec<Property>,
}

/// One entry of every row of an element.
#[derive(Debug)]
pub(super) struct Property {
    pub name: Vec<u8>,
    /// For lists: what their length is written as.
    pub length: Option<Kind>,
    pub kind: Kind,
}

/// What a number is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

/// Reads the header; returns also what follows it.
pub(super) fn read_header(bytes: &[u8]) -> Result<(Encoding, Vec<Element>, &[u8]), FormatError> {
    let (mut encoding, mut elements) = (None, Vec::<Element>::new());
    let mut rest = bytes;
    for line in 1.. {
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or_else(no_end)?;
        let (text, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        let words: Vec<&[u8]> = words(text).collect();
        match words[..] {
            [b"ply"] if line == 1 => {}
            _ if line == 1 => return Err(wrong(line, "\"ply\"", text)),
            [b"format", b"ascii", b"1.0"] => encoding = Some(Encoding::Text),
            [b"format", b"binary_little_endian", b"1.0"] => encoding = Some(Encoding::LittleEndian),
            [b"format", b"binary_big_endian", b"1.0"] => encoding = Some(Encoding::BigEndian),
            [b"element", name, count] => {
                let count = number(count).ok_or_else(|| wrong(line, "a number of rows", count))?;
                elements.push(Element { name: name.to_vec(), count, properties: Vec::new() });
            }
            [b"property", ref property @ ..] => {
                let property = read_property(property).ok_or_else(|| wrong(line, "a property", text))?;
                let element = elements.last_mut().ok_or_else(|| wrong(line, "an element first", text))?;
                element.properties.push(property);
            }
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"end_header"] => break,
            _ => return Err(wrong(line, "format, element, property, comment or end_header", text)),
        }
    }
    let encoding = encoding.ok_or_else(|| FormatError::Corrupt {
        format: FORMAT,
        reason: "the header does not say format ascii, binary_little_endian or binary_big_endian 1.0".into(),
    })?;
    Ok((encoding, elements, rest))
}

fn read_property(words: &[&[u8]]) -> Option<Property> {
    let (length, kind, name) = match *words {
        [b"list", length, kind, name] => (Some(Kind::named(length)?), kind, name),
        [kind, name] => (None, kind, name),
        _ => return None,
    };
    Some(Property { name: name.to_vec(), length, kind: Kind::named(kind)? })
}

impl Kind {
    fn named(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }
}

fn wrong(line: usize, expected: &str, found: &[u8]) -> FormatError {
    FormatError::Syntax { format: FORMAT, line, expected: expected.into(), found: shown(found) }
}

fn no_end() -> FormatError {
    FormatError::Corrupt { format: FORMAT, reason: "the header has no end_header".into() }
}
