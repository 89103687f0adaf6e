//! A match in GNU Backgammon's `.sgf`, with remarks at its actions.

use super::notes::{MatchNotes, SgfNote};
use super::record::{MatAction, MatGame, MatPlayer, MatchFile, SetUp};
use crate::notation::steps_made;
use crate::{BAR, OFF, Play, Roll, Variant};
use std::fmt::Write as _;

/// The property that names the program, in files of ours.
const PROGRAM: &str = "AP[gammond:";

/// Headers of a match with their properties.
const HEADERS: [(&str, &str); 7] = [
    ("Player 1 Elo", "WR"),
    ("Player 2 Elo", "BR"),
    ("Event", "EV"),
    ("Round", "RO"),
    ("Site", "PC"),
    ("Transcriber", "AN"),
    ("Comment", "GC"),
];

/// Returns true if this library wrote the file.
pub(super) fn is_ours(file: &[u8]) -> bool {
    let head = file.get(..200).unwrap_or(file);
    (head.windows(PROGRAM.len())).any(|bytes| bytes == PROGRAM.as_bytes())
}

/// Returns the match with the notes at its actions.
pub(super) fn annotated(file: &MatchFile, notes: &MatchNotes<'_>) -> String {
    file.sgf(notes.crawford, notes.at)
}

impl MatchFile {
    /// Returns the match as GNU Backgammon's `.sgf`. `crawford` gives the Crawford flag of each game. `note` returns
    /// the annotation of an action: game and action from 0, the action after the last one for a resignation.
    #[must_use]
    pub fn sgf(&self, crawford: &[bool], note: &dyn Fn(usize, usize) -> Option<SgfNote>) -> String {
        let mut text = String::new();
        for (number, game) in self.games.iter().enumerate() {
            let crawford = crawford.get(number) == Some(&true);
            self.game(&mut text, (number, game), crawford, note);
        }
        text
    }

    fn game(
        &self,
        text: &mut String,
        (number, game): (usize, &MatGame),
        crawford: bool,
        note: &dyn Fn(usize, usize) -> Option<SgfNote>,
    ) {
        let [white, black] = self.names.each_ref().map(|name| escaped(name));
        let [ws, bs] = game.scores;
        let _ = write!(
            text,
            "(;FF[4]GM[6]CA[UTF-8]{PROGRAM}{}]MI[length:{}][game:{number}][ws:{ws}][bs:{bs}]PW[{white}]PB[{black}]",
            env!("CARGO_PKG_VERSION"),
            self.length
        );
        if let Some(date) = self.header("EventDate") {
            let _ = write!(text, "DT[{}]", escaped(&date.replace('.', "-")));
        }
        for (key, property) in HEADERS {
            if let Some(value) = self.header(key) {
                let _ = write!(text, "{property}[{}]", escaped(value));
            }
        }
        let rules = self.rules(game, crawford);
        if !rules.is_empty() {
            let _ = write!(text, "RU[{rules}]");
        }
        let mut position = self.start().unwrap_or_default();
        let automatic = (game.automatic_cube(&position)).filter(|value| *value > 1);
        if let Some(value) = automatic {
            let _ = write!(text, "CV[{value}]");
        }
        let (mut on_roll, mut ended) = (None, false);
        let mut body = String::new();
        for (place, &(player, action)) in game.actions.iter().enumerate() {
            if on_roll.is_some_and(|last| last != player) {
                position = position.swapped();
            }
            on_roll = Some(player);
            let side = letter(player);
            let _ = match action {
                MatAction::Play { roll, play } => {
                    position = steps_made(&position, &play).unwrap_or(position);
                    ended = position.is_over();
                    write!(body, "\n;{side}[{}]", letters(player, roll, &play))
                }
                MatAction::Rolled(roll) => {
                    let [one, two] = roll.dice();
                    write!(body, "\n;PL[{side}]DI[{one}{two}]")
                }
                MatAction::Double(_) | MatAction::Beaver(_) => write!(body, "\n;{side}[double]"),
                MatAction::Take => write!(body, "\n;{side}[take]"),
                MatAction::Drop => {
                    ended = true;
                    write!(body, "\n;{side}[drop]")
                }
                MatAction::SetUp(_) if place == 0 && automatic.is_some() => Ok(()),
                MatAction::SetUp(set_up) => {
                    position = set_up.position;
                    body.push_str(&nodes(player, &set_up));
                    Ok(())
                }
            };
            remark(&mut body, note(number, place));
        }
        if let Some((winner, points)) = game.result {
            let resigned = if ended || game.settled { "" } else { "R" };
            let _ = write!(text, "RE[{}+{points}{resigned}]", letter(winner));
        }
        text.push_str(&body);
        remark(text, note(number, game.actions.len()));
        text.push_str(")\n");
    }

    fn rules(&self, game: &MatGame, crawford: bool) -> String {
        let mut rules = Vec::new();
        match self.length {
            0 if self.jacoby(game) != Some(false) => rules.push("Jacoby"),
            0 | 1 => {}
            _ if self.switch("Crawford") != Some(false) => rules.push("Crawford"),
            _ => {}
        }
        if crawford {
            rules.push("CrawfordGame");
        }
        // Our own word: gnubg's files do not say it, and gnubg passes over it.
        if self.length == 0 && self.switch("Beaver") == Some(false) {
            rules.push("NoBeavers");
        }
        rules.extend(match self.variant().unwrap_or_default() {
            Variant::Backgammon => None,
            Variant::Nackgammon => Some("Nackgammon"),
            Variant::Hypergammon => Some("Hypergammon3"),
            Variant::Hypergammon2 => Some("Hypergammon2"),
            Variant::Hypergammon1 => Some("Hypergammon1"),
        });
        rules.join(":")
    }
}

fn remark(text: &mut String, note: Option<SgfNote>) {
    let Some(SgfNote {
        properties,
        comment,
    }) = note
    else {
        return;
    };
    text.push_str(&properties);
    if !comment.is_empty() {
        let _ = write!(text, "C[{}]", escaped(&comment));
    }
}

const fn letter(player: MatPlayer) -> char {
    match player {
        MatPlayer::First => 'W',
        MatPlayer::Second => 'B',
    }
}

/// Escapes the characters that end a value.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text
        .chars()
        .filter(|&sign| sign == '\n' || !sign.is_control())
    {
        if matches!(sign, ']' | '\\') {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}

/// Returns a board and a cube that were set up: three nodes, as programs read one property a node.
fn nodes(player: MatPlayer, set_up: &SetUp) -> String {
    let mut text = format!("\n;PL[{}]AE[a:y]", letter(player));
    let sides = match player {
        MatPlayer::First => set_up.position,
        MatPlayer::Second => set_up.position.swapped(),
    };
    for (side, checkers) in [
        (MatPlayer::First, sides.me()),
        (MatPlayer::Second, sides.opponent()),
    ] {
        let counts = checkers.counts();
        let places = (0_u8..).zip(counts).filter(|&(_, count)| count > 0);
        for (number, (place, count)) in places.enumerate() {
            if number == 0 {
                let _ = write!(text, "A{}", letter(side));
            }
            let place = format!("[{}]", point(side, place));
            text.push_str(&place.repeat(usize::from(count)));
        }
    }
    let owner = set_up
        .owner
        .map_or('c', |owner| letter(owner).to_ascii_lowercase());
    let _ = write!(text, "\n;CV[{}]\n;CP[{owner}]", set_up.value);
    text
}

/// Returns the letter of a point.
fn point(player: MatPlayer, point: u8) -> char {
    match (usize::from(point), player) {
        (BAR, _) => 'y',
        (OFF, _) => 'z',
        (_, MatPlayer::First) => char::from(b'a' + point.min(23)),
        (_, MatPlayer::Second) => char::from(b'x' - point.min(23)),
    }
}

/// Formats `31qtst`: the dice, and a pair of letters for each step.
fn letters(player: MatPlayer, roll: Roll, play: &Play) -> String {
    let [one, two] = roll.dice();
    let mut text = format!("{one}{two}");
    for step in play.steps() {
        text.push(point(player, step.from));
        text.push(point(player, step.to));
    }
    text
}
