//! What a substep works on: the particles in their cells, their neighbours, and what sums over these found.

use std::ops::Range;

use barchan_particles::lanes::Level;
use barchan_particles::{Bundles, Cells, Lists, Records};
use barchan_volume::brick::brick_of;
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;

use super::beds::{Beds, Reader};
use super::density::Density;
use super::float::Bathers;
use super::particles::{Particles, Spare};
use super::scale::Scale;

/// Particles that one task reads walls for.
const AT_ONCE: usize = 1_024;

/// Scratch of a substep: all of it is made anew in each.
#[derive(Default)]
pub(super) struct Flow {
    pub cells: Cells,
    records: Records,
    lists: Lists,
    pub bundles: Bundles,
    /// Slots of each part of the bundles.
    pub ranges: Vec<Range<usize>>,
    /// Coarse places and volumes (supports³); the stand-in at the end.
    pub places: Vec<[u32; 4]>,
    /// Volume times velocity (m/s), and a number of the method; the stand-in at the end.
    pub movers: Vec<[u32; 4]>,
    /// Coarse places and volume times pressure; the stand-in at the end.
    pub pressed: Vec<[u32; 4]>,
    /// Volumes (supports³).
    pub weights: Vec<f32>,
    /// Density of water over that of the particle.
    pub lightness: Vec<f32>,
    pub walls: Vec<Wall>,
    pub densities: Vec<Density>,
    /// Pressures as impulses (m/s), those of now and of the iteration before.
    pub impulses: Vec<[f32; 2]>,
    pub velocities: Vec<Vec3>,
    /// What the pressures of this substep press on a wall, over its gradient (m/s).
    pub drives: Vec<f32>,
    spare: Spare,
}

/// What ground and bodies are to a particle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wall {
    /// What they add to the density around it.
    pub share: f32,
    /// Gradient of that, into the wall (1/support).
    pub slope: Vec3,
    /// How fast the wall moves (m/s).
    pub velocity: Vec3,
    /// Which body it is, as far as it is one; [`NO_BODY`]: none.
    pub body: u32,
    /// Share of the wall that this body is.
    pub body_share: f32,
}

/// Stands for no body.
pub(super) const NO_BODY: u32 = u32::MAX;

impl Flow {
    /// Sorts the particles into cells.
    pub fn sort(&mut self, particles: &mut Particles) {
        self.cells.sort(&particles.places, 0);
        particles.arrange(&self.cells, &mut self.spare);
    }

    /// The bricks of ground that particles in these cells may meet in a substep, in order.
    pub fn bricks(&self, scale: &Scale) -> Vec<IVec3> {
        let voxels = f64::from(scale.support_m) / scale.voxel_m;
        let all = self.cells.neighbourhoods(0..self.cells.len());
        let mut bricks = Vec::new();
        let mut last = [IVec3::MAX; 2];
        for here in all {
            let low = here.cell.as_dvec3() * voxels;
            let ends = [low - 1.5, low + voxels + 1.5].map(|end: DVec3| brick_of(end.floor().as_ivec3()));
            if ends == last {
                continue;
            }
            last = ends;
            for x in ends[0].x..=ends[1].x {
                for y in ends[0].y..=ends[1].y {
                    bricks.extend((ends[0].z..=ends[1].z).map(|z| IVec3::new(x, y, z)));
                }
            }
        }
        bricks.sort_unstable_by_key(|coord| coord.to_array());
        bricks.dedup();
        bricks
    }

    /// Finds the neighbours of all, and what each is to sums.
    pub fn find_neighbours(&mut self, particles: &Particles, scale: &Scale) {
        let len = particles.len();
        self.records.fill(&particles.places, |_| 1.0);
        self.lists.find(Level::new(), &self.cells, &self.records, 1.0);
        self.bundles.lay_out(&self.lists, len);
        self.ranges.clear();
        self.ranges.extend(self.lists.parts());
        let water_and_sediment = |slot: usize| (particles.water[slot], particles.sediment_of(slot));
        let weight = |slot: usize| {
            let (water, sediment) = water_and_sediment(slot);
            scale.weight(water, sediment)
        };
        let lightness = |slot: usize| {
            let (water, sediment) = water_and_sediment(slot);
            scale.lightness(water, sediment)
        };
        (0..len).into_par_iter().map(weight).collect_into_vec(&mut self.weights);
        (0..len).into_par_iter().map(lightness).collect_into_vec(&mut self.lightness);
        let weights = &self.weights;
        let place = |slot: usize| {
            let [x, y, z] = particles.places[slot].coarse();
            [x as u32, y as u32, z as u32, weights[slot].to_bits()]
        };
        (0..len).into_par_iter().map(place).collect_into_vec(&mut self.places);
        self.places.push([0; 4]);
    }

    /// Neighbours of the particle in a slot.
    pub fn neighbours(&self, slot: usize) -> &[u32] {
        self.lists.of(slot)
    }

    /// All pairs, each counted twice.
    pub fn pairs(&self) -> usize {
        self.lists.entries()
    }

    /// Finds what ground and bodies are to each particle; `of_bodies` are bodies alone.
    pub fn meet_walls(
        &mut self,
        particles: &Particles,
        beds: &Beds,
        of_bodies: &Beds,
        scale: &Scale,
        bathers: &Bathers<'_>,
    ) {
        let wall = |(reader, bodies): &mut (Reader<'_>, Reader<'_>), slot: usize| {
            let point_m = scale.lattice.point(particles.places[slot]);
            let (share, slope) = reader.shade(point_m);
            let still = Wall { share, slope, velocity: Vec3::ZERO, body: NO_BODY, body_share: 0.0 };
            let by_bodies = if share > 0.0 { bodies.shade(point_m).0 } else { 0.0 };
            if by_bodies <= 0.0 {
                return still;
            }
            let Some((body, velocity)) = bathers.nearest(point_m) else { return still };
            let body_share = (by_bodies / share).min(1.0);
            Wall { velocity: velocity * body_share, body, body_share, ..still }
        };
        (0..particles.len())
            .into_par_iter()
            .with_min_len(AT_ONCE)
            .map_init(|| (beds.reader(), of_bodies.reader()), wall)
            .collect_into_vec(&mut self.walls);
    }

    /// Writes what others feel of the motion of each: `number` is one of the method's.
    pub fn write_movers(&mut self, velocities: &[Vec3], number: impl Fn(usize) -> f32 + Sync) {
        let weights = &self.weights;
        let mover = |slot: usize| mover(weights[slot], velocities[slot], number(slot));
        (0..velocities.len()).into_par_iter().map(mover).collect_into_vec(&mut self.movers);
        self.movers.push([0; 4]);
    }

    /// Writes what others feel of the pressure of each.
    pub fn write_pressed(&mut self, pressure: impl Fn(usize) -> f32 + Sync) {
        let (places, weights) = (&self.places, &self.weights);
        let pressed = |slot: usize| pressed(places[slot], weights[slot] * pressure(slot));
        (0..weights.len()).into_par_iter().map(pressed).collect_into_vec(&mut self.pressed);
        self.pressed.push([0; 4]);
    }
}

#[inline(always)]
pub(super) fn mover(weight: f32, velocity: Vec3, number: f32) -> [u32; 4] {
    let v = velocity * weight;
    [v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), number.to_bits()]
}

#[inline(always)]
pub(super) fn pressed([x, y, z, _]: [u32; 4], weighted: f32) -> [u32; 4] {
    [x, y, z, weighted.to_bits()]
}

/// Cuts what belongs to all slots into the parts of the bundles.
pub(super) fn split<'a, T>(ranges: &[Range<usize>], mut all: &'a mut [T]) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (part, rest) = all.split_at_mut(range.len());
        parts.push(part);
        all = rest;
    }
    parts
}

/// The particles of a bundle with their lanes, those that stand for nobody left out.
#[inline(always)]
pub(super) fn lanes_of(slots: &[u32], stand_in: u32) -> impl Iterator<Item = (usize, usize)> {
    slots
        .iter()
        .enumerate()
        .filter(move |(_, slot)| **slot != stand_in)
        .map(|(lane, slot)| (lane, *slot as usize))
}
