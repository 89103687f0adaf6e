//! Lines about the match that is being played.

use super::*;

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
        match message {
            Message::Saved { by_us } => return self.match_gone(by_us),
            // Why has been told before, or was lost.
            Message::NotPlaying => return self.match_gone(true),
            _ => {}
        }
        let now = self.now;
        let Some(game) = &mut self.game else { return };
        game.since = now;
        if matches!(
            message,
            Message::Rolls { me: false, .. }
                | Message::CannotMove { me: false }
                | Message::Moves(_)
                | Message::Doubles
                | Message::OffersResignation(_)
                | Message::WinsGame { .. }
        ) {
            game.record.confirm();
        }
        match message {
            Message::BadBoard(_) => {
                self.counts.bad_boards += 1;
                game.bad_boards += 1;
                game.need_board = Some(now + self.timing.resync_ms / 4);
            }
            Message::OpeningRoll { mine, other } => {
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
                me,
                dice: [one, two],
            } => {
                game.doubled = false;
                game.my_double = false;
                let roll = Roll::new(one, two).ok();
                match me {
                    true => game.my_roll = roll,
                    false => game.other_roll = roll,
                }
            }
            Message::Moves(text) => {
                game.doubled = false;
                game.silent_since = now;
                let steps = read_steps(&text, !game.ascending());
                if let (Some(play), Some(roll)) = (steps, game.other_roll.take()) {
                    game.record.play(MatPlayer::Second, roll, play);
                }
                // The board that follows can be missing.
                game.need_board
                    .get_or_insert(now + self.timing.resync_ms / 4);
            }
            Message::CannotMove { me } => {
                let (player, roll) = match me {
                    true => (MatPlayer::First, game.my_roll.take()),
                    false => (MatPlayer::Second, game.other_roll.take()),
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
            Message::Doubles => {
                game.doubled = true;
                game.record.double(MatPlayer::Second);
                self.offered();
            }
            Message::OffersResignation(points) => {
                game.resignation = Some(points);
                self.offered();
            }
            Message::YouDouble => {
                game.my_double = true;
                game.record.double(MatPlayer::First);
            }
            Message::Takes { me } => {
                let taker = if me {
                    MatPlayer::First
                } else {
                    MatPlayer::Second
                };
                game.record.take(taker);
                game.doubled = false;
                game.my_double = false;
                game.need_board
                    .get_or_insert(now + self.timing.resync_ms / 4);
            }
            Message::YouResign => game.my_resignation = true,
            Message::ResignationRejected => {
                game.resignation_refused |= game.my_resignation;
                game.my_resignation = false;
                game.resignation = None;
                self.resync();
            }
            Message::OfferOpen { mine: true } => {
                // One of the two is open; the board says nothing about it.
                game.my_double = true;
            }
            Message::OfferOpen { mine: false } => self.send("reject"),
            other => self.result_message(other),
        }
    }

    /// A line about the end of a game or match, or a refusal.
    pub(super) fn result_message(&mut self, message: Message) {
        let Some(game) = &mut self.game else { return };
        match message {
            Message::GivesUp { me, points } => {
                let loser = if me {
                    MatPlayer::First
                } else {
                    MatPlayer::Second
                };
                game.record.drop(loser);
                self.game_over(!me, points);
            }
            Message::ResignationAccepted { me, points } | Message::WinsGame { me, points } => {
                self.game_over(me, points);
            }
            Message::WinsMatch { me, length, score } => self.match_over(me, length, score),
            Message::Score([(one, first), (_, second)]) => {
                let mine = one == self.user;
                let scores = if mine {
                    [first, second]
                } else {
                    [second, first]
                };
                game.record.score_told(scores);
            }
            Message::JoinNext => {
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
            Message::MatchLength(length) if game.wanted == Wanted::Resume => {
                game.record.length = length;
                game.unlimited = length.is_none();
            }
            // Between two games no board follows that would tell what the link hid.
            Message::PointsFor { name, points } if game.wanted == Wanted::Resume => {
                let [mine, theirs] = &mut game.record.scores;
                let score = if name == self.user { mine } else { theirs };
                if *score != points {
                    *score = points;
                    game.record.gaps += 1;
                }
            }
            Message::Refused(_) => {
                self.counts.refused += 1;
                game.refusals += 1;
                if game.refusals >= 3 {
                    self.send("kibitz Sorry, I do not understand this position.");
                    self.leave();
                } else {
                    self.resync();
                }
            }
            _ => {}
        }
    }

    fn match_over(&mut self, me: bool, length: u32, score: Option<[u32; 2]>) {
        let Some(game) = self.game.take() else { return };
        let mut record = game.record;
        record.length = Some(length);
        if let Some([winner, loser]) = score {
            record.score_told(if me { [winner, loser] } else { [loser, winner] });
        }
        record.outcome = Some(if me { Outcome::Won } else { Outcome::Lost });
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
    }

    pub(super) fn board(&mut self, line: BoardLine) {
        let [mine, other] = &line.names;
        if mine != "You" {
            return;
        }
        let now = self.now;
        self.counts.boards += 1;
        if self.game.is_none() {
            // FIBS-20: a board after the login is a match that goes on.
            if self.ended.is_some() || self.phase != Phase::Online {
                return;
            }
            let opponent = other.clone();
            self.started(opponent, Wanted::Resume);
        }
        let Some(game) = &mut self.game else { return };
        if game.leaving
            || (game.between && game.resync != Resync::Fenced && line.turn != 0 && game.games > 0)
        {
            return;
        }
        game.since = now;
        let length = u32::try_from(line.length)
            .ok()
            .filter(|&length| length > 0 && length < 9999);
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
                    game.record.check(player, &position, scores);
                }
                let greet = !game.greeted && !game.my_turn();
                game.greeted |= greet;
                if let Some(view) = game.view {
                    self.event(Event::Board(Box::new(view)));
                }
                if greet {
                    for line in self.policy.greeting.clone() {
                        self.send(format!("kibitz {line}"));
                    }
                }
            }
        }
    }

    pub(super) fn game_over(&mut self, won: bool, points: u32) {
        self.outbox.retain(|command| !command.decision);
        if let Some(game) = &mut self.game {
            let winner = if won {
                MatPlayer::First
            } else {
                MatPlayer::Second
            };
            game.record.end_game(winner, points);
            game.end_game();
        }
    }

    /// The match is no longer there: by our `leave` if we wanted that and the server does not say
    /// otherwise; the opponent can have gone in the same moment.
    pub(super) fn match_gone(&mut self, by_us: bool) {
        let Some(game) = self.game.take() else { return };
        self.outbox.clear();
        let by_us = by_us && game.leaving;
        let opponent = game.opponent;
        let done = game.unlimited && by_us && game.between;
        if done {
            let mut record = game.record;
            record.outcome = Some(Outcome::Left);
            self.event(Event::MatchFinished(Box::new(record)));
            return;
        }
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
        let Some((kind, what)) = game.question(self.now, &self.timing, self.policy.resign) else {
            return;
        };
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
