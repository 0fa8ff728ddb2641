//! The books as JSON: every account and kind in units, cubic metres and kilograms.

use barchan_sim::inventory::off_by;
use barchan_sim::{Account, World};
use serde_json::{Map, Value, json};

/// Whole numbers beyond this are not exact in JSON readers that know only floating point.
const LARGEST_EXACT: i128 = 1 << 53;

/// The books of `world`: `accounts.NAME.KIND` with `held`, `entered`, `left` and `turned` in units, `m3` as it lies and `kg` dry;
/// held by account, in and out over all of them, and by how much they are off.
pub fn books_json(world: &World) -> Value {
    let ledger = world.ledger();
    let mut accounts: Map<String, Value> =
        Account::ALL.iter().map(|account| (account.name().to_owned(), json!({}))).collect();
    for stock in world.inventory() {
        let of_kind = json!({
            "held": units_json(stock.held),
            "entered": units_json(stock.entered),
            "left": units_json(stock.left),
            "turned": units_json(stock.turned),
            "kg": stock.kg,
            "m3": stock.m3,
        });
        accounts[stock.account.name()][&stock.name] = of_kind;
    }
    let mut books = Map::new();
    books.insert("accounts".to_owned(), Value::Object(accounts));
    for account in Account::ALL {
        books.insert(account.name().to_owned(), units_json(ledger.held.of(account)));
    }
    books.insert("in".to_owned(), units_json(ledger.entered.total()));
    books.insert("out".to_owned(), units_json(ledger.left.total()));
    books.insert("balance".to_owned(), units_json(off_by(&ledger.balance())));
    Value::Object(books)
}

/// A number of units: as text where a reader could not hold it exactly.
pub fn units_json(units: i128) -> Value {
    if units.abs() <= LARGEST_EXACT { json!(units as i64) } else { json!(units.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_cannot_hold_is_text() {
        assert_eq!(units_json(-5), json!(-5));
        assert_eq!(units_json(1 << 53), json!(9_007_199_254_740_992_i64));
        assert_eq!(units_json(i128::from(i64::MAX) * 4), json!("36893488147419103228"));
    }
}
