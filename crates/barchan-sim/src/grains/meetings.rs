//! Every contact as it is at one moment, one after the other: for those who keep account of what contacts do.

use barchan_particles::BUNDLE;
use glam::{DVec3, Vec3};

use super::footing::Footing;
use super::law::Pair;
use super::press::{Meeting, Push, Rules, Springs, TINY, press};
use super::setup::Worked;
use super::surface::{Surface, Touch};
use super::workshop::{Held, SpringRow, Workshop};

/// What a grain touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// Another grain, by its place among the movers.
    Mover(usize),
    /// A surface of the step, by its number; the number behind the last is the ground.
    Surface(usize),
}

/// A contact as it is, and what it will have done.
#[derive(Clone, Debug)]
pub struct Contact {
    /// The grain that is pushed, by its place among the movers.
    pub mover: usize,
    /// What it touches.
    pub other: Other,
    /// From the centre of the grain to the point of contact (m).
    pub arm: DVec3,
    /// From the centre of the other grain, or the origin of the surface, to the point of contact (m).
    pub other_arm: DVec3,
    /// How they meet.
    pub meeting: Meeting,
    /// The numbers of the pair.
    pub pair: Pair,
    /// Its springs as they are.
    pub before: Springs,
    /// Its springs as they will be.
    pub after: Springs,
    /// What the grain feels.
    pub push: Push,
}

/// Who meets, and where.
struct Met {
    mover: usize,
    other: Other,
    arm: DVec3,
    other_arm: DVec3,
}

impl Contact {
    fn of(met: Met, meeting: Meeting, pair: Pair, before: Springs, rules: &Rules) -> Self {
        let Met { mover, other, arm, other_arm } = met;
        let mut after = before;
        let push = press(&meeting, &pair, rules, &mut after);
        Self { mover, other, arm, other_arm, meeting, pair, before, after, push }
    }

    /// The root of the overlap for Hertz's law, 1 for the linear one.
    pub fn q(&self, rules: &Rules) -> f64 {
        if rules.hertz { f64::from(self.meeting.overlap).sqrt() } else { 1.0 }
    }

    /// Energy in its pressed surfaces (J); adhesion pulls by the overlap, and so it stores and gives back.
    pub fn pressed_j(&self, rules: &Rules) -> f64 {
        let x = f64::from(self.meeting.overlap);
        let power = if rules.hertz { 0.4 * x * x * x.sqrt() } else { 0.5 * x * x };
        f64::from(self.pair.stiffness) * power - 0.5 * f64::from(self.pair.adhesion) * x * x
    }

    /// Energy in springs that are drawn like this (J).
    pub fn drawn_j(&self, springs: &Springs, rules: &Rules) -> f64 {
        let of = |stiffness: f32, v: Vec3| f64::from(stiffness) * v.as_dvec3().length_squared();
        0.5 * self.q(rules) * (of(self.pair.sliding, springs.slide) + of(self.pair.rolling, springs.roll))
    }
}

impl Workshop {
    /// Calls `visit` with every contact as it is now, each pair once; the ground counts where there is a `footing`.
    pub(super) fn each_contact(
        &self,
        worked: &Worked,
        rules: &Rules,
        surfaces: &[Surface],
        footing: Option<&Footing>,
        mut visit: impl FnMut(&Contact),
    ) {
        for (part, springs) in self.springs.iter().enumerate() {
            let mut first = 0;
            for bundle in self.bundles.of_part(part) {
                for (row, others) in bundle.rows.iter().enumerate() {
                    for lane in 0..BUNDLE {
                        let (a, b) = (bundle.slots[lane] as usize, others[lane] as usize);
                        if b >= self.names.len() {
                            continue;
                        }
                        // Sleepers have no lists of their own.
                        let other_sleeps = self.movers[self.owner[b] as usize].asleep;
                        if self.names[a] > self.names[b] && !other_sleeps {
                            continue;
                        }
                        let Some((met, meeting, pair)) = self.meeting(a, b, worked, rules) else { continue };
                        let of = |row: &SpringRow| Vec3::new(row[0][lane], row[1][lane], row[2][lane]);
                        let drawn = Springs {
                            slide: of(&springs.slide[first + row]),
                            roll: springs.roll.get(first + row).map_or(Vec3::ZERO, of),
                        };
                        visit(&Contact::of(met, meeting, pair, drawn, rules));
                    }
                }
                first += bundle.rows.len();
            }
        }
        self.each_face_contact(worked, surfaces, footing, |met, meeting, pair, drawn| {
            visit(&Contact::of(met, meeting, pair, drawn, rules));
        });
    }

    /// How the balls of two slots meet; none where they do not touch.
    fn meeting(&self, a: usize, b: usize, worked: &Worked, rules: &Rules) -> Option<(Met, Meeting, Pair)> {
        let apart = |k: usize| self.at[a][k].wrapping_sub(self.at[b][k]) as i32 as f32 * rules.part_m;
        let way = Vec3::new(apart(0), apart(1), apart(2));
        let far = way.length();
        let radii = [self.at[a][3], self.at[b][3]].map(f32::from_bits);
        let overlap = radii[0] + radii[1] - far;
        if overlap <= 0.0 {
            return None;
        }
        let normal = way / far.max(TINY);
        let vector =
            |r: [u32; 4]| Vec3::new(f32::from_bits(r[0]), f32::from_bits(r[1]), f32::from_bits(r[2]));
        let spins = [vector(self.spin[a]), vector(self.spin[b])];
        let arms = radii.map(|radius| radius - 0.5 * overlap);
        let speeds = [vector(self.velocity[a]), vector(self.velocity[b])];
        let rim = spins[0] * arms[0] + spins[1] * arms[1];
        let velocity = speeds[0] - speeds[1] - rim.cross(normal);
        let meeting = Meeting { normal, overlap, velocity, spin: spins[0] - spins[1] };
        let kinds = [self.velocity[a][3], self.velocity[b][3]].map(|kind| kind as usize);
        let pair = worked.pairs[kinds[0] * worked.kinds.len() + kinds[1]];
        let [mover, other] = [a, b].map(|slot| self.owner[slot] as usize);
        let met = Met {
            mover,
            other: Other::Mover(other),
            arm: self.off(a, worked) - (normal * arms[0]).as_dvec3(),
            other_arm: self.off(b, worked) + (normal * arms[1]).as_dvec3(),
        };
        Some((met, meeting, pair))
    }

    /// From the centre of its grain to the ball of a slot (m).
    fn off(&self, slot: usize, worked: &Worked) -> DVec3 {
        let owner = self.owner[slot] as usize;
        let mover = &self.movers[owner];
        let ball = slot - self.first_slot[owner] as usize;
        mover.turn * worked.forms[usize::from(mover.form)].balls[ball].at_m
    }

    fn each_face_contact(
        &self,
        worked: &Worked,
        surfaces: &[Surface],
        footing: Option<&Footing>,
        mut visit: impl FnMut(Met, Meeting, Pair, Springs),
    ) {
        let mut cursor = footing.map(Footing::cursor);
        for (slot, range) in self.held_starts.windows(2).enumerate() {
            let owner = self.owner[slot] as usize;
            let mover = &self.movers[owner];
            let form = &worked.forms[usize::from(mover.form)];
            let ball = &form.balls[slot - self.first_slot[owner] as usize];
            let (off, spin) = (mover.turn * ball.at_m, mover.spin_rad_s(form));
            let velocity = mover.velocity_m_s + spin.cross(off);
            let touch = Touch { radius: ball.radius_m, kind: usize::from(ball.kind), velocity, spin };
            for &Held { surface: number, springs } in &self.held[range[0] as usize..range[1] as usize] {
                let number = number as usize;
                let met = match (surfaces.get(number), footing, &mut cursor) {
                    (Some(surface), ..) => {
                        let at = surface.between(mover.place) + off;
                        surface.meeting(at, &touch).map(|met| (met, at))
                    }
                    (None, Some(footing), Some(cursor)) => {
                        let at = footing.point(mover.place) + off;
                        footing.meeting(cursor, at, &touch).map(|met| (met, at))
                    }
                    _ => None,
                };
                if let Some(((meeting, pair), at)) = met {
                    let inwards = meeting.normal.as_dvec3()
                        * (f64::from(touch.radius) - 0.5 * f64::from(meeting.overlap));
                    let (arm, other_arm) = (off - inwards, at - inwards);
                    visit(
                        Met { mover: owner, other: Other::Surface(number), arm, other_arm },
                        meeting,
                        pair,
                        springs,
                    );
                }
            }
        }
    }
}
