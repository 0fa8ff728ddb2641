//! A bubble: whole weights in a box around a voxel.

use glam::{I64Vec3, IVec3};

use super::form::Form;
use crate::voxel_box::VoxelBox;

/// Weights of the places around a voxel, in a box that reaches `radii` voxels to each side.
#[derive(Clone, Debug, PartialEq)]
pub struct Bubble {
    radii: IVec3,
    weights: Weights,
    volume: u64,
}

/// Weights in units of the lightest step.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Weights {
    /// One for every place of the box, z fastest.
    Table(Vec<u8>),
    /// `peak - steps·(x², y², z²)` where that is positive.
    Paraboloid { peak: i64, steps: I64Vec3 },
}

/// What is wrong with a bubble.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BubbleError {
    /// A radius is out of range.
    #[error("bubble of radii {0} voxels: each must be from 1 to {max}", max = Bubble::MAX_RADIUS)]
    Radius(IVec3),
    /// The number of levels does not fit the radii.
    #[error("{found} weights given, a bubble of radii {radii} voxels has {expected}")]
    Count {
        /// Weights given.
        found: usize,
        /// Product of 2r + 1 over the axes.
        expected: usize,
        /// The radii (voxels).
        radii: IVec3,
    },
    /// A weight is no number from 0 to 1.
    #[error("bubble weight {weight} at {at}: weights must be from 0 to 1")]
    Weight {
        /// The weight given.
        weight: f64,
        /// Its place relative to the middle (voxels).
        at: IVec3,
    },
    /// Every weight is 0.
    #[error("a bubble needs a weight above 0")]
    Empty,
}

/// The finest that the peak of a paraboloid is divided: counts of filled shares stay below 2⁶⁴ for every radius.
const FINEST_PEAK: i64 = 1 << 28;

impl Bubble {
    /// The largest radius (voxels).
    pub const MAX_RADIUS: i32 = 64;

    /// The bubble of a form with a name.
    pub fn new(form: Form, radii: IVec3) -> Result<Self, BubbleError> {
        if form == Form::Falloff {
            check_radii(radii)?;
            let (peak, steps) = paraboloid(radii.as_i64vec3());
            return Self::with_weights(radii, Weights::Paraboloid { peak, steps });
        }
        let r = radii.as_i64vec3();
        Self::from_table(radii, |d| Ok(form.level(d.as_i64vec3(), r)))
    }

    /// A bubble of one weight from 0 to 255 for each place of the box, x slowest and z fastest; 255 stands for 1.
    pub fn from_levels(radii: IVec3, levels: &[u8]) -> Result<Self, BubbleError> {
        check_radii(radii)?;
        let expected = box_of(radii).volume() as usize;
        if levels.len() != expected {
            return Err(BubbleError::Count { found: levels.len(), expected, radii });
        }
        let mut levels = levels.iter();
        Self::from_table(radii, |_| Ok(*levels.next().expect("counted above")))
    }

    /// A bubble of the weights that `weight` gives the places of the box, from 0 to 1, rounded to 1/255.
    pub fn from_fn(radii: IVec3, weight: impl Fn(IVec3) -> f64) -> Result<Self, BubbleError> {
        Self::from_table(radii, |at| {
            let weight = weight(at);
            if !(0.0..=1.0).contains(&weight) {
                return Err(BubbleError::Weight { weight, at });
            }
            Ok((weight * 255.0).round() as u8)
        })
    }

    fn from_table(
        radii: IVec3,
        mut level: impl FnMut(IVec3) -> Result<u8, BubbleError>,
    ) -> Result<Self, BubbleError> {
        check_radii(radii)?;
        let mut table = box_of(radii).cells().map(&mut level).collect::<Result<Vec<u8>, _>>()?;
        // In steps of what all weights share, uniform bubbles have weights of one whatever their level was.
        let step = table.iter().fold(0, |step, &level| gcd(step, i64::from(level))) as u8;
        if step == 0 {
            return Err(BubbleError::Empty);
        }
        table.iter_mut().for_each(|level| *level /= step);
        Self::with_weights(radii, Weights::Table(table))
    }

    fn with_weights(radii: IVec3, weights: Weights) -> Result<Self, BubbleError> {
        let mut bubble = Self { radii, weights, volume: 0 };
        bubble.volume = bubble.bounds().cells().map(|d| u64::from(bubble.weight(d))).sum();
        Ok(bubble)
    }

    /// How far it reaches to each side (voxels).
    pub fn radii(&self) -> IVec3 {
        self.radii
    }

    /// The places it can weigh, relative to its middle.
    pub fn bounds(&self) -> VoxelBox {
        box_of(self.radii)
    }

    /// The weight at `d` from the middle, in whole steps; 0 outside the box.
    pub fn weight(&self, d: IVec3) -> u32 {
        if !self.bounds().contains(d) {
            return 0;
        }
        match &self.weights {
            Weights::Table(table) => u32::from(table[self.bounds().index(d)]),
            Weights::Paraboloid { peak, steps } => {
                let d = d.as_i64vec3();
                (peak - (*steps * d * d).element_sum()).max(0) as u32
            }
        }
    }

    /// The sum of all weights: the count around a voxel in the midst of what is filled with 1.
    pub fn volume(&self) -> u64 {
        self.volume
    }

    pub(super) fn weights(&self) -> &Weights {
        &self.weights
    }
}

fn box_of(radii: IVec3) -> VoxelBox {
    VoxelBox::new(-radii, radii + 1)
}

fn check_radii(radii: IVec3) -> Result<(), BubbleError> {
    let is_allowed = radii.min_element() >= 1 && radii.max_element() <= Bubble::MAX_RADIUS;
    if is_allowed { Ok(()) } else { Err(BubbleError::Radius(radii)) }
}

/// 1 - (x/rx)² - (y/ry)² - (z/rz)² as whole numbers: exact where the squares of the radii have a small common multiple,
/// else with steps rounded to a thousandth of a percent.
fn paraboloid(r: I64Vec3) -> (i64, I64Vec3) {
    let r2 = r * r;
    let lcm = |a: i64, b: i64| a / gcd(a, b) * b;
    let peak = lcm(lcm(r2.x, r2.y), r2.z);
    if peak <= FINEST_PEAK {
        return (peak, peak / r2);
    }
    (FINEST_PEAK, (FINEST_PEAK + r2 / 2) / r2)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
