//! All grains of a world: the store, what comes and goes, and what is remembered between steps.

use barchan_particles::{Id, Lattice, Place};
use glam::{DQuat, DVec3, IVec3};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::covers::{Covering, Covers};
use super::damping::Dampings;
use super::drain::Drain;
use super::energy::Lost;
use super::form::{Form, FormSpec};
use super::grain::{FASTEST_M_S, Grain};
use super::law::Laws;
use super::setup::{GrainsError, Setup, Worked};
use super::source::{Source, SourceState};
use super::substance::{Between, Substance};
use super::template::Template;
use super::wall::{Plunged, Wall};
use super::workshop::Workshop;
use crate::cache::Cache;
use crate::ledger::{Account, Amounts};
use crate::material::{MaterialId, Materials};
use crate::reader::SurfaceField;

/// Memory of a ball with all that belongs to it (bytes), for refusing before it is spent.
const BALL_BYTES: u64 = 600;

/// Springs of a pair of balls, as the ball with the lower name sees them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tie {
    /// Lower name.
    pub a: u32,
    /// Higher name; of a face its number.
    pub b: u32,
    /// Sliding spring (m).
    pub slide: [f32; 3],
    /// Rolling spring (rad).
    pub roll: [f32; 3],
}

/// A grain that is to come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainSpec {
    /// Its form.
    pub form: u16,
    /// Where the centre of mass is (m).
    pub position_m: DVec3,
    /// From the axes of the template to the world; any length but zero.
    pub turn: DQuat,
    /// Velocity of the centre (m/s).
    pub velocity_m_s: DVec3,
    /// Rate of turning (rad/s).
    pub spin_rad_s: DVec3,
}

impl GrainSpec {
    /// A grain at rest that is not turned.
    pub fn at(form: u16, position_m: DVec3) -> Self {
        let (velocity_m_s, spin_rad_s) = (DVec3::ZERO, DVec3::ZERO);
        Self { form, position_m, turn: DQuat::IDENTITY, velocity_m_s, spin_rad_s }
    }
}

/// All grains.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Grains {
    pub(super) setup: Setup,
    pub(super) worked: Worked,
    pub(super) grains: Vec<Grain>,
    /// The next name of a ball.
    pub(super) next_ball: u32,
    /// Springs of pairs, in the order of names.
    pub(super) ties: Vec<Tie>,
    /// Springs on faces, in the order of balls and faces.
    pub(super) face_ties: Vec<Tie>,
    /// Deepest overlap at the end of the last step (m); none where grains came since.
    pub(super) deepest_m: Option<f32>,
    /// Plungers, by walls.
    pub(super) plunged: Vec<Plunged>,
    /// What pours.
    pub(super) sources: Vec<Source>,
    pub(super) source_states: Vec<SourceState>,
    /// Where grains leave, and how many have.
    pub(super) drains: Vec<Drain>,
    pub(super) drained: Vec<u64>,
    /// Part of a unit that is still to be dealt, by soil (units).
    pub(super) remainders: Vec<(MaterialId, f64)>,
    /// How many of the grains sleep.
    pub(super) sleepers: usize,
    #[serde(skip)]
    pub(super) workshop: Cache<Workshop>,
    /// Where the surface of the ground is.
    #[serde(skip)]
    pub(super) surface_field: Cache<Option<SurfaceField>>,
    /// What was lost, where somebody watches.
    #[serde(skip)]
    pub(super) lost: Cache<Option<Lost>>,
    /// Spheres on meshes.
    #[serde(skip)]
    pub(super) covers: Cache<Covers>,
    /// Damping numbers of surfaces.
    #[serde(skip)]
    pub(super) dampings: Cache<Dampings>,
    /// What there is, until something changes it.
    #[serde(skip)]
    counted: Cache<Option<Amounts<i128>>>,
}

impl Grains {
    /// The bytes of version 1 as those of today: nothing covered meshes then, and there were no drains. None where they are no
    /// grains.
    pub(crate) fn brought_up(version_1: &[u8]) -> Option<Vec<u8>> {
        type Laid = (Laws, Vec<Substance>, Vec<Between>, Vec<Template>, Vec<FormSpec>, Vec<Wall>);
        type Moving = (
            Worked,
            Vec<Grain>,
            u32,
            Vec<Tie>,
            Vec<Tie>,
            Option<f32>,
            Vec<Plunged>,
            Vec<Source>,
            Vec<SourceState>,
        );
        let (_, after) = postcard::take_from_bytes::<Laid>(version_1).ok()?;
        let (laid, moving) = version_1.split_at(version_1.len() - after.len());
        let (_, after) = postcard::take_from_bytes::<Moving>(moving).ok()?;
        let (moving, others) = moving.split_at(moving.len() - after.len());
        let covering = postcard::to_stdvec(&Covering::default()).ok()?;
        // Two lists of nothing: drains, and what went out of them.
        Some([laid, &covering, moving, &[0, 0], others].concat())
    }

    /// Says what grains there can be. All that was said before is forgotten.
    ///
    /// # Errors
    /// When something is wrong with it, or there are grains already.
    pub fn set_up(&mut self, setup: Setup) -> Result<(), GrainsError> {
        if !self.grains.is_empty() {
            return Err(GrainsError::Busy { count: self.grains.len() });
        }
        let worked = setup.work_out()?;
        let plunged = vec![Plunged::default(); setup.walls.len()];
        let next_ball = self.next_ball;
        *self = Self { setup, worked, plunged, next_ball, ..Self::default() };
        Ok(())
    }

    /// What grains there can be.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The forms, worked out.
    pub fn forms(&self) -> &[Form] {
        &self.worked.forms
    }

    /// The grains, in the order of their names.
    pub fn all(&self) -> &[Grain] {
        &self.grains
    }

    /// How many grains there are.
    pub fn len(&self) -> usize {
        self.grains.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.grains.is_empty()
    }

    /// How many of them sleep.
    pub fn asleep(&self) -> usize {
        self.sleepers
    }

    /// How many springs between grains are drawn.
    pub fn ties(&self) -> &[Tie] {
        &self.ties
    }

    /// How far from the centre of a grain something may be that it touches before lists are made anew (m).
    pub(super) fn farthest_reach_m(&self) -> f64 {
        self.worked.forms.iter().map(|form| form.reach_m).fold(0.0, f64::max) + self.worked.skin_m
    }

    /// The form of a grain.
    pub fn form_of(&self, grain: &Grain) -> &Form {
        &self.worked.forms[usize::from(grain.form)]
    }

    /// The soil that a grain counts as.
    pub fn soil_of(&self, grain: &Grain) -> MaterialId {
        self.setup.substances[usize::from(self.form_of(grain).spec.substance)].soil
    }

    /// Where the centre of a grain is (m).
    pub fn position_m(&self, grain: &Grain) -> DVec3 {
        self.lattice().point(grain.place)
    }

    /// The cells that places are counted in.
    pub fn lattice(&self) -> Lattice {
        Lattice::new(self.worked.edge_m).or_else(|_| Lattice::new(1.0)).expect("one metre is allowed")
    }

    /// Puts grains into the world, all or none; each gets the units of its volume, `unit_m3` (m³) each, and what is left of a unit
    /// goes to the next of its kind. Says what entered.
    pub(crate) fn add(
        &mut self,
        specs: &[GrainSpec],
        unit_m3: f64,
        limit_bytes: u64,
    ) -> Result<Amounts<i64>, GrainsError> {
        specs.iter().try_for_each(|spec| self.check(spec))?;
        let balls_of = |form: u16| self.worked.forms[usize::from(form)].balls.len();
        let before: usize = self.grains.iter().map(|grain| balls_of(grain.form)).sum();
        let balls = before + specs.iter().map(|spec| balls_of(spec.form)).sum::<usize>();
        let count = self.grains.len() + specs.len();
        let needed = balls as u64 * BALL_BYTES + count as u64 * size_of::<Grain>() as u64;
        if needed > limit_bytes || u64::from(self.next_ball) + balls as u64 > 1 << 31 {
            let [needed_mib, limit_mib] = [needed, limit_bytes].map(|bytes| bytes >> 20);
            return Err(GrainsError::TooMany { count, balls, needed_mib, limit_mib });
        }
        let lattice = self.lattice();
        let mut entered = Amounts::default();
        for spec in specs {
            let form = &self.worked.forms[usize::from(spec.form)];
            let soil = self.setup.substances[usize::from(form.spec.substance)].soil;
            let place = lattice.place(spec.position_m).expect("checked before");
            let (volume_m3, balls) = (form.volume_m3, form.balls.len() as u32);
            let turn = spec.turn.normalize() * form.axes;
            let units = self.deal(soil, volume_m3 / unit_m3);
            let mut grain = Grain {
                id: Id(self.next_ball),
                form: spec.form,
                units,
                place,
                velocity_m_s: spec.velocity_m_s,
                turn,
                angular_momentum: DVec3::ZERO,
                rest_s: 0.0,
                asleep: false,
            };
            grain.set_spin(spec.spin_rad_s, &self.worked.forms[usize::from(spec.form)]);
            self.grains.push(grain);
            self.next_ball += balls;
            entered.add((Account::Grains, soil), units as i64);
        }
        if !specs.is_empty() {
            self.changed_by_hand();
        }
        Ok(entered)
    }

    /// Whole units of an amount; what is left of one is kept for the next grain of the kind.
    fn deal(&mut self, soil: MaterialId, units: f64) -> u64 {
        let at = self.remainders.iter().position(|(kind, _)| *kind == soil).unwrap_or_else(|| {
            self.remainders.push((soil, 0.0));
            self.remainders.len() - 1
        });
        let due = self.remainders[at].1 + units;
        let whole = due.floor();
        self.remainders[at].1 = due - whole;
        whole as u64
    }

    /// Wakes the sleepers in and beside bricks of ground that changed.
    pub(crate) fn wake_on(&mut self, bricks: impl Iterator<Item = IVec3>, voxel_size_m: f32) {
        if self.sleepers == 0 {
            return;
        }
        let changed: FxHashSet<IVec3> = bricks.collect();
        if changed.is_empty() {
            return;
        }
        let near = |grain: &Grain| {
            let reach = DVec3::splat(self.form_of(grain).reach_m + f64::from(voxel_size_m));
            let at = self.position_m(grain);
            let brick = |p: DVec3| SurfaceField::brick_of(p, voxel_size_m);
            let (low, high) = (brick(at - reach), brick(at + reach));
            (low.x..=high.x).any(|x| {
                (low.y..=high.y).any(|y| (low.z..=high.z).any(|z| changed.contains(&IVec3::new(x, y, z))))
            })
        };
        let woken: Vec<usize> =
            (0..self.grains.len()).filter(|&at| self.grains[at].asleep && near(&self.grains[at])).collect();
        self.wake(&woken);
    }

    /// Units of all grains, by soil; counted anew where something may have changed.
    pub(crate) fn count_again(&mut self) -> Amounts<i128> {
        if self.counted.is_none() {
            *self.counted = Some(self.count());
        }
        (*self.counted).clone().unwrap_or_default()
    }

    /// Grains moved or changed: what was counted before no longer counts.
    pub(super) fn forget_count(&mut self) {
        *self.counted = None;
    }

    /// Units of all grains, by soil.
    pub fn count(&self) -> Amounts<i128> {
        let mut by_form = vec![0i128; self.worked.forms.len()];
        for grain in &self.grains {
            by_form[usize::from(grain.form)] += i128::from(grain.units);
        }
        let kind = |form: &Form| self.setup.substances[usize::from(form.spec.substance)].soil;
        self.worked
            .forms
            .iter()
            .zip(by_form)
            .map(|(form, units)| ((Account::Grains, kind(form)), units))
            .collect()
    }

    /// Wakes every grain.
    pub fn wake_all(&mut self) {
        for grain in &mut self.grains {
            (grain.asleep, grain.rest_s) = (false, 0.0);
        }
        self.sleepers = 0;
        self.changed_by_hand();
    }

    /// What was made for the last step no longer holds.
    pub(super) fn changed_by_hand(&mut self) {
        (self.workshop, self.counted) = (Cache::default(), Cache::default());
        self.deepest_m = None;
    }

    /// Forgets what can be made anew.
    pub(crate) fn drop_caches(&mut self) {
        (self.workshop, self.counted) = (Cache::default(), Cache::default());
        (self.dampings, self.surface_field) = (Cache::default(), Cache::default());
        self.covers = Cache::default();
    }

    fn check(&self, spec: &GrainSpec) -> Result<(), GrainsError> {
        if usize::from(spec.form) >= self.worked.forms.len() {
            return Err(GrainsError::Missing { what: "form of grain", index: spec.form.into() });
        }
        let form = &self.worked.forms[usize::from(spec.form)];
        let wrong = |problem| Err(GrainsError::Place { position: spec.position_m, problem });
        if self.lattice().place(spec.position_m).is_none() {
            return wrong("it is no point, or too far away: places reach half a million diameters");
        }
        if !(spec.turn.is_finite() && spec.turn.length() > 1e-6) {
            return wrong("its rotation is no rotation");
        }
        if !(spec.velocity_m_s.is_finite() && spec.velocity_m_s.length() <= FASTEST_M_S) {
            return wrong("it must be no faster than 400 m/s");
        }
        let rim = spec.spin_rad_s * form.reach_m;
        if !(rim.is_finite() && rim.length() <= FASTEST_M_S) {
            return wrong("its rim must be no faster than 400 m/s");
        }
        Ok(())
    }

    /// False for what no step can have left behind: it comes from a damaged file.
    pub(crate) fn is_sound(&self, materials: &Materials) -> bool {
        let worked = &self.worked;
        let kinds = worked.kinds.len();
        let named = |g: &Grain| g.id.0..g.id.0.saturating_add(self.form_of(g).balls.len() as u32);
        let drawn = |tie: &Tie| tie.slide.iter().chain(&tie.roll).all(|x| x.is_finite());
        // What is worked out from the setup must be what this program would work out.
        self.setup.work_out().as_ref() == Ok(worked)
            && self.setup.substances.iter().all(|s| materials.get(s.soil).is_some())
            && worked.forms.iter().all(|form| form.is_sound(kinds))
            && self.grains.iter().all(|grain| grain.is_sound(&worked.forms))
            && self.grains.windows(2).all(|pair| named(&pair[0]).end <= pair[1].id.0)
            && self.grains.last().is_none_or(|last| named(last).end <= self.next_ball)
            && self.ties.iter().chain(&self.face_ties).all(drawn)
            && self.ties.windows(2).all(|pair| (pair[0].a, pair[0].b) < (pair[1].a, pair[1].b))
            && self.face_ties.windows(2).all(|pair| (pair[0].a, pair[0].b) < (pair[1].a, pair[1].b))
            && self.deepest_m.is_none_or(|deepest| (0.0..1e6).contains(&deepest))
            && self.sleepers == self.grains.iter().filter(|grain| grain.asleep).count()
            && self.plunged.len() == self.setup.walls.len()
            && self.plunged.iter().all(|p| p.way_m.is_finite() && p.speed_m_s.is_finite())
            && self.sources.len() == self.source_states.len()
            && self.sources.iter().all(|source| source.check(self).is_ok())
            && self.source_states.iter().all(SourceState::is_sound)
            && self.drains.len() == self.drained.len()
            && self.drains.iter().all(|drain| drain.check().is_ok())
            && self.remainders.iter().all(|(_, units)| (0.0..1.0).contains(units))
    }

    /// The places of the balls of a grain, by their names.
    pub fn balls(&self, grain: &Grain) -> impl Iterator<Item = (Id, Place, f32)> + '_ {
        let (form, lattice, grain) = (self.form_of(grain), self.lattice(), *grain);
        form.balls.iter().enumerate().map(move |(k, ball)| {
            let place = lattice.moved(grain.place, grain.turn * ball.at_m);
            (Id(grain.id.0 + k as u32), place, ball.radius_m)
        })
    }
}
