//! An overlay of one world at one moment.

use barchan_sim::compact::Pressed;
use barchan_sim::material::Phase;
use barchan_sim::{MaterialId, World};
use glam::{IVec2, IVec3};
use rayon::prelude::*;

use super::color::color;
use super::overlay::Overlay;
use crate::top::TopSurface;

/// Pressure under which strengths are shown (Pa).
const SHOWN_AT_PA: f32 = 1e4;

/// Ranges that are shown (kPa, -, -); what lies beyond has the colour of the end.
const STRESS_KPA: [f32; 2] = [0.0, 100.0];
const STRENGTH_KPA: [f32; 2] = [0.0, 20.0];
const YIELD: [f32; 2] = [0.0, 1.2];
const SAFETY: [f32; 2] = [0.5, 3.0];

/// Half of the range of sinkage where nothing sank (cm).
const LEAST_SINKAGE_CM: f32 = 1.0;

/// Values and colours of an overlay.
pub struct OverlaySeen<'w> {
    world: &'w World,
    overlay: Overlay,
    pressed: Pressed,
    /// Tops before and now, where sinkage is asked for.
    tops: Option<(&'w TopSurface, TopSurface)>,
    /// Factors of safety of all columns, where they are asked for: they take long.
    safety: Option<(TopSurface, Vec<f32>)>,
    range: [f32; 2],
}

impl<'w> OverlaySeen<'w> {
    /// An overlay of `world`; sinkage is seen against how its surface was `before`, and nothing of it without.
    pub fn of(world: &'w World, overlay: Overlay, before: Option<&'w TopSurface>) -> Self {
        let tops = before
            .filter(|_| overlay == Overlay::Sinkage)
            .and_then(|before| Some((before, TopSurface::of(world).ok()?)));
        let mut seen =
            Self { world, overlay, pressed: world.pressed(), tops, safety: None, range: [0.0, 1.0] };
        seen.safety = (overlay == Overlay::Safety).then(|| TopSurface::of(world).ok()).flatten().map(|top| {
            let values = seen.map(&top, 1);
            (top, values)
        });
        seen.range = match overlay {
            Overlay::VoidRatio => void_ratios(world),
            Overlay::Stress => STRESS_KPA,
            Overlay::Strength => STRENGTH_KPA,
            Overlay::Sinkage => seen.greatest_sinkage_cm().map_or([-1.0, 1.0], |cm| [-cm, cm]),
            Overlay::Yield => YIELD,
            Overlay::Safety => SAFETY,
        };
        seen
    }

    /// Which overlay.
    pub fn overlay(&self) -> Overlay {
        self.overlay
    }

    /// The values at the ends of the legend.
    pub fn range(&self) -> [f32; 2] {
        self.range
    }

    /// The value at a voxel, in the unit of the legend; none where there is no soil, or nothing is known.
    pub fn value(&self, p: IVec3) -> Option<f32> {
        if self.overlay == Overlay::Sinkage {
            return self.sinkage_cm(p.truncate());
        }
        let voxel = self.world.ground().get(p);
        if !voxel.has_soil() {
            return None;
        }
        if let Some((top, values)) = &self.safety {
            return place(top, p.truncate()).map(|at| values[at]).filter(|value| !value.is_nan());
        }
        if self.overlay == Overlay::VoidRatio {
            return Some(voxel.surface().void_ratio.to_f32());
        }
        let point_m = (p.as_vec3() + 0.5) * self.world.ground().voxel_size_m();
        if self.overlay == Overlay::Safety {
            return self.world.safety_at(point_m);
        }
        let soil = self.world.soil_under(point_m, &self.pressed)?;
        Some(match self.overlay {
            Overlay::Stress => (2.0 / 3.0 * soil.overburden_pa + soil.load_pa) / 1e3,
            Overlay::Strength => soil.shear_strength_pa(SHOWN_AT_PA) / 1e3,
            _ => soil.yielding,
        })
    }

    /// The colour of a value (sRGB).
    pub fn color(&self, value: f32) -> [u8; 3] {
        let [low, high] = self.range;
        color((value - low) / (high - low).max(f32::MIN_POSITIVE), self.overlay.has_two_sides())
    }

    /// The values of the topmost voxels of every `stride`th column either way: rows of constant y, south first; NaN where there is
    /// none.
    pub fn map(&self, top: &TopSurface, stride: usize) -> Vec<f32> {
        let (width, height) = (top.width.div_ceil(stride), top.height.div_ceil(stride));
        let value = |at: usize| {
            let [x, y] = [at % width * stride, at / width * stride];
            let height_m = top.heights_m[y * top.width + x];
            let column = top.origin + IVec2::new(x as i32, y as i32);
            let z = (height_m / top.voxel_size_m - 1e-3).floor();
            if z.is_finite() { self.value(column.extend(z as i32)).unwrap_or(f32::NAN) } else { f32::NAN }
        };
        (0..width * height).into_par_iter().map(value).collect()
    }

    fn sinkage_cm(&self, column: IVec2) -> Option<f32> {
        let (before, now) = self.tops.as_ref()?;
        let sunk_m = height_m(before, column)? - height_m(now, column)?;
        sunk_m.is_finite().then_some(100.0 * sunk_m)
    }

    /// The greatest change of height, rounded up to 1, 2 or 5 times a power of ten (cm).
    fn greatest_sinkage_cm(&self) -> Option<f32> {
        let (_, now) = self.tops.as_ref()?;
        let columns = (0..now.width as i32)
            .flat_map(|x| (0..now.height as i32).map(move |y| now.origin + IVec2::new(x, y)));
        let most = columns.filter_map(|column| self.sinkage_cm(column)).fold(0.0, |a: f32, b| a.max(b.abs()));
        let most = most.max(LEAST_SINKAGE_CM);
        let power = 10_f32.powf(most.log10().floor());
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power).find(|step| *step >= 0.999 * most)
    }
}

fn height_m(top: &TopSurface, column: IVec2) -> Option<f32> {
    place(top, column).map(|at| top.heights_m[at])
}

/// Where a column stands in the lists of a map.
fn place(top: &TopSurface, column: IVec2) -> Option<usize> {
    let at = column - top.origin;
    let inside = at.x >= 0 && at.y >= 0 && (at.x as usize) < top.width && (at.y as usize) < top.height;
    inside.then(|| at.y as usize * top.width + at.x as usize)
}

/// From the densest to the loosest state of the soils that lie on top.
fn void_ratios(world: &World) -> [f32; 2] {
    let on_top: Vec<MaterialId> =
        TopSurface::of(world).map(|top| top.materials.into_iter().flatten().collect()).unwrap_or_default();
    let mut is_there = [false; 256];
    on_top.iter().for_each(|id| is_there[usize::from(id.0)] = true);
    let soils = world.materials().iter().filter(|(id, material)| {
        material.phase == Phase::Soil && (is_there[usize::from(id.0)] || on_top.is_empty())
    });
    let [low, high] = soils.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], (_, soil)| {
        [low.min(soil.void_ratio_dense), high.max(soil.void_ratio_loose)]
    });
    if low < high { [low, high] } else { [0.4, 1.2] }
}
