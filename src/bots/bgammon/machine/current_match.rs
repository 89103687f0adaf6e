//! The current match: the last board, the bot's actions on it, and the record for its file.

use super::board::{Board, step_text};
use super::interface::{Ask, BgammonAnswer, BgammonTiming};
use crate::shared::{MatchEnd, MatchRecord};
use gammond_engine::query::{CubeQuery, PlayQuery};
use gammond_game::notation::{MatPlayer, steps_made};
use gammond_game::{Play, Roll, Step};

/// Refusals in a turn after which the bot no longer chooses, but takes the server's suggestion (BGM-35).
const CAREFUL_REFUSALS: u32 = 2;
/// Refusals in a turn after which the bot tries no more than once a minute, until the opponent counts as idle: all commands
/// are refused while the opponent is away, and a match that is left is lost.
const REFUSALS_MAX: u32 = 5;
/// Time in milliseconds between two tries then.
const REFUSED_MS: u64 = 60_000;
/// The wait for an opponent who is present and does nothing, in units of the wait for one who is away.
const PRESENT_FACTOR: u64 = 4;
/// Doublings of the wait for an effect of a command.
const RESYNC_DOUBLINGS: u32 = 3;
/// Requests without an answer after which the connection counts as dead.
const UNANSWERED_MAX: u32 = 3;
/// First wait before the board is requested after a refusal, in milliseconds; it doubles with each refusal.
const REFUSAL_BACKOFF_MS: u64 = 500;
/// Time in milliseconds after which the engine's answer is no longer waited for.
const ANSWER_TIMEOUT_MS: u64 = 120_000;

/// The action for the present state.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NextAction {
    /// Nothing to do before another event.
    Wait,
    /// Send this command.
    Send(String),
    /// A query to the engine.
    Ask(Ask),
    /// Leave the match.
    Leave,
}

/// The bot's last action on the present board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// No request is open.
    Open,
    /// A query was sent to the engine at this time.
    Asked { id: u64, at: u64 },
    /// A command was sent at this time.
    Sent(u64),
    /// A command was refused; the board is to be requested at this time.
    Refused(u64),
    /// The board was requested at this time; the next one is acted on even if it is the same.
    Requested(u64),
}

/// The steps of a chosen play that are still to be sent, one at a time (BGM-31).
#[derive(Clone, Debug)]
struct Plan {
    steps: Vec<Step>,
    sent: Option<Step>,
}

#[derive(Clone, Debug)]
pub(super) struct CurrentMatch {
    board: Board,
    changed_at: u64,
    /// False while the opponent is away; the server then refuses all commands (BGM-51).
    present: bool,
    progress: Progress,
    /// Requests for the board since it changed.
    requests: u32,
    /// Number of requests for the board that the server has not answered.
    unanswered: u32,
    /// Refusals in this turn.
    refusals: u32,
    plan: Option<Plan>,
    /// True if the bot has doubled in this turn: after the take it rolls.
    doubled: bool,
    record: Option<MatchRecord>,
    /// The last rolls of the bot and of the opponent.
    rolls: [Option<Roll>; 2],
    /// True if the connection was lost, and no board has come since.
    lost: bool,
}

impl CurrentMatch {
    pub(super) fn new(board: Board, now: u64) -> CurrentMatch {
        let mut current = CurrentMatch {
            board: board.clone(),
            changed_at: now,
            present: true,
            progress: Progress::Open,
            requests: 0,
            unanswered: 0,
            refusals: 0,
            plan: None,
            doubled: false,
            record: None,
            rolls: [None; 2],
            lost: false,
        };
        current.keep(&board);
        current
    }

    /// Returns the opponent's name, empty while there is none.
    pub(super) fn opponent(&self) -> &str {
        &self.board.names[1]
    }

    /// Returns true if the match is over.
    pub(super) fn is_over(&self) -> bool {
        self.board.match_over()
    }

    /// Returns true if a match with an opponent has begun and is not over.
    pub(super) fn is_running(&self) -> bool {
        !self.opponent().is_empty() && !self.is_over()
    }

    /// Returns true if the server's board belongs to this match, so that the record can continue with it.
    pub(super) fn is_continued_by(&self, board: &Board) -> bool {
        let [mine, theirs] = board.scores;
        let [mine_before, theirs_before] = self.board.scores;
        (self.opponent().is_empty()
            || self.is_without_opponent(board)
            || board.names[1] == self.board.names[1])
            && board.length == self.board.length
            && mine >= mine_before
            && theirs >= theirs_before
    }

    /// Returns true if the board is of this match while the opponent is away, which some servers show by an empty name.
    fn is_without_opponent(&self, board: &Board) -> bool {
        let begun = board.turn.is_some() || board.scores != [0; 2];
        board.names[1].is_empty() && begun && self.is_running()
    }

    /// Handles the loss of the connection: plays can be missed.
    pub(super) fn interrupted(&mut self) {
        if let Some(record) = &mut self.record {
            record.interrupted();
        }
        self.plan = None;
        self.lost = true;
        // No event names the players present when the bot comes back.
        self.present = true;
        self.progress = Progress::Requested(0);
    }

    /// Records that the opponent has left the match, or is back.
    pub(super) fn set_present(&mut self, present: bool, now: u64) {
        self.present = present;
        // A match that is over is left without the opponent.
        if !self.is_over() {
            self.changed_at = now;
            self.progress = Progress::Open;
        }
    }

    /// Takes the record of a match that ends now, if it has a play or a score. The second call returns `None`.
    pub(super) fn take_record(&mut self, end: MatchEnd) -> Option<MatchRecord> {
        let mut record = self.record.take()?;
        record.outcome.get_or_insert(end);
        let played = |game: &gammond_game::notation::MatGame| !game.actions.is_empty();
        (record.games.iter().any(played) || record.scores != [0; 2]).then_some(record)
    }

    /// Takes a board of the server. Returns true if it differs from the last one.
    pub(super) fn show(&mut self, mut board: Board, now: u64) -> bool {
        self.lost = false;
        self.unanswered = 0;
        if self.is_without_opponent(&board) {
            board.names.clone_from(&self.board.names);
            self.present = false;
        }
        if board == self.board {
            if matches!(self.progress, Progress::Requested(_)) {
                self.progress = Progress::Open;
            }
            return false;
        }
        self.keep(&board);
        self.follow_plan(&board);
        let old = &self.board;
        let turn = |board: &Board| (board.turn, board.dice, board.offered, board.scores);
        if turn(old) != turn(&board) {
            self.refusals = 0;
        }
        if board.turn != Some(MatPlayer::First) || board.roll().is_some() {
            self.doubled = false;
        }
        // Only a player who is there can act.
        let acts = board.turn == Some(MatPlayer::Second) && board.moves > 0;
        if acts || old.turn == Some(MatPlayer::Second) && board.turn == Some(MatPlayer::First) {
            self.present = true;
        }
        self.board = board;
        self.changed_at = now;
        self.requests = 0;
        self.progress = Progress::Open;
        true
    }

    /// Drops the step that the board shows as made; any other change ends the plan.
    fn follow_plan(&mut self, board: &Board) {
        let Some(plan) = &mut self.plan else { return };
        let made = plan.sent.take().filter(|step| {
            let play = Play::from_steps(&[*step]).unwrap_or_default();
            board.turn == Some(MatPlayer::First)
                && board.moves == self.board.moves + 1
                && steps_made(&self.board.position, &play) == Some(board.position)
        });
        match made {
            Some(step) => {
                if let Some(at) = plan.steps.iter().position(|known| *known == step) {
                    plan.steps.remove(at);
                }
            }
            None => self.plan = None,
        }
    }

    /// Records the changes that a new board shows.
    fn keep(&mut self, board: &Board) {
        let old = &self.board;
        if board.names[1].is_empty() {
            return;
        }
        // A rematch, or another opponent in the same match.
        let over = |record: &MatchRecord| record.outcome.is_some();
        if self
            .record
            .as_ref()
            .is_some_and(|record| record.opponent != board.names[1] || over(record))
        {
            if board.match_over() {
                return;
            }
            self.record = None;
        }
        let record = self
            .record
            .get_or_insert_with(|| MatchRecord::new(&board.names[1], Some(board.length)));
        let Some(turn) = board.turn else {
            // A pass shows in the score alone.
            if old.offered && old.winner.is_none() && board.scores != old.scores {
                let lost = board.scores[0] == old.scores[0];
                record.drop(if lost {
                    MatPlayer::First
                } else {
                    MatPlayer::Second
                });
            }
            record.set_reported_score(board.scores);
            record.begin_game(board.scores);
            self.rolls = [None; 2];
            return;
        };
        if let (Some(roll), Some(slot)) = (board.roll(), self.rolls.get_mut(turn.index())) {
            *slot = Some(roll);
        }
        let seen = |player: MatPlayer| board.position_of(player);
        if let Some(winner) = board.winner {
            let loser = winner.other();
            if old.winner.is_none() {
                match old.offered && !board.position.is_over() {
                    true => record.drop(loser),
                    false if board.position.is_over() => {
                        record.check(loser, &seen(loser), board.scores, self.rolls);
                    }
                    false => {}
                }
            }
            record.set_reported_score(board.scores);
            if board.match_over() {
                record.match_over(winner, Some(board.scores));
            }
            return;
        }
        if board.moves == 0 {
            record.check(turn, &seen(turn), board.scores, self.rolls);
        }
        if board.offered && !old.offered {
            record.double(turn);
        } else if old.offered && !board.offered && board.cube.value() > old.cube.value() {
            record.take(turn.other());
        }
    }

    /// Handles a command that the server has refused.
    pub(super) fn refused(&mut self, now: u64) {
        let wait = match self.refusals < REFUSALS_MAX {
            true => REFUSAL_BACKOFF_MS << self.refusals,
            false => REFUSED_MS,
        };
        self.refusals = self.refusals.saturating_add(1);
        self.plan = None;
        self.progress = Progress::Refused(now + wait);
    }

    /// Returns true if the bot may still choose in this turn.
    fn chooses(&self) -> bool {
        self.refusals < CAREFUL_REFUSALS && self.requests < CAREFUL_REFUSALS
    }

    /// Returns true if the server refuses all commands until the opponent comes back.
    fn is_away(&self) -> bool {
        !self.present && !self.is_over()
    }

    /// Returns the time at which the match is left. Leaving loses it, so an opponent who is there gets more time.
    fn idle_at(&self, timing: &BgammonTiming) -> u64 {
        let factor = match self.present && self.is_running() {
            true => PRESENT_FACTOR,
            false => 1,
        };
        self.changed_at
            .saturating_add(timing.idle_ms.saturating_mul(factor))
    }

    /// Returns when a command or a request has had no effect.
    fn resync_at(&self, at: u64, timing: &BgammonTiming) -> u64 {
        at + (timing.resync_ms << self.requests.min(RESYNC_DOUBLINGS))
    }

    /// Returns the time of the next action that no event brings, with the wait for an idle opponent.
    pub(super) fn wake(&self, timing: &BgammonTiming) -> u64 {
        let idle = self.idle_at(timing);
        let due = match self.progress {
            Progress::Open if self.is_over() => self.changed_at + timing.rest_ms,
            Progress::Open => self.changed_at + timing.roll_ms,
            Progress::Asked { at, .. } => at + ANSWER_TIMEOUT_MS,
            Progress::Sent(at) | Progress::Requested(at) => self.resync_at(at, timing),
            Progress::Refused(at) => at,
        };
        match self.progress {
            // Without this the wait for the opponent would poll.
            Progress::Open if !self.is_over() && !self.rolls_late() => idle,
            _ if self.is_away() => idle,
            _ => due.min(idle),
        }
    }

    /// Returns the action at this time. `Ask` and `Send` must be followed by [`CurrentMatch::asked`] and
    /// [`CurrentMatch::sent`].
    pub(super) fn action(&mut self, now: u64, timing: &BgammonTiming) -> NextAction {
        if self.board.spectating || now >= self.idle_at(timing) {
            return NextAction::Leave;
        }
        if self.is_away() {
            return NextAction::Wait;
        }
        let late = match self.progress {
            Progress::Open => return self.decision(now, timing),
            Progress::Asked { at, .. } => now >= at + ANSWER_TIMEOUT_MS,
            Progress::Sent(at) | Progress::Requested(at) => now >= self.resync_at(at, timing),
            Progress::Refused(at) => now >= at,
        };
        if !late {
            return NextAction::Wait;
        }
        self.requests = self.requests.saturating_add(1);
        self.unanswered += 1;
        self.progress = Progress::Requested(now);
        NextAction::Send("board".to_owned())
    }

    /// Returns true if the connection was lost and the server has not shown the match since.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Returns true if the server shows no board, however often it is requested.
    pub(super) fn is_deaf(&self) -> bool {
        self.unanswered > UNANSWERED_MAX
    }

    /// Returns true if the server rolls for a player who may not double (BGM-33).
    fn rolls_late(&self) -> bool {
        let board = &self.board;
        board.turn == Some(MatPlayer::First)
            && !board.offered
            && board.roll().is_none()
            && !self.opponent().is_empty()
            && board.winner.is_none()
            && !board.forced
    }

    /// Returns the action for a board about which nothing was done yet.
    fn decision(&mut self, now: u64, timing: &BgammonTiming) -> NextAction {
        let board = &self.board;
        if self.is_over() {
            return match now >= self.changed_at + timing.rest_ms {
                true => NextAction::Leave,
                false => NextAction::Wait,
            };
        }
        if self.opponent().is_empty() || board.winner.is_some() || board.forced {
            return NextAction::Wait;
        }
        match (board.turn, board.offered) {
            (None, _) if board.dice[0] == 0 => NextAction::Send("roll".to_owned()),
            (Some(MatPlayer::First), false) => self.my_turn(now, timing),
            (Some(MatPlayer::Second), true) => match self.chooses() {
                true => self.offer(),
                // BGM-43: a take is right far more often than a pass.
                false => NextAction::Send("ok".to_owned()),
            },
            _ => NextAction::Wait,
        }
    }

    fn offer(&self) -> NextAction {
        let doubler = MatPlayer::Second;
        let Some(state) = self.board.state_of(doubler) else {
            return NextAction::Wait;
        };
        NextAction::Ask(Ask::Offer {
            query: CubeQuery {
                position: self.board.position_of(doubler),
                state,
            },
            mine: self.board.concession(MatPlayer::First),
        })
    }

    fn my_turn(&mut self, now: u64, timing: &BgammonTiming) -> NextAction {
        let board = &self.board;
        let Some(roll) = board.roll() else {
            return self.before_roll(now, timing);
        };
        let ok = NextAction::Send("ok".to_owned());
        if !self.chooses() {
            return match board.available.first() {
                Some(&step) => NextAction::Send(format!("move {}", step_text(step))),
                None => ok,
            };
        }
        match &mut self.plan {
            Some(plan) => {
                let next = plan
                    .steps
                    .iter()
                    .find(|step| board.available.contains(step));
                match next.copied() {
                    Some(step) => {
                        plan.sent = Some(step);
                        NextAction::Send(format!("move {}", step_text(step)))
                    }
                    None if board.available.is_empty() => ok,
                    None => {
                        // The order was wrong, or the server plays by other rules.
                        self.plan = None;
                        self.refusals += 1;
                        NextAction::Send("reset".to_owned())
                    }
                }
            }
            // A turn that was begun before the connection was lost.
            None if board.moves > 0 => NextAction::Send("reset".to_owned()),
            None if board.available.is_empty() => ok,
            None => match board.state_of(MatPlayer::First) {
                Some(state) => NextAction::Ask(Ask::Play {
                    query: PlayQuery::new(board.position, roll, state),
                    mine: board.concession(MatPlayer::First),
                }),
                None => NextAction::Wait,
            },
        }
    }

    fn before_roll(&self, now: u64, timing: &BgammonTiming) -> NextAction {
        let board = &self.board;
        let roll = NextAction::Send("roll".to_owned());
        if self.doubled {
            return roll;
        }
        if !board.may_double() {
            return match now >= self.changed_at + timing.roll_ms {
                true => roll,
                false => NextAction::Wait,
            };
        }
        // A double that had no effect is not repeated.
        match board.state_of(MatPlayer::First) {
            Some(state) if self.chooses() && self.requests == 0 && self.refusals == 0 => {
                NextAction::Ask(Ask::RollOrDouble {
                    query: CubeQuery {
                        position: board.position,
                        state,
                    },
                    mine: board.concession(MatPlayer::First),
                    theirs: board.concession(MatPlayer::Second),
                })
            }
            _ => roll,
        }
    }

    /// Records a command that was sent.
    pub(super) fn sent(&mut self, command: &str, now: u64) {
        self.progress = match command {
            "board" => Progress::Requested(now),
            _ => Progress::Sent(now),
        };
    }

    /// Records a query to the engine.
    pub(super) fn asked(&mut self, id: u64, now: u64) {
        self.progress = Progress::Asked { id, at: now };
    }

    /// Takes the engine's answer. Returns the command for it; `None` if the answer is about an earlier board, or is a play,
    /// whose steps are the next actions.
    pub(super) fn answered(&mut self, id: u64, answer: BgammonAnswer) -> Option<&'static str> {
        match self.progress {
            Progress::Asked { id: asked, .. } if asked == id => self.progress = Progress::Open,
            _ => return None,
        }
        match answer {
            BgammonAnswer::Play(play) => {
                self.plan = Some(Plan {
                    steps: play.steps().to_vec(),
                    sent: None,
                });
                None
            }
            BgammonAnswer::Roll => Some("roll"),
            BgammonAnswer::Double => {
                self.doubled = true;
                Some("double")
            }
            BgammonAnswer::Take => Some("ok"),
            BgammonAnswer::Pass | BgammonAnswer::Resign => Some("resign"),
        }
    }
}
