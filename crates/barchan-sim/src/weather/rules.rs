//! How rock weathers as time passes: what an author sets.

use barchan_volume::{Bubble, BubbleError, Form};
use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::debris::Turning;
use super::weathering::Debris;
use crate::ledger::{Account, Ledger};
use crate::material::{MaterialId, Materials};

/// Rock whose bubble is nearly empty, or nearly full, falls by no more than this many times as fast as a flat face.
const FASTEST: f64 = 64.0;

/// How rock weathers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeatherRules {
    /// Shape of the bubble.
    pub bubble: Form,
    /// Its radii (voxels).
    pub radii: IVec3,
    /// How far a flat face of resistance 0 goes back (m in 1,000 years).
    pub rate_m_per_kyr: f64,
    /// Years of weathering that pass in a second of the world.
    pub years_per_second: f64,
    /// True where niches deepen and corners stay: the more rock there is around, the faster it goes.
    pub cavernous: bool,
    /// True where rock comes down that loses its hold.
    pub drop_pieces: bool,
    /// What becomes of rock; none: it leaves the world.
    pub debris: Option<Debris>,
}

/// What is wrong with rules.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeatherError {
    /// A number outside its range.
    #[error("weather: {field} = {value} is outside {min} to {max}")]
    OutOfRange {
        /// Which number, with its unit.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// A bubble that makes no sense.
    #[error("weather: {0}")]
    Bubble(#[from] BubbleError),
    /// Debris that makes no sense.
    #[error("weather: {0}")]
    Debris(String),
}

impl WeatherRules {
    /// Rock goes by a ball of `radius` (voxels), a flat face of resistance 0 by `rate_m_per_kyr` (m in 1,000 years), and crumbles in
    /// its own colour.
    pub fn new(radius: i32, rate_m_per_kyr: f64, years_per_second: f64) -> Self {
        Self {
            bubble: Form::Ball,
            radii: IVec3::splat(radius),
            rate_m_per_kyr,
            years_per_second,
            cavernous: false,
            drop_pieces: true,
            debris: Some(Debris::default()),
        }
    }

    /// An error when a number is out of range.
    pub fn check(&self) -> Result<(), WeatherError> {
        for (field, value, max) in [
            ("rate_m_per_kyr", self.rate_m_per_kyr, 1e6),
            ("years_per_second", self.years_per_second, 1e9),
            ("debris share", self.debris.map_or(0.0, |debris| f64::from(debris.share)), 1.0),
        ] {
            if !(0.0..=max).contains(&value) {
                return Err(WeatherError::OutOfRange { field, value, min: 0.0, max });
            }
        }
        Bubble::new(self.bubble, self.radii)?;
        Ok(())
    }

    /// Finds what each rock that there is turns into.
    pub(crate) fn find_soils(
        &self,
        ledger: &Ledger,
        materials: &mut Materials,
    ) -> Vec<(MaterialId, MaterialId)> {
        let rocks: Vec<MaterialId> = ledger
            .held
            .iter()
            .filter(|((account, _), units)| *account == Account::Rock && *units > 0)
            .map(|((_, kind), _)| kind)
            .collect();
        Turning::new(self.debris.as_ref(), rocks.into_iter(), 0, materials).pairs()
    }

    /// How fast a voxel falls of whose bubble `count` of `volume` is filled, relative to the empty and the filled part alone (-).
    pub(super) fn ratio(&self, count: u64, volume: u64) -> f64 {
        let (rock, air) = (count.min(volume) as f64, volume.saturating_sub(count) as f64);
        let (goes, stays) = if self.cavernous { (rock, air) } else { (air, rock) };
        if self.cavernous && rock <= air {
            return 0.0;
        }
        (goes / stays.max(1e-9)).min(FASTEST)
    }

    /// The ratio in a flat face: the mean over those across the axes.
    pub(super) fn ratio_of_a_face(&self, bubble: &Bubble) -> f64 {
        let faces = [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::Z, IVec3::NEG_Z];
        let of_face = |out: IVec3| {
            let rock = bubble.bounds().cells().filter(|d| d.dot(out) <= 0);
            self.ratio(rock.map(|d| u64::from(bubble.weight(d))).sum(), bubble.volume())
        };
        faces.map(of_face).iter().sum::<f64>() / 6.0
    }
}
