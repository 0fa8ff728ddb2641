//! Energy of grains by what holds it, and by what it was lost to: for those who ask, as it takes a look at every contact.

use barchan_particles::BUNDLE;
use glam::{DVec3, Vec3};

use super::grains::Grains;
use super::law::Pair;
use super::press::{Meeting, Push, Rules, Springs, TINY, press};
use super::setup::Worked;
use super::surface::{Surface, Touch};
use super::workshop::Workshop;

/// Energy (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub moving: f64,
    /// Of turning.
    pub turning: f64,
    /// Of height, against the origin.
    pub height: f64,
    /// In contacts that are pressed.
    pub pressed: f64,
    /// In springs of sliding and rolling.
    pub drawn: f64,
}

impl Energy {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.moving + self.turning + self.height + self.pressed + self.drawn
    }
}

/// Energy that went where it does not come back from (J), since somebody began to watch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lost {
    /// To damping along the normals.
    pub damping: f64,
    /// To friction.
    pub sliding: f64,
    /// To rolling friction.
    pub rolling: f64,
    /// Given to walls and bodies by pushing them.
    pub given: f64,
}

impl Lost {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.damping + self.sliding + self.rolling + self.given
    }

    fn add(&mut self, contact: &Contact, rules: &Rules) {
        let dt = f64::from(rules.dt_s);
        let (pair, meeting) = (&contact.pair, &contact.meeting);
        let q = if rules.hertz { meeting.overlap.sqrt() } else { 1.0 };
        let parting = meeting.velocity.dot(meeting.normal);
        // Adhesion pulls by the overlap: it stores and gives back.
        let elastic = q * pair.stiffness * meeting.overlap;
        self.damping += f64::from((elastic - contact.push.load) * parting) * dt;
        let sideways = meeting.velocity - meeting.normal * parting;
        let along = contact.push.force - meeting.normal * contact.push.force.dot(meeting.normal);
        let stored = |spring: Vec3, stiffness: f32| 0.5 * f64::from(stiffness * spring.dot(spring));
        let gain = |before: Vec3, after: Vec3, k: f32| stored(after, q * k) - stored(before, q * k);
        let slide = gain(contact.before.slide, contact.after.slide, pair.sliding);
        self.sliding -= f64::from(along.dot(sideways)) * dt + slide;
        if rules.rolling {
            let turning = meeting.spin - meeting.normal * meeting.spin.dot(meeting.normal);
            let roll = gain(contact.before.roll, contact.after.roll, pair.rolling);
            self.rolling -= f64::from(contact.push.torque.dot(turning)) * dt + roll;
        }
    }
}

/// A contact as it is, and what it will have done.
struct Contact {
    meeting: Meeting,
    pair: Pair,
    before: Springs,
    after: Springs,
    push: Push,
}

impl Contact {
    fn of(meeting: Meeting, pair: Pair, before: Springs, rules: &Rules) -> Self {
        let mut after = before;
        let push = press(&meeting, &pair, rules, &mut after);
        Self { meeting, pair, before, after, push }
    }

    /// Energy in its pressed surfaces and in its springs (J).
    fn stored(&self, rules: &Rules) -> [f64; 2] {
        let (x, pair) = (f64::from(self.meeting.overlap), &self.pair);
        let (power, q) = if rules.hertz { (0.4 * x.powf(2.5), x.sqrt()) } else { (0.5 * x * x, 1.0) };
        let pull = 0.5 * f64::from(pair.adhesion) * x * x;
        let springs = f64::from(pair.sliding) * f64::from(self.before.slide.length_squared())
            + f64::from(pair.rolling) * f64::from(self.before.roll.length_squared());
        [f64::from(pair.stiffness) * power - pull, 0.5 * q * springs]
    }
}

impl Workshop {
    /// Every contact as it is now, each pair once.
    fn each_contact(
        &self,
        worked: &Worked,
        rules: &Rules,
        surfaces: &[Surface],
        mut visit: impl FnMut(&Contact),
    ) {
        let vector =
            |r: [u32; 4]| Vec3::new(f32::from_bits(r[0]), f32::from_bits(r[1]), f32::from_bits(r[2]));
        for (part, springs) in self.springs.iter().enumerate() {
            let mut first = 0;
            for bundle in self.bundles.of_part(part) {
                for (row, others) in bundle.rows.iter().enumerate() {
                    for lane in 0..BUNDLE {
                        let (a, b) = (bundle.slots[lane] as usize, others[lane] as usize);
                        if b >= self.names.len() || self.names[a] > self.names[b] {
                            continue;
                        }
                        let apart =
                            |k: usize| self.at[a][k].wrapping_sub(self.at[b][k]) as i32 as f32 * rules.part_m;
                        let way = Vec3::new(apart(0), apart(1), apart(2));
                        let far = way.length();
                        let radii = [self.at[a][3], self.at[b][3]].map(f32::from_bits);
                        let overlap = radii[0] + radii[1] - far;
                        if overlap <= 0.0 {
                            continue;
                        }
                        let normal = way / far.max(TINY);
                        let spins = [vector(self.spin[a]), vector(self.spin[b])];
                        let rim =
                            spins[0] * (radii[0] - 0.5 * overlap) + spins[1] * (radii[1] - 0.5 * overlap);
                        let speeds = [vector(self.velocity[a]), vector(self.velocity[b])];
                        let velocity = speeds[0] - speeds[1] - rim.cross(normal);
                        let meeting = Meeting { normal, overlap, velocity, spin: spins[0] - spins[1] };
                        let of = |row: &super::workshop::SpringRow| {
                            Vec3::new(row[0][lane], row[1][lane], row[2][lane])
                        };
                        let drawn = Springs {
                            slide: of(&springs.slide[first + row]),
                            roll: springs.roll.get(first + row).map_or(Vec3::ZERO, of),
                        };
                        let kinds = [self.velocity[a][3], self.velocity[b][3]].map(|kind| kind as usize);
                        let pair = worked.pairs[kinds[0] * worked.kinds.len() + kinds[1]];
                        visit(&Contact::of(meeting, pair, drawn, rules));
                    }
                }
                first += bundle.rows.len();
            }
        }
        self.each_face_contact(worked, surfaces, |meeting, pair, drawn| {
            visit(&Contact::of(meeting, pair, drawn, rules));
        });
    }

    fn each_face_contact(
        &self,
        worked: &Worked,
        surfaces: &[Surface],
        mut visit: impl FnMut(Meeting, Pair, Springs),
    ) {
        for (slot, range) in self.held_starts.windows(2).enumerate() {
            let owner = self.owner[slot] as usize;
            let mover = &self.movers[owner];
            let form = &worked.forms[usize::from(mover.form)];
            let ball = &form.balls[slot - self.first_slot[owner] as usize];
            let (off, spin) = (mover.turn * ball.at_m, mover.spin_rad_s(form));
            let velocity = mover.velocity_m_s + spin.cross(off);
            let touch = Touch { radius: ball.radius_m, kind: usize::from(ball.kind), velocity, spin };
            for held in &self.held[range[0] as usize..range[1] as usize] {
                let Some(surface) = surfaces.get(held.surface as usize) else { continue };
                let at = surface.between(mover.place) + off;
                if let Some((meeting, pair)) = surface.meeting(at, &touch) {
                    visit(meeting, pair, held.springs);
                }
            }
        }
    }

    /// What contacts will lose in this substep.
    pub(super) fn lose(&self, worked: &Worked, rules: &Rules, surfaces: &[Surface], lost: &mut Lost) {
        self.each_contact(worked, rules, surfaces, |contact| lost.add(contact, rules));
    }

    /// Energy in all contacts: pressed, and in springs (J).
    pub(super) fn stored(&self, worked: &Worked, rules: &Rules, surfaces: &[Surface]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        self.each_contact(worked, rules, surfaces, |contact| {
            let [pressed, drawn] = contact.stored(rules);
            sums = [sums[0] + pressed, sums[1] + drawn];
        });
        sums
    }
}

impl Grains {
    /// From now on keeps account of the energy that is lost, or no longer. It makes steps slower and changes nothing.
    pub(crate) fn watch_energy(&mut self, watch: bool) {
        *self.lost = watch.then(Lost::default);
    }

    /// What was lost since somebody began to watch; none when nobody does.
    pub fn lost(&self) -> Option<Lost> {
        *self.lost
    }

    /// Energy of all grains at `time_s` under `gravity` (m/s²), contacts with the ground left out.
    pub fn energy(&self, gravity: DVec3, time_s: f64) -> Energy {
        let mut energy = Energy::default();
        for grain in &self.grains {
            let form = self.form_of(grain);
            let [moving, turning] = grain.kinetic_j(form);
            energy.moving += moving;
            energy.turning += turning;
            energy.height -= form.mass_kg * gravity.dot(self.position_m(grain));
        }
        if self.is_empty() {
            return energy;
        }
        let mut surfaces = Surface::of_walls(self, None, time_s, &mut super::damping::Dampings::default());
        self.place_walls(&mut surfaces, time_s);
        let mut workshop = Workshop::default();
        workshop.take_in(&self.grains);
        workshop.rebuild(self, &surfaces, None);
        let rules = Rules::new(&self.setup.laws, self.worked.rolls, 0.0, self.worked.edge_m);
        [energy.pressed, energy.drawn] = workshop.stored(&self.worked, &rules, &surfaces);
        energy
    }
}
