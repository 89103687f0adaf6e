//! Colours of pictures: sets of them with names, and the style sheet that uses them.

use std::fmt::Write as _;

/// A set of colours. The style sheet has them as variables, `--board` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Name of the theme.
    pub name: &'static str,
    colours: [(&'static str, &'static str); 10],
}

macro_rules! themes {
    ($($(#[$doc:meta])* $constant:ident $name:literal $page:literal $board:literal $edge:literal $even:literal
       $odd:literal $mine:literal $theirs:literal $line:literal $text:literal $arrow:literal;)+) => {
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
            };)+

            /// All themes.
            pub const ALL: &'static [Theme] = &[$(Theme::$constant),+];
        }
    };
}

themes! {
    // name, page, board, edge, even and odd points, light and dark checkers, their outline, text, arrows
    /// Wood on white.
    LIGHT "light" "#ffffff" "#f3ead8" "#6b5436" "#c9ad7f" "#9c7446" "#fffdf6" "#2d2a26" "#1d1a16" "#1d1a16" "#0b5cad";
    /// For dark pages.
    DARK "dark" "#1b1e21" "#2b2f33" "#8a8f94" "#4d555c" "#69737c" "#f4f1e8" "#0c0d0e" "#c9ced3" "#e8e6e1" "#7db8ff";
    /// Felt.
    GREEN "green" "#ffffff" "#2f6b4f" "#4a3423" "#d9c9a3" "#a4463c" "#fffdf6" "#23211f" "#e9e4d8" "#1d1a16" "#ffd23f";
    /// For paper: no colour.
    PRINT "print" "#ffffff" "#ffffff" "#4d4d4d" "#dddddd" "#aaaaaa" "#ffffff" "#222222" "#000000" "#000000" "#555555";
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
        for (name, colour) in self.colours {
            text = text.replace(&format!("var(--{name})"), colour);
        }
        text
    }

    fn variables(&self) -> String {
        let mut text = String::from(":root{");
        for (name, colour) in self.colours {
            let _ = write!(text, "--{name}:{colour};");
        }
        text + "}"
    }
}

/// Returns the style sheet of pages with boards: light, and dark where the reader's system is dark.
#[must_use]
pub fn board_style() -> String {
    format!(
        "{}@media(prefers-color-scheme:dark){{{}}}{RULES}",
        Theme::LIGHT.variables(),
        Theme::DARK.variables()
    )
}

/// Returns the rules alone.
pub(super) const fn rules() -> &'static str {
    RULES
}
