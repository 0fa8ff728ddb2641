//! What a step works on: grains in the order of their cells, balls as records, lists of neighbours and what their contacts
//! remember. All of it is made anew from the state when a step begins.

use barchan_particles::lanes::Level;
use barchan_particles::{BUNDLE, Bundles, Cells, Id, Lattice, Lists, Place, Records, SizeClasses};
use glam::{DMat3, Vec3};
use rayon::prelude::*;

use super::footing::{Footing, GROUND};
use super::grain::Grain;
use super::grains::{Grains, Tie};
use super::memory::{Memory, ball_starts, tie};
use super::press::Springs;
use super::records::{radius, write_records};
use super::setup::Worked;
use super::surface::{Surface, name_of};

/// Grains that one task moves.
pub const GRAINS_AT_ONCE: usize = 256;

/// Radius of the ball that stands in for missing neighbours (m): it touches nothing.
const NO_RADIUS: f32 = -1e30;

/// A vector's worth of one spring of a row: its x, y and z.
pub type SpringRow = [[f32; BUNDLE]; 3];

/// Buffers of a step.
#[derive(Debug, Default)]
pub struct Workshop {
    /// The grains, in the order of the cells of their centres.
    pub movers: Vec<Grain>,
    /// Where each of them stands in the state.
    pub stands: Vec<u32>,
    /// First slot of each one's balls; one more at the end.
    pub first_slot: Vec<u32>,
    /// Balls by slot: place in fine parts, and radius (m).
    pub at: Vec<[u32; 4]>,
    /// Velocity of the centre (m/s), and kind.
    pub velocity: Vec<[u32; 4]>,
    /// Spin (rad/s).
    pub spin: Vec<[u32; 4]>,
    /// Names of the balls.
    pub names: Vec<Id>,
    /// The mover that a ball belongs to.
    pub owner: Vec<u32>,
    /// Where each ball was when lists were made (fine parts).
    pub then: Vec<[i32; 3]>,
    /// Neighbours, as lanes.
    pub bundles: Bundles,
    /// Springs of the bundles, part by part.
    pub springs: Vec<PartSprings>,
    /// First slot of each part of the bundles; one more at the end.
    pub part_starts: Vec<u32>,
    /// What each ball feels of others.
    pub felt: Vec<Felt>,
    /// First held face of each slot; one more at the end.
    pub held_starts: Vec<u32>,
    /// Faces near balls, and their springs.
    pub held: Vec<Held>,
    /// How often lists were made since the step began.
    pub rebuilds: u32,
    search: Search,
}

/// Springs of one part of the bundles, row by row.
#[derive(Clone, Debug, Default)]
pub struct PartSprings {
    /// Of sliding.
    pub slide: Vec<SpringRow>,
    /// Of rolling; empty where nothing resists rolling.
    pub roll: Vec<SpringRow>,
}

/// What a ball feels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Felt {
    /// Force (N).
    pub force: Vec3,
    /// Torque about the centre of the ball (N m).
    pub torque: Vec3,
    /// What presses, added up (N).
    pub load: f32,
    /// How many press.
    pub contacts: f32,
    /// Deepest overlap (m).
    pub deepest: f32,
    /// Overlaps, added up (m).
    pub overlap: f32,
}

/// A face near a ball.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Which, in the list of surfaces.
    pub surface: u32,
    /// Its springs.
    pub springs: Springs,
}

#[derive(Debug, Default)]
struct Search {
    cells: Cells,
    records: Records,
    lists: Lists,
    classes: SizeClasses,
}

impl Workshop {
    /// Takes the grains of the state; nothing is listed yet.
    pub fn take_in(&mut self, grains: &[Grain]) {
        self.movers.clear();
        self.movers.extend_from_slice(grains);
        self.stands.clear();
        self.stands.extend(0..grains.len() as u32);
        self.rebuilds = 0;
        self.bundles = Bundles::default();
        self.springs.clear();
        self.part_starts.clear();
        self.first_slot.clear();
        self.held.clear();
        self.held_starts.clear();
    }

    /// Sorts everything anew and makes lists. What contacts remember comes from the state the first time, then from the lists
    /// before.
    pub fn rebuild(&mut self, grains: &Grains, surfaces: &[Surface], footing: Option<&mut Footing>) {
        let worked = &grains.worked;
        let ball_starts = ball_starts(grains);
        let (memory, face_memory) = if self.rebuilds == 0 {
            (Memory::of_ties(&grains.ties, grains, &ball_starts), Memory::of_face_ties(grains, &ball_starts))
        } else {
            (self.remember(&ball_starts), self.remember_faces(&ball_starts, surfaces))
        };
        self.rebuilds += 1;
        self.sort_movers();
        self.lay_out_balls(worked);
        let places = self.ball_places(worked, &grains.lattice());
        self.find_neighbours(worked, &places);
        self.fill_springs(worked, &memory, &ball_starts);
        if let Some(footing) = footing {
            footing.look_around(&self.movers, &worked.forms, worked.skin_m);
            self.find_faces(worked, surfaces, Some(footing), &face_memory, &ball_starts);
        } else {
            self.find_faces(worked, surfaces, None, &face_memory, &ball_starts);
        }
        self.felt.clear();
        self.felt.resize(self.names.len(), Felt::default());
    }

    fn sort_movers(&mut self) {
        let places: Vec<Place> = self.movers.iter().map(|mover| mover.place).collect();
        self.search.cells.sort(&places, 0);
        let (mut movers, mut stands) = (Vec::new(), Vec::new());
        self.search.cells.arrange(&self.movers, &mut movers);
        self.search.cells.arrange(&self.stands, &mut stands);
        (self.movers, self.stands) = (movers, stands);
    }

    fn lay_out_balls(&mut self, worked: &Worked) {
        self.first_slot.clear();
        self.names.clear();
        self.owner.clear();
        for (index, mover) in self.movers.iter().enumerate() {
            self.first_slot.push(self.names.len() as u32);
            let balls = worked.forms[usize::from(mover.form)].balls.len() as u32;
            self.names.extend((0..balls).map(|k| Id(mover.id.0 + k)));
            self.owner.extend((0..balls).map(|_| index as u32));
        }
        self.first_slot.push(self.names.len() as u32);
        let records = self.names.len() + 1;
        for list in [&mut self.at, &mut self.velocity, &mut self.spin] {
            list.clear();
            list.resize(records, [0; 4]);
        }
        self.at[records - 1][3] = NO_RADIUS.to_bits();
        self.then.clear();
        self.then.resize(records - 1, [0; 3]);
        for (mover, range) in self.movers.iter().zip(self.first_slot.windows(2)) {
            let range = range[0] as usize..range[1] as usize;
            write_records(
                mover,
                worked,
                &mut self.at[range.clone()],
                &mut self.velocity[range.clone()],
                &mut self.spin[range.clone()],
            );
        }
        for (then, at) in self.then.iter_mut().zip(&self.at) {
            *then = [at[0] as i32, at[1] as i32, at[2] as i32];
        }
    }

    /// Places of all balls, in full.
    fn ball_places(&self, worked: &Worked, lattice: &Lattice) -> Vec<Place> {
        let of_mover = |mover: &Grain| {
            let form = &worked.forms[usize::from(mover.form)];
            let axes = DMat3::from_quat(mover.turn);
            form.balls
                .iter()
                .map(move |ball| lattice.moved(mover.place, axes * ball.at_m))
                .collect::<Vec<_>>()
        };
        let by_mover: Vec<_> = self.movers.par_iter().with_min_len(GRAINS_AT_ONCE).map(of_mover).collect();
        by_mover.concat()
    }

    fn find_neighbours(&mut self, worked: &Worked, places: &[Place]) {
        let edge = worked.edge_m;
        let (least, most) = worked
            .kinds
            .iter()
            .fold((f64::INFINITY, 0.0f64), |(l, m), kind| (l.min(kind.radius_m), m.max(kind.radius_m)));
        let search = &mut self.search;
        let (order, lists) = if most < 1.25 * least {
            search.cells.sort(places, 0);
            let mut sorted = Vec::new();
            search.cells.arrange(places, &mut sorted);
            search.records.fill(&sorted, |_| 0.0);
            search.lists.find(Level::new(), &search.cells, &search.records, 1.0);
            (search.cells.order(), &search.lists)
        } else {
            let reaches: Vec<f32> =
                (0..places.len()).map(|slot| (radius(&self.at[slot]) / edge as f32).min(0.5)).collect();
            search.classes.sort(places, &reaches);
            let order = search.classes.order();
            let sorted: Vec<_> = order.iter().map(|&from| places[from as usize]).collect();
            let wide: Vec<_> = order.iter().map(|&from| reaches[from as usize]).collect();
            let names: Vec<_> = order.iter().map(|&from| self.names[from as usize]).collect();
            search.lists = search.classes.find(&sorted, &wide, &names, (worked.skin_m / edge) as f32);
            (search.classes.order(), &search.lists)
        };
        let (owner, movers) = (&self.owner, &self.movers);
        let keep = |slot: u32, other: u32| {
            let mine = owner[slot as usize];
            mine != owner[other as usize] && !movers[mine as usize].asleep
        };
        let lists = lists.arranged(order, &self.names, keep);
        self.part_starts.clear();
        self.part_starts.extend(lists.parts().map(|part| part.start as u32));
        self.part_starts.push(self.names.len() as u32);
        self.bundles.lay_out(&lists, self.names.len());
    }

    fn fill_springs(&mut self, worked: &Worked, memory: &Memory, ball_starts: &[u32]) {
        self.springs.resize_with(self.bundles.parts(), PartSprings::default);
        let (bundles, names, rolls) = (&self.bundles, &self.names, worked.rolls);
        let remembered = |slot: u32| {
            let mover = self.owner[slot as usize] as usize;
            let ball = ball_starts[self.stands[mover] as usize] + slot - self.first_slot[mover];
            memory.of(ball as usize)
        };
        self.springs.par_iter_mut().enumerate().for_each(|(part, springs)| {
            springs.slide.clear();
            springs.roll.clear();
            for bundle in bundles.of_part(part) {
                let first = springs.slide.len();
                let rows = first + bundle.rows.len();
                springs.slide.resize(rows, [[0.0; BUNDLE]; 3]);
                springs.roll.resize(if rolls { rows } else { 0 }, [[0.0; BUNDLE]; 3]);
                for (lane, &slot) in bundle.slots.iter().enumerate() {
                    if slot == bundles.stand_in() {
                        continue;
                    }
                    let mut left = remembered(slot);
                    for (row, others) in bundle.rows.iter().enumerate() {
                        let (Some(&(next, drawn)), other) = (left.first(), others[lane]) else { break };
                        if other == bundles.stand_in() {
                            break;
                        }
                        let name = names[other as usize].0;
                        // What is remembered of one that is near no more has no row: it lets go.
                        let mut found = (next == name).then_some(drawn);
                        while left.first().is_some_and(|(next, _)| *next <= name) {
                            if left[0].0 == name {
                                found = Some(left[0].1);
                            }
                            left = &left[1..];
                        }
                        if let Some(drawn) = found {
                            for axis in 0..3 {
                                springs.slide[first + row][axis][lane] = drawn.slide[axis];
                                if rolls {
                                    springs.roll[first + row][axis][lane] = drawn.roll[axis];
                                }
                            }
                        }
                    }
                }
            }
        });
    }

    fn find_faces(
        &mut self,
        worked: &Worked,
        surfaces: &[Surface],
        footing: Option<&Footing>,
        memory: &Memory,
        ball_starts: &[u32],
    ) {
        let (first_slot, at) = (&self.first_slot, &self.at);
        let skin = worked.skin_m;
        let near = |index: usize| {
            let mover = &self.movers[index];
            let form = &worked.forms[usize::from(mover.form)];
            let mut found = Vec::new();
            if mover.asleep {
                return found;
            }
            let axes = DMat3::from_quat(mover.turn);
            for (which, surface) in surfaces.iter().enumerate() {
                let centre = surface.between(mover.place);
                if !surface.may_be_near(centre, form.reach_m + skin) {
                    continue;
                }
                for (k, ball) in form.balls.iter().enumerate() {
                    let slot = first_slot[index] + k as u32;
                    let reach = f64::from(radius(&at[slot as usize])) + skin;
                    let is_near =
                        surface.way_to(centre + axes * ball.at_m).is_none_or(|(far, _)| far < reach);
                    if is_near {
                        let known = memory.of((ball_starts[self.stands[index] as usize] + k as u32) as usize);
                        let springs = known.iter().find(|(id, _)| *id == surface.id).map(|(_, drawn)| *drawn);
                        found.push((
                            slot,
                            Held { surface: which as u32, springs: springs.unwrap_or_default() },
                        ));
                    }
                }
            }
            if let Some(footing) = footing {
                let mut cursor = footing.cursor();
                for (k, ball) in form.balls.iter().enumerate() {
                    let slot = first_slot[index] + k as u32;
                    let at_m = footing.point(mover.place) + axes * ball.at_m;
                    let radius = f64::from(ball.radius_m);
                    let reach = radius + skin;
                    if footing.way_to(&mut cursor, at_m, radius, reach).is_some_and(|(far, _)| far < reach) {
                        let known = memory.of((ball_starts[self.stands[index] as usize] + k as u32) as usize);
                        let springs = known.iter().find(|(id, _)| *id == GROUND).map(|(_, drawn)| *drawn);
                        let held =
                            Held { surface: surfaces.len() as u32, springs: springs.unwrap_or_default() };
                        found.push((slot, held));
                    }
                }
            }
            found.sort_by_key(|(slot, held)| (*slot, held.surface));
            found
        };
        let found: Vec<_> =
            (0..self.movers.len()).into_par_iter().with_min_len(GRAINS_AT_ONCE).map(near).collect();
        self.held.clear();
        self.held_starts.clear();
        self.held_starts.resize(self.names.len() + 1, 0);
        for (slot, held) in found.into_iter().flatten() {
            self.held_starts[slot as usize + 1] += 1;
            self.held.push(held);
        }
        for slot in 0..self.names.len() {
            self.held_starts[slot + 1] += self.held_starts[slot];
        }
    }

    /// What all contacts remember, by balls in the order of the state.
    fn remember(&self, ball_starts: &[u32]) -> Memory {
        let ball = |slot: u32| {
            let mover = self.owner[slot as usize] as usize;
            ball_starts[self.stands[mover] as usize] + slot - self.first_slot[mover]
        };
        let mut drawn: Vec<(u32, u32, Springs)> = Vec::new();
        for (part, springs) in self.springs.iter().enumerate() {
            self.each_drawn(part, springs, |slot, other, springs| {
                drawn.push((ball(slot), self.names[other as usize].0, springs));
            });
        }
        Memory::sorted(drawn, ball_starts)
    }

    fn remember_faces(&self, ball_starts: &[u32], surfaces: &[Surface]) -> Memory {
        let mut drawn = Vec::new();
        for (slot, range) in self.held_starts.windows(2).enumerate() {
            let mover = self.owner[slot] as usize;
            let ball = ball_starts[self.stands[mover] as usize] + slot as u32 - self.first_slot[mover];
            for held in &self.held[range[0] as usize..range[1] as usize] {
                if held.springs != Springs::default() {
                    drawn.push((ball, name_of(surfaces, held.surface), held.springs));
                }
            }
        }
        Memory::sorted(drawn, ball_starts)
    }

    /// Calls `visit` with ball, neighbour and springs of every contact of a part that remembers something.
    fn each_drawn(&self, part: usize, springs: &PartSprings, mut visit: impl FnMut(u32, u32, Springs)) {
        let mut first = 0;
        for bundle in self.bundles.of_part(part) {
            for (row, others) in bundle.rows.iter().enumerate() {
                let slide = &springs.slide[first + row];
                let roll = springs.roll.get(first + row);
                for lane in 0..BUNDLE {
                    let of = |row: &SpringRow| Vec3::new(row[0][lane], row[1][lane], row[2][lane]);
                    let drawn = Springs { slide: of(slide), roll: roll.map_or(Vec3::ZERO, of) };
                    if drawn != Springs::default() {
                        visit(bundle.slots[lane], others[lane], drawn);
                    }
                }
            }
            first += bundle.rows.len();
        }
    }

    /// The springs of all pairs, as the state keeps them; those of pairs that both sleep come from `before`.
    pub fn ties(&self, before: &[Tie], asleep: impl Fn(u32) -> bool) -> Vec<Tie> {
        let of_part = |(part, springs): (usize, &PartSprings)| {
            let mut ties = Vec::new();
            self.each_drawn(part, springs, |slot, other, drawn| {
                let (a, b) = (self.names[slot as usize].0, self.names[other as usize].0);
                let sleeper = self.movers[self.owner[other as usize] as usize].asleep;
                if a < b {
                    ties.push(tie(a, b, drawn));
                } else if sleeper {
                    ties.push(tie(b, a, Springs { slide: -drawn.slide, roll: -drawn.roll }));
                }
            });
            ties
        };
        let mut ties: Vec<Tie> =
            self.springs.par_iter().enumerate().map(of_part).collect::<Vec<_>>().concat();
        ties.extend(before.iter().filter(|tie| asleep(tie.a) && asleep(tie.b)));
        ties.par_sort_unstable_by_key(|tie| (tie.a, tie.b));
        ties
    }

    /// The springs on faces, as the state keeps them.
    pub fn face_ties(&self, surfaces: &[Surface], before: &[Tie], asleep: impl Fn(u32) -> bool) -> Vec<Tie> {
        let mut ties: Vec<Tie> = before.iter().filter(|tie| asleep(tie.a)).copied().collect();
        for (slot, range) in self.held_starts.windows(2).enumerate() {
            for held in &self.held[range[0] as usize..range[1] as usize] {
                if held.springs != Springs::default() {
                    ties.push(tie(self.names[slot].0, name_of(surfaces, held.surface), held.springs));
                }
            }
        }
        ties.par_sort_unstable_by_key(|tie| (tie.a, tie.b));
        ties
    }

    /// Memory in use (bytes).
    pub fn memory_bytes(&self) -> usize {
        let rows: usize = self.springs.iter().map(|p| p.slide.capacity() + p.roll.capacity()).sum();
        let records = self.at.capacity() + self.velocity.capacity() + self.spin.capacity();
        self.movers.capacity() * (size_of::<Grain>() + 8)
            + records * 16
            + self.names.capacity() * (4 + 4 + 12 + size_of::<Felt>() + 4)
            + self.bundles.memory_bytes()
            + rows * size_of::<SpringRow>()
            + self.held.capacity() * size_of::<Held>()
            + self.search.cells.memory_bytes()
            + self.search.records.memory_bytes()
            + self.search.lists.memory_bytes()
    }
}
