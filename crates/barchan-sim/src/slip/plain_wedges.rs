//! The search for wedges as it is written down: every plane from every toe, walked to the end of its face. What
//! [`WedgeRule`] finds faster must be the same.

use glam::IVec2;

use super::law::Law;
use super::rough_ground::{Lots, rough_field};
use super::rule::{Strength, TOLERANCE};
use super::sliding::PileKey;
use super::wedges::{Found, LONGEST_FACE, WedgeRule, start_of_face};
use crate::columns::{Field, HEIGHT_ONE, Pile, PileRef};
use crate::material::{Materials, STANDARD_GRAVITY};

/// What wedges are judged by.
struct Plain<'a> {
    field: &'a Field,
    strengths: &'a [Strength],
    is_cohesive: &'a [bool],
    voxel_size_m: f32,
}

/// A face walked uphill from its toe, and how far from the middle of the toe's column it begins (m).
struct Profile {
    piles: Vec<PileRef>,
    heights: Vec<f32>,
    step: f32,
    start: f32,
}

/// The least safe plane of a profile: columns to where it comes out, safety, run (m).
type Plane = (usize, f32, f32);

impl Plain<'_> {
    /// Everything that slides towards the toes in one tile (which pile, height of the plane), and the least safety.
    fn flows(&self, place: u32) -> (Vec<(PileKey, i64)>, f32) {
        let (mut flows, mut least) = (Vec::new(), f32::INFINITY);
        for pile in 0..self.field.tiles()[place as usize].piles().len() as u32 {
            for direction in (0..9).filter(|direction| *direction != 4) {
                let direction = IVec2::new(direction / 3 - 1, direction % 3 - 1);
                let Some(profile) = self.profile(PileRef { tile: place, pile }, direction) else { continue };
                let Some(plane) = self.least_safe(&profile) else { continue };
                least = least.min(plane.1);
                if plane.1 < 1.0 {
                    self.slide(&profile, plane, &mut flows);
                }
            }
        }
        (flows, least)
    }

    fn profile(&self, toe: PileRef, direction: IVec2) -> Option<Profile> {
        let xy = self.field.column_of(toe);
        let foot = self.field.pile(toe);
        let first = self.find(xy + direction, |pile| pile.top > foot.top && pile.floor < foot.ceiling)?;
        let face = self.field.pile(first);
        if !self.is_cohesive[face.whole_strength().index()] {
            return None;
        }
        let base = foot.top.max(face.floor);
        let distance = direction.as_vec2().length();
        let bears =
            |pile: &Pile| (self.strength(pile).tan_phi * distance * HEIGHT_ONE as f32) as i64 + TOLERANCE;
        if face.top.min(foot.ceiling) - base <= bears(face) {
            return None;
        }
        let goes_on = |below: &Pile| foot.top.min(below.ceiling) - below.top.max(foot.floor) > bears(face);
        if face.floor <= foot.top
            && !foot.is_bare()
            && self.field.column(xy - direction).any(|below| goes_on(self.field.pile(below)))
        {
            return None;
        }
        let step = distance * self.voxel_size_m;
        let metres = self.voxel_size_m / HEIGHT_ONE as f32;
        let mut piles = vec![toe, first];
        let mut heights = vec![0.0, (face.top - base) as f32 * metres];
        let beyond = 2.0 * self.strength(face).cohesive_run_m() + 2.0 * step;
        let (mut last, mut flat) = (face, 0.0);
        for k in 2..=LONGEST_FACE {
            let continues = |pile: &Pile| pile.floor < last.top && pile.ceiling > last.floor;
            let Some(next) = self.find(xy + direction * k, continues) else { break };
            let pile = self.field.pile(next);
            flat = if pile.top - last.top > bears(pile) { 0.0 } else { flat + step };
            if flat > beyond + heights[heights.len() - 1] {
                break;
            }
            piles.push(next);
            heights.push((pile.top - base) as f32 * metres);
            last = pile;
        }
        let start = step * start_of_face(&heights);
        Some(Profile { piles, heights, step, start })
    }

    fn least_safe(&self, profile: &Profile) -> Option<Plane> {
        let (mut area, mut cohesion, mut tan_phi, mut weight) = (0.0_f32, 0.0_f32, 0.0_f32, 0.0_f32);
        let (mut worst, mut gentlest) = (None::<Plane>, f32::INFINITY);
        for k in 1..profile.piles.len() {
            let pile = self.field.pile(profile.piles[k]);
            let strength = self.strength(pile);
            let slab = 0.5 * (profile.heights[k - 1] + profile.heights[k]) * profile.step;
            area += slab;
            weight += slab * strength.gamma_n_m3;
            cohesion += strength.cohesion_pa;
            tan_phi += strength.tan_phi;
            let (columns, run) = (k as f32, k as f32 * profile.step - profile.start);
            let height = profile.heights[k];
            if height <= 0.0 {
                break;
            }
            let above = area - 0.5 * height * run;
            gentlest = gentlest.min(height / run);
            if height > gentlest * run || above <= 1e-6 * area {
                continue;
            }
            let (weight, plane) = (weight * above / area, height.atan2(run));
            let friction = weight * plane.cos() * tan_phi / columns;
            let safety = (cohesion / columns * run.hypot(height) + friction) / (weight * plane.sin());
            if worst.is_none_or(|(_, least, _)| safety < least) {
                worst = Some((k, safety, run));
            }
        }
        worst
    }

    fn slide(&self, profile: &Profile, plane: Plane, flows: &mut Vec<(PileKey, i64)>) {
        let (columns, _, run) = plane;
        let tangent = profile.heights[columns].atan2(run).tan();
        for m in 1..=columns {
            let height = tangent * (m as f32 * profile.step - profile.start);
            let above = ((profile.heights[m] - height) / self.voxel_size_m * HEIGHT_ONE as f32) as i64;
            if above > TOLERANCE {
                let (at, pile) = (profile.piles[m], self.field.pile(profile.piles[m]));
                let key = PileKey::new(self.field.column_of(at), pile.bottom_z);
                flows.push((key, pile.top - above));
            }
        }
    }

    fn find(&self, xy: IVec2, is_it: impl Fn(&Pile) -> bool) -> Option<PileRef> {
        self.field.column(xy).find(|at| {
            let pile = self.field.pile(*at);
            !pile.is_bare() && is_it(pile)
        })
    }

    fn strength(&self, pile: &Pile) -> &Strength {
        &self.strengths[pile.whole_strength().index()]
    }
}

#[test]
fn the_fast_search_finds_what_the_plain_one_does() {
    let (materials, mut lots) = (Materials::builtin(), Lots(1));
    let (mut sliding, mut faces_that_hold) = (0, 0);
    for world in 0..60 {
        let voxel_size_m = [0.05, 0.1, 0.3, 1.0][world % 4];
        let law = Law::new(&materials, STANDARD_GRAVITY, voxel_size_m);
        let field = rough_field(&mut lots, voxel_size_m, &materials);
        let rule = WedgeRule::new(&field, &law);
        let plain =
            Plain { field: &field, strengths: &law.strengths, is_cohesive: &law.is_cohesive, voxel_size_m };
        for place in 0..field.tiles().len() as u32 {
            let Found { blocks: fast, worst: wedge, .. } = rule.found(place);
            let (mut expected, least) = plain.flows(place);
            let mut found: Vec<(PileKey, i64)> = fast.iter().map(|block| (block.at, block.bed)).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "in tile {place} of world {world}");
            let safety = wedge.map_or(f32::INFINITY, |wedge| wedge.safety);
            // Where nothing slides, the fast search need not look at the least safe plane.
            assert!(
                (safety - least).abs() < 1e-4 * least || least >= 1.0 && safety >= least,
                "{safety}, {least}"
            );
            sliding += fast.len();
            faces_that_hold += usize::from((1.0..f32::INFINITY).contains(&least));
        }
    }
    assert!(sliding > 10_000 && faces_that_hold > 100, "{sliding} flows, {faces_that_hold} tiles hold");
}
