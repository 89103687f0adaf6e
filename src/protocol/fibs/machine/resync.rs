//! Resynchronisation: asks the server for the state when something is missing (FIBS-17, FIBS-32).

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
        if !leaving && !self.boardless {
            self.send("board");
        }
    }

    pub(super) fn fence(&mut self) {
        // An older one that is not answered yet can still be on its way. If the server has lost it
        // the count stays too high, and in the end a new connection settles it.
        self.fences += 1;
        self.send(FENCE);
    }

    /// An invitation or acceptance is sent.
    pub(super) fn begin_joining(&mut self, name: &str, wanted: MatchTerms) {
        if wanted == MatchTerms::Resume {
            self.resuming = Some((name.to_owned(), self.now));
        }
        self.joining = Some(Joining {
            name: name.to_owned(),
            wanted,
            until: self.now + 2 * self.timing.resync_ms,
            answers: self.fences + 1,
        });
    }

    /// Returns true if another invitation or acceptance may be sent: none of ours is still unanswered, so two cannot
    /// cross (FIBS-32).
    pub(super) fn may_join(&mut self) -> bool {
        let now = self.now;
        let invited = !self.invitations.is_empty();
        let Some(joining) = &mut self.joining else {
            return true;
        };
        if joining.answers == 0 {
            // Somebody who invites does not accept; an invitation of ours is left a while.
            let over = invited || now >= joining.until;
            if over {
                self.joining = None;
            }
            return over;
        }
        if now >= joining.until || (invited && self.fences < joining.answers) {
            joining.until = now + 2 * self.timing.resync_ms;
            self.fence();
        }
        false
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
        if let Some(joining) = &mut self.joining {
            joining.answers = joining.answers.saturating_sub(1);
        }
        if self.fences > 0 {
            return;
        }
        if self.saved_begun {
            self.close_lost_match();
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
        } else if self.boardless && !game.between {
            self.continue_from_known_board();
        } else if game.between && !joins {
            game.rejoin_at = now + self.timing.resync_ms / 4;
        }
    }
}
