//! Typed views into the buffers of a glTF file. Bounds are checked once, on construction; nothing is copied.

use std::borrow::Cow;
use std::cmp::Ordering;

use glam::Vec3;

use super::document::{Document, Sparse};
use super::error::{bad_entry, missing};
use crate::error::FormatError;

/// A document and the contents of its buffers.
pub(super) struct Source<'a> {
    pub document: &'a Document,
    pub buffers: &'a [Cow<'a, [u8]>],
}

/// The elements of one accessor.
pub(super) struct Elements<'a> {
    /// Number of elements.
    pub count: usize,
    component: Component,
    normalized: bool,
    base: Strided<'a>,
    sparse: Option<SparseElements<'a>>,
}

/// Replacements for some elements, by ascending index.
struct SparseElements<'a> {
    component: Component,
    indices: Strided<'a>,
    values: Strided<'a>,
}

#[derive(Clone, Copy, PartialEq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

/// Equal pieces of a buffer at equal distances. All `count` of them are inside `bytes`.
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
}

impl<'a> Source<'a> {
    /// The accessor as positions.
    pub fn positions(&self, index: usize) -> Result<Elements<'a>, FormatError> {
        let elements = self.elements(index, "VEC3", 3)?;
        if elements.component == Component::U32 {
            return Err(bad_entry(&place(index), "positions cannot be of type UNSIGNED_INT"));
        }
        Ok(elements)
    }

    /// The accessor as vertex indices.
    pub fn indices(&self, index: usize) -> Result<Elements<'a>, FormatError> {
        let elements = self.elements(index, "SCALAR", 1)?;
        if !elements.component.is_unsigned() {
            return Err(bad_entry(&place(index), "indices must be unsigned integers"));
        }
        Ok(elements)
    }

    /// True unless the accessor exists and has no bytes of its own.
    pub fn has_bytes(&self, index: usize) -> bool {
        self.document.accessors.get(index).is_none_or(|accessor| accessor.buffer_view.is_some())
    }

    fn elements(&self, index: usize, shape: &str, width: usize) -> Result<Elements<'a>, FormatError> {
        let place = place(index);
        let accessor = self.document.accessors.get(index).ok_or_else(|| missing(&place))?;
        if accessor.shape != shape {
            return Err(bad_entry(&place, format!("type is {:?}, not {shape:?}", accessor.shape)));
        }
        // glTF takes a missing view for zeros. As a surface that makes no sense, and memory for it costs no bytes in
        // the file.
        let view = accessor.buffer_view.ok_or_else(|| bad_entry(&place, "it has no bufferView"))?;
        let component = Component::parse(accessor.component_type, &place)?;
        let size = component.size() * width;
        let base = self.strided(&place, view, accessor.byte_offset, accessor.count, size)?;
        let sparse =
            accessor.sparse.as_deref().map(|sparse| self.sparse(&place, sparse, size)).transpose()?;
        Ok(Elements { count: accessor.count, component, normalized: accessor.normalized, base, sparse })
    }

    fn sparse(&self, place: &str, sparse: &Sparse, size: usize) -> Result<SparseElements<'a>, FormatError> {
        let place = format!("{place}.sparse");
        let (indices, values) = (&sparse.indices, &sparse.values);
        let component = Component::parse(indices.component_type, &place)?;
        if !component.is_unsigned() {
            return Err(bad_entry(&place, "indices must be unsigned integers"));
        }
        let index_size = component.size();
        Ok(SparseElements {
            component,
            indices: self.strided(
                &place,
                indices.buffer_view,
                indices.byte_offset,
                sparse.count,
                index_size,
            )?,
            values: self.strided(&place, values.buffer_view, values.byte_offset, sparse.count, size)?,
        })
    }

    /// `count` pieces of `size` bytes in a buffer view, `user` being the entry that asks for them.
    fn strided(
        &self,
        user: &str,
        view_index: usize,
        offset: usize,
        count: usize,
        size: usize,
    ) -> Result<Strided<'a>, FormatError> {
        let place = format!("bufferViews[{view_index}]");
        let view = self.document.buffer_views.get(view_index).ok_or_else(|| missing(&place))?;
        let buffer =
            self.buffers.get(view.buffer).ok_or_else(|| missing(&format!("buffers[{}]", view.buffer)))?;
        let view_end = view.byte_offset.checked_add(view.byte_length);
        let bytes = view_end.and_then(|end| buffer.get(view.byte_offset..end)).ok_or_else(|| {
            bad_entry(&place, format!("it reaches beyond the {} bytes of its buffer", buffer.len()))
        })?;
        let stride = view.byte_stride.filter(|&stride| stride != 0).unwrap_or(size);
        if stride < size {
            let problem = format!("byteStride is {stride}, but elements have {size} bytes");
            return Err(bad_entry(&place, problem));
        }
        let length = match count.checked_sub(1) {
            None => Some(0),
            Some(steps) => steps.checked_mul(stride).and_then(|length| length.checked_add(size)),
        };
        let end = length.and_then(|length| length.checked_add(offset));
        let bytes = end.and_then(|end| bytes.get(offset..end)).ok_or_else(|| {
            let problem = format!("{count} elements from byte {offset} reach beyond the end of {place}");
            bad_entry(user, problem)
        })?;
        Ok(Strided { bytes, stride, count })
    }
}

fn place(accessor: usize) -> String {
    format!("accessors[{accessor}]")
}

impl Elements<'_> {
    /// Element `index` as a position; it must be below `count`.
    pub fn position(&self, index: usize) -> Vec3 {
        let (bytes, size) = (self.bytes(index), self.component.size());
        Vec3::from_array([0, 1, 2].map(|axis| self.component.real(&bytes[axis * size..], self.normalized)))
    }

    /// Element `index` as a vertex index; it must be below `count`.
    pub fn vertex_index(&self, index: usize) -> u32 {
        self.component.unsigned(self.bytes(index))
    }

    fn bytes(&self, index: usize) -> &[u8] {
        let replaced = self.sparse.as_ref().and_then(|sparse| sparse.find(index));
        replaced.unwrap_or_else(|| self.base.piece(index))
    }
}

impl SparseElements<'_> {
    /// The bytes that replace element `index`. The indices ascend, or else the file breaks the rules of glTF and some
    /// of them are not found.
    fn find(&self, index: usize) -> Option<&[u8]> {
        let (mut low, mut high) = (0, self.indices.count);
        while low < high {
            let middle = (low + high) / 2;
            match (self.component.unsigned(self.indices.piece(middle)) as usize).cmp(&index) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(self.values.piece(middle)),
                Ordering::Greater => high = middle,
            }
        }
        None
    }
}

impl<'a> Strided<'a> {
    fn piece(&self, index: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..]
    }
}

impl Component {
    fn parse(code: u32, place: &str) -> Result<Self, FormatError> {
        match code {
            5120 => Ok(Self::I8),
            5121 => Ok(Self::U8),
            5122 => Ok(Self::I16),
            5123 => Ok(Self::U16),
            5125 => Ok(Self::U32),
            5126 => Ok(Self::F32),
            _ => Err(bad_entry(place, format!("componentType {code} does not exist"))),
        }
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }

    /// An unsigned component; zero for the other types.
    fn unsigned(self, bytes: &[u8]) -> u32 {
        match self {
            Self::U8 => u32::from(bytes[0]),
            Self::U16 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            Self::U32 => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            Self::I8 | Self::I16 | Self::F32 => 0,
        }
    }

    /// A component as a number; normalized integers stand for -1..1 or 0..1.
    fn real(self, bytes: &[u8], normalized: bool) -> f32 {
        let (value, one) = match self {
            Self::I8 => (f32::from(bytes[0] as i8), f32::from(i8::MAX)),
            Self::I16 => (f32::from(i16::from_le_bytes([bytes[0], bytes[1]])), f32::from(i16::MAX)),
            Self::U8 => (f32::from(bytes[0]), f32::from(u8::MAX)),
            Self::U16 => (f32::from(u16::from_le_bytes([bytes[0], bytes[1]])), f32::from(u16::MAX)),
            Self::U32 => (self.unsigned(bytes) as f32, u32::MAX as f32),
            Self::F32 => return f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        };
        if normalized { (value / one).max(-1.0) } else { value }
    }
}
