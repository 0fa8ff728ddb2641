//! Sweeping the sections of a net: each in its order, by as many threads as there are.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, TryLockError};

use rayon::prelude::*;

use super::motion::Span;
use super::seam::{Crossing, Stop};
use super::section::Section;
use crate::in_parts::InParts;

/// What all sections of a net need to know to be swept.
pub(super) struct Course<'a> {
    /// Square of the speed (m²/s²) for each 1/32,768 voxel that drives with all of its weight.
    pub speed_per_height: f32,
    pub span: Span,
    pub crossings: &'a [Crossing],
    /// Where it is told what goes by each flow (bits of a number, 1/32,768 voxel).
    pub heights: &'a [AtomicU32],
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

    fn goes_up(self) -> bool {
        !matches!(self, Self::Give { .. })
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
            let count = self.section.stops.len();
            while self.stops < count {
                let next = if sweep.goes_up() { self.stops } else { count - 1 - self.stops };
                if !self.pass(self.section.stops[next], sweep, course) {
                    return;
                }
                self.stops += 1;
            }
            self.sweep_to(sweep, if sweep.goes_up() { self.section.len() } else { 0 }, course);
            self.is_done = match sweep {
                Sweep::Drive => false,
                // Others may have something to give.
                Sweep::Give { .. } => !self.moves && course.crossings.is_empty(),
                Sweep::Take { pass } => pass + 1 == course.span.passes,
            };
            (self.sweep, self.stops, self.moves) = (self.sweep + 1, 0, false);
        }
        self.section.tell_heights(course.heights);
    }

    /// Sweeps up to a stop and hands on or takes what there is; false when it has to wait for that.
    fn pass(&mut self, stop: Stop, sweep: Sweep, course: &Course<'_>) -> bool {
        let (place, crossing) = (stop.place as usize, &course.crossings[stop.crossing as usize]);
        // On the way up a ghost is asked from the lowest pile that gives to it on, and a pile stands once it is swept. On the way
        // down all has come to a ghost from that lowest pile on, and to a pile before it is swept.
        self.sweep_to(sweep, place + usize::from(stop.ghost.is_none()), course);
        match (stop.ghost, sweep.goes_up()) {
            (None, true) => crossing.up.post(self.sweep, self.section.tell_stand(place, sweep)),
            (Some(ghost), false) => crossing.down.post(self.sweep, self.section.tell_arrival(ghost as usize)),
            (Some(ghost), true) => {
                let Some(told) = crossing.up.read(self.sweep) else { return false };
                self.section.note_stand(ghost as usize, sweep, told);
            }
            (None, false) => {
                let Some(told) = crossing.down.read(self.sweep) else { return false };
                self.section.note_arrival(place, told);
            }
        }
        true
    }

    /// Sweeps the piles up to that at `place`, without it, or down to it.
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

/// Looks at sections, mostly in vain, after which a thread lets others have its core.
const LOOKS: u32 = 4096;

impl<'a> Relay<'a> {
    pub fn new(sections: &'a mut [Section], course: Course<'a>) -> Self {
        let left = AtomicUsize::new(sections.len());
        let runners = sections.iter_mut().map(|section| Mutex::new(Runner::new(section))).collect();
        Self { runners, course, left, helpers: AtomicUsize::new(0) }
    }

    /// Sweeps all sections to the end.
    pub fn run(&self) {
        self.runners.par_iter().in_parts_of(1).for_each(|_| self.help());
    }

    /// Helps until all sections are done. One thread alone can do it: the section whose next pile is the lowest of all, or the
    /// highest on the way down, never waits.
    fn help(&self) {
        let mut at = self.helpers.fetch_add(1, Ordering::Relaxed) % self.runners.len();
        let mut looks = 0;
        while self.left.load(Ordering::Acquire) > 0 {
            let waits = match self.runners[at].try_lock() {
                Ok(mut runner) => self.help_along(&mut runner),
                Err(TryLockError::WouldBlock) => false,
                // Who helped it has panicked, and says so.
                Err(TryLockError::Poisoned(_)) => return,
            };
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

    /// Lets a section go on as far as it can; true when it waits for others then.
    fn help_along(&self, runner: &mut Runner<'a>) -> bool {
        if runner.is_done {
            return false;
        }
        runner.run(&self.course);
        if runner.is_done {
            self.left.fetch_sub(1, Ordering::Release);
        }
        !runner.is_done
    }
}
