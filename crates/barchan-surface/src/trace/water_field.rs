//! Water as a field: the share of each point that particles fill, smooth over their distances, 0.5 at the surface.
//!
//! Each particle spreads its volume over some of its radii, so that inside the field is 1. One that is by itself would
//! vanish in that: it spreads over fewer, and stays a drop. Where water touches ground, the ground counts as full.

use barchan_sim::{Materials, SeenParticle};
use glam::{IVec3, Vec3, Vec3A, Vec4};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::field::Field;
use super::look::linear;

/// Cells along the edge of a brick, and samples along it: its own and the first of the next.
pub(super) const EDGE: i32 = 8;
const SIDE: usize = 9;
const SAMPLES: usize = SIDE * SIDE * SIDE;
/// Radii over which particles spread, and those that are by themselves.
const SPREAD: f32 = 3.6;
const SPREAD_DROP: f32 = 1.7;
/// Integral of (1 - r²)³ over the unit ball.
const KERNEL: f32 = 0.638_18;
/// Most cells along an axis: beyond that cells are larger.
const MOST_CELLS: f32 = 4096.0;

/// The field of all water.
pub(super) struct WaterField {
    /// Edge of a cell (voxels).
    pub cell: f32,
    /// Corners of the box around all bricks (places).
    pub low: Vec3A,
    /// The other corner.
    pub high: Vec3A,
    bricks: FxHashMap<IVec3, Box<Brick>>,
}

/// Samples of one brick, x slowest.
pub(super) struct Brick {
    fill: [f32; SAMPLES],
    /// Sediment by colour (linear RGB times share), where there is any.
    mud: Option<Box<[Vec3; SAMPLES]>>,
    /// The largest fill in it.
    pub most: f32,
}

/// A particle in cells.
#[derive(Clone, Copy)]
struct Drop {
    centre: Vec3,
    radius: f32,
    /// Colour of its sediment, as bright as can be, times its share.
    mud: Vec3,
    /// How far it is by itself, 0 to 1.
    alone: f32,
}

impl WaterField {
    /// The field of `water` on the ground of `field`.
    pub fn of(water: &[SeenParticle], materials: &Materials, field: &Field) -> Self {
        let hues: Vec<Vec3> = materials.iter().map(|(_, material)| hue(linear(material.color))).collect();
        let sound = |seen: &&SeenParticle| {
            seen.centre_m.abs().max_element() < 1e6 && seen.radius_m > 0.0 && seen.radius_m < 1e3
        };
        let per_metre = 1.0 / field.voxel_size_m;
        let mut drops: Vec<Drop> = water
            .iter()
            .filter(sound)
            .map(|seen| Drop {
                centre: field.place(seen.centre_m).into(),
                radius: seen.radius_m * per_metre,
                mud: hues.get(usize::from(seen.kind.0)).copied().unwrap_or(Vec3::ONE)
                    * seen.sediment.clamp(0.0, 1.0),
                alone: 0.0,
            })
            .collect();
        if drops.is_empty() {
            let bricks = FxHashMap::default();
            return Self { cell: 1.0, low: Vec3A::ZERO, high: Vec3A::ZERO, bricks };
        }
        let ends = |(low, high): (Vec3, Vec3), drop: &Drop| (low.min(drop.centre), high.max(drop.centre));
        let (low, high) = drops.iter().fold((Vec3::MAX, Vec3::MIN), ends);
        let mean = drops.iter().map(|drop| drop.radius).sum::<f32>() / drops.len() as f32;
        let cell = mean.max((high - low).max_element() / MOST_CELLS);
        for drop in &mut drops {
            drop.centre /= cell;
            // Drops finer than the cells would fall between them.
            drop.radius = (drop.radius / cell).max(0.55);
        }
        let lists = lists(&drops);
        let even = filled(&lists, &drops, |_| 0.0);
        let first = Self { cell, low: Vec3A::ZERO, high: Vec3A::ZERO, bricks: even };
        drops.par_iter_mut().for_each(|drop| {
            let fill = first.at((drop.centre * cell).into()).w;
            // At an even surface half of the kernel is water; of a drop by itself it sees a seventh.
            drop.alone = ((0.4 - fill) / 0.2).clamp(0.0, 1.0);
        });
        let ground = |place: Vec3| if field.is_empty() { 0.0 } else { field.at((place * cell).into()) };
        let bricks = filled(&self::lists(&drops), &drops, ground);
        let (mut low, mut high) = (IVec3::MAX, IVec3::MIN);
        for key in bricks.keys() {
            (low, high) = (low.min(*key), high.max(*key + 1));
        }
        let place = |key: IVec3| (key * EDGE).as_vec3a() * cell;
        Self { cell, low: place(low), high: place(high), bricks }
    }

    /// Whether there is no water.
    pub fn is_empty(&self) -> bool {
        self.bricks.is_empty()
    }

    /// The brick of a place, and its coordinates.
    #[inline]
    pub fn brick(&self, place: Vec3A) -> (IVec3, Option<&Brick>) {
        let key = (place / (self.cell * EDGE as f32)).floor().as_ivec3();
        (key, self.bricks.get(&key).map(|brick| &**brick))
    }

    /// Corners of a brick (places).
    pub fn corners(&self, key: IVec3) -> [Vec3A; 2] {
        [key, key + 1].map(|corner| (corner * EDGE).as_vec3a() * self.cell)
    }

    /// Sediment and fill at a place; nothing beyond all water.
    pub fn at(&self, place: Vec3A) -> Vec4 {
        let (key, brick) = self.brick(place);
        brick.map_or(Vec4::ZERO, |brick| brick.at(place / self.cell - (key * EDGE).as_vec3a()))
    }

    /// The outward normal at a place near the surface.
    pub fn normal(&self, place: Vec3A) -> Vec3 {
        let step = 0.9 * self.cell;
        let slope = |axis: Vec3A| self.at(place - axis * step).w - self.at(place + axis * step).w;
        Vec3::new(slope(Vec3A::X), slope(Vec3A::Y), slope(Vec3A::Z)).normalize_or(Vec3::Z)
    }
}

impl Brick {
    /// Between samples; `p` in cells from the corner.
    fn at(&self, p: Vec3A) -> Vec4 {
        let corner = p.floor().clamp(Vec3A::ZERO, Vec3A::splat(EDGE as f32 - 1.0));
        let [u, v, w] = (p - corner).clamp(Vec3A::ZERO, Vec3A::ONE).to_array();
        let [x, y, z] = corner.to_array().map(|c| c as usize);
        let first = (x * SIDE + y) * SIDE + z;
        let (mut fill, mut mud) = (0.0, Vec3::ZERO);
        for (offset, share) in [
            (0, (1.0 - u) * (1.0 - v)),
            (SIDE, (1.0 - u) * v),
            (SIDE * SIDE, u * (1.0 - v)),
            (SIDE * SIDE + SIDE, u * v),
        ] {
            let at = first + offset;
            fill += (self.fill[at] + (self.fill[at + 1] - self.fill[at]) * w) * share;
            if let Some(samples) = &self.mud {
                mud += samples[at].lerp(samples[at + 1], w) * share;
            }
        }
        mud.extend(fill)
    }

    /// Spreads a share of a drop over so many of its radii.
    fn add(&mut self, drop: &Drop, spread: f32, share: f32, corner: Vec3) {
        if share == 0.0 {
            return;
        }
        if drop.mud != Vec3::ZERO && self.mud.is_none() {
            self.mud = Some(Box::new([Vec3::ZERO; SAMPLES]));
        }
        let (centre, reach) = (drop.centre - corner, drop.radius * spread);
        let weight = share * 4.188_79 / (KERNEL * spread.powi(3));
        let most = Vec3::splat(SIDE as f32 - 1.0);
        let first = (centre - reach).ceil().clamp(Vec3::ZERO, most).as_uvec3();
        let last = (centre + reach).floor().clamp(Vec3::ZERO, most).as_uvec3();
        let per_reach = 1.0 / (reach * reach);
        for x in first.x..=last.x {
            for y in first.y..=last.y {
                for z in first.z..=last.z {
                    let off = Vec3::new(x as f32, y as f32, z as f32) - centre;
                    let inside = 1.0 - off.length_squared() * per_reach;
                    if inside > 0.0 {
                        let at = (x as usize * SIDE + y as usize) * SIDE + z as usize;
                        let amount = weight * inside * inside * inside;
                        self.fill[at] += amount;
                        if let Some(mud) = &mut self.mud {
                            mud[at] += drop.mud * amount;
                        }
                    }
                }
            }
        }
    }
}

/// As bright as it can be.
fn hue(color: Vec3) -> Vec3 {
    color / color.max_element().max(1e-3)
}

/// The drops that reach into each brick, by their numbers, bricks in order.
fn lists(drops: &[Drop]) -> Vec<(IVec3, Vec<u32>)> {
    let mut pairs: Vec<([i32; 3], u32)> = Vec::with_capacity(2 * drops.len());
    for (number, drop) in drops.iter().enumerate() {
        let reach = drop.radius * if drop.alone < 1.0 { SPREAD } else { SPREAD_DROP };
        // The last samples of a brick are the first of the next.
        let first = ((drop.centre - reach - 1.0) / EDGE as f32).floor().as_ivec3();
        let last = ((drop.centre + reach) / EDGE as f32).floor().as_ivec3();
        for x in first.x..=last.x {
            for y in first.y..=last.y {
                for z in first.z..=last.z {
                    pairs.push(([x, y, z], number as u32));
                }
            }
        }
    }
    pairs.par_sort_unstable();
    let same = |a: &([i32; 3], u32), b: &([i32; 3], u32)| a.0 == b.0;
    pairs
        .chunk_by(same)
        .map(|run| (IVec3::from_array(run[0].0), run.iter().map(|pair| pair.1).collect()))
        .collect()
}

/// The bricks of all lists. `ground`: how full of ground a place is (cells).
fn filled(
    lists: &[(IVec3, Vec<u32>)],
    drops: &[Drop],
    ground: impl Fn(Vec3) -> f32 + Sync,
) -> FxHashMap<IVec3, Box<Brick>> {
    let made: Vec<_> =
        lists.par_iter().map(|(key, numbers)| (*key, brick(*key, numbers, drops, &ground))).collect();
    made.into_iter().filter(|(_, brick)| brick.most > 0.0).collect()
}

fn brick(key: IVec3, numbers: &[u32], drops: &[Drop], ground: &impl Fn(Vec3) -> f32) -> Box<Brick> {
    let mut brick = Box::new(Brick { fill: [0.0; SAMPLES], mud: None, most: 0.0 });
    let corner = (key * EDGE).as_vec3();
    for number in numbers {
        let drop = &drops[*number as usize];
        brick.add(drop, SPREAD, 1.0 - drop.alone, corner);
        brick.add(drop, SPREAD_DROP, drop.alone, corner);
    }
    for (at, fill) in brick.fill.iter_mut().enumerate() {
        if *fill > 0.05 {
            let p = IVec3::new((at / (SIDE * SIDE)) as i32, (at / SIDE % SIDE) as i32, (at % SIDE) as i32);
            let touch = ((*fill - 0.05) / 0.2).min(1.0);
            *fill += ground(corner + p.as_vec3()) * touch;
        }
        brick.most = brick.most.max(*fill);
    }
    brick
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::test_water::{drop_at, empty, tank};

    #[test]
    fn the_surface_of_a_tank_is_where_its_water_ends() {
        let (world, water) = tank(0.05);
        let ground = Field::of(&world);
        let field = WaterField::of(&water, world.materials(), &ground);
        let at = |x: f32, y: f32, z: f32| field.at(ground.place(Vec3::new(x, y, z))).w;
        assert!((at(1.0, 1.0, 0.5) - 1.0).abs() < 0.12, "{}", at(1.0, 1.0, 0.5));
        assert!(at(1.0, 1.0, 1.2) == 0.0 && at(2.4, 1.0, 0.5) == 0.0);
        // Water fills the box from 0 to 2 m, and 1 m of height.
        let level =
            (0..400).map(|n| 1.2 - n as f32 * 0.001).find(|z| at(1.03, 0.98, *z) >= 0.5).expect("water");
        assert!((level - 1.0).abs() < 0.02, "it ends at {level} m");
    }

    #[test]
    fn a_drop_by_itself_is_seen() {
        let world = empty();
        let ground = Field::of(&world);
        let drop = drop_at(Vec3::new(0.3, 0.2, 0.9), 0.04);
        let field = WaterField::of(&[drop], world.materials(), &ground);
        assert!(field.at(ground.place(drop.centre_m)).w > 0.5);
    }

    #[test]
    fn neither_the_order_nor_threads_nor_broken_numbers_matter() {
        let (world, water) = tank(0.1);
        let ground = Field::of(&world);
        let mut broken = water.clone();
        broken.push(drop_at(Vec3::NAN, 0.04));
        broken.push(drop_at(Vec3::splat(f32::INFINITY), 0.04));
        broken.push(drop_at(Vec3::ONE, f32::NAN));
        let with = |threads: usize, water: &[SeenParticle]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let field = pool.install(|| WaterField::of(water, world.materials(), &ground));
            let place = |n: usize| ground.place(Vec3::new(0.013 * n as f32, 1.0, 0.9));
            (0..150).map(|n| field.at(place(n)).w.to_bits()).collect::<Vec<_>>()
        };
        let one = with(1, &water);
        assert!(one == with(3, &water) && one == with(2, &broken));
    }
}
