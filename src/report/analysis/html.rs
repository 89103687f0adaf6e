//! An analysis for a browser: one file that needs nothing beside it, no script and no network.

use super::analyse::{Analysis, GameAnalysis};
use super::front::FrontPage;
use super::judge::MARKS;
use super::mistake::{file_name, mistake, of};
use super::rows::DecisionKind;
use super::text::NAME;
use super::totals::{Totals, rating_word};
use crate::render::board_style;
use crate::render::signed;
use gammond_base::escape::{Markup, Untrusted};
use gammond_base::packed::PackedText;
use gammond_game::notation::MatPlayer;
use std::fmt::Write as _;

/// Maximum number of mistakes of a match that are shown with their boards.
const BOARDS_MAX: usize = 30;
const CURVE_WIDTH: f64 = 640.0;
const CURVE_HEIGHT: f64 = 180.0;
/// Room for the labels on its left.
const LABELS: f64 = 60.0;

const STYLE: &str = "\
:root{--page:#fff;--ink:#1d1a16;--soft:#6a655c;--rule:#d8d2c6;--bad:#a11212;--curve:#0b5cad}\
@media(prefers-color-scheme:dark){:root{--page:#16181a;--ink:#e8e6e1;--soft:#a5a29a;--rule:#3a3d40;--bad:#ff9a8d;--curve:#7db8ff}}\
*{box-sizing:border-box}\
body{margin:0 auto;padding:1rem;max-width:70rem;background:var(--page);color:var(--ink);font:16px/1.45 system-ui,sans-serif}\
h1{font-size:1.4rem}h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid var(--rule)}h3{font-size:1rem;margin:.3rem 0}\
.w{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
td,th{padding:.2rem .5rem;text-align:left;border-bottom:1px solid var(--rule);vertical-align:top}th{color:var(--soft);font-weight:600}\
.g{display:grid;gap:1.2rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}\
article{border:1px solid var(--rule);border-radius:.5rem;padding:.7rem;break-inside:avoid}\
svg{display:block;width:100%;height:auto}.mk{color:var(--bad);font-weight:700}.s{color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}\
.c line{stroke:var(--rule)}.c polyline{fill:none;stroke:var(--curve);stroke-width:2.5}.c .e{fill:var(--bad)}.c text{font:17px system-ui,sans-serif;fill:var(--soft)}.n td+td,.n th+th{text-align:right}\
summary{cursor:pointer;padding:.4rem 0}\
@media print{body{max-width:none}details{display:block}}";

/// A page about matches, written match by match and kept compressed.
#[derive(Debug, Default)]
pub struct Page {
    sections: PackedText,
    front: FrontPage,
    /// Names of the file and the players, and the marks, of the first match.
    first: Option<(String, [f64; 3])>,
    matches: usize,
}

impl Page {
    /// Appends a match, with the name of its file.
    pub fn add(&mut self, file: &str, analysis: &Analysis) {
        self.matches += 1;
        self.front.add(self.matches, file, analysis);
        let mut text = String::new();
        analysis.section(&mut text, self.matches, file);
        self.sections.push_str(&text);
        self.first.get_or_insert_with(|| {
            let [first, second] = analysis.names.each_ref().map(Untrusted::markup);
            let title = format!("{}: {first} and {second}", file_name(file));
            (title, analysis.marks)
        });
    }

    /// Returns true if there is no match on the page.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.matches == 0
    }

    /// Returns the whole page.
    #[must_use]
    pub fn finish(self) -> PackedText {
        let (title, [doubtful, bad, worst]) = match self.first {
            Some((title, marks)) if self.matches == 1 => (title, marks),
            first => (
                format!("{} matches", self.matches),
                first.map_or(MARKS, |(_, marks)| marks),
            ),
        };
        let mut text = PackedText::default();
        text.push_str(&format!(
            "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
             <title>{title}</title><style>{STYLE}{}</style></head><body>",
            board_style()
        ));
        if self.matches > 1 {
            text.append(self.front.finish(self.matches));
        }
        text.append(self.sections);
        text.push_str(&format!(
            "<p class=\"s\">Losses and luck in EMG: points of a game at the cube as it stands. Arrows show the best play. A decision that \
             loses {doubtful} is doubtful, {bad} bad, {worst} very bad. gammond {}.</p></body></html>\n",
            env!("CARGO_PKG_VERSION")
        ));
        text
    }
}

impl Analysis {
    fn section(&self, text: &mut String, number: usize, file: &str) {
        let names = self
            .names
            .each_ref()
            .map(|name| name.markup().at_most(NAME));
        let [one, other] = &names;
        let [first, second] = self.score;
        let kind = match self.length {
            0 => "Money session".to_owned(),
            length => format!("{length}-point match"),
        };
        let _ = write!(
            text,
            "<h1 id=\"m{number}\">{one} {first} – {second} {other}</h1><p>{kind}{}, {}, analysed at {}. <span class=\"s\">{}</span></p>",
            self.of_variant(),
            match self.games.len() {
                1 => "1 game".to_owned(),
                count => format!("{count} games"),
            },
            self.level,
            file_name(file)
        );
        if !self.faults.is_empty() {
            text.push_str("<h2>Faults of the file</h2><ul>");
            for fault in &self.faults {
                let _ = write!(text, "<li>{}</li>", Markup::new(&fault.to_string()));
            }
            text.push_str("</ul>");
        }
        self.head(text, &names);
        self.mistakes(text, &names);
        self.curves(text, &names);
        self.table_of_figures(text, &names);
        self.table_of_groups(text, &names);
        self.all_decisions(text, &names);
    }

    /// Writes the summary, narrow enough for a telephone.
    fn head(&self, text: &mut String, names: &[Markup<'_>; 2]) {
        let number =
            |value: Option<f64>| value.map_or("n/a".to_owned(), |value| format!("{value:.2}"));
        let shown = |value: f64| match self.length {
            0 => format!("{} points", signed(value, 2)),
            _ => format!("{} %", signed(100.0 * value, 2)),
        };
        let both = |of: &dyn Fn(&Totals) -> String| self.totals.each_ref().map(of);
        let players = [MatPlayer::First, MatPlayer::Second];
        let rows = [
            ("rating", both(&|own| rating_word(own.rate()).to_owned())),
            (
                "error rate",
                both(&|own| number(own.rate().map(|rate| 1000.0 * rate))),
            ),
            ("PR", both(&|own| number(own.performance()))),
            ("loss", both(&|own| format!("{:.3}", own.loss()[0]))),
            ("luck", both(&|own| signed(own.luck.emg, 3))),
            ("result", [shown(self.result), shown(-self.result)]),
            (
                "result without luck",
                players.map(|player| shown(self.luck_adjusted(player))),
            ),
        ];
        let [one, other] = names;
        let _ = write!(
            text,
            "<table class=\"n\"><tr><th></th><th>{one}</th><th>{other}</th></tr>"
        );
        for (label, [first, second]) in rows {
            let _ = write!(
                text,
                "<tr><td>{label}</td><td>{first}</td><td>{second}</td></tr>"
            );
        }
        text.push_str("</table>");
    }

    fn mistakes(&self, text: &mut String, names: &[Markup<'_>; 2]) {
        let worst = self.worst();
        if worst.is_empty() {
            text.push_str("<h2>No mistakes</h2>");
            return;
        }
        let shown = worst.len().min(BOARDS_MAX);
        let _ = write!(
            text,
            "<h2>The worst {shown} of {} mistakes</h2><div class=\"g\">",
            worst.len()
        );
        for row in worst.iter().take(BOARDS_MAX) {
            mistake(text, row, names, "");
        }
        text.push_str("</div>");
    }

    fn curves(&self, text: &mut String, names: &[Markup<'_>; 2]) {
        text.push_str("<h2>The games</h2><div class=\"g\">");
        for (number, game) in (1..).zip(&self.games) {
            let [first, second] = game.scores;
            let crawford = if game.crawford { ", Crawford game" } else { "" };
            let end = match game.result {
                None => "not finished".to_owned(),
                Some((winner, points)) => {
                    let plural = if points == 1 { "" } else { "s" };
                    format!("{} wins {points} point{plural}", of(winner, names))
                }
            };
            let _ = write!(
                text,
                "<article><h3>Game {number}, {first}–{second}{crawford}: {end}</h3>"
            );
            self.curve(text, game, number, names);
            text.push_str("<table class=\"n\"><tr><th></th><th>error rate</th><th>loss</th><th>luck</th></tr>");
            for (name, totals) in names.iter().zip(&game.totals()) {
                let [emg, _] = totals.loss();
                let rate = totals
                    .rate()
                    .map_or("n/a".to_owned(), |rate| format!("{:.2}", 1000.0 * rate));
                let _ = write!(
                    text,
                    "<tr><td>{name}</td><td>{rate}</td><td>{emg:.3}</td><td>{}</td></tr>",
                    signed(totals.luck.emg, 3)
                );
            }
            text.push_str("</table></article>");
        }
        text.push_str("</div>");
    }

    /// Returns the value of the game for the first player after each play, and true for a bad play.
    fn curve_points(&self, game: &GameAnalysis, number: usize) -> Vec<(f64, bool)> {
        let money = self.length == 0;
        let mut points = Vec::new();
        for row in game
            .rows(number)
            .filter(|row| row.kind == DecisionKind::Play)
        {
            let (decision, judgement) = (&row.judged.decision, &row.judged.judgement);
            let Some(plays) = &judgement.plays else {
                continue;
            };
            let value = match plays.played.value.mwc {
                Some(mwc) if !money => mwc,
                _ => plays.played.value.equity * f64::from(decision.state.cube.value()),
            };
            let first = row.player == MatPlayer::First;
            let value = match (first, money) {
                (true, _) => value,
                (false, true) => -value,
                (false, false) => 1.0 - value,
            };
            points.push((value, row.mark().is_some_and(|mark| mark != "doubtful")));
        }
        points
    }

    /// Draws the value of the game for the first player from decision to decision: chances of the match, or points.
    fn curve(
        &self,
        text: &mut String,
        game: &GameAnalysis,
        number: usize,
        names: &[Markup<'_>; 2],
    ) {
        let money = self.length == 0;
        let points = self.curve_points(game, number);
        let (low, high) = range(&points, money);
        let across = CURVE_WIDTH / points.len().max(2).saturating_sub(1) as f64;
        let place = |index: usize, value: f64| {
            (
                index as f64 * across,
                CURVE_HEIGHT * (1.0 - (value - low) / (high - low)),
            )
        };
        let what = if money {
            "equity in points"
        } else {
            "match winning chances"
        };
        let _ = write!(
            text,
            "<svg class=\"c\" role=\"img\" viewBox=\"-{LABELS} -16 {} {}\"><title>{what} of {}</title>",
            CURVE_WIDTH + LABELS + 8.0,
            CURVE_HEIGHT + 24.0,
            names[0]
        );
        for part in [0.0, 0.5, 1.0] {
            let y = CURVE_HEIGHT * (1.0 - part);
            let value = low + part * (high - low);
            let label = if money {
                signed(value, 1)
            } else {
                format!("{:.0} %", 100.0 * value)
            };
            let _ = write!(
                text,
                "<line x1=\"0\" x2=\"{CURVE_WIDTH}\" y1=\"{y}\" y2=\"{y}\"/><text x=\"-8\" y=\"{}\" text-anchor=\"end\">{label}</text>",
                y + 6.0
            );
        }
        text.push_str("<polyline points=\"");
        for (index, (value, _)) in points.iter().enumerate() {
            let (x, y) = place(index, *value);
            let _ = write!(text, "{x:.1},{y:.1} ");
        }
        text.push_str("\"/>");
        for (index, (value, _)) in points.iter().enumerate().filter(|(_, (_, bad))| *bad) {
            let (x, y) = place(index, *value);
            // A triangle, so that it is seen without colour.
            let (left, right, top, base) = (x - 6.0, x + 6.0, y - 12.0, y - 2.0);
            let _ = write!(
                text,
                "<path class=\"e\" d=\"M{left:.1} {top:.1}L{right:.1} {top:.1}L{x:.1} {base:.1}z\"/>"
            );
        }
        let _ = write!(
            text,
            "</svg><p class=\"s\">{what} of {}; triangles: bad plays of either side</p>",
            names[0]
        );
    }

    fn table_of_figures(&self, text: &mut String, names: &[Markup<'_>; 2]) {
        let [one, other] = names;
        let _ = write!(
            text,
            "<h2>Figures</h2><div class=\"w\"><table><tr><th></th><th>{one}</th><th>{other}</th></tr>"
        );
        for (label, [first, second]) in self.figures() {
            if first.is_empty() && second.is_empty() {
                let _ = write!(text, "<tr><th colspan=\"3\">{label}</th></tr>");
            } else {
                let _ = write!(
                    text,
                    "<tr><td>{label}</td><td>{first}</td><td>{second}</td></tr>"
                );
            }
        }
        text.push_str("</table></div>");
    }

    fn table_of_groups(&self, text: &mut String, names: &[Markup<'_>; 2]) {
        let [one, other] = names;
        let _ = write!(
            text,
            "<h2>By part of the game and class of position</h2><div class=\"w\"><table class=\"n\"><tr><th></th><th colspan=\"3\">{one}</th>\
             <th colspan=\"3\">{other}</th></tr><tr><th></th><th>decisions</th><th>error rate</th><th>loss</th>\
             <th>decisions</th><th>error rate</th><th>loss</th></tr>"
        );
        for (name, totals) in self.by_phase().into_iter().chain(self.by_class()) {
            if totals.iter().all(|own| own.decisions() == 0) {
                continue;
            }
            let _ = write!(text, "<tr><td>{name}</td>");
            for own in &totals {
                let rate = own
                    .rate()
                    .map_or("n/a".to_owned(), |rate| format!("{:.2}", 1000.0 * rate));
                let [loss, _] = own.loss();
                let _ = write!(
                    text,
                    "<td>{}</td><td>{rate}</td><td>{loss:.3}</td>",
                    own.decisions()
                );
            }
            text.push_str("</tr>");
        }
        text.push_str("</table></div>");
    }

    fn all_decisions(&self, text: &mut String, names: &[Markup<'_>; 2]) {
        text.push_str("<h2>Every decision</h2>");
        for (number, game) in (1..).zip(&self.games) {
            let _ = write!(
                text,
                "<details><summary>Game {number}</summary><div class=\"w\"><table><tr><th>move</th><th>player</th>\
                 <th>played</th><th>best</th><th>loss</th><th>luck</th></tr>"
            );
            for row in game.rows(number) {
                let roll = row.roll.map_or(String::new(), |roll| format!("{roll}: "));
                let loss = match row.loss {
                    Some(loss) if loss > 0.0 => format!("{loss:.4}"),
                    _ => String::new(),
                };
                let mark = row.mark().map_or(String::new(), |mark| {
                    format!(" <span class=\"mk\">{mark}</span>")
                });
                let best = if loss.is_empty() {
                    ""
                } else {
                    row.best.as_str()
                };
                let luck = row.luck.map_or(String::new(), |luck| signed(luck, 3));
                let _ = write!(
                    text,
                    "<tr><td>{}</td><td>{}</td><td>{roll}{}</td><td>{best}</td><td>{loss}{mark}</td><td>{luck}</td></tr>",
                    row.turn,
                    of(row.player, names),
                    row.played
                );
            }
            text.push_str("</table></div></details>");
        }
    }
}

/// Returns the lowest and the highest value that a curve shows: of points the same on both sides of nothing, of chances
/// whole tenths.
fn range(points: &[(f64, bool)], money: bool) -> (f64, f64) {
    let values = || points.iter().map(|(value, _)| *value);
    if money {
        let most = values().fold(1.0_f64, |most, value| most.max(value.abs()));
        return (-most, most);
    }
    let low = (10.0 * values().fold(1.0, f64::min)).floor() / 10.0;
    let high = (10.0 * values().fold(0.0, f64::max)).ceil() / 10.0;
    if low < high { (low, high) } else { (0.0, 1.0) }
}
