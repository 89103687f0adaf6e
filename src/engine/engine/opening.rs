//! The opening book: plays of the opening rolls and of the replies to them, and of nackgammon's opening rolls, rolled out
//! by `tools/openings.py`.

use super::{Engine, EngineError};
use crate::query::{BookPlay, OpeningAnswer, PlayQuery, Settings, Stop};
use gammond_game::notation::{PositionId, parse_play};

/// The book: position, roll, play, games, equity, standard error, cubeless equity, chances to win, to win and to lose a
/// gammon or more. The plays of a roll stand together, best first.
const BOOK: &str = concat!(include_str!("opening.tsv"), include_str!("nackgammon.tsv"));

impl Engine {
    /// Returns the plays of the opening book if it has them and the query is on its terms, else ranks the plays as
    /// [`Engine::rank_plays`] does.
    ///
    /// # Errors
    /// [`EngineError::Stopped`].
    pub fn opening(
        &self,
        query: &PlayQuery,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<OpeningAnswer, EngineError> {
        if query.is_on_terms_of_book(settings) {
            let mut plays = in_book(query);
            plays.truncate(settings.top.unwrap_or(usize::MAX));
            if !plays.is_empty() {
                return Ok(OpeningAnswer::Book(plays));
            }
        }
        let ranked = self.rank_plays(query, settings, stop)?;
        Ok(OpeningAnswer::Ranked(ranked))
    }
}

/// Returns the plays that the book has; none for most positions.
fn in_book(query: &PlayQuery) -> Vec<BookPlay> {
    let (position, roll) = (PositionId::from(query.position), query.roll);
    let start = format!("{position}\t{}{}\t", roll.high(), roll.low());
    let lines = BOOK.lines().filter_map(|line| line.strip_prefix(&start));
    lines.filter_map(|line| play_of(query, line)).collect()
}

/// Reads the part of a line behind position and roll.
fn play_of(query: &PlayQuery, line: &str) -> Option<BookPlay> {
    let mut cells = line.split('\t');
    let play = parse_play(cells.next()?, &query.position, query.roll).ok()?;
    let trials = cells.next()?.parse().ok()?;
    let mut number = || cells.next()?.parse().ok();
    Some(BookPlay {
        play: play.play,
        position: play.after,
        trials,
        equity: number()?,
        error: number()?,
        cubeless: number()?,
        win: number()?,
        win_gammon: number()?,
        lose_gammon: number()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::{MatchState, Roll, Variant};
    use std::collections::BTreeSet;

    /// All lines are read, the plays of a roll are best first, and the 15 opening rolls of both starts are there.
    #[test]
    fn book_is_read_whole() {
        let keys: BTreeSet<(&str, &str)> = (BOOK.lines())
            .map(|line| {
                let mut cells = line.split('\t');
                (cells.next().unwrap(), cells.next().unwrap())
            })
            .collect();
        let mut read = 0;
        for (position, roll) in keys {
            let query = PlayQuery {
                position: position.parse::<PositionId>().unwrap().position(),
                roll: gammond_game::notation::parse_roll(roll.as_bytes()).unwrap(),
                state: MatchState::default(),
            };
            let plays = in_book(&query);
            read += plays.len();
            assert!(plays.is_sorted_by(|one, other| one.equity >= other.equity));
            let different: BTreeSet<String> = (plays.iter())
                .map(|play| PositionId::from(play.position).to_string())
                .collect();
            assert_eq!(different.len(), plays.len(), "{position} {roll}");
            let chances = |play: &BookPlay| {
                (0.0..play.win).contains(&play.win_gammon) && play.lose_gammon < 1.0 - play.win
            };
            assert!(plays.iter().all(|play| chances(play) && play.error > 0.0));
        }
        assert_eq!(read, BOOK.lines().count());
        for variant in [Variant::Backgammon, Variant::Nackgammon] {
            for roll in Roll::ALL {
                let query = PlayQuery::new(variant.start(), roll, MatchState::default());
                assert_eq!(in_book(&query).is_empty(), roll.is_double(), "{roll}");
            }
        }
    }
}
