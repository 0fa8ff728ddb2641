//! Kinds of ground that are told by a distance: `path` and `rough_ball`.

use std::sync::Arc;

use barchan_volume::{Fractal, Path, Region, RoughBall};

use super::ground::Surroundings;
use super::ranges::{LENGTH, LENGTH_OR_ZERO, POINT};
use super::relief::read_seed;
use crate::reader::{List, TableReader, Whole};

/// A ball that goes along a line.
pub fn read_path(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Region> {
    let points = table.required("points_m", &List { each: POINT, min: 1, max: Path::MOST_POINTS });
    let radius_m = table.required("radius_m", &LENGTH);
    match Path::new(points?, radius_m?) {
        Ok(path) => {
            around.site.check_reach(table, &path.bounds());
            Some(Region::Path(Arc::new(path)))
        }
        Err(error) => {
            table.wrong_here(error.to_string());
            None
        }
    }
}

/// A ball with a rough surface.
pub fn read_rough_ball(table: &mut TableReader<'_>, around: &Surroundings<'_, '_>) -> Option<Region> {
    let center_m = table.required("center_m", &POINT);
    let radius_m = table.required("radius_m", &LENGTH);
    let roughness_m = table.required("roughness_m", &LENGTH_OR_ZERO);
    let size_m = table.optional("feature_size_m", &LENGTH);
    let octaves = table.or("octaves", &Whole { min: 1, max: 16 }, 4);
    let seed = read_seed(table, around.seed);
    let (radius_m, size_m) = (radius_m?, size_m?);
    let noise = Fractal {
        seed: seed?,
        frequency_per_m: 1.0 / size_m.unwrap_or(radius_m),
        octaves: octaves? as u32,
        ..Fractal::default()
    };
    match RoughBall::new(center_m?, radius_m, roughness_m?, noise) {
        Ok(ball) => {
            around.site.check_reach(table, &ball.bounds());
            Some(Region::RoughBall(Arc::new(ball)))
        }
        Err(error) => {
            table.wrong_here(error.to_string());
            None
        }
    }
}
