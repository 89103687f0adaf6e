//! Sources of records: positions one a line, `.bm` files, match files.

use gammond_base::rng::stream;
use gammond_game::notation::{
    BenchmarkRecord, MatchFile, NotationError, PlayRecord, PositionKey, parse_position, parse_roll,
    parse_training_line, split_position,
};
use gammond_game::{Position, Roll, Rules, generate_plays};
use gammond_report::analysis::{Action, Terms, replay_from};

/// A requested record.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordRequest {
    /// The position.
    pub position: Position,
    /// The roll to be played; none for a record of the position before the roll.
    pub roll: Option<Roll>,
    /// The candidates that a file listed, best first; empty with [`Lists::Ignored`].
    pub listed: Vec<Position>,
}

/// Requested records, and lines without one, with the reasons.
pub type Source = (Vec<RecordRequest>, Vec<(u64, SourceError)>);

/// Reasons for skipping a line or a game.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// Words behind position and roll.
    #[error("more than a position and a roll")]
    Words,
    /// The text is no position, roll or record.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// A listed candidate that cannot be rolled out.
    #[error("candidate {number} ({key}) {reason}")]
    Candidate {
        /// Number of the candidate in the list, from 1.
        number: usize,
        /// The position after the play.
        key: PositionKey,
        /// Description of the fault.
        reason: String,
    },
    /// A game that cannot be played on.
    #[error("game {game}, action {action}: {reason}")]
    Game {
        /// Number of the game in the match, from 1.
        game: u64,
        /// Number of the action in the game, from 1.
        action: usize,
        /// Description of the fault.
        reason: &'static str,
    },
}

/// Treatment of positions without a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrolled {
    /// Records of the position before the roll.
    BeforeRoll,
    /// Records of plays, of a random roll with this seed.
    ByLot(u64),
}

/// Treatment of the candidates that `m` records list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// The rest of the line is ignored: only the position and the roll are used.
    Ignored,
    /// The candidates are those to roll out: each must be the result of a legal play, once.
    Used,
}

/// Reads lines: any position text, perhaps with a roll behind it; lines of a training file; `m`, `o` and other lines
/// of a `.bm` file. Empty lines and comments are passed over.
#[must_use]
pub fn lines(text: &[u8], unrolled: Unrolled, lists: Lists) -> Source {
    let (mut wanted, mut wrong) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        match one(line.trim_ascii(), lists) {
            Ok(Some(found)) if found.position.is_over() => {
                wrong.push((number, SourceError::Over));
            }
            Ok(found) => wanted.extend(found.map(|found| rolled(found, unrolled, number))),
            Err(error) => wrong.push((number, error)),
        }
    }
    (wanted, wrong)
}

/// Returns the record that a line requests; those of a `.bm` file keep their kind.
fn one(line: &[u8], lists: Lists) -> Result<Option<Line>, SourceError> {
    match line {
        [] | [b'#', ..] => return Ok(None),
        [
            b's' | b'r' | b'm' | b'o' | b'c' | b'e' | b'O' | b'b',
            b' ',
            ..,
        ] => {
            return record(line, lists);
        }
        _ => {}
    }
    let (position, rest) = split_position(line);
    let words: Vec<&[u8]> = (rest.split(u8::is_ascii_whitespace))
        .filter(|word| !word.is_empty())
        .collect();
    if words.len() == 5 {
        let label = parse_training_line(line)?;
        return Ok(label.map(|label| Line::of(label.position, None)));
    }
    let parsed = parse_position(position)?;
    let roll = match words[..] {
        [] => parsed.roll,
        [word] => Some(parse_roll(word)?),
        _ => return Err(SourceError::Words),
    };
    Ok(Some(Line::of(parsed.position, roll)))
}

/// Contents of a line.
struct Line {
    position: Position,
    roll: Option<Roll>,
    listed: Vec<Position>,
    /// True if the record of a position stays one.
    fixed: bool,
}

impl Line {
    fn of(position: Position, roll: Option<Roll>) -> Line {
        Line {
            position,
            roll,
            listed: Vec::new(),
            fixed: false,
        }
    }
}

fn record(line: &[u8], lists: Lists) -> Result<Option<Line>, SourceError> {
    Ok(match BenchmarkRecord::parse(line)? {
        BenchmarkRecord::Play(play) => Some(Line {
            listed: match lists {
                Lists::Ignored => Vec::new(),
                Lists::Used => checked(&play)?,
            },
            ..Line::of(play.position, Some(play.roll))
        }),
        BenchmarkRecord::Position(one) => Some(Line {
            fixed: true,
            ..Line::of(one.position, None)
        }),
        _ => None,
    })
}

/// Returns the candidates of a record if each is the result of a legal play and stands in the list once.
fn checked(play: &PlayRecord) -> Result<Vec<Position>, SourceError> {
    let (mut legal, mut listed) = (Vec::new(), Vec::new());
    generate_plays(&play.position, play.roll, &mut legal);
    if legal.is_empty() {
        legal.push(play.position.swapped());
    }
    for (number, candidate) in (1..).zip(&play.candidates) {
        let position = candidate.position;
        let reason = if !legal.contains(&position) {
            format!("is not the result of a legal play of {}", play.roll)
        } else if listed.contains(&position) {
            "is listed twice".to_owned()
        } else {
            listed.push(position);
            continue;
        };
        let key = PositionKey::from(position);
        return Err(SourceError::Candidate {
            number,
            key,
            reason,
        });
    }
    Ok(listed)
}

fn rolled(line: Line, unrolled: Unrolled, number: u64) -> RecordRequest {
    let roll = match (line.roll, unrolled) {
        (None, Unrolled::ByLot(seed)) if !line.fixed => {
            Some(Roll::thrown(&mut stream(seed, number)))
        }
        (roll, _) => roll,
    };
    RecordRequest {
        position: line.position,
        roll,
        listed: line.listed,
    }
}

/// Returns the plays of the matches of a file, or their positions before the rolls. Games are counted through the whole
/// file.
///
/// # Errors
/// [`NotationError`] when the text is no match file, or has a fault.
pub fn of_match(text: &[u8], unrolled: Unrolled) -> Result<Source, NotationError> {
    let readings = MatchFile::read_all(text)?;
    if let Some(fault) = readings.iter().find_map(|reading| reading.faults.first()) {
        return Err(fault.error.clone());
    }
    let (mut wanted, mut wrong) = (Vec::new(), Vec::new());
    let games = readings.iter().flat_map(|reading| {
        let terms = Terms::of(&reading.file, Rules::default());
        reading.file.games.iter().zip(terms)
    });
    for (number, (game, terms)) in (1..).zip(games) {
        let replay = replay_from(game, &terms);
        for decision in &replay.decisions {
            let Action::Play { roll, .. } = decision.action else {
                continue;
            };
            wanted.push(RecordRequest {
                position: decision.position,
                roll: (unrolled != Unrolled::BeforeRoll).then_some(roll),
                listed: Vec::new(),
            });
        }
        if let Some((action, reason)) = replay.fault {
            let fault = SourceError::Game {
                game: number,
                action: action + 1,
                reason,
            };
            wrong.push((number, fault));
        }
    }
    Ok((wanted, wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_line_is_read() {
        let text = "# comment\n\n4HPwATDgc/ABMA\n4HPwATDgc/ABMA 31\n\
            OAHDPAABDAOAHDPAABDA 0.52538 0.14924 0.00683 0.12566 0.00534\n\
            s version 1.93\nr 7\n\
            m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.11 OAHDOEABCBOAHDPAABDA 0.04\n\
            o OAHDPAABDAOAHDPAABDA 0.52538 0.14924 0.00683 0.12566 0.00534\n";
        for unrolled in [Unrolled::ByLot(1), Unrolled::BeforeRoll] {
            let (wanted, wrong) = lines(text.as_bytes(), unrolled, Lists::Used);
            assert_eq!(wrong, []);
            let drawn = unrolled != Unrolled::BeforeRoll;
            let rolls: Vec<bool> = wanted.iter().map(|one| one.roll.is_some()).collect();
            assert_eq!(rolls, [drawn, true, drawn, true, false]);
            assert!(wanted.iter().all(|one| one.position == Position::start()));
            assert_eq!(wanted[3].listed.len(), 2);
        }
    }

    #[test]
    fn wrong_lines_are_named() {
        let text = "hello\n4HPwATDgc/ABMA 31 5\n4HPwATDgc/ABMA 79\nm OAHD\n";
        let (wanted, wrong) = lines(text.as_bytes(), Unrolled::BeforeRoll, Lists::Used);
        assert_eq!(wanted, []);
        let numbers: Vec<u64> = wrong.iter().map(|one| one.0).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        assert!(of_match(b"hello", Unrolled::BeforeRoll).is_err());
    }

    /// BM-21: lists that are rolled out hold each legal play once; lists that are not used may hold anything.
    #[test]
    fn listed_candidates_are_legal_and_single() {
        const BEST: &str = "JIGHPAABDAOAHDPAABDA";
        const START: &str = "OAHDPAABDAOAHDPAABDA";
        for (second, fault) in [
            (
                START,
                "candidate 2 (OAHDPAABDAOAHDPAABDA) is not the result of a legal play of 24",
            ),
            (BEST, "candidate 2 (JIGHPAABDAOAHDPAABDA) is listed twice"),
        ] {
            let text = format!("# x\nm {START} 2 4 {BEST} 0.11 {second} 0.04\n");
            let read = |lists| lines(text.as_bytes(), Unrolled::BeforeRoll, lists);
            let (wanted, wrong) = read(Lists::Used);
            let said = wrong.iter().map(|(line, error)| format!("{line}: {error}"));
            assert_eq!(said.collect::<Vec<_>>(), [format!("2: {fault}")]);
            assert_eq!(wanted, []);
            let (wanted, wrong) = read(Lists::Ignored);
            assert_eq!((wanted.len(), wrong), (1, vec![]));
            assert!(wanted[0].listed.is_empty());
        }
    }

    #[test]
    fn all_matches_of_a_file_are_read() {
        let game = |length: &str, score: &str| {
            format!(
                " {length} match\n\n Game 1\n Alice : {score}                    Bob : 0\n  \
                 1) 31: 8/5 6/5                   65: 24/18 18/13\n  2) 42: 8/4 6/4\n\n"
            )
        };
        let both = game("5 point", "0") + &game("3 point", "0");
        let (wanted, wrong) = of_match(both.as_bytes(), Unrolled::ByLot(1)).unwrap();
        assert_eq!(wrong, []);
        let rolls: Vec<String> = (wanted.iter().flat_map(|one| one.roll))
            .map(|roll| roll.to_string())
            .collect();
        assert_eq!(rolls, ["31", "65", "42", "31", "65", "42"]);
        // A fault of the second match refuses the file.
        let torn = game("5 point", "0") + &game("3 point", "0").replace("65:", "69:");
        assert!(of_match(torn.as_bytes(), Unrolled::ByLot(1)).is_err());
    }
}
