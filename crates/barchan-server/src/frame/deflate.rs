//! Making bytes fewer: raw deflate (RFC 1951), alone or after bytes that the other side has already.

use flate2::{Compress, Compression, FlushCompress};

/// How hard it tries: more takes longer than the bytes it saves are worth on the same machine.
const LEVEL: u32 = 6;

/// Deflates one thing after the other.
#[derive(Debug)]
pub struct Deflater {
    compress: Compress,
}

impl Default for Deflater {
    fn default() -> Self {
        Self { compress: Compress::new(Compression::new(LEVEL), false) }
    }
}

impl Deflater {
    /// `bytes` for somebody who knows `known`: what both have in common costs next to nothing.
    pub fn deflate(&mut self, bytes: &[u8], known: &[u8]) -> Vec<u8> {
        self.compress.reset();
        if !known.is_empty() {
            self.compress.set_dictionary(known).expect("nothing was compressed yet");
        }
        let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
        loop {
            let taken = self.compress.total_in() as usize;
            let status = self.compress.compress_vec(&bytes[taken..], &mut out, FlushCompress::Finish);
            match status.expect("a sound stream") {
                flate2::Status::StreamEnd => return out,
                _ => out.reserve(out.capacity().max(64)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Decompress, FlushDecompress};

    use super::*;

    #[test]
    fn what_is_known_costs_next_to_nothing() {
        let mut dice = 1_u32;
        let mut toss = |_| {
            dice ^= dice << 13;
            dice ^= dice >> 17;
            dice ^= dice << 5;
            dice as u8
        };
        let known: Vec<u8> = (0..8000).map(&mut toss).collect();
        let mut bytes = known.clone();
        bytes.splice(4000..4010, [7; 25]);
        let mut deflater = Deflater::default();
        for _ in 0..2 {
            let alone = deflater.deflate(&bytes, &[]);
            let after = deflater.deflate(&bytes, &known);
            assert!(alone.len() > 7000 && after.len() < 200, "{} {}", alone.len(), after.len());
            let mut inflate = Decompress::new(false);
            inflate.set_dictionary(&known).unwrap();
            let mut back = Vec::with_capacity(bytes.len() + 1);
            inflate.decompress_vec(&after, &mut back, FlushDecompress::Finish).unwrap();
            assert_eq!(back, bytes);
        }
    }
}
