//! From shares of a range to colours that are told apart in grey, too.

/// Dark to light (sRGB): viridis, by Smith and van der Walt, at nine places.
const RISING: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 45, 123],
    [59, 82, 139],
    [44, 114, 142],
    [33, 145, 140],
    [40, 174, 128],
    [94, 201, 98],
    [173, 220, 48],
    [253, 231, 37],
];

/// Either side of nought (sRGB): red, white, blue (Moreland 2009).
const TWO_SIDED: [[u8; 3]; 5] =
    [[180, 4, 38], [244, 154, 123], [221, 221, 221], [141, 176, 254], [59, 76, 192]];

/// The colour of `share` (0 to 1) of the range.
pub fn color(share: f32, has_two_sides: bool) -> [u8; 3] {
    let stops: &[[u8; 3]] = if has_two_sides { &TWO_SIDED } else { &RISING };
    let along = share.clamp(0.0, 1.0) * (stops.len() - 1) as f32;
    let first = (along as usize).min(stops.len() - 2);
    let part = along - first as f32;
    std::array::from_fn(|channel| {
        let [from, to] = [stops[first][channel], stops[first + 1][channel]].map(f32::from);
        (from + (to - from) * part).round() as u8
    })
}
