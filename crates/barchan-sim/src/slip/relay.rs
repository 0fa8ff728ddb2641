//! Sweeping the sections of a net: each in its order, by as many threads as there are.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::motion::Span;
use super::seam::Crossing;
use super::section::Section;

/// What all sections of a net need to know to be swept.
pub(super) struct Course<'a> {
    /// Square of the speed (m²/s²) for each 1/32,768 voxel that drives with all of its weight.
    pub speed_per_height: f32,
    pub span: Span,
    pub crossings: &'a [Crossing],
}

/// A sweep over the piles of a section, from the lowest up or down again.
#[derive(Clone, Copy)]
pub(super) enum Sweep {
    /// Up: how much of each pile moves, and what drives it.
    Drive,
    /// Down: what each pile is to give in a pass; in the first also how fast it is.
    Give { pass: u32 },
    /// Up: what each pile takes of that.
    Take { pass: u32 },
}

impl Sweep {
    /// The sweeps of a round, counted from 1.
    ///
    /// A pile falls and rises in a pass by no more than its share of what the steepest of its pairs has too much: it gives
    /// no more than it takes and that, and takes no more than it gives and that. So no pair is brought beyond its failure
    /// angle, nothing rings, and what a slope carries passes the bumps on it.
    fn of(number: u32) -> Self {
        match number {
            1 => Self::Drive,
            _ if number.is_multiple_of(2) => Self::Give { pass: number / 2 - 1 },
            _ => Self::Take { pass: number / 2 - 1 },
        }
    }
}

/// A section of a net on its course.
struct Runner<'a> {
    section: &'a mut Section,
    /// The sweep that it is in.
    sweep: u32,
    /// How many stops of it are behind, and up to where piles are swept.
    stops: usize,
    reached: usize,
    /// True when something is to go in this pass.
    moves: bool,
    is_done: bool,
}

impl<'a> Runner<'a> {
    fn new(section: &'a mut Section) -> Self {
        Self { section, sweep: 1, stops: 0, reached: 0, moves: false, is_done: false }
    }

    /// Goes on until it has to wait for another section, or is done.
    fn run(&mut self, course: &Course<'_>) {
        while !self.is_done {
            let sweep = Sweep::of(self.sweep);
            let goes_up = !matches!(sweep, Sweep::Give { .. });
            let count = self.section.stops.len();
            while self.stops < count {
                let stop = self.section.stops[if goes_up { self.stops } else { count - 1 - self.stops }];
                let place = stop.place as usize;
                match stop.ghost {
                    Some(ghost) if goes_up => {
                        self.sweep_to(sweep, place, course);
                        let Some(told) = course.crossings[stop.crossing as usize].up.read(self.sweep) else {
                            return;
                        };
                        self.section.note_stand(ghost as usize, sweep, told);
                    }
                    None if goes_up => {
                        self.sweep_to(sweep, place + 1, course);
                        let told = self.section.tell_stand(place, sweep);
                        course.crossings[stop.crossing as usize].up.post(self.sweep, told);
                    }
                    Some(ghost) => {
                        self.sweep_to(sweep, place, course);
                        let told = self.section.tell_arrival(ghost as usize);
                        course.crossings[stop.crossing as usize].down.post(self.sweep, told);
                    }
                    None => {
                        self.sweep_to(sweep, place + 1, course);
                        let Some(told) = course.crossings[stop.crossing as usize].down.read(self.sweep)
                        else {
                            return;
                        };
                        self.section.note_arrival(place, told);
                    }
                }
                self.stops += 1;
            }
            self.sweep_to(sweep, if goes_up { self.section.len() } else { 0 }, course);
            let is_last = match sweep {
                Sweep::Drive => false,
                // Others may have something to give.
                Sweep::Give { .. } => !self.moves && course.crossings.is_empty(),
                Sweep::Take { pass } => pass + 1 == course.span.passes,
            };
            self.is_done = is_last;
            (self.sweep, self.stops, self.moves) = (self.sweep + 1, 0, false);
        }
    }

    /// Sweeps the piles up to `place`, or down to it.
    fn sweep_to(&mut self, sweep: Sweep, place: usize, course: &Course<'_>) {
        match sweep {
            Sweep::Drive => self.section.find_drives(self.reached..place),
            Sweep::Give { pass } => self.moves |= self.section.give(place..self.reached, pass, course),
            // Nobody asks what could go after the last pass.
            Sweep::Take { pass } => self.section.take(self.reached..place, pass + 1 < course.span.passes),
        }
        self.reached = place;
    }
}

/// The sections of a net on their course, and whoever helps them along.
pub(super) struct Relay<'a> {
    runners: Vec<Mutex<Runner<'a>>>,
    course: Course<'a>,
    /// How many sections are not done yet.
    left: AtomicUsize,
    /// How many threads help.
    helpers: AtomicUsize,
}

/// Looks at a section that waits before the thread lets others have its core.
const LOOKS: u32 = 4096;

impl<'a> Relay<'a> {
    pub fn new(sections: &'a mut [Section], course: Course<'a>) -> Self {
        let left = AtomicUsize::new(sections.len());
        let runners = sections.iter_mut().map(|section| Mutex::new(Runner::new(section))).collect();
        Self { runners, course, left, helpers: AtomicUsize::new(0) }
    }

    /// Helps until all sections are done. One thread alone can do it: the section whose next pile is the lowest of all, or the
    /// highest on the way down, never waits.
    pub fn help(&self) {
        let mut at = self.helpers.fetch_add(1, Ordering::Relaxed) % self.runners.len();
        let mut looks = 0;
        while self.left.load(Ordering::Acquire) > 0 {
            let mut waits = false;
            if let Ok(mut runner) = self.runners[at].try_lock()
                && !runner.is_done
            {
                runner.run(&self.course);
                waits = !runner.is_done;
                if runner.is_done {
                    self.left.fetch_sub(1, Ordering::Release);
                }
            }
            // Where each section has a thread, it has not long to wait.
            let has_thread_each = self.helpers.load(Ordering::Relaxed) >= self.left.load(Ordering::Relaxed);
            if !(waits && has_thread_each) {
                at = (at + 1) % self.runners.len();
            }
            looks += 1;
            if looks % LOOKS == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}
