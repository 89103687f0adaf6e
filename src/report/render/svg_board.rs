//! A board as SVG: for a report, or a file of its own.
//!
//! The player on roll sits below and has light checkers; sides, points and checkers differ in brightness
//! and outline, so that the picture is read without colours as well. Colours are CSS variables (see
//! [`board_style`](super::board_style)) or those of a [`Theme`].

use super::letters::{self, Anchor};
use super::theme::{Theme, board_style, rules};
use gammond_game::{BAR, CubeOwner, MatchState, OFF, Play, Position, Roll, Side, Variant};
use std::fmt::Write as _;

/// Width of a point, and of the bar.
const WIDTH: f64 = 40.0;
/// Room left of the board, for the cube, and right of it, for checkers borne off.
const MARGIN: f64 = 46.0;
/// Room above and below, for the numbers of the points and of pips.
const EDGE: f64 = 34.0;
const RADIUS: f64 = 17.5;
const HEIGHT: f64 = 400.0;
const TOTAL_WIDTH: f64 = 2.0 * MARGIN + 13.0 * WIDTH;
const TOTAL_HEIGHT: f64 = HEIGHT + 2.0 * EDGE;
/// Checkers drawn on a point before a number replaces the rest.
const STACK: u8 = 5;

/// Additions to checkers and cube in a drawing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlay<'a> {
    /// Dice of the player on roll.
    pub roll: Option<Roll>,
    /// Arrows for this play of the player on roll.
    pub play: Option<&'a Play>,
    /// True for the home board of the player on roll at the lower left: he plays clockwise.
    pub clockwise: bool,
    /// True if the player on roll has the dark checkers.
    pub dark: bool,
}

/// Width and height of a picture, in its own units.
pub const BOARD_SIZE: (f64, f64) = (TOTAL_WIDTH, TOTAL_HEIGHT);

/// Returns the board as an `svg` element for a page that has [`board_style`](super::board_style).
#[must_use]
pub(crate) fn svg_board(position: &Position, state: &MatchState, drawn: &Overlay<'_>) -> String {
    element(position, state, drawn, false, "")
}

/// Returns the board as a file of its own, in colours of its own or, without a theme, dark where the reader's system
/// is.
#[must_use]
pub fn svg_file(
    position: &Position,
    state: &MatchState,
    drawn: &Overlay<'_>,
    theme: Option<Theme>,
) -> String {
    match theme {
        Some(theme) => painted(position, state, drawn, theme, false),
        None => {
            let style = format!("<style>{}</style>", board_style());
            element(position, state, drawn, false, &style)
        }
    }
}

/// Draws the board like [`svg_file`], for a program without fonts: text is drawn as lines.
#[must_use]
pub fn svg_outlines(
    position: &Position,
    state: &MatchState,
    drawn: &Overlay<'_>,
    theme: Theme,
) -> String {
    painted(position, state, drawn, theme, true)
}

/// Draws the board as a part of a larger drawing that has the board's style: its left upper corner there, so wide.
pub(super) fn board_within(
    position: &Position,
    state: &MatchState,
    drawn: &Overlay<'_>,
    (x, y, width): (f64, f64, f64),
    outlines: bool,
) -> String {
    let height = width * TOTAL_HEIGHT / TOTAL_WIDTH;
    let place = format!("<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height:.1}\"");
    element(position, state, drawn, outlines, "").replacen("<svg", &place, 1)
}

fn painted(
    position: &Position,
    state: &MatchState,
    drawn: &Overlay<'_>,
    theme: Theme,
    outlines: bool,
) -> String {
    let page = format!(
        "<style>{}</style><rect width=\"{TOTAL_WIDTH}\" height=\"{TOTAL_HEIGHT}\" fill=\"var(--page)\"/>",
        rules()
    );
    theme.fixed(&element(position, state, drawn, outlines, &page))
}

/// Style of a text: class, size, true if bold, and colour.
type Ink = (&'static str, f64, bool, &'static str);
const NOTE: Ink = ("", 14.0, true, "var(--text)");
const NUMBER: Ink = ("n", 11.0, false, "var(--text)");
const ON_LIGHT: Ink = ("mt", 14.0, true, "#1d1a16");
const ON_DARK: Ink = ("tt", 14.0, true, "#fff");

fn element(
    position: &Position,
    state: &MatchState,
    drawn: &Overlay<'_>,
    outlines: bool,
    style: &str,
) -> String {
    let mut picture = Picture {
        text: String::with_capacity(8 << 10),
        clockwise: drawn.clockwise,
        dark: drawn.dark,
        outlines,
    };
    let me = position.me();
    let opponent = position.opponent();
    let text = &mut picture.text;
    let _ = write!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"b\" role=\"img\" viewBox=\"0 0 {TOTAL_WIDTH} {TOTAL_HEIGHT}\">\
         {style}<title>Backgammon position: on roll {} pips, opponent {} pips</title>",
        me.pips(),
        opponent.pips()
    );
    picture.board();
    for (side, mine) in [(me, true), (opponent, false)] {
        picture.checkers(side, mine);
        picture.off(state.variant.off(side), mine);
    }
    picture.cube(state);
    picture.notes(position, state);
    if let Some(roll) = drawn.roll {
        picture.dice(roll);
    }
    if let Some(play) = drawn.play {
        for (from, to) in arrows(&me, state.variant, play) {
            picture.arrow(from, to);
        }
    }
    picture.text.push_str("</svg>");
    picture.text
}

/// Returns each arrow from the checker that moves to its new place: point and height of both.
fn arrows(me: &Side, variant: Variant, play: &Play) -> Vec<((usize, u8), (usize, u8))> {
    let mut counts: [u8; OFF + 1] = std::array::from_fn(|index| match index {
        OFF => variant.off(*me),
        _ => me.count(index),
    });
    let mut arrows: Vec<((usize, u8), (usize, u8))> = Vec::new();
    for step in play.steps() {
        let (from, to) = (usize::from(step.from), usize::from(step.to).min(OFF));
        counts[from] = counts[from].saturating_sub(1);
        let (leaves, mut joins) = (counts[from], counts[to]);
        counts[to] = counts[to].saturating_add(1);
        // On one side of the board the arrows of a doublet would cross: the upper checker stays the upper one.
        if (from < 12) == (to < 12) && to != OFF {
            let same = arrows
                .iter_mut()
                .filter(|arrow| arrow.0.0 == from && arrow.1.0 == to);
            for arrow in same {
                std::mem::swap(&mut arrow.1.1, &mut joins);
            }
        }
        arrows.push(((from, leaves), (to, joins)));
    }
    arrows
}

struct Picture {
    text: String,
    clockwise: bool,
    dark: bool,
    /// True for letters drawn as lines.
    outlines: bool,
}

impl Picture {
    /// Writes with its middle at `x`.
    fn write(&mut self, x: f64, y: f64, ink: Ink, text: &str) {
        let (class, size, bold, colour) = ink;
        if self.outlines {
            letters::draw(
                &mut self.text,
                (x, y, Anchor::Middle),
                size,
                bold,
                colour,
                text,
            );
            return;
        }
        let class = match class {
            "" => String::new(),
            class => format!(" class=\"{class}\""),
        };
        let _ = write!(self.text, "<text{class} x=\"{x}\" y=\"{y}\">{text}</text>");
    }

    /// Returns true if the checkers of this side are light.
    fn light(&self, mine: bool) -> bool {
        mine != self.dark
    }

    /// Returns the class of the checkers of a side.
    fn class(&self, mine: bool) -> &'static str {
        if self.light(mine) { "m" } else { "t" }
    }

    /// Mirrors a place for a player who plays clockwise.
    fn x(&self, x: f64) -> f64 {
        match self.clockwise {
            true => TOTAL_WIDTH - x,
            false => x,
        }
    }

    /// Returns the middle of a point, of the bar or of the borne-off checkers, by the player's own index.
    fn middle(&self, index: usize) -> f64 {
        self.x(match index {
            BAR => MARGIN + 6.5 * WIDTH,
            OFF => TOTAL_WIDTH - MARGIN / 2.0,
            _ => {
                let column = match index < 12 {
                    true => 11 - index,
                    false => index.saturating_sub(12).min(11),
                };
                let bar = f64::from(u8::from(column >= 6));
                MARGIN + (column as f64 + bar + 0.5) * WIDTH
            }
        })
    }

    fn board(&mut self) {
        let _ = write!(
            self.text,
            "<rect x=\"{MARGIN}\" y=\"{EDGE}\" width=\"{}\" height=\"{HEIGHT}\" fill=\"var(--board)\" stroke=\"var(--edge)\" stroke-width=\"3\"/>",
            13.0 * WIDTH
        );
        for index in 0..24 {
            let middle = self.middle(index);
            let (base, tip, label) = match index < 12 {
                true => (EDGE + HEIGHT, EDGE + HEIGHT - 165.0, EDGE + HEIGHT + 14.0),
                false => (EDGE, EDGE + 165.0, EDGE - 6.0),
            };
            let colour = if index % 2 == 0 { "even" } else { "odd" };
            let half = WIDTH / 2.0;
            let (left, right) = (middle - half, middle + half);
            let _ = write!(
                self.text,
                "<path d=\"M{left} {base}L{middle} {tip}L{right} {base}z\" fill=\"var(--{colour})\"/>"
            );
            self.write(middle, label, NUMBER, &(index + 1).to_string());
        }
        let bar = self.middle(BAR) - WIDTH / 2.0;
        let _ = write!(
            self.text,
            "<rect x=\"{bar}\" y=\"{EDGE}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"var(--edge)\"/>"
        );
    }

    /// Returns the height of a checker: the first stands at the edge.
    fn height(index: usize, place: u8) -> f64 {
        let away = RADIUS + 1.0 + f64::from(place) * 2.0 * (RADIUS - 1.0);
        match index {
            // The bar fills from the middle towards the player's own side.
            BAR => EDGE + HEIGHT / 2.0 + 30.0 + f64::from(place) * 2.0 * (RADIUS - 1.0),
            0..12 => EDGE + HEIGHT - away,
            _ => EDGE + away,
        }
    }

    fn checkers(&mut self, side: Side, mine: bool) {
        for index in 0..=BAR {
            let count = side.count(index);
            let shown = if index == BAR {
                count.min(STACK - 1)
            } else {
                count.min(STACK)
            };
            // The opponent counts the points from the other end, and enters from the other side.
            let seen = match (mine, index) {
                (false, 0..24) => 23 - index,
                _ => index,
            };
            let x = self.middle(seen);
            for place in 0..shown {
                let mut y = Self::height(seen, place);
                if index == BAR && !mine {
                    y = TOTAL_HEIGHT - y;
                }
                let class = self.class(mine);
                let _ = write!(
                    self.text,
                    "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\"/>"
                );
                if place + 1 == shown && count > shown {
                    let ink = if self.light(mine) { ON_LIGHT } else { ON_DARK };
                    self.write(x, y + 5.0, ink, &count.to_string());
                }
            }
        }
    }

    /// Draws the checkers that a side has borne off.
    fn off(&mut self, count: u8, mine: bool) {
        let x = self.middle(OFF) - 15.0;
        for place in 0..count {
            let away = 10.0 * f64::from(place) + 9.0;
            let y = match mine {
                true => EDGE + HEIGHT - away,
                false => EDGE + away - 8.0,
            };
            let class = self.class(mine);
            let _ = write!(
                self.text,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"30\" height=\"8\" rx=\"2\"/>"
            );
        }
    }

    fn cube(&mut self, state: &MatchState) {
        if state.score.is_crawford() {
            return;
        }
        let (middle, value) = (EDGE + HEIGHT / 2.0, state.cube.value());
        let y = match state.cube.owner() {
            CubeOwner::Centred => middle,
            CubeOwner::Me => EDGE + HEIGHT - 20.0,
            CubeOwner::Opponent => EDGE + 20.0,
        };
        let x = self.x(MARGIN / 2.0);
        // A centred cube shows 64.
        let shown = if value == 1 { 64 } else { value };
        let (left, top, base) = (x - 16.0, y - 16.0, y + 5.0);
        let _ = write!(
            self.text,
            "<rect class=\"d\" x=\"{left}\" y=\"{top}\" width=\"32\" height=\"32\" rx=\"4\"/>"
        );
        self.write(x, base, ON_LIGHT, &shown.to_string());
    }

    fn notes(&mut self, position: &Position, state: &MatchState) {
        let x = self.x(MARGIN + 6.5 * WIDTH);
        let away = |mine: bool| match state.score.is_money() {
            true => String::new(),
            false => {
                let needs = if mine {
                    state.score.my_away()
                } else {
                    state.score.opponent_away()
                };
                let crawford = if state.score.is_crawford() {
                    ", Crawford"
                } else {
                    ""
                };
                format!(", {needs} away{crawford}")
            }
        };
        let (below, above) = (TOTAL_HEIGHT - 3.0, 13.0);
        let (mine, theirs) = (position.me().pips(), position.opponent().pips());
        self.write(x, below, NOTE, &format!("{mine} pips{}", away(true)));
        self.write(x, above, NOTE, &format!("{theirs} pips{}", away(false)));
    }

    fn dice(&mut self, roll: Roll) {
        let middle = EDGE + HEIGHT / 2.0;
        let (side, spot) = if self.dark { ("e", "q") } else { ("d", "p") };
        // In the half of the home board, the larger at the left, whichever half that is.
        let between = self.x(MARGIN + 10.2 * WIDTH);
        for (die, side_of) in roll.dice().into_iter().zip([-0.6, 0.6]) {
            let x = between + side_of * WIDTH;
            let (left, top) = (x - 17.0, middle - 17.0);
            let _ = write!(
                self.text,
                "<rect class=\"{side}\" x=\"{left}\" y=\"{top}\" width=\"34\" height=\"34\" rx=\"6\"/>"
            );
            let spots: &[(i8, i8)] = match die {
                1 => &[(0, 0)],
                2 => &[(-1, -1), (1, 1)],
                3 => &[(-1, -1), (0, 0), (1, 1)],
                4 => &[(-1, -1), (1, 1), (-1, 1), (1, -1)],
                5 => &[(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
                _ => &[(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)],
            };
            for &(across, down) in spots {
                let (x, y) = (
                    x + 10.0 * f64::from(across),
                    middle + 10.0 * f64::from(down),
                );
                let _ = write!(
                    self.text,
                    "<circle class=\"{spot}\" cx=\"{x}\" cy=\"{y}\" r=\"3.2\"/>"
                );
            }
        }
    }

    /// Returns the height of the checker at this place; checkers beyond the last drawn one share its height.
    fn stands(index: usize, place: u8) -> f64 {
        match index {
            OFF => EDGE + HEIGHT - 5.0 - 10.0 * f64::from(place),
            BAR => Self::height(BAR, place.min(STACK - 2)),
            _ => Self::height(index, place.min(STACK - 1)),
        }
    }

    /// Draws an arrow of one step, bent so that parallel steps can be distinguished.
    fn arrow(&mut self, (from, leaves): (usize, u8), (to, joins): (usize, u8)) {
        let (x, y) = (self.middle(from), Self::stands(from, leaves));
        let to_y = Self::stands(to, joins);
        let to_x = self.middle(to);
        let middle = EDGE + HEIGHT / 2.0;
        let bend_x = f64::midpoint(x, to_x);
        let bend_y = f64::midpoint(f64::midpoint(y, to_y), middle);
        // The head points the way the curve ends.
        let (dx, dy) = (to_x - bend_x, to_y - bend_y);
        let length = dx.hypot(dy).max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        let (base_x, base_y) = (to_x - 13.0 * ux, to_y - 13.0 * uy);
        let _ = write!(
            self.text,
            "<path class=\"a\" d=\"M{x:.1} {y:.1}Q{bend_x:.1} {bend_y:.1} {base_x:.1} {base_y:.1}\"/>\
             <path class=\"h\" d=\"M{to_x:.1} {to_y:.1}L{:.1} {:.1}L{:.1} {:.1}z\"/>",
            base_x - 7.0 * uy,
            base_y + 7.0 * ux,
            base_x + 7.0 * uy,
            base_y - 7.0 * ux
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::Step;

    /// Checkers of a doublet keep their order on one side of the board, and turn it round between the sides.
    #[test]
    fn arrows_of_a_doublet_do_not_cross() {
        let heights = |steps: &[(u8, u8)]| {
            let steps: Vec<Step> = (steps.iter())
                .map(|&(from, to)| Step { from, to })
                .collect();
            let play = Play::from_steps(&steps).unwrap();
            let found = arrows(&Position::start().me(), Variant::Backgammon, &play);
            found
                .iter()
                .map(|arrow| (arrow.0.1, arrow.1.1))
                .collect::<Vec<_>>()
        };
        assert_eq!(heights(&[(23, 17), (23, 17)]), [(1, 1), (0, 0)]);
        assert_eq!(heights(&[(5, 4), (5, 4), (5, 4)]), [(4, 2), (3, 1), (2, 0)]);
        assert_eq!(heights(&[(12, 6), (12, 6)]), [(4, 0), (3, 1)]);
    }

    /// Every checker, whichever way round; a play has its arrows.
    #[test]
    fn everything_is_drawn() {
        let play = Play::from_steps(&[Step { from: 7, to: 4 }, Step { from: 5, to: 4 }]).unwrap();
        for clockwise in [false, true] {
            let drawn = Overlay {
                roll: Some(Roll::of(3, 1)),
                play: Some(&play),
                clockwise,
                dark: false,
            };
            let text = svg_board(&Position::start(), &MatchState::default(), &drawn);
            assert_eq!(text.matches("class=\"m\"").count(), 15);
            assert_eq!(text.matches("class=\"t\"").count(), 15);
            assert_eq!(text.matches("class=\"a\"").count(), 2);
            assert_eq!(text.matches("class=\"p\"").count(), 4);
            assert!(text.contains("167 pips") && text.contains(">64<"));
        }
        let file = svg_file(
            &Position::start(),
            &MatchState::default(),
            &Overlay::default(),
            None,
        );
        assert!(file.contains("prefers-color-scheme:dark"));
    }

    /// A picture in fixed colours has no variables; one in lines no text; the sides may change colours.
    #[test]
    fn themes_outlines_and_colours() {
        let (start, state) = (Position::start(), MatchState::default());
        let dark = Overlay {
            roll: Some(Roll::of(6, 5)),
            dark: true,
            ..Overlay::default()
        };
        for &theme in Theme::ALL {
            assert_eq!(Theme::named(theme.name), Some(theme));
            let text = svg_file(&start, &state, &dark, Some(theme));
            assert!(
                !text.contains("var(") && text.contains("<text"),
                "{}",
                theme.name
            );
            assert_eq!(text.matches("class=\"q\"").count(), 11);
            let lines = svg_outlines(&start, &state, &dark, theme);
            assert!(!lines.contains("var(") && !lines.contains("<text"));
        }
        let lowest = |drawn: &Overlay<'_>| {
            let text = svg_board(&start, &state, drawn);
            let at = text.find("<circle class=").unwrap();
            text[at + 15..].chars().next()
        };
        assert_eq!(lowest(&dark), Some('t'));
        assert_eq!(lowest(&Overlay::default()), Some('m'));
    }

    #[test]
    fn checkers_that_are_off_or_too_many() {
        let mut me = [0; 25];
        me[0] = 7;
        let mut opponent = [0; 25];
        opponent[BAR] = 2;
        opponent[3] = 1;
        let position = Position::new(&me, &opponent).unwrap();
        let text = svg_board(&position, &MatchState::default(), &Overlay::default());
        assert_eq!(text.matches("<rect class=\"m\"").count(), 8);
        assert_eq!(text.matches("<rect class=\"t\"").count(), 12);
        assert_eq!(text.matches("<circle class=\"m\"").count(), 5);
        assert!(text.contains(">7</text>"));
    }
}
