//! What a tool holds: soil and grains that lie on its bodies.

use barchan_volume::Aabb;
use glam::{DVec3, IVec3};

use crate::bodies::BodyId;
use crate::material::MaterialId;
use crate::units::unit_m3;
use crate::world::World;

/// What lies on some bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Payload {
    /// Soil, as ground and as grains (units).
    pub units: u64,
    /// The room that it takes, loose as it was dug (m³).
    pub m3: f64,
    /// Its mass, dry (kg).
    pub kg: f64,
}

impl Payload {
    fn add(&mut self, units: u64, kind: MaterialId, world: &World) {
        let Some(material) = world.materials().get(kind) else { return };
        let solid_m3 = units as f64 * unit_m3(world.ground().voxel_size_m());
        self.units += units;
        self.m3 += solid_m3 * f64::from(1.0 + material.void_ratio_loose);
        self.kg += solid_m3 * f64::from(material.grain_density_kg_m3);
    }
}

impl World {
    /// What a body holds; none where there is no such body.
    pub fn payload(&self, body: BodyId) -> Option<Payload> {
        self.bodies().get(body)?;
        Some(self.payload_of(&[body]))
    }

    /// What bodies hold together that are one tool: all soil and grains above any of them, up to a quarter of their height over their
    /// rim.
    pub fn payload_of(&self, tool: &[BodyId]) -> Payload {
        let bodies = tool.iter().filter_map(|id| self.bodies().get(*id));
        let around = bodies
            .map(|body| body.solid().bounds())
            .reduce(|a, b| Aabb { min: a.min.min(b.min), max: a.max.max(b.max) });
        let mut payload = Payload::default();
        let Some(around) = around else { return payload };
        let size = self.ground().voxel_size_m();
        let low = (around.min / size).floor().as_ivec3();
        let high = (around.max / size).ceil().as_ivec3();
        let top = high.z + (high.z - low.z) / 4;
        // The lowest voxel of a body in each column, if there is one.
        let shares = self.body_fill.shares();
        let floor = |x: i32, y: i32| {
            let taken = |z: &i32| {
                let p = IVec3::new(x, y, *z);
                shares.get(p) > 0
                    && self
                        .body_fill
                        .bodies_in(barchan_volume::brick::brick_of(p))
                        .iter()
                        .any(|id| tool.contains(id))
            };
            (low.z..high.z).find(taken)
        };
        let wide = (high.y - low.y).max(0) as usize;
        let mut floors = Vec::with_capacity((high.x - low.x).max(0) as usize * wide);
        for x in low.x..high.x {
            for y in low.y..high.y {
                let bottom = floor(x, y);
                floors.push(bottom);
                for z in bottom.map_or(top, |bottom| bottom)..top {
                    let voxel = self.ground().get(IVec3::new(x, y, z));
                    payload.add(u64::from(voxel.top), voxel.top_kind, self);
                    payload.add(u64::from(voxel.under), voxel.under_kind, self);
                }
            }
        }
        for grain in self.grains().all() {
            let at = (self.grains().position_m(grain) / DVec3::splat(f64::from(size))).floor().as_ivec3();
            let is_inside = at.cmpge(low).all() && at.x < high.x && at.y < high.y && at.z < top;
            if is_inside {
                let column = (at.x - low.x) as usize * wide + (at.y - low.y) as usize;
                if floors[column].is_some_and(|bottom| at.z >= bottom) {
                    payload.add(grain.units, self.grains().soil_of(grain), self);
                }
            }
        }
        payload
    }
}
