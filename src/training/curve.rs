//! Learning curves as SVG.

/// One measurement: where on the axis (CPU hours, rounds), the value, and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Position on the horizontal axis.
    pub x: f64,
    /// What was measured.
    pub y: f64,
    /// Its standard error, 0 when there is none.
    pub error: f64,
}

/// Reads `x,y,error` lines; the first line names the axes. Lines without two numbers are skipped.
#[must_use]
pub fn points(csv: &str) -> ([String; 2], Vec<Point>) {
    let mut lines = csv.lines();
    let mut names = lines.next().unwrap_or_default().split(',');
    let mut name = || names.next().unwrap_or_default().trim().to_owned();
    let axes = [name(), name()];
    let points = lines
        .filter_map(|line| {
            let mut fields = line
                .split(',')
                .map(|field| field.trim().parse::<f64>().ok());
            Some(Point {
                x: fields.next()??,
                y: fields.next()??,
                error: fields.next().flatten().unwrap_or(0.0),
            })
        })
        .filter(|p| p.x.is_finite() && p.y.is_finite() && p.error.is_finite())
        .collect();
    (axes, points)
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 60.0;

/// Draws the points with their error bars (one standard error each way) and a line through them.
#[must_use]
pub fn svg(axes: &[String; 2], points: &[Point]) -> String {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value), high.max(value));
        }
        if low.is_finite() && high > low {
            (low, high)
        } else {
            (low.min(0.0) - 1.0, high.max(0.0) + 1.0)
        }
    };
    let (left, right) = range(&mut points.iter().map(|p| p.x));
    let (bottom, top) = range(&mut points.iter().flat_map(|p| [p.y - p.error, p.y + p.error]));
    let at_x = |x: f64| MARGIN + (x - left) / (right - left) * (WIDTH - 2.0 * MARGIN);
    let at_y = |y: f64| HEIGHT - MARGIN - (y - bottom) / (top - bottom) * (HEIGHT - 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    for step in 0..=4 {
        let share = f64::from(step) / 4.0;
        let (x, y) = (
            left + share * (right - left),
            bottom + share * (top - bottom),
        );
        out.push_str(&format!(
            "<line x1=\"{MARGIN}\" x2=\"{:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{y:.4}</text>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x:.2}</text>\n",
            WIDTH - MARGIN,
            at_y(y),
            at_y(y),
            MARGIN - 6.0,
            at_y(y) + 4.0,
            at_x(x),
            HEIGHT - MARGIN + 20.0
        ));
    }
    let line: Vec<String> = (points.iter())
        .map(|p| format!("{:.1},{:.1}", at_x(p.x), at_y(p.y)))
        .collect();
    out.push_str(&format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#06c\" stroke-width=\"2\"/>\n",
        line.join(" ")
    ));
    for p in points {
        let (x, y) = (at_x(p.x), at_y(p.y));
        out.push_str(&format!(
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#06c\"/>\n\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"#06c\"/>\n",
            at_y(p.y - p.error),
            at_y(p.y + p.error)
        ));
    }
    let plain = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    out.push_str(&format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
         <text x=\"10\" y=\"30\">{}</text>\n</svg>\n",
        WIDTH / 2.0,
        HEIGHT - 14.0,
        plain(&axes[0]),
        plain(&axes[1])
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_every_point() {
        let (axes, points) =
            points("CPU hours,points per game\n0,-0.5,0.01\nwrong\n1,-0.1\n2,0.01,0.005\n");
        assert_eq!(axes[1], "points per game");
        assert_eq!(points.len(), 3);
        let svg = svg(&axes, &points);
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(!svg.contains("NaN") && svg.ends_with("</svg>\n"));
    }
}
