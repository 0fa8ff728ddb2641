//! Draws a plot as SVG.

use plotters::prelude::*;

use super::axis_range::{AxisRange, tick_label};
use super::{Plot, Series, Style};

/// Size of the whole picture (pixels).
const SIZE: (u32, u32) = (900, 540);
/// Room for the legend to the right of the axes (pixels).
const LEGEND_WIDTH: i32 = 230;
/// Height of a line of the legend (pixels).
const LEGEND_LINE: i32 = 22;
/// Colours that people with any colour vision tell apart (Okabe and Ito 2008).
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];
const GREY: RGBColor = RGBColor(120, 120, 120);
const GRID: RGBColor = RGBColor(228, 228, 228);

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type DrawingError = DrawingAreaErrorKind<std::io::Error>;

impl Plot {
    /// The plot as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            self.draw(&root).expect("drawing into a string does not fail");
        }
        svg
    }

    fn draw(&self, root: &Area<'_>) -> Result<(), DrawingError> {
        root.fill(&WHITE)?;
        let (axes, legend) = root.split_horizontally(SIZE.0 as i32 - LEGEND_WIDTH);
        self.draw_axes(&axes)?;
        for (line, (series, color)) in self.colored().enumerate() {
            draw_legend_line(&legend, line as i32, series, color)?;
        }
        root.present()
    }

    fn draw_axes(&self, area: &Area<'_>) -> Result<(), DrawingError> {
        let points: Vec<_> = self.series.iter().flat_map(|series| self.shown(series)).collect();
        let x = AxisRange::around(self.x.scale, points.iter().map(|p| p.0));
        let y = AxisRange::around(self.y.scale, points.iter().map(|p| p.1));
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 19).into_font().color(&BLACK))
            .margin(14)
            .x_label_area_size(48)
            .y_label_area_size(66)
            .build_cartesian_2d(x, y)?;
        let text = ("sans-serif", 14).into_font().color(&BLACK);
        chart
            .configure_mesh()
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(GREY)
            .label_style(text.clone())
            .axis_desc_style(text)
            .x_label_formatter(&tick_label)
            .y_label_formatter(&tick_label)
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .draw()?;
        for (series, color) in self.colored() {
            let points: Vec<_> = self.shown(series).collect();
            match series.style {
                Style::Reference => {
                    let line = DashedLineSeries::new(points.iter().copied(), 7, 5, color.stroke_width(2));
                    chart.draw_series(line)?;
                }
                Style::Line | Style::LinePoints => {
                    chart.draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?;
                }
                Style::Points => {}
            }
            if matches!(series.style, Style::Points | Style::LinePoints) {
                chart.draw_series(points.iter().map(|&point| Circle::new(point, 4, color.filled())))?;
            }
        }
        Ok(())
    }

    /// Every series with its colour. References are grey and use up no colour.
    fn colored(&self) -> impl Iterator<Item = (&Series, RGBColor)> {
        let mut colors = COLORS.iter().cycle().copied();
        self.series.iter().map(move |series| {
            let color = if series.style == Style::Reference { None } else { colors.next() };
            (series, color.unwrap_or(GREY))
        })
    }
}

fn draw_legend_line(
    area: &Area<'_>,
    line: i32,
    series: &Series,
    color: RGBColor,
) -> Result<(), DrawingError> {
    let y = 62 + line * LEGEND_LINE;
    match series.style {
        Style::Reference => {
            for x in [0, 10, 20] {
                area.draw(&PathElement::new(vec![(x, y), (x + 6, y)], color.stroke_width(2)))?;
            }
        }
        Style::Line | Style::LinePoints => {
            area.draw(&PathElement::new(vec![(0, y), (26, y)], color.stroke_width(2)))?;
        }
        Style::Points => {}
    }
    if matches!(series.style, Style::Points | Style::LinePoints) {
        area.draw(&Circle::new((13, y), 4, color.filled()))?;
    }
    area.draw(&Text::new(series.label.clone(), (34, y - 7), ("sans-serif", 14).into_font().color(&BLACK)))
}

#[cfg(test)]
mod tests {
    use crate::plot::{Axis, Plot, Style};

    fn plot() -> Plot {
        Plot::new("speed", "Time & size", Axis::log("voxels"), Axis::log("time (ms)"))
            .with("ours", Style::LinePoints, vec![[1e5, 1.0], [1e6, 4.0], [1e7, 20.0]])
            .with("<theirs>", Style::Reference, vec![[1e5, 6.7], [1e7, 244.0]])
    }

    #[test]
    fn everything_declared_is_drawn() {
        let svg = plot().to_svg();
        for text in ["Time &amp; size", "voxels", "time (ms)", "ours", "&lt;theirs&gt;", "1e6"] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
        // Three points, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 4);
    }

    #[test]
    fn what_cannot_be_shown_is_left_out() {
        let bad = vec![[1e6, -1.0], [f64::NAN, 2.0], [1e6, f64::INFINITY], [0.0, 2.0]];
        let svg = plot().with("bad", Style::Points, bad).to_svg();
        assert_eq!(svg.matches("<circle").count(), 5);
        let nothing = Plot::new("nothing", "Nothing", Axis::linear("x"), Axis::linear("y"));
        assert!(nothing.to_svg().contains("Nothing"));
        assert_eq!(nothing.with("none", Style::Line, Vec::new()).series.len(), 0);
    }
}
