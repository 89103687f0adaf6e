//! Snowie's line of a position, in brackets after `Illegal play`.

use super::record::{MatPlayer, MatchFile, SetUp};
use super::recorder::FieldError;
use super::write::clean;
use crate::notation::error::Reason;
use crate::{POINTS, Position};

/// Fields from the value of the cube on: it, its owner, 26 points, two dice.
const FIELDS: usize = 30;
/// Fields before the name of the player on roll; that of the other one follows.
const BEFORE_NAMES: usize = 5;

/// The board and the cube of `play (7;0;…;)` as this player sees them, who is on roll.
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
    let last = fields.last_chunk::<FIELDS>();
    let last = last.ok_or_else(|| wrong("has fewer than 40 fields with ';' between them"))?;
    let number = |field: &str| field.trim().parse::<i32>().ok();
    let [value, owner, points @ .., _, _] = last.map(number);
    let bad = || wrong("has a field that is no number, or a side of more than 15 checkers");
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
    let value = value.and_then(|value| u32::try_from(value).ok());
    let on_roll = fields.get(BEFORE_NAMES).map(|name| name.trim());
    let [own, other] = [player, player.other()].map(|one| names.get(one.index()));
    // The line may be seen by the other one, and says so by the order of the names.
    let other_sees = own != other && other.map(|name| name.trim()) == on_roll;
    let seen_by = if other_sees { player.other() } else { player };
    let owner = match owner.ok_or_else(bad)? {
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
        value: value.ok_or_else(bad)?,
        owner,
    })
}

/// The same as Snowie and GNU Backgammon write it; `scores` are those before the game.
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
