//! Wedges over many columns: when cohesive soil fails.
//!
//! From every toe of a steep face the ground is walked uphill, and each plane from the toe to a column further up is
//! tried: the weight above it against friction and cohesion along it (Culmann1866). Cohesion acts on the whole length
//! of the plane, so the height that stands does not depend on the size of the voxels. What has moved is broken: it has
//! lost its cohesion and slides as loose soil does.

use barchan_volume::brick::EDGE;
use glam::IVec2;
use rayon::prelude::*;

use super::horizon::{Ahead, Horizon, Reach};
use super::law::Law;
use super::outline::{Outline, Toes};
use super::rule::{Strength, TOLERANCE};
use super::sliding::{Block, PileKey};
use crate::columns::{Field, HEIGHT_ONE, Pile, PileRef};

/// Columns that a face is followed uphill at most.
pub(super) const LONGEST_FACE: i32 = 2047;

const DIRECTIONS: [IVec2; 8] = [
    IVec2::new(1, 0),
    IVec2::new(-1, 0),
    IVec2::new(0, 1),
    IVec2::new(0, -1),
    IVec2::new(1, 1),
    IVec2::new(1, -1),
    IVec2::new(-1, 1),
    IVec2::new(-1, -1),
];

/// The plane on which a face is least safe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wedge {
    /// Height of the wedge from its toe to where the plane comes out (m).
    pub height_m: f32,
    /// Angle of the plane (rad).
    pub plane: f32,
    /// Factor of safety: below one it slides (-).
    pub safety: f32,
}

/// What wedges are judged by.
pub(super) struct WedgeRule<'a> {
    pub field: &'a Field,
    /// By class of strength.
    pub strengths: &'a [Strength],
    /// The rise to the next column that friction bears, by class; none where cohesion does not count at this voxel size
    /// (1/32,768 voxel).
    pub bears: &'a [Option<i64>],
    /// Edge of a voxel (m).
    pub voxel_size_m: f32,
    gravity_m_s2: f32,
    /// Those of all tiles.
    outlines: Vec<Outline>,
    /// How far uphill wedges can reach.
    horizon: Horizon,
}

/// A face walked uphill from its toe.
#[derive(Default)]
struct Profile {
    /// Toe first, then the piles of the columns uphill.
    piles: Vec<PileRef>,
    /// Their heights above the toe (m).
    heights: Vec<f32>,
    /// Distance between two of them (m).
    step: f32,
    /// Where the face begins, uphill from the middle of the toe's column (m).
    start: f32,
    /// Where it leaves the field, if it goes on there.
    unseen: Option<IVec2>,
}

/// What was found from the toes of one tile.
#[derive(Default)]
pub(super) struct Found {
    /// All cohesive soil that slides: the piles of each wedge.
    pub blocks: Vec<Block>,
    /// The least safe wedge of those that may slide.
    pub worst: Option<Wedge>,
    /// Tiles into which faces go on that are not in the field.
    pub unseen: Vec<IVec2>,
}

/// Where a face begins.
struct Face {
    toe: PileRef,
    /// The first pile uphill of the toe.
    first: PileRef,
    direction: IVec2,
    /// Height that the face rises from (1/32,768 voxel).
    base: i64,
}

/// What slides in wedges with toes in some tiles, the least safe of them, and tiles outside the field into which faces go on.
pub(super) fn find_wedges(field: &Field, law: &Law, toes: &[u32]) -> (Vec<Block>, Option<Wedge>, Vec<IVec2>) {
    let rule = WedgeRule::new(field, law);
    let found: Vec<Found> = toes.par_iter().with_min_len(4).map(|place| rule.found(*place)).collect();
    let least = |a: Option<Wedge>, b: Option<Wedge>| match (a, b) {
        (Some(a), Some(b)) => Some(if b.safety < a.safety { b } else { a }),
        (a, b) => a.or(b),
    };
    let worst = found.iter().map(|found| found.worst).fold(None, least);
    let unseen = found.iter().flat_map(|found| &found.unseen).copied().collect();
    let mut blocks: Vec<Block> = found.into_iter().flat_map(|found| found.blocks).collect();
    // Where a pile lies above the planes of several toes, the deepest counts.
    blocks.sort_by_key(|block| (block.at, block.bed));
    blocks.dedup_by_key(|block| block.at);
    (blocks, worst, unseen)
}

/// A plane through the toe of a profile.
struct Plane {
    wedge: Wedge,
    /// Columns from the toe to where it comes out.
    columns: usize,
    /// Mean friction along it (-).
    friction: f32,
}

impl Strength {
    /// The rise over `distance` (columns) that friction bears (1/32,768 voxel).
    #[inline]
    pub(super) fn bears(&self, distance: f32) -> i64 {
        (self.tan_phi * distance * HEIGHT_ONE as f32) as i64 + TOLERANCE
    }
}

impl<'a> WedgeRule<'a> {
    pub fn new(field: &'a Field, law: &'a Law) -> Self {
        let Law { strengths, bears, voxel_size_m, gravity_m_s2, .. } = law;
        let outlines = Outline::of_all(field, strengths, bears);
        let horizon = Horizon::of(&outlines, *voxel_size_m);
        let (voxel_size_m, gravity_m_s2) = (*voxel_size_m, *gravity_m_s2);
        Self { field, strengths, bears, voxel_size_m, gravity_m_s2, outlines, horizon }
    }

    /// All cohesive soil that slides towards a toe in one tile.
    pub fn found(&self, place: u32) -> Found {
        let mut found = Found::default();
        let tile = &self.field.tiles()[place as usize];
        let toes = Toes::of(self.field, &self.outlines, tile.coord);
        let mut ahead: [Option<Ahead>; 8] = Default::default();
        let mut profile = Profile::default();
        for column in toes.columns(&self.outlines[place as usize]) {
            let xy = IVec2::new(column as i32 / 8, column as i32 % 8);
            for pile in tile.places(column) {
                let top = tile.piles()[pile].top;
                let toe = PileRef { tile: place, pile: pile as u32 };
                for (direction, ahead) in DIRECTIONS.into_iter().zip(&mut ahead) {
                    if toes.edge(xy + direction) <= top {
                        continue;
                    }
                    let Some(face) = self.face(toe, xy, direction, &toes) else { continue };
                    let ahead = ahead.get_or_insert_with(|| {
                        self.horizon.ahead(self.field, &self.outlines, tile.coord, direction)
                    });
                    if self.walk(&face, &ahead.reach(face.base), &mut profile) {
                        self.judge(&profile, direction, &mut found);
                    }
                }
            }
        }
        found
    }

    /// Adds what becomes of a face that was walked in a direction.
    fn judge(&self, profile: &Profile, direction: IVec2, found: &mut Found) {
        if let Some(tile) = profile.unseen {
            // As far again as it has been seen.
            found.unseen.extend((0..=profile.piles.len() as i32 / EDGE).map(|k| tile + direction * k));
        }
        let Some(plane) = self.least_safe(profile) else { return };
        if found.worst.is_none_or(|w| plane.wedge.safety < w.safety) {
            found.worst = Some(plane.wedge);
        }
        if plane.wedge.safety < 1.0 {
            self.slide(profile, &plane, direction, &mut found.blocks);
        }
    }

    /// The face that rises from `toe`, a pile of column `xy` of the middle tile, in a direction, if it is steep,
    /// cohesive and begins here.
    fn face(&self, toe: PileRef, xy: IVec2, direction: IVec2, toes: &Toes<'_>) -> Option<Face> {
        let foot = self.field.pile(toe);
        let first = uphill(foot, xy + direction, toes)?;
        let pile = self.field.pile(first);
        self.bears[pile.whole_strength().index()]?;
        let base = foot.top.max(pile.floor);
        let bears = self.strength(pile).bears(direction.as_vec2().length());
        if pile.top.min(foot.ceiling) - base <= bears {
            return None;
        }
        let over_edge = pile.floor > foot.top;
        if !over_edge && goes_on_below(foot, xy - direction, bears, toes) {
            return None;
        }
        Some(Face { toe, first, direction, base })
    }

    #[inline]
    fn strength(&self, pile: &Pile) -> &'a Strength {
        &self.strengths[pile.whole_strength().index()]
    }

    /// The cohesion that is left in a pile (Pa).
    #[inline]
    fn cohesion_pa(&self, pile: &Pile) -> f32 {
        self.strength(pile).cohesion_pa
    }

    /// Walks up a face until it has long been flat, or all planes hold that come out further away. False when all do.
    fn walk(&self, face: &Face, reach: &Reach, profile: &mut Profile) -> bool {
        let &Face { toe, first, direction, base } = face;
        let mut last = self.field.pile(first);
        let mut cohesion_pa = self.cohesion_pa(last);
        if cohesion_pa >= reach.enough_pa {
            return false;
        }
        let distance = direction.as_vec2().length();
        let step = distance * self.voxel_size_m;
        let metres = self.voxel_size_m / HEIGHT_ONE as f32;
        let Profile { piles, heights, .. } = profile;
        piles.clear();
        heights.clear();
        piles.extend([toe, first]);
        heights.extend([0.0, (last.top - base) as f32 * metres]);
        profile.unseen = None;
        let beyond = 2.0 * self.strength(last).cohesive_run_m() + 2.0 * step;
        let mut flat = 0.0;
        // Most columns lie in the tile of the one before.
        let xy = self.field.column_of(toe);
        let (mut coord, mut tile) = (self.field.tiles()[first.tile as usize].coord, Some(first.tile));
        // How the face begins depends on its first three columns.
        for k in 2..=reach.columns.clamp(3, LONGEST_FACE) {
            let column = xy + direction * k;
            if column >> 3 != coord {
                (coord, tile) = (column >> 3, self.field.place(column >> 3));
                if tile.is_none() {
                    profile.unseen = Some(coord);
                    break;
                }
            }
            let Some(next) = self.uphill_soil(last, tile, column) else { break };
            let pile = self.field.pile(next);
            let steep = pile.top - last.top > self.strength(pile).bears(distance);
            flat = if steep { 0.0 } else { flat + step };
            // The gentler a face, the further behind its crest its least safe plane comes out, up to about its height.
            if flat > beyond + heights[heights.len() - 1] || pile.floor > last.top {
                break;
            }
            piles.push(next);
            heights.push((pile.top - base) as f32 * metres);
            last = pile;
            cohesion_pa += self.cohesion_pa(pile);
            if cohesion_pa >= reach.enough_pa && k > 2 {
                break;
            }
        }
        (profile.step, profile.start) = (step, step * start_of_face(heights));
        true
    }

    /// The pile of column `xy`, in the tile at this place, that continues the soil of `last`.
    fn uphill_soil(&self, last: &Pile, tile: Option<u32>, xy: IVec2) -> Option<PileRef> {
        self.field.column_of_tile(tile, xy).find(|at| {
            let pile = self.field.pile(*at);
            !pile.is_bare() && pile.floor < last.top && pile.ceiling > last.floor
        })
    }

    /// The least safe plane from the toe.
    fn least_safe(&self, profile: &Profile) -> Option<Plane> {
        let (mut area, mut cohesion, mut tan_phi, mut weight) = (0.0_f32, 0.0_f32, 0.0_f32, 0.0_f32);
        let (mut least, mut worst) = (f32::INFINITY, None);
        // A plane that the ground dips below comes out earlier.
        let mut gentlest = f32::INFINITY;
        for k in 1..profile.piles.len() {
            let pile = self.field.pile(profile.piles[k]);
            let strength = self.strength(pile);
            let slab = 0.5 * (profile.heights[k - 1] + profile.heights[k]) * profile.step;
            area += slab;
            weight += slab * strength.gamma_n_m3;
            cohesion += self.cohesion_pa(pile);
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
            let weight = weight * above / area;
            let friction = tan_phi / columns;
            // Holding against driving force, both times the length of the plane.
            let holding = cohesion / columns * (run * run + height * height) + weight * run * friction;
            let safety = holding / (weight * height);
            if safety < least {
                (least, worst) = (safety, Some((k, run, friction)));
            }
        }
        let (columns, run, friction) = worst?;
        let height_m = profile.heights[columns];
        let wedge = Wedge { height_m, plane: height_m.atan2(run), safety: least };
        Some(Plane { wedge, columns, friction })
    }

    /// Lets the wedge slide as a block: all of it gains the same. Once it moves the cohesion is broken and friction alone holds
    /// it back.
    fn slide(&self, profile: &Profile, plane: &Plane, direction: IVec2, blocks: &mut Vec<Block>) {
        let (angle, tangent) = (plane.wedge.plane, plane.wedge.plane.tan());
        let force = angle.sin() * (1.0 - plane.friction / tangent).max(0.0);
        let gain_m_s2 = direction.as_vec2().normalize() * (-force * angle.cos() * self.gravity_m_s2);
        for m in 1..=plane.columns {
            let height = tangent * (m as f32 * profile.step - profile.start);
            let above = ((profile.heights[m] - height) / self.voxel_size_m * HEIGHT_ONE as f32) as i64;
            if above > TOLERANCE {
                let pile = self.field.pile(profile.piles[m]);
                let at = PileKey::new(self.field.column_of(profile.piles[m]), pile.bottom_z);
                blocks.push(Block { at, bed: pile.top - above, gain_m_s2 });
            }
        }
    }
}

/// How far from the middle of its toe a face of these heights begins (columns). Columns tell their mean height only: a
/// slope begins where the line through the first two meets the ground, a cliff on the border of the first, and so does a
/// face whose crest is in the first or second.
pub(super) fn start_of_face(heights: &[f32]) -> f32 {
    let first = heights[1];
    let second = *heights.get(2).unwrap_or(&first);
    let third = *heights.get(3).unwrap_or(&second);
    let line = if second > 2.0 * first { 1.0 - first / (second - first) } else { 0.0 };
    let cliff = 0.5 * (2.0 - second / first).clamp(0.0, 1.0);
    let crest =
        if second > first { 0.5 * (1.0 - (third - second) / (second - first)).clamp(0.0, 1.0) } else { 0.5 };
    line.max(cliff).max(crest)
}

/// The pile of column `xy` whose soil stands above the top of `foot`, seen from there.
fn uphill(foot: &Pile, xy: IVec2, toes: &Toes<'_>) -> Option<PileRef> {
    let stands_above = |pile: &Pile| !pile.is_bare() && pile.top > foot.top && pile.floor < foot.ceiling;
    toes.piles(xy).find(|(_, pile)| stands_above(pile)).map(|(at, _)| at)
}

/// True when the same face goes on further down, in column `xy`: then this is not its toe.
fn goes_on_below(foot: &Pile, xy: IVec2, bears: i64, toes: &Toes<'_>) -> bool {
    let steep = |below: &Pile| foot.top.min(below.ceiling) - below.top.max(foot.floor) > bears;
    !foot.is_bare() && toes.piles(xy).any(|(_, below)| steep(below))
}
