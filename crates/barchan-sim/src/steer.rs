//! Hands on a running world: new plans for scripted bodies, other strengths of materials, smoother ground.

use glam::Vec3;

use crate::bearing::wake_near;
use crate::bodies::{BodyError, BodyId, Track};
use crate::ground::Changes;
use crate::material::{Material, MaterialError};
use crate::world::World;

impl World {
    /// Gives a scripted body another track from now on. It is led there in the next step, so a track that does not begin
    /// where the body is pushes whatever lies between.
    pub fn set_track(&mut self, id: BodyId, track: Track) -> Result<(), BodyError> {
        self.bodies.set_track(id, track)
    }

    /// Gives every body this coefficient of friction (-) from now on, and wakes the soil around them.
    pub fn set_body_friction(&mut self, friction: f32) -> Result<(), BodyError> {
        self.bodies.set_friction(friction)?;
        self.ground.wake_around(self.body_fill.bricks());
        Ok(())
    }

    /// Puts `material` in the place of the one with its name, and wakes all soil. Only strength and looks may differ: with
    /// other void ratios, or another phase, the ground would not fit into its voxels.
    pub fn replace_material(&mut self, material: Material) -> Result<(), MaterialError> {
        let Some(id) = self.materials.find(&material.name) else {
            return Err(MaterialError::Unknown { name: material.name });
        };
        let now = &self.materials[id];
        let packing = |m: &Material| [m.void_ratio_dense, m.void_ratio_natural, m.void_ratio_loose];
        if now.phase != material.phase || packing(now) != packing(&material) {
            return Err(MaterialError::Packing { name: material.name });
        }
        self.materials = self.materials.with(material)?;
        self.ground.wake_all();
        Ok(())
    }

    /// Moves soil from bumps into hollows of the disc of `radius_m` (m) around `centre_m` (m), by `share` (0 to 1) of what
    /// they differ from a plane. Nothing comes or goes. Numbers that are not finite change nothing.
    pub fn smooth(&mut self, centre_m: Vec3, radius_m: f32, share: f32) -> Changes {
        self.ground.smooth(centre_m, radius_m, share, &self.materials, self.body_fill.shares());
        let (changes, _) = self.ground.close_changes();
        wake_near(changes.bricks(), &self.body_fill, &mut self.bodies);
        self.slip.forget(changes.bricks());
        self.fall.note_soil(changes.bricks());
        changes
    }
}
