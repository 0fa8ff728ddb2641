//! Hands on carving: what soil comes off as, and who carves.

use super::carve::Carve;
use super::params::{CarveError, CarveParams};
use super::particles::with_particles;
use crate::bodies::BodyId;
use crate::world::World;

impl World {
    /// How soil comes off in front of tools.
    pub fn carve(&self) -> &Carve {
        &self.state.carve
    }

    /// From now on soil comes off as particles in front of every body of which nothing else is said; none: of none, and soil makes
    /// room as voxels. What came off before stays what it is.
    ///
    /// # Errors
    /// When a number is outside its range, or there are grains already and they are not what this asks for.
    pub fn set_carve(&mut self, params: Option<CarveParams>) -> Result<(), CarveError> {
        let Some(params) = params else {
            self.state.carve.by_all = false;
            self.state.carve.others.clear();
            return Ok(());
        };
        self.ready_carve(params)?;
        self.state.carve.by_all = true;
        self.state.carve.others.clear();
        Ok(())
    }

    /// Says what soil comes off as, and of which bodies alone.
    ///
    /// # Errors
    /// As [`World::set_carve`].
    pub fn ready_carve(&mut self, params: CarveParams) -> Result<(), CarveError> {
        params.check(self.ground().voxel_size_m())?;
        let state = &mut self.state;
        if state.carve.params == Some(params) {
            return Ok(());
        }
        let (setup, forms) =
            with_particles(state.grains.setup(), &params, &state.materials, state.gravity_m_s2);
        state.grains.extend_setup(setup)?;
        state.carve.params = Some(params);
        state.carve.forms = forms;
        Ok(())
    }

    /// Says whether a body carves; false where there is no such body, or nothing is said of what soil comes off as.
    pub fn set_body_carves(&mut self, id: BodyId, carves: bool) -> bool {
        let carve = &mut self.state.carve;
        if self.state.bodies.get(id).is_none() || carve.params.is_none() {
            return false;
        }
        let at = carve.others.binary_search(&id);
        match (carve.by_all == carves, at) {
            (true, Ok(at)) => drop(carve.others.remove(at)),
            (false, Err(at)) => carve.others.insert(at, id),
            _ => {}
        }
        true
    }
}
