//! What a client believes of particles against what they do.

use std::sync::Arc;
use std::time::{Duration, Instant};

use barchan_sim::{MaterialId, ParticleId, SeenParticle, SeenParticles};
use glam::Vec3;

use super::ParticleOutbox;
use crate::client::Decoder;
use crate::frame::deflate::Deflater;
use crate::frame::writer::Writer;

const RADIUS_M: f32 = 0.05;

/// A particle that circles in a tank of its own, fast and near others.
fn particle(id: u32, time_s: f32) -> SeenParticle {
    let [a, b, c] = [id % 47, id / 47 % 47, id / 2209].map(|n| n as f32 * 2.0 * RADIUS_M);
    let turn = time_s * (1.0 + (id % 7) as f32) + id as f32;
    let (sin, cos) = turn.sin_cos();
    let speed = 0.3 * (1.0 + (id % 7) as f32);
    SeenParticle {
        id: ParticleId(id),
        part: 0,
        centre_m: Vec3::new(a + 0.3 * cos, b + 0.3 * sin, c),
        radius_m: RADIUS_M,
        velocity_m_s: Vec3::new(-sin, cos, 0.0) * speed,
        kind: MaterialId((id % 3) as u8),
        sediment: 0.25,
        contacts: 0,
        force_n: 0.0,
    }
}

fn at_rest(id: u32) -> SeenParticle {
    SeenParticle { velocity_m_s: Vec3::ZERO, ..particle(id, 0.0) }
}

/// A server and a client that hears every word.
struct Wire {
    outbox: ParticleOutbox,
    decoder: Decoder,
    deflater: Deflater,
    now: Instant,
}

impl Wire {
    fn new() -> Self {
        let (outbox, decoder) = (ParticleOutbox::default(), Decoder::default());
        Self { outbox, decoder, deflater: Deflater::default(), now: Instant::now() }
    }

    /// Sends a frame so long after the one before; returns how many bytes of it were particles.
    fn send(&mut self, particles: &Arc<SeenParticles>, time_s: f64, after: Duration) -> usize {
        self.now += after;
        let eye_m = Some(Vec3::new(2.0, -8.0, 6.0));
        let sections = self.outbox.sections(particles, time_s, eye_m, self.now, &mut self.deflater);
        let mut frame = Writer::default();
        frame.u8(1);
        frame.u8(crate::frame::VERSION as u8);
        frame.bytes.resize(16, 0);
        frame.f64(time_s);
        frame.u64(0);
        for (encoding, bytes) in &sections {
            frame.section_as(8, *encoding, bytes);
        }
        self.decoder.read(&frame.bytes).expect("a frame");
        sections.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Sends until all is told.
    fn send_all(&mut self, particles: &Arc<SeenParticles>, time_s: f64) {
        for _ in 0..100 {
            self.send(particles, time_s, Duration::from_secs(1));
            if !self.outbox.lacks(particles) {
                return;
            }
        }
        panic!("it never ends");
    }

    /// Where the client shows them (m).
    fn shown(&self, form: usize) -> Vec<[f32; 3]> {
        self.decoder.particles()[form].shown().iter().map(|shown| shown.centre_m).collect()
    }
}

fn water(particles: impl Iterator<Item = SeenParticle>) -> Arc<SeenParticles> {
    Arc::new(SeenParticles { water: particles.collect(), grains: Vec::new() })
}

/// How far the nearest shown place is from each true one (m): the mean and the largest.
fn astray(wire: &Wire, particles: &[SeenParticle]) -> (f32, f32) {
    let shown = wire.shown(0);
    assert_eq!(shown.len(), particles.len());
    let off = |particle: &SeenParticle| {
        let away = |place: &[f32; 3]| Vec3::from_array(*place).distance(particle.centre_m);
        shown.iter().map(away).fold(f32::MAX, f32::min)
    };
    let all: Vec<f32> = particles.iter().map(off).collect();
    (all.iter().sum::<f32>() / all.len() as f32, all.iter().copied().fold(0.0, f32::max))
}

#[test]
fn what_is_told_is_where_it_is_and_silence_says_that_it_stays_so() {
    let mut wire = Wire::new();
    let resting = water((0..500).map(at_rest));
    wire.send_all(&resting, 0.0);
    assert!(astray(&wire, &resting.water).1 < RADIUS_M / 8.0);
    let shown = wire.decoder.particles()[0].shown();
    assert!(shown.iter().all(|one| (one.radius_m / RADIUS_M - 1.0).abs() < 0.03 && one.sediment == 128));
    let again = water((0..500).map(at_rest));
    assert!(wire.outbox.lacks(&again));
    assert_eq!(wire.send(&again, 9.0, Duration::from_millis(50)), 0, "nothing moved");
    assert!(!wire.outbox.lacks(&again));
    // One of them goes its way at an even speed: it is told once.
    let gone_off = |time_s: f32| {
        let runner = SeenParticle { velocity_m_s: Vec3::X, ..at_rest(7) };
        let centre_m = runner.centre_m + Vec3::X * (time_s - 9.0);
        water(
            (0..500)
                .map(at_rest)
                .map(move |p| if p.id.0 == 7 { SeenParticle { centre_m, ..runner } } else { p }),
        )
    };
    let told = (1..=20).filter(|n| {
        wire.send(&gone_off(9.0 + 0.05 * *n as f32), 9.0 + 0.05 * f64::from(*n), Duration::from_millis(50))
            > 0
    });
    assert!(told.count() <= 2);
    assert!(astray(&wire, &gone_off(10.0).water).1 < RADIUS_M / 2.0);
}

#[test]
fn a_hundred_thousand_that_move_fit_the_wire() {
    let mut wire = Wire::new();
    let list = |time_s: f32| water((0..100_000).map(|id| particle(id, time_s)));
    wire.send_all(&list(0.0), 0.0);
    // Ten seconds, thirty frames in each; what was saved up is gone after the first.
    let (mut bytes, mut off) = (0, 0.0);
    for frame in 1..=120 {
        let time_s = frame as f32 / 30.0;
        let list = list(time_s);
        let sent = wire.send(&list, f64::from(time_s), Duration::from_secs_f64(1.0 / 30.0));
        if frame > 30 {
            bytes += sent;
        }
        if frame == 120 {
            // Every 97th by hand: all against all would take long.
            let shown = wire.shown(0);
            let some: Vec<_> = list.water.iter().step_by(997).collect();
            off = some
                .iter()
                .map(|p| {
                    shown.iter().map(|s| Vec3::from_array(*s).distance(p.centre_m)).fold(f32::MAX, f32::min)
                })
                .sum::<f32>()
                / some.len() as f32;
        }
    }
    let per_second = bytes as f64 / 3.0;
    assert!(per_second < 1.5e6, "{per_second} bytes a second");
    assert!(off < RADIUS_M, "they are {off} m astray");
}

#[test]
fn numbers_of_those_that_are_gone_are_given_again() {
    let mut wire = Wire::new();
    let both = Arc::new(SeenParticles {
        water: (0..300).map(at_rest).collect(),
        grains: (0..40).map(at_rest).collect(),
    });
    wire.send_all(&both, 0.0);
    assert_eq!([0, 1].map(|form| wire.shown(form).len()), [300, 40]);
    let fewer = Arc::new(SeenParticles {
        water: (100..250).map(at_rest).collect(),
        grains: (0..40).chain(900..910).map(at_rest).collect(),
    });
    wire.send_all(&fewer, 1.0);
    assert_eq!([0, 1].map(|form| wire.shown(form).len()), [150, 50]);
    assert!(astray(&wire, &fewer.water).1 < RADIUS_M / 8.0);
    // Another time of the world: the same names may mean others.
    wire.outbox.forget();
    let other = water(
        (0..20)
            .map(|id| particle(id + 500, 3.0))
            .enumerate()
            .map(|(id, p)| SeenParticle { id: ParticleId(id as u32), ..p }),
    );
    wire.send_all(&other, 0.5);
    assert_eq!([0, 1].map(|form| wire.shown(form).len()), [20, 0]);
    // Much finer ones come: places are told in finer steps.
    let fine = water((0..50).map(|id| SeenParticle { radius_m: 0.002, ..at_rest(id) }));
    wire.send_all(&fine, 0.6);
    assert!(astray(&wire, &fine.water).1 < 0.002 / 8.0);
}

#[test]
fn one_that_jumps_or_is_no_number_does_no_harm() {
    let mut wire = Wire::new();
    wire.send_all(&water((0..10).map(at_rest)), 0.0);
    let jumped =
        water((0..10).map(|id| SeenParticle { centre_m: Vec3::splat(id as f32 * 2000.0), ..at_rest(id) }));
    wire.send_all(&jumped, 0.1);
    assert!(astray(&wire, &jumped.water).1 < RADIUS_M);
    let broken =
        water((0..10).map(|id| SeenParticle { centre_m: Vec3::NAN, radius_m: f32::NAN, ..at_rest(id) }));
    wire.send(&broken, f64::NAN, Duration::ZERO);
}
