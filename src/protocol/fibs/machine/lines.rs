//! Lines about the match that is being played.

use super::*;

/// Boards of another match in a row after which the bot reconnects.
const FOREIGN_MAX: u32 = 5;

impl Machine {
    /// A line about the match that is being played.
    #[expect(
        clippy::too_many_lines,
        reason = "a list of the lines, each with its few words"
    )]
    pub(super) fn match_message(&mut self, message: Message) {
        if let Message::Board(line) = message {
            self.board(*line);
            return;
        }
        let now = self.now;
        if self.game.is_none() {
            self.begins_unannounced(&message);
        }
        let Some(game) = &mut self.game else { return };
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
        game.since = now;
        if matches!(
            message,
            Message::Rolls {
                by: By::Name(_),
                ..
            } | Message::CannotMove { by: By::Name(_) }
                | Message::Moves { .. }
                | Message::Doubles { .. }
                | Message::OffersResignation { .. }
                | Message::WinsGame { .. }
        ) {
            game.record.confirm();
        }
        match message {
            Message::BadBoard(_) => {
                self.board_works |= game.resync != Resync::No;
                self.counts.bad_boards += 1;
                game.bad_boards += 1;
                game.need_board = Some(now + self.timing.resync_ms / 4);
            }
            Message::OpeningRoll { mine, other, .. } => {
                let last = game.record.games.last();
                if game.between || last.is_none_or(|game| game.result.is_some()) {
                    let scores = game.record.scores;
                    game.record.begin_game(scores);
                }
                game.begin_game();
                if let Ok(roll) = Roll::new(mine, other) {
                    game.my_roll = Some(roll);
                    game.other_roll = Some(roll);
                }
            }
            Message::Rolls {
                by,
                dice: [one, two],
            } => {
                game.doubled = false;
                game.my_double = false;
                let roll = Roll::new(one, two).ok();
                match by {
                    By::Me => game.my_roll = roll,
                    By::Name(_) => game.other_roll = roll,
                }
            }
            Message::Moves { steps, .. } => {
                game.doubled = false;
                game.silent_since = now;
                let steps = read_steps(&steps, !game.ascending());
                if let (Some(play), Some(roll)) = (steps, game.other_roll.take()) {
                    game.record.play(MatPlayer::Second, roll, play);
                }
                // The board that follows can be missing.
                game.need_board
                    .get_or_insert(now + self.timing.resync_ms / 4);
            }
            Message::CannotMove { by } => {
                let (player, roll) = match by {
                    By::Me => (MatPlayer::First, game.my_roll.take()),
                    By::Name(_) => (MatPlayer::Second, game.other_roll.take()),
                };
                if let Some(roll) = roll {
                    game.record.play(player, roll, Play::PASS);
                }
                game.need_board
                    .get_or_insert(now + self.timing.resync_ms / 4);
            }
            Message::PleaseMove | Message::RollOrDouble => {
                game.prompted |= message == Message::RollOrDouble;
                if !game.my_turn() {
                    game.need_board
                        .get_or_insert(now + self.timing.resync_ms / 4);
                }
            }
            Message::Doubles { .. } => {
                game.doubled = true;
                game.record.double(MatPlayer::Second);
                self.offered();
            }
            Message::OffersResignation { points, .. } => {
                game.resignation = Some(points);
                self.offered();
            }
            Message::YouDouble => {
                game.my_double = true;
                game.record.double(MatPlayer::First);
            }
            Message::Takes { by } => {
                game.record.take(by.player());
                game.doubled = false;
                game.my_double = false;
                game.need_board
                    .get_or_insert(now + self.timing.resync_ms / 4);
            }
            Message::YouResign => game.my_resignation = true,
            Message::ResignationRejected { .. } => {
                game.resignation_refused |= game.my_resignation;
                game.my_resignation = false;
                game.resignation = None;
                self.resync();
            }
            Message::OfferOpen { mine: true, .. } => {
                // One of the two is open; the board says nothing about it.
                game.my_double = true;
            }
            Message::OfferOpen { mine: false, .. } => self.send("reject"),
            Message::NoBoard => self.no_board(),
            other => self.result_message(other),
        }
    }

    /// A line about the end of a game or match, or a refusal.
    pub(super) fn result_message(&mut self, message: Message) {
        let Some(game) = &mut self.game else { return };
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
            Message::JoinNext => {
                if !game.between {
                    self.ended_without_a_line();
                }
                let Some(game) = &mut self.game else { return };
                game.between = true;
                let games = u32::try_from(game.record.games.len()).unwrap_or(u32::MAX);
                let enough = game.unlimited
                    && self.policy.unlimited_games > 0
                    && games >= self.policy.unlimited_games;
                if self.stop >= Stop::AfterGame || enough {
                    self.leave();
                } else if !game.waits_for_join {
                    game.resync = Resync::No;
                    self.send("join");
                }
            }
            Message::WaitForJoin => game.waits_for_join = true,
            Message::NewGame(_) => game.begin_game(),
            Message::MatchLength(length) if game.wanted == MatchTerms::Resume => {
                game.agreed = Some(length);
                game.record.length = length;
                game.unlimited = length.is_none();
            }
            // Between two games no board follows that would tell what the link hid.
            Message::PointsFor { name, points } if game.wanted == MatchTerms::Resume => {
                if name == self.user {
                    game.points_told[0] = Some(points);
                } else if name == game.opponent {
                    game.points_told[1] = Some(points);
                }
                if let [Some(mine), Some(theirs)] = game.points_told {
                    game.points_told = [None; 2];
                    game.record.score_resumed([mine, theirs]);
                }
            }
            Message::Refused(_) => {
                self.counts.refused += 1;
                game.refusals += 1;
                self.crawford_roll = CrawfordRoll::Server;
                if game.refusals >= 3 {
                    self.leave_saying("Sorry, I do not understand this position.");
                } else {
                    self.resync();
                }
            }
            _ => {}
        }
    }

    /// FIBS-20: Jibs announces a match only to the player who invited. To the other one the first game
    /// begins it.
    fn begins_unannounced(&mut self, message: &Message) {
        let (Message::NewGame(name) | Message::OpeningRoll { name, .. }) = message else {
            return;
        };
        let joining = self.joining.as_ref();
        let joining = joining.filter(|joining| joining.name == *name);
        let Some(wanted) = joining.map(|joining| joining.wanted) else {
            return;
        };
        if wanted != MatchTerms::Resume {
            self.started(name.clone(), wanted);
            if let Some(game) = &mut self.game {
                game.unannounced = true;
            }
        }
    }

    /// The server says that no match is being played. BaldLies says so now and then in the middle of
    /// one, so that the bot leaves only when the server repeats it behind fences (FIBS-17).
    fn not_playing(&mut self) {
        let Some(game) = &mut self.game else { return };
        if game.leaving || self.boardless {
            return self.match_removed(true);
        }
        match game.resync {
            Resync::No => self.ask_again(),
            // The answer to an earlier command.
            Resync::Asked => {}
            Resync::Fenced => {
                game.resyncs += 1;
                match game.resyncs < RESYNCS_MAX {
                    true => self.ask_again(),
                    false => self.match_removed(true),
                }
            }
        }
    }

    /// The server offers the next game although no line has ended this one: the line was lost or
    /// garbled.
    fn ended_without_a_line(&mut self) {
        let Some(game) = &mut self.game else { return };
        game.record.end_unsaid();
        game.end_game();
        self.progress();
    }

    fn match_over(&mut self, by: &By, length: u32, score: Option<[u32; 2]>) {
        let Some(game) = self.game.take() else { return };
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
        self.saved.remove(&record.opponent);
        self.ended = Some((record, self.now + self.timing.rating_ms));
        self.outbox.clear();
    }

    /// FIBS-14: an offer is answered only from a board that came after it.
    pub(super) fn offered(&mut self) {
        self.outbox.retain(|command| !command.decision);
        if let Some(game) = &mut self.game {
            game.fresh = false;
            game.deciding = None;
            game.acted = None;
            game.need_board = Some(self.now);
        }
        if self.boardless {
            self.continue_from_known_board();
        }
    }

    /// The server knows no `board`.
    fn no_board(&mut self) {
        self.boardless = true;
        self.continue_from_known_board();
    }

    /// Continues from the last board and the later lines, on a server without a board command (FIBS-34). All earlier
    /// lines have arrived by now.
    pub(super) fn continue_from_known_board(&mut self) {
        let now = self.now;
        let Some(game) = &mut self.game else { return };
        game.need_board = None;
        if game.resync == Resync::Asked {
            // The answer to the fence comes first.
            return;
        }
        // A board that could not be read is not known.
        if game.line.is_some() && !game.between && game.bad_boards == 0 {
            game.known(now);
        }
    }

    pub(super) fn board(&mut self, line: BoardLine) {
        let [mine, other] = &line.names;
        if mine != "You" {
            return;
        }
        let now = self.now;
        self.counts.boards += 1;
        let length = u32::try_from(line.length)
            .ok()
            .filter(|&length| length > 0 && length < 9999);
        if self.game.is_none() {
            // FIBS-20: a board after the login is a match that goes on, or one whose start is told
            // after its first board.
            if self.ended.is_some() || self.phase != Phase::Online {
                return;
            }
            let opponent = other.clone();
            let wanted = self.is_unsolicited(&opponent, &line, length);
            self.started(opponent, wanted);
            if let Some(game) = &mut self.game {
                game.unannounced = true;
            }
        }
        if self.foreign_board(other, length) {
            return;
        }
        let Some(game) = &mut self.game else { return };
        if game.leaving
            || (game.between && game.resync != Resync::Fenced && line.turn != 0 && game.games > 0)
        {
            return;
        }
        game.since = now;
        self.board_works |= game.resync != Resync::No;
        game.agreed = Some(length);
        game.record.length = length;
        game.unlimited = length.is_none();
        match game.show(line, now) {
            Err(_) => {
                self.counts.bad_boards += 1;
                game.bad_boards += 1;
                if game.bad_boards >= 5 {
                    self.leave();
                } else {
                    game.need_board = Some(now + self.timing.resync_ms / 4);
                }
            }
            Ok(false) => {}
            Ok(true) => {
                self.outbox.retain(|command| !command.decision);
                let scores = game.scores();
                if let Some((player, position)) = game.recorded_board() {
                    let rolls = [game.my_roll, game.other_roll];
                    game.record.check(player, &position, scores, rolls);
                }
                self.resuming = None;
                if let Some(resumption) = self.resumptions.get_mut(&game.opponent) {
                    resumption.breaks = 0;
                }
                let greet = !game.greeted && !game.my_turn();
                game.greeted |= greet;
                if let Some(view) = game.view {
                    self.event(Event::Board(Box::new(view)));
                }
                if greet {
                    for line in self.policy.greeting() {
                        self.send(format!("kibitz {line}"));
                    }
                }
            }
        }
    }

    /// FIBS-33: another opponent, or a match to another length: no board of this match.
    fn foreign_board(&mut self, opponent: &str, length: Option<u32>) -> bool {
        let Some(game) = &mut self.game else {
            return true;
        };
        if opponent == game.opponent && game.agreed.is_none_or(|agreed| agreed == length) {
            game.foreign = 0;
            return false;
        }
        self.counts.foreign += 1;
        game.foreign += 1;
        if game.foreign >= FOREIGN_MAX {
            self.outputs.push_back(Output::Reconnect(
                "the server shows boards of another match",
            ));
        }
        true
    }

    /// Returns the kind of match of a board without a start line: the one we were about to begin, a new match, or a
    /// resumed one.
    fn is_unsolicited(&self, opponent: &str, line: &BoardLine, length: Option<u32>) -> MatchTerms {
        let new = length.map_or(MatchTerms::Unlimited, MatchTerms::Points);
        let joining = self.joining.as_ref();
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
        match begins && !self.holds(opponent) {
            true => new,
            false => MatchTerms::Resume,
        }
    }

    pub(super) fn game_over(&mut self, winner: MatPlayer, points: u32) {
        self.outbox.retain(|command| !command.decision);
        if let Some(game) = &mut self.game {
            game.record.end_game(winner, points);
            game.end_game();
            self.progress();
        }
    }

    /// Reports the match so far, for the state file.
    fn progress(&mut self) {
        let Some(game) = &self.game else { return };
        let record = Box::new(game.record.clone());
        self.event(Event::Progress {
            record,
            rating: self.own.as_ref().map(|own| own.rating),
            open: true,
        });
    }

    /// The match is no longer there: by our `leave` if we wanted that and the server does not say
    /// otherwise; the opponent can have gone in the same moment.
    pub(super) fn match_removed(&mut self, by_us: bool) {
        let Some(game) = self.game.take() else { return };
        self.outbox.clear();
        let by_us = by_us && game.leaving;
        let opponent = game.opponent;
        let done = game.unlimited && by_us && game.between;
        if done {
            let mut record = game.record;
            record.outcome = Some(MatchEnd::Left);
            self.event(Event::MatchFinished(Box::new(record)));
            return;
        }
        // FIBS-25: who has just left has a reason; he is not called back at once.
        let due = self.now + self.timing.resume_ms;
        self.resumptions.entry(opponent.clone()).or_default().due = due;
        self.saved.insert(opponent.clone(), game.record.length);
        self.interrupt(game.record, false);
        self.event(Event::MatchSaved { opponent, by_us });
    }

    pub(super) fn finish_record(&mut self) {
        if let Some((record, _)) = self.ended.take() {
            self.event(Event::MatchFinished(Box::new(record)));
        }
    }

    /// FIBS-27: resigns one game, then two, then three, and leaves when all is refused.
    fn resign_to_stop(&mut self, key: (&'static str, String)) {
        let Some(game) = &mut self.game else { return };
        let word = match game.stop_offered {
            0 => "n",
            1 => "g",
            2 => "b",
            _ => return self.leave(),
        };
        game.stop_offered += 1;
        game.acted = Some(key);
        game.since = self.now;
        self.send_decision(format!("resign {word}"));
    }

    /// Decides what is to be decided, once for each board and kind (FIBS-13).
    pub(super) fn think(&mut self) {
        let Some(game) = &mut self.game else { return };
        if game.deciding.is_some() {
            return;
        }
        let (crawford_roll, resign) = (self.crawford_roll, self.policy.resign);
        let question = game.question(self.now, &self.timing, crawford_roll, resign);
        let Some((kind, what)) = question else { return };
        let key = (kind, game.text.clone());
        if game.acted.as_ref() == Some(&key) {
            return;
        }
        match what {
            Move::Wait => game.acted = Some(key),
            Move::Resync => self.resync(),
            Move::Roll => {
                game.acted = Some(key);
                game.since = self.now;
                if game.confirmed && game.is_crawford() {
                    self.crawford_roll = CrawfordRoll::Bot;
                }
                self.send_decision("roll".to_owned());
            }
            Move::Ask(Ask::Play { .. } | Ask::RollOrDouble { .. })
                if self.stop == Stop::AfterGame && self.policy.resign_on_stop =>
            {
                self.resign_to_stop(key);
            }
            Move::Ask(ask) => {
                self.next_id += 1;
                game.deciding = Some((self.next_id, key, ask.clone()));
                self.outputs
                    .push_back(Output::Decide(self.next_id, Box::new(ask)));
            }
        }
    }
}
