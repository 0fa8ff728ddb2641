//! What one client has been told of the particles of one form, and what it is to be told next.

use barchan_sim::{ParticleForm, SeenParticle};
use glam::Vec3;
use rustc_hash::FxHashMap;

use super::record::{Record, is_too_coarse, quantum_m};
use super::write::{Change, News, is_too_much};
use crate::frame::deflate::Deflater;
use crate::frame::writer::Writer;

/// Forget all particles of the form before taking this in.
const ANEW: u8 = 1;
/// Bytes that a particle takes on the wire before it is known better.
const USUAL_BYTES: f32 = 8.0;
/// The longest way between numbers of changed particles that fits into its planes.
const LONGEST_GAP: u32 = u16::MAX as u32;
/// Those that are not shown yet count as if they were astray by so many radii.
const NEW_RADII: f32 = 4.0;
/// Nearer than this (m) nothing counts more.
const NEAREST_M: f32 = 0.5;

/// The particles of one form as one client has them. Each has a number there, small and its own while it lives.
#[derive(Debug)]
pub struct ToldParticles {
    quantum_m: f32,
    told: Vec<Told>,
    /// Numbers that nobody has, the largest first.
    free: Vec<u32>,
    numbers: FxHashMap<u64, u32>,
    round: u32,
    /// Bytes that a particle takes on the wire, a mean over some frames.
    bytes_each: f32,
    is_behind: bool,
    /// The client is to forget what it has.
    forgets: bool,
}

#[derive(Clone, Copy, Debug)]
struct Told {
    key: u64,
    record: Record,
    /// When that was (ticks).
    tick: u32,
    /// When it was last there; 0: nobody has this number.
    round: u32,
}

/// A particle that a client should hear of.
struct Case {
    /// How much that matters.
    weight: f32,
    at: usize,
    change: Option<Change>,
}

/// What a client is to be told, and when.
pub struct Telling<'a> {
    /// Which form of particles.
    pub form: ParticleForm,
    /// All of them.
    pub particles: &'a [SeenParticle],
    /// The moment (ticks).
    pub tick: u32,
    /// Where the client looks from (m).
    pub eye_m: Option<Vec3>,
    /// How much it may be told (bytes).
    pub bytes: f32,
}

impl Default for ToldParticles {
    fn default() -> Self {
        Self {
            quantum_m: 0.0,
            told: Vec::new(),
            free: Vec::new(),
            numbers: FxHashMap::default(),
            round: 0,
            bytes_each: USUAL_BYTES,
            is_behind: false,
            forgets: false,
        }
    }
}

impl ToldParticles {
    /// True when not all that should have been told could be.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// How many particles the client has.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Everything is to be told anew.
    pub fn forget(&mut self) {
        let bytes_each = self.bytes_each;
        *self = Self { bytes_each, forgets: true, ..Self::default() };
    }

    /// The next section, as it goes into a frame, with its encoding; none when there is nothing to tell.
    pub fn tell(&mut self, telling: &Telling<'_>, deflater: &mut Deflater) -> Option<(u8, Vec<u8>)> {
        self.measure(telling.particles);
        let anew = std::mem::take(&mut self.forgets);
        let news = self.news(telling);
        if news.is_empty() && !anew {
            return None;
        }
        let mut writer = Writer::default();
        writer.u8(telling.form as u8);
        writer.u8(if anew { ANEW } else { 0 });
        writer.u16(0);
        writer.f32(self.quantum_m);
        writer.u32(self.told.len() as u32);
        news.write(&mut writer);
        let packed = deflater.deflate(&writer.bytes, &[]);
        let (encoding, bytes) =
            if packed.len() < writer.bytes.len() { (1, packed) } else { (0, writer.bytes) };
        let told = news.new.len() + news.changed.len();
        if told > 64 {
            self.bytes_each += 0.3 * (bytes.len() as f32 / told as f32 - self.bytes_each);
        }
        Some((encoding, bytes))
    }

    /// Sees to it that places are fine enough, if need be by telling all of them anew.
    fn measure(&mut self, particles: &[SeenParticle]) {
        let smallest = particles.iter().fold(f32::MAX, |least, particle| least.min(particle.radius_m));
        if particles.is_empty() || (self.quantum_m > 0.0 && !is_too_coarse(self.quantum_m, smallest)) {
            return;
        }
        let reach = |particle: &SeenParticle| particle.centre_m.abs().max_element();
        let quantum_m = quantum_m(smallest, particles.iter().map(reach).fold(0.0, f32::max));
        if quantum_m != self.quantum_m {
            self.forget();
            self.quantum_m = quantum_m;
        }
    }

    fn news(&mut self, telling: &Telling<'_>) -> News {
        self.round += 1;
        let mut cases = self.cases(telling);
        let most = (telling.bytes / self.bytes_each) as usize;
        self.is_behind = cases.len() > most;
        if self.is_behind {
            if most > 0 {
                cases.select_nth_unstable_by(most - 1, |a, b| {
                    b.weight.total_cmp(&a.weight).then(a.at.cmp(&b.at))
                });
            }
            cases.truncate(most);
        }
        let gone = self.release();
        let (known, unknown): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| case.change.is_some());
        let (changed, mut new) = self.changes(known.into_iter().filter_map(|case| case.change), telling.tick);
        new.extend(self.admit(unknown, telling));
        new.sort_unstable_by_key(|(number, _)| *number);
        News { gone, new, changed }
    }

    /// All that the client does not have, or not as it is.
    fn cases(&mut self, telling: &Telling<'_>) -> Vec<Case> {
        let mut cases = Vec::new();
        for (at, particle) in telling.particles.iter().enumerate() {
            let distance_m = telling.eye_m.map_or(1.0, |eye_m| eye_m.distance(particle.centre_m));
            let nearness = 1.0 / distance_m.max(NEAREST_M);
            let Some(number) = self.numbers.get(&key_of(particle)) else {
                cases.push(Case { weight: NEW_RADII * particle.radius_m * nearness, at, change: None });
                continue;
            };
            let told = &mut self.told[*number as usize];
            told.round = self.round;
            let place = told.record.led_on(telling.tick.wrapping_sub(told.tick) as i32);
            let now = Record::of(particle, self.quantum_m);
            let astray = now.astray(place, told.record.look);
            if astray > 0 {
                let believed = Record { place, ..told.record };
                let change = Some(Change { number: *number, now, believed });
                cases.push(Case { weight: astray as f32 * self.quantum_m * nearness, at, change });
            }
        }
        cases
    }

    /// Takes numbers away from those that are no longer there.
    fn release(&mut self) -> Vec<u32> {
        let mut gone = Vec::new();
        for (number, told) in self.told.iter_mut().enumerate() {
            if told.round != 0 && told.round != self.round {
                told.round = 0;
                self.numbers.remove(&told.key);
                gone.push(number as u32);
            }
        }
        if !gone.is_empty() {
            self.free.extend(&gone);
            self.free.sort_unstable_by(|a, b| b.cmp(a));
        }
        gone
    }

    /// Those that changed, and those that changed so much that they count as new.
    fn changes(
        &mut self,
        changes: impl Iterator<Item = Change>,
        tick: u32,
    ) -> (Vec<Change>, Vec<(u32, Record)>) {
        let mut all: Vec<Change> = changes.collect();
        all.sort_unstable_by_key(|change| change.number);
        let (mut changed, mut new, mut last) = (Vec::with_capacity(all.len()), Vec::new(), 0);
        for change in all {
            let told = &mut self.told[change.number as usize];
            (told.record, told.tick) = (change.now, tick);
            if is_too_much(&change) || change.number - last > LONGEST_GAP {
                new.push((change.number, change.now));
            } else {
                last = change.number;
                changed.push(change);
            }
        }
        (changed, new)
    }

    /// Gives numbers to particles that have none, so that neighbours have numbers that follow each other.
    fn admit(&mut self, unknown: Vec<Case>, telling: &Telling<'_>) -> Vec<(u32, Record)> {
        let mut new: Vec<(u64, Record)> = unknown
            .into_iter()
            .map(|case| {
                let particle = &telling.particles[case.at];
                (key_of(particle), Record::of(particle, self.quantum_m))
            })
            .collect();
        // In cells of eight radii or so, along x last.
        new.sort_unstable_by_key(|(key, Record { place: [x, y, z], .. })| (z >> 6, y >> 6, x >> 6, *key));
        let mut admitted = Vec::with_capacity(new.len());
        for (key, record) in new {
            let told = Told { key, record, tick: telling.tick, round: self.round };
            let number = self.free.pop().unwrap_or(self.told.len() as u32);
            match self.told.get_mut(number as usize) {
                Some(free) => *free = told,
                None => self.told.push(told),
            }
            self.numbers.insert(key, number);
            admitted.push((number, record));
        }
        admitted
    }
}

fn key_of(particle: &SeenParticle) -> u64 {
    u64::from(particle.id.0) << 8 | u64::from(particle.part)
}
