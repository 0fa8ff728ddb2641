//! The legend of an overlay: a bar of its colours with numbers, drawn into a picture.

use super::font::{HIGH, WIDE, dots};
use super::seen::OverlaySeen;
use crate::picture::Image;

/// Pictures are as high as this many dots of letters (-).
const DOTS_DOWN: usize = 240;
/// In dots: from the edge, the bar, between bar and letters, around all.
const MARGIN: usize = 8;
const BAR: [usize; 2] = [120, 8];
const GAP: usize = 3;
const FRAME: usize = 4;

/// Numbers along the bar.
const NUMBERS: usize = 5;

const INK: [u8; 3] = [20, 20, 20];
const PAPER: [u8; 3] = [245, 245, 240];

/// Draws the legend of `overlay` into the lower left corner; pictures too small for it stay as they are.
pub fn draw_legend(image: &mut Image, overlay: &OverlaySeen<'_>) {
    let dot = (image.height / DOTS_DOWN).max(1);
    let high = 2 * FRAME + 2 * HIGH + 2 * GAP + BAR[1];
    let wide = 2 * FRAME + BAR[0] + 4 * WIDE;
    if image.width < (wide + 2 * MARGIN) * dot || image.height < (high + 2 * MARGIN) * dot {
        return;
    }
    let top = image.height / dot - MARGIN - high;
    let mut sheet = Sheet { image, dot };
    sheet.fill([MARGIN, top], [wide, high], PAPER);
    let (left, below) = (MARGIN + FRAME + 2 * WIDE, top + FRAME + HIGH + GAP);
    sheet.write(overlay.overlay().title(), [MARGIN + FRAME, top + FRAME]);
    let [low, most] = overlay.range();
    for x in 0..BAR[0] {
        let value = low + (most - low) * (x as f32 + 0.5) / BAR[0] as f32;
        sheet.fill([left + x, below], [1, BAR[1]], overlay.color(value));
    }
    for number in 0..NUMBERS {
        let share = number as f32 / (NUMBERS - 1) as f32;
        let text = in_short(low + (most - low) * share, most - low);
        let middle = left + (share * BAR[0] as f32) as usize;
        let half = text.chars().count() * (WIDE + 1) / 2;
        sheet.write(&text, [middle.saturating_sub(half), below + BAR[1] + GAP]);
    }
}

/// A number with as many places as its range needs.
fn in_short(value: f32, range: f32) -> String {
    let places = if range < 3.0 {
        2
    } else if range < 30.0 {
        1
    } else {
        0
    };
    format!("{value:.places$}")
}

/// A picture that is drawn on in dots.
struct Sheet<'a> {
    image: &'a mut Image,
    /// Pixels along a dot.
    dot: usize,
}

impl Sheet<'_> {
    fn fill(&mut self, [x, y]: [usize; 2], [wide, high]: [usize; 2], color: [u8; 3]) {
        for row in y * self.dot..(y + high) * self.dot {
            for column in x * self.dot..(x + wide) * self.dot {
                let at = 3 * (row * self.image.width + column);
                if column < self.image.width && at + 3 <= self.image.rgb.len() {
                    self.image.rgb[at..at + 3].copy_from_slice(&color);
                }
            }
        }
    }

    fn write(&mut self, text: &str, [x, y]: [usize; 2]) {
        for (number, letter) in text.chars().enumerate() {
            for [dx, dy] in dots(letter) {
                self.fill([x + number * (WIDE + 1) + dx, y + dy], [1, 1], INK);
            }
        }
    }
}
