//! Volume, centre and inertia of a clump: integrals over the union of its balls, and principal axes.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::template::{Ball, Template};

/// Rays per axis through a clump whose balls overlap. With 1,024 the volume is right to 1 in 20,000.
const RAYS: usize = 1024;

/// Rounds of turning after which no product of inertia is left, to rounding.
const ROUNDS: usize = 12;

/// What the shape of a body alone says about how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bulk {
    /// Volume (length³).
    pub volume: f64,
    /// Centre of the volume.
    pub centre: DVec3,
    /// Inertia about the centre for a density of 1 (length⁵).
    pub inertia: DMat3,
}

impl Bulk {
    /// Of the union of all balls of a template (diameters): exact where no two overlap, else summed along rays.
    pub fn of(template: &Template) -> Self {
        let balls = &template.balls;
        let overlap = |i: usize, j: usize| {
            let (a, b) = (balls[i], balls[j]);
            // Balls that touch are apart, whatever the last bit says.
            a.centre.distance(b.centre) < (a.radius + b.radius) * (1.0 - 1e-12)
        };
        let apart = (0..balls.len()).all(|i| (0..i).all(|j| !overlap(i, j)));
        if apart { Self::of_balls_apart(balls) } else { Self::along_rays(balls) }
    }

    fn of_balls_apart(balls: &[Ball]) -> Self {
        let mut moments = Moments::default();
        for ball in balls {
            let volume = 4.0 / 3.0 * PI * ball.radius.powi(3);
            let own = 0.2 * volume * ball.radius * ball.radius;
            let c = ball.centre;
            moments.volume += volume;
            moments.first += c * volume;
            moments.square += c * c * volume + DVec3::splat(own);
            moments.mixed += DVec3::new(c.y * c.z, c.x * c.z, c.x * c.y) * volume;
        }
        moments.bulk()
    }

    /// Sums exact lengths inside the union along rays parallel to z.
    fn along_rays(balls: &[Ball]) -> Self {
        let low = balls.iter().map(|b| b.centre - DVec3::splat(b.radius)).fold(DVec3::INFINITY, DVec3::min);
        let high =
            balls.iter().map(|b| b.centre + DVec3::splat(b.radius)).fold(DVec3::NEG_INFINITY, DVec3::max);
        let cell = (high - low) / RAYS as f64;
        let mut moments = Moments::default();
        let mut inside: Vec<[f64; 2]> = Vec::with_capacity(balls.len());
        for i in 0..RAYS {
            for j in 0..RAYS {
                let x = low.x + (i as f64 + 0.5) * cell.x;
                let y = low.y + (j as f64 + 0.5) * cell.y;
                inside.clear();
                for ball in balls {
                    let (dx, dy) = (x - ball.centre.x, y - ball.centre.y);
                    let half = ball.radius * ball.radius - dx * dx - dy * dy;
                    if half > 0.0 {
                        inside.push([ball.centre.z - half.sqrt(), ball.centre.z + half.sqrt()]);
                    }
                }
                moments.add_ray(x, y, cell.x * cell.y, &mut inside);
            }
        }
        moments.bulk()
    }

    /// The moments of inertia along the principal axes, and these axes as the columns of a turn.
    pub fn principal(&self) -> (DVec3, DMat3) {
        let (mut a, mut axes) = (self.inertia, DMat3::IDENTITY);
        let largest = a.x_axis.x.max(a.y_axis.y).max(a.z_axis.z);
        for _ in 0..ROUNDS {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                let off = a.col(q)[p];
                // Equal moments have no axes of their own: those of the template stay.
                if off.abs() <= 1e-12 * largest {
                    continue;
                }
                let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * off);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                let mut turn = DMat3::IDENTITY;
                turn.col_mut(p)[p] = c;
                turn.col_mut(q)[q] = c;
                turn.col_mut(q)[p] = s;
                turn.col_mut(p)[q] = -s;
                a = turn.transpose() * a * turn;
                axes *= turn;
            }
        }
        (DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), axes)
    }
}

/// Sums of 1, of coordinates and of their products over a volume.
#[derive(Default)]
struct Moments {
    volume: f64,
    first: DVec3,
    square: DVec3,
    /// Of y z, of x z, of x y.
    mixed: DVec3,
}

impl Moments {
    fn add_ray(&mut self, x: f64, y: f64, area: f64, inside: &mut [[f64; 2]]) {
        inside.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
        let mut reached = f64::NEG_INFINITY;
        for &[from, to] in inside.iter() {
            let from = from.max(reached);
            if to <= from {
                continue;
            }
            reached = to;
            let length = (to - from) * area;
            let z = 0.5 * (to * to - from * from) * area;
            let zz = (to * to * to - from * from * from) / 3.0 * area;
            self.volume += length;
            self.first += DVec3::new(x * length, y * length, z);
            self.square += DVec3::new(x * x * length, y * y * length, zz);
            self.mixed += DVec3::new(y * z, x * z, x * y * length);
        }
    }

    fn bulk(self) -> Bulk {
        let centre = self.first / self.volume;
        let c = centre;
        let square = self.square - c * c * self.volume;
        let mixed = self.mixed - DVec3::new(c.y * c.z, c.x * c.z, c.x * c.y) * self.volume;
        let inertia = DMat3::from_cols(
            DVec3::new(square.y + square.z, -mixed.z, -mixed.y),
            DVec3::new(-mixed.z, square.x + square.z, -mixed.x),
            DVec3::new(-mixed.y, -mixed.x, square.x + square.y),
        );
        Bulk { volume: self.volume, centre, inertia }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BALL: f64 = PI / 6.0;

    #[test]
    fn four_touching_balls_have_the_inertia_of_the_closed_form() {
        let bulk = Bulk::of(&Template::tetrahedron(1.0));
        // 1.4 m r² with r = 1/2 and m the volume of four balls.
        let expected = 1.4 * 4.0 * BALL * 0.25;
        for k in 0..3 {
            assert!((bulk.inertia.col(k)[k] / expected - 1.0).abs() < 1e-12);
            assert!(bulk.inertia.col(k)[(k + 1) % 3].abs() < 1e-12);
        }
        assert!((bulk.volume / (4.0 * BALL) - 1.0).abs() < 1e-12 && bulk.centre.length() < 1e-12);
    }

    #[test]
    fn rays_agree_with_closed_forms() {
        // One ball, and two that overlap: their union is both less the lens.
        let ball = Bulk::along_rays(&Template::sphere().balls);
        assert!((ball.volume / BALL - 1.0).abs() < 5e-5, "{}", ball.volume / BALL);
        assert!((ball.inertia.x_axis.x / (0.1 * BALL) - 1.0).abs() < 5e-5);
        let spacing = 0.6;
        let union = Bulk::of(&Template::dimer(spacing));
        let lens = PI / 12.0 * (4.0 * 0.5 + spacing) * (2.0 * 0.5 - spacing).powi(2);
        assert!((union.volume / (2.0 * BALL - lens) - 1.0).abs() < 5e-5);
        // About the axis of the pair: a ball's 0.4 m r² is the integral of pi/2 rho⁴ over half its length and more.
        let rho4 = |x: f64| 0.25f64.powi(2) * x - 2.0 / 3.0 * 0.25 * x.powi(3) + x.powi(5) / 5.0;
        let about_axis = 2.0 * PI / 2.0 * (rho4(0.5) - rho4(-0.5 * spacing));
        assert!((union.inertia.x_axis.x / about_axis - 1.0).abs() < 1e-4);
    }

    #[test]
    fn principal_axes_undo_a_turn() {
        let balls = vec![
            Ball { centre: DVec3::new(0.9, 0.2, -0.4), radius: 0.5 },
            Ball { centre: DVec3::new(-0.7, 0.5, 0.3), radius: 0.3 },
            Ball { centre: DVec3::new(0.1, -1.1, 0.8), radius: 0.4 },
        ];
        let bulk = Bulk::of(&Template { name: "three".into(), balls });
        let (moments, axes) = bulk.principal();
        let back = axes * DMat3::from_diagonal(moments) * axes.transpose();
        for k in 0..3 {
            assert!((back.col(k) - bulk.inertia.col(k)).length() < 1e-12 * bulk.inertia.x_axis.x);
        }
        assert!((axes.determinant() - 1.0).abs() < 1e-12);
    }
}
