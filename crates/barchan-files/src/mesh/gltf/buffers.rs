//! Where the bytes of a glTF file are: the two chunks of a `.glb`, base64 inside the JSON, or files beside it.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::document::Document;
use super::error::{bad_entry, corrupt};
use crate::error::FormatError;

/// Some exporters leave the padding at the end away.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Most bytes in all buffers together.
const MAX_BYTES: u64 = 1 << 30;

/// Reads the file that a relative path names, beside the document, of at most so many bytes; or says why it cannot.
/// The path holds no `..`, but may lead through links.
pub type ReadBeside<'a> = dyn FnMut(&str, u64) -> Result<Vec<u8>, String> + 'a;

/// The JSON of a `.gltf` or `.glb` file and, if it has one, its binary chunk.
pub(super) fn split_chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), FormatError> {
    let Some(after_magic) = bytes.strip_prefix(b"glTF") else { return Ok((bytes, None)) };
    let truncated = |what: &str| corrupt(format!("the file ends inside {what}"));
    let version = read_u32(after_magic, 0).ok_or_else(|| truncated("the glb header"))?;
    if version != 2 {
        let problem = format!("version {version} of the glb container is not supported, only 2");
        return Err(corrupt(problem));
    }
    let chunks = after_magic.get(8..).ok_or_else(|| truncated("the glb header"))?;
    let (kind, json, rest) = split_chunk(chunks).ok_or_else(|| truncated("the JSON chunk"))?;
    if kind != b"JSON" {
        return Err(corrupt("the first chunk of the glb file is not JSON"));
    }
    if rest.is_empty() {
        return Ok((json, None));
    }
    // Chunks of other kinds are to be passed over.
    let (kind, binary, _) = split_chunk(rest).ok_or_else(|| truncated("the binary chunk"))?;
    Ok((json, (kind == b"BIN\0").then_some(binary)))
}

/// Kind and contents of the first chunk, and what follows it.
fn split_chunk(chunks: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let length = read_u32(chunks, 0)? as usize;
    let kind = chunks.get(4..8)?;
    let contents = chunks.get(8..8usize.checked_add(length)?)?;
    Some((kind, contents, &chunks[8 + length..]))
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

/// The contents of every buffer of the document, each at least as long as it says.
pub(super) fn load<'a>(
    document: &Document,
    binary: Option<&'a [u8]>,
    read_beside: &mut ReadBeside<'_>,
) -> Result<Vec<Cow<'a, [u8]>>, FormatError> {
    let mut left = MAX_BYTES;
    let mut loaded = Vec::new();
    for (index, buffer) in document.buffers.iter().enumerate() {
        let fail = |problem: String| bad_entry(&format!("buffers[{index}]"), problem);
        let contents = match (&buffer.uri, binary) {
            (Some(uri), _) if uri.starts_with("data:") => Cow::Owned(decode_data_uri(uri).map_err(fail)?),
            (Some(uri), _) => {
                let path = relative_path(uri).map_err(fail)?;
                Cow::Owned(read_beside(&path, left).map_err(fail)?)
            }
            (None, Some(binary)) if index == 0 => Cow::Borrowed(binary),
            (None, _) => return Err(fail("it has no uri, and the file has no binary chunk for it".into())),
        };
        if contents.len() < buffer.byte_length {
            let (has, says) = (contents.len(), buffer.byte_length);
            return Err(fail(format!("byteLength is {says}, but there are only {has} bytes")));
        }
        left = left
            .checked_sub(contents.len() as u64)
            .ok_or_else(|| fail(format!("all buffers together have more than {MAX_BYTES} bytes")))?;
        loaded.push(contents);
    }
    Ok(loaded)
}

fn decode_data_uri(uri: &str) -> Result<Vec<u8>, String> {
    let (kind, data) = uri.split_once(',').ok_or("the data uri has no comma")?;
    if !kind.ends_with(";base64") {
        return Err("only base64 data uris are supported".into());
    }
    BASE64.decode(data).map_err(|error| format!("bad base64: {error}"))
}

/// The path that a uri names, if it stays inside the folder of the document.
fn relative_path(uri: &str) -> Result<String, String> {
    let path = percent_decode(uri).ok_or_else(|| format!("the uri {uri:?} is not valid"))?;
    // A colon means another scheme or a drive, a backslash another folder on some systems.
    let outside = path.is_empty()
        || path.starts_with('/')
        || path.contains([':', '\\', '\0'])
        || path.split('/').any(|part| part == "..");
    if outside {
        return Err(format!("the uri {uri:?} does not name a file in the folder of the document"));
    }
    Ok(path)
}

fn percent_decode(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        // `from_str_radix` would also take a sign.
        if !code.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
