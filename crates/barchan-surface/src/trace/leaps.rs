//! How far rays may leap: from each cube of four cells, how many cubes away the nearest with surface is.

use glam::IVec3;
use rustc_hash::FxHashMap;

use super::field::{BRICKS, LEAPS};

/// Cubes along the edge of a chunk.
const EDGE: usize = 16;
/// Cubes along the edge of a chunk and its neighbours.
const AROUND: usize = 3 * EDGE;
/// The furthest leap: what lies beyond the neighbours of a chunk is not looked at.
const FURTHEST: u8 = EDGE as u8;

/// Which cubes of a chunk have surface: for each x and y, one bit for each z.
pub(super) type Occupied = [[u16; EDGE]; EDGE];

/// Which cubes of four cells have surface, by the cubes of two cells that have it, brick by brick.
pub(super) fn occupied(surface: &[u64; BRICKS]) -> Occupied {
    let mut occupied = [[0; EDGE]; EDGE];
    for (at, small) in surface.iter().enumerate().filter(|(_, small)| **small != 0) {
        let [x, y, z] = [at >> 6, at >> 3 & 7, at & 7].map(|brick| brick * 2);
        for (dx, dy) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            // Two cubes above each other, each of 2x2x2 small ones.
            let pair = small >> (dx << 5 | dy << 3);
            let bits = u16::from(pair & 0x0033_0033 != 0) | u16::from(pair & 0x00cc_00cc != 0) << 1;
            occupied[x + dx][y + dy] |= bits << z;
        }
    }
    occupied
}

/// The leaps of chunk `key`; `all`: which cubes of all chunks have surface.
pub(super) fn leaps(all: &FxHashMap<IVec3, Occupied>, key: IVec3) -> Box<[u8; LEAPS]> {
    let mut near = gather(all, key);
    let mut leaps = Box::new([FURTHEST; LEAPS]);
    let mut waiting = [[u16::MAX; EDGE]; EDGE];
    for distance in 0..FURTHEST {
        for (x, rows) in waiting.iter_mut().enumerate() {
            for (y, row) in rows.iter_mut().enumerate() {
                let mut reached = (near[EDGE + x][EDGE + y] >> EDGE) as u16 & *row;
                *row &= !reached;
                while reached != 0 {
                    leaps[(x * EDGE + y) * EDGE + reached.trailing_zeros() as usize] = distance;
                    reached &= reached - 1;
                }
            }
        }
        if waiting.as_flattened().iter().all(|row| *row == 0) {
            break;
        }
        spread(&mut near);
    }
    leaps
}

/// For each x and y of a chunk and its neighbours, one bit for each z.
type Near = [[u64; AROUND]; AROUND];

fn gather(all: &FxHashMap<IVec3, Occupied>, key: IVec3) -> Near {
    let mut near = [[0; AROUND]; AROUND];
    for n in 0..27 {
        let [dx, dy, dz] = [n / 9, n / 3 % 3, n % 3];
        let Some(occupied) = all.get(&(key + IVec3::new(dx as i32, dy as i32, dz as i32) - 1)) else {
            continue;
        };
        for (x, rows) in occupied.iter().enumerate() {
            for (y, row) in rows.iter().enumerate() {
                near[dx * EDGE + x][dy * EDGE + y] |= u64::from(*row) << (dz * EDGE);
            }
        }
    }
    near
}

/// Marks all neighbours of what is marked, across faces, edges and corners.
fn spread(near: &mut Near) {
    for rows in near.iter_mut() {
        let along_z = rows.map(|row| row | row << 1 | row >> 1);
        *rows = along_z;
        for y in 1..AROUND {
            rows[y] |= along_z[y - 1];
            rows[y - 1] |= along_z[y];
        }
    }
    let before = *near;
    for x in 1..AROUND {
        for y in 0..AROUND {
            near[x][y] |= before[x - 1][y];
            near[x - 1][y] |= before[x][y];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leap_ends_before_the_nearest_surface() {
        let mut all = FxHashMap::default();
        let marked = [IVec3::new(3, 4, 5), IVec3::new(-2, 19, 1), IVec3::new(22, -7, 25)];
        for cube in marked {
            let occupied: &mut Occupied = all.entry(cube >> 4).or_default();
            let [x, y, z] = (cube & 15).to_array();
            occupied[x as usize][y as usize] |= 1 << z;
        }
        let leaps = leaps(&all, IVec3::ZERO);
        for at in 0..LEAPS {
            let cube = IVec3::new(at as i32 >> 8, at as i32 >> 4 & 15, at as i32 & 15);
            let nearest = marked.iter().map(|other| (cube - *other).abs().max_element()).min();
            assert_eq!(Some(i32::from(leaps[at])), nearest.map(|far| far.min(16)), "{cube}");
        }
    }

    #[test]
    fn small_cubes_mark_the_larger_ones_they_lie_in() {
        let mut surface = [0; BRICKS];
        // The last small cube of brick (1, 2, 3).
        surface[1 << 6 | 2 << 3 | 3] = 1 << 63;
        let occupied = occupied(&surface);
        for (x, rows) in occupied.iter().enumerate() {
            for (y, row) in rows.iter().enumerate() {
                assert_eq!(*row, if [x, y] == [3, 5] { 1 << 7 } else { 0 }, "{x} {y}");
            }
        }
    }
}
