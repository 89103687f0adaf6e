//! Answers to doubles, beavers and raccoons: what each is worth (ANA-03 of `protocol-specs/analysis.md`).

use super::replay::{Action, Decision};
use gammond_engine::query::{CubeAnswer, Equities};

/// An answer to a double, a beaver or a raccoon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CubeReply {
    Take,
    Pass,
    /// Turning the cube once more: a beaver, or a raccoon.
    Beaver,
}

/// A double, a beaver or a raccoon that is to be answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct CubeOffer {
    /// Turns of the cube that are offered: 1 for a double, 2 for a beaver, 3 for a raccoon.
    turns: u8,
    may_turn: bool,
}

impl CubeOffer {
    /// Returns the offer that a decision answers and the answer; `None` for other decisions.
    pub(super) fn answered(decision: &Decision) -> Option<(CubeOffer, CubeReply)> {
        let (turns, reply) = match decision.action {
            Action::Take => (1, CubeReply::Take),
            Action::Drop => (1, CubeReply::Pass),
            Action::Beaver { turns } => (turns, CubeReply::Beaver),
            Action::BeaverAnswer { taken: true, turns } => (turns, CubeReply::Take),
            Action::BeaverAnswer { turns, .. } => (turns, CubeReply::Pass),
            _ => return None,
        };
        let may_turn = decision.state.beaver_refusal(turns).is_none();
        Some((CubeOffer { turns, may_turn }, reply))
    }

    /// Returns true if the player who doubled answers.
    pub(super) const fn by_doubler(self) -> bool {
        self.turns.is_multiple_of(2)
    }

    /// Returns the value of an answer for the player who doubled, at the cube before the double. However often the cube
    /// is turned, the player who was doubled owns it; each turn doubles the equity of the take.
    pub(super) fn value(self, cube: &CubeAnswer, reply: CubeReply) -> Equities {
        let times = |turns: u8| f64::from(1_u32.checked_shl(turns.into()).unwrap_or(u32::MAX));
        let stake = times(self.turns - 1);
        let scaled = |factor: f64| Equities {
            equity: factor * cube.double_take.equity,
            mwc: None,
        };
        match reply {
            CubeReply::Take if self.turns == 1 => cube.double_take,
            CubeReply::Pass if self.turns == 1 => cube.double_pass,
            CubeReply::Take => scaled(stake),
            CubeReply::Beaver => scaled(2.0 * stake),
            CubeReply::Pass => Equities {
                equity: if self.by_doubler() { -stake } else { stake },
                mwc: None,
            },
        }
    }

    /// Returns the best answer; a take where it is worth as much as another one.
    pub(super) fn best(self, cube: &CubeAnswer) -> CubeReply {
        let mut best = CubeReply::Take;
        let turn = self.may_turn.then_some(CubeReply::Beaver);
        for reply in [CubeReply::Pass].into_iter().chain(turn) {
            let [value, other] = [reply, best].map(|reply| self.value(cube, reply).equity);
            let better = if self.by_doubler() {
                value > other
            } else {
                value < other
            };
            if better {
                best = reply;
            }
        }
        best
    }

    /// Returns the word for an answer.
    pub(super) const fn word(self, reply: CubeReply) -> &'static str {
        match reply {
            CubeReply::Take => "take",
            CubeReply::Pass => "pass",
            CubeReply::Beaver if self.by_doubler() => "raccoon",
            CubeReply::Beaver => "beaver",
        }
    }
}
