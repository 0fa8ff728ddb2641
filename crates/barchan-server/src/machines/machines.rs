//! All vehicles of a sandbox.

use std::collections::BTreeMap;

use barchan_sim::World;
use barchan_sim::bodies::{BodyId, Motion};
use glam::Vec3;

use super::machine::Machine;
use crate::command::MachineKind;
use crate::sandbox::ClientId;

/// Most vehicles in one sandbox.
const MOST_MACHINES: usize = 8;

/// Vehicles by their numbers, which are never given twice.
#[derive(Clone, Debug, Default)]
pub struct Machines {
    list: BTreeMap<u32, Machine>,
    /// Who pushed levers last.
    drivers: BTreeMap<u32, ClientId>,
    last: u32,
}

impl Machines {
    /// The vehicles whose bodies are in `world`, which was saved with them.
    pub fn found_in(world: &World) -> Self {
        let bodies: Vec<_> = world
            .bodies()
            .iter()
            .filter(|body| matches!(body.spec.motion, Motion::Scripted(_)))
            .map(|body| (body.spec.name.as_str(), (body.id, body.pose)))
            .collect();
        let (mut machines, mut at) = (Self::default(), 0);
        while at < bodies.len() && machines.list.len() < MOST_MACHINES {
            let found = MachineKind::ALL.into_iter().find_map(|kind| {
                let names = kind.body_names();
                let parts = bodies[at..].get(..names.len())?;
                let fits = parts.iter().map(|part| part.0).eq(names.iter().map(String::as_str));
                let poses: Vec<_> = parts.iter().map(|part| part.1).collect();
                if fits { Machine::found(kind, &poses) } else { None }
            });
            at += found.as_ref().map_or(1, |machine| machine.bodies.len());
            if let Some(mut machine) = found {
                machine.carves = machine.bodies.iter().any(|id| world.carve().is_by(*id));
                machines.last += 1;
                machines.list.insert(machines.last, machine);
            }
        }
        machines
    }

    /// Puts one into the world.
    pub fn add(
        &mut self,
        kind: MachineKind,
        point_m: Vec3,
        heading: f32,
        world: &mut World,
    ) -> Result<u32, String> {
        if self.list.len() >= MOST_MACHINES {
            return Err(format!("there are {MOST_MACHINES} machines; take one away first"));
        }
        let machine = Machine::place(kind, point_m, heading, world).map_err(|error| error.to_string())?;
        self.last += 1;
        self.list.insert(self.last, machine);
        Ok(self.last)
    }

    /// Takes one out of the world.
    pub fn remove(&mut self, number: u32, world: &mut World) -> Result<(), String> {
        let machine = self.list.remove(&number).ok_or_else(|| unknown(number))?;
        self.drivers.remove(&number);
        for id in machine.bodies {
            world.remove_body(id);
        }
        Ok(())
    }

    /// Lets the tools of all carve particles, or push voxels.
    pub fn set_carve(&mut self, carves: bool, world: &mut World) {
        for machine in self.list.values_mut() {
            machine.set_carves(carves, world);
        }
    }

    /// Pushes levers of one.
    pub fn set_levers(
        &mut self,
        client: ClientId,
        number: u32,
        controls: &BTreeMap<String, f32>,
    ) -> Result<(), String> {
        self.list.get_mut(&number).ok_or_else(|| unknown(number))?.set_levers(controls)?;
        self.drivers.insert(number, client);
        Ok(())
    }

    /// Lets go of the levers that `client` pushed.
    pub fn release(&mut self, client: ClientId) {
        for (number, _) in self.drivers.extract_if(.., |_, driver| *driver == client) {
            if let Some(machine) = self.list.get_mut(&number) {
                machine.release();
            }
        }
    }

    /// Moves all of them for `dt_s` (s).
    pub fn drive(&mut self, world: &mut World, dt_s: f32) {
        for machine in self.list.values_mut() {
            machine.drive(world, dt_s);
        }
    }

    /// Every one with its number, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Machine)> {
        self.list.iter().map(|(number, machine)| (*number, machine))
    }

    /// What a body is part of, if it is part of a vehicle.
    pub fn kind_of(&self, body: BodyId) -> Option<MachineKind> {
        self.list.values().find(|machine| machine.bodies.contains(&body)).map(|machine| machine.kind)
    }
}

fn unknown(number: u32) -> String {
    format!("there is no machine {number}")
}
