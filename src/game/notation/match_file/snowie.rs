//! Snowie's line of a position: alone in a file, and in brackets after `Illegal play`.

use super::record::clean;
use super::record::{MatPlayer, MatchFile, SetUp};
use super::recorder::FieldError;
use crate::notation::error::{Code, NotationError, Reason};
use crate::{Cube, CubeOwner, MatchState, POINTS, Position, Roll, Rules, Score};

/// Fields from the value of the cube on: it, its owner, 26 points, two dice.
const FIELDS: usize = 30;
/// Fields before the name of the player on roll; that of the other one follows.
const BEFORE_NAMES: usize = 5;

/// All fields.
const FIELDS_ALL: usize = 40;
const BAD_FIELD: &str = "has a field that is no number, or a side of more than 15 checkers";

/// A position as Snowie and GNU Backgammon write it into a file (PT-12).
pub(in crate::notation) struct SnowiePosition {
    pub(in crate::notation) position: Position,
    pub(in crate::notation) state: MatchState,
    pub(in crate::notation) roll: Option<Roll>,
}

/// The seats of a position: the player on roll, and the names of both.
pub(super) struct Seats {
    pub(super) on_roll: MatPlayer,
    pub(super) names: [String; 2],
}

impl Seats {
    /// Returns the seats of a Snowie line, as GNU Backgammon gives them: the player on roll sits second where the field
    /// before the names is 1.
    pub(super) fn of_snowie(line: &str) -> Seats {
        let mut fields = line.split(';').skip(BEFORE_NAMES - 1);
        let on_roll = match fields.next().map(str::trim) {
            Some("1") => MatPlayer::Second,
            _ => MatPlayer::First,
        };
        let Seats { names, .. } = Seats::default();
        let mut named = names.map(|usual| {
            let name = fields.next().filter(|name| !name.trim().is_empty());
            name.map_or(usual, clean)
        });
        if on_roll == MatPlayer::Second {
            named.reverse();
        }
        Seats {
            on_roll,
            names: named,
        }
    }
}

impl Default for Seats {
    /// Returns the seats of a position without names: the player on roll is the first one.
    fn default() -> Seats {
        Seats {
            on_roll: MatPlayer::First,
            names: ["player", "opponent"].map(str::to_owned),
        }
    }
}

impl SnowiePosition {
    /// Returns the length of the line that a text begins with; `None` if it begins with none.
    pub(in crate::notation) fn length(text: &[u8]) -> Option<usize> {
        let line = text.split(|&byte| matches!(byte, b'\n' | b'\r')).next()?;
        let length = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 || line.get(length) != Some(&b';') {
            return None;
        }
        let mut ends = (1..).zip(line).filter(|&(_, &byte)| byte == b';');
        let last = ends.nth(FIELDS_ALL - 2).map(|(end, _)| end)?;
        // Some writers leave the last semicolon out.
        let die = line
            .get(last..)?
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let end = last + die;
        Some(end + usize::from(line.get(end) == Some(&b';')))
    }

    /// Reads the line that a text begins with.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-position`.
    pub(in crate::notation) fn parse(text: &[u8]) -> Result<SnowiePosition, NotationError> {
        let line = String::from_utf8_lossy(
            text.get(..Self::length(text).unwrap_or_default())
                .unwrap_or_default(),
        );
        let read = SnowiePosition::of_line(line.trim_end_matches(';'));
        read.map_err(|(field, reason)| NotationError::new(Code::BadPosition, field, reason, 0))
    }

    fn of_line(line: &str) -> Result<SnowiePosition, FieldError> {
        let fields: Vec<&str> = line.split(';').collect();
        let (position, [value, owner], dice) = board(&fields)?;
        let number = |place: usize| {
            let field = fields
                .get(place)
                .and_then(|field| field.trim().parse::<u32>().ok());
            field.ok_or(("position", Reason::Other(BAD_FIELD)))
        };
        let [length, jacoby, beavers] = [number(0)?, number(1)?, number(3)?];
        let [crawford, mine, theirs] = [number(7)?, number(8)?, number(9)?];
        let score = match length {
            0 => Score::lenient(0, 0, 0, false),
            _ => Score::lenient(length, mine, theirs, crawford == 1),
        };
        let score = score.map_err(|_| ("score", Reason::Other("does not fit the match")))?;
        let owner = match owner.unwrap_or_default() {
            0 => CubeOwner::Centred,
            1.. => CubeOwner::Me,
            _ => CubeOwner::Opponent,
        };
        let value = value.and_then(|value| u32::try_from(value).ok());
        let cube = value.and_then(|value| Cube::new(value, owner).ok());
        let cube = cube.ok_or(("cube", Reason::Other("is no power of two up to 4096")))?;
        let [one, two] = dice.map(|die| die.and_then(|die| u8::try_from(die).ok()));
        let roll = match (one, two) {
            (Some(0), _) | (_, Some(0)) => None,
            (Some(one), Some(two)) => Roll::new(one, two).ok(),
            _ => return Err(("roll", Reason::Other("is not of two dice from 1 to 6"))),
        };
        let rules = Rules {
            jacoby: jacoby == 1,
            beavers: beavers == 1,
        };
        Ok(SnowiePosition {
            position,
            state: MatchState {
                cube,
                score,
                ..MatchState::money(rules)
            },
            roll,
        })
    }
}

/// The board, the cube with its owner, and the dice, of the last fields of a line.
type Board = (Position, [Option<i32>; 2], [Option<i32>; 2]);

fn board(fields: &[&str]) -> Result<Board, FieldError> {
    let wrong = |why| ("position", Reason::Other(why));
    let last = fields.last_chunk::<FIELDS>();
    let last = last.ok_or_else(|| wrong("has fewer than 40 fields with ';' between them"))?;
    let number = |field: &str| field.trim().parse::<i32>().ok();
    let [value, owner, points @ .., one, two] = last.map(number);
    let dice = [one, two];
    let bad = || wrong(BAD_FIELD);
    let (mut me, mut opponent) = ([0_u8; POINTS], [0_u8; POINTS]);
    for (place, count) in points.into_iter().enumerate() {
        let count = count.ok_or_else(bad)?;
        let size = u8::try_from(count.unsigned_abs()).map_err(|_| bad())?;
        let slot = match (count, place) {
            (0, _) => continue,
            // The bar of the other one comes first, that of the player on roll last.
            (_, 0) => opponent.last_mut(),
            (_, POINTS) => me.last_mut(),
            (1.., _) => me.get_mut(place - 1),
            _ => opponent.get_mut(POINTS - 1 - place),
        };
        if let Some(slot) = slot {
            *slot = size;
        }
    }
    let position = Position::new(&me, &opponent).map_err(|_| bad())?;
    Ok((position, [value, owner], dice))
}

/// Parses the board and the cube of `play (7;0;…;)` as seen by this player, who is on roll.
pub(super) fn set_up(
    text: &str,
    names: &[String; 2],
    player: MatPlayer,
) -> Result<SetUp, FieldError> {
    let wrong = |why| ("position", Reason::Other(why));
    let inside = text.split_once('(').map(|(_, inside)| inside.trim_end());
    let inside = inside.ok_or_else(|| wrong("behind an illegal play is missing"))?;
    let line = inside.trim_end_matches(')').trim_end_matches(';');
    let fields: Vec<&str> = line.split(';').collect();
    let (position, [value, owner], _) = board(&fields)?;
    let value = value.and_then(|value| u32::try_from(value).ok());
    let on_roll = fields.get(BEFORE_NAMES).map(|name| name.trim());
    let [own, other] = [player, player.other()].map(|one| names.get(one.index()));
    // The line may be seen by the other player, which the order of the names shows.
    let other_sees = own != other && other.map(|name| name.trim()) == on_roll;
    let seen_by = if other_sees { player.other() } else { player };
    let owner = match owner.ok_or_else(|| wrong(BAD_FIELD))? {
        0 => None,
        1.. => Some(seen_by),
        _ => Some(seen_by.other()),
    };
    Ok(SetUp {
        position: if other_sees {
            position.swapped()
        } else {
            position
        },
        value: value.ok_or_else(|| wrong(BAD_FIELD))?,
        owner,
    })
}

/// Writes the line as Snowie and GNU Backgammon do; `scores` are those before the game.
pub(super) fn line(
    file: &MatchFile,
    scores: [u32; 2],
    player: MatPlayer,
    set_up: &SetUp,
) -> String {
    let name = |player: MatPlayer| {
        let name = file.names.get(player.index()).map_or("", String::as_str);
        clean(&name.replace([';', '(', ')'], " "))
    };
    let turn = match player {
        MatPlayer::First => 1,
        MatPlayer::Second => 0,
    };
    let owner = match set_up.owner {
        None => 0,
        Some(owner) if owner == player => 1,
        Some(_) => -1,
    };
    let (me, opponent) = (
        set_up.position.me().counts(),
        set_up.position.opponent().counts(),
    );
    let mut points = Vec::with_capacity(POINTS + 1);
    points.extend(opponent.last().map(|&count| -i32::from(count)));
    let facing = opponent.iter().rev().skip(1);
    let both = me.iter().zip(facing);
    points.extend(both.map(|(&mine, &theirs)| i32::from(mine) - i32::from(theirs)));
    points.extend(me.last().map(|&count| i32::from(count)));
    let points: String = points.iter().map(|count| format!("{count};")).collect();
    let [mine, theirs] = [player.of(scores), player.other().of(scores)];
    format!(
        "({};0;0;0;{turn};{};{};0;{mine};{theirs};{};{owner};{points}0;0;)",
        file.length,
        name(player),
        name(player.other()),
        set_up.value,
    )
}
