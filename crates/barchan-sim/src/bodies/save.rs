//! Saving bodies so that they go on exactly as if nothing had happened.
//!
//! The bytes are: eight letters, a hash of what follows, the bodies together with all of rapier's state in postcard's
//! encoding, and what else there is to say about each body, of which the first form has nothing and the second less. The hash is checked first. What rapier holds is then checked against our own record of every
//! body; the deeper parts of it cannot be checked from outside, which is what [`StepMotion::restarted`] is for.
//!
//! [`StepMotion::restarted`]: super::StepMotion::restarted

use std::collections::BTreeMap;
use std::panic::catch_unwind;

use barchan_volume::Pose;
use rapier3d::prelude::RigidBodyHandle;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::collection::{Bodies, Entry, State};
use super::coupling::Coupling;
use super::rapier_world::RapierWorld;
use super::track::is_within_reach;
use super::{BodyError, BodyId, BodySpec, Edge, LockedAxes, Motion, collider};

/// What the bytes begin with, by form: the last is written, all are read.
const MAGIC: [&[u8; 8]; 3] = [b"bodies 1", b"bodies 2", b"bodies 3"];
const HEADER: usize = MAGIC[0].len() + size_of::<u64>();

#[derive(Serialize)]
struct Saving<'a> {
    next_id: u32,
    time_s: f64,
    entries: Vec<SavingBody<'a>>,
    rapier: &'a RapierWorld,
}

#[derive(Serialize)]
struct SavingBody<'a> {
    id: BodyId,
    spec: &'a BodySpec,
    handle: RigidBodyHandle,
    state: State,
}

#[derive(Deserialize)]
struct Saved {
    next_id: u32,
    time_s: f64,
    entries: Vec<SavedBody>,
    rapier: RapierWorld,
}

#[derive(Deserialize)]
struct SavedBody {
    id: BodyId,
    spec: BodySpec,
    handle: RigidBodyHandle,
    state: State,
}

/// What the first form does not have, of every body in the order of their ids.
#[derive(Default, Serialize, Deserialize)]
struct More {
    locked: LockedAxes,
    coupling: Coupling,
    adhesion: f32,
    edge_thickness_m: f32,
    edges: Vec<Edge>,
}

/// As the second form had it.
#[derive(Deserialize)]
struct LessMore {
    locked: LockedAxes,
    coupling: Coupling,
}

impl From<LessMore> for More {
    fn from(LessMore { locked, coupling }: LessMore) -> Self {
        Self { locked, coupling, ..Self::default() }
    }
}

impl Bodies {
    /// All state, as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let entries = self.entries.iter().map(|(id, entry)| SavingBody {
            id: *id,
            spec: &entry.spec,
            handle: entry.handle,
            state: entry.state,
        });
        let saving = Saving {
            next_id: self.next_id,
            time_s: self.time_s,
            entries: entries.collect(),
            rapier: &self.rapier,
        };
        let mut bytes = vec![0; HEADER];
        bytes = postcard::to_extend(&saving, bytes).expect("writing to memory does not fail");
        let more: Vec<More> = self.entries.values().map(Entry::more).collect();
        bytes = postcard::to_extend(&more, bytes).expect("writing to memory does not fail");
        let hash = xxh3_64(&bytes[HEADER..]);
        let magic = MAGIC[MAGIC.len() - 1];
        bytes[..magic.len()].copy_from_slice(magic);
        bytes[magic.len()..HEADER].copy_from_slice(&hash.to_le_bytes());
        bytes
    }

    /// The bodies that [`Bodies::to_bytes`] saved.
    ///
    /// # Errors
    /// [`BodyError::Damaged`] when the bytes are anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BodyError> {
        let (payload, form) = open(bytes)?;
        // Rapier's containers assert what forged bytes need not keep.
        catch_unwind(|| decode(payload, form)).unwrap_or_else(|_| Err(damaged("they contradict themselves")))
    }
}

fn decode(payload: &[u8], form: usize) -> Result<Bodies, BodyError> {
    let (saved, rest) =
        postcard::take_from_bytes::<Saved>(payload).map_err(|error| damaged(error.to_string()))?;
    let (more, rest) = match form {
        0 => (saved.entries.iter().map(|_| More::default()).collect(), rest),
        1 => {
            let (less, rest) = postcard::take_from_bytes::<Vec<LessMore>>(rest)
                .map_err(|error| damaged(error.to_string()))?;
            (less.into_iter().map(More::from).collect(), rest)
        }
        _ => postcard::take_from_bytes::<Vec<More>>(rest).map_err(|error| damaged(error.to_string()))?,
    };
    if !rest.is_empty() {
        return Err(damaged(format!("{} bytes too many", rest.len())));
    }
    saved.check(more)
}

/// What follows the header, and of which form it is, if the header fits.
fn open(bytes: &[u8]) -> Result<(&[u8], usize), BodyError> {
    let (Some(header), Some(payload)) = (bytes.get(..HEADER), bytes.get(HEADER..)) else {
        return Err(damaged(format!("{} bytes are too few", bytes.len())));
    };
    let (magic, hash) = header.split_at(MAGIC[0].len());
    let form = MAGIC.iter().position(|known| magic == *known);
    let form = form.ok_or_else(|| damaged("they do not begin like it"))?;
    if hash != xxh3_64(payload).to_le_bytes() {
        return Err(damaged("the checksum is wrong"));
    }
    Ok((payload, form))
}

impl Saved {
    fn check(mut self, more: Vec<More>) -> Result<Bodies, BodyError> {
        self.rapier.check_loaded(self.entries.len()).map_err(damaged)?;
        if !self.time_s.is_finite() {
            return Err(damaged(format!("the time is {} s", self.time_s)));
        }
        if more.len() != self.entries.len() {
            return Err(damaged("there is more, or less, to say about bodies than there are"));
        }
        let mut entries = BTreeMap::new();
        let mut handles = Vec::with_capacity(self.entries.len());
        for (body, more) in self.entries.into_iter().zip(more) {
            let id = body.id;
            handles.push(body.handle.into_raw_parts());
            if id.0 >= self.next_id || entries.insert(id, body.check(more, &self.rapier)?).is_some() {
                return Err(damaged(format!("there cannot be a body {id}")));
            }
        }
        handles.sort_unstable();
        if handles.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(damaged("two bodies are one"));
        }
        Ok(Bodies { entries, next_id: self.next_id, time_s: self.time_s, rapier: self.rapier })
    }
}

impl SavedBody {
    fn check(mut self, more: More, rapier: &RapierWorld) -> Result<Entry, BodyError> {
        (self.spec.locked, self.spec.adhesion) = (more.locked, more.adhesion);
        (self.spec.edge_thickness_m, self.spec.edges) = (more.edge_thickness_m, more.edges);
        if let Some(problem) = self.spec.problems().into_iter().next() {
            return Err(damaged(problem.to_string()));
        }
        let complain = |what: &str| damaged(format!("body {}: {what}", self.id));
        let state = &self.state;
        let places = [state.now.pose, state.previous_pose];
        let is_unit = |pose: &Pose| (pose.rotation.length() - 1.0).abs() < 1e-3;
        if !state.numbers().all(f32::is_finite)
            || !more.coupling.numbers().all(f64::is_finite)
            || !places.iter().all(|pose| is_within_reach(pose.translation) && is_unit(pose))
        {
            return Err(complain("it is nowhere"));
        }
        if state.frozen && self.spec.motion != Motion::Dynamic {
            return Err(complain("only dynamic bodies freeze"));
        }
        if !rapier.has_collider(self.handle) {
            return Err(complain("its collider is missing"));
        }
        if !rapier.moves_as(self.handle, &self.spec) {
            return Err(complain("it does not move as it should"));
        }
        if self.spec.motion == Motion::Dynamic
            && rapier.kinematics(self.handle) != (!state.frozen).then_some(state.now)
        {
            return Err(complain("it is in two places"));
        }
        let mass = collider::mass(&self.spec);
        Ok(Entry::new(self.spec, mass, self.handle, self.state, more.coupling))
    }
}

impl Entry {
    fn more(&self) -> More {
        let BodySpec { locked, adhesion, edge_thickness_m, ref edges, .. } = self.spec;
        More { locked, coupling: self.coupling, adhesion, edge_thickness_m, edges: edges.clone() }
    }
}

fn damaged(what: impl Into<String>) -> BodyError {
    BodyError::Damaged(what.into())
}
