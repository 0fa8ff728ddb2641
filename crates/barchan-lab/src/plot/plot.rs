//! What a plot shows.

/// One plot: axes and what is drawn between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Last part of its file name: `speed` becomes `push.speed.svg`.
    pub name: &'static str,
    /// What it shows, in one line.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is drawn, in this order.
    pub series: Vec<Series>,
}

/// One axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// What it measures, with the unit in round brackets.
    pub label: String,
    /// How lengths on it follow from values.
    pub scale: Scale,
}

/// How lengths on an axis follow from values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long. Values that are not positive are left out.
    Log,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub label: String,
    /// Points (x, y). What is not finite is left out.
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub style: Style,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A dot for each point.
    Points,
    /// A dot for each point, and lines between them.
    LinePoints,
    /// Lines only.
    Line,
    /// A dashed grey line: what the others are compared with.
    Reference,
}

impl Plot {
    /// A plot without series.
    pub fn new(name: &'static str, title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { name, title: title.into(), x, y, series: Vec::new() }
    }

    /// The same plot with one more series. A series without points is left out, for it would only fill the legend.
    pub fn with(mut self, label: impl Into<String>, style: Style, points: Vec<[f64; 2]>) -> Self {
        if !points.is_empty() {
            self.series.push(Series { label: label.into(), points, style });
        }
        self
    }

    /// Every point that can be shown on these axes.
    pub(super) fn shown<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = (f64, f64)> + 'a {
        let fits =
            |axis: &Axis, value: f64| value.is_finite() && (axis.scale == Scale::Linear || value > 0.0);
        series
            .points
            .iter()
            .filter(move |[x, y]| fits(&self.x, *x) && fits(&self.y, *y))
            .map(|&[x, y]| (x, y))
    }
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log }
    }
}
