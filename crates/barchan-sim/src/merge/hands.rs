//! Hands on merging.

use super::merge::Merge;
use super::params::MergeParams;
use crate::world::World;

impl World {
    /// When grains become ground.
    pub fn merge(&self) -> &Merge {
        &self.state.merge
    }

    /// Says when grains that lie at rest become ground; none: never.
    ///
    /// # Errors
    /// When a number is outside its range.
    pub fn set_merge(&mut self, params: Option<MergeParams>) -> Result<(), String> {
        params.as_ref().map_or(Ok(()), MergeParams::check)?;
        self.state.merge.params = params;
        Ok(())
    }
}
