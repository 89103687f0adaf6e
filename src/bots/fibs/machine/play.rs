//! One match on the server: its known state, and the decision to make now.
//!
//! The board line is the truth, prompts are hints (FIBS-12). [`Match::turn`] is the one place that derives the player
//! to act from them.

use super::interface::{Ask, Timing};
use crate::shared::MatchRecord;
use gammond_engine::query::{CubeQuery, EvalQuery, PlayQuery};
use gammond_game::notation::MatPlayer;
use gammond_game::notation::fibs::MatchTerms;
use gammond_game::notation::{BoardDialect, BoardLine, BoardView, NotationError};
use gammond_game::{CubeOwner, Position, Roll, Rules, legal_plays};

/// The action for the present state.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Move {
    /// A query to the engine is due.
    Ask(Ask),
    /// The only possible action: roll.
    Roll,
    /// A prompt or an automatic roll is missing: the server must confirm whether it is still to come.
    Resync,
    /// The play is settled by the rules: no checker can move. The server reports it without a command.
    Wait,
}

/// State of a match: the player who must act, and the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchTurn {
    /// We have sent `leave`.
    Leaving,
    /// Between two games; the server waits for the bot's `join`.
    MyJoin,
    /// Between two games; the opponent has not joined the next one yet.
    TheirJoin,
    /// No board has come that is as new as the prompt to answer.
    NoBoard,
    /// The board was requested.
    Resync,
    /// We roll or double.
    MyRoll,
    /// We play a roll.
    MyMove,
    /// We have rolled, and no checker can move.
    MyDance,
    /// We take or pass.
    MyCubeAnswer,
    /// We accept or refuse a resignation.
    MyResignAnswer,
    /// The opponent must answer our double or resignation.
    TheirAnswer,
    /// The opponent rolls or plays.
    TheirTurn,
    /// The board shows a game that is over.
    GameOver,
}

/// Age of the known board. An unchanged board proves nothing before the server has answered all earlier commands
/// (FIBS-32).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardAge {
    /// The board is not older than the prompt to answer.
    Fresh,
    /// A newer one must come, or none has come yet.
    Stale,
    /// The board was requested; earlier boards can still be on their way.
    Asked,
    /// The next board is the answer.
    Fenced,
}

impl BoardAge {
    /// Returns true if the board was requested.
    pub(super) const fn is_asked(self) -> bool {
        matches!(self, BoardAge::Asked | BoardAge::Fenced)
    }

    /// Marks the board as outdated: it no longer shows what must be answered.
    fn outdate(&mut self) {
        if *self == BoardAge::Fresh {
            *self = BoardAge::Stale;
        }
    }

    /// Forgets an earlier request, whose answer no longer counts.
    pub(super) fn forget_request(&mut self) {
        if self.is_asked() {
            *self = BoardAge::Stale;
        }
    }
}

/// The side that rolls for the bot in the Crawford game, where it has no choice (FIBS-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CrawfordRoll {
    /// The server, as far as the bot knows.
    Server,
    /// The bot: this server has waited for its `roll` before.
    Bot,
}

/// Part of the match that is being played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// A game.
    Game,
    /// The break between two games.
    Between {
        /// True if the bot has joined the next game and the opponent has not.
        waits_for_join: bool,
        /// Time at which to join the next game again.
        rejoin_at: Option<u64>,
    },
}

impl Stage {
    const BREAK: Stage = Stage::Between {
        waits_for_join: false,
        rejoin_at: None,
    };
}

/// An offer of ours that the opponent has not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MyOffer {
    /// We double.
    Double,
    /// We resign.
    Resignation,
}

/// Offers that are open. Both of the opponent's can be: a server that shows the double in no board must not lose it by
/// a resignation that was refused.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Offers {
    /// True if the opponent doubles.
    pub(super) doubled: bool,
    /// The opponent resigns this number of points.
    pub(super) resignation: Option<u32>,
    /// Our offer.
    pub(super) mine: Option<MyOffer>,
    /// True if the opponent has refused the bot's resignation of this game.
    pub(super) resignation_refused: bool,
}

impl Offers {
    /// Closes a double by either player.
    pub(super) fn close_doubles(&mut self) {
        self.doubled = false;
        self.mine.take_if(|offer| *offer == MyOffer::Double);
    }
}

/// Kind of a decision and the board that it answers (FIBS-13).
pub(super) type DecisionKey = (&'static str, String);

/// A question to the engine.
#[derive(Clone, Debug)]
pub(super) struct OpenDecision {
    pub(super) id: u64,
    pub(super) key: DecisionKey,
    pub(super) ask: Ask,
}

/// Decisions on the present board.
#[derive(Clone, Debug, Default)]
pub(super) struct Decisions {
    /// The decision that was made last.
    pub(super) made: Option<DecisionKey>,
    /// The decision in progress.
    pub(super) open: Option<OpenDecision>,
    /// Number of commands for this board that the server has refused.
    pub(super) refusals: u32,
    /// Games offered because the bot is to stop.
    pub(super) stop_offered: u8,
}

/// Agreed terms of a match, and what contradicts them.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) wanted: MatchTerms,
    /// The agreed length; `None` if unknown, `Some(None)` for an unlimited match.
    pub(super) agreed: Option<Option<u32>>,
    /// Boards of another match in a row.
    pub(super) foreign: u32,
    /// True if the match began by a board: its start line may still come.
    pub(super) unannounced: bool,
    /// Points of us and of the opponent that the server gave when the match was resumed.
    pub(super) points_told: [Option<u32>; 2],
}

impl Terms {
    fn new(wanted: MatchTerms) -> Terms {
        Terms {
            wanted,
            agreed: match wanted {
                MatchTerms::Points(length) => Some(Some(length)),
                MatchTerms::Unlimited => Some(None),
                MatchTerms::Resume => None,
            },
            foreign: 0,
            unannounced: false,
            points_told: [None; 2],
        }
    }

    /// Returns true if the match has no end.
    pub(super) fn is_unlimited(&self) -> bool {
        self.agreed == Some(None)
    }
}

/// A board line and its meaning.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) line: BoardLine,
    pub(super) view: BoardView,
    /// True if it is our turn and no checker can move.
    dances: bool,
}

impl Shown {
    fn new(line: BoardLine, view: BoardView) -> Shown {
        let mine = line.turn == line.colour && !view.position.is_over();
        let dances = |roll: Roll| mine && legal_plays(&view.position, roll).is_empty();
        Shown {
            dances: view.roll.is_some_and(dances),
            line,
            view,
        }
    }

    /// Returns true if it is our turn.
    fn is_mine(&self) -> bool {
        self.line.turn == self.line.colour
    }
}

/// The board as the server has shown it.
#[derive(Clone, Debug)]
pub(super) struct KnownBoard {
    pub(super) shown: Option<Shown>,
    /// Its text, which identifies decisions.
    pub(super) text: String,
    pub(super) age: BoardAge,
    /// Time at which to request a board.
    pub(super) ask_at: Option<u64>,
    /// True if the server has prompted the bot to roll or double.
    pub(super) prompted: bool,
    /// True if the server has shown this board after it had answered all that was sent.
    pub(super) confirmed: bool,
    /// Time of arrival.
    shown_at: u64,
    /// Boards in a row that could not be read.
    pub(super) unreadable: u32,
}

/// Times of a match, and the reminders that were sent.
#[derive(Clone, Debug)]
pub(super) struct MatchClock {
    /// Time of the last event.
    pub(super) since: u64,
    /// Time since which the opponent is silent.
    pub(super) silent_since: u64,
    /// True if the silent opponent got a reminder.
    pub(super) reminded: bool,
    /// Requests for this board.
    pub(super) resyncs: u32,
}

/// Rolls whose plays have not been shown yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rolls {
    pub(super) mine: Option<Roll>,
    pub(super) theirs: Option<Roll>,
}

/// A match that is over and waits for our new rating.
#[derive(Clone, Debug)]
pub(super) struct EndedMatch {
    pub(super) record: MatchRecord,
    /// Time until which the rating is waited for.
    pub(super) due: u64,
}

/// A match that is being played.
#[derive(Clone, Debug)]
pub(super) struct Match {
    pub(super) opponent: String,
    pub(super) terms: Terms,
    pub(super) stage: Stage,
    /// True if the bot has sent `leave`.
    pub(super) leaving: bool,
    pub(super) board: KnownBoard,
    pub(super) offers: Offers,
    pub(super) decisions: Decisions,
    pub(super) clock: MatchClock,
    pub(super) rolls: Rolls,
    pub(super) greeted: bool,
    /// Games that have ended.
    pub(super) games: u32,
    pub(super) record: MatchRecord,
    /// The match before, if this one began before the rating came.
    pub(super) previous: Option<Box<EndedMatch>>,
}

impl Match {
    pub(super) fn new(opponent: &str, wanted: MatchTerms, now: u64, record: MatchRecord) -> Match {
        Match {
            opponent: opponent.to_owned(),
            terms: Terms::new(wanted),
            stage: Stage::Game,
            leaving: false,
            board: KnownBoard {
                shown: None,
                text: String::new(),
                age: BoardAge::Stale,
                ask_at: None,
                prompted: false,
                confirmed: false,
                shown_at: now,
                unreadable: 0,
            },
            offers: Offers::default(),
            decisions: Decisions::default(),
            clock: MatchClock {
                since: now,
                silent_since: now,
                reminded: false,
                resyncs: 0,
            },
            rolls: Rolls::default(),
            greeted: wanted == MatchTerms::Resume,
            games: 0,
            record,
            previous: None,
        }
    }

    /// Forgets what belongs to one game, but not the board: it can come before the line that
    /// announces the game.
    pub(super) fn begin_game(&mut self) {
        self.stage = Stage::Game;
        self.offers = Offers::default();
    }

    pub(super) fn end_game(&mut self) {
        self.begin_game();
        self.stage = Stage::BREAK;
        self.board.age = BoardAge::Stale;
        self.board.ask_at = None;
        self.board.shown = None;
        self.board.prompted = false;
        self.decisions.made = None;
        self.decisions.open = None;
        self.games += 1;
    }

    /// Returns true in the break between two games.
    pub(super) const fn is_between(&self) -> bool {
        matches!(self.stage, Stage::Between { .. })
    }

    /// Sets the length of the match, as the server gives it.
    pub(super) fn set_length(&mut self, length: Option<u32>) {
        self.terms.agreed = Some(length);
        self.record.length = length;
    }

    /// Requests the board after `delay` milliseconds, unless that is planned already.
    pub(super) fn expect_board(&mut self, now: u64, delay: u64) {
        self.board.ask_at.get_or_insert(now + delay);
    }

    /// Takes the open decision with this number, if its board is still shown.
    pub(super) fn open_decision(&mut self, id: u64) -> Option<OpenDecision> {
        let fresh = self.board.age == BoardAge::Fresh;
        self.decisions.open.take_if(|open| open.id == id && fresh)
    }

    /// Notes an offer, which is answered only from a board that came after it (FIBS-14).
    pub(super) fn offer_made(&mut self, now: u64) {
        self.board.age.outdate();
        self.decisions.open = None;
        self.decisions.made = None;
        self.board.ask_at = Some(now);
    }

    /// Updates the board that the server shows. Returns true if it differs from the one before.
    pub(super) fn show(&mut self, mut line: BoardLine, now: u64) -> Result<bool, NotationError> {
        if line.turn == 0 {
            if self.stage == Stage::Game {
                self.stage = Stage::BREAK;
            }
            self.board.age.outdate();
            return Ok(false);
        }
        let text = line.to_string();
        // Some servers leave the field for a double at 0: the sentence is the authority.
        if self.offers.doubled {
            line.doubled = 1;
        }
        let view = view_of(&line)?;
        // A copy may be written in another way, as with the bars of another kind of server: its meaning counts.
        let same = self.board.shown.as_ref().is_some_and(|known| {
            known.view == view
                && (
                    known.line.doubled,
                    known.line.turn,
                    known.line.colour,
                    known.line.scores,
                ) == (line.doubled, line.turn, line.colour, line.scores)
        });
        let changed = text != self.board.text && !same;
        let fenced = self.board.age == BoardAge::Fenced;
        if changed {
            // The bot recognises a decision by these words (FIBS-13).
            self.board.text = text;
            self.board.prompted = false;
            self.decisions.refusals = 0;
            self.decisions.open = None;
            self.clock.resyncs = 0;
            self.clock.silent_since = now;
            self.clock.reminded = false;
        }
        if changed || fenced {
            self.board.confirmed = fenced;
            self.board.shown_at = now;
            self.decisions.made = None;
            self.board.age = BoardAge::Fresh;
        } else if self.board.age != BoardAge::Asked {
            self.board.age = BoardAge::Fresh;
        }
        self.offers.doubled |= line.doubled != 0;
        self.board.ask_at = None;
        self.board.unreadable = 0;
        self.stage = Stage::Game;
        self.board.shown = Some(Shown::new(line, view));
        Ok(changed)
    }

    /// Counts the state so far as confirmed, because the board cannot be asked for (FIBS-34).
    pub(super) fn trust_board(&mut self, now: u64) {
        let Some(Shown { line, view, .. }) = &mut self.board.shown else {
            return;
        };
        if self.offers.doubled {
            // The doubler is on roll; after the bot's own play the last board shows him so.
            if line.turn == line.colour {
                return;
            }
            line.doubled = 1;
            if let Ok(mut doubled) = line.view(BoardDialect::Fibs) {
                doubled.state.rules = view.state.rules;
                *view = doubled;
            }
        }
        // Behind a fence all is answered: an action that changed nothing was lost.
        if std::mem::replace(&mut self.board.age, BoardAge::Fresh) == BoardAge::Fenced {
            self.board.confirmed = true;
            self.board.shown_at = now;
            self.decisions.made = None;
        }
    }

    /// Returns true if the board has the bot on turn.
    pub(super) fn my_turn(&self) -> bool {
        let shown = self.board.shown.as_ref();
        shown.is_some_and(Shown::is_mine)
    }

    /// Returns whether this is the Crawford game, by the board.
    pub(super) fn is_crawford(&self) -> bool {
        let shown = self.board.shown.as_ref();
        shown.is_some_and(|shown| shown.view.state.score.is_crawford())
    }

    /// Returns the points of the bot and of the opponent, by the board.
    pub(super) fn scores(&self) -> [u32; 2] {
        let shown = self.board.shown.as_ref();
        let scores = shown.map_or([0; 2], |shown| shown.line.scores);
        scores.map(|score| u32::try_from(score).unwrap_or(0))
    }

    /// Returns true if we move to higher numbers.
    pub(super) fn ascending(&self) -> bool {
        let shown = self.board.shown.as_ref();
        shown.is_some_and(|shown| shown.line.direction > 0)
    }

    /// Returns the state of the match.
    pub(super) fn turn(&self) -> MatchTurn {
        if self.leaving {
            return MatchTurn::Leaving;
        }
        match self.stage {
            Stage::Between {
                waits_for_join: true,
                ..
            } => return MatchTurn::TheirJoin,
            Stage::Between { .. } => return MatchTurn::MyJoin,
            Stage::Game => {}
        }
        let shown = match &self.board.shown {
            Some(shown) if self.board.age == BoardAge::Fresh => shown,
            _ if self.offers.mine.is_some() => return MatchTurn::TheirAnswer,
            _ if self.board.age.is_asked() => return MatchTurn::Resync,
            _ => return MatchTurn::NoBoard,
        };
        if self.offers.resignation.is_some() {
            MatchTurn::MyResignAnswer
        } else if self.offers.doubled {
            MatchTurn::MyCubeAnswer
        } else if self.offers.mine.is_some() {
            MatchTurn::TheirAnswer
        } else if !shown.is_mine() {
            MatchTurn::TheirTurn
        } else if shown.view.position.is_over() {
            MatchTurn::GameOver
        } else if shown.view.roll.is_none() {
            MatchTurn::MyRoll
        } else if shown.dances {
            MatchTurn::MyDance
        } else {
            MatchTurn::MyMove
        }
    }

    /// Returns true if nothing can happen before the opponent acts.
    pub(super) fn waits_for_opponent(&self) -> bool {
        matches!(
            self.turn(),
            MatchTurn::TheirJoin | MatchTurn::TheirAnswer | MatchTurn::TheirTurn
        )
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
        let shown = self.board.shown.as_ref()?;
        let BoardView {
            position,
            state,
            roll,
            ..
        } = shown.view;
        let resign = may_resign && !self.offers.resignation_refused;
        match self.turn() {
            MatchTurn::MyResignAnswer => {
                let asked = self.resignation_asked(shown, self.offers.resignation?);
                Some(("resignation", Move::Ask(asked)))
            }
            MatchTurn::MyCubeAnswer => {
                let query = CubeQuery { position, state };
                Some(("offer", Move::Ask(Ask::Offer(query))))
            }
            MatchTurn::MyDance => Some(("dance", Move::Wait)),
            MatchTurn::MyMove => {
                let query = PlayQuery {
                    position,
                    roll: roll?,
                    state,
                };
                Some(("play", Move::Ask(Ask::Play { query, resign })))
            }
            MatchTurn::MyRoll => {
                let query = CubeQuery { position, state };
                self.roll_or_double(
                    now,
                    timing,
                    crawford_roll,
                    Ask::RollOrDouble { query, resign },
                )
            }
            _ => None,
        }
    }

    /// Returns the action before the bot's roll; `ask` is the query where the cube may be turned.
    fn roll_or_double(
        &self,
        now: u64,
        timing: &Timing,
        crawford_roll: CrawfordRoll,
        ask: Ask,
    ) -> Option<(&'static str, Move)> {
        let state = self.board.shown.as_ref()?.view.state;
        // FIBS-16: the fields for the cube do not show the Crawford game.
        let crawford = state.score.is_crawford();
        if crawford && crawford_roll == CrawfordRoll::Bot {
            return Some(("roll", Move::Roll));
        }
        let cube = state.cube.owner() != CubeOwner::Opponent && !crawford;
        let patience = match cube {
            true => timing.prompt_ms,
            false => timing.roll_ms,
        };
        if !self.board.prompted && !self.board.confirmed {
            let missing = now >= self.board.shown_at.saturating_add(patience);
            return missing.then_some(("missing", Move::Resync));
        }
        Some(match cube {
            true => ("cube", Move::Ask(ask)),
            false => ("roll", Move::Roll),
        })
    }

    fn resignation_asked(&self, shown: &Shown, points: u32) -> Ask {
        let Shown { line, view, .. } = shown;
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

    /// Returns the board's own position for the record, when the position before the opponent's last play is unknown.
    pub(super) fn recorded_board(&self) -> Option<(MatPlayer, Position)> {
        let view = &self.board.shown.as_ref()?.view;
        let player = match view.first_on_roll {
            true => MatPlayer::First,
            false => MatPlayer::Second,
        };
        Some((player, view.position))
    }
}

/// Returns the meaning of a board line; FIBS has neither Jacoby rule nor beavers.
fn view_of(line: &BoardLine) -> Result<BoardView, NotationError> {
    let mut view = line.view(BoardDialect::Fibs)?;
    if view.state.score.is_money() {
        view.state.rules = Rules {
            jacoby: false,
            beavers: false,
        };
    }
    Ok(view)
}
