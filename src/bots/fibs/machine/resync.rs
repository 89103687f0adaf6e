//! Resynchronisation: requests the state from the server when something is missing (FIBS-17, FIBS-32).

use super::Machine;
use super::play::{BoardAge, Stage};
use super::state::{Joining, State};
use gammond_game::notation::fibs::MatchTerms;

/// Every server answers this, and it changes nothing.
const FENCE: &str = "set boardstyle 3";
/// Number of times that the board is requested before the bot reconnects, or assumes that no match is played.
pub(super) const RESYNCS_MAX: u32 = 3;

impl Machine {
    /// Requests the board and repeats the actions that it shows as missing, once the server has answered all earlier
    /// commands (FIBS-32).
    pub(super) fn resync(&mut self) {
        let game = self.state.game();
        if game.is_some_and(|game| !game.board.age.is_asked()) {
            self.ask_again();
        }
    }

    /// Sends a command that all servers answer, and then `board`.
    pub(super) fn ask_again(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        game.board.age = BoardAge::Asked;
        game.board.ask_at = None;
        game.decisions.open = None;
        game.clock.since = self.now;
        let leaving = game.leaving;
        self.outbox.drop_decisions();
        self.fence();
        if !leaving && !self.link.is_boardless() {
            self.outbox.send("board");
        }
    }

    pub(super) fn fence(&mut self) {
        // An older one that is not answered yet can still be on its way. If the server has lost it
        // the count stays too high, and in the end a new connection settles it.
        self.link.fences += 1;
        self.outbox.send(FENCE);
    }

    /// Records that an invitation or acceptance is sent.
    pub(super) fn begin_joining(&mut self, name: &str, wanted: MatchTerms) {
        if wanted == MatchTerms::Resume {
            self.saved.resuming = Some((name.to_owned(), self.now));
        }
        self.enter(State::Joining(Joining {
            name: name.to_owned(),
            wanted,
            until: self.now + 2 * self.timing.resync_ms,
            answers: self.link.fences + 1,
        }));
    }

    /// Returns true if another invitation or acceptance may be sent: none of ours is still unanswered, so two cannot
    /// cross (FIBS-32).
    pub(super) fn may_join(&mut self) -> bool {
        let now = self.now;
        let invited = !self.invitations.open.is_empty();
        let Some(joining) = self.state.joining_mut() else {
            return true;
        };
        if joining.answers == 0 {
            // A player who invites does not accept; the bot's own invitation stays open for a while.
            let over = invited || now >= joining.until;
            if over {
                self.enter(State::Free);
            }
            return over;
        }
        if now >= joining.until || (invited && self.link.fences < joining.answers) {
            joining.until = now + 2 * self.timing.resync_ms;
            self.fence();
        }
        false
    }

    /// Handles the answer to a later command: a fence that is not answered by now was lost.
    pub(super) fn fences_lost(&mut self) {
        let game = self.state.game();
        if !game.is_some_and(|game| game.board.age == BoardAge::Asked) {
            self.link.fences = 0;
        }
    }

    /// Counts a fence that the server has answered; the last one confirms the state.
    pub(super) fn fence_answered(&mut self) {
        self.link.fences = self.link.fences.saturating_sub(1);
        if let Some(joining) = self.state.joining_mut() {
            joining.answers = joining.answers.saturating_sub(1);
        }
        if self.link.fences > 0 {
            return;
        }
        if self.link.list_begun {
            self.close_lost_match();
        }
        let Some(game) = self.state.game_mut() else {
            return;
        };
        if game.board.age != BoardAge::Asked {
            return;
        }
        game.board.age = BoardAge::Fenced;
        game.clock.since = self.now;
        if game.leaving {
            game.board.age.forget_request();
            self.outbox.send("leave");
            return;
        }
        match &mut game.stage {
            Stage::Game if self.link.is_boardless() => self.continue_from_known_board(),
            // If `join` waits, the invitation to join came just before the fence: the answer to it is on its way.
            Stage::Between { rejoin_at, .. } if !self.outbox.holds("join") => {
                *rejoin_at = Some(self.now + self.timing.resync_ms / 4);
            }
            _ => {}
        }
    }

    /// Records that the server has no command `board`.
    pub(super) fn no_board(&mut self) {
        self.link.board_command = super::state::BoardCommand::Missing;
        self.continue_from_known_board();
    }

    /// Continues from the last board and the later lines, on a server without a board command (FIBS-34). All earlier
    /// lines have arrived by now.
    pub(super) fn continue_from_known_board(&mut self) {
        let Some(game) = self.state.game_mut() else {
            return;
        };
        game.board.ask_at = None;
        // The answer to the fence comes first; an unreadable board does not count.
        let known = game.board.age != BoardAge::Asked && game.board.unreadable == 0;
        if known && game.stage == Stage::Game {
            game.trust_board(self.now);
        }
    }
}
