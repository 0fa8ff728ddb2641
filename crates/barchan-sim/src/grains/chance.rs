//! Numbers as if drawn by lot, the same on every machine: a number and how many were drawn say all.

use glam::{DQuat, DVec3};

/// Draws numbers.
#[derive(Clone, Debug)]
pub struct Chance {
    seed: u64,
    drawn: u64,
}

impl Chance {
    /// Goes on after `drawn` numbers of `seed`.
    pub fn new(seed: u64, drawn: u64) -> Self {
        Self { seed, drawn }
    }

    /// How many numbers were drawn.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }

    /// From 0 up to 1.
    pub fn number(&mut self) -> f64 {
        self.drawn += 1;
        // SplitMix64 (Steele 2014).
        let mut z =
            self.seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ self.drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Three of them.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    /// A unit vector, all directions alike.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector() * 2.0 - DVec3::ONE;
            let squared = v.length_squared();
            if squared <= 1.0 && squared > 1e-4 {
                return v / squared.sqrt();
            }
        }
    }

    /// A turn, all alike.
    pub fn turn(&mut self) -> DQuat {
        loop {
            let v = self.vector() * 2.0 - DVec3::ONE;
            let w = self.number() * 2.0 - 1.0;
            let squared = v.length_squared() + w * w;
            if squared <= 1.0 && squared > 1e-4 {
                return DQuat::from_xyzw(v.x, v.y, v.z, w) * (1.0 / squared.sqrt());
            }
        }
    }

    /// One of several, each as often as its share says.
    pub fn pick(&mut self, mix: &[(u16, f64)]) -> u16 {
        let total: f64 = mix.iter().map(|(_, share)| share).sum();
        let mut left = self.number() * total;
        for &(form, share) in mix {
            left -= share;
            if left < 0.0 {
                return form;
            }
        }
        mix.last().map_or(0, |(form, _)| *form)
    }
}
