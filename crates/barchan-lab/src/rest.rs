//! Bringing a world to rest, and the books afterwards.

use barchan_sim::inventory::off_by;
use barchan_sim::{Account, World};

use crate::measure::moved_units;
use crate::settings::Parameter;

/// Length of a step (s).
pub const STEP_S: f64 = 1.0 / 60.0;
/// Share of all soil that may still trickle in a step of a world at rest.
const TRICKLE: f64 = 1e-6;
/// So long must a world be at rest to be called so (s).
const QUIET_S: f64 = 0.5;

/// The parameter of how long [`step_to_rest`] waits.
pub const LIMIT_S: Parameter = Parameter {
    key: "limit_s",
    about: "longest time to wait for rest (s)",
    default: &[60.0],
    range: (0.0, 10_000.0),
    whole: false,
    list: false,
};

/// Rounds of sliding after which settling gives up.
const MOST_ROUNDS: u32 = 100_000;

/// How a world came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Time until soil last moved (s).
    pub seconds: f64,
    /// False when it was still moving when the time was up.
    pub at_rest: bool,
    /// Steps after which the books did not balance.
    pub off_balance: usize,
}

/// Steps `world` until its soil rests, for at most `limit_s` (s).
pub fn step_to_rest(world: &mut World, limit_s: f64) -> Rest {
    let trickle = (world.ledger().held.of(Account::Soil) as f64 * TRICKLE) as i64;
    let (mut last_moved, mut now, mut off_balance) = (0.0, 0.0, 0);
    while now < limit_s && now - last_moved < QUIET_S {
        let report = world.step(STEP_S);
        now += STEP_S;
        off_balance += usize::from(!report.imbalance.is_zero());
        if moved_units(world.ground(), &report.changes) > trickle {
            last_moved = now;
        }
    }
    Rest { seconds: last_moved, at_rest: now - last_moved >= QUIET_S, off_balance }
}

/// Brings `world` to rest without letting time pass.
pub fn settle(world: &mut World) -> Rest {
    let report = world.settle(MOST_ROUNDS);
    let off_balance = usize::from(!report.imbalance.is_zero());
    Rest { seconds: 0.0, at_rest: report.at_rest, off_balance }
}

/// How much the books are off by, added up over accounts and kinds without regard to sign, with what is in the ground counted
/// voxel by voxel (units). Zero, or something was made, lost or changed its kind.
pub fn balance_units(world: &World) -> i64 {
    let mut ledger = world.ledger().clone();
    ledger.held = world.count();
    i64::try_from(off_by(&ledger.balance())).unwrap_or(i64::MAX)
}
