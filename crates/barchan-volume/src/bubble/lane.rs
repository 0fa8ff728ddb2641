//! The number types that sums are made in. Arithmetic wraps: what is summed ends below the type's end, whatever
//! differences lie in between.

/// Voxels side by side in one row of sums.
pub(super) const LANES: usize = 64;

/// A number of a row of sums.
pub(super) trait Lane: Copy + Default + PartialEq + Send + Sync + 'static {
    /// The largest number it holds.
    const MAX: u64;

    /// The number modulo the end of the type.
    fn wrapped(value: i64) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;

    /// Turns a row into its running sums.
    fn run(row: &mut [Self]) {
        let mut sum = Self::default();
        for value in row {
            sum = sum.plus(*value);
            *value = sum;
        }
    }
}

macro_rules! lane {
    ($number:ty $(, $run:item)?) => {
        impl Lane for $number {
            const MAX: u64 = <$number>::MAX as u64;

            #[inline(always)]
            fn wrapped(value: i64) -> Self {
                value as $number
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            $($run)?
        }
    };
}

lane!(
    u8,
    /// Eight at a time: times 1 + 2⁸ + 2¹⁶ + … adds to every byte all bytes below it. No byte carries into the next, as
    /// a row of ones is shorter than 256.
    #[inline(always)]
    fn run(row: &mut [Self]) {
        const ALL: u64 = 0x0101_0101_0101_0101;
        let mut below = 0;
        let (words, rest) = row.as_chunks_mut::<8>();
        for word in words {
            let sums = u64::from_le_bytes(*word).wrapping_mul(ALL).wrapping_add(below * ALL);
            *word = sums.to_le_bytes();
            below = sums >> 56;
        }
        let mut sum = below as u8;
        for value in rest {
            sum = sum.wrapping_add(*value);
            *value = sum;
        }
    }
);
lane!(u16);
lane!(u32);
lane!(u64);
