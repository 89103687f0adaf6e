//! When something is missing: asking the server what is to be done (FIBS-17, FIBS-32).

use super::*;

/// Every server answers this, and it changes nothing.
const FENCE: &str = "set boardstyle 3";

impl Machine {
    /// Asks for the board and does again what it shows to be undone, once the server has answered
    /// everything that was sent before (FIBS-32).
    pub(super) fn resync(&mut self) {
        if self
            .game
            .as_ref()
            .is_some_and(|game| game.resync == Resync::No)
        {
            self.ask_again();
        }
    }

    /// Sends a command whose answer is known on all servers, and then `board`.
    pub(super) fn ask_again(&mut self) {
        let now = self.now;
        let Some(game) = &mut self.game else { return };
        game.resync = Resync::Asked;
        game.fresh = false;
        game.deciding = None;
        game.need_board = None;
        game.since = now;
        let leaving = game.leaving;
        self.outbox.retain(|command| !command.decision);
        self.fence();
        if !leaving {
            self.send("board");
        }
    }

    pub(super) fn fence(&mut self) {
        // An older one that is not answered yet can still be on its way. If the server has lost it
        // the count stays too high, and in the end a new connection settles it.
        self.fences += 1;
        self.send(FENCE);
    }

    /// The answer to a later command: a fence that is not answered by now was lost.
    pub(super) fn fences_lost(&mut self) {
        let asked = |game: &Match| game.resync == Resync::Asked;
        if !self.game.as_ref().is_some_and(asked) {
            self.fences = 0;
        }
    }

    /// The server has answered a fence: whether it is the last one.
    pub(super) fn fence_answered(&mut self) {
        self.fences = self.fences.saturating_sub(1);
        if self.fences > 0 {
            return;
        }
        if self.saved_begun {
            self.close_unseen();
        }
        let now = self.now;
        // The invitation to join came late, just before the fence: the answer to it is on its way.
        let joins = self.outbox.iter().any(|command| command.text == "join");
        let Some(game) = &mut self.game else { return };
        if game.resync != Resync::Asked {
            return;
        }
        game.resync = Resync::Fenced;
        game.since = now;
        if game.leaving {
            game.resync = Resync::No;
            self.send("leave");
        } else if game.between && !joins {
            game.rejoin_at = now + self.timing.resync_ms / 4;
        }
    }
}
