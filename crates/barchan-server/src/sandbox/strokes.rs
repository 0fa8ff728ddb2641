//! Strokes: what a tool does to the ground in every step while a hand holds it down.

use barchan_sim::bodies::{BodyId, BodySpec, Key, Motion, Track};
use barchan_sim::grains::Fill;
use barchan_sim::material::Phase;
use barchan_sim::water::Source;
use barchan_sim::{Edit, MaterialId, World};
use barchan_volume::{Pose, Region, Shape, Solid};
use glam::{DVec3, Vec2, Vec3};

use super::ground_under;
use super::particles::{forms_of, make_ready_for_water, replace_source};
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

/// How far above the ground water and grains of a stroke begin (m), and how fast they fall there (m/s).
const FALL_FROM_M: f32 = 0.6;
const FALLING_M_S: f32 = 1.5;
/// Water over the whole ring with the greatest strength (m/s), and how much of a second of it grains take.
const RAINING_M_S: f32 = 0.12;
/// Most grains that come in one step.
const MOST_GRAINS: usize = 60;

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
    /// The box that water comes from, as the world has it.
    source: Option<Source>,
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
        let mut stroke = Self {
            tool,
            material,
            radius_m,
            strength,
            ball: None,
            source: None,
            reached_m: point_m,
            point_m,
            drops: 0,
        };
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
        match self.tool {
            Tool::Rain => return self.rain(world),
            Tool::Grains => return self.pour_grains(world, dt_s),
            _ => {}
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
                Tool::Push | Tool::Rain | Tool::Grains => {}
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
        self.withdraw(world);
    }

    /// Takes out of the world what stands for the tool in it.
    pub fn withdraw(&self, world: &mut World) {
        if let Some(ball) = self.ball {
            world.remove_body(ball);
        }
        if self.source.is_some() {
            // To take away what was there cannot be refused.
            let _ = replace_source(world, self.source.as_ref(), None);
        }
    }

    /// A shower that follows the hand.
    fn rain(&mut self, world: &mut World) -> Result<(), String> {
        make_ready_for_water(world)?;
        let centre = self.settle(self.point_m, world) + Vec3::Z * FALL_FROM_M;
        let wide = (1.6 * self.radius_m).max(world.water().params().spacing_m);
        let size = Vec3::new(wide, wide, 2.0 * world.water().params().spacing_m);
        let rate_m3_s = RAINING_M_S * self.strength * wide * wide;
        let source = Source::new(centre, size, Vec3::NEG_Z * FALLING_M_S, rate_m3_s);
        replace_source(world, self.source.as_ref(), Some(&source))?;
        self.source = Some(source);
        Ok(())
    }

    /// Grains that fall into the ring, as many as find room above it.
    fn pour_grains(&mut self, world: &mut World, dt_s: f32) -> Result<(), String> {
        let mix = forms_of(world, self.material)?;
        let widest = mix.iter().map(|(form, _)| world.grains().forms()[usize::from(*form)].reach_m);
        let across_m = 2.0 * widest.fold(0.0, f64::max);
        self.drops = self.drops.wrapping_add(1);
        // One layer at a time: the next begins when this one has fallen out of its way.
        let layer_s = across_m / f64::from(FALLING_M_S);
        if f64::from(self.drops) * f64::from(dt_s) % layer_s >= f64::from(dt_s) {
            return Ok(());
        }
        let middle = (self.settle(self.point_m, world) + Vec3::Z * FALL_FROM_M).as_dvec3();
        let half = f64::from(self.radius_m * 0.8).max(0.5 * across_m);
        let reach = DVec3::new(half, half, 0.5 * across_m);
        let fill = Fill {
            mix,
            low_m: middle - reach,
            high_m: middle + reach,
            pitch_m: None,
            jitter: 0.8,
            count: ((MOST_GRAINS as f32 * self.strength) as usize).max(1),
            turned: true,
            velocity_m_s: DVec3::NEG_Z * f64::from(FALLING_M_S),
            seed: u64::from(self.drops),
        };
        world.fill_with_grains(&fill).map(drop).map_err(|error| error.to_string())
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
