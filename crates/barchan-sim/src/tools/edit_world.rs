//! Carrying out an edit: the tool does it, the books are closed, and what is to come to rest does.

use barchan_volume::{Mask, Region, VoxelBox};
use glam::IVec3;

use super::copy::copy;
use super::flood;
use super::grow::{grow, within};
use super::paint::paint;
use super::reshape::reshape;
use super::watch::{Stage, Watch};
use crate::close::Closing;
use crate::ground::{Changes, Edit, EditError, EditReport, Ground, Stuff};
use crate::ledger::Transfers;
use crate::world::World;

/// Rounds of sliding between two looks at whoever watches: about a tenth of a second of a large heap.
const ROUNDS_BETWEEN_LOOKS: u32 = 64;

impl World {
    /// Changes the ground by hand, and books it.
    pub fn edit(&mut self, edit: &Edit) -> Result<EditReport, EditError> {
        self.edit_watched(edit, &mut |_| true)
    }

    /// As [`World::edit`]; `goes_on` hears of every stage that has ended, and of coming to rest every few rounds, and says whether
    /// to go on. An edit that is cancelled
    /// before its books are closed changes nothing; after that only the soil is left where it has come to.
    pub fn edit_watched(
        &mut self,
        edit: &Edit,
        goes_on: &mut dyn FnMut(Stage) -> bool,
    ) -> Result<EditReport, EditError> {
        let mut watch = Watch::new(goes_on);
        // Tools may add variants of materials; placing and removing do not, and come by the dozen.
        let is_plain = matches!(edit, Edit::Place { .. } | Edit::Pack { .. } | Edit::Remove { .. });
        let known = (!is_plain).then(|| self.state.materials.clone());
        let done = self.carry_out(edit, &mut watch).and_then(|done| {
            watch.ended(Stage::Remove)?;
            Ok(done)
        });
        let (transfers, voxels) = match done {
            Ok(done) => done,
            Err(error) => {
                self.state.ground.undo_open_changes();
                if let Some(known) = known {
                    self.state.materials = known;
                }
                return Err(error);
            }
        };
        let Closing { changes, imbalance } = self.close(&transfers);
        let report = EditReport { transfers, changes, imbalance, voxels, ..EditReport::default() };
        let goes_on = watch.ended(Stage::Commit).is_ok();
        if matches!(edit, Edit::Rest { .. }) {
            self.state.ground.wake_all();
        }
        match rest_rounds(edit) {
            0 => Ok(report),
            rounds if goes_on => Ok(self.rest_after(report, rounds, &mut watch)),
            _ => Ok(EditReport { restless: true, ..report }),
        }
    }

    /// What the edit does, before the books are closed: what came, went and turned, and how many voxels it chose.
    fn carry_out(&mut self, edit: &Edit, watch: &mut Watch<'_>) -> Result<(Transfers, usize), EditError> {
        let limit = self.memory_limit_bytes;
        let (state, shares) = (&mut self.state, self.body_fill.shares());
        let (ground, materials) = (&mut state.ground, &mut state.materials);
        match edit {
            Edit::Place { region, material, moisture } => {
                let stuff = Some(Stuff::new(*material, *moisture, materials)?);
                Ok((ground.fill_or_empty(region, (stuff, None), materials, shares, limit)?, 0))
            }
            Edit::Pack { region, material, moisture, packing } => {
                let stuff = Some(Stuff::new(*material, *moisture, materials)?);
                if let Some(problem) = packing.problem(*material, materials) {
                    return Err(EditError::Packing(problem));
                }
                Ok((ground.fill_or_empty(region, (stuff, Some(packing)), materials, shares, limit)?, 0))
            }
            Edit::Remove { region } => {
                Ok((ground.fill_or_empty(region, (None, None), materials, shares, limit)?, 0))
            }
            Edit::Weather(weathering) => self.weather_at_once(weathering, watch),
            Edit::Paint { region, pigment } => {
                let masks = masks_of(region, ground);
                paint(&masks, *pigment, ground, materials, limit)
            }
            Edit::Copy(copying) => copy(copying, ground, shares, materials, limit),
            Edit::Flood(flood) => flood::carry_out(flood, ground, shares, materials, limit),
            Edit::Reshape(reshaping) => reshape(reshaping, ground, shares, materials, limit),
            Edit::Grow(growing) => grow(growing, ground, shares, materials, limit),
            Edit::Rest { .. } => Ok((Transfers::none(), 0)),
        }
    }

    /// Brings the soil that the edit woke to rest. Whoever watches is asked every few rounds.
    fn rest_after(&mut self, report: EditReport, rounds: u32, watch: &mut Watch<'_>) -> EditReport {
        let mut report = report;
        let (mut changes, mut at_rest) = (vec![report.changes], false);
        while !at_rest && report.rounds < rounds {
            let rest = self.come_to_rest(ROUNDS_BETWEEN_LOOKS.min(rounds - report.rounds));
            report.imbalance.add_all(&rest.imbalance);
            report.rounds += rest.rounds;
            changes.push(rest.changes);
            at_rest = rest.at_rest;
            if watch.ended(Stage::Rest).is_err() {
                break;
            }
        }
        EditReport { changes: Changes::merged(changes), restless: !at_rest, ..report }
    }
}

/// Rounds of sliding in which what an edit leaves is to come to rest; 0: it moves as time passes.
fn rest_rounds(edit: &Edit) -> u32 {
    match edit {
        Edit::Weather(weathering) if weathering.debris.is_some() => weathering.rest_rounds,
        Edit::Rest { most_rounds } => *most_rounds,
        _ => 0,
    }
}

/// The voxels of a region in bricks that hold anything, in order.
fn masks_of(region: &Region, ground: &Ground) -> Vec<(IVec3, Mask)> {
    let held = ground.voxels().brick_bounds();
    let reach = within(VoxelBox::new(held.min * 8, held.max * 8), Some(region), ground.voxel_size_m());
    let stored = reach.to_bricks().cells().filter(|coord| ground.voxels().stored(*coord).is_some());
    let masks = stored.map(|coord| (coord, region.mask(coord, ground.voxel_size_m())));
    masks.filter(|(_, mask)| !mask.is_empty()).collect()
}
