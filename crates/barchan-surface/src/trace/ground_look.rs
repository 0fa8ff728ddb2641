//! The looks of the ground: colour of the material, patterns of its kind, slope, moisture and grass.
//!
//! Patterns are functions of space, measured in voxels. Those that have a direction follow the axis that the surface
//! faces, as in tri-planar mapping (W 3.3.1.3).

use barchan_sim::{Material, MaterialId, Materials, Voxel, World};
use glam::{IVec3, Vec3, Vec3A};

use super::chance::{hash, noise, smoothstep};
use super::field::Field;
use super::look::{Look, bump, linear, seen};
use crate::ground_kind::{GroundKind as Kind, grows_grass};
use crate::overlay::OverlaySeen;

/// The looks of all materials of a world.
pub(super) struct GroundLooks<'a> {
    world: &'a World,
    materials: &'a Materials,
    /// Kind and colour, by id.
    table: Vec<(Kind, Vec3)>,
    /// Colours in place of those of the materials.
    overlay: Option<&'a OverlaySeen<'a>>,
}

/// A point of the ground that is looked at.
pub(super) struct GroundPoint {
    /// Where.
    pub place: Vec3A,
    /// Outward.
    pub normal: Vec3,
    /// Whether it lies on a cut at the walls.
    pub is_cut: bool,
    /// Width of a pixel there (voxels).
    pub footprint: f32,
    /// Where within a voxel the material is looked up (-0.5 to 0.5), so that borders blend.
    pub jitter: Vec3,
}

impl<'a> GroundLooks<'a> {
    pub fn of(world: &'a World, overlay: Option<&'a OverlaySeen<'a>>) -> Self {
        let row = |material: &Material| (Kind::of(material), linear(material.color));
        let materials = world.materials();
        Self {
            world,
            materials,
            table: materials.iter().map(|(_, material)| row(material)).collect(),
            overlay,
        }
    }

    /// The looks of a point of the ground.
    pub fn look(&self, field: &Field, point: &GroundPoint) -> Look {
        let (at, voxel) = self.voxel(field, point);
        if let Some(overlay) = self.overlay
            && let Some(value) = overlay.value(at)
        {
            return Look::dull(linear(overlay.color(value)), point.normal);
        }
        let id = top_kind(&voxel, self.materials);
        let unknown = (Kind::Sand, Vec3::splat(0.4));
        let (kind, color) = self.table.get(usize::from(id.0)).copied().unwrap_or(unknown);
        let p = Vec3::from(point.place) + (field.base & 0xffff).as_vec3();
        let mut look = match kind {
            Kind::Sand => sand(p, color, point),
            Kind::Loam => loam(p, color, point),
            Kind::Clay => clay(p, color, point),
            Kind::Stones => stones(p, color, point),
            Kind::Dust | Kind::Snow => dust(p, color, point),
            Kind::Bedded => bedded(p, color, point),
            Kind::Crystalline => crystalline(p, color, point),
        };
        if kind == Kind::Loam && !point.is_cut && grows_grass(&voxel, self.materials) {
            grow_grass(&mut look, p, point);
        }
        moisten(&mut look, voxel.saturation(), kind);
        look
    }

    /// The ground under the surface: a little inside, or the nearest below where that is air.
    fn voxel(&self, field: &Field, point: &GroundPoint) -> (IVec3, Voxel) {
        let ground = self.world.ground();
        let inward = Vec3A::from(point.normal) * -0.7;
        let start = point.place + inward + Vec3A::from(point.jitter);
        let inside = field.extent();
        let at = |place: Vec3A| {
            let p = field.voxel(place).clamp(inside.min, inside.max - IVec3::ONE);
            (p, ground.get(p))
        };
        let is_ground = |(_, voxel): &(IVec3, Voxel)| !voxel.is_air();
        let found = [start, point.place + inward].into_iter().map(at).find(is_ground);
        // Where the smoothed surface spans a corner, the ground lies further down or beside.
        let offsets =
            [[0, 0, -1], [0, 0, -2], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, -3], [0, 0, 1]];
        let beside = || {
            let near = offsets.into_iter().map(|offset| IVec3::from_array(offset).as_vec3a());
            near.map(|offset| at(point.place + inward + offset)).find(is_ground)
        };
        found.or_else(beside).unwrap_or((IVec3::ZERO, Voxel::AIR))
    }
}

/// The material that shows: soil lies on top of rock, unless there is next to none.
fn top_kind(voxel: &Voxel, materials: &Materials) -> MaterialId {
    if voxel.soil_share() * 8 >= voxel.rock_share(materials) && voxel.has_soil() {
        voxel.surface().kind
    } else {
        voxel.rock_kind
    }
}

/// Noise of a wavelength (voxels), faded where it is too fine to be seen.
fn wave(p: Vec3, wavelength: f32, footprint: f32) -> (f32, Vec3) {
    let share = seen(wavelength, footprint);
    if share == 0.0 {
        return (0.0, Vec3::ZERO);
    }
    let (value, slope) = noise(p / wavelength);
    (value * share, slope * share)
}

fn sand(p: Vec3, color: Vec3, point: &GroundPoint) -> Look {
    let (broad, _) = wave(p, 21.0, point.footprint);
    let (grain, rough) = wave(p, 0.45, point.footprint);
    let mut normal = bump(point.normal, rough * 0.10);
    if !point.is_cut {
        normal = bump(normal, ripples(p, point));
    }
    Look::dull(color * (1.0 + 0.06 * broad + 0.10 * grain), normal)
}

/// Slope of wind ripples: long crests that wander, on ground that is not too steep.
fn ripples(p: Vec3, point: &GroundPoint) -> Vec3 {
    const WAVELENGTH: f32 = 2.6;
    let share = seen(WAVELENGTH, point.footprint) * smoothstep(0.88, 0.97, point.normal.z);
    if share == 0.0 {
        return Vec3::ZERO;
    }
    let (bend, _) = noise(p / Vec3::new(9.0, 14.0, 11.0));
    let (strength, _) = noise(p / 37.0 + 5.0);
    let along = Vec3::new(0.94, 0.34, 0.0);
    let phase = p.dot(along) * std::f32::consts::TAU / WAVELENGTH + 6.0 * bend;
    along * (phase.sin() * 0.06 * share * smoothstep(-0.3, 0.6, strength))
}

fn loam(p: Vec3, color: Vec3, point: &GroundPoint) -> Look {
    let (broad, _) = wave(p, 9.0, point.footprint);
    let (clods, lumps) = wave(p, 1.6, point.footprint);
    let (crumbs, rough) = wave(p, 0.5, point.footprint);
    let normal = bump(point.normal, lumps * 0.22 + rough * 0.16);
    Look::dull(color * (1.0 + 0.14 * broad + 0.16 * clods + 0.14 * crumbs), normal)
}

fn clay(p: Vec3, color: Vec3, point: &GroundPoint) -> Look {
    let (broad, swell) = wave(p, 5.0, point.footprint);
    let (fine, rough) = wave(p, 0.9, point.footprint);
    let normal = bump(point.normal, swell * 0.10 + rough * 0.08);
    let look = Look::dull(color * (1.0 + 0.10 * broad + 0.07 * fine), normal);
    Look { shine: 0.01, gloss: 12.0, ..look }
}

/// Pebbles: cells of space around scattered points, each with a shade of its own.
fn stones(p: Vec3, color: Vec3, point: &GroundPoint) -> Look {
    const SIZE: f32 = 1.15;
    let share = seen(SIZE, point.footprint);
    let (broad, _) = wave(p, 14.0, point.footprint);
    let base = color * (1.0 + 0.08 * broad);
    if share == 0.0 {
        return Look::dull(base * 0.9, point.normal);
    }
    let (toward, edge, shade) = pebble(p / SIZE);
    let tint = Vec3::new(1.0, 0.98, 0.95).lerp(Vec3::new(0.96, 0.99, 1.03), shade);
    let gap = smoothstep(0.02, 0.22, edge);
    let albedo = base * tint * (0.85 + 0.5 * shade) * (0.55 + 0.45 * gap);
    Look::dull(base.lerp(albedo, share), bump(point.normal, toward * (0.7 * share)))
}

/// The scattered point nearest to `p`: the way to it, how far the next is behind, and a number of its own.
fn pebble(p: Vec3) -> (Vec3, f32, f32) {
    let cell = p.floor();
    let (mut first, mut second) = ((f32::MAX, Vec3::ZERO, 0), f32::MAX);
    for n in 0..27 {
        let corner = cell + Vec3::new((n / 9 - 1) as f32, (n / 3 % 3 - 1) as f32, (n % 3 - 1) as f32);
        let at = corner.as_ivec3();
        let mixed = hash(
            (at.x as u32).wrapping_mul(0x9e37_79b1)
                ^ (at.y as u32).wrapping_mul(0x85eb_ca77)
                ^ (at.z as u32).wrapping_mul(0xc2b2_ae3d),
        );
        let part = |shift: u32| (mixed >> shift & 1023) as f32 / 1023.0;
        let toward = corner + Vec3::new(part(0), part(10), part(20)) - p;
        let distance = toward.length_squared();
        if distance < first.0 {
            second = first.0;
            first = (distance, toward, hash(mixed));
        } else {
            second = second.min(distance);
        }
    }
    // The ground rises towards the middle of a pebble.
    (first.1, second.sqrt() - first.0.sqrt(), (first.2 >> 8) as f32 / 16_777_216.0)
}

/// Snow and dust: even, with soft swells and a fine grain.
fn dust(p: Vec3, color: Vec3, point: &GroundPoint) -> Look {
    let (broad, swell) = wave(p, 7.0, point.footprint);
    let (fine, rough) = wave(p, 0.6, point.footprint);
    let normal = bump(point.normal, swell * 0.07 + rough * 0.08);
    Look::dull(color * (1.0 + 0.03 * broad + 0.05 * fine), normal)
}

/// Beds: bands of height, bent a little, that stand out on steep faces.
fn bedded(p: Vec3, color: Vec3, point: &GroundPoint) -> Look {
    let (warp, _) = noise(p / 24.0);
    let steep = 1.0 - smoothstep(0.55, 0.9, point.normal.z);
    let height = p.z + 2.4 * warp;
    let flat = |wavelength: f32| Vec3::new(p.x / 90.0, p.y / 90.0, height / wavelength);
    let (thick, _) = noise(flat(4.2));
    let fine_share = seen(1.1, point.footprint);
    let (thin, thin_slope) = noise(flat(1.1) + 31.0);
    let (blotch, _) = wave(p, 11.0, point.footprint);
    let (grain, rough) = wave(p, 0.7, point.footprint);
    let (lumps, lump_slope) = wave(p, 2.7, point.footprint);
    let bands = 0.20 * thick + 0.13 * thin * fine_share;
    // Tops are weathered: their beds are seen as a whole, not one by one.
    let bands = bands * (0.35 + 0.65 * steep);
    let shade = 1.0 + bands + 0.08 * blotch + 0.07 * grain + 0.06 * lumps;
    let rust = color * Vec3::new(1.06, 0.98, 0.90);
    let grooves = Vec3::Z * (thin_slope.z * 0.20 * fine_share * steep);
    let relief = if point.is_cut { 0.25 } else { 1.0 };
    let normal = bump(point.normal, (grooves + rough * 0.12 + lump_slope * 0.09) * relief);
    Look::dull(color.lerp(rust, smoothstep(-0.4, 0.6, thick)) * shade, normal)
}

/// Crystals: speckles of light and dark, and joints on a large scale.
fn crystalline(p: Vec3, color: Vec3, point: &GroundPoint) -> Look {
    let (blotch, _) = wave(p, 13.0, point.footprint);
    let (lumps, lump_slope) = wave(p, 3.1, point.footprint);
    let (speckle, rough) = wave(p, 0.42, point.footprint);
    let (fleck, _) = wave(p + 17.0, 0.8, point.footprint);
    let shade = 1.0 + 0.10 * blotch + 0.07 * lumps + 0.20 * speckle + 0.12 * fleck;
    let pink = Vec3::new(1.05, 0.99, 0.96);
    let relief = if point.is_cut { 0.25 } else { 1.0 };
    let normal = bump(point.normal, (rough * 0.07 + lump_slope * 0.08) * relief);
    Look {
        shine: 0.015,
        gloss: 18.0,
        ..Look::dull(color.lerp(color * pink, 0.5 + 0.5 * fleck) * shade, normal)
    }
}

/// Grass on what is nearly flat and was never moved, in tufts.
fn grow_grass(look: &mut Look, p: Vec3, point: &GroundPoint) {
    let (patch, _) = noise(p / 17.0 + 3.0);
    let (tuft, _) = wave(p, 2.2, point.footprint);
    let flat = smoothstep(0.80, 0.93, point.normal.z + 0.05 * patch + 0.03 * tuft);
    let cover = flat * smoothstep(-0.75, -0.25, patch + 0.35 * tuft);
    if cover == 0.0 {
        return;
    }
    let (blade, rough) = wave(p * Vec3::new(1.0, 1.0, 0.5), 0.38, point.footprint);
    let (broad, _) = noise(p / 41.0);
    let fresh = Vec3::new(0.085, 0.145, 0.028);
    let dry = Vec3::new(0.20, 0.19, 0.060);
    let green = fresh.lerp(dry, smoothstep(-0.4, 0.7, broad + 0.4 * tuft));
    look.albedo = look.albedo.lerp(green * (1.0 + 0.35 * blade + 0.18 * tuft), cover);
    look.normal = bump(look.normal, rough * (0.30 * cover));
}

/// Wet ground is darker, and shines once its pores are full.
fn moisten(look: &mut Look, moisture: f32, kind: Kind) {
    if moisture == 0.0 || matches!(kind, Kind::Snow) {
        return;
    }
    // Light that goes in stays in: more of it, the darker the colour (Lekner and Dorf 1988).
    let wet = look.albedo * (Vec3::splat(0.42) + 0.25 * look.albedo);
    look.albedo = look.albedo.lerp(wet, moisture);
    let film = smoothstep(0.45, 1.0, moisture);
    look.shine = look.shine.max(0.03 * film);
    look.gloss = 20.0 + 60.0 * film;
}
