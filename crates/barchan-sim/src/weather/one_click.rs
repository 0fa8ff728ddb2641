//! Weathering at a click: what goes is counted, taken, laid down beside, and comes to rest.

use barchan_volume::VoxelSet;

use super::debris::{Turning, turn_to_debris};
use super::pieces::cut_off;
use super::select::{Cut, add_whole, crumbs, cuts_of, gone_by, hollows, whole_voxels};
use super::smooth_cut::parts_of_voxels;
use super::weathering::Weathering;
use crate::ground::{EditError, Ground};
use crate::ledger::Transfers;
use crate::material::{MaterialId, Materials};
use crate::tools::{Stage, Watch};
use crate::world::World;

impl World {
    /// Carries `weathering` out; the caller closes the books, and puts materials back as they were if it fails. Returns what was turned and left, and how many voxels lost rock.
    pub(crate) fn weather_at_once(
        &mut self,
        weathering: &Weathering,
        watch: &mut Watch<'_>,
    ) -> Result<(Transfers, usize), EditError> {
        let (state, shares) = (&mut self.state, self.body_fill.shares());
        weathering.check(&state.materials)?;
        let (ground, materials) = (&mut state.ground, &mut state.materials);
        let plugs = match weathering.fill_hollows {
            true => hollows(weathering.soil_shields, ground, materials),
            false => VoxelSet::default(),
        };
        watch.ended(Stage::Prepare)?;
        let cuts = cuts(weathering, &plugs, ground, materials);
        watch.ended(Stage::Count)?;
        let debris = weathering.debris.as_ref();
        let turning = Turning::new(debris, rocks_of(&cuts, ground).into_iter(), state.seed, materials);
        let transfers = turn_to_debris(&cuts, &turning, ground, shares, materials, self.memory_limit_bytes)?;
        Ok((transfers, cuts.iter().map(|cut| cut.voxels.len()).sum()))
    }
}

/// All rock that goes, crumbs and pieces that lose their hold included.
fn cuts(weathering: &Weathering, plugs: &VoxelSet, ground: &Ground, materials: &Materials) -> Vec<Cut> {
    let mut cuts = match weathering.smooth {
        true => parts_of_voxels(weathering, plugs, ground, materials),
        false => cuts_of(&whole_voxels(weathering, plugs, ground, materials)),
    };
    if cuts.is_empty() {
        return cuts;
    }
    if weathering.drop_pieces {
        let loose = cut_off(&gone_by(&cuts), ground, materials);
        cuts = add_whole(cuts, &loose);
    }
    // Where voxels lose in proportion, what is left of them stays.
    if !weathering.smooth || weathering.drop_pieces {
        let crumbs = crumbs(&gone_by(&cuts), ground, materials);
        cuts = add_whole(cuts, &crumbs);
    }
    cuts
}

/// The kinds of the rock that is cut.
fn rocks_of(cuts: &[Cut], ground: &Ground) -> Vec<MaterialId> {
    let mut is_cut = [false; 256];
    for cut in cuts {
        let brick = ground.brick(cut.coord);
        for (at, _) in &cut.voxels {
            is_cut[usize::from(brick.voxels.get(usize::from(*at)).rock_kind.0)] = true;
        }
        brick.side.rock_kinds().for_each(|kind| is_cut[usize::from(kind.0)] = true);
    }
    (0..=255).map(MaterialId).filter(|kind| is_cut[usize::from(kind.0)]).collect()
}
