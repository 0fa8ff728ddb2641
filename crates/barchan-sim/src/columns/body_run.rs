//! Going up a column of the shares that bodies take, to where each body ends.

use crate::bodies::BODY_FULL;

/// Voxels of bodies right above each other in one column, as far as one has gone up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyRun {
    /// What bodies take of the voxel below, and of the one below that (1/32,768).
    pub last: u32,
    pub before: u32,
    /// The most that they take of one voxel, and of two neighbours.
    most: u32,
    most_of_two: u32,
}

impl BodyRun {
    /// Bodies fill all voxels so far.
    pub const SOLID: Self = {
        let full = BODY_FULL as u32;
        Self { last: full, before: full, most: full, most_of_two: full }
    };

    /// Goes up by a voxel of which bodies take `share`. The run that ends below it, if one does.
    #[inline]
    pub fn climb(&mut self, share: u16) -> Option<Self> {
        if share == 0 {
            return self.end();
        }
        let share = u32::from(share);
        let most = self.most.max(share);
        let most_of_two = self.most_of_two.max(self.last + share);
        *self = Self { last: share, before: self.last, most, most_of_two };
        None
    }

    /// There is no body in the next voxel.
    #[inline]
    pub fn end(&mut self) -> Option<Self> {
        let ended = std::mem::take(self);
        (ended.last > 0).then_some(ended)
    }

    /// True where it covers most of its column. A plate of one voxel may lie in two voxels, so either one must be covered by
    /// half or two by three quarters.
    pub fn covers_column(&self) -> bool {
        let full = u32::from(BODY_FULL);
        self.most >= full / 2 || self.most_of_two >= full * 3 / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runs of a column, each with the voxel above it.
    fn runs(shares: &[u16]) -> Vec<(usize, BodyRun)> {
        let mut run = BodyRun::default();
        shares.iter().enumerate().filter_map(|(z, share)| Some((z, run.climb(*share)?))).collect()
    }

    #[test]
    fn runs_end_where_voxels_are_free() {
        let found = runs(&[0, 9_000, BODY_FULL, 5_000, 0, 0, 7_000, 0]);
        let ends: Vec<_> = found.iter().map(|(z, run)| (*z, run.last, run.before)).collect();
        assert_eq!(ends, [(4, 5_000, u32::from(BODY_FULL)), (7, 7_000, 0)]);
    }

    #[test]
    fn a_thin_plate_covers_its_column_wherever_it_lies_in_its_voxels() {
        for (shares, covers) in [
            ([0, 16_384, 0], true),
            ([8_192, 16_384, 0], true),
            ([12_000, 12_576, 0], true),
            ([12_000, 12_575, 0], false),
            ([0, 16_383, 0], false),
        ] {
            assert_eq!(runs(&shares)[0].1.covers_column(), covers, "{shares:?}");
        }
    }
}
