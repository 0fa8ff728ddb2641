//! Where a body meets the ground, and how the ground resists there.

use std::sync::Arc;

use glam::{DVec3, Mat3, Vec2, Vec3};

use super::bearing::{BearingParams, Sampled};
use super::cutting::Cutter;
use super::law::{Facing, Resistance, Soil, Stop, Yield};
use super::overburden::mass_above;
use super::penetration::penetrate;
use super::rock::{RockTouch, rock_at};
use super::shear::{Shear, Sheared};
use super::solve::Contact;
use super::surroundings::Surroundings;
use crate::bodies::{Body, Edge};
use crate::material::{MaterialId, StrengthClass};
use crate::reader::{Reader, rock_fill, voxel_at};
use crate::voxel::Voxel;

/// A voxel with less than this fill does not carry (-).
const LOOSE: f32 = 0.4;

/// How stiff rock is: this many times what would stop the body within a step (-).
const ROCK_STIFFNESS: f64 = 300.0;

/// A point on a body, in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Where (m).
    pub point: Vec3,
    /// Unit vector out of the body.
    pub outwards: Vec3,
    /// The part of the surface it stands for (m²).
    pub area_m2: f32,
}

/// Soil near a point of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoilTouch {
    pub spot: Spot,
    /// Which point of the body it is, and how far it has sheared the soil (m).
    place: u32,
    sheared_m: f32,
    kind: MaterialId,
    pub strength: StrengthClass,
    void_ratio: f32,
    /// Mass of the soil that lies on it (kg).
    carried_kg: f32,
}

/// How soil holds a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SoilHold {
    /// The greatest depth of a contact (m).
    pub deepest_m: f32,
    /// Mass of soil that lies on the body (kg), and the sum of its masses times their arms (kg m). What lies on faces that cut is in
    /// the force of cutting.
    pub overburden: (f32, Vec3),
}

/// All that touches one body.
#[derive(Debug, Default)]
pub(super) struct Touches {
    pub soil: Vec<SoilTouch>,
    pub rock: Vec<RockTouch>,
    /// Mass of soil that lies on other points of the body (kg), and the sum of its masses times their arms (kg m).
    overburden: (f32, Vec3),
    /// Points all over the surface of the body (m).
    outline: Vec<Vec3>,
    /// Edges and teeth, in the frame of the body.
    edges: Arc<[Edge]>,
}

/// What decides about contacts beside the body and the ground.
pub(super) struct Setting<'a> {
    pub params: &'a BearingParams,
    /// Gravity (m/s²).
    pub gravity: Vec3,
    /// Length of the step (s).
    pub dt_s: f64,
}

impl Setting<'_> {
    /// How far (m) something may get in the step that moves by `velocity` (m/s) at its beginning.
    pub fn way(&self, velocity: Vec3) -> f32 {
        let dt_s = self.dt_s as f32;
        (velocity.length() + self.gravity.length() * dt_s) * dt_s
    }
}

impl Touches {
    /// True when there is nothing.
    pub fn is_empty(&self) -> bool {
        self.soil.is_empty() && self.rock.is_empty() && self.overburden.0 == 0.0
    }

    /// Looks at the ground just outside every point of `samples` on `body`, and as far as it moves in the step.
    pub fn find(
        body: &Body<'_>,
        sampled: &Sampled,
        sheared: &Sheared,
        reader: &mut Reader<'_>,
        setting: &Setting<'_>,
    ) -> Self {
        let size = reader.ground.voxel_size_m();
        let reach = setting.params.contact_reach_voxels;
        let turn = Mat3::from_quat(body.pose.rotation);
        let mut touches = Self { edges: sampled.edges.clone(), ..Self::default() };
        for (place, sample) in (0..).zip(sampled.samples.iter()) {
            let sheared = (place, sheared.at(place));
            let point = turn * sample.point + body.pose.translation;
            let spot = Spot { point, outwards: turn * sample.normal, area_m2: sample.area_m2 };
            let probe = reader.voxel(voxel_at(point + spot.outwards * (reach * size), size));
            let here = reader.voxel(voxel_at(point, size));
            touches.outline.push(point);
            let mut carried_kg = 0.0;
            if here.has_soil() || probe.has_soil() {
                carried_kg = weigh(&spot, reader);
            }
            let is_on_soil = probe.has_soil() && probe.fill(reader.materials) >= LOOSE;
            if is_on_soil {
                touches.add_soil(spot, sheared, &probe, carried_kg, reader);
            }
            if carried_kg > 0.0 && !(is_on_soil && spot.area_m2 > 0.0) {
                touches.overburden.0 += carried_kg;
                touches.overburden.1 += carried_kg * (point - body.centre_of_mass_m);
            }
            let way_m = setting.way(body.velocity_at(point));
            let has_rock = probe.rock > 0 || here.rock > 0;
            let rock = has_rock.then(|| rock_at(&spot, way_m, reader));
            match rock.flatten() {
                Some(rock) => touches.rock.push(rock),
                None if way_m > 0.25 * size => {
                    let may_meet_soil = (!is_on_soil).then_some(sheared);
                    touches.look_ahead(spot, may_meet_soil, way_m, body, reader);
                }
                None => {}
            }
        }
        touches
    }

    /// Adds a contact with soil. To corners, which have no area, soil gives way.
    fn add_soil(
        &mut self,
        spot: Spot,
        (place, sheared_m): (u32, f32),
        voxel: &Voxel,
        carried_kg: f32,
        reader: &Reader<'_>,
    ) {
        if spot.area_m2 > 0.0 {
            let layer = voxel.surface();
            let (kind, strength) = (layer.kind, voxel.strength_class(reader.materials));
            let void_ratio = layer.void_ratio.to_f32();
            self.soil.push(SoilTouch { spot, place, sheared_m, kind, strength, void_ratio, carried_kg });
        }
    }

    /// Finds what `spot` will meet on its way of `way_m` (m): soil, unless it is on soil already, and rock. `may_meet_soil`: which
    /// point it is, and how far it has sheared soil (m).
    fn look_ahead(
        &mut self,
        spot: Spot,
        may_meet_soil: Option<(u32, f32)>,
        way_m: f32,
        body: &Body<'_>,
        reader: &mut Reader<'_>,
    ) {
        let velocity = body.velocity_at(spot.point);
        if velocity.dot(spot.outwards) <= 0.0 {
            return;
        }
        let (size, materials, voxels) =
            (reader.ground.voxel_size_m(), reader.materials, reader.ground.voxels());
        let (from, direction, way) = (spot.point / size, velocity.normalize_or_zero(), way_m / size);
        if let Some(sheared) = may_meet_soil {
            let hit = voxels.cast_ray(from, direction, way, |voxel| voxel.fill(materials));
            let Some(hit) = hit else { return };
            let voxel = reader.voxel(hit.voxel);
            if voxel.has_soil() {
                self.add_soil(spot, sheared, &voxel, 0.0, reader);
            }
        }
        if let Some(hit) = voxels.cast_ray(from, direction, way, |voxel| rock_fill(voxel, materials)) {
            let gap_m = (hit.t * size * direction.dot(-hit.normal)).max(0.0);
            self.rock.push(RockTouch { point: spot.point, area_m2: spot.area_m2, into: -hit.normal, gap_m });
        }
    }

    /// The contacts with soil, appended to `contacts`: those of faces that cut, and of all other points.
    pub fn soil_contacts(
        &self,
        body: &Body<'_>,
        reader: &mut Reader<'_>,
        setting: &Setting<'_>,
        contacts: &mut Vec<Contact>,
    ) -> SoilHold {
        if self.soil.is_empty() {
            return SoilHold { deepest_m: 0.0, overburden: self.overburden };
        }
        let points: Vec<Vec3> = self.soil.iter().map(|touch| touch.spot.point).collect();
        // Half a diagonal of the square that a point stands for.
        let largest_m2 = self.soil.iter().map(|touch| touch.spot.area_m2).fold(0.0, f32::max);
        let surroundings = Surroundings::around(&points, (0.5 * largest_m2).sqrt(), reader);
        let width_m = self.width(surroundings.normal).max(0.5 * reader.ground.voxel_size_m());
        let (gravity, strengths) = (setting.gravity.length(), reader.materials.strengths());
        let mut known: Option<(StrengthClass, Soil)> = None;
        let (mut pressing, mut pressed_n) = (Vec::with_capacity(self.soil.len()), Vec::new());
        for touch in &self.soil {
            let soil = match known {
                Some((class, soil)) if class == touch.strength => soil,
                _ => {
                    let strength = strengths[touch.strength.index()].in_gravity(gravity);
                    // What the body itself has pressed together bears no more for it: the law of sinkage has counted that already.
                    let void_ratio = surroundings.void_ratio(touch.kind).unwrap_or(touch.void_ratio);
                    Soil::new(&reader.materials[touch.kind], void_ratio, &strength, width_m)
                }
            };
            known = Some((touch.strength, soil));
            let depth_m = surroundings.depth(touch.spot.point);
            let contact = touch.contact(depth_m, &soil, surroundings.normal, body, setting);
            pressed_n.push(contact.as_ref().map_or(0.0, Contact::yield_force_n));
            pressing.push((depth_m, contact));
        }
        let (touches, outline) = (&self.soil, &self.outline);
        let cutter =
            Cutter { body, touches, pressed_n: &pressed_n, outline, surroundings: &surroundings, setting };
        let taken = cutter.cut(reader, contacts);
        penetrate(body, &self.edges, &surroundings, reader, setting, contacts);
        let mut hold = SoilHold { deepest_m: 0.0, overburden: self.overburden };
        for ((touch, (depth_m, contact)), cuts) in touches.iter().zip(pressing).zip(taken) {
            if cuts || contact.is_some() {
                hold.deepest_m = depth_m.max(hold.deepest_m);
            }
            if !cuts {
                contacts.extend(contact);
                hold.overburden.0 += touch.carried_kg;
                hold.overburden.1 += touch.carried_kg * (touch.spot.point - body.centre_of_mass_m);
            }
        }
        hold
    }

    /// The smaller side of the contact (m), from how its area is spread along the surface.
    fn width(&self, surface: Vec3) -> f32 {
        let across = surface.any_orthonormal_vector();
        let along = surface.cross(across);
        let (mut area, mut first, mut second) = (0.0, Vec2::ZERO, Vec3::ZERO);
        let origin = self.soil[0].spot.point;
        for touch in self.soil.iter().filter(|touch| touch.spot.outwards.dot(surface) < -0.5) {
            let part = touch.spot.area_m2 * -touch.spot.outwards.dot(surface);
            let at =
                Vec2::new((touch.spot.point - origin).dot(across), (touch.spot.point - origin).dot(along));
            // A point stands for a square around it.
            let own = part / 12.0;
            area += part;
            first += part * at;
            second += part * Vec3::new(at.x * at.x + own, at.y * at.y + own, at.x * at.y);
        }
        if area <= 0.0 {
            return 0.0;
        }
        let mean = first / area;
        let spread = second / area - Vec3::new(mean.x * mean.x, mean.y * mean.y, mean.x * mean.y);
        let middle = 0.5 * (spread.x + spread.y);
        let smaller = middle - (0.5 * (spread.x - spread.y)).hypot(spread.z);
        (12.0 * smaller.max(0.0)).sqrt()
    }

    /// The contacts with rock for a blow, if `body` hits rock.
    pub fn impact(&self, body: &Body<'_>, setting: &Setting<'_>) -> Option<Vec<Contact>> {
        let params = setting.params;
        let mut contacts = Vec::new();
        let mut is_hit = false;
        for touch in &self.rock {
            let speed = body.velocity_at(touch.point).dot(touch.into);
            // To be pushed out of rock is no impact.
            let limit = touch.limit_m_s(f32::INFINITY, setting);
            is_hit |= speed > limit + params.impact_speed_m_s;
            let rebounds = speed > limit && speed > params.rebound_speed_m_s;
            let limit = if rebounds { -body.spec.restitution * speed } else { limit };
            contacts.extend(touch.contact(limit, body, setting));
        }
        is_hit.then_some(contacts)
    }

    /// The contacts with rock for a step from velocities as those of `body`, appended to `contacts`.
    pub fn rock_contacts(
        &self,
        body: &Body<'_>,
        slop_m: f32,
        setting: &Setting<'_>,
        contacts: &mut Vec<Contact>,
    ) {
        for touch in &self.rock {
            let limit_m_s = touch.limit_m_s(slop_m, setting);
            contacts.extend(touch.contact(limit_m_s, body, setting));
        }
    }
}

/// Mass of the soil that lies on `spot` (kg).
fn weigh(spot: &Spot, reader: &mut Reader<'_>) -> f32 {
    let level_m2 = spot.outwards.z * spot.area_m2;
    if spot.outwards.z > 0.1 && level_m2 > 0.0 { mass_above(spot.point, reader) * level_m2 } else { 0.0 }
}

impl SoilTouch {
    fn contact(
        &self,
        depth_m: f32,
        soil: &Soil,
        surface: Vec3,
        body: &Body<'_>,
        setting: &Setting<'_>,
    ) -> Option<Contact> {
        let up = self.spot.outwards.dot(surface);
        let facing = Facing { downwards: (-up).max(0.0), sideways: 1.0 - up.abs() };
        // A face that looks along the surface, above it, does not come closer to it.
        let gap_m = if depth_m >= 0.0 { 0.0 } else { -depth_m / facing.downwards.max(0.2) };
        let (params, dt_s) = (setting.params, setting.dt_s as f32);
        let approach = body.velocity_at(self.spot.point).dot(self.spot.outwards);
        let way_m = (approach.max(0.0) + setting.gravity.length() * dt_s) * dt_s;
        let inside_m = (way_m - gap_m).max(if gap_m > 0.0 { 0.0 } else { 1e-3 * depth_m.max(1e-4) });
        if inside_m <= 0.0 {
            return None;
        }
        let start_m = depth_m.max(0.0);
        let start = soil.yield_pressure(start_m, facing);
        let end = soil.yield_pressure(start_m + facing.downwards * inside_m, facing);
        if end <= 0.0 {
            return None;
        }
        let fast = params.rate_froude * (setting.gravity.length() * (start_m + 0.5 * inside_m)).sqrt();
        let resistance = Resistance::Soil(Yield {
            area_m2: f64::from(self.spot.area_m2),
            pressure_pa: f64::from(start),
            slope_pa_m: f64::from((end - start) / inside_m),
            gap_m: f64::from(gap_m),
            approach_m_s: f64::from(approach),
            dt_s: setting.dt_s,
            rate: [f64::from(params.rate_gain), f64::from(fast)],
        });
        let friction = f64::from(body.spec.friction.min(soil.friction));
        let arm = (self.spot.point - body.centre_of_mass_m).as_dvec3();
        let (into, area_m2) = (self.spot.outwards.as_dvec3().normalize(), f64::from(self.spot.area_m2));
        let along = body.velocity_at(self.spot.point).reject_from(self.spot.outwards.normalize());
        let sheared_m = match body.is_driven() {
            true => self.sheared_m + 0.5 * along.length() * dt_s,
            false => f32::INFINITY,
        };
        let shear = Some(Shear {
            place: self.place,
            sheared_m: f64::from(sheared_m),
            speed_m_s: f64::from(along.length()),
            displacement_m: f64::from(soil.shear_displacement_m),
            adhesion_n: f64::from(body.spec.adhesion * soil.cohesion_pa) * area_m2,
        });
        let contact = Contact {
            arm,
            into,
            resistance,
            friction,
            shear,
            area_m2,
            cuts: false,
            is_edge: false,
            drift: DVec3::ZERO,
        };
        Some(contact)
    }
}

impl RockTouch {
    /// How fast the point may move into the rock (m/s): to its surface, and out of it when it is inside by more than
    /// `slop_m` (m).
    pub fn limit_m_s(&self, slop_m: f32, setting: &Setting<'_>) -> f32 {
        if self.gap_m >= 0.0 {
            return self.gap_m / setting.dt_s as f32;
        }
        let too_deep = (-self.gap_m - slop_m).max(0.0);
        let out = setting.params.rock_correction * too_deep / setting.dt_s as f32;
        -out.min(setting.params.rock_correction_speed_m_s)
    }

    /// The contact that lets the point move into the rock by `limit_m_s` (m/s). None when nothing moves the body there.
    pub fn contact(&self, limit_m_s: f32, body: &Body<'_>, setting: &Setting<'_>) -> Option<Contact> {
        let inverse_mass = f64::from(body.inverse_mass_at(self.point, self.into));
        let damping_n_s_m = ROCK_STIFFNESS / (inverse_mass * setting.dt_s);
        let arm: DVec3 = (self.point - body.centre_of_mass_m).as_dvec3();
        let stop = Stop { limit_m_s: f64::from(limit_m_s), damping_n_s_m };
        let friction = f64::from(body.spec.friction);
        let contact = Contact {
            arm,
            into: self.into.as_dvec3().normalize(),
            resistance: Resistance::Rock(stop),
            friction,
            shear: None,
            area_m2: f64::from(self.area_m2),
            cuts: false,
            is_edge: false,
            drift: DVec3::ZERO,
        };
        damping_n_s_m.is_finite().then_some(contact)
    }
}
