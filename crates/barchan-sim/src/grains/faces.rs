//! Faces: what a ball can touch beside other balls, one contact each. The way from a face to a point, exactly.

use std::sync::Arc;

use barchan_volume::{Cover, Shape};
use glam::{DVec2, DVec3};

use crate::bodies::BodySurface;

/// One face of a wall or body, in the frame of that wall or body.
#[derive(Clone, Debug)]
pub enum Face {
    /// The plane through a point, free on the side of its normal.
    Plane {
        /// A point of it (m).
        point: DVec3,
        /// Unit normal.
        normal: DVec3,
    },
    /// One of three sets of balls that make a plane rough: half sunk balls that touch each other, coloured so that no two
    /// neighbours are of one set. They are never stored: the nearest of a set is found on the plane's own chart.
    Bumps {
        /// A point of the plane that touches all crests (m).
        point: DVec3,
        /// Unit normal.
        normal: DVec3,
        /// Radius of the balls (m).
        radius: f64,
        /// Which set, 0 to 2.
        set: u8,
    },
    /// One of three sets of balls that make a tube about z rough: they stand on the tube's unrolled chart as those of a plane do,
    /// a whole number of them around it.
    TubeBumps {
        /// Distance of their centres from the axis (m).
        radius: f64,
        /// Their radius (m).
        bump: f64,
        /// How many stand around the axis: a multiple of three.
        around: u32,
        /// Half the height of the tube (m).
        half_height: f64,
        /// Which set, 0 to 2.
        set: u8,
    },
    /// The inside of a tube about z without end.
    Bore {
        /// Radius (m).
        radius: f64,
    },
    /// A stretch of a profile, turned about z: a disc, a tube or a cone. Felt where the nearest point lies inside it.
    Stretch {
        /// Where it begins: distance from the axis, height (m).
        a: DVec2,
        /// Where it ends (m).
        b: DVec2,
    },
    /// A point of a profile, turned about z: felt where it is nearest to what begins and ends there.
    Rim {
        /// The point (m).
        at: DVec2,
        /// The points before and after it (m).
        beside: [Option<DVec2>; 2],
    },
    /// The inside of a ball around the origin.
    Hollow {
        /// Radius (m).
        radius: f64,
    },
    /// The outside of a simple shape.
    Solid(Shape),
    /// The outside of a hull.
    Body(BodySurface),
    /// The spheres of one colour that cover a mesh.
    Spheres {
        /// All of its spheres.
        cover: Arc<Cover>,
        /// Which of them.
        colour: u8,
        /// How far away they are felt at most (m).
        reach: f64,
    },
}

impl Face {
    /// Distance from the face to `p` (m), below 0 inside a solid, and the unit vector that leads away from it; none where the
    /// face is not felt.
    pub fn way_to(&self, p: DVec3) -> Option<(f64, DVec3)> {
        match self {
            Self::Plane { point, normal } => Some(((p - *point).dot(*normal), *normal)),
            Self::Bumps { point, normal, radius, set } => {
                let way = p - (*point + bump(p - *point, *normal, *radius, *set));
                let far = way.length();
                (far > 0.0).then(|| (far - radius, way / far))
            }
            Self::TubeBumps { radius, bump, around, half_height, set } => {
                let centre = tube_bump(p, *radius, *bump, *around, *half_height, *set)?;
                let far = p.distance(centre);
                (far > 0.0).then(|| (far - bump, (p - centre) / far))
            }
            Self::Bore { radius } => {
                let (flat, out) = flatten(p);
                Some((radius - flat.x, -out))
            }
            Self::Hollow { radius } => {
                let far = p.length();
                (far > 0.0).then(|| (radius - far, p / -far))
            }
            Self::Stretch { a, b } => {
                let (flat, out) = flatten(p);
                let along = *b - *a;
                let share = (flat - *a).dot(along) / along.length_squared();
                // On the axis a disc has no rim.
                let from_axis = |q: DVec2, beyond: bool| q.x == 0.0 && beyond;
                let inside = (share > 0.0 || from_axis(*a, share >= 0.0))
                    && (share < 1.0 || from_axis(*b, share <= 1.0));
                inside.then(|| away(flat - (*a + along * share), along, out))
            }
            Self::Rim { at, beside } => {
                let (flat, out) = flatten(p);
                let nearest = beside.iter().flatten().all(|q| (flat - *at).dot(*q - *at) <= 0.0);
                // A point of the axis is felt as part of its stretch, unless that is the tip of a cone.
                nearest.then(|| away(flat - *at, DVec2::X, out))
            }
            Self::Solid(shape) => from_shape(shape, p),
            Self::Body(surface) => {
                let (far, way) = surface.way_to(p.as_vec3())?;
                Some((f64::from(far), way.as_dvec3()))
            }
            Self::Spheres { cover, colour, reach } => {
                let own = p.as_vec3();
                let nothing = Some((*reach, DVec3::Z));
                if let Some((far, way)) = cover.distances().at(own)
                    && far < 0.0
                {
                    // What came inside is led out by the shortest way.
                    let deep = f64::from(far - cover.radius_m());
                    return if *colour == 0 { Some((deep, way.as_dvec3())) } else { nothing };
                }
                let found = cover.nearest(*colour, own, *reach as f32);
                found.map(|(far, way)| (f64::from(far), way.as_dvec3())).or(nothing)
            }
        }
    }

    /// The faces of a plane: one if it is smooth, else its bumps and a floor below them, through which nothing small falls.
    pub fn of_plane(point: DVec3, normal: DVec3, rough_m: Option<f64>) -> Vec<Self> {
        let Some(radius) = rough_m else { return vec![Self::Plane { point, normal }] };
        let mut faces: Vec<_> = (0..3).map(|set| Self::Bumps { point, normal, radius, set }).collect();
        faces.push(Self::Plane { point: point - normal * radius, normal });
        faces
    }

    /// The three sets of balls that make a tube about z rough: their crests touch the tube from `side` (1: inside, -1: outside).
    pub fn of_rough_tube(radius: f64, half_height: f64, bump: f64, side: f64) -> Vec<Self> {
        let centres = radius + side * bump;
        let around = Self::bumps_around(centres, bump);
        let mut faces: Vec<_> =
            (0..3).map(|set| Self::TubeBumps { radius: centres, bump, around, half_height, set }).collect();
        // Through their middles nothing falls, however small.
        faces.push(if side > 0.0 {
            Self::Bore { radius: centres }
        } else {
            Self::Solid(Shape::Cylinder { radius: centres as f32, half_height: half_height as f32 })
        });
        faces
    }

    /// How many balls fit around a tube: a multiple of three, so that the colours meet.
    fn bumps_around(radius: f64, bump: f64) -> u32 {
        3 * ((std::f64::consts::TAU * radius / (6.0 * bump)).floor().clamp(0.0, 1e6) as u32)
    }

    /// True where enough balls of radius `bump` (m) stand around a tube for its chart to be nearly flat between two of them.
    pub fn may_be_rough_tube(radius: f64, bump: f64) -> bool {
        Self::bumps_around(radius - bump, bump) >= 12
    }

    /// The spheres of a cover, colour by colour, felt up to `reach` (m).
    pub fn of_cover(cover: &Arc<Cover>, reach: f64) -> Vec<Self> {
        (0..cover.colours()).map(|colour| Self::Spheres { cover: cover.clone(), colour, reach }).collect()
    }

    /// All faces of a profile that is turned about z.
    pub fn of_profile(profile: &[DVec2]) -> Vec<Self> {
        let mut faces: Vec<_> =
            profile.windows(2).map(|pair| Self::Stretch { a: pair[0], b: pair[1] }).collect();
        for (i, &at) in profile.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| profile[i]);
            let after = profile.get(i + 1).copied();
            let beside = [before, after];
            // The middle of a disc is no rim.
            let is_disc = at.x == 0.0 && beside.iter().flatten().all(|q| q.y == at.y);
            if !is_disc {
                faces.push(Self::Rim { at, beside });
            }
        }
        faces
    }
}

/// The centre of the nearest ball of a set below a point of the chart, from the point of the plane that touches all crests (m).
fn bump(at: DVec3, normal: DVec3, radius: f64, set: u8) -> DVec3 {
    let (u, v) = normal.any_orthonormal_pair();
    // Balls of one set stand on a triangular lattice with edges of sqrt(3) diameters; the sets are shifted by a diameter.
    let (edge, shift) = (2.0 * radius * 3f64.sqrt(), 2.0 * radius * f64::from(set));
    let flat = DVec2::new(at.dot(u) - shift, at.dot(v));
    let row = edge * 3f64.sqrt() / 2.0;
    let middle = (flat.x / row).floor();
    let mut nearest = (f64::INFINITY, DVec2::ZERO);
    for near in [middle, middle + 1.0] {
        let offset = if near.rem_euclid(2.0) == 0.0 { 0.0 } else { 0.5 * edge };
        let along = ((flat.y - offset) / edge).round() * edge + offset;
        let centre = DVec2::new(near * row, along);
        if centre.distance_squared(flat) < nearest.0 {
            nearest = (centre.distance_squared(flat), centre);
        }
    }
    u * (nearest.1.x + shift) + v * nearest.1.y - normal * radius
}

/// The centre of the ball of a set of a rough tube that is nearest on its chart (m); none beyond the ends of the tube.
fn tube_bump(p: DVec3, radius: f64, bump: f64, around: u32, half_height: f64, set: u8) -> Option<DVec3> {
    // On the chart balls stand on a triangular lattice, points a + b / 2 along the circumference, rows b apart along z. Colours
    // go by a - b, so that no two neighbours have the same.
    let pitch = std::f64::consts::TAU * radius / f64::from(around);
    let row_m = bump * 3f64.sqrt();
    let angle = libm::atan2(p.y, p.x);
    let (u, v) = (angle * radius / pitch, p.z / row_m);
    let (first, last) = (libm::ceil(v - 1.2), libm::floor(v + 1.2));
    let mut nearest: Option<(f64, f64, f64)> = None;
    let mut b = first;
    while b <= last {
        if (b * row_m).abs() <= half_height {
            let colour = f64::from(set) + b;
            let a = ((u - 0.5 * b - colour) / 3.0).round() * 3.0 + colour;
            let (along, across) = ((a + 0.5 * b - u) * pitch, (b - v) * row_m);
            let squared = along * along + across * across;
            if nearest.is_none_or(|(least, ..)| squared < least) {
                nearest = Some((squared, a + 0.5 * b, b));
            }
        }
        b += 1.0;
    }
    let (_, around_it, row) = nearest?;
    let (sin, cos) = libm::sincos(around_it * pitch / radius);
    Some(DVec3::new(radius * cos, radius * sin, row * row_m))
}

/// Distance from the axis z and height, and the direction away from the axis.
fn flatten(p: DVec3) -> (DVec2, DVec3) {
    let r = (p.x * p.x + p.y * p.y).sqrt();
    let out = if r > 0.0 { DVec3::new(p.x / r, p.y / r, 0.0) } else { DVec3::X };
    (DVec2::new(r, p.z), out)
}

/// The way from the nearest point; what lies on a sheet is pushed off it square to `along`.
fn away(way: DVec2, along: DVec2, out: DVec3) -> (f64, DVec3) {
    let far = way.length();
    let direction = if far > 0.0 { way / far } else { along.perp().normalize() };
    (far, out * direction.x + DVec3::Z * direction.y)
}

fn from_shape(shape: &Shape, p: DVec3) -> Option<(f64, DVec3)> {
    match *shape {
        Shape::Box { half_extents } => Some(from_box(half_extents.as_dvec3(), p)),
        Shape::Ball { radius } => {
            let far = p.length();
            Some((far - f64::from(radius), if far > 0.0 { p / far } else { DVec3::Z }))
        }
        Shape::Capsule { radius, half_height } => {
            let half = f64::from(half_height);
            let way = p - DVec3::Z * p.z.clamp(-half, half);
            let far = way.length();
            Some((far - f64::from(radius), if far > 0.0 { way / far } else { DVec3::X }))
        }
        Shape::Cylinder { radius, half_height } => {
            let (r, h) = (f64::from(radius), f64::from(half_height));
            Some(from_turned(
                &[DVec2::new(0.0, -h), DVec2::new(r, -h), DVec2::new(r, h), DVec2::new(0.0, h)],
                p,
            ))
        }
        Shape::Cone { radius, half_height } => {
            let (r, h) = (f64::from(radius), f64::from(half_height));
            Some(from_turned(&[DVec2::new(0.0, -h), DVec2::new(r, -h), DVec2::new(0.0, h)], p))
        }
        Shape::Hull(_) | Shape::Mesh(_) => None,
    }
}

fn from_box(half: DVec3, p: DVec3) -> (f64, DVec3) {
    let beyond = p.abs() - half;
    let side = DVec3::new(1f64.copysign(p.x), 1f64.copysign(p.y), 1f64.copysign(p.z));
    let outside = beyond.max(DVec3::ZERO);
    let far = outside.length();
    if far > 0.0 {
        return (far, outside / far * side);
    }
    let deepest = beyond.max_element();
    let axis = if beyond.x == deepest {
        DVec3::X
    } else if beyond.y == deepest {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (deepest, axis * side)
}

/// From a convex solid of revolution, its profile from the lower end of the axis to the upper.
fn from_turned(profile: &[DVec2], p: DVec3) -> (f64, DVec3) {
    let (flat, out) = flatten(p);
    let mut nearest = (f64::INFINITY, DVec2::ZERO, DVec2::X);
    let mut inside = true;
    for pair in profile.windows(2) {
        let along = pair[1] - pair[0];
        let outward = DVec2::new(along.y, -along.x).normalize();
        inside &= (flat - pair[0]).dot(outward) <= 0.0;
        let share = ((flat - pair[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let way = flat - (pair[0] + along * share);
        if way.length() < nearest.0 {
            nearest = (way.length(), way, outward);
        }
    }
    let (far, way, outward) = nearest;
    let sign = if inside { -1.0 } else { 1.0 };
    let direction = if far > 1e-12 { way * (sign / far) } else { outward };
    (sign * far, out * direction.x + DVec3::Z * direction.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn ways_from_solids_are_exact() {
        let cylinder = Face::Solid(Shape::Cylinder { radius: 1.0, half_height: 2.0 });
        let cone = Face::Solid(Shape::Cone { radius: 1.0, half_height: 1.0 });
        let block = Face::Solid(Shape::Box { half_extents: Vec3::new(1.0, 2.0, 3.0) });
        // Face, point, distance, direction.
        let rows = [
            (&cylinder, DVec3::new(3.0, 0.0, 0.0), 2.0, DVec3::X),
            (&cylinder, DVec3::new(0.0, 0.2, 2.5), 0.5, DVec3::Z),
            (&cylinder, DVec3::new(0.0, 4.0, 6.0), 5.0, DVec3::new(0.0, 0.6, 0.8)),
            (&cylinder, DVec3::new(0.9, 0.0, 0.0), -0.1, DVec3::X),
            (&cone, DVec3::new(0.0, 0.0, -3.0), 2.0, DVec3::NEG_Z),
            (&cone, DVec3::new(0.0, 0.0, 1.5), 0.5, DVec3::Z),
            (&block, DVec3::new(-1.5, 0.0, 0.0), 0.5, DVec3::NEG_X),
            (&block, DVec3::new(4.0, 6.0, 0.0), 5.0, DVec3::new(0.6, 0.8, 0.0)),
            (&block, DVec3::new(0.0, 1.9, 0.0), -0.1, DVec3::Y),
        ];
        for (face, p, far, way) in rows {
            let (found_far, found_way) = face.way_to(p).unwrap();
            assert!((found_far - far).abs() < 1e-9, "{p}: {found_far}");
            assert!((found_way - way).length() < 1e-9, "{p}: {found_way}");
        }
    }

    #[test]
    fn bumps_touch_each_other_and_a_ball_in_a_hollow_touches_three() {
        let radius = 0.5;
        let faces = Face::of_plane(DVec3::ZERO, DVec3::Z, Some(radius));
        // The deepest hollow is where three balls are equally far away: found by letting a small ball roll there.
        let depth = |x: f64, y: f64| {
            let p = DVec3::new(x, y, 0.5);
            let mut far: Vec<f64> = faces[..3].iter().map(|f| f.way_to(p).unwrap().0).collect();
            far.sort_by(f64::total_cmp);
            far
        };
        let (mut hollow, mut crest) = (0.0f64, f64::INFINITY);
        for i in 0..120 {
            for j in 0..120 {
                let far = depth(f64::from(i) * 0.025, f64::from(j) * 0.025);
                (hollow, crest) = (hollow.max(far[0]), crest.min(far[0]));
            }
        }
        // Above a crest the surface is half a metre away; above a hollow the balls are 2/sqrt(3) radii aside.
        let aside = (1.0f64 + (2.0 * radius / 3f64.sqrt()).powi(2)).sqrt() - radius;
        assert!((crest - 0.5).abs() < 1e-3, "{crest}");
        assert!((hollow - aside).abs() < 5e-3, "{hollow} {aside}");
    }

    #[test]
    fn bumps_of_a_tube_touch_each_other_and_meet_behind_the_seam() {
        let (radius, bump) = (1.0, 0.05);
        let faces = Face::of_rough_tube(radius, 0.5, bump, 1.0);
        let Face::TubeBumps { radius: centres, around, .. } = faces[0] else { panic!("bumps") };
        assert!(around % 3 == 0 && around > 60);
        // Closest together, balls touch, but for what is left over around the tube.
        let pitch = std::f64::consts::TAU * centres / f64::from(around);
        // A multiple of three, of 66 that nearly fit.
        assert!((1.0..1.05).contains(&(pitch / (2.0 * bump))), "{pitch}");
        // Seen from inside, no hollow is deeper than between three balls on a plane, and every crest is at the wall.
        let aside = ((bump + 0.02).powi(2) + (1.05 * 2.0 * bump / 3f64.sqrt()).powi(2)).sqrt() - bump;
        let (mut crest, mut hollow) = (f64::INFINITY, 0.0f64);
        for i in 0..4000 {
            let angle = f64::from(i) * 0.01 - 20.0;
            let at = DVec3::new(angle.cos() * 0.98, angle.sin() * 0.98, f64::from(i % 97) * 0.008 - 0.39);
            let far =
                faces.iter().filter_map(|f| f.way_to(at)).map(|(far, _)| far).fold(f64::INFINITY, f64::min);
            (crest, hollow) = (crest.min(far), hollow.max(far));
        }
        assert!((crest - 0.02).abs() < 1e-3, "{crest}");
        assert!(hollow < aside + 2e-3, "{hollow} {aside}");
        assert!(faces[0].way_to(DVec3::new(0.9, 0.0, 3.0)).is_none());
    }

    #[test]
    fn a_profile_is_felt_once_per_stretch_and_once_at_each_rim() {
        // A funnel: a tube above a cone above a hole.
        let profile = [DVec2::new(0.1, 0.0), DVec2::new(1.0, 0.9), DVec2::new(1.0, 3.0)];
        let faces = Face::of_profile(&profile);
        let felt = |p: DVec3, reach: f64| {
            faces.iter().filter_map(|f| f.way_to(p)).filter(|(far, _)| *far < reach).collect::<Vec<_>>()
        };
        let by_tube = felt(DVec3::new(0.9, 0.0, 2.0), 0.2);
        assert_eq!(by_tube.len(), 1);
        assert!((by_tube[0].1 - DVec3::NEG_X).length() < 1e-12);
        // In the corner of tube and cone a ball touches both.
        assert_eq!(felt(DVec3::new(0.8, 0.0, 1.0), 0.25).len(), 2);
        // In the hole nothing but the rim is near.
        let rim = felt(DVec3::new(0.0, 0.05, -0.05), 0.1);
        assert_eq!(rim.len(), 1);
        assert!(rim[0].1.y < 0.0 && rim[0].1.z < 0.0);
        let floor = Face::of_profile(&[DVec2::ZERO, DVec2::new(1.0, 0.0)]);
        assert_eq!(floor.len(), 2);
        assert_eq!(floor[0].way_to(DVec3::new(0.0, 0.0, 0.3)).unwrap(), (0.3, DVec3::Z));
    }
}
