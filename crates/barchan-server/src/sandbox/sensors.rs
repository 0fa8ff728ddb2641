//! What people ask the ground: what it is like at a point, what it does to bodies, and its colours by an overlay.

use barchan_sim::World;
use barchan_sim::bodies::Motion;
use barchan_surface::{Overlay, OverlaySeen, TopSurface};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::Vec3;
use serde_json::{Value, json};

/// Most columns of an overlay along each side: of wider worlds every second, third, ... column is told.
const MOST_COLUMNS: usize = 256;

/// Bodies whose forces are told.
const MOST_BODIES: usize = 64;

/// A point is looked for this far below the surface that was pointed at (voxels).
const BELOW_VOXELS: f32 = 0.6;

/// Colours of a legend.
const COLORS: usize = 16;

/// The soil at a point of the surface (m), or null.
pub fn soil_json(world: &World, point_m: Vec3) -> Value {
    let inside = point_m - Vec3::Z * (BELOW_VOXELS * world.ground().voxel_size_m());
    let soil = world.soil_at(inside).or_else(|| world.soil_at(point_m));
    let Some(soil) = soil else { return Value::Null };
    // No slope, no number: JSON knows no infinity.
    let safety = soil.safety.is_finite().then_some(soil.safety);
    json!({
        "material": world.materials()[soil.kind].name,
        "void_ratio": soil.void_ratio,
        "saturation": soil.saturation,
        "friction_angle_deg": soil.strength.tan_phi.atan().to_degrees(),
        "cohesion_pa": soil.strength.cohesion_pa,
        "unit_weight_n_m3": soil.strength.gamma_n_m3,
        "overburden_pa": soil.overburden_pa,
        "load_pa": soil.load_pa,
        "preconsolidation_pa": soil.preconsolidation_pa,
        "safety": safety,
    })
}

/// What the ground did to bodies in the last step, those that it did anything to.
pub fn forces_json(world: &World) -> Value {
    let of_body = |body: barchan_sim::bodies::Body<'_>| {
        if body.spec.motion == Motion::Fixed {
            return None;
        }
        let felt = world.reaction(body.id).filter(|felt| felt.force_n != Vec3::ZERO)?;
        Some(json!({
            "body": body.id.0,
            "name": body.spec.name,
            "force_n": felt.force_n.to_array(),
            "torque_n_m": felt.torque_n_m.to_array(),
            "point_m": felt.point_m.to_array(),
            "cutting_n": felt.cutting_n.to_array(),
            "penetration_n": felt.penetration_n.to_array(),
            "pressing_n": felt.pressing_n.to_array(),
            "friction_n": felt.friction_n.to_array(),
            "carried_n": felt.carried_n.to_array(),
        }))
    };
    let bodies: Vec<Value> = world.bodies().iter().filter_map(of_body).take(MOST_BODIES).collect();
    json!({ "time_s": world.clock().time_s, "bodies": bodies })
}

/// A map of an overlay of this name, over the columns of the world.
pub fn overlay_json(world: &World, name: &str, before: Option<&TopSurface>) -> Result<Value, String> {
    let names = || Overlay::ALL.map(Overlay::name).join(", ");
    let overlay =
        Overlay::find(name).ok_or_else(|| format!("there is no overlay '{name}'; there are {}", names()))?;
    let top = TopSurface::of(world).map_err(|error| error.to_string())?;
    let seen = OverlaySeen::of(world, overlay, before);
    let stride = top.width.max(top.height).div_ceil(MOST_COLUMNS).max(1);
    let [width, height] = [top.width, top.height].map(|side| side.div_ceil(stride));
    let [low, high] = seen.range();
    let byte = |value: &f32| match value.is_nan() {
        true => 0,
        false => 1 + (254.0 * (value - low) / (high - low)).clamp(0.0, 254.0) as u8,
    };
    let bytes: Vec<u8> = seen.map(&top, stride).iter().map(byte).collect();
    let color = |at: usize| seen.color(low + (high - low) * at as f32 / (COLORS - 1) as f32);
    let size_m = top.voxel_size_m;
    Ok(json!({
        "overlay": overlay.name(),
        "title": overlay.title(),
        "range": [low, high],
        "colors": (0..COLORS).map(color).collect::<Vec<_>>(),
        "min_m": [top.origin.x as f32 * size_m, top.origin.y as f32 * size_m],
        "max_m": [
            (top.origin.x + (width * stride) as i32) as f32 * size_m,
            (top.origin.y + (height * stride) as i32) as f32 * size_m,
        ],
        "width": width,
        "height": height,
        "values": STANDARD.encode(bytes),
    }))
}
