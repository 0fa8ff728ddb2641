use super::*;
use std::time::Instant;
#[test]
fn bench_tmp() {
    for (ground, label) in [("dry_sand", "sand"), ("granite", "rock")] {
        let mut yard = Yard::flat(ground);
        let mut ids = vec![];
        for i in 0..20 {
            let at = Vec3::new(0.8 * (i % 5) as f32 - 1.6, 0.8 * (i / 5) as f32 - 1.2, 0.5);
            let t = Quat::from_rotation_x(0.2 * i as f32);
            ids.push(yard.add(block(Vec3::splat(0.25), 2000.0, Pose::new(at, t))));
        }
        let mut worst: f64 = 0.0;
        let mut sum = 0.0;
        let mut late = 0.0;
        let mut n = 0;
        for i in 0..200 {
            for id in &ids {
                yard.keep_awake(*id);
            }
            let (ground, materials) = (yard.world.ground(), yard.world.materials());
            let t = Instant::now();
            let r =
                yard.bearing.step(DT_S, ground, materials, &yard.body_fill, yard.gravity, &mut yard.bodies);
            let e = t.elapsed().as_secs_f64() * 1e3;
            if !r.loads.is_empty() {
                worst = worst.max(e);
                sum += e;
                n += 1;
            }
            if i > 150 {
                late += e / 49.0;
            }
            yard.bodies.step(DT_S, yard.gravity, yard.time_s, None);
            yard.time_s += DT_S;
            yard.follow_bodies();
        }
        println!("BENCH {label}: mean {} worst {worst} at rest {late} ms, contacts", sum / n as f64);
    }
}
