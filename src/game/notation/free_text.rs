//! Replaces the words and signs that people and language models write around a play by the form that the parser reads.
//!
//! Every replacement keeps the length of the text, so that the place of an error is the place in the original. Rules
//! PLAY-30 to PLAY-34 of `protocol-specs/play-notation.md`.

use crate::Roll;

/// Signs and their plain forms; blanks fill the rest of the length.
const SIGNS: [(&str, u8); 27] = [
    ("→", b'/'),
    ("➔", b'/'),
    ("➜", b'/'),
    ("⇒", b'/'),
    ("->", b'/'),
    ("=>", b'/'),
    ("–", b'-'),
    ("—", b'-'),
    ("−", b'-'),
    ("‑", b'-'),
    ("×", b'x'),
    ("\u{a0}", b' '),
    ("“", b' '),
    ("”", b' '),
    ("„", b' '),
    ("‘", b' '),
    ("’", b' '),
    ("«", b' '),
    ("»", b' '),
    ("\"", b' '),
    ("'", b' '),
    ("`", b' '),
    ("[", b' '),
    ("]", b' '),
    ("{", b' '),
    ("}", b' '),
    ("&", b' '),
];

/// Words and their plain forms.
const WORDS: [(&str, u8); 4] = [("to", b'/'), ("and", b' '), ("then", b' '), ("from", b' ')];

/// Words that may stand before a play without a colon.
const LEAD_INS: [&str; 8] = ["best", "i", "is", "move", "moves", "my", "play", "plays"];

/// Texts of a pass, without blanks and signs.
const PASSES: [&str; 15] = [
    "cannotmove",
    "cannotplay",
    "cantmove",
    "dance",
    "dances",
    "fan",
    "fans",
    "nolegalmove",
    "nolegalmoves",
    "nolegalplay",
    "nolegalplays",
    "nomove",
    "noplay",
    "pass",
    "passes",
];

/// Returns the text with labels, brackets, final dots and other spellings of `/` and `(n)` replaced. `roll` is the
/// one that may stand in a label (`31: 8/5 6/5`).
pub(super) fn plain_form(text: &[u8], roll: Roll) -> Vec<u8> {
    let mut plain = text.to_vec();
    for (sign, byte) in SIGNS {
        replace(&mut plain, sign.as_bytes(), byte, |_, _| true);
    }
    remove_label(&mut plain, roll);
    for (word, byte) in WORDS {
        replace(&mut plain, word.as_bytes(), byte, |before, after| {
            !before.is_some_and(|byte| byte.is_ascii_alphabetic())
                && !after.is_some_and(|byte| byte.is_ascii_alphabetic())
        });
    }
    for sign in ["+", ".", "!"] {
        replace(&mut plain, sign.as_bytes(), b' ', |_, after| {
            after.is_none_or(|byte| byte.is_ascii_whitespace() || b".!".contains(&byte))
        });
    }
    remove_brackets(&mut plain);
    plain
}

/// Returns true for a text meaning that no checker moves (PLAY-33).
pub(super) fn is_pass(plain: &[u8]) -> bool {
    if plain.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let letters = plain.iter().filter(|byte| byte.is_ascii_alphabetic());
    let letters: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
    PASSES.iter().any(|pass| pass.as_bytes() == letters)
}

/// Returns the text with `/` in place of each hyphen between two points.
pub(super) fn hyphens_as_slashes(plain: &[u8]) -> Vec<u8> {
    let is_point = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'*';
    let mut joined = plain.to_vec();
    for (index, byte) in joined.iter_mut().enumerate() {
        let (before, after) = plain.split_at(index);
        let between = before.last().is_some_and(is_point) && after.get(1).is_some_and(is_point);
        if *byte == b'-' && between {
            *byte = b'/';
        }
    }
    joined
}

/// Replaces `found` by `byte` and blanks, where the bytes before and after it fit. Case does not matter.
fn replace(text: &mut [u8], found: &[u8], byte: u8, fits: impl Fn(Option<u8>, Option<u8>) -> bool) {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| rest.len() >= found.len()) {
        let same = rest
            .iter()
            .zip(found)
            .all(|(a, b)| a.eq_ignore_ascii_case(b));
        let before = at.checked_sub(1).and_then(|index| text.get(index));
        if !same || !fits(before.copied(), rest.get(found.len()).copied()) {
            at += 1;
            continue;
        }
        for (index, place) in text.iter_mut().skip(at).take(found.len()).enumerate() {
            *place = if index == 0 { byte } else { b' ' };
        }
        at += found.len();
    }
}

/// Blanks a label: words and the roll before a colon, and the words that lead in a play (PLAY-31).
fn remove_label(text: &mut [u8], roll: Roll) {
    let end = text.iter().position(|&byte| byte == b':');
    if let Some(end) = end {
        let label = text.get(..end).unwrap_or_default();
        let dice: Vec<u8> = label.iter().copied().filter(u8::is_ascii_digit).collect();
        let (high, low) = (b'0' + roll.high(), b'0' + roll.low());
        let meant = dice.is_empty() || dice == [high, low] || dice == [low, high];
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t,-*#".contains(byte);
        if meant && label.iter().all(plain) {
            text.iter_mut().take(end + 1).for_each(|byte| *byte = b' ');
        }
    }
    loop {
        let start = text.iter().position(|byte| !byte.is_ascii_whitespace());
        let start = start.unwrap_or(text.len());
        let letters = text.iter().skip(start);
        let length = letters
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let word = text.get(start..start + length).unwrap_or_default();
        if !LEAD_INS
            .iter()
            .any(|lead| lead.as_bytes().eq_ignore_ascii_case(word))
        {
            return;
        }
        let word = text.iter_mut().skip(start).take(length);
        word.for_each(|byte| *byte = b' ');
    }
}

/// Blanks brackets around plays, and writes `x2` as the repetition `(2` (PLAY-32).
fn remove_brackets(text: &mut [u8]) {
    for index in 0..text.len() {
        let (Some(&byte), rest) = (text.get(index), text.get(index + 1..).unwrap_or_default())
        else {
            return;
        };
        let inside = rest.iter().take_while(|&&byte| byte != b')');
        let counts = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_whitespace();
        let digits: Vec<u8> = (rest.iter().copied())
            .skip_while(u8::is_ascii_whitespace)
            .take_while(|byte| !byte.is_ascii_whitespace() && *byte != b',')
            .collect();
        let replacement = match byte {
            b'(' if !inside.clone().all(counts) => b' ',
            b'x' | b'X' if matches!(digits[..], [b'2'..=b'4'] | [b'2'..=b'4', b')']) => b'(',
            _ => byte,
        };
        if let Some(place) = text.get_mut(index) {
            *place = replacement;
        }
    }
}
