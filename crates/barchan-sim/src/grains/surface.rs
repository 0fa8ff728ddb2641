//! Surfaces of a step: the faces of walls and bodies, where they are now, and what grains do to them.

use barchan_particles::{Lattice, Place};
use barchan_volume::{Shape, VoxelBox};
use glam::{DMat3, DVec2, DVec3, Vec3};

use super::covers::Covers;
use super::damping::{Dampings, LOWEST_RESTITUTION};
use super::faces::Face;
use super::footing::GROUND;
use super::form::BallKind;
use super::grains::Grains;
use super::law::{Manners, Pair};
use super::press::{Meeting, Push, Rules, Springs, press};
use super::substance::manners;
use super::wall::{Wall, WallForm};
use crate::bodies::{Bodies, CoupledBody};

/// The walls of the world count as walls from this number on.
const WORLD_WALLS: u32 = 1 << 20;

/// Bodies count from this number on.
const BODIES: u32 = 1 << 31;

/// Faces of one wall have numbers of so many bits.
const FACE_BITS: u32 = 6;

/// Faces of one body have numbers of so many bits.
const COLOUR_BITS: u32 = 4;

/// Whose face it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A wall of the setup.
    Wall(usize),
    /// The walls of the world.
    World,
    /// A body, by its place in the list of those that are coupled.
    Body(usize),
}

/// A face with its pose and its numbers.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Its name among all that balls remember: the same in every step.
    pub id: u32,
    /// Whose it is.
    pub owner: Owner,
    face: Face,
    /// The origin of its frame.
    origin: Place,
    part_m: f64,
    /// Axes of its frame in the world.
    axes: DMat3,
    /// From the origin of the pose to that of the face's frame, in this frame (m).
    offset_m: DVec3,
    /// Velocity of the origin (m/s).
    pub velocity_m_s: DVec3,
    /// Rate of turning (rad/s).
    pub spin_rad_s: DVec3,
    /// Radius of the ball around the origin that holds the face (m).
    bound_m: f64,
    /// Numbers of its contact with each kind of ball.
    pairs: Vec<Pair>,
}

/// What grains give to something in one substep: whole parts, so that no order of adding matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given {
    force: [i128; 3],
    torque: [i128; 3],
}

/// Parts of a newton, and of a newton metre: 2^60.
const PARTS: f64 = (1u64 << 60) as f64;

impl Given {
    /// Adds a force (N) that acts at `arm` (m) from the centre, with a torque (N m) of its own.
    pub fn add_at(&mut self, force: DVec3, arm: DVec3, torque: DVec3) {
        let torque = arm.cross(force) + torque;
        for axis in 0..3 {
            self.force[axis] += (force[axis] * PARTS) as i128;
            self.torque[axis] += (torque[axis] * PARTS) as i128;
        }
    }

    /// Adds what another part of the grains gives.
    pub fn add(&mut self, other: &Given) {
        for axis in 0..3 {
            self.force[axis] += other.force[axis];
            self.torque[axis] += other.torque[axis];
        }
    }

    /// Force (N) and torque about the centre (N m).
    pub fn total(&self) -> (DVec3, DVec3) {
        let of = |sums: [i128; 3]| DVec3::from_array(sums.map(|sum| sum as f64 / PARTS));
        (of(self.force), of(self.torque))
    }
}

impl Surface {
    /// The faces of all walls, and of the box that the world has as its walls.
    pub fn of_walls(
        grains: &Grains,
        bounds_m: Option<[DVec3; 2]>,
        time_s: f64,
        dampings: &mut Dampings,
    ) -> Vec<Self> {
        let setup = &grains.setup;
        let mut surfaces = Vec::new();
        for (index, wall) in setup.walls.iter().enumerate() {
            if !wall.stands(time_s) {
                continue;
            }
            let pairs = pairs(grains, &Coat::of_wall(wall), dampings);
            for (number, (face, bound_m)) in faces_of(&wall.form, wall.rough_m).into_iter().enumerate() {
                let id = ((index as u32) << FACE_BITS) | number as u32;
                surfaces.push(Self::new(id, Owner::Wall(index), face, bound_m, pairs.clone(), grains));
            }
        }
        if let Some([low, high]) = bounds_m {
            let pairs = pairs(grains, &Coat::default(), dampings);
            for (number, (face, _)) in box_faces(low, high, None).into_iter().enumerate() {
                let id = WORLD_WALLS | number as u32;
                surfaces.push(Self::new(id, Owner::World, face, f64::INFINITY, pairs.clone(), grains));
            }
        }
        surfaces
    }

    /// The faces of a body, the `index`-th of those that are coupled: one, but for meshes, which are covered with spheres of some
    /// colours. None where it has no surface.
    pub fn of_body(
        grains: &Grains,
        index: usize,
        body: &CoupledBody,
        bodies: &Bodies,
        covers: &mut Covers,
        dampings: &mut Dampings,
    ) -> Vec<Self> {
        let shape = &body.shape;
        let (faces, bound_m) = match shape {
            Shape::Hull(_) | Shape::Mesh(_) => {
                let Some(surface) = bodies.surface(body.id) else { return Vec::new() };
                let bound_m = f64::from(surface.bound_m());
                match covers.of(grains, body) {
                    Some(cover) => {
                        let bound_m = bound_m + f64::from(cover.radius_m());
                        (Face::of_cover(&cover, grains.farthest_reach_m()), bound_m)
                    }
                    None => (vec![Face::Body(surface)], bound_m),
                }
            }
            simple => (vec![Face::Solid(simple.clone())], bound(simple)),
        };
        let bound_m = bound_m + f64::from(shape.centroid().length());
        let pairs = pairs(grains, &Coat::of_body(body), dampings);
        let of = |(colour, face): (usize, Face)| {
            let id = BODIES | (body.id.0 << COLOUR_BITS) | colour as u32;
            let mut surface = Self::new(id, Owner::Body(index), face, bound_m, pairs.clone(), grains);
            surface.offset_m = shape.centroid().as_dvec3();
            surface
        };
        faces.into_iter().enumerate().map(of).collect()
    }

    fn new(id: u32, owner: Owner, face: Face, bound_m: f64, pairs: Vec<Pair>, grains: &Grains) -> Self {
        Self {
            id,
            owner,
            face,
            origin: Place::default(),
            part_m: grains.worked.edge_m / (1u64 << 32) as f64,
            axes: DMat3::IDENTITY,
            offset_m: DVec3::ZERO,
            velocity_m_s: DVec3::ZERO,
            spin_rad_s: DVec3::ZERO,
            bound_m,
            pairs,
        }
    }

    /// Puts its frame where it is now. What is too far away for the lattice stays at its rim.
    pub fn place(
        &mut self,
        lattice: &Lattice,
        origin_m: DVec3,
        axes: DMat3,
        velocity_m_s: DVec3,
        spin_rad_s: DVec3,
    ) {
        self.origin = lattice.moved(Place::default(), origin_m);
        (self.axes, self.velocity_m_s, self.spin_rad_s) = (axes, velocity_m_s, spin_rad_s);
    }

    /// True where it moves.
    pub fn is_moving(&self) -> bool {
        self.velocity_m_s != DVec3::ZERO || self.spin_rad_s != DVec3::ZERO
    }

    /// Fastest point of it (m/s).
    pub fn fastest_m_s(&self) -> f64 {
        let turning = self.spin_rad_s.length();
        let reach = if turning == 0.0 { 0.0 } else { self.bound_m.min(1e4) };
        self.velocity_m_s.length() + turning * reach
    }

    /// From its origin to a place (m).
    #[inline(always)]
    pub fn between(&self, place: Place) -> DVec3 {
        let parts = [0, 1, 2].map(|axis| (place.0[axis] - self.origin.0[axis]) as f64);
        DVec3::from_array(parts) * self.part_m
    }

    /// False where nothing within `reach` of a point, given from its origin (m), is near it.
    pub fn may_be_near(&self, from_origin: DVec3, reach: f64) -> bool {
        match &self.face {
            Face::Plane { .. } => self.way_to(from_origin).is_some_and(|(far, _)| far < reach),
            _ => from_origin.length() < self.bound_m + reach,
        }
    }

    /// Distance (m) and direction from it to a point, given from its origin (m).
    #[inline(always)]
    pub fn way_to(&self, from_origin: DVec3) -> Option<(f64, DVec3)> {
        let own = self.axes.transpose() * from_origin + self.offset_m;
        let (far, way) = self.face.way_to(own)?;
        Some((far, self.axes * way))
    }

    /// How it meets a ball at a point given from its origin (m), and the numbers of that; none where they do not touch.
    pub fn meeting(&self, at: DVec3, ball: &Touch) -> Option<(Meeting, Pair)> {
        let way = self.way_to(at).filter(|(far, _)| *far < f64::from(ball.radius))?;
        let (meeting, ..) = meet(way, at, ball, [self.velocity_m_s, self.spin_rad_s]);
        Some((meeting, self.pairs[ball.kind]))
    }

    /// The push of this surface on a ball at a point given from its origin (m); what the ball gives goes to `given`.
    #[inline(always)]
    pub fn push(
        &self,
        at: DVec3,
        ball: &Touch,
        rules: &Rules,
        springs: &mut Springs,
        given: &mut Given,
    ) -> Option<(Push, f32)> {
        let way = self.way_to(at).filter(|(far, _)| *far < f64::from(ball.radius));
        let Some(way) = way else {
            *springs = Springs::default();
            return None;
        };
        let motion = [self.velocity_m_s, self.spin_rad_s];
        Some(push_off(way, at, ball, &self.pairs[ball.kind], rules, springs, given, motion))
    }
}

/// The push of something at a distance (m) and a direction from which a ball at `at` (m from the origin of the other) is near;
/// `motion` is the velocity of that origin (m/s) and its spin (rad/s). Says how deep the ball is, too.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
pub fn push_off(
    (far, normal): (f64, DVec3),
    at: DVec3,
    ball: &Touch,
    pair: &Pair,
    rules: &Rules,
    springs: &mut Springs,
    given: &mut Given,
    motion: [DVec3; 2],
) -> (Push, f32) {
    let (meeting, arm, point) = meet((far, normal), at, ball, motion);
    let mut push = press(&meeting, pair, rules, springs);
    let own_torque = push.torque;
    push.torque += (-arm).as_vec3().cross(push.force);
    given.add_at(-push.force.as_dvec3(), point, -own_torque.as_dvec3());
    (push, meeting.overlap)
}

/// How a ball meets something, from where it touches to the centre of the ball, and where that is (m).
#[inline(always)]
pub fn meet(
    (far, normal): (f64, DVec3),
    at: DVec3,
    ball: &Touch,
    motion: [DVec3; 2],
) -> (Meeting, DVec3, DVec3) {
    let overlap = f64::from(ball.radius) - far;
    // The point of contact: between both surfaces, where two things meet that are as soft as each other.
    let arm = normal * (far + 0.5 * overlap);
    let point = at - arm;
    let velocity = ball.velocity - ball.spin.cross(arm) - motion[0] - motion[1].cross(point);
    let meeting = Meeting {
        normal: normal.as_vec3(),
        overlap: overlap as f32,
        velocity: velocity.as_vec3(),
        spin: (ball.spin - motion[1]).as_vec3(),
    };
    (meeting, arm, point)
}

/// A ball that touches a surface.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Radius (m).
    pub radius: f32,
    /// Kind.
    pub kind: usize,
    /// Velocity of the centre (m/s).
    pub velocity: DVec3,
    /// Spin (rad/s).
    pub spin: DVec3,
}

/// What is said of a surface.
#[derive(Clone, Copy, Debug, Default)]
struct Coat {
    friction: Option<f64>,
    restitution: Option<f64>,
    /// Share of what the grains say that counts too.
    of_grains: f64,
}

impl Coat {
    fn of_wall(wall: &Wall) -> Self {
        Self { friction: wall.friction, restitution: wall.restitution, of_grains: 0.0 }
    }

    /// As between bodies, the mean of both counts.
    fn of_body(body: &CoupledBody) -> Self {
        let restitution = f64::from(body.restitution).max(LOWEST_RESTITUTION);
        Self { friction: Some(body.friction.into()), restitution: Some(restitution), of_grains: 0.5 }
    }

    fn with(&self, said: Option<f64>, own: f64) -> f64 {
        said.map_or(own, |said| said + (own - said) * self.of_grains)
    }
}

/// The name of a face by its number in a step: beyond all surfaces comes the ground.
pub fn name_of(surfaces: &[Surface], number: u32) -> u32 {
    surfaces.get(number as usize).map_or(GROUND, |surface| surface.id)
}

/// Numbers of the contacts of all kinds of balls with the ground, whose friction is that of what lies where they touch.
pub fn pairs_with_ground(grains: &Grains, dampings: &mut Dampings) -> Vec<Pair> {
    pairs(grains, &Coat::default(), dampings)
}

/// Numbers of the contacts of all kinds of balls with something flat that is as stiff as they are.
fn pairs(grains: &Grains, coat: &Coat, dampings: &mut Dampings) -> Vec<Pair> {
    let setup = &grains.setup;
    let mut of_kind = |kind: &BallKind| {
        let own = manners(&setup.substances, &setup.between, kind.substance, kind.substance);
        let manners = Manners {
            friction: coat.with(coat.friction, own.friction),
            restitution: coat.with(coat.restitution, own.restitution),
            ..own
        };
        Pair::new(&setup.laws, &setup.touching(kind), &setup.flat(kind), &manners, dampings)
    };
    grains.worked.kinds.iter().map(&mut of_kind).collect()
}

/// The faces of a wall, each with the radius around the origin that holds it (m).
fn faces_of(form: &WallForm, rough_m: Option<f64>) -> Vec<(Face, f64)> {
    let with = |bound: f64| move |face| (face, bound);
    match form {
        WallForm::Plane => {
            Face::of_plane(DVec3::ZERO, DVec3::Z, rough_m).into_iter().map(with(f64::INFINITY)).collect()
        }
        WallForm::Turned { profile } => {
            let bound = profile.iter().map(|p| p.length()).fold(0.0, f64::max);
            Face::of_profile(profile).into_iter().map(with(bound)).collect()
        }
        WallForm::Solid { shape } => match (shape, rough_m) {
            (&Shape::Cylinder { radius, half_height }, Some(bump)) => {
                let (r, h) = (f64::from(radius), f64::from(half_height));
                // A smooth core, so that nothing small falls between the balls.
                let core = Shape::Cylinder { radius: radius - bump as f32, half_height };
                let bumps = Face::of_rough_tube(r, h, bump, -1.0);
                bumps.into_iter().chain([Face::Solid(core)]).map(with(r.hypot(h) + bump)).collect()
            }
            _ => vec![(Face::Solid(shape.clone()), bound(shape))],
        },
        WallForm::Room { shape } => match *shape {
            Shape::Box { half_extents } => {
                box_faces(-half_extents.as_dvec3(), half_extents.as_dvec3(), rough_m)
            }
            Shape::Ball { radius } => vec![(Face::Hollow { radius: radius.into() }, radius.into())],
            Shape::Cone { radius, half_height } => {
                let (r, h) = (f64::from(radius), f64::from(half_height));
                let profile = [DVec2::new(0.0, -h), DVec2::new(r, -h), DVec2::new(0.0, h)];
                Face::of_profile(&profile).into_iter().map(with(r.hypot(h))).collect()
            }
            Shape::Cylinder { radius, half_height } if rough_m.is_some() => {
                let (r, h, bump) = (f64::from(radius), f64::from(half_height), rough_m.unwrap_or_default());
                let mut faces = Face::of_rough_tube(r, h + bump, bump, 1.0);
                faces.push(Face::Bore { radius: r + bump });
                faces.extend(Face::of_plane(DVec3::Z * -h, DVec3::Z, rough_m));
                faces.extend(Face::of_plane(DVec3::Z * h, DVec3::NEG_Z, rough_m));
                faces.into_iter().map(with((r + 2.0 * bump).hypot(h + 2.0 * bump))).collect()
            }
            Shape::Cylinder { radius, half_height } | Shape::Capsule { radius, half_height } => {
                let (r, h) = (f64::from(radius), f64::from(half_height));
                let profile = [DVec2::new(0.0, -h), DVec2::new(r, -h), DVec2::new(r, h), DVec2::new(0.0, h)];
                Face::of_profile(&profile).into_iter().map(with(r.hypot(h))).collect()
            }
            Shape::Hull(_) | Shape::Mesh(_) => Vec::new(),
        },
    }
}

/// The six sides of a box, seen from inside.
fn box_faces(low: DVec3, high: DVec3, rough_m: Option<f64>) -> Vec<(Face, f64)> {
    let mut faces = Vec::new();
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        faces.extend(Face::of_plane(low, axis, rough_m));
        faces.extend(Face::of_plane(high, -axis, rough_m));
    }
    faces.into_iter().map(|face| (face, f64::INFINITY)).collect()
}

/// Radius of the ball around the origin of a simple shape that holds it (m).
fn bound(shape: &Shape) -> f64 {
    let length = match *shape {
        Shape::Box { half_extents } => half_extents.length(),
        Shape::Ball { radius } => radius,
        Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => {
            Vec3::new(radius, half_height, 0.0).length()
        }
        Shape::Capsule { radius, half_height } => radius + half_height,
        Shape::Hull(_) | Shape::Mesh(_) => 0.0,
    };
    f64::from(length)
}

/// The walls of a world as a box (m).
pub fn bounds_m(bounds: Option<VoxelBox>, voxel_size_m: f32) -> Option<[DVec3; 2]> {
    let size = f64::from(voxel_size_m);
    bounds.map(|walls| [walls.min.as_dvec3() * size, walls.max.as_dvec3() * size])
}
