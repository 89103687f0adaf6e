//! A match as it is played, for its file (FIBS-28).
//!
//! Plays are checked against a board of its own. When lines were missed (the link broke in the
//! middle of a game, a match was resumed) the game keeps its result but loses its plays.

use crate::game::{OFF, Play, Position, Roll, Step, legal_plays};
use crate::notation::{MatAction, MatGame, MatPlayer, MatchFile};

/// The bar and the borne-off checkers as the numbers of a step.
const BAR_POINT: u8 = 24;
const OFF_POINT: u8 = 25;

/// How a match ended for the bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Won to the end.
    Won,
    /// Lost to the end.
    Lost,
    /// An unlimited match that the bot left.
    Left,
    /// It is over, but how is not known: the link was broken.
    Unknown,
}

/// A match, finished or not. The first player is the bot.
#[derive(Clone, Debug)]
pub struct MatchRecord {
    /// The opponent's name.
    pub opponent: String,
    /// Points to play to; `None` for an unlimited match.
    pub length: Option<u32>,
    /// Points of the bot and of the opponent.
    pub scores: [u32; 2],
    /// How it ended; `None` while it goes on.
    pub outcome: Option<Outcome>,
    /// The bot's rating before and after.
    pub ratings: [Option<f64>; 2],
    /// The games; the last one may be unfinished.
    pub games: Vec<MatGame>,
    /// Games whose plays are not complete.
    pub gaps: u32,
    /// The end was not seen: the link was broken. The outcome is then what the rating says (FIBS-31).
    pub unseen: bool,
    /// The board of the running game seen by the one who moves next, if it is known.
    board: Option<(Position, Option<MatPlayer>)>,
    cube: u32,
    /// A play that was sent and is not confirmed yet.
    proposed: Option<(Roll, Play)>,
}

impl MatchRecord {
    /// A match that begins.
    #[must_use]
    pub fn new(opponent: &str, length: Option<u32>) -> MatchRecord {
        MatchRecord {
            opponent: opponent.to_owned(),
            length,
            scores: [0; 2],
            outcome: None,
            ratings: [None; 2],
            games: Vec::new(),
            gaps: 0,
            unseen: false,
            board: None,
            cube: 1,
            proposed: None,
        }
    }

    /// A game begins, at this score of the bot and the opponent.
    pub fn begin_game(&mut self, scores: [u32; 2]) {
        if self
            .games
            .last()
            .is_some_and(|game| game.result.is_none() && game.actions.is_empty())
        {
            self.games.pop();
        }
        self.scores = scores;
        self.proposed = None;
        self.cube = 1;
        self.board = Some((Position::start(), None));
        self.games.push(MatGame {
            scores,
            ..MatGame::default()
        });
    }

    /// The server shows this position, `player` to move: says whether the record agrees, and gives
    /// the game's plays up when it does not.
    pub fn check(&mut self, player: MatPlayer, position: &Position, scores: [u32; 2]) {
        if self.games.last().is_none_or(|game| game.result.is_some()) {
            self.begin_game(scores);
            if *position != Position::start() {
                self.gap();
            }
            return;
        }
        self.scores_shown(scores);
        let agrees = |record: &MatchRecord| {
            record.board.is_none_or(|(known, on_roll)| {
                known == *position && on_roll.is_none_or(|on_roll| on_roll == player)
            })
        };
        if !agrees(self) {
            self.confirm();
        }
        if !agrees(self) {
            self.gap();
        }
    }

    /// The score of the server's board. When it is another one than ours, the end of the game
    /// before was hidden by a broken link: who won the points can still be told.
    fn scores_shown(&mut self, scores: [u32; 2]) {
        let gains = scores.iter().zip(self.scores);
        let gains: Vec<u32> = gains
            .map(|(now, before)| now.saturating_sub(before))
            .collect();
        if scores == self.scores {
            return;
        }
        self.scores = scores;
        let mut last = self.games.iter_mut().rev();
        if let Some(game) = last.next() {
            game.scores = scores;
        }
        if let Some(game) = last.next().filter(|game| game.result.is_none()) {
            game.result = match *gains {
                [mine, 0] => Some((MatPlayer::First, mine)),
                [0, other] => Some((MatPlayer::Second, other)),
                _ => None,
            };
        }
    }

    /// The server tells the score after a game. When it is another one than ours, the line that
    /// ended the game was lost.
    pub fn score_told(&mut self, scores: [u32; 2]) {
        if scores == self.scores {
            return;
        }
        let [mine, theirs] = self.scores;
        let [now_mine, now_theirs] = scores;
        let gains = (now_mine.checked_sub(mine), now_theirs.checked_sub(theirs));
        let running = self.games.last().is_some_and(|game| game.result.is_none());
        match gains {
            (Some(points), Some(0)) if running => self.end_game(MatPlayer::First, points),
            (Some(0), Some(points)) if running => self.end_game(MatPlayer::Second, points),
            _ => {
                self.scores = scores;
                self.gaps += 1;
            }
        }
    }

    /// A play of ours is on its way to the server.
    pub fn propose(&mut self, roll: Roll, play: Play) {
        self.proposed = Some((roll, play));
    }

    /// The server has taken our last play.
    pub fn confirm(&mut self) {
        if let Some((roll, play)) = self.proposed.take() {
            self.play(MatPlayer::First, roll, play);
        }
    }

    fn gap(&mut self) {
        self.board = None;
        self.gaps += 1;
        if let Some(game) = self.games.last_mut() {
            game.actions.clear();
        }
    }

    fn push(&mut self, player: MatPlayer, action: MatAction) {
        if self.board.is_some()
            && let Some(game) = self.games.last_mut()
        {
            game.actions.push((player, action));
        }
    }

    /// A play as the numbers of the mover.
    pub fn play(&mut self, player: MatPlayer, roll: Roll, play: Play) {
        let Some((position, on_roll)) = self.board else {
            return;
        };
        if on_roll.is_some_and(|on_roll| on_roll != player) {
            return self.gap();
        }
        let after = if play.is_pass() {
            let forced = legal_plays(&position, roll).is_empty();
            forced.then(|| position.swapped())
        } else {
            position_after(&position, roll, &play)
        };
        match after {
            Some(after) => {
                self.push(player, MatAction::Play { roll, play });
                self.board = Some((after, Some(player.other())));
            }
            None => self.gap(),
        }
    }

    /// Somebody doubles.
    pub fn double(&mut self, player: MatPlayer) {
        self.push(player, MatAction::Double(self.cube * 2));
    }

    /// Somebody takes.
    pub fn take(&mut self, player: MatPlayer) {
        self.cube *= 2;
        self.push(player, MatAction::Take);
    }

    /// Somebody passes a double.
    pub fn drop(&mut self, player: MatPlayer) {
        self.push(player, MatAction::Drop);
    }

    /// A game is over.
    pub fn end_game(&mut self, winner: MatPlayer, points: u32) {
        let slot = match winner {
            MatPlayer::First => self.scores.first_mut(),
            MatPlayer::Second => self.scores.last_mut(),
        };
        if let Some(score) = slot {
            *score = score.saturating_add(points);
        }
        self.board = None;
        if let Some(game) = self.games.last_mut() {
            game.result = Some((winner, points));
        }
    }

    /// The match as a file; `comments` stand before it.
    #[must_use]
    pub fn file(&self, user: &str, mut comments: Vec<String>) -> MatchFile {
        if self.gaps > 0 {
            comments.push(format!(" {} games without all their plays", self.gaps));
        }
        if self.unseen {
            let how = match self.outcome {
                Some(Outcome::Won) => "won",
                Some(Outcome::Lost) => "lost",
                Some(Outcome::Left) => "left",
                Some(Outcome::Unknown) | None => "unknown",
            };
            comments.push(format!(" the end was not seen; by the rating: {how}"));
        }
        MatchFile {
            length: self.length.unwrap_or(0),
            names: [user.to_owned(), self.opponent.clone()],
            comments,
            games: self
                .games
                .iter()
                .filter(|game| told(game))
                .cloned()
                .collect(),
        }
    }
}

/// Whether anything is known of the game: the last one of a match whose end was hidden can be empty.
fn told(game: &MatGame) -> bool {
    !game.actions.is_empty() || game.result.is_some()
}

/// The position after these steps in any order, if they are a legal play.
#[must_use]
pub fn position_after(position: &Position, roll: Roll, play: &Play) -> Option<Position> {
    let moved = |play: &Play| {
        let mut counts = [0_i8; OFF + 1];
        for step in play.steps() {
            for (at, change) in [(step.from, -1), (step.to, 1)] {
                if let Some(count) = counts.get_mut(usize::from(at)) {
                    *count += change;
                }
            }
        }
        counts
    };
    let target = moved(play);
    let sorted = |play: &Play| {
        let mut steps: Vec<(u8, u8)> = play
            .steps()
            .iter()
            .map(|step| (step.from, step.to))
            .collect();
        steps.sort_unstable();
        steps
    };
    let plays = legal_plays(position, roll);
    let exact = plays
        .iter()
        .find(|legal| sorted(&legal.play) == sorted(play));
    exact
        .or_else(|| plays.iter().find(|legal| moved(&legal.play) == target))
        .map(|legal| legal.after)
}

/// The steps of `X moves 13-8 6-5 .` as the mover's own numbers; `ascending` when the mover moves
/// to higher numbers.
#[must_use]
pub fn read_steps(text: &str, ascending: bool) -> Option<Play> {
    let mut steps = Vec::new();
    for word in text.split_whitespace() {
        let word = word.trim_end_matches('.');
        if word.is_empty() {
            continue;
        }
        let (from, to) = word.split_once('-')?;
        let point = |word: &str| -> Option<u8> {
            match word {
                "bar" | "b" => Some(BAR_POINT),
                "off" | "home" | "o" | "h" => Some(OFF_POINT),
                number => {
                    let number: u8 = number
                        .parse()
                        .ok()
                        .filter(|point| (1..=24).contains(point))?;
                    Some(if ascending { 24 - number } else { number - 1 })
                }
            }
        };
        steps.push(Step {
            from: point(from)?,
            to: point(to)?,
        });
    }
    Play::from_steps(&steps)
}
