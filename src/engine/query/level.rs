//! Levels of play between a search and a full rollout.

/// A small rollout in place of a number of plies: see `protocol-specs/rollouts.md` (RO-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// 36 games of 5 turns.
    Roller,
    /// 324 games of 7 turns.
    RollerPlus,
    /// 324 games of 7 turns, played one ply deep.
    RollerPlusPlus,
}

impl Level {
    /// All, the quickest first.
    pub const ALL: [Level; 3] = [Level::Roller, Level::RollerPlus, Level::RollerPlusPlus];

    /// Words of the setting: the names of all levels, and `off` for none.
    pub(super) const WORDS: [&str; Level::ALL.len() + 1] = {
        let mut words = ["off"; Level::ALL.len() + 1];
        let mut at = 0;
        while at < Level::ALL.len() {
            words[at] = Level::ALL[at].name();
            at += 1;
        }
        words
    };

    /// Returns the name of the level in settings and answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Roller => "roller",
            Level::RollerPlus => "roller+",
            Level::RollerPlusPlus => "roller++",
        }
    }

    /// Returns the names of all levels for a message: `roller, roller+ or roller++`.
    #[must_use]
    pub fn names() -> String {
        let [first @ .., last] = Level::ALL.map(Level::name);
        format!("{} or {last}", first.join(", "))
    }

    /// Returns the level with this name, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Level> {
        let is = |level: &Level| level.name().eq_ignore_ascii_case(name);
        Level::ALL.into_iter().find(is)
    }
}
