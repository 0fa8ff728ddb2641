//! `[weather]`: how rock weathers as time passes.

use barchan_sim::weather::WeatherRules;

use super::edits::{FORMS, read_debris, read_radii};
use super::ground::Surroundings;
use crate::reader::{Flag, Number, TableReader};

/// The rules of the scene; none: rock does not weather. The outer option is none where something is wrong.
pub fn read(scene: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Option<WeatherRules>> {
    let Some(mut table) = scene.table("weather") else { return Some(None) };
    let rate = table.required("rate_m_per_kyr", &Number { min: 0.0, max: 1e6 });
    let years = table.or("years_per_second", &Number { min: 0.0, max: 1e9 }, 1.0);
    let bubble = table.or("bubble", &FORMS, barchan_volume::Form::Ball);
    let radii = read_radii(&mut table, around);
    let cavernous = table.or("cavernous", &Flag, false);
    let drop_pieces = table.or("drop_pieces", &Flag, true);
    let debris = read_debris(&mut table, around);
    let rules = WeatherRules {
        bubble: bubble?,
        radii: radii?,
        rate_m_per_kyr: rate?.into(),
        years_per_second: years?.into(),
        cavernous: cavernous?,
        drop_pieces: drop_pieces?,
        debris: debris?,
    };
    if let Err(error) = rules.check() {
        table.wrong_here(error.to_string());
        return None;
    }
    table.finish();
    Some(Some(rules))
}
