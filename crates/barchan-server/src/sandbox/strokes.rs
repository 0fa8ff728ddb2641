//! Strokes: what a tool does to the ground in every step while a hand holds it down.

use barchan_sim::bodies::{BodyId, BodySpec, Key, Motion, Track};
use barchan_sim::material::Phase;
use barchan_sim::{Edit, MaterialId, World};
use barchan_volume::{Pose, Region, Shape, Solid};
use glam::{Vec2, Vec3};

use super::ground_under;
use crate::command::Tool;
use crate::shown::Hand;

/// Most places between two points of a stroke at which a tool acts: faster hands leave gaps.
const MOST_HOPS: usize = 16;
/// Fastest ball of a push stroke (m/s).
const BALL_SPEED_M_S: f32 = 8.0;
/// Turn between two drops that spreads them evenly over a disc (rad).
const GOLDEN_ANGLE: f32 = 2.399_963;
/// Drops that are poured in one step.
const DROPS: u32 = 3;

/// A hand that holds a tool down.
#[derive(Clone, Debug)]
pub struct Stroke {
    /// What it does.
    pub tool: Tool,
    /// What is poured.
    pub material: MaterialId,
    /// Radius of the ring (m).
    pub radius_m: f32,
    /// How strongly it acts (0 to 1).
    pub strength: f32,
    /// The ball of a push stroke.
    pub ball: Option<BodyId>,
    /// Where the tool has acted up to (m).
    reached_m: Vec3,
    /// Where the hand is (m).
    point_m: Vec3,
    /// Drops poured so far.
    drops: u32,
}

impl Stroke {
    /// A stroke that begins at `point_m` (m).
    pub fn begin(
        tool: Tool,
        material: MaterialId,
        point_m: Vec3,
        radius_m: f32,
        strength: f32,
        world: &mut World,
    ) -> Result<Self, String> {
        let mut stroke =
            Self { tool, material, radius_m, strength, ball: None, reached_m: point_m, point_m, drops: 0 };
        if tool == Tool::Push {
            let key = Key { time_s: world.clock().time_s, pose: Pose::at(stroke.ball_centre(point_m)) };
            let track = Track { keys: vec![key], repeat: false };
            let shape = Shape::Ball { radius: radius_m };
            let spec = BodySpec::new("push ball", shape, key.pose, Motion::Scripted(track));
            stroke.ball = Some(world.add_body(spec).map_err(|error| error.to_string())?);
        }
        Ok(stroke)
    }

    /// Leads the hand to `point_m` (m).
    pub fn lead(&mut self, point_m: Vec3, radius_m: Option<f32>) {
        self.point_m = point_m;
        self.radius_m = radius_m.unwrap_or(self.radius_m);
    }

    /// Acts for `dt_s` (s) on the way from the last point to where the hand is now.
    pub fn act(&mut self, world: &mut World, dt_s: f32) -> Result<(), String> {
        if let Some(ball) = self.ball {
            return self.roll(ball, world, dt_s);
        }
        let (from, to) = (self.reached_m, self.point_m);
        let length = from.distance(to);
        let hops = ((length / (0.5 * self.radius_m)).ceil() as usize).clamp(1, MOST_HOPS);
        for hop in 1..=hops {
            let point = from.lerp(to, hop as f32 / hops as f32);
            let (share_s, way_m) = (dt_s / hops as f32, length / hops as f32);
            match self.tool {
                Tool::Pour => self.pour(point, world, share_s)?,
                Tool::Dig => self.dig(point, way_m, world, share_s)?,
                Tool::Smooth => {
                    let point = self.settle(point, world);
                    world.smooth(point, self.radius_m, 1.0 - (-12.0 * self.strength * share_s).exp());
                }
                Tool::Push => {}
            }
        }
        self.reached_m = to;
        Ok(())
    }

    /// Where it is at work.
    pub fn hand(&self) -> Hand {
        Hand { point_m: self.point_m, reach_m: self.radius_m }
    }

    /// Takes the tool out of the world.
    pub fn end(self, world: &mut World) {
        if let Some(ball) = self.ball {
            world.remove_body(ball);
        }
    }

    /// The ground below `point`, as it is now: the hand may have aimed at what is no longer there.
    fn settle(&self, point: Vec3, world: &World) -> Vec3 {
        let from = point + Vec3::Z * self.radius_m;
        ground_under(world, from).map_or(point, |height| point.with_z(height))
    }

    /// A bowl that sinks while the hand stays, and bites deeper the further it moves.
    fn dig(&self, point: Vec3, way_m: f32, world: &mut World, dt_s: f32) -> Result<(), String> {
        let sinks = (0.3 + 2.4 * self.strength) * dt_s;
        let bite = (sinks + 0.5 * self.strength * way_m).min(0.5 * self.radius_m);
        let centre = self.settle(point, world) + Vec3::Z * (self.radius_m - bite);
        let region = ball(centre, self.radius_m);
        world.edit(&Edit::Remove { region }).map(drop).map_err(|error| error.to_string())
    }

    /// Drops that fall into the ring, more of them in its middle. Rock, which does not fall, grows from the ground.
    fn pour(&mut self, point: Vec3, world: &mut World, dt_s: f32) -> Result<(), String> {
        let rate_m3_s = 3.0 * self.strength * self.radius_m * self.radius_m;
        let volume = rate_m3_s * dt_s / DROPS as f32;
        let falls = world.materials().get(self.material).is_some_and(|m| m.phase == Phase::Soil);
        let radius = (volume * 0.75 / std::f32::consts::PI).cbrt();
        let lift = if falls { radius + world.ground().voxel_size_m() } else { 0.0 };
        for _ in 0..DROPS {
            self.drops = self.drops.wrapping_add(1);
            let share = (self.drops % 97) as f32 / 97.0;
            let turn = Vec2::from_angle(GOLDEN_ANGLE * (self.drops % 1024) as f32);
            let aside = turn * (share * (self.radius_m - radius).max(0.0));
            let centre = self.settle(point + aside.extend(0.0), world) + Vec3::Z * lift;
            let edit = Edit::Place { region: ball(centre, radius), material: self.material, moisture: 0.0 };
            world.edit(&edit).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Leads the ball towards the hand.
    fn roll(&mut self, id: BodyId, world: &mut World, dt_s: f32) -> Result<(), String> {
        let Some(now) = world.bodies().get(id).map(|body| body.pose) else { return Ok(()) };
        let way = (self.ball_centre(self.point_m) - now.translation).clamp_length_max(BALL_SPEED_M_S * dt_s);
        let time_s = world.clock().time_s;
        let keys = vec![
            Key { time_s, pose: now },
            Key { time_s: time_s + f64::from(dt_s), pose: Pose::at(now.translation + way) },
        ];
        world.set_track(id, Track { keys, repeat: false }).map_err(|error| error.to_string())
    }

    fn ball_centre(&self, point_m: Vec3) -> Vec3 {
        point_m + Vec3::Z * (0.5 * self.radius_m)
    }
}

fn ball(centre: Vec3, radius: f32) -> Region {
    Region::Solid(Solid { shape: Shape::Ball { radius }, pose: Pose::at(centre) })
}
