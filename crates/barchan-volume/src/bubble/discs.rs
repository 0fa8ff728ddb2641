//! The sums of a tile: slice by slice along x, rows to discs, discs to counts.

use super::lane::{LANES, Lane};
use super::plan::{Batch, BatchDisc, Plan};
use super::profile::sum_rows;
use super::tile::Tile;

/// Bytes that the rows of a batch may take: a half of the second cache of common processors.
const ROW_BYTES: usize = 512 << 10;

/// Sums of rows in `R`, of discs in `D`, of bubbles in `C`: each as narrow as the bubble allows.
pub(super) struct Discs<R, D, C> {
    /// Voxels along x and y.
    size: [usize; 2],
    radii: [usize; 3],
    batches: Vec<Batch>,
    volume: u64,
    full: u64,
    slice: Slice<R>,
    rows: Vec<[R; LANES]>,
    counts: Vec<[C; LANES]>,
    disc: [D; LANES],
}

/// The running sums of one slice, with one 0 before each row.
struct Slice<R> {
    running: Vec<R>,
    length: usize,
    /// How many rows up to each are all empty, and how many all full.
    empty: Vec<u32>,
    full: Vec<u32>,
}

impl<R: Lane, D: Lane + From<R>, C: Lane + From<D> + Into<u64>> Discs<R, D, C> {
    /// Sums of tiles of `size` voxels along x and y.
    pub fn new(plan: &Plan, size: [usize; 2], full: u16) -> Self {
        let radii = plan.radii;
        let height = size[1] + 2 * radii[1];
        let profile_limit = ROW_BYTES / (height * LANES * size_of::<R>());
        let batches = plan.batches(profile_limit, R::MAX / u64::from(full.max(1)));
        let profiles = batches.iter().map(|batch| batch.profiles.len()).max().unwrap_or(0);
        let length = LANES + 2 * radii[2];
        Self {
            size,
            radii,
            volume: plan.volume,
            full: u64::from(full),
            slice: Slice {
                running: vec![R::default(); height * (length + 1)],
                length: length + 1,
                empty: vec![0; height + 1],
                full: vec![0; height + 1],
            },
            rows: vec![[R::default(); LANES]; height * profiles],
            counts: vec![[C::default(); LANES]; size[0] * size[1]],
            batches,
            disc: [D::default(); LANES],
        }
    }

    /// The count around a voxel in the midst of voxels that all count `value`.
    pub fn same(&self, value: u16) -> u64 {
        self.volume * u64::from(value)
    }

    /// Sums the bubbles around `size` voxels along x and y of a tile that reaches a radius further to each side.
    #[inline(always)]
    pub fn sum(&mut self, tile: &Tile<R>, size: [usize; 2]) {
        self.counts.fill([C::default(); LANES]);
        let batches = std::mem::take(&mut self.batches);
        for x in 0..size[0] + 2 * self.radii[0] {
            let height = size[1] + 2 * self.radii[1];
            if !self.slice.read(tile, x, height, self.full) {
                continue;
            }
            for batch in &batches {
                self.sum_rows(batch, height);
                for disc in &batch.discs {
                    self.sum_disc(disc, x, size, height);
                }
            }
        }
        self.batches = batches;
    }

    /// The counts of the row at `x` and `y`.
    pub fn counts(&self, x: usize, y: usize) -> &[C; LANES] {
        &self.counts[x * self.size[1] + y]
    }

    #[inline(always)]
    fn sum_rows(&mut self, batch: &Batch, height: usize) {
        for y in 0..height {
            let running = self.slice.row(y);
            let rows = &mut self.rows;
            sum_rows(&batch.profiles, running, self.radii[2], |slot, sum| rows[slot * height + y] = sum);
        }
    }

    /// Adds a disc of slice `x` to the counts of the slices that see it there.
    #[inline(always)]
    fn sum_disc(&mut self, disc: &BatchDisc, x: usize, size: [usize; 2], height: usize) {
        for y in 0..size[1] {
            match self.slice.same(y, y + 2 * self.radii[1] + 1) {
                Some(false) => continue,
                Some(true) => self.disc = [D::wrapped((disc.volume * self.full) as i64); LANES],
                None => self.disc = sum_groups(&self.rows, disc, y, height),
            }
            for offset in &disc.offsets {
                let Some(to) = (x as i64 - self.radii[0] as i64).checked_sub(i64::from(*offset)) else {
                    continue;
                };
                if (0..size[0] as i64).contains(&to) {
                    let counts = &mut self.counts[to as usize * self.size[1] + y];
                    for z in 0..LANES {
                        counts[z] = counts[z].plus(C::from(self.disc[z]));
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn sum_groups<R: Lane, D: Lane + From<R>>(
    rows: &[[R; LANES]],
    disc: &BatchDisc,
    y: usize,
    height: usize,
) -> [D; LANES] {
    let mut sum = [D::default(); LANES];
    for group in &disc.groups {
        let mut part = [R::default(); LANES];
        for &(dy, slot) in &disc.rows[group.clone()] {
            let row = &rows[slot * height + y + dy];
            for z in 0..LANES {
                part[z] = part[z].plus(row[z]);
            }
        }
        for z in 0..LANES {
            sum[z] = sum[z].plus(D::from(part[z]));
        }
    }
    sum
}

impl<R: Lane> Slice<R> {
    /// Reads slice `x` of a tile. False when it is empty.
    #[inline(always)]
    fn read(&mut self, tile: &Tile<R>, x: usize, height: usize, full: u64) -> bool {
        let all = R::wrapped((full * (self.length as u64 - 1)) as i64);
        for y in 0..height {
            let start = y * self.length;
            let row = &mut self.running[start + 1..start + self.length];
            row.copy_from_slice(tile.row(x, y));
            R::run(row);
            let last = row[row.len() - 1];
            self.empty[y + 1] = self.empty[y] + u32::from(last == R::default());
            self.full[y + 1] = self.full[y] + u32::from(last == all);
        }
        (self.empty[height] as usize) < height
    }

    fn row(&self, y: usize) -> &[R] {
        &self.running[y * self.length..(y + 1) * self.length]
    }

    /// Whether the rows `from..to` are all full, or all empty.
    fn same(&self, from: usize, to: usize) -> Option<bool> {
        let rows = (to - from) as u32;
        if self.empty[to] - self.empty[from] == rows {
            Some(false)
        } else if self.full[to] - self.full[from] == rows {
            Some(true)
        } else {
            None
        }
    }
}
