//! One vehicle: where it stands, how its joints are, and how far its levers are pushed.

use std::collections::BTreeMap;

use barchan_sim::bodies::{BodyId, BodySpec, Key, Motion, Track};
use barchan_sim::carve::CarveParams;
use barchan_sim::merge::MergeParams;
use barchan_sim::{Payload, World};
use barchan_volume::Pose;
use glam::{Mat3, Quat, Vec3};

use super::joint::Joint;
use super::part::{Part, within};
use super::{bulldozer, excavator};
use crate::command::MachineKind;
use crate::sandbox::ground_under;

/// Levers of the two tracks, before those of the joints.
const TRACKS: [&str; 2] = ["left_track", "right_track"];
/// Fastest rise and sinking of the tracks with the ground (m/s).
const CLIMB_M_S: f32 = 2.0;
/// Share of its lean that is made up for in a second (1/s).
const LEAN_RATE: f32 = 6.0;
/// The tracks float this far above the ground that they stand on (m): soil is pushed by what is driven into it only.
const CLEARANCE_M: f32 = 0.03;

/// Steps between two looks at what a tool holds.
const LOOK_STEPS: u64 = 6;

/// Parts that are further (m, rad) from where they belong are not those of a vehicle.
const LARGEST_SLIP_M: f32 = 0.01;

/// A vehicle.
#[derive(Clone, Debug)]
pub struct Machine {
    /// What it is.
    pub kind: MachineKind,
    /// The middle between the tracks, on the ground (m).
    pub position_m: Vec3,
    /// Where it looks, from +x towards +y (rad).
    pub heading: f32,
    /// Values of its joints.
    pub joints: Vec<f32>,
    /// Its bodies, in the order of its parts.
    pub bodies: Vec<BodyId>,
    /// What its tool held when one looked last.
    pub load: Payload,
    /// True while its tool carves particles, as far as the world can hold any.
    pub carves: bool,
    /// The direction up from the ground that it stands on.
    up: Vec3,
    /// How far each lever is pushed (-1 to 1): tracks, then joints.
    levers: Vec<f32>,
    /// Where each part sits, and on which frame.
    mounts: Vec<(usize, Pose)>,
}

impl Machine {
    /// A vehicle that stands at `point_m` (m) and looks along `heading` (rad), and is in the world.
    pub fn place(
        kind: MachineKind,
        point_m: Vec3,
        heading: f32,
        world: &mut World,
    ) -> Result<Self, barchan_sim::bodies::BodyError> {
        let joints: Vec<f32> = kind.joints().iter().map(|joint| joint.start).collect();
        let parts = kind.parts();
        let mut machine = Self {
            kind,
            position_m: point_m,
            heading,
            levers: vec![0.0; TRACKS.len() + joints.len()],
            joints,
            bodies: Vec::new(),
            load: Payload::default(),
            carves: true,
            up: Vec3::Z,
            mounts: parts.iter().map(|part| (part.frame, part.mount)).collect(),
        };
        if let Some((position, up)) = machine.footing(world) {
            (machine.position_m, machine.up) = (position, up);
        }
        let time_s = world.clock().time_s;
        let named = parts.into_iter().zip(kind.body_names());
        let specs = named.zip(machine.poses()).map(|((part, name), pose)| {
            let track = Track { keys: vec![Key { time_s, pose }], repeat: false };
            BodySpec::new(name, part.shape, pose, Motion::Scripted(track))
        });
        machine.bodies = world.add_bodies(specs.collect::<Vec<_>>())?;
        machine.set_carves(true, world);
        Ok(machine)
    }

    /// The vehicle whose parts are `bodies`, in their order, in a world that was saved with it. None when they do not fit
    /// together.
    pub fn found(kind: MachineKind, bodies: &[(BodyId, Pose)]) -> Option<Self> {
        let mounts: Vec<_> = kind.parts().iter().map(|part| (part.frame, part.mount)).collect();
        let frame_of = |frame: usize| {
            let part = mounts.iter().position(|mount| mount.0 == frame)?;
            let (pose, mount) = (bodies.get(part)?.1, mounts[part].1);
            let rotation = (pose.rotation * mount.rotation.inverse()).normalize();
            Some(Pose::new(pose.translation - rotation * mount.translation, rotation))
        };
        let frames = (0..).map_while(frame_of).collect::<Vec<_>>();
        let base = *frames.first()?;
        let side = base.rotation * Vec3::Y;
        let joints = kind.joints_of(&frames);
        let machine = Self {
            kind,
            position_m: base.translation,
            heading: (-side.x).atan2(side.y),
            levers: vec![0.0; TRACKS.len() + joints.len()],
            joints,
            bodies: bodies.iter().map(|(id, _)| *id).collect(),
            load: Payload::default(),
            carves: false,
            up: base.rotation * Vec3::Z,
            mounts,
        };
        let is_near = |(pose, body): (Pose, &(BodyId, Pose))| {
            let turn = pose.rotation.angle_between(body.1.rotation);
            pose.translation.distance(body.1.translation) < LARGEST_SLIP_M && turn < LARGEST_SLIP_M
        };
        machine.poses().into_iter().zip(bodies).all(is_near).then_some(machine)
    }

    /// Pushes levers; those not named go to 0.
    pub fn set_levers(&mut self, controls: &BTreeMap<String, f32>) -> Result<(), String> {
        let names = self.kind.levers();
        if let Some(unknown) = controls.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("controls.{unknown} is none of {}", names.join(", ")));
        }
        for (lever, name) in self.levers.iter_mut().zip(names) {
            *lever = controls.get(name).copied().unwrap_or(0.0);
        }
        Ok(())
    }

    /// Lets its tool carve particles, or push voxels. Where there are grains that leave no room for particles it goes on pushing.
    pub fn set_carves(&mut self, carves: bool, world: &mut World) {
        if carves && world.carve().params().is_none() {
            let params = CarveParams::for_voxels(world.ground().voxel_size_m());
            if world.ready_carve(params).is_err() {
                self.carves = false;
                return;
            }
            if world.merge().params().is_none() {
                let merge = MergeParams { clearance_m: 2.0 * params.size_m, ..MergeParams::default() };
                // Its numbers are the usual ones: nothing is outside its range.
                let _ = world.set_merge(Some(merge));
            }
        }
        for id in self.tool() {
            world.set_body_carves(id, carves);
        }
        self.carves = carves;
    }

    /// The bodies that dig.
    fn tool(&self) -> Vec<BodyId> {
        let named = self.kind.parts().into_iter().zip(&self.bodies);
        let digs = |name: &str| name.starts_with("bucket") || name.starts_with("blade");
        named.filter(|(part, _)| digs(part.name)).map(|(_, id)| *id).collect()
    }

    /// Lets go of all levers.
    pub fn release(&mut self) {
        self.levers.fill(0.0);
    }

    /// Moves everything for `dt_s` (s): the bodies get tracks that lead there by the end of the step.
    pub fn drive(&mut self, world: &mut World, dt_s: f32) {
        if world.clock().steps.is_multiple_of(LOOK_STEPS) {
            self.load = world.payload_of(&self.tool());
        }
        let before = self.poses();
        self.roll(world, dt_s);
        let levers = self.levers[TRACKS.len()..].iter();
        for ((value, joint), lever) in self.joints.iter_mut().zip(self.kind.joints()).zip(levers) {
            *value = joint.moved(*value, *lever, dt_s);
        }
        let time_s = world.clock().time_s;
        for ((id, from), to) in self.bodies.iter().zip(before).zip(self.poses()) {
            let (now, then) =
                (Key { time_s, pose: from }, Key { time_s: time_s + f64::from(dt_s), pose: to });
            let stands = matches!(world.bodies().get(*id).map(|body| body.pose), Some(pose) if pose == to);
            if !stands {
                // Fails only for a body that was taken out of the world; the others go on.
                let _ = world.set_track(*id, Track { keys: vec![now, then], repeat: false });
            }
        }
    }

    /// The tracks: both forwards, or one against the other to turn.
    fn roll(&mut self, world: &World, dt_s: f32) {
        let [left, right] = [self.levers[0], self.levers[1]];
        if left == 0.0 && right == 0.0 {
            return;
        }
        let [_, half_gauge] = self.kind.stance_m();
        let speed = self.kind.track_speed_m_s();
        self.heading += (right - left) * speed / (2.0 * half_gauge) * 0.6 * dt_s;
        let way = self.base().rotation * Vec3::X * ((left + right) / 2.0 * speed * dt_s);
        let ahead = self.position_m + way;
        if !is_inside(world, ahead) {
            return;
        }
        self.position_m = ahead;
        if let Some((footing, up)) = self.footing(world) {
            let climb = (footing.z - self.position_m.z).clamp(-CLIMB_M_S * dt_s, CLIMB_M_S * dt_s);
            self.position_m.z += climb;
            self.up = self.up.lerp(up, (LEAN_RATE * dt_s).min(1.0)).normalize();
        }
    }

    /// Where the tracks come to rest, and the direction up from there.
    fn footing(&self, world: &World) -> Option<(Vec3, Vec3)> {
        let [length, gauge] = self.kind.stance_m();
        let turn = Quat::from_rotation_z(self.heading);
        let corner = |along: f32, across: f32| {
            let point = self.position_m + turn * Vec3::new(along * length, across * gauge, 0.0);
            let height = ground_under(world, point + Vec3::Z * 1.5)?;
            Some(point.with_z(height + CLEARANCE_M))
        };
        let [a, b, c, d] = [corner(1.0, 1.0)?, corner(-1.0, 1.0)?, corner(-1.0, -1.0)?, corner(1.0, -1.0)?];
        let up = (a - c).cross(b - d).normalize_or(Vec3::Z);
        // Steeper than this it would stand on its nose: hold it there.
        let up = if up.z < 0.75 { up.truncate().normalize_or_zero().extend(1.13).normalize() } else { up };
        Some((((a + b + c + d) / 4.0).with_x(self.position_m.x).with_y(self.position_m.y), up))
    }

    fn base(&self) -> Pose {
        let ahead = Quat::from_rotation_z(self.heading) * Vec3::X;
        let side = self.up.cross(ahead).normalize_or(Vec3::Y);
        let axes = Mat3::from_cols(side.cross(self.up), side, self.up);
        Pose::new(self.position_m, Quat::from_mat3(&axes))
    }

    fn poses(&self) -> Vec<Pose> {
        let frames = self.kind.frames(self.base(), &self.joints);
        self.mounts.iter().map(|(frame, mount)| within(&frames[*frame], mount)).collect()
    }
}

fn is_inside(world: &World, point: Vec3) -> bool {
    let size = world.ground().voxel_size_m();
    let Some(bounds) = world.ground().bounds() else { return true };
    let (min, max) = (bounds.min.as_vec3() * size, bounds.max.as_vec3() * size);
    point.cmpge(min).all() && point.cmple(max).all()
}

impl MachineKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Excavator, Self::Bulldozer];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Excavator => "excavator",
            Self::Bulldozer => "bulldozer",
        }
    }

    /// The names of all levers: tracks, then joints.
    pub fn levers(self) -> Vec<&'static str> {
        TRACKS.into_iter().chain(self.joints().iter().map(|joint| joint.lever)).collect()
    }

    fn joints(self) -> &'static [Joint] {
        match self {
            Self::Excavator => &excavator::JOINTS,
            Self::Bulldozer => &bulldozer::JOINTS,
        }
    }

    fn parts(self) -> Vec<Part> {
        match self {
            Self::Excavator => excavator::parts(),
            Self::Bulldozer => bulldozer::parts(),
        }
    }

    fn frames(self, base: Pose, joints: &[f32]) -> Vec<Pose> {
        match self {
            Self::Excavator => excavator::frames(base, joints),
            Self::Bulldozer => bulldozer::frames(base, joints),
        }
    }

    fn joints_of(self, frames: &[Pose]) -> Vec<f32> {
        match self {
            Self::Excavator => excavator::joints(frames),
            Self::Bulldozer => bulldozer::joints(frames),
        }
    }

    /// The names of its bodies, in the order of its parts.
    pub fn body_names(self) -> Vec<String> {
        self.parts().iter().map(|part| format!("{} {}", self.name(), part.name)).collect()
    }

    fn stance_m(self) -> [f32; 2] {
        match self {
            Self::Excavator => excavator::STANCE_M,
            Self::Bulldozer => bulldozer::STANCE_M,
        }
    }

    fn track_speed_m_s(self) -> f32 {
        match self {
            Self::Excavator => excavator::TRACK_SPEED_M_S,
            Self::Bulldozer => bulldozer::TRACK_SPEED_M_S,
        }
    }
}

#[cfg(test)]
mod tests {
    use barchan_sim::WorldConfig;

    use super::*;

    #[test]
    fn a_vehicle_is_found_again_in_its_bodies() {
        for (kind, joints) in [
            (MachineKind::Excavator, vec![-2.9, 0.4, -2.5, -2.4]),
            (MachineKind::Excavator, vec![1.2, -0.6, -0.6, 0.5]),
            (MachineKind::Bulldozer, vec![0.7, -0.4]),
        ] {
            let mut world = World::new(WorldConfig::default()).unwrap();
            let mut machine = Machine::place(kind, Vec3::new(3.0, -4.0, 1.0), 2.5, &mut world).unwrap();
            (machine.joints, machine.up) = (joints, Vec3::new(0.2, -0.1, 1.0).normalize());
            let bodies: Vec<_> = machine.bodies.iter().copied().zip(machine.poses()).collect();
            let found = Machine::found(kind, &bodies).unwrap();
            assert!((found.heading - machine.heading).abs() < 1e-4 && found.up.distance(machine.up) < 1e-4);
            for (joint, expected) in found.joints.iter().zip(&machine.joints) {
                assert!((joint - expected).abs() < 1e-4, "{:?} {:?}", found.joints, machine.joints);
            }
            let mut apart = bodies;
            apart[5].1.translation.x += 0.1;
            assert!(Machine::found(kind, &apart).is_none());
        }
    }
}
