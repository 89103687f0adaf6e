//! Positions at which games begin: the start of the variant, given ones, or random ones.

use crate::notation::{PositionId, parse_position};
use crate::{POINTS, Position, Variant};
use gammond_base::checksum::sha256;
use gammond_base::rng::{Rng, below, stream};

/// Keeps random starts apart from the dice of the same seed.
const START_STREAMS: u64 = 0x5354_4152_5453_0001;
/// Points 13 to 24: a checker there has not passed the middle.
const FAR_POINTS: u32 = 0xFF_F000;

/// The positions at which games begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StartPositions {
    /// The start of the variant.
    #[default]
    Usual,
    /// One after the other, and again from the first. Never empty.
    Listed(Vec<Position>),
    /// Random ones of this seed.
    Random(u64),
}

/// A start at which no game can begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The text is no position, or the variant does not have it.
    #[error("line {line}: {reason}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// Reason for the error.
        reason: String,
    },
    /// The text behind `random` is no seed.
    #[error("random has {0:?} behind it, expected a colon and a seed such as random:7")]
    Seed(String),
    /// There is no position.
    #[error("has no position, expected one a line such as 4HPwATDgc/ABMA")]
    Empty,
}

impl StartPositions {
    /// The word for random starts; a colon and a seed may stand behind it.
    pub const RANDOM: &'static str = "random";

    /// Reads `random`, of the seed `seed`, `random:SEED`, or positions as [`StartPositions::read`].
    ///
    /// # Errors
    /// [`StartError`].
    pub fn parse(text: &str, variant: Variant, seed: u64) -> Result<StartPositions, StartError> {
        match text.trim().strip_prefix(StartPositions::RANDOM) {
            Some("") => Ok(StartPositions::Random(seed)),
            Some(own) => match own.strip_prefix(':').map(str::parse) {
                Some(Ok(own)) => Ok(StartPositions::Random(own)),
                _ => Err(StartError::Seed(own.to_owned())),
            },
            None => StartPositions::read(text, variant),
        }
    }

    /// Reads positions of a variant, one a line in any form; empty lines are left out, and all from `#` on.
    ///
    /// # Errors
    /// [`StartError`] for the first line that is no position of an unfinished game, and for a text without positions.
    pub fn read(text: &str, variant: Variant) -> Result<StartPositions, StartError> {
        let mut positions = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.split('#').next().unwrap_or_default().trim();
            if !text.is_empty() {
                let found = start_of(text, variant);
                positions.push(found.map_err(|reason| StartError::Line { line, reason })?);
            }
        }
        match positions.is_empty() {
            true => Err(StartError::Empty),
            false => Ok(StartPositions::Listed(positions)),
        }
    }

    /// Returns the position at which game `number` begins.
    #[must_use]
    pub fn of(&self, variant: Variant, number: u64) -> Position {
        match self {
            StartPositions::Usual => variant.start(),
            StartPositions::Listed(positions) => {
                let place = number.checked_rem(positions.len() as u64);
                let found = place.and_then(|place| positions.get(place as usize));
                found.copied().unwrap_or(variant.start())
            }
            StartPositions::Random(seed) => {
                random_start(variant, &mut stream(seed ^ START_STREAMS, number))
            }
        }
    }

    /// Describes the starts, several by their checksum, for headers of jobs; `None` for those of the variant.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self {
            StartPositions::Usual => None,
            StartPositions::Listed(positions) => {
                let ids = positions
                    .iter()
                    .map(|&one| PositionId::from(one).to_string());
                let ids = ids.collect::<Vec<_>>().join(" ");
                Some(match positions.len() {
                    1 => ids,
                    count => format!("{count} positions, sha256 {}", sha256(ids.as_bytes())),
                })
            }
            StartPositions::Random(seed) => Some(format!("random:{seed}")),
        }
    }
}

/// Reads a position in any form at which a game of the variant can begin.
fn start_of(text: &str, variant: Variant) -> Result<Position, String> {
    let found = parse_position(text.as_bytes()).map_err(|error| error.to_string())?;
    let position = found.position;
    (variant.check(&position)).map_err(|error| format!("position has {error}"))?;
    match position.is_over() {
        true => Err("the game is over there".to_owned()),
        false => Ok(position),
    }
}

/// Draws a start (START-03): the checkers of both sides stand on the same points of their own, in contact, and so far
/// back that nothing can be borne off in the first turn.
#[must_use]
pub fn random_start(variant: Variant, rng: &mut impl Rng) -> Position {
    let checkers = variant.checkers();
    loop {
        // The points p and 25 - p of a side are the same place for both players: one of them at most may be taken.
        let coins = rng.next_u32();
        let mut counts = [0; POINTS];
        for _ in 0..checkers {
            let pair = below(rng, 12) as usize;
            let index = if coins >> pair & 1 == 1 {
                23 - pair
            } else {
                pair
            };
            counts[index] += 1;
        }
        let far = (0..24).filter(|index| FAR_POINTS >> index & 1 == 1);
        let far: u8 = far.map(|index: usize| counts[index]).sum();
        if let Ok(position) = Position::new(&counts, &counts)
            && far >= checkers.min(2)
        {
            return position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Roll, Side, legal_plays};

    /// START-03.
    #[test]
    fn random_starts_are_mirrored_and_in_contact() {
        for variant in Variant::ALL {
            let starts = StartPositions::Random(7);
            let mut all: Vec<Position> =
                (0..500).map(|number| starts.of(variant, number)).collect();
            for position in &all {
                assert_eq!(*position, position.swapped());
                assert_eq!(position.me().on_board(), variant.checkers());
                assert!(position.has_contact() && !position.is_over());
                for roll in Roll::ALL.into_iter().filter(|_| variant.checkers() > 1) {
                    let plays = legal_plays(position, roll);
                    let stays = |side: Side| side.on_board() == variant.checkers();
                    assert!(plays.iter().all(|play| stays(play.after.opponent())));
                }
            }
            all.sort_by_key(|position| PositionId::from(*position).to_string());
            all.dedup();
            // One checker has twelve places; else few repeat.
            let fewest = match variant.checkers() {
                1 => 12,
                2 => 60,
                _ => 300,
            };
            assert!(all.len() >= fewest, "{variant}: {}", all.len());
            assert_ne!(
                starts.of(variant, 0),
                StartPositions::Random(8).of(variant, 0)
            );
        }
    }

    /// START-01.
    #[test]
    fn listed_starts_come_in_turn() {
        let text = "# two openings\n4HPwATDgc/ABMA # the usual one\n\n4Dl4ADbgOXgANg\n";
        let starts = StartPositions::read(text, Variant::Backgammon).unwrap();
        let usual = [Variant::Backgammon, Variant::Nackgammon].map(Variant::start);
        for number in 0..5 {
            let found = starts.of(Variant::Backgammon, number);
            assert_eq!(found, usual[number as usize % 2]);
        }
        assert!(starts.text().unwrap().starts_with("2 positions, sha256 "));
        let one = StartPositions::Listed(vec![usual[1]]);
        assert_eq!(one.text().unwrap(), "4Dl4ADbgOXgANg");
        assert_eq!(StartPositions::Usual.of(Variant::Nackgammon, 3), usual[1]);
    }

    #[test]
    fn starts_that_are_none_name_their_line() {
        let refused = |text, variant| StartPositions::read(text, variant).unwrap_err().to_string();
        let usual = Variant::Backgammon;
        assert!(refused("# nothing\n", usual).contains("has no position"));
        assert!(refused("4HPwATDgc/ABMA\nhello\n", usual).starts_with("line 2: "));
        assert_eq!(
            refused("4HPwATDgc/ABMA", Variant::Hypergammon),
            "line 1: position has 15 checkers of one side, at most 3 in hypergammon"
        );
        assert!(refused("AQAAAAAAAAAAAA", usual).contains("over"));
        for (text, expected) in [
            ("random", Some(3)),
            ("random:9", Some(9)),
            ("random:", None),
            ("randomly", None),
        ] {
            let found = StartPositions::parse(text, usual, 3);
            assert_eq!(found.ok(), expected.map(StartPositions::Random), "{text}");
        }
    }
}
