//! Broken files by the thousand: a small seeded generator that damages a good input the way disks, editors,
//! network links and hostile authors do.

/// A xorshift64* generator: the same seed gives the same inputs on every machine.
pub struct Rng(u64);

impl Rng {
    /// A generator for `seed`. Any seed is fine, zero too.
    pub fn new(seed: u64) -> Self {
        // Xorshift would stay at zero for ever; the odd constant also spreads small seeds over all bits.
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number in `0..end`; 0 when `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next_u64() >> 11) as usize % end }
    }

    /// A random byte.
    pub fn byte(&mut self) -> u8 {
        (self.next_u64() >> 56) as u8
    }

    fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

/// One to four random kinds of damage, applied to `input` one after the other.
pub fn mutate(rng: &mut Rng, input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 + rng.below(4) {
        damage(rng, &mut bytes);
    }
    bytes
}

fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    match rng.below(16) {
        // Headers decide the most, so half of all bit flips and byte edits aim at the first 128 bytes.
        0..=3 => flip_bits(rng, bytes),
        4..=5 => set_bytes(rng, bytes),
        6..=7 => set_integer(rng, bytes),
        8 => bytes.truncate(rng.below(bytes.len() + 1)),
        9 => splice(rng, bytes),
        10 => remove_range(rng, bytes),
        11 => insert_random(rng, bytes),
        12..=14 => edit_token(rng, bytes),
        _ => replace_by_noise(rng, bytes),
    }
}

fn position(rng: &mut Rng, bytes: &[u8]) -> usize {
    let reach = if rng.below(2) == 0 { bytes.len().min(128) } else { bytes.len() };
    rng.below(reach)
}

fn flip_bits(rng: &mut Rng, bytes: &mut [u8]) {
    for _ in 0..1 + rng.below(8) {
        let at = position(rng, bytes);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << rng.below(8);
        }
    }
}

fn set_bytes(rng: &mut Rng, bytes: &mut [u8]) {
    for _ in 0..1 + rng.below(8) {
        let (at, value) = (position(rng, bytes), rng.byte());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = value;
        }
    }
}

/// Puts a number that breaks size arithmetic where a header may keep a size, in either byte order.
fn set_integer(rng: &mut Rng, bytes: &mut [u8]) {
    const NASTY: [u64; 12] = [
        0,
        1,
        2,
        0x7F,
        0xFF,
        0x7FFF,
        0xFFFF,
        0x1_0000,
        0x7FFF_FFFF,
        0xFFFF_FFFF,
        0x7FFF_FFFF_FFFF_FFFF,
        0xFFFF_FFFF_FFFF_FFFF,
    ];
    let value = NASTY[rng.below(NASTY.len())];
    let length = [2, 4, 4, 8][rng.below(4)];
    let at = position(rng, bytes);
    let little = value.to_le_bytes();
    let Some(target) = bytes.get_mut(at..at + length) else { return };
    target.copy_from_slice(&little[..length]);
    if rng.below(2) == 0 {
        target.reverse();
    }
}

fn splice(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let range = range(rng, bytes.len());
    let piece = bytes[range].to_vec();
    let at = rng.below(bytes.len() + 1);
    if rng.below(2) == 0 {
        bytes.splice(at..at, piece);
    } else {
        let end = (at + piece.len()).min(bytes.len());
        bytes.splice(at..end, piece);
    }
}

fn remove_range(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let range = range(rng, bytes.len());
    bytes.drain(range);
}

fn insert_random(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let at = rng.below(bytes.len() + 1);
    let noise: Vec<u8> = (0..1 + rng.below(16)).map(|_| rng.byte()).collect();
    bytes.splice(at..at, noise);
}

/// Replaces one whitespace-separated word. On binary files this rewrites an arbitrary stretch, which is as good.
fn edit_token(rng: &mut Rng, bytes: &mut Vec<u8>) {
    const TOKENS: [&str; 20] = [
        "",
        "0",
        "-1",
        "1e39",
        "-1e400",
        "nan",
        "inf",
        "-0",
        "4294967296",
        "99999999999999999999999",
        "0x10",
        "1/0/0",
        "//",
        "-2147483648",
        "ncols",
        "facet",
        "end_header",
        "\u{FFFD}",
        "\0",
        "\"}]",
    ];
    let at = position(rng, bytes);
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    let start = bytes[..at].iter().rposition(is_space).map_or(0, |space| space + 1);
    let end = bytes[at..].iter().position(is_space).map_or(bytes.len(), |space| at + space);
    // Without a limit one edit in a binary file could swallow most of it.
    let end = end.min(start + 24).max(start);
    bytes.splice(start..end, rng.pick(&TOKENS).bytes());
}

fn replace_by_noise(rng: &mut Rng, bytes: &mut Vec<u8>) {
    // Half of the time the magic number at the front survives, so that the parser gets past its first check.
    let kept = rng.below(2) * bytes.len().min(8);
    bytes.truncate(kept);
    bytes.extend((0..rng.below(512)).map(|_| rng.byte()));
}

/// A random range of at most 64 bytes, inside `0..length`.
fn range(rng: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let start = rng.below(length + 1);
    start..(start + rng.below(65)).min(length)
}

/// Gives all chunks of a damaged PNG true checksums, as far as its chunks can still be followed.
pub fn repair_png_checksums(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4) {
        let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
        let Some(chunk) = bytes.get(at + 4..at + 8 + length) else { return };
        let checksum = crc32(chunk).to_be_bytes();
        let Some(target) = bytes.get_mut(at + 8 + length..at + 12 + length) else { return };
        target.copy_from_slice(&checksum);
        at += 12 + length;
    }
}

/// The checksum of PNG (ISO 3309), bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)))
}
