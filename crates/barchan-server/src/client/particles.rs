//! Particles as a client believes them to be: section 8 of a frame, taken in after those before it.

use super::decode::{Bytes, FrameError};

/// Bytes that tell how a particle looks: size, kind, sediment, contacts, force.
const LOOKS: usize = 5;
/// Most particles of one form that a client takes in.
const MOST: u32 = 1 << 24;

/// The particles of one form.
#[derive(Clone, Debug, Default)]
pub struct HeardParticles {
    quantum_m: f32,
    tick: u32,
    all: Vec<Option<Heard>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Heard {
    place: [i32; 3],
    velocity: [i16; 3],
    look: [u8; LOOKS],
    tick: u32,
}

/// One particle as it would be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownParticle {
    /// Its centre (m).
    pub centre_m: [f32; 3],
    /// Its velocity (m/s).
    pub velocity_m_s: [f32; 3],
    /// Its radius (m).
    pub radius_m: f32,
    /// Number of its material.
    pub kind: u8,
    /// Root of the share of sediment, 0 to 255.
    pub sediment: u8,
}

impl HeardParticles {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// Time has come to a moment (s).
    pub(super) fn lead_on(&mut self, time_s: f64) {
        self.tick = (time_s * 256.0) as u64 as u32;
    }

    /// All of them where they are by now.
    pub fn shown(&self) -> Vec<ShownParticle> {
        let here = self.all.iter().flatten();
        here.map(|heard| ShownParticle {
            centre_m: heard.led_on(self.tick).map(|x| x as f32 * self.quantum_m),
            velocity_m_s: heard.velocity.map(|v| f32::from(v) * 4.0 * self.quantum_m),
            radius_m: (f32::from(heard.look[0]) / 16.0).exp2() * self.quantum_m,
            kind: heard.look[1],
            sediment: heard.look[2],
        })
        .collect()
    }

    /// Takes in news of which the form was read already.
    pub(super) fn read(&mut self, bytes: &mut Bytes<'_>) -> Result<(), FrameError> {
        if bytes.u8()? & 1 != 0 {
            self.clear();
        }
        bytes.take(2)?;
        self.quantum_m = bytes.f32()?;
        let numbers = bytes.u32()?;
        if numbers > MOST {
            return Err(FrameError("it has too many particles"));
        }
        self.all.resize(numbers as usize, None);
        let [gone, new, changed] = [bytes.u32()? as usize, bytes.u32()? as usize, bytes.u32()? as usize];
        for number in sums(&bytes.numbers::<4>(gone)?) {
            *self.at(number)? = None;
        }
        self.read_new(new, bytes)?;
        self.read_changed(changed, bytes)
    }

    fn read_new(&mut self, count: usize, bytes: &mut Bytes<'_>) -> Result<(), FrameError> {
        let numbers = sums(&bytes.numbers::<4>(count)?);
        let mut places = [Vec::new(), Vec::new(), Vec::new()];
        for axis in &mut places {
            *axis = sums(&unzigzag(&bytes.numbers::<4>(count)?));
        }
        let velocities = [(); 3].map(|()| bytes.numbers::<2>(count));
        let velocities = velocities.into_iter().collect::<Result<Vec<_>, _>>()?;
        let looks = [(); LOOKS].map(|()| bytes.take(count));
        let looks = looks.into_iter().collect::<Result<Vec<_>, _>>()?;
        for (at, number) in numbers.into_iter().enumerate() {
            let tick = self.tick;
            *self.at(number)? = Some(Heard {
                place: [0, 1, 2].map(|axis| places[axis][at] as i32),
                velocity: [0, 1, 2].map(|axis| unzigzag(&velocities[axis][at..=at])[0] as i16),
                look: std::array::from_fn(|look| looks[look][at]),
                tick,
            });
        }
        Ok(())
    }

    fn read_changed(&mut self, count: usize, bytes: &mut Bytes<'_>) -> Result<(), FrameError> {
        let numbers = sums(&bytes.numbers::<2>(count)?);
        let offsets = [(); 6].map(|()| bytes.numbers::<2>(count));
        let offsets = offsets.into_iter().collect::<Result<Vec<_>, _>>()?;
        let offsets: Vec<Vec<u32>> = offsets.iter().map(|plane| unzigzag(plane)).collect();
        let looks = [(); LOOKS].map(|()| bytes.take(count));
        let looks = looks.into_iter().collect::<Result<Vec<_>, _>>()?;
        for (at, number) in numbers.into_iter().enumerate() {
            let tick = self.tick;
            let heard = self.at(number)?.as_mut();
            let heard = heard.ok_or(FrameError("a particle that changed is not there"))?;
            let place = heard.led_on(tick);
            heard.place = [0, 1, 2].map(|axis| place[axis].wrapping_add(offsets[axis][at] as i32));
            for axis in 0..3 {
                heard.velocity[axis] = heard.velocity[axis].wrapping_add(offsets[3 + axis][at] as i16);
            }
            for (look, plane) in heard.look.iter_mut().zip(&looks) {
                *look = look.wrapping_add(plane[at]);
            }
            heard.tick = tick;
        }
        Ok(())
    }

    fn at(&mut self, number: u32) -> Result<&mut Option<Heard>, FrameError> {
        self.all.get_mut(number as usize).ok_or(FrameError("a particle has a number that is too large"))
    }
}

impl Heard {
    fn led_on(&self, tick: u32) -> [i32; 3] {
        let ticks = i64::from(tick.wrapping_sub(self.tick) as i32);
        let way = |axis: usize| ((i64::from(self.velocity[axis]) * ticks) >> 6) as i32;
        [0, 1, 2].map(|axis| self.place[axis].wrapping_add(way(axis)))
    }
}

fn sums(differences: &[u32]) -> Vec<u32> {
    let add = |sum: &mut u32, difference: &u32| {
        *sum = sum.wrapping_add(*difference);
        Some(*sum)
    };
    differences.iter().scan(0, add).collect()
}

fn unzigzag(numbers: &[u32]) -> Vec<u32> {
    numbers.iter().map(|z| (z >> 1) ^ (z & 1).wrapping_neg()).collect()
}
