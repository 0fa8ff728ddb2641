//! Vectors of sixteen lanes, the same bits on every CPU.
//!
//! No sum crosses lanes but by [`SimdBase::reduce_sum`](fearless_simd::SimdBase), whose order is fixed; products
//! and sums are never fused. So a CPU that works on four lanes at a time computes what one with sixteen does.
//!
//! Inner loops are functions marked `#[inline(always)]` over `S: Simd`, entered by [`dispatch`]. A closure in such
//! a loop is compiled for the plainest CPU, and is ten times slower.

pub use fearless_simd::{Level, Simd, dispatch, f32x4, f32x16, i32x16, mask32x16, prelude, u32x16};

/// Lanes of a vector.
pub const LANES: usize = 16;

/// All levels that this CPU can work at, the plainest first.
#[must_use]
pub fn levels() -> Vec<(&'static str, Level)> {
    let best = Level::new();
    #[cfg(target_arch = "x86_64")]
    let known = [
        ("sse2", best.as_sse2().map(Level::Sse2)),
        ("sse4.2", best.as_sse4_2().map(Level::Sse4_2)),
        ("avx2", best.as_avx2().map(Level::Avx2)),
        ("avx512", best.as_avx512().map(Level::Avx512)),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let known = [("baseline", Some(Level::baseline())), ("best", Some(best))];
    known.into_iter().filter_map(|(name, level)| Some((name, level?))).collect()
}
