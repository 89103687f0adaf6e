//! Colours of pictures: sets of them with names, and the style sheet that uses them.

use std::fmt::Write as _;

/// A set of colours. The style sheet has them as variables, `--board` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Name of the theme.
    pub name: &'static str,
    colours: [(&'static str, &'static str); 10],
    /// Colours of tables: kinds of cells, bars of gains and losses.
    table_colours: [(&'static str, &'static str); 7],
}

/// Colours and letters of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingStyle {
    /// A file of its own, in the theme's colours or, without one, dark where the reader's system is dark.
    File(Option<Theme>),
    /// A file for a program without fonts: text is drawn as lines.
    Outlines(Theme),
}

macro_rules! themes {
    ($($(#[$doc:meta])* $constant:ident $name:literal $page:literal $board:literal $edge:literal $even:literal
       $odd:literal $mine:literal $theirs:literal $line:literal $text:literal $arrow:literal
       [$kind0:literal $kind1:literal $kind2:literal $kind3:literal $kind4:literal $gain:literal $loss:literal];)+) => {
        impl Theme {
            $($(#[$doc])*
            pub const $constant: Theme = Theme {
                name: $name,
                colours: [
                    ("page", $page),
                    ("board", $board),
                    ("edge", $edge),
                    ("even", $even),
                    ("odd", $odd),
                    ("mine", $mine),
                    ("theirs", $theirs),
                    ("line", $line),
                    ("text", $text),
                    ("arrow", $arrow),
                ],
                table_colours: [
                    ("kind0", $kind0),
                    ("kind1", $kind1),
                    ("kind2", $kind2),
                    ("kind3", $kind3),
                    ("kind4", $kind4),
                    ("gain", $gain),
                    ("loss", $loss),
                ],
            };)+

            /// All themes.
            pub const ALL: &'static [Theme] = &[$(Theme::$constant),+];
        }
    };
}

themes! {
    // name, page, board, edge, even and odd points, light and dark checkers, their outline, text, arrows; kinds of cells,
    // bars of gains and losses
    /// Wood on white.
    LIGHT "light" "#ffffff" "#f3ead8" "#6b5436" "#c9ad7f" "#9c7446" "#fffdf6" "#2d2a26" "#1d1a16" "#1d1a16" "#0b5cad"
        ["#e6e9ec" "#bfe5c6" "#bcd7f5" "#f6dca0" "#e9c9ee" "#2f7d4f" "#a11212"];
    /// For dark pages.
    DARK "dark" "#1b1e21" "#2b2f33" "#8a8f94" "#4d555c" "#69737c" "#f4f1e8" "#0c0d0e" "#c9ced3" "#e8e6e1" "#7db8ff"
        ["#33383d" "#1f5331" "#1d4673" "#664c0c" "#5a3263" "#6cc48d" "#ff9a8d"];
    /// Felt.
    GREEN "green" "#ffffff" "#2f6b4f" "#4a3423" "#d9c9a3" "#a4463c" "#fffdf6" "#23211f" "#e9e4d8" "#1d1a16" "#ffd23f"
        ["#e6e9ec" "#bfe5c6" "#bcd7f5" "#f6dca0" "#e9c9ee" "#2f7d4f" "#a11212"];
    /// For paper: no colour.
    PRINT "print" "#ffffff" "#ffffff" "#4d4d4d" "#dddddd" "#aaaaaa" "#ffffff" "#222222" "#000000" "#000000" "#555555"
        ["#ffffff" "#dddddd" "#bbbbbb" "#eeeeee" "#cccccc" "#999999" "#333333"];
}

/// Style rules that use the variables.
const RULES: &str = "\
.b text{font:600 14px system-ui,sans-serif;fill:var(--text);text-anchor:middle}\
.b .n{font-size:11px;font-weight:400}.b .m{fill:var(--mine);stroke:#1d1a16;stroke-width:1.6}\
.b .t{fill:var(--theirs);stroke:var(--line);stroke-width:1.6}.b .mt{fill:#1d1a16}.b .tt{fill:#fff}\
.b .d{fill:var(--mine);stroke:#1d1a16}.b .p{fill:#1d1a16}.b .e{fill:var(--theirs);stroke:var(--line)}.b .q{fill:#fff}\
.b .a{fill:none;stroke:var(--arrow);stroke-width:4;stroke-opacity:.85}.b .h{fill:var(--arrow)}";

impl Theme {
    /// Returns the theme with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Theme> {
        Theme::ALL.iter().copied().find(|theme| theme.name == name)
    }

    /// Returns the text with these colours in place of the variables: for programs without variables.
    #[must_use]
    pub(super) fn fixed(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, colour) in self.colours.into_iter().chain(self.table_colours) {
            text = text.replace(&format!("var(--{name})"), colour);
        }
        text
    }

    fn variables(colours: &[(&str, &str)]) -> String {
        let mut text = String::from(":root{");
        for (name, colour) in colours {
            let _ = write!(text, "--{name}:{colour};");
        }
        text + "}"
    }
}

/// Returns the style sheet of pages with boards: light, and dark where the reader's system is dark.
#[must_use]
pub fn board_style() -> String {
    format!("{}{RULES}", of_system(|theme| &theme.colours))
}

/// Returns the style sheet of drawings with boards and tables: as [`board_style`], with the colours of tables.
pub(super) fn table_style() -> String {
    board_style() + &of_system(|theme| &theme.table_colours)
}

/// Returns the variables of a light theme, and of a dark one where the reader's system is dark.
fn of_system(colours: fn(&Theme) -> &[(&'static str, &'static str)]) -> String {
    format!(
        "{}@media(prefers-color-scheme:dark){{{}}}",
        Theme::variables(colours(&Theme::LIGHT)),
        Theme::variables(colours(&Theme::DARK))
    )
}

/// Returns the rules alone.
pub(super) const fn rules() -> &'static str {
    RULES
}
