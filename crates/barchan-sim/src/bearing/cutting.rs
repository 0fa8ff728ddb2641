//! Flat faces that stand in soil, and the wedge that fails in front of them: the one owner of the force on driven faces.

use barchan_volume::Shape;
use glam::{DVec3, Vec2, Vec3};

use super::contacts::{Setting, SoilTouch};
use super::law::{Resistance, Yield};
use super::solve::Contact;
use super::surroundings::{Range, Surroundings};
use crate::bodies::Body;
use crate::material::Strength;
use crate::reaction::{CutSoil, Wedge, WedgeForce};
use crate::reader::{Reader, voxel_at};

/// Faces that lean over or lie flatter than this are for bearing (-): the upward part of their normal, and the level part.
const LEAST_UP: f32 = -0.35;
const LEAST_LEVEL: f32 = 0.25;

/// Points whose normals agree by this much lie on one face (-), where they are no further from its plane than this (voxels).
const SAME_NORMAL: f32 = 0.985;
const SAME_PLANE: f32 = 0.75;

/// Faces that are less deep or wide than this are for bearing (voxels).
const LEAST_DEPTH: f32 = 1.0;
const LEAST_WIDTH: f32 = 2.0;

/// A face is as wide as this share of its body at least (-): narrower ones are parts of a rounding.
const LEAST_SHARE: f32 = 0.5;

/// Columns that are looked at in front of a face, from its edge on and across it.
const AHEAD: usize = 12;
const ACROSS: [f32; 3] = [-0.35, 0.0, 0.35];

/// How far ahead the ground is looked at (depths of the edge, and voxels).
const LOOK_DEPTHS: f32 = 3.5;
const LOOK_VOXELS: f32 = 4.0;

/// From this upward part of its normal on, down, a face may press soil down instead (-).
const LEANS_OVER: f32 = -0.02;

/// A face that moves out of the soil faster than this cuts nothing (m/s).
const RETREAT_M_S: f32 = 1e-3;

/// One flat face of a body.
struct Face {
    /// Unit vector out of the body.
    normal: Vec3,
    /// A point on it (m).
    point: Vec3,
    /// The points at which it touches soil, as places in the list of them.
    touches: Vec<usize>,
}

/// A face with what lies in front of it.
struct Blade<'a> {
    face: &'a Face,
    /// Level unit vector into the soil, and along the face.
    ahead: Vec2,
    across: Vec2,
    /// Middle of the lower edge (m), and length of it (m).
    edge: Vec3,
    width_m: f32,
    rake: f32,
}

/// The ground in front of a blade.
struct Front {
    /// Height of the surface that nobody has piled up (m).
    level_m: f32,
    /// Distance ahead and height above that level of each place (m).
    heaps: Vec<[f32; 2]>,
}

/// What a blade must do to cut.
struct Cut {
    force: WedgeForce,
    /// Coefficient of friction on the face (-).
    friction: f32,
    /// Level speed into the soil (m/s).
    speed_m_s: f32,
}

/// All that is known of a body in soil before it is asked which of its faces cut.
pub(super) struct Cutter<'a> {
    pub body: &'a Body<'a>,
    pub touches: &'a [SoilTouch],
    /// By touch: what bearing alone would make of it (N).
    pub pressed_n: &'a [f64],
    /// Points all over the surface of the body (m).
    pub outline: &'a [Vec3],
    pub surroundings: &'a Surroundings,
    pub setting: &'a Setting<'a>,
}

impl Cutter<'_> {
    /// Finds the contacts of all faces that cut, appended to `contacts`. Returns for every touch whether they account for it.
    pub fn cut(&self, reader: &mut Reader<'_>, contacts: &mut Vec<Contact>) -> Vec<bool> {
        let mut taken = vec![false; self.touches.len()];
        if !matches!(self.body.spec.shape, Shape::Box { .. } | Shape::Hull(_) | Shape::Mesh(_)) {
            return taken;
        }
        for face in faces(self.touches, reader.ground.voxel_size_m()) {
            if self.cut_with(&face, reader, contacts) {
                face.touches.iter().for_each(|at| taken[*at] = true);
            }
        }
        taken
    }

    /// True where this face cuts.
    fn cut_with(&self, face: &Face, reader: &mut Reader<'_>, contacts: &mut Vec<Contact>) -> bool {
        let least_m = LEAST_DEPTH * reader.ground.voxel_size_m();
        if self.body.velocity_at(face.point).dot(face.normal) < -RETREAT_M_S {
            return false;
        }
        let Some(blade) = Blade::of(face, self.outline, reader.ground.voxel_size_m()) else { return false };
        let guess_m = self.surroundings.depth(blade.edge);
        if guess_m < least_m {
            return false;
        }
        let front = blade.look(guess_m, reader);
        if front.level_m - blade.edge.z < least_m {
            return false;
        }
        let Some(cut) = blade.force(self, &front, reader) else { return false };
        // A face that leans over presses soil down where that is easier than to lift a wedge: no jump from one to the other.
        let pressed_n: f64 = face.touches.iter().map(|at| self.pressed_n[*at]).sum();
        if face.normal.z < LEANS_OVER && f64::from(cut.force.along_n) > pressed_n {
            return false;
        }
        blade.contacts(&cut, front.level_m, self, contacts)
    }
}

/// The flat faces that look along the ground.
fn faces(touches: &[SoilTouch], voxel_size_m: f32) -> Vec<Face> {
    let mut faces: Vec<Face> = Vec::new();
    for (at, touch) in touches.iter().enumerate() {
        let (normal, point) = (touch.spot.outwards, touch.spot.point);
        if normal.z < LEAST_UP || normal.truncate().length() < LEAST_LEVEL {
            continue;
        }
        let is_on = |face: &&mut Face| {
            face.normal.dot(normal) > SAME_NORMAL
                && (point - face.point).dot(face.normal).abs() < SAME_PLANE * voxel_size_m
        };
        match faces.iter_mut().find(is_on) {
            Some(face) => face.touches.push(at),
            None => faces.push(Face { normal, point, touches: vec![at] }),
        }
    }
    faces
}

/// From where to where points reach along a level direction (m).
fn span<'p>(points: impl Iterator<Item = &'p Vec3>, along: Vec2) -> [f32; 2] {
    points.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], p| {
        let at = p.truncate().dot(along);
        [low.min(at), high.max(at)]
    })
}

impl<'a> Blade<'a> {
    fn of(face: &'a Face, outline: &[Vec3], voxel_size_m: f32) -> Option<Self> {
        let ahead = face.normal.truncate().normalize();
        let across = ahead.perp();
        let is_on_face = |p: &&Vec3| (**p - face.point).dot(face.normal).abs() < SAME_PLANE * voxel_size_m;
        let [low, high] = span(outline.iter().filter(is_on_face), across);
        let [body_low, body_high] = span(outline.iter(), across);
        let width_m = high - low;
        let wide_enough =
            width_m >= LEAST_WIDTH * voxel_size_m && width_m >= LEAST_SHARE * (body_high - body_low);
        let lowest = outline.iter().filter(is_on_face).map(|p| p.z).fold(f32::INFINITY, f32::min);
        if !wide_enough || !lowest.is_finite() {
            return None;
        }
        // Straight down the face from the point that is known.
        let drop = face.point.z - lowest;
        let forward =
            face.point.truncate().dot(ahead) + drop * face.normal.z / face.normal.truncate().length();
        let middle = ahead * forward + across * (0.5 * (low + high));
        let rake = libm::acosf(face.normal.z.clamp(-1.0, 1.0));
        Some(Self { face, ahead, across, edge: middle.extend(lowest), width_m, rake })
    }

    /// The ground ahead, where the edge is about `depth_m` (m) deep.
    fn look(&self, depth_m: f32, reader: &mut Reader<'_>) -> Front {
        let size = reader.ground.voxel_size_m();
        let range = Range::around(self.edge.z, self.edge.z + depth_m, size);
        let farthest = LOOK_DEPTHS * depth_m + LOOK_VOXELS * size;
        let mut tops = Vec::with_capacity(AHEAD);
        for step in 0..AHEAD {
            // Counted from where the face comes to the surface: soil rides on one that leans back.
            let lean = depth_m / libm::tanf(self.rake);
            let way = size + (farthest - size) * step as f32 / (AHEAD - 1) as f32;
            let mut found = [0.0; ACROSS.len()];
            let mut count = 0;
            for part in ACROSS {
                let at =
                    self.edge.truncate() + self.ahead * (way - lean) + self.across * (part * self.width_m);
                if let Some(top) = range.top(at, reader) {
                    (found[count], count) = (top.z, count + 1);
                }
            }
            if count > 0 {
                tops.push([way, found[..count].iter().sum::<f32>() / count as f32]);
            }
        }
        // The heap lies near the blade; far ahead the ground is as it was.
        let far = &tops[tops.len() - tops.len().div_ceil(3)..];
        let level_m = match far.len() {
            0 => self.edge.z + depth_m,
            count => far.iter().map(|[_, top]| top).sum::<f32>() / count as f32,
        };
        let heaps = tops.iter().map(|[way, top]| [*way, (top - level_m).max(0.0)]).collect();
        Front { level_m, heaps }
    }

    /// What it takes to cut.
    fn force(&self, cutter: &Cutter<'_>, front: &Front, reader: &mut Reader<'_>) -> Option<Cut> {
        let body = cutter.body;
        let (depth_m, gravity) = (front.level_m - self.edge.z, cutter.setting.gravity.length());
        let strength = self.strength_ahead(depth_m, cutter.touches, reader).in_gravity(gravity);
        let phi = libm::atanf(strength.tan_phi);
        let soil = CutSoil {
            gamma_n_m3: strength.gamma_n_m3,
            cohesion_pa: strength.cohesion_pa,
            phi,
            gravity_m_s2: gravity,
        };
        let friction = body.spec.friction.min(strength.tan_phi);
        let speed_m_s = body.velocity_at(self.edge).truncate().dot(self.ahead).max(0.0);
        let bare = Wedge {
            depth_m,
            width_m: self.width_m,
            rake: self.rake,
            tool_friction: libm::atanf(friction),
            surcharge_pa: 0.0,
            speed_m_s,
            free_ends: self.free_ends(depth_m, reader),
        };
        let first = bare.force(&soil)?;
        let cut = |force: WedgeForce| Cut { force, friction, speed_m_s };
        let near: Vec<f32> =
            front.heaps.iter().filter(|[way, _]| *way <= first.reach_m).map(|[_, height]| *height).collect();
        let heap_m = near.iter().sum::<f32>() / near.len().max(1) as f32;
        if heap_m <= 0.0 {
            return Some(cut(first));
        }
        Wedge { surcharge_pa: heap_m * soil.gamma_n_m3, ..bare }.force(&soil).map(cut)
    }

    /// How strong the soil is that nobody has moved yet: half a wedge ahead, at half the depth; else that of the deepest touch.
    fn strength_ahead(&self, depth_m: f32, touches: &[SoilTouch], reader: &mut Reader<'_>) -> Strength {
        let ahead = self.edge + (self.ahead * depth_m).extend(0.5 * depth_m);
        let size = reader.ground.voxel_size_m();
        let voxel = reader.voxel(voxel_at(ahead, size));
        let deepest =
            self.face.touches.iter().map(|at| &touches[*at]).fold(None::<&SoilTouch>, |deepest, touch| {
                match deepest {
                    Some(other) if other.spot.point.z <= touch.spot.point.z => Some(other),
                    _ => Some(touch),
                }
            });
        let class = match deepest {
            Some(touch) if !voxel.has_soil() => touch.strength,
            _ => voxel.strength_class(reader.materials),
        };
        reader.materials.strengths()[class.index()]
    }

    /// How many of its ends have soil beside them.
    fn free_ends(&self, depth_m: f32, reader: &mut Reader<'_>) -> u32 {
        u32::from(self.has_soil_beside(-1.0, depth_m, reader))
            + u32::from(self.has_soil_beside(1.0, depth_m, reader))
    }

    /// True where there is soil beside the end on this side (-1 or 1).
    fn has_soil_beside(&self, side: f32, depth_m: f32, reader: &mut Reader<'_>) -> bool {
        let size = reader.ground.voxel_size_m();
        let out = self.across * (side * (0.5 * self.width_m + 2.0 * size)) + self.ahead * size;
        let p = voxel_at(self.edge + out.extend(0.4 * depth_m), size);
        !reader.ground.is_wall(p) && reader.voxel(p).has_soil()
    }

    /// Spreads the force over the points below the level: what the weight of soil gives grows with depth, the rest is even. False
    /// where none is.
    fn contacts(&self, cut: &Cut, level_m: f32, cutter: &Cutter<'_>, contacts: &mut Vec<Contact>) -> bool {
        let &Cutter { body, touches, setting, .. } = cutter;
        let below: Vec<(&SoilTouch, f32)> = self
            .face
            .touches
            .iter()
            .map(|at| (&touches[*at], level_m - touches[*at].spot.point.z))
            .filter(|(touch, depth)| *depth > 0.0 && touch.spot.area_m2 > 0.0)
            .collect();
        let area_m2: f32 = below.iter().map(|(touch, _)| touch.spot.area_m2).sum();
        let moment_m3: f32 = below.iter().map(|(touch, depth)| touch.spot.area_m2 * depth).sum();
        // The part of the force at right angles to the face; friction adds the other.
        let total_n = cut.force.along_n.hypot(cut.force.down_n) / (1.0 + cut.friction * cut.friction).sqrt();
        if area_m2 <= 0.0 || !total_n.is_finite() {
            return false;
        }
        let by_weight = (cut.force.weight_n / cut.force.along_n).clamp(0.0, 1.0);
        let (into, drift) = (self.face.normal.as_dvec3(), self.drift(cut).as_dvec3());
        for (touch, depth) in below {
            let pressure_pa = total_n
                * (by_weight * depth / moment_m3.max(f32::MIN_POSITIVE) + (1.0 - by_weight) / area_m2);
            let arm: DVec3 = (touch.spot.point - body.centre_of_mass_m).as_dvec3();
            let area_m2 = f64::from(touch.spot.area_m2);
            let resistance = Resistance::Soil(Yield {
                area_m2,
                pressure_pa: f64::from(pressure_pa),
                slope_pa_m: 0.0,
                gap_m: 0.0,
                approach_m_s: f64::from(body.velocity_at(touch.spot.point).dot(self.face.normal)),
                dt_s: setting.dt_s,
                rate: [0.0, 1.0],
            });
            let friction = f64::from(cut.friction);
            let shear = None;
            let (cuts, is_edge) = (true, false);
            let contact = Contact { arm, into, resistance, friction, shear, area_m2, cuts, is_edge, drift };
            contacts.push(contact);
        }
        true
    }

    /// How fast soil comes up along the face (m/s), beyond what the face itself moves along it: the wedge slides up its plane, and
    /// stays at the face.
    fn drift(&self, cut: &Cut) -> Vec3 {
        let (sin, cos) = (libm::sinf(self.rake), libm::cosf(self.rake));
        let up_the_face = (self.ahead * -cos).extend(sin);
        let past = libm::sinf(cut.force.plane) / libm::sinf(self.rake + cut.force.plane).max(0.05);
        up_the_face * (cut.speed_m_s * (past - cos))
    }
}
