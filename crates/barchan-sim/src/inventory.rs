//! Amounts that people know: cubic metres and kilograms of what the books count in units.

use crate::ledger::{Account, Amounts, Place};
use crate::material::{MaterialId, Materials};
use crate::units::{LOOSE_FULL, VoidRatio};
use crate::world::World;

/// Density of water (kg/m³).
const WATER_KG_M3: f64 = 1_000.0;

/// What a world holds of one kind on one account, and what came and went of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stock {
    /// On which account.
    pub account: Account,
    /// Which kind.
    pub kind: MaterialId,
    /// What that is called.
    pub name: String,
    /// What there is (units).
    pub held: i128,
    /// What came in from outside (units).
    pub entered: i128,
    /// What went out (units).
    pub left: i128,
    /// What it became or was made of inside the world (units).
    pub turned: i128,
    /// What there is, as it lies, pores included; of water the water alone (m³).
    pub m3: f64,
    /// What there is, dry (kg).
    pub kg: f64,
}

impl World {
    /// All that the books know, by account and kind.
    pub fn inventory(&self) -> Vec<Stock> {
        let (ledger, materials) = (self.ledger(), self.materials());
        let mut places: Vec<Place> =
            ledger.columns().iter().flat_map(|(_, amounts)| amounts.iter().map(|(place, _)| place)).collect();
        places.sort_unstable();
        places.dedup();
        let stock = |place: Place| {
            let (held, room) = (ledger.held.get(place), self.ground().room_taken(place));
            let (m3, kg) = self.measure(place, held, room);
            Stock {
                account: place.0,
                kind: place.1,
                name: kind_name(place, materials),
                held,
                entered: ledger.entered.get(place),
                left: ledger.left.get(place),
                turned: ledger.turned.get(place),
                m3,
                kg,
            }
        };
        places.into_iter().map(stock).collect()
    }

    /// Volume (m³) and mass (kg) of so many units that take so much room ([`VoidRatio::room_of`]).
    fn measure(&self, (account, kind): Place, units: i128, room: i128) -> (f64, f64) {
        let voxel_m3 = f64::from(self.ground().voxel_size_m()).powi(3);
        let full = f64::from(LOOSE_FULL);
        if matches!(account, Account::Water | Account::FreeWater) {
            let m3 = units as f64 / full * voxel_m3;
            return (m3, m3 * WATER_KG_M3);
        }
        // What water carries, and grains, have no pores.
        let is_loose = matches!(account, Account::Sediment | Account::Grains);
        let room = if is_loose { units * VoidRatio(0).room_of(1) as i128 } else { room };
        let bulk_m3 = room as f64 / (full * VoidRatio::REFERENCE.room_of(1) as f64) * voxel_m3;
        let solid_m3 = units as f64 * VoidRatio(0).room_of(1) as f64
            / (full * VoidRatio::REFERENCE.room_of(1) as f64)
            * voxel_m3;
        let grains = self.materials().get(kind).map_or(0.0, |material| material.grain_density_kg_m3);
        (bulk_m3, solid_m3 * f64::from(grains))
    }
}

/// What a kind on an account is called: the name of its material, or that of the account where there is only one kind.
pub fn kind_name((account, kind): Place, materials: &Materials) -> String {
    let material = materials.get(kind).filter(|_| account.has_materials());
    material.map_or_else(|| account.name().to_owned(), |material| material.name.clone())
}

/// How much the books are off by, added up over accounts and kinds without regard to sign (units).
pub fn off_by(balance: &Amounts<i128>) -> i128 {
    balance.iter().map(|(_, units)| units.abs()).sum()
}
