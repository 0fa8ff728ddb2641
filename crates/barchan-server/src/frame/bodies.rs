//! Bodies, poses and vehicles as bytes.

use barchan_volume::{Shape, TriMesh};
use glam::Vec3;

use super::writer::Writer;
use crate::command::MachineKind;
use crate::machines::Machine;
use crate::sandbox::{BodyView, Statistics};

/// Longest name that is sent (bytes).
const LONGEST_NAME: usize = 255;

/// What a body is, for section 3.
pub fn write_body(body: &BodyView, writer: &mut Writer) {
    let (shape, size, mesh): (u8, Vec3, Option<&TriMesh>) = match &body.shape {
        Shape::Box { half_extents } => (0, *half_extents, None),
        Shape::Ball { radius } => (1, Vec3::new(*radius, 0.0, 0.0), None),
        Shape::Cylinder { radius, half_height } => (2, Vec3::new(*radius, *half_height, 0.0), None),
        Shape::Cone { radius, half_height } => (3, Vec3::new(*radius, *half_height, 0.0), None),
        Shape::Capsule { radius, half_height } => (4, Vec3::new(*radius, *half_height, 0.0), None),
        Shape::Hull(hull) => (5, Vec3::ZERO, Some(hull.mesh())),
        Shape::Mesh(solid) => (5, Vec3::ZERO, Some(solid.mesh())),
    };
    let name = &body.name[..body.name.floor_char_boundary(LONGEST_NAME)];
    writer.u32(body.id);
    writer.u8(shape);
    writer.u8(body.role as u8);
    body.color().into_iter().for_each(|part| writer.u8(part));
    writer.u8(name.len() as u8);
    writer.u16(0);
    writer.vec3(size);
    if let Some(mesh) = mesh {
        writer.u32(mesh.vertices.len() as u32);
        writer.u32(mesh.triangles.len() as u32);
        mesh.vertices.iter().for_each(|vertex| writer.vec3(*vertex));
        mesh.triangles.iter().flatten().for_each(|corner| writer.u32(*corner));
    }
    writer.bytes.extend_from_slice(name.as_bytes());
    writer.pad();
}

/// Where a body is, for section 2.
pub fn write_pose(body: &BodyView, writer: &mut Writer) {
    writer.u32(body.id);
    writer.vec3(body.pose.translation);
    for part in body.pose.rotation.to_array() {
        writer.i16((part.clamp(-1.0, 1.0) * 32_767.0).round() as i16);
    }
}

/// How a vehicle is, for section 6.
pub fn write_machine(number: u32, machine: &Machine, writer: &mut Writer) {
    writer.u32(number);
    writer.u8(match machine.kind {
        MachineKind::Excavator => 0,
        MachineKind::Bulldozer => 1,
    });
    writer.u8(machine.joints.len() as u8);
    writer.u16(u16::from(machine.carves));
    writer.vec3(machine.position_m);
    writer.f32(machine.heading);
    machine.joints.iter().for_each(|joint| writer.f32(*joint));
    writer.f32(machine.load.m3 as f32);
    writer.f32(machine.load.kg as f32);
}

/// Numbers in view, for section 5.
pub fn write_statistics(
    statistics: &Statistics,
    bodies: u32,
    triangles: u32,
    viewers: u32,
    writer: &mut Writer,
) {
    writer.f32(statistics.steps_per_s);
    writer.f32(statistics.step_ms);
    writer.u32(statistics.awake_bricks);
    writer.u32(bodies);
    writer.f64(statistics.off_by as f64);
    writer.u16(statistics.inventory.len() as u16);
    for stock in &statistics.inventory {
        writer.u8(stock.account as u8);
        writer.u8(stock.kind.0);
        // To be shown, not reckoned with: beyond 2^53 units a number is off by less than one sees.
        let numbers = [stock.held as f64, stock.entered as f64, stock.left as f64, stock.m3, stock.kg];
        numbers.into_iter().for_each(|number| writer.f64(number));
    }
    writer.u32(triangles);
    writer.u32(viewers);
    writer.u32(statistics.process_ms.len() as u32);
    statistics.process_ms.iter().for_each(|time| writer.f32(*time));
}
