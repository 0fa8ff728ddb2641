//! Which soil hangs in the air.

use barchan_volume::Brick;
use barchan_volume::brick::{EDGE, VOXELS, brick_box};
use glam::IVec3;
use rayon::prelude::*;

use crate::columns::{FULL_SLACK, FullSoil, LEDGE_SHARE, Space};
use crate::units::LOOSE_FULL;
use crate::voxel::Voxel;

/// All voxels of awake bricks whose soil hangs in the air.
pub(super) fn hanging(space: &Space<'_>) -> Vec<IVec3> {
    let awake: Vec<IVec3> = space.ground.awake().bricks().collect();
    let in_brick = |coord: &IVec3| hanging_in(*coord, space);
    awake.par_iter().with_min_len(16).flat_map_iter(in_brick).collect()
}

/// Ground and body shares of one brick.
struct Both<'a> {
    ground: Option<&'a Brick<Voxel>>,
    bodies: Option<&'a Brick<u16>>,
}

impl<'a> Both<'a> {
    fn at(coord: IVec3, space: &Space<'a>) -> Self {
        Self { ground: space.ground.voxels().stored(coord), bodies: space.body_shares.stored(coord) }
    }

    /// A voxel and what bodies take of it (1/32,768).
    #[inline]
    fn get(&self, at: usize) -> (Voxel, u16) {
        let voxel = self.ground.map_or(Voxel::AIR, |brick| brick.get(at));
        (voxel, self.bodies.map_or(0, |brick| brick.get(at)))
    }

    /// True when every voxel is full of soil.
    fn is_full_soil(&self) -> bool {
        let full = |voxel: &Voxel| voxel.soil_share() + FULL_SLACK > LOOSE_FULL;
        self.bodies.is_none() && matches!(self.ground, Some(Brick::Uniform(voxel)) if full(voxel))
    }
}

fn hanging_in(coord: IVec3, space: &Space<'_>) -> Vec<IVec3> {
    let mut found = Vec::new();
    let (here, below) = (Both::at(coord, space), Both::at(coord - IVec3::Z, space));
    if here.ground.is_none() {
        return found;
    }
    let cells = brick_box(coord);
    // In a brick full of soil only the lowest layer can hang, and not on another such brick.
    let is_full_soil = here.is_full_soil();
    if is_full_soil && below.is_full_soil() && cells.min.z > space.lowest {
        return found;
    }
    let layers = if is_full_soil { 1 } else { EDGE as usize };
    let mut soils = FullSoil::default();
    for column in (0..VOXELS).step_by(EDGE as usize) {
        // What is below a brick at the floor does not matter: it is outside.
        let mut under = below.get(column + EDGE as usize - 1);
        for z in 0..layers {
            let at = column + z;
            let this = here.get(at);
            let (voxel, body) = under;
            let on_full_soil = body == 0 && voxel.rock == 0 && soils.is_full(&voxel);
            if this.0.soil > 0 && !on_full_soil {
                let p = cells.min + IVec3::new((at >> 6) as i32, (at >> 3 & 7) as i32, z as i32);
                if hangs_on(this, under, p, space) {
                    found.push(p);
                }
            }
            under = this;
        }
    }
    found
}

/// True when the soil of voxel `p` hangs: `this` is there, `under` below.
fn hangs_on(this: (Voxel, u16), under: (Voxel, u16), p: IVec3, space: &Space<'_>) -> bool {
    let (solid, all) = shares(under, space);
    if all + FULL_SLACK > LOOSE_FULL {
        return false;
    }
    // Without rock or bodies around, a voxel below that has room decides it.
    let plain = solid < LEDGE_SHARE && shares(this, space).0 < LEDGE_SHARE;
    if plain { !space.is_outside(p - IVec3::Z) } else { space.hangs(p) }
}

/// Rock and body, and all of it with the soil (1/32,768).
#[inline]
fn shares((voxel, body): (Voxel, u16), space: &Space<'_>) -> (u32, u32) {
    let solid = voxel.rock_share(space.materials) + u32::from(body);
    (solid, solid + voxel.soil_share())
}
