//! `[camera]`: where and when pictures are taken.

use super::ranges::POINT;
use crate::plan::Camera;
use crate::reader::{Number, Seconds, TableReader};

/// Narrower is a telescope, wider a fish's eye (°).
const FOV_DEG: Number = Number { min: 1.0, max: 120.0 };
const AZIMUTH_DEG: Number = Number { min: -360.0, max: 360.0 };
const ELEVATION_DEG: Number = Number { min: 0.0, max: 90.0 };
/// No later than a run may last.
const AFTER: Seconds = Seconds(Number { min: 0.0, max: 1e6 });

/// Reads `[camera]`; without it everything is chosen to suit the world.
pub fn read(scene: &mut TableReader<'_>) -> Option<Camera> {
    let is_there = scene.has("camera");
    let Some(mut table) = scene.table("camera") else { return (!is_there).then(Camera::default) };
    let eye_m = table.optional("eye_m", &POINT);
    let target_m = table.optional("target_m", &POINT);
    let mut angle = |key, range| table.optional(key, range).map(|deg| deg.map(f32::to_radians));
    let fov = angle("fov_deg", &FOV_DEG);
    let sun_azimuth = angle("sun_azimuth_deg", &AZIMUTH_DEG);
    let sun_elevation = angle("sun_elevation_deg", &ELEVATION_DEG);
    let after_s = table.optional("after_s", &AFTER);
    if let (Some(Some(eye)), Some(Some(target))) = (eye_m, target_m)
        && eye == target
    {
        table.wrong("target_m", "must not be where eye_m is");
        table.finish();
        return None;
    }
    table.finish();
    Some(Camera {
        eye_m: eye_m?,
        target_m: target_m?,
        fov: fov?,
        sun_azimuth: sun_azimuth?,
        sun_elevation: sun_elevation?,
        after_s: after_s?,
    })
}
