//! The second derivatives of the function that [`Problem`](super::solve::Problem) minimises.

use glam::{DMat3, DVec3};

use super::motion::{Inertia, Twist};

/// Second derivatives by linear and angular velocity: symmetric, positive.
pub(super) struct Hessian {
    linear: DMat3,
    mixed: DMat3,
    angular: DMat3,
}

impl Hessian {
    /// That of the kinetic energy alone.
    pub fn new(inertia: &Inertia) -> Self {
        Self { linear: DMat3::from_diagonal(inertia.masses), mixed: DMat3::ZERO, angular: inertia.matrix }
    }

    /// Adds `stiffness` against the velocity of the point at `arm`.
    pub fn add(&mut self, arm: DVec3, stiffness: DMat3) {
        // The velocity of the point is linear + cross angular.
        let cross = DMat3::from_cols(
            DVec3::new(0.0, -arm.z, arm.y),
            DVec3::new(arm.z, 0.0, -arm.x),
            DVec3::new(-arm.y, arm.x, 0.0),
        );
        let mixed = stiffness * cross;
        self.linear += stiffness;
        self.mixed += mixed;
        self.angular += cross.transpose() * mixed;
    }

    /// The twist that it turns into `right`, or nearly so where rounding has made it less than positive. None when that
    /// does not help.
    pub fn solve(&self, right: Twist) -> Option<Twist> {
        [0.0, 1e-9, 1e-6, 1e-3].into_iter().find_map(|raise| self.solve_raised(right, raise))
    }

    /// As [`Hessian::solve`], with the diagonal raised by a part of itself: Cholesky's decomposition.
    fn solve_raised(&self, right: Twist, raise: f64) -> Option<Twist> {
        let entry = |row: usize, column: usize| match (row < 3, column < 3) {
            (true, true) => self.linear.col(column)[row],
            (false, true) => self.mixed.col(row - 3)[column],
            (true, false) => self.mixed.col(column - 3)[row],
            (false, false) => self.angular.col(column - 3)[row - 3],
        };
        let mut root = [[0.0; 6]; 6];
        for row in 0..6 {
            for column in 0..=row {
                let known: f64 = (0..column).map(|i| root[row][i] * root[column][i]).sum();
                let raised = if row == column { 1.0 + raise } else { 1.0 };
                let rest = entry(row, column) * raised - known;
                if row > column {
                    root[row][column] = rest / root[column][column];
                } else if rest > 0.0 {
                    root[row][row] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        let mut x = right.to_array();
        for row in 0..6 {
            let known: f64 = (0..row).map(|i| root[row][i] * x[i]).sum();
            x[row] = (x[row] - known) / root[row][row];
        }
        for row in (0..6).rev() {
            let known: f64 = (row + 1..6).map(|i| root[i][row] * x[i]).sum();
            x[row] = (x[row] - known) / root[row][row];
        }
        Some(Twist::from_array(x))
    }
}

/// v vᵀ.
pub(super) fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_solves_it_turns_back() {
        let inverse = DMat3::from_diagonal(DVec3::new(2.0, 5.0, 1.0));
        let (mass, masses) = (3.0, DVec3::splat(3.0));
        let mut hessian = Hessian::new(&Inertia { mass, masses, matrix: inverse.inverse(), inverse });
        let contacts = [(DVec3::new(1.0, -0.5, 0.2), DVec3::X), (DVec3::new(-0.3, 2.0, 0.7), DVec3::ONE)];
        for (arm, direction) in contacts {
            hessian.add(arm, outer(direction) * 10.0);
        }
        let right = Twist::from_array([1.0, -2.0, 3.0, 0.5, 4.0, -1.0]);
        let found = hessian.solve(right).unwrap();
        // Momentum, and at each contact what resists the velocity there.
        let mut back = Twist { linear: found.linear * 3.0, angular: inverse.inverse() * found.angular };
        for (arm, direction) in contacts {
            let push = direction * (10.0 * found.at(arm).dot(direction));
            back = back + Twist { linear: push, angular: arm.cross(push) };
        }
        let error = back - right;
        assert!(error.dot(&error) < 1e-20, "{error:?}");
    }
}
