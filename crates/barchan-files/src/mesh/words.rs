//! Lines and words of text formats, as bytes: names and comments in them need not be UTF-8.

use glam::Vec3;

use crate::error::FormatError;

/// The lines of a text with their numbers, from 1.
pub(super) fn numbered_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    bytes.split(|&byte| byte == b'\n').enumerate().map(|(index, line)| (index + 1, line))
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// The position that the next three words of a line spell.
pub(super) fn position<'a>(
    words: &mut impl Iterator<Item = &'a [u8]>,
    format: &'static str,
    line: usize,
) -> Result<Vec3, FormatError> {
    let mut coordinates = [0.0; 3];
    for coordinate in &mut coordinates {
        let word = words.next();
        *coordinate = word.and_then(number).filter(|value: &f32| value.is_finite()).ok_or_else(|| {
            let found = word.map_or("the end of the line".into(), shown);
            FormatError::Syntax { format, line, expected: "three finite coordinates".into(), found }
        })?;
    }
    Ok(Vec3::from_array(coordinates))
}

/// `word` as a number, if it is one.
pub(super) fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// `word` in quotes for an error message, printable and not too long.
pub(super) fn shown(word: &[u8]) -> String {
    const LONGEST: usize = 32;
    let text = String::from_utf8_lossy(&word[..word.len().min(LONGEST)]);
    format!("{text:?}{}", if word.len() > LONGEST { "…" } else { "" })
}
