//! How heights become 16-bit samples, and back.

use super::heightmap::{HeightScale, Heightmap};

/// The straight line from 16-bit samples to heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SixteenBit {
    /// The height of sample 0 (m, or a fraction).
    pub black: f64,
    /// The height of sample 65,535 (m, or a fraction).
    pub white: f64,
    /// The lowest sample that stands for a height: 1 where 0 means no data.
    pub lowest: u16,
}

impl SixteenBit {
    /// Fractions 0..1 over all samples.
    pub const UNIT: Self = Self { black: 0.0, white: 1.0, lowest: 0 };

    /// The line that spends all samples on the heights of `map`; with `keep_zero`, sample 0 stays free.
    pub fn for_map(map: &Heightmap, keep_zero: bool) -> Self {
        let lowest = u16::from(keep_zero);
        match (map.scale, map.range()) {
            (HeightScale::Metres, Some((low, high))) => {
                let (low, high) = (f64::from(low), f64::from(high));
                let step = (high - low) / f64::from(u16::MAX - lowest);
                Self { black: low - step * f64::from(lowest), white: high, lowest }
            }
            (HeightScale::Metres, None) => Self { black: 0.0, white: 0.0, lowest },
            (HeightScale::Unit, _) => Self { lowest, ..Self::UNIT },
        }
    }

    /// The sample nearest to `height`; 0 where there is no data.
    pub fn encode(&self, height: f32) -> u16 {
        let range = self.white - self.black;
        if height.is_nan() {
            return 0;
        }
        if range == 0.0 {
            return self.lowest;
        }
        let sample = ((f64::from(height) - self.black) / range * f64::from(u16::MAX)).round();
        // The cast saturates: a fraction outside 0..1 becomes the nearest that can be told.
        (sample as u16).max(self.lowest)
    }

    /// The height of `sample`.
    pub fn decode(&self, sample: u16) -> f32 {
        let fraction = f64::from(sample) / f64::from(u16::MAX);
        (self.black + fraction * (self.white - self.black)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metres(samples: Vec<f32>) -> Heightmap {
        Heightmap::from_north_first(samples.len(), 1, HeightScale::Metres, samples)
    }

    #[test]
    fn every_unit_sample_returns() {
        for sample in 0..=u16::MAX {
            assert_eq!(SixteenBit::UNIT.encode(SixteenBit::UNIT.decode(sample)), sample);
        }
    }

    #[test]
    fn metres_return_within_half_a_step_and_ends_exactly() {
        let map = metres((0..1000).map(|i| -300.0 + (i * i) as f32 * 0.01).collect());
        let (low, high) = map.range().unwrap();
        for keep_zero in [false, true] {
            let line = SixteenBit::for_map(&map, keep_zero);
            for &height in &map.samples {
                let sample = line.encode(height);
                assert!(sample >= u16::from(keep_zero));
                assert!((line.decode(sample) - height).abs() <= (high - low) / 65_534.0 * 0.501);
            }
            assert_eq!(line.decode(line.encode(high)), high);
        }
    }

    #[test]
    fn flat_and_empty_maps_have_a_line_too() {
        let flat = SixteenBit::for_map(&metres(vec![7.5; 4]), true);
        assert_eq!((flat.encode(7.5), flat.decode(flat.encode(7.5))), (1, 7.5));
        let empty = SixteenBit::for_map(&metres(vec![f32::NAN]), true);
        assert_eq!(empty.encode(f32::NAN), 0);
    }
}
