//! The lines with another user's own words (FIBS-33): all of them, in one place.
//!
//! Such words can look like any line of the server: a board, a double, the end of a match. A line of one of these
//! forms means nothing to the bot, whatever it contains. The numbered ones (talk is 12 to 19, a stored message 9) are
//! named by their number, so their text is not parsed either.

use super::sentences::{fit, unquoted};

/// Purpose and pattern of each form: `{}` stands for a name, `{*}` for the user's words.
pub const FORMS: &[(&str, &str)] = &[
    ("away message", "{} is away: {*}"),
    ("tell outside CLIP", "{} tells you: {*}"),
    ("say outside CLIP", "{} says: {*}"),
    ("shout outside CLIP", "{} shouts: {*}"),
    ("whisper outside CLIP", "{} whispers: {*}"),
    ("kibitz outside CLIP", "{} kibitzes: {*}"),
    (
        "stored message outside CLIP",
        "{} left a message for you: {*}",
    ),
    ("echo of a tell", "** You tell {}: {*}"),
    ("echo of a say", "** You say: {*}"),
    ("echo of words to oneself", "You say to yourself: {*}"),
    ("own away message", "You're away. {*}"),
    ("own address", "Your email address is {*}"),
    ("head of user information", "Information about {}:{*}"),
    ("address in user information", "Email address: {*}"),
    (
        "address in user information, indented",
        "  Email address: {*}",
    ),
    (
        "last login in user information, indented",
        "  Last login: {*}",
    ),
    (
        "last logout in user information, indented",
        "  Last logout: {*}",
    ),
    ("row of the who list outside CLIP", "who: {*}"),
    ("unknown word", "** Unknown command: '{*}"),
    ("unknown message", "** Don't know {*}"),
];

/// Own words of the bot that the server echoes, so the answer contains no other user's words.
const OWN: &[&str] = &["** Unknown command: 'board'"];

/// Returns true if the line has one of [`FORMS`].
#[must_use]
pub fn carries(line: &str) -> bool {
    // Jibs doubles its apostrophes, or leaves them out.
    let line = line.replace("''", "'");
    let bare = unquoted(&line);
    !OWN.iter().any(|own| line.starts_with(own))
        && FORMS
            .iter()
            .any(|(_, form)| fit(&unquoted(form), &bare).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::{Message, name_line};
    use super::*;

    /// Lines that another user may try to pass off as the server's.
    const WISHES: &[&str] = &[
        "board:You:alice:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:6:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0",
        "alice doubles. Type 'accept' or 'reject'.",
        "alice wants to resign. You will win 1 point. Type 'accept' or 'reject'.",
        "alice accepts the double. The cube shows 2.You win the 3 point match 3-0 .",
        "You win the game and get 1 point. Congratulations!alice drops connection. The game was saved.",
        "alice drops connection. The game was saved.",
        "** You terminated the game. The game was saved.",
        "** You're not playing.",
        "You roll 6 and 6.",
        "> board:You:alice:3:0:0",
        "alice wins the 3 point match 3-0 .",
        "** Player alice has joined you for a 3 point match.",
        "*** ATTENTION ! FIBS will shut down in 3 seconds",
        "12 alice finish",
        "login: ",
    ];

    /// FIBS-33: each form with each setting, as it is and behind prompts.
    #[test]
    fn strict_parsing_rejects_settings_in_every_form() {
        for (what, form) in FORMS {
            for wish in WISHES {
                for prompt in ["", "> ", "> > "] {
                    let text = form.replace("{*}", wish).replace("{}", "mallory");
                    let named = name_line(&format!("{prompt}{text}"));
                    assert_eq!(named, [Message::Noise], "{what}: {prompt}{text}");
                    for quote in ["''", ""] {
                        let changed = name_line(&text.replace('\'', quote));
                        assert_eq!(changed, [Message::Noise], "{what}: {text}");
                    }
                }
            }
        }
    }

    /// FIBS-04, FIBS-33: the numbered messages.
    #[test]
    fn strict_parsing_rejects_settings_in_every_number() {
        for number in 9..=25 {
            for wish in WISHES {
                let named = name_line(&format!("{number} mallory {wish}"));
                let quiet = matches!(named.as_slice(), [Message::Noise | Message::Said { .. }]);
                assert!(quiet, "{number} {wish}: {named:?}");
            }
        }
        for wish in WISHES {
            for number in [7, 8] {
                let named = name_line(&format!("{number} mallory {wish}"));
                let quiet = matches!(
                    named.as_slice(),
                    [Message::LogsIn(name) | Message::LogsOut(name)] if name == "mallory"
                );
                assert!(quiet, "{number} {wish}: {named:?}");
            }
            // Client name and address of a player in the who list.
            let word = wish.replace(' ', "_");
            let named = name_line(&format!(
                "5 mallory - - 1 0 1500.00 0 0 1795224913 h {word} {word}"
            ));
            assert!(
                matches!(named.as_slice(), [Message::Who(who)] if who.name == "mallory"),
                "{wish}: {named:?}"
            );
        }
    }

    /// FIBS-06, FIBS-33: a board counts at the beginning of a line only, whatever stands before it.
    #[test]
    fn a_board_inside_a_line_is_none() {
        for before in [
            "mallory",
            "nosy is ",
            "You roll 3 and 1.",
            "The cube shows 2.",
        ] {
            let named = name_line(&format!("{before}{}", WISHES[0]));
            let none = named
                .iter()
                .all(|message| !matches!(message, Message::Board(_) | Message::BadBoard(_)));
            assert!(none, "{before}: {named:?}");
        }
    }
}
