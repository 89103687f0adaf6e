//! Learning curves as SVG.

use gammond_base::escape::Markup;

/// One measurement: where on the axis (CPU hours, rounds), the value, and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Position on the horizontal axis.
    pub x: f64,
    /// Measured value.
    pub y: f64,
    /// Its standard error, 0 when there is none.
    pub error: f64,
}

/// One curve: its name, perhaps empty, and its points.
pub type Series = (String, Vec<Point>);

/// Reads `x,y,error[,name]` lines; the first line names the axes, points of one name are one curve. Lines without two
/// numbers are skipped.
#[must_use]
pub fn read(csv: &str) -> ([String; 2], Vec<Series>) {
    let mut lines = csv.lines();
    let mut names = lines.next().unwrap_or_default().split(',');
    let mut name = || names.next().unwrap_or_default().trim().to_owned();
    let axes = [name(), name()];
    let mut series: Vec<Series> = Vec::new();
    for line in lines {
        let mut fields = line.splitn(4, ',').map(str::trim);
        let mut number = || fields.next().and_then(|field| field.parse::<f64>().ok());
        let (Some(x), Some(y)) = (number(), number()) else {
            continue;
        };
        let error = number().unwrap_or(0.0);
        if ![x, y, error].into_iter().all(f64::is_finite) {
            continue;
        }
        let name = fields.next().unwrap_or_default();
        let point = Point { x, y, error };
        match series.iter_mut().find(|(known, _)| known == name) {
            Some((_, points)) => points.push(point),
            None => series.push((name.to_owned(), vec![point])),
        }
    }
    (axes, series)
}

/// Writes what [`read`] reads. Names have no line breaks.
#[must_use]
pub fn csv(axes: [&str; 2], series: &[Series]) -> String {
    let mut text = format!("{},{},standard error,name\n", axes[0], axes[1]);
    for (name, points) in series {
        for Point { x, y, error } in points {
            text.push_str(&format!("{x},{y:.4},{error:.4},{name}\n"));
        }
    }
    text
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 60.0;
/// Room for the names of curves, right of them.
const LEGEND: f64 = 170.0;
/// One for each curve in turn; the first is that of a curve alone.
const COLOURS: [&str; 10] = [
    "#06c", "#c86432", "#5a8f4e", "#8a5fa0", "#b8860b", "#444", "#c03060", "#2a9d8f", "#7a5230",
    "#6a8caf",
];

/// Part of the plane that is drawn.
struct Viewport {
    x: [f64; 2],
    y: [f64; 2],
}

impl Viewport {
    fn around(points: &[&Point]) -> Viewport {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for value in values {
                (low, high) = (low.min(value), high.max(value));
            }
            if low.is_finite() && high > low {
                [low, high]
            } else {
                [low.min(0.0) - 1.0, high.max(0.0) + 1.0]
            }
        };
        Viewport {
            x: range(&mut points.iter().map(|p| p.x)),
            y: range(&mut points.iter().flat_map(|p| [p.y - p.error, p.y + p.error])),
        }
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let share = |[low, high]: [f64; 2], value: f64| (value - low) / (high - low);
        (
            MARGIN + share(self.x, x) * (WIDTH - 2.0 * MARGIN),
            HEIGHT - MARGIN - share(self.y, y) * (HEIGHT - 2.0 * MARGIN),
        )
    }

    /// Draws lines to read values by.
    fn draw(&self, out: &mut String) {
        for (y, text) in marks(self.y) {
            let (_, y) = self.at(0.0, y);
            out.push_str(&format!(
                "<line x1=\"{MARGIN}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>\n",
                WIDTH - MARGIN,
                MARGIN - 6.0,
                y + 4.0
            ));
        }
        for (x, text) in marks(self.x) {
            let (x, _) = self.at(x, 0.0);
            out.push_str(&format!(
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>\n",
                HEIGHT - MARGIN + 20.0
            ));
        }
    }

    /// Draws a curve; `name` where it is one of several, with the place of the name.
    fn draw_curve(
        &self,
        points: &[Point],
        colour: &str,
        name: Option<(&str, f64)>,
        out: &mut String,
    ) {
        let through = |points: &mut dyn Iterator<Item = (f64, f64)>| {
            let places = points.map(|(x, y)| {
                let (x, y) = self.at(x, y);
                format!("{x:.1},{y:.1}")
            });
            places.collect::<Vec<_>>().join(" ")
        };
        if let Some((name, y)) = name {
            let above = points.iter().map(|p| (p.x, p.y + p.error));
            let below = points.iter().rev().map(|p| (p.x, p.y - p.error));
            out.push_str(&format!(
                "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.18\"/>\n\
                 <text x=\"{:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{}</text>\n",
                through(&mut above.chain(below)),
                WIDTH - MARGIN + 10.0,
                Markup::new(name)
            ));
        }
        out.push_str(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n",
            through(&mut points.iter().map(|p| (p.x, p.y)))
        ));
        for p in points {
            let (x, y) = self.at(p.x, p.y);
            if name.is_none() {
                out.push_str(&format!(
                    "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"/>\n",
                    self.at(p.x, p.y - p.error).1,
                    self.at(p.x, p.y + p.error).1
                ));
            }
            out.push_str(&format!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>\n"
            ));
        }
    }
}

/// Returns round numbers within a range, four to nine of them, as they are written.
fn marks([low, high]: [f64; 2]) -> Vec<(f64, String)> {
    let magnitude = ((high - low) / 4.0).log10().floor();
    let unit = 10_f64.powf(magnitude);
    let fits = |step: &f64| (high - low) / step >= 4.0;
    let step = [5.0, 2.0, 1.0].map(|times| times * unit);
    let step = step.into_iter().find(fits).unwrap_or(unit);
    let digits = (-magnitude).max(0.0) as usize;
    let first = (low / step).ceil();
    let count = ((high / step).floor() - first).clamp(0.0, 20.0) as u32;
    (0..=count)
        .map(|number| {
            let value = (first + f64::from(number)) * step;
            (value, format!("{value:.digits$}"))
        })
        .collect()
}

/// Draws each curve: a line through its points, in a band of one standard error each way; the points of a curve alone have
/// bars in place of the band.
#[must_use]
pub fn svg(axes: &[String; 2], series: &[Series]) -> String {
    let all: Vec<&Point> = series.iter().flat_map(|(_, points)| points).collect();
    let frame = Viewport::around(&all);
    let alone = series.len() < 2;
    let width = if alone { WIDTH } else { WIDTH + LEGEND };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    frame.draw(&mut out);
    let colours = COLOURS.iter().cycle();
    for ((number, (name, points)), colour) in series.iter().enumerate().zip(colours) {
        let name = (!alone).then_some((&**name, MARGIN + 18.0 * number as f64));
        frame.draw_curve(points, colour, name, &mut out);
    }
    out.push_str(&format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
         <text x=\"10\" y=\"30\">{}</text>\n</svg>\n",
        WIDTH / 2.0,
        HEIGHT - 14.0,
        Markup::new(&axes[0]),
        Markup::new(&axes[1])
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_every_point() {
        let (axes, series) =
            read("CPU hours,points per game\n0,-0.5,0.01\nwrong\n1,-0.1\n2,nan\n2,0.01,0.005\n");
        assert_eq!(axes[1], "points per game");
        assert_eq!(series.len(), 1);
        assert_eq!(series[0].1.len(), 3);
        let svg = svg(&axes, &series);
        assert_eq!(svg.matches("<circle").count(), 3);
        assert_eq!(svg.matches("<polygon").count(), 0);
        assert!(!svg.contains("NaN") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn marks_are_round_numbers() {
        let texts = |range| {
            let marks = marks(range).into_iter();
            marks.map(|mark| mark.1).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(texts([1000.0, 10000.0]), "2000 4000 6000 8000 10000");
        assert_eq!(
            texts([-2.25, -0.41]),
            "-2.2 -2.0 -1.8 -1.6 -1.4 -1.2 -1.0 -0.8 -0.6"
        );
        assert_eq!(
            texts([0.0, 0.017]),
            "0.000 0.002 0.004 0.006 0.008 0.010 0.012 0.014 0.016"
        );
        assert_eq!(texts([-1.0, 1.0]), "-1.0 -0.5 0.0 0.5 1.0");
    }

    #[test]
    fn curves_have_names_and_bands() {
        let point = |x, y| Point { x, y, error: 0.25 };
        let wanted: [Series; 2] = [
            ("a<b, c".to_owned(), vec![point(1.0, 0.5), point(2.0, 1.0)]),
            ("other".to_owned(), vec![point(1.0, -0.5)]),
        ];
        let text = csv(["games", "points"], &wanted);
        let (axes, found) = read(&text);
        assert_eq!(axes, ["games", "points"]);
        assert_eq!(found, wanted);
        let svg = svg(&axes, &found);
        assert_eq!(svg.matches("<polygon").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("a&lt;b, c"));
    }
}
