//! One world of n voxels a side, and a block that crosses it.

use std::time::Instant;

use barchan_sim::bodies::{BodySpec, Key, Motion, Track};
use barchan_sim::{World, with_awake_workers};
use barchan_volume::{Pose, Shape, VoxelBox};
use glam::{IVec3, Vec3};

use crate::measure::median;
use crate::rest::{STEP_S, balance_units};
use crate::test_soil::{TestSoil, TooLarge, place};

const VOXEL_SIZE_M: f32 = 0.1;
/// Soil fills this share of the height.
const SOIL_SHARE: f32 = 0.4;
/// Of the way, this share passes before anything is measured: until a heap is there.
const WARM_UP: f64 = 0.2;
/// The rest of the way is measured in this many pieces.
const PIECES: usize = 12;
/// So many steps are measured at least, over as many runs as that takes, and so many runs.
const LEAST_STEPS: usize = 400;
const LEAST_RUNS: usize = 3;

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Crossing {
    pub n: usize,
    pub threads: usize,
    /// Time of a step (ms): median over the pieces.
    pub ms_per_step: f64,
    /// The same where each step takes as long as in the run in which it was fastest: without what else the machine did (ms);
    /// mean.
    pub undisturbed_ms: f64,
    /// Bricks awake after a step: mean.
    pub awake_bricks: f64,
    /// Soil that was pushed in a step (units): mean.
    pub pushed_units: f64,
    /// Passes in which it was handed on in a step: mean.
    pub passes: f64,
    /// Of every piece: passes in a step (mean), time of a step (ms).
    pub pieces_by_passes: Vec<[f64; 2]>,
    /// Of every piece, run by run: bricks awake (mean), time of a step (ms).
    pub pieces: Vec<[f64; 2]>,
    /// Off by so many units at the end, plus steps after which the books did not balance.
    pub balance_units: i64,
}

/// A piece of the way.
#[derive(Default)]
struct Piece {
    steps: usize,
    /// Time of each (s).
    seconds: Vec<f64>,
    pushed: i64,
    passes: u64,
    awake: usize,
}

/// Pushes a block across a world of `n` voxels a side, of soil with `phi_deg`, at `speed` (voxels per step), by each of these
/// numbers of threads.
///
/// They take turns, run by run: a shared machine is faster in one minute and slower in the next, and that must not tell them
/// apart.
pub(super) fn cross(
    n: usize,
    phi_deg: f64,
    speed: f64,
    threads: &[usize],
) -> Result<Vec<Crossing>, TooLarge> {
    let start = bed(n, phi_deg)?;
    let measured = way_steps(n, speed) - warm_up_steps(n, speed);
    let mut lanes: Vec<Lane> = threads.iter().map(|threads| Lane::new(*threads, measured)).collect();
    for _ in 0..LEAST_STEPS.div_ceil(measured).max(LEAST_RUNS) {
        lanes.iter_mut().for_each(|lane| lane.cross(with_block(&start, n, speed), warm_up_steps(n, speed)));
    }
    Ok(lanes.into_iter().map(|lane| lane.found(n)).collect())
}

/// Runs with one number of threads.
struct Lane {
    pool: rayon::ThreadPool,
    pieces: Vec<Piece>,
    /// Of each step the shortest time (s).
    fastest: Vec<f64>,
    off_balance: i64,
}

impl Lane {
    /// No run yet, in which so many steps will be measured.
    fn new(threads: usize, measured: usize) -> Self {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        Self { pool, pieces: Vec::new(), fastest: vec![f64::INFINITY; measured], off_balance: 0 }
    }

    /// Lets the block of `world` cross it; measures all but the first steps.
    fn cross(&mut self, world: World, warm_up: usize) {
        let Self { pool, pieces, fastest, off_balance } = self;
        let (first, measured) = (pieces.len(), fastest.len());
        let mut run = |mut world: World| {
            for _ in 0..warm_up {
                *off_balance += i64::from(!world.step(STEP_S).imbalance.is_zero());
            }
            for steps in piece_lengths(measured) {
                pieces.push(piece(&mut world, steps, off_balance));
            }
            *off_balance += balance_units(&world);
        };
        pool.install(|| with_awake_workers(|| run(world)));
        let seconds = pieces[first..].iter().flat_map(|piece| &piece.seconds);
        fastest.iter_mut().zip(seconds).for_each(|(fastest, seconds)| *fastest = fastest.min(*seconds));
    }

    /// What was measured in a world of `n` voxels a side.
    fn found(self, n: usize) -> Crossing {
        let Self { pool, pieces, fastest, off_balance } = self;
        let steps = pieces.iter().map(|p| p.steps).sum::<usize>() as f64;
        let times: Vec<_> = pieces.iter().map(|p| p.point(0.0)[1]).collect();
        Crossing {
            n,
            threads: pool.current_num_threads(),
            ms_per_step: median(&times).unwrap_or(f64::NAN),
            undisturbed_ms: 1e3 * fastest.iter().sum::<f64>() / fastest.len() as f64,
            awake_bricks: pieces.iter().map(|p| p.awake).sum::<usize>() as f64 / steps,
            pushed_units: pieces.iter().map(|p| p.pushed).sum::<i64>() as f64 / steps,
            passes: pieces.iter().map(|p| p.passes).sum::<u64>() as f64 / steps,
            pieces: pieces.iter().map(|p| p.point(p.awake as f64)).collect(),
            pieces_by_passes: pieces.iter().map(|p| p.point(p.passes as f64)).collect(),
            balance_units: off_balance,
        }
    }
}

/// A world of `n` voxels a side in which the block is about to set out.
pub(in crate::experiments) fn block_before_bed(
    n: usize,
    phi_deg: f64,
    speed: f64,
) -> Result<World, TooLarge> {
    Ok(with_block(&bed(n, phi_deg)?, n, speed))
}

/// A bed of soil without the block.
fn bed(n: usize, phi_deg: f64) -> Result<World, TooLarge> {
    let bounds = VoxelBox::new(IVec3::ZERO, IVec3::splat(n as i32));
    let mut world = TestSoil::loose(phi_deg).world(f64::from(VOXEL_SIZE_M), bounds)?;
    let side = n as f32 * VOXEL_SIZE_M;
    let size = Vec3::new(side, side, side * SOIL_SHARE);
    place(&mut world, Shape::Box { half_extents: size / 2.0 }, size / 2.0);
    Ok(world)
}

/// The block is n/4 wide and dips n/8 into the soil; it goes from 1/8 to 7/8 of the world.
fn with_block(bed: &World, n: usize, speed: f64) -> World {
    let side = n as f32 * VOXEL_SIZE_M;
    let size = Vec3::new(side / 8.0, side / 4.0, side / 4.0);
    let height = side * SOIL_SHARE - side / 8.0 + size.z / 2.0;
    let at = |share: f32| Pose::at(Vec3::new(side * share, side / 2.0, height));
    let keys = vec![
        Key { time_s: 0.0, pose: at(0.125) },
        Key { time_s: way_steps(n, speed) as f64 * STEP_S, pose: at(0.875) },
    ];
    let shape = Shape::Box { half_extents: size / 2.0 };
    let track = Motion::Scripted(Track { keys, repeat: false });
    let mut world = bed.clone();
    world.add_body(BodySpec::new("block", shape, at(0.125), track)).expect("a sound body");
    world
}

/// Steps that are not measured.
fn warm_up_steps(n: usize, speed: f64) -> usize {
    (way_steps(n, speed) as f64 * WARM_UP) as usize
}

fn way_steps(n: usize, speed: f64) -> usize {
    (0.75 * n as f64 / speed).round().max(2.0) as usize
}

/// `steps` in at most [`PIECES`] nearly equal pieces, none empty.
fn piece_lengths(steps: usize) -> impl Iterator<Item = usize> {
    let pieces = PIECES.min(steps);
    (0..pieces).map(move |k| (k + 1) * steps / pieces - k * steps / pieces)
}

fn piece(world: &mut World, steps: usize, off_balance: &mut i64) -> Piece {
    let mut piece = Piece { steps, ..Piece::default() };
    for _ in 0..steps {
        let start = Instant::now();
        let report = world.step(STEP_S);
        piece.seconds.push(start.elapsed().as_secs_f64());
        piece.pushed += report.push.moved;
        piece.passes += u64::from(report.push.passes);
        piece.awake += report.awake_bricks;
        *off_balance += i64::from(!report.imbalance.is_zero());
    }
    piece
}

impl Piece {
    /// The mean of `sum` and the time (ms), both per step.
    fn point(&self, sum: f64) -> [f64; 2] {
        let steps = self.steps as f64;
        [sum / steps, 1e3 * self.seconds.iter().sum::<f64>() / steps]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_way() {
        for steps in [1, 11, 12, 67, 400] {
            let lengths: Vec<_> = piece_lengths(steps).collect();
            assert_eq!(lengths.iter().sum::<usize>(), steps);
            assert!(lengths.len() <= PIECES && lengths.iter().all(|length| *length > 0));
        }
        assert_eq!(way_steps(80, 0.5), 120);
    }

    #[test]
    fn the_block_pushes_and_the_books_balance() {
        let both = cross(16, 25.0, 0.5, &[1, 2]).unwrap();
        assert_eq!([both[0].threads, both[1].threads], [1, 2]);
        let found = &both[0];
        assert!(found.pushed_units > 0.0 && found.awake_bricks > 0.0 && found.ms_per_step > 0.0);
        assert!(found.passes >= 1.0, "{} passes", found.passes);
        assert!(found.undisturbed_ms > 0.0 && found.undisturbed_ms.is_finite());
        assert_eq!(found.balance_units, 0);
        assert_eq!(both[1].balance_units, 0);
        assert_eq!(both[1].pieces.len(), found.pieces.len());
        assert_eq!(cross(4096, 25.0, 0.5, &[1]).unwrap_err().voxels, 1 << 36);
    }
}
