//! One match on the server: its known state, and the decision to make now.
//!
//! The board line is the truth, prompts are hints (FIBS-12).

use super::interface::{Ask, Timing};
use super::record::MatchRecord;
use gammond_engine::query::{CubeQuery, EvalQuery, PlayQuery};
use gammond_game::notation::MatPlayer;
use gammond_game::notation::fibs::MatchTerms;
use gammond_game::notation::{BoardDialect, BoardLine, BoardView, NotationError};
use gammond_game::{CubeOwner, Position, Roll, Rules, legal_plays};

/// The action for the present state.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Move {
    /// An engine must be asked.
    Ask(Ask),
    /// The only possible action: roll.
    Roll,
    /// A prompt or an automatic roll is missing: the server must say whether it is still to come.
    Resync,
    /// The play is settled by the rules: no checker can move. The server reports it without a command.
    Wait,
}

/// Something is missing, and the server is asked for the board. A board that shows what was known
/// already proves nothing before the server has answered all that was sent earlier (FIBS-32).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resync {
    /// Nothing is missing.
    No,
    /// Asked; earlier boards can still be on their way.
    Asked,
    /// The next board is the answer.
    Fenced,
}

/// The side that rolls for the bot in the Crawford game, where it has no choice (FIBS-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CrawfordRoll {
    /// The server, as far as is known.
    Server,
    /// The bot: this server has waited for its `roll` before.
    Bot,
}

/// A match that is being played.
#[derive(Clone, Debug)]
pub(super) struct Match {
    pub(super) opponent: String,
    pub(super) wanted: MatchTerms,
    pub(super) unlimited: bool,
    pub(super) line: Option<BoardLine>,
    pub(super) view: Option<BoardView>,
    pub(super) text: String,
    /// The board is not older than what must be answered.
    pub(super) fresh: bool,
    /// Time at which to ask for a board.
    pub(super) need_board: Option<u64>,
    /// State of the resynchronisation with the server.
    pub(super) resync: Resync,
    /// Time at which to join the next game again.
    pub(super) rejoin_at: u64,
    pub(super) between: bool,
    pub(super) waits_for_join: bool,
    pub(super) prompted: bool,
    /// The server has shown this board after it had answered all that was sent.
    pub(super) confirmed: bool,
    pub(super) doubled: bool,
    pub(super) resignation: Option<u32>,
    pub(super) my_double: bool,
    pub(super) my_resignation: bool,
    pub(super) resignation_refused: bool,
    /// The decision that was made last: kind and board (FIBS-13).
    pub(super) acted: Option<(&'static str, String)>,
    /// Decision in progress: id, key, query.
    pub(super) deciding: Option<(u64, (&'static str, String), Ask)>,
    pub(super) refusals: u32,
    pub(super) bad_boards: u32,
    pub(super) resyncs: u32,
    /// Time of the last event.
    pub(super) since: u64,
    /// Time of arrival of the board.
    pub(super) board_at: u64,
    /// Time since which the opponent is silent.
    pub(super) silent_since: u64,
    pub(super) reminded: bool,
    pub(super) greeted: bool,
    pub(super) leaving: bool,
    /// Games offered because the bot is to stop.
    pub(super) stop_offered: u8,
    pub(super) my_roll: Option<Roll>,
    pub(super) other_roll: Option<Roll>,
    pub(super) games: u32,
    /// The agreed length; `None` if unknown, `Some(None)` for an unlimited match.
    pub(super) agreed: Option<Option<u32>>,
    /// Boards of another match in a row.
    pub(super) foreign: u32,
    /// It began by a board: its start line may still come.
    pub(super) unannounced: bool,
    /// Points of us and of the opponent that the server gave when the match was resumed.
    pub(super) points_told: [Option<u32>; 2],
    pub(super) record: MatchRecord,
}

impl Match {
    pub(super) fn new(opponent: &str, wanted: MatchTerms, now: u64, record: MatchRecord) -> Match {
        Match {
            opponent: opponent.to_owned(),
            wanted,
            unlimited: wanted == MatchTerms::Unlimited,
            line: None,
            view: None,
            text: String::new(),
            fresh: false,
            need_board: None,
            resync: Resync::No,
            rejoin_at: u64::MAX,
            between: false,
            waits_for_join: false,
            prompted: false,
            confirmed: false,
            doubled: false,
            resignation: None,
            my_double: false,
            my_resignation: false,
            resignation_refused: false,
            acted: None,
            deciding: None,
            refusals: 0,
            bad_boards: 0,
            resyncs: 0,
            since: now,
            board_at: now,
            silent_since: now,
            reminded: false,
            greeted: wanted == MatchTerms::Resume,
            leaving: false,
            stop_offered: 0,
            my_roll: None,
            other_roll: None,
            games: 0,
            agreed: match wanted {
                MatchTerms::Points(length) => Some(Some(length)),
                MatchTerms::Unlimited => Some(None),
                MatchTerms::Resume => None,
            },
            foreign: 0,
            unannounced: false,
            points_told: [None; 2],
            record,
        }
    }

    /// Forgets what belongs to one game, but not the board: it can come before the line that
    /// announces the game.
    pub(super) fn begin_game(&mut self) {
        self.between = false;
        self.rejoin_at = u64::MAX;
        self.waits_for_join = false;
        self.doubled = false;
        self.resignation = None;
        self.my_double = false;
        self.my_resignation = false;
        self.resignation_refused = false;
    }

    pub(super) fn end_game(&mut self) {
        self.begin_game();
        self.between = true;
        self.fresh = false;
        self.resync = Resync::No;
        self.need_board = None;
        self.line = None;
        self.view = None;
        self.prompted = false;
        self.acted = None;
        self.deciding = None;
        self.games += 1;
    }

    /// The board the server shows: says whether it is another one than before.
    pub(super) fn show(&mut self, mut line: BoardLine, now: u64) -> Result<bool, NotationError> {
        if line.turn == 0 {
            self.between = true;
            self.fresh = false;
            return Ok(false);
        }
        let text = line.to_string();
        // Some servers leave the field for a double at 0: the sentence is the authority.
        if self.doubled {
            line.doubled = 1;
        }
        let mut view = line.view(BoardDialect::Fibs)?;
        if view.state.score.is_money() {
            view.state.rules = Rules {
                jacoby: false,
                beavers: false,
            };
        }
        // A copy may be written in another way, as with the bars of another kind of server: what it
        // says counts.
        let same = self.view == Some(view)
            && self.line.as_ref().is_some_and(|known| {
                (known.doubled, known.turn, known.colour, known.scores)
                    == (line.doubled, line.turn, line.colour, line.scores)
            });
        let changed = text != self.text && !same;
        let again = changed || self.resync == Resync::Fenced;
        if again {
            self.confirmed = self.resync == Resync::Fenced;
            self.board_at = now;
            self.acted = None;
        }
        if changed {
            // What was decided is known by these words (FIBS-13).
            self.text = text;
            self.prompted = false;
            self.refusals = 0;
            self.resyncs = 0;
            self.silent_since = now;
            self.reminded = false;
        }
        if changed {
            self.deciding = None;
        }
        if line.doubled != 0 {
            self.doubled = true;
        }
        if again {
            self.resync = Resync::No;
        }
        self.need_board = None;
        self.between = false;
        self.rejoin_at = u64::MAX;
        self.fresh = self.resync == Resync::No;
        self.bad_boards = 0;
        self.view = Some(view);
        self.line = Some(line);
        Ok(changed)
    }

    /// FIBS-34: the board cannot be asked for, so what is known counts as confirmed.
    pub(super) fn known(&mut self, now: u64) {
        let Some(line) = &mut self.line else { return };
        if self.doubled {
            // The doubler is on roll; after our own play that is what the last board shows.
            if line.turn == line.colour {
                return;
            }
            line.doubled = 1;
            if let Ok(mut view) = line.view(BoardDialect::Fibs) {
                view.state.rules = self
                    .view
                    .map_or(view.state.rules, |known| known.state.rules);
                self.view = Some(view);
            }
        }
        self.fresh = true;
        // Behind a fence all is answered: what was done and changed nothing was lost.
        if std::mem::replace(&mut self.resync, Resync::No) == Resync::Fenced {
            self.confirmed = true;
            self.board_at = now;
            self.acted = None;
        }
    }

    /// Returns true if the board says that it is our turn.
    pub(super) fn my_turn(&self) -> bool {
        self.line
            .as_ref()
            .is_some_and(|line| line.turn == line.colour)
    }

    /// Returns whether this is the Crawford game, by the board.
    pub(super) fn is_crawford(&self) -> bool {
        self.view.is_some_and(|view| view.state.score.is_crawford())
    }

    /// Points of us and of the opponent, by the board.
    pub(super) fn scores(&self) -> [u32; 2] {
        let scores = self.line.as_ref().map_or([0; 2], |line| line.scores);
        scores.map(|score| u32::try_from(score).unwrap_or(0))
    }

    /// Returns true if we move to higher numbers.
    pub(super) fn ascending(&self) -> bool {
        self.line.as_ref().is_some_and(|line| line.direction > 0)
    }

    /// Returns true if nothing can happen before the opponent acts.
    pub(super) fn waits_for_opponent(&self) -> bool {
        if self.between {
            return self.waits_for_join;
        }
        if self.my_double || self.my_resignation {
            return true;
        }
        self.fresh && !self.my_turn() && !self.doubled && self.resignation.is_none()
    }

    /// Returns the action to take now, with the name of the kind of decision. `may_resign` is true if a lost game is
    /// resigned.
    pub(super) fn question(
        &self,
        now: u64,
        timing: &Timing,
        crawford_roll: CrawfordRoll,
        may_resign: bool,
    ) -> Option<(&'static str, Move)> {
        if !self.fresh || self.between || self.leaving {
            return None;
        }
        let (line, view) = (self.line.as_ref()?, self.view.as_ref()?);
        if let Some(points) = self.resignation {
            return Some((
                "resignation",
                Move::Ask(self.resignation_asked(line, view, points)),
            ));
        }
        let BoardView {
            position, state, ..
        } = *view;
        if self.doubled {
            return Some((
                "offer",
                Move::Ask(Ask::Offer(CubeQuery { position, state })),
            ));
        }
        if self.my_double || self.my_resignation || !self.my_turn() || position.is_over() {
            return None;
        }
        let resign = may_resign && !self.resignation_refused;
        if let Some(roll) = view.roll {
            if legal_plays(&position, roll).is_empty() {
                return Some(("dance", Move::Wait));
            }
            let query = PlayQuery {
                position,
                roll,
                state,
            };
            return Some(("play", Move::Ask(Ask::Play { query, resign })));
        }
        // FIBS-16: the fields for the cube say nothing about the Crawford game.
        let crawford = state.score.is_crawford();
        if crawford && crawford_roll == CrawfordRoll::Bot {
            return Some(("roll", Move::Roll));
        }
        let cube = state.cube.owner() != CubeOwner::Opponent && !crawford;
        let patience = if cube {
            timing.prompt_ms
        } else {
            timing.roll_ms
        };
        if !self.prompted && !self.confirmed {
            let missing = now >= self.board_at.saturating_add(patience);
            return missing.then_some(("missing", Move::Resync));
        }
        if cube {
            let query = CubeQuery { position, state };
            return Some(("cube", Move::Ask(Ask::RollOrDouble { query, resign })));
        }
        Some(("roll", Move::Roll))
    }

    fn resignation_asked(&self, line: &BoardLine, view: &BoardView, points: u32) -> Ask {
        // The question is put for the one who resigns: the opponent.
        let (position, state) = if view.first_on_roll {
            (view.position.swapped(), view.state.swapped())
        } else {
            (view.position, view.state)
        };
        let cube = state.cube.value();
        let [mine, _] = self.scores();
        let length = u32::try_from(line.length).unwrap_or(0);
        let ends_match = !state.score.is_money() && mine.saturating_add(points) >= length;
        Ask::Resignation {
            query: EvalQuery { position, state },
            games: u8::try_from((points / cube).clamp(1, 3)).unwrap_or(3),
            ends_match,
        }
    }

    /// The position before the play that the opponent just made is not known here; this one is the
    /// board's own, for the record.
    pub(super) fn recorded_board(&self) -> Option<(MatPlayer, Position)> {
        let view = self.view.as_ref()?;
        let player = match view.first_on_roll {
            true => MatPlayer::First,
            false => MatPlayer::Second,
        };
        Some((player, view.position))
    }
}
