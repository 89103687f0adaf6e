//! Lines about the match that is being played.

use super::Machine;
use super::interface::{Ask, Event, Output};
use super::play::{
    BoardAge, CrawfordRoll, DecisionKey, EndedMatch, Match, Move, MyOffer, OpenDecision, Stage,
};
use super::resync::RESYNCS_MAX;
use super::state::{State, Stop};
use super::transitions::EventName;
use crate::shared::MatchEnd;
use gammond_game::notation::fibs::{By, MatchTerms, Message, read_steps};
use gammond_game::notation::{BoardDialect, BoardLine, MatPlayer};
use gammond_game::{Play, Position, Roll};

/// Boards of another match in a row after which the bot reconnects.
const FOREIGN_MAX: u32 = 5;
/// Boards in a row that cannot be read, after which the bot leaves.
const UNREADABLE_MAX: u32 = 5;
/// Refusals of the answers to one board after which the bot leaves.
const REFUSALS_MAX: u32 = 3;

impl Machine {
    /// Handles a line about the match that is being played.
    pub(super) fn match_message(&mut self, message: Message) {
        if let Message::Board(line) = message {
            self.board(*line);
            return;
        }
        if self.state.game().is_none() {
            self.begins_unannounced(&message);
        }
        let Some(game) = self.state.game_mut() else {
            return;
        };
        // FIBS-33: a line about a game of other players.
        if message.opponent().is_some_and(|name| name != game.opponent) {
            self.counts.foreign += 1;
            return;
        }
        match message {
            Message::Saved { by } => return self.match_removed(by == By::Me),
            Message::NotPlaying => return self.not_playing(),
            _ => {}
        }
        game.clock.since = self.now;
        if confirms_play(&message) {
            game.record.confirm();
        }
        match message {
            Message::BadBoard(_) => {
                if game.board.age.is_asked() {
                    self.link.board_shown();
                }
                self.unreadable_board();
            }
            Message::NoBoard => self.no_board(),
            Message::OpeningRoll { .. }
            | Message::Rolls { .. }
            | Message::Moves { .. }
            | Message::CannotMove { .. }
            | Message::PleaseMove
            | Message::RollOrDouble => self.play_message(message),
            Message::Doubles { .. }
            | Message::OffersResignation { .. }
            | Message::YouDouble
            | Message::Takes { .. }
            | Message::YouResign
            | Message::ResignationRejected { .. }
            | Message::OfferOpen { .. } => self.offer_message(message),
            Message::JoinNext => self.join_next(),
            Message::WaitForJoin | Message::NewGame(_) => self.next_game(&message),
            Message::MatchLength(_) | Message::PointsFor { .. } => self.resumed_terms(message),
            Message::Refused(_) => self.command_refused(),
            other => self.result_message(other),
        }
    }

    /// Handles a line about rolls and plays.
    fn play_message(&mut self, message: Message) {
        let (now, delay) = (self.now, self.timing.resync_ms / 4);
        let Some(game) = self.state.game_mut() else {
            return;
        };
        match message {
            Message::OpeningRoll { mine, other, .. } => {
                let last = game.record.games.last();
                if game.is_between() || last.is_none_or(|game| game.result.is_some()) {
                    let scores = game.record.scores;
                    game.record.begin_game(scores);
                }
                game.begin_game();
                if let Ok(roll) = Roll::new(mine, other) {
                    game.rolls.mine = Some(roll);
                    game.rolls.theirs = Some(roll);
                }
            }
            Message::Rolls {
                by,
                dice: [one, two],
            } => {
                game.offers.close_doubles();
                let roll = Roll::new(one, two).ok();
                match by {
                    By::Me => game.rolls.mine = roll,
                    By::Name(_) => game.rolls.theirs = roll,
                }
            }
            Message::Moves { steps, .. } => {
                game.offers.doubled = false;
                game.clock.silent_since = now;
                let steps = read_steps(&steps, !game.ascending());
                if let (Some(play), Some(roll)) = (steps, game.rolls.theirs.take()) {
                    game.record.play(MatPlayer::Second, roll, play);
                }
                // The board that follows can be missing.
                game.expect_board(now, delay);
            }
            Message::CannotMove { by } => {
                let roll = match by {
                    By::Me => game.rolls.mine.take(),
                    By::Name(_) => game.rolls.theirs.take(),
                };
                if let Some(roll) = roll {
                    game.record.play(by.player(), roll, Play::PASS);
                }
                game.expect_board(now, delay);
            }
            prompt => {
                game.board.prompted |= prompt == Message::RollOrDouble;
                if !game.my_turn() {
                    game.expect_board(now, delay);
                }
            }
        }
    }

    /// Handles a line about a double or a resignation.
    fn offer_message(&mut self, message: Message) {
        let (now, delay) = (self.now, self.timing.resync_ms / 4);
        let Some(game) = self.state.game_mut() else {
            return;
        };
        match message {
            Message::Doubles { .. } => {
                game.offers.doubled = true;
                game.record.double(MatPlayer::Second);
                self.offered();
            }
            Message::OffersResignation { points, .. } => {
                game.offers.resignation = Some(points);
                self.offered();
            }
            Message::YouDouble => {
                game.offers.mine = Some(MyOffer::Double);
                game.record.double(MatPlayer::First);
            }
            Message::Takes { by } => {
                game.record.take(by.player());
                game.offers.close_doubles();
                game.expect_board(now, delay);
            }
            Message::YouResign => game.offers.mine = Some(MyOffer::Resignation),
            Message::ResignationRejected { by } => {
                let mine = game.offers.mine;
                game.offers.resignation_refused |= mine == Some(MyOffer::Resignation);
                if by != By::Me || mine == Some(MyOffer::Resignation) {
                    game.offers.mine = None;
                }
                game.offers.resignation = None;
                self.resync();
            }
            // One of the two is open; the board does not show which.
            Message::OfferOpen { mine: true, .. } => {
                game.offers.mine.get_or_insert(MyOffer::Double);
            }
            _ => self.outbox.send("reject"),
        }
    }

    /// Handles a line about the end of a game or match.
    fn result_message(&mut self, message: Message) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        match message {
            Message::GivesUp { by, points, .. } => {
                let loser = by.player();
                game.record.drop(loser);
                self.game_over(loser.other(), points);
            }
            Message::ResignationAccepted { by, points } | Message::WinsGame { by, points } => {
                self.game_over(by.player(), points);
            }
            Message::WinsMatch { by, length, score } => self.match_over(&by, length, score),
            Message::Score([(one, first), (two, second)]) => {
                if one == self.user && two == game.opponent {
                    game.record.set_reported_score([first, second]);
                } else if two == self.user && one == game.opponent {
                    game.record.set_reported_score([second, first]);
                } else {
                    self.counts.foreign += 1;
                }
            }
            _ => {}
        }
    }

    /// Answers the server's question whether the match continues.
    fn join_next(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        if !game.is_between() {
            // The line that ended the game was lost or garbled.
            game.record.end_unsaid();
            game.end_game();
            self.progress();
        }
        let Some(game) = self.state.game_mut() else {
            return;
        };
        let games = u32::try_from(game.record.games.len()).unwrap_or(u32::MAX);
        let most = self.policy.unlimited_games;
        let enough = game.terms.is_unlimited() && most > 0 && games >= most;
        if self.stopping.wanted >= Stop::AfterGame || enough {
            self.leave();
            return;
        }
        let waits = matches!(game.stage, Stage::Between { waits_for_join, .. } if waits_for_join);
        if !waits {
            game.board.age.forget_request();
            self.outbox.send("join");
        }
    }

    /// Handles a line about the start of the next game.
    fn next_game(&mut self, message: &Message) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        match (message, &mut game.stage) {
            (Message::NewGame(_), _) => game.begin_game(),
            (_, Stage::Between { waits_for_join, .. }) => *waits_for_join = true,
            _ => {}
        }
    }

    /// Records length and score of a match that is resumed.
    fn resumed_terms(&mut self, message: Message) {
        let game = self.state.game_mut();
        let Some(game) = game.filter(|game| game.terms.wanted == MatchTerms::Resume) else {
            return;
        };
        match message {
            Message::MatchLength(length) => game.set_length(length),
            // Between two games no board shows the changes that the broken link hid.
            Message::PointsFor { name, points } => {
                let told = &mut game.terms.points_told;
                if name == self.user {
                    told[0] = Some(points);
                } else if name == game.opponent {
                    told[1] = Some(points);
                }
                if let [Some(mine), Some(theirs)] = *told {
                    *told = [None; 2];
                    game.record.score_resumed([mine, theirs]);
                }
            }
            _ => {}
        }
    }

    fn command_refused(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        self.counts.refused += 1;
        game.decisions.refusals += 1;
        self.link.crawford_roll = CrawfordRoll::Server;
        if game.decisions.refusals >= REFUSALS_MAX {
            self.leave_saying("Sorry, I do not understand this position.");
        } else {
            self.resync();
        }
    }

    /// Begins a match with its first game: Jibs announces a match only to the player who invited (FIBS-20).
    fn begins_unannounced(&mut self, message: &Message) {
        let (Message::NewGame(name) | Message::OpeningRoll { name, .. }) = message else {
            return;
        };
        let joining = self.state.joining();
        let joining = joining.filter(|joining| joining.name == *name);
        let Some(wanted) = joining.map(|joining| joining.wanted) else {
            return;
        };
        if wanted != MatchTerms::Resume {
            self.begin_unannounced(name.clone(), wanted);
        }
    }

    /// Begins a match whose start line may still come.
    fn begin_unannounced(&mut self, opponent: String, wanted: MatchTerms) {
        self.started(opponent, wanted);
        if let Some(game) = self.state.game_mut() {
            game.terms.unannounced = true;
        }
    }

    /// Handles the line that no match is being played. BaldLies sends it now and then in the middle of one, so that
    /// the bot leaves only when the server repeats it behind fences (FIBS-17).
    fn not_playing(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        if game.leaving || self.link.is_boardless() {
            return self.match_removed(true);
        }
        match game.board.age {
            BoardAge::Fresh | BoardAge::Stale => self.ask_again(),
            // The answer to an earlier command.
            BoardAge::Asked => {}
            BoardAge::Fenced => {
                game.clock.resyncs += 1;
                match game.clock.resyncs < RESYNCS_MAX {
                    true => self.ask_again(),
                    false => self.match_removed(true),
                }
            }
        }
    }

    /// Leaves the match that is being played, for another state.
    fn end_match(&mut self) -> Option<Box<Match>> {
        self.state.game()?;
        match self.enter(State::Free) {
            State::Playing(game) => Some(game),
            _ => None,
        }
    }

    fn match_over(&mut self, by: &By, length: u32, score: Option<[u32; 2]>) {
        let Some(game) = self.end_match() else { return };
        let mut record = game.record;
        record.length = Some(length);
        let winner = by.player();
        record.match_over(
            winner,
            score.map(|[high, low]| match winner {
                MatPlayer::First => [high, low],
                MatPlayer::Second => [low, high],
            }),
        );
        self.saved.listed.remove(&record.opponent);
        self.finished(game.previous);
        let due = self.now + self.timing.rating_ms;
        self.enter(State::MatchOver(Box::new(EndedMatch { record, due })));
        self.outbox.clear();
    }

    /// Notes an offer, which is answered only from a board that came after it (FIBS-14).
    fn offered(&mut self) {
        self.outbox.drop_decisions();
        if let Some(game) = self.state.game_mut() {
            game.offer_made(self.now);
        }
        if self.link.is_boardless() {
            self.continue_from_known_board();
        }
    }

    fn board(&mut self, line: BoardLine) {
        let [mine, opponent] = &line.names;
        if mine != "You" {
            return;
        }
        self.counts.boards += 1;
        let length = u32::try_from(line.length)
            .ok()
            .filter(|&length| length > 0 && length < 9999);
        match self.state {
            State::Playing(_) => {}
            // FIBS-20: a board after the login is a match that resumes, or one whose start line comes after its first
            // board.
            State::Free | State::Joining(_) => {
                let wanted = self.is_unsolicited(opponent, &line, length);
                self.begin_unannounced(opponent.clone(), wanted);
            }
            _ => return,
        }
        if self.foreign_board(opponent, length) {
            return;
        }
        let Some(game) = self.state.game_mut() else {
            return;
        };
        // The last board of a game that has ended.
        let late = game.is_between()
            && game.board.age != BoardAge::Fenced
            && line.turn != 0
            && game.games > 0;
        if game.leaving || late {
            return;
        }
        game.clock.since = self.now;
        if game.board.age.is_asked() {
            self.link.board_shown();
        }
        game.set_length(length);
        match game.show(line, self.now) {
            Err(_) if game.board.unreadable + 1 >= UNREADABLE_MAX => {
                self.counts.bad_boards += 1;
                self.leave();
            }
            Err(_) => self.unreadable_board(),
            Ok(false) => {}
            Ok(true) => self.board_changed(),
        }
    }

    /// Handles a board that has errors.
    fn unreadable_board(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        self.counts.bad_boards += 1;
        game.board.unreadable += 1;
        game.board.ask_at = Some(self.now + self.timing.resync_ms / 4);
    }

    /// Handles a board that differs from the one before.
    fn board_changed(&mut self) {
        self.outbox.drop_decisions();
        self.saved.resuming = None;
        let Some(game) = self.state.game_mut() else {
            return;
        };
        let scores = game.scores();
        if let Some((player, position)) = game.recorded_board() {
            let rolls = [game.rolls.mine, game.rolls.theirs];
            game.record.check(player, &position, scores, rolls);
        }
        if let Some(resumption) = self.saved.resumptions.get_mut(&game.opponent) {
            resumption.breaks = 0;
        }
        if let Some(shown) = &game.board.shown {
            self.outbox.event(Event::Board(Box::new(shown.view)));
        }
        if !game.greeted && !game.my_turn() {
            game.greeted = true;
            for line in self.policy.greeting() {
                self.outbox.send(format!("kibitz {line}"));
            }
        }
    }

    /// Returns true for a board of another opponent or length, which does not belong to this match (FIBS-33).
    fn foreign_board(&mut self, opponent: &str, length: Option<u32>) -> bool {
        let Some(game) = self.state.game_mut() else {
            return true;
        };
        let terms = &mut game.terms;
        if opponent == game.opponent && terms.agreed.is_none_or(|agreed| agreed == length) {
            terms.foreign = 0;
            return false;
        }
        self.counts.foreign += 1;
        terms.foreign += 1;
        if terms.foreign >= FOREIGN_MAX {
            self.outbox.output(Output::Reconnect(
                "the server shows boards of another match",
            ));
        }
        true
    }

    /// Returns the kind of match of a board without a start line: the one we were about to begin, a new match, or a
    /// resumed one.
    fn is_unsolicited(&self, opponent: &str, line: &BoardLine, length: Option<u32>) -> MatchTerms {
        let new = length.map_or(MatchTerms::Unlimited, MatchTerms::Points);
        let joining = self.state.joining();
        if let Some(joining) = joining.filter(|joining| joining.name == opponent) {
            return match joining.wanted {
                MatchTerms::Resume => MatchTerms::Resume,
                _ => new,
            };
        }
        let begins = line.scores == [0, 0]
            && line
                .view(BoardDialect::Fibs)
                .is_ok_and(|view| view.position == Position::start());
        match begins && !self.saved.holds(opponent) {
            true => new,
            false => MatchTerms::Resume,
        }
    }

    fn game_over(&mut self, winner: MatPlayer, points: u32) {
        self.outbox.drop_decisions();
        if let Some(game) = self.state.game_mut() {
            game.record.end_game(winner, points);
            game.end_game();
            self.progress();
        }
    }

    /// Reports the match so far, for the state file.
    fn progress(&mut self) {
        let Some(game) = self.state.game() else {
            return;
        };
        self.outbox.event(Event::Progress {
            record: Box::new(game.record.clone()),
            rating: self.users.rating(),
            open: true,
        });
    }

    /// Handles the end of the match on the server. It counts as left by the bot's `leave` if the bot sent one and the
    /// server does not report otherwise; the opponent can have left in the same moment.
    fn match_removed(&mut self, by_us: bool) {
        let Some(game) = self.end_match() else { return };
        self.outbox.clear();
        let by_us = by_us && game.leaving;
        let done = game.terms.is_unlimited() && by_us && game.is_between();
        let Match {
            opponent,
            mut record,
            previous,
            ..
        } = *game;
        if let Some(previous) = previous {
            self.enter(State::MatchOver(previous));
        }
        if done {
            record.outcome = Some(MatchEnd::Left);
            self.outbox.event(Event::MatchFinished(Box::new(record)));
            return;
        }
        // FIBS-25: a player who has just left has a reason; he is not called back at once.
        let due = self.now + self.timing.resume_ms;
        self.saved.resumption(&opponent).due = due;
        self.saved.listed.insert(opponent.clone(), record.length);
        self.interrupt(record, false);
        self.outbox.event(Event::MatchSaved { opponent, by_us });
    }

    /// Reports a match that is over, with the rating if it has come.
    pub(super) fn finished(&mut self, ended: Option<Box<EndedMatch>>) {
        if let Some(ended) = ended {
            let record = Box::new(ended.record);
            self.outbox.event(Event::MatchFinished(record));
        }
    }

    /// Finishes the record when the rating after the match has come, or is waited for no longer.
    pub(super) fn finish_record(&mut self) {
        let ended = match &mut self.state {
            State::Playing(game) => game.previous.take(),
            State::MatchOver(_) => match self.enter(State::Free) {
                State::MatchOver(ended) => Some(ended),
                _ => None,
            },
            _ => None,
        };
        self.finished(ended);
    }

    /// Resigns one game, then two, then three, and leaves when all is refused (FIBS-27).
    fn resign_to_stop(&mut self, key: DecisionKey) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        let word = match game.decisions.stop_offered {
            0 => "n",
            1 => "g",
            2 => "b",
            _ => return self.leave(),
        };
        game.decisions.stop_offered += 1;
        game.decisions.made = Some(key);
        game.clock.since = self.now;
        self.outbox.send_decision(format!("resign {word}"));
    }

    /// Makes the due decisions, once for each board and kind (FIBS-13).
    pub(super) fn think(&mut self) {
        self.observe(EventName::Decides, Machine::decide);
    }

    fn decide(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        if game.decisions.open.is_some() {
            return;
        }
        let (crawford_roll, resign) = (self.link.crawford_roll, self.policy.resign);
        let question = game.question(self.now, &self.timing, crawford_roll, resign);
        let Some((kind, what)) = question else { return };
        let key = (kind, game.board.text.clone());
        if game.decisions.made.as_ref() == Some(&key) {
            return;
        }
        match what {
            Move::Wait => game.decisions.made = Some(key),
            Move::Resync => self.resync(),
            Move::Roll => {
                game.decisions.made = Some(key);
                game.clock.since = self.now;
                if game.board.confirmed && game.is_crawford() {
                    self.link.crawford_roll = CrawfordRoll::Bot;
                }
                self.outbox.send_decision("roll".to_owned());
            }
            Move::Ask(Ask::Play { .. } | Ask::RollOrDouble { .. })
                if self.stopping.wanted == Stop::AfterGame && self.policy.resign_on_stop =>
            {
                self.resign_to_stop(key);
            }
            Move::Ask(ask) => {
                let id = self.outbox.ask(ask.clone());
                game.decisions.open = Some(OpenDecision { id, key, ask });
            }
        }
    }
}

/// Returns true if this line confirms the bot's play.
fn confirms_play(message: &Message) -> bool {
    matches!(
        message,
        Message::Rolls {
            by: By::Name(_),
            ..
        } | Message::CannotMove { by: By::Name(_) }
            | Message::Moves { .. }
            | Message::Doubles { .. }
            | Message::OffersResignation { .. }
            | Message::WinsGame { .. }
    )
}
