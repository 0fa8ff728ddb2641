//! The field whose zero level is the surface: fill, reshaped so that slopes are smooth.
//!
//! The fill of heaped ground is full below the top of a column, empty above, and a fraction in one voxel. Meshed as it
//! is, every step between columns shows. Here each sample instead gets its height below or above the nearest
//! top or ceiling in its column, which is exact: a plane of any slope then meshes as that plane. Where a wall is
//! steeper than the reach of that height, the fill itself takes over. The sign is always that of fill - 0.5, so nothing
//! appears, vanishes or joins by the reshaping.

use barchan_volume::brick::{EDGE, voxel_index};
use barchan_volume::{Brick, VoxelBox};
use glam::{IVec3, Vec3};

use super::band::Band;
use super::content::{FULL, HALF, Holds};
use super::lattice::{Bricks, Lattice};

/// Field units in one sample distance.
const ONE: i32 = 4096;
/// How far from a top or ceiling the height is kept (samples).
const REACH: i32 = 3;
/// The smallest size of a value: a sample exactly on the level would make triangles without area.
const LEAST: i32 = ONE / 256;
/// The largest size of a value.
const MOST: i32 = REACH * ONE;
/// Samples above and below a sample on which its value depends.
pub(super) const UPRIGHT_REACH: i32 = REACH + 1;

/// Values at the samples of a box.
#[derive(Default)]
pub(super) struct Field {
    /// Lowest sample.
    pub min: IVec3,
    /// Lowest sample that has a value.
    first: IVec3,
    /// Samples with values along y and z.
    sy: usize,
    sz: usize,
    /// Value of each sample that has one, z fastest: positive inside the ground.
    values: Vec<i16>,
    /// For each column a bit for each sample inside the ground.
    inside: Vec<u128>,
    fills: Vec<u16>,
}

impl Field {
    /// Makes this the field over `region`, at most 120 samples high, from `bricks` that cover [`Field::needs`].
    pub(super) fn fill_from<T: Holds>(
        &mut self,
        region: VoxelBox,
        lattice: &Lattice<'_, T>,
        bricks: &Bricks<'_, T>,
    ) {
        self.fill_band(region, Band::whole(region), lattice, bricks);
    }

    /// The same with values only where there is a surface, and beside it.
    pub(super) fn fill_near_surface<T: Holds>(
        &mut self,
        region: VoxelBox,
        lattice: &Lattice<'_, T>,
        bricks: &Bricks<'_, T>,
    ) {
        self.fill_band(region, Band::of(region, lattice, bricks), lattice, bricks);
    }

    fn fill_band<T: Holds>(
        &mut self,
        region: VoxelBox,
        band: Band,
        lattice: &Lattice<'_, T>,
        bricks: &Bricks<'_, T>,
    ) {
        let tall = Self::needs(band.part);
        let known = lattice.clip(tall);
        let ([sx, sy, sz], [_, _, height]) = (band.part.size(), tall.size());
        (self.min, self.first, self.sy, self.sz) = (region.min, band.part.min, sy, sz);
        self.fills.clear();
        self.fills.resize(sx * sy * height, 0);
        read_fills(tall, known, lattice, bricks, &mut self.fills);
        extend(tall, known, lattice.ground(tall), &mut self.fills);
        let below = (band.part.min.z - region.min.z) as usize;
        let bits = |inside: bool, from: usize, to: usize| if inside { ones(to) & !ones(from) } else { 0 };
        let beyond = bits(band.inside[0], 0, below) | bits(band.inside[1], below + sz, region.size()[2]);
        self.inside.clear();
        self.values.resize(sx * sy * sz, 0);
        let columns = self.fills.chunks_exact(height).zip(self.values.chunks_exact_mut(sz));
        let smooth = lattice.options.smooth;
        self.inside.extend(columns.map(|(fills, values)| reshape(fills, values, smooth) << below | beyond));
    }

    /// True when all samples of `region` are certainly on the same side of the level, by a look at whole bricks.
    pub(super) fn is_one_sided<T: Holds>(
        region: VoxelBox,
        lattice: &Lattice<'_, T>,
        bricks: &Bricks<'_, T>,
    ) -> bool {
        let known = lattice.clip(region);
        let over_top = lattice.inside.is_some_and(|inside| region.max.z > inside.max.z);
        let into_air = over_top || lattice.ground(region) != region;
        let mut side = (into_air || known.is_empty()).then_some(false);
        known
            .to_bricks()
            .cells()
            .all(|coord| bricks.side(coord, lattice).is_some_and(|here| *side.get_or_insert(here) == here))
    }

    /// The samples on which the field over `region` depends.
    pub(super) fn needs(region: VoxelBox) -> VoxelBox {
        let up = IVec3::new(0, 0, UPRIGHT_REACH);
        VoxelBox::new(region.min - up, region.max + up)
    }

    /// Bits of the column at `x`, `y` (samples above `min`): which of its samples are inside.
    #[inline]
    pub(super) fn column(&self, x: usize, y: usize) -> u128 {
        self.inside[x * self.sy + y]
    }

    /// Place of a sample in the arrays.
    #[inline]
    pub(super) fn index(&self, p: IVec3) -> usize {
        let d = p - self.first;
        (d.x as usize * self.sy + d.y as usize) * self.sz + d.z as usize
    }

    /// Distance in the arrays from a sample to the next along each axis.
    #[inline]
    pub(super) fn strides(&self) -> [usize; 3] {
        [self.sy * self.sz, self.sz, 1]
    }

    /// The value of a sample.
    #[inline]
    pub(super) fn value(&self, index: usize) -> i32 {
        i32::from(self.values[index])
    }

    /// Where between two samples of opposite sign the surface lies (1/65,536), away from both. Always an odd number, so
    /// that vertices of different levels on one line never meet by chance.
    #[inline]
    pub(super) fn crossing(low: i32, high: i32) -> u32 {
        let (low, high) = (low.unsigned_abs(), high.unsigned_abs());
        ((low << 16) / (low + high)).clamp(256, 65_280) | 1
    }

    /// The direction out of the ground at a sample, not of length one. All neighbours must be in the box.
    #[inline]
    pub(super) fn outward(&self, index: usize) -> Vec3 {
        let across = |stride: usize| (self.value(index - stride) - self.value(index + stride)) as f32;
        let [x, y, z] = self.strides();
        Vec3::new(across(x), across(y), across(z))
    }
}

/// Reads the fills of `known` into the array of `tall`.
fn read_fills<T: Holds>(
    tall: VoxelBox,
    known: VoxelBox,
    lattice: &Lattice<'_, T>,
    bricks: &Bricks<'_, T>,
    fills: &mut [u16],
) {
    let fill_of = |held: T| held.content(lattice.materials).of(lattice.options.phases).fill();
    let [_, rows, height] = tall.size();
    for coord in known.to_bricks().cells() {
        let Some(brick) = bricks.stored(coord) else { continue };
        let part = VoxelBox::new(coord * EDGE, (coord + IVec3::ONE) * EDGE).intersect(&known);
        let length = (part.max.z - part.min.z) as usize;
        let first = tall.index(part.min);
        for x in 0..(part.max.x - part.min.x) as usize {
            for y in 0..(part.max.y - part.min.y) as usize {
                let run = &mut fills[first + (x * rows + y) * height..][..length];
                match brick {
                    // Most runs are as long as a brick, which is one store.
                    Brick::Uniform(held) => match <&mut [u16; EDGE as usize]>::try_from(&mut *run) {
                        Ok(whole) => *whole = [fill_of(*held); EDGE as usize],
                        Err(_) => run.fill(fill_of(*held)),
                    },
                    Brick::Dense(held) => {
                        let bottom = voxel_index(part.min + IVec3::new(x as i32, y as i32, 0));
                        let held = &held[bottom..][..length];
                        run.iter_mut().zip(held).for_each(|(fill, held)| *fill = fill_of(*held));
                    }
                }
            }
        }
    }
}

/// Repeats what is at the floor below it, then what is at the walls beyond them, as far as there is `ground`.
fn extend(tall: VoxelBox, known: VoxelBox, ground: VoxelBox, fills: &mut [u16]) {
    if known == ground || known.is_empty() {
        return;
    }
    let height = tall.size()[2];
    let [bottom, beneath] = [ground, known].map(|part| (part.min.z - tall.min.z) as usize);
    let column = |x: i32, y: i32| tall.index(IVec3::new(x, y, tall.min.z));
    for x in known.min.x..known.max.x {
        for y in known.min.y..known.max.y {
            let at = column(x, y);
            let floor = fills[at + beneath];
            fills[at + bottom..at + beneath].fill(floor);
        }
    }
    for x in ground.min.x..ground.max.x {
        for y in ground.min.y..ground.max.y {
            let near = [x.clamp(known.min.x, known.max.x - 1), y.clamp(known.min.y, known.max.y - 1)];
            if near != [x, y] {
                let from = column(near[0], near[1]);
                fills.copy_within(from..from + height, column(x, y));
            }
        }
    }
}

/// As many bits.
fn ones(count: usize) -> u128 {
    (1 << count) - 1
}

/// The values of one column from its fills, which go [`UPRIGHT_REACH`] samples further at both ends. Returns a bit for
/// each value inside. Values that are not to be `smooth` are those of the fill itself.
fn reshape(fills: &[u16], values: &mut [i16], smooth: bool) -> u128 {
    const MARGIN: usize = UPRIGHT_REACH as usize;
    for (value, fill) in values.iter_mut().zip(&fills[MARGIN..]) {
        *value = bare(*fill);
    }
    let mask = inside_bits(fills);
    let mut crossings = if smooth { (mask ^ mask >> 1) & ones(fills.len() - 2) & !1 } else { 0 };
    while crossings != 0 {
        let below = crossings.trailing_zeros() as usize;
        crossings &= crossings - 1;
        let top = height_above(&fills[below - 1..below + 3]);
        let low = (below + 1).saturating_sub(REACH as usize).max(MARGIN);
        for at in low..(below + 1 + REACH as usize).min(MARGIN + values.len()) {
            let value = &mut values[at - MARGIN];
            let distance = (top - (at as i32 - below as i32) * ONE).abs().max(LEAST) as i16;
            *value = if *value > 0 { (*value).min(distance) } else { (*value).max(-distance) };
        }
    }
    mask >> MARGIN & ones(values.len())
}

/// The value of a fill by itself: from -[`MOST`] where there is nothing to [`MOST`] where it is full.
#[inline]
fn bare(fill: u16) -> i16 {
    // Three quarters of what is above a half, in 16 bits, so that eight go at once.
    const { assert!(4 * MOST == 3 * HALF as i32) };
    let above = fill.wrapping_sub(HALF) as i16;
    let value = above - (above >> 2);
    if above >= 0 { value.max(LEAST as i16) } else { value.min(-LEAST as i16) }
}

/// A bit for each fill on or above the level.
#[inline]
fn inside_bits(fills: &[u16]) -> u128 {
    // A fill is inside when either of its two upper bits is set.
    const { assert!(HALF == 1 << 14 && FULL == 1 << 15) };
    let bits = |four: &[u16]| {
        let word = four.iter().rev().fold(0_u64, |word, fill| word << 16 | u64::from(*fill));
        let inside = (word | word << 1) >> 15 & 0x0001_0001_0001_0001;
        // Brings bits 0, 16, 32 and 48 side by side to bit 48.
        inside.wrapping_mul(1 << 48 | 1 << 33 | 1 << 18 | 1 << 3) >> 48 & 15
    };
    let word = |fills: &[u16]| {
        let (fours, rest) = fills.as_chunks::<4>();
        let mask = fours.iter().rev().fold(bits(rest), |mask, four| mask << 4 | bits(four));
        u128::from(mask)
    };
    let (low, high) = fills.split_at(fills.len().min(64));
    word(low) | word(high) << 64
}

/// Height of the surface between the second and the third of four fills above each other, above the middle of the
/// second (field units).
fn height_above(fills: &[u16]) -> i32 {
    let fill = |at: usize| f32::from(fills[at]) / f32::from(FULL);
    let is_top = fills[1] >= HALF;
    // A ceiling is a top upside down.
    let [deep, in_ground, in_air, far] = if is_top { [0, 1, 2, 3] } else { [3, 2, 1, 0] }.map(fill);
    // All that is in the two voxels, heaped up: exact where the ground is full below and empty above.
    let heaped = in_ground + in_air - 0.5;
    let unclear = (2.0 * (1.0 - deep).max(far)).min(1.0);
    let straight = || (in_ground - 0.5) / (in_ground - in_air);
    let from_ground = if unclear > 0.0 { heaped + (straight() - heaped) * unclear } else { heaped };
    let up = if is_top { from_ground } else { 1.0 - from_ground };
    (up * ONE as f32) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(fills: &[f32]) -> Vec<i16> {
        let shares: Vec<u16> = fills.iter().map(|fill| (fill * f32::from(FULL)) as u16).collect();
        let mut values = vec![0; shares.len() - 2 * UPRIGHT_REACH as usize];
        reshape(&shares, &mut values, true);
        values
    }

    #[test]
    fn heaped_ground_gives_its_height() {
        for top in [7.0_f32, 7.25, 7.5, 7.75, 8.0] {
            let fills: Vec<f32> = (0..16).map(|z| (top - z as f32).clamp(0.0, 1.0)).collect();
            for (at, value) in column(&fills).into_iter().enumerate() {
                let z = at as f32 + UPRIGHT_REACH as f32 + 0.5;
                let expected = ((top - z) * ONE as f32).clamp(-MOST as f32, MOST as f32);
                assert!((f32::from(value) - expected).abs() <= LEAST as f32, "{top} {z}: {value} {expected}");
            }
        }
    }

    #[test]
    fn a_shelf_of_one_voxel_keeps_its_thickness() {
        let mut fills = [0.0; 16];
        fills[7] = 1.0;
        let values = column(&fills);
        assert_eq!(values[7 - UPRIGHT_REACH as usize], (ONE / 2) as i16);
        assert_eq!(values[8 - UPRIGHT_REACH as usize], (-ONE / 2) as i16);
    }

    #[test]
    fn a_wall_without_top_keeps_the_fill() {
        assert!(column(&[0.25; 16]).iter().all(|value| i32::from(*value) == -MOST / 2));
    }
}
