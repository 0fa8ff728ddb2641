//! What there is to sum for a bubble: its rows and discs, each that is alike only once.

use std::hash::Hash;
use std::ops::Range;

use glam::{I64Vec3, IVec3};
use rustc_hash::FxHashMap;

use super::bubble::{Bubble, Weights};
use super::profile::Profile;

/// A bubble taken apart into discs across x, and those into rows along z.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub radii: [usize; 3],
    /// Different rows.
    pub profiles: Vec<Profile>,
    /// Different discs.
    pub discs: Vec<Disc>,
    /// The sum of all weights.
    pub volume: u64,
}

/// The weights of a bubble at one distance along x.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Disc {
    /// The distances along x at which the bubble has this disc (voxels).
    pub offsets: Vec<i32>,
    /// Its rows: place along y, counted from the lowest of the box, and which profile.
    pub rows: Vec<(usize, usize)>,
    /// The sum of its weights.
    pub volume: u64,
}

/// Discs that share a set of rows few enough to be kept at hand.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub profiles: Vec<Profile>,
    pub discs: Vec<BatchDisc>,
}

/// A disc of a batch.
#[derive(Clone, Debug)]
pub(super) struct BatchDisc {
    pub offsets: Vec<i32>,
    /// Place along y and place of the profile in the batch.
    pub rows: Vec<(usize, usize)>,
    /// Rows that can be added up without leaving the narrow number type.
    pub groups: Vec<Range<usize>>,
    pub volume: u64,
}

impl Plan {
    pub fn new(bubble: &Bubble) -> Self {
        let radii = bubble.radii();
        let mut profiles = Vec::new();
        let mut known = FxHashMap::default();
        let mut discs: Vec<Disc> = Vec::new();
        let mut places = FxHashMap::default();
        for x in -radii.x..=radii.x {
            let mut rows = Vec::new();
            for y in -radii.y..=radii.y {
                if let Some(profile) = profile_at(bubble, x, y) {
                    rows.push(((y + radii.y) as usize, intern(profile, &mut profiles, &mut known)));
                }
            }
            if rows.is_empty() {
                continue;
            }
            let place = *places.entry(rows).or_insert_with_key(|rows| {
                let volume = rows.iter().map(|&(_, profile): &(_, usize)| profiles[profile].volume()).sum();
                discs.push(Disc { offsets: Vec::new(), rows: rows.clone(), volume });
                discs.len() - 1
            });
            discs[place].offsets.push(x);
        }
        Self { radii: radii.to_array().map(|r| r as usize), profiles, discs, volume: bubble.volume() }
    }

    /// The largest sum of the weights of a row.
    pub fn row_volume(&self) -> u64 {
        self.profiles.iter().map(Profile::volume).max().unwrap_or(0)
    }

    /// The discs in batches of at most `profile_limit` profiles, if one disc alone has no more, with rows in groups whose
    /// weights sum to at most `group_limit`.
    pub fn batches(&self, profile_limit: usize, group_limit: u64) -> Vec<Batch> {
        let mut batches = Vec::new();
        let mut discs: Vec<&Disc> = Vec::new();
        let mut wanted = vec![false; self.profiles.len()];
        let mut count = 0;
        for disc in &self.discs {
            let mut more: Vec<usize> = disc.rows.iter().map(|row| row.1).filter(|&p| !wanted[p]).collect();
            more.sort_unstable();
            more.dedup();
            if !discs.is_empty() && count + more.len() > profile_limit {
                batches.push(self.batch(&discs, group_limit));
                discs.clear();
                wanted.fill(false);
                more = disc.rows.iter().map(|row| row.1).collect();
                more.sort_unstable();
                more.dedup();
                count = 0;
            }
            count += more.len();
            more.into_iter().for_each(|profile| wanted[profile] = true);
            discs.push(disc);
        }
        batches.push(self.batch(&discs, group_limit));
        batches
    }

    fn batch(&self, discs: &[&Disc], group_limit: u64) -> Batch {
        let mut used: Vec<usize> = discs.iter().flat_map(|disc| disc.rows.iter().map(|row| row.1)).collect();
        used.sort_unstable_by_key(|&profile| (self.profiles[profile].half(), profile));
        used.dedup();
        let mut place = vec![0; self.profiles.len()];
        used.iter().enumerate().for_each(|(slot, &profile)| place[profile] = slot);
        let of_disc = |disc: &&Disc| BatchDisc {
            offsets: disc.offsets.clone(),
            rows: disc.rows.iter().map(|&(y, profile)| (y, place[profile])).collect(),
            groups: self.groups(&disc.rows, group_limit),
            volume: disc.volume,
        };
        Batch {
            discs: discs.iter().map(of_disc).collect(),
            profiles: used.into_iter().map(|profile| self.profiles[profile].clone()).collect(),
        }
    }

    fn groups(&self, rows: &[(usize, usize)], limit: u64) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let (mut start, mut sum) = (0, 0u64);
        for (i, row) in rows.iter().enumerate() {
            let volume = self.profiles[row.1].volume();
            if i > start && sum.saturating_add(volume) > limit {
                groups.push(start..i);
                (start, sum) = (i, 0);
            }
            sum += volume;
        }
        groups.push(start..rows.len());
        groups
    }
}

fn profile_at(bubble: &Bubble, x: i32, y: i32) -> Option<Profile> {
    let (bounds, radii) = (bubble.bounds(), bubble.radii());
    match bubble.weights() {
        Weights::Table(table) => {
            let start = bounds.index(IVec3::new(x, y, -radii.z));
            Profile::of(&table[start..start + bounds.size()[2]])
        }
        Weights::Paraboloid { peak, steps } => {
            let d = I64Vec3::new(i64::from(x), i64::from(y), 0);
            Profile::parabola(peak - (*steps * d * d).element_sum(), steps.z, radii.z as usize)
        }
    }
}

/// The place of `value` in `all`, where it is put if it is new.
fn intern<K: Clone + Eq + Hash>(value: K, all: &mut Vec<K>, known: &mut FxHashMap<K, usize>) -> usize {
    *known.entry(value).or_insert_with_key(|value| {
        all.push(value.clone());
        all.len() - 1
    })
}
