//! Hands on a running world: new plans for scripted bodies, other strengths of materials, smoother ground.

use glam::Vec3;

use crate::bodies::{BodyError, BodyId, Track};
use crate::close::Closing;
use crate::ledger::Transfers;
use crate::material::{Hardness, HardnessError, Material, MaterialError, MaterialId};
use crate::weather::{WeatherError, WeatherRules};
use crate::world::World;

impl World {
    /// Gives a scripted body another track from now on. It is led there in the next step, so a track that does not begin
    /// where the body is pushes whatever lies between.
    pub fn set_track(&mut self, id: BodyId, track: Track) -> Result<(), BodyError> {
        self.state.bodies.set_track(id, track)
    }

    /// Pushes a dynamic body with `force_n` (N) through its centre of mass and `torque_n_m` (N m) during the whole next step, as a
    /// hand or a machine does. It is not the ground's: no report tells of it.
    pub fn push_body(&mut self, id: BodyId, force_n: Vec3, torque_n_m: Vec3) -> Result<(), BodyError> {
        self.state.bodies.haul(id, force_n, torque_n_m)
    }

    /// Gives every body this coefficient of friction (-) from now on, and wakes the soil around them.
    pub fn set_body_friction(&mut self, friction: f32) -> Result<(), BodyError> {
        self.state.bodies.set_friction(friction)?;
        self.state.ground.wake_around(self.body_fill.bricks());
        Ok(())
    }

    /// Puts `material` in the place of the one with its name, and wakes all soil. Only strength and looks may differ: with
    /// other void ratios, or another phase, the ground would not fit into its voxels.
    pub fn replace_material(&mut self, material: Material) -> Result<(), MaterialError> {
        let materials = &self.state.materials;
        let Some(id) = materials.find(&material.name) else {
            return Err(MaterialError::Unknown { name: material.name });
        };
        let now = &materials[id];
        let packing = |m: &Material| [m.void_ratio_dense, m.void_ratio_natural, m.void_ratio_loose];
        if now.phase != material.phase || packing(now) != packing(&material) {
            return Err(MaterialError::Packing { name: material.name });
        }
        self.state.materials = materials.with(material)?;
        self.state.ground.wake_all();
        Ok(())
    }

    /// Gives `material`, which has a new name, a number: ground can be made of it from now on.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialId, MaterialError> {
        if self.state.materials.find(&material.name).is_some() {
            return Err(MaterialError::Twice { name: material.name });
        }
        let name = material.name.clone();
        self.state.materials = self.state.materials.with(material)?;
        self.state.materials.find(&name).ok_or(MaterialError::Unknown { name })
    }

    /// Lets rock weather by these rules from now on, or no more. Soils in the colours of the rocks that there are now become
    /// materials of the world.
    pub fn set_weather(&mut self, rules: Option<WeatherRules>) -> Result<(), WeatherError> {
        let Some(rules) = rules else {
            self.state.weather.set_rules(None, Vec::new());
            return Ok(());
        };
        rules.check()?;
        if let Some(debris) = rules.debris {
            debris.check(&self.state.materials).map_err(|error| WeatherError::Debris(error.to_string()))?;
        }
        let soils = rules.find_soils(&self.state.ledger, &mut self.state.materials);
        self.state.weather.set_rules(Some(rules), soils);
        Ok(())
    }

    /// Lets the ground be as hard as this from now on.
    pub fn set_hardness(&mut self, hardness: Hardness) -> Result<(), HardnessError> {
        hardness.check(&self.state.materials)?;
        self.state.hardness = hardness;
        self.state.weather.drop_caches();
        Ok(())
    }

    /// Moves soil from bumps into hollows of the disc of `radius_m` (m) around `centre_m` (m), by `share` (0 to 1) of what
    /// they differ from a plane. Nothing comes or goes. Numbers that are not finite change nothing.
    pub fn smooth(&mut self, centre_m: Vec3, radius_m: f32, share: f32) -> Closing {
        let state = &mut self.state;
        state.ground.smooth(centre_m, radius_m, share, &state.materials, self.body_fill.shares());
        self.close(&Transfers::none())
    }
}
