//! Login: from the first prompt to the settings that the bot needs (FIBS-10, FIBS-11).

use super::Machine;
use super::interface::{Event, Output};
use super::state::State;
use gammond_game::notation::fibs::{Message, OwnInfo, name_line};

impl Machine {
    /// Answers a prompt for the name (`login`) or the password.
    pub(super) fn prompted(&mut self, login: bool) {
        match self.state {
            State::LoginPrompt { .. } if login => {
                self.enter(State::Authenticating { since: self.now });
                self.outbox.output(Output::Login);
            }
            // FIBS-10: a second prompt is the refusal.
            State::Authenticating { .. } => self.refuse_login(),
            _ => {}
        }
    }

    pub(super) fn refuse_login(&mut self) {
        self.outbox
            .output(Output::Fatal("the server refuses name or password"));
    }

    /// Takes a line.
    pub(super) fn line(&mut self, line: &str) {
        if matches!(self.state, State::LoginPrompt { .. } | State::Offline) {
            return;
        }
        self.counts.lines += 1;
        // FIBS-33: a message of the day may have any text; only its end counts.
        let motd = matches!(self.state, State::Motd { .. });
        for message in name_line(line) {
            match message {
                Message::MotdEnds if motd => self.message(message),
                _ if motd => {}
                message => self.message(message),
            }
        }
    }

    pub(super) fn welcomed(&mut self) {
        if let State::Authenticating { .. } = self.state {
            let until = self.now + self.timing.resync_ms;
            self.enter(State::Settling { until });
        }
    }

    pub(super) fn motd_begins(&mut self) {
        if let State::Settling { until } = self.state {
            self.enter(State::Motd { until });
        }
    }

    pub(super) fn motd_ends(&mut self) {
        if let State::Motd { .. } = self.state {
            self.settle();
        }
    }

    /// Sends the settings that a bot needs; a toggle flips, so only wrong ones are sent (FIBS-11).
    pub(super) fn settle(&mut self) {
        self.enter(State::Free);
        self.fence();
        let own = self.users.own.as_ref();
        for command in own.map(wrong_settings).unwrap_or_default() {
            self.outbox.send(command);
        }
        let (rating, experience) = own.map_or((0.0, 0), |own| (own.rating, own.experience));
        self.outbox.event(Event::LoggedIn { rating, experience });
        self.outbox.send("set redoubles none");
        self.ask_saved();
    }
}

/// Returns the commands that change our settings to those of a bot.
fn wrong_settings(own: &OwnInfo) -> Vec<String> {
    let wrong = [
        (!own.moreboards, "toggle moreboards"),
        (!own.autoboard, "toggle autoboard"),
        (own.automove, "toggle automove"),
        (own.bell, "toggle bell"),
        (own.autodouble, "toggle autodouble"),
        (!own.crawford, "toggle crawford"),
        (!own.double, "toggle double"),
        (own.greedy, "toggle greedy"),
        (own.moves, "toggle moves"),
        (!own.silent, "toggle silent"),
        (!own.ready, "toggle ready"),
        (own.away, "back"),
    ];
    let wrong = wrong.into_iter().filter(|&(wrong, _)| wrong);
    wrong.map(|(_, command)| command.to_owned()).collect()
}
