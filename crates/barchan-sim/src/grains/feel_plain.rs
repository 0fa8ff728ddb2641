//! What balls feel of each other, ball by ball: the reference for the vectors of `feel_lanes`.

use barchan_particles::Bundle;
use glam::Vec3;

use super::feel::Balls;
use super::press::{Meeting, Springs, TINY, press};
use super::workshop::{Felt, SpringRow};

/// What the ball of one lane of a bundle feels; draws its springs.
pub fn feel_one(
    balls: &Balls,
    bundle: &Bundle,
    lane: usize,
    slide: &mut [SpringRow],
    roll: &mut [SpringRow],
) -> Felt {
    let rules = balls.rules;
    let slot = bundle.slots[lane] as usize;
    let [own_at, own_velocity, own_spin] = [balls.at[slot], balls.velocity[slot], balls.spin[slot]];
    let (own_radius, own_kind) = (f32::from_bits(own_at[3]), own_velocity[3] as usize);
    let (mut felt, velocity, spin) = (Felt::default(), vector(own_velocity), vector(own_spin));
    for (row, others) in bundle.rows.iter().enumerate() {
        let other = others[lane] as usize;
        let [at, other_velocity, other_spin] = [balls.at[other], balls.velocity[other], balls.spin[other]];
        let apart = |axis: usize| own_at[axis].wrapping_sub(at[axis]) as i32 as f32 * rules.part_m;
        let way = Vec3::new(apart(0), apart(1), apart(2));
        let far = way.dot(way).sqrt();
        let radius = f32::from_bits(at[3]);
        let overlap = (own_radius + radius) - far;
        let mut springs = Springs::default();
        if overlap > 0.0 {
            let normal = way * (1.0 / far.max(TINY));
            let half = 0.5 * overlap;
            let (arm, other_arm) = (own_radius - half, radius - half);
            let (other_turn, other_speed) = (vector(other_spin), vector(other_velocity));
            let rim = spin * arm + other_turn * other_arm;
            let meeting = Meeting {
                normal,
                overlap,
                velocity: (velocity - other_speed) - rim.cross(normal),
                spin: spin - other_turn,
            };
            springs.slide = Vec3::new(slide[row][0][lane], slide[row][1][lane], slide[row][2][lane]);
            if rules.rolling {
                springs.roll = Vec3::new(roll[row][0][lane], roll[row][1][lane], roll[row][2][lane]);
            }
            let pair = &balls.pairs[own_kind * balls.kinds + other_velocity[3] as usize];
            let push = press(&meeting, pair, rules, &mut springs);
            felt.force += push.force;
            felt.torque += push.torque - normal.cross(push.force) * arm;
            felt.load += push.load;
            felt.contacts += 1.0;
            felt.deepest = felt.deepest.max(overlap);
            felt.overlap += overlap;
        }
        for axis in 0..3 {
            slide[row][axis][lane] = springs.slide[axis];
            if rules.rolling {
                roll[row][axis][lane] = springs.roll[axis];
            }
        }
    }
    felt
}

#[inline(always)]
fn vector(record: [u32; 4]) -> Vec3 {
    Vec3::new(f32::from_bits(record[0]), f32::from_bits(record[1]), f32::from_bits(record[2]))
}
