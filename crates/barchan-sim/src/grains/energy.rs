//! Energy of grains by what holds it, and by what it was lost to: for those who ask, as it takes a look at every contact.
//!
//! Work is force times the mean of the velocities before and after a substep: so it is, to rounding, what moving things gained.

use glam::DVec3;

use super::footing::Footing;
use super::grain::Grain;
use super::grains::Grains;
use super::meetings::{Contact, Other};
use super::press::Rules;
use super::setup::Worked;
use super::surface::{Owner, Surface, bounds_m};
use super::workshop::Workshop;
use crate::bodies::{Bodies, BodyId, Coupled};
use crate::ground::Ground;
use crate::material::Materials;

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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lost {
    /// To damping along the normals.
    pub damping: f64,
    /// To friction.
    pub sliding: f64,
    /// To rolling friction.
    pub rolling: f64,
    /// With springs that grew weaker while they were drawn, less what those gained that grew stiffer: their stiffness goes with
    /// the depth of the contact.
    pub slackening: f64,
    /// Given to each wall of the setup by pushing it.
    pub walls: Vec<f64>,
    /// Given to the walls of the world, and to the ground: neither moves.
    pub world: f64,
    /// Given to bodies by pushing them.
    pub bodies: Vec<(BodyId, f64)>,
    /// Energy that springs have, as far as it was followed.
    followed: Option<f64>,
}

impl Lost {
    /// Given to all walls and bodies.
    pub fn given(&self) -> f64 {
        self.walls.iter().sum::<f64>() + self.bodies.iter().map(|(_, work)| work).sum::<f64>() + self.world
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.damping + self.sliding + self.rolling + self.slackening + self.given()
    }

    fn give(&mut self, owner: Option<Owner>, bodies: &[BodyId], work: f64) {
        match owner {
            Some(Owner::Wall(index)) => {
                self.walls.resize(self.walls.len().max(index + 1), 0.0);
                self.walls[index] += work;
            }
            Some(Owner::Body(index)) => {
                let id = bodies[index];
                match self.bodies.iter_mut().find(|(known, _)| *known == id) {
                    Some((_, sum)) => *sum += work,
                    None => self.bodies.push((id, work)),
                }
            }
            Some(Owner::World) | None => self.world += work,
        }
    }
}

/// Velocity (m/s) and spin (rad/s).
type Motion = [DVec3; 2];

/// Contacts at the beginning of a substep, and how all that takes part in them moved.
pub(super) struct Watch {
    contacts: Vec<Contact>,
    movers: Vec<Grain>,
    surfaces: Vec<Motion>,
}

impl Watch {
    /// Looks at all contacts as a substep begins.
    pub fn begin(
        workshop: &Workshop,
        worked: &Worked,
        rules: &Rules,
        surfaces: &[Surface],
        footing: Option<&Footing>,
        lost: &mut Lost,
    ) -> Self {
        let mut contacts = Vec::new();
        workshop.each_contact(worked, rules, surfaces, footing, |contact| contacts.push(contact.clone()));
        let drawn: f64 = contacts.iter().map(|contact| contact.drawn_j(&contact.before, rules)).sum();
        // What springs have beside what was followed came or went with their stiffness.
        lost.slackening += lost.followed.map_or(0.0, |followed| followed - drawn);
        lost.followed = Some(contacts.iter().map(|contact| contact.drawn_j(&contact.after, rules)).sum());
        let surfaces = surfaces.iter().map(|s| [s.velocity_m_s, s.spin_rad_s]).collect();
        Self { contacts, movers: workshop.movers.clone(), surfaces }
    }

    /// Adds up what contacts did in the substep, now that all has moved.
    pub fn end(
        self,
        workshop: &Workshop,
        worked: &Worked,
        rules: &Rules,
        surfaces: &[Surface],
        bodies: &[BodyId],
        lost: &mut Lost,
    ) {
        let of_mover = |at: usize| {
            let (before, after) = (&self.movers[at], &workshop.movers[at]);
            let form = &worked.forms[usize::from(before.form)];
            // Pushes change the spin before the grain turns.
            let pushed = Grain { turn: before.turn, ..*after };
            let mean = |a: DVec3, b: DVec3| (a + b) * 0.5;
            [
                mean(before.velocity_m_s, after.velocity_m_s),
                mean(before.spin_rad_s(form), pushed.spin_rad_s(form)),
            ]
        };
        let of_surface = |at: usize| {
            let Some(surface) = surfaces.get(at) else { return [DVec3::ZERO; 2] };
            let [velocity, spin] = self.surfaces[at];
            [(velocity + surface.velocity_m_s) * 0.5, (spin + surface.spin_rad_s) * 0.5]
        };
        for contact in &self.contacts {
            let own = of_mover(contact.mover);
            let other = match contact.other {
                Other::Mover(at) => of_mover(at),
                Other::Surface(at) => of_surface(at),
            };
            lost.add(contact, own, other, rules);
            if let Other::Surface(at) = contact.other {
                let (force, torque) = (contact.push.force.as_dvec3(), contact.push.torque.as_dvec3());
                let power = -force.dot(at_point(other, contact.other_arm)) - torque.dot(other[1]);
                lost.give(surfaces.get(at).map(|s| s.owner), bodies, power * f64::from(rules.dt_s));
            }
        }
    }
}

/// Velocity of a point that is `arm` (m) from the centre of what moves like this.
fn at_point([velocity, spin]: Motion, arm: DVec3) -> DVec3 {
    velocity + spin.cross(arm)
}

impl Lost {
    fn add(&mut self, contact: &Contact, own: Motion, other: Motion, rules: &Rules) {
        let (pair, meeting, dt) = (&contact.pair, &contact.meeting, f64::from(rules.dt_s));
        let velocity = at_point(own, contact.arm) - at_point(other, contact.other_arm);
        let normal = meeting.normal.as_dvec3();
        let parting = velocity.dot(normal);
        let q = contact.q(rules);
        let elastic = q * f64::from(pair.stiffness) * f64::from(meeting.overlap);
        self.damping += (elastic - f64::from(contact.push.load)) * parting * dt;
        let sideways = velocity - normal * parting;
        let force = contact.push.force.as_dvec3();
        let gain = |before: glam::Vec3, after: glam::Vec3, k: f32| {
            let squared = |v: glam::Vec3| v.as_dvec3().length_squared();
            0.5 * q * f64::from(k) * (squared(after) - squared(before))
        };
        let along = force - normal * force.dot(normal);
        self.sliding -=
            along.dot(sideways) * dt + gain(contact.before.slide, contact.after.slide, pair.sliding);
        if rules.rolling {
            let torque = contact.push.torque.as_dvec3();
            let turning = own[1] - other[1];
            self.rolling -=
                torque.dot(turning) * dt + gain(contact.before.roll, contact.after.roll, pair.rolling);
        }
    }

    /// Looks at the springs once more: a step ends.
    pub(super) fn close(
        &mut self,
        workshop: &Workshop,
        worked: &Worked,
        rules: &Rules,
        surfaces: &[Surface],
        footing: Option<&Footing>,
    ) {
        let [_, drawn] = workshop.stored(worked, rules, surfaces, footing);
        self.slackening += self.followed.take().map_or(0.0, |followed| followed - drawn);
    }
}

impl Workshop {
    /// Energy in all contacts: pressed, and in springs (J).
    fn stored(
        &self,
        worked: &Worked,
        rules: &Rules,
        surfaces: &[Surface],
        footing: Option<&Footing>,
    ) -> [f64; 2] {
        let mut sums = [0.0; 2];
        self.each_contact(worked, rules, surfaces, footing, |contact| {
            sums[0] += contact.pressed_j(rules);
            sums[1] += contact.drawn_j(&contact.before, rules);
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
        (*self.lost).clone()
    }

    /// Energy of all grains at `time_s` under `gravity` (m/s²).
    pub(crate) fn energy(
        &self,
        gravity: DVec3,
        time_s: f64,
        ground: &Ground,
        materials: &Materials,
        bodies: &Bodies,
    ) -> Energy {
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
        let mut dampings = super::damping::Dampings::default();
        let walls = bounds_m(ground.bounds(), ground.voxel_size_m());
        let mut surfaces = Surface::of_walls(self, walls, time_s, &mut dampings);
        let coupled = Coupled::of(bodies, gravity.as_vec3(), time_s, 0.0);
        let mut covers = (*self.covers).clone();
        for (at, body) in coupled.bodies.iter().enumerate() {
            surfaces.extend(Surface::of_body(self, at, body, bodies, &mut covers, &mut dampings));
        }
        self.place_surfaces(&mut surfaces, &coupled, time_s);
        let mut footing = Footing::below(self, None, ground, materials, &mut dampings);
        let mut workshop = Workshop::default();
        workshop.take_in(&self.grains);
        // Contacts between two that sleep count too.
        workshop.movers.iter_mut().for_each(|mover| mover.asleep = false);
        workshop.rebuild(self, &surfaces, footing.as_mut());
        let rules = Rules::new(&self.setup.laws, self.worked.rolls, 0.0, self.worked.edge_m);
        [energy.pressed, energy.drawn] = workshop.stored(&self.worked, &rules, &surfaces, footing.as_ref());
        energy
    }
}
