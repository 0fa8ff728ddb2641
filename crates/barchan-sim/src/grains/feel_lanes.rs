//! What balls feel of each other, sixteen balls at once: operation by operation what `feel` does for one.

use barchan_particles::lanes::{Simd, f32x16, i32x16, mask32x16, prelude::*, u32x16};
use barchan_particles::{BUNDLE, Bundle, gather};
use glam::Vec3;

use super::feel::Balls;
use super::law::Pair;
use super::press::TINY;
use super::workshop::{Felt, SpringRow};

type Lanes<S> = f32x16<S>;
type Vec3s<S> = [f32x16<S>; 3];

/// The numbers of sixteen pairs.
#[derive(Clone, Copy)]
struct Pairs<S: Simd> {
    stiffness: Lanes<S>,
    damping: Lanes<S>,
    sliding: Lanes<S>,
    lag: Lanes<S>,
    friction: Lanes<S>,
    adhesion: Lanes<S>,
    rolling: Lanes<S>,
    rolling_limit: Lanes<S>,
}

/// What the balls of a bundle feel; draws their springs.
#[inline(always)]
pub fn feel_bundle<S: Simd>(
    simd: S,
    balls: &Balls,
    bundle: &Bundle,
    slide: &mut [SpringRow],
    roll: &mut [SpringRow],
    felt: &mut [Felt; BUNDLE],
) {
    let rules = balls.rules;
    let zero = Lanes::splat(simd, 0.0);
    let own_at = gather(simd, balls.at, bundle.slots);
    let own_radius: Lanes<S> = own_at[3].bitcast();
    let own_velocity = gather(simd, balls.velocity, bundle.slots);
    let velocity: Vec3s<S> =
        [own_velocity[0].bitcast(), own_velocity[1].bitcast(), own_velocity[2].bitcast()];
    let own_kind = own_velocity[3];
    let spin: Vec3s<S> = {
        let words = gather(simd, balls.spin, bundle.slots);
        [words[0].bitcast(), words[1].bitcast(), words[2].bitcast()]
    };
    let one_kind = balls.kinds == 1;
    let same = Pairs::splat(simd, &balls.pairs[0]);
    let mut force = [zero; 3];
    let mut torque = [zero; 3];
    let (mut load_sum, mut contacts, mut deepest, mut overlap_sum) = (zero, zero, zero, zero);

    for (row, others) in bundle.rows.iter().enumerate() {
        let at = gather(simd, balls.at, others);
        let way = [
            apart(own_at[0], at[0], rules.part_m),
            apart(own_at[1], at[1], rules.part_m),
            apart(own_at[2], at[2], rules.part_m),
        ];
        let far = dot(way, way).sqrt();
        let radius: Lanes<S> = at[3].bitcast();
        let overlap = (own_radius + radius) - far;
        let touch = overlap.simd_gt(zero);
        if touch.to_bitmask() == 0 {
            slide[row] = [[0.0; BUNDLE]; 3];
            if rules.rolling {
                roll[row] = [[0.0; BUNDLE]; 3];
            }
            continue;
        }
        let other_words = gather(simd, balls.velocity, others);
        let other_velocity: Vec3s<S> =
            [other_words[0].bitcast(), other_words[1].bitcast(), other_words[2].bitcast()];
        let spin_words = gather(simd, balls.spin, others);
        let other_spin: Vec3s<S> =
            [spin_words[0].bitcast(), spin_words[1].bitcast(), spin_words[2].bitcast()];
        let pairs = if one_kind {
            same
        } else {
            let numbers = own_kind * balls.kinds as u32 + other_words[3];
            Pairs::gather(simd, balls.pairs, &numbers.to_array())
        };

        let normal = scaled(way, Lanes::splat(simd, 1.0) / far.max(Lanes::splat(simd, TINY)));
        let half = overlap * 0.5;
        let (arm, other_arm) = (own_radius - half, radius - half);
        let rim = sum(scaled(spin, arm), scaled(other_spin, other_arm));
        let meeting = difference(difference(velocity, other_velocity), cross(rim, normal));
        let spinning = difference(spin, other_spin);

        let parting = dot(meeting, normal);
        let sideways = difference(meeting, scaled(normal, parting));
        let q = if rules.hertz { overlap.sqrt() } else { Lanes::splat(simd, 1.0) };
        let load = (q * (pairs.stiffness * overlap - pairs.damping * parting)).max(zero);
        let limit = pairs.friction * load;
        let friction = if rules.viscous {
            let speed = dot(sideways, sideways).sqrt().max(Lanes::splat(simd, TINY));
            let held = (pairs.lag * speed).min(limit);
            slide[row] = [[0.0; BUNDLE]; 3];
            scaled(sideways, -(held / speed))
        } else {
            let (pull, spring) = draw(
                simd,
                load_row(simd, &slide[row]),
                normal,
                sideways,
                [q * pairs.sliding, limit, pairs.lag],
                rules.dt_s,
            );
            store_row(&mut slide[row], where_touching(touch, spring, zero));
            pull
        };
        let mut turning = [zero; 3];
        if rules.rolling {
            let rate = difference(spinning, scaled(normal, dot(spinning, normal)));
            let limit = pairs.rolling_limit * load;
            let lag = if rules.viscous { zero } else { pairs.lag };
            let (pull, spring) = draw(
                simd,
                load_row(simd, &roll[row]),
                normal,
                rate,
                [q * pairs.rolling, limit, lag],
                rules.dt_s,
            );
            store_row(&mut roll[row], where_touching(touch, spring, zero));
            turning = pull;
        }
        let push = sum(scaled(normal, load - pairs.adhesion * overlap), friction);
        let lever = difference(turning, scaled(cross(normal, push), arm));
        force = sum(force, where_touching(touch, push, zero));
        torque = sum(torque, where_touching(touch, lever, zero));
        load_sum += touch.select(load, zero);
        contacts += touch.select(Lanes::splat(simd, 1.0), zero);
        let touching = touch.select(overlap, zero);
        deepest = deepest.max(touching);
        overlap_sum += touching;
    }
    let force = [force[0].to_array(), force[1].to_array(), force[2].to_array()];
    let torque = [torque[0].to_array(), torque[1].to_array(), torque[2].to_array()];
    let (load, contacts) = (load_sum.to_array(), contacts.to_array());
    let (deepest, overlap_sum) = (deepest.to_array(), overlap_sum.to_array());
    for (lane, felt) in felt.iter_mut().enumerate() {
        *felt = Felt {
            force: Vec3::new(force[0][lane], force[1][lane], force[2][lane]),
            torque: Vec3::new(torque[0][lane], torque[1][lane], torque[2][lane]),
            load: load[lane],
            contacts: contacts[lane],
            deepest: deepest[lane],
            overlap: overlap_sum[lane],
        };
    }
}

/// The way between two coordinates in fine parts (m).
#[inline(always)]
fn apart<S: Simd>(own: u32x16<S>, other: u32x16<S>, part_m: f32) -> Lanes<S> {
    let parts: i32x16<S> = (own - other).bitcast();
    parts.to_float::<Lanes<S>>() * part_m
}

/// `v` in the lanes that touch, nothing in the others.
#[inline(always)]
fn where_touching<S: Simd>(touch: mask32x16<S>, v: Vec3s<S>, zero: Lanes<S>) -> Vec3s<S> {
    [touch.select(v[0], zero), touch.select(v[1], zero), touch.select(v[2], zero)]
}

/// Draws sixteen springs; says how they pull, and how far they are drawn now.
#[inline(always)]
fn draw<S: Simd>(
    simd: S,
    spring: Vec3s<S>,
    normal: Vec3s<S>,
    rate: Vec3s<S>,
    [stiffness, limit, lag]: [Lanes<S>; 3],
    dt_s: f32,
) -> (Vec3s<S>, Vec3s<S>) {
    let one = Lanes::splat(simd, 1.0);
    let along = dot(spring, normal);
    let drawn = sum(difference(spring, scaled(normal, along)), scaled(rate, Lanes::splat(simd, dt_s)));
    let ahead = sum(drawn, scaled(rate, lag));
    let pull = stiffness * dot(ahead, ahead).sqrt();
    let share = pull.simd_gt(limit).select(limit / pull, one);
    let kept = sum(scaled(drawn, share), scaled(rate, (share - one) * lag));
    (scaled(ahead, -(stiffness * share)), kept)
}

impl<S: Simd> Pairs<S> {
    #[inline(always)]
    fn splat(simd: S, pair: &Pair) -> Self {
        let lanes = |x: f32| Lanes::splat(simd, x);
        Self {
            stiffness: lanes(pair.stiffness),
            damping: lanes(pair.damping),
            sliding: lanes(pair.sliding),
            lag: lanes(pair.lag),
            friction: lanes(pair.friction),
            adhesion: lanes(pair.adhesion),
            rolling: lanes(pair.rolling),
            rolling_limit: lanes(pair.rolling_limit),
        }
    }

    /// The numbers of sixteen pairs; lanes without a neighbour get those of the first.
    #[inline(always)]
    fn gather(simd: S, pairs: &[Pair], numbers: &[u32; BUNDLE]) -> Self {
        let mut columns = [[0.0f32; BUNDLE]; 8];
        for (lane, &number) in numbers.iter().enumerate() {
            let pair = pairs.get(number as usize).unwrap_or(&pairs[0]);
            columns[0][lane] = pair.stiffness;
            columns[1][lane] = pair.damping;
            columns[2][lane] = pair.sliding;
            columns[3][lane] = pair.lag;
            columns[4][lane] = pair.friction;
            columns[5][lane] = pair.adhesion;
            columns[6][lane] = pair.rolling;
            columns[7][lane] = pair.rolling_limit;
        }
        let lanes = columns.map(|column| Lanes::load_array(simd, column));
        let [stiffness, damping, sliding, lag, friction, adhesion, rolling, rolling_limit] = lanes;
        Self { stiffness, damping, sliding, lag, friction, adhesion, rolling, rolling_limit }
    }
}

#[inline(always)]
fn load_row<S: Simd>(simd: S, row: &SpringRow) -> Vec3s<S> {
    [
        Lanes::load_array_ref(simd, &row[0]),
        Lanes::load_array_ref(simd, &row[1]),
        Lanes::load_array_ref(simd, &row[2]),
    ]
}

#[inline(always)]
fn store_row<S: Simd>(row: &mut SpringRow, spring: Vec3s<S>) {
    let [x, y, z] = spring;
    x.store_array(&mut row[0]);
    y.store_array(&mut row[1]);
    z.store_array(&mut row[2]);
}

#[inline(always)]
fn dot<S: Simd>(a: Vec3s<S>, b: Vec3s<S>) -> Lanes<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<S: Simd>(a: Vec3s<S>, b: Vec3s<S>) -> Vec3s<S> {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}

#[inline(always)]
fn sum<S: Simd>(a: Vec3s<S>, b: Vec3s<S>) -> Vec3s<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn difference<S: Simd>(a: Vec3s<S>, b: Vec3s<S>) -> Vec3s<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn scaled<S: Simd>(a: Vec3s<S>, by: Lanes<S>) -> Vec3s<S> {
    [a[0] * by, a[1] * by, a[2] * by]
}
