//! A match written as OGXM: the bytes that its own library writes for it.

use super::format::NotWritable;
use super::ogxm::{
    AUTOMATIC_DOUBLES, DOUBLE, DROP, END, MAGIC, MAJOR, MORE, RESIGNED, TAKE, WHITE, number_of,
};
use super::record::{MatAction, MatGame, MatPlayer, MatchFile, VARIATIONS};
use crate::notation::played::legal_steps;
use crate::{OFF, Play, Position, Roll, Variant};

/// Returns an error in a game, from 1; 0 for the whole match.
const fn refused(game: usize, what: &'static str) -> NotWritable {
    NotWritable {
        game,
        what,
        format: "OGXM",
    }
}

impl MatchFile {
    /// Returns the match as OGXM, version 2, with a checksum.
    ///
    /// # Errors
    /// [`NotWritable`] for what the format has no form for: beavers, rolls without plays, boards that were
    /// set up, illegal plays. Automatic doubles it has. A last roll that was not played is left out.
    pub fn ogxm(&self) -> Result<Vec<u8>, NotWritable> {
        let variant = self.variant();
        let number = (VARIATIONS.iter()).position(|&one| Some(one) == variant.map(Variant::name));
        let (Some(variant), Some(number)) = (variant, number) else {
            return Err(const { refused(0, "this variation") });
        };
        let mut sections = Vec::new();
        section(&mut sections, b"MTCH", &self.match_section(number as u64));
        for (number, game) in (1..).zip(&self.games) {
            let body = game_body(game, variant.start()).map_err(|what| refused(number, what))?;
            section(&mut sections, b"GAME", &body);
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend([MAJOR, 0, 0, 0, 2, 0, 0, 0]);
        // The checksum's section is 17 bytes long, the end 4.
        let length = bytes.len() + 4 + sections.len() + 21;
        let length = u32::try_from(length).map_err(|_| refused(0, "so long a match"))?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(sections);
        let mut sum = vec![7, 0, 0, 4];
        sum.extend(crc32fast::hash(&bytes).to_le_bytes());
        section(&mut bytes, b"CSUM", &sum);
        bytes.extend(END);
        Ok(bytes)
    }

    /// Returns the record of the whole match.
    fn match_section(&self, variation: u64) -> Vec<u8> {
        let mut record = Vec::new();
        let first = self.games.first();
        let scores = first.map_or([0, 0], |game| game.scores);
        let started = scores != [0, 0];
        varint(&mut record, 0xa7 | if started { 0x10 } else { 0 });
        varint(&mut record, u64::from(self.length));
        varint(&mut record, variation);
        for name in &self.names {
            let name = if name.is_empty() { "player" } else { name };
            varint(&mut record, name.len() as u64);
            record.extend(name.as_bytes());
        }
        let rules = match self.length {
            0 if self.switch("Jacoby") != Some(false) => 2,
            0 | 1 => 0,
            // A first game that is not the Crawford game at its score comes after it, so the match has none.
            _ if self.switch("Crawford") == Some(false)
                || first.is_some_and(|game| game.crawford == Some(false)) =>
            {
                0
            }
            _ => 1,
        };
        varint(&mut record, rules);
        if started {
            both(&mut record, scores);
        }
        let mut last = scores;
        for game in &self.games {
            if let Some((winner, points)) = game.result
                && let Some(score) = last.get_mut(winner.index())
            {
                *score = score.saturating_add(points);
            }
        }
        both(&mut record, last);
        // From an unknown source.
        varint(&mut record, 0);
        counted(&record)
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        let [low, ..] = value.to_le_bytes();
        out.push(low | 0x80);
        value >>= 7;
    }
    out.extend(u8::try_from(value));
}

fn both(out: &mut Vec<u8>, [first, second]: [u32; 2]) {
    varint(out, u64::from(first));
    varint(out, u64::from(second));
}

fn counted(record: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    varint(&mut out, record.len() as u64);
    out.extend(record);
    out
}

fn section(out: &mut Vec<u8>, tag: &[u8; 4], body: &[u8]) {
    out.extend(tag);
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    out.extend(length.to_le_bytes());
    // A reader must not skip it.
    out.push(1);
    out.extend(body);
}

/// Returns the record of a game that begins with a centred cube of this value, a power of two.
fn game_record(game: &MatGame, cube: u32) -> Vec<u8> {
    let mut record = Vec::new();
    let doubles = if cube > 1 { AUTOMATIC_DOUBLES } else { 0 };
    match game.result {
        None => varint(&mut record, doubles),
        Some((winner, points)) => {
            varint(&mut record, 3 | doubles);
            varint(&mut record, winner.index() as u64);
            varint(&mut record, u64::from(points));
        }
    }
    if cube > 1 {
        varint(&mut record, u64::from(cube.trailing_zeros()));
    }
    record
}

fn game_body(game: &MatGame, start: Position) -> Result<Vec<u8>, &'static str> {
    let automatic = game.automatic_cube(&start);
    let mut out = counted(&game_record(game, automatic.unwrap_or(1)));
    let mut position = start;
    let mut on_roll = None;
    let (mut cube, mut ended) = (automatic.unwrap_or(1), false);
    for (number, &(player, action)) in game.actions.iter().enumerate() {
        if on_roll.is_some_and(|last| last != player) {
            position = position.swapped();
        }
        on_roll = Some(player);
        let seat = seat(player);
        match action {
            MatAction::Play { roll, play } => {
                out.push(number_of(roll) | seat);
                let legal = legal_steps(&position, roll, &play);
                let (play, after) = legal.ok_or("a play that is not legal")?;
                steps(&mut out, player, roll, &play)?;
                position = after.swapped();
                ended = position.is_over();
            }
            MatAction::Double(_) => out.push(DOUBLE | seat),
            MatAction::Take => {
                cube = u32::saturating_mul(cube, 2);
                out.push(TAKE | seat);
            }
            MatAction::Drop => {
                ended = true;
                out.push(DROP | seat);
            }
            MatAction::SetUp(_) if number == 0 && automatic.is_some() => {}
            MatAction::SetUp(_) => return Err("a board or a cube that was set up"),
            // Conceded, or broken off: the roll decided nothing.
            MatAction::Rolled(_) if number + 1 == game.actions.len() => {}
            MatAction::Rolled(_) => return Err("a roll without its play"),
            MatAction::Beaver(_) => return Err("a beaver"),
        }
    }
    if let (Some((winner, points)), false) = (game.result, ended) {
        // The winner's mark; a concession, one to three games.
        out.push(RESIGNED | MORE | seat(winner));
        let games = match points / cube {
            0 | 1 => 1,
            2 => 2,
            _ => 3,
        };
        out.extend([2, 2, games]);
    }
    Ok(out)
}

const fn seat(player: MatPlayer) -> u8 {
    match player {
        MatPlayer::First => WHITE,
        MatPlayer::Second => 0,
    }
}

/// Writes points and pips by White's numbers.
fn steps(
    out: &mut Vec<u8>,
    player: MatPlayer,
    roll: Roll,
    play: &Play,
) -> Result<(), &'static str> {
    let [one, two] = roll.dice();
    let most = if one == two { 4 } else { 2 };
    if play.steps().len() > most {
        return Err("a play of more steps than dice");
    }
    for step in play.steps() {
        let from = step.from + 1;
        let to = if usize::from(step.to) == OFF {
            0
        } else {
            step.to + 1
        };
        let pips = from.checked_sub(to).filter(|pips| (1..=6).contains(pips));
        let pips = pips.ok_or("a play that is not legal")?;
        let from = match player {
            MatPlayer::First => from,
            MatPlayer::Second => 25 - from,
        };
        out.push(from | pips << 5);
    }
    if play.steps().len() < most {
        out.push(0);
    }
    Ok(())
}
