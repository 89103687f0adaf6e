//! Timers: the machine's reactions to missing answers (FIBS-10, FIBS-17, FIBS-19, FIBS-23).

use super::Machine;
use super::interface::Output;
use super::play::{BoardAge, Stage};
use super::resync::RESYNCS_MAX;
use super::state::{BoardCommand, State, Stop};
use super::transitions::EventName;

impl Machine {
    /// Runs the timers that are due.
    pub(super) fn timers(&mut self) {
        self.observe(EventName::Timer, |machine| {
            machine.login_timers();
            machine.link_timers();
            machine.match_timers();
        });
    }

    /// Runs the timers of the settings, of the rating after a match, of a login that never completes, and of an end
    /// that is not answered.
    fn login_timers(&mut self) {
        let now = self.now;
        let rated = self.state.ended().is_some_and(|ended| ended.due <= now);
        match &mut self.state {
            State::Settling { until } | State::Motd { until } if *until <= now => self.settle(),
            State::LoginPrompt { since } | State::Authenticating { since }
                if now >= *since + self.timing.login_ms =>
            {
                // FIBS-10: a login that never completes.
                *since = now;
                self.outbox
                    .output(Output::Reconnect("the login does not complete"));
            }
            _ if rated => self.finish_record(),
            _ => {}
        }
        // FIBS-27: a server that does not even answer `leave`.
        if self.stopping.deadline <= now {
            self.stopping.deadline = u64::MAX;
            self.outbox.output(Output::Quit);
        }
    }

    /// Runs the timers of a link that is dead, or must be kept alive.
    fn link_timers(&mut self) {
        let now = self.now;
        let offline = matches!(self.state, State::Offline);
        if !offline && now >= self.link.last_heard + self.timing.silence_ms {
            // Once only: the owner of the link closes it.
            self.outbox.output(Output::Reconnect("nothing heard"));
            self.lose_link();
        }
        // Matches of unknown fate are searched for as long as it takes, and soon when the end waits for them.
        let looks =
            self.state.game().is_none() && !self.link.listless && self.saved.hides_a_match();
        let quiet = match looks && self.stopping.wanted != Stop::No {
            true => self.timing.resync_ms,
            false => self.timing.keepalive_ms,
        };
        if self.state.is_settled() && now >= self.outbox.last_sent + quiet {
            self.outbox.last_sent = now;
            if looks {
                self.ask_saved();
            } else {
                self.outbox.send("time");
            }
        }
    }

    fn match_timers(&mut self) {
        let now = self.now;
        let Some(game) = self.state.game_mut() else {
            return;
        };
        if game.board.ask_at.is_some_and(|due| due <= now) {
            game.board.ask_at = None;
            game.clock.since = now;
            match self.link.is_boardless() {
                true => self.continue_from_known_board(),
                false => self.outbox.send("board"),
            }
            return;
        }
        if let Stage::Between { rejoin_at, .. } = &mut game.stage
            && rejoin_at.is_some_and(|due| due <= now)
        {
            *rejoin_at = None;
            game.board.age.forget_request();
            game.clock.since = now;
            self.outbox.send("join");
            return;
        }
        let opponent = game.waits_for_opponent();
        let patience = match opponent {
            true => self.policy.remind_s * 1000,
            // Longer each time: a slow server does not get commands faster than it answers.
            false => self.timing.resync_ms << game.clock.resyncs.min(2),
        };
        if game.decisions.open.is_some() || now < game.clock.since + patience {
            return;
        }
        game.clock.since = now;
        self.counts.resyncs += 1;
        match opponent {
            true => self.opponent_is_silent(),
            false => self.server_is_silent(),
        }
    }

    fn server_is_silent(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        game.clock.resyncs += 1;
        // FIBS-34: the server answers the fence but shows no board.
        let silent = game.board.age == BoardAge::Fenced
            && game.board.shown.is_some()
            && self.link.board_command == BoardCommand::Untried;
        if silent && game.clock.resyncs == RESYNCS_MAX {
            self.link.board_command = BoardCommand::Missing;
            self.continue_from_known_board();
        } else if game.clock.resyncs > RESYNCS_MAX {
            self.outbox
                .output(Output::Reconnect("the server does not react"));
        } else {
            self.ask_again();
        }
    }

    /// Reminds a silent opponent once, then leaves (FIBS-19).
    fn opponent_is_silent(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        if self.now >= game.clock.silent_since + self.policy.leave_s * 1000 {
            self.leave();
            return;
        }
        if !std::mem::replace(&mut game.clock.reminded, true) {
            self.outbox.send("kibitz Are you there?");
        }
        if !self.link.is_boardless() {
            self.outbox.send("board");
        }
    }
}
