//! Degrees in scenes, rotations inside.

use glam::{Quat, Vec3};

/// Turned about x, then y, then z of the world by these angles (°).
pub fn turned(angles_deg: Vec3) -> Quat {
    let angles = angles_deg * (std::f32::consts::PI / 180.0);
    Quat::from_rotation_z(angles.z) * Quat::from_rotation_y(angles.y) * Quat::from_rotation_x(angles.x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_about_x_first_and_z_last() {
        let turned = turned(Vec3::new(90.0, 0.0, 90.0)) * Vec3::Y;
        assert!((turned - Vec3::Z).length() < 1e-6, "{turned}");
        let turned = super::turned(Vec3::new(0.0, 90.0, 90.0)) * Vec3::Z;
        assert!((turned - Vec3::Y).length() < 1e-6, "{turned}");
    }
}
