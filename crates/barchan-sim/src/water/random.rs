//! Chance without a memory: the same question gives the same number, on every machine and in any order.

/// Where numbers by chance come from: the seed of the world and what they are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    key: u64,
}

impl Chance {
    /// Of a world's `seed`, for one `use_` at one moment.
    pub fn new(seed: u64, use_: u64, moment: u64) -> Self {
        Self { key: mixed(mixed(seed ^ 0x57A7_E12B).wrapping_add(use_)).wrapping_add(moment) }
    }

    /// The number of this `question`, from 0 up to 1, without 1.
    #[inline]
    pub fn share(self, question: u64) -> f64 {
        (mixed(mixed(self.key).wrapping_add(question)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// SplitMix64 (Steele2014).
#[inline]
fn mixed(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
