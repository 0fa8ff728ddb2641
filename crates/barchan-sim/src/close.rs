//! Closing the books: the one place where what was said about a change is compared with what is there.

use crate::bearing::wake_near;
use crate::ground::Changes;
use crate::ledger::{Account, Amounts, Transfers};
use crate::world::World;

/// What closing the books found.
#[derive(Clone, Debug, Default)]
pub struct Closing {
    /// Which bricks of ground changed.
    pub changes: Changes,
    /// What counting found beyond what was said, by account and kind (units). Nothing, or there is a bug.
    pub imbalance: Amounts<i64>,
}

impl World {
    /// Ends an edit, a step or whatever else changed something: counts what changed, books it as held and what was said about it
    /// as entered, left or turned, and wakes what is near.
    pub(crate) fn close(&mut self, transfers: &Transfers) -> Closing {
        let (changes, mut counted) = self.state.ground.close_changes(&self.state.materials);
        counted.add_all(&self.changed_particles());
        let imbalance = self.state.ledger.book(&counted, transfers);
        self.state.grains.wake_on(changes.bricks(), self.state.ground.voxel_size_m());
        self.state.water.wake_on(changes.bricks(), self.state.ground.voxel_size_m());
        wake_near(changes.bricks(), &self.body_fill, &mut self.state.bodies);
        Closing { changes, imbalance }
    }

    /// By how much what particles hold differs from what is booked (units).
    fn changed_particles(&mut self) -> Amounts<i64> {
        let mut changed = self.state.grains.count_again();
        changed.add_all(&self.state.carve.count());
        changed.add_all(&self.state.water.count());
        let held = self.state.ledger.held.iter();
        held.filter(|((account, _), _)| OF_PARTICLES.contains(account))
            .for_each(|(place, units)| changed.add(place, -units));
        changed.iter().map(|(place, units)| (place, units as i64)).collect()
    }
}

/// Accounts that particles hold.
const OF_PARTICLES: [Account; 3] = [Account::FreeWater, Account::Sediment, Account::Grains];

#[cfg(test)]
mod tests {
    use barchan_volume::{Pose, Region, Shape, Solid, VoxelBox};
    use glam::{IVec3, Vec3};

    use super::*;
    use crate::bodies::{BodySpec, Coupled, Key, Motion, Track};
    use crate::carve::CarveParams;
    use crate::fall::drop_all;
    use crate::ground::Edit;
    use crate::ledger::Place;
    use crate::material::MaterialId;
    use crate::merge::MergeParams;
    use crate::now::now;
    use crate::water::Pour;
    use crate::world::WorldConfig;

    const STEP_S: f64 = 1.0 / 60.0;
    const SAND: Place = (Account::Soil, MaterialId(0));

    /// A heap of sand that slides and some more that falls, and a block that is led through it.
    fn busy() -> World {
        let bounds = Some(VoxelBox::new(IVec3::ZERO, IVec3::splat(32)));
        let mut world = World::new(WorldConfig { bounds, ..WorldConfig::default() }).unwrap();
        for (height, z) in [(0.6, 0.3), (0.2, 2.0)] {
            let shape = Shape::Box { half_extents: Vec3::new(0.5, 0.5, height / 2.0) };
            let region = Region::Solid(Solid { shape, pose: Pose::at(Vec3::new(1.6, 1.6, z)) });
            world.edit(&Edit::Place { region, material: MaterialId(0), moisture: 0.0 }).unwrap();
        }
        let keys = [(0.0, 0.8), (1.0, 2.4)]
            .map(|(time_s, x)| Key { time_s, pose: Pose::at(Vec3::new(x, 1.6, 0.3)) });
        let motion = Motion::Scripted(Track { keys: keys.to_vec(), repeat: false });
        let block = Shape::Box { half_extents: Vec3::splat(0.25) };
        world.add_body(BodySpec::new("block", block, keys[0].pose, motion)).unwrap();
        (0..10).for_each(|_| drop(world.step(STEP_S)));
        world
    }

    /// Takes a unit of sand out of the ground without a word.
    fn steal(world: &mut World) {
        let ground = &mut world.state.ground;
        let walls = ground.bounds().unwrap();
        let p = walls.cells().find(|p| ground.get(*p).top > 1).expect("there is sand");
        let mut voxel = ground.get(p);
        voxel.top -= 1;
        ground.set_voxel(p, voxel);
    }

    fn carry(world: &mut World) {
        world.state.bodies.step(STEP_S, Vec3::ZERO, 0.0, None);
        let moves = now!(world, STEP_S, 0.0, |now, state| state.carry.step(&now, &state.ground));
        world.update_body_fill();
        now!(world, STEP_S, 0.0, |now, state| moves.apply(&now, &mut state.ground));
    }

    fn compact(world: &mut World) {
        let block = world.bodies().iter().next().expect("a block");
        let contact = crate::bearing::Patch {
            body: block.id,
            part: 0,
            point_m: Vec3::new(1.2, 1.6, 0.2),
            normal: Vec3::NEG_Z,
            area_m2: 0.1,
            force_n: Vec3::Z * 1e5,
            pressure_pa: 1e6,
            is_rock: false,
            cuts: false,
        };
        let compact = world.compact;
        let report = now!(world, STEP_S, 0.0, |now, state| compact.step(&now, &[contact], &mut state.ground));
        assert!(report.voxels > 0);
    }

    fn push(world: &mut World) {
        world.state.bodies.step(STEP_S, Vec3::ZERO, 0.2, None);
        let (changed, push) = (world.update_body_fill(), world.push);
        now!(world, STEP_S, 0.0, |now, state| push.step(&now, &changed, &mut state.ground));
    }

    /// What came off counts as grains: it says so.
    fn carve(world: &mut World) -> Transfers {
        world.set_carve(Some(CarveParams::for_voxels(0.1))).unwrap();
        world.state.bodies.step(STEP_S, Vec3::ZERO, 0.2, None);
        let before = world.body_fill.shares().clone();
        let changed = world.update_body_fill();
        let report = now!(world, STEP_S, 0.2, |now, state| {
            let (ground, grains) = (&mut state.ground, &mut state.grains);
            state.carve.step(&now, &before, &changed, usize::MAX, ground, grains)
        });
        assert!(report.units > 0 && world.carve().came() > 0, "{report:?}");
        report.transfers
    }

    fn merge(world: &mut World) -> Transfers {
        let transfers = carve(world);
        assert!(world.close(&transfers).imbalance.is_zero());
        let params =
            MergeParams { speed_m_s: 100.0, rest_s: 0.0, clearance_m: 0.0, ..MergeParams::default() };
        world.set_merge(Some(params)).unwrap();
        let mut all = Transfers::none();
        for _ in 0..120 {
            // They fall onto the sand, and become some of it.
            let mut coupled = Coupled::of(world.bodies(), Vec3::ZERO, 0.0, STEP_S);
            now!(world, STEP_S, 0.0, |now, state| state.grains.step(&now, &state.ground, &mut coupled));
            let report = now!(world, STEP_S, 0.0, |now, state| {
                state.merge.step(&now, &mut state.carve, &mut state.grains, &mut state.ground)
            });
            all.add_all(&report.transfers);
        }
        assert!(all.net().get((Account::Grains, SAND.1)) < 0, "some merged");
        all
    }

    fn fall(world: &mut World) {
        now!(world, STEP_S, 0.0, |now, state| state.fall.step(&now, &mut state.ground));
    }

    fn slip(world: &mut World) {
        now!(world, STEP_S, 0.0, |now, state| state.slip.step(&now, &mut state.ground));
    }

    fn water(world: &mut World) {
        let region = Region::Slab { z_min_m: 2.6, z_max_m: 3.0 };
        let closing = world.pour(&Pour::new(region)).unwrap();
        assert!(closing.imbalance.is_zero() && world.ledger().held.of(Account::FreeWater) > 0);
        let mut coupled = Coupled::of(world.bodies(), Vec3::ZERO, 0.0, STEP_S);
        let ran = now!(world, STEP_S, 0.0, |now, state| {
            state.water.step(&now, 0, &state.hardness, &mut coupled, &mut state.ground)
        });
        assert_eq!(ran.transfers, Transfers::none());
    }

    fn settle(world: &mut World) {
        let shares = world.body_fill.shares();
        drop_all(shares, &world.state.materials, &mut world.state.ground);
    }

    fn smooth(world: &mut World) {
        let (state, shares) = (&mut world.state, world.body_fill.shares());
        state.ground.smooth(Vec3::new(1.6, 1.6, 0.6), 1.0, 0.5, &state.materials, shares);
    }

    #[test]
    fn whoever_loses_a_unit_is_found_out() {
        type Work = fn(&mut World);
        let all: [(&str, Work); 8] = [
            ("carry", carry),
            ("compact", compact),
            ("push", push),
            ("fall", fall),
            ("slip", slip),
            ("water", water),
            ("settle", settle),
            ("smooth", smooth),
        ];
        for (name, work) in all {
            let mut honest = busy();
            work(&mut honest);
            assert!(honest.close(&Transfers::none()).imbalance.is_zero(), "{name}");
            assert!(honest.ledger().balances() && honest.check().is_ok(), "{name}");

            let mut thief = busy();
            work(&mut thief);
            steal(&mut thief);
            let imbalance = thief.close(&Transfers::none()).imbalance;
            assert_eq!(imbalance.iter().collect::<Vec<_>>(), [(SAND, -1)], "{name}");
            assert_eq!(thief.ledger().balance().iter().collect::<Vec<_>>(), [(SAND, -1)], "{name}");
            assert_eq!(thief.count(), thief.ledger().held, "what is held is counted: {name}");
        }
    }

    #[test]
    fn whoever_loses_a_unit_between_ground_and_grains_is_found_out() {
        type Work = fn(&mut World) -> Transfers;
        for (name, work) in [("carve", carve as Work), ("merge", merge as Work)] {
            let mut honest = busy();
            let said = work(&mut honest);
            assert!(honest.close(&said).imbalance.is_zero(), "{name}");
            assert!(honest.ledger().balances() && honest.check().is_ok(), "{name}");

            let mut thief = busy();
            let said = work(&mut thief);
            steal(&mut thief);
            let imbalance = thief.close(&said).imbalance;
            assert_eq!(imbalance.iter().collect::<Vec<_>>(), [(SAND, -1)], "{name}");

            let mut silent = busy();
            let said = work(&mut silent);
            let moved = said.net().get(SAND);
            let imbalance = silent.close(&Transfers::none()).imbalance;
            assert_eq!(imbalance.get(SAND), moved, "who says nothing is found out: {name}");
        }
    }

    #[test]
    fn what_an_edit_says_must_be_what_it_did() {
        let mut world = busy();
        let held = world.ledger().held.get(SAND);
        let (state, shares) = (&mut world.state, world.body_fill.shares());
        let region = Region::Slab { z_min_m: 0.0, z_max_m: 0.3 };
        let said =
            state.ground.fill_or_empty(&region, (None, None), &state.materials, shares, u64::MAX).unwrap();
        let gone = -said.net().get(SAND);
        assert!(gone > 0);
        // It says that half of the sand left and half became water.
        let mut lie = Transfers::none();
        lie.add(Some(SAND), None, gone / 2);
        lie.add(Some(SAND), Some((Account::Water, Account::WATER_KIND)), gone - gone / 2);
        let imbalance = world.close(&lie).imbalance;
        assert_eq!(imbalance.get((Account::Water, Account::WATER_KIND)), gone / 2 - gone);
        assert_eq!(imbalance.get(SAND), 0);
        assert!(!world.ledger().balances());
        assert_eq!(world.ledger().held.get(SAND), held - i128::from(gone));
    }
}
