//! Pictures of numbers: lines in a plane whose axes both grow by factors, as SVG text. The same numbers give the same
//! bytes; no fonts are read, so they look alike on every machine.

use std::ops::Range;

use plotters::prelude::*;

/// A line with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What the legend says.
    pub name: String,
    /// Points from left to right. Those that are not above 0 in both coordinates cannot be drawn and are left out.
    pub points: Vec<(f64, f64)>,
    /// A second kind of stroke: the points alone, without a line between them.
    pub dotted: bool,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What is to be seen.
    pub title: String,
    /// What the horizontal axis shows, with its unit.
    pub across: String,
    /// What the vertical axis shows, with its unit.
    pub up: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// Colours that people with any kind of colour vision tell apart (Okabe and Ito 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];
const SIZE: (u32, u32) = (760, 460);

impl Picture {
    /// The picture as SVG.
    ///
    /// # Errors
    /// A sentence, when there is no point to draw.
    pub fn svg(&self) -> Result<String, String> {
        let mut text = String::new();
        self.draw(&mut text).map_err(|why| format!("{:?} cannot be drawn: {why}", self.title))?;
        Ok(text)
    }

    fn draw(&self, text: &mut String) -> Result<(), String> {
        let points = || self.lines.iter().flat_map(|line| drawn(&line.points));
        let across = span(points().map(|point| point.0)).ok_or("it has no points")?;
        let up = span(points().map(|point| point.1)).ok_or("it has no points")?;
        let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
        let told = |why: DrawingAreaErrorKind<_>| why.to_string();
        area.fill(&WHITE).map_err(told)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(76)
            .build_cartesian_2d(across.log_scale(), up.log_scale())
            .map_err(told)?;
        chart
            .configure_mesh()
            .x_desc(&self.across)
            .y_desc(&self.up)
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .light_line_style(WHITE)
            .draw()
            .map_err(told)?;
        for (line, colour) in self.lines.iter().zip(COLOURS.iter().cycle()) {
            let stroke = ShapeStyle { color: colour.to_rgba(), filled: true, stroke_width: 2 };
            if !line.dotted {
                chart.draw_series(LineSeries::new(drawn(&line.points), stroke)).map_err(told)?;
            }
            let dots = drawn(&line.points).map(|point| Circle::new(point, 3, stroke));
            chart
                .draw_series(dots)
                .map_err(told)?
                .label(&line.name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], stroke));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(180, 180, 180))
            .draw()
            .map_err(told)?;
        area.present().map_err(told)
    }
}

fn drawn(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> + '_ {
    points.iter().copied().filter(|(x, y)| *x > 0.0 && *y > 0.0)
}

/// From somewhat below the lowest to somewhat above the highest.
fn span(values: impl Iterator<Item = f64>) -> Option<Range<f64>> {
    let ends = |ends: Option<(f64, f64)>, v: f64| Some(ends.map_or((v, v), |(low, high)| (low.min(v), high.max(v))));
    let (low, high) = values.fold(None, ends)?;
    Some(low / 1.3..high * 1.3)
}

/// A label of an axis: three digits, and none that say nothing.
fn number(value: &f64) -> String {
    let value = *value;
    if value != 0.0 && !(1e-3..1e6).contains(&value) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(points: Vec<(f64, f64)>) -> Picture {
        let line = Line { name: "a line".into(), points, dotted: false };
        Picture { title: "Title <1>".into(), across: "x".into(), up: "y".into(), lines: vec![line] }
    }

    #[test]
    fn a_picture_is_the_same_text_each_time() {
        let points = vec![(1.0, 10.0), (10.0, 100.0), (100.0, 0.0), (1000.0, 1000.0)];
        let svg = picture(points.clone()).svg().expect("a picture");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert!(svg.contains("Title &lt;1&gt;") && svg.contains("a line"));
        // Three of the four points can be drawn.
        assert_eq!(svg.matches("<circle").count(), 3);
        assert_eq!(svg, picture(points).svg().expect("a picture"));
    }

    #[test]
    fn nothing_to_draw_is_told() {
        assert_eq!(picture(vec![(0.0, 1.0)]).svg(), Err("\"Title <1>\" cannot be drawn: it has no points".into()));
    }

    #[test]
    fn labels_are_short() {
        let labels = [1.0, 0.5, 1000.0, 2e6, 1e-4].map(|value| number(&value));
        assert_eq!(labels, ["1", "0.5", "1000", "2e6", "1e-4"]);
    }
}
