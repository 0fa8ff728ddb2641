//! Smoothing: soil from bumps goes into hollows, unit by unit.

use barchan_volume::Grid;
use glam::{IVec2, IVec3, Mat3, Vec2, Vec3};

use super::ground::Ground;
use crate::columns::{Patch, Space, commit};
use crate::material::Materials;
use crate::units::LOOSE_FULL;
use crate::voxel::{Parcel, Parcels};

/// Largest disc that is smoothed at once (voxels).
const LARGEST_RADIUS: f32 = 64.0;
/// Bumps and hollows lower than this are left alone (voxels).
const FLAT: f32 = 1.0 / 64.0;

impl Ground {
    /// As [`World::smooth`](crate::World::smooth); the caller closes the changes.
    pub(crate) fn smooth(
        &mut self,
        centre_m: Vec3,
        radius_m: f32,
        share: f32,
        materials: &Materials,
        body_share: &Grid<u16>,
    ) {
        let centre = centre_m / self.voxel_size_m();
        let radius = (radius_m / self.voxel_size_m()).min(LARGEST_RADIUS);
        let reachable = centre.is_finite() && centre.abs().max_element() < (1 << 28) as f32;
        if !(reachable && radius > 0.0 && share > 0.0) {
            return;
        }
        let (disc, share) = (Disc { centre, radius }, share.min(1.0));
        let columns = disc.columns(self, materials);
        let Some(plane) = plane_through(&columns) else { return };
        let surplus = |column: &Column| (column.height - plane.dot(column.place.extend(1.0))) * column.weight;
        let (mut given, mut wanted) = (0.0, 0.0);
        for difference in columns.iter().map(surplus) {
            given += difference.max(0.0);
            wanted += (-difference).max(0.0);
        }
        // What one side cannot take, the other need not give.
        let (give, take) = (share * wanted.min(given) / given, share * wanted.min(given) / wanted);

        let mut patch = Patch::new(Space::new(self, body_share, materials));
        let mut load = Load::default();
        for column in columns.iter().filter(|column| surplus(column) > FLAT) {
            load.dig(column, surplus(column) * give, &mut patch);
        }
        for column in columns.iter().filter(|column| surplus(column) < 0.0) {
            load.fill(column, -surplus(column) * take, &mut patch);
        }
        load.put_back(&mut patch);
        let changed = patch.into_changed();
        commit(changed, self);
    }
}

/// Where ground is smoothed (voxels).
struct Disc {
    centre: Vec3,
    radius: f32,
}

/// A column of voxels in the disc.
struct Column {
    xy: IVec2,
    /// From the centre of the disc (voxels).
    place: Vec2,
    /// The highest voxel that holds anything.
    top: i32,
    /// How high the ground reaches (voxels).
    height: f32,
    /// One in the middle of the disc, nothing at its rim.
    weight: f32,
}

impl Disc {
    fn columns(&self, ground: &Ground, materials: &Materials) -> Vec<Column> {
        let (middle, reach) = (self.centre.truncate(), self.radius.ceil() as i32);
        let corner = middle.floor().as_ivec2();
        let cells = (-reach..=reach).flat_map(|x| (-reach..=reach).map(move |y| IVec2::new(x, y)));
        let column = |offset: IVec2| {
            let xy = corner + offset;
            let place = xy.as_vec2() + 0.5 - middle;
            let weight = 1.0 - place.length_squared() / (self.radius * self.radius);
            if weight <= 0.0 || ground.is_wall(xy.extend(self.centre.z.floor() as i32)) {
                return None;
            }
            let top = self.top_of(xy, ground)?;
            let voxel = ground.get(xy.extend(top));
            let filled = (voxel.rock_share(materials) + voxel.soil_share()) as f32 / LOOSE_FULL as f32;
            Some(Column { xy, place, top, height: top as f32 + filled, weight })
        };
        cells.filter_map(column).collect()
    }

    /// The highest voxel within reach of the disc that holds anything; none where it is buried or far below.
    fn top_of(&self, xy: IVec2, ground: &Ground) -> Option<i32> {
        let holds = |z: i32| {
            let voxel = ground.get(xy.extend(z));
            !voxel.is_air()
        };
        let (middle, reach) = (self.centre.z.round() as i32, self.radius.ceil() as i32 + 2);
        if holds(middle + reach) {
            return None;
        }
        (middle - reach..middle + reach).rev().find(|&z| holds(z))
    }
}

/// The plane z = a x + b y + c through the columns, as (a, b, c), by least squares.
fn plane_through(columns: &[Column]) -> Option<Vec3> {
    let (mut matrix, mut right) = (Mat3::ZERO, Vec3::ZERO);
    let base = columns.first()?.height;
    for column in columns {
        let row = column.place.extend(1.0) * column.weight;
        matrix += Mat3::from_cols(row * column.place.x, row * column.place.y, row);
        right += row * (column.height - base);
    }
    let plane = (matrix.determinant().abs() > 1e-3).then(|| matrix.inverse() * right)?;
    Some(plane + Vec3::Z * base)
}

/// Soil on its way, with the voxels that it came from.
#[derive(Default)]
struct Load {
    parcels: Vec<(IVec3, Parcel)>,
}

impl Load {
    /// Takes `height` (voxels) of soil off a column.
    fn dig(&mut self, column: &Column, height: f32, patch: &mut Patch<'_>) {
        let mut units = (height * LOOSE_FULL as f32) as u32;
        for z in (column.top - 1..=column.top).rev() {
            let p = column.xy.extend(z);
            if units == 0 || !patch.get(p).has_soil() {
                break;
            }
            let mut parcels = Parcels::new();
            units -= patch.take(p, units, &mut parcels);
            // What lay lowest is laid down first.
            self.parcels.extend(parcels.into_iter().map(|parcel| (p, Parcel { moved: true, ..parcel })));
        }
    }

    /// Puts `height` (voxels) of soil onto a column.
    fn fill(&mut self, column: &Column, height: f32, patch: &mut Patch<'_>) {
        let mut units = (height * LOOSE_FULL as f32) as u32;
        for z in column.top..=column.top + 1 {
            let p = column.xy.extend(z);
            while units > 0
                && let Some((from, mut parcel)) = self.parcels.pop()
            {
                let mut part = parcel.split_off(units);
                let before = part.units;
                patch.put(p, &mut part);
                units -= u32::from(before - part.units);
                parcel.units += part.units;
                parcel.water += part.water;
                if parcel.units > 0 {
                    self.parcels.push((from, parcel));
                }
                if part.units > 0 {
                    break;
                }
            }
        }
    }

    /// Brings what found no place back to where it was taken: there is room for it.
    fn put_back(self, patch: &mut Patch<'_>) {
        for (from, parcel) in self.parcels.into_iter().rev() {
            patch.add(from, parcel);
        }
    }
}
