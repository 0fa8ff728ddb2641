//! Hardness: how well the ground withstands weathering and running water, at every place.
//!
//! One field for all who take ground away. What a kind withstands follows from its strength (or is said), and beds, height and
//! noise make it softer or harder from place to place: softness(p) = bed(p) (1 + per_m h) (1 + noise(p)), 1 where nothing is said.

use barchan_volume::brick::{VOXELS, brick_of, voxel_index, voxel_of};
use barchan_volume::{Fractal, FractalError, Spacing};
use glam::{IVec3, Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::table::{MaterialId, Materials};

/// Rock of this strength weathers half as fast as what has none (MPa): where weak rock ends and medium strong rock begins
/// (ISRM1978).
const HALF_AS_FAST_MPA: f32 = 25.0;

/// The least and the most that running water takes, relative to loose sand (-).
const ERODIBILITY: [f32; 2] = [0.01, 1.0];

/// The field of hardness of a world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hardness {
    /// Resistance (0 to 1) of kinds for which it does not follow from their strength.
    pub kinds: Vec<(MaterialId, f32)>,
    /// Beds from the lowest up, again and again; none: all alike.
    pub beds: Vec<Bed>,
    /// Height at which the lowest bed begins above the origin (m).
    pub base_m: f32,
    /// By how much beds sink per metre along x and y (-).
    pub dip: Vec2,
    /// By what share the ground is softer per metre above `base_m` (1/m).
    pub per_m: f32,
    /// Pattern of softer and harder spots.
    pub noise: Option<Noise>,
}

/// A layer of rock that is softer or harder than others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bed {
    /// Thickness (m).
    pub thickness_m: f32,
    /// How easily it is taken away, relative to what its kind says (-).
    pub softness: f32,
}

/// A pattern of softer and harder spots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// The pattern.
    pub pattern: Fractal,
    /// How much softer or harder the softest and hardest spots are (0 to 1).
    pub share: f32,
}

/// What is wrong with a field of hardness.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HardnessError {
    /// A number outside its range.
    #[error("hardness: {field} = {value} is outside {min} to {max}")]
    OutOfRange {
        /// Which number, with its unit.
        field: &'static str,
        /// Its value.
        value: f32,
        /// Smallest allowed.
        min: f32,
        /// Largest allowed.
        max: f32,
    },
    /// A kind that is not in the world's table, or is there twice.
    #[error("hardness: material number {0} is not in this world's table, or is there twice")]
    Kind(u8),
    /// More beds than anyone lists.
    #[error("hardness: {0} beds; at most {max} are repeated", max = Hardness::MOST_BEDS)]
    TooManyBeds(usize),
    /// A pattern that makes no sense.
    #[error("hardness: {0}")]
    Pattern(#[from] FractalError),
}

impl Hardness {
    /// Most beds of a field.
    pub const MOST_BEDS: usize = 256;

    /// An error when a number is out of range or a kind is not known.
    pub fn check(&self, materials: &Materials) -> Result<(), HardnessError> {
        for (at, (kind, resistance)) in self.kinds.iter().enumerate() {
            if materials.get(*kind).is_none() || self.kinds[..at].iter().any(|(other, _)| other == kind) {
                return Err(HardnessError::Kind(kind.0));
            }
            within("resistance", *resistance, 0.0, 1.0)?;
        }
        if self.beds.len() > Self::MOST_BEDS {
            return Err(HardnessError::TooManyBeds(self.beds.len()));
        }
        for bed in &self.beds {
            within("thickness_m", bed.thickness_m, 1e-3, 1e5)?;
            within("softness", bed.softness, 0.0, 100.0)?;
        }
        within("base_m", self.base_m, -1e6, 1e6)?;
        within("dip", self.dip.x, -100.0, 100.0)?;
        within("dip", self.dip.y, -100.0, 100.0)?;
        within("per_m", self.per_m, -10.0, 10.0)?;
        if let Some(noise) = self.noise {
            noise.pattern.check()?;
            within("noise share", noise.share, 0.0, 1.0)?;
        }
        Ok(())
    }

    /// How well voxel `p` of rock or soil `kind` withstands weathering: 0 not at all, 1 for ever.
    pub fn resistance(&self, kind: MaterialId, materials: &Materials, p: IVec3, voxel_size_m: f32) -> f32 {
        self.resistance_at(kind, materials, self.softness(p, voxel_size_m))
    }

    /// As [`Hardness::resistance`] where the softness of the place is known.
    #[inline]
    pub fn resistance_at(&self, kind: MaterialId, materials: &Materials, softness: f32) -> f32 {
        let said = self.kinds.iter().find(|(of, _)| *of == kind).map(|(_, resistance)| 1.0 - resistance);
        let of_kind =
            said.unwrap_or_else(|| HALF_AS_FAST_MPA / (HALF_AS_FAST_MPA + materials[kind].hardness_mpa));
        (1.0 - of_kind * softness).clamp(0.0, 1.0)
    }

    /// How easily running water takes `kind` away at a place of this softness, relative to loose sand (0.01 to 1).
    #[inline]
    pub fn erodibility_at(kind: MaterialId, materials: &Materials, softness: f32) -> f32 {
        (materials[kind].erodibility * softness).clamp(ERODIBILITY[0], ERODIBILITY[1])
    }

    /// How easily ground is taken away in voxel `p`, relative to what its kind says (0 and more, 1 where nothing is said).
    pub fn softness(&self, p: IVec3, voxel_size_m: f32) -> f32 {
        let mut noise = [0.0];
        if let Some(of) = self.noise {
            of.pattern.fill_box(p, [1; 3], Spacing::centres(voxel_size_m), &mut noise);
        }
        self.softness_beside(p, voxel_size_m, noise[0])
    }

    /// As [`Hardness::softness`] for all voxels of a brick, in the order of [`voxel_index`]: quicker than one by one. False, and
    /// nothing written, where all are 1.
    pub fn fill_brick(&self, coord: IVec3, voxel_size_m: f32, out: &mut [f32; VOXELS]) -> bool {
        if self.is_even() {
            return false;
        }
        match self.noise {
            Some(of) => of.pattern.fill_brick(coord, voxel_size_m, out),
            None => out.fill(0.0),
        }
        for (at, softness) in out.iter_mut().enumerate() {
            let p = voxel_of(coord, at);
            *softness = self.softness_beside(p, voxel_size_m, *softness);
        }
        true
    }

    /// True where nothing makes one place softer than another.
    pub fn is_even(&self) -> bool {
        self.beds.is_empty() && self.per_m == 0.0 && self.noise.is_none()
    }

    /// The softness of voxel `p` where the pattern is `noise`.
    fn softness_beside(&self, p: IVec3, voxel_size_m: f32, noise: f32) -> f32 {
        let place: Vec3 = (p.as_vec3() + 0.5) * voxel_size_m;
        let height = place.z - self.base_m;
        let share = self.noise.map_or(0.0, |of| of.share);
        // Noise lies within a half of 0 nearly everywhere.
        let spots = 1.0 + share * (2.0 * noise).clamp(-1.0, 1.0);
        self.bed_at(height + self.dip.dot(place.truncate())) * (1.0 + self.per_m * height).max(0.0) * spots
    }

    /// The softness of the bed at this height above the lowest (m).
    fn bed_at(&self, height: f32) -> f32 {
        let thickness: f32 = self.beds.iter().map(|bed| bed.thickness_m).sum();
        let Some(last) = self.beds.last() else { return 1.0 };
        let mut left = height - (height / thickness).floor() * thickness;
        for bed in &self.beds {
            if left < bed.thickness_m {
                return bed.softness;
            }
            left -= bed.thickness_m;
        }
        last.softness
    }
}

/// Softness of places, brick by brick as it is asked for. A cache: dropping it changes nothing.
#[derive(Clone, Debug, Default)]
pub struct SoftnessCache {
    bricks: rustc_hash::FxHashMap<IVec3, Option<Box<[f32; VOXELS]>>>,
}

impl SoftnessCache {
    /// The softness of voxel `p`.
    pub fn at(&mut self, p: IVec3, hardness: &Hardness, voxel_size_m: f32) -> f32 {
        let of_brick = self.bricks.entry(brick_of(p)).or_insert_with_key(|coord| {
            let mut values = Box::new([0.0; VOXELS]);
            hardness.fill_brick(*coord, voxel_size_m, &mut values).then_some(values)
        });
        of_brick.as_ref().map_or(1.0, |values| values[voxel_index(p)])
    }
}

fn within(field: &'static str, value: f32, min: f32, max: f32) -> Result<(), HardnessError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(HardnessError::OutOfRange { field, value, min, max })
}

#[cfg(test)]
mod tests {
    use super::*;
    use barchan_volume::brick::EDGE;

    fn layered() -> Hardness {
        Hardness {
            beds: vec![Bed { thickness_m: 1.0, softness: 0.5 }, Bed { thickness_m: 0.5, softness: 2.0 }],
            base_m: 0.3,
            dip: Vec2::new(0.25, 0.0),
            per_m: 0.1,
            noise: Some(Noise { pattern: Fractal::default(), share: 0.4 }),
            ..Hardness::default()
        }
    }

    #[test]
    fn strong_rock_withstands_more_and_soft_places_less() {
        let (materials, even) = (Materials::builtin(), Hardness::default());
        let of = |name: &str, softness| {
            even.resistance_at(materials.find(name).expect("builtin"), &materials, softness)
        };
        assert_eq!(of("dry_sand", 1.0), 0.0);
        assert!((of("sandstone", 1.0) - 70.0 / 95.0).abs() < 1e-6);
        assert!(of("granite", 1.0) > of("limestone", 1.0) && of("sandstone", 2.0) < of("sandstone", 1.0));
        assert_eq!(of("sandstone", 100.0), 0.0);
        let sandstone = materials.find("sandstone").expect("builtin");
        let said = Hardness { kinds: vec![(sandstone, 0.0)], ..Hardness::default() };
        assert_eq!(said.resistance(sandstone, &materials, IVec3::ZERO, 0.1), 0.0);
        assert_eq!(Hardness::erodibility_at(sandstone, &materials, 1.0), 0.01);
        assert_eq!(Hardness::erodibility_at(MaterialId(0), &materials, 9.0), 1.0);
    }

    #[test]
    fn beds_repeat_upwards_and_sink_along_their_dip() {
        let hardness = Hardness { noise: None, per_m: 0.0, ..layered() };
        for (p, expected) in [
            (IVec3::new(0, 0, 4), 0.5),
            (IVec3::new(0, 0, 12), 0.5),
            (IVec3::new(0, 0, 14), 2.0),
            (IVec3::new(0, 0, 19), 0.5),
            (IVec3::new(0, 0, 1), 2.0),
            (IVec3::new(0, 0, -100), 0.5),
            (IVec3::new(16, 0, 10), 2.0),
        ] {
            assert_eq!(hardness.softness(p, 0.1), expected, "{p}");
        }
    }

    #[test]
    fn a_brick_at_once_is_as_voxel_by_voxel() {
        let (hardness, mut cache) = (layered(), SoftnessCache::default());
        let mut out = [0.0; VOXELS];
        for coord in [IVec3::ZERO, IVec3::new(-3, 5, 2)] {
            assert!(hardness.fill_brick(coord, 0.1, &mut out));
            for p in [coord * EDGE, coord * EDGE + IVec3::new(3, 7, 1), coord * EDGE + 7] {
                assert_eq!(out[voxel_index(p)].to_bits(), hardness.softness(p, 0.1).to_bits());
                assert_eq!(cache.at(p, &hardness, 0.1).to_bits(), out[voxel_index(p)].to_bits());
            }
        }
        assert!(!Hardness::default().fill_brick(IVec3::ZERO, 0.1, &mut out));
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let materials = Materials::builtin();
        let refused = |hardness: Hardness| hardness.check(&materials).unwrap_err().to_string();
        assert!(layered().check(&materials).is_ok());
        assert!(refused(Hardness { per_m: f32::NAN, ..layered() }).contains("per_m = NaN"));
        let beds = vec![Bed { thickness_m: 0.0, softness: 1.0 }];
        assert!(refused(Hardness { beds, ..layered() }).contains("thickness_m = 0"));
        let kinds = vec![(MaterialId(0), 0.5), (MaterialId(0), 0.5)];
        assert!(refused(Hardness { kinds, ..layered() }).contains("material number 0"));
        let kinds = vec![(MaterialId(0), 1.5)];
        assert!(refused(Hardness { kinds, ..layered() }).contains("resistance = 1.5"));
    }
}
